/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/parse.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/num.h"
#include "probe/fetch-type.h"
#include "probe/name.h"
#include "probe/path.h"
#include "probe/spec.h"

#define OPERATOR "operator"
#define SDT "sdt_"

/*
 * struct input - what is being parsed
 * @text: all of it, for messages
 * @end: end of the point
 */
struct input {
	const char *text;
	const char *end;
	struct tfs_err *err;
};

static int fault(const struct input *in, const char *at, const char *what)
{
	tfs_err_say(in->err, -EINVAL, "'%s': %s", in->text, what);
	tfs_err_input(in->err, in->text, at ? (int)(at - in->text) : -1);
	return -EINVAL;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* After the bracket that closes the one at @p, or NULL. */
static const char *nested(const char *p)
{
	static const char pairs[] = "()<>[]{}";
	const char *pair = strchr(pairs, *p);
	unsigned int depth = 0;
	char open, close;

	if (!*p || !pair || (pair - pairs) % 2)
		return NULL;
	open = pair[0];
	close = pair[1];
	for (; *p; p++) {
		if (*p == '\\' && p[1])
			p++;
		else if (*p == open)
			depth++;
		else if (*p == close && !(close == '>' && p[-1] == '-') && !--depth)
			return p + 1;
	}
	return NULL;
}

/* "operator new(", "operator char const*(": up to the parenthesis, or @p if none follows. */
static const char *after_type(const char *p)
{
	const char *q = p + 1;

	if (!isalpha((unsigned char)*q) && *q != '_')
		return p;
	while (*q && *q != '(') {
		const char *after = *q == '<' || !strncmp(q, "[]", 2) ? nested(q) : NULL;

		if (!after && !is_word(*q) && !strchr(" :*&", *q))
			return p;
		q = after ? after : q + 1;
	}
	return *q ? q : p;
}

/* Skip the qualifiers after a parameter list: " const", " const &"; @p if there are none. */
static const char *after_params(const char *p)
{
	static const char *const words[] = { " const", " volatile", " &&", " &", "&&", "&" };
	const char *q = p;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strncmp(q, words[i], strlen(words[i])))
			q += strlen(words[i]);
	}
	/* not "f(int) &x" */
	return !*q || is_blank(*q) || strchr("@+:;%#", *q) ? q : p;
}

/* Skip the rest of a C++ operator's name, whose characters have a meaning in our syntax. */
static const char *after_operator(const char *p)
{
	size_t n = 0;

	if (!strncmp(p, "()", 2) || !strncmp(p, "[]", 2))
		return p + 2;
	if (*p == ' ')
		return after_type(p);
	n = strspn(p, "+-*/%^&|~!=<>,");
	return p + (n > 3 ? 3 : n);
}

/* The next unit of a name: an escape, brackets with what they hold, an operator, a character. */
static const char *next_unit(const char *start, const char *p)
{
	const size_t len = sizeof(OPERATOR) - 1;
	const char *after;

	if (*p == '\\' && p[1])
		return p + 2;
	if (p[0] == ':' && p[1] == ':')
		return p + 2;
	if (!strncmp(p, OPERATOR, len) && (p == start || !is_word(p[-1])) && !is_word(p[len]))
		return after_operator(p + len);
	after = nested(p);
	if (after && *p == '(')
		return after_params(after);
	return after ? after : p + 1;
}

/* The first of @stops in @from to @end that is not part of a name, or @end. */
static const char *find_stop(const char *from, const char *end, const char *stops)
{
	const char *p = from;

	while (p < end) {
		if (strchr(stops, *p) && !(p[0] == ':' && p[1] == ':'))
			return p;
		p = next_unit(from, p);
	}
	return end;
}

