/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/out.h"
#include "base/strbuf-core.h"
#include "decode/event.h"
#include "decode/trace-internal.h"
#include "decode/trace.h"
#include "decode/types.h"
#include "lib/bytes.h"
#include "lib/dat_build.h"
#include "lib/skip.h"
#include "pipeline/view.h"
#include "pipeline/run.h"
#include "tracedat/dat-read.h"
#include "view/text.h"

/*
 * A recording whose text is known beforehand: events of tasks whose names come only from the
 * sched_switch events between them; more than any batch holds.
 */
#define CPUS 4
#define PAGES 40
#define EVENTS 60 /* on each page */
#define TASKS 50  /* pids from FIRST_PID on */
#define FIRST_PID 5000
#define SWITCH_ID 44
/* Every so many records one is a switch; on every so many pages of a CPU events were lost. */
#define SWITCH_EVERY 97
#define LOST_EVERY 9

static const char switch_format[] =
	"name: sched_switch\nID: 44\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"prev=%d next=%d\", REC->prev_pid, REC->next_pid\n";

static const char *const formats[] = { switch_format, NULL };

struct fixture {
	struct tfs_trace *trace;
	struct tfs_strbuf want;
	int fd; /* of the recording */
};

/* Record @n of @cpu: by whom, and for a switch to whom. */
static unsigned int pid_of(unsigned int cpu, unsigned int n)
{
	return FIRST_PID + (n * 7 + cpu * 13) % TASKS;
}

static unsigned int next_of(unsigned int cpu, unsigned int n)
{
	return FIRST_PID + (n / SWITCH_EVERY * 3 + cpu) % TASKS;
}

static bool is_switch(unsigned int n)
{
	return n % SWITCH_EVERY == SWITCH_EVERY - 1;
}

static void put_event(struct bytes *e, unsigned int cpu, unsigned int n)
{
	char comm[16] = "";

	bytes_u16(e, is_switch(n) ? SWITCH_ID : DAT_SAMPLE_EVENT_ID);
	bytes_u16(e, 1);
	bytes_u32(e, pid_of(cpu, n));
	if (!is_switch(n)) {
		bytes_u32(e, n);
		return;
	}
	snprintf(comm, sizeof(comm), "t%u", pid_of(cpu, n));
	bytes_add(e, comm, sizeof(comm));
	bytes_u32(e, pid_of(cpu, n));
	bytes_u32(e, 120);
	bytes_u64(e, 1);
	memset(comm, 0, sizeof(comm));
	snprintf(comm, sizeof(comm), "t%u", next_of(cpu, n));
	bytes_add(e, comm, sizeof(comm));
	bytes_u32(e, next_of(cpu, n));
	bytes_u32(e, 98);
}

static void fill_pages(unsigned int cpu, struct bytes *out)
{
	struct page_builder p;
	struct bytes e;
	unsigned int i, n = 0;

	for (i = 0; i < PAGES; i++) {
		page_begin(&p, out, 8, 4096, dat_sample_ts(0, cpu, n));
		for (; n < (i + 1) * EVENTS; n++) {
			bytes_init(&e, false);
			put_event(&e, cpu, n);
			page_data(&p, n % EVENTS ? 1000 : 0, e.sb.s, e.sb.len);
			bytes_release(&e);
		}
		if (i % LOST_EVERY == 1)
			page_end_lost(&p, i + cpu);
		else
			page_end(&p, 0);
	}
}

static void want_line(struct tfs_strbuf *want, unsigned int cpu, unsigned int n, bool *known)
{
	unsigned int pid = pid_of(cpu, n), next = next_of(cpu, n);
	uint64_t us = (dat_sample_ts(0, cpu, n) + 500) / 1000;
	char comm[16] = "<...>";

	if (n % EVENTS == 0 && n / EVENTS % LOST_EVERY == 1)
		tfs_strbuf_addf(want, "CPU:%u [%u EVENTS DROPPED]\n", cpu, n / EVENTS + cpu);
	if (known[pid - FIRST_PID])
		snprintf(comm, sizeof(comm), "t%u", pid);
	tfs_strbuf_addf(want, "%16s-%-5u [%03u] d....%6u.%06u: ", comm, pid, cpu,
			(unsigned int)(us / 1000000), (unsigned int)(us % 1000000));
	if (!is_switch(n)) {
		tfs_strbuf_addf(want, "%-22svalue=%u\n", "one:", n);
		return;
	}
	tfs_strbuf_addf(want, "%-22st%u:%u [120] S ==> t%u:%u [98]\n", "sched_switch:", pid, pid,
			next, next);
	known[pid - FIRST_PID] = known[next - FIRST_PID] = true;
}

