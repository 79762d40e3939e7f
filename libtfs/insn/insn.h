/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_INSN_INSN_H
#define TFS_INSN_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_dso;
struct tfs_machine;

enum tfs_insn_kind {
	TFS_INSN_OTHER,  /* goes on with the next one */
	TFS_INSN_RET,    /* leaves the function */
	TFS_INSN_CALL,   /* comes back, as a rule */
	TFS_INSN_JUMP,   /* goes elsewhere, always */
	TFS_INSN_BRANCH, /* goes elsewhere, perhaps */
	TFS_INSN_STOP,   /* goes nowhere: ends the program, or the processor waits */
};

/* Use of an instruction's memory operand. */
enum tfs_insn_access {
	TFS_INSN_READS = 1 << 0,
	TFS_INSN_WRITES = 1 << 1,  /* all of its @width bytes, if that is not 0 */
	TFS_INSN_ADDRESS = 1 << 2, /* computes its address only */
};

/** TFS_INSN_ANY_REG - in tfs_insn.changes: no one knows which registers are changed */
#define TFS_INSN_ANY_REG UINT32_MAX

/**
 * struct tfs_insn_mem - a memory operand: base + index * scale + disp
 * @base, @index: DWARF register numbers, -1 for none
 * @absolute: @disp is the address (relative to the instruction, as a rule): no registers
 * @width: bytes, 0 if not known: a string, a mask, a state of many kilobytes
 * @access: enum tfs_insn_access; 0: there is no such operand
 */
struct tfs_insn_mem {
	int base;
	int index;
	unsigned int scale;
	int64_t disp;
	bool absolute;
	unsigned int width;
	unsigned int access;
};

/**
 * struct tfs_insn - one instruction
 * @len: bytes
 * @has_target: @target is where a call, jump or branch goes; else only its operand knows
 * @effects: @changes and @mem are known (x86 only); without it nothing may be concluded from them
 * @changes: bit N: may change the register of DWARF number N (general ones); not what a call's
 *	callee does
 * @moves: it only copies a value: between registers, from or to the stack, a constant into a
 *	register; or it does nothing (x86 only)
 * @no_uprobe: no user-space probe may be put there: the kernel refuses it (known of x86-64 only),
 *	the program would not survive it, or @syscall
 * @syscall: it enters the kernel for a system call, see tfs_insn_is_syscall()
 * @mem: its memory operand. That a push, pop, call or return uses the stack is not said here: they
 *	change the stack pointer
 */
struct tfs_insn {
	unsigned int len;
	enum tfs_insn_kind kind;
	bool has_target;
	uint64_t target;
	bool effects;
	bool moves;
	bool no_uprobe;
	bool syscall;
	uint32_t changes;
	struct tfs_insn_mem mem;
};

/**
 * tfs_insn_decode() - the instruction at the beginning of @code
 * @n: bytes there; an instruction is never longer than 15
 * @addr: of it, for targets
 * @out: set on success only
 *
 * Pure. Prefixes that do not belong to an instruction are part of it, as the processor sees it.
 *
 * Return: 0; -EILSEQ for an unknown instruction; -ENODATA if @n bytes are too few;
 * -EOPNOTSUPP for a machine whose instructions are not known.
 */
int tfs_insn_decode(const struct tfs_machine *machine, const uint8_t *code, size_t n, uint64_t addr,
		    struct tfs_insn *out);

/**
 * tfs_insn_is_syscall() - does the instruction at the beginning of @code enter the kernel for a
 * system call?
 * @n: bytes there
 *
 * Known of every machine that has tables, also where tfs_insn_decode() is not. A uprobe must
 * never be put on such an instruction: the kernel steps over it in one of 32 slots of a page of
 * the process, and if it is the one of execve(2), the slot stays taken in the old memory,
 * which a vfork(2) child shares with its parent. When all slots are taken, the next hit
 * waits for ever with a lock held, and no event of the machine can be switched until it is
 * rebooted.
 *
 * Pure.
 */
bool tfs_insn_is_syscall(const struct tfs_machine *machine, const uint8_t *code, size_t n);

/**
 * struct tfs_insn_walk - instructions of a dso one after the other; begin with tfs_insn_walk()
 * @addr: of the instruction that the next call gives
 */
struct tfs_insn_walk {
	const struct tfs_dso *dso;
	const struct tfs_machine *machine;
	uint64_t addr;
	uint64_t end;
};

/**
 * tfs_insn_walk() - walk over [@from, @end), where @from must be the beginning of an instruction
 * Return: 0 or -EOPNOTSUPP.
 */
int tfs_insn_walk(const struct tfs_dso *dso, uint64_t from, uint64_t end,
		  struct tfs_insn_walk *walk);

/**
 * tfs_insn_next() - @addr is the instruction's own address
 * Return: 1; 0 at the end; -EILSEQ, -ENODATA as tfs_insn_decode(), also for one across the end.
 */
int tfs_insn_next(struct tfs_insn_walk *walk, uint64_t *addr, struct tfs_insn *out);

/**
 * tfs_insn_at() - the instruction that the byte at @addr belongs to
 * @from: where one is known to begin, at or before @addr: the entry of the function
 * @begin, @end: of it; it begins at @addr if *@begin is @addr
 *
 * Return: 0; negative errno if it is unknown.
 */
int tfs_insn_at(const struct tfs_dso *dso, uint64_t from, uint64_t addr, uint64_t *begin,
		uint64_t *end);

/**
 * tfs_insn_before() - the instruction that ends where the one at @addr begins
 * @from: as tfs_insn_at()
 *
 * Return: 0; -ENOENT if @addr is @from or no instruction begins there; negative errno if it
 * is unknown.
 */
int tfs_insn_before(const struct tfs_dso *dso, uint64_t from, uint64_t addr, uint64_t *before);

#endif
