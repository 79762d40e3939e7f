/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/line.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/num.h"
#include "base/strbuf-core.h"
#include "dso/dso.h"
#include "dwarf/debuginfo.h"
#include "probe/define.h"
#include "probe/name.h"
#include "probe/parse.h"
#include "probe/raw.h"
#include "probe/resolve.h"
#include "probe/spec.h"
#include "probe/validate.h"

void tfs_probe_line_release(struct tfs_probe_line *line)
{
	free(line->group);
	free(line->event);
	free(line->path);
	free(line->location);
	free(line->args);
	*line = (struct tfs_probe_line){ 0 };
}

static const char *skip_blanks(const char *p)
{
	return p + strspn(p, " \t");
}

/*
 * struct head - how a line begins
 * @digits: after the letter
 * @names: after the colon; NULL without one
 * @place: what the location begins with
 */
struct head {
	char letter;
	const char *digits;
	const char *names;
	const char *names_end;
	const char *place;
};

static bool has_letter(char letter)
{
	for (size_t t = 0; t < TFS_PROBE_TYPES; t++) {
		if (tfs_probe_type(t)->form != TFS_PROBE_FORM_NONE &&
		    tfs_probe_type_has_letter(t, letter))
			return true;
	}
	return false;
}

static bool read_head(const char *text, struct head *h)
{
	const char *p = skip_blanks(text);

	*h = (struct head){ .letter = *p, .digits = p + 1 };
	if (!*p || !has_letter(*p))
		return false;
	p = h->digits + strspn(h->digits, "0123456789");
	if (*p == ':') {
		h->names = p + 1;
		h->names_end = p = h->names + strcspn(h->names, " \t\n");
	}
	h->place = skip_blanks(p);
	return h->names || *p == ' ' || *p == '\t';
}

/*
 * In our own notation "p:f=g" is event f of group p, "p:10" line 10 of function p, and "r::f"
 * function f of crate r.
 */
static bool are_names(const struct head *h)
{
	const char *name_end = h->names + strcspn(h->names, "= \t\n");

	return name_end == h->names_end && *h->names != ':' &&
	       (memchr(h->names, '/', (size_t)(h->names_end - h->names)) ||
		(!isdigit((unsigned char)*h->names) && *h->place));
}

bool tfs_probe_is_line(const char *text, unsigned int flags)
{
	struct head h;

	if (!read_head(text, &h))
		return false;
	if (h.names)
		return are_names(&h);
	return *h.place == '/' || (flags & TFS_PROBE_LINE_BARE && *h.place && *h.place != '\n');
}

static int fault(const char *text, const char *at, const char *what, struct tfs_err *err)
{
	tfs_err_say(err, -EINVAL, "'%s': %s", text, what);
	tfs_err_input(err, text, (int)(at - text));
	return -EINVAL;
}

static int copy(const char *from, const char *end, char **out)
{
	*out = strndup(from, (size_t)(end - from));
	return *out ? 0 : -ENOMEM;
}

static bool number(const char *from, const char *end, uint64_t max, uint64_t *out)
{
	char digits[24];

	if (end <= from || (size_t)(end - from) >= sizeof(digits))
		return false;
	memcpy(digits, from, (size_t)(end - from));
	digits[end - from] = '\0';
	return !tfs_parse_u64(digits, 0, max, out, NULL);
}

/* GROUP/EVENT, GROUP.EVENT, GROUP/ or EVENT */
static int parse_names(const char *text, const struct head *h, struct tfs_probe_line *line,
		       struct tfs_err *err)
{
	const char *event = h->names, *end = h->names_end, *sep;
	int rc = 0;

	if (!h->names)
		return 0;
	sep = memchr(event, '/', (size_t)(end - event));
	if (!sep)
		sep = memchr(event, '.', (size_t)(end - event));
	if (sep) {
		rc = copy(event, sep, &line->group);
		if (!rc && !tfs_probe_is_group(line->group))
			return fault(text, event, "this is not a group name", err);
		event = sep + 1;
	}
	if (rc || (sep && event == end))
		return rc;
	rc = copy(event, end, &line->event);
	if (!rc && !tfs_probe_is_identifier(line->event, TFS_PROBE_NAME_MAX))
		return fault(text, event, "this is not an event name", err);
	return rc;
}

