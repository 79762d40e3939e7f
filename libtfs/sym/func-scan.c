/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sym/func-internal.h"

#include <dwarf.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "sym/image-internal.h"
#include "sym/section.h"

/*
 * To walk all DIEs of a kernel takes most of a second; to search their bytes for the places where a
 * name is referred to, a tenth. Only units that hold such a place can have the function.
 */

/* A name that more strings end in than this is not worth the searching. */
#define OFFSETS_MAX 16
#define SAMPLE (1u << 20)

struct hits {
	size_t *v;
	size_t n;
	size_t cap;
};

static int add_hit(struct hits *hits, size_t at)
{
	if (hits->n == hits->cap) {
		size_t cap = hits->cap ? 2 * hits->cap : 256;
		size_t *v = reallocarray(hits->v, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		hits->v = v;
		hits->cap = cap;
	}
	hits->v[hits->n++] = at;
	return 0;
}

/* Places of the name as a whole string, or up to the arguments of a template. */
static int find_name(const struct tfs_section *in, const char *name, struct hits *hits)
{
	size_t len = strlen(name);
	const unsigned char *at = in->s, *end = in->s + in->len;

	while ((at = memmem(at, (size_t)(end - at), name, len))) {
		if (at + len < end && (!at[len] || at[len] == '<') &&
		    add_hit(hits, (size_t)(at - in->s)))
			return -ENOMEM;
		at++;
	}
	return 0;
}

/* Which of the four bytes is the rarest in the section, to look for that one first. */
static unsigned int rarest(const struct tfs_section *in, const unsigned char word[4])
{
	size_t count[256] = { 0 }, len = in->len < SAMPLE ? in->len : SAMPLE;
	const unsigned char *from = in->s + (in->len - len) / 2;
	unsigned int best = 0;

	for (size_t i = 0; i < len; i++)
		count[from[i]]++;
	for (unsigned int i = 1; i < 4; i++)
		if (count[word[i]] < count[word[best]])
			best = i;
	return best;
}

/* Places of a 4-byte number, on whatever boundary. */
static int find_word(const struct tfs_section *in, uint32_t value, bool big, struct hits *hits)
{
	unsigned char word[4];
	const unsigned char *at, *end;
	unsigned int key;

	for (unsigned int i = 0; i < 4; i++)
		word[i] = (unsigned char)(value >> 8 * (big ? 3 - i : i));
	if (in->len < 4)
		return 0;
	key = rarest(in, word);
	at = in->s + key;
	end = in->s + in->len - 3 + key;
	while (at < end && (at = memchr(at, word[key], (size_t)(end - at)))) {
		if (!memcmp(at - key, word, 4) && add_hit(hits, (size_t)(at - key - in->s)))
			return -ENOMEM;
		at++;
	}
	return 0;
}

static int by_value(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Offsets in .debug_info at which the name may be said. -ENOTSUP if that cannot be told. */
static int find_places(struct tfs_image *img, const char *name, struct hits *hits)
{
	struct tfs_section info, abbrev, str = { NULL, 0 };
	Elf *elf = dwarf_getelf(img->dw);
	struct hits strings = { NULL, 0, 0 };
	int rc;

	/* References into other units, and numbers still to be relocated, are not followed. */
	if (img->rel || !elf || !tfs_section_find(elf, ".debug_info", &info) ||
	    !tfs_section_find(elf, ".debug_abbrev", &abbrev) ||
	    memmem(abbrev.s, abbrev.len, "\x31\x10", 2))
		return -ENOTSUP;
	rc = find_name(&info, name, hits);
	if (!rc && tfs_section_find(elf, ".debug_str", &str))
		rc = find_name(&str, name, &strings);
	if (!rc && strings.n > OFFSETS_MAX)
		rc = -ENOTSUP;
	for (size_t i = 0; i < strings.n && !rc; i++)
		rc = strings.v[i] > UINT32_MAX ?
			     -ENOTSUP :
			     find_word(&info, (uint32_t)strings.v[i], img->big, hits);
	if (hits->n)
		qsort(hits->v, hits->n, sizeof(*hits->v), by_value);
	free(strings.v);
	return rc;
}

static int add_unit(struct tfs_unit_list *list, const Dwarf_Die *unit)
{
	if (list->n == list->cap) {
		size_t cap = list->cap ? 2 * list->cap : 64;
		Dwarf_Die *v = reallocarray(list->v, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		list->v = v;
		list->cap = cap;
	}
	list->v[list->n++] = *unit;
	return 0;
}

/*
 * All units; @plain tells whether each says its names itself: not through a table of its own, in a
 * file of its own, or in a unit of types.
 */
static int all_units(struct tfs_image *img, struct tfs_unit_list *out, bool *plain)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, split;
	uint8_t type;

	*plain = !dwarf_getalt(img->dw);
	while (!dwarf_get_units(img->dw, cu, &cu, NULL, &type, &unit, &split)) {
		if (type != DW_UT_compile || dwarf_hasattr(&unit, DW_AT_str_offsets_base))
			*plain = false;
		if (type == DW_UT_type || type == DW_UT_split_type)
			continue;
		if (add_unit(out, type == DW_UT_skeleton && split.addr ? &split : &unit))
			return -ENOMEM;
	}
	return 0;
}

int tfs_units_naming(struct tfs_image *img, const char *name, struct tfs_unit_list *out)
{
	struct hits hits = { NULL, 0, 0 };
	size_t kept = 0, hit = 0;
	bool plain;
	int rc;

	if (!tfs_image_dwarf(img))
		return -ENODATA;
	rc = all_units(img, out, &plain);
	if (rc || !name || !plain)
		return rc;
	rc = find_places(img, name, &hits);
	if (rc) {
		rc = rc == -ENOTSUP ? 0 : rc;
		goto out;
	}
	for (size_t i = 0; i < out->n; i++) {
		Dwarf_Off begin = dwarf_dieoffset(&out->v[i]);
		Dwarf_Off end = i + 1 < out->n ? dwarf_dieoffset(&out->v[i + 1]) : UINT64_MAX;

		while (hit < hits.n && hits.v[hit] < begin)
			hit++;
		if (hit < hits.n && hits.v[hit] < end)
			out->v[kept++] = out->v[i];
	}
	out->n = kept;
out:
	free(hits.v);
	return rc;
}
