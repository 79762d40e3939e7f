/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stack/profile.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf-core.h"
#include "decode/event.h"
#include "decode/task.h"
#include "decode/trace.h"
#include "decode/types.h"
#include "lib/bytes.h"
#include "lib/dat_build.h"
#include "lib/dat_open.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-profile.h"
#include "tracedat/dat-read.h"

#define SEC TFS_PROFILE_WINDOW
#define COMM "tc-samp-9"

enum { WAKING = 60, STAT = 61, FORK = 62, SWITCH = 63 };
enum { SAMPLES, RUNTIME };

#define FORMAT(name, id, fields) \
	"name: " name "\nID: " #id "\n" DAT_COMMON_FIELDS fields "\nprint fmt: \"\"\n"
#define INT(name, offset) "\tfield:int " name ";\toffset:" #offset ";\tsize:4;\tsigned:1;\n"
#define TEXT(name, offset) "\tfield:char " name "[16];\toffset:" #offset ";\tsize:16;\tsigned:0;\n"

static const char *const sched[] = {
	FORMAT("sched_waking", 60, TEXT("comm", 8) INT("pid", 24) INT("target_cpu", 28)),
	FORMAT("sched_stat_runtime", 61,
	       TEXT("comm", 8)
		       INT("pid", 24) "\tfield:u64 runtime;\toffset:32;\tsize:8;\tsigned:0;\n"),
	FORMAT("sched_process_fork", 62, INT("parent_pid", 8) INT("child_pid", 12)),
	FORMAT("sched_switch", 63, TEXT("prev_comm", 8) INT("prev_pid", 24) INT("next_pid", 28)),
	NULL,
};

/* Weights as they were given: "TOKEN:NS " and "PID COMM:NS " */
struct fixture {
	struct tfs_trace *trace;
	struct tfs_trace *traces[1];
	struct tfs_profile *p;
	struct tfs_strbuf given;
	unsigned int cpu;
	int64_t lost;
};

static int weigh(void *ctx, uint64_t token, uint64_t ns)
{
	struct fixture *f = ctx;

	return tfs_strbuf_addf(&f->given, "%" PRIu64 ":%" PRIu64 " ", token, ns);
}

static int unsampled(void *ctx, const struct tfs_profile_task *task, uint64_t ns)
{
	struct fixture *f = ctx;

	return tfs_strbuf_addf(&f->given, "%d %s:%" PRIu64 " ", task->pid, task->comm, ns);
}

static const struct tfs_profile_ops ops = { .weigh = weigh, .unsampled = unsampled };

/* A recording with buffers "samples" and "runtime", which are empty */
static struct tfs_dat *make_dat(const struct tfs_dat_profile *profile)
{
	const struct dat_spec spec = { .cpus = 1, .page_size = 4096, .sched = sched };
	struct tfs_strbuf payload = TFS_STRBUF_INIT;
	struct page_builder page;
	struct dat_builder d;
	struct bytes pages;
	struct dat_cpu cpu = { .cpu = 0, .pages = &pages };
	struct tfs_dat *dat;

	dat_begin(&d, &spec);
	dat_metadata(&d);
	bytes_init(&pages, false);
	page_begin(&page, &pages, 8, 4096, 1);
	page_end(&page, 0);
	dat_buffer(&d, "samples", &cpu, 1);
	dat_buffer(&d, "runtime", &cpu, 1);
	if (profile) {
		assert_int_equal(tfs_dat_profile_put(&payload, profile), 0);
		dat_option(&d, TFS_DAT_PRIVATE_PROFILE, payload.s, payload.len);
	}
	dat = dat_open_built(&d);
	assert_string_equal(tfs_dat_buffer(dat, SAMPLES)->name, "samples");
	assert_string_equal(tfs_dat_buffer(dat, RUNTIME)->name, "runtime");
	bytes_release(&pages);
	tfs_strbuf_release(&payload);
	return dat;
}

static const struct tfs_dat_profile plain = {
	.period_ns = 1000000,
	.samples = "samples",
	.runtime = "runtime",
	.event = "sched:sched_waking",
	.comm = COMM,
};

static void begin(struct fixture *f, const struct tfs_dat_profile *profile)
{
	static const struct tfs_trace_opts opts = { .no_plugins = true };

	assert_int_equal(tfs_trace_open_dat(make_dat(profile), &opts, &f->trace, NULL), 0);
	f->traces[0] = f->trace;
	assert_int_equal(tfs_profile_new(f->traces, 1, 0, &ops, f, &f->p), 0);
}

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct fixture));
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tfs_profile_free(f->p);
	tfs_trace_free(f->trace);
	tfs_strbuf_release(&f->given);
	free(f);
	return 0;
}

