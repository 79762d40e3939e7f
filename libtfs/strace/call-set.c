/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/call-set.h"

#include <ctype.h>
#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/num.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "base/suggest.h"
#include "strace/call-class.h"
#include "syscalls/tables.h"

/*
 * struct token - one piece of a list
 * @text: without "?" and "@ABI"
 * @optional: began with "?"
 * @abis: bits of enum sys_abi that it is about
 */
struct token {
	char *text;
	bool optional;
	unsigned int abis;
};

/* A test for a call; @pattern is its own */
typedef bool (*match_fn)(const struct sys_entry *entry, const void *pattern);

int tfs_call_set_init(struct tfs_call_set *set, bool all)
{
	*set = (struct tfs_call_set){ .others = all };
	for (size_t abi = 0; abi < SYS_N_ABIS; abi++) {
		set->has[abi] = malloc(sys_tables[abi].n ? sys_tables[abi].n : 1);
		if (!set->has[abi])
			return -ENOMEM;
		memset(set->has[abi], all, sys_tables[abi].n);
	}
	return 0;
}

void tfs_call_set_release(struct tfs_call_set *set)
{
	for (size_t abi = 0; abi < SYS_N_ABIS; abi++)
		free(set->has[abi]);
	*set = (struct tfs_call_set){ 0 };
}

static void fill(struct tfs_call_set *set, bool value)
{
	set->others = value;
	for (size_t abi = 0; abi < SYS_N_ABIS; abi++)
		memset(set->has[abi], value, sys_tables[abi].n);
}

static void invert(struct tfs_call_set *set)
{
	set->others = !set->others;
	for (size_t abi = 0; abi < SYS_N_ABIS; abi++)
		for (size_t i = 0; i < sys_tables[abi].n; i++)
			set->has[abi][i] = !set->has[abi][i];
}

bool tfs_call_set_has(const struct tfs_call_set *set, enum sys_abi abi, int64_t nr)
{
	const struct sys_entry *entry = sys_abi_lookup(abi, nr);

	return entry ? set->has[abi][entry - sys_tables[abi].entries] : set->others;
}

size_t tfs_call_set_count(const struct tfs_call_set *set, enum sys_abi abi)
{
	size_t n = 0;

	for (size_t i = 0; abi < SYS_N_ABIS && i < sys_tables[abi].n; i++)
		n += set->has[abi][i];
	return n;
}

/* Return: bits of the ABIs that have such a call */
static unsigned int add(struct tfs_call_set *set, unsigned int abis, match_fn match,
			const void *pattern)
{
	unsigned int found = 0;

	for (size_t abi = 0; abi < SYS_N_ABIS; abi++)
		for (size_t i = 0; abis & 1u << abi && i < sys_tables[abi].n; i++)
			if (match(&sys_tables[abi].entries[i], pattern)) {
				set->has[abi][i] = true;
				found |= 1u << abi;
			}
	return found;
}

static bool match_name(const struct sys_entry *entry, const void *pattern)
{
	return !strcmp(entry->name, pattern);
}

static bool match_number(const struct sys_entry *entry, const void *pattern)
{
	return entry->nr == *(const uint64_t *)pattern;
}

static bool match_regex(const struct sys_entry *entry, const void *pattern)
{
	return !regexec(pattern, entry->name, 0, NULL, 0);
}

static bool match_class(const struct sys_entry *entry, const void *pattern)
{
	return ((const struct tfs_call_class *)pattern)->has(entry);
}

int tfs_call_set_add(struct tfs_call_set *set, const char *name)
{
	return add(set, ~0u, match_name, name) ? 0 : -ENOENT;
}

/* ABIs of the recording's tasks; all if it is not known */
static unsigned int abis_of(enum sys_abi abi)
{
	const enum sys_abi compat = sys_abi_compat(abi);
	unsigned int abis = abi < SYS_N_ABIS ? 1u << abi : ~0u;

	if (compat != SYS_ABI_NONE)
		abis |= 1u << compat;
	return abi == SYS_ABI_X86_64 ? abis | 1u << SYS_ABI_X32 : abis;
}

static int unknown_class(const char *text, struct tfs_err *err)
{
	struct tfs_strbuf names = TFS_STRBUF_INIT;
	const struct tfs_call_class *class;
	int rc = 0;

	tfs_err_say(err, -ENOENT, "'%s' is not a class of system calls", text);
	for (size_t i = 0; !rc && (class = tfs_call_class_get(i)); i++)
		rc = tfs_strbuf_addf(&names, "%s%%%s", i ? ", " : "", class->name);
	if (!rc)
		tfs_err_hint(err, "the classes are %s", names.s);
	tfs_strbuf_release(&names);
	return -ENOENT;
}

