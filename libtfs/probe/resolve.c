/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/resolve.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/err.h"
#include "base/name-match.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "dso/dso-machine.h"
#include "dso/dso.h"
#include "dso/kernel-text.h"
#include "dso/symbol.h"
#include "dwarf/debuginfo.h"
#include "dwarf/scope.h"
#include "probe/define.h"
#include "probe/features.h"
#include "probe/locate.h"
#include "probe/name.h"
#include "probe/resolve-internal.h"
#include "probe/sdt.h"
#include "probe/spec.h"
#include "probe/validate.h"
#include "probe/var.h"
#include "tracefs/link.h"

/* After so many places most of the file has been looked at. */
#define MANY 16384
/* Names of enumerators that are kept for one request. */
#define MEANT_MAX 200000

/*
 * struct work - one spec on its way to definitions
 * @found: definitions so far
 * @first: why the first argument that was left out was; @kept: places where none was
 * @group: for all points but markers; @kernel_path: the program's path in definitions
 * @text: a line that is being put together
 * @meant: names of enumerators so far
 * @decoded: address of the instruction that was looked at last, if @has_decoded; @no_uprobe: of it
 */
struct work {
	struct tfs_debuginfo *dbg;
	struct tfs_dso *dso;
	const struct tfs_probe_spec *spec;
	const struct tfs_probe_resolve_opts *opts;
	struct tfs_probe_defs found;
	bool is_glob;
	struct tfs_err *first;
	size_t kept;
	char group[TFS_PROBE_NAME_MAX + 1];
	char *kernel_path;
	struct tfs_strbuf text;
	size_t meant;
	bool has_decoded;
	bool no_uprobe;
	uint64_t decoded;
	struct tfs_err *err;
};

static bool is_program(const struct tfs_dso *dso)
{
	return tfs_dso_kind(dso) == TFS_DSO_PROGRAM;
}

/* The kernel of arm puts a long instruction in place of what is there. */
static int check_thumb(const struct work *w, const struct tfs_symbol *sym)
{
	static const char *const why =
		"the kernel puts no probes in Thumb code of programs (compile "
		"with -marm)";

	if (!sym || !sym->thumb)
		return 0;
	if (w->opts->native)
		return tfs_err_say(w->err, -EOPNOTSUPP, "'%s': %s", sym->name, why);
	return tfs_strvec_pushf(w->opts->notices, "%s: %s", sym->name, why);
}

/* NULL for an empty one */
static int copy_text(const struct tfs_strbuf *sb, char **out)
{
	*out = sb->len ? strdup(sb->s) : NULL;
	return sb->len && !*out ? -ENOMEM : 0;
}

/* Append ":0x" and the offset to the path. */
static int add_offset(struct tfs_strbuf *sb, uint64_t off)
{
	char text[3 + TFS_DIGITS_MAX] = ":0x";
	const char *end = tfs_digits_hex(text + 3, off, 1);

	return tfs_strbuf_add(sb, text, (size_t)(end - text));
}

static int uprobe_location(struct work *w, const struct tfs_point *point, char **location)
{
	const struct tfs_symbol *sym = tfs_symbol_at(w->dso, point->addr);
	uint64_t off, hit, counter = point->marker ? point->marker->counter : w->spec->counter;
	struct tfs_strbuf *sb = &w->text;
	int rc;

	rc = check_thumb(w, sym);
	if (!rc && !point->marker)
		rc = tfs_probe_check_counter(w->dbg, point->addr, counter, w->err);
	if (!rc)
		rc = tfs_probe_hit_address(w->dso, w->spec, w->opts, point, &hit);
	if (rc)
		return rc;
	rc = tfs_dso_file_offset(w->dso, hit, &off);
	if (rc)
		return tfs_err_say(w->err, rc, "0x%" PRIx64 " is at no place in the file '%s'",
				   point->addr, tfs_dso_path(w->dso));
	tfs_strbuf_reset(sb);
	rc = tfs_strbuf_adds(sb, w->kernel_path);
	if (!rc)
		rc = add_offset(sb, off);
	if (!rc && counter)
		rc = tfs_strbuf_addf(sb, "(0x%" PRIx64 ")", counter);
	if (!rc)
		rc = copy_text(sb, location);
	return rc;
}