/* An event of the task @pid; @sample: with its stacks, if it is a sample. Return: what it is */
static enum tfs_profile_kind put(struct fixture *f, unsigned int buffer, int pid, uint64_t ts,
				 struct bytes *b, int id, uint64_t token)
{
	struct tfs_event event = {
		.rec = { .ts = ts, .buffer = buffer, .cpu = f->cpu, .lost = f->lost },
		.type = tfs_trace_event(f->trace, id),
		.pid = pid,
		.shown = true,
		.selected = true,
	};
	enum tfs_profile_kind kind;

	event.rec.data = b->sb.s;
	event.rec.size = (uint32_t)b->sb.len;
	assert_non_null(event.type);
	if (f->lost)
		tfs_profile_lost(f->p, &event);
	kind = tfs_profile_kind(f->p, &event);
	assert_int_equal(tfs_profile_event(f->p, &event), 0);
	if (kind == TFS_PROFILE_SAMPLE)
		assert_int_equal(tfs_profile_sample(f->p, &event, token), 0);
	bytes_release(b);
	return kind;
}

static void head(struct bytes *b, int id, int pid)
{
	bytes_init(b, false);
	bytes_u16(b, (uint16_t)id);
	bytes_u16(b, 0);
	bytes_u32(b, (uint32_t)pid);
}

static void put_comm(struct bytes *b, const char *comm)
{
	for (size_t i = 0; i < 16; i++)
		bytes_u8(b, i < strlen(comm) ? (unsigned char)comm[i] : 0);
}

static enum tfs_profile_kind waking(struct fixture *f, unsigned int buffer, int pid, uint64_t ts,
				    const char *comm, unsigned int target, uint64_t token)
{
	struct bytes b;

	head(&b, WAKING, pid);
	put_comm(&b, comm);
	bytes_u32(&b, 99);
	bytes_u32(&b, target);
	return put(f, buffer, pid, ts, &b, WAKING, token);
}

static void sample(struct fixture *f, int pid, uint64_t ts, uint64_t token)
{
	assert_int_equal(waking(f, SAMPLES, pid, ts, COMM, f->cpu, token), TFS_PROFILE_SAMPLE);
}

static void runs(struct fixture *f, int pid, const char *comm, uint64_t ts, uint64_t ns)
{
	struct bytes b;

	head(&b, STAT, 1);
	put_comm(&b, comm);
	bytes_u32(&b, (uint32_t)pid);
	bytes_u32(&b, 0);
	bytes_u64(&b, ns);
	assert_int_equal(put(f, RUNTIME, 1, ts, &b, STAT, 0), TFS_PROFILE_OTHER);
}

static void forks(struct fixture *f, int parent, int child, uint64_t ts)
{
	struct bytes b;

	head(&b, FORK, parent);
	bytes_u32(&b, (uint32_t)parent);
	bytes_u32(&b, (uint32_t)child);
	assert_int_equal(put(f, RUNTIME, parent, ts, &b, FORK, 0), TFS_PROFILE_OTHER);
}

static void switches(struct fixture *f, int prev, int next, uint64_t ts)
{
	struct bytes b;

	head(&b, SWITCH, prev);
	put_comm(&b, "prev");
	bytes_u32(&b, (uint32_t)prev);
	bytes_u32(&b, (uint32_t)next);
	assert_int_equal(put(f, RUNTIME, prev, ts, &b, SWITCH, 0), TFS_PROFILE_OTHER);
}

static void ended(struct fixture *f, const char *want)
{
	assert_int_equal(tfs_profile_end(f->p), 0);
	assert_string_equal(f->given.len ? f->given.s : "", want);
}

static void a_recording_without_profile_has_none(void **state)
{
	struct fixture *f = *state;

	begin(f, NULL);
	assert_null(f->p);
	assert_false(tfs_profile_has(f->p, 0));
}

static void run_time_is_shared_by_samples(void **state)
{
	struct fixture *f = *state;
	struct tfs_profile_totals t;

	begin(f, &plain);
	assert_true(tfs_profile_has(f->p, 0));
	sample(f, 7, SEC, 1);
	sample(f, 7, SEC + 10, 2);
	runs(f, 7, "busy", SEC + 20, 101);
	runs(f, 8, "idle", SEC + 30, 40);
	ended(f, "1:50 2:51 8 idle:40 ");
	tfs_profile_totals(f->p, &t);
	assert_int_equal(t.samples, 2);
	assert_int_equal(t.runtime_ns, 141);
	assert_int_equal(t.unsampled_ns, 40);
}

