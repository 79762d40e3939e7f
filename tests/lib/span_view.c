/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/span_view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/out.h"
#include "decode/event.h"
#include "decode/trace.h"
#include "lib/bytes.h"
#include "lib/dat_build.h"
#include "pipeline/run.h"
#include "pipeline/view.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-recorder.h"

static const char symbols[] = "ffffffff81010000 t alpha\n"
			      "ffffffff81020000 t beta\n"
			      "ffffffff81030000 t gamma\n"
			      "ffffffff8103fff0 T __irqentry_text_start\n"
			      "ffffffff81040000 t sysvec\n"
			      "ffffffff81050000 T __irqentry_text_end\n";

#define INT(name, offset) "\tfield:int " name ";\toffset:" #offset ";\tsize:4;\tsigned:1;\n"
#define LONG(name, offset) "\tfield:long " name ";\toffset:" #offset ";\tsize:8;\tsigned:1;\n"
#define ULONG(name, offset) \
	"\tfield:unsigned long " name ";\toffset:" #offset ";\tsize:8;\tsigned:0;\n"
#define COMM(name, offset) "\tfield:char " name "[16];\toffset:" #offset ";\tsize:16;\tsigned:0;\n"
#define FORMAT(name, id, fields, print) \
	"name: " name "\nID: " #id "\n" DAT_COMMON_FIELDS fields "\nprint fmt: " print "\n"

/* include/trace/events/sched.h of Linux 6.1, as a kernel shows it */
#define STATES                                                                              \
	"\"%s%s\", (REC->prev_state & 0xff) ? __print_flags(REC->prev_state & 0xff, \"|\"," \
	" { 0x00000001, \"S\" }, { 0x00000002, \"D\" }, { 0x00000004, \"T\" },"             \
	" { 0x00000008, \"t\" }, { 0x00000010, \"X\" }, { 0x00000020, \"Z\" },"             \
	" { 0x00000040, \"P\" }, { 0x00000080, \"I\" }) : \"R\","                           \
	" REC->prev_state & 0x100 ? \"+\" : \"\""
#define WAKE(name, id)                                                                         \
	FORMAT(name, id, COMM("comm", 8) INT("pid", 24) INT("prio", 28) INT("target_cpu", 32), \
	       "\"pid=%d\", REC->pid")

static const char *const sched_formats[] = {
	FORMAT("sched_switch", 60,
	       COMM("prev_comm", 8) INT("prev_pid", 24) INT("prev_prio", 28) LONG("prev_state", 32)
		       COMM("next_comm", 40) INT("next_pid", 56) INT("next_prio", 60),
	       STATES),
	WAKE("sched_waking", 61),
	WAKE("sched_wakeup", 62),
	WAKE("sched_wakeup_new", 63),
	FORMAT("sched_migrate_task", 64,
	       COMM("comm", 8) INT("pid", 24) INT("prio", 28) INT("orig_cpu", 32)
		       INT("dest_cpu", 36),
	       "\"pid=%d\", REC->pid"),
	NULL,
};

static const char *const syscall_formats[] = {
	FORMAT("sys_enter_read", 65, INT("__syscall_nr", 8) ULONG("fd", 16), "\"fd\""),
	FORMAT("sys_exit_read", 66, INT("__syscall_nr", 8) LONG("ret", 16), "\"ret\""),
	NULL,
};

static const char *const raw_formats[] = {
	FORMAT("sys_enter", 67, LONG("id", 8), "\"NR %ld\", REC->id"),
	FORMAT("sys_exit", 68, LONG("id", 8) LONG("ret", 16), "\"NR %ld\", REC->id"),
	NULL,
};

static const char *const irq_formats[] = {
	FORMAT("irq_handler_entry", 69,
	       INT("irq", 8) "\tfield:__data_loc char[] name;\toffset:12;\tsize:4;\tsigned:0;\n",
	       "\"irq=%d name=%s\", REC->irq, __get_str(name)"),
	FORMAT("irq_handler_exit", 70, INT("irq", 8) INT("ret", 12), "\"irq=%d\", REC->irq"),
	FORMAT("softirq_entry", 71, INT("vec", 8),
	       "\"[action=%s]\", __print_symbolic(REC->vec, { 0, \"HI\" }, { 1, \"TIMER\" })"),
	FORMAT("softirq_exit", 72, INT("vec", 8),
	       "\"[action=%s]\", __print_symbolic(REC->vec, { 0, \"HI\" }, { 1, \"TIMER\" })"),
	NULL,
};

