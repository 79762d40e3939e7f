/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cpus.h"
#include "base/err.h"
#include "base/strvec.h"
#include "lib/fake.h"
#include "lib/skip.h"
#include "record/session.h"
#include "tracedat/dat-lost.h"
#include "tracedat/dat-read.h"
#include "tracedat/stream.h"
#include "tracefs/instance.h"

#define SUBBUF 4096u
#define HEADER 16u
/* Far beyond what a loaded machine with sanitizers takes: reached only where something hangs. */
#define DEADLINE_MS 100000

/*
 * A fake tracefs in which each CPU's trace_pipe_raw is a named pipe: readable once something was
 * written to it, as the kernel's is, and read in sub-buffers.
 */
static const unsigned int cpu_numbers[] = { 0, 1, 5 };
#define N_CPUS 3

struct fixture {
	struct fake fake;
	struct tfs_instance top;
	struct tfs_strvec events;
	struct tfs_session_buffer buffer;
	struct tfs_session_opts opts;
	struct tfs_session *s;
	char output[128];
	int feed[N_CPUS];
};

static const char *raw_file(const struct fixture *f, size_t i)
{
	char name[64];

	snprintf(name, sizeof(name), "per_cpu/cpu%u/trace_pipe_raw", cpu_numbers[i]);
	return fake_path(&f->fake, name);
}

/* In a sub-buffer that feed() fills */
#define PAGE_EVENTS 510u

/*
 * Counters of each CPU. @before: what others have taken out; @after: the recording has ended, of 12
 * full sub-buffers of CPU 0 and ten events of CPU 5
 */
static void put_stats(const struct fixture *f, unsigned int before, bool after)
{
	const unsigned int taken[N_CPUS] = { 12 * PAGE_EVENTS, 0, 10 };
	char name[64], text[128];

	for (size_t i = 0; i < N_CPUS; i++) {
		snprintf(name, sizeof(name), "per_cpu/cpu%u/stats", cpu_numbers[i]);
		snprintf(text, sizeof(text), "overrun: %u\nread events: %u\nentries: %u\n",
			 i == 1 ? 4 : 0, before + (after ? taken[i] : 0), i == 1 ? 2 : 0);
		fake_put(&f->fake, name, text);
	}
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	fake_new(&f->fake, "x86_64-6.18");
	put_stats(f, 7, false);
	for (size_t i = 0; i < N_CPUS; i++) {
		if (mkfifo(raw_file(f, i), 0600))
			return -1;
		f->feed[i] = -1;
	}
	fake_put(&f->fake, "trace_clock", "local [mono]\n");
	snprintf(f->output, sizeof(f->output), "%s/out.dat", f->fake.dir);
	f->buffer = (struct tfs_session_buffer){ .inst = &f->top, .name = "" };
	f->opts = (struct tfs_session_opts){
		.root = f->fake.root,
		.buffers = &f->buffer,
		.n_buffers = 1,
		.output = f->output,
		.codec = tfs_codec_default(),
		.events = &f->events,
	};
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tfs_session_free(f->s);
	for (size_t i = 0; i < N_CPUS; i++)
		if (f->feed[i] >= 0)
			close(f->feed[i]);
	fake_free(&f->fake);
	free(f);
	return 0;
}

static void start(struct fixture *f)
{
	assert_int_equal(tfs_session_new(&f->opts, &f->s, NULL), 0);
	put_stats(f, 7, true);
	for (size_t i = 0; i < N_CPUS && !f->opts.fed; i++) {
		f->feed[i] = open(raw_file(f, i), O_WRONLY | O_NONBLOCK);
		assert_true(f->feed[i] >= 0);
	}
	assert_int_equal(tfs_session_start(f->s, NULL), 0);
}

/* Events: each its word (type_len 1: 4 bytes of data), then its type; see ring_buffer.h */
static void feed_type(const struct fixture *f, size_t cpu, uint64_t ts, uint64_t used,
		      uint32_t type)
{
	unsigned char page[SUBBUF] = { 0 };
	const uint32_t words[] = { 1, type };

	memcpy(page, &ts, sizeof(ts));
	memcpy(page + 8, &used, sizeof(used));
	for (uint64_t at = HEADER; at + 8 <= HEADER + used; at += 8)
		memcpy(page + at, words, sizeof(words));
	if (f->opts.fed)
		assert_int_equal(tfs_session_add(f->s, cpu_numbers[cpu], page, NULL), 0);
	else
		assert_int_equal(write(f->feed[cpu], page, sizeof(page)), SUBBUF);
}

static void feed(const struct fixture *f, size_t cpu, uint64_t ts, uint64_t used)
{
	feed_type(f, cpu, ts, used, 0);
}

/* Until the readers have taken so many bytes */
static void wait_taken(const struct fixture *f, uint64_t bytes)
{
	uint64_t raw = 0, stored;

	for (int i = 0; i < DEADLINE_MS && raw < bytes; i++) {
		tfs_session_progress(f->s, &raw, &stored);
		poll(NULL, 0, 1);
	}
	assert_true(raw >= bytes);
}

