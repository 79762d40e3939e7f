/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decode/formats.h"

#include <errno.h>
#include <string.h>

#include "base/strbuf-core.h"
#include "decode/arrays.h"
#include "decode/trace-internal.h"
#include "decode/trace.h"
#include "format/event-format.h"
#include "printfmt/printks.h"
#include "printfmt/program.h"
#include "printfmt/symbols.h"
#include "printfmt/array-style.h"
#include "tracedat/dat-constants.h"
#include "tracedat/dat-values.h"

static const char *find_symbol(const void *symbols, uint64_t addr, uint64_t *start)
{
	return tfs_symbols_find(symbols, addr, start);
}

static const struct tfs_symbol_info *find_place(const void *symbols, uint64_t addr)
{
	return tfs_symbols_info(symbols, addr);
}

static bool find_address(const void *symbols, const char *name, uint64_t *addr)
{
	return tfs_symbols_address(symbols, name, addr);
}

static const char *find_printk(const void *printks, uint64_t addr)
{
	return tfs_printks_find(printks, addr);
}

static bool find_constant(const void *constants, const char *name, size_t len, uint64_t *value)
{
	return tfs_dat_constants_find(constants, name, len, value);
}

int tfs_formats_new(struct tfs_trace *trace)
{
	int rc = tfs_symbols_new(&trace->symbols);

	if (!rc && trace->kernel)
		tfs_symbols_prefer_first(trace->symbols);
	if (!rc)
		rc = tfs_printks_new(&trace->printks);
	if (!rc)
		rc = tfs_dat_constants_new(trace->dat, &trace->constants);
	if (!rc)
		rc = tfs_dat_values_new(trace->dat, &trace->values);
	trace->env = (struct tfs_format_env){
		.big = tep_is_file_bigendian(trace->tep),
		.long_size = (unsigned int)tep_get_long_size(trace->tep),
		.arrays = tfs_detect_array_style(),
		.symbol = find_symbol,
		.symbol_info = find_place,
		.address = find_address,
		.symbols = trace->symbols,
		.printk = find_printk,
		.printks = trace->printks,
		.constant = find_constant,
		.constants = trace->constants,
		.kernel_text = trace->kernel,
	};
	return rc;
}

void tfs_formats_free(struct tfs_trace *trace)
{
	tfs_symbols_free(trace->symbols);
	tfs_printks_free(trace->printks);
	tfs_dat_constants_free(trace->constants);
	tfs_dat_values_free(trace->values);
}

int tfs_formats_add_printk(struct tfs_trace *trace, uint64_t addr, const char *text, size_t len)
{
	return tfs_printks_add(trace->printks, addr, text, len);
}

/* Once; before the first program that looks up any. */
static int load_symbols(struct tfs_trace *trace)
{
	struct tfs_blob blob;
	int rc = 0;

	if (trace->own_symbols_loaded)
		return 0;
	if (trace->kallsyms)
		rc = tfs_symbols_add(trace->symbols, trace->kallsyms, strlen(trace->kallsyms));
	tfs_dat_blob(trace->dat, TFS_DAT_BLOB_KALLSYMS, &blob);
	/* Up to a zero, as libtraceevent reads it. */
	if (!rc && blob.size)
		rc = tfs_symbols_add(trace->symbols, blob.data, strnlen(blob.data, blob.size));
	trace->own_symbols_loaded = !rc;
	return rc;
}

int tfs_trace_use_symbols(struct tfs_trace *trace)
{
	return load_symbols(trace);
}

/* Where its fields are shown: always, or because the print format cannot be parsed. */
static void compile_fields(struct tfs_trace *trace, struct tfs_event_type *type)
{
	bool asked = trace->show_fields || type->tep->flags & TEP_EVENT_FL_PRINTRAW;

	if (!asked && (type->program || !(type->tep->flags & TEP_EVENT_FL_FAILED)))
		return;
	if (tfs_program_compile_fields(type->tep, &trace->env, asked ? "" : "[FAILED TO PARSE]",
				       trace->compat ? TFS_FIELDS_LIBRARY : TFS_FIELDS_KERNEL,
				       &type->all))
		type->all = NULL;
}

