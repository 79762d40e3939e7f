/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_HIT_SYMBOLS_H
#define TFS_RECORD_HIT_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_dat_symbol;
struct tfs_dat_symbols_writer;
struct tfs_dso;
struct tfs_image_object;

/**
 * struct tfs_hit_object - an object whose addresses were met, and what became of looking at it
 * @of: the object; its build-id is added if the kernel did not give it
 * @offsets: of the addresses that were met, in the file, any order, more than once
 * @flags: enum tfs_dat_object_flags, besides the object's own
 * @load_bias: see struct tfs_dat_object
 * @dso: the file, while it is open; NULL: there is none
 */
struct tfs_hit_object {
	struct tfs_image_object *of;
	uint64_t *offsets;
	size_t n, cap;
	uint32_t flags;
	uint64_t load_bias;
	struct tfs_dso *dso;
};

/**
 * tfs_hit_object_open() - open the file, and see that it is still the one that was mapped
 *
 * Sets @flags and @load_bias. Without a file, or with another one, there are no symbols: this is
 * not an error. Return: 0 or -ENOMEM.
 */
int tfs_hit_object_open(struct tfs_hit_object *h);
/** tfs_hit_object_symbols() - add the functions that the offsets are in; 0 or -errno */
int tfs_hit_object_symbols(struct tfs_hit_object *h, uint32_t number,
			   struct tfs_dat_symbols_writer *w);
/**
 * tfs_hit_object_find() - the function that an offset in the file is in
 * @out: its name lives until the file is closed
 *
 * Return: false: there is none.
 */
bool tfs_hit_object_find(const struct tfs_hit_object *h, uint64_t offset,
			 struct tfs_dat_symbol *out);
/** tfs_hit_object_close() - close the file; what was found out stays */
void tfs_hit_object_close(struct tfs_hit_object *h);
void tfs_hit_object_release(struct tfs_hit_object *h);

/**
 * tfs_hit_vdso() - a copy of our own vdso, which is that of all programs of our kind
 * Return: a descriptor of a file in memory, yours; negative errno.
 */
int tfs_hit_vdso(void);

#endif
