/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/go-abi.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "dso/arch/machine.h"

/* More than the registers of any machine. */
#define LEAVES_MAX 32
#define DEPTH_MAX 16

/* struct leaf - a part of a value that goes into one register */
struct leaf {
	uint64_t bit;
	uint64_t bits;
	bool is_float;
};

struct leaves {
	struct leaf v[LEAVES_MAX];
	size_t n;
};

/* DWARF numbers of the registers, in the order in which they are given out. */
struct registers {
	const char *machine;
	const uint8_t *ints;
	size_t n_ints;
	size_t n_floats;
};

static const uint8_t x86_64_ints[] = { 0, 3, 2, 5, 4, 8, 9, 10, 11 };
static const uint8_t arm64_ints[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };

static const struct registers machines[] = {
	{ "x86_64", x86_64_ints, sizeof(x86_64_ints), 15 },
	{ "aarch64", arm64_ints, sizeof(arm64_ints), 16 },
};

bool tfs_go_is(Dwarf_Die *die)
{
	Dwarf_Die unit;

	return dwarf_diecu(die, &unit, NULL, NULL) && dwarf_srclang(&unit) == DW_LANG_Go;
}

static int add_leaf(struct leaves *l, uint64_t bit, uint64_t bytes, bool is_float)
{
	if (l->n == LEAVES_MAX)
		return -E2BIG;
	l->v[l->n++] = (struct leaf){ bit, bytes * 8, is_float };
	return 0;
}

static int collect(const struct tfs_scope *scope, const struct tfs_type *type, uint64_t bit,
		   unsigned int depth, struct leaves *l);

static int collect_members(const struct tfs_scope *scope, const struct tfs_type *type, uint64_t bit,
			   unsigned int depth, struct leaves *l)
{
	Dwarf_Die die = type->die;
	struct tfs_type member;
	uint64_t off;
	int rc = 0;

	if (dwarf_child(&die, &die) != 0)
		return 0;
	do {
		if (dwarf_tag(&die) != DW_TAG_member)
			continue;
		if (!tfs_type_uint(&die, DW_AT_data_member_location, &off) || off > UINT32_MAX ||
		    tfs_type_of(scope, &die, &member))
			return -EBADMSG;
		rc = collect(scope, &member, bit + off * 8, depth + 1, l);
	} while (!rc && dwarf_siblingof(&die, &die) == 0);
	return rc;
}

static int collect_array(const struct tfs_scope *scope, const struct tfs_type *type, uint64_t bit,
			 unsigned int depth, struct leaves *l)
{
	struct tfs_type element;
	uint64_t stride, count = 0;

	if (tfs_type_element(scope, type, &element, &stride, &count))
		return -EBADMSG;
	/* only the shortest arrays are in registers */
	if (count > 1)
		return -E2BIG;
	return count ? collect(scope, &element, bit, depth + 1, l) : 0;
}

/* The parts of a value in the order of its members. -E2BIG if it is never in registers. */
static int collect(const struct tfs_scope *scope, const struct tfs_type *type, uint64_t bit,
		   unsigned int depth, struct leaves *l)
{
	uint64_t size = 0, enc = 0;
	Dwarf_Die die = type->die;

	if (depth > DEPTH_MAX)
		return -E2BIG;
	switch (type->class) {
	case TFS_TYPE_STRUCT:
		return collect_members(scope, type, bit, depth, l);
	case TFS_TYPE_ARRAY:
		return collect_array(scope, type, bit, depth, l);
	case TFS_TYPE_OTHER: /* a function's value is a pointer */
		return add_leaf(l, bit, scope->machine->bits / 8, false);
	default:
		break;
	}
	if (tfs_type_size(scope, type, &size))
		return -EBADMSG;
	if (!size)
		return 0;
	tfs_type_uint(&die, DW_AT_encoding, &enc);
	if (type->class == TFS_TYPE_FLOAT && enc == DW_ATE_complex_float) {
		int rc = add_leaf(l, bit, size / 2, true);

		return rc ? rc : add_leaf(l, bit + size * 4, size / 2, true);
	}
	return add_leaf(l, bit, size, type->class == TFS_TYPE_FLOAT);
}

static bool in_order(const struct tfs_loc *loc, const struct leaves *l)
{
	if (loc->n_piece != l->n)
		return false;
	for (size_t i = 0; i < l->n; i++) {
		if (loc->piece[i].bits != l->v[i].bits)
			return false;
	}
	return true;
}

void tfs_go_locate_pieces(const struct tfs_scope *scope, const struct tfs_type *type,
			  struct tfs_loc *loc)
{
	struct leaves l = { .n = 0 };
	uint64_t size, sum = 0;

