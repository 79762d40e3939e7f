/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/strbuf-core.h"
#include "base/macros.h"
#include "base/strvec.h"
#include "cli/print.h"
#include "probe/list.h"
#include "tc-list-opts.h"
#include "tc-list-show.h"
#include "tracefs/event.h"
#include "tracefs/file.h"
#include "tracefs/root.h"

static int count_lines(struct list_show *show, const char *file, size_t *n)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc = tfs_file_read(show->root, file, &text, NULL);

	*n = 0;
	for (const char *p = text.s; !rc && (p = strchr(p, '\n')); p++)
		++*n;
	tfs_strbuf_release(&text);
	return rc;
}

static int count_words(struct list_show *show, const char *file, size_t *n)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	struct tfs_strvec words = TFS_STRVEC_INIT;
	int rc = tfs_file_read(show->root, file, &text, NULL);

	if (!rc)
		rc = tfs_strvec_split(&words, text.s, " \n");
	*n = words.n;
	tfs_strvec_release(&words);
	tfs_strbuf_release(&text);
	return rc;
}

static int count_events(struct list_show *show, const char *file, size_t *n)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	int rc = tfs_event_list(show->root, &names, NULL);

	(void)file;
	*n = names.n;
	tfs_strvec_release(&names);
	return rc;
}

static int count_dirs(struct list_show *show, const char *file, size_t *n)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	int rc = tfs_file_list(show->root, file, TFS_LIST_DIRS, &names, NULL);

	*n = names.n;
	tfs_strvec_release(&names);
	return rc;
}

static int count_options(struct list_show *show, const char *file, size_t *n)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	int rc = tfs_file_list(show->root, file, TFS_LIST_FILES, &names, NULL);

	*n = names.n;
	tfs_strvec_release(&names);
	return rc;
}

static int count_probes(struct list_show *show, const char *file, size_t *n)
{
	struct tfs_probe_events events = { 0 };
	int rc = 0;

	/* has synthetic events and eprobes too */
	if (!count_lines(show, file, n))
		return 0;
	rc = tfs_probe_events_read(show->root, &events, NULL);
	*n = events.n;
	tfs_probe_events_release(&events);
	return rc;
}

int list_overview(struct list_show *show, struct tfs_err *err)
{
	static const struct {
		const char *key, *file, *command;
		int (*count)(struct list_show *show, const char *file, size_t *n);
	} rows[] = {
		{ "events", "", "tc-list -e [GLOB]; with fields: -F", count_events },
		{ "systems", "events", "tc-list -s", count_dirs },
		{ "probes", "dynamic_events", "tc-list --probes", count_probes },
		{ "tracers", "available_tracers", "tc-list -t", count_words },
		{ "functions", "available_filter_functions",
		  "tc-list -f [GLOB]; with parameters: --proto", count_lines },
		{ "clocks", "trace_clock", "tc-list -C", count_words },
		{ "options", "options", "tc-list -o", count_options },
		{ "instances", "instances", "tc-list -B", count_dirs },
	};
	struct tfs_json *j = &show->json;
	const struct tfs_root *root;
	int rc = list_root(show, &root, err);

	if (rc)
		return rc;
	if (show->req->json) {
		tfs_json_text(j, "tracefs", tfs_root_path(root));
		tfs_json_open(j, "counts", '{');
	} else {
		tc_print("tracefs: %s\n", tfs_root_path(root));
	}
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t n;
		int one = rows[i].count(show, rows[i].file, &n);

		if (show->req->json && one)
			tfs_json_text(j, rows[i].key, NULL);
		else if (show->req->json)
			tfs_json_int(j, rows[i].key, (long long)n);
		else if (one)
			tc_print("%8s %-12s %s\n", "?", rows[i].key, rows[i].command);
		else
			tc_print("%8zu %-12s %s\n", n, rows[i].key, rows[i].command);
	}
	if (show->req->json)
		tfs_json_close(j, '}');
	else
		tc_print("Plugins and their options: tc-list -P -O; compression: -c; all of it as "
			 "JSON: --json\n");
	return 0;
}