static const char *const vector_formats[] = {
	FORMAT("local_timer_entry", 73, INT("vector", 8), "\"vector=%d\", REC->vector"),
	FORMAT("local_timer_exit", 74, INT("vector", 8), "\"vector=%d\", REC->vector"),
	NULL,
};

static const char *const block_formats[] = {
	FORMAT("block_rq_issue", 75, INT("dev", 8) ULONG("sector", 16), "\"%d\", REC->dev"),
	FORMAT("block_rq_complete", 76, INT("dev", 8) ULONG("sector", 16), "\"%d\", REC->dev"),
	NULL,
};

static const char *const probe_formats[] = {
	FORMAT("work", 77, ULONG("__probe_ip", 8), "\"(%lx)\", REC->__probe_ip"),
	FORMAT("work__return", 78, ULONG("__probe_func", 8) ULONG("__probe_ret_ip", 16),
	       "\"(%lx)\", REC->__probe_func"),
	NULL,
};

#define CALL                                                           \
	"\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n" \
	"\tfield:unsigned int depth;\toffset:16;\tsize:4;\tsigned:0;\n"

static const char *const ftrace_formats[] = {
	FORMAT("funcgraph_entry", 11, CALL, "\"--> %ps (%u)\", (void *)REC->func, REC->depth"),
	FORMAT("funcgraph_exit", 10,
	       CALL "\tfield:unsigned int overrun;\toffset:20;\tsize:4;\tsigned:0;\n"
		    "\tfield:unsigned long long calltime;\toffset:24;\tsize:8;\tsigned:0;\n"
		    "\tfield:unsigned long long rettime;\toffset:32;\tsize:8;\tsigned:0;\n",
	       "\"<-- %ps (%u)\", (void *)REC->func, REC->depth"),
	NULL,
};

static const struct dat_system systems[] = {
	{ "raw_syscalls", raw_formats },   { "irq", irq_formats },
	{ "irq_vectors", vector_formats }, { "block", block_formats },
	{ "probes", probe_formats },       { NULL, NULL },
};

static void add_comm(struct bytes *b, uint64_t pid)
{
	char comm[16] = "swapper";

	if (pid)
		snprintf(comm, sizeof(comm), "task%u", (unsigned int)pid);
	bytes_add(b, comm, sizeof(comm));
}

static void add_call(struct bytes *b, const struct span_event *e)
{
	bytes_u64(b, 0xffffffff81000000 + 0x10000 * e->a);
	bytes_u32(b, (uint32_t)e->b);
	bytes_u32(b, 0);
	if (e->kind == CALL_ENTRY)
		return;
	bytes_u64(b, e->ts - e->c);
	bytes_u64(b, e->ts);
}

static void add_fields(struct bytes *b, const struct span_event *e)
{
	switch (e->kind) {
	case CALL_ENTRY:
	case CALL_EXIT:
		add_call(b, e);
		return;
	case SWITCH:
		add_comm(b, e->pid);
		bytes_u32(b, e->pid);
		bytes_u32(b, 120);
		bytes_u64(b, e->a);
		add_comm(b, e->b);
		bytes_u32(b, (uint32_t)e->b);
		bytes_u32(b, 120);
		return;
	case WAKING:
	case WAKEUP:
	case WAKEUP_NEW:
	case MIGRATE:
		add_comm(b, e->a);
		bytes_u32(b, (uint32_t)e->a);
		bytes_u32(b, 120);
		bytes_u32(b, (uint32_t)e->b);
		bytes_u32(b, (uint32_t)e->b);
		return;
	case IRQ_ENTRY:
		bytes_u32(b, (uint32_t)e->a);
		bytes_u32(b, 16 | 5 << 16);
		bytes_add(b, "disk\0\0\0\0", 8);
		return;
	case RAW_ENTER:
	case RAW_EXIT:
	case PROBE:
	case RETURN:
		bytes_u64(b, e->a);
		bytes_u64(b, e->b);
		return;
	default:
		bytes_u32(b, (uint32_t)e->a);
		bytes_u32(b, 0);
		bytes_u64(b, e->b);
	}
}

static void add_record(struct bytes *b, const struct span_event *e)
{
	bytes_u16(b, (uint16_t)e->kind);
	bytes_u8(b, (uint8_t)e->flags);
	bytes_u8(b, 0);
	bytes_u32(b, e->pid);
	add_fields(b, e);
}

static void end_page(struct page_builder *p, uint32_t lost)
{
	if (lost)
		page_end_lost(p, lost);
	else
		page_end(p, 0);
}

