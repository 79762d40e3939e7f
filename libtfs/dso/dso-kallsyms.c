/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/dso-internal.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf-core.h"
#include "dso/kallsyms.h"
#include "dso/symbol.h"

int tfs_dso_load_kallsyms(struct tfs_dso *dso, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	bool any = false;
	char *text, *line;
	int rc;

	rc = tfs_read_path(TFS_KALLSYMS, &sb);
	if (rc) {
		tfs_err_set(err, rc, "cannot read '" TFS_KALLSYMS "'");
		goto out;
	}
	/* The names stay in the text, which the table of names keeps. */
	rc = tfs_strvec_push(&dso->symbols.names, sb.s);
	text = rc ? NULL : dso->symbols.names.v[0];
	while (!rc && (line = strsep(&text, "\n"))) {
		struct tfs_symbol s = { 0 };

		if (tfs_kallsyms_line(line, &s) ||
		    (dso->module && (!s.module || strcmp(s.module, dso->module) != 0)))
			continue;
		any = any || s.addr;
		rc = tfs_symbol_add(dso, &s);
	}
	if (rc) {
		tfs_err_set(err, rc, "cannot read '" TFS_KALLSYMS "'");
	} else if (!any) {
		rc = tfs_err_say(err, -EACCES, "'" TFS_KALLSYMS "' shows no addresses");
		tfs_err_hint(err, "be root, or see kernel.kptr_restrict");
	}
out:
	tfs_strbuf_release(&sb);
	return rc;
}

int tfs_kallsyms_has(const char *name)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	const size_t len = strlen(name);
	int rc = tfs_read_path(TFS_KALLSYMS, &sb);
	bool has = false;

	for (const char *p = sb.s; !rc && !has && (p = strstr(p, name)); p += len)
		has = p > sb.s && p[-1] == ' ' && (p[len] == '\n' || p[len] == '\t');
	/* without kallsyms there would be nothing in it */
	if (!rc && !sb.len)
		rc = -ENODATA;
	tfs_strbuf_release(&sb);
	return rc ? rc : has;
}