/* The type that the kernel takes the line for: a path has a slash in it, a function has not. */
static int take_type(const char *text, const struct head *h, const char *end,
		     struct tfs_probe_line *line, struct tfs_err *err)
{
	const bool is_file = memchr(h->place, '/', (size_t)(end - h->place));
	uint64_t n = 0;

	for (size_t t = 0; t < TFS_PROBE_TYPES; t++) {
		const struct tfs_probe_type_info *type = tfs_probe_type(t);

		if (!tfs_probe_type_has_letter(t, h->letter) ||
		    (type->form == TFS_PROBE_FORM_SYMBOL && is_file))
			continue;
		line->type = t;
		line->ret = h->letter != type->letter;
		break;
	}
	if (isdigit((unsigned char)*h->digits) &&
	    !number(h->digits, h->digits + strspn(h->digits, "0123456789"), TFS_PROBE_MAXACTIVE_MAX,
		    &n))
		return fault(text, h->digits, "the kernel follows 4096 calls at a time at most",
			     err);
	line->maxactive = (unsigned int)n;
	return 0;
}

/* PATH:0xOFFSET[%return][(0xCOUNTER)] */
static int parse_offset(const char *text, const char *from, const char *end,
			struct tfs_probe_line *line, struct tfs_err *err)
{
	static const char ret[] = "%return";
	const char *colon = memrchr(from, ':', (size_t)(end - from));
	const char *paren = colon ? memchr(colon, '(', (size_t)(end - colon)) : NULL;

	if (!colon)
		return fault(text, from, "the location in a program is PATH:OFFSET", err);
	if (paren && (end[-1] != ')' || !number(paren + 1, end - 1, LONG_MAX, &line->counter)))
		return fault(text, paren, "this is not the offset of a counter", err);
	end = paren ? paren : end;
	if (end - colon > (long)sizeof(ret) - 1 &&
	    !strncmp(end - sizeof(ret) + 1, ret, sizeof(ret) - 1)) {
		line->ret = true;
		end -= sizeof(ret) - 1;
	}
	if (!number(colon + 1, end, LONG_MAX, &line->offset))
		return fault(text, colon + 1, "this is not an offset", err);
	return copy(from, colon, &line->path);
}

static void sanitise(char *name)
{
	for (; *name; name++) {
		if (!isalnum((unsigned char)*name) && *name != '_')
			*name = '_';
	}
}

/* "vfs_read__entry", of a return "vfs_read__exit" */
static void name_fprobe(const struct tfs_probe_line *line, char *out, size_t size)
{
	const size_t len = strcspn(line->location, "%");
	const bool exits = line->location[len] || strstr(line->args, "$retval");

	snprintf(out, size, "%.*s__%s", (int)len, line->location, exits ? "exit" : "entry");
}

/* "p_vfs_read_0"; of an address "p_0xffffffff81000000" */
static void name_kprobe(const struct tfs_probe_line *line, char *out, size_t size)
{
	const size_t len = strcspn(line->location, "+%"), end = strcspn(line->location, "%");
	const char letter = line->ret || line->location[end] ? 'r' : 'p';

	if (isdigit((unsigned char)*line->location))
		snprintf(out, size, "%c_0x%llx", letter, strtoull(line->location, NULL, 0));
	else
		snprintf(out, size, "%c_%.*s_%lu", letter, (int)len, line->location,
			 len < end ? strtoul(line->location + len + 1, NULL, 0) : 0);
}

/* "p_sh_0x10", of a return as well */
static void name_uprobe(const struct tfs_probe_line *line, char *out, size_t size)
{
	const char *base = strrchr(line->path, '/');

	base = base ? base + 1 : line->path;
	snprintf(out, size, "p_%.*s_0x%" PRIx64, (int)strcspn(base, ".-_"), base, line->offset);
}

