/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/func-internal.h"

#include <dwarf.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cursor.h"
#include "dso/dso-elf.h"
#include "dso/section.h"
#include "dwarf/debuginfo-internal.h"
#include "dwarf/die-reader.h"

/*
 * To walk all DIEs of a kernel takes most of a second; to search their bytes for the places where a
 * name is referred to, a tenth. Only units that hold such a place can have the function.
 */

/* A name that more strings end in than this is not worth the searching. */
#define OFFSETS_MAX 16
#define SAMPLE (1u << 20)
#define PIECE (1u << 18)

struct hits {
	size_t *v;
	size_t n;
	size_t cap;
};

static int add_hit(struct hits *hits, size_t at)
{
	if (tfs_grow(&hits->v, &hits->cap, hits->n + 1))
		return -ENOMEM;
	hits->v[hits->n++] = at;
	return 0;
}

/**
 * struct pattern - bytes that are looked for
 * @key: which of them is the rarest: that one is looked for first
 * @is_name: it ends there, or the arguments of a template begin
 */
struct pattern {
	const unsigned char *s;
	size_t len;
	size_t key;
	bool is_name;
};

/* How often each byte occurs, more or less. */
static void take_sample(const struct tfs_section *in, size_t count[256])
{
	size_t len = in->len < SAMPLE ? in->len : SAMPLE;
	const unsigned char *from = in->s + (in->len - len) / 2;

	memset(count, 0, 256 * sizeof(*count));
	for (size_t i = 0; i < len; i++)
		count[from[i]]++;
}

static void choose_key(struct pattern *p, const size_t count[256])
{
	p->key = 0;
	for (size_t i = 1; i < p->len; i++)
		if (count[p->s[i]] < count[p->s[p->key]])
			p->key = i;
}

/* Places of a pattern that begin from @from on and before @to. */
static int find_pattern(const struct tfs_section *in, size_t from, size_t to,
			const struct pattern *p, struct hits *hits)
{
	size_t room = p->len + p->is_name;
	const unsigned char *at, *end;

	if (in->len < room || from > in->len - room)
		return 0;
	if (to > in->len - room + 1)
		to = in->len - room + 1;
	at = in->s + from + p->key;
	end = in->s + to + p->key;
	while (at < end && (at = memchr(at, p->s[p->key], (size_t)(end - at)))) {
		const unsigned char *begin = at++ - p->key;

		if (memcmp(begin, p->s, p->len) != 0 ||
		    (p->is_name && begin[p->len] && begin[p->len] != '<'))
			continue;
		if (add_hit(hits, (size_t)(begin - in->s)))
			return -ENOMEM;
	}
	return 0;
}

/* All patterns in one piece after the other: it is in the cache from the first to the last. */
static int find_patterns(struct tfs_debuginfo *dbg, const struct tfs_section *in, struct pattern *p,
			 size_t n, struct hits *hits)
{
	size_t count[256];
	int rc = 0;

	take_sample(in, count);
	for (size_t i = 0; i < n; i++)
		choose_key(&p[i], count);
	for (size_t from = 0; from < in->len && !rc; from += PIECE) {
		tfs_debuginfo_read_on(dbg, in->s + from);
		for (size_t i = 0; i < n && !rc; i++)
			rc = find_pattern(in, from, from + PIECE, &p[i], hits);
	}
	return rc;
}

