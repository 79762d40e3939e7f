/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "lib/dat_build.h"
#include "lib/dat_open.h"
#include "tracedat/dat-read.h"
#include "tracedat/event-source.h"
#include "tracedat/merge.h"
#include "tracedat/record-run.h"

#define CPUS 2
#define PAGES_MAX 8
#define PAGE_SIZE 512

/* A page of a CPU, and the update from which on it can be had */
struct fake_page {
	uint64_t update;
	bool complete; /* nothing earlier of the other CPU can follow */
	struct bytes data;
};

struct fake_cpu {
	struct fake *fake;
	struct fake_page pages[PAGES_MAX];
	size_t n, next;
};

/* A growing source whose pages a test lays out; everything in it is opened and closed once. */
struct fake {
	struct tfs_event_source source;
	struct fake_cpu cpus[CPUS];
	unsigned int opened, closed;
	uint64_t last; /* the update with which it ends */
};

static int open_cpu(struct tfs_event_source *source, size_t buffer, size_t index, void **cpu,
		    struct tfs_err *err)
{
	struct fake *f = (struct fake *)source;

	(void)err;
	assert_int_equal(buffer, 0);
	f->opened++;
	*cpu = &f->cpus[index];
	return 0;
}

static void close_cpu(void *cpu)
{
	((struct fake_cpu *)cpu)->fake->closed++;
}

static int next_page(void *cpu, struct tfs_source_page *page, struct tfs_err *err)
{
	struct fake_cpu *c = cpu;
	struct fake_page *p = &c->pages[c->next];

	(void)err;
	if (c->next == c->n || p->update > c->fake->source.updates)
		return 0;
	c->next++;
	page->data = p->data.sb.s;
	page->limit = p->data.sb.s + p->data.sb.len;
	page->end = page->limit;
	page->offset = c->next;
	return 1;
}

static void retire_to(void *cpu, struct tfs_blocks *blocks)
{
	(void)cpu;
	(void)blocks;
}

static void retire(void *cpu)
{
	(void)cpu;
}

static int update(struct tfs_event_source *source, struct tfs_err *err)
{
	(void)err;
	source->updates++;
	source->ended = source->stop || source->updates >= ((struct fake *)source)->last;
	return 0;
}

static bool is_complete(const void *cpu)
{
	const struct fake_cpu *c = cpu;

	return c->pages[c->next - 1].complete;
}

static void free_source(struct tfs_event_source *source)
{
	(void)source;
}

static const struct tfs_event_source_ops fake_ops = {
	.open = open_cpu,
	.close = close_cpu,
	.page = next_page,
	.retire_to = retire_to,
	.retire = retire,
	.update = update,
	.is_complete = is_complete,
	.free = free_source,
};

struct fixture {
	struct fake fake;
	struct tfs_dat *dat;
	struct tfs_merge *merge;
	struct tfs_record_run run; /* what is left of the last one */
	bool runs;                 /* take records by tfs_merge_run() */
};

static int setup(void **state)
{
	static const struct dat_spec spec = { .cpus = CPUS };
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->dat = dat_open_sample(&spec);
	f->fake.source = (struct tfs_event_source){
		.ops = &fake_ops, .dat = f->dat, .stop_fd = -1, .wake_fd = -1
	};
	f->fake.last = UINT64_MAX;
	for (size_t i = 0; i < CPUS; i++)
		f->fake.cpus[i].fake = &f->fake;
	*state = f;
	return 0;
}

static int setup_runs(void **state)
{
	setup(state);
	((struct fixture *)*state)->runs = true;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tfs_merge_free(f->merge);
	assert_int_equal(f->fake.opened, f->fake.closed);
	tfs_event_source_free(&f->fake.source);
	tfs_dat_free(f->dat);
	for (size_t i = 0; i < CPUS; i++)
		for (size_t k = 0; k < f->fake.cpus[i].n; k++)
			bytes_release(&f->fake.cpus[i].pages[k].data);
	free(f);
	return 0;
}

