/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/symbol.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/hash.h"
#include "dso/dso-internal.h"
#include "dso/dso.h"

#define NONE UINT32_MAX
/* No file has more symbols: a larger table is damaged. */
#define SYMBOLS_MAX 20000000

static void release(struct tfs_dso *dso)
{
	struct tfs_symbol_table *t = &dso->symbols;

	free(t->v);
	free(t->bucket);
	free(t->next);
	free(t->found);
	tfs_strvec_release(&t->names);
	*t = (struct tfs_symbol_table){ 0 };
}

/* The linker writes NAME@@VERSION and NAME@VERSION into .symtab, two words here. */
static int split_version(struct tfs_symbol_table *t, struct tfs_symbol *s)
{
	const char *at = strchr(s->name, '@');

	if (!at || at == s->name || s->type == TFS_SYMBOL_PLT)
		return 0;
	s->hidden = at[1] != '@';
	s->version = at + (s->hidden ? 1 : 2);
	if (tfs_strvec_pushn(&t->names, s->name, (size_t)(at - s->name)))
		return -ENOMEM;
	s->name = t->names.v[t->names.n - 1];
	return 0;
}

int tfs_symbol_add(struct tfs_dso *dso, const struct tfs_symbol *symbol)
{
	struct tfs_symbol_table *t = &dso->symbols;

	if (t->n == SYMBOLS_MAX)
		return -E2BIG;
	if (tfs_grow(&t->v, &t->cap, t->n + 1))
		return -ENOMEM;
	t->v[t->n] = *symbol;
	if (!symbol->version && split_version(t, &t->v[t->n]))
		return -ENOMEM;
	t->n++;
	return 0;
}

/** struct place - an address, and which symbol as they were read */
struct place {
	uint64_t addr;
	size_t at;
};

#define DIGIT 11

/*
 * The symbols in the order of their addresses, those of one in the order they were read in. Digits
 * that all addresses share cost nothing. Yours, free(); NULL without memory.
 */
static struct place *sort_places(const struct tfs_symbol_table *t)
{
	const size_t mask = ((size_t)1 << DIGIT) - 1;
	struct place *from = calloc(t->n + 1, sizeof(*from)), *spare;
	struct place *to = calloc(t->n + 1, sizeof(*to));

	if (!from || !to) {
		free(from);
		free(to);
		return NULL;
	}
	for (size_t i = 0; i < t->n; i++)
		from[i] = (struct place){ t->v[i].addr, i };
	for (unsigned int shift = 0; shift < 64; shift += DIGIT) {
		size_t count[((size_t)1 << DIGIT) + 1] = { 0 };

		for (size_t i = 0; i < t->n; i++)
			count[((from[i].addr >> shift) & mask) + 1]++;
		if (t->n && count[((from[0].addr >> shift) & mask) + 1] == t->n)
			continue;
		for (size_t b = 1; b <= mask + 1; b++)
			count[b] += count[b - 1];
		for (size_t i = 0; i < t->n; i++)
			to[count[(from[i].addr >> shift) & mask]++] = from[i];
		spare = from;
		from = to;
		to = spare;
	}
	free(to);
	return from;
}

static int by_name(const void *a, const void *b)
{
	const struct tfs_symbol *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (order)
		return order;
	if (!x->version || !y->version)
		return (y->version != NULL) - (x->version != NULL);
	return strcmp(x->version, y->version);
}

/* Symbols of one address by name; there are rarely more than two. */
static void sort_names(struct tfs_symbol *v, size_t n)
{
	if (n > 16) {
		qsort(v, n, sizeof(*v), by_name);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		struct tfs_symbol s = v[i];
		size_t k = i;

		for (; k && by_name(&v[k - 1], &s) > 0; k--)
			v[k] = v[k - 1];
		v[k] = s;
	}
}

/* One of .symtab that .dynsym has with its version, or that both have, is listed once. */
static size_t drop_twins(struct tfs_symbol *v, size_t n)
{
	size_t kept = 0;

	sort_names(v, n);
	for (size_t i = 0; i < n; i++) {
		struct tfs_symbol *last = kept ? &v[kept - 1] : NULL;

		if (!last || strcmp(last->name, v[i].name) != 0 ||
		    (v[i].version && (!last->version || strcmp(last->version, v[i].version) != 0)))
			v[kept++] = v[i];
		else if (!last->size)
			last->size = v[i].size;
	}
	return kept;
}