static void only_the_samplers_own_timers_are_samples(void **state)
{
	struct fixture *f = *state;
	struct bytes b;

	begin(f, &plain);
	assert_int_equal(waking(f, SAMPLES, 7, SEC, "other", 0, 1), TFS_PROFILE_OTHER);
	/* a timer that ran on another CPU says nothing about its own */
	assert_int_equal(waking(f, SAMPLES, 7, SEC, COMM, 1, 1), TFS_PROFILE_OTHER);
	assert_int_equal(waking(f, SAMPLES, 0, SEC, COMM, 0, 1), TFS_PROFILE_OTHER);
	assert_int_equal(waking(f, 2, 7, SEC, COMM, 0, 1), TFS_PROFILE_NONE);
	/* records that end early */
	head(&b, WAKING, 7);
	assert_int_equal(put(f, SAMPLES, 7, SEC, &b, WAKING, 1), TFS_PROFILE_OTHER);
	head(&b, STAT, 7);
	assert_int_equal(put(f, RUNTIME, 7, SEC, &b, STAT, 1), TFS_PROFILE_OTHER);
	ended(f, "");
}

static void targets_and_their_children_are_profiled(void **state)
{
	static const uint32_t targets[] = { 7 };
	struct fixture *f = *state;
	struct tfs_dat_profile some = plain;

	some.targets = targets;
	some.n_targets = 1;
	some.flags = TFS_DAT_PROFILE_CHILDREN;
	begin(f, &some);
	runs(f, 8, "later", SEC, 1);
	forks(f, 7, 8, SEC + 1);
	forks(f, 9, 10, SEC + 2);
	runs(f, 8, "child", SEC + 3, 20);
	runs(f, 9, "other", SEC + 4, 300);
	runs(f, 10, "other", SEC + 5, 4000);
	ended(f, "8 child:20 ");
}

static void time_between_switches_stands_in_for_run_time(void **state)
{
	struct fixture *f = *state;

	begin(f, &plain);
	switches(f, 7, 8, SEC);
	sample(f, 8, SEC + 1, 1);
	switches(f, 8, 0, SEC + 100);
	switches(f, 0, 8, SEC + 500);
	f->lost = 3;
	/* it is not known who ran in between */
	switches(f, 8, 7, SEC + 900);
	f->lost = 0;
	f->cpu = 1;
	switches(f, 7, 9, SEC + 910);
	f->cpu = 0;
	switches(f, 7, 0, SEC + 930);
	ended(f, "1:100 7 prev:30 ");
}

static void a_task_without_run_time_counts_periods(void **state)
{
	struct fixture *f = *state;
	struct tfs_profile_totals t;

	begin(f, &plain);
	sample(f, 7, SEC, 1);
	ended(f, "1:1000000 ");
	tfs_profile_totals(f->p, &t);
	assert_int_equal(t.bare, 1);
	assert_int_equal(t.bare_ns, 1000000);
}

static void names_that_only_the_profile_has_are_known(void **state)
{
	struct fixture *f = *state;
	struct tfs_event event = { .pid = 7 };

	begin(f, &plain);
	assert_null(tfs_profile_who(f->p, &event));
	runs(f, 7, "sh", SEC, 1);
	assert_string_equal(tfs_profile_who(f->p, &event)->comm, "sh");
	runs(f, 7, "make", SEC + 1, 1);
	assert_string_equal(tfs_profile_who(f->p, &event)->comm, "make");
	event.pid = 8;
	assert_null(tfs_profile_who(f->p, &event));
}

/* 100 periods of run time: 90 samples of the one, 20 of the other */
static void a_task_in_step_with_the_tick_is_named(void **state)
{
	struct fixture *f = *state;
	struct tfs_dat_profile tick = plain;
	struct tfs_strbuf notes = TFS_STRBUF_INIT;

	tick.flags = TFS_DAT_PROFILE_TICK;
	begin(f, &tick);
	for (unsigned int i = 0; i < 90; i++) {
		sample(f, 7, SEC + i, i);
		if (i < 20)
			sample(f, 8, SEC + i, i);
	}
	runs(f, 7, "even", SEC + 200000000, 100000000);
	runs(f, 8, "timed", SEC + 300000000, 100000000);
	assert_int_equal(tfs_profile_end(f->p), 0);
	assert_int_equal(tfs_profile_notes(f->p, &notes), 0);
	assert_non_null(strstr(notes.s, "in step with the tick: timed-8 ran for 0.100 s, and its "
					"samples say 0.020 s\n"));
	assert_null(strstr(notes.s, "even"));
	tfs_strbuf_release(&notes);
}

/* The rest of a CPU of a buffer is missing. */
static void truncate(struct fixture *f, unsigned int buffer, uint64_t ts)
{
	const struct tfs_event event = {
		.rec = { .ts = ts, .buffer = buffer, .lost = TFS_LOST_UNKNOWN },
		.missing = true,
	};

	tfs_profile_lost(f->p, &event);
}

