/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/func-table.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "dso/dso-internal.h"
#include "dwarf/die-reader-code.h"
#include "dwarf/die-reader.h"
#include "dwarf/func-internal.h"

/*
 * Which function an address belongs to. Looked up by address, code of one unit is followed by
 * another's, which has parts elsewhere: the table of each unit is kept.
 */

/* More than any program has; what is damaged may say all of its units have the same. */
#define FUNCS_MAX 2000000

static int by_from(const void *a, const void *b)
{
	const struct tfs_func_range *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

static int add_range(struct tfs_func_table *t, const struct tfs_func_info *info, uint64_t from,
		     uint64_t to)
{
	if (from >= to)
		return 0;
	if (t->n == t->cap) {
		size_t cap = t->cap ? 2 * t->cap : 16;
		struct tfs_func_range *v = reallocarray(t->v, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		t->v = v;
		t->cap = cap;
	}
	t->v[t->n++] = (struct tfs_func_range){ from,      to,         info->die.addr, info->entry,
						info->end, info->name, info->known };
	return 0;
}

int tfs_func_table_add(struct tfs_func_table *t, const struct tfs_func_info *info,
		       const struct tfs_die_reader *reader, const struct tfs_raw_die *die)
{
	Dwarf_Die func = info->die;
	struct tfs_raw_ranges it;
	Dwarf_Addr base, from, to;
	size_t before = t->n;
	ptrdiff_t at = 0;
	int rc = 0, more = -1;

	if (die && tfs_raw_ranges(reader, die, &it))
		while (!rc && (more = tfs_raw_ranges_next(&it, &from, &to)) > 0)
			rc = add_range(t, info, from, to);
	if (rc || !more)
		return rc;
	t->n = before;
	while (!rc && (at = dwarf_ranges(&func, at, &base, &from, &to)) > 0)
		rc = add_range(t, info, from, to);
	return rc;
}

static void release(struct tfs_dso *dso)
{
	for (size_t i = 0; i < dso->funcs_cap; i++)
		free(dso->funcs[i].v);
	free(dso->funcs);
	dso->funcs = NULL;
	dso->funcs_cap = 0;
	dso->funcs_last = 0;
	dso->n_tables = 0;
	dso->n_funcs = 0;
}

/* Where the unit's table is, or would be; there is always room for one more. */
static struct tfs_func_table *slot_of(struct tfs_func_table *slots, size_t cap, const void *unit)
{
	uint64_t hash = (uintptr_t)unit * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (size_t)(hash >> 32) & (cap - 1);

	while (slots[i].unit && slots[i].unit != unit)
		i = (i + 1) & (cap - 1);
	return &slots[i];
}

static int grow(struct tfs_dso *dso)
{
	size_t cap = dso->funcs_cap ? 2 * dso->funcs_cap : 64;
	struct tfs_func_table *slots = calloc(cap, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < dso->funcs_cap; i++)
		if (dso->funcs[i].unit)
			*slot_of(slots, cap, dso->funcs[i].unit) = dso->funcs[i];
	free(dso->funcs);
	dso->funcs = slots;
	tfs_dso_on_free(dso, release);
	dso->funcs_cap = cap;
	return 0;
}

struct tfs_func_table *tfs_func_table_begin(struct tfs_dso *dso, const Dwarf_Die *unit)
{
	struct tfs_func_table *t;

	if (dso->n_funcs > FUNCS_MAX)
		release(dso);
	if (2 * (dso->n_tables + 1) > dso->funcs_cap && grow(dso))
		return NULL;
	t = slot_of(dso->funcs, dso->funcs_cap, unit->addr);
	return t->unit ? NULL : t;
}

void tfs_func_table_end(struct tfs_dso *dso, struct tfs_func_table *t, const Dwarf_Die *unit,
			int rc)
{
	if (rc) {
		free(t->v);
		*t = (struct tfs_func_table){ 0 };
		return;
	}
	if (t->n)
		qsort(t->v, t->n, sizeof(*t->v), by_from);
	t->n_sorted = t->n;
	t->unit = unit->addr;
	dso->n_tables++;
	dso->n_funcs += t->n;
}

/* NULL without memory. */
static struct tfs_func_table *table_of(struct tfs_dso *dso, Dwarf_Die *unit)
{
	struct tfs_walk walk = { .inlines = false };
	int rc;

	if (dso->n_tables) {
		/* code of a unit and its copies follow each other */
		walk.table = &dso->funcs[dso->funcs_last];
		if (walk.table->unit != unit->addr)
			walk.table = slot_of(dso->funcs, dso->funcs_cap, unit->addr);
		dso->funcs_last = (size_t)(walk.table - dso->funcs);
		if (walk.table->unit)
			return walk.table;
	}
	walk.table = tfs_func_table_begin(dso, unit);
	if (!walk.table)
		return NULL;
	rc = tfs_walk_unit(dso, &walk, unit);
	tfs_func_table_end(dso, walk.table, unit, rc);
	return rc ? NULL : walk.table;
}

static void found_in(const struct tfs_func_table *t, const struct tfs_func_range *r,
		     Dwarf_Die *unit, struct tfs_func_info *info)
{
	*info = (struct tfs_func_info){ .unit = unit,
					.die = { .addr = r->die, .cu = unit->cu },
					.flat = t->flat,
					.known = r->known,
					.entry = r->entry,
					.end = r->end,
					.name = r->name };
}

/* Functions within functions are rare, and to look for them is slow. */
static int find_any(struct tfs_dso *dso, struct tfs_func_table *t, Dwarf_Die *unit, Dwarf_Addr addr,
		    struct tfs_func_info *info)
{
	const struct tfs_walk walk = { .inlines = true, .table = t };

	if (!t->all) {
		t->all = true;
		if (tfs_walk_unit(dso, &walk, unit))
			t->n = t->n_sorted;
		dso->n_funcs += t->n - t->n_sorted;
	}
	for (size_t i = t->n_sorted; i < t->n; i++) {
		if (addr >= t->v[i].from && addr < t->v[i].to) {
			found_in(t, &t->v[i], unit, info);
			return 0;
		}
	}
	return -ENOENT;
}

int tfs_func_info_at(struct tfs_dso *dso, Dwarf_Die *unit, Dwarf_Addr addr,
		     struct tfs_func_info *info)
{
	struct tfs_func_table *t = table_of(dso, unit);
	size_t low = 0, high = t ? t->n_sorted : 0;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->v[mid].from <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (low && addr < t->v[low - 1].to) {
		found_in(t, &t->v[low - 1], unit, info);
		return 0;
	}
	return t ? find_any(dso, t, unit, addr, info) : -ENOENT;
}

int tfs_func_at(struct tfs_dso *dso, Dwarf_Die *unit, Dwarf_Addr addr, Dwarf_Die *func)
{
	struct tfs_func_info info;
	int rc = tfs_func_info_at(dso, unit, addr, &info);

	if (!rc)
		*func = info.die;
	return rc;
}
