/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Entries of ftrace that few kernels can be made to record. The formats are those that the kernel
 * has in events/ftrace. The texts are lines of its Documentation/trace (ftrace.rst,
 * osnoise-tracer.rst, timerlat-tracer.rst) with the numbers that they show; of bprint, bputs and
 * func_repeats what the formats say and printf makes of it.
 */
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
#include "decode/trace.h"
#include "lib/bytes.h"
#include "lib/dat_build.h"
#include "pipeline/run.h"
#include "pipeline/view.h"
#include "view/kernel-lines.h"

#define FIELD(type_name, offset, size) \
	"\tfield:" type_name ";\toffset:" #offset ";\tsize:" #size ";\tsigned:0;\n"
#define SWITCH                                   \
	FIELD("unsigned int prev_pid", 8, 4)     \
	FIELD("unsigned int next_pid", 12, 4)    \
	FIELD("unsigned int next_cpu", 16, 4)    \
	FIELD("unsigned char prev_prio", 20, 1)  \
	FIELD("unsigned char prev_state", 21, 1) \
	FIELD("unsigned char next_prio", 22, 1)  \
	FIELD("unsigned char next_state", 23, 1)
#define HWLAT                                  \
	FIELD("u64 duration", 8, 8)            \
	FIELD("u64 outer_duration", 16, 8)     \
	FIELD("u64 nmi_total_ts", 24, 8)       \
	FIELD("s64 tv_sec", 32, 8)             \
	FIELD("long tv_nsec", 40, 8)           \
	FIELD("unsigned int nmi_count", 48, 4) \
	FIELD("unsigned int seqnum", 52, 4)
#define FORMAT(name, id, fields, print) \
	"name: " name "\nID: " #id "\n" DAT_COMMON_FIELDS fields "\nprint fmt: " print "\n"

/* hwlat counts since 5.7: the event before has another id here. */
static const char *const formats[] = {
	FORMAT("context_switch", 2, SWITCH, "\"%u\", REC->prev_pid"),
	FORMAT("wakeup", 3, SWITCH, "\"%u\", REC->prev_pid"),
	FORMAT("bprint", 6,
	       FIELD("unsigned long ip", 8, 8) FIELD("const char * fmt", 16, 8)
		       FIELD("u32 buf[]", 24, 0),
	       "\"%ps: %s\", (void *)REC->ip, REC->fmt"),
	FORMAT("bputs", 14, FIELD("unsigned long ip", 8, 8) FIELD("const char * str", 16, 8),
	       "\"%ps: %s\", (void *)REC->ip, REC->str"),
	FORMAT("hwlat", 15, HWLAT FIELD("unsigned int count", 56, 4), "\"%u\", REC->seqnum"),
	FORMAT("osnoise", 16,
	       FIELD("u64 noise", 8, 8) FIELD("u64 runtime", 16, 8) FIELD("u64 max_sample", 24, 8)
		       FIELD("unsigned int hw_count", 32, 4) FIELD("unsigned int nmi_count", 36, 4)
			       FIELD("unsigned int irq_count", 40, 4)
				       FIELD("unsigned int softirq_count", 44, 4)
					       FIELD("unsigned int thread_count", 48, 4),
	       "\"%llu\", REC->noise"),
	FORMAT("timerlat", 17,
	       FIELD("unsigned int seqnum", 8, 4) FIELD("int context", 12, 4)
		       FIELD("u64 timer_latency", 16, 8),
	       "\"%u\", REC->seqnum"),
	FORMAT("func_repeats", 19,
	       FIELD("unsigned long ip", 8, 8) FIELD("unsigned long parent_ip", 16, 8)
		       FIELD("u16 count", 24, 2) FIELD("u16 top_delta_ts", 26, 2)
			       FIELD("u32 bottom_delta_ts", 28, 4),
	       "\"%u\", REC->count"),
	NULL,
};
static const char *const old_formats[] = {
	FORMAT("hwlat", 15, HWLAT, "\"%u\", REC->seqnum"),
	NULL,
};

static const char symbols[] = "ffffffff81010000 t alpha\n"
			      "ffffffff81020000 t beta\n"
			      "ffffffff81030000 t gamma\n";

#define ALPHA 0xffffffff81010000
#define BETA 0xffffffff81020000
#define STAMP 1000000000

