/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/info.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <event-parse.h>

#include "base/array.h"
#include "base/err.h"
#include "base/out.h"
#include "base/strbuf-core.h"
#include "decode/event-regex.h"
#include "decode/event-type.h"
#include "decode/names.h"
#include "decode/trace.h"
#include "decode/types.h"
#include "printfmt/program.h"
#include "tracedat/dat-read.h"
#include "tracedat/page.h"
#include "tracedat/stream.h"

/* How many of the formats that cannot be parsed are named. */
#define NAMED_FORMATS 8

/* An address and what is there: pieces of the file's text. */
struct symbol {
	uint64_t addr;
	size_t order;
	const char *name, *module;
	int name_len, module_len;
};

struct symbols {
	struct symbol *v;
	size_t n, cap;
};

/* A new entry, zeroed; NULL: no memory */
static struct symbol *add_symbol(struct symbols *s)
{
	if (tfs_grow(&s->v, &s->cap, s->n + 1))
		return NULL;
	s->v[s->n] = (struct symbol){ .order = s->n };
	return &s->v[s->n++];
}

/* By address; of several at one address the last comes first, as in libtraceevent. */
static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->order < y->order ? 1 : -1;
}

/*
 * A line of kallsyms, "addr type name[\t[module]]", if it is a function: absolute symbols,
 * which x86 has for its per-CPU variables, and ARM's markers "$a" are not. 0 or -ENOMEM
 */
static int take_function(struct symbols *s, const char *line, const char *end)
{
	const char *p, *name;
	struct symbol *sym;
	uint64_t addr;
	char *rest;

	/* Blanks would be skipped, also the ends of any number of empty lines. */
	if (!isxdigit((unsigned char)*line))
		return 0;
	addr = strtoull(line, &rest, 16);
	p = rest;
	if (p == line || end - p < 4 || p[0] != ' ' || p[2] != ' ' || p[1] == 'A' || p[1] == 'a' ||
	    p[3] == '$')
		return 0;
	name = p + 3;
	for (p = name; p < end && *p != '\t' && *p != ' '; p++)
		;
	sym = add_symbol(s);
	if (!sym)
		return -ENOMEM;
	sym->addr = addr;
	sym->name = name;
	sym->name_len = (int)(p - name);
	if (end - p > 2 && *p == '\t' && p[1] == '[') {
		sym->module = p + 2;
		sym->module_len = (int)(end - p - 2 - (end[-1] == ']'));
	}
	return 0;
}

/* A line of printk_formats, 0xaddr : "text\n", without quotes and the newline */
static int take_printk(struct symbols *s, const char *line, const char *end)
{
	const char *text = memchr(line, ':', (size_t)(end - line));
	struct symbol *sym;

	if (!text || text - line > 32 || !isxdigit((unsigned char)*line))
		return 0;
	for (text++; text < end && *text == ' '; text++)
		;
	if (text < end && *text == '"')
		text++;
	if (end > text && end[-1] == '"')
		end--;
	if (end - text >= 2 && end[-2] == '\\' && end[-1] == 'n')
		end -= 2;
	sym = add_symbol(s);
	if (!sym)
		return -ENOMEM;
	sym->addr = strtoull(line, NULL, 16);
	sym->name = text;
	sym->name_len = (int)(end - text);
	return 0;
}

static int take_lines(struct symbols *s, const char *text,
		      int (*take)(struct symbols *s, const char *line, const char *end))
{
	const char *nl;
	int rc = 0;

	for (; text && *text && !rc; text = *nl ? nl + 1 : nl) {
		nl = strchrnul(text, '\n');
		rc = take(s, text, nl);
	}
	return rc;
}

static int put_symbols(struct symbols *s, struct tfs_out *out)
{
	size_t i;
	int rc = 0;

	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), compare_symbols);
	for (i = 0; i < s->n && !rc; i++) {
		const struct symbol *sym = &s->v[i];

		rc = tfs_out_printf(out, "%016" PRIx64 " %.*s", sym->addr, sym->name_len,
				    sym->name);
		if (!rc && sym->module)
			rc = tfs_out_printf(out, " [%.*s]", sym->module_len, sym->module);
		if (!rc)
			rc = tfs_out_puts(out, "\n");
	}
	return rc;
}

static int put_functions(struct tfs_trace *trace, struct tfs_out *out)
{
	struct symbols s = { 0 };
	struct tfs_blob blob;
	int rc;

	tfs_dat_blob(tfs_trace_dat(trace), TFS_DAT_BLOB_KALLSYMS, &blob);
	rc = take_lines(&s, tfs_trace_kallsyms(trace), take_function);
	if (!rc && blob.size)
		rc = take_lines(&s, blob.data, take_function);
	if (!rc)
		rc = put_symbols(&s, out);
	free(s.v);
	return rc;
}

static int put_printk(struct tfs_trace *trace, struct tfs_out *out)
{
	struct symbols s = { 0 };
	struct tfs_blob blob;
	int rc = 0;

	tfs_dat_blob(tfs_trace_dat(trace), TFS_DAT_BLOB_PRINTK, &blob);
	if (blob.size)
		rc = take_lines(&s, blob.data, take_printk);
	if (!rc)
		rc = put_symbols(&s, out);
	free(s.v);
	return rc;
}

static int put_endian(struct tfs_trace *trace, struct tfs_out *out)
{
	return tfs_out_printf(out, "file is %s endian and host is %s endian\n",
			      tfs_dat_info(tfs_trace_dat(trace))->big_endian ? "big" : "little",
			      tep_is_bigendian() ? "big" : "little");
}

