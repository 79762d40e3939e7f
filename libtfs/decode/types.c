/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decode/types.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/copy.h"
#include "base/cursor.h"
#include "base/meaning.h"
#include "base/strbuf-core.h"
#include "decode/arrays.h"
#include "decode/compat.h"
#include "decode/event-regex.h"
#include "decode/fgraph.h"
#include "decode/format-check.h"
#include "decode/formats.h"
#include "decode/guests.h"
#include "decode/printfmt.h"
#include "decode/trace-internal.h"
#include "decode/value.h"
#include "format/event-format.h"
#include "printfmt/flags.h"
#include "printfmt/native.h"
#include "printfmt/symbols.h"
#include "tracedat/dat-values.h"
#include "tracedat/page.h"

#define FORMAT_MAX ((size_t)1 << 20)
/* More types than any kernel has: when so many were parsed one by one, the rest is in one go. */
#define PARSED_MAX 4096
/* Names are padded to this many characters with blanks by trace-cmd report. */
#define NAME_WIDTH 20
/* Before the name of a field that is a stack */
#define STACK "_stacktrace("

static int set_column(struct tfs_event_type *t)
{
	size_t pad = t->name_len < NAME_WIDTH ? NAME_WIDTH - t->name_len : 0;

	t->column_len = 1 + t->name_len + 2 + pad;
	t->column = calloc(1, t->column_len + TFS_COPY_SLACK);
	if (!t->column)
		return -ENOMEM;
	t->column[0] = ' ';
	memcpy(t->column + 1, t->name, t->name_len);
	t->column[1 + t->name_len] = ':';
	memset(t->column + 2 + t->name_len, ' ', pad + 1);
	return 0;
}

/* The type that was added last has this id. */
static void set_index(struct tfs_trace *trace, int id)
{
	trace->index.types[trace->index.n].index = (uint32_t)trace->index.n;
	trace->index.by_id[id] = (uint32_t)++trace->index.n;
	if (id > trace->index.max_id)
		trace->index.max_id = id;
}

int tfs_types_index(struct tfs_trace *trace)
{
	size_t n = tfs_dat_n_formats(trace->dat), i;
	const struct tfs_dat_format *f;
	struct tfs_event_format header;

	trace->index.by_id = calloc(TFS_EVENT_IDS, sizeof(*trace->index.by_id));
	/* One more for the event that no format describes. */
	trace->index.types = calloc(n + 1, sizeof(*trace->index.types));
	if (!trace->index.by_id || !trace->index.types)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		f = tfs_dat_format(trace->dat, i);
		if (tfs_event_format_parse(f->text.data, f->text.size, &header) ||
		    trace->index.by_id[header.id])
			continue;
		trace->index.types[trace->index.n] = (struct tfs_event_type){
			.id = header.id,
			.system = f->system,
			.name = header.name,
			.name_len = header.name_len,
			.format = f,
		};
		set_index(trace, header.id);
	}
	return 0;
}

int tfs_types_add_made_up(struct tfs_trace *trace, int id, const char *system, const char *name)
{
	struct tfs_event_type *t = &trace->index.types[trace->index.n];

	if (id < 0 || id >= TFS_EVENT_IDS || trace->index.by_id[id])
		return -EEXIST;
	*t = (struct tfs_event_type){
		.id = id, .system = system, .name = name, .name_len = strlen(name)
	};
	set_index(trace, id);
	return 0;
}

void tfs_types_free(struct tfs_trace *trace)
{
	size_t i;

	for (i = 0; i < trace->index.n; i++) {
		free(trace->index.types[i].column);
		tfs_fields_free(trace->index.types[i].fields);
		tfs_compat_patches_free(trace->index.types[i].patches);
		tfs_native_free(trace->index.types[i].native);
		tfs_formats_release(&trace->index.types[i]);
	}
	free(trace->index.types);
	free(trace->index.by_id);
}

