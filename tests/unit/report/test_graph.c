/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/io.h"
#include "base/out.h"
#include "base/strbuf.h"
#include "base/strvec.h"
#include "lib/alloc_fail.h"
#include "lib/bytes.h"
#include "lib/dat_build.h"
#include "report/graph-pairs.h"
#include "report/graph.h"
#include "report/run.h"
#include "report/sink.h"
#include "report/trace.h"

/* Recordings whose calls are known one by one: texts and sums are arithmetic. */
#define CPUS 2
#define FLAG_HARDIRQ 8
#define N_EVENTS(events) (sizeof(events) / sizeof(*(events)))

enum kind { EXIT = 10, ENTRY = 11, ENTRY_FROM = 12, WORK = 50, DONE, NOTE };

enum func { A = 1, B, C, D, IRQ_ENTER, TICK, COLD };

static const char symbols[] = "ffffffff81010000 t alpha\n"
			      "ffffffff81020000 t __beta.constprop.0\n"
			      "ffffffff81030000 t gamma\n"
			      "ffffffff81040000 t delta\n"
			      "ffffffff81050000 t irq_enter_rcu\n"
			      "ffffffff81060000 t tick\n"
			      "ffffffff81070000 t gamma.cold\n"
			      "ffffffff81080000 t behind\n";

/*
 * @ts: of the record; @took: of an exit: ns from calltime to rettime; of another event: its key;
 * @value: return value, first argument, or caller; @lost: events before it; @late: ns from rettime
 * to the record
 */
struct event {
	enum kind kind;
	uint32_t pid;
	enum func func;
	uint32_t depth;
	uint64_t ts, took, value;
	uint32_t cpu, flags, lost, late;
};

#define EV(kind_, pid_, func_, depth_, ts_, ...)                                       \
	{                                                                              \
		.kind = kind_, .pid = pid_, .func = func_, .depth = depth_, .ts = ts_, \
		##__VA_ARGS__                                                          \
	}

#define CALL                                                           \
	"\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n" \
	"\tfield:unsigned int depth;\toffset:16;\tsize:4;\tsigned:0;\n"

static const char *const ftrace_formats[] = {
	"name: funcgraph_entry\nID: 11\n" DAT_COMMON_FIELDS CALL
	"\tfield:unsigned long args[];\toffset:24;\tsize:0;\tsigned:0;\n\n"
	"print fmt: \"--> %ps (%u)\", (void *)REC->func, REC->depth\n",
	"name: fgraph_retaddr_entry\nID: 12\n" DAT_COMMON_FIELDS CALL
	"\tfield:unsigned long retaddr;\toffset:24;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"--> %ps (%u) <- %ps\", (void *)REC->func, REC->depth, (void *)REC->retaddr\n",
	"name: funcgraph_exit\nID: 10\n" DAT_COMMON_FIELDS CALL
	"\tfield:unsigned int overrun;\toffset:20;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long long calltime;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long long rettime;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long retval;\toffset:40;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"<-- %ps (%u)\", (void *)REC->func, REC->depth\n",
	NULL,
};

#define VALUE                                                         \
	"\tfield:unsigned int nr;\toffset:8;\tsize:4;\tsigned:0;\n\n" \
	"print fmt: \"nr=%u\", REC->nr\n"

static const char *const sched_formats[] = {
	"name: work_begin\nID: 50\n" DAT_COMMON_FIELDS VALUE,
	"name: work_end\nID: 51\n" DAT_COMMON_FIELDS VALUE,
	"name: note\nID: 52\n" DAT_COMMON_FIELDS VALUE,
	NULL,
};

static void add_record(struct bytes *b, const struct event *e)
{
	bytes_u16(b, (uint16_t)e->kind);
	bytes_u8(b, (uint8_t)e->flags);
	bytes_u8(b, 0);
	bytes_u32(b, e->pid);
	if (e->kind >= WORK) {
		bytes_u32(b, (uint32_t)e->took);
		return;
	}
	bytes_u64(b, 0xffffffff81000000 + 0x10000 * (uint64_t)e->func);
	bytes_u32(b, e->depth);
	bytes_u32(b, 0);
	if (e->kind != EXIT) {
		if (e->value)
			bytes_u64(b, e->value);
		return;
	}
	bytes_u64(b, e->ts - e->late - e->took);
	bytes_u64(b, e->ts - e->late);
	bytes_u64(b, e->value);
}