/* The same, unless the recording ends before */
static void wait_taken_or_ended(const struct fixture *f, uint64_t bytes)
{
	uint64_t raw = 0, stored;
	bool runs = true;

	for (int i = 0; i < DEADLINE_MS && runs && raw < bytes; i++) {
		tfs_session_progress(f->s, &raw, &stored);
		runs = tfs_session_state(f->s) == TFS_SESSION_RUNNING;
		if (runs && raw < bytes)
			poll(NULL, 0, 1);
	}
	assert_true(!runs || raw >= bytes);
}

/* Files beside the output whose name begins with its name */
static bool has_temps(const struct fixture *f)
{
	for (size_t i = 0; i < N_CPUS; i++) {
		char path[256];

		snprintf(path, sizeof(path), "%s.cpu%u", f->output, cpu_numbers[i]);
		if (!access(path, F_OK))
			return true;
	}
	return false;
}

static uint64_t first_stamp(struct tfs_dat *dat, size_t buffer, size_t cpu_index)
{
	struct tfs_stream *stream;
	const void *page;
	uint64_t ts;

	assert_int_equal(tfs_stream_new(dat, buffer, cpu_index, &stream, NULL), 0);
	assert_int_equal(tfs_stream_next(stream, &page, NULL), 1);
	memcpy(&ts, page, sizeof(ts));
	tfs_stream_free(stream);
	return ts;
}

static void record_and_check(struct fixture *f)
{
	struct tfs_session_totals t;
	const struct tfs_dat_buffer *buffer;
	const struct tfs_dat_option *o;
	struct tfs_dat *dat;
	size_t lost = 0;

	start(f);
	for (int i = 0; i < 12; i++)
		feed(f, 0, 1000 + (uint64_t)i, 4080);
	feed(f, 2, 7777, 80);
	wait_taken(f, 13 * SUBBUF);
	assert_int_equal(tfs_session_stop(f->s, NULL), 0);
	assert_int_equal(tfs_session_state(f->s), TFS_SESSION_ENDED);
	assert_int_equal(tfs_session_finish(f->s, &t, NULL), 0);
	assert_int_equal(t.events, 12 * PAGE_EVENTS + 10);
	assert_int_equal(t.taken, 0);
	assert_int_equal(t.signs, 0);
	assert_int_equal(t.lost, 6);
	assert_int_equal(t.raw_bytes, 13 * SUBBUF);
	assert_int_equal(t.n_cpus, N_CPUS);
	assert_int_equal(t.cpus[1].lost, 6);
	assert_int_equal(t.cpus[2].cpu, 5);
	assert_int_equal(t.cpus[2].raw_bytes, SUBBUF);
	assert_false(has_temps(f));

	assert_int_equal(tfs_dat_open(f->output, &dat, NULL), 0);
	assert_null(tfs_dat_damage(dat));
	assert_int_equal(tfs_dat_n_buffers(dat), 1);
	buffer = tfs_dat_buffer(dat, 0);
	assert_string_equal(buffer->name, "");
	assert_string_equal(buffer->clock, "mono");
	assert_int_equal(buffer->page_size, SUBBUF);
	assert_int_equal(buffer->n_cpus, 2);
	assert_int_equal(buffer->cpus[0].cpu, 0);
	assert_int_equal(buffer->cpus[1].cpu, 5);
	assert_int_equal(first_stamp(dat, 0, 0), 1000);
	assert_int_equal(first_stamp(dat, 0, 1), 7777);
	for (size_t i = 0; i < tfs_dat_n_options(dat); i++) {
		o = tfs_dat_option(dat, i);
		if (o->id != TFS_DAT_PRIVATE_LOST)
			continue;
		lost++;
		assert_int_equal(o->data.size, 8 + 3 * 64);
		assert_memory_equal(o->data.data, &(uint32_t){ 0x01020304 }, 4);
		assert_memory_equal(o->data.data + 8 + 64, &(uint32_t){ 1 }, 4);
		assert_memory_equal(o->data.data + 8 + 64 + 16, &(uint64_t){ 4 }, 8);
		assert_memory_equal(o->data.data + 8 + 64 + 40, &(uint64_t){ 2 }, 8);
	}
	assert_int_equal(lost, 1);
	tfs_dat_free(dat);
}

static void the_file_has_the_data_that_was_read(void **state)
{
	record_and_check(*state);
}

static void uncompressed_too(void **state)
{
	struct fixture *f = *state;

	f->opts.codec = TFS_CODEC_NONE;
	record_and_check(f);
}

static void one_thread_can_do_it_all(void **state)
{
	struct fixture *f = *state;
	const pid_t *tids;

	f->opts.max_threads = 1;
	record_and_check(f);
	assert_int_equal(tfs_session_tids(f->s, &tids), 1);
	assert_true(tids[0] > 0 && tids[0] != getpid());
}

