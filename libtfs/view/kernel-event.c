/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/kernel-event.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "base/strbuf-core.h"
#include "decode/event-text.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/trace.h"
#include "decode/value.h"
#include "printfmt/env.h"
#include "view/kernel-internal.h"

/*
 * The entries that the kernel does not print by their print formats: system calls
 * (kernel/trace/trace_syscalls.c) and those of ftrace itself (kernel/trace/trace_output.c).
 */

/* After a stack's last address, and in place of a trampoline of ftrace */
#define STACK_END UINT64_MAX
#define TRAMPOLINE ((uint64_t)INT64_MAX)

static const struct tfs_field *field_of(const struct tfs_event *event, const char *name,
					struct tfs_value *v)
{
	const struct tfs_fields *fields = event->type->fields;
	const struct tfs_field *f = tfs_fields_find(fields, name, strlen(name));

	*v = (struct tfs_value){ .number = 0 };
	if (f && !tfs_fields_get(fields, f, event->rec.data, event->rec.size, v))
		f = NULL;
	return f;
}

/* A number; 0 where there is no such field. */
static uint64_t number(const struct tfs_event *event, const char *name)
{
	struct tfs_value v;

	field_of(event, name, &v);
	return v.number;
}

/* A function without an offset: "%ps", "0x%08lx" where there is none. */
static int put_function(const struct tfs_trace *trace, uint64_t addr, struct tfs_strbuf *out)
{
	const struct tfs_format_env *env = tfs_trace_env(trace);
	uint64_t start;
	const char *name = env->symbol ? env->symbol(env->symbols, addr, &start) : NULL;

	if (!addr)
		return tfs_strbuf_addc(out, '0');
	return name ? tfs_strbuf_adds(out, name) : tfs_strbuf_addf(out, "0x%08" PRIx64, addr);
}

uint64_t tfs_kernel_number(const struct tfs_event_type *type, const char *name, const void *data,
			   size_t size)
{
	const struct tfs_field *f =
		type->fields ? tfs_fields_find(type->fields, name, strlen(name)) : NULL;
	struct tfs_value v = { .number = 0 };

	if (f && !tfs_fields_get(type->fields, f, data, size, &v))
		v.number = 0;
	return v.number;
}

static int put_call(const struct tfs_kernel_event *ke, const struct tfs_event *event,
		    struct tfs_strbuf *out)
{
	int rc = put_function(ke->trace, number(event, "ip"), out);

	if (!rc)
		rc = tfs_strbuf_adds(out, " <-");
	return rc ? rc : put_function(ke->trace, number(event, "parent_ip"), out);
}

static int put_function_entry(const struct tfs_kernel_event *ke, const struct tfs_event *event,
			      struct tfs_strbuf *out)
{
	int rc = put_call(ke, event, out);

	return rc ? rc : tfs_strbuf_addc(out, '\n');
}

static int put_repeats(const struct tfs_kernel_event *ke, const struct tfs_event *event,
		       struct tfs_strbuf *out)
{
	uint64_t delta = number(event, "top_delta_ts") << 32 | number(event, "bottom_delta_ts");
	int rc = put_call(ke, event, out);

	if (!rc)
		rc = tfs_strbuf_addf(out,
				     " (repeats: %" PRIu64 ", last_ts:", number(event, "count"));
	if (!rc)
		rc = ke->stamp(ke->trace, event->rec.ts - delta, out);
	return rc ? rc : tfs_strbuf_adds(out, ")\n");
}

static int put_kernel_stack(const struct tfs_kernel_event *ke, const struct tfs_event *event,
			    struct tfs_strbuf *out)
{
	unsigned int word = tfs_trace_env(ke->trace)->long_size;
	struct tfs_value v;
	const struct tfs_field *f = field_of(event, "caller", &v);
	/* the format says how many there are at most or usually, the record how many there are */
	size_t n = f && event->rec.size > f->offset ? (event->rec.size - f->offset) / word : 0;
	int rc = tfs_strbuf_adds(out, "<stack trace>\n");

