/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/debuginfo.h"

#include <stddef.h>

#include "dso/dso.h"
#include "dwarf/debuginfo.h"

struct tfs_debuginfo *open_debuginfo(const char *path)
{
	struct tfs_debuginfo *dbg;
	struct tfs_dso *dso;

	if (tfs_dso_open(path, NULL, &dso, NULL))
		return NULL;
	dbg = tfs_debuginfo_new(dso);
	if (!dbg)
		tfs_dso_free(dso);
	return dbg;
}

void close_debuginfo(struct tfs_debuginfo *dbg)
{
	struct tfs_dso *dso = tfs_debuginfo_dso(dbg);

	tfs_debuginfo_free(dbg);
	tfs_dso_free(dso);
}
