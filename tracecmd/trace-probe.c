/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace-probe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "cli/clause.h"
#include "dso/dso.h"
#include "dwarf/debuginfo.h"
#include "probe/define.h"
#include "probe/features.h"
#include "probe/line.h"
#include "probe/list.h"
#include "probe/parse.h"
#include "probe/resolve.h"
#include "trace-opts.h"
#include "tracefs/event.h"

/* As tc-probe's --max-probes. */
#define MAX_LOCATIONS 128

/* Prefixes of -p */
struct kind {
	const char *word;
	enum tfs_probe_type type;
	bool ret;
};

static const struct kind kinds[] = {
	{ "kprobe:", TFS_PROBE_KPROBE, false }, { "kretprobe:", TFS_PROBE_KPROBE, true },
	{ "fprobe:", TFS_PROBE_FPROBE, false }, { "fexit:", TFS_PROBE_FPROBE, true },
	{ "uprobe:", TFS_PROBE_UPROBE, false }, { "uretprobe:", TFS_PROBE_UPROBE, true },
	{ "tprobe:", TFS_PROBE_TPROBE, false }, { "eprobe:", TFS_PROBE_EPROBE, false },
};

void trace_probe_release(struct trace_probe *probe)
{
	free(probe->exec);
	probe->exec = NULL;
	free(probe->event);
	probe->event = NULL;
	tfs_probe_spec_release(&probe->spec);
}

static int no_kind(const char *text, struct tfs_err *err)
{
	tfs_err_say(err, -EINVAL, "option -p: '%s' is not a probe", text);
	tfs_err_hint(err, "kprobe:FUNCTION, kretprobe:FUNCTION, fprobe:FUNCTION, fexit:FUNCTION, "
			  "tprobe:TRACEPOINT, eprobe:SYSTEM:EVENT, uprobe:FILE:FUNCTION or "
			  "uretprobe:FILE:FUNCTION, with arguments after it: -p 'kprobe:vfs_read "
			  "count'");
	return -EINVAL;
}

/* FILE up to its colon; *@at is set to what follows the colon. */
static int take_file(const char **at, char **file, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	const char *p = *at;
	int rc = 0;

	for (; *p && *p != ':' && !rc; p++) {
		if (p[0] == '\\' && p[1])
			p++;
		rc = tfs_strbuf_addc(&sb, *p);
	}
	if (!rc && (!sb.len || !*p)) {
		rc = tfs_err_say(err, -EINVAL, "'%s' does not name a %s", *at,
				 sb.len ? "function" : "file");
		tfs_err_hint(err, "uprobe:FILE:FUNCTION, as in uprobe:/bin/bash:readline");
	}
	if (!rc)
		rc = tfs_strbuf_detach(&sb, file);
	tfs_strbuf_release(&sb);
	*at = p + 1;
	return rc;
}

/* Only whole functions return. */
static int make_return(const char *text, struct tfs_probe_spec *spec, struct tfs_err *err)
{
	bool whole = spec->at == TFS_PROBE_AT_FUNC && !spec->has_offset && !spec->has_line &&
		     !spec->pattern;

	if (!whole)
		return tfs_err_say(err, -EINVAL,
				   "'%s': only a function returns, not a location in it", text);
	spec->ret = true;
	return 0;
}

/* There are no variables to look up: the kernel has the arguments and fields. */
static int take_event(enum tfs_probe_type type, const char *text, char **event, struct tfs_err *err)
{
	struct tfs_strbuf line = TFS_STRBUF_INIT;
	struct tfs_probe_line parsed = { 0 };
	int rc = tfs_probe_line_of(type, text, "probe", &line, err);

	if (!rc)
		rc = tfs_probe_line_parse(line.s, 0, &parsed, err);
	if (!rc)
		rc = (*event = strdup(text)) ? 0 : -ENOMEM;
	tfs_probe_line_release(&parsed);
	tfs_strbuf_release(&line);
	return rc;
}