/* Where the point ends. A pattern is taken as it is: brackets need not close there. */
static const char *end_of_point(const char *text)
{
	const char *p = text;
	bool pattern = false;

	while (*p && !is_blank(*p)) {
		if (*p == ';')
			pattern = true;
		if (pattern)
			p += *p == '\\' && p[1] ? 2 : 1;
		else
			p = next_unit(text, p);
	}
	return p;
}

static int copy_raw(const char *from, const char *end, char **out)
{
	size_t len = end > from ? (size_t)(end - from) : 0;

	free(*out);
	*out = strndup(from, len);
	return *out ? 0 : -ENOMEM;
}

/* The text without its escapes. */
static int copy_plain(const char *from, const char *end, char **out)
{
	int rc = copy_raw(from, end, out);
	char *to;

	if (rc)
		return rc;
	to = *out;
	for (const char *p = from; p < end; p++) {
		if (*p == '\\' && p + 1 < end)
			p++;
		*to++ = *p;
	}
	*to = '\0';
	return 0;
}

static int number(const struct input *in, const char *from, const char *end, uint64_t max,
		  uint64_t *out)
{
	char *text = NULL;
	int rc = copy_raw(from, end, &text);

	if (!rc)
		rc = tfs_parse_u64(text, 0, max, out, NULL);
	free(text);
	if (rc == -ERANGE)
		return fault(in, from, "the number is too large");
	if (rc == -EINVAL)
		return fault(in, from, "there should be a number");
	return rc;
}

bool tfs_probe_is_source(const char *name)
{
	static const char *const suffixes[] = {
		"c",   "h",   "C",   "H",   "cc",  "cp", "cpp", "cxx", "c++", "hh",  "hp",
		"hpp", "hxx", "h++", "inc", "tcc", "ii", "i",   "s",   "S",   "asm", "rs",
		"go",  "d",   "f",   "f90", "m",   "mm", "y",   "l",   "def",
	};
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; dot && i < ARRAY_SIZE(suffixes); i++) {
		if (!strcmp(dot + 1, suffixes[i]))
			return true;
	}
	return false;
}

/* Does the text before @end name a source file? An escaped dot does not begin a suffix. */
static bool names_file(const char *from, const char *end)
{
	char *raw = NULL;
	const char *dot;
	bool is;

	if (copy_raw(from, end, &raw))
		return false;
	dot = strrchr(raw, '.');
	is = dot && !(dot > raw && dot[-1] == '\\') && tfs_probe_is_source(raw);
	free(raw);
	return is;
}

static int parse_line(const struct input *in, const char *from, const char *end,
		      struct tfs_probe_spec *spec)
{
	uint64_t line;
	int rc;

	if (from == end)
		return fault(in, from, "there is no line number after ':'");
	if (!isdigit((unsigned char)*from))
		return fault(in, from, "a line number follows ':'; a group goes before EVENT=");
	rc = number(in, from, end, INT_MAX, &line);
	if (rc)
		return rc;
	spec->line = (unsigned int)line;
	spec->has_line = true;
	return 0;
}

static int parse_pattern(const struct input *in, const char *from, const char *end,
			 struct tfs_probe_spec *spec)
{
	if (from == end)
		return fault(in, from, "there is no pattern after ';'");
	return copy_plain(from, end, &spec->pattern);
}

/* SRC:LINE or SRC;PATTERN */
static int parse_source(const struct input *in, const char *from, const char *stop,
			struct tfs_probe_spec *spec)
{
	int rc = copy_plain(from, stop, &spec->src);

	if (rc)
		return rc;
	if (*stop == ';') {
		spec->at = TFS_PROBE_AT_PATTERN;
		return parse_pattern(in, stop + 1, in->end, spec);
	}
	spec->at = TFS_PROBE_AT_LINE;
	rc = parse_line(in, stop + 1, in->end, spec);
	if (!rc && !spec->line)
		return fault(in, stop + 1, "the first line of a file is 1");
	return rc;
}