static void head(struct bytes *b, unsigned int id)
{
	bytes_init(b, false);
	bytes_u16(b, (uint16_t)id);
	bytes_u16(b, 0);
	bytes_u32(b, 42);
}

/* What --kernel prints after the time stamp of the one record; @b is released */
static void expect(const char *const *ftrace, struct bytes *b, const char *want)
{
	const struct dat_spec spec = {
		.cpus = 1,
		.page_size = 4096,
		.ftrace = ftrace,
		.kallsyms = symbols,
		.printk = "0x1000 : \"x=%d y=%d\\n\"\n0x2000 : \"a message\\n\"\n",
	};
	static const struct tfs_trace_opts kernel = { .kernel = true };
	struct tfs_run_input input = { 0 };
	const struct tfs_run_opts run = { .inputs = &input, .n = 1 };
	struct tfs_view *view = NULL;
	struct tfs_trace *trace = NULL;
	struct tfs_out *out = NULL;
	int fd = memfd_create("out", MFD_CLOEXEC), dat;
	struct page_builder page;
	char path[64], text[4096] = "", *line;
	struct bytes pages;

	bytes_init(&pages, false);
	page_begin(&page, &pages, 8, 4096, STAMP);
	page_data(&page, 0, b->sb.s, b->sb.len);
	page_end(&page, 0);
	bytes_release(b);
	dat = dat_file(&spec, &pages);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", dat);
	assert_int_equal(tfs_trace_open(path, &kernel, &trace, NULL), 0);
	input.trace = trace;
	assert_int_equal(tfs_kernel_lines_new(trace, &view), 0);
	assert_int_equal(tfs_out_new(fd, &out), 0);
	assert_int_equal(tfs_run(view, out, &run, NULL), 0);
	tfs_view_free(view);
	tfs_out_free(out);
	tfs_trace_free(trace);
	assert_true(pread(fd, text, sizeof(text) - 1, 0) > 0);
	close(fd);
	close(dat);
	line = strstr(text, "1.000000: ");
	assert_non_null(line);
	assert_string_equal(line + strlen("1.000000: "), want);
}

static void put_switch(struct bytes *b, unsigned int id, const uint32_t pids[2], uint32_t cpu,
		       const unsigned char rest[4])
{
	head(b, id);
	bytes_u32(b, pids[0]);
	bytes_u32(b, pids[1]);
	bytes_u32(b, cpu);
	for (int i = 0; i < 4; i++)
		bytes_u8(b, rest[i]);
}

/* "229:120:R   + [000]     118: 49:R irq/100-enet-fe", and 6:18's ==> beside it */
static void wakeups_and_switches_name_two_tasks(void **state)
{
	static const unsigned char rest[] = { 120, 0, 49, 0 }, stopped[] = { 120, 3, 94, 8 };
	struct bytes b;

	(void)state;
	put_switch(&b, 3, (const uint32_t[]){ 229, 118 }, 0, rest);
	expect(formats, &b, "     229:120:R   + [000]     118: 49:R <...>\n");
	put_switch(&b, 2, (const uint32_t[]){ 0, 2312 }, 3, rest);
	expect(formats, &b, "       0:120:R ==> [003]    2312: 49:R <...>\n");
	put_switch(&b, 2, (const uint32_t[]){ 0, 2312 }, 3, stopped);
	expect(formats, &b, "       0:120:T ==> [003]    2312: 94:I <...>\n");
}

static void put_hwlat(struct bytes *b, const uint64_t numbers[5], uint32_t nmis, uint32_t seqnum)
{
	head(b, 15);
	for (int i = 0; i < 5; i++)
		bytes_u64(b, numbers[i]);
	bytes_u32(b, nmis);
	bytes_u32(b, seqnum);
}

static void hardware_latencies_show_nmis_if_there_were_any(void **state)
{
	struct bytes b;

	(void)state;
	put_hwlat(&b, (const uint64_t[]){ 11, 12, 0, 1581527483, 343962693 }, 0, 1);
	bytes_u32(&b, 6);
	bytes_u32(&b, 0);
	expect(formats, &b, "#1     inner/outer(us):   11/12    ts:1581527483.343962693 count:6\n");
	put_hwlat(&b, (const uint64_t[]){ 9, 11, 7, 1581527668, 970010500 }, 1, 10);
	bytes_u32(&b, 1);
	bytes_u32(&b, 0);
	expect(formats, &b,
	       "#10    inner/outer(us):    9/11    ts:1581527668.970010500 count:1 nmi-total:7 "
	       "nmi-count:1\n");
	/* where sched_clock() is the generic one, the kernel keeps no time of NMIs */
	put_hwlat(&b, (const uint64_t[]){ 9, 11, 0, 1581527668, 970010500 }, 1, 10);
	bytes_u32(&b, 1);
	bytes_u32(&b, 0);
	expect(formats, &b,
	       "#10    inner/outer(us):    9/11    ts:1581527668.970010500 count:1 "
	       "nmi-count:1\n");
}