static void sub_buffers_can_be_given_by_who_read_them(void **state)
{
	struct fixture *f = *state;
	const pid_t *tids;

	f->opts.fed = true;
	record_and_check(f);
	assert_int_equal(tfs_session_tids(f->s, &tids), 0);
}

static void uncompressed_ones_too(void **state)
{
	struct fixture *f = *state;

	f->opts.fed = true;
	f->opts.codec = TFS_CODEC_NONE;
	record_and_check(f);
}

static void a_cpu_that_is_not_recorded_is_refused(void **state)
{
	static const unsigned char page[SUBBUF];
	struct fixture *f = *state;

	f->opts.fed = true;
	start(f);
	assert_int_equal(tfs_session_add(f->s, 4, page, NULL), -ENODEV);
}

static void options_can_be_added_until_the_end(void **state)
{
	const struct tfs_session_option option = { .id = 0x7cff, .data = "late", .size = 4 };
	const struct tfs_dat_option *found;
	struct fixture *f = *state;
	struct tfs_session_totals t;
	struct tfs_dat *dat;

	f->opts.fed = true;
	start(f);
	feed(f, 0, 1000, 80);
	assert_int_equal(tfs_session_option(f->s, &option), 0);
	assert_int_equal(tfs_session_stop(f->s, NULL), 0);
	assert_int_equal(tfs_session_finish(f->s, &t, NULL), 0);
	assert_int_equal(tfs_dat_open(f->output, &dat, NULL), 0);
	found = tfs_dat_option_last(dat, 0x7cff);
	assert_non_null(found);
	assert_int_equal(found->data.size, 4);
	assert_memory_equal(found->data.data, "late", 4);
	tfs_dat_free(dat);
}

static off_t size_of_temp(const struct fixture *f, size_t i)
{
	char path[256];
	struct stat st;

	snprintf(path, sizeof(path), "%s.cpu%u", f->output, cpu_numbers[i]);
	return stat(path, &st) ? 0 : st.st_size;
}

/* Too little to fill a chunk, or to wake a reader */
static void little_reaches_the_file(struct fixture *f, enum tfs_codec_id codec)
{
	struct tfs_session_totals t;

	f->opts.codec = codec;
	start(f);
	feed(f, 0, 1000, 80);
	feed(f, 2, 7777, 80);
	for (int i = 0; i < DEADLINE_MS && !(size_of_temp(f, 0) && size_of_temp(f, 2)); i++)
		poll(NULL, 0, 1);
	assert_true(size_of_temp(f, 0) > 0);
	assert_true(size_of_temp(f, 2) > 0);
	/* later data is appended */
	feed(f, 0, 2000, 80);
	wait_taken(f, 3 * SUBBUF);
	assert_int_equal(tfs_session_stop(f->s, NULL), 0);
	assert_int_equal(tfs_session_finish(f->s, &t, NULL), 0);
	assert_int_equal(t.raw_bytes, 3 * SUBBUF);
}

static void little_data_reach_the_file_while_recording(void **state)
{
	little_reaches_the_file(*state, tfs_codec_default());
}

static void little_uncompressed_data_do_too(void **state)
{
	little_reaches_the_file(*state, TFS_CODEC_NONE);
}

static void a_flush_writes_sub_buffers_that_were_given(void **state)
{
	struct fixture *f = *state;

	f->opts.fed = true;
	start(f);
	feed(f, 2, 7777, 80);
	assert_int_equal(size_of_temp(f, 2), 0);
	assert_int_equal(tfs_session_flush(f->s, NULL), 0);
	assert_true(size_of_temp(f, 2) > 0);
}

static void metadata_can_be_read_before_the_end(void **state)
{
	struct fixture *f = *state;
	struct tfs_dat *dat;

	assert_int_equal(tfs_strvec_push(&f->events, "sched:*"), 0);
	start(f);
	assert_true(has_temps(f));
	assert_int_equal(tfs_dat_open(f->output, &dat, NULL), 0);
	assert_true(tfs_dat_n_formats(dat) > 10);
	tfs_dat_free(dat);
	tfs_strvec_release(&f->events);
}

/* The number of an event, from its format */
static uint32_t number_of(const struct fixture *f, const char *event)
{
	char path[128];
	const char *id;

	snprintf(path, sizeof(path), "events/%s/format", event);
	id = strstr(fake_get(&f->fake, path), "\nID: ");
	assert_non_null(id);
	return (uint32_t)strtoul(id + 5, NULL, 10);
}

static bool has_symbols(const struct fixture *f)
{
	struct tfs_blob blob;
	struct tfs_dat *dat;

	assert_int_equal(tfs_dat_open(f->output, &dat, NULL), 0);
	assert_null(tfs_dat_damage(dat));
	tfs_dat_blob(dat, TFS_DAT_BLOB_KALLSYMS, &blob);
	tfs_dat_free(dat);
	return blob.size > 0;
}

