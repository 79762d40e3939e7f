/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_MAPS_H
#define TFS_TRACEDAT_DAT_MAPS_H

#include <stddef.h>
#include <stdint.h>

struct tfs_dat;
struct tfs_strbuf;

/*
 * The options TFS_DAT_PRIVATE_OBJECTS and TFS_DAT_PRIVATE_MAPS: which programs and libraries the
 * traced processes had in memory, and where. Both consist of records (dat-records.h).
 *
 * OBJECTS, type 1, an object; they are numbered from 0 in the order of the file: u32 flags, u64
 * load bias, u32 length of the build-id, that many bytes, strz path.
 * MAPS, type 1, an image (what a process had mapped, from one exec to the next): u32 tgid, u32
 * flags, u64 from, u64 first, u64 last, u32 n, then n times u64 start, u64 end, u64 offset, u64
 * address, u32 object.
 */

/** TFS_DAT_BUILD_ID_MAX - bytes of a build-id; longer ones are left out */
#define TFS_DAT_BUILD_ID_MAX 64
/** TFS_DAT_NO_OBJECT - a map of no file: memory that a program wrote code into */
#define TFS_DAT_NO_OBJECT UINT32_MAX

/**
 * enum tfs_dat_object_flags - what is known of an object
 * @TFS_DAT_OBJECT_READ: symbols were looked for in it
 * @TFS_DAT_OBJECT_DIFFERS: the file that was found had another build-id: it has no symbols here
 * @TFS_DAT_OBJECT_MISSING: it could not be opened
 * @TFS_DAT_OBJECT_JIT: not a file, but what a program says of the code it makes; addresses are
 *	those of the process
 * @TFS_DAT_OBJECT_VDSO: the kernel's, "[vdso]"
 * @TFS_DAT_OBJECT_DELETED: had no name any more when it was looked at
 */
enum tfs_dat_object_flags {
	TFS_DAT_OBJECT_READ = 1 << 0,
	TFS_DAT_OBJECT_DIFFERS = 1 << 1,
	TFS_DAT_OBJECT_MISSING = 1 << 2,
	TFS_DAT_OBJECT_JIT = 1 << 3,
	TFS_DAT_OBJECT_VDSO = 1 << 4,
	TFS_DAT_OBJECT_DELETED = 1 << 5,
};

/**
 * struct tfs_dat_object - a program, library or other source of code
 * @flags: enum tfs_dat_object_flags
 * @load_bias: virtual address in the file minus offset, of its first executable segment
 * @path: as its processes saw it
 * @build_id: lower-case hexadecimal, "" if it has none
 */
struct tfs_dat_object {
	uint32_t flags;
	uint64_t load_bias;
	const char *path;
	const char *build_id;
};

/**
 * struct tfs_dat_map - executable memory
 * @offset: in the file of @start
 * @address: virtual address in the file (what nm shows) of @start
 * @object: number, or TFS_DAT_NO_OBJECT
 */
struct tfs_dat_map {
	uint64_t start, end, offset, address;
	uint32_t object;
};

/**
 * struct tfs_dat_image - the maps of a process, of one program that it ran
 * @flags: 0
 * @from: no event of this image is older; 0: not known
 * @first, @last: when the maps were read for the first and the last time
 * @maps: by address, @n_maps of them. A mapping where something else was mapped begins another
 *	image
 *
 * Times are in units of the trace clock as the events are recorded, not corrected.
 */
struct tfs_dat_image {
	uint32_t tgid, flags;
	uint64_t from, first, last;
	const struct tfs_dat_map *maps;
	size_t n_maps;
};

/** tfs_dat_objects_add() - append an object to a payload that begins with the mark; 0, -errno */
int tfs_dat_objects_add(struct tfs_strbuf *payload, const struct tfs_dat_object *object);
/** tfs_dat_maps_add() - the same of an image */
int tfs_dat_maps_add(struct tfs_strbuf *payload, const struct tfs_dat_image *image);

/** struct tfs_dat_maps - what a file says; constant once made, for any number of threads */
struct tfs_dat_maps;

/**
 * tfs_dat_maps_new() - read both options
 * @out: NULL where the file has none; release with tfs_dat_maps_free()
 *
 * Records before the damage in a damaged option count; maps of objects that are not there, or that
 * end before they start, are left out. Return: 0 or -ENOMEM.
 */
int tfs_dat_maps_new(const struct tfs_dat *dat, struct tfs_dat_maps **out);
void tfs_dat_maps_free(struct tfs_dat_maps *maps);

/** tfs_dat_maps_objects() - all objects, by number; borrowed; @maps may be NULL: none */
const struct tfs_dat_object *tfs_dat_maps_objects(const struct tfs_dat_maps *maps, size_t *n);
/** tfs_dat_maps_images() - all images, by tgid, then by time; the same */
const struct tfs_dat_image *tfs_dat_maps_images(const struct tfs_dat_maps *maps, size_t *n);
/** tfs_dat_maps_find() - the map of an image that an address is in; NULL: none */
const struct tfs_dat_map *tfs_dat_maps_find(const struct tfs_dat_image *image, uint64_t addr);

#endif
