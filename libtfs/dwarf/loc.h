/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_LOC_H
#define TFS_DWARF_LOC_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "dwarf/refusal.h"
#include "dwarf/scope.h"

/* Loads in a row that a value may take: more than a probe of the kernel can do are of no use. */
#define TFS_SVAL_LOADS_MAX 14

/* The base of an expression. */
enum tfs_sval_base {
	TFS_SVAL_CONST, /* nothing: @c */
	TFS_SVAL_REG,   /* DWARF register @reg */
	TFS_SVAL_ADDR,  /* address @c of the object, wherever it is loaded */
	TFS_SVAL_RET,   /* what a function returns */
};

/*
 * x86-64's fs_base and arm64's tpidr_el0 are in none of the registers that fetch arguments know
 * (struct pt_regs).
 */
#define TFS_TLS_WHY "probes do not read the register with the address of the thread's storage"

/**
 * struct tfs_sval - a value that is known as "what a probe would have to do to get it"
 * @base: where it starts; @c, @reg belong to it
 * @n: loads: v = memory at (v + @off[i]), @size[i] bytes wide
 * @add: added at last
 * @bits: if not 0, only @bits bits from bit @shift on count, with a sign if @is_signed; then @add
 *	is 0
 * @arith: computed in a way that has no other form here
 */
struct tfs_sval {
	enum tfs_sval_base base;
	unsigned int reg;
	uint64_t c;
	unsigned int n;
	int64_t off[TFS_SVAL_LOADS_MAX];
	uint8_t size[TFS_SVAL_LOADS_MAX];
	uint64_t add;
	unsigned int shift;
	unsigned int bits;
	bool is_signed;
	bool arith;
};

enum tfs_loc_kind {
	TFS_LOC_MEM,      /* at address @v */
	TFS_LOC_VALUE,    /* not in memory; its value is @v */
	TFS_LOC_REG,      /* in register @v (add 0) */
	TFS_LOC_BYTES,    /* constant bytes, @bytes (borrowed from the debug information) */
	TFS_LOC_IMPLICIT, /* a pointer to what @target describes, @target_off bytes into it */
	TFS_LOC_PIECES,   /* in parts, @piece */
	TFS_LOC_NONE,     /* refused: @why, @what */
};

struct tfs_piece;

/**
 * struct tfs_loc - where a variable is at one address
 * @frame: it is in the frame of the function, below what the caller had put on the stack: whether
 *	that has been written at the function's entry is not known
 * @exprloc: one location for the whole function, not a list
 * @what: for a person, "" if @why says it all
 */
struct tfs_loc {
	enum tfs_loc_kind kind;
	struct tfs_sval v;
	Dwarf_Block bytes;
	Dwarf_Die target;
	int64_t target_off;
	struct tfs_piece *piece;
	unsigned int n_piece;
	bool frame;
	bool exprloc;
	enum tfs_refusal why;
	char what[80];
};

/** struct tfs_piece - @bits from bit @skip of @loc on; what is @at bits into the variable */
struct tfs_piece {
	struct tfs_loc loc;
	uint64_t at;
	uint64_t bits;
	uint64_t skip;
};

void tfs_loc_release(struct tfs_loc *loc);

/** tfs_loc_refuse() - make @loc a refusal; @fmt may be "" */
void tfs_loc_refuse(struct tfs_loc *loc, enum tfs_refusal why, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * tfs_loc_of() - where a variable or parameter is at the scope's pc
 * @die: concrete DIE of it
 * @out: always set, release with tfs_loc_release(); what cannot be had is TFS_LOC_NONE
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_loc_of(const struct tfs_scope *scope, Dwarf_Die *die, struct tfs_loc *out);

/**
 * tfs_loc_eval() - evaluate an expression symbolically
 * @attr: it is of, for operations that refer to others; NULL for one of unwinding information
 * @depth: how many expressions this one is in; 0
 */
int tfs_loc_eval(const struct tfs_scope *scope, Dwarf_Attribute *attr, const Dwarf_Op *op, size_t n,
		 unsigned int depth, struct tfs_loc *out);

/** tfs_loc_cfa() - canonical frame address at the scope's pc, as TFS_LOC_MEM or TFS_LOC_NONE */
int tfs_loc_cfa(const struct tfs_scope *scope, unsigned int depth, struct tfs_loc *out);

/** tfs_loc_frame_base() - what DW_OP_fbreg counts from */
int tfs_loc_frame_base(const struct tfs_scope *scope, unsigned int depth, struct tfs_loc *out);

/** tfs_loc_frame_owner() - the out-of-line function around the scope; 0 or -ENOENT */
int tfs_loc_frame_owner(const struct tfs_scope *scope, Dwarf_Die *owner);

/** enum tfs_loc_form - how a DIE says where it is */
enum tfs_loc_form {
	TFS_LOC_FORM_NONE,  /* not at all */
	TFS_LOC_FORM_ONE,   /* one expression for as long as it is in scope */
	TFS_LOC_FORM_LIST,  /* a list of ranges */
	TFS_LOC_FORM_CONST, /* DW_AT_const_value */
};

/** tfs_loc_form() - @attr: set unless NONE, NULL if not wanted */
enum tfs_loc_form tfs_loc_form(Dwarf_Die *die, Dwarf_Attribute *attr);

/* One range of a location list; a walk begins with { 0 }. */
struct tfs_loc_range {
	ptrdiff_t next;
	Dwarf_Addr base;
	Dwarf_Addr start;
	Dwarf_Addr end;
	Dwarf_Op *op;
	size_t n;
};

/** tfs_loc_here() - the expression that holds at the scope's pc, of a list or not; false if none */
bool tfs_loc_here(const struct tfs_scope *scope, Dwarf_Attribute *attr, Dwarf_Op **op, size_t *n);
/** tfs_loc_next() - 1, 0 at the end, -EBADMSG */
int tfs_loc_next(const struct tfs_scope *scope, Dwarf_Attribute *attr, struct tfs_loc_range *range);

#endif
