/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-probe-define.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf-core.h"
#include "base/strmap.h"
#include "cli/msg.h"
#include "cli/print.h"
#include "cli/signals.h"
#include "dso/dso.h"
#include "dso/symbol.h"
#include "dwarf/debuginfo.h"
#include "probe/define.h"
#include "probe/features.h"
#include "probe/line.h"
#include "probe/list.h"
#include "probe/means.h"
#include "probe/name.h"
#include "probe/parse.h"
#include "probe/resolve.h"
#include "probe/spec.h"
#include "tc-probe-opts.h"
#include "tracefs/claim.h"
#include "tracefs/file.h"
#include "tracefs/journal.h"
#include "tracefs/link.h"
#include "tracefs/plan.h"
#include "tracefs/root.h"

#define PROGRAM "tc-probe"

/* A glob may have thousands. */
#define NOTICES_SHOWN 10

static void say_notices(const struct probe_request *req, const struct tfs_strvec *notices)
{
	size_t shown = notices->n;

	if (req->quiet)
		return;
	if (!req->verbose && notices->n > 2 * NOTICES_SHOWN)
		shown = NOTICES_SHOWN;
	for (size_t i = 0; i < shown; i++)
		tc_msg_notice(PROGRAM, "%s", notices->v[i]);
	if (shown < notices->n)
		tc_msg_notice(PROGRAM, "%zu more that were left out: -v names them",
			      notices->n - shown);
}

static void hint_all(struct tfs_err *err)
{
	char which[sizeof(err->hint)];

	memcpy(which, err->hint, sizeof(which));
	tfs_err_hint(err, "%s --all takes all of them", which);
}

unsigned int probe_line_flags(const struct probe_request *req)
{
	bool is_any = req->exec || req->pid || req->target_ns || req->module || req->vmlinux;

	return is_any ? 0 : TFS_PROBE_LINE_BARE;
}

/* The lines of one event, as the kernel lists them, are its places. */
static void join_event(struct tfs_probe_defs *defs)
{
	struct tfs_probe_def *last = &defs->v[defs->n - 1];

	for (size_t i = 0; i < defs->n - 1; i++) {
		const struct tfs_probe_def *def = &defs->v[i];

		if (def->type == last->type && !strcmp(def->event, last->event) &&
		    !strcmp(def->group, last->group))
			last->request = def->request;
	}
}

static int define_line(const struct probe_request *req, struct tfs_debuginfo *dbg, const char *text,
		       const struct tfs_probe_resolve_opts *opts, struct tfs_probe_defs *defs,
		       struct tfs_err *err)
{
	int rc = tfs_probe_line_define(dbg, text, probe_line_flags(req), opts, defs, err);

	if (!rc)
		join_event(defs);
	return rc;
}

/* tprobe:TRACEPOINT and eprobe:SYSTEM:EVENT, without their first word */
static int define_event(enum tfs_probe_type type, struct tfs_debuginfo *dbg, const char *text,
			const struct tfs_probe_resolve_opts *opts, struct tfs_probe_defs *defs,
			struct tfs_err *err)
{
	struct tfs_strbuf line = TFS_STRBUF_INIT;
	char group[TFS_PROBE_NAME_MAX + 1];
	int rc;

	tfs_probe_name_group(NULL, group);
	rc = tfs_probe_line_of(type, text, group, &line, err);
	if (!rc)
		rc = tfs_probe_line_define(dbg, line.s, 0, opts, defs, err);
	tfs_strbuf_release(&line);
	return rc;
}

static int define_point(struct tfs_debuginfo *dbg, const char *text,
			const struct tfs_probe_resolve_opts *opts, struct tfs_probe_defs *defs,
			struct tfs_err *err)
{
	struct tfs_probe_spec spec = { 0 };
	int rc = tfs_probe_parse(text, &spec, err);

	if (!rc)
		rc = tfs_probe_resolve(dbg, &spec, opts, defs, err);
	tfs_probe_spec_release(&spec);
	return rc;
}

static int define_one(const struct probe_request *req, struct tfs_debuginfo *dbg, const char *text,
		      const struct tfs_probe_resolve_opts *opts, struct tfs_probe_defs *defs,
		      struct tfs_err *err)
{
	enum tfs_probe_type type;
	const char *event = tfs_probe_line_word(text, &type);

	if (event)
		return define_event(type, dbg, event, opts, defs, err);
	return tfs_probe_is_line(text, probe_line_flags(req)) ?
		       define_line(req, dbg, text, opts, defs, err) :
		       define_point(dbg, text, opts, defs, err);
}

