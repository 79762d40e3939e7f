/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/strvec.h"
#include "cli/print.h"
#include "tc-list-opts.h"
#include "tc-list-show.h"
#include "tracefs/file.h"

/*
 * Settings of tracing: tracers, clocks and options.
 */

/* Words of one line, as the kernel has it: the text as it is, or names and which one is in use. */
static int list_words(struct list_show *show, const char *file, const char *key,
		      const char *current, struct tfs_err *err)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	struct tfs_strvec words = TFS_STRVEC_INIT;
	struct tfs_json *j = &show->json;
	int rc;

	rc = list_read(show, file, &text, err);
	if (!rc && !show->req->json) {
		tfs_strbuf_rtrim(&text);
		tc_print_line(text.s);
	} else if (!rc) {
		rc = tfs_strvec_split(&words, text.s, " \n");
		tfs_json_open(j, key, '[');
		for (size_t i = 0; i < words.n; i++) {
			char *name = words.v[i];
			bool in_use = *name == '[' || (current && !strcmp(name, current));

			name += strspn(name, "[");
			name[strcspn(name, "]")] = '\0';
			tfs_json_open(j, NULL, '{');
			tfs_json_text(j, "name", name);
			tfs_json_bool(j, "current", in_use);
			tfs_json_close(j, '}');
		}
		tfs_json_close(j, ']');
	}
	tfs_strvec_release(&words);
	tfs_strbuf_release(&text);
	return rc;
}

int list_tracers(struct list_show *show, struct tfs_err *err)
{
	struct tfs_strbuf current = TFS_STRBUF_INIT;
	int rc = list_read(show, "current_tracer", &current, err);

	tfs_strbuf_rtrim(&current);
	if (!rc)
		rc = list_words(show, "available_tracers", "tracers", current.s, err);
	tfs_strbuf_release(&current);
	return rc;
}

int list_clocks(struct list_show *show, struct tfs_err *err)
{
	return list_words(show, "trace_clock", "clocks", NULL, err);
}

/* 1 or 0, of a file in options/; 0 if it cannot be read */
static bool is_set(struct list_show *show, const char *option)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	char path[512];
	bool set;

	snprintf(path, sizeof(path), "options/%s", option);
	set = !tfs_file_read(show->root, path, &text, NULL) && text.s[0] == '1';
	tfs_strbuf_release(&text);
	return set;
}

/* The directory has those of every tracer, trace_options those of the present one. */
int list_trace_options(struct list_show *show, struct tfs_err *err)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	struct tfs_json *j = &show->json;
	const struct tfs_root *root;
	int rc;

	rc = list_root(show, &root, err);
	if (!rc)
		rc = tfs_file_list(root, "options", TFS_LIST_FILES, &names, err);
	if (!rc && show->req->json)
		tfs_json_open(j, "options", '[');
	for (size_t i = 0; i < names.n && !rc; i++) {
		if (!show->req->json) {
			tc_print("%s%s\n", is_set(show, names.v[i]) ? "" : "no", names.v[i]);
			continue;
		}
		tfs_json_open(j, NULL, '{');
		tfs_json_text(j, "name", names.v[i]);
		tfs_json_bool(j, "set", is_set(show, names.v[i]));
		tfs_json_close(j, '}');
	}
	if (!rc && show->req->json)
		tfs_json_close(j, ']');
	tfs_strvec_release(&names);
	return rc;
}