static void fill_pages(const struct event *events, size_t n, unsigned int cpu, struct bytes *out)
{
	uint32_t lost = 0, begun = 0;
	struct page_builder p;
	uint64_t before = 0;
	struct bytes e;

	for (size_t i = 0; i < n; i++) {
		if (events[i].cpu != cpu)
			continue;
		if (begun && (events[i].lost || page_used(&p) > 3000)) {
			if (lost)
				page_end_lost(&p, lost);
			else
				page_end(&p, 0);
			begun = 0;
		}
		if (!begun) {
			page_begin(&p, out, 8, 4096, events[i].ts);
			before = events[i].ts;
			lost = events[i].lost;
			begun = 1;
		}
		bytes_init(&e, false);
		add_record(&e, &events[i]);
		page_data(&p, (uint32_t)(events[i].ts - before), e.sb.s, e.sb.len);
		bytes_release(&e);
		before = events[i].ts;
	}
	if (begun && lost)
		page_end_lost(&p, lost);
	else if (begun)
		page_end(&p, 0);
}

static int build(const struct event *events, size_t n)
{
	const struct dat_spec spec = { .cpus = CPUS,
				       .page_size = 4096,
				       .sched = sched_formats,
				       .ftrace = ftrace_formats,
				       .kallsyms = symbols };
	const uint32_t n_cpus = CPUS;
	struct bytes pages[CPUS];
	struct dat_cpu cpus[CPUS];
	struct dat_builder d;
	int fd;

	dat_begin(&d, &spec);
	dat_metadata(&d);
	dat_option(&d, 8, &n_cpus, sizeof(n_cpus));
	for (unsigned int i = 0; i < CPUS; i++) {
		bytes_init(&pages[i], false);
		fill_pages(events, n, i, &pages[i]);
		cpus[i] = (struct dat_cpu){ .cpu = i, .pages = &pages[i] };
	}
	dat_buffer(&d, "", cpus, CPUS);
	dat_options_end(&d);
	fd = bytes_to_fd(d.b.sb.s, d.b.sb.len);
	for (unsigned int i = 0; i < CPUS; i++)
		bytes_release(&pages[i]);
	dat_release(&d);
	return fd;
}

/* What is asked for, what came out, and what tfs_graph_missed() said of it. */
struct view {
	struct tfs_graph_opts opts;
	struct tfs_strvec funcs, callers, pairs;
	struct tfs_strbuf text;
	struct tfs_strvec other, other_callers;
	struct tfs_err err;
	int missed;
};

static int set_up(void **state)
{
	struct view *v = calloc(1, sizeof(*v));

	if (!v)
		return -1;
	*state = v;
	v->err = TFS_ERR_INIT;
	tfs_strbuf_init(&v->text);
	v->opts.funcs = &v->funcs;
	v->opts.callers = &v->callers;
	v->opts.pairs = &v->pairs;
	return 0;
}

static int tear_down(void **state)
{
	struct view *v = *state;

	tfs_strvec_release(&v->funcs);
	tfs_strvec_release(&v->callers);
	tfs_strvec_release(&v->pairs);
	tfs_strvec_release(&v->other);
	tfs_strvec_release(&v->other_callers);
	tfs_strbuf_release(&v->text);
	free(v);
	return 0;
}

static int run(struct tfs_trace *trace, int fd, struct view *v)
{
	const struct tfs_run_opts opts = { 0 };
	struct tfs_sink *sink = NULL;
	struct tfs_out *out = NULL;
	int rc = tfs_out_new(fd, false, &out);

	if (!rc)
		rc = tfs_graph_new(trace, out, &v->opts, &sink, &v->err);
	if (!rc)
		rc = tfs_run_sink(trace, sink, &opts, &v->err);
	if (!rc)
		v->missed = tfs_graph_missed(sink, &v->other, &v->other_callers, &v->err);
	tfs_graph_free(sink);
	tfs_out_free(out);
	return rc;
}

/* Draw the events as @v asks: v->text, without the two lines of the head. */
static void draw(const struct event *events, size_t n, struct view *v)
{
	static const struct tfs_trace_opts plain = { .no_plugins = true };
	int dat = build(events, n), fd = memfd_create("out", MFD_CLOEXEC);
	struct tfs_trace *trace = NULL;
	char path[64], *body;
	ssize_t got;
	off_t size;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", dat);
	assert_int_equal(tfs_trace_open(path, &plain, &trace, NULL), 0);
	assert_int_equal(run(trace, fd, v), 0);
	tfs_trace_free(trace);
	close(dat);
	size = lseek(fd, 0, SEEK_END);
	assert_int_equal(tfs_strbuf_grow(&v->text, (size_t)size), 0);
	got = pread(fd, v->text.s, (size_t)size, 0);
	assert_int_equal(got, size);
	v->text.s[size] = '\0';
	v->text.len = (size_t)size;
	close(fd);
	body = strstr(v->text.s, "|   |   |\n");
	if (body)
		memmove(v->text.s, body + 10, strlen(body + 10) + 1);
}

#define RULE " ------------------------------------------\n"
#define RUNS(cpu, task) RULE "   " #cpu ")  " task "\n" RULE

#define TASK(task) RULE " " task "\n" RULE
/* A line with a duration, and one without; @us: digits of the time behind "0.00" */
#define AT(us, cpu, time, text) "     0.00" us " |   " #cpu ") " time "\t|  " text "\n"
#define IN(us, cpu, text) AT(us, cpu, "", text)

