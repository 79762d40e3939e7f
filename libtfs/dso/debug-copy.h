/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DSO_DEBUG_COPY_H
#define TFS_DSO_DEBUG_COPY_H

#include <libelf.h>
#include <stdbool.h>

/**
 * enum tfs_debug_part - sections that many requests read nothing of
 * @TFS_DEBUG_LINES: line tables
 * @TFS_DEBUG_PLACES: lists of the places where variables are
 * @TFS_DEBUG_FRAMES: unwinding information, besides what the program itself has
 */
enum tfs_debug_part {
	TFS_DEBUG_LINES = 1,
	TFS_DEBUG_PLACES = 2,
	TFS_DEBUG_FRAMES = 4,
};

/**
 * struct tfs_debug_copy - a file of debug information in memory, made ready for libdw
 *
 * No section is compressed, and those of a relocatable file have their addresses. libdw and libdwfl
 * do either themselves, which takes three and twenty times as long.
 *
 * Until a part is asked for, with tfs_debug_copy_expand(), there is no memory where it will be: to
 * read it raises a signal.
 */
struct tfs_debug_copy;

/**
 * tfs_debug_copy_new() - read a file
 * @fd: it may be closed afterwards; the file must remain as it is
 * @module: if it is relocatable, the file that it was split off, with addresses; else NULL
 *
 * Sections that say they become out of all proportion are for the caller to refuse
 * (tfs_sections_are_sound()).
 * Return: NULL if the file will do as well as it is, for libdwfl; also without memory.
 */
struct tfs_debug_copy *tfs_debug_copy_new(int fd, Elf *module);
/** tfs_debug_copy_elf() - borrowed; what reads it ends before the copy is freed */
Elf *tfs_debug_copy_elf(const struct tfs_debug_copy *copy);
/**
 * tfs_debug_copy_expand() - @part is about to be read
 * Return: false if it is damaged; where it would be is empty then.
 */
bool tfs_debug_copy_expand(struct tfs_debug_copy *copy, enum tfs_debug_part part);
void tfs_debug_copy_free(struct tfs_debug_copy *copy);

#endif