/* In the head, and in the complete file with an event of @type between others */
static void symbols_are(struct fixture *f, const char *events, uint32_t type, bool before,
			bool after)
{
	struct tfs_session_totals t;

	fake_put(&f->fake, "current_tracer", "nop\n");
	fake_put(&f->fake, "trace_options", "print-parent\nnostacktrace\n");
	assert_int_equal(tfs_strvec_push(&f->events, events), 0);
	start(f);
	assert_int_equal(has_symbols(f), before);
	feed(f, 0, 1000, 4080);
	feed_type(f, 0, 2000, 8, type);
	feed(f, 2, 3000, 80);
	wait_taken(f, 3 * SUBBUF);
	assert_int_equal(tfs_session_stop(f->s, NULL), 0);
	assert_int_equal(tfs_session_finish(f->s, &t, NULL), 0);
	assert_int_equal(has_symbols(f), after);
	tfs_strvec_release(&f->events);
}

static void symbols_are_in_the_file_by_default(void **state)
{
	symbols_are(*state, "sched:sched_switch", 0, true, true);
}

static void symbols_that_nothing_needs_are_left_out(void **state)
{
	struct fixture *f = *state;

	f->opts.symbols = TFS_SYMBOLS_USED;
	symbols_are(f, "sched:*", number_of(f, "sched/sched_switch"), false, false);
}

static void symbols_come_at_the_end_when_an_event_needs_them(void **state)
{
	struct fixture *f = *state;

	f->opts.symbols = TFS_SYMBOLS_USED;
	symbols_are(f, "sched:*", number_of(f, "sched/sched_kthread_work_queue_work"), false, true);
}

static void uncompressed_symbols_are_left_out_too(void **state)
{
	struct fixture *f = *state;

	f->opts.codec = TFS_CODEC_NONE;
	f->opts.symbols = TFS_SYMBOLS_USED;
	symbols_are(f, "sched:*", number_of(f, "sched/sched_switch"), false, false);
}

static void uncompressed_symbols_come_at_the_end_too(void **state)
{
	struct fixture *f = *state;

	f->opts.codec = TFS_CODEC_NONE;
	f->opts.symbols = TFS_SYMBOLS_USED;
	symbols_are(f, "sched:*", number_of(f, "sched/sched_kthread_work_queue_work"), false, true);
}

static void where_many_events_may_need_them_symbols_come_first(void **state)
{
	struct fixture *f = *state;

	f->opts.symbols = TFS_SYMBOLS_USED;
	symbols_are(f, "timer:*", 0, true, true);
}

static void in_a_file_of_a_certain_size_symbols_come_first(void **state)
{
	struct fixture *f = *state;

	f->opts.max_bytes = 64 << 20;
	f->opts.symbols = TFS_SYMBOLS_USED;
	symbols_are(f, "sched:*", 0, true, true);
}

static void temporary_files_are_private(void **state)
{
	struct fixture *f = *state;
	char path[256];
	struct stat st;

	start(f);
	snprintf(path, sizeof(path), "%s.cpu5", f->output);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
}

static void files_of_a_killed_recorder_are_replaced(void **state)
{
	struct fixture *f = *state;

	fake_put(&f->fake, "out.dat", "half a file, which has more bytes than were written so far");
	fake_put(&f->fake, "out.dat.cpu0", "old data");
	fake_put(&f->fake, "out.dat.cpu5", "old data");
	record_and_check(f);
}

static void a_temporary_file_is_never_followed(void **state)
{
	struct fixture *f = *state;
	struct tfs_err err = TFS_ERR_INIT;
	char path[256];

	fake_put(&f->fake, "victim", "precious");
	snprintf(path, sizeof(path), "%s.cpu1", f->output);
	assert_int_equal(symlink(fake_path(&f->fake, "victim"), path), 0);
	assert_int_equal(tfs_session_new(&f->opts, &f->s, &err), -EEXIST);
	assert_non_null(strstr(err.msg, "out.dat.cpu1"));
	assert_string_equal(fake_get(&f->fake, "victim"), "precious");
	unlink(path);
	assert_false(has_temps(f));
	assert_int_not_equal(access(f->output, F_OK), 0);
}

static void an_output_in_use_is_refused_and_stays(void **state)
{
	struct fixture *f = *state;
	struct tfs_err err = TFS_ERR_INIT;
	int fd;

	fake_put(&f->fake, "out.dat", "somebody's");
	fd = open(f->output, O_RDWR);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(tfs_session_new(&f->opts, &f->s, &err), -EBUSY);
	assert_string_equal(fake_get(&f->fake, "out.dat"), "somebody's");
	assert_false(has_temps(f));
	close(fd);
}

