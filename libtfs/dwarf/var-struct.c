/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Structs that a function returns: System V's psABI for x86-64 (3.2.3) and Arm's AAPCS64 (6.9). Of
 * other machines, and other languages than C and C++, it is not known here.
 */
#include "dwarf/var-struct.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"

#define DEPTH_MAX 16
#define WORD_BITS 64
#define WORDS 2

/* Class of a word of the struct: one byte of an integer makes the whole word an integer. */
enum word { WORD_NONE, WORD_FLOAT, WORD_INT };

/* struct abi - @ints: DWARF's numbers; @by_address: a larger one is where the result points to */
struct abi {
	const char *machine;
	uint8_t ints[WORDS];
	bool mixed; /* each word is in the kind of register that it needs; else all in one kind */
	bool by_address;
};

static const struct abi abis[] = {
	{ "x86_64", { 0, 1 }, true, true },
	{ "aarch64", { 0, 1 }, false, false },
};

static int classify(const struct tfs_scope *scope, const struct tfs_type *type, uint64_t bit,
		    uint64_t bits, unsigned int depth, enum word words[WORDS]);

static int classify_members(const struct tfs_scope *scope, const struct tfs_type *type,
			    uint64_t bit, unsigned int depth, enum word words[WORDS])
{
	Dwarf_Die die = type->die;
	int rc = 0;

	if (dwarf_hasattr(&die, DW_AT_declaration) || dwarf_child(&die, &die) != 0)
		return dwarf_hasattr(&die, DW_AT_declaration) ? -ENOENT : 0;
	do {
		uint64_t off = 0, bits = 0, at;
		struct tfs_type member;
		int tag = dwarf_tag(&die);

		if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
			continue;
		/* a static member is in no object */
		if (dwarf_hasattr(&die, DW_AT_external) || dwarf_hasattr(&die, DW_AT_declaration))
			continue;
		tfs_type_uint(&die, DW_AT_data_member_location, &off);
		tfs_type_uint(&die, DW_AT_bit_size, &bits);
		at = off * 8;
		if (tfs_type_uint(&die, DW_AT_data_bit_offset, &off))
			at = off;
		if (off > UINT32_MAX || tfs_type_of(scope, &die, &member))
			return -ENOENT;
		rc = classify(scope, &member, bit + at, bits, depth + 1, words);
	} while (!rc && dwarf_siblingof(&die, &die) == 0);
	return rc;
}

static int classify_array(const struct tfs_scope *scope, const struct tfs_type *type, uint64_t bit,
			  unsigned int depth, enum word words[WORDS])
{
	struct tfs_type element;
	uint64_t stride, count = 0;
	Dwarf_Die die = type->die;
	int rc = 0;

	if (dwarf_hasattr(&die, DW_AT_GNU_vector) ||
	    tfs_type_element(scope, type, &element, &stride, &count) || count > WORDS * 8)
		return -ENOENT;
	for (uint64_t i = 0; i < count && !rc; i++)
		rc = classify(scope, &element, bit + i * stride * 8, 0, depth + 1, words);
	return rc;
}

/* @bits: of a bitfield, which is an integer. -ENOENT: it is in no register, or not known where */
static int classify(const struct tfs_scope *scope, const struct tfs_type *type, uint64_t bit,
		    uint64_t bits, unsigned int depth, enum word words[WORDS])
{
	bool is_float = type->class == TFS_TYPE_FLOAT && !bits;
	uint64_t size = 0;

	if (depth > DEPTH_MAX)
		return -ENOENT;
	if (type->class == TFS_TYPE_STRUCT)
		return classify_members(scope, type, bit, depth, words);
	if (type->class == TFS_TYPE_ARRAY)
		return classify_array(scope, type, bit, depth, words);
	if (!bits && (tfs_type_size(scope, type, &size) || !size))
		return -ENOENT;
	/* long double, and what is packed */
	if (!bits &&
	    ((is_float && size > 8) || bit % (size * 8 < WORD_BITS ? size * 8 : WORD_BITS)))
		return -ENOENT;
	bits = bits ? bits : size * 8;
	for (uint64_t at = bit / WORD_BITS; at * WORD_BITS < bit + bits; at++) {
		if (at >= WORDS)
			return -ENOENT;
		if (words[at] != WORD_INT)
			words[at] = is_float ? WORD_FLOAT : WORD_INT;
	}
	return 0;
}

static const struct abi *find_abi(const struct tfs_scope *scope)
{
	for (size_t i = 0; i < ARRAY_SIZE(abis); i++) {
		if (!strcmp(scope->machine->name, abis[i].machine))
			return &abis[i];
	}
	return NULL;
}

/*
 * A class without functions that copy, move or destroy it, of its own, its bases and its members:
 * it may be in registers. gcc does not say so itself.
 */
