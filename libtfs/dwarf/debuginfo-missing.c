/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/debuginfo-internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "dso/dso-supplier.h"

/* The units' own files are elsewhere, or are in a package that this libdw does not open. */
static int no_split(const struct tfs_debuginfo *dbg, struct tfs_err *err)
{
	const char *file = dbg->path ? dbg->path : tfs_dso_file(dbg->dso);
	const char *base = strrchr(dbg->split_missing, '/');
	const char *slash = strrchr(file, '/');
	char *package = NULL;

	tfs_err_say(err, -ENODATA, "the debug information of '%s' is in '%s', which cannot be read",
		    tfs_dso_path(dbg->dso), dbg->split_missing);
	if (asprintf(&package, "%s.dwp", file) < 0)
		return -ENODATA;
	if (!access(package, R_OK))
		tfs_err_hint(err,
			     "'%s' is there, but libdw %s does not read such packages (0.191 "
			     "does): keep the .dwo files where they were made",
			     package, dwfl_version(NULL));
	else
		tfs_err_hint(err,
			     "put the .dwo file there, or into %.*s, or link without "
			     "-gsplit-dwarf; tried: %s, %.*s/%s",
			     (int)(slash ? slash - file : 1), slash ? file : ".",
			     dbg->split_missing, (int)(slash ? slash - file : 1),
			     slash ? file : ".", base ? base + 1 : dbg->split_missing);
	free(package);
	return -ENODATA;
}

int tfs_debuginfo_missing(struct tfs_debuginfo *dbg, struct tfs_err *err)
{
	const char *id = tfs_dso_build_id(dbg->dso);
	const char *refused, *hint;

	if (tfs_debuginfo_dwarf(dbg) && dbg->split_missing)
		return no_split(dbg, err);
	refused = tfs_debuginfo_refused(dbg);
	tfs_err_say(err, -ENODATA, "no debug information for '%s'%s%s%s%s%s",
		    tfs_dso_title(dbg->dso), *id ? " (build-id " : "", id, *id ? ")" : "",
		    *refused ? ": " : "", refused);
	if (tfs_dso_kind(dbg->dso) == TFS_DSO_SYMBOLS) {
		tfs_err_hint(err,
			     "install the kernel's package with debug information "
			     "(Debian: linux-image-$(uname -r)-dbg), or give its vmlinux with -k");
		return -ENODATA;
	}
	hint = err ? tfs_dso_debug_supplier(dbg->dso) : NULL;
	if (hint)
		tfs_err_hint(err, "%s", hint);
	return -ENODATA;
}
