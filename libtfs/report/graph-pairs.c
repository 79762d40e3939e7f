/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report/graph-pairs.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strvec.h"
#include "report/names.h"
#include "report/trace-internal.h"

static const char key_word[] = ",key=";

static int bad(const char *text, const char *what, struct tfs_err *err)
{
	tfs_err_say(err, -EINVAL, "'%s': %s", text, what);
	tfs_err_hint(err, "BEGIN:END, or SYSTEM:BEGIN..SYSTEM:END, and behind it ,key=FIELD");
	return -EINVAL;
}

static size_t count(const char *s, char c)
{
	size_t n = 0;

	for (; *s; s++)
		n += *s == c;
	return n;
}

/* Where the second event begins; what is between the two is cut out. NULL: nowhere, or anywhere */
static char *cut(char *text)
{
	char *at = strstr(text, "..");
	size_t n;

	if (at) {
		*at = '\0';
		return at + 2;
	}
	n = count(text, ':');
	if (n != 1 && n != 3)
		return NULL;
	at = strchr(text, ':');
	if (n == 3)
		at = strchr(at + 1, ':');
	*at = '\0';
	return at + 1;
}

static int parse_key(char *key, struct tfs_graph_pair_spec *spec)
{
	char *slash = strchr(key, '/');

	spec->begin_key = spec->end_key = key;
	if (slash) {
		*slash = '\0';
		spec->end_key = slash + 1;
	}
	return *spec->begin_key && *spec->end_key ? 0 : -EINVAL;
}

int tfs_graph_pair_parse(char *text, struct tfs_graph_pair_spec *spec, struct tfs_err *err)
{
	char *key = strchr(text, ',');

	*spec = (struct tfs_graph_pair_spec){ 0 };
	if (key && strncmp(key, key_word, strlen(key_word)) != 0)
		return bad(text, "behind the comma of a pair is key=FIELD", err);
	if (key) {
		*key = '\0';
		if (parse_key(key + strlen(key_word), spec))
			return bad(text, "the key of a pair is a field", err);
	}
	spec->begin = text;
	spec->end = cut(text);
	if (!spec->end)
		return bad(text, "not two events with a colon between them", err);
	if (!*spec->begin || !*spec->end)
		return bad(text, "one of the two events is missing", err);
	if (count(spec->begin, '*') != count(spec->end, '*') || count(spec->begin, '*') > 1)
		return bad(spec->begin, "both events have one '*', or none", err);
	return 0;
}

static int add(struct graph_pairs *pairs, const struct graph_pair *pair)
{
	struct graph_pair **v, *p;
	size_t room;

	if (pairs->n == pairs->room) {
		room = pairs->room ? 2 * pairs->room : 16;
		v = reallocarray(pairs->v, room, sizeof(struct graph_pair *));
		if (!v)
			return -ENOMEM;
		pairs->v = v;
		pairs->room = room;
	}
	p = malloc(sizeof(*p));
	if (!p)
		return -ENOMEM;
	*p = *pair;
	pairs->v[pairs->n++] = p;
	return 0;
}

/*
 * Does @type have the name @pattern says, with its star standing for @star (@star_len bytes)? With
 * @star NULL for anything, which is put there.
 */
static bool matches(const struct tfs_event_type *type, const char *pattern, const char **star,
		    size_t *star_len)
{
	size_t sys = strcspn(pattern, ":/"), before, after;
	const char *at;

	if (pattern[sys]) {
		if (strncmp(type->system, pattern, sys) != 0 || type->system[sys])
			return false;
		pattern += sys + 1;
	}
	at = strchr(pattern, '*');
	if (!at)
		return type->name_len == strlen(pattern) &&
		       !memcmp(type->name, pattern, type->name_len);
	before = (size_t)(at - pattern);
	after = strlen(at + 1);
	if (type->name_len < before + after || memcmp(type->name, pattern, before) != 0 ||
	    memcmp(type->name + type->name_len - after, at + 1, after) != 0)
		return false;
	if (*star)
		return *star_len == type->name_len - before - after &&
		       !memcmp(*star, type->name + before, *star_len);
	*star = type->name + before;
	*star_len = type->name_len - before - after;
	return true;
}

/* The first event from @from on that is called so; the number of types: none */
static size_t find(const struct tfs_trace *trace, size_t from, const char *pattern,
		   const char **star, size_t *star_len)
{
	size_t i;

	for (i = from; i < trace->n_types; i++)
		if (matches(&trace->types[i], pattern, star, star_len))
			break;
	return i;
}

