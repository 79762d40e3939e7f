/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "base/strvec.h"
#include "cli/msg.h"
#include "cli/print.h"
#include "decode/plugin-dirs.h"
#include "decode/plugins.h"
#include "tc-list-opts.h"
#include "tc-list-show.h"
#include "tracedat/compress.h"
#include "tracefs/file.h"

#define PROGRAM "tc-list"

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

/* libtraceevent tells of them in lines "    desc:\tTEXT"; "option:" begins the next. */
static void json_plugin_options(struct tfs_json *j, const struct tfs_strvec *lines)
{
	static const char *const keys[] = { "plugin", "option", "desc", "set" };
	bool open = false;

	for (size_t i = 0; i < lines->n; i++) {
		const char *line = lines->v[i] + strspn(lines->v[i], " \t");
		size_t len = strcspn(line, ":");
		const char *said = line + len + (line[len] == ':');

		said += strspn(said, " \t");
		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
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

int list_compression(struct list_show *show, struct tfs_err *err)
{
	struct tfs_json *j = &show->json;
	static const enum tfs_codec_id ids[] = { TFS_CODEC_ZSTD, TFS_CODEC_ZLIB };
	enum tfs_codec_id id;
	int level;

	(void)err;
	if (show->req->json)
		tfs_json_open(j, "compression", '[');
	else
		tc_print("Supported compression algorithms:\n");
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		const char *name = tfs_codec_name(ids[i]);

		/* not built in */
		if (tfs_codec_parse(name, &id, &level, NULL))
			continue;
		if (!show->req->json) {
			tc_print("\t%s, %s\n", name, tfs_codec_version(ids[i]));
			continue;
		}
		tfs_json_open(j, NULL, '{');
		tfs_json_text(j, "name", name);
		tfs_json_text(j, "version", tfs_codec_version(ids[i]));
		tfs_json_bool(j, "default", ids[i] == tfs_codec_default());
		tfs_json_close(j, '}');
	}
	if (show->req->json)
		tfs_json_close(j, ']');
	return 0;
}