static int by_value(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void store_word(uint32_t value, bool big, unsigned char word[4])
{
	for (unsigned int i = 0; i < 4; i++)
		word[i] = (unsigned char)(value >> 8 * (big ? 3 - i : i));
}

/* Can the origin of a DIE be in another unit? That is not followed: all have to be read then. */
static int refers_to_others(struct tfs_debuginfo *dbg, const struct tfs_section *abbrev,
			    bool *refers)
{
	static const unsigned char form[] = { DW_AT_abstract_origin, DW_FORM_ref_addr };
	struct pattern pattern = { form, sizeof(form), 0, false };
	struct hits hits = { NULL, 0, 0 };
	int rc = find_patterns(dbg, abbrev, &pattern, 1, &hits);

	*refers = hits.n > 0;
	free(hits.v);
	return rc;
}

/* Offsets in .debug_info at which the name may occur; -ENOTSUP if they cannot be found. */
static int find_places(struct tfs_debuginfo *dbg, const char *name, struct hits *hits)
{
	struct tfs_section info, abbrev, str = { NULL, 0 };
	Elf *elf = dwarf_getelf(dbg->dw);
	struct hits strings = { NULL, 0, 0 };
	struct pattern pattern[OFFSETS_MAX + 1];
	unsigned char word[OFFSETS_MAX][4];
	bool refers;
	int rc;

	/* numbers still to be relocated are not known either */
	if (tfs_dso_is_relocatable(dbg->dso) || !elf ||
	    !tfs_section_find(elf, ".debug_info", &info) ||
	    !tfs_section_find(elf, ".debug_abbrev", &abbrev))
		return -ENOTSUP;
	rc = refers_to_others(dbg, &abbrev, &refers);
	if (rc || refers)
		return rc ? rc : -ENOTSUP;
	pattern[0] = (struct pattern){ (const unsigned char *)name, strlen(name), 0, true };
	if (tfs_section_find(elf, ".debug_str", &str))
		rc = find_patterns(dbg, &str, pattern, 1, &strings);
	if (!rc && strings.n > OFFSETS_MAX)
		rc = -ENOTSUP;
	for (size_t i = 0; i < strings.n && !rc; i++) {
		if (strings.v[i] > UINT32_MAX)
			rc = -ENOTSUP;
		store_word((uint32_t)strings.v[i], tfs_dso_is_big_endian(dbg->dso), word[i]);
		pattern[i + 1] = (struct pattern){ word[i], 4, 0, false };
	}
	if (!rc)
		rc = find_patterns(dbg, &info, pattern, strings.n + 1, hits);
	if (hits->n)
		qsort(hits->v, hits->n, sizeof(*hits->v), by_value);
	free(strings.v);
	return rc;
}

static int add_unit(struct tfs_unit_list *list, const Dwarf_Die *unit)
{
	if (tfs_grow(&list->v, &list->cap, list->n + 1))
		return -ENOMEM;
	list->v[list->n++] = *unit;
	return 0;
}

/*
 * All units; @plain: each unit has its names itself: not through a table of its own, in a
 * file of its own, or in a unit of types. To ask each for its table, which has a section, libdw
 * reads abbreviations: a third of the time it takes to look one function of a kernel up.
 */
static int all_units(struct tfs_debuginfo *dbg, struct tfs_unit_list *out, bool *plain)
{
	Elf *elf = dwarf_getelf(dbg->dw);
	struct tfs_section tables;
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, split;
	uint8_t type;

	*plain = !dwarf_getalt(dbg->dw) && elf &&
		 !tfs_section_find(elf, ".debug_str_offsets", &tables);
	while (!dwarf_get_units(dbg->dw, cu, &cu, NULL, &type, &unit, &split)) {
		tfs_debuginfo_read_on(dbg, unit.addr);
		if (type != DW_UT_compile)
			*plain = false;
		if (type == DW_UT_type || type == DW_UT_split_type)
			continue;
		if (type == DW_UT_skeleton && !split.addr)
			tfs_debuginfo_note_split(dbg, &unit);
		if (add_unit(out, type == DW_UT_skeleton && split.addr ? &split : &unit))
			return -ENOMEM;
	}
	return 0;
}

/**
 * struct named - places in a unit where a name is said
 * @v: offsets in .debug_info, sorted
 * @explained: how many of them are of functions that are declared there, and no more
 */
struct named {
	const size_t *v;
	size_t n;
	size_t explained;
};

static bool is_named(const struct named *named, const struct tfs_die_reader *reader,
		     const struct tfs_raw_die *die)
{
	const struct tfs_raw_attr *name = tfs_raw_attr(die, TFS_DIE_NAME);
	size_t at = name ? (size_t)(name->at - reader->info.s) : SIZE_MAX;
	/* a string of its own is found where it begins, others by their number */
	for (size_t i = 0; i < named->n; i++)
		if (named->v[i] == at)
			return true;
	return false;
}

/* False if it is not just the declaration of what has the name, or may be made from one. */
static bool explain(struct named *named, const struct tfs_die_reader *reader,
		    const struct tfs_raw_die *die)
{
	struct tfs_raw_die origin;
	const unsigned char *at;

	if (die->abbrev->tag != DW_TAG_subprogram)
		return true;
	if (tfs_raw_attr(die, TFS_DIE_ORIGIN)) {
		at = tfs_raw_die_origin(reader, die);
		return at && tfs_raw_die_read(reader, at, &origin) &&
		       !is_named(named, reader, &origin);
	}
	if (!is_named(named, reader, die))
		return true;
	named->explained++;
	return !die->abbrev->code && !die->abbrev->inlined;
}

/*
 * Does a unit of C only declare the function, like most callers? The DIEs of inlined copies would
 * be in the unit itself, and a definition would refer to the declaration.
 */
static bool only_declares(struct tfs_debuginfo *dbg, Dwarf_Die *unit, struct named *named)
{
	struct tfs_raw_die die;
	const unsigned char *at;
	struct tfs_die_reader *reader = tfs_debuginfo_die_reader(dbg);

	if (!reader || !tfs_unit_is_flat(unit) ||
	    tfs_die_reader_open(reader, unit, tfs_dso_is_big_endian(dbg->dso)) ||
	    !tfs_raw_die_read(reader, reader->unit, &die) || !die.abbrev->children)
		return false;
	for (at = die.next; at && at < reader->end && *at; at = tfs_raw_die_after(reader, &die))
		if (!tfs_raw_die_read(reader, at, &die) || !explain(named, reader, &die))
			return false;
	return named->explained == named->n;
}

int tfs_units_naming(struct tfs_debuginfo *dbg, const char *name, struct tfs_unit_list *out)
{
	struct hits hits = { NULL, 0, 0 };
	size_t kept = 0, hit = 0;
	bool plain;
	int rc;

	if (!tfs_debuginfo_dwarf(dbg))
		return -ENODATA;
	rc = all_units(dbg, out, &plain);
	if (rc || !name || !plain)
		return rc;
	rc = find_places(dbg, name, &hits);
	if (rc) {
		rc = rc == -ENOTSUP ? 0 : rc;
		goto out;
	}
	for (size_t i = 0; i < out->n; i++) {
		Dwarf_Off begin = dwarf_dieoffset(&out->v[i]);
		Dwarf_Off end = i + 1 < out->n ? dwarf_dieoffset(&out->v[i + 1]) : UINT64_MAX;

		struct named named = { .v = hits.v };

		while (hit < hits.n && hits.v[hit] < begin)
			hit++;
		if (hit)
			named.v = &hits.v[hit];
		while (hit < hits.n && hits.v[hit] < end) {
			hit++;
			named.n++;
		}
		if (named.n && !only_declares(dbg, &out->v[i], &named))
			out->v[kept++] = out->v[i];
	}
	out->n = kept;
out:
	free(hits.v);
	return rc;
}