/* The name for an event of a glob: that of the symbol when it is only the symbol that matches. */
static const char *func_name(const struct work *w, const struct tfs_point *point)
{
	if (w->is_glob && point->symbol && !fnmatch(w->spec->func, point->symbol, 0) &&
	    (!point->func || fnmatch(w->spec->func, point->func, 0)))
		return point->symbol;
	return point->func ? point->func : point->symbol;
}

/* As perf names them; a provider is a word of C, or nearly. */
static void name_marker_group(const char *provider, char *group)
{
	int len = snprintf(group, TFS_PROBE_NAME_MAX + 1, "sdt_%s", provider);

	for (int i = 0; i < len && group[i]; i++)
		if (!isalnum((unsigned char)group[i]))
			group[i] = '_';
}

/* Another function than the one that was typed, whose name differs by underscores, was taken. */
static bool is_same_name(const struct work *w, const struct tfs_point *point)
{
	return w->spec->at == TFS_PROBE_AT_FUNC && !w->is_glob && point->symbol && point->func &&
	       strcmp(point->symbol, w->spec->func) != 0 &&
	       strcmp(point->func, w->spec->func) != 0 &&
	       tfs_func_same_name(point->symbol, w->spec->func);
}

static int set_names(const struct work *w, const struct tfs_point *point, struct tfs_probe_def *def)
{
	char marker[TFS_PROBE_NAME_MAX + 1], event[TFS_PROBE_NAME_MAX + 1];
	const char *group = w->group;

	if (point->marker) {
		name_marker_group(point->marker->provider, marker);
		group = marker;
	}
	tfs_probe_name_event(w->spec, point->marker ? point->marker->name : func_name(w, point),
			     w->is_glob || is_same_name(w, point) ? TFS_PROBE_AS_FOUND :
								    TFS_PROBE_AS_TYPED,
			     event);
	def->group = strdup(w->spec->group ? w->spec->group : group);
	def->event = strdup(event);
	return def->group && def->event ? 0 : -ENOMEM;
}

static int check_line(struct work *w, const struct tfs_probe_def *def)
{
	int rc;

	tfs_strbuf_reset(&w->text);
	rc = tfs_probe_def_line(def, &w->text);
	return rc ? rc : tfs_probe_validate(def->type, w->text.s, w->opts->features, w->err);
}

static int note_left_out(struct work *w, const struct tfs_probe_args *args, const char *real)
{
	int rc = 0;

	for (size_t i = 0; i < args->left_out.n && !rc; i++)
		rc = tfs_strvec_pushf(w->opts->notices, "%s: %s; it is left out", real,
				      args->left_out.v[i]);
	if (!args->first)
		w->kept++;
	if (rc || !args->first || w->first)
		return rc;
	w->first = malloc(sizeof(*w->first));
	if (!w->first)
		return -ENOMEM;
	*w->first = *args->first;
	return 0;
}

static int refuse_fprobe(const struct work *w, const struct tfs_point *point, const char *name)
{
	char offset[32] = "";

	if (name && point->addr > point->entry && !(point->flags & TFS_POINT_INLINED))
		snprintf(offset, sizeof(offset), "+%" PRIu64, point->addr - point->entry);
	tfs_err_say(w->err, -EOPNOTSUPP,
		    "'%s%s' is not a function's entry: it cannot have an fprobe",
		    name ? name : "the address", offset);
	tfs_err_hint(w->err, "a kprobe can");
	return -EOPNOTSUPP;
}

/* A function's name and nothing more: so it has to be the name of one, and the place its entry. */
static int fprobe_location(const struct work *w, const struct tfs_point *point, char **location)
{
	const char *name = point->symbol ? point->symbol : point->func;
	const struct tfs_symbol *const *found;

	if (!name || point->addr != point->entry || (point->flags & TFS_POINT_INLINED))
		return refuse_fprobe(w, point, name);
	if (tfs_symbol_named(w->dso, name, &found) != 1)
		return tfs_err_say(
			w->err, -EOPNOTSUPP,
			"there are several functions '%s', and an fprobe names its function "
			"without an address",
			name);
	if (asprintf(location, "%s%s", name, w->spec->ret ? "%return" : "") < 0) {
		*location = NULL;
		return -ENOMEM;
	}
	return 0;
}

