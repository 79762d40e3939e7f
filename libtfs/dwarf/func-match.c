/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/func-match.h"

#include <stddef.h>

#include "base/name-match.h"
#include "base/strvec.h"
#include "dso/symbol.h"

static int collect(const struct tfs_symbol *syms, size_t n, const char *name, bool with_parts,
		   struct tfs_strvec *out)
{
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		if (syms[i].type != TFS_SYMBOL_FUNC || !tfs_func_same_name(syms[i].name, name) ||
		    (!with_parts && tfs_func_is_part(syms[i].name)) ||
		    tfs_strvec_has(out, syms[i].name))
			continue;
		rc = tfs_strvec_push(out, syms[i].name);
	}
	return rc;
}

int tfs_func_matches(struct tfs_dso *dso, const char *name, struct tfs_strvec *out)
{
	const struct tfs_symbol *syms;
	size_t n, before = out->n;
	int rc = tfs_symbols(dso, &syms, &n, NULL);

	if (!rc)
		rc = collect(syms, n, name, false, out);
	if (!rc && out->n == before)
		rc = collect(syms, n, name, true, out);
	return rc;
}
