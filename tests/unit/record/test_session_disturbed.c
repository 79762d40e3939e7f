/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/strvec.h"
#include "lib/fake.h"
#include "record/session.h"
#include "tracedat/dat-lost.h"
#include "tracedat/dat-read.h"
#include "tracefs/instance.h"

#define SUBBUF 4096u
#define PAGES 12u
/* In a full sub-buffer, of eight bytes each */
#define PAGE_EVENTS 510u
#define OWN (PAGES * PAGE_EVENTS)
/* By the counter of the kernel, when the recording begins */
#define BEFORE 7u
/* Far beyond what a loaded machine with sanitizers takes: reached only where something hangs. */
#define DEADLINE_MS 100000

/* A fake tracefs with one CPU that matters, whose trace_pipe_raw is a named pipe */
struct fixture {
	struct fake fake;
	struct tfs_instance top;
	struct tfs_strvec events;
	struct tfs_session_buffer buffer;
	struct tfs_session_opts opts;
	struct tfs_session *s;
	char output[128];
	int feed;
};

static void put_read(const struct fixture *f, unsigned int read)
{
	char text[64];

	snprintf(text, sizeof(text), "entries: 0\nread events: %u\n", read);
	fake_put(&f->fake, "per_cpu/cpu0/stats", text);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	fake_new(&f->fake, "x86_64-6.18");
	put_read(f, BEFORE);
	if (mkfifo(fake_path(&f->fake, "per_cpu/cpu0/trace_pipe_raw"), 0600))
		return -1;
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
	f->feed = -1;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tfs_session_free(f->s);
	if (f->feed >= 0)
		close(f->feed);
	fake_free(&f->fake);
	free(f);
	return 0;
}

static void start(struct fixture *f)
{
	assert_int_equal(tfs_session_new(&f->opts, &f->s, NULL), 0);
	f->feed = open(fake_path(&f->fake, "per_cpu/cpu0/trace_pipe_raw"), O_WRONLY | O_NONBLOCK);
	assert_true(f->feed >= 0);
	assert_int_equal(tfs_session_start(f->s, NULL), 0);
}

static struct tfs_session_totals end(struct fixture *f)
{
	struct tfs_session_totals t;

	assert_int_equal(tfs_session_stop(f->s, NULL), 0);
	assert_int_equal(tfs_session_finish(f->s, &t, NULL), 0);
	return t;
}

static void feed_pages(const struct fixture *f)
{
	const uint64_t head[] = { 1000, PAGE_EVENTS * 8 };
	const uint32_t event[] = { 1, 0 };
	unsigned char page[SUBBUF];
	uint64_t raw = 0, stored;

	memcpy(page, head, sizeof(head));
	for (size_t at = sizeof(head); at + sizeof(event) <= SUBBUF; at += sizeof(event))
		memcpy(page + at, event, sizeof(event));
	for (unsigned int i = 0; i < PAGES; i++)
		assert_int_equal(write(f->feed, page, sizeof(page)), SUBBUF);
	for (int i = 0; i < DEADLINE_MS && raw < (uint64_t)PAGES * SUBBUF; i++) {
		tfs_session_progress(f->s, &raw, &stored);
		poll(NULL, 0, 1);
	}
	assert_int_equal(raw, PAGES * SUBBUF);
}

/* A recording at whose end the counter of the kernel is @read, and how its file describes that */
static struct tfs_dat_lost record_beside(struct fixture *f, unsigned int read)
{
	struct tfs_session_totals t;
	struct tfs_dat_lost lost;
	struct tfs_dat *dat;

	start(f);
	feed_pages(f);
	put_read(f, read);
	t = end(f);
	assert_int_equal(t.events, OWN);
	assert_int_equal(tfs_dat_open(f->output, &dat, NULL), 0);
	assert_int_equal(tfs_dat_lost_find(dat, 0, 0, &lost), 1);
	assert_int_equal(lost.events, OWN);
	assert_int_equal(t.taken, lost.taken);
	assert_int_equal(t.signs, lost.signs);
	tfs_dat_free(dat);
	return lost;
}

static void events_that_others_read_are_counted(void **state)
{
	const struct tfs_dat_lost lost = record_beside(*state, BEFORE + OWN + 1234);

	assert_int_equal(lost.taken, 1234);
	assert_int_equal(lost.signs, 0);
}

static void those_beside_uncompressed_data_too(void **state)
{
	struct fixture *f = *state;

	f->opts.codec = TFS_CODEC_NONE;
	assert_int_equal(record_beside(f, BEFORE + OWN + 1).taken, 1);
}

static void nothing_is_said_where_nobody_disturbs(void **state)
{
	const struct tfs_dat_lost lost = record_beside(*state, BEFORE + OWN);

	assert_int_equal(lost.taken, 0);
	assert_int_equal(lost.signs, 0);
}

