/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/strbuf-core.h"
#include "base/macros.h"
#include "base/strvec.h"
#include "cli/msg.h"
#include "cli/print.h"
#include "decode/plugin-dirs.h"
#include "decode/plugins.h"
#include "tc-list-opts.h"
#include "tc-list-show.h"

#define PROGRAM "tc-list"

static void print_refused_plugins(struct list_show *show)
{
	struct tfs_strvec reasons = TFS_STRVEC_INIT;

	if (!show->refused_printed && !show->req->quiet)
		tfs_plugin_dirs_refused(&reasons);
	show->refused_printed = true;
	for (size_t i = 0; i < reasons.n; i++)
		tc_msg_notice(PROGRAM, "no plugins are loaded from %s", reasons.v[i]);
	tfs_strvec_release(&reasons);
}

int list_plugins(struct list_show *show, struct tfs_err *err)
{
	struct tfs_strvec paths = TFS_STRVEC_INIT;
	struct tfs_strbuf options = TFS_STRBUF_INIT;
	int rc = tfs_plugins_list(&paths, &options, err);

	print_refused_plugins(show);
	if (!rc && show->req->json)
		tfs_json_open(&show->json, "plugins", '[');
	for (size_t i = 0; i < paths.n && !rc; i++) {
		if (show->req->json)
			tfs_json_text(&show->json, NULL, paths.v[i]);
		else
			tc_print("  %s\n", paths.v[i]);
	}
	if (!rc && show->req->json)
		tfs_json_close(&show->json, ']');
	tfs_strvec_release(&paths);
	tfs_strbuf_release(&options);
	return rc;
}

/* libtraceevent describes them with lines "    desc:\tTEXT"; "plugin:" begins the next. */
static void json_plugin_options(struct tfs_json *j, const struct tfs_strvec *lines)
{
	static const char *const keys[] = { "plugin", "option", "desc", "set" };
	bool open = false;

	for (size_t i = 0; i < lines->n; i++) {
		const char *line = lines->v[i] + strspn(lines->v[i], " \t");
		size_t len = strcspn(line, ":");
		const char *said = line + len + (line[len] == ':');

		said += strspn(said, " \t");
		for (size_t k = 0; k < ARRAY_SIZE(keys); k++) {
			if (strlen(keys[k]) != len || strncmp(line, keys[k], len) != 0)
				continue;
			if (!k) {
				if (open)
					tfs_json_close(j, '}');
				tfs_json_open(j, NULL, '{');
				open = true;
			}
			if (open)
				tfs_json_text(j, keys[k], said);
		}
	}
	if (open)
		tfs_json_close(j, '}');
}

int list_plugin_options(struct list_show *show, struct tfs_err *err)
{
	struct tfs_strvec paths = TFS_STRVEC_INIT, lines = TFS_STRVEC_INIT;
	struct tfs_strbuf options = TFS_STRBUF_INIT;
	int rc = tfs_plugins_list(&paths, &options, err);

	print_refused_plugins(show);
	if (!rc && !show->req->json) {
		tc_print("%s", options.s);
	} else if (!rc) {
		rc = tfs_strvec_split(&lines, options.s, "\n");
		tfs_json_open(&show->json, "plugin_options", '[');
		json_plugin_options(&show->json, &lines);
		tfs_json_close(&show->json, ']');
	}
	tfs_strvec_release(&lines);
	tfs_strvec_release(&paths);
	tfs_strbuf_release(&options);
	return rc;
}
