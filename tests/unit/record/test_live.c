/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "lib/dat_build.h"
#include "lib/fake.h"
#include "record/live.h"
#include "tracedat/dat-read.h"
#include "tracedat/event-source.h"
#include "tracedat/merge.h"
#include "tracefs/instance.h"

/*
 * The ring buffers are FIFOs of a captured tracefs. A FIFO that a test holds open keeps what was
 * written although the source closes it after each pass.
 */
static const unsigned int cpu_numbers[] = { 0, 1, 5 };
#define N_CPUS 3
#define SUBBUF 4096

struct fixture {
	struct fake fake;
	struct tfs_instance top;
	int ring[N_CPUS];
	struct tfs_dat *dat;
	struct tfs_event_source *source;
	struct tfs_merge *merge;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct tfs_live_opts opts;
	struct tfs_merge_opts merge = { .raw_ts = true };
	char name[64];

	assert_non_null(f);
	fake_new(&f->fake, "x86_64-6.18");
	fake_put(&f->fake, "trace_clock", "local [mono]\n");
	fake_put(&f->fake, "tracing_on", "1\n");
	tfs_instance_top(&f->top);
	for (size_t i = 0; i < N_CPUS; i++) {
		snprintf(name, sizeof(name), "per_cpu/cpu%u/stats", cpu_numbers[i]);
		fake_put(&f->fake, name, "");
		snprintf(name, sizeof(name), "per_cpu/cpu%u/trace_pipe_raw", cpu_numbers[i]);
		assert_int_equal(mkfifo(fake_path(&f->fake, name), 0600), 0);
		f->ring[i] = open(fake_path(&f->fake, name), O_RDWR | O_NONBLOCK);
		assert_true(f->ring[i] >= 0);
	}
	opts = (struct tfs_live_opts){ .root = f->fake.root, .inst = &f->top, .stop_fd = -1 };
	assert_int_equal(tfs_live_open(&opts, &f->dat, &f->source, NULL), 0);
	merge.source = f->source;
	assert_int_equal(tfs_merge_new(f->dat, &merge, &f->merge, NULL), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tfs_merge_free(f->merge);
	tfs_event_source_free(f->source);
	tfs_dat_free(f->dat);
	for (size_t i = 0; i < N_CPUS; i++)
		close(f->ring[i]);
	fake_free(&f->fake);
	free(f);
	return 0;
}

/* A sub-buffer with one event; the CPU is an index into cpu_numbers */
static void happens(const struct fixture *f, size_t cpu, uint64_t ts)
{
	const uint32_t payload = 0;
	struct page_builder p;
	struct bytes page;

	bytes_init(&page, false);
	page_begin(&p, &page, 8, SUBBUF, ts);
	page_data(&p, 0, &payload, sizeof(payload));
	page_end(&p, 0);
	assert_int_equal(write(f->ring[cpu], page.sb.s, SUBBUF), SUBBUF);
	bytes_release(&page);
}

static void update(const struct fixture *f)
{
	assert_int_equal(tfs_event_source_update(f->source, NULL), 0);
}

static void gives(const struct fixture *f, uint64_t ts, size_t cpu)
{
	struct tfs_record rec;

	assert_int_equal(tfs_merge_next(f->merge, &rec, NULL), 1);
	assert_int_equal(rec.ts, ts);
	assert_int_equal(rec.cpu, cpu_numbers[cpu]);
}

static void gives_nothing(const struct fixture *f, int rc)
{
	struct tfs_record rec;

	assert_int_equal(tfs_merge_next(f->merge, &rec, NULL), rc);
}

static void the_head_describes_the_running_kernel(void **state)
{
	const struct fixture *f = *state;
	const struct tfs_dat_buffer *buf = tfs_dat_buffer(f->dat, 0);

	assert_int_equal(tfs_dat_n_buffers(f->dat), 1);
	assert_string_equal(buf->name, "");
	assert_string_equal(buf->clock, "mono");
	assert_int_equal(buf->page_size, SUBBUF);
	assert_int_equal(buf->n_cpus, N_CPUS);
	for (size_t i = 0; i < N_CPUS; i++)
		assert_int_equal(buf->cpus[i].cpu, cpu_numbers[i]);
	assert_true(tfs_dat_n_formats(f->dat) > 0);
	assert_null(tfs_dat_damage(f->dat));
}

static void an_event_is_given_after_one_update_though_other_cpus_are_quiet(void **state)
{
	const struct fixture *f = *state;

	update(f);
	gives_nothing(f, -EAGAIN);
	happens(f, 2, 100);
	update(f);
	gives(f, 100, 2);
	gives_nothing(f, -EAGAIN);
}

static void events_of_all_cpus_come_in_order_of_time(void **state)
{
	const struct fixture *f = *state;

	happens(f, 2, 300);
	happens(f, 0, 100);
	happens(f, 1, 200);
	happens(f, 0, 400);
	update(f);
	gives(f, 100, 0);
	gives(f, 200, 1);
	gives(f, 300, 2);
	gives(f, 400, 0);
	gives_nothing(f, -EAGAIN);
}

static void it_ends_when_tracing_is_off_and_nothing_is_left(void **state)
{
	struct fixture *f = *state;

	happens(f, 0, 100);
	fake_put(&f->fake, "tracing_on", "0\n");
	update(f);
	assert_false(f->source->ended);
	gives(f, 100, 0);
	update(f);
	assert_true(f->source->ended);
	assert_false(tfs_live_was_removed(f->source));
	gives_nothing(f, 0);
}

static void records_read_so_far_are_returned_when_the_reader_ends(void **state)
{
	const struct fixture *f = *state;

	happens(f, 0, 200);
	happens(f, 1, 100);
	f->source->stop = true;
	update(f);
	assert_true(f->source->ended);
	gives(f, 100, 1);
	gives(f, 200, 0);
	gives_nothing(f, 0);
}

static void names_of_tasks_are_those_of_saved_cmdlines(void **state)
{
	struct fixture *f = *state;
	struct tfs_strbuf text = TFS_STRBUF_INIT;

	fake_put(&f->fake, "saved_cmdlines", "42 name\n");
	assert_int_equal(f->source->ops->task_names(f->source, &text), 0);
	assert_string_equal(text.s, "42 name\n");
	tfs_strbuf_release(&text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_head_describes_the_running_kernel),
		TEST(an_event_is_given_after_one_update_though_other_cpus_are_quiet),
		TEST(events_of_all_cpus_come_in_order_of_time),
		TEST(it_ends_when_tracing_is_off_and_nothing_is_left),
		TEST(records_read_so_far_are_returned_when_the_reader_ends),
		TEST(names_of_tasks_are_those_of_saved_cmdlines),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