/* The CPUs tick in turn, in order of their numbers; @without: a CPU that ends after @records. */
static void want_text(struct tfs_strbuf *want, unsigned int without, unsigned int records)
{
	bool known[TASKS] = { false };
	unsigned int n, cpu;

	tfs_strbuf_init(want);
	tfs_strbuf_addf(want, "cpus=%u\n", CPUS);
	for (n = 0; n < PAGES * EVENTS; n++)
		for (cpu = 0; cpu < CPUS; cpu++)
			if (cpu != without || n < records)
				want_line(want, cpu, n, known);
}

/* @cut: CPU whose chunks end after the first few; CPUS: none */
static int build(enum tfs_codec_id codec, unsigned int cut)
{
	struct dat_spec spec = {
		.cpus = CPUS, .page_size = 4096, .codec = codec, .sched = formats, .chunk_pages = 4
	};
	struct bytes pages[CPUS];
	unsigned int i;

	for (i = 0; i < CPUS; i++) {
		bytes_init(&pages[i], false);
		fill_pages(i, &pages[i]);
		/* A commit length beyond all pages. */
		if (i == cut)
			bytes_set_u32(&pages[i], 4 * 4096 + 8, 0xfffff);
	}
	return dat_file(&spec, pages);
}

static struct tfs_trace *open_trace(int fd)
{
	struct tfs_trace *trace = NULL;
	struct tfs_err err = TFS_ERR_INIT;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(tfs_trace_open(path, NULL, &trace, &err), 0);
	return trace;
}

static int print_to(struct tfs_trace *trace, unsigned int jobs, int fd, struct tfs_err *err)
{
	static const struct tfs_text_opts opts;
	const struct tfs_run_input input = { .trace = trace };
	const struct tfs_run_opts run = { .inputs = &input, .n = 1, .jobs = jobs };
	struct tfs_view *view = NULL;
	struct tfs_out *out = NULL;
	int rc;

	assert_int_equal(tfs_out_new(fd, &out), 0);
	assert_int_equal(tfs_text_new(trace, &opts, &view), 0);
	rc = tfs_run(view, out, &run, err);
	tfs_view_free(view);
	tfs_out_free(out);
	return rc;
}