/* The column of durations is as wide as the kernel's: what is before a tab is padded to that. */
static void expect(const struct view *v, const char *const *lines)
{
	struct tfs_strbuf all = TFS_STRBUF_INIT;
	const char *tab;

	for (; *lines; lines++) {
		tab = strchr(*lines, '\t');
		if (tab)
			tfs_strbuf_addf(&all, "%-35.*s%s", (int)(tab - *lines), *lines, tab + 1);
		else
			tfs_strbuf_adds(&all, *lines);
	}
	assert_string_equal(v->text.s, all.s);
	tfs_strbuf_release(&all);
}

/* alpha 12 us: __beta 3 us, of which gamma 0.5; gamma again 2 us */
static const struct event nested[] = {
	EV(ENTRY, 100, A, 0, 1000000),
	EV(ENTRY, 100, B, 1, 1001000),
	EV(ENTRY, 100, C, 2, 1002000),
	EV(EXIT, 100, C, 2, 1002500, .took = 500),
	EV(EXIT, 100, B, 1, 1004000, .took = 3000),
	EV(ENTRY, 100, C, 1, 1005000),
	EV(EXIT, 100, C, 1, 1007000, .took = 2000),
	EV(EXIT, 100, A, 0, 1012000, .took = 12000, .value = (uint64_t)-22),
};

static void nested_calls_are_drawn_as_the_kernel_draws_them(void **state)
{
	static const char *const want[] = {
		RUNS(0, "task-100"),
		IN("1000", 0, "alpha() {"),
		IN("1001", 0, "  __beta.constprop.0() {"),
		AT("1002", 0, "  0.500 us", "    gamma(); /* ret=0x0 */"),
		AT("1004", 0, "  3.000 us", "  } /* ret=0x0 */"),
		AT("1005", 0, "  2.000 us", "  gamma(); /* ret=0x0 */"),
		AT("1012", 0, "+ 12.000 us", "} /* ret=-22 */"),
		NULL,
	};
	struct view *v = *state;

	draw(nested, N_EVENTS(nested), v);
	assert_int_equal(v->missed, 0);
	expect(v, want);
}

static void own_time_is_what_callees_did_not_take(void **state)
{
	struct view *v = *state;

	v->opts.summary = true;
	draw(nested, N_EVENTS(nested), v);
	/* alpha 12 - 3 - 2, __beta 3 - 0.5, gamma 0.5 + 2; 2^11 <= 2000, 3000 < 2^12 */
	assert_string_equal(
		v->text.s,
		"#    CALLS      TOTAL us       SELF us    AVERAGE us        MAX us  FUNCTION\n"
		"         1        12.000         7.000        12.000        12.000  alpha\n"
		"         1         3.000         2.500         3.000         3.000  "
		"__beta.constprop.0\n"
		"         2         2.500         2.500         1.250         2.000  gamma\n"
		"\nalpha\n"
		"        8.192 -        16.384 us |          1 | "
		"######################################## |\n"
		"\n__beta.constprop.0\n"
		"        2.048 -         4.096 us |          1 | "
		"######################################## |\n"
		"\ngamma\n"
		"        0.256 -         0.512 us |          1 | "
		"######################################## |\n"
		"        0.512 -         1.024 us |          0 | "
		"                                         |\n"
		"        1.024 -         2.048 us |          1 | "
		"######################################## |\n");
}

static void only_what_was_asked_for_is_drawn(void **state)
{
	static const char *const want[] = {
		RUNS(0, "task-100"),
		IN("1001", 0, "__beta.constprop.0() {"),
		AT("1002", 0, "  0.500 us", "  gamma(); /* ret=0x0 */"),
		AT("1004", 0, "  3.000 us", "} /* ret=0x0 */"),
		NULL,
	};
	struct view *v = *state;

	assert_int_equal(tfs_strvec_push(&v->funcs, "*beta*"), 0);
	draw(nested, N_EVENTS(nested), v);
	expect(v, want);
}

static void calls_of_one_caller(void **state)
{
	static const char *const want[] = {
		RUNS(0, "task-100"),
		AT("1005", 0, "  2.000 us", "gamma(); /* ret=0x0 */"),
		NULL,
	};
	struct view *v = *state;

	assert_int_equal(tfs_strvec_push(&v->funcs, "gamma"), 0);
	assert_int_equal(tfs_strvec_push(&v->callers, "alpha"), 0);
	draw(nested, N_EVENTS(nested), v);
	expect(v, want);
}