/* 0 and the span of all fields, or -EBADMSG when one lies where no record reaches. */
static int measure(const struct tep_event *event, struct tfs_event_type *t)
{
	const struct tep_format_field *lists[] = { event->format.common_fields,
						   event->format.fields },
				      *f;
	unsigned int end;
	size_t i;

	for (i = 0; i < 2; i++) {
		for (f = lists[i]; f; f = f->next) {
			if (f->offset < 0 || f->size < 0 || f->offset > TFS_EVENT_SPAN_MAX ||
			    f->size > TFS_EVENT_SPAN_MAX - f->offset ||
			    f->elementsize > TFS_EVENT_SPAN_MAX)
				return -EBADMSG;
			end = (unsigned int)(f->offset + f->size);
			if (end > t->span)
				t->span = end;
			if (!f->size && end > t->least)
				t->least = end;
		}
	}
	return 0;
}

/* Entries whose addresses the kernel prints as functions: its own, and probes */
static bool prints_places(const struct tfs_event_type *t)
{
	return !strcmp(t->system, "ftrace") || tfs_fields_find(t->fields, "__probe_ip", 10) ||
	       tfs_fields_find(t->fields, "__probe_func", 12);
}

static bool needs_symbols(const struct tep_event *event)
{
	/* Plugins look up what they like; those of these systems print no addresses. */
	if (event->handler && strcmp(event->system, "sched") && strcmp(event->system, "syscalls"))
		return true;
	return tfs_printfmt_needs_symbols(event);
}

/* The print format as the file has it; NULL: there is none */
static const char *print_of(const struct tfs_event_type *t, size_t *len)
{
	const struct tfs_blob *text = t->format ? &t->format->text : NULL;

	return text ? tfs_event_format_print(text->data, text->size, len) : NULL;
}

/* The same for a format that libtraceevent could not parse, and for stacks, by the text */
static bool names_symbols(const struct tfs_event_type *t)
{
	size_t len;
	const char *print = print_of(t, &len);

	if (!print)
		return false;
	return (t->tep->flags & TEP_EVENT_FL_FAILED || memmem(print, len, STACK, strlen(STACK))) &&
	       tfs_format_prints_code(print, len);
}

/*
 * A synthetic event has eight bytes for each number, and for where a string or a stack is: the word
 * that says so is the first half of them.
 */
static void shorten_words(const struct tfs_trace *trace, struct tep_event *event)
{
	struct tep_format_field *f;

	if (trace->compat || strcmp(event->system, "synthetic") != 0)
		return;
	for (f = event->format.fields; f; f = f->next)
		if (f->flags & TEP_FIELD_IS_DYNAMIC && f->size == 8)
			f->size = 4;
}

/* The stacks of synthetic events have addresses. */
static void set_stacks(struct tfs_event_type *t)
{
	size_t len = 0;
	const char *p = print_of(t, &len), *end = p + len;

	while (p && (p = memmem(p, (size_t)(end - p), STACK, strlen(STACK)))) {
		p += strlen(STACK);
		for (size_t i = 0; i < t->fields->n; i++) {
			struct tfs_field *f = &t->fields->field[i];

			if (f->array && f->kind < TFS_VALUE_ADDRESS &&
			    (size_t)(end - p) > f->name_len && p[f->name_len] == ')' &&
			    !memcmp(p, f->name, f->name_len)) {
				f->kind = TFS_VALUE_ADDRESS;
				f->counted = true;
			}
		}
	}
}

/* Without its print format when that would not be survived: the fields are shown all the same. */
static int parse_text(struct tfs_trace *trace, struct tfs_event_type *t,
		      const struct tfs_blob *text)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT, split = TFS_STRBUF_INIT;
	const char *data = text->data;
	size_t size = text->size, end;
	bool print = true;

	if (size > FORMAT_MAX || tfs_format_check_fields(text->data, size))
		return -EBADMSG;
	if (tfs_format_check_print(text->data, size, &end)) {
		print = false;
		size = end;
	}
	/* Where it can be helped, no field is lost. */
	if (!trace->compat && !tfs_arrays_split(text->data, size, &split)) {
		data = split.s;
		size = split.len;
	}
	if (print && !tfs_arrays_rewrite(data, size, TFS_ARRAY_PRINT_ARRAY, &sb))
		tfs_compat_parse(trace, t, sb.s, sb.len);
	else
		tfs_compat_parse(trace, t, data, size);
	tfs_strbuf_release(&sb);
	tfs_strbuf_release(&split);
	return 0;
}

