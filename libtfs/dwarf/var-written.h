/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_VAR_WRITTEN_H
#define TFS_DWARF_VAR_WRITTEN_H

#include <stdbool.h>
#include <stdint.h>

struct tfs_basic_block;
struct tfs_scope;

/**
 * tfs_scope_block() - the straight-line code around the scope's pc
 * Return: false if it is not known.
 */
bool tfs_scope_block(const struct tfs_scope *scope, struct tfs_basic_block *block);

/**
 * tfs_var_is_written() - whether memory of the frame holds what the variable in it is to hold
 * @from, @len: bytes relative to register @reg
 *
 * True if the straight-line code around the scope's pc has written all of them before it, and
 * writes none of them after it before it reads one.
 */
bool tfs_var_is_written(const struct tfs_scope *scope, unsigned int reg, int64_t from,
			uint64_t len);

/**
 * tfs_var_writes() - straight-line code writes all of some memory of the frame, whatever reads it
 * @from, @len: bytes relative to register @reg as it is at the end of @block
 */
bool tfs_var_writes(const struct tfs_scope *scope, const struct tfs_basic_block *block,
		    unsigned int reg, int64_t from, uint64_t len);

/**
 * tfs_var_is_replaced() - whether memory of the frame is written at or after the scope's pc, by
 *	straight-line code, before it is read: what is there is of no use any more, or never was.
 *	In a function that is not optimised, only what nothing has written since the entry
 */
bool tfs_var_is_replaced(const struct tfs_scope *scope, unsigned int reg, int64_t from,
			 uint64_t len);

#endif