static void an_output_other_than_a_regular_file_is_refused(void **state)
{
	struct fixture *f = *state;

	f->opts.output = "/dev/null";
	assert_int_equal(tfs_session_new(&f->opts, &f->s, NULL), -EINVAL);
	assert_int_equal(mkfifo(f->output, 0600), 0);
	f->opts.output = f->output;
	assert_int_equal(tfs_session_new(&f->opts, &f->s, NULL), -EINVAL);
	assert_int_equal(access(f->output, F_OK), 0);
}

static void a_start_that_fails_leaves_nothing(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(unlink(raw_file(f, 2)), 0);
	assert_int_equal(tfs_session_new(&f->opts, &f->s, NULL), -ENOENT);
	assert_int_not_equal(access(f->output, F_OK), 0);
	assert_false(has_temps(f));
}

static void a_discarded_session_leaves_nothing(void **state)
{
	struct fixture *f = *state;

	start(f);
	feed(f, 0, 1, 4080);
	tfs_session_discard(f->s);
	f->s = NULL;
	assert_int_not_equal(access(f->output, F_OK), 0);
	assert_false(has_temps(f));
}

/* A limit of the file size fails writes as a full disk does; the signal that goes with it is off */
/* A second buffer beside the main one: an instance of which CPU 0 only is to be recorded */
static void add_instance(struct fixture *f, struct tfs_session_buffer both[2], const char *raw,
			 struct tfs_cpus *first)
{
	static struct tfs_instance inst;
	char name[128];

	assert_int_equal(tfs_instance_named(&inst, "foo", NULL), 0);
	fake_put(&f->fake, "instances/foo/events/header_page",
		 fake_get(&f->fake, "events/header_page"));
	fake_put(&f->fake, "instances/foo/events/header_event",
		 fake_get(&f->fake, "events/header_event"));
	fake_put(&f->fake, "instances/foo/trace_clock", "[local] boot\n");
	for (unsigned int cpu = 0; cpu < 2; cpu++) {
		snprintf(name, sizeof(name), "instances/foo/per_cpu/cpu%u/stats", cpu);
		fake_put(&f->fake, name, "overrun: 1\nread events: 9\n");
		snprintf(name, sizeof(name), "instances/foo/per_cpu/cpu%u/%s", cpu, raw);
		fake_put(&f->fake, name, "");
	}
	memset(first, 0, sizeof(*first));
	tfs_cpus_add(first, 0);
	tfs_cpus_add(first, 77);
	both[0] = f->buffer;
	both[1] = (struct tfs_session_buffer){ .inst = &inst, .name = "foo", .cpus = first };
	f->opts.buffers = both;
	f->opts.n_buffers = 2;
}

static void several_buffers_are_in_one_file(void **state)
{
	struct tfs_session_buffer both[2];
	struct tfs_session_totals t;
	const struct tfs_dat_buffer *b;
	struct fixture *f = *state;
	struct tfs_dat_lost lost;
	struct tfs_cpus first;
	struct tfs_dat *dat;
	char path[256];
	int fd;

	add_instance(f, both, "trace_pipe_raw", &first);
	assert_int_equal(unlink(fake_path(&f->fake, "instances/foo/per_cpu/cpu0/trace_pipe_raw")),
			 0);
	assert_int_equal(
		mkfifo(fake_path(&f->fake, "instances/foo/per_cpu/cpu0/trace_pipe_raw"), 0600), 0);
	start(f);
	fake_put(&f->fake, "instances/foo/per_cpu/cpu0/stats", "overrun: 1\nread events: 519\n");
	snprintf(path, sizeof(path), "%s.foo.cpu0", f->output);
	assert_int_equal(access(path, F_OK), 0);
	feed(f, 0, 1000, 4080);
	fd = f->feed[0];
	f->feed[0] = open(fake_path(&f->fake, "instances/foo/per_cpu/cpu0/trace_pipe_raw"),
			  O_WRONLY | O_NONBLOCK);
	assert_true(f->feed[0] >= 0);
	feed(f, 0, 2000, 4080);
	wait_taken(f, 2 * SUBBUF);
	close(fd);
	assert_int_equal(tfs_session_stop(f->s, NULL), 0);
	assert_int_equal(tfs_session_finish(f->s, &t, NULL), 0);
	assert_int_equal(t.n_cpus, N_CPUS + 1);
	assert_string_equal(t.cpus[0].buffer, "");
	assert_string_equal(t.cpus[N_CPUS].buffer, "foo");
	assert_int_equal(t.cpus[N_CPUS].lost, 1);
	assert_int_equal(t.events, 2 * PAGE_EVENTS);
	assert_int_equal(t.lost, 7);
	assert_int_not_equal(access(path, F_OK), 0);

	assert_int_equal(tfs_dat_open(f->output, &dat, NULL), 0);
	assert_null(tfs_dat_damage(dat));
	assert_int_equal(tfs_dat_n_buffers(dat), 2);
	assert_string_equal(tfs_dat_buffer(dat, 0)->name, "");
	b = tfs_dat_buffer(dat, 1);
	assert_string_equal(b->name, "foo");
	assert_string_equal(b->clock, "local");
	assert_int_equal(b->n_cpus, 1);
	assert_int_equal(b->cpus[0].cpu, 0);
	assert_int_equal(first_stamp(dat, 0, 0), 1000);
	assert_int_equal(first_stamp(dat, 1, 0), 2000);
	assert_int_equal(tfs_dat_lost_find(dat, 0, 1, &lost), 1);
	assert_int_equal(lost.overrun, 4);
	assert_int_equal(tfs_dat_lost_find(dat, 1, 0, &lost), 1);
	assert_int_equal(lost.overrun, 1);
	assert_int_equal(tfs_dat_lost_find(dat, 1, 1, &lost), 0);
	tfs_dat_free(dat);
}