static void depth_and_duration_leave_out(void **state)
{
	static const char *const want[] = {
		RUNS(0, "task-100"),
		IN("1000", 0, "alpha() {"),
		AT("1001", 0, "  3.000 us", "  __beta.constprop.0(); /* ret=0x0 */"),
		AT("1012", 0, "+ 12.000 us", "} /* ret=-22 */"),
		NULL,
	};
	struct view *v = *state;

	v->opts.depth = 2;
	v->opts.min_duration = 3000;
	draw(nested, N_EVENTS(nested), v);
	expect(v, want);
}

static void marks_and_digits_of_durations_are_the_kernels(void **state)
{
	/* trace_print_graph_duration(): eight characters at most */
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{ 0, "  0.000 us    |" },           { 10000, "  10.000 us   |" },
		{ 10001, "+ 10.001 us   |" },       { 100001, "! 100.001 us  |" },
		{ 1000001, "# 1000.001 us |" },     { 10000001, "* 10000.00 us |" },
		{ 100000001, "@ 100000.0 us |" },   { 1000000001, "$ 1000000 us  |" },
		{ 20000000001, "$ 20000000 us |" },
	};
	struct view *v = *state;

	for (size_t i = 0; i < N_EVENTS(cases); i++) {
		const struct event events[] = {
			EV(ENTRY, 100, A, 0, 50000000000),
			EV(EXIT, 100, A, 0, 50000000100, .took = cases[i].ns),
		};

		tfs_strbuf_reset(&v->text);
		draw(events, N_EVENTS(events), v);
		assert_non_null(strstr(v->text.s, cases[i].text));
	}
}

/* beta's interrupt takes 4 of its 6 us; a tick later another comes when alpha has ended */
static const struct event interrupted[] = {
	EV(ENTRY, 100, A, 0, 1000000),
	EV(ENTRY, 100, B, 1, 1001000),
	EV(ENTRY, 100, IRQ_ENTER, 2, 1002000),
	EV(EXIT, 100, IRQ_ENTER, 2, 1003000, .took = 1000, .flags = FLAG_HARDIRQ),
	EV(ENTRY, 100, TICK, 2, 1003000, .flags = FLAG_HARDIRQ),
	EV(ENTRY, 100, C, 3, 1004000, .flags = FLAG_HARDIRQ),
	EV(EXIT, 100, C, 3, 1005000, .took = 1000, .flags = FLAG_HARDIRQ),
	EV(EXIT, 100, TICK, 2, 1006000, .took = 3000, .flags = FLAG_HARDIRQ),
	EV(EXIT, 100, B, 1, 1007000, .took = 6000),
	EV(EXIT, 100, A, 0, 1008000, .took = 8000),
};

static void interrupts_are_marked(void **state)
{
	static const char *const want[] = {
		RUNS(0, "task-100"),
		IN("1000", 0, "alpha() {"),
		IN("1001", 0, "  __beta.constprop.0() {"),
		"     0.001002 |   0)   ==========> |\n",
		AT("1002", 0, "  1.000 us", "    irq_enter_rcu(); /* ret=0x0 */"),
		IN("1003", 0, "    tick() {"),
		AT("1004", 0, "  1.000 us", "      gamma(); /* ret=0x0 */"),
		AT("1006", 0, "  3.000 us", "    } /* ret=0x0 */"),
		"     0.001007 |   0)   <========== |\n",
		AT("1007", 0, "  6.000 us", "  } /* ret=0x0 */"),
		AT("1008", 0, "  8.000 us", "} /* ret=0x0 */"),
		NULL,
	};
	struct view *v = *state;

	draw(interrupted, N_EVENTS(interrupted), v);
	expect(v, want);
}

static void interrupts_are_left_out_from_end_to_end(void **state)
{
	static const char *const want[] = {
		RUNS(0, "task-100"),
		IN("1000", 0, "alpha() {"),
		AT("1001", 0, "  6.000 us", "  __beta.constprop.0(); /* ret=0x0 */"),
		AT("1008", 0, "  8.000 us", "} /* ret=0x0 */"),
		NULL,
	};
	struct view *v = *state;

	v->opts.no_hardirq = true;
	draw(interrupted, N_EVENTS(interrupted), v);
	expect(v, want);
}

static void own_time_is_without_interrupts(void **state)
{
	struct view *v = *state;

	v->opts.summary = true;
	v->opts.no_hardirq = true;
	draw(interrupted, N_EVENTS(interrupted), v);
	assert_non_null(
		strstr(v->text.s,
		       "         1         8.000         2.000         8.000         8.000  alpha\n"
		       "         1         6.000         2.000         6.000         6.000  "
		       "__beta.constprop.0\n\n"));
}

/*
 * An interrupt between the time of a call's end and its record (as deep as the call, which has left
 * the kernel's stack), and between the time of its beginning and its record.
 */
