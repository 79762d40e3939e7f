/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DSO_RELOCATE_H
#define TFS_DSO_RELOCATE_H

#include <elfutils/libdwfl.h>
#include <libelf.h>
#include <stdbool.h>

/**
 * tfs_relocate_debug() - write addresses into the debug sections of a relocatable file
 * @elf: the file, mapped so that it can be written to
 * @laid_out: the file whose sections have addresses: @elf itself, or the one that @elf was split
 *	off, whose sections in memory are the same in the same order
 *
 * libdwfl does the same twenty times slower. It skips the sections that are applied here, because
 * their size becomes 0. A section with a damaged relocation, or one of a kind that compilers do not
 * write, stays as it was, for libdwfl.
 * Return: whether nothing is left to do.
 */
bool tfs_relocate_debug(Elf *elf, Elf *laid_out);
/**
 * tfs_relocate_module() - the same for the main file of a relocatable module, as far as it can be
 *
 * That is before libdwfl is asked for the file: with it, libdwfl gives all sections addresses.
 */
void tfs_relocate_module(Dwfl_Module *mod);

#endif