/* -r and -n: seen by libtraceevent, and by whoever prints in its place */
static void set_flags(const struct tfs_trace *trace, const struct tfs_event_type *t)
{
	size_t i;

	for (i = 0; i < trace->n_flagged; i++)
		if (tfs_event_regex_match(&trace->flagged[i].re, t))
			t->tep->flags |= trace->flagged[i].flag;
}

/* A number's sign is its own; names and floating-point numbers stand in its place. */
static void set_meaning(const struct tfs_trace *trace, struct tfs_field *f,
			const struct tfs_meaning *m)
{
	if (m->bits && m->bits <= 8 * f->element && !trace->compat) {
		f->bits = m->bits;
		f->kind = TFS_VALUE_SIGNED;
	}
	if (m->kind == TFS_MEANS_NAME ||
	    (m->kind == TFS_MEANS_FLOAT && (f->element == 4 || f->element == 8)))
		f->means = m;
}

/* Set what the numbers of a probe stand for. */
static void set_meanings(const struct tfs_trace *trace, struct tfs_event_type *t)
{
	if (!tfs_dat_values_has(trace->values, t->system, t->name, t->name_len))
		return;
	for (size_t i = 0; i < t->fields->n; i++) {
		struct tfs_field *f = &t->fields->field[i];
		const struct tfs_meaning *m = tfs_dat_values_find(trace->values, t->system, t->name,
								  t->name_len, f->name);

		if (f->kind <= TFS_VALUE_ADDRESS && m)
			set_meaning(trace, f, m);
	}
}

static void parse(struct tfs_trace *trace, struct tfs_event_type *t)
{
	const struct tfs_blob *text = t->format ? &t->format->text : NULL;

	t->parsed = true;
	if (text && parse_text(trace, t, text))
		return;
	t->tep = tep_find_event(trace->tep, t->id);
	if (!t->tep)
		return;
	set_flags(trace, t);
	shorten_words(trace, t->tep);
	if (measure(t->tep, t) || set_column(t) || tfs_fields_new(t->tep, &t->fields)) {
		t->tep = NULL;
		return;
	}
	set_stacks(t);
	set_meanings(trace, t);
	tfs_compat_event(trace, t);
	t->risky = tfs_printfmt_risky(t->tep);
}

static char *resolve(void *symbols, unsigned long long *addr, char **module)
{
	uint64_t start;
	const char *name = tfs_symbols_find(symbols, *addr, &start);

	*module = NULL;
	if (name)
		*addr = start;
	return (char *)name;
}

/*
 * Without memory for it there is still libtraceevent. Its plugin's text is compared with ours,
 * which has names of functions: for that long it asks our table, for its own takes a tenth of a
 * second to fill.
 */
static void compile_native(struct tfs_trace *trace, struct tfs_event_type *t)
{
	bool ours = t->looks_up && !trace->symbols_loaded;

	if (!t->tep->handler || !tfs_fgraph_compile(trace, t, &t->native))
		return;
	if (t->looks_up && !trace->own_symbols_loaded)
		return;
	if (ours && tep_set_function_resolver(trace->tep, resolve, trace->symbols))
		return;
	if (tfs_native_compile(t->tep, &trace->env, &t->native))
		t->native = NULL;
	if (ours)
		tep_reset_function_resolver(trace->tep);
}

/*
 * An event of a plugin of libtraceevent's that could not be loaded (no such file, no descriptor or
 * memory left): printed by code of ours, or noted, for its text is another one.
 */