/* As the kernel calls an event whose line has no name for it. */
static int name_event(struct tfs_probe_line *line)
{
	char name[TFS_PROBE_NAME_MAX + 1] = "";

	switch (tfs_probe_type(line->type)->form) {
	case TFS_PROBE_FORM_FILE:
		name_uprobe(line, name, sizeof(name));
		break;
	case TFS_PROBE_FORM_FUNCTION:
		name_fprobe(line, name, sizeof(name));
		break;
	case TFS_PROBE_FORM_EVENT:
		snprintf(name, sizeof(name), "%s", strpbrk(line->location, "./") + 1);
		break;
	case TFS_PROBE_FORM_TRACEPOINT:
		snprintf(name, sizeof(name), "%s", line->location);
		break;
	default:
		name_kprobe(line, name, sizeof(name));
	}
	sanitise(name);
	line->event = strdup(name);
	return line->event ? 0 : -ENOMEM;
}

static int parse_place(const char *text, const char *from, const char *end,
		       struct tfs_probe_line *line, struct tfs_err *err)
{
	if (from == end)
		return fault(text, from, "there is no location", err);
	if (line->type == TFS_PROBE_UPROBE)
		return parse_offset(text, from, end, line, err);
	if (line->type == TFS_PROBE_EPROBE && strcspn(from, "./") >= (size_t)(end - from))
		return fault(text, from, "an event probe is on SYSTEM.EVENT", err);
	return copy(from, end, &line->location);
}

int tfs_probe_line_parse(const char *text, unsigned int flags, struct tfs_probe_line *out,
			 struct tfs_err *err)
{
	struct tfs_probe_line line = { 0 };
	struct head h;
	const char *end, *args;
	int rc;

	if (!tfs_probe_is_line(text, flags) || !read_head(text, &h))
		return fault(text, text, "this is not a line of the kernel's: p:GROUP/EVENT PLACE",
			     err);
	end = h.place + strcspn(h.place, " \t\n");
	args = skip_blanks(end);
	rc = take_type(text, &h, end, &line, err);
	if (!rc)
		rc = parse_names(text, &h, &line, err);
	if (!rc)
		rc = parse_place(text, h.place, end, &line, err);
	if (!rc)
		rc = copy(args, args + strcspn(args, "\n"), &line.args);
	if (!rc && strchrnul(args, '\n')[strspn(strchrnul(args, '\n'), "\n \t")])
		rc = fault(text, strchr(args, '\n'), "a definition is one line of text", err);
	if (!rc && !line.group)
		rc = (line.group = strdup(tfs_probe_type(line.type)->group)) ? 0 : -ENOMEM;
	if (!rc && !line.event)
		rc = name_event(&line);
	if (rc == -ENOMEM)
		tfs_err_set(err, rc, "cannot read '%s'", text);
	if (rc)
		tfs_probe_line_release(&line);
	else
		*out = line;
	return rc;
}

/* GROUP:EVENT=, EVENT= or neither, before @end; @event is NULL then */
struct names {
	const char *group, *event, *end;
	const char *place;
};

static void split_names(const char *text, struct names *n)
{
	const char *end = text + strcspn(text, " \t"),
		   *eq = memchr(text, '=', (size_t)(end - text));
	const char *colon = eq ? memchr(text, ':', (size_t)(eq - text)) : NULL;

	*n = (struct names){ .end = eq, .place = eq ? eq + 1 : text };
	n->group = colon ? text : NULL;
	n->event = colon ? colon + 1 : eq ? text : NULL;
}

const char *tfs_probe_line_word(const char *text, enum tfs_probe_type *type)
{
	static const enum tfs_probe_type types[] = { TFS_PROBE_TPROBE, TFS_PROBE_EPROBE };

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		const char *name = tfs_probe_type(types[i])->name;
		const size_t len = strlen(name);

		if (strncmp(text, name, len) != 0 || text[len] != ':')
			continue;
		*type = types[i];
		return text + len + 1;
	}
	return NULL;
}

