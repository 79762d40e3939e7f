/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_CODE_START_H
#define TFS_DWARF_CODE_START_H

#include <stdbool.h>
#include <stdint.h>

struct tfs_dso;

/**
 * tfs_code_start() - the nearest address at or before @addr at which an instruction is known to
 * begin
 *
 * By the symbol that holds @addr, and by the rows of .eh_frame, which a stripped program keeps.
 *
 * Return: 0; -ENOENT if nothing is known.
 */
int tfs_code_start(struct tfs_dso *dso, uint64_t addr, uint64_t *start);

/**
 * tfs_code_is_entry() - does a function begin at @addr, judging by the file alone?
 *
 * Decided by the symbols; where none covers @addr, by .eh_frame: if the frame is as a call leaves
 * it, the word that a return probe replaces is the return address.
 */
bool tfs_code_is_entry(struct tfs_dso *dso, uint64_t addr);

#endif