static int parse_sdt(const struct input *in, const char *from, struct tfs_probe_spec *spec)
{
	const char *p = from;

	if (!strncmp(p, SDT, sizeof(SDT) - 1))
		p += sizeof(SDT) - 1;
	else if (memchr(p, ':', (size_t)(in->end - p)))
		return fault(in, p, "a marker is %sdt_PROVIDER:NAME or %NAME");
	if (p == in->end)
		return fault(in, p, "there is no name of a marker");
	for (const char *q = p; q < in->end; q++) {
		if (!is_word(*q) && !strchr(":*?-.", *q))
			return fault(in, q, "this is in no name of a marker");
	}
	spec->at = TFS_PROBE_AT_SDT;
	return copy_raw(p, in->end, &spec->func);
}

/* One of what may follow a function: @from is its mark, @end where it ends. */
static int parse_suffix(const struct input *in, const char *from, const char *end,
			struct tfs_probe_spec *spec)
{
	uint64_t n;
	int rc;

	switch (*from++) {
	case '@':
		if (spec->src)
			return fault(in, from - 1, "there are two source files");
		if (from == end)
			return fault(in, from, "there is no source file after '@'");
		return copy_plain(from, end, &spec->src);
	case '+':
		spec->has_offset = true;
		return number(in, from, end, LONG_MAX, &spec->offset);
	case '%':
		if (end - from != 6 || strncmp(from, "return", 6) != 0)
			return fault(in, from, "only %return can follow '%'");
		spec->ret = true;
		return 0;
	case '#':
		rc = number(in, from, end, INT_MAX, &n);
		if (!rc && !n)
			return fault(in, from, "the first one is #1");
		spec->nth = rc ? 0 : (unsigned int)n;
		return rc;
	case ':':
		return parse_line(in, from, end, spec);
	default:
		return parse_pattern(in, from, end, spec);
	}
}

static int check_func(const struct input *in, const struct tfs_probe_spec *spec)
{
	unsigned int ways = spec->has_line + !!spec->pattern + !!spec->offset + spec->ret;

	if (ways > 1)
		return fault(in, NULL,
			     "only one of an offset, a line, a pattern and %return can be given");
	if (spec->at == TFS_PROBE_AT_ADDR &&
	    (spec->src || spec->nth || spec->has_line || spec->pattern))
		return fault(in, NULL, "only %return can follow an address");
	return 0;
}

static bool is_address(const char *from, const char *end)
{
	const char *p = from + 2;

	if (end - from < 3 || from[0] != '0' || (from[1] != 'x' && from[1] != 'X'))
		return false;
	while (p < end && isxdigit((unsigned char)*p))
		p++;
	return p == end;
}

static int parse_func(const struct input *in, const char *from, const char *stop,
		      struct tfs_probe_spec *spec)
{
	const char *end;
	int rc;

	if (from == stop)
		return fault(in, from, "there is no function");
	spec->at = TFS_PROBE_AT_FUNC;
	if (is_address(from, stop)) {
		spec->at = TFS_PROBE_AT_ADDR;
		rc = number(in, from, stop, UINT64_MAX, &spec->offset);
		if (!rc && *stop == '+' && stop < in->end)
			return fault(in, stop, "only %return can follow an address");
	} else {
		rc = copy_plain(from, stop, &spec->func);
	}
	while (!rc && stop < in->end) {
		end = *stop == ';' ? in->end : find_stop(stop + 1, in->end, "@+:;%#");
		rc = parse_suffix(in, stop, end, spec);
		stop = end;
	}
	if (!rc && spec->at == TFS_PROBE_AT_ADDR) {
		uint64_t addr = spec->offset;

		spec->offset = 0;
		rc = check_func(in, spec);
		spec->offset = addr;
		return rc;
	}
	return rc ? rc : check_func(in, spec);
}

/* [GROUP:]EVENT */
static int parse_names(const struct input *in, const char *from, const char *end,
		       struct tfs_probe_spec *spec)
{
	const char *colon = memchr(from, ':', (size_t)(end - from));
	const char *event = colon ? colon + 1 : from;
	int rc = 0;