static void check_text(int dat, unsigned int jobs, const struct tfs_strbuf *want)
{
	struct tfs_trace *trace = open_trace(dat);
	int fd = memfd_create("text", 0);
	struct stat st;
	char *got;

	assert_true(fd >= 0);
	assert_int_equal(print_to(trace, jobs, fd, NULL), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal((size_t)st.st_size, want->len);
	got = mmap(NULL, want->len, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(got, MAP_FAILED);
	assert_memory_equal(got, want->s, want->len);
	munmap(got, want->len);
	close(fd);
	tfs_trace_free(trace);
}

/* The plugin that learns names comes with libtraceevent, mostly. */
static void need_plugin(int dat)
{
	struct tfs_trace *trace = open_trace(dat);
	struct tfs_event_type *type = tfs_trace_event(trace, SWITCH_ID);
	bool handled = type && type->tep->handler;

	tfs_trace_free(trace);
	if (!handled) {
		skip_because("libtraceevent's plugin for sched is not installed");
	}
}

static const unsigned int jobs[] = { 0, 1, 2, 3, 5, 8 };

static void names_are_learned_in_order_for_any_number_of_jobs(void **state)
{
	static const enum tfs_codec_id codecs[] = { TFS_CODEC_NONE, TFS_CODEC_ZLIB };
	struct tfs_strbuf want;
	size_t c, j;
	int fd;

	(void)state;
	want_text(&want, CPUS, 0);
	for (c = 0; c < sizeof(codecs) / sizeof(*codecs); c++) {
		fd = build(codecs[c], CPUS);
		need_plugin(fd);
		for (j = 0; j < sizeof(jobs) / sizeof(*jobs); j++)
			check_text(fd, jobs[j], &want);
		close(fd);
	}
	tfs_strbuf_release(&want);
}

static void damage_of_a_cpu_loses_nothing_of_the_others(void **state)
{
	struct tfs_strbuf want;
	size_t j;
	int fd = build(TFS_CODEC_ZLIB, 2);

	(void)state;
	need_plugin(fd);
	want_text(&want, 2, 4 * EVENTS);
	for (j = 0; j < sizeof(jobs) / sizeof(*jobs); j++)
		check_text(fd, jobs[j], &want);
	tfs_strbuf_release(&want);
	close(fd);
}

static void output_that_fails_ends_the_run(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_trace *trace;
	int dat = build(TFS_CODEC_NONE, CPUS), full = open("/dev/full", O_WRONLY), fds[2];
	size_t j;

	(void)state;
	assert_true(full >= 0);
	assert_int_equal(pipe(fds), 0);
	close(fds[0]);
	signal(SIGPIPE, SIG_IGN);
	trace = open_trace(dat);
	for (j = 0; j < sizeof(jobs) / sizeof(*jobs); j++) {
		assert_int_equal(print_to(trace, jobs[j], full, &err), -ENOSPC);
		assert_string_equal(err.msg, "cannot write the report: No space left on device");
		assert_int_equal(print_to(trace, jobs[j], fds[1], NULL), -EPIPE);
	}
	tfs_trace_free(trace);
	close(fds[1]);
	close(full);
	close(dat);
}

/* Counts events whose task is known. */
struct names {
	struct tfs_view view; /* first */
	unsigned int known;
};

static int count_known(struct tfs_view *view, void *state, const struct tfs_event *event,
		       struct tfs_strbuf *out)
{
	(void)state;
	(void)out;
	((struct names *)view)->known += event->task != NULL;
	return 0;
}

static unsigned int known_names(struct tfs_trace *trace, unsigned int flags)
{
	static const struct tfs_view_ops ops = { .event = count_known };
	struct names names = { .view = { .ops = &ops, .flags = flags } };
	const struct tfs_run_input input = { .trace = trace };
	const struct tfs_run_opts run = { .inputs = &input, .n = 1 };
	int null = open("/dev/null", O_WRONLY);
	struct tfs_out *out = NULL;

	assert_int_equal(tfs_out_new(null, &out), 0);
	assert_int_equal(tfs_run(&names.view, out, &run, NULL), 0);
	tfs_out_free(out);
	close(null);
	return names.known;
}

static void names_are_not_learned_for_a_view_that_names_tasks_itself(void **state)
{
	int dat = build(TFS_CODEC_NONE, CPUS);
	struct tfs_trace *trace = open_trace(dat);

	(void)state;
	need_plugin(dat);
	assert_int_equal(known_names(trace, TFS_VIEW_EVENT_TEXT | TFS_VIEW_OWN_NAMES), 0);
	assert_int_equal(known_names(trace, TFS_VIEW_OWN_NAMES), 0);
	assert_true(known_names(trace, TFS_VIEW_EVENT_TEXT) > 0);
	tfs_trace_free(trace);
	close(dat);
}

static void a_task_has_its_name_without_the_text_that_gives_it(void **state)
{
	int dat = build(TFS_CODEC_NONE, CPUS);
	struct tfs_trace *trace = open_trace(dat);
	unsigned int known;

	(void)state;
	need_plugin(dat);
	known = known_names(trace, 0);
	assert_true(known > 0);
	tfs_trace_free(trace);
	trace = open_trace(dat);
	assert_int_equal(known_names(trace, TFS_VIEW_EVENT_TEXT), known);
	tfs_trace_free(trace);
	close(dat);
}

/* Prints a byte for each event, and has no memory for the one with value FATAL. */
#define FATAL 1500

static int starve(struct tfs_view *view, void *state, const struct tfs_event *event,
		  struct tfs_strbuf *out)
{
	uint32_t value = 0;

	(void)view;
	(void)state;
	if (event->rec.size == 12)
		memcpy(&value, (const char *)event->rec.data + 8, sizeof(value));
	return value == FATAL ? -ENOMEM : tfs_strbuf_addc(out, '.');
}

static void view_that_fails_ends_the_run(void **state)
{
	static const struct tfs_view_ops ops = { .event = starve };
	struct tfs_view view = { .ops = &ops, .flags = TFS_VIEW_WORKERS };
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_out *out = NULL;
	int dat = build(TFS_CODEC_NONE, CPUS), null = open("/dev/null", O_WRONLY);
	struct tfs_trace *trace = open_trace(dat);
	size_t j;

	(void)state;
	assert_int_equal(tfs_out_new(null, &out), 0);
	for (j = 0; j < sizeof(jobs) / sizeof(*jobs); j++) {
		const struct tfs_run_input input = { .trace = trace };
		const struct tfs_run_opts run = { .inputs = &input, .n = 1, .jobs = jobs[j] };

		assert_int_equal(tfs_run(&view, out, &run, &err), -ENOMEM);
		assert_string_equal(err.msg, "cannot format the report: Cannot allocate memory");
	}
	tfs_out_free(out);
	tfs_trace_free(trace);
	close(null);
	close(dat);
}

struct seen {
	unsigned int calls;
	uint64_t done, total;
};

static void note_progress(void *context, uint64_t done, uint64_t total)
{
	struct seen *seen = context;

	assert_true(done >= seen->done && done <= total);
	*seen = (struct seen){ seen->calls + 1, done, total };
}

static void progress_grows_until_all_was_read(void **state)
{
	static const enum tfs_codec_id codecs[] = { TFS_CODEC_NONE, TFS_CODEC_ZLIB };
	static const struct tfs_text_opts text;
	struct tfs_view *view = NULL;
	struct tfs_trace *trace;
	struct tfs_out *out = NULL;
	int dat, null = open("/dev/null", O_WRONLY);
	size_t c, i;

	(void)state;
	for (c = 0; c < sizeof(codecs) / sizeof(*codecs); c++) {
		struct seen seen = { 0 };
		const struct tfs_run_progress progress = { note_progress, &seen };
		struct tfs_run_input input = { 0 };
		const struct tfs_run_opts run = {
			.inputs = &input, .n = 1, .jobs = 2, .progress = &progress
		};
		const struct tfs_dat_buffer *buffer;
		uint64_t size = 0;

		dat = build(codecs[c], CPUS);
		input.trace = trace = open_trace(dat);
		buffer = tfs_dat_buffer(tfs_trace_dat(trace), 0);
		for (i = 0; i < buffer->n_cpus; i++)
			size += buffer->cpus[i].size;
		assert_int_equal(tfs_text_new(trace, &text, &view), 0);
		assert_int_equal(tfs_out_new(null, &out), 0);
		assert_int_equal(tfs_run(view, out, &run, NULL), 0);
		assert_true(seen.calls > 1);
		assert_int_equal(seen.total, size);
		assert_int_equal(seen.done, size);
		tfs_out_free(out);
		tfs_view_free(view);
		tfs_trace_free(trace);
		close(dat);
	}
	close(null);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_learned_in_order_for_any_number_of_jobs),
		cmocka_unit_test(names_are_not_learned_for_a_view_that_names_tasks_itself),
		cmocka_unit_test(a_task_has_its_name_without_the_text_that_gives_it),
		cmocka_unit_test(damage_of_a_cpu_loses_nothing_of_the_others),
		cmocka_unit_test(output_that_fails_ends_the_run),
		cmocka_unit_test(view_that_fails_ends_the_run),
		cmocka_unit_test(progress_grows_until_all_was_read),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
