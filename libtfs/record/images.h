/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_IMAGES_H
#define TFS_RECORD_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashmap.h"
#include "base/strmap.h"
#include "record/map-events.h"
#include "tracedat/dat-maps.h"

/**
 * struct tfs_image_object - a program or library that somebody has mapped
 * @path: as its processes see it, without " (deleted)"
 * @id, @id_size: its build-id; @dev, @inode: its numbers; 0: not known
 * @flags: enum tfs_dat_object_flags
 * @fd: the very file, whatever became of its name; -1: it could not be opened, or too many are
 * @number: among those that are written; -1: not among them
 */
struct tfs_image_object {
	char *path;
	unsigned char id[TFS_MAP_ID_MAX];
	size_t id_size;
	uint64_t dev, inode;
	uint32_t flags;
	int fd;
	long number;
};

/**
 * struct tfs_image - what a process had mapped, from one program that it ran to the next
 * @from, @first, @last: as in struct tfs_dat_image
 * @is_partial: not all of its maps are known: it was there before they were recorded
 * @maps: by address, none overlaps another; their objects are indexes of tfs_images.objects
 */
struct tfs_image {
	uint64_t from, first, last;
	bool is_partial;
	struct tfs_dat_map *maps;
	size_t n_maps, cap_maps;
};

/**
 * struct tfs_image_process - a process number, and who had it
 * @images: in order of time
 * @has_ended: the last one has ended
 * @is_hit: an address of it was met
 * @uid: whose it is; -1: not known
 * @read_at: when its maps were read for an address that was not in them, CLOCK_MONOTONIC; 0: never
 * @jit: object of its JIT map; -1: none
 */
struct tfs_image_process {
	uint32_t tgid;
	struct tfs_image *images;
	size_t n;
	bool has_ended, is_hit;
	long uid, jit;
	uint64_t read_at;
};

/**
 * struct tfs_images - what all processes that were looked at had mapped, and when
 *
 * Zeroed it is empty. One thread at a time.
 * @processes: struct tfs_image_process by number; @order: the same as a list
 * @inexact: events have only the time when they were read
 * @n_maps: of all together; above TFS_IMAGES_MAPS_MAX nothing is added, and @dropped counted
 */
struct tfs_images {
	struct tfs_hashmap processes;
	struct tfs_image_process **order;
	size_t n_processes;
	struct tfs_image_object *objects;
	size_t n_objects, cap_objects, n_open;
	struct tfs_strmap index;
	size_t n_maps;
	uint64_t dropped;
	bool inexact;
};

/** TFS_IMAGES_MAPS_MAX - some 40 MiB */
#define TFS_IMAGES_MAPS_MAX (1u << 20)
/** TFS_IMAGES_OPEN_MAX - files that are held open; others are opened by name in the end */
#define TFS_IMAGES_OPEN_MAX 512

void tfs_images_release(struct tfs_images *im);

/** tfs_images_find() - a process, or NULL */
struct tfs_image_process *tfs_images_find(const struct tfs_images *im, uint32_t tgid);
/** tfs_images_event() - take account of something that just happened */
void tfs_images_event(struct tfs_images *im, const struct tfs_map_event *event);
/**
 * tfs_images_read() - look at the maps of a living process
 * @ts: the time, by the trace clock
 * @from: when the process began, if that is not known from an event; 0: not known
 *
 * Return: 0, or why it cannot be looked at: -ENOENT, -ESRCH, -EACCES; -ENOMEM.
 */
int tfs_images_read(struct tfs_images *im, uint32_t tgid, uint64_t ts, uint64_t from);
/** tfs_image_map() - the map of one program that an address is in, or NULL */
const struct tfs_dat_map *tfs_image_map(const struct tfs_image *image, uint64_t addr);
/** tfs_image_at() - the program that a process ran at a time of the trace clock, as far as known */
const struct tfs_image *tfs_image_at(const struct tfs_image_process *p, uint64_t ts);
/** tfs_images_map() - the map of a process's latest program that an address is in, or NULL */
const struct tfs_dat_map *tfs_images_map(const struct tfs_image_process *p, uint64_t addr);
/** tfs_images_add_object() - add one that is not a file; its number, or -ENOMEM */
long tfs_images_add_object(struct tfs_images *im, const char *path, uint32_t flags);

#endif