int tfs_probe_line_of(enum tfs_probe_type type, const char *text, const char *group,
		      struct tfs_strbuf *line, struct tfs_err *err)
{
	const char *from = skip_blanks(text), *sep, *end;
	struct names n;
	int rc;

	split_names(from, &n);
	end = n.place + strcspn(n.place, " \t");
	sep = n.place + strcspn(n.place, ":./ \t");
	if (n.place == end || (type == TFS_PROBE_EPROBE && (sep == end || sep == n.place)))
		return fault(text, n.place,
			     type == TFS_PROBE_EPROBE ?
				     "the event is written SYSTEM:EVENT, as in sched:sched_switch" :
				     "there is no tracepoint",
			     err);
	if (n.group)
		rc = tfs_strbuf_addf(line, "%c:%.*s/%.*s ", tfs_probe_type(type)->letter,
				     (int)(n.event - 1 - n.group), n.group, (int)(n.end - n.event),
				     n.event);
	else
		rc = tfs_strbuf_addf(line, "%c:%s/%.*s ", tfs_probe_type(type)->letter, group,
				     n.event ? (int)(n.end - n.event) : 0, n.event ? n.event : "");
	if (!rc && type == TFS_PROBE_EPROBE)
		rc = tfs_strbuf_addf(line, "%.*s.%s", (int)(sep - n.place), n.place, sep + 1);
	else if (!rc)
		rc = tfs_strbuf_adds(line, n.place);
	return rc ? tfs_err_set(err, rc, "cannot read '%s'", text) : 0;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	if (!strcmp(a, b))
		return true;
	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* The place of a program's line, as we write it: an address. */
static int program_point(struct tfs_dso *dso, const struct tfs_probe_line *line,
			 struct tfs_strbuf *sb, struct tfs_err *err)
{
	uint64_t addr;

	if (tfs_dso_kind(dso) != TFS_DSO_PROGRAM || !is_same_file(line->path, tfs_dso_path(dso))) {
		tfs_err_say(err, -EINVAL, "the definition is for '%s', not for '%s'", line->path,
			    tfs_dso_path(dso));
		tfs_err_hint(err, "without -x, -k and -m the program is the one that it names");
		return -EINVAL;
	}
	if (tfs_dso_address(dso, line->offset, &addr))
		return tfs_err_say(err, -EINVAL, "nothing of '%s' is loaded from offset 0x%" PRIx64,
				   line->path, line->offset);
	return tfs_strbuf_addf(sb, "0x%" PRIx64, addr);
}

/* MODULE:SYMBOL is a function of the module that is looked into. */
static int check_kernel_line(struct tfs_dso *dso, const struct tfs_probe_line *line,
			     struct tfs_err *err)
{
	const char *module = tfs_dso_module(dso), *colon = strchr(line->location, ':');
	const int len = colon ? (int)(colon - line->location) : 0;