/* A page of @cpu with an event at each of @n times, after @lost lost ones */
static void add_page(struct fixture *f, unsigned int cpu, uint64_t from_update, bool complete,
		     const uint32_t *times, size_t n, uint64_t lost)
{
	struct fake_cpu *c = &f->fake.cpus[cpu];
	struct fake_page *page = &c->pages[c->n++];
	const uint32_t payload = 0;
	struct page_builder p;
	uint32_t before = times[0];

	page->update = from_update;
	page->complete = complete;
	bytes_init(&page->data, false);
	page_begin(&p, &page->data, 8, PAGE_SIZE, times[0]);
	for (size_t i = 0; i < n; i++) {
		page_data(&p, times[i] - before, &payload, 4);
		before = times[i];
	}
	if (lost)
		page_end_lost(&p, lost);
	else
		page_end(&p, 0);
}

static void begin(struct fixture *f)
{
	const struct tfs_merge_opts opts = { .source = &f->fake.source, .raw_ts = true };

	assert_int_equal(tfs_merge_new(f->dat, &opts, &f->merge, NULL), 0);
	assert_int_equal(f->fake.opened, CPUS);
}

static int next(struct fixture *f, struct tfs_record *rec)
{
	int rc;

	if (!f->runs)
		return tfs_merge_next(f->merge, rec, NULL);
	if (tfs_record_run_next(&f->run, rec))
		return 1;
	f->run.page = NULL;
	rc = tfs_merge_run(f->merge, &f->run, NULL);
	if (rc > 0)
		assert_true(tfs_record_run_next(&f->run, rec));
	return rc;
}

static void gives(struct fixture *f, uint64_t ts, unsigned int cpu, int64_t lost)
{
	struct tfs_record rec = { .cpu = cpu };

	assert_int_equal(next(f, &rec), 1);
	assert_int_equal(rec.ts, ts);
	assert_int_equal(rec.cpu, cpu);
	assert_int_equal(rec.lost, lost);
}

static void gives_nothing(struct fixture *f, int rc)
{
	struct tfs_record rec;

	assert_int_equal(next(f, &rec), rc);
}

static void events_of_all_cpus_come_in_order_of_time(void **state)
{
	static const uint32_t a[] = { 10, 30, 50 }, b[] = { 20, 40, 60 };
	struct fixture *f = *state;

	add_page(f, 0, 0, false, a, 3, 0);
	add_page(f, 1, 0, false, b, 3, 0);
	begin(f);
	for (unsigned int i = 0; i < 5; i++)
		gives(f, 10 + 10 * i, i % 2, 0);
	/* CPU 0 has none now: it may get one that is earlier than 60. */
	gives_nothing(f, -EAGAIN);
}

static void an_event_waits_until_no_earlier_one_can_follow(void **state)
{
	static const uint32_t late[] = { 50 }, early[] = { 40 };
	struct fixture *f = *state;

	add_page(f, 0, 0, false, late, 1, 0);
	add_page(f, 1, 2, false, early, 1, 0);
	begin(f);
	gives_nothing(f, -EAGAIN);
	assert_int_equal(tfs_event_source_update(&f->fake.source, NULL), 0);
	gives_nothing(f, -EAGAIN);
	assert_int_equal(tfs_event_source_update(&f->fake.source, NULL), 0);
	gives(f, 40, 1, 0);
	f->fake.cpus[0].pages[0].complete = true;
	gives(f, 50, 0, 0);
	gives_nothing(f, -EAGAIN);
}

static void a_quiet_cpu_does_not_hold_back_what_is_complete(void **state)
{
	static const uint32_t times[] = { 10, 20 };
	struct fixture *f = *state;

	add_page(f, 0, 0, true, times, 2, 0);
	begin(f);
	gives(f, 10, 0, 0);
	gives(f, 20, 0, 0);
	gives_nothing(f, -EAGAIN);
}