/* How many calls a return probe follows at a time; of a program's the kernel follows all. */
static int check_maxactive(const struct work *w)
{
	enum tfs_probe_type type = tfs_probe_type_for(w->dso, w->opts);
	unsigned int asked = w->opts->maxactive ? w->opts->maxactive : w->spec->maxactive;

	if (!asked || (w->spec->ret && tfs_probe_type(type)->allows & TFS_PROBE_MAXACTIVE))
		return 0;
	tfs_err_say(w->err, -EINVAL,
		    "a number of calls to follow is for return probes of the kernel");
	tfs_err_hint(w->err, "%s",
		     w->spec->ret ? "in a program the kernel follows each call" :
				    "FUNC%return is where a function returns");
	return -EINVAL;
}

static int location_of(struct work *w, const struct tfs_point *point, struct tfs_probe_def *def)
{
	switch (tfs_probe_type(def->type)->form) {
	case TFS_PROBE_FORM_FILE:
		return uprobe_location(w, point, &def->location);
	case TFS_PROBE_FORM_FUNCTION:
		return fprobe_location(w, point, &def->location);
	default:
		return tfs_symbol_format(w->dso, point->addr, &def->location, w->err);
	}
}

/* A program's author may name what he likes: so many names are kept, and then numbers are shown. */
static void take_means(struct work *w, struct tfs_probe_args *args, struct tfs_probe_def *def)
{
	for (size_t i = 0; i < args->means.n; i++)
		w->meant += args->means.v[i].means.n;
	if (w->meant > MEANT_MAX || w->opts->no_means)
		return;
	def->means = args->means;
	args->means = (struct tfs_probe_means){ 0 };
}

static int make_def(struct work *w, struct tfs_point *point, struct tfs_probe_args *args,
		    struct tfs_probe_def *def)
{
	/* to look lines up takes longer than all the rest */
	bool named = !w->opts->no_real || args->left_out.n;
	int rc = named ? tfs_probe_name_point(w->dbg, point, w->spec->ret, &def->real) : 0;

	/* of Go's, a plain probe on the instruction that returns */
	def->ret = w->spec->ret && !(point->flags & TFS_POINT_RET);
	def->request = w->opts->request;
	if (w->spec->ret && !is_program(w->dso))
		def->maxactive = w->opts->maxactive ? w->opts->maxactive : w->spec->maxactive;
	def->type = tfs_probe_type_for(w->dso, w->opts);
	if (!rc && is_program(w->dso))
		rc = (def->path = strdup(tfs_dso_path(w->dso))) ? 0 : -ENOMEM;
	if (!rc)
		rc = location_of(w, point, def);
	if (!rc)
		rc = note_left_out(w, args, def->real);
	if (!rc) {
		def->partial = args->first != NULL;
		rc = copy_text(&args->text, &def->args);
	}
	if (!rc)
		rc = copy_text(&args->shape, &def->shape);
	if (!rc)
		take_means(w, args, def);
	if (!rc)
		rc = set_names(w, point, def);
	return rc ? rc : check_line(w, def);
}

static bool at_entry(const struct tfs_probe_spec *spec)
{
	return spec->at == TFS_PROBE_AT_FUNC && !spec->has_offset && !spec->has_line &&
	       !spec->pattern;
}

/* Refused only when the program runs; of one that does not, nothing would be recorded. */
static const char *instruction_refuses(struct work *w, const struct tfs_point *point)
{
	if (!w->has_decoded || w->decoded != point->addr) {
		w->has_decoded = true;
		w->decoded = point->addr;
		w->no_uprobe = !tfs_probe_kernel_steps(w->dso, point->addr);
	}
	if (!w->no_uprobe)
		return NULL;
	return "it cannot step over this kind of instruction (locked, privileged, AVX-512, ...)";
}

/* Refuse locations that the kernel refuses for any arguments. */
static int check_location(struct work *w, const struct tfs_point *point)
{
	const char *name = point->func ? point->func : point->symbol;
	const char *why;
	int rc = tfs_probe_check_syscall(w->dso, point->addr, name, point->entry, w->err);

	if (rc || w->opts->force)
		return rc;
	why = is_program(w->dso) ? instruction_refuses(w, point) :
				   tfs_kernel_text_refuses(w->dso, point->addr);
	if (!why)
		return 0;
	tfs_err_say(w->err, -EOPNOTSUPP,
		    "the kernel does not allow a probe at '%s+%" PRIu64 "'%s%s: %s",
		    name ? name : "", point->addr - (name ? point->entry : 0),
		    point->into ? " in " : "", point->into ? point->into : "", why);
	return -EOPNOTSUPP;
}