static void interrupts_count_where_their_time_was(void **state)
{
	static const struct event events[] = {
		EV(ENTRY, 100, A, 0, 1000000),
		EV(ENTRY, 100, B, 1, 1001000),
		EV(ENTRY, 100, TICK, 1, 1004000, .flags = FLAG_HARDIRQ),
		EV(EXIT, 100, TICK, 1, 1006000, .took = 2000, .flags = FLAG_HARDIRQ),
		EV(EXIT, 100, B, 1, 1007000, .took = 2000,
		   .late = 4000), /* from 1001000 to 1003000 */
		EV(ENTRY, 100, TICK, 1, 1011000, .flags = FLAG_HARDIRQ),
		EV(EXIT, 100, TICK, 1, 1014000, .took = 3000, .flags = FLAG_HARDIRQ),
		EV(ENTRY, 100, C, 1, 1015000),
		EV(EXIT, 100, C, 1, 1016000, .took = 6000), /* began at 1010000 */
		EV(EXIT, 100, A, 0, 1020000, .took = 20000),
	};
	struct view *v = *state;

	v->opts.summary = true;
	draw(events, N_EVENTS(events), v);
	/* alpha: 20 - beta 2 - tick 2 - gamma 6; gamma 6 - tick 3 */
	assert_non_null(
		strstr(v->text.s,
		       "         1        20.000        10.000        20.000        20.000  alpha\n"
		       "         1         6.000         3.000         6.000         6.000  gamma\n"
		       "         2         5.000         5.000         2.500         3.000  tick\n"
		       "         1         2.000         2.000         2.000         2.000  "
		       "__beta.constprop.0\n"));
}

static void what_did_not_end_or_begin_is_shown_so(void **state)
{
	static const char *const want[] = {
		RUNS(0, "task-100"),
		AT("1000", 0, "  0.700 us",
		   "    } /* gamma, its beginning was not recorded, ret=0x0 */"),
		IN("1001", 0, "alpha() {"),
		IN("1002", 0, "  __beta.constprop.0() {"),
		IN("1003", 0, "    gamma(); /* unfinished */"),
		AT("1004", 0, "  2.000 us", "  } /* ret=0x0 */"),
		IN("1005", 0, "  delta(); /* unfinished */"),
		IN("1005", 0, "} /* alpha, unfinished */"),
		NULL,
	};
	static const struct event events[] = {
		EV(EXIT, 100, C, 2, 1000000, .took = 700),
		EV(ENTRY, 100, A, 0, 1001000),
		EV(ENTRY, 100, B, 1, 1002000),
		EV(ENTRY, 100, C, 2, 1003000),
		EV(EXIT, 100, B, 1, 1004000, .took = 2000),
		EV(ENTRY, 100, D, 1, 1005000),
	};
	struct view *v = *state;

	draw(events, N_EVENTS(events), v);
	expect(v, want);
}

static void a_loss_ends_what_is_open_on_its_cpu(void **state)
{
	static const char *const want[] = {
		RUNS(0, "task-100"),
		IN("1000", 0, "alpha() {"),
		IN("1002", 0, "  gamma(); /* unfinished */"),
		IN("1005", 0, "} /* alpha, unfinished */"),
		"CPU:0 [42 EVENTS DROPPED]\n",
		AT("1005", 0, "  0.500 us",
		   "  } /* delta, its beginning was not recorded, ret=0x0 */"),
		AT("1006", 0, "  6.000 us",
		   "} /* alpha, its beginning was not recorded, ret=0x0 */"),
		RUNS(1, "<...>-101"),
		AT("1001", 1, "  6.000 us", "__beta.constprop.0(); /* ret=0x0 */"),
		NULL,
	};
	static const struct event events[] = {
		EV(ENTRY, 100, A, 0, 1000000),
		EV(ENTRY, 101, B, 0, 1001000, .cpu = 1),
		EV(ENTRY, 100, C, 1, 1002000),
		EV(EXIT, 100, D, 1, 1005000, .took = 500, .lost = 42),
		EV(EXIT, 100, A, 0, 1006000, .took = 6000),
		EV(EXIT, 101, B, 0, 1007000, .took = 6000, .cpu = 1),
	};
	struct view *v = *state;

	draw(events, N_EVENTS(events), v);
	expect(v, want);
}

static void a_loss_is_in_the_summary_too(void **state)
{
	static const struct event events[] = {
		EV(ENTRY, 100, A, 0, 1000000),
		EV(EXIT, 100, A, 0, 1006000, .took = 6000, .lost = 42),
	};
	struct view *v = *state;

	v->opts.summary = true;
	draw(events, N_EVENTS(events), v);
	assert_non_null(
		strstr(v->text.s,
		       "         1         6.000             -         6.000         6.000  alpha\n"
		       "# and 1 whose end was not recorded\n"
		       "# 1 of them without their beginning: what these called is not known\n"
		       "CPU:0 [42 EVENTS DROPPED]\n"));
}

