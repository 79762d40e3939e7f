/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/features.h"

#include <string.h>

#include "base/strbuf.h"
#include "tracefs/file.h"

/* The line "type: s8/16/32/64, ..." and the one after it */
static bool has_type(const char *readme, const char *type)
{
	const char *from = strstr(readme, " type: "), *p;
	size_t len = strlen(type);

	for (p = from; p && (p = strstr(p, type)); p += len) {
		if (p - from > 250)
			return false;
		if (p[-1] == ' ' && strchr(",/\n ", p[len]))
			return true;
	}
	return false;
}

void tfs_probe_features_parse(const char *readme, struct tfs_probe_features *out)
{
	out->x_types = has_type(readme, "x8");
	out->char_type = has_type(readme, "char");
	out->append = strstr(readme, "Create/append/remove/show the userspace dynamic events") ||
		      strstr(readme, "Create/append/remove/show the kernel dynamic events");
	out->path_types = strstr(readme, "%pd/%pD") != NULL;
	out->return_args = strstr(readme, "kernel return probes support: $retval, $arg<N>");
}

void tfs_probe_features_read(const struct tfs_root *root, struct tfs_probe_features *out)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	*out = TFS_PROBE_FEATURES_ANY;
	if (root && !tfs_file_read(root, "README", &sb, NULL) && strstr(sb.s, "probe_events"))
		tfs_probe_features_parse(sb.s, out);
	tfs_strbuf_release(&sb);
}