static bool has_raw(const struct tfs_probe_spec *spec)
{
	for (size_t i = 0; i < spec->n_args; i++) {
		if (spec->args[i].raw)
			return true;
	}
	return false;
}

/* Probe after such an instruction at the entry, unless the user names registers. */
static int step_over(struct work *w, struct tfs_point *point)
{
	struct tfs_scope *scope = NULL;
	uint64_t addr, from = point->addr;
	int rc;

	if (!is_program(w->dso) || w->opts->force || w->spec->ret || has_raw(w->spec) ||
	    !point->scope || !instruction_refuses(w, point) ||
	    tfs_scope_new(w->dbg, point, 0, &scope, NULL))
		return 0;
	rc = tfs_var_probeable(scope, &addr);
	tfs_scope_free(scope);
	if (rc)
		return 0;
	tfs_point_move(point, addr);
	return tfs_strvec_pushf(
		w->opts->notices,
		"%s: put %" PRIu64
		" bytes further on: the kernel does not allow a probe at the instruction it "
		"begins with",
		point->func ? point->func : "", addr - from);
}

/* To where the variables are; past a prologue is where anybody would look for the probe. */
static int move_to_args(struct work *w, struct tfs_point *point)
{
	uint64_t from = point->addr;
	int rc = tfs_probe_args_move(w->dbg, w->spec, point, w->err);

	if (rc || point->addr == from || point->flags & TFS_POINT_BODY)
		return rc;
	return tfs_strvec_pushf(w->opts->notices,
				"%s: put %" PRIu64 " bytes further on, where what is asked for can "
				"be read",
				point->func ? point->func : "", point->addr - from);
}

static int resolve_point(struct work *w, struct tfs_point *point)
{
	struct tfs_probe_def def = { 0 };
	struct tfs_probe_args args = { 0 };
	int rc = tfs_probe_note_resolver(w->dso, w->spec, w->opts, point, w->err);

	if (!rc && at_entry(w->spec))
		rc = move_to_args(w, point);
	if (!rc && at_entry(w->spec))
		rc = step_over(w, point);
	if (!rc)
		rc = check_location(w, point);
	if (!rc)
		rc = tfs_probe_args_fetch(w->dbg, w->spec, w->opts, point, &args, w->err);
	if (!rc)
		rc = make_def(w, point, &args, &def);
	if (!rc)
		rc = tfs_probe_defs_take(&w->found, &def);
	tfs_probe_def_release(&def);
	tfs_probe_args_release(&args);
	return rc;
}

static bool has_register(const struct tfs_probe_spec *spec)
{
	for (size_t i = 0; i < spec->n_args; i++) {
		const char *expr = spec->args[i].expr;

		if (spec->args[i].raw &&
		    (strchr(expr, '%') || !strncmp(expr, "$arg", 4) || !strncmp(expr, "$stack", 6)))
			return true;
	}
	return false;
}

/* A register typed is what the function is called with, where it is called. */
static int note_inlined(const struct work *w, const struct tfs_points *points)
{
	size_t copies = 0;

	if (!has_register(w->spec) || w->spec->at != TFS_PROBE_AT_FUNC)
		return 0;
	for (size_t i = 0; i < points->n; i++)
		copies += (points->v[i].flags & TFS_POINT_INLINED) != 0;
	if (!copies)
		return 0;
	return tfs_strvec_pushf(
		w->opts->notices,
		"%zu of %zu locations of '%s' are inlined copies, which get no arguments in "
		"registers (--no-inlines leaves them out)",
		copies, points->n, w->spec->func);
}

/* A line that goes on after others: its places are told apart by what leads to what. */
static int note_parts(const struct work *w, const struct tfs_points *points)
{
	size_t n = 0;

	for (size_t i = 0; i < points->n; i++)
		n += (points->v[i].flags & TFS_POINT_PARTS) != 0;
	if (!n)
		return 0;
	return tfs_strvec_pushf(
		w->opts->notices,
		"at %zu location%s more code of the line is treated as a later part of the "
		"statement; if it is a loop iteration, hits are missed",
		n, n == 1 ? "" : "s");
}

