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
#include "fs/journal.h"
#include "fs/root.h"
#include "tc-list-opts.h"
#include "tc-list-show.h"

#define PROGRAM "tc-list"

static void json_finding(struct tfs_json *j, const struct tfs_feature *f,
			 const struct tfs_finding *found)
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
	tfs_json_text(j, "instead", found->verdict == TFS_WORKS ? NULL : f->fallback);
	tfs_json_close(j, '}');
}

static void print_finding(const struct tfs_feature *f, const struct tfs_finding *found)
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
	if (f->fallback)
		tc_print("%30sinstead: %s\n", "", f->fallback);
}

/* The features that were named; an empty @which means all. */
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
 * All of @which. SIGINT and the like wait until the trial that is under way, and the instance, are
 * taken back.
 */
static void try_all(struct list_show *show, struct tfs_feature_lab *lab, const bool *which,
		    const sigset_t *before)
{
	for (size_t i = 0; i < tfs_features() && !tc_signals_held(before); i++) {
		struct tfs_finding found;

		if (!which[i])
			continue;
		tfs_feature_try(lab, i, &found);
		if (show->req->json)
			json_finding(&show->json, tfs_feature(i), &found);
		else
			print_finding(tfs_feature(i), &found);
		show->missing += found.verdict != TFS_WORKS;
	}
}

/* What could be asked for; tries nothing. */
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

/* Without a journal trials are made all the same. */
static struct tfs_journal *open_journal(const struct tfs_root *root)
{
	struct tfs_journal *journal = NULL;

	if (!root)
		return NULL;
	tfs_journal_recover(TFS_JOURNAL_DIR, root, NULL, NULL);
	if (tfs_journal_open(TFS_JOURNAL_DIR, PROGRAM, root, &journal, NULL))
		return NULL;
	return journal;
}

/* The trials with what they need; @root may be NULL, @why says why then. */
static int try_features(struct list_show *show, const struct tfs_root *root,
			const struct tfs_err *why, const bool *which, struct tfs_err *err)
{
	struct tfs_feature_lab *lab = NULL;
	struct tfs_journal *journal;
	sigset_t before;
	int rc;

	tc_signals_hold(&before);
	journal = open_journal(root);
	rc = tfs_feature_lab_new(root, why, journal, &lab);
	if (rc)
		tfs_err_set(err, rc, "cannot list features");
	if (!rc && show->req->json)
		tfs_json_open(&show->json, "features", '[');
	if (!rc)
		try_all(show, lab, which, &before);
	if (!rc && show->req->json)
		tfs_json_close(&show->json, ']');
	if (lab)
		rc = tfs_feature_lab_free(lab, err);
	tfs_journal_done(journal);
	tc_signals_let_go(&before);
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