int probe_resolve(const struct probe_request *req, struct tfs_debuginfo *dbg,
		  const struct tfs_probe_features *features, struct tfs_probe_defs *defs,
		  struct tfs_err *err)
{
	const struct tfs_strvec *texts = req->add.n ? &req->add : &req->print;
	struct tfs_strvec notices = TFS_STRVEC_INIT;
	struct tfs_probe_resolve_opts opts = {
		.features = features,
		.no_inlines = req->no_inlines || req->fprobe,
		.kernel_type = req->fprobe ? TFS_PROBE_FPROBE : TFS_PROBE_KPROBE,
		.force = req->force,
		.all = req->all,
		.native = req->action == PROBE_ADD,
		.no_real = req->action == PROBE_PRINT,
		.no_means = req->action == PROBE_PRINT,
		.source = req->source,
		.maxactive = (unsigned int)req->maxactive,
		.max = req->max_probes,
		.notices = &notices,
	};
	int rc = 0;

	for (size_t i = 0; i < texts->n && !rc; i++) {
		opts.request = i;
		rc = define_one(req, dbg, texts->v[i], &opts, defs, err);
		if (rc == -ENOTUNIQ)
			hint_all(err);
		else if (rc == -E2BIG && !err->hint[0])
			tfs_err_hint(err, "--max-probes=N takes as many as N");
	}
	if (!rc)
		say_notices(req, &notices);
	tfs_strvec_release(&notices);
	return rc;
}

/* The printed definition does not show that its path is a link. */
static void say_link(const struct probe_request *req, const struct tfs_probe_defs *defs)
{
	const struct tfs_probe_def *def = defs->n ? &defs->v[0] : NULL;

	if (!def || !def->path || !tfs_link_needed(def->path) || req->quiet)
		return;
	tc_msg_notice(
		PROGRAM,
		"the kernel does not accept a path like '%s': the printed line has a link that "
		"-a makes and -a -n shows",
		def->path);
}

static int print_defs(const struct tfs_probe_defs *defs)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < defs->n && !rc; i++) {
		tfs_strbuf_reset(&sb);
		rc = tfs_probe_def_line(&defs->v[i], &sb);
		if (!rc)
			rc = tfs_strbuf_addc(&sb, '\n');
		if (!rc)
			tc_print_exact(sb.s);
	}
	tfs_strbuf_release(&sb);
	return rc;
}

/* Is it the first place of its event? */
static bool is_first(const struct tfs_probe_defs *defs, size_t i)
{
	return !i || strcmp(defs->v[i].event, defs->v[i - 1].event) != 0 ||
	       strcmp(defs->v[i].group, defs->v[i - 1].group) != 0;
}

/* How many places each event has, by GROUP:EVENT; they need not stand together. */
static int count_locations(const struct tfs_probe_defs *defs, struct tfs_strmap *counts)
{
	struct tfs_strbuf name = TFS_STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < defs->n && !rc; i++) {
		size_t n = 0;

		tfs_strbuf_reset(&name);
		rc = tfs_strbuf_addf(&name, "%s:%s", defs->v[i].group, defs->v[i].event);
		if (!rc && !tfs_strmap_get(counts, name.s, &n))
			n = 0;
		if (!rc)
			rc = tfs_strmap_put(counts, name.s, n + 1);
	}
	tfs_strbuf_release(&name);
	return rc;
}

/* @more: places of its event that are not named */
static void say_location(const struct tfs_probe_def *def, size_t more)
{
	tc_print("  %s:%s (on %s%s%s", def->group, def->event, def->real, def->path ? " in " : "",
		 def->path ? def->path : "");
	if (more)
		tc_print(", and %zu more location%s: -l lists them", more, more == 1 ? "" : "s");
	tc_print(")\n");
}

/* Each event once, or with -v each place. @counts: of count_locations(); 0 of what was shown */
static int say_locations(const struct probe_request *req, const struct tfs_probe_defs *defs,
			 struct tfs_strmap *counts)
{
	struct tfs_strbuf name = TFS_STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < defs->n && !rc; i++) {
		const struct tfs_probe_def *def = &defs->v[i];
		size_t n = 0;

		if (req->verbose) {
			say_location(def, 0);
			continue;
		}
		tfs_strbuf_reset(&name);
		rc = tfs_strbuf_addf(&name, "%s:%s", def->group, def->event);
		if (rc || !tfs_strmap_get(counts, name.s, &n) || !n)
			continue;
		say_location(def, n - 1);
		rc = tfs_strmap_put(counts, name.s, 0);
	}
	tfs_strbuf_release(&name);
	return rc;
}

/* One event by its name, of several the groups. */
static int say_how_to_record(const struct tfs_probe_defs *defs, bool one)
{
	struct tfs_strmap groups = { 0 };
	int rc = 0;

	if (one) {
		tc_print("\nRecord it: tc-record -e %s:%s\n", defs->v[0].group, defs->v[0].event);
		return 0;
	}
	tc_print("\nRecord them, or some: tc-record");
	for (size_t i = 0; i < defs->n && !rc; i++) {
		if (tfs_strmap_get(&groups, defs->v[i].group, NULL))
			continue;
		tc_print(" -e %s:'*'", defs->v[i].group);
		rc = tfs_strmap_put(&groups, defs->v[i].group, i);
	}
	tc_print("\n");
	tfs_strmap_release(&groups);
	return rc;
}

