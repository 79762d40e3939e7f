/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/resolve-internal.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "dso/symbol.h"
#include "dwarf/func.h"
#include "probe/spec.h"

/* As many implementations as are named. */
#define SHOWN_MAX 6

/* The name under which @point is an indirect function, NULL if it is none, or was asked for. */
static const char *indirect_name(struct tfs_dso *dso, const struct tfs_probe_spec *spec,
				 const struct tfs_point *point)
{
	const struct tfs_symbol *const *syms = NULL;
	long n = tfs_symbol_named(dso, spec->func, &syms);

	for (long i = 0; i < n; i++) {
		if (syms[i]->type == TFS_SYMBOL_IFUNC && syms[i]->addr == point->addr)
			return syms[i]->name;
	}
	/* of a glob; a resolver has a name of its own, by which it is the resolver that is meant */
	if (n <= 0 && (point->flags & TFS_POINT_IFUNC) && point->symbol &&
	    !fnmatch(spec->func, point->symbol, 0) &&
	    (!point->func || !strcmp(point->func, point->symbol) ||
	     fnmatch(spec->func, point->func, 0) != 0))
		return point->symbol;
	return NULL;
}

/* Not strncmp(): nearly all of thousands of symbols differ in the first characters. */
static bool begins_with(const char *s, const struct tfs_strbuf *prefix)
{
	size_t i = 0;

	while (i < prefix->len && s[i] == prefix->s[i])
		i++;
	return i == prefix->len;
}

/* "__strlen_avx2, __strlen_sse2, ..." */
static int add_implementations(struct tfs_dso *dso, const char *name, struct tfs_strbuf *sb)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	struct tfs_strbuf prefix = TFS_STRBUF_INIT;
	const struct tfs_symbol *syms;
	size_t n;
	int rc = tfs_symbols(dso, &syms, &n, NULL);

	if (!rc)
		rc = tfs_strbuf_addf(&prefix, "__%s_", name);
	for (size_t i = 0; i < n && !rc; i++) {
		const char *tail;

		if (syms[i].type != TFS_SYMBOL_FUNC || !begins_with(syms[i].name, &prefix))
			continue;
		tail = syms[i].name + prefix.len;
		if (strncmp(tail, "chk", 3) != 0 && !strstr(tail, "ifunc"))
			rc = tfs_strvec_push(&names, syms[i].name);
	}
	if (!rc)
		tfs_strvec_sort(&names);
	for (size_t i = 0; i < names.n && i < SHOWN_MAX && !rc; i++)
		rc = tfs_strbuf_addf(sb, "%s%s", i ? ", " : "", names.v[i]);
	if (!rc && names.n > SHOWN_MAX)
		rc = tfs_strbuf_adds(sb, " ...");
	tfs_strbuf_release(&prefix);
	tfs_strvec_release(&names);
	return rc;
}

static bool asks_for_variables(const struct tfs_probe_spec *spec)
{
	for (size_t i = 0; i < spec->n_args; i++) {
		if (!spec->args[i].raw)
			return true;
	}
	return false;
}

static int refuse_variables(const char *name, const char *others, struct tfs_err *err)
{
	tfs_err_say(err, -EOPNOTSUPP,
		    "'%s' is a resolver: what the function is called with is not there", name);
	if (*others)
		tfs_err_hint(err, "probe what it chooses from: %s", others);
	else
		tfs_err_hint(err,
			     "the function that calls go to has another name, or an address alone");
	return -EOPNOTSUPP;
}

int tfs_probe_note_resolver(struct tfs_dso *dso, const struct tfs_probe_spec *spec,
			    const struct tfs_probe_resolve_opts *opts,
			    const struct tfs_point *point, struct tfs_err *err)
{
	struct tfs_strbuf others = TFS_STRBUF_INIT;
	const char *name;
	int rc;

	if (spec->at != TFS_PROBE_AT_FUNC || (point->flags & TFS_POINT_INLINED))
		return 0;
	name = indirect_name(dso, spec, point);
	if (!name)
		return 0;
	rc = tfs_strbuf_adds(&others, "");
	if (!rc)
		rc = add_implementations(dso, name, &others);
	if (!rc && asks_for_variables(spec))
		rc = refuse_variables(name, others.s, err);
	else if (!rc)
		rc = tfs_strvec_pushf(opts->notices,
				      "'%s' is a resolver: the loader calls it, without the "
				      "function's arguments, and calls go to what it chooses%s%s",
				      name, *others.s ? ": " : "", others.s);
	tfs_strbuf_release(&others);
	return rc;
}
