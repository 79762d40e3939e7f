/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/features.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/macros.h"
#include "base/strbuf-core.h"
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

/* Text of the README that shows a feature: the name of a type, or any other text. */
static const struct sign {
	unsigned int feature;
	bool is_type;
	const char *text;
} signs[] = {
	{ TFS_PROBE_HAS_X_TYPES, true, "x8" },
	{ TFS_PROBE_HAS_CHAR, true, "char" },
	{ TFS_PROBE_HAS_APPEND, false, "Create/append/remove/show the userspace dynamic events" },
	{ TFS_PROBE_HAS_APPEND, false, "Create/append/remove/show the kernel dynamic events" },
	{ TFS_PROBE_HAS_RETURN_ARGS, false, "kernel return probes support: $retval, $arg<N>" },
	{ TFS_PROBE_HAS_PATH_TYPES, false, "%pd/%pD" },
	{ TFS_PROBE_HAS_NAMES, false, "<argname>" },
	{ TFS_PROBE_HAS_CASTS, false, "[(structname[,field])]<argname>" },
};

bool tfs_probe_features_lack(const struct tfs_probe_features *features, unsigned int needs)
{
	return features->has & TFS_PROBE_HAS_README && needs & ~features->has;
}

void tfs_probe_features_parse(const char *readme, struct tfs_probe_features *out)
{
	out->has = TFS_PROBE_HAS_README;
	for (size_t i = 0; i < ARRAY_SIZE(signs); i++) {
		const struct sign *s = &signs[i];

		if (s->is_type ? has_type(readme, s->text) : strstr(readme, s->text) != NULL)
			out->has |= s->feature;
	}
}

void tfs_probe_features_read(const struct tfs_root *root, struct tfs_probe_features *out)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	*out = TFS_PROBE_FEATURES_ANY;
	if (root && !tfs_file_read(root, "README", &sb, NULL) && strstr(sb.s, "probe_events"))
		tfs_probe_features_parse(sb.s, out);
	tfs_strbuf_release(&sb);
}
