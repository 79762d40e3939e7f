/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracefs/probe-list.h"

#include <stddef.h>
#include <string.h>

#include "base/macros.h"
#include "base/strbuf-core.h"

bool tfs_is_probe_list(const char *path)
{
	static const char *const names[] = { "dynamic_events", "kprobe_events", "uprobe_events",
					     "synthetic_events" };
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(slash ? slash + 1 : path, names[i]))
			return true;
	}
	return false;
}

static bool has_line(const char *text, const char *line, size_t len)
{
	for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n') {
		if (strcspn(p, "\n") == len && !memcmp(p, line, len))
			return true;
	}
	return false;
}

int tfs_probe_list_merge(struct tfs_strbuf *list, const char *earlier)
{
	size_t len;
	int rc = 0;

	for (; *earlier && !rc; earlier += len + (earlier[len] == '\n')) {
		len = strcspn(earlier, "\n");
		if (!has_line(list->s, earlier, len))
			rc = tfs_strbuf_addf(list, "%.*s\n", (int)len, earlier);
	}
	return rc;
}
