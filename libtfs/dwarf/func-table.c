/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/func-table.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "dwarf/debuginfo-internal.h"
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
	if (tfs_grow(&t->v, &t->cap, t->n + 1))
		return -ENOMEM;
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

/**
 * struct tfs_func_tables - the tables of all units, a hash by unit
 * @last: the one that was looked into last
 * @n_funcs: in all of them
 */
struct tfs_func_tables {
	struct tfs_func_table *v;
	size_t cap;
	size_t last;
	size_t n;
	size_t n_funcs;
};

static void empty(struct tfs_func_tables *all)
{
	for (size_t i = 0; i < all->cap; i++)
		free(all->v[i].v);
	free(all->v);
	*all = (struct tfs_func_tables){ 0 };
}

static void release(struct tfs_debuginfo *dbg)
{
	empty(dbg->funcs);
	free(dbg->funcs);
	dbg->funcs = NULL;
}

/* NULL without memory. */
static struct tfs_func_tables *tables_of(struct tfs_debuginfo *dbg)
{
	if (!dbg->funcs) {
		dbg->funcs = calloc(1, sizeof(*dbg->funcs));
		if (dbg->funcs)
			tfs_debuginfo_on_free(dbg, release);
	}
	return dbg->funcs;
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

static int grow(struct tfs_func_tables *all)
{
	size_t cap = all->cap ? 2 * all->cap : 64;
	struct tfs_func_table *slots = calloc(cap, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < all->cap; i++)
		if (all->v[i].unit)
			*slot_of(slots, cap, all->v[i].unit) = all->v[i];
	free(all->v);
	all->v = slots;
	all->cap = cap;
	return 0;
}

struct tfs_func_table *tfs_func_table_begin(struct tfs_debuginfo *dbg, const Dwarf_Die *unit)
{
	struct tfs_func_tables *all = tables_of(dbg);
	struct tfs_func_table *t;

	if (!all)
		return NULL;
	if (all->n_funcs > FUNCS_MAX)
		empty(all);
	if (2 * (all->n + 1) > all->cap && grow(all))
		return NULL;
	t = slot_of(all->v, all->cap, unit->addr);
	return t->unit ? NULL : t;
}

void tfs_func_table_end(struct tfs_debuginfo *dbg, struct tfs_func_table *t, const Dwarf_Die *unit,
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
	dbg->funcs->n++;
	dbg->funcs->n_funcs += t->n;
}

/* NULL without memory. */
static struct tfs_func_table *table_of(struct tfs_debuginfo *dbg, Dwarf_Die *unit)
{
	struct tfs_walk walk = { .inlines = false };
	struct tfs_func_tables *all = dbg->funcs;
	int rc;

	if (all && all->n) {
		/* code of a unit and its copies follow each other */
		walk.table = &all->v[all->last];
		if (walk.table->unit != unit->addr)
			walk.table = slot_of(all->v, all->cap, unit->addr);
		all->last = (size_t)(walk.table - all->v);
		if (walk.table->unit)
			return walk.table;
	}
	walk.table = tfs_func_table_begin(dbg, unit);
	if (!walk.table)
		return NULL;
	rc = tfs_walk_unit(dbg, &walk, unit);
	tfs_func_table_end(dbg, walk.table, unit, rc);
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
static int find_any(struct tfs_debuginfo *dbg, struct tfs_func_table *t, Dwarf_Die *unit,
		    Dwarf_Addr addr, struct tfs_func_info *info)
{
	const struct tfs_walk walk = { .inlines = true, .table = t };

	if (!t->all) {
		t->all = true;
		if (tfs_walk_unit(dbg, &walk, unit))
			t->n = t->n_sorted;
		dbg->funcs->n_funcs += t->n - t->n_sorted;
	}
	for (size_t i = t->n_sorted; i < t->n; i++) {
		if (addr >= t->v[i].from && addr < t->v[i].to) {
			found_in(t, &t->v[i], unit, info);
			return 0;
		}
	}
	return -ENOENT;
}

int tfs_func_info_at(struct tfs_debuginfo *dbg, Dwarf_Die *unit, Dwarf_Addr addr,
		     struct tfs_func_info *info)
{
	struct tfs_func_table *t = table_of(dbg, unit);
	size_t low = tfs_bisect(i, t ? t->n_sorted : 0, t->v[i].from <= addr);

	if (low && addr < t->v[low - 1].to) {
		found_in(t, &t->v[low - 1], unit, info);
		return 0;
	}
	return t ? find_any(dbg, t, unit, addr, info) : -ENOENT;
}

int tfs_func_at(struct tfs_debuginfo *dbg, Dwarf_Die *unit, Dwarf_Addr addr, Dwarf_Die *func)
{
	struct tfs_func_info info;
	int rc = tfs_func_info_at(dbg, unit, addr, &info);

	if (!rc)
		*func = info.die;
	return rc;
}