static void arguments_and_callers_are_shown(void **state)
{
	static const char *const want[] = {
		RUNS(0, "task-100"),
		IN("1000", 0, "alpha(0xabc) {"),
		AT("1001", 0, "  1.000 us", "  __beta.constprop.0(); /* <-alpha, ret=0x5 */"),
		AT("1003", 0, "  3.000 us", "} /* ret=0x0 */"),
		NULL,
	};
	static const struct event events[] = {
		EV(ENTRY, 100, A, 0, 1000000, .value = 0xabc),
		EV(ENTRY_FROM, 100, B, 1, 1001000, .value = 0xffffffff81010020),
		EV(EXIT, 100, B, 1, 1002000, .took = 1000, .value = 5),
		EV(EXIT, 100, A, 0, 1003000, .took = 3000),
	};
	struct view *v = *state;

	draw(events, N_EVENTS(events), v);
	expect(v, want);
}

/* Two tasks take turns on one CPU, and one of them goes on on the other. */
static const struct event turns[] = {
	EV(ENTRY, 100, A, 0, 1000000),
	EV(ENTRY, 101, B, 0, 1001000),
	EV(ENTRY, 100, C, 1, 1002000, .cpu = 1),
	EV(EXIT, 100, C, 1, 1003000, .took = 1000, .cpu = 1),
	EV(EXIT, 101, B, 0, 1004000, .took = 3000),
	EV(EXIT, 100, A, 0, 1005000, .took = 5000, .cpu = 1),
};

static void each_cpu_says_who_runs(void **state)
{
	static const char *const want[] = {
		RUNS(0, "task-100"),
		IN("1000", 0, "alpha() {"),
		RUNS(1, "task-100"),
		AT("1002", 1, "  1.000 us", "  gamma(); /* ret=0x0 */"),
		RUNS(0, "<...>-101"),
		AT("1001", 0, "  3.000 us", "__beta.constprop.0(); /* ret=0x0 */"),
		AT("1005", 1, "  5.000 us", "} /* ret=0x0 */"),
		NULL,
	};
	struct view *v = *state;

	draw(turns, N_EVENTS(turns), v);
	expect(v, want);
}

static void a_tasks_calls_stay_in_one_piece(void **state)
{
	static const char *const want[] = {
		TASK("<...>-101"),
		AT("1001", 0, "  3.000 us", "__beta.constprop.0(); /* ret=0x0 */"),
		TASK("task-100"),
		IN("1000", 0, "alpha() {"),
		AT("1002", 1, "  1.000 us", "  gamma(); /* ret=0x0 */"),
		AT("1005", 1, "  5.000 us", "} /* ret=0x0 */"),
		NULL,
	};
	struct view *v = *state;

	v->opts.by_task = true;
	draw(turns, N_EVENTS(turns), v);
	expect(v, want);
}

static void other_events_are_comments(void **state)
{
	static const char *const want[] = {
		RUNS(0, "task-100"),
		IN("1000", 0, "alpha() {"),
		IN("1001", 0, "  /* note: nr=2 */"),
		AT("1003", 0, "  3.000 us", "} /* ret=0x0 */"),
		NULL,
	};
	static const struct event events[] = {
		EV(NOTE, 100, 0, 0, 999000, .took = 1),
		EV(ENTRY, 100, A, 0, 1000000),
		EV(NOTE, 100, 0, 0, 1001000, .took = 2),
		EV(EXIT, 100, A, 0, 1003000, .took = 3000),
	};
	struct view *v = *state;

	draw(events, N_EVENTS(events), v);
	expect(v, want);
}

static void two_events_are_a_pair(void **state)
{
	static const char *const want[] = {
		RUNS(0, "task-100"),
		IN("1000", 0, "work_begin(nr=7) {"),
		AT("1001", 0, "  1.000 us", "  alpha(); /* ret=0x0 */"),
		AT("1005", 0, "  5.000 us", "} /* nr=8 */"),
		IN("1006", 0, "} /* work_begin, its beginning was not recorded, nr=9 */"),
		NULL,
	};
	static const struct event events[] = {
		EV(WORK, 100, 0, 0, 1000000, .took = 7),    EV(ENTRY, 100, A, 0, 1001000),
		EV(EXIT, 100, A, 0, 1002000, .took = 1000), EV(DONE, 100, 0, 0, 1005000, .took = 8),
		EV(DONE, 100, 0, 0, 1006000, .took = 9),
	};
	struct view *v = *state;

	assert_int_equal(tfs_strvec_push(&v->pairs, "work_begin:work_end"), 0);
	draw(events, N_EVENTS(events), v);
	expect(v, want);
}