static void hardware_latencies_of_old_kernels_have_no_count(void **state)
{
	struct bytes b;

	(void)state;
	put_hwlat(&b, (const uint64_t[]){ 0, 12, 4, 1499801138, 297435289 }, 1, 6);
	expect(old_formats, &b,
	       "#6     inner/outer(us):    0/12    ts:1499801138.297435289 nmi-total:4 "
	       "nmi-count:1\n");
}

static void noise_of_the_system_is_a_share_of_the_runtime(void **state)
{
	static const uint32_t counts[] = { 18, 0, 1007, 18, 1 }, more[] = { 23, 0, 1006, 16, 3 };
	struct bytes b;

	(void)state;
	head(&b, 16);
	bytes_u64(&b, 190);
	bytes_u64(&b, 1000000);
	bytes_u64(&b, 9);
	for (int i = 0; i < 5; i++)
		bytes_u32(&b, counts[i]);
	expect(formats, &b,
	       "1000000        190  99.98100       9     18      0   1007     18      1\n");
	head(&b, 16);
	bytes_u64(&b, 656);
	bytes_u64(&b, 1000000);
	bytes_u64(&b, 74);
	for (int i = 0; i < 5; i++)
		bytes_u32(&b, more[i]);
	expect(formats, &b,
	       "1000000        656  99.93440      74     23      0   1006     16      3\n");
}

static void latencies_of_timers_have_a_context(void **state)
{
	static const struct {
		uint32_t seqnum, context;
		uint64_t ns;
		const char *text;
	} rows[] = {
		{ 1, 0, 932, "#1     context    irq timer_latency       932 ns\n" },
		{ 1, 1, 11700, "#1     context thread timer_latency     11700 ns\n" },
		{ 402268, 1, 39960, "#402268 context thread timer_latency     39960 ns\n" },
		{ 1002, 2, 499, "#1002  context user-ret timer_latency       499 ns\n" },
	};
	struct bytes b;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		head(&b, 17);
		bytes_u32(&b, rows[i].seqnum);
		bytes_u32(&b, rows[i].context);
		bytes_u64(&b, rows[i].ns);
		expect(formats, &b, rows[i].text);
	}
}

/* 5 us and 2^32 ns before: 1 s - 4.294967296 s would be before 0, so of 0.25 s only */
static void repeated_calls_show_their_number_and_the_last_time(void **state)
{
	struct bytes b;

	(void)state;
	head(&b, 19);
	bytes_u64(&b, ALPHA);
	bytes_u64(&b, BETA);
	bytes_u16(&b, 7);
	bytes_u16(&b, 0);
	bytes_u32(&b, 250005000);
	expect(formats, &b, "alpha <-beta (repeats: 7, last_ts:     0.749995)\n");
}

/* The strings of the kernel: 0x1000 is a format, 0x2000 a text */
static void messages_name_the_function_that_wrote_them(void **state)
{
	struct bytes b;

	(void)state;
	head(&b, 6);
	bytes_u64(&b, ALPHA);
	bytes_u64(&b, 0x1000);
	bytes_u32(&b, 5);
	bytes_u32(&b, 0xffffffff);
	expect(formats, &b, "alpha: x=5 y=-1\n");
	head(&b, 14);
	bytes_u64(&b, BETA);
	bytes_u64(&b, 0x2000);
	expect(formats, &b, "beta: a message\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wakeups_and_switches_name_two_tasks),
		cmocka_unit_test(hardware_latencies_show_nmis_if_there_were_any),
		cmocka_unit_test(hardware_latencies_of_old_kernels_have_no_count),
		cmocka_unit_test(noise_of_the_system_is_a_share_of_the_runtime),
		cmocka_unit_test(latencies_of_timers_have_a_context),
		cmocka_unit_test(repeated_calls_show_their_number_and_the_last_time),
		cmocka_unit_test(messages_name_the_function_that_wrote_them),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
