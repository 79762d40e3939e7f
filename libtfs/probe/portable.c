/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/portable.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/array.h"
#include "base/err.h"
#include "base/inert.h"
#include "base/macros.h"
#include "base/meaning.h"
#include "base/num.h"
#include "base/strbuf-core.h"
#include "dso/dso.h"
#include "probe/name.h"
#include "probe/validate.h"

#define VERSION "tc-probe-plan 1"
#define END "end "
/* A build-id is a hash: 16 to 64 bytes in practice. */
#define ID_MAX 256
/* More than anybody defines; each costs the kernel some kilobytes. */
#define EVENTS_MAX 100000

static const struct {
	const char *key;
	enum tfs_portable_kind kind;
} kinds[] = {
	{ "program", TFS_PORTABLE_PROGRAM },
	{ "kernel", TFS_PORTABLE_KERNEL },
	{ "module", TFS_PORTABLE_MODULE },
};

void tfs_portable_release(struct tfs_portable *portable)
{
	for (size_t i = 0; i < portable->n; i++) {
		free(portable->target[i].name);
		free(portable->target[i].build_id);
		free(portable->target[i].code);
	}
	free(portable->target);
	free(portable->lines);
	tfs_probe_defs_release(&portable->defs);
	memset(portable, 0, sizeof(*portable));
}

/* --- writing --- */

/* A word without blanks: what would end it, or a line, is written in octal. */
static int add_word(struct tfs_strbuf *sb, const char *s)
{
	int rc = 0;

	for (; *s && !rc; s++) {
		unsigned char c = (unsigned char)*s;

		if (c <= ' ' || c == '\\' || c == 0x7f)
			rc = tfs_strbuf_addf(sb, "\\%03o", c);
		else
			rc = tfs_strbuf_addc(sb, *s);
	}
	return rc;
}

/* For people: one line, whatever a compiler put into a name. */
static int add_text(struct tfs_strbuf *sb, const char *s)
{
	size_t left = strlen(s), n;
	int rc = 0;

	while (left && !rc) {
		n = tfs_inert_span(s, left, TFS_INERT_NONE);
		rc = n ? tfs_strbuf_add(sb, s, n) : tfs_strbuf_addc(sb, '?');
		n = n ? n : 1;
		s += n;
		left -= n;
	}
	return rc;
}

static int write_name(struct tfs_dso *dso, struct tfs_strbuf *sb)
{
	const char *path = tfs_dso_path(dso), *base;
	struct utsname uts;
	int rc;

	switch (tfs_dso_module(dso) ? TFS_DSO_MODULE : tfs_dso_kind(dso)) {
	case TFS_DSO_PROGRAM:
		rc = tfs_strbuf_adds(sb, "program ");
		/* as whoever applies it will see it: of a container, from inside */
		path = tfs_dso_inner(dso);
		break;
	case TFS_DSO_MODULE:
		rc = tfs_strbuf_adds(sb, "module ");
		path = tfs_dso_module(dso);
		break;
	default:
		rc = tfs_strbuf_adds(sb, "kernel ");
		base = strrchr(path, '/');
		path = base ? base + 1 : path;
		if (!*path && !uname(&uts))
			path = uts.release;
	}
	if (!rc)
		rc = add_word(sb, path);
	return rc ? rc : tfs_strbuf_addc(sb, '\n');
}

static int write_target(struct tfs_dso *dso, struct tfs_strbuf *sb, struct tfs_err *err)
{
	const char *id = tfs_dso_build_id(dso);
	uint64_t hash;
	int rc = write_name(dso, sb);

	if (rc)
		return rc;
	if (*id)
		return tfs_strbuf_addf(sb, "build-id %s\n", id);
	if (tfs_dso_kind(dso) != TFS_DSO_PROGRAM)
		return tfs_err_say(err, -ENODATA,
				   "'%s' has no build-id: it could not be told apart from "
				   "another kernel",
				   tfs_dso_path(dso));
	rc = tfs_dso_code_hash(dso, &hash);
	if (rc)
		return tfs_err_set(err, rc, "cannot read the code of '%s'", tfs_dso_path(dso));
	return tfs_strbuf_addf(sb, "code %016" PRIx64 "\n", hash);
}