int trace_probe_parse(const char *text, struct trace_probe *probe, struct tfs_err *err)
{
	struct trace_probe got = { 0 };
	const struct kind *kind = NULL;
	const char *at = NULL;
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(kinds) && !kind; i++) {
		at = text + strlen(kinds[i].word);
		if (!strncmp(text, kinds[i].word, strlen(kinds[i].word)))
			kind = &kinds[i];
	}
	if (!kind)
		return no_kind(text, err);
	if (kind->type == TFS_PROBE_UPROBE)
		rc = take_file(&at, &got.exec, err);
	if (!rc && (kind->type == TFS_PROBE_TPROBE || kind->type == TFS_PROBE_EPROBE))
		rc = take_event(kind->type, at, &got.event, err);
	else if (!rc)
		rc = tfs_probe_parse(at, &got.spec, err);
	if (!rc && kind->ret)
		rc = make_return(at, &got.spec, err);
	if (rc) {
		if (err && err->code)
			tfs_err_prefix(err, "option -p");
		else
			tfs_err_set(err, rc, "cannot keep the argument of -p");
		trace_probe_release(&got);
		return rc;
	}
	got.type = kind->type;
	*probe = got;
	return 0;
}

/*
 * struct dsos - the kernel and the programs that were opened for probes
 * @path: NULL for the kernel; @module: of it, NULL for itself
 * @target_ns: process that sees the programs' paths, 0 for this one
 */
struct dsos {
	struct named_dso {
		char *path;
		char *module;
		struct tfs_dso *dso;
		struct tfs_debuginfo *dbg;
	} * v;
	size_t n;
	int target_ns;
};

static void dsos_release(struct dsos *dsos)
{
	for (size_t i = 0; i < dsos->n; i++) {
		free(dsos->v[i].path);
		free(dsos->v[i].module);
		tfs_debuginfo_free(dsos->v[i].dbg);
		tfs_dso_free(dsos->v[i].dso);
	}
	free(dsos->v);
}