static void cpus_that_are_not_there_cannot_be_recorded(void **state)
{
	struct fixture *f = *state;
	struct tfs_cpus cpus = { { 0 } };

	tfs_cpus_add(&cpus, 77);
	f->buffer.cpus = &cpus;
	assert_int_equal(tfs_session_new(&f->opts, &f->s, NULL), -ENODEV);
	assert_int_not_equal(access(f->output, F_OK), 0);
}

/* As snapshot_raw: no file to wait for, of which all is there */
static void a_snapshot_is_taken_at_the_end(void **state)
{
	unsigned char page[SUBBUF] = { 0 };
	struct tfs_session_buffer both[2];
	struct tfs_session_totals t;
	struct fixture *f = *state;
	struct tfs_cpus first;
	struct tfs_dat *dat;
	FILE *file;

	memcpy(page, &(uint64_t){ 3000 }, 8);
	memcpy(page + 8, &(uint64_t){ 16 }, 8);
	memcpy(page + 16, &(uint64_t){ 1 }, 8);
	memcpy(page + 24, &(uint64_t){ 1 }, 8);
	add_instance(f, both, "snapshot_raw", &first);
	file = fopen(fake_path(&f->fake, "instances/foo/per_cpu/cpu0/snapshot_raw"), "w");
	assert_non_null(file);
	for (int i = 0; i < 3; i++)
		assert_int_equal(fwrite(page, 1, SUBBUF, file), SUBBUF);
	fclose(file);
	both[1].snapshot = true;
	both[1].name = "";
	f->opts.buffers = &both[1];
	f->opts.n_buffers = 1;
	assert_int_equal(tfs_session_new(&f->opts, &f->s, NULL), 0);
	assert_int_equal(tfs_session_start(f->s, NULL), 0);
	assert_int_equal(tfs_session_stop(f->s, NULL), 0);
	assert_int_equal(tfs_session_finish(f->s, &t, NULL), 0);
	assert_int_equal(t.raw_bytes, 3 * SUBBUF);
	assert_int_equal(t.events, 6);
	assert_int_equal(t.signs, 0);
	assert_int_equal(tfs_dat_open(f->output, &dat, NULL), 0);
	assert_int_equal(tfs_dat_n_buffers(dat), 1);
	assert_int_equal(first_stamp(dat, 0, 0), 3000);
	tfs_dat_free(dat);
}

