/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "span/pairs.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/strvec.h"
#include "base/suggest.h"
#include "decode/event-type.h"
#include "decode/names.h"
#include "decode/trace.h"
#include "decode/types.h"
#include "decode/value.h"
#include "tracedat/dat-read.h"

static const char key_word[] = ",key=";

static int bad(const char *text, const char *what, struct tfs_err *err)
{
	tfs_err_say(err, -EINVAL, "'%s': %s", text, what);
	tfs_err_hint(err, "BEGIN:END, or SYSTEM:BEGIN..SYSTEM:END, then ,key=FIELD[+FIELD]...");
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

/* "a+b" becomes two strings. 0: one of them is empty, or they are too many */
static size_t split_key(char *key)
{
	char *end;

	for (size_t n = 1; n <= TFS_PAIR_KEYS; n++) {
		end = strchrnul(key, '+');
		if (end == key)
			return 0;
		if (!*end)
			return n;
		*end = '\0';
		key = end + 1;
	}
	return 0;
}

static int parse_key(char *key, struct tfs_pair_spec *spec)
{
	char *slash = strchr(key, '/');

	spec->begin_key = spec->end_key = key;
	if (slash) {
		*slash = '\0';
		spec->end_key = slash + 1;
	}
	spec->n_keys = split_key(key);
	if (!spec->n_keys || (slash && split_key(slash + 1) != spec->n_keys))
		return -EINVAL;
	return 0;
}

int tfs_pair_parse(char *text, struct tfs_pair_spec *spec, struct tfs_err *err)
{
	char *key = strchr(text, ',');

	*spec = (struct tfs_pair_spec){ 0 };
	if (key && strncmp(key, key_word, strlen(key_word)) != 0)
		return bad(text, "after the comma of a pair is key=FIELD", err);
	if (key) {
		*key = '\0';
		if (parse_key(key + strlen(key_word), spec))
			return bad(text, "a key is a field, or several, as many of either event",
				   err);
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

static int add(struct tfs_pairs *pairs, const struct tfs_pair *pair)
{
	if (tfs_grow(&pairs->v, &pairs->room, pairs->n + 1))
		return -ENOMEM;
	pairs->v[pairs->n++] = *pair;
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

	for (i = from; i < tfs_trace_index(trace)->n; i++)
		if (matches(&tfs_trace_index(trace)->types[i], pattern, star, star_len))
			break;
	return i;
}

static int no_such_key(const struct tfs_event_type *type, const char *typed, struct tfs_err *err)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	int rc = 0;

	for (size_t i = 0; type->fields && i < type->fields->n && !rc; i++)
		rc = tfs_strvec_push(&names, type->fields->field[i].name);
	tfs_err_say(err, -ENOENT, "--pair: key '%s': event '%s:%.*s' has no such field", typed,
		    type->system, (int)type->name_len, type->name);
	tfs_suggest_hint(err, typed, &names, "--event shows the fields of an event");
	tfs_strvec_release(&names);
	return -ENOENT;
}

/* The fields called @names, one string after the other, of a type of the recording */
static int find_keys(struct tfs_trace *trace, size_t type, const char *names, size_t n,
		     const struct tfs_field **out, struct tfs_err *err)
{
	const struct tfs_event_type *t = &tfs_trace_index(trace)->types[type];

	if (n)
		tfs_trace_event(trace, t->id);
	for (size_t i = 0; i < n; i++, names += strlen(names) + 1) {
		out[i] = t->fields ? tfs_fields_find(t->fields, names, strlen(names)) : NULL;
		if (!out[i] && tfs_trace_check_memory(trace, NULL))
			return tfs_err_set(err, -ENOMEM, "cannot prepare the report");
		if (!out[i])
			return no_such_key(t, names, err);
	}
	return 0;
}

static bool begins_with(const struct tfs_event_type *type, const char *system, const char *name)
{
	return !strcmp(type->system, system) && type->name_len >= strlen(name) &&
	       !memcmp(type->name, name, strlen(name));
}

/* From the names of the kernel's events: include/trace/events/syscalls.h, trace/syscall.h */
static enum tfs_pair_syscall syscall_of(const struct tfs_event_type *type)
{
	if (begins_with(type, "syscalls", "sys_enter_"))
		return TFS_PAIR_SYSCALL;
	if (begins_with(type, "raw_syscalls", "sys_enter"))
		return TFS_PAIR_SYSCALL_RAW;
	return TFS_PAIR_NO_SYSCALL;
}

/* struct starred - what the '*' of a typed name stands for */
struct starred {
	const char *text;
	size_t len;
};

/* The pair of @begin and the event that ends it, if there is one */
static int add_typed(struct tfs_trace *trace, const struct tfs_pair_spec *spec, size_t begin,
		     struct starred star, struct tfs_pairs *pairs, struct tfs_err *err)
{
	struct tfs_pair pair = { .begin = begin, .n_keys = spec->n_keys };
	int rc;

	pair.end = find(trace, 0, spec->end, &star.text, &star.len);
	if (pair.end == tfs_trace_index(trace)->n)
		return 0;
	rc = find_keys(trace, pair.begin, spec->begin_key, pair.n_keys, pair.begin_key, err);
	if (!rc)
		rc = find_keys(trace, pair.end, spec->end_key, pair.n_keys, pair.end_key, err);
	if (rc)
		return rc;
	if (!pair.n_keys)
		pair.syscall = syscall_of(&tfs_trace_index(trace)->types[begin]);
	rc = add(pairs, &pair);
	return rc ? tfs_err_set(err, rc, "cannot prepare the report") : 0;
}

static int find_typed(struct tfs_trace *trace, char *text, struct tfs_pairs *pairs,
		      struct tfs_err *err)
{
	struct tfs_pair_spec spec;
	const char *missing;
	size_t before = pairs->n;
	int rc = tfs_pair_parse(text, &spec, err);

	if (rc)
		return rc;
	missing = spec.begin;
	for (size_t i = 0; !rc; i++) {
		struct starred star = { NULL, 0 };

		i = find(trace, i, spec.begin, &star.text, &star.len);
		if (i == tfs_trace_index(trace)->n)
			break;
		missing = spec.end;
		if (!star.text)
			star.text = "";
		rc = add_typed(trace, &spec, i, star, pairs, err);
	}
	if (rc)
		return rc;
	return pairs->n == before ? tfs_names_no_event(trace, missing, err) : 0;
}

/* @name without the suffix of @suffixes that it ends with, if any; false: it has none. */
static bool cut_suffix(const char *name, size_t *len, const char *const suffixes[4])
{
	for (size_t i = 0; i < 4 && suffixes[i]; i++) {
		size_t n = strlen(suffixes[i]);

		if (*len > n && !memcmp(name + *len - n, suffixes[i], n)) {
			*len -= n;
			return true;
		}
	}
	return false;
}

/*
 * The name alone is little evidence: r_open is a function's name as well as the kernel's for the
 * return of open. So a prefix counts only where both events have theirs.
 */
static bool belong_together(const struct tfs_event_type *begin, const struct tfs_event_type *end)
{
	static const char *const entries[4] = { "__entry", "_entry" };
	static const char *const returns[4] = { "__return", "__exit", "_return", "_exit" };
	const char *b = begin->name, *e = end->name;
	size_t begin_len = begin->name_len, end_len = end->name_len;

	if (strcmp(begin->system, end->system) != 0)
		return false;
	cut_suffix(b, &begin_len, entries);
	if (!cut_suffix(e, &end_len, returns) && begin_len > 2 && end_len > 2 &&
	    !memcmp(b, "p_", 2) && !memcmp(e, "r_", 2)) {
		b += 2;
		e += 2;
		begin_len -= 2;
		end_len -= 2;
	}
	return begin_len == end_len && !memcmp(b, e, begin_len);
}

static bool has_field(const struct tfs_event_type *type, const char *name)
{
	const struct tfs_dat_format *f = type->format;

	return f && memmem(f->text.data, f->text.size, name, strlen(name));
}

/* Fields that distinguish return probes from others in the kernel's formats. */
static int find_probes(struct tfs_trace *trace, struct tfs_pairs *pairs, struct tfs_err *err)
{
	struct tfs_pair pair = { 0 };
	int rc = 0;

	for (pair.end = 0; pair.end < tfs_trace_index(trace)->n && !rc; pair.end++) {
		if (!has_field(&tfs_trace_index(trace)->types[pair.end], "__probe_func"))
			continue;
		for (pair.begin = 0; pair.begin < tfs_trace_index(trace)->n && !rc; pair.begin++)
			if (belong_together(&tfs_trace_index(trace)->types[pair.begin],
					    &tfs_trace_index(trace)->types[pair.end]) &&
			    has_field(&tfs_trace_index(trace)->types[pair.begin], "__probe_ip"))
				rc = add(pairs, &pair);
	}
	return rc ? tfs_err_set(err, rc, "cannot prepare the report") : 0;
}

int tfs_pairs_find(struct tfs_trace *trace, const struct tfs_strvec *texts, struct tfs_pairs *pairs,
		   struct tfs_err *err)
{
	char *text;
	int rc = 0;

	if (!texts->n)
		return find_probes(trace, pairs, err);
	for (size_t i = 0; i < texts->n && !rc; i++) {
		text = strdup(texts->v[i]);
		if (!text)
			return tfs_err_set(err, -ENOMEM, "cannot prepare the report");
		rc = find_typed(trace, text, pairs, err);
		free(text);
	}
	return rc;
}

void tfs_pairs_release(struct tfs_pairs *pairs)
{
	free(pairs->v);
	*pairs = (struct tfs_pairs){ 0 };
}