static int check_type(const struct tfs_probe_def *def, struct tfs_err *err)
{
	if (def->type == TFS_PROBE_KPROBE || def->type == TFS_PROBE_UPROBE)
		return 0;
	return tfs_err_say(err, -EOPNOTSUPP,
			   "'%s:%s' is of type %s: a plan has kprobes and uprobes only", def->group,
			   def->event, tfs_probe_type(def->type)->name);
}

/* As it is written to the kernel, but with the path of the program's target. */
static int write_event(const struct tfs_dso *dso, const struct tfs_probe_def *def,
		       struct tfs_strbuf *sb)
{
	const char *colon = strrchr(def->location, ':');
	int rc = tfs_strbuf_addf(sb, "event %c", def->ret ? 'r' : 'p');

	if (!rc && def->maxactive)
		rc = tfs_strbuf_addf(sb, "%u", def->maxactive);
	if (!rc)
		rc = tfs_strbuf_addf(sb, ":%s/%s ", def->group, def->event);

	if (!rc && def->path && colon)
		rc = add_word(sb, tfs_dso_inner(dso));
	if (!rc)
		rc = tfs_strbuf_addf(sb, "%s%s%s\nreal ",
				     def->path && colon ? colon : def->location,
				     def->args ? " " : "", def->args ? def->args : "");
	if (!rc)
		rc = add_text(sb, def->real);
	if (!rc)
		rc = tfs_strbuf_addc(sb, '\n');
	for (size_t i = 0; i < def->means.n && !rc; i++) {
		const struct tfs_probe_mean *mean = &def->means.v[i];

		if (mean->means.bits)
			rc = tfs_strbuf_addf(sb, "sign %s %u\n", mean->arg, mean->means.bits);
	}
	return rc;
}

int tfs_portable_write(struct tfs_dso *dso, const struct tfs_probe_defs *defs,
		       struct tfs_strbuf *sb, struct tfs_err *err)
{
	int rc = tfs_strbuf_adds(sb, VERSION "\n");

	if (!rc)
		rc = write_target(dso, sb, err);
	for (size_t i = 0; i < defs->n && !rc; i++) {
		rc = check_type(&defs->v[i], err);
		if (!rc)
			rc = write_event(dso, &defs->v[i], sb);
	}
	if (!rc)
		rc = tfs_strbuf_addf(sb, END "%zu\n", defs->n);
	if (rc && err && !err->code)
		tfs_err_set(err, rc, "cannot write the plan");
	return rc;
}

/* --- reading --- */

/*
 * struct reader - a file that is being read
 * @line: number of the present line, from 1
 * @versioned: the first line was seen
 * @open: the last line of the present plan was not; of joined ones each has its own
 * @first: events that were before the present plan
 */
struct reader {
	struct tfs_portable *out;
	size_t line;
	size_t cap;
	bool versioned;
	bool open;
	size_t first;
	struct tfs_err *err;
};

static int fault(const struct reader *r, const char *what, const char *text)
{
	return tfs_err_say(r->err, -EINVAL, "line %zu of the plan: %s%s%s%s", r->line, what,
			   text ? " '" : "", text ? text : "", text ? "'" : "");
}

/* Undo add_word(); -EINVAL if that did not write it. */
static int read_word(const char *s, char **out)
{
	char *word = malloc(strlen(s) + 1), *to = word;

	if (!word)
		return -ENOMEM;
	for (; *s; s++) {
		if (*s == ' ')
			break;
		if (*s != '\\') {
			*to++ = *s;
			continue;
		}
		if (s[1] < '0' || s[1] > '3' || s[2] < '0' || s[2] > '7' || s[3] < '0' ||
		    s[3] > '7' || !(s[1] - '0' + s[2] - '0' + s[3] - '0'))
			break;
		*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
		s += 3;
	}
	*to = '\0';
	if (*s || to == word) {
		free(word);
		return -EINVAL;
	}
	*out = word;
	return 0;
}