	v.data = f ? (const unsigned char *)event->rec.data + f->offset : NULL;
	v.size = n * word;
	v.n = n;
	for (size_t i = 0; i < n && !rc; i++) {
		uint64_t addr = tfs_value_element(f, &v, i);

		if (!addr || addr == (word == 4 ? UINT32_MAX : STACK_END))
			break;
		rc = tfs_strbuf_adds(out, " => ");
		if (!rc && addr == (word == 4 ? TRAMPOLINE >> 32 : TRAMPOLINE))
			rc = tfs_strbuf_adds(out, "[FTRACE TRAMPOLINE]");
		else if (!rc)
			rc = put_function(ke->trace, addr, out);
		if (!rc)
			rc = tfs_strbuf_addc(out, '\n');
	}
	return rc;
}

static int put_user_stack(const struct tfs_kernel_event *ke, const struct tfs_event *event,
			  struct tfs_strbuf *out)
{
	int width = (int)tfs_trace_env(ke->trace)->long_size * 2;
	struct tfs_value v;
	const struct tfs_field *f = field_of(event, "caller", &v);
	int rc = tfs_strbuf_adds(out, "<user stack trace>\n");

	for (size_t i = 0; f && i < v.n && !rc; i++) {
		uint64_t addr = tfs_value_element(f, &v, i);

		if (!addr)
			break;
		rc = tfs_strbuf_addf(out, " =>  <%0*" PRIx64 ">\n", width, addr);
	}
	return rc;
}

/* The text of a print format, without the event's name in front */
static int put_text(const struct tfs_kernel_event *ke, const struct tfs_event *event,
		    struct tfs_strbuf *out)
{
	return tfs_event_text_line(ke->event_text, event, out);
}

static int put_raw_data(const struct tfs_kernel_event *ke, const struct tfs_event *event,
			struct tfs_strbuf *out)
{
	struct tfs_value v;
	const struct tfs_field *buf = field_of(event, "buf", &v);
	const unsigned char *data = event->rec.data;
	int rc = tfs_strbuf_addf(out, "# %" PRIx64 " buf:", number(event, "id") & UINT32_MAX);

	(void)ke;
	for (size_t i = buf ? buf->offset : event->rec.size; i < event->rec.size && !rc; i++)
		rc = tfs_strbuf_addf(out, " %02x", data[i]);
	return rc ? rc : tfs_strbuf_addc(out, '\n');
}

/* The letter of a task's state as the kernel's task_index_to_char() has them */
static char state_of(uint64_t state)
{
	static const char letters[] = "RSDTtXZPI";

	return state < sizeof(letters) - 1 ? letters[state] : '?';
}

static int put_task_switch(const struct tfs_kernel_event *ke, const struct tfs_event *event,
			   const char *arrow, char prev_state, struct tfs_strbuf *out)
{
	int next = (int)number(event, "next_pid");

	return tfs_strbuf_addf(out, " %*d:%3d:%c %s [%03d] %*d:%3d:%c %s\n", ke->style->pid_width,
			       (int)number(event, "prev_pid"), (int)number(event, "prev_prio"),
			       prev_state, arrow, (int)number(event, "next_cpu"),
			       ke->style->pid_width, next, (int)number(event, "next_prio"),
			       state_of(number(event, "next_state")),
			       tfs_trace_comm(ke->trace, next));
}

static int put_context_switch(const struct tfs_kernel_event *ke, const struct tfs_event *event,
			      struct tfs_strbuf *out)
{
	return put_task_switch(ke, event, "==>", state_of(number(event, "prev_state")), out);
}

static int put_wakeup(const struct tfs_kernel_event *ke, const struct tfs_event *event,
		      struct tfs_strbuf *out)
{
	return put_task_switch(ke, event, "  +", state_of(number(event, "prev_state")), out);
}

static int put_hwlat(const struct tfs_kernel_event *ke, const struct tfs_event *event,
		     struct tfs_strbuf *out)
{
	uint64_t nmis = number(event, "nmi_count"), total = number(event, "nmi_total_ts");
	struct tfs_value count;
	int rc = tfs_strbuf_addf(out,
				 "#%-5" PRIu64 " inner/outer(us): %4" PRIu64 "/%-5" PRIu64
				 " ts:%" PRId64 ".%09" PRId64,
				 number(event, "seqnum"), number(event, "duration"),
				 number(event, "outer_duration"), (int64_t)number(event, "tv_sec"),
				 (int64_t)number(event, "tv_nsec"));

