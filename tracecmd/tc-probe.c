/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "cli/msg.h"
#include "dso/dso.h"
#include "dwarf/debuginfo.h"
#include "main.h"
#include "probe/line.h"
#include "probe/parse.h"
#include "probe/spec.h"
#include "tc-probe-define.h"
#include "tc-probe-lines.h"
#include "tc-probe-list.h"
#include "tc-probe-opts.h"
#include "tc-probe-portable.h"
#include "tc-probe-show.h"
#include "tracefs/link.h"

/* A uprobe is on the file itself: a path by way of /proc will do. */
static int open_in_process(const struct probe_request *req, const struct tfs_dso_options *opts,
			   struct tfs_dso **dso, struct tfs_err *err)
{
	int pid = (int)(req->pid ? req->pid : req->target_ns);
	char *path = NULL;
	int rc = tfs_dso_find_in_process(pid, req->exec, &path, err);

	if (!rc)
		rc = tfs_dso_open(path, opts, dso, err);
	if (!rc && tfs_dso_is_deleted(*dso) && !req->quiet)
		tc_msg_notice("tc-probe", "'%s' was deleted: it is probed by way of process %d",
			      tfs_dso_inner(*dso), pid);
	free(path);
	return rc;
}

static int open_program(const struct probe_request *req, const struct tfs_dso_options *opts,
			struct tfs_dso **dso, struct tfs_err *err)
{
	char *path = NULL;
	int rc = 0;

	/* a path is one below --symfs; a name is looked for as ever */
	if (req->symfs && strchr(req->exec, '/'))
		return tfs_dso_open(req->exec, opts, dso, err);
	rc = tfs_dso_find_program(req->exec, &path, err);
	if (!rc)
		rc = tfs_dso_open(path, opts, dso, err);
	free(path);
	return rc;
}

/* The module is looked into; that the kernel beside it was mistyped is said all the same. */
static int check_kernel(const struct probe_request *req, struct tfs_err *err)
{
	const struct tfs_dso_options opts = { .symfs = req->symfs, .kernel = true };
	struct tfs_dso *dso = NULL;
	int rc = req->vmlinux ? tfs_dso_open(req->vmlinux, &opts, &dso, err) : 0;

	tfs_dso_free(dso);
	return rc;
}

static int open_module(const struct probe_request *req, const struct tfs_dso_options *opts,
		       struct tfs_dso **dso, struct tfs_err *err)
{
	int rc = check_kernel(req, err);

	return rc ? rc : tfs_dso_open_module(req->module, opts, dso, err);
}

/* Opens the module of the first PROBE, if that is MODULE:FUNC; @is_module: it is. */
static int open_named(const char *text, const struct tfs_dso_options *opts, bool *is_module,
		      struct tfs_dso **dso, struct tfs_err *err)
{
	struct tfs_probe_spec spec = { 0 };
	int rc = 0;

	/* a fault in it is reported when it is looked up */
	*is_module = text && !tfs_probe_parse(text, &spec, NULL) && spec.module;
	if (*is_module)
		rc = tfs_dso_open_module(spec.module, opts, dso, err);
	if (*is_module && rc == -ENOENT)
		tfs_err_hint(err,
			     "MODULE:FUNC is a function of a module; a group goes before EVENT=");
	tfs_probe_spec_release(&spec);
	return rc;
}

/* A definition that the kernel lists names its program with the path that the kernel was given. */
static int open_line(const char *text, unsigned int flags, const struct tfs_dso_options *opts,
		     bool *is_program, struct tfs_dso **dso, struct tfs_err *err)
{
	struct tfs_probe_line line = { 0 };
	char *real = NULL;
	int rc = tfs_probe_line_parse(text, flags, &line, err);

	*is_program = !rc && line.path;
	if (*is_program) {
		rc = tfs_link_target(TFS_LINK_DIR, line.path, &real);
		rc = rc && rc != -ENOENT ? tfs_err_set(err, rc, "cannot read '%s'", line.path) :
					   tfs_dso_open(real ? real : line.path, opts, dso, err);
	}
	free(real);
	tfs_probe_line_release(&line);
	return rc;
}

static int open_dso(const struct probe_request *req, struct tfs_dso **dso, struct tfs_err *err)
{
	const struct tfs_dso_options opts = { .symfs = req->symfs };
	const struct tfs_dso_options kernel = { .symfs = req->symfs, .kernel = true };
	const struct tfs_strvec *texts = req->add.n ? &req->add : &req->print;
	const char *text = texts->n ? texts->v[0] : req->vars ? req->vars : req->explain;
	bool is_program = false, is_module = false;
	enum tfs_probe_type type;
	int rc;

	if (req->target_ns || req->pid)
		return open_in_process(req, &opts, dso, err);
	if (req->exec)
		return open_program(req, &opts, dso, err);
	if (req->module)
		return open_module(req, &opts, dso, err);
	if (req->vmlinux)
		return tfs_dso_open(req->vmlinux, &kernel, dso, err);
	if (texts->n && tfs_probe_is_line(texts->v[0], probe_line_flags(req))) {
		rc = open_line(texts->v[0], probe_line_flags(req), &opts, &is_program, dso, err);
		if (rc || is_program)
			return rc;
	} else if (!text || !tfs_probe_line_word(text, &type)) {
		rc = open_named(text, &opts, &is_module, dso, err);
		if (rc || is_module)
			return rc;
	}
	return tfs_dso_open_running(&kernel, dso, err);
}

