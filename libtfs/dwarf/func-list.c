/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/func-internal.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strvec.h"
#include "dso/demangle.h"
#include "dso/symbol.h"
#include "dwarf/cxx-type-name.h"
#include "dwarf/debuginfo-internal.h"

/* Words of a filter: a name is in if one fits it and none that begins with '!' does. */
bool tfs_func_filter_fits(const struct tfs_strvec *filter, const char *name)
{
	bool any = false, in = false;

	for (size_t i = 0; i < filter->n; i++) {
		const char *glob = filter->v[i];

		if (*glob == '!') {
			if (!fnmatch(glob + 1, name, 0))
				return false;
		} else {
			any = true;
			in = in || !fnmatch(glob, name, 0);
		}
	}
	return in || !any;
}

static bool is_listed(const struct tfs_debuginfo *dbg, const struct tfs_symbol *sym)
{
	if (sym->type != TFS_SYMBOL_FUNC && sym->type != TFS_SYMBOL_IFUNC)
		return false;
	return tfs_dso_is_code(dbg->dso, sym->addr);
}

static void drop_equal(struct tfs_strvec *names)
{
	size_t kept = 0;

	for (size_t i = 0; i < names->n; i++) {
		if (kept && !strcmp(names->v[kept - 1], names->v[i]))
			free(names->v[i]);
		else
			names->v[kept++] = names->v[i];
	}
	if (names->v)
		names->v[kept] = NULL;
	names->n = kept;
}

/*
 * Can it be typed? Not with a blank before the parameters ("void f<int>(int)", "non-virtual thunk
 * to C::f()") but that of an operator's name, nor with more after them than qualifiers.
 */
static bool can_be_typed(const char *name)
{
	static const char *const after[] = { "",   " const", " const &",  " const &&",
					     " &", " &&",    " volatile", " const volatile" };
	const char *op = strstr(name, "operator "), *closed = strrchr(name, ')');
	size_t params, last, depth = 0;

	tfs_cxx_type_name_split(name, &params, &last);
	for (size_t i = 0; i < params && name + i != op; i++) {
		depth += strchr("<({", name[i]) != NULL;
		depth -= depth && strchr(">)}", name[i]);
		if (!depth && name[i] == ' ')
			return false;
	}
	/* "operator+<char, int>(": where the operator ends is not known before */
	op = strstr(name, "operator");
	if (op && op[8] && strchr("+-*/%^&|~!=<>,", op[8]) && op < name + params &&
	    memchr(op, ' ', (size_t)(name + params - op)))
		return false;
	if (!name[params])
		return true;
	/* An unclosed parenthesis does not begin a parameter list. */
	for (size_t i = 0; closed && i < ARRAY_SIZE(after); i++) {
		if (!strcmp(closed + 1, after[i]))
			return true;
	}
	return false;
}

/* By its name in the source, if that can be typed; a filter may mean the symbol's, too. */
static int add_name(const struct tfs_strvec *filter, const char *symbol, struct tfs_strvec *names)
{
	char *demangled = tfs_demangle(symbol, TFS_DEMANGLE_PARAMS);
	const char *name = demangled ? demangled : symbol;
	int rc = 0;

	if (tfs_func_filter_fits(filter, name) ||
	    (demangled && filter->n && filter->v[0][0] != '!' &&
	     tfs_func_filter_fits(filter, symbol)))
		rc = tfs_strvec_push(names, can_be_typed(name) ? name : symbol);
	free(demangled);
	return rc;
}

int tfs_func_list(struct tfs_debuginfo *dbg, const char *filter, struct tfs_strvec *out,
		  struct tfs_err *err)
{
	struct tfs_strvec words = TFS_STRVEC_INIT, names = TFS_STRVEC_INIT;
	const struct tfs_symbol *syms;
	size_t n;
	int rc = tfs_symbols(dbg->dso, &syms, &n, err);

	if (rc)
		return rc;
	if (filter)
		rc = tfs_strvec_split(&words, filter, ", |&");
	for (size_t i = 0; i < n && !rc; i++)
		if (is_listed(dbg, &syms[i]))
			rc = add_name(&words, syms[i].name, &names);
	if (!rc) {
		tfs_strvec_sort(&names);
		drop_equal(&names);
	}
	for (size_t i = 0; i < names.n && !rc; i++)
		rc = tfs_strvec_push(out, names.v[i]);
	tfs_strvec_release(&names);
	tfs_strvec_release(&words);
	return rc ? tfs_err_set(err, rc, "cannot list functions") : 0;
}