	(void)ke;
	/* since 5.7 */
	if (!rc && field_of(event, "count", &count))
		rc = tfs_strbuf_addf(out, " count:%" PRId64, (int64_t)count.number);
	/* the time is kept where the scheduler's clock may be read in an NMI */
	if (!rc && nmis && total)
		rc = tfs_strbuf_addf(out, " nmi-total:%" PRIu64, total);
	if (!rc && nmis)
		rc = tfs_strbuf_addf(out, " nmi-count:%" PRIu64, nmis);
	return rc ? rc : tfs_strbuf_addc(out, '\n');
}

static int put_osnoise(const struct tfs_kernel_event *ke, const struct tfs_event *event,
		       struct tfs_strbuf *out)
{
	uint64_t runtime = number(event, "runtime"), noise = number(event, "noise");
	uint64_t ratio = runtime ? (runtime - noise) * 10000000 / runtime : 0;

	(void)ke;
	return tfs_strbuf_addf(out,
			       "%" PRIu64 " %10" PRIu64 " %3" PRIu64 ".%05" PRIu64 " %7" PRIu64
			       " %6" PRIu64 " %6" PRIu64 " %6" PRIu64 " %6" PRIu64 " %6" PRIu64
			       "\n",
			       runtime, noise, ratio / 100000, ratio % 100000,
			       number(event, "max_sample"), number(event, "hw_count"),
			       number(event, "nmi_count"), number(event, "irq_count"),
			       number(event, "softirq_count"), number(event, "thread_count"));
}

static int put_timerlat(const struct tfs_kernel_event *ke, const struct tfs_event *event,
			struct tfs_strbuf *out)
{
	static const char *const contexts[] = { "irq", "thread", "user-ret" };
	uint64_t context = number(event, "context");

	(void)ke;
	return tfs_strbuf_addf(out, "#%-5" PRIu64 " context %6s timer_latency %9" PRIu64 " ns\n",
			       number(event, "seqnum"), context < 3 ? contexts[context] : "?",
			       number(event, "timer_latency"));
}

/* "sys_" and the call's name: the event's without "sys_enter_" or "sys_exit_" */
static int put_call_name(const struct tfs_event *event, size_t skip, struct tfs_strbuf *out)
{
	int rc = tfs_strbuf_adds(out, "sys_");

	return rc ? rc :
		    tfs_strbuf_add(out, event->type->name + skip, event->type->name_len - skip);
}

static int put_enter(const struct tfs_kernel_event *ke, const struct tfs_event *event,
		     struct tfs_strbuf *out)
{
	int rc = put_call_name(event, strlen("sys_enter_"), out);

	if (!rc)
		rc = tfs_strbuf_addc(out, '(');
	if (!rc)
		rc = tfs_kernel_arguments(ke, event, out);
	return rc ? rc : tfs_strbuf_adds(out, ")\n");
}

static int put_exit(const struct tfs_kernel_event *ke, const struct tfs_event *event,
		    struct tfs_strbuf *out)
{
	uint64_t ret = number(event, "ret");
	int rc = put_call_name(event, strlen("sys_exit_"), out);

	if (tfs_trace_env(ke->trace)->long_size == 4)
		ret &= UINT32_MAX;
	return rc ? rc : tfs_strbuf_addf(out, " -> 0x%" PRIx64 "\n", ret);
}

/* Where a probe is: a function and an offset, or an address of a program */
static int put_place(const struct tfs_trace *trace, uint64_t addr, bool offset,
		     struct tfs_strbuf *out)
{
	const struct tfs_format_env *env = tfs_trace_env(trace);
	uint64_t start = 0, top = env->long_size == 4 ? UINT32_MAX / 2 : INT64_MAX;
	const char *name = NULL;

	if (addr > top && env->symbol)
		name = env->symbol(env->symbols, addr, &start);
	if (!name)
		return tfs_strbuf_addf(out, "0x%" PRIx64, addr);
	return offset ? tfs_strbuf_addf(out, "%s+0x%" PRIx64, name, addr - start) :
			tfs_strbuf_adds(out, name);
}