static void fill_pages(const struct span_event *events, size_t n, unsigned int cpu,
		       struct bytes *out)
{
	uint32_t lost = 0;
	uint64_t before = 0;
	struct page_builder p = { 0 };
	struct bytes e;

	for (size_t i = 0; i < n; i++) {
		if (events[i].cpu != cpu)
			continue;
		if (p.out && (events[i].lost || events[i].kind == CUT || page_used(&p) > 3000)) {
			end_page(&p, lost);
			p.out = NULL;
		}
		if (!p.out) {
			page_begin(&p, out, 8, 4096, events[i].ts);
			before = events[i].ts;
			lost = events[i].lost;
		}
		if (events[i].kind == CUT) {
			page_end(&p, 0xffff);
			return;
		}
		bytes_init(&e, false);
		add_record(&e, &events[i]);
		page_data(&p, (uint32_t)(events[i].ts - before), e.sb.s, e.sb.len);
		bytes_release(&e);
		before = events[i].ts;
	}
	if (p.out)
		end_page(&p, lost);
}

static int build(const struct span_event *events, size_t n, const uint32_t *recorder)
{
	const struct dat_spec spec = { .cpus = SPAN_CPUS,
				       .page_size = 4096,
				       .sched = sched_formats,
				       .syscalls = syscall_formats,
				       .ftrace = ftrace_formats,
				       .systems = systems,
				       .kallsyms = symbols };
	const uint32_t n_cpus = SPAN_CPUS;
	struct bytes pages[SPAN_CPUS];
	struct tfs_strbuf tids = TFS_STRBUF_INIT;
	struct dat_cpu cpus[SPAN_CPUS];
	struct dat_builder d;
	int fd;

	dat_begin(&d, &spec);
	dat_metadata(&d);
	dat_option(&d, 8, &n_cpus, sizeof(n_cpus));
	for (unsigned int i = 0; i < SPAN_CPUS; i++) {
		bytes_init(&pages[i], false);
		fill_pages(events, n, i, &pages[i]);
		cpus[i] = (struct dat_cpu){ .cpu = i, .pages = &pages[i] };
	}
	if (recorder) {
		for (n = 0; recorder[n];)
			n++;
		assert_int_equal(tfs_dat_recorder_put(&tids, recorder, n), 0);
		dat_option(&d, TFS_DAT_PRIVATE_RECORDER, tids.s, tids.len);
		tfs_strbuf_release(&tids);
	}
	dat_buffer(&d, "", cpus, SPAN_CPUS);
	dat_options_end(&d);
	fd = memfd_create("dat", MFD_CLOEXEC);
	assert_int_equal(write(fd, d.b.sb.s, d.b.sb.len), (ssize_t)d.b.sb.len);
	for (unsigned int i = 0; i < SPAN_CPUS; i++)
		bytes_release(&pages[i]);
	dat_release(&d);
	return fd;
}

static int add_span(void *ctx, const struct tfs_span *span)
{
	static const char *const kinds[] = { "run",     "state", "irq", "softirq",
					     "syscall", "graph", "pair" };
	static const char *const flags[] = { "no-begin",   "no-end", "cut",
					     "unselected", "keyed",  "made" };
	struct span_view *v = ctx;

	tfs_strbuf_addf(&v->text, "%s %s tid %d cpu %d %llu-%llu", kinds[span->kind], span->name,
			span->tid, span->cpu, (unsigned long long)span->begin,
			(unsigned long long)span->end);
	assert_true(span->end >= span->begin);
	if (span->input)
		tfs_strbuf_addf(&v->text, " input %u", span->input);
	if (span->kind == TFS_SPAN_STATE)
		tfs_strbuf_addf(&v->text, " %s", tfs_task_state_name(span->state));
	if (span->kind == TFS_SPAN_GRAPH)
		tfs_strbuf_addf(&v->text, " took %llu self %llu",
				(unsigned long long)span->duration, (unsigned long long)span->self);
	if (span->depth)
		tfs_strbuf_addf(&v->text, " depth %u", span->depth);
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (span->flags & 1u << i)
			tfs_strbuf_addf(&v->text, " %s", flags[i]);
	return tfs_strbuf_addc(&v->text, '\n');
}

static int add_gap(void *ctx, const struct tfs_span_gap *gap)
{
	struct span_view *v = ctx;

	return tfs_strbuf_addf(&v->text, "gap cpu %d %llu-%llu %llu%s\n", gap->cpu,
			       (unsigned long long)gap->begin, (unsigned long long)gap->end,
			       (unsigned long long)gap->count, gap->missing ? " missing" : "");
}

