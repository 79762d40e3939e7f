/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System calls by name, with their parameters: raw_syscalls:sys_enter and sys_exit, and the
 * syscalls:sys_enter_* and sys_exit_* events. See tracecraft-plugins(7).
 */
#include "plugin.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "field.h"
#include "syscalls/abi.h"
#include "syscalls/decode.h"
#include "syscalls/tables.h"

#define PLUGIN_ALIAS "syscalls"
#define ABI_UNDECIDED (-1)

enum option_index {
	OPTION_ARCH,
	OPTION_ABI,
	OPTION_COMPAT,
};

/*
 * The ABI of plugins wants this array writable: libtraceevent stores what -O said in .value. It
 * gives the unloader nothing but the handle, so the contexts of all loaded handles hang off the
 * first option's .priv; plugins are loaded and unloaded on one thread, as libtraceevent needs it.
 */
struct tep_plugin_option TEP_PLUGIN_OPTIONS[] = {
	[OPTION_ARCH] = {
		.name = (char *)"arch",
		.plugin_alias = (char *)PLUGIN_ALIAS,
		.description = (char *)"architecture of the recorded kernel, as uname -m prints it",
		.value = "",
	},
	[OPTION_ABI] = {
		.name = (char *)"abi",
		.plugin_alias = (char *)PLUGIN_ALIAS,
		.description = (char *)"numbering of raw_syscalls: i386, x32, arm, ...",
		.value = "",
	},
	[OPTION_COMPAT] = {
		.name = (char *)"compat",
		.plugin_alias = (char *)PLUGIN_ALIAS,
		.description = (char *)"pids, comma-separated, that abi is for; all if not given",
		.value = "",
	},
	{ .name = NULL },
};

struct syscalls_context;

/* struct named_event - context of the handlers of syscalls:sys_{enter,exit}_<event> */
struct named_event {
	struct syscalls_context *ctx;
	const struct sys_proto *proto;
};

/*
 * struct syscalls_context - what is known of one recording
 * @arch: enum sys_abi of its kernel, ABI_UNDECIDED until the first event asks: when plugins are
 *	loaded, formats and symbols are not there yet. Set atomically; every thread finds the same.
 * @abi: of raw_syscalls where it is not @arch; SYS_ABI_NONE for no such
 * @pids: @n_pids tasks that @abi is for; all tasks if there are none
 * @named: one for each of sys_protos
 */
struct syscalls_context {
	struct syscalls_context *next;
	struct tep_handle *tep;
	int arch;
	enum sys_abi abi;
	int *pids;
	size_t n_pids;
	struct named_event *named;
};

static enum sys_abi context_arch(struct syscalls_context *ctx)
{
	int arch = __atomic_load_n(&ctx->arch, __ATOMIC_RELAXED);

	if (arch == ABI_UNDECIDED) {
		arch = (int)sys_abi_guess(ctx->tep);
		__atomic_store_n(&ctx->arch, arch, __ATOMIC_RELAXED);
	}
	return (enum sys_abi)arch;
}

static bool has_pid(const struct syscalls_context *ctx, int64_t pid)
{
	size_t i;

	for (i = 0; i < ctx->n_pids; i++)
		if (ctx->pids[i] == pid)
			return true;
	return false;
}

/* The ABI of one raw_syscalls record; the marks some ABIs put on the id are taken off. */
static enum sys_abi record_abi(struct syscalls_context *ctx, struct tep_event *event,
			       const struct tep_record *record, int64_t *id)
{
	const enum sys_abi arch = context_arch(ctx);
	const enum sys_abi compat = ctx->abi == SYS_ABI_NONE ? sys_abi_compat(arch) : ctx->abi;
	uint64_t pid;

	if (!ctx->n_pids && ctx->abi != SYS_ABI_NONE)
		return sys_abi_of_id(ctx->abi, id);
	if (ctx->n_pids && field_find_number(event, "common_pid", record, &pid) &&
	    has_pid(ctx, (int64_t)pid))
		return compat;
	return sys_abi_of_id(arch, id);
}

static size_t read_regs(struct tep_event *event, const struct tep_record *record, uint64_t *regs)
{
	const struct tep_format_field *field = tep_find_field(event, "args");
	size_t n = 0;

	while (field && n < SYS_MAX_ARGS && field_number(field, record, n, &regs[n]))
		n++;
	return n;
}

/* As the kernel's own format prints it. */
static void print_unknown(struct trace_seq *s, int64_t id, const uint64_t *regs, size_t n_regs)
{
	size_t i;

	trace_seq_printf(s, "NR %" PRId64 " (", id);
	for (i = 0; i < n_regs; i++)
		trace_seq_printf(s, "%s%" PRIx64, i ? ", " : "", regs[i]);
	trace_seq_puts(s, n_regs < SYS_MAX_ARGS ? "...)" : ")");
}

