/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strvec.h"
#include "cli/print.h"
#include "cli/signals.h"
#include "feature/feature.h"
#include "tc-list-opts.h"
#include "tc-list-show.h"
#include "tracefs/journal.h"
#include "tracefs/root.h"

#define PROGRAM "tc-list"

/*
 * struct probes - what was found out, each once
 * @tried: of each feature: @found has it
 */
struct probes {
	struct tfs_sandbox *sandbox;
	struct tfs_feature_result *found;
	bool *tried;
};

static const struct tfs_feature_result *find(struct probes *t, size_t i)
{
	if (!t->tried[i])
		tfs_feature_try(t->sandbox, i, &t->found[i]);
	t->tried[i] = true;
	return &t->found[i];
}

/* The alternative to feature @i, if that works; NULL for none */
static const char *instead(struct probes *t, size_t i)
{
	const struct tfs_feature *f = tfs_feature(i);
	size_t via;

	if (find(t, i)->verdict == TFS_WORKS)
		return NULL;
	if (!f->via || tfs_feature_find(f->via, &via, NULL) || find(t, via)->verdict == TFS_WORKS)
		return f->fallback;
	return f->otherwise;
}

static void json_result(struct tfs_json *j, const struct tfs_feature *f,
			const struct tfs_feature_result *found, const char *other)
{
	char built[2] = { found->built, '\0' };

	tfs_json_open(j, NULL, '{');
	tfs_json_text(j, "name", f->name);
	if (found->verdict == TFS_UNTRIED)
		tfs_json_text(j, "works", NULL);
	else
		tfs_json_bool(j, "works", found->verdict == TFS_WORKS);
	tfs_json_text(j, "for", f->what);
	tfs_json_text(j, "config", f->config);
	tfs_json_text(j, "built", found->built ? built : NULL);
	tfs_json_text(j, "why", *found->why.msg ? found->why.msg : NULL);
	tfs_json_text(j, "hint", *found->why.hint ? found->why.hint : NULL);
	tfs_json_text(j, "instead", other);
	tfs_json_close(j, '}');
}

static void print_result(const struct tfs_feature *f, const struct tfs_feature_result *found,
			 const char *other)
{
	static const char *const words[] = { "no", "yes", "?" };

	tc_print("%-24s %-4s %s\n", f->name, words[found->verdict], f->what);
	if (found->verdict == TFS_WORKS)
		return;
	if (*found->why.msg)
		tc_print("%30s%s\n", "", found->why.msg);
	if (*found->why.kernel)
		tc_print("%30sthe kernel says: %s\n", "", found->why.kernel);
	if (*found->why.hint)
		tc_print("%30shint: %s\n", "", found->why.hint);
	if (other)
		tc_print("%30sinstead: %s\n", "", other);
}

/* Sets @which for each of the features @names; NULL means all. */
static int choose(const char *names, bool *which, struct tfs_err *err)
{
	struct tfs_strvec words = TFS_STRVEC_INIT;
	size_t k;
	int rc = names ? tfs_strvec_split(&words, names, ",") : 0;

	if (rc)
		tfs_err_set(err, rc, "cannot read '%s'", names);
	for (size_t i = 0; i < words.n && !rc; i++) {
		rc = tfs_feature_find(words.v[i], &k, err);
		if (!rc)
			which[k] = true;
	}
	for (k = 0; k < tfs_features() && !names; k++)
		which[k] = true;
	tfs_strvec_release(&words);
	return rc;
}

static bool is_help(const char *names)
{
	return names && !strcmp(names, "help");
}

int list_check_features(const char *names, struct tfs_err *err)
{
	bool *which = calloc(tfs_features(), sizeof(*which));
	int rc = which ? 0 : -ENOMEM;

	if (!rc && !is_help(names))
		rc = choose(names, which, err);
	free(which);
	return rc == -ENOMEM ? tfs_err_set(err, rc, "cannot list features") : rc;
}