static bool is_plain(const struct tfs_scope *scope, const struct tfs_type *type, unsigned int depth)
{
	struct tfs_type part = { 0 };
	Dwarf_Die die = type->die;
	const char *name = dwarf_diename(&die);

	if (type->class == TFS_TYPE_ARRAY)
		return !tfs_type_of(scope, &die, &part) && is_plain(scope, &part, depth + 1);
	if (type->class != TFS_TYPE_STRUCT)
		return true;
	if (depth > DEPTH_MAX || dwarf_hasattr(&die, DW_AT_declaration))
		return false;
	if (dwarf_child(&die, &die) != 0)
		return true;
	do {
		const char *own = dwarf_diename(&die);
		int tag = dwarf_tag(&die);

		if (dwarf_hasattr(&die, DW_AT_virtuality))
			return false;
		/* which of the constructors is that of a copy is not looked at */
		if (tag == DW_TAG_subprogram && own &&
		    (*own == '~' || (name && !strcmp(own, name))))
			return false;
		if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
			continue;
		if (tfs_type_of(scope, &die, &part) || !is_plain(scope, &part, depth + 1))
			return false;
	} while (dwarf_siblingof(&die, &die) == 0);
	return true;
}

/* enum how - how C or C++ returns a struct of this type; MAYBE: by its size, or by its address */
enum how { HOW_UNKNOWN, HOW_BY_SIZE, HOW_BY_ADDRESS, HOW_MAYBE };

static enum how how_of(const struct tfs_scope *scope, const struct tfs_type *type)
{
	Dwarf_Die die = type->die, unit;
	uint64_t convention = 0;

	if (!dwarf_diecu(&die, &unit, NULL, NULL))
		return HOW_UNKNOWN;
	switch (dwarf_srclang(&unit)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
		return HOW_BY_SIZE;
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		/* with a destructor or a copy constructor of its own it has to have an address */
		tfs_type_uint(&die, DW_AT_calling_convention, &convention);
		if (convention == DW_CC_pass_by_reference)
			return HOW_BY_ADDRESS;
		return convention == DW_CC_pass_by_value || is_plain(scope, type, 0) ? HOW_BY_SIZE :
										       HOW_MAYBE;
	default:
		return HOW_UNKNOWN;
	}
}

/* The first is what the kernel calls the return value, the second has to be named. */
static void set_register(struct tfs_loc *loc, const struct abi *abi, unsigned int n)
{
	loc->kind = TFS_LOC_REG;
	loc->v.base = n ? TFS_SVAL_REG : TFS_SVAL_RET;
	loc->v.reg = abi->ints[n];
}

static int make_pieces(const struct abi *abi, const enum word words[WORDS], uint64_t size,
		       struct tfs_loc *loc)
{
	unsigned int next = 0;

	loc->kind = TFS_LOC_PIECES;
	loc->piece = calloc(WORDS, sizeof(*loc->piece));
	if (!loc->piece)
		return -ENOMEM;
	for (unsigned int i = 0; i < WORDS && i * WORD_BITS < size * 8; i++) {
		struct tfs_piece *p = &loc->piece[loc->n_piece++];

		p->at = (uint64_t)i * WORD_BITS;
		p->bits = size * 8 - p->at < WORD_BITS ? size * 8 - p->at : WORD_BITS;
		if (words[i] == WORD_INT)
			set_register(&p->loc, abi, next++);
		else
			tfs_loc_refuse(&p->loc, TFS_REFUSAL_FP_REGISTER, "%s", "");
	}
	return 0;
}

int tfs_var_locate_struct(const struct tfs_scope *scope, const struct tfs_type *type, uint64_t size,
			  struct tfs_loc *loc)
{
	const struct abi *abi = find_abi(scope);
	enum word words[WORDS] = { WORD_NONE, WORD_NONE };
	enum how how = how_of(scope, type);
	bool has_int = false;

	memset(loc, 0, sizeof(*loc));
	if (!abi || how == HOW_UNKNOWN || !size)
		goto unknown;
	if (how == HOW_BY_ADDRESS || size * 8 > WORDS * WORD_BITS) {
		if (!abi->by_address)
			goto unknown;
		loc->kind = TFS_LOC_MEM;
		loc->v.base = TFS_SVAL_RET;
		return 0;
	}
	if (how == HOW_MAYBE || classify(scope, type, 0, 0, 0, words))
		goto unknown;
	/* of floating-point numbers alone it depends on whether they are of one type */
	for (unsigned int i = 0; i < WORDS && !abi->mixed; i++) {
		if (words[i] == WORD_INT)
			has_int = true;
	}
	if (!abi->mixed && !has_int)
		goto unknown;
	for (unsigned int i = 0; i < WORDS && !abi->mixed; i++)
		words[i] = WORD_INT;
	return make_pieces(abi, words, size, loc);
unknown:
	tfs_loc_refuse(loc, TFS_REFUSAL_PIECES, "how this struct is returned is not known");
	return 0;
}