/* Samples of the one and the run time of another task with the same name */
static void share(struct fixture *f)
{
	sample(f, 7, SEC, 1);
	runs(f, 7, "work", SEC + 1, 2000000);
	runs(f, 8, "work", SEC + 2, 1000000);
}

static void note(struct fixture *f, struct tfs_strbuf *notes)
{
	assert_int_equal(tfs_profile_end(f->p), 0);
	assert_int_equal(tfs_profile_notes(f->p, notes), 0);
}

static void begin_by_name(struct fixture *f)
{
	begin(f, &plain);
	tfs_profile_free(f->p);
	assert_int_equal(tfs_profile_new(f->traces, 1, TFS_PROFILE_BY_NAME, &ops, f, &f->p), 0);
}

static void a_task_whose_samples_may_be_missing_did_not_run_too_briefly(void **state)
{
	struct fixture *f = *state;
	struct tfs_strbuf notes = TFS_STRBUF_INIT;

	for (int i = 0; i < 2; i++) {
		begin_by_name(f);
		share(f);
		if (i)
			truncate(f, SAMPLES, SEC + 3);
		note(f, &notes);
		assert_non_null(strstr(notes.s, i ? "0.001 of 0.003 s of CPU time are of tasks "
						    "without samples, and count" :
						    "0.001 of 0.003 s of CPU time are of tasks "
						    "that ran too briefly to be sampled"));
		assert_int_equal(strstr(notes.s, "too briefly") != NULL, !i);
		tfs_strbuf_reset(&notes);
		tfs_profile_free(f->p);
		tfs_trace_free(f->trace);
		f->p = NULL;
		f->trace = NULL;
	}
	tfs_strbuf_release(&notes);
}

static void a_loss_is_said_before_what_it_may_cause(void **state)
{
	struct fixture *f = *state;
	struct tfs_strbuf notes = TFS_STRBUF_INIT;
	const char *lost = "3 events of the profile were lost: CPU time is missing\n";

	begin_by_name(f);
	f->lost = 3;
	sample(f, 7, SEC, 1);
	f->lost = 0;
	runs(f, 7, "work", SEC + 1, 2000000);
	runs(f, 8, "work", SEC + 2, 1000000);
	note(f, &notes);
	assert_memory_equal(notes.s, lost, strlen(lost));
	assert_non_null(strstr(notes.s, "are of tasks without samples, and count"));
	tfs_strbuf_release(&notes);
}

/* All samples of the one task, and some of the run time of both, are missing. */
static void tasks_are_not_in_step_with_the_tick_if_events_are_missing(void **state)
{
	struct fixture *f = *state;
	struct tfs_dat_profile tick = plain;
	struct tfs_strbuf notes = TFS_STRBUF_INIT;

	tick.flags = TFS_DAT_PROFILE_TICK;
	begin(f, &tick);
	for (unsigned int i = 0; i < 90; i++)
		sample(f, 7, SEC + i, i);
	truncate(f, SAMPLES, SEC + 90);
	runs(f, 8, "whole", SEC + 200000000, 100000000);
	note(f, &notes);
	assert_null(strstr(notes.s, "in step"));
	tfs_strbuf_release(&notes);
}

static void buffers_that_are_not_in_the_file_are_named(void **state)
{
	struct fixture *f = *state;
	struct tfs_dat_profile other = plain;
	struct tfs_strbuf notes = TFS_STRBUF_INIT;

	other.samples = "gone";
	begin(f, &other);
	note(f, &notes);
	assert_string_equal(notes.s, "the samples of the CPU profile are not known: buffer "
				     "\'gone\' is missing\n");
	tfs_profile_free(f->p);
	tfs_trace_free(f->trace);
	f->p = NULL;
	tfs_strbuf_reset(&notes);
	other = plain;
	other.runtime = "gone";
	begin(f, &other);
	note(f, &notes);
	assert_string_equal(notes.s, "the run time of the CPU profile is not known: buffer "
				     "\'gone\' is missing\n");
	tfs_strbuf_release(&notes);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_recording_without_profile_has_none),
		TEST(run_time_is_shared_by_samples),
		TEST(only_the_samplers_own_timers_are_samples),
		TEST(targets_and_their_children_are_profiled),
		TEST(time_between_switches_stands_in_for_run_time),
		TEST(a_task_without_run_time_counts_periods),
		TEST(names_that_only_the_profile_has_are_known),
		TEST(a_task_in_step_with_the_tick_is_named),
		TEST(a_task_whose_samples_may_be_missing_did_not_run_too_briefly),
		TEST(a_loss_is_said_before_what_it_may_cause),
		TEST(tasks_are_not_in_step_with_the_tick_if_events_are_missing),
		TEST(buffers_that_are_not_in_the_file_are_named),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
