/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracefs/event-on.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"

#define PATH_SIZE 512

int tfs_event_on(const struct tfs_root *root, const struct tfs_instance *inst,
		 struct tfs_strvec *out, struct tfs_err *err)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc = tfs_instance_read(root, inst, "set_event", &text, err);

	if (!rc)
		rc = tfs_strvec_split(out, text.s, "\n");
	tfs_strvec_sort(out);
	tfs_strbuf_release(&text);
	return rc;
}

/* "sched:sched_switch"; a name too long for a path is that of no event */
static bool is_there(const struct tfs_root *root, const char *event)
{
	const int system = (int)strcspn(event, ":");
	char path[PATH_SIZE];
	int n = snprintf(path, sizeof(path), "events/%.*s/%s", system, event,
			 event[system] ? event + system + 1 : "");

	return n > 0 && n < PATH_SIZE && tfs_file_exists(root, path);
}

int tfs_event_unloaded(const struct tfs_root *root, const struct tfs_instance *inst,
		       const struct tfs_strvec *before, struct tfs_strvec *unloaded,
		       struct tfs_strvec *off, struct tfs_err *err)
{
	struct tfs_strvec now = TFS_STRVEC_INIT;
	int rc = tfs_event_on(root, inst, &now, err);

	/* Both are sorted: one pass over them. */
	for (size_t i = 0, k = 0; i < before->n && !rc; i++) {
		const char *event = before->v[i];
		struct tfs_strvec *to;

		while (k < now.n && strcmp(now.v[k], event) < 0)
			k++;
		if (k < now.n && !strcmp(now.v[k], event))
			continue;
		to = is_there(root, event) ? off : unloaded;
		if (!tfs_strvec_has(to, event))
			rc = tfs_strvec_push(to, event);
	}
	tfs_strvec_release(&now);
	return rc;
}