/* tracefs makes an event's directory when it is looked for, and -l asks when that was. */
static void date_events(const struct tfs_root *root, const struct tfs_probe_defs *defs)
{
	char path[256];

	for (size_t i = 0; i < defs->n; i++) {
		snprintf(path, sizeof(path), "events/%s/%s", defs->v[i].group, defs->v[i].event);
		(void)tfs_file_exists(root, path);
	}
}

static void say_added(const struct probe_request *req, const struct tfs_probe_defs *defs)
{
	struct tfs_strmap counts = { 0 };
	bool one;
	int rc;

	if (req->quiet)
		return;
	rc = count_locations(defs, &counts);
	one = counts.map.n == 1;
	tc_print("Added new event%s:\n", one ? "" : "s");
	if (!rc)
		rc = say_locations(req, defs, &counts);
	if (!rc)
		rc = say_how_to_record(defs, one);
	/* they are defined all the same */
	if (rc)
		tc_print("  %zu definitions\n", defs->n);
	tfs_strmap_release(&counts);
}

static int print_plan(const struct tfs_plan *plan)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = tfs_plan_print(plan, 0, &sb);

	if (!rc)
		tc_print("%s", sb.s);
	tfs_strbuf_release(&sb);
	return rc;
}

/* Names that are taken, as far as this process may know them. */
static int read_taken(const struct probe_request *req, const struct tfs_root *root,
		      struct tfs_strvec *taken, struct tfs_err *err)
{
	struct tfs_probe_events events = { 0 };
	int rc = tfs_probe_events_read(root, &events, err);

	if (!rc) {
		rc = tfs_probe_events_names(&events, taken);
		if (rc)
			tfs_err_set(err, rc, "cannot list the probes");
	} else if (req->dry_run) {
		tfs_err_clear(err);
		rc = 0;
	}
	tfs_probe_events_release(&events);
	return rc;
}

/* An event of the kernel's own has a directory and no line among the probes. */
static int add_events(const struct tfs_root *root, const struct tfs_probe_defs *defs,
		      struct tfs_strvec *taken)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < defs->n && !rc; i++) {
		const struct tfs_probe_def *def = &defs->v[i];

		if (!is_first(defs, i))
			continue;
		tfs_strbuf_reset(&sb);
		rc = tfs_strbuf_addf(&sb, "events/%s/%s", def->group, def->event);
		if (!rc && tfs_file_exists(root, sb.s) &&
		    !tfs_strvec_has(taken, sb.s + strlen("events/")))
			rc = tfs_strvec_push(taken, sb.s + strlen("events/"));
	}
	tfs_strbuf_release(&sb);
	return rc;
}

/*
 * All of the plan or nothing: a signal that came meanwhile has it taken back, and then ends the
 * program as it would have at once. With @root, and if it is killed, the next program does so.
 * @defs: what the plan defines, or NULL.
 */
static int apply_whole(const struct tfs_root *root, struct tfs_plan *plan,
		       const struct tfs_probe_defs *defs, struct tfs_err *err)
{
	struct tfs_journal *journal = NULL;
	sigset_t before;
	int rc;

	/* A problem with journals does not prevent defining probes. */
	if (root)
		tfs_journal_recover(TFS_JOURNAL_DIR, root, 0, NULL, NULL);
	if (!root || tfs_journal_open(TFS_JOURNAL_DIR, PROGRAM, root, &journal, NULL))
		journal = NULL;
	tfs_plan_set_journal(plan, journal);
	tc_signals_block(&before);
	rc = tfs_plan_apply(plan, err);
	if (!rc && defs)
		date_events(root, defs);
	if (tc_signals_pending(&before)) {
		if (!rc)
			rc = tfs_plan_rollback(plan, err);
		for (size_t i = 0; i < tfs_plan_notices(plan); i++)
			tc_msg_notice(PROGRAM, "%s", tfs_plan_notice(plan, i)->msg);
		/* nobody else will be there to say it */
		if (rc)
			tc_msg_error(PROGRAM, err);
		else
			rc = tfs_err_say(err, -EINTR, "interrupted");
	}
	if (rc)
		tfs_journal_done(journal);
	else
		tfs_journal_forget(journal);
	tfs_plan_set_journal(plan, NULL);
	tc_signals_unblock(&before);
	return rc;
}

/* For who records them; without them there are numbers. */
static void keep_values(const struct probe_request *req, const struct tfs_probe_defs *defs)
{
	struct tfs_err why = TFS_ERR_INIT;

	if (tfs_probe_means_keep(TFS_PROBE_MEANS_DIR, defs, &why) && !req->quiet)
		tc_msg_notice(PROGRAM, "%s", why.msg);
}