	if (colon)
		rc = copy_raw(from, colon, &spec->group);
	if (!rc)
		rc = copy_raw(event, end, &spec->event);
	if (rc)
		return rc;
	if (spec->group && !tfs_probe_is_group(spec->group))
		return fault(
			in, from,
			"the name of a group has letters, digits, '_' and '-', and 63 at most");
	if (!tfs_probe_is_identifier(spec->event, TFS_PROBE_NAME_MAX))
		return fault(in, event,
			     "the name of an event has letters, digits and '_', and 63 at most");
	return 0;
}

/* MODULE:FUNC; a number after the colon is that of a line */
static bool is_module(const struct input *in, const char *from, const char *stop)
{
	if (stop == from || stop >= in->end || *stop != ':' || stop + 1 == in->end)
		return false;
	for (const char *p = from; p < stop; p++) {
		if (!is_word(*p) && *p != '-')
			return false;
	}
	return isalpha((unsigned char)stop[1]) || strchr("_*?\\", stop[1]);
}

static int parse_point(const struct input *in, const char *from, struct tfs_probe_spec *spec)
{
	const char *stop;

	if (from < in->end && *from == '%')
		return parse_sdt(in, from + 1, spec);
	stop = find_stop(from, in->end, "@+:;%#");
	if (stop < in->end && *stop == ':' && !strncmp(from, SDT, sizeof(SDT) - 1) &&
	    (isalpha((unsigned char)stop[1]) || stop[1] == '_'))
		return parse_sdt(in, from, spec);
	if (stop < in->end && (*stop == ':' || *stop == ';') && names_file(from, stop))
		return parse_source(in, from, stop, spec);
	if (is_module(in, from, stop)) {
		int rc = copy_raw(from, stop, &spec->module);

		from = stop + 1;
		stop = find_stop(from, in->end, "@+:;%#");
		return rc ? rc : parse_func(in, from, stop, spec);
	}
	return parse_func(in, from, stop, spec);
}

/* --- arguments --- */

static bool starts(const char *from, const char *end, const char *word)
{
	return (size_t)(end - from) >= strlen(word) && !strncmp(from, word, strlen(word));
}

static bool is_raw(const char *from, const char *end)
{
	const char *p = from + 1;
	size_t len;

	if (from == end || strchr("%@\\+-(", *from) || starts(from, end, "this_cpu_read(") ||
	    starts(from, end, "this_cpu_ptr("))
		return true;
	if (*from != '$')
		return false;
	while (p < end && is_word(*p))
		p++;
	len = (size_t)(p - from);
	if ((len == 7 && !strncmp(from, "$params", len)) ||
	    (len == 5 && !strncmp(from, "$vars", len)))
		return false;
	/* a member of what is returned is looked up as one of a variable's */
	return len != 7 || strncmp(from, "$retval", len) != 0 || p == end || !strchr(".-[", *p);
}

/* The colon before the type, or @end. */
static const char *type_colon(const char *from, const char *end, bool raw)
{
	const char *last = end;

	for (const char *p = from; p < end; p++) {
		if (*p != ':')
			continue;
		if (raw)
			return p;
		if (p[1] == ':')
			p++;
		else
			last = p;
	}
	return last;
}

static int parse_type(const struct input *in, const char *from, const char *end, char **type)
{
	struct tfs_fetch_type known;

	if (from == end)
		return fault(in, from, "there is no type after ':'");
	/* as the kernel has them since 6.11: the name of a dentry, or of a file's */
	if (!tfs_fetch_type_parse(from, end, &known) && known.info->members && !*known.array)
		return copy_raw(from, end, type);
	for (const char *p = from; p < end; p++) {
		if (!is_word(*p) && !strchr("@/[]", *p))
			return fault(in, p, "this is in no type");
	}
	return copy_raw(from, end, type);
}