/* The stamps of a CPU's sub-buffers in a file: @n of them, from @from on, each one more */
static void assert_stamps(const char *path, uint64_t from, size_t n)
{
	struct tfs_stream *stream;
	struct tfs_dat *dat;
	const void *page;
	uint64_t ts;

	assert_int_equal(tfs_dat_open(path, &dat, NULL), 0);
	assert_null(tfs_dat_damage(dat));
	assert_int_equal(tfs_stream_new(dat, 0, 0, &stream, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(tfs_stream_next(stream, &page, NULL), 1);
		memcpy(&ts, page, sizeof(ts));
		assert_int_equal(ts, from + i);
	}
	assert_int_equal(tfs_stream_next(stream, &page, NULL), 0);
	tfs_stream_free(stream);
	tfs_dat_free(dat);
}

/* Nothing is in two files and nothing in none, and each counts its own. */
static void a_switch_loses_nothing(void **state)
{
	struct fixture *f = *state;
	struct tfs_session_totals t;
	struct tfs_dat_lost lost;
	struct tfs_dat *dat;
	char first[160];

	snprintf(first, sizeof(first), "%s.1", f->output);
	start(f);
	for (int i = 0; i < 12; i++)
		feed(f, 0, 1000 + (uint64_t)i, 4080);
	wait_taken(f, 12 * SUBBUF);
	assert_int_equal(tfs_session_switch(f->s, first, &t, NULL), 0);
	assert_int_equal(t.raw_bytes, 12 * SUBBUF);
	assert_int_equal(t.events, 12 * PAGE_EVENTS);
	assert_int_equal(t.lost, 4);
	assert_true(has_temps(f));
	assert_stamps(first, 1000, 12);
	fake_put(&f->fake, "per_cpu/cpu0/stats", "overrun: 9\nread events: 7657\n");
	for (int i = 12; i < 15; i++)
		feed(f, 0, 1000 + (uint64_t)i, 4080);
	wait_taken(f, 3 * SUBBUF);
	assert_int_equal(tfs_session_stop(f->s, NULL), 0);
	assert_int_equal(tfs_session_finish(f->s, &t, NULL), 0);
	assert_int_equal(t.events, 3 * PAGE_EVENTS);
	assert_int_equal(t.taken, 0);
	/* what CPU 1 still had is given up at the end */
	assert_int_equal(t.lost, 9 + 2);
	assert_stamps(f->output, 1012, 3);
	assert_false(has_temps(f));
	assert_int_equal(tfs_dat_open(f->output, &dat, NULL), 0);
	assert_int_equal(tfs_dat_lost_find(dat, 0, 0, &lost), 1);
	assert_int_equal(lost.overrun, 9);
	assert_int_equal(lost.events, 3 * PAGE_EVENTS);
	assert_true(tfs_dat_n_formats(dat) > 0);
	tfs_dat_free(dat);
}

static void a_switch_never_replaces_a_file(void **state)
{
	struct fixture *f = *state;
	struct tfs_session_totals t;
	char first[160];

	snprintf(first, sizeof(first), "%s.1", f->output);
	fake_put(&f->fake, "out.dat.1", "precious");
	start(f);
	feed(f, 0, 1000, 4080);
	wait_taken(f, SUBBUF);
	assert_int_equal(tfs_session_switch(f->s, first, &t, NULL), -EEXIST);
	assert_string_equal(fake_get(&f->fake, "out.dat.1"), "precious");
	feed(f, 0, 1001, 4080);
	wait_taken(f, 2 * SUBBUF);
	assert_int_equal(tfs_session_stop(f->s, NULL), 0);
	assert_int_equal(tfs_session_finish(f->s, &t, NULL), 0);
	assert_stamps(f->output, 1000, 2);
}

static uint64_t size_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return (uint64_t)st.st_size;
}

static void a_file_does_not_get_larger_than_asked_for(void **state)
{
	struct fixture *f = *state;
	struct tfs_session_totals t;
	struct tfs_err err = TFS_ERR_INIT;

	f->opts.codec = TFS_CODEC_NONE;
	f->opts.max_bytes = 1024 * 1024;
	assert_int_equal(tfs_session_new(&f->opts, &f->s, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "no room for events"));
	assert_int_not_equal(access(f->output, F_OK), 0);
	f->opts.max_bytes = 24 * 1024 * 1024;
	start(f);
	for (uint64_t i = 0; tfs_session_state(f->s) == TFS_SESSION_RUNNING; i++) {
		feed(f, 0, 1000 + i, 4080);
		/* the pipe has room for 16 */
		if (i % 8 == 7)
			wait_taken_or_ended(f, i * SUBBUF);
		assert_true(i < 7000);
	}
	assert_int_equal(tfs_session_state(f->s), TFS_SESSION_FULL);
	feed(f, 2, 7777, 4080);
	assert_int_equal(tfs_session_stop(f->s, NULL), 0);
	assert_int_equal(tfs_session_finish(f->s, &t, NULL), 0);
	assert_true(size_of(f->output) <= f->opts.max_bytes);
	assert_true(size_of(f->output) >= f->opts.max_bytes / 2);
	/* CPU 1 has two unread: after the end, not lost */
	assert_int_equal(t.left, 2);
	assert_int_equal(t.lost, 4);
}

static void a_small_file_has_rather_events_than_symbols(void **state)
{
	struct fixture *f = *state;
	struct tfs_session_totals t;
	struct tfs_blob symbols;
	struct tfs_dat *dat;

	f->opts.codec = TFS_CODEC_ZLIB;
	f->opts.symbols = TFS_SYMBOLS_ALWAYS;
	f->opts.max_bytes = 1024 * 1024;
	start(f);
	feed(f, 0, 1000, 4080);
	assert_int_equal(tfs_session_stop(f->s, NULL), 0);
	assert_int_equal(tfs_session_finish(f->s, &t, NULL), 0);
	assert_true(size_of(f->output) <= f->opts.max_bytes);
	assert_int_equal(tfs_dat_open(f->output, &dat, NULL), 0);
	tfs_dat_blob(dat, TFS_DAT_BLOB_KALLSYMS, &symbols);
	/* Where it has none, it says so; a machine may have so few that they fit. */
	assert_true(t.no_symbols || symbols.size || access("/proc/kallsyms", R_OK));
	assert_false(t.no_symbols && symbols.size);
	tfs_dat_free(dat);
}

