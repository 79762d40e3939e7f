/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "base/suggest.h"
#include "main.h"
#include "tc-list-opts.h"
#include "tc-list-show.h"
#include "tracefs/file.h"
#include "tracefs/root.h"

int list_root(struct list_show *show, const struct tfs_root **root, struct tfs_err *err)
{
	int rc = show->root ? 0 : tfs_root_open(NULL, &show->root, err);

	*root = show->root;
	return rc;
}

int list_read(struct list_show *show, const char *path, struct tfs_strbuf *sb, struct tfs_err *err)
{
	const struct tfs_root *root;
	int rc = list_root(show, &root, err);

	return rc ? rc : tfs_file_read(root, path, sb, err);
}

int list_no_match(const char *what, const char *text, const struct tfs_strvec *names,
		  const char *otherwise, struct tfs_err *err)
{
	tfs_err_say(err, -ENOENT, "no %s matches '%s'", what, text);
	tfs_suggest_hint(err, text, names, otherwise);
	return -ENOENT;
}

/* In the order in which they are printed */
static const struct {
	size_t wanted; /* a bool of the request */
	const char *heading;
	int (*show)(struct list_show *show, struct tfs_err *err);
} lists[] = {
#define WANTED(member) offsetof(struct list_request, member)
	{ WANTED(systems), "event systems", list_systems },
	{ WANTED(events), "events", list_events },
	{ WANTED(probes), "probes", list_probes },
	{ WANTED(tracers), "tracers", list_tracers },
	{ WANTED(funcs), "functions", list_funcs },
	{ WANTED(clocks), "clocks", list_clocks },
	{ WANTED(options), "options", list_trace_options },
	{ WANTED(instances), "instances", list_instances },
	{ WANTED(plugins), "plugins", list_plugins },
	{ WANTED(plugin_options), "plugin options", list_plugin_options },
	{ WANTED(compression), "compression", list_compression },
	{ WANTED(features), "features", list_features },
#undef WANTED
};

#define N_LISTS (ARRAY_SIZE(lists))

static bool is_wanted(const struct list_request *req, size_t i)
{
	return *(const bool *)((const char *)req + lists[i].wanted);
}

/* With several lists each has a heading, as trace-cmd's have. */
static int show_lists(struct list_show *show, struct tfs_err *err)
{
	size_t n = 0, shown = 0;
	int rc = 0;

	for (size_t i = 0; i < N_LISTS; i++)
		n += is_wanted(show->req, i);
	for (size_t i = 0; i < N_LISTS && !rc; i++) {
		if (!is_wanted(show->req, i))
			continue;
		if (n > 1 && !show->req->json)
			printf("%s%s:\n", shown ? "\n" : "", lists[i].heading);
		rc = lists[i].show(show, err);
		shown++;
	}
	return rc;
}

static int run(void *request, int argc, char **argv, struct tfs_err *err)
{
	struct list_request *req = request;
	struct list_show show = { .req = req, .json = TFS_JSON_INIT };
	int rc;

	if (list_check(req, argc, argv, err) ||
	    (req->features && list_check_features(req->features_of, err)))
		return TC_EXIT_USAGE;
	if (req->json)
		tfs_json_open(&show.json, NULL, '{');
	rc = req->any ? show_lists(&show, err) : list_overview(&show, err);
	if (req->json && !rc) {
		tfs_json_close(&show.json, '}');
		rc = show.json.rc ? tfs_err_set(err, show.json.rc, "cannot print the list") : 0;
		if (!rc)
			fwrite(show.json.text.s, 1, show.json.text.len, stdout);
	}
	tfs_json_release(&show.json);
	tfs_root_free(show.root);
	/* a script that names features asks whether all of them work */
	return rc || (req->features_of && show.missing) ? TC_EXIT_FAILED : TC_EXIT_OK;
}

const struct tc_command tc_command = {
	.name = "tc-list",
	.summary = "list what can be traced here",
	.operands = "[EVENT...]",
	.options = list_options,
	.request_size = sizeof(struct list_request),
	.run = run,
	.release = list_release,
};