/* One of many points that cannot be probed is skipped with a notice. */
static int skip_point(const struct work *w, const struct tfs_point *point, int rc)
{
	if (rc == -ENOMEM || !w->err)
		return rc;
	rc = tfs_strvec_pushf(w->opts->notices, "%s: %s", point->func ? point->func : "?",
			      w->err->msg);
	tfs_err_clear(w->err);
	return rc;
}

/* @points: dropped on the way; of a glob they are so many that there is need for their room */
static int resolve_points(struct work *w, struct tfs_points *points)
{
	size_t n = points->n;
	int rc = note_inlined(w, points);

	if (!rc)
		rc = note_parts(w, points);

	w->is_glob = tfs_probe_is_glob(w->spec, points);
	tfs_points_reverse(points);
	for (; points->n && !rc; tfs_points_drop_last(points)) {
		struct tfs_point *point = &points->v[points->n - 1];

		if (points->n % MANY == 0)
			tfs_debuginfo_drop_pages(w->dbg);
		rc = resolve_point(w, point);
		if (rc && (w->is_glob || (rc == -EOPNOTSUPP && n > 1)))
			rc = skip_point(w, point, rc);
	}
	if (!rc && n && !w->found.n) {
		const struct tfs_strvec *notices = w->opts->notices;

		tfs_err_say(w->err, -ENOENT, "nothing that matches '%s' can be probed",
			    w->spec->func);
		if (notices->n)
			tfs_err_hint(w->err, "%s", notices->v[notices->n - 1]);
		return -ENOENT;
	}
	/* an argument that is nowhere to be had is an error, not a probe without it */
	if (!rc && w->first && !w->kept && !w->is_glob) {
		if (w->err)
			*w->err = *w->first;
		return w->first->code;
	}
	return rc;
}

static int set_common(struct work *w)
{
	const char *path = is_program(w->dso) ? tfs_dso_path(w->dso) : NULL;

	/* the kernel's path of a deleted program makes no useful group name */
	tfs_probe_name_group(path ? tfs_dso_inner(w->dso) : NULL, w->group);
	return path ? tfs_link_name(TFS_LINK_DIR, path, &w->kernel_path) : 0;
}

/* Functions and variables are missed where a part of the debug information is not here. */
static int note_incomplete(const struct work *w, int rc)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_err what = TFS_ERR_INIT;

	if (!tfs_debuginfo_incomplete(w->dbg, &what))
		return rc;
	if (rc) {
		if (w->err && !strstr(w->err->msg, what.msg))
			tfs_err_hint(w->err, "%s; %s", what.msg, what.hint);
		return rc;
	}
	rc = tfs_strbuf_addf(&sb, "%s; %s", what.msg, what.hint);
	if (!rc && !tfs_strvec_has(w->opts->notices, sb.s))
		rc = tfs_strvec_push(w->opts->notices, sb.s);
	tfs_strbuf_release(&sb);
	return rc;
}

int tfs_probe_resolve(struct tfs_debuginfo *dbg, const struct tfs_probe_spec *spec,
		      const struct tfs_probe_resolve_opts *opts, struct tfs_probe_defs *defs,
		      struct tfs_err *err)
{
	struct work w = {
		.dbg = dbg, .dso = tfs_debuginfo_dso(dbg), .spec = spec, .opts = opts, .err = err
	};
	struct tfs_points points = TFS_POINTS_INIT;
	int rc = opts->native ? tfs_dso_check_native(w.dso, err) : 0;

	tfs_strbuf_init(&w.text);
	if (!rc)
		rc = check_maxactive(&w);
	if (!rc)
		rc = set_common(&w);
	if (!rc)
		rc = tfs_probe_points(dbg, spec, opts,
				      tfs_probe_wants_dwarf(spec) ? 0 : TFS_PROBE_NO_VARIABLES,
				      &points, err);
	if (!rc)
		rc = resolve_points(&w, &points);
	if (rc != -ENOMEM)
		rc = note_incomplete(&w, rc);
	if (!rc)
		rc = tfs_probe_name_events(&w.found, opts->features);
	if (!rc)
		rc = tfs_probe_defs_move(defs, &w.found);
	tfs_probe_defs_release(&w.found);
	tfs_points_release(&points);
	tfs_strbuf_release(&w.text);
	free(w.kernel_path);
	free(w.first);
	if (rc && err && !err->code)
		tfs_err_set(err, rc, "cannot look the probe up");
	return rc;
}