static int check_variable(const struct input *in, const char *from, const char *expr)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_path path;
	int rc = tfs_path_parse(expr, &path, &err);

	if (!rc) {
		tfs_path_release(&path);
		return 0;
	}
	if (rc == -ENOMEM)
		return rc;
	if (in->err) {
		*in->err = err;
		tfs_err_input(in->err, in->text,
			      (int)(from - in->text) + (err.caret > 0 ? err.caret : 0));
	}
	return rc;
}

static int parse_arg(const struct input *in, const char *from, const char *end,
		     struct tfs_probe_spec *spec)
{
	static const char user[] = "@user";
	const char *eq = memchr(from, '=', (size_t)(end - from));
	struct tfs_probe_arg *arg = tfs_probe_spec_add_arg(spec);
	const char *colon;
	int rc = 0;

	if (!arg)
		return -ENOMEM;
	if (eq && *from != '\\') {
		rc = copy_raw(from, eq, &arg->name);
		if (!rc && !tfs_probe_is_identifier(arg->name, TFS_PROBE_ARG_NAME_MAX))
			return fault(in, from,
				     "the name of an argument has letters, digits and "
				     "'_', and 32 at most");
		from = eq + 1;
	}
	if (rc)
		return rc;
	arg->raw = is_raw(from, end);
	if (!arg->raw && end - from > 5 && !strncmp(end - 5, user, 5)) {
		arg->user = true;
		end -= 5;
	}
	colon = type_colon(from, end, arg->raw);
	if (from == colon)
		return fault(in, from, "there is no variable");
	rc = copy_raw(from, colon, &arg->expr);
	if (!rc && colon < end)
		rc = parse_type(in, colon + 1, end, &arg->type);
	if (rc || arg->raw)
		return rc;
	return check_variable(in, from, arg->expr);
}

static int parse_args(const struct input *in, const char *p, struct tfs_probe_spec *spec)
{
	const char *end;
	int rc = 0;

	while (!rc) {
		while (is_blank(*p))
			p++;
		if (!*p)
			return 0;
		for (end = p; *end && !is_blank(*end); end++)
			;
		rc = parse_arg(in, p, end, spec);
		p = end;
	}
	return rc;
}

static int parse(struct input *in, bool point_only, struct tfs_probe_spec *spec)
{
	const char *p = in->text, *stop;
	int rc = 0;

	while (is_blank(*p))
		p++;
	in->end = end_of_point(p);
	if (p == in->end)
		return fault(in, p, "there is no probe point");
	stop = find_stop(p, in->end, ";=@+%");
	if (stop < in->end && *stop == '=') {
		if (point_only)
			return fault(in, p, "a name for an event is of no use here");
		rc = parse_names(in, p, stop, spec);
		p = stop + 1;
	}
	if (!rc)
		rc = parse_point(in, p, spec);
	if (!rc)
		rc = parse_args(in, in->end, spec);
	if (!rc && point_only && spec->n_args)
		return fault(in, in->end, "arguments are of no use here");
	return rc;
}

static int parse_text(const char *text, bool point_only, struct tfs_probe_spec *spec,
		      struct tfs_err *err)
{
	struct tfs_probe_spec found = { 0 };
	struct input in = { .text = text, .err = err };
	int rc = parse(&in, point_only, &found);

	if (rc == -ENOMEM)
		tfs_err_set(err, rc, "cannot read '%s'", text);
	if (rc)
		tfs_probe_spec_release(&found);
	else
		*spec = found;
	return rc;
}

int tfs_probe_parse(const char *text, struct tfs_probe_spec *spec, struct tfs_err *err)
{
	return parse_text(text, false, spec, err);
}

int tfs_probe_parse_point(const char *text, struct tfs_probe_spec *spec, struct tfs_err *err)
{
	return parse_text(text, true, spec, err);
}