static void a_key_pairs_events_of_different_tasks(void **state)
{
	static const char *const want[] = {
		TASK("task-100"),
		AT("1000", 0, "  5.000 us", "work_begin(nr=7); /* nr=7 */"),
		AT("1001", 0, "  6.000 us", "work_begin(nr=8); /* nr=8 */"),
		NULL,
	};
	static const struct event events[] = {
		EV(WORK, 100, 0, 0, 1000000, .took = 7),
		EV(WORK, 100, 0, 0, 1001000, .took = 8),
		EV(DONE, 101, 0, 0, 1005000, .took = 7, .cpu = 1),
		EV(DONE, 102, 0, 0, 1007000, .took = 8, .cpu = 1),
	};
	struct view *v = *state;

	v->opts.by_task = true;
	assert_int_equal(tfs_strvec_push(&v->pairs, "sched:work_b*gin..work_*nd,key=nr"), 0);
	draw(events, N_EVENTS(events), v);
	expect(v, want);
}

static void pairs_as_typed(void **state)
{
	static const struct {
		const char *text, *begin, *end, *key, *end_key;
	} good[] = {
		{ "a:b", "a", "b", NULL, NULL },
		{ "s:a:t:b", "s:a", "t:b", NULL, NULL },
		{ "s:a..t:b", "s:a", "t:b", NULL, NULL },
		{ "s/a:b", "s/a", "b", NULL, NULL },
		{ "a..s:b,key=x", "a", "s:b", "x", "x" },
		{ "a_*:b_*,key=pid/next_pid", "a_*", "b_*", "pid", "next_pid" },
	};
	static const char *const wrong[] = { "a",    "a:b:c",     "a:",        ":b",
					     "..b",  "a:b,key",   "a:b,x=y",   "a:b,key=",
					     "a*:b", "a*b*:c*d*", "a:b,key=x/" };
	struct tfs_graph_pair_spec spec;
	struct tfs_err err = TFS_ERR_INIT;
	char text[64];

	(void)state;
	for (size_t i = 0; i < N_EVENTS(good); i++) {
		snprintf(text, sizeof(text), "%s", good[i].text);
		assert_int_equal(tfs_graph_pair_parse(text, &spec, &err), 0);
		assert_string_equal(spec.begin, good[i].begin);
		assert_string_equal(spec.end, good[i].end);
		if (!good[i].key) {
			assert_null(spec.begin_key);
			continue;
		}
		assert_string_equal(spec.begin_key, good[i].key);
		assert_string_equal(spec.end_key, good[i].end_key);
	}
	for (size_t i = 0; i < N_EVENTS(wrong); i++) {
		snprintf(text, sizeof(text), "%s", wrong[i]);
		assert_int_equal(tfs_graph_pair_parse(text, &spec, &err), -EINVAL);
		assert_string_not_equal(err.hint, "");
	}
}

static void a_name_stands_for_the_one_that_is_called_alike(void **state)
{
	struct view *v = *state;

	assert_int_equal(tfs_strvec_push(&v->funcs, "_beta"), 0);
	draw(nested, N_EVENTS(nested), v);
	assert_int_equal(v->missed, 1);
	assert_string_equal(v->text.s, "");
	assert_int_equal(v->other.n, 1);
	assert_string_equal(v->other.v[0], "__beta.constprop.0");
}

static void a_part_is_taken_only_when_there_is_nothing_else(void **state)
{
	static const struct event events[] = {
		EV(ENTRY, 100, COLD, 0, 1000000),
		EV(EXIT, 100, COLD, 0, 1001000, .took = 1000),
	};
	struct view *v = *state;

	assert_int_equal(tfs_strvec_push(&v->funcs, "gamma"), 0);
	draw(events, N_EVENTS(events), v);
	assert_int_equal(v->missed, 1);
	assert_string_equal(v->other.v[0], "gamma.cold");
}

static void a_name_that_nothing_is_called_has_near_ones(void **state)
{
	struct view *v = *state;

	assert_int_equal(tfs_strvec_push(&v->funcs, "gama"), 0);
	draw(nested, N_EVENTS(nested), v);
	assert_int_equal(v->missed, -ENOENT);
	assert_string_equal(v->err.msg, "no call of 'gama' was recorded");
	assert_string_equal(v->err.hint, "did you mean 'gamma'?");
}

static void once_something_was_shown_no_name_is_taken_for_another(void **state)
{
	struct view *v = *state;

	assert_int_equal(tfs_strvec_push(&v->funcs, "gamma"), 0);
	assert_int_equal(tfs_strvec_push(&v->funcs, "_beta"), 0);
	draw(nested, N_EVENTS(nested), v);
	assert_int_equal(v->missed, -ENOENT);
	assert_string_equal(v->err.hint, "did you mean '__beta.constprop.0'?");
}

static void a_recording_without_calls_says_so(void **state)
{
	static const struct event events[] = { EV(NOTE, 100, 0, 0, 999000, .took = 1) };
	struct view *v = *state;

	draw(events, N_EVENTS(events), v);
	assert_int_equal(v->missed, -ENOENT);
	assert_string_equal(v->err.msg, "no calls were recorded");
	assert_string_equal(v->text.s, "");
}

static unsigned int pick(uint32_t *seed, unsigned int n)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 16) % n;
}