static void say_dso(struct tfs_debuginfo *dbg)
{
	struct tfs_dso *dso = tfs_debuginfo_dso(dbg);
	const char *debug = tfs_debuginfo_path(dbg);

	if (*tfs_dso_build_id(dso))
		tc_msg_line("build-id: %s", tfs_dso_build_id(dso));
	tc_msg_line("debug information: %s", debug ? debug : "none");
}

static int other_build(struct tfs_dso *dso, const char *what, const char *id, struct tfs_err *err)
{
	if (!strcmp(tfs_dso_build_id(dso), id))
		return 0;
	tfs_err_say(err, -ESTALE, "'%s' has build-id %s, %s has %s", tfs_dso_path(dso),
		    *tfs_dso_build_id(dso) ? tfs_dso_build_id(dso) : "(none)", what,
		    *id ? id : "(none)");
	tfs_err_hint(err,
		     "the addresses of one are wrong in the other; -D prints definitions, --plan "
		     "writes them for the machine they are for");
	return -ESTALE;
}

/* Below --symfs it was looked up; the probe is in the file of that path here. */
static int check_program(struct tfs_dso *dso, struct tfs_err *err)
{
	struct tfs_dso *here = NULL;
	int rc = tfs_dso_open(tfs_dso_path(dso), NULL, &here, err);

	if (!rc)
		rc = other_build(dso, "the file of that path on this machine",
				 tfs_dso_build_id(here), err);
	tfs_dso_free(here);
	return rc;
}

/* Is what probes were looked up in what they would be defined in? */
static int check_here(const struct probe_request *req, struct tfs_dso *dso, struct tfs_err *err)
{
	char *id = NULL;
	int rc = 0;

	if (req->action != PROBE_ADD || req->dry_run)
		return 0;
	if (tfs_dso_kind(dso) == TFS_DSO_PROGRAM)
		return req->symfs ? check_program(dso, err) : 0;
	if (req->vmlinux && !req->module) {
		rc = tfs_dso_running_build_id(&id, err);
		if (!rc)
			rc = other_build(dso, "the running kernel", id, err);
	} else if (tfs_dso_kind(dso) == TFS_DSO_MODULE &&
		   !tfs_dso_module_build_id(tfs_dso_module(dso), &id, NULL)) {
		rc = other_build(dso, "the module of this kernel", id, err);
	}
	free(id);
	return rc;
}

/*
 * A debug file that was there but would not do, or that is missing: what is shown came without it.
 * Definitions have notices of their own for one that is missing.
 */
static void say_refused(const struct probe_request *req, const struct tfs_debuginfo *dbg,
			const struct tfs_err *err)
{
	const char *why = tfs_debuginfo_refused(dbg);
	struct tfs_err part = TFS_ERR_INIT;

	if ((req->action == PROBE_LINES || req->action == PROBE_VARS ||
	     req->action == PROBE_EXPLAIN) &&
	    !req->quiet && tfs_debuginfo_incomplete(dbg, &part) && !strstr(err->msg, part.msg))
		tc_msg_notice("tc-probe", "%s; %s", part.msg, part.hint);

	/* an error may have reported it already */
	if (*why && !req->quiet && !strstr(err->msg, why))
		tc_msg_notice("tc-probe", "%s; it is not used", why);
}

static int look(const struct probe_request *req, struct tfs_debuginfo *dbg, struct tfs_err *err)
{
	switch (req->action) {
	case PROBE_FUNCS:
		return probe_funcs(req, dbg, err);
	case PROBE_LINES:
		return probe_lines(req, dbg, err);
	case PROBE_VARS:
		return probe_vars(req, dbg, err);
	case PROBE_EXPLAIN:
		return probe_explain(req, dbg, err);
	case PROBE_PLAN:
		return probe_plan(req, dbg, err);
	default:
		return probe_define(req, dbg, err);
	}
}

static int run(void *request, int argc, char **argv, struct tfs_err *err)
{
	struct probe_request *req = request;
	struct tfs_debuginfo *dbg = NULL;
	struct tfs_dso *dso = NULL;
	int rc;

	if (probe_check(req, argc, argv, err))
		return TC_EXIT_USAGE;
	if (req->action == PROBE_LIST) {
		rc = probe_list(req, err);
	} else if (req->action == PROBE_DELETE) {
		rc = probe_delete(req, err);
	} else if (req->action == PROBE_APPLY) {
		rc = probe_apply(req, err);
	} else {
		rc = open_dso(req, &dso, err);
		if (!rc && !(dbg = tfs_debuginfo_new(dso)))
			rc = tfs_err_set(err, -ENOMEM, "cannot open '%s'", tfs_dso_path(dso));
		if (!rc && req->verbose)
			say_dso(dbg);
		if (!rc)
			rc = check_here(req, dso, err);
		if (!rc)
			rc = look(req, dbg, err);
		if (dbg)
			say_refused(req, dbg, err);
		tfs_debuginfo_free(dbg);
		tfs_dso_free(dso);
	}
	return rc ? TC_EXIT_FAILED : TC_EXIT_OK;
}

const struct tc_command tc_command = {
	.name = "tc-probe",
	.summary = "define probes in the kernel and in programs",
	.operands = "[--] [PROBE]",
	.options = probe_options,
	.request_size = sizeof(struct probe_request),
	.init = probe_init,
	.run = run,
	.release = probe_release,
};