static int put_page_size(struct tfs_trace *trace, struct tfs_out *out)
{
	return tfs_out_printf(out, "file page size is %u, and host page size is %ld\n",
			      tfs_dat_info(tfs_trace_dat(trace))->page_size, sysconf(_SC_PAGESIZE));
}

/* Events of ftrace itself come in another section of the file and are not shown by trace-cmd. */
static int put_formats(struct tfs_trace *trace, const char *events, struct tfs_out *out,
		       struct tfs_err *err)
{
	struct tfs_event_regex re;
	const char *system = NULL;
	size_t i;
	int rc = events ? tfs_event_regex_init(&re, events, ':', TFS_REGEX_ANYWHERE, err) : 0;

	if (rc)
		return rc;
	for (i = 0; i < tfs_trace_index(trace)->n && !rc; i++) {
		const struct tfs_event_type *t = &tfs_trace_index(trace)->types[i];

		if (!t->format || !strcmp(t->system, "ftrace") ||
		    (events && !tfs_event_regex_match(&re, t)))
			continue;
		if (!system || strcmp(system, t->system))
			rc = tfs_out_printf(out, "\nsystem: %s\n", t->system);
		system = t->system;
		if (!rc)
			rc = tfs_out_write(out, t->format->text.data, t->format->text.size);
		if (!rc)
			rc = tfs_out_puts(out, "\n");
	}
	if (events)
		tfs_event_regex_release(&re);
	if (!rc && events && !system)
		rc = tfs_names_no_event(trace, events, err);
	return rc;
}

static int compare_types(const void *a, const void *b)
{
	const struct tfs_event_type *x = *(const struct tfs_event_type *const *)a;
	const struct tfs_event_type *y = *(const struct tfs_event_type *const *)b;
	size_t len = x->name_len < y->name_len ? x->name_len : y->name_len;
	int order = strcmp(x->system, y->system);

	if (!order)
		order = strncmp(x->name, y->name, len);
	if (!order)
		order = x->name_len < y->name_len ? -1 : x->name_len > y->name_len;
	return order ? order : x->id - y->id;
}

static int put_events(struct tfs_trace *trace, struct tfs_out *out)
{
	const struct tfs_event_type **v =
		calloc(tfs_trace_index(trace)->n + 1, sizeof(const void *));
	size_t i, n = 0;
	int rc = 0;

	if (!v)
		return -ENOMEM;
	for (i = 0; i < tfs_trace_index(trace)->n; i++)
		if (tfs_trace_index(trace)->types[i].format)
			v[n++] = &tfs_trace_index(trace)->types[i];
	qsort(v, n, sizeof(const void *), compare_types);
	for (i = 0; i < n && !rc; i++)
		rc = tfs_out_printf(out, "%s:%.*s\n", v[i]->system, (int)v[i]->name_len,
				    v[i]->name);
	free(v);
	return rc;
}

/* Is there a record in this CPU's data? */
int tfs_info_print(struct tfs_trace *trace, enum tfs_info what, const char *events,
		   struct tfs_out *out, struct tfs_err *err)
{
	int rc = -EINVAL;

	switch (what) {
	case TFS_INFO_PAGE_SIZE:
		rc = put_page_size(trace, out);
		break;
	case TFS_INFO_ENDIAN:
		rc = put_endian(trace, out);
		break;
	case TFS_INFO_FORMATS:
		rc = put_formats(trace, events, out, err);
		if (rc == -ENOENT || rc == -EINVAL)
			return rc;
		break;
	case TFS_INFO_FUNCTIONS:
		rc = put_functions(trace, out);
		break;
	case TFS_INFO_PRINTK:
		rc = put_printk(trace, out);
		break;
	case TFS_INFO_EVENTS:
		rc = put_events(trace, out);
		break;
	}
	if (!rc)
		rc = tfs_out_flush(out);
	return rc ? tfs_err_set(err, rc, "cannot write the report") : 0;
}

/* Is there something that prints its records in full? @t may be NULL */
static bool can_print(const struct tfs_trace *trace, const struct tfs_event_type *t)
{
	if (!t)
		return false;
	return !(t->tep->flags & TEP_EVENT_FL_FAILED) ||
	       (!tfs_trace_is_compat(trace) && t->program && !tfs_program_is_partial(t->program));
}

int tfs_info_check_events(struct tfs_trace *trace, struct tfs_err *err)
{
	struct tfs_strbuf names = TFS_STRBUF_INIT;
	const struct tfs_event_type *t;
	size_t i, failed = 0;
	int rc = 0;

	for (i = 0; i < tfs_trace_index(trace)->n && !rc; i++) {
		t = tfs_trace_event(trace, tfs_trace_index(trace)->types[i].id);
		if (can_print(trace, t))
			continue;
		t = &tfs_trace_index(trace)->types[i];
		if (failed++ < NAMED_FORMATS)
			rc = tfs_strbuf_addf(&names, "%s'%s:%.*s'", names.len ? ", " : "",
					     t->system, (int)t->name_len, t->name);
	}
	if (!rc && failed)
		rc = tfs_err_say(err, -EBADMSG, "%zu of %zu event formats cannot be parsed: %s%s",
				 failed, tfs_trace_index(trace)->n, names.s,
				 failed > NAMED_FORMATS ? ", and more" : "");
	else if (rc)
		tfs_err_set(err, rc, "cannot check the events");
	tfs_strbuf_release(&names);
	return rc;
}