static void compile_alone(struct tfs_trace *trace, struct tfs_event_type *t)
{
	const char *plugin = tfs_native_plugin(t->tep), *print;
	size_t len;

	if (plugin && !trace->compat &&
	    !tfs_native_compile_alone(t->tep, &trace->env, &t->native)) {
		t->handled = true;
		return;
	}
	t->native = NULL;
	print = print_of(t, &len);
	if (!plugin && print && t->tep->flags & TEP_EVENT_FL_FAILED)
		plugin = tfs_native_plugin_of(print, len);
	if (!plugin)
		return;
	for (size_t i = 0; i < TFS_LACKS_MAX; i++) {
		if (trace->lacks[i] && trace->lacks[i] != plugin)
			continue;
		trace->lacks[i] = plugin;
		return;
	}
}

bool tfs_type_is_ftrace(const struct tfs_event_type *t, const char *name)
{
	return !strcmp(t->system, "ftrace") && t->name_len == strlen(name) &&
	       !memcmp(t->name, name, t->name_len);
}

bool tfs_type_is_stack(const struct tfs_event_type *t)
{
	return tfs_type_is_ftrace(t, "kernel_stack") || tfs_type_is_ftrace(t, "user_stack");
}

/* For an event that a record was met of: a file may hold 2300 formats and use five. */
static void prepare(struct tfs_trace *trace, struct tfs_event_type *t)
{
	/* Drawn graphs stand for plugins that are wanted. */
	bool alone = trace->fgraph && !t->tep->handler &&
		     !(t->tep->flags & (TEP_EVENT_FL_NOHANDLE | TEP_EVENT_FL_PRINTRAW));

	t->ready = true;
	if (tfs_native_hangs(t->tep))
		t->tep->flags |= TEP_EVENT_FL_NOHANDLE;
	t->handled = t->tep->handler &&
		     !(t->tep->flags & (TEP_EVENT_FL_NOHANDLE | TEP_EVENT_FL_PRINTRAW));
	t->looks_up = needs_symbols(t->tep) || names_symbols(t) ||
		      (trace->kernel && prints_places(t)) || (alone && tfs_native_plugin(t->tep));
	t->padded = !trace->compat && tfs_type_is_ftrace(t, "user_stack");
	t->message = tfs_type_is_ftrace(t, "bprint") || tfs_type_is_ftrace(t, "bputs");
	tfs_formats_compile(trace, t);
	if (t->handled && !trace->compat && t->program && tfs_native_corrects(t->tep)) {
		t->handled = false;
		return;
	}
	if (alone)
		compile_alone(trace, t);
	else
		compile_native(trace, t);
	if (t->native && t->handled)
		tfs_formats_relay(trace, t);
	if (t->handled && tfs_guests_event(trace, t))
		trace->starved = true;
}

/*
 * NULL: all. From the highest id down: libtraceevent looks for the place of a new event from the
 * lowest one up, which with 60,000 of them takes longer than parsing.
 */
void tfs_types_parse_system(struct tfs_trace *trace, const char *system)
{
	struct tfs_event_type *t;
	int id;

	for (id = trace->index.max_id; id >= 0; id--) {
		t = tfs_trace_type(trace, id);
		if (t && !t->parsed && (!system || !strcmp(t->system, system)))
			parse(trace, t);
	}
}

struct tfs_event_type *tfs_trace_type(const struct tfs_trace *trace, int id)
{
	if (id < 0 || id >= TFS_EVENT_IDS || !trace->index.by_id[id])
		return NULL;
	return &trace->index.types[trace->index.by_id[id] - 1];
}

struct tfs_event_type *tfs_trace_event(struct tfs_trace *trace, int id)
{
	struct tfs_event_type *t = tfs_trace_type(trace, id);

