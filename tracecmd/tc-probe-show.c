/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-probe-show.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "cli/msg.h"
#include "cli/print.h"
#include "dso/dso.h"
#include "dwarf/debuginfo.h"
#include "dwarf/func.h"
#include "dwarf/scope.h"
#include "probe/btf-var.h"
#include "probe/dso-btf.h"
#include "probe/features.h"
#include "probe/parse.h"
#include "probe/path.h"
#include "probe/resolve.h"
#include "probe/sdt.h"
#include "probe/spec.h"
#include "probe/var.h"
#include "tc-probe-opts.h"

#define PROGRAM "tc-probe"
/* As perf: leaves out names that are reserved for the implementation. */
#define DEFAULT_FILTER "!_*"

/*
 * A list of what a stripped program exports looks whole, and most of the program is not in it. The
 * hint says where debug information would be.
 */
static bool warn_stripped(struct tfs_debuginfo *dbg, struct tfs_err *why)
{
	struct tfs_err none = TFS_ERR_INIT;

	if (!tfs_func_is_stripped(dbg))
		return false;
	tfs_debuginfo_missing(dbg, &none);
	tfs_err_say(why, -ENODATA,
		    "its symbol table is stripped, so only what it exports has a name; debug "
		    "information has the rest");
	tfs_err_hint(why, "%s", none.hint);
	return true;
}

int probe_funcs(const struct probe_request *req, struct tfs_debuginfo *dbg, struct tfs_err *err)
{
	struct tfs_dso *dso = tfs_debuginfo_dso(dbg);
	struct tfs_strvec names = TFS_STRVEC_INIT;
	struct tfs_err why = TFS_ERR_INIT;
	const char *filter = req->filter ? req->filter : req->funcs_glob;
	int rc = tfs_func_list(dbg, filter ? filter : DEFAULT_FILTER, &names, err);

	if (!rc)
		rc = tfs_sdt_list(dbg, filter ? filter : DEFAULT_FILTER, &names, err);
	for (size_t i = 0; i < names.n && !rc; i++)
		tc_print_line(names.v[i]);
	if (!rc && !names.n) {
		tfs_err_say(err, -ENOENT, "no function of '%s' matches '%s'", tfs_dso_title(dso),
			    filter ? filter : DEFAULT_FILTER);
		if (warn_stripped(dbg, &why))
			tfs_err_hint(err, "%s: %s", why.msg, why.hint);
		else if (!req->exec && filter && strchr(filter, '/'))
			tfs_err_hint(err, "-x '%s' -F lists the functions of a program", filter);
		rc = -ENOENT;
	} else if (!rc && !req->quiet && warn_stripped(dbg, &why)) {
		tfs_err_prefix(&why, "'%s'", tfs_dso_title(dso));
		tc_msg_error(PROGRAM, &why);
	}
	tfs_strvec_release(&names);
	return rc;
}

/* The points of -V and --explain. */
static int find_points(const struct probe_request *req, struct tfs_debuginfo *dbg, const char *text,
		       struct tfs_points *points, struct tfs_err *err)
{
	struct tfs_dso *dso = tfs_debuginfo_dso(dbg);
	const struct tfs_probe_features features = TFS_PROBE_FEATURES_ANY;
	struct tfs_strvec notices = TFS_STRVEC_INIT;
	const struct tfs_probe_resolve_opts opts = {
		.features = &features,
		.no_inlines = req->no_inlines,
		.force = req->force,
		.all = true,
		.source = req->source,
		.max = req->max_probes,
		.notices = &notices,
	};
	struct tfs_probe_spec spec = { 0 };
	int rc = tfs_probe_parse_point(text, &spec, err);

	if (!rc && spec.ret)
		rc = tfs_err_say(err, -EINVAL,
				 "'%s': variables are looked up where a function "
				 "begins; of its return there is $retval",
				 text);
	if (!rc)
		rc = tfs_probe_points(dbg, &spec, &opts, 0, points, err);
	if (!rc && !tfs_debuginfo_available(dbg) && !tfs_dso_has_btf(dso))
		rc = tfs_debuginfo_missing(dbg, err);
	tfs_probe_spec_release(&spec);
	tfs_strvec_release(&notices);
	return rc;
}