/* By address, then by name. */
static int sort(struct tfs_symbol_table *t)
{
	struct place *place = sort_places(t);
	struct tfs_symbol *v = calloc(t->n + 1, sizeof(*v));
	size_t kept = 0;

	if (!place || !v) {
		free(place);
		free(v);
		return -ENOMEM;
	}
	for (size_t i = 0, n; i < t->n; i += n) {
		for (n = 0; i + n < t->n && place[i + n].addr == place[i].addr; n++)
			v[kept + n] = t->v[place[i + n].at];
		kept += n > 1 ? drop_twins(v + kept, n) : 1;
	}
	free(place);
	free(t->v);
	t->v = v;
	t->cap = t->n + 1;
	t->n = kept;
	return 0;
}

/* Not before a name is looked up: a list of all needs none. */
static int build_hash(struct tfs_symbol_table *t)
{
	size_t n = 64;

	if (t->bucket)
		return 0;
	while (n < t->n)
		n *= 2;
	t->next = malloc((t->n + 1) * sizeof(*t->next));
	t->bucket = t->next ? malloc(n * sizeof(*t->bucket)) : NULL;
	if (!t->bucket) {
		free(t->next);
		t->next = NULL;
		return -ENOMEM;
	}
	t->n_buckets = n;
	memset(t->bucket, 0xff, n * sizeof(*t->bucket));
	/* Backwards, so that a chain is in the order of addresses. */
	for (size_t i = t->n; i-- > 0;) {
		uint32_t h = tfs_hash32(t->v[i].name, strlen(t->v[i].name));
		uint32_t *b = &t->bucket[h & (n - 1)];

		t->next[i] = *b;
		*b = (uint32_t)i;
	}
	return 0;
}

static int load(struct tfs_dso *dso, struct tfs_err *err)
{
	struct tfs_symbol_table *t = &dso->symbols;
	int rc = 0;

	if (t->loaded)
		return 0;
	tfs_dso_on_free(dso, release);
	if (dso->kind == TFS_DSO_SYMBOLS) {
		rc = tfs_dso_load_kallsyms(dso, err);
		if (rc)
			return rc;
	} else {
		rc = tfs_dso_load_symtab(dso);
		if (!rc && !dso->rel)
			rc = tfs_dso_load_dynsym(dso);
		if (!rc && dso->kind == TFS_DSO_PROGRAM)
			rc = tfs_dso_load_plt(dso);
		if (!rc && dso->go)
			rc = tfs_dso_load_go(dso);
	}
	if (!rc)
		rc = sort(t);
	if (rc) {
		release(dso);
		return tfs_err_set(err, rc, "cannot read the symbols of '%s'", tfs_dso_path(dso));
	}
	t->loaded = true;
	return 0;
}

int tfs_symbols(struct tfs_dso *dso, const struct tfs_symbol **syms, size_t *n, struct tfs_err *err)
{
	int rc = load(dso, err);

	*syms = rc ? NULL : dso->symbols.v;
	*n = rc ? 0 : dso->symbols.n;
	return rc;
}

/* @version: "", "@V" (that version) or "@@V" (that version if it is the default one) */
static bool version_fits(const struct tfs_symbol *s, const char *version)
{
	if (!*version)
		return true;
	if (!s->version)
		return false;
	if (version[1] == '@')
		return !s->hidden && !strcmp(s->version, version + 2);
	return !strcmp(s->version, version + 1);
}

bool tfs_symbols_are_elsewhere(const struct tfs_dso *dso)
{
	return dso->symbols.elsewhere;
}

long tfs_symbol_named(struct tfs_dso *dso, const char *name, const struct tfs_symbol *const **out)
{
	struct tfs_symbol_table *t = &dso->symbols;
	const char *at = strchr(name, '@');
	size_t len, n = 0;
	int rc;

	if (at && (at == name || !strcmp(at, "@plt")))
		at = NULL;
	*out = NULL;
	rc = load(dso, NULL);
	if (!rc)
		rc = build_hash(t);
	if (rc)
		return rc;
	len = at ? (size_t)(at - name) : strlen(name);
	for (uint32_t i = t->bucket[tfs_hash32(name, len) & (t->n_buckets - 1)]; i != NONE;
	     i = t->next[i]) {
		const struct tfs_symbol *s = &t->v[i];

		/* NOLINTNEXTLINE: what is in a chain is there, and has a name */
		if (strncmp(s->name, name, len) != 0 || s->name[len] ||
		    !version_fits(s, at ? at : ""))
			continue;
		if (tfs_grow(&t->found, &t->found_cap, n + 1))
			return -ENOMEM;
		t->found[n++] = s;
	}
	*out = t->found;
	return (long)n;
}