/*
 * A probe's text begins with "(ADDRESS)" or "(RETURN <- FUNCTION)". Its print format has numbers
 * there; the kernel prints symbols (trace_kprobe.c, trace_uprobe.c, trace_fprobe.c).
 */
static int put_probe(const struct tfs_kernel_event *ke, const struct tfs_event *event, size_t start,
		     struct tfs_strbuf *out)
{
	const char *close = out->s[start] == '(' ? strchr(out->s + start, ')') : NULL;
	struct tfs_value ip, func, ret;
	bool entry, exit;
	char *rest;
	int rc;

	if (!close)
		return 0;
	entry = field_of(event, "__probe_ip", &ip);
	exit = field_of(event, "__probe_func", &func) && field_of(event, "__probe_ret_ip", &ret);
	if (!entry && !exit)
		return 0;
	rest = strdup(close);
	if (!rest)
		return -ENOMEM;
	out->len = start + 1;
	rc = put_place(ke->trace, entry ? ip.number : ret.number, true, out);
	if (!rc && !entry)
		rc = tfs_strbuf_adds(out, " <- ");
	if (!rc && !entry)
		rc = put_place(ke->trace, func.number, false, out);
	if (!rc)
		rc = tfs_strbuf_adds(out, rest);
	free(rest);
	return rc;
}

#define ROW(system, name, prefix, put)                      \
	{                                                   \
		system, name, sizeof(name) - 1, prefix, put \
	}

/* @prefix: any event whose name begins so */
static const struct row {
	const char *system, *name;
	size_t len;
	bool prefix;
	int (*put)(const struct tfs_kernel_event *ke, const struct tfs_event *event,
		   struct tfs_strbuf *out);
} rows[] = {
	ROW("syscalls", "sys_enter_", true, put_enter),
	ROW("syscalls", "sys_exit_", true, put_exit),
	ROW("ftrace", "function", false, put_function_entry),
	ROW("ftrace", "func_repeats", false, put_repeats),
	ROW("ftrace", "kernel_stack", false, put_kernel_stack),
	ROW("ftrace", "user_stack", false, put_user_stack),
	ROW("ftrace", "print", false, put_text),
	ROW("ftrace", "bprint", false, put_text),
	ROW("ftrace", "bputs", false, put_text),
	ROW("ftrace", "raw_data", false, put_raw_data),
	ROW("ftrace", "context_switch", false, put_context_switch),
	ROW("ftrace", "wakeup", false, put_wakeup),
	ROW("ftrace", "hwlat", false, put_hwlat),
	ROW("ftrace", "osnoise", false, put_osnoise),
	ROW("ftrace", "timerlat", false, put_timerlat),
};

static const struct row *row_of(const struct tfs_event_type *type)
{
	/* for what most records are */
	if (*type->system != 'f' && *type->system != 's')
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *r = &rows[i];
		size_t len = r->len;

		if (type->name_len < len || memcmp(type->name, r->name, len) != 0 ||
		    strcmp(type->system, r->system) != 0)
			continue;
		if (r->prefix || type->name_len == len)
			return r;
	}
	return NULL;
}

int tfs_kernel_event(const struct tfs_kernel_event *ke, const struct tfs_event *event,
		     struct tfs_strbuf *out)
{
	const struct tfs_event_type *type = event->type;
	const struct row *row = row_of(type);
	size_t start;
	int rc;

	if (row && type->fields)
		return row->put(ke, event, out);
	rc = tfs_strbuf_add(out, type->name, type->name_len);
	if (!rc)
		rc = tfs_strbuf_adds(out, ": ");
	start = out->len;
	if (!rc)
		rc = tfs_event_text_print(ke->event_text, event, out);
	if (rc)
		return rc;
	/* the kernel's texts end where a string does */
	out->len = start + strnlen(out->s + start, out->len - start);
	out->s[out->len] = '\0';
	rc = type->fields ? put_probe(ke, event, start, out) : 0;
	return rc ? rc : tfs_strbuf_addc(out, '\n');
}