	if (loc->kind != TFS_LOC_PIECES)
		return;
	for (unsigned int i = 0; i < loc->n_piece; i++)
		sum += loc->piece[i].bits;
	if (!collect(scope, type, 0, 0, &l) && in_order(loc, &l)) {
		for (unsigned int i = 0; i < loc->n_piece; i++)
			loc->piece[i].at = l.v[i].bit;
	} else if (tfs_type_size(scope, type, &size) || sum != size * 8) {
		tfs_loc_refuse(loc, TFS_REFUSAL_PIECES, "which part is which member is not said");
	}
}

static const struct registers *find_registers(const struct tfs_scope *scope)
{
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		if (!strcmp(scope->machine->name, machines[i].machine))
			return &machines[i];
	}
	return NULL;
}

/* Since Go 1.17 the compiler notes that it passes values in registers. */
static bool uses_registers(Dwarf_Die *func)
{
	Dwarf_Attribute attr;
	const char *producer;
	Dwarf_Die unit;

	if (!dwarf_diecu(func, &unit, NULL, NULL))
		return false;
	producer = dwarf_formstring(dwarf_attr(&unit, DW_AT_producer, &attr));
	return producer && strstr(producer, "regabi");
}

/* All parts of one value in the next registers, or none of them. */
static int assign(const struct registers *r, const struct leaves *l, size_t *ints, size_t *floats,
		  struct tfs_loc *out)
{
	size_t i = *ints, f = *floats;

	out->kind = TFS_LOC_PIECES;
	out->piece = calloc(l->n ? l->n : 1, sizeof(*out->piece));
	if (!out->piece)
		return -ENOMEM;
	out->n_piece = (unsigned int)l->n;
	for (size_t k = 0; k < l->n; k++) {
		struct tfs_piece *p = &out->piece[k];

		p->at = l->v[k].bit;
		p->bits = l->v[k].bits;
		if (l->v[k].is_float ? f >= r->n_floats : i >= r->n_ints) {
			tfs_loc_refuse(out, TFS_REFUSAL_UNSUPPORTED, "returned on the stack");
			return 0;
		}
		if (l->v[k].is_float) {
			f++;
			tfs_loc_refuse(&p->loc, TFS_REFUSAL_FP_REGISTER, "%s", "");
			continue;
		}
		p->loc.kind = TFS_LOC_REG;
		p->loc.v.base = TFS_SVAL_REG;
		p->loc.v.reg = r->ints[i++];
	}
	*ints = i;
	*floats = f;
	return 0;
}

static int place(const struct tfs_scope *scope, const struct registers *r, size_t *ints,
		 size_t *floats, struct tfs_go_result *out)
{
	struct leaves l = { .n = 0 };
	struct tfs_type type;
	int rc;

	memset(&out->loc, 0, sizeof(out->loc));
	rc = tfs_type_of(scope, &out->die, &type);
	if (!rc)
		rc = collect(scope, &type, 0, 0, &l);
	if (rc == -ENOMEM)
		return rc;
	if (!rc)
		return assign(r, &l, ints, floats, &out->loc);
	tfs_loc_refuse(&out->loc, rc == -E2BIG ? TFS_REFUSAL_UNSUPPORTED : TFS_REFUSAL_DAMAGED,
		       "returned on the stack");
	return 0;
}

int tfs_go_results(const struct tfs_scope *scope, struct tfs_go_result *out)
{
	const struct registers *r = find_registers(scope);
	size_t ints = 0, floats = 0;
	Dwarf_Die func = scope->func, die;
	int rc = 0, n = 0;

	if (!tfs_go_is(&func) || !r || !uses_registers(&func))
		return -EOPNOTSUPP;
	if (dwarf_child(&func, &die) != 0)
		return 0;
	do {
		Dwarf_Attribute attr;
		bool is = false;

		if (dwarf_tag(&die) != DW_TAG_formal_parameter ||
		    !dwarf_attr_integrate(&die, DW_AT_variable_parameter, &attr) ||
		    dwarf_formflag(&attr, &is) || !is)
			continue;
		if (n == TFS_GO_RESULTS_MAX) {
			rc = -E2BIG;
			break;
		}
		out[n].die = die;
		rc = place(scope, r, &ints, &floats, &out[n]);
		n++;
	} while (!rc && dwarf_siblingof(&die, &die) == 0);
	for (int i = 0; rc && i < n; i++)
		tfs_loc_release(&out[i].loc);
	return rc ? rc : n;
}