static void the_oldest_are_dropped_under_a_cap(void **state)
{
	struct fixture *f = *state;
	const struct tfs_dat_buffer *b;
	struct tfs_session_totals t;
	struct tfs_dat *dat;
	uint64_t kept;

	f->opts.codec = TFS_CODEC_NONE;
	f->opts.cap_bytes = 512 * 1024;
	if (tfs_session_new(&f->opts, &f->s, NULL) == -EOPNOTSUPP)
		skip_because("the file system takes no holes");
	tfs_session_free(f->s);
	f->s = NULL;
	start(f);
	for (uint64_t i = 0; i < 1000; i++) {
		feed(f, 0, 1000 + i, 4080);
		wait_taken(f, (i + 1) * SUBBUF);
	}
	assert_int_equal(tfs_session_stop(f->s, NULL), 0);
	assert_int_equal(tfs_session_finish(f->s, &t, NULL), 0);
	assert_int_equal(t.raw_bytes, 1000 * SUBBUF);
	assert_int_equal(tfs_dat_open(f->output, &dat, NULL), 0);
	b = tfs_dat_buffer(dat, 0);
	kept = b->cpus[0].size / SUBBUF;
	tfs_dat_free(dat);
	assert_int_equal(t.dropped, (1000 - kept) * SUBBUF);
	/* Seven eighths of the cap at least, less a group that was just begun */
	assert_in_range(kept * SUBBUF, 512 * 1024 * 3 / 4, 512 * 1024 + 10 * SUBBUF);
	assert_stamps(f->output, 1000 + (1000 - kept), kept);
}

static void a_failing_write_is_noticed_and_the_rest_is_kept(void **state)
{
	struct fixture *f = *state;
	struct rlimit old, low;
	struct tfs_session_totals t;
	struct tfs_err err = TFS_ERR_INIT;
	struct pollfd pfd;
	struct tfs_dat *dat;

	signal(SIGXFSZ, SIG_IGN);
	f->opts.codec = TFS_CODEC_NONE;
	start(f);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	low = old;
	low.rlim_cur = 4 * SUBBUF;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
	feed(f, 2, 7777, 4080);
	wait_taken(f, SUBBUF);
	for (int i = 0; i < 8; i++)
		feed(f, 0, 1000, 4080);
	pfd = (struct pollfd){ .fd = tfs_session_fd(f->s), .events = POLLIN };
	assert_int_equal(poll(&pfd, 1, DEADLINE_MS), 1);
	assert_int_equal(tfs_session_state(f->s), TFS_SESSION_FAILED);
	assert_int_equal(tfs_session_stop(f->s, &err), -EFBIG);
	assert_non_null(strstr(err.msg, "CPU 0"));
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(tfs_session_finish(f->s, &t, NULL), 0);
	assert_true(t.unwritten >= SUBBUF);
	assert_false(has_temps(f));
	assert_int_equal(tfs_dat_open(f->output, &dat, NULL), 0);
	assert_null(tfs_dat_damage(dat));
	assert_int_equal(tfs_dat_buffer(dat, 0)->n_cpus, 2);
	assert_int_equal(first_stamp(dat, 0, 0), 1000);
	assert_int_equal(first_stamp(dat, 0, 1), 7777);
	tfs_dat_free(dat);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_file_has_the_data_that_was_read),
		TEST(uncompressed_too),
		TEST(one_thread_can_do_it_all),
		TEST(sub_buffers_can_be_given_by_who_read_them),
		TEST(uncompressed_ones_too),
		TEST(a_cpu_that_is_not_recorded_is_refused),
		TEST(options_can_be_added_until_the_end),
		TEST(a_flush_writes_sub_buffers_that_were_given),
		TEST(little_data_reach_the_file_while_recording),
		TEST(little_uncompressed_data_do_too),
		TEST(metadata_can_be_read_before_the_end),
		TEST(symbols_are_in_the_file_by_default),
		TEST(symbols_that_nothing_needs_are_left_out),
		TEST(symbols_come_at_the_end_when_an_event_needs_them),
		TEST(uncompressed_symbols_are_left_out_too),
		TEST(uncompressed_symbols_come_at_the_end_too),
		TEST(where_many_events_may_need_them_symbols_come_first),
		TEST(in_a_file_of_a_certain_size_symbols_come_first),
		TEST(temporary_files_are_private),
		TEST(files_of_a_killed_recorder_are_replaced),
		TEST(a_temporary_file_is_never_followed),
		TEST(an_output_in_use_is_refused_and_stays),
		TEST(an_output_other_than_a_regular_file_is_refused),
		TEST(a_start_that_fails_leaves_nothing),
		TEST(a_discarded_session_leaves_nothing),
		TEST(several_buffers_are_in_one_file),
		TEST(cpus_that_are_not_there_cannot_be_recorded),
		TEST(a_snapshot_is_taken_at_the_end),
		TEST(a_switch_loses_nothing),
		TEST(a_switch_never_replaces_a_file),
		TEST(a_file_does_not_get_larger_than_asked_for),
		TEST(a_small_file_has_rather_events_than_symbols),
		TEST(the_oldest_are_dropped_under_a_cap),
		TEST(a_failing_write_is_noticed_and_the_rest_is_kept),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