static int unknown_call(enum sys_abi abi, const char *text, struct tfs_err *err)
{
	const unsigned int abis = abis_of(abi);
	struct tfs_strvec names = TFS_STRVEC_INIT;
	int rc = 0;

	tfs_err_say(err, -ENOENT, "'%s' is not a system call%s", text,
		    abi == SYS_ABI_NONE ? "" : " of this architecture");
	for (size_t i = 0; i < SYS_N_ABIS; i++)
		for (size_t k = 0; !rc && abis & 1u << i && k < sys_tables[i].n; k++)
			rc = tfs_strvec_push(&names, sys_tables[i].entries[k].name);
	if (!rc)
		tfs_suggest_hint(err, text, &names,
				 "a class begins with %, a regular expression with /; "
				 "a question mark before a name allows it not to exist");
	tfs_strvec_release(&names);
	return -ENOENT;
}

static int add_regex(struct tfs_call_set *set, const struct token *t, struct tfs_err *err)
{
	char reason[128];
	regex_t re;
	int rc = regcomp(&re, t->text + 1, REG_EXTENDED | REG_NOSUB);

	if (rc) {
		regerror(rc, &re, reason, sizeof(reason));
		return tfs_err_say(err, -EINVAL, "'%s' is not a regular expression: %s",
				   t->text + 1, reason);
	}
	add(set, t->abis, match_regex, &re);
	regfree(&re);
	return 0;
}

static const struct tfs_call_class *bare_class(const char *text)
{
	const struct tfs_call_class *class = tfs_call_class_find(text, strlen(text));

	return class && class->bare ? class : NULL;
}

static int add_token(struct tfs_call_set *set, enum sys_abi abi, const struct token *t,
		     struct tfs_err *err)
{
	const struct tfs_call_class *class;
	unsigned int found;
	uint64_t nr;

	if (!strcmp(t->text, "none"))
		return 0;
	if (!strcmp(t->text, "all")) {
		fill(set, true);
		return 0;
	}
	if (*t->text == '/')
		return add_regex(set, t, err);
	if (*t->text == '%') {
		class = tfs_call_class_find(t->text + 1, strlen(t->text + 1));
		if (!class)
			return t->optional ? 0 : unknown_class(t->text, err);
		add(set, t->abis, match_class, class);
		return 0;
	}
	if (isdigit((unsigned char)*t->text)) {
		if (tfs_parse_u64(t->text, 0, UINT32_MAX, &nr, err))
			return -EINVAL;
		found = add(set, t->abis, match_number, &nr);
	} else {
		class = bare_class(t->text);
		/* "signal" and "ipc" are calls, too, somewhere; strace means the class. */
		if (class) {
			add(set, t->abis, match_class, class);
			return 0;
		}
		found = add(set, t->abis, match_name, t->text);
	}
	if (found & abis_of(abi) || t->optional)
		return 0;
	return unknown_call(abi, t->text, err);
}

static unsigned int abis_of_suffix(const char *suffix)
{
	unsigned int abis = 0;

	for (size_t i = 0; i < SYS_N_ABIS; i++) {
		const bool narrow = sys_abi_is_32bit((enum sys_abi)i);

		if (i == SYS_ABI_X32 ? !strcmp(suffix, "x32") :
				       !strcmp(suffix, narrow ? "32" : "64"))
			abis |= 1u << i;
	}
	return abis;
}

static int parse_token(struct tfs_call_set *set, enum sys_abi abi, char *text, struct tfs_err *err)
{
	struct token t = { .text = text, .abis = ~0u };
	char *at;

	if (*t.text == '?') {
		t.optional = true;
		t.text++;
	}
	at = *t.text == '/' ? NULL : strchr(t.text, '@');
	if (at) {
		*at = '\0';
		t.abis = abis_of_suffix(at + 1);
		if (!t.abis)
			return tfs_err_say(err, -EINVAL,
					   "'@%s': calls of tasks are @64, @32 or @x32", at + 1);
	}
	return add_token(set, abi, &t, err);
}

int tfs_call_set_parse(struct tfs_call_set *set, enum sys_abi abi, const char *text,
		       struct tfs_err *err)
{
	struct tfs_strvec pieces = TFS_STRVEC_INIT;
	bool inverted = false;
	int rc;

	for (; *text == '!'; text++)
		inverted = !inverted;
	fill(set, false);
	rc = tfs_strvec_split(&pieces, text, ",");
	if (!rc && !pieces.n)
		rc = tfs_err_say(err, -EINVAL, "names of system calls are missing");
	for (size_t i = 0; !rc && i < pieces.n; i++)
		rc = parse_token(set, abi, pieces.v[i], err);
	if (!rc && inverted)
		invert(set);
	tfs_strvec_release(&pieces);
	return rc;
}
