/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_FETCH_H
#define TFS_PROBE_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/meaning.h"

struct tfs_strbuf;

/* The kernel parses no deeper chain of dereferences than this (Documentation/trace/kprobetrace.rst
 * names no limit; 15 are answered with "Dereference is too much nested"). */
#define TFS_FETCH_DEREF_MAX 14
/* Elements of an array the kernel fetches at most. */
#define TFS_FETCH_ARRAY_MAX 64

/**
 * enum tfs_fetch_base - where a fetch starts
 * @TFS_FETCH_REG: a register, %NAME
 * @TFS_FETCH_STACK: the stack pointer, $stack
 * @TFS_FETCH_RETVAL: $retval, in a return probe
 * @TFS_FETCH_ARG: $argN, @value from 1, of an fprobe
 * @TFS_FETCH_COMM: $comm
 * @TFS_FETCH_IMM: a constant, \N
 * @TFS_FETCH_FILE: memory of the probed object in a user-space probe, @+OFF; OFF counts as the
 *	kernel counts it: from the mapping of the probe, see @delta of dwarf/scope.h
 * @TFS_FETCH_SYM: memory at a kernel symbol, @SYM+OFF
 */
enum tfs_fetch_base {
	TFS_FETCH_REG,
	TFS_FETCH_STACK,
	TFS_FETCH_RETVAL,
	TFS_FETCH_ARG,
	TFS_FETCH_COMM,
	TFS_FETCH_IMM,
	TFS_FETCH_FILE,
	TFS_FETCH_SYM,
};

/**
 * struct tfs_fetch - one argument of a probe, as the kernel can fetch it
 * @name: suggested argument name, not yet sanitised or made unique; owned
 * @base: where it starts
 * @reg: TFS_FETCH_REG: the kernel's name of the register, without '%'
 * @value: TFS_FETCH_IMM: the constant (in two's complement, printed signed unless @imm_hex);
 *	TFS_FETCH_FILE and TFS_FETCH_SYM: the offset
 * @imm_hex: print the constant in hexadecimal
 * @sym: TFS_FETCH_SYM: the symbol; owned
 * @offset: offsets of the @n_deref dereferences, innermost first: +@offset[1](+@offset[0](BASE)).
 *	FILE and SYM read memory by themselves: with no dereference they give what is at the address
 * @type: kernel type ("s32", "x64", "b3@4/32", "string", "char[12]"), "" for none
 * @user: dereferences of user memory by a kprobe: printed +uOFF(...)
 * @is_signed: bits of a word have a sign, which the kernel does not show
 * @means: what the number that is recorded stands for; owned
 * @beyond: bytes that the type given by the user reads past the end of the selected object
 */
struct tfs_fetch {
	char *name;
	enum tfs_fetch_base base;
	char reg[16];
	int64_t value;
	bool imm_hex;
	char *sym;
	int64_t offset[TFS_FETCH_DEREF_MAX];
	unsigned int n_deref;
	char type[32];
	bool user;
	bool is_signed;
	struct tfs_meaning means;
	uint64_t beyond;
};

/** tfs_fetch_release() - free what @fetch owns; it is empty afterwards */
void tfs_fetch_release(struct tfs_fetch *fetch);

/** tfs_fetch_copy() - deep copy over @to, which must hold nothing; 0 or -ENOMEM */
int tfs_fetch_copy(struct tfs_fetch *to, const struct tfs_fetch *from);

/**
 * tfs_fetch_emit() - append FETCH[:TYPE] as kprobe_events and uprobe_events take it, no name
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_fetch_emit(const struct tfs_fetch *fetch, struct tfs_strbuf *out);

/** tfs_fetch_is_number() - does it record a number, or an array of them? */
bool tfs_fetch_is_number(const struct tfs_fetch *fetch);

#endif