static int check_name(const struct reader *r, enum tfs_portable_kind kind, const char *name)
{
	if (kind == TFS_PORTABLE_PROGRAM && *name != '/')
		return fault(r, "the path of a program is absolute, not", name);
	if (kind == TFS_PORTABLE_PROGRAM && strlen(name) >= PATH_MAX)
		return fault(r, "the path is too long", NULL);
	if (kind == TFS_PORTABLE_MODULE && !tfs_probe_is_identifier(name, TFS_PROBE_NAME_MAX))
		return fault(r, "not a valid module name:", name);
	return 0;
}

static int read_target(struct reader *r, enum tfs_portable_kind kind, const char *value)
{
	struct tfs_portable *t = r->out;
	char *name = NULL;
	int rc;

	if (t->n && !t->target[t->n - 1].build_id && !t->target[t->n - 1].code)
		return fault(r,
			     "there was no build-id of what is before:", t->target[t->n - 1].name);
	rc = read_word(value, &name);
	if (rc == -EINVAL)
		return fault(r, "invalid name:", value);
	if (!rc)
		rc = check_name(r, kind, name);
	if (!rc)
		rc = tfs_grow_one(&t->target, t->n);
	if (rc) {
		free(name);
		return rc;
	}
	t->target[t->n++] = (struct tfs_portable_target){ .kind = kind, .name = name };
	return 0;
}

static struct tfs_portable_target *last_target(const struct reader *r)
{
	return r->out->n ? &r->out->target[r->out->n - 1] : NULL;
}

static int read_id(struct reader *r, const char *value, bool is_code)
{
	struct tfs_portable_target *t = last_target(r);
	size_t len = strlen(value);
	char **to;

	if (!t)
		return fault(r, "a build-id follows a program, kernel or module", NULL);
	if (t->build_id || t->code)
		return fault(r, "this is a second build-id of", t->name);
	if (is_code && t->kind != TFS_PORTABLE_PROGRAM)
		return fault(r, "only a program is identified by its code", NULL);
	if (len < 8 || len > ID_MAX || len % 2 || strspn(value, "0123456789abcdef") != len)
		return fault(r, "not a build-id:", value);
	to = is_code ? &t->code : &t->build_id;
	*to = strdup(value);
	return *to ? 0 : -ENOMEM;
}

/* PLACE of a program's event: its path, which has to be the target's, and what follows it. */
static int read_location(const struct reader *r, struct tfs_probe_def *def, const char *location,
			 size_t len)
{
	const struct tfs_portable_target *t = last_target(r);
	char *word = strndup(location, len), *colon, *path = NULL;
	int rc = word ? 0 : -ENOMEM;

	if (rc || t->kind != TFS_PORTABLE_PROGRAM) {
		def->location = word;
		return rc;
	}
	colon = strrchr(word, ':');
	if (colon) {
		def->location = strdup(colon);
		*colon = '\0';
		rc = def->location ? read_word(word, &path) : -ENOMEM;
	}
	if (rc != -ENOMEM && (!path || strcmp(path, t->name) != 0))
		rc = fault(r, "this event's location is not in", t->name);
	free(word);
	if (rc)
		free(path);
	else
		def->path = path;
	return rc;
}