static void counters_that_others_reset_are_noticed(void **state)
{
	const struct tfs_dat_lost lost = record_beside(*state, BEFORE + OWN - 1);

	assert_int_equal(lost.taken, 0);
	assert_int_equal(lost.signs, TFS_DAT_LOST_EMPTIED);
}

static void counters_below_those_before_are_noticed(void **state)
{
	assert_int_equal(record_beside(*state, BEFORE - 1).signs, TFS_DAT_LOST_EMPTIED);
}

/* Once it was seen, that it is as before again does not matter. */
static void a_changed_clock_is_noticed(void **state)
{
	struct fixture *f = *state;

	start(f);
	tfs_session_watch_begin(f->s);
	fake_put(&f->fake, "trace_clock", "[local] mono\n");
	tfs_session_watch(f->s, true);
	fake_put(&f->fake, "trace_clock", "local [mono]\n");
	tfs_session_watch(f->s, true);
	assert_int_equal(end(f).signs, TFS_DAT_LOST_CLOCK);
}

static void tracing_that_was_turned_off_is_noticed(void **state)
{
	struct fixture *f = *state;

	fake_put(&f->fake, "tracing_on", "1\n");
	start(f);
	tfs_session_watch_begin(f->s);
	fake_put(&f->fake, "tracing_on", "0\n");
	tfs_session_watch(f->s, true);
	assert_int_equal(end(f).signs, TFS_DAT_LOST_OFF);
}

static void tracing_that_need_not_be_on_is_not(void **state)
{
	struct fixture *f = *state;

	fake_put(&f->fake, "tracing_on", "0\n");
	start(f);
	tfs_session_watch_begin(f->s);
	tfs_session_watch(f->s, false);
	assert_int_equal(end(f).signs, 0);
}

/* @file was written to, and is as before when the session looks. Return: what is said then */
static unsigned int signs_of(struct fixture *f, const char *file, const char *text)
{
	fake_put(&f->fake, "set_event", "sched:sched_switch\n");
	fake_put(&f->fake, file, text);
	start(f);
	tfs_session_watch_begin(f->s);
	fake_put(&f->fake, file, text);
	tfs_session_watch(f->s, true);
	return end(f).signs;
}

static void tracing_that_was_off_for_a_moment_is_noticed(void **state)
{
	assert_int_equal(signs_of(*state, "tracing_on", "1\n"), TFS_DAT_LOST_OFF);
}

static void a_ring_buffer_that_was_emptied_is_noticed(void **state)
{
	assert_int_equal(signs_of(*state, "trace", ""), TFS_DAT_LOST_EMPTIED);
}

static void so_is_one_cpu_of_it(void **state)
{
	assert_int_equal(signs_of(*state, "per_cpu/cpu0/trace", ""), TFS_DAT_LOST_EMPTIED);
}

static void a_filter_that_was_changed_is_noticed(void **state)
{
	assert_int_equal(signs_of(*state, "events/sched/sched_switch/filter", "none\n"),
			 TFS_DAT_LOST_EVENTS);
}

static void a_list_of_tasks_that_was_changed_is_noticed(void **state)
{
	assert_int_equal(signs_of(*state, "set_event_pid", "1\n"), TFS_DAT_LOST_EVENTS);
}

static void the_size_of_the_ring_buffer_may_be_changed(void **state)
{
	assert_int_equal(signs_of(*state, "buffer_size_kb", "1408\n"), 0);
}

/* Without a notice of the kernel, too: a module that is gone changes it. */
static void events_that_are_off_are_noticed(void **state)
{
	struct fixture *f = *state;

	fake_put(&f->fake, "set_event", "sched:sched_switch\n");
	start(f);
	tfs_session_watch_begin(f->s);
	fake_put(&f->fake, "set_event", "");
	tfs_session_watch(f->s, true);
	assert_int_equal(end(f).signs, TFS_DAT_LOST_EVENTS);
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(events_that_others_read_are_counted),
		TEST(those_beside_uncompressed_data_too),
		TEST(nothing_is_said_where_nobody_disturbs),
		TEST(counters_that_others_reset_are_noticed),
		TEST(counters_below_those_before_are_noticed),
		TEST(a_changed_clock_is_noticed),
		TEST(tracing_that_was_turned_off_is_noticed),
		TEST(tracing_that_need_not_be_on_is_not),
		TEST(tracing_that_was_off_for_a_moment_is_noticed),
		TEST(a_ring_buffer_that_was_emptied_is_noticed),
		TEST(so_is_one_cpu_of_it),
		TEST(a_filter_that_was_changed_is_noticed),
		TEST(a_list_of_tasks_that_was_changed_is_noticed),
		TEST(the_size_of_the_ring_buffer_may_be_changed),
		TEST(events_that_are_off_are_noticed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