	if (tfs_dso_kind(dso) == TFS_DSO_PROGRAM) {
		tfs_err_say(err, -EINVAL, "the definition is for the kernel, not for '%s'",
			    tfs_dso_path(dso));
		tfs_err_hint(err, "the location in a program is PATH:OFFSET");
		return -EINVAL;
	}
	if (!colon || line->type != TFS_PROBE_KPROBE || !module ||
	    (strlen(module) == (size_t)len && !strncmp(module, line->location, (size_t)len)))
		return 0;
	tfs_err_say(err, -EINVAL, "the definition is for the module '%.*s', not for '%s'", len,
		    line->location, module);
	tfs_err_hint(err, "-m %.*s looks into it", len, line->location);
	return -EINVAL;
}

/* The point alone: what it fetches is not ours to change. */
static int program_spec(struct tfs_dso *dso, const struct tfs_probe_line *line,
			struct tfs_probe_spec *spec, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc;

	/* the kernel takes '-' in the name of a group, and so do we */
	rc = tfs_strbuf_addf(&sb, "%s:%s=", line->group, line->event);
	if (!rc)
		rc = program_point(dso, line, &sb, err);
	if (!rc && line->ret)
		rc = tfs_strbuf_adds(&sb, "%return");
	if (!rc)
		rc = tfs_probe_parse(sb.s, spec, err);
	if (!rc) {
		spec->maxactive = line->maxactive;
		spec->counter = line->counter;
	}
	tfs_strbuf_release(&sb);
	return rc;
}

/* Puts what the line fetches into the definition that its point has come to. */
static int take_args(struct tfs_probe_line *line, const struct tfs_probe_resolve_opts *opts,
		     struct tfs_probe_def *def, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc;

	free(def->args);
	def->args = NULL;
	if (line->args && *line->args) {
		def->args = line->args;
		line->args = NULL;
	}
	rc = tfs_probe_def_line(def, &sb);
	if (!rc)
		rc = tfs_probe_validate(def->type, sb.s, opts->features, err);
	tfs_strbuf_release(&sb);
	return rc;
}

static int define_program(struct tfs_debuginfo *dbg, struct tfs_probe_line *line,
			  const struct tfs_probe_resolve_opts *opts, struct tfs_probe_defs *found,
			  struct tfs_err *err)
{
	struct tfs_probe_spec spec = { 0 };
	int rc = program_spec(tfs_debuginfo_dso(dbg), line, &spec, err);

	if (!rc)
		rc = tfs_probe_resolve(dbg, &spec, opts, found, err);
	for (size_t i = 0; i < found->n && !rc; i++)
		rc = take_args(line, opts, &found->v[i], err);
	tfs_probe_spec_release(&spec);
	return rc;
}

static int define_kernel(struct tfs_debuginfo *dbg, struct tfs_probe_line *line,
			 const struct tfs_probe_resolve_opts *opts, struct tfs_probe_defs *found,
			 struct tfs_err *err)
{
	struct tfs_dso *dso = dbg ? tfs_debuginfo_dso(dbg) : NULL;
	struct tfs_probe_def def = { .type = line->type,
				     .ret = line->ret,
				     .maxactive = line->maxactive ? line->maxactive :
						  line->ret       ? opts->maxactive :
								    0,
				     .request = opts->request };
	int rc = dso ? check_kernel_line(dso, line, err) : 0;

	if (!rc && dso)
		rc = tfs_probe_raw_symbols(dso, line->args, err);
	/* the names in a probe on an event are those of fields */
	if (!rc && line->type != TFS_PROBE_EPROBE)
		rc = tfs_probe_raw_note(opts->features, line->args, opts->notices);
	if (rc)
		return rc;
	def.group = line->group;
	def.event = line->event;
	def.location = line->location;
	line->group = line->event = line->location = NULL;
	rc = (def.real = strdup(def.location)) ? 0 : -ENOMEM;
	if (!rc)
		rc = take_args(line, opts, &def, err);
	if (!rc)
		rc = tfs_probe_defs_take(found, &def);
	tfs_probe_def_release(&def);
	return rc;
}

int tfs_probe_line_define(struct tfs_debuginfo *dbg, const char *text, unsigned int flags,
			  const struct tfs_probe_resolve_opts *opts, struct tfs_probe_defs *defs,
			  struct tfs_err *err)
{
	struct tfs_probe_defs found = { 0 };
	struct tfs_probe_line line = { 0 };
	int rc = tfs_probe_line_parse(text, flags, &line, err);

	if (!rc && line.path && dbg)
		rc = define_program(dbg, &line, opts, &found, err);
	else if (!rc && line.path)
		rc = fault(text, text, "this is a definition for a program", err);
	else if (!rc)
		rc = define_kernel(dbg, &line, opts, &found, err);
	if (!rc)
		rc = tfs_probe_defs_move(defs, &found);
	if (rc == -ENOMEM)
		tfs_err_set(err, rc, "cannot read '%s'", text);
	tfs_probe_defs_release(&found);
	tfs_probe_line_release(&line);
	return rc;
}