	if (!t)
		return NULL;
	if (!t->ready) {
		tfs_trace_lock(trace);
		tfs_trace_begin_library();
		if (!t->parsed && ++trace->n_parsed == PARSED_MAX)
			tfs_types_parse_system(trace, NULL);
		if (!t->parsed)
			parse(trace, t);
		if (t->tep) {
			prepare(trace, t);
			t->plain = !t->handled && !t->all && !t->padded;
		}
		tfs_trace_end_library(trace);
		tfs_trace_unlock(trace);
	}
	return t->tep ? t : NULL;
}

bool tfs_trace_record_has(const struct tfs_trace *trace, const struct tfs_record *rec,
			  enum tfs_common_field field)
{
	const unsigned int places[][2] = {
		[TFS_COMMON_TYPE] = { trace->common.type_off, trace->common.type_size },
		[TFS_COMMON_FLAGS] = { trace->common.flags_off, trace->common.flags_size },
		[TFS_COMMON_PID] = { trace->common.pid_off, trace->common.pid_size },
	};
	const unsigned int *p = places[field];

	return p[0] <= rec->size && p[1] <= rec->size - p[0];
}

/* A common field's value; @missing when the record ends before it. */
static uint64_t common(const struct tfs_trace *trace, const struct tfs_record *rec,
		       unsigned int off, unsigned int size, uint64_t missing)
{
	const unsigned char *p = rec->data;
	bool big = tfs_dat_info(trace->dat)->big_endian;

	if (off > rec->size || size > rec->size - off)
		return missing;
	switch (size) {
	case 1:
		return p[off];
	case 2:
		return tfs_load_u16(p + off, big);
	case 4:
		return tfs_load_u32(p + off, big);
	default:
		return missing;
	}
}

int tfs_trace_record_id(const struct tfs_trace *trace, const struct tfs_record *rec)
{
	return (int)common(trace, rec, trace->common.type_off, trace->common.type_size,
			   (uint64_t)-1);
}

int tfs_trace_record_pid(const struct tfs_trace *trace, const struct tfs_record *rec)
{
	return (int)common(trace, rec, trace->common.pid_off, trace->common.pid_size, 0);
}

unsigned int tfs_trace_record_flags(const struct tfs_trace *trace, const struct tfs_record *rec)
{
	unsigned int flags, pc, lazy, migrate;

	flags = (unsigned int)common(trace, rec, trace->common.flags_off, trace->common.flags_size,
				     0);
	pc = (unsigned int)common(trace, rec, trace->common.pc_off, trace->common.pc_size, 0);
	flags = (flags & 0xff) | (pc & 0xff) << 8;
	if (!trace->common.lazy_size)
		return flags;
	lazy = (unsigned int)common(trace, rec, trace->common.lazy_off, trace->common.lazy_size, 0);
	flags |= (lazy < 15 ? lazy : 15) << TFS_FLAGS_LAZY_COUNT | TFS_FLAGS_LAZY;
	if (trace->common.old_lazy)
		flags |= TFS_FLAGS_OLD_LAZY;
	migrate = (unsigned int)common(trace, rec, trace->common.depth_off,
				       trace->common.depth_size, 0);
	return flags | (migrate < 15 ? migrate : 15) << TFS_FLAGS_MIGRATE;
}

bool tfs_trace_has_lazy(const struct tfs_trace *trace)
{
	return trace->common.lazy_size;
}

bool tfs_trace_is_stack(const struct tfs_trace *trace, const struct tfs_record *rec)
{
	const struct tfs_event_type *t = tfs_trace_type(trace, tfs_trace_record_id(trace, rec));

	return t && tfs_type_is_stack(t);
}

bool tfs_trace_has_counts(const struct tfs_trace *trace)
{
	return trace->common.counts && !trace->common.lazy_size;
}

char *tfs_trace_put_counts(const struct tfs_trace *trace, const struct tfs_record *rec, char *p)
{
	unsigned int i;

	for (i = 0; i < trace->common.counts; i++)
		p = tfs_flags_put_count(p, (int)common(trace, rec, trace->common.depth_off,
						       trace->common.depth_size, 0));
	return p;
}