/* With the numbers of x86_64 and i386 */
static const char *name_syscall(const void *syscalls, int64_t nr, enum tfs_syscall_abi abi)
{
	static const struct {
		int64_t nr[2];
		const char *name;
	} names[] = {
		{ { 39, 20 }, "getpid" }, { { 59, 11 }, "execve" },  { { 322, 358 }, "execveat" },
		{ { 56, 120 }, "clone" }, { { 57, 2 }, "fork" },     { { 435, 435 }, "clone3" },
		{ { 11, 91 }, "munmap" }, { { 20, 146 }, "writev" }, { { 118, 209 }, "getresuid" },
	};

	for (size_t i = 0; i < N_SPAN_EVENTS(names) && syscalls; i++)
		if (names[i].nr[abi] == nr)
			return names[i].name;
	return nr == 7 ? syscalls : NULL;
}

/* A view that hands everything over. */
struct model {
	struct tfs_view view;
	struct tfs_spans *spans;
};

static int model_event(struct tfs_view *view, void *state, const struct tfs_event *event,
		       struct tfs_strbuf *out)
{
	(void)state;
	(void)out;
	return tfs_spans_event(((struct model *)view)->spans, event);
}

static int model_lost(struct tfs_view *view, void *state, const struct tfs_event *event,
		      struct tfs_strbuf *out)
{
	(void)state;
	(void)out;
	return tfs_spans_lost(((struct model *)view)->spans, event);
}

static int model_end(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	(void)out;
	(void)err;
	return tfs_spans_end(((struct model *)view)->spans);
}

static const struct tfs_view_ops model_ops = {
	.event = model_event,
	.lost = model_lost,
	.end = model_end,
};

static const struct tfs_span_ops span_ops = { .span = add_span, .gap = add_gap };

int span_set_up(void **state)
{
	struct span_view *v = calloc(1, sizeof(*v));

	if (!v)
		return -1;
	v->err = TFS_ERR_INIT;
	tfs_strbuf_init(&v->text);
	v->opts.kinds = TFS_SPAN_ALL;
	v->opts.pairs = &v->pairs;
	*state = v;
	return 0;
}

int span_tear_down(void **state)
{
	struct span_view *v = *state;

	tfs_strvec_release(&v->pairs);
	tfs_strbuf_release(&v->text);
	free(v);
	return 0;
}

static int run_model(struct tfs_trace **traces, size_t n, struct span_view *v)
{
	struct model f = { .view = { .ops = &model_ops,
				     .flags = TFS_VIEW_UNSELECTED | TFS_VIEW_MISSING } };
	struct tfs_run_input inputs[4] = { { .trace = traces[0] } };
	const struct tfs_run_opts run = { .inputs = inputs, .n = n };
	const void *syscalls[4] = { v->syscall, v->syscall, v->syscall, v->syscall };
	int null = memfd_create("out", MFD_CLOEXEC), rc;
	struct tfs_out *out = NULL;

	for (size_t i = 0; i < n; i++)
		inputs[i].trace = traces[i];
	v->opts.traces = traces;
	v->opts.n = n;
	v->opts.ops = &span_ops;
	v->opts.ctx = v;
	v->opts.syscall = name_syscall;
	v->opts.syscalls = syscalls;
	rc = tfs_out_new(null, &out);
	if (!rc)
		rc = tfs_spans_new(&v->opts, &f.spans, &v->err);
	if (!rc)
		rc = tfs_run(&f.view, out, &run, &v->err);
	if (f.spans)
		v->counts = *tfs_spans_counts(f.spans);
	tfs_spans_free(f.spans);
	tfs_out_free(out);
	close(null);
	return rc;
}

int span_run(const int *fds, size_t n, struct span_view *v)
{
	static const struct tfs_trace_opts plain = { .no_plugins = true };
	struct tfs_trace *traces[4] = { NULL };
	char path[64];
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[i]);
		rc = tfs_trace_open(path, &plain, &traces[i], NULL);
	}
	if (!rc)
		rc = run_model(traces, n, v);
	for (size_t i = 0; i < n; i++)
		tfs_trace_free(traces[i]);
	return rc;
}

int span_build(const struct span_event *events, size_t n)
{
	return build(events, n, NULL);
}

void span_expect(struct span_view *v, const struct span_event *events, size_t n, const char *text)
{
	int fd = build(events, n, v->recorder);
	int rc = span_run(&fd, 1, v);

	close(fd);
	assert_int_equal(rc, 0);
	assert_string_equal(v->text.s ? v->text.s : "", text);
}