/* Index of the last symbol that begins at or before an address, t->n if there is none. */
static size_t last_before(const struct tfs_symbol_table *t, uint64_t addr)
{
	size_t low = tfs_bisect(i, t->n, t->v[i].addr <= addr);

	return low ? low - 1 : t->n;
}

static int rank(const struct tfs_symbol *s)
{
	int r = s->local ? 0 : 4;

	if (s->type == TFS_SYMBOL_FUNC || s->type == TFS_SYMBOL_DATA || s->type == TFS_SYMBOL_IFUNC)
		r += 8;
	else if (s->type == TFS_SYMBOL_PLT)
		r += 6;
	if (s->size)
		r += 2;
	if (s->name[0] != '_')
		r += 1;
	return r;
}

static bool holds(const struct tfs_symbol *s, uint64_t addr)
{
	return s->type != TFS_SYMBOL_TLS && (s->size ? addr - s->addr < s->size : s->addr == addr);
}

const struct tfs_symbol *tfs_symbol_at(struct tfs_dso *dso, uint64_t addr)
{
	const struct tfs_symbol_table *t = &dso->symbols;
	const struct tfs_symbol *best = NULL;
	size_t last;

	if (load(dso, NULL) || !t->v || (last = last_before(t, addr)) == t->n)
		return NULL;
	/* A big symbol may begin far before small ones inside of it; that is rare. */
	for (size_t i = last + 1; i-- > 0 && last - i < 256;) {
		const struct tfs_symbol *s = &t->v[i];

		if (best && s->addr != best->addr)
			break;
		if (holds(s, addr) && (!best || rank(s) > rank(best)))
			best = s;
	}
	if (best)
		return best;
	/* Without sizes (kallsyms, assembler), take the symbol before the address. */
	for (size_t i = last + 1; i-- > 0 && t->v[i].addr == t->v[last].addr;)
		if (!t->v[i].size && t->v[i].type != TFS_SYMBOL_TLS &&
		    (!best || rank(&t->v[i]) > rank(best)))
			best = &t->v[i];
	return best;
}

/* The kernel looks a name up in all of kallsyms, and takes only one that is there once. */
static bool is_unique(struct tfs_dso *dso, const char *name)
{
	const struct tfs_symbol *const *found;

	return tfs_symbol_named(dso, name, &found) == 1;
}

int tfs_symbol_format(struct tfs_dso *dso, uint64_t addr, char **out, struct tfs_err *err)
{
	const struct tfs_symbol_table *t = &dso->symbols;
	const struct tfs_symbol *base = tfs_symbol_at(dso, addr);
	const struct tfs_symbol *const *found;
	const char *module = dso->module;

	if (base && !is_unique(dso, base->name)) {
		const struct tfs_symbol *alias = NULL;

		/* Another name of the same place does as well. */
		for (size_t i = last_before(t, base->addr) + 1; i-- > 0;) {
			if (t->v[i].addr != base->addr)
				break;
			if (is_unique(dso, t->v[i].name) && t->v[i].type != TFS_SYMBOL_TLS)
				alias = &t->v[i];
		}
		base = alias;
	}
	if (!base && !module && tfs_symbol_named(dso, "_text", &found) == 1 && found &&
	    found[0]->addr <= addr)
		base = found[0];
	if (!base)
		return tfs_err_say(err, -ENOENT,
				   "no symbol with a name of its own can say where 0x%" PRIx64
				   " is",
				   addr);
	if (base->module)
		module = base->module;
	if (asprintf(out, "%s%s%s+%" PRIu64, module ? module : "", module ? ":" : "", base->name,
		     addr - base->addr) < 0)
		return tfs_err_set(err, -ENOMEM, "cannot say where 0x%" PRIx64 " is", addr);
	return 0;
}