#define STEPS 6000
#define TASKS 5
#define DEEP 20

/* Calls of several tasks at random. All time of the outermost ones is some function's own. */
static void own_times_add_up_to_the_outermost_calls(void **state)
{
	struct event *events = calloc(STEPS + TASKS * DEEP, sizeof(*events));
	uint64_t begun[TASKS][DEEP], ts = 1000000, outermost = 0, self = 0, calls = 0, us, ns, n;
	enum func func[TASKS][DEEP];
	uint32_t depth[TASKS] = { 0 }, seed = 1, t;
	struct view *v = *state;
	size_t i;
	char *row;

	assert_non_null(events);
	for (i = 0; i < STEPS || depth[0] || depth[1] || depth[2] || depth[3] || depth[4]; i++) {
		t = pick(&seed, TASKS);
		ts += 1 + pick(&seed, 5000);
		if (i >= STEPS)
			while (!depth[t])
				t = (t + 1) % TASKS;
		if (i < STEPS && depth[t] < DEEP && (!depth[t] || pick(&seed, 2))) {
			func[t][depth[t]] = A + pick(&seed, 4);
			begun[t][depth[t]] = ts;
			events[i] = (struct event)EV(ENTRY, 100 + t, func[t][depth[t]], depth[t],
						     ts, .cpu = pick(&seed, CPUS));
			depth[t]++;
			continue;
		}
		depth[t]--;
		events[i] = (struct event)EV(EXIT, 100 + t, func[t][depth[t]], depth[t], ts,
					     .took = ts - begun[t][depth[t]],
					     .cpu = pick(&seed, CPUS));
		outermost += depth[t] ? 0 : events[i].took;
		calls++;
	}
	v->opts.summary = true;
	draw(events, i, v);
	for (row = strchr(v->text.s, '\n'); row && row[1] != '\n'; row = strchr(row + 1, '\n')) {
		if (sscanf(row, "%" SCNu64 " %*u.%*u %" SCNu64 ".%" SCNu64, &n, &us, &ns) != 3)
			break;
		calls -= n;
		self += us * 1000 + ns;
	}
	assert_int_equal(calls, 0);
	assert_int_equal(self, outermost);
	free(events);
}

static void running_out_of_memory_is_an_error_and_nothing_else(void **state)
{
	static const struct tfs_trace_opts plain = { .no_plugins = true };
	int dat = build(interrupted, N_EVENTS(interrupted)), fd = memfd_create("out", MFD_CLOEXEC);
	struct tfs_trace *trace = NULL;
	struct view *v = *state;
	bool failed = true;
	char path[64];
	int rc;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", dat);
	assert_int_equal(tfs_strvec_push(&v->pairs, "work_begin:work_end,key=nr"), 0);
	assert_int_equal(tfs_strvec_push(&v->funcs, "alph?"), 0);
	assert_int_equal(tfs_trace_open(path, &plain, &trace, NULL), 0);
	v->opts.by_task = true;
	assert_int_equal(run(trace, fd, v), 0); /* what types need was allocated */
	for (size_t n = 0; failed; n++) {
		alloc_fail_at(n);
		rc = run(trace, fd, v);
		failed = alloc_fail_off();
		assert_true(!rc || rc == -ENOMEM);
		assert_true(failed || !rc);
	}
	tfs_trace_free(trace);
	close(dat);
	close(fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nested_calls_are_drawn_as_the_kernel_draws_them),
		TEST(own_time_is_what_callees_did_not_take),
		TEST(only_what_was_asked_for_is_drawn),
		TEST(calls_of_one_caller),
		TEST(depth_and_duration_leave_out),
		TEST(marks_and_digits_of_durations_are_the_kernels),
		TEST(interrupts_are_marked),
		TEST(interrupts_are_left_out_from_end_to_end),
		TEST(own_time_is_without_interrupts),
		TEST(interrupts_count_where_their_time_was),
		TEST(what_did_not_end_or_begin_is_shown_so),
		TEST(a_loss_ends_what_is_open_on_its_cpu),
		TEST(a_loss_is_in_the_summary_too),
		TEST(arguments_and_callers_are_shown),
		TEST(each_cpu_says_who_runs),
		TEST(a_tasks_calls_stay_in_one_piece),
		TEST(other_events_are_comments),
		TEST(two_events_are_a_pair),
		TEST(a_key_pairs_events_of_different_tasks),
		TEST(pairs_as_typed),
		TEST(a_name_stands_for_the_one_that_is_called_alike),
		TEST(a_part_is_taken_only_when_there_is_nothing_else),
		TEST(a_name_that_nothing_is_called_has_near_ones),
		TEST(once_something_was_shown_no_name_is_taken_for_another),
		TEST(a_recording_without_calls_says_so),
		TEST(own_times_add_up_to_the_outermost_calls),
		TEST(running_out_of_memory_is_an_error_and_nothing_else),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
