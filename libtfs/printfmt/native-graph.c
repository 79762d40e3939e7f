/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/native-internal.h"

#include <errno.h>
#include <stdlib.h>

#include "base/digits.h"
#include "base/macros.h"

/* Columns for each level of calls. */
#define INDENT 2
/* The kernel's return stack has 50 entries; a larger depth is damage: up to 2 GB of blanks. */
#define DEPTH_MAX 4096
/* Digits of a duration, its point included, up to which the column keeps its width. */
#define DURATION_WIDTH 7
/* Beside blanks and names. */
#define TEXT_MAX 128

enum { FUNC, DEPTH, CALLTIME, RETTIME };

static const struct tfs_native_field fields[] = {
	[FUNC] = { "func", TFS_NATIVE_NUMBER },
	[DEPTH] = { "depth", TFS_NATIVE_NUMBER },
	[CALLTIME] = { "calltime", TFS_NATIVE_NUMBER },
	[RETTIME] = { "rettime", TFS_NATIVE_NUMBER },
	{ NULL, 0 },
};

static char *put_overhead(char *p, uint64_t ns)
{
	static const struct {
		uint64_t above;
		char mark;
	} marks[] = { { 1000000000, '$' }, { 1000000, '#' }, { 100000, '!' }, { 10000, '+' } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(marks) && ns <= marks[i].above; i++)
		;
	*p++ = i < ARRAY_SIZE(marks) ? marks[i].mark : ' ';
	*p++ = ' ';
	return p;
}

static char *put_duration(const struct tfs_native *n, char *p, uint64_t ns)
{
	uint64_t us = ns / 1000, rest = ns % 1000;
	char *start = p;
	size_t width;

	/* The machine that made the recording computes microseconds in its long. */
	if (n->env->long_size == 4)
		us &= UINT32_MAX;
	p = tfs_digits_dec(p, us);
	if (p - start < DURATION_WIDTH) {
		*p++ = '.';
		*p++ = (char)('0' + rest / 100);
		*p++ = (char)('0' + rest / 10 % 10);
		*p++ = (char)('0' + rest % 10);
	}
	width = (size_t)(p - start);
	p = tfs_native_put(p, " us ");
	for (; width < DURATION_WIDTH; width++)
		*p++ = ' ';
	return tfs_native_put(p, "|  ");
}

/* The time in the exit record at @data. */
static char *put_time(const struct tfs_native *n, char *p, const unsigned char *data)
{
	uint64_t ns = tfs_native_number(n, RETTIME, data) - tfs_native_number(n, CALLTIME, data);

	return put_duration(n, put_overhead(p, ns), ns);
}

static size_t indent_of(uint64_t depth)
{
	int columns = (int)(depth * INDENT);

	if (columns > DEPTH_MAX * INDENT)
		columns = DEPTH_MAX * INDENT;
	return columns > 0 ? (size_t)columns : 0;
}

static char *put_depth(const struct tfs_native *n, char *p, uint64_t depth)
{
	if (!n->graph.depth)
		return p;
	p = tfs_native_put(p, " (");
	p = tfs_digits_sdec(p, (int64_t)depth);
	*p++ = ')';
	return p;
}

static int run_entry(const struct tfs_native *n, const struct tfs_native_rec *rec,
		     struct tfs_strbuf *out)
{
	uint64_t func = tfs_native_number(n, FUNC, rec->data), start;
	uint64_t depth = tfs_native_number(n, DEPTH, rec->data);
	const char *name = tfs_native_symbol(n, func, &start);
	size_t len = name ? strlen(name) : 0, indent = indent_of(depth);
	char *p;

	if (rec->exit && rec->exit_size < n->exit_need)
		return TFS_NATIVE_NOT_ME;
	p = tfs_native_begin(out, indent + len + TEXT_MAX);
	if (!p)
		return -ENOMEM;
	if (rec->exit)
		p = put_time(n, p, rec->exit);
	else
		p = tfs_native_put(p, "             |  ");
	memset(p, ' ', indent);
	p += indent;
	p = name ? tfs_native_puts(p, name, len) : tfs_digits_hex(p, func, 0);
	p = rec->exit ? tfs_native_put(p, "();") : tfs_native_put(p, "() {");
	tfs_native_end(out, put_depth(n, p, depth));
	return TFS_NATIVE_DONE;
}

static int run_exit(const struct tfs_native *n, const struct tfs_native_rec *rec,
		    struct tfs_strbuf *out)
{
	uint64_t depth = tfs_native_number(n, DEPTH, rec->data), start;
	size_t len = 0, indent = indent_of(depth);
	const char *name = NULL;
	char *p;

	if (n->graph.tail) {
		name = tfs_native_symbol(n, tfs_native_number(n, FUNC, rec->data), &start);
		len = name ? strlen(name) : 0;
	}
	p = tfs_native_begin(out, indent + len + TEXT_MAX);
	if (!p)
		return -ENOMEM;
	p = put_time(n, p, rec->data);
	memset(p, ' ', indent);
	p += indent;
	*p++ = '}';
	if (name) {
		p = tfs_native_put(p, " /* ");
		p = tfs_native_puts(p, name, len);
		p = tfs_native_put(p, " */");
	}
	/* Without the name there is no depth either, when names were asked for. */
	if (name || !n->graph.tail)
		p = put_depth(n, p, depth);
	tfs_native_end(out, p);
	return TFS_NATIVE_DONE;
}

static const struct tfs_native_row entry_row = { "ftrace", "funcgraph_entry", NULL,
						 fields,   run_entry,         NULL };
static const struct tfs_native_row exit_row = { "ftrace", "funcgraph_exit", NULL,
						fields,   run_exit,         NULL };

int tfs_native_compile_graph(struct tep_event *event, struct tep_event *exit,
			     const struct tfs_format_env *env, const struct tfs_native_graph *opts,
			     struct tfs_native **out)
{
	struct tfs_native *n = calloc(1, sizeof(*n));
	unsigned int i;
	int rc = 0;

	if (!n)
		return -ENOMEM;
	n->row = event == exit ? &exit_row : &entry_row;
	n->env = env;
	n->graph = *opts;
	for (i = 0; i < CALLTIME && !rc; i++)
		rc = tfs_native_set_slot(n, event, i, &n->need);
	for (; i <= RETTIME && !rc; i++)
		rc = tfs_native_set_slot(n, exit, i, event == exit ? &n->need : &n->exit_need);
	if (rc)
		tfs_native_free(n);
	else
		*out = n;
	return rc;
}