/*
 * Tests all of @which. SIGINT and the like wait until the current test, and the instance, are
 * cleaned up.
 */
static int try_all(struct list_show *show, struct tfs_sandbox *sandbox, const bool *which,
		   const sigset_t *before)
{
	const size_t n = tfs_features();
	struct probes t = {
		.sandbox = sandbox,
		.found = calloc(n, sizeof(*t.found)),
		.tried = calloc(n, sizeof(*t.tried)),
	};
	int rc = t.found && t.tried ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !rc && !tc_signals_pending(before); i++) {
		const struct tfs_feature_result *found;
		const char *other;

		if (!which[i])
			continue;
		found = find(&t, i);
		other = instead(&t, i);
		if (show->req->json)
			json_result(&show->json, tfs_feature(i), found, other);
		else
			print_result(tfs_feature(i), found, other);
		show->missing += found->verdict != TFS_WORKS;
	}
	free(t.found);
	free(t.tried);
	return rc;
}

/* --features=help: lists the names and tests nothing. */
static void list_names(struct list_show *show)
{
	if (show->req->json)
		tfs_json_open(&show->json, "features", '[');
	for (size_t i = 0; i < tfs_features(); i++) {
		const struct tfs_feature *f = tfs_feature(i);

		if (!show->req->json) {
			tc_print("%-24s %s\n", f->name, f->what);
			continue;
		}
		tfs_json_open(&show->json, NULL, '{');
		tfs_json_text(&show->json, "name", f->name);
		tfs_json_text(&show->json, "for", f->what);
		tfs_json_text(&show->json, "config", f->config);
		tfs_json_close(&show->json, '}');
	}
	if (show->req->json)
		tfs_json_close(&show->json, ']');
}

/* Features are tested even without a journal. */
static struct tfs_journal *open_journal(const struct tfs_root *root)
{
	struct tfs_journal *journal = NULL;

	if (!root)
		return NULL;
	tfs_journal_recover(TFS_JOURNAL_DIR, root, 0, NULL, NULL);
	if (tfs_journal_open(TFS_JOURNAL_DIR, PROGRAM, root, &journal, NULL))
		return NULL;
	return journal;
}

/* Tests @which; if @root is NULL, @why says why. */
static int try_features(struct list_show *show, const struct tfs_root *root,
			const struct tfs_err *why, const bool *which, struct tfs_err *err)
{
	struct tfs_sandbox *sandbox = NULL;
	struct tfs_journal *journal;
	sigset_t before;
	int rc;

	tc_signals_block(&before);
	journal = open_journal(root);
	rc = tfs_sandbox_new(root, why, journal, &sandbox);
	if (rc)
		tfs_err_set(err, rc, "cannot list features");
	if (!rc && show->req->json)
		tfs_json_open(&show->json, "features", '[');
	if (!rc) {
		rc = try_all(show, sandbox, which, &before);
		if (rc)
			tfs_err_set(err, rc, "cannot list features");
	}
	if (!rc && show->req->json)
		tfs_json_close(&show->json, ']');
	if (sandbox && tfs_sandbox_free(sandbox, rc ? NULL : err))
		rc = rc ? rc : err->code;
	tfs_journal_done(journal);
	tc_signals_unblock(&before);
	return rc;
}

int list_features(struct list_show *show, struct tfs_err *err)
{
	const struct tfs_root *root = NULL;
	struct tfs_err why = TFS_ERR_INIT;
	bool *which;
	int rc;

	if (is_help(show->req->features_of)) {
		list_names(show);
		return 0;
	}
	which = calloc(tfs_features(), sizeof(*which));
	rc = which ? choose(show->req->features_of, which, err) : -ENOMEM;
	if (rc == -ENOMEM)
		tfs_err_set(err, rc, "cannot list features");
	if (!rc && list_root(show, &root, &why))
		root = NULL;
	if (!rc)
		rc = try_features(show, root, &why, which, err);
	free(which);
	return rc;
}
