/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/probe_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/strbuf-core.h"
#include "probe/parse.h"
#include "probe/spec.h"

/* Do the brackets of @s close, each kind for itself? Then they need no escapes. */
static bool balanced(const char *s)
{
	static const char pairs[] = "()<>[]{}";

	for (const char *pair = pairs; *pair; pair += 2) {
		long depth = 0;

		for (const char *p = s; *p && depth >= 0; p++) {
			if (*p == pair[0])
				depth++;
			else if (*p == pair[1] && !(*p == '>' && p > s && p[-1] == '-'))
				depth--;
		}
		if (depth)
			return false;
	}
	return true;
}

static int add_escaped(struct tfs_strbuf *sb, const char *s, const char *special)
{
	int rc = 0;

	for (; *s && !rc; s++) {
		if (s[0] == ':' && s[1] == ':') {
			rc = tfs_strbuf_adds(sb, "::");
			s++;
			continue;
		}
		if (strchr(special, *s))
			rc = tfs_strbuf_addc(sb, '\\');
		if (!rc)
			rc = tfs_strbuf_addc(sb, *s);
	}
	return rc;
}

#define BLANKS " \t\n\r\f\v"
#define MARKS "\\=@+:;%#" BLANKS

/* After this word C++ has names of what are marks of ours. */
static bool ends_in_operator(const char *s)
{
	static const char word[] = "operator";
	const size_t len = strlen(s), n = sizeof(word) - 1;

	return len >= n && !strcmp(s + len - n, word) &&
	       (len == n || (!isalnum((unsigned char)s[len - n - 1]) && s[len - n - 1] != '_'));
}

static int add_name(struct tfs_strbuf *sb, const char *s)
{
	int rc = add_escaped(sb, s, balanced(s) ? MARKS : MARKS "()<>[]{}");

	if (!rc && ends_in_operator(s)) {
		sb->s[sb->len - 1] = '\\';
		rc = tfs_strbuf_addc(sb, 'r');
	}
	return rc;
}

/* A function whose name would be read as something else. */
static int add_func(const struct tfs_probe_spec *spec, struct tfs_strbuf *sb)
{
	const char *func = spec->func;
	const char *dot = strrchr(func, '.');
	bool like_file = (spec->has_line || spec->pattern) && tfs_probe_is_source(func);
	int rc = 0;

	if (!strncmp(func, "0x", 2) || !strncmp(func, "0X", 2) || !strncmp(func, "sdt_", 4))
		rc = tfs_strbuf_addc(sb, '\\');
	if (!rc && like_file) {
		struct tfs_strbuf head = TFS_STRBUF_INIT;

		rc = tfs_strbuf_add(&head, func, (size_t)(dot - func));
		if (!rc)
			rc = add_escaped(sb, head.s, MARKS "()<>[]{}");
		if (!rc)
			rc = tfs_strbuf_addc(sb, '\\');
		if (!rc)
			rc = add_escaped(sb, dot, MARKS "()<>[]{}");
		tfs_strbuf_release(&head);
	} else if (!rc) {
		rc = add_name(sb, func);
	}
	return rc;
}

static int add_func_point(const struct tfs_probe_spec *spec, struct tfs_strbuf *sb)
{
	int rc = spec->module ? tfs_strbuf_addf(sb, "%s:", spec->module) : 0;

	if (!rc)
		rc = add_func(spec, sb);

	if (!rc && spec->src) {
		rc = tfs_strbuf_addc(sb, '@');
		if (!rc)
			rc = add_name(sb, spec->src);
	}
	if (!rc && spec->nth)
		rc = tfs_strbuf_addf(sb, "#%u", spec->nth);
	if (!rc && spec->has_offset)
		rc = tfs_strbuf_addf(sb, "+%" PRIu64, spec->offset);
	if (!rc && spec->has_line)
		rc = tfs_strbuf_addf(sb, ":%u", spec->line);
	return rc;
}

int probe_text_point(const struct tfs_probe_spec *spec, struct tfs_strbuf *sb)
{
	int rc = 0;

	switch (spec->at) {
	case TFS_PROBE_AT_FUNC:
		rc = add_func_point(spec, sb);
		break;
	case TFS_PROBE_AT_LINE:
		rc = add_name(sb, spec->src);
		if (!rc)
			rc = tfs_strbuf_addf(sb, ":%u", spec->line);
		break;
	case TFS_PROBE_AT_PATTERN:
		rc = add_name(sb, spec->src);
		break;
	case TFS_PROBE_AT_ADDR:
		rc = tfs_strbuf_addf(sb, "0x%" PRIx64, spec->offset);
		break;
	case TFS_PROBE_AT_SDT:
		rc = tfs_strbuf_addf(
			sb, "%%%s%s",
			strchr(spec->func, ':') || !strncmp(spec->func, "sdt_", 4) ? "sdt_" : "",
			spec->func);
		break;
	}
	if (!rc && spec->pattern) {
		rc = tfs_strbuf_addc(sb, ';');
		if (!rc)
			rc = add_escaped(sb, spec->pattern, "\\" BLANKS);
	}
	if (!rc && spec->ret)
		rc = tfs_strbuf_adds(sb, "%return");
	return rc;
}

static int add_arg(const struct tfs_probe_arg *arg, struct tfs_strbuf *sb)
{
	int rc = tfs_strbuf_addc(sb, ' ');

	if (!rc && arg->name)
		rc = tfs_strbuf_addf(sb, "%s=", arg->name);
	if (!rc)
		rc = tfs_strbuf_adds(sb, arg->expr);
	if (!rc && arg->type)
		rc = tfs_strbuf_addf(sb, ":%s", arg->type);
	if (!rc && arg->user)
		rc = tfs_strbuf_adds(sb, "@user");
	return rc;
}

/* "f() const" is a name; with another blank before it, what follows is a variable. */
static bool seems_a_qualifier(const struct tfs_probe_arg *arg)
{
	return !arg->name && (!strncmp(arg->expr, "const", 5) ||
			      !strncmp(arg->expr, "volatile", 8) || *arg->expr == '&');
}

int probe_text(const struct tfs_probe_spec *spec, struct tfs_strbuf *sb)
{
	int rc = 0;

	if (spec->event)
		rc = tfs_strbuf_addf(sb, "%s%s%s=", spec->group ? spec->group : "",
				     spec->group ? ":" : "", spec->event);
	if (!rc)
		rc = probe_text_point(spec, sb);
	if (!rc && spec->n_args && sb->len && sb->s[sb->len - 1] == ')' &&
	    seems_a_qualifier(&spec->args[0]))
		rc = tfs_strbuf_addc(sb, ' ');
	for (size_t i = 0; i < spec->n_args && !rc; i++)
		rc = add_arg(&spec->args[i], sb);
	return rc;
}