static bool same_path(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Its file may be that of a kernel that is to be booted. */
static int open_module(const char *module, struct tfs_dso **dso, struct tfs_err *err)
{
	char *id = NULL;
	int rc = tfs_dso_open_module(module, NULL, dso, err);

	if (!rc && !tfs_dso_module_build_id(tfs_dso_module(*dso), &id, NULL) &&
	    strcmp(id, tfs_dso_build_id(*dso)) != 0) {
		rc = tfs_err_say(err, -ESTALE,
				 "'%s' is of another build than the module '%s' of this "
				 "kernel",
				 tfs_dso_title(*dso), module);
		tfs_dso_free(*dso);
		*dso = NULL;
	}
	free(id);
	return rc;
}

/* Opens each file once for all probes, since opening a kernel's debug information is slow. */
static int open_dso(struct dsos *dsos, const char *exec, const char *module,
		    struct tfs_debuginfo **dbg, struct tfs_err *err)
{
	const struct tfs_dso_options opts = { .kernel = !exec };
	struct tfs_dso *dso = NULL;
	struct named_dso *v;
	char *path = NULL, *copy = NULL;
	int rc = 0;

	if (exec && dsos->target_ns)
		rc = tfs_dso_find_in_process(dsos->target_ns, exec, &path, err);
	else if (exec)
		rc = tfs_dso_find_program(exec, &path, err);

	for (size_t i = 0; i < dsos->n && !rc; i++) {
		if (same_path(dsos->v[i].path, path) && same_path(dsos->v[i].module, module)) {
			*dbg = dsos->v[i].dbg;
			free(path);
			return 0;
		}
	}
	if (!rc && module)
		rc = (copy = strdup(module)) ? open_module(module, &dso, err) : -ENOMEM;
	else if (!rc)
		rc = path ? tfs_dso_open(path, &opts, &dso, err) :
			    tfs_dso_open_running(&opts, &dso, err);
	*dbg = rc ? NULL : tfs_debuginfo_new(dso);
	v = *dbg ? reallocarray(dsos->v, dsos->n + 1, sizeof(*v)) : NULL;
	if (!v) {
		tfs_debuginfo_free(*dbg);
		tfs_dso_free(dso);
		free(path);
		free(copy);
		return rc ? rc : -ENOMEM;
	}
	dsos->v = v;
	v[dsos->n++] = (struct named_dso){ path, copy, dso, *dbg };
	return 0;
}

static int define_event(const struct trace_probe *probe, const struct tfs_probe_resolve_opts *opts,
			const char *group, struct tfs_probe_defs *defs, struct tfs_err *err)
{
	struct tfs_strbuf line = TFS_STRBUF_INIT;
	int rc = tfs_probe_line_of(probe->type, probe->event, group, &line, err);

	if (!rc)
		rc = tfs_probe_line_define(NULL, line.s, 0, opts, defs, err);
	tfs_strbuf_release(&line);
	return rc;
}

static int resolve(struct dsos *dsos, const char *text, const struct tfs_probe_resolve_opts *opts,
		   const char *group, struct tfs_probe_defs *defs, struct tfs_err *err)
{
	struct tfs_probe_resolve_opts how;
	struct trace_probe probe = { 0 };
	struct tfs_debuginfo *dbg = NULL;
	int rc = trace_probe_parse(text, &probe, err);

	if (!rc && probe.event) {
		rc = define_event(&probe, opts, group, defs, err);
		trace_probe_release(&probe);
		return rc;
	}
	if (!rc && !probe.spec.group) {
		probe.spec.group = strdup(group);
		rc = probe.spec.group ? 0 : -ENOMEM;
	}
	if (!rc)
		rc = open_dso(dsos, probe.exec, probe.exec ? NULL : probe.spec.module, &dbg, err);
	how = *opts;
	how.kernel_type = probe.type;
	how.no_inlines = probe.type == TFS_PROBE_FPROBE;
	if (probe.exec || !probe.spec.ret)
		how.maxactive = 0;
	if (!rc)
		rc = tfs_probe_resolve(dbg, &probe.spec, &how, defs, err);
	trace_probe_release(&probe);
	return rc;
}

/* Avoids the names of existing probes, as far as this process may read them. */
static int unique_names(const struct tfs_root *root, struct tfs_probe_defs *defs,
			struct tfs_err *err)
{
	struct tfs_probe_events events = { 0 };
	struct tfs_strvec taken = TFS_STRVEC_INIT;
	int rc = 0;

	if (!tfs_probe_events_read(root, &events, NULL))
		rc = tfs_probe_events_names(&events, &taken);
	/* two -p of one function are two events */
	if (!rc)
		rc = tfs_probe_defs_unique(defs, &taken, TFS_PROBE_RENAME, err);
	tfs_strvec_release(&taken);
	tfs_probe_events_release(&events);
	return rc;
}

static bool has_probe(const struct tc_clauses *clauses)
{
	for (size_t i = 0; i < clauses->n; i++) {
		if (clauses->events[i].probe)
			return true;
	}
	return false;
}

int trace_probes_resolve(const struct trace_request *req, const struct tfs_root *root,
			 const char *group, struct tfs_probe_defs *defs, struct tfs_strvec *notices,
			 struct tfs_err *err)
{
	struct tfs_probe_features features = TFS_PROBE_FEATURES_ANY;
	struct tfs_probe_resolve_opts opts = {
		.features = &features,
		.native = true,
		.max = MAX_LOCATIONS,
		.maxactive = (unsigned int)req->maxactive,
		.notices = notices,
	};
	const struct tc_clauses *clauses = &req->clauses;
	struct dsos dsos = { .target_ns = (int)req->target_ns };
	int rc = 0;

	/* The lists of probes take a lock of the kernel's: without a probe it is not waited for. */
	if (!has_probe(clauses))
		return 0;
	tfs_probe_features_read(root, &features);
	for (size_t i = 0; i < clauses->n && !rc; i++) {
		if (!clauses->events[i].probe)
			continue;
		opts.request = i;
		rc = resolve(&dsos, clauses->events[i].text, &opts, group, defs, err);
	}
	if (!rc)
		rc = unique_names(root, defs, err);
	dsos_release(&dsos);
	if (rc && !err->code)
		tfs_err_set(err, rc, "cannot define the probes");
	return rc;
}

int trace_probes_name(struct tc_clauses *clauses, const struct tfs_probe_defs *defs,
		      struct tfs_strvec *names)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < defs->n && !rc; i++) {
		const struct tfs_probe_def *def = &defs->v[i];
		struct tfs_strvec *matched = &clauses->events[def->request].matched;

		tfs_strbuf_reset(&sb);
		rc = tfs_strbuf_addf(&sb, "%s:%s", def->group, def->event);
		/* a place more of an event that is there */
		if (rc || tfs_strvec_has(matched, sb.s))
			continue;
		rc = tfs_strvec_push(matched, sb.s);
		if (!rc)
			rc = tfs_strvec_push(names, sb.s);
	}
	tfs_strbuf_release(&sb);
	return rc;
}