static int find_typed(struct tfs_trace *trace, char *text, struct graph_pairs *pairs,
		      struct tfs_err *err)
{
	struct tfs_graph_pair_spec spec;
	struct graph_pair pair = { 0 };
	const char *missing;
	size_t before = pairs->n, star_len = 0;
	int rc = tfs_graph_pair_parse(text, &spec, err);

	if (rc)
		return rc;
	missing = spec.begin;
	pair.begin_key = spec.begin_key;
	pair.end_key = spec.end_key;
	for (size_t i = 0; !rc; i++) {
		const char *star = NULL;

		i = pair.begin = find(trace, i, spec.begin, &star, &star_len);
		if (i == trace->n_types)
			break;
		missing = spec.end;
		if (!star)
			star = "";
		pair.end = find(trace, 0, spec.end, &star, &star_len);
		if (pair.end < trace->n_types)
			rc = add(pairs, &pair);
	}
	if (rc)
		return tfs_err_set(err, rc, "cannot prepare the report");
	return pairs->n == before ? tfs_names_no_event(trace, missing, err) : 0;
}

/* The part of a probe's name that is the same at the beginning and at the return of a function. */
static void core(const struct tfs_event_type *type, const char *prefix,
		 const char *const suffixes[4], const char **name, size_t *len)
{
	*name = type->name;
	*len = type->name_len;
	if (*len > 2 && !memcmp(*name, prefix, 2)) {
		*name += 2;
		*len -= 2;
	}
	for (size_t i = 0; i < 4 && suffixes[i]; i++) {
		size_t n = strlen(suffixes[i]);

		if (*len > n && !memcmp(*name + *len - n, suffixes[i], n)) {
			*len -= n;
			return;
		}
	}
}

static bool belong_together(const struct tfs_event_type *begin, const struct tfs_event_type *end)
{
	static const char *const entries[4] = { "__entry", "_entry" };
	static const char *const returns[4] = { "__return", "__exit", "_return", "_exit" };
	size_t begin_len, end_len;
	const char *b, *e;

	if (strcmp(begin->system, end->system) != 0)
		return false;
	core(begin, "p_", entries, &b, &begin_len);
	core(end, "r_", returns, &e, &end_len);
	return begin_len == end_len && !memcmp(b, e, begin_len);
}

static bool has_field(const struct tfs_event_type *type, const char *name)
{
	const struct tfs_dat_format *f = type->format;

	return f && memmem(f->text.data, f->text.size, name, strlen(name));
}

/* Fields by which the kernel's formats tell a probe of a return from one of a place. */
static int find_probes(struct tfs_trace *trace, struct graph_pairs *pairs, struct tfs_err *err)
{
	struct graph_pair pair = { 0 };
	int rc = 0;

	for (pair.end = 0; pair.end < trace->n_types && !rc; pair.end++) {
		if (!has_field(&trace->types[pair.end], "__probe_func"))
			continue;
		for (pair.begin = 0; pair.begin < trace->n_types && !rc; pair.begin++)
			if (belong_together(&trace->types[pair.begin], &trace->types[pair.end]) &&
			    has_field(&trace->types[pair.begin], "__probe_ip"))
				rc = add(pairs, &pair);
	}
	return rc ? tfs_err_set(err, rc, "cannot prepare the report") : 0;
}

int tfs_graph_pairs_find(struct tfs_trace *trace, const struct tfs_strvec *texts,
			 struct graph_pairs *pairs, struct tfs_err *err)
{
	char *text;
	int rc = 0;

	if (!texts->n)
		return find_probes(trace, pairs, err);
	pairs->texts = calloc(texts->n, sizeof(*pairs->texts));
	if (!pairs->texts)
		return tfs_err_set(err, -ENOMEM, "cannot prepare the report");
	for (size_t i = 0; i < texts->n && !rc; i++) {
		text = strdup(texts->v[i]);
		if (!text)
			return tfs_err_set(err, -ENOMEM, "cannot prepare the report");
		pairs->texts[pairs->n_texts++] = text;
		rc = find_typed(trace, text, pairs, err);
	}
	return rc;
}

void tfs_graph_pairs_release(struct graph_pairs *pairs)
{
	for (size_t i = 0; i < pairs->n; i++)
		free(pairs->v[i]);
	free(pairs->v);
	for (size_t i = 0; i < pairs->n_texts; i++)
		free(pairs->texts[i]);
	free(pairs->texts);
}
