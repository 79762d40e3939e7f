/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DSO_DEBUGDATA_H
#define TFS_DSO_DEBUGDATA_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * tfs_debugdata_is_sound() - may libdwfl expand .gnu_debugdata, the symbol table that xz
 * compressed?
 *
 * It does so in memory, whatever comes of it. So it is tried before, with liblzma, into as much as
 * a table of symbols may become: 32 times its size, or 4 MiB, and 256 MiB at most. liblzma is the
 * one that libdw has loaded; where there is none, nothing can be expanded.
 *
 * Return: true also if there is no such section.
 */
bool tfs_debugdata_is_sound(Elf *elf);

/**
 * struct tfs_memory_limit - how much the process may have in all, for the time of a call
 *
 * For libraries that expand their input with no limit of their own. The limit holds for the whole
 * process: do not use it while other threads need much memory.
 */
struct tfs_memory_limit {
	uint64_t before;
	bool set;
};

/** tfs_memory_limit_begin() - no more than @more bytes beyond what is mapped now */
void tfs_memory_limit_begin(struct tfs_memory_limit *limit, uint64_t more);
void tfs_memory_limit_end(const struct tfs_memory_limit *limit);

#endif