/* The text after "print fmt:"; @sb holds it if arrays were rewritten. False: there is none */
static bool print_format(const struct tfs_event_type *type, struct tfs_strbuf *sb,
			 struct tfs_print_source *source)
{
	const struct tfs_blob *blob = type->format ? &type->format->text : NULL;
	const char *text;
	size_t size;

	if (!blob)
		return false;
	text = blob->data;
	size = blob->size;
	if (!tfs_arrays_rewrite(text, size, TFS_ARRAY_PRINT_LIST, sb)) {
		text = sb->s;
		size = sb->len;
	}
	source->text = tfs_event_format_print(text, size, &source->size);
	if (!source->text)
		return false;
	return true;
}

/*
 * The kernel has a blank between the fields of a synthetic event, where its format has a comma, too
 * (print_synth_event() and set_synth_event_print_fmt() of trace_events_synth.c).
 */
static int drop_commas(struct tfs_print_source *source, struct tfs_strbuf *sb)
{
	const char *s = source->text, *end = s + source->size, *comma;
	const char *quote = memchr(s, '"', source->size);
	int rc = 0;

	quote = quote ? memchr(quote + 1, '"', (size_t)(end - quote - 1)) : NULL;
	while (!rc && quote && (comma = memmem(s, (size_t)(quote - s), ", ", 2))) {
		rc = tfs_strbuf_add(sb, s, (size_t)(comma - s));
		s = comma + 1;
	}
	if (!rc)
		rc = tfs_strbuf_add(sb, s, (size_t)(end - s));
	source->text = sb->s;
	source->size = sb->len;
	return rc;
}

/* struct meant - an event whose fields stand for something */
struct meant {
	const struct tfs_trace *trace;
	const struct tfs_event_type *type;
};

static const struct tfs_meaning *find_meaning(const void *context, const char *field)
{
	const struct meant *m = context;

	return tfs_dat_values_find(m->trace->values, m->type->system, m->type->name,
				   m->type->name_len, field);
}

/* The kernel's own text has numbers. */
static bool has_meanings(const struct tfs_trace *trace, const struct tfs_event_type *type)
{
	return !trace->kernel &&
	       tfs_dat_values_has(trace->values, type->system, type->name, type->name_len);
}

/* The kernel's values, in a plugin's layout (@layout) or the format's own. 0: there is a program */
static int compile_print(struct tfs_trace *trace, struct tfs_event_type *type, bool layout)
{
	const struct meant meant = { trace, type };
	struct tfs_print_source source = {
		.event = type->tep,
		.layout = layout,
		.means = has_meanings(trace, type) ? find_meaning : NULL,
		.context = &meant,
	};
	struct tfs_strbuf sb = TFS_STRBUF_INIT, blanks = TFS_STRBUF_INIT;
	struct tfs_program *program = NULL;
	int rc = -ENOENT;

	if (print_format(type, &sb, &source))
		rc = trace->kernel && !strcmp(type->system, "synthetic") ?
			     drop_commas(&source, &blanks) :
			     0;
	if (!rc)
		rc = tfs_program_compile_print(&source, &trace->env, &program, NULL);
	tfs_strbuf_release(&blanks);
	tfs_strbuf_release(&sb);
	if (rc)
		return rc;
	tfs_program_free(type->program);
	type->program = program;
	type->room = type->column_len + tfs_program_bound(program);
	type->refused = NULL;
	return 0;
}

void tfs_formats_relay(struct tfs_trace *trace, struct tfs_event_type *type)
{
	type->relaid = !trace->compat && !compile_print(trace, type, true);
}

void tfs_formats_compile(struct tfs_trace *trace, struct tfs_event_type *type)
{
	if (type->looks_up && load_symbols(trace)) {
		type->refused = "no memory for symbols";
		return;
	}
	if (!trace->compat && !compile_print(trace, type, false)) {
		compile_fields(trace, type);
		return;
	}
	if (type->patches) {
		type->refused = "a record of another machine, which has to be changed first";
		return;
	}
	if (tfs_program_compile(type->tep, &trace->env, &type->program, &type->refused))
		type->program = NULL;
	else
		type->room = type->column_len + tfs_program_bound(type->program);
	compile_fields(trace, type);
}

void tfs_formats_release(struct tfs_event_type *type)
{
	tfs_program_free(type->all);
	type->all = NULL;
	tfs_program_free(type->program);
	type->program = NULL;
}