static void print_point(struct tfs_debuginfo *dbg, struct tfs_point *point)
{
	const char *name = point->func ? point->func : point->symbol;

	tfs_point_read_line(dbg, point);
	if (name)
		tc_print("\t@<%s+%" PRIu64, name, point->addr - point->entry);
	else
		tc_print("\t@<0x%" PRIx64, point->addr);
	if (point->into)
		tc_print(" in %s", point->into);
	if (point->file && point->line)
		tc_print("@%s:%u", point->file, point->line);
	tc_print(">\n");
}

/* For a kernel without debug information only parameters are known. */
static int list_vars(const struct probe_request *req, struct tfs_debuginfo *dbg,
		     const struct tfs_point *point, struct tfs_var_list *list, struct tfs_err *err)
{
	struct tfs_dso *dso = tfs_debuginfo_dso(dbg);
	unsigned int flags = (req->externs ? TFS_VARS_EXTERNS : 0) |
			     (req->range ? TFS_VARS_RANGE : 0);
	struct tfs_scope *scope = NULL;
	struct tfs_btf_scope btf;
	int rc;

	if (tfs_debuginfo_available(dbg)) {
		rc = tfs_scope_new(dbg, point, 0, &scope, err);
		if (!rc)
			rc = tfs_vars_list(scope, flags, list, err);
		tfs_scope_free(scope);
		return rc;
	}
	rc = tfs_dso_btf_scope(dso, point, 0, &btf, err);
	return rc ? rc : tfs_btf_vars(&btf, list, err);
}

static int print_vars(const struct probe_request *req, struct tfs_debuginfo *dbg,
		      struct tfs_point *point, bool first, struct tfs_err *err)
{
	struct tfs_var_list list = { 0 };
	int rc = list_vars(req, dbg, point, &list, err);

	if (!rc) {
		if (first)
			tc_print("Available variables at %s\n", req->vars);
		print_point(dbg, point);
		if (!list.n)
			tc_print("\t\t(no variables)\n");
	}
	for (size_t i = 0; i < list.n && !rc; i++) {
		const struct tfs_var_info *v = &list.var[i];

		tc_print("\t\t%s\t%s%s%s%s\n", v->type, v->name, *v->range ? "\t" : "", v->range,
			 v->here ? "" : "\t(cannot be read here)");
	}
	tfs_var_list_release(&list);
	return rc;
}

int probe_vars(const struct probe_request *req, struct tfs_debuginfo *dbg, struct tfs_err *err)
{
	struct tfs_points points = TFS_POINTS_INIT;
	int rc = find_points(req, dbg, req->vars, &points, err);

	for (size_t i = 0; i < points.n && !rc; i++)
		rc = print_vars(req, dbg, &points.v[i], !i, err);
	tfs_points_release(&points);
	return rc;
}

static int explain(struct tfs_debuginfo *dbg, const struct tfs_point *point, const char *name,
		   struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_scope *scope = NULL;
	struct tfs_path path = { 0 };
	int rc = tfs_path_parse(name, &path, err);

	if (!rc)
		rc = tfs_scope_new(dbg, point, 0, &scope, err);
	if (!rc)
		rc = tfs_var_explain(scope, &path, &sb, err);
	if (!rc)
		tc_print("%s", sb.s);
	tfs_scope_free(scope);
	tfs_path_release(&path);
	tfs_strbuf_release(&sb);
	return rc;
}

int probe_explain(const struct probe_request *req, struct tfs_debuginfo *dbg, struct tfs_err *err)
{
	struct tfs_points points = TFS_POINTS_INIT;
	size_t explained = 0;
	int rc = find_points(req, dbg, req->explain, &points, err);

	/* prototypes alone have no locations */
	if (!rc && !tfs_debuginfo_available(dbg)) {
		rc = tfs_debuginfo_missing(dbg, err);
		tfs_err_hint(err, "-V lists the parameters that the kernel's type information "
				  "knows, -D shows what would be fetched");
	}
	if (!rc)
		tc_print("Debug information: %s\n", tfs_debuginfo_path(dbg));
	for (size_t i = 0; i < points.n && !rc; i++) {
		print_point(dbg, &points.v[i]);
		for (size_t k = 0; k < req->names.n && !rc; k++) {
			struct tfs_err why = TFS_ERR_INIT;

			rc = explain(dbg, &points.v[i], req->names.v[k], &why);
			explained += !rc;
			/* another copy may have it */
			if (rc && rc != -EINVAL && rc != -ENOMEM) {
				tc_print("%s\n", why.msg);
				rc = 0;
			}
			*err = why;
		}
	}
	tfs_points_release(&points);
	if (!rc && explained)
		tfs_err_clear(err);
	return rc || explained ? rc : err->code;
}