/* Complete pages, and all that comes before them, are taken without looking at other CPUs. */
static void complete_pages_of_all_cpus_come_in_order_of_time(void **state)
{
	static const uint32_t a[] = { 10, 11, 30, 31 }, b[] = { 11, 12, 32 }, c[] = { 33, 40 };
	struct fixture *f = *state;

	add_page(f, 0, 0, true, a, 4, 0);
	add_page(f, 0, 1, true, c, 2, 2);
	add_page(f, 1, 0, false, b, 3, 0);
	begin(f);
	gives(f, 10, 0, 0);
	gives(f, 11, 0, 0);
	gives(f, 11, 1, 0);
	gives(f, 12, 1, 0);
	gives(f, 30, 0, 0);
	gives(f, 31, 0, 0);
	/* CPU 0 may get one that is earlier than 32. */
	gives_nothing(f, -EAGAIN);
	assert_int_equal(tfs_event_source_update(&f->fake.source, NULL), 0);
	gives(f, 32, 1, 0);
	gives(f, 33, 0, 2);
	gives(f, 40, 0, 0);
	gives_nothing(f, -EAGAIN);
}

static void a_source_that_ended_gives_the_rest(void **state)
{
	static const uint32_t a[] = { 10 }, b[] = { 5, 15 };
	struct fixture *f = *state;

	add_page(f, 0, 0, false, a, 1, 0);
	add_page(f, 1, 1, false, b, 2, 0);
	f->fake.last = 1;
	begin(f);
	gives_nothing(f, -EAGAIN);
	assert_int_equal(tfs_event_source_update(&f->fake.source, NULL), 0);
	gives(f, 5, 1, 0);
	gives(f, 10, 0, 0);
	gives(f, 15, 1, 0);
	gives_nothing(f, 0);
}

static void a_loss_comes_with_the_event_after_it(void **state)
{
	static const uint32_t a[] = { 10 }, b[] = { 30 }, c[] = { 20 };
	struct fixture *f = *state;

	add_page(f, 0, 0, true, a, 1, 0);
	add_page(f, 0, 0, true, b, 1, 7);
	add_page(f, 1, 0, true, c, 1, 0);
	begin(f);
	gives(f, 10, 0, 0);
	gives(f, 20, 1, 0);
	gives(f, 30, 0, 7);
}

static void a_readable_descriptor_ends_the_source(void **state)
{
	struct fixture *f = *state;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	f->fake.source.stop_fd = fds[0];
	assert_int_equal(tfs_event_source_wait(&f->fake.source, NULL), 0);
	assert_false(f->fake.source.ended);
	assert_int_equal(write(fds[1], "x", 1), 1);
	assert_int_equal(tfs_event_source_wait(&f->fake.source, NULL), 0);
	assert_true(f->fake.source.ended);
	assert_int_equal(f->fake.source.updates, 2);
	/* It is not asked again. */
	assert_int_equal(tfs_event_source_wait(&f->fake.source, NULL), 0);
	assert_int_equal(f->fake.source.updates, 2);
	close(fds[0]);
	close(fds[1]);
}

static void a_descriptor_can_end_the_pause(void **state)
{
	struct fixture *f = *state;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "x", 1), 1);
	f->fake.source.wake_fd = fds[0];
	f->fake.source.pause_ms = 3600 * 1000;
	assert_int_equal(tfs_event_source_wait(&f->fake.source, NULL), 0);
	assert_int_equal(f->fake.source.updates, 1);
	assert_false(f->fake.source.stop);
	assert_false(f->fake.source.ended);
	close(fds[0]);
	close(fds[1]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
#define TEST_RUNS(name)                                            \
	{                                                          \
#name "_in_runs", name, setup_runs, teardown, NULL \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(events_of_all_cpus_come_in_order_of_time),
		TEST(an_event_waits_until_no_earlier_one_can_follow),
		TEST(a_quiet_cpu_does_not_hold_back_what_is_complete),
		TEST(complete_pages_of_all_cpus_come_in_order_of_time),
		TEST(a_source_that_ended_gives_the_rest),
		TEST(a_loss_comes_with_the_event_after_it),
		TEST(a_readable_descriptor_ends_the_source),
		TEST(a_descriptor_can_end_the_pause),
		TEST_RUNS(events_of_all_cpus_come_in_order_of_time),
		TEST_RUNS(an_event_waits_until_no_earlier_one_can_follow),
		TEST_RUNS(a_quiet_cpu_does_not_hold_back_what_is_complete),
		TEST_RUNS(complete_pages_of_all_cpus_come_in_order_of_time),
		TEST_RUNS(a_source_that_ended_gives_the_rest),
		TEST_RUNS(a_loss_comes_with_the_event_after_it),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