int probe_install(const struct probe_request *req, struct tfs_root *root,
		  struct tfs_probe_defs *defs, struct tfs_err *err)
{
	struct tfs_strvec taken = TFS_STRVEC_INIT;
	struct tfs_plan *plan = NULL;
	int names = req->dry_run ? -1 : tfs_claim_names(root);
	int rc = read_taken(req, root, &taken, err);

	if (!rc)
		rc = add_events(root, defs, &taken);
	if (!rc)
		rc = tfs_probe_defs_unique(defs, &taken, req->force ? TFS_PROBE_RENAME : 0, err);
	if (rc)
		goto out;
	rc = tfs_plan_new(root, &plan);
	if (!rc)
		rc = tfs_probe_define_plan(defs, plan);
	if (!rc && req->dry_run)
		rc = print_plan(plan);
	else if (!rc)
		rc = apply_whole(root, plan, defs, err);
	if (!rc && !req->dry_run) {
		keep_values(req, defs);
		say_added(req, defs);
	}
out:
	tfs_close(&names);
	tfs_plan_free(plan);
	tfs_strvec_release(&taken);
	return rc;
}

/* Features of the kernel that the probes are for; unknown for another kernel's image. */
static void read_features(const struct tfs_root *root, struct tfs_dso *dso,
			  struct tfs_probe_features *features)
{
	char *id = NULL;

	tfs_probe_features_read(root, features);
	if (tfs_dso_kind(dso) == TFS_DSO_VMLINUX &&
	    (tfs_dso_running_build_id(&id, NULL) || strcmp(id, tfs_dso_build_id(dso)) != 0))
		*features = TFS_PROBE_FEATURES_ANY;
	free(id);
}

int probe_define(const struct probe_request *req, struct tfs_debuginfo *dbg, struct tfs_err *err)
{
	struct tfs_dso *dso = tfs_debuginfo_dso(dbg);
	struct tfs_probe_features features = TFS_PROBE_FEATURES_ANY;
	struct tfs_probe_defs defs = { 0 };
	struct tfs_strvec none = TFS_STRVEC_INIT;
	struct tfs_root *root = NULL;
	bool printing = req->action == PROBE_PRINT;
	int rc;

	rc = tfs_root_open(NULL, &root, printing ? NULL : err);
	if (rc && !printing)
		return rc;
	read_features(rc ? NULL : root, dso, &features);
	rc = probe_resolve(req, dbg, &features, &defs, err);
	if (!rc && printing) {
		/* names that are taken on this machine may be free where the lines go */
		rc = tfs_probe_defs_unique(&defs, &none, TFS_PROBE_RENAME, err);
		if (!rc)
			rc = print_defs(&defs);
		if (!rc)
			say_link(req, &defs);
	} else if (!rc) {
		rc = probe_install(req, root, &defs, err);
	}
	tfs_strvec_release(&none);
	tfs_probe_defs_release(&defs);
	tfs_root_free(root);
	if (rc && !err->code)
		tfs_err_set(err, rc, "cannot define the probe");
	return rc;
}

static int delete_events(const struct probe_request *req, const struct tfs_root *root,
			 struct tfs_plan *plan, struct tfs_err *err)
{
	struct tfs_probe_events events = { 0 };
	struct tfs_strvec deleted = TFS_STRVEC_INIT;
	int names = req->dry_run ? -1 : tfs_claim_names(root);
	int rc = tfs_probe_events_read(root, &events, err);

	if (!rc)
		rc = tfs_probe_delete_plan(&events, &req->delete, plan, &deleted, err);
	if (!rc)
		rc = req->dry_run ? print_plan(plan) : apply_whole(NULL, plan, NULL, err);
	if (!rc && !req->dry_run)
		tfs_probe_means_forget(TFS_PROBE_MEANS_DIR, &deleted);
	for (size_t i = 0; i < deleted.n && !rc && !req->dry_run && !req->quiet; i++)
		tc_print("Removed event: %s\n", deleted.v[i]);
	tfs_close(&names);
	tfs_strvec_release(&deleted);
	tfs_probe_events_release(&events);
	return rc;
}

int probe_delete(const struct probe_request *req, struct tfs_err *err)
{
	struct tfs_root *root = NULL;
	struct tfs_plan *plan = NULL;
	int rc = tfs_root_open(NULL, &root, err);

	if (!rc)
		rc = tfs_plan_new(root, &plan);
	if (!rc)
		rc = delete_events(req, root, plan, err);
	tfs_plan_free(plan);
	tfs_root_free(root);
	if (rc && !err->code)
		tfs_err_set(err, rc, "cannot delete probes");
	return rc;
}
