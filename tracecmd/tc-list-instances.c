/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "base/strbuf.h"
#include "base/strvec.h"
#include "cli/msg.h"
#include "cli/print.h"
#include "tc-list-opts.h"
#include "tc-list-show.h"
#include "tracefs/file.h"

#define PROGRAM "tc-list"

/* A file of an instance as one word; NULL if it cannot be read. */
static void json_instance_file(struct list_show *show, const char *name, const char *file,
			       const char *key)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	char path[512];
	int rc;

	snprintf(path, sizeof(path), "instances/%s/%s", name, file);
	rc = tfs_file_read(show->root, path, &text, NULL);
	tfs_strbuf_rtrim(&text);
	tfs_json_text(&show->json, key, rc ? NULL : text.s);
	tfs_strbuf_release(&text);
}

int list_instances(struct list_show *show, struct tfs_err *err)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	struct tfs_json *j = &show->json;
	const struct tfs_root *root;
	int rc;

	rc = list_root(show, &root, err);
	if (!rc)
		rc = tfs_file_list(root, "instances", TFS_LIST_DIRS, &names, err);
	if (!rc && show->req->json)
		tfs_json_open(j, "instances", '[');
	for (size_t i = 0; i < names.n && !rc; i++) {
		if (!show->req->json) {
			tc_print_line(names.v[i]);
			continue;
		}
		tfs_json_open(j, NULL, '{');
		tfs_json_text(j, "name", names.v[i]);
		json_instance_file(show, names.v[i], "current_tracer", "tracer");
		json_instance_file(show, names.v[i], "tracing_on", "tracing_on");
		tfs_json_close(j, '}');
	}
	if (!rc && show->req->json)
		tfs_json_close(j, ']');
	if (!rc && !names.n && !show->req->json && !show->req->quiet)
		tc_msg_notice(PROGRAM, "there are no tracing instances");
	tfs_strvec_release(&names);
	return rc;
}