/* "p:GROUP/EVENT PLACE ARGS" */
static int read_definition(const struct reader *r, const char *value, struct tfs_probe_def *def)
{
	size_t names = strcspn(value, " "),
	       digits = *value == 'r' ? strspn(value + 1, "0123456789") : 0;
	const char *slash = memchr(value, '/', names), *location;
	size_t len;
	int rc;

	if ((*value != 'p' && *value != 'r') || digits > 4 || value[1 + digits] != ':' || !slash ||
	    !value[names])
		return fault(r, "not a definition:", value);
	location = value + names + 1;
	len = strcspn(location, " ");
	def->ret = *value == 'r';
	def->maxactive = digits ? (unsigned int)strtoul(value + 1, NULL, 10) : 0;
	value += digits;
	def->group = strndup(value + 2, (size_t)(slash - value) - 2);
	def->event = strndup(slash + 1, (size_t)(location - 1 - slash) - 1);
	def->args = location[len] && location[len + 1] ? strdup(location + len + 1) : NULL;
	if (!def->group || !def->event || (!def->args && location[len] && location[len + 1]))
		return -ENOMEM;
	if (!tfs_probe_is_group(def->group) ||
	    !tfs_probe_is_identifier(def->event, TFS_PROBE_NAME_MAX))
		return fault(r, "not a valid event name:", value);
	rc = read_location(r, def, location, len);
	if (!rc)
		rc = (def->real = strndup(location, len)) ? 0 : -ENOMEM;
	return rc;
}

static int keep_line(struct reader *r)
{
	return tfs_grow(&r->out->lines, &r->cap, r->out->defs.n + 1);
}

static int read_event(struct reader *r, const char *value)
{
	struct tfs_portable *t = r->out;
	const struct tfs_portable_target *target = last_target(r);
	struct tfs_probe_def def = { 0 };
	int rc;

	if (!target || (!target->build_id && !target->code))
		return fault(r, "an event follows a program, kernel or module and its build-id",
			     NULL);
	if (t->defs.n == EVENTS_MAX)
		return tfs_err_say(r->err, -E2BIG, "the plan has more than %d events", EVENTS_MAX);
	def.type = target->kind == TFS_PORTABLE_PROGRAM ? TFS_PROBE_UPROBE : TFS_PROBE_KPROBE;
	def.request = t->n - 1;
	rc = read_definition(r, value, &def);
	if (!rc)
		rc = keep_line(r);
	if (!rc) {
		t->lines[t->defs.n] = r->line;
		rc = tfs_probe_defs_take(&t->defs, &def);
	}
	tfs_probe_def_release(&def);
	return rc;
}

static int read_real(struct reader *r, const char *value)
{
	struct tfs_probe_def *def = r->out->defs.n ? &r->out->defs.v[r->out->defs.n - 1] : NULL;
	char *copy;

	if (!def || def->request + 1 != r->out->n)
		return fault(r, "'real' follows an event", NULL);
	copy = strdup(value);
	if (!copy)
		return -ENOMEM;
	free(def->real);
	def->real = copy;
	return 0;
}

/* "NAME BITS" */
static int read_sign(struct reader *r, char *value)
{
	struct tfs_probe_def *def = r->out->defs.n ? &r->out->defs.v[r->out->defs.n - 1] : NULL;
	struct tfs_meaning means = { .kind = TFS_MEANS_NUMBER };
	char *blank = strchr(value, ' ');
	uint64_t bits;

	if (!def || def->request + 1 != r->out->n)
		return fault(r, "'sign' follows an event", NULL);
	if (blank)
		*blank++ = '\0';
	if (!blank || !tfs_probe_is_identifier(value, TFS_PROBE_ARG_NAME_MAX) ||
	    tfs_parse_u64(blank, 1, 64, &bits, NULL) || def->means.n == TFS_PROBE_ARGS_MAX)
		return fault(r, "not an argument and its number of bits:", value);
	means.bits = (unsigned int)bits;
	return tfs_probe_means_add(&def->means, value, &means);
}

static size_t events_of_plan(const struct reader *r)
{
	return r->out->defs.n - r->first;
}

/* Otherwise part of a truncated plan would be defined and taken for all of it. */
static int refuse_open(const struct reader *r, const char *what)
{
	tfs_err_say(r->err, -EINVAL, "line %zu of the plan: %s, and no line '" END "%zu' before",
		    r->line, what, events_of_plan(r));
	tfs_err_hint(r->err, "it was cut off; copy it again, or have --plan write it again");
	return -EINVAL;
}

