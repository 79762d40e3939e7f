/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DSO_ARCH_MACHINE_H
#define TFS_DSO_ARCH_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TFS_MACHINE_ARGS_MAX 8

/**
 * struct tfs_machine - what has to be known of a machine to read its programs' variables
 * @name: as uname -m says
 * @elf: EM_* of ELF
 * @bits: 32 or 64
 * @big: big-endian; where both exist the object decides, see tfs_machine_find()
 * @reg: kernel names by DWARF register number, @n_reg of them, NULL where a probe has no access
 * @sp: DWARF number of the stack pointer
 * @zero: DWARF number of a register that always reads 0, -1 if there is none
 * @fp_first, @fp_last: DWARF numbers of floating-point and vector registers, for messages
 * @ret: DWARF number of the register that returns an integer
 * @more: names, besides those in @reg, that the kernel has for what a probe can read: a blank
 *	before and after each
 * @arg: kernel names of the registers that pass the first integers and pointers, NULL after the
 *	last; none if the calling convention is not known here
 * @arg_stack: offset of the first argument on the stack from the stack pointer at the entry; -1 if
 *	it depends on more than the prototype
 * @saved: bytes above the CFA, where the caller's part of the stack begins, in which a function may
 *	save what it was given in registers; 0 on most
 *
 * Register numbers are those of the psABI's DWARF section, registers of arguments those of the
 * psABI itself, names those of the kernel's regoffset_table in arch/ARCH/kernel/ptrace.c.
 */
struct tfs_machine {
	const char *name;
	unsigned int elf;
	unsigned int bits;
	bool big;
	const char *const *reg;
	size_t n_reg;
	int sp;
	int zero;
	unsigned int fp_first, fp_last;
	int ret;
	const char *more;
	const char *arg[TFS_MACHINE_ARGS_MAX + 1];
	int arg_stack;
	unsigned int saved;
};

/**
 * tfs_machine_find() - the machine of an ELF file
 * @elf: e_machine
 * @bits: 32 or 64, from EI_CLASS
 * @big: from EI_DATA
 *
 * Return: a constant, NULL for a machine that is not known.
 */
const struct tfs_machine *tfs_machine_find(unsigned int elf, unsigned int bits, bool big);

/** tfs_machine_reg() - the kernel's name of a DWARF register, NULL if a probe cannot read it */
const char *tfs_machine_reg(const struct tfs_machine *machine, unsigned int number);

/** tfs_machine_arg() - the register of the @n-th argument (from 0), NULL if it is in none */
const char *tfs_machine_arg(const struct tfs_machine *machine, unsigned int n);

/** tfs_machine_has() - whether the kernel knows a register of this name (without '%') there */
bool tfs_machine_has(const struct tfs_machine *machine, const char *name);

/**
 * tfs_machine_runs_on() - whether a kernel runs programs of a machine
 * @uname: what uname -m says there
 */
bool tfs_machine_runs_on(const struct tfs_machine *machine, const char *uname);

/** tfs_machine_running() - the machine of the kernel that runs here, NULL if it is not known */
const struct tfs_machine *tfs_machine_running(void);

/** tfs_machine_is_fp() - whether it is a floating-point or vector register */
bool tfs_machine_is_fp(const struct tfs_machine *machine, unsigned int number);

#endif