static int raw_enter_handler(struct trace_seq *s, struct tep_record *record,
			     struct tep_event *event, void *context)
{
	uint64_t regs[SYS_MAX_ARGS], number;
	const struct sys_entry *entry;
	enum sys_abi abi;
	size_t n_regs;
	int64_t id;

	n_regs = read_regs(event, record, regs);
	if (!field_find_number(event, "id", record, &number)) {
		trace_seq_puts(s, "NR ?");
		return 0;
	}
	id = (int64_t)number;
	abi = record_abi(context, event, record, &id);
	entry = sys_abi_lookup(abi, id);
	if (!entry) {
		print_unknown(s, (int64_t)number, regs, n_regs);
		return 0;
	}
	trace_seq_printf(s, "%s(", entry->name);
	sys_print_args(s, abi, entry->proto, regs, n_regs);
	trace_seq_putc(s, ')');
	return 0;
}

static int raw_exit_handler(struct trace_seq *s, struct tep_record *record, struct tep_event *event,
			    void *context)
{
	const struct sys_entry *entry;
	uint64_t number, ret;
	enum sys_abi abi;
	int64_t id;

	if (!field_find_number(event, "id", record, &number)) {
		trace_seq_puts(s, "NR ?");
		return 0;
	}
	id = (int64_t)number;
	abi = record_abi(context, event, record, &id);
	entry = sys_abi_lookup(abi, id);
	if (entry)
		trace_seq_puts(s, entry->name);
	else
		trace_seq_printf(s, "NR %" PRId64, (int64_t)number);
	trace_seq_puts(s, " = ");
	if (field_find_number(event, "ret", record, &ret))
		sys_print_ret(s, abi, entry ? entry->proto : NULL, (int64_t)ret);
	else
		trace_seq_putc(s, '?');
	return 0;
}

static const struct sys_arg *find_arg(const struct sys_proto *proto, const char *name)
{
	unsigned int i;

	for (i = 0; i < proto->n_args; i++)
		if (strcmp(proto->args[i].name, name) == 0)
			return &proto->args[i];
	return NULL;
}

static bool is_parameter(const struct tep_format_field *field)
{
	return strncmp(field->name, "__", 2) != 0 && strcmp(field->name, "nr") != 0;
}

static void print_quoted(struct trace_seq *s, const char *text, size_t size)
{
	size_t i;

	trace_seq_puts(s, " \"");
	for (i = 0; i < size && text[i]; i++) {
		const unsigned char c = (unsigned char)text[i];

		if (c == '"' || c == '\\')
			trace_seq_printf(s, "\\%c", c);
		else if (isprint(c))
			trace_seq_putc(s, c);
		else
			trace_seq_printf(s, "\\x%02x", c);
	}
	trace_seq_putc(s, '"');
}

/* Kernels after 6.18 keep what a char pointer pointed to in __data_loc char[] __<name>_val. */
static void print_pointed_to(struct trace_seq *s, struct tep_event *event,
			     const struct tep_record *record, const char *name)
{
	const struct tep_format_field *field;
	const char *text;
	char val[64];
	size_t size;

	snprintf(val, sizeof(val), "__%s_val", name);
	field = tep_find_field(event, val);
	if (!field || !(field->flags & TEP_FIELD_IS_STRING) ||
	    !(field->flags & TEP_FIELD_IS_DYNAMIC))
		return;
	text = field_dynamic(field, record, &size);
	if (text)
		print_quoted(s, text, size);
}

static int named_enter_handler(struct trace_seq *s, struct tep_record *record,
			       struct tep_event *event, void *context)
{
	static const struct sys_arg unknown = { .name = "", .kind = SYS_XLONG };
	const struct named_event *named = context;
	const enum sys_abi abi = context_arch(named->ctx);
	const struct tep_format_field *field;
	uint64_t value, before = 0;
	const char *comma = "";

	for (field = event->format.fields; field; field = field->next) {
		const struct sys_arg *arg = find_arg(named->proto, field->name);

		if (!is_parameter(field))
			continue;
		if (!field_number(field, record, 0, &value)) {
			trace_seq_printf(s, "%s...", comma);
			break;
		}
		if (!arg || arg->kind == SYS_PAIR || arg->kind == SYS_XPAIR)
			arg = &unknown;
		if (!sys_arg_is_unused(arg, before)) {
			trace_seq_printf(s, "%s%s: ", comma, field->name);
			sys_print_arg(s, abi, arg, value, before);
			print_pointed_to(s, event, record, field->name);
			comma = ", ";
		}
		before = value;
	}
	return 0;
}