static int read_end(struct reader *r, const char *value)
{
	char want[32];

	snprintf(want, sizeof(want), "%zu", events_of_plan(r));
	if (strcmp(value, want) != 0) {
		tfs_err_say(r->err, -EINVAL,
			    "line %zu of the plan: it ends with '" END "%.20s', but has %s event%s",
			    r->line, value, want, strcmp(want, "1") != 0 ? "s" : "");
		tfs_err_hint(r->err,
			     "lines were lost or added; that line has to have their number");
		return -EINVAL;
	}
	r->open = false;
	return 0;
}

static int read_version(struct reader *r, const char *line)
{
	if (r->open)
		return refuse_open(r, "another plan begins");
	if (!strcmp(line, VERSION)) {
		r->versioned = true;
		r->open = true;
		r->first = r->out->defs.n;
		return 0;
	}
	if (strncmp(line, VERSION, strlen(VERSION) - 1) != 0)
		return tfs_err_say(r->err, -EINVAL,
				   "not a plan: the first line is not '" VERSION "'");
	tfs_err_say(r->err, -EINVAL, "'%s' is not known, only '" VERSION "' is", line);
	tfs_err_hint(r->err, "a newer tc-probe wrote this plan");
	return -EINVAL;
}

static int read_line(struct reader *r, char *line)
{
	char *value = strchr(line, ' ');
	char quoted[64];

	if (!*line || *line == '#')
		return 0;
	if (!r->versioned || !strncmp(line, VERSION, strlen(VERSION) - 1))
		return read_version(r, line);
	if (!value)
		return fault(r, "there is no value after the key", NULL);
	if (!r->open)
		return fault(r, "after its end only another plan may follow", NULL);
	*value++ = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!strcmp(line, kinds[i].key))
			return read_target(r, kinds[i].kind, value);
	}
	if (!strcmp(line, "build-id") || !strcmp(line, "code"))
		return read_id(r, value, *line == 'c');
	if (!strcmp(line, "event"))
		return read_event(r, value);
	if (!strcmp(line, "real"))
		return read_real(r, value);
	if (!strcmp(line, "sign"))
		return read_sign(r, value);
	if (!strcmp(line, "end"))
		return read_end(r, value);
	/* what a shell or terminal would show of a file that is something else altogether */
	snprintf(quoted, sizeof(quoted), "%s", line);
	return fault(r, "this key is not known:", quoted);
}

/* Text is UTF-8 or some other of bytes above 0x7f; no character steers a terminal. */
static int check_characters(const struct reader *r, const char *line, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)line[i];

		if (c < ' ' || c == 0x7f)
			return tfs_err_say(r->err, -EINVAL,
					   "line %zu of the plan: there is a control "
					   "character (0x%02x) in it",
					   r->line, c);
	}
	return 0;
}

static int read_lines(struct reader *r, const char *text, size_t len)
{
	int rc = 0;

	while (len && !rc) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;
		char *line;

		r->line++;
		rc = check_characters(r, text, n);
		if (rc)
			break;
		line = strndup(text, n);
		rc = line ? read_line(r, line) : -ENOMEM;
		free(line);
		n += end != NULL;
		text += n;
		len -= n;
	}
	return rc;
}

int tfs_portable_parse(const char *text, size_t len, struct tfs_portable *out, struct tfs_err *err)
{
	struct tfs_portable portable = { 0 };
	struct reader r = { .out = &portable, .err = err };
	int rc = read_lines(&r, text, len);

	if (!rc && !r.versioned)
		rc = read_version(&r, "");
	if (!rc && r.open)
		rc = refuse_open(&r, "the file ends");
	if (!rc && !portable.defs.n)
		rc = tfs_err_say(err, -EINVAL, "there is no event in the plan");
	if (rc) {
		tfs_portable_release(&portable);
		return rc == -ENOMEM ? tfs_err_set(err, rc, "cannot read the plan") : rc;
	}
	*out = portable;
	return 0;
}
