/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-complete.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf-core.h"

static bool is_there(const char *path, const char *more)
{
	struct tfs_strbuf name = TFS_STRBUF_INIT;
	bool is = !tfs_strbuf_addf(&name, "%s%s", path, more) && !access(name.s, F_OK);

	tfs_strbuf_release(&name);
	return is;
}

/* The folder above a folder, by name where its name says it. 0 or -ENOMEM */
static int add_above(struct tfs_strbuf *sb, const char *dir, size_t len)
{
	size_t last = len;

	while (last && dir[last - 1] != '/')
		last--;
	if (len - last <= 2 && !strncmp(dir + last, "..", len - last))
		return len ? tfs_strbuf_addf(sb, "%.*s/..", (int)len, dir) :
			     tfs_strbuf_adds(sb, "..");
	while (last > 1 && dir[last - 1] == '/')
		last--;
	return last ? tfs_strbuf_add(sb, dir, last) : tfs_strbuf_adds(sb, ".");
}

char *tfs_dat_fleet_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct tfs_strbuf folder = TFS_STRBUF_INIT;
	char *out = NULL;

	if (!is_there(path, TFS_DAT_FLEET_JOURNAL) ||
	    add_above(&folder, path, slash ? (size_t)(slash - path) : 0) ||
	    !is_there(folder.s, "/" TFS_DAT_FLEET_TABLE) || tfs_strbuf_detach(&folder, &out))
		out = NULL;
	tfs_strbuf_release(&folder);
	return out;
}

char *tfs_dat_completes(const char *path)
{
	char *folder = tfs_dat_fleet_folder(path), *out;
	int n = folder ? asprintf(&out, "tc-fleet fetch -o '%s'", folder) :
			 asprintf(&out, "tc-record --recover '%s'", path);

	free(folder);
	return n < 0 ? NULL : out;
}
