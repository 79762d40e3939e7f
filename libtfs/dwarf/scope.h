/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_SCOPE_H
#define TFS_DWARF_SCOPE_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

#include "dso/arch/machine.h"

struct tfs_debuginfo;
struct tfs_dso;
struct tfs_err;
struct tfs_point;

/**
 * struct tfs_scope - a function instance and the place in it where something is to be read
 * @mod: the module, borrowed: unwinding information comes from it; may be NULL
 * @func: DW_TAG_subprogram or DW_TAG_inlined_subroutine, the concrete one
 * @pc: where the probe is, an address of the debug information
 * @entry: entry of the out-of-line function that contains @pc
 * @machine: the machine's registers
 * @kernel: vmlinux or a module, not a program
 * @relocated: the program's addresses are not those of the file when it runs (ET_DYN)
 * @is_return: $retval is to be had, nothing else
 * @go_return: the same at an instruction of Go's that returns: results are in their registers
 * @line, @file: the source line that was asked for, 0 and NULL if it was another place
 * @in_body: what was passed is in its place at @pc, also where that is the entry
 * @delta: program: address minus file offset in the segment that holds @pc
 * @dbg: that it is from; @dso: its dso, whose symbols say where a kernel variable is
 */
struct tfs_scope {
	Dwfl_Module *mod;
	Dwarf_Die func;
	Dwarf_Addr pc;
	Dwarf_Addr entry;
	const struct tfs_machine *machine;
	bool kernel;
	bool relocated;
	bool is_return;
	bool go_return;
	bool in_body;
	unsigned int line;
	const char *file;
	int64_t delta;
	struct tfs_debuginfo *dbg;
	struct tfs_dso *dso;
};

/** enum tfs_scope_flags - @TFS_SCOPE_RETURN: for a return probe, which has only $retval */
enum tfs_scope_flags { TFS_SCOPE_RETURN = 1 << 0 };

/**
 * tfs_scope_new() - what probe/var.h wants, for a point that dwarf/func.h or dwarf/line.h found
 * @point: one with a scope; its address is where variables are read
 * @flags: enum tfs_scope_flags
 * @out: set on success only; borrows from @dbg, release with tfs_scope_free()
 *
 * Return: 0; -ENODATA if the point has no debug information; -ENOMEM.
 */
int tfs_scope_new(struct tfs_debuginfo *dbg, const struct tfs_point *point, unsigned int flags,
		  struct tfs_scope **out, struct tfs_err *err);
void tfs_scope_free(struct tfs_scope *scope);

#endif