static int named_exit_handler(struct trace_seq *s, struct tep_record *record,
			      struct tep_event *event, void *context)
{
	const struct named_event *named = context;
	uint64_t ret;

	if (field_find_number(event, "ret", record, &ret))
		sys_print_ret(s, context_arch(named->ctx), named->proto, (int64_t)ret);
	else
		trace_seq_putc(s, '?');
	return 0;
}

typedef int register_func(struct tep_handle *tep, int id, const char *system, const char *event,
			  tep_event_handler_func func, void *context);

/* Register or unregister every handler: one walk, so that the two cannot differ. */
static void for_each_handler(struct syscalls_context *ctx, register_func *func)
{
	char name[80];
	size_t i;

	func(ctx->tep, -1, "raw_syscalls", "sys_enter", raw_enter_handler, ctx);
	func(ctx->tep, -1, "raw_syscalls", "sys_exit", raw_exit_handler, ctx);
	for (i = 0; i < sys_n_protos; i++) {
		ctx->named[i].ctx = ctx;
		ctx->named[i].proto = &sys_protos[i];
		snprintf(name, sizeof(name), "sys_enter_%s", sys_protos[i].event);
		func(ctx->tep, -1, "syscalls", name, named_enter_handler, &ctx->named[i]);
		snprintf(name, sizeof(name), "sys_exit_%s", sys_protos[i].event);
		func(ctx->tep, -1, "syscalls", name, named_exit_handler, &ctx->named[i]);
	}
}

/* A mistyped option would otherwise go unnoticed: the ABI of plugins has no way to report it. */
static enum sys_abi parse_abi_option(enum option_index index)
{
	const struct tep_plugin_option *option = &TEP_PLUGIN_OPTIONS[index];
	enum sys_abi abi = SYS_ABI_NONE;

	if (option->value && option->value[0]) {
		abi = sys_abi_parse(option->value);
		if (abi == SYS_ABI_NONE)
			fprintf(stderr, "plugin_syscalls: unknown %s '%s'\n", option->name,
				option->value);
	}
	return abi;
}

static int parse_pids(struct syscalls_context *ctx, const char *text)
{
	const char *pos = text;
	char *end;
	long pid;

	if (!text || !text[0])
		return 0;
	/* No more pids than characters. */
	ctx->pids = calloc(strlen(text), sizeof(*ctx->pids));
	if (!ctx->pids)
		return -1;
	for (;;) {
		pid = strtol(pos, &end, 10);
		if (end == pos || (*end && *end != ',') || pid <= 0 || pid > INT32_MAX) {
			fprintf(stderr, "plugin_syscalls: bad pid in compat '%s'\n", text);
			break;
		}
		ctx->pids[ctx->n_pids++] = (int)pid;
		if (!*end)
			break;
		pos = end + 1;
	}
	return 0;
}

static void context_free(struct syscalls_context *ctx)
{
	if (!ctx)
		return;
	free(ctx->named);
	free(ctx->pids);
	free(ctx);
}

int TEP_PLUGIN_LOADER(struct tep_handle *tep)
{
	struct syscalls_context *ctx;
	enum sys_abi arch;

	ctx = calloc(1, sizeof(*ctx));
	if (!ctx)
		return -1;
	ctx->tep = tep;
	ctx->named = calloc(sys_n_protos, sizeof(*ctx->named));
	arch = parse_abi_option(OPTION_ARCH);
	ctx->arch = arch == SYS_ABI_NONE ? ABI_UNDECIDED : (int)arch;
	ctx->abi = parse_abi_option(OPTION_ABI);
	if (!ctx->named || parse_pids(ctx, TEP_PLUGIN_OPTIONS[OPTION_COMPAT].value) < 0) {
		context_free(ctx);
		return -1;
	}
	for_each_handler(ctx, tep_register_event_handler);
	ctx->next = TEP_PLUGIN_OPTIONS[0].priv;
	TEP_PLUGIN_OPTIONS[0].priv = ctx;
	return 0;
}

int TEP_PLUGIN_UNLOADER(struct tep_handle *tep)
{
	struct syscalls_context *ctx, *before = NULL;

	for (ctx = TEP_PLUGIN_OPTIONS[0].priv; ctx && ctx->tep != tep; ctx = ctx->next)
		before = ctx;
	if (!ctx)
		return 0;
	if (before)
		before->next = ctx->next;
	else
		TEP_PLUGIN_OPTIONS[0].priv = ctx->next;
	for_each_handler(ctx, tep_unregister_event_handler);
	context_free(ctx);
	return 0;
}
