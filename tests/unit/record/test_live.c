/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
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
#include "base/strvec.h"
#include "decode/event.h"
#include "decode/trace.h"
#include "lib/dat_build.h"
#include "lib/fake.h"
#include "pipeline/run.h"
#include "pipeline/view.h"
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

/* A view in order, and the time stamps that it got */
struct times {
	struct tfs_view view;
	uint64_t ts[8];
	size_t n;
};

static int note_time(struct tfs_view *view, void *state, const struct tfs_event *event,
		     struct tfs_strbuf *out)
{
	struct times *t = (struct times *)view;

	(void)state;
	assert_true(t->n < 8);
	t->ts[t->n++] = event->rec.ts;
	return tfs_strbuf_addf(out, "%" PRIu64 "\n", event->rec.ts);
}

/* Before each wait: what was shown is written, and something more happens. */
struct steps {
	struct fixture *f;
	const struct times *times;
	int fd;
	unsigned int calls;
};

static void step(void *context, uint64_t done, uint64_t total)
{
	struct steps *s = context;
	const size_t shown[] = { 0, 2, 3 };

	(void)done;
	(void)total;
	assert_true(s->calls < 3);
	assert_int_equal(s->times->n, shown[s->calls]);
	assert_int_equal(lseek(s->fd, 0, SEEK_CUR), 4 * shown[s->calls]);
	switch (s->calls++) {
	case 0:
		happens(s->f, 1, 200);
		happens(s->f, 0, 100);
		break;
	case 1:
		happens(s->f, 2, 300);
		break;
	default:
		happens(s->f, 0, 400);
		s->f->source->stop = true;
	}
}

static void a_view_in_order_gets_events_as_they_come(void **state)
{
	static const struct tfs_view_ops ops = { .event = note_time };
	struct fixture *f = *state;
	struct times times = { .view.ops = &ops };
	struct steps steps = { .f = f, .times = &times, .fd = memfd_create("out", 0) };
	const struct tfs_run_progress progress = { step, &steps };
	const struct tfs_merge_opts merge = { .raw_ts = true, .source = f->source };
	struct tfs_run_input input = { .merge = &merge, .source = f->source };
	const struct tfs_run_opts run = { .inputs = &input, .n = 1, .progress = &progress };
	struct tfs_trace *trace = NULL;
	struct tfs_out *out = NULL;

	/* The fixture's own merge is of the same source. */
	tfs_merge_free(f->merge);
	f->merge = NULL;
	assert_int_equal(tfs_trace_open_dat(f->dat, NULL, &trace, NULL), 0);
	f->dat = NULL;
	input.trace = trace;
	assert_int_equal(tfs_out_new(steps.fd, &out), 0);
	assert_int_equal(tfs_run(&times.view, out, &run, NULL), 0);
	assert_int_equal(steps.calls, 3);
	assert_int_equal(times.n, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(times.ts[i], 100 * (i + 1));
	tfs_out_free(out);
	tfs_trace_free(trace);
	close(steps.fd);
}

/* A run on the source: ticks so far, and the time stamps that its view got */
struct run {
	const struct fixture *f;
	unsigned int ticks;
	uint64_t seen[8];
	size_t n;
};

static int note_event(struct tfs_view *view, void *state, const struct tfs_event *event,
		      struct tfs_strbuf *out);
static const struct tfs_view_ops noting = { .event = note_event };

struct noting_view {
	struct tfs_view view;
	struct run *run;
};

static int note_event(struct tfs_view *view, void *state, const struct tfs_event *event,
		      struct tfs_strbuf *out)
{
	struct run *run = ((struct noting_view *)view)->run;

	(void)state;
	assert_true(run->n < 8);
	run->seen[run->n++] = event->rec.ts;
	return tfs_strbuf_addc(out, '.');
}

/* Events of two CPUs before each of the first two reads; then it asks for the end. */
static int make_events(void *context, struct tfs_err *err)
{
	struct run *run = context;

	(void)err;
	/* The events of the tick before were shown. */
	assert_int_equal(run->n, 2 * run->ticks);
	if (run->ticks == 2)
		return 1;
	happens(run->f, 1, 200 + 1000 * run->ticks);
	happens(run->f, 0, 100 + 1000 * run->ticks);
	run->ticks++;
	return 0;
}

static int fail_at_once(void *context, struct tfs_err *err)
{
	(void)context;
	return tfs_err_set(err, -EIO, "tick");
}

static int run_on_source(struct fixture *f, int (*tick)(void *, struct tfs_err *), struct run *run,
			 struct tfs_err *err)
{
	const struct tfs_live_opts opts = {
		.root = f->fake.root, .inst = &f->top, .stop_fd = -1, .tick = tick, .context = run
	};
	struct noting_view noter = { { .ops = &noting }, run };
	struct tfs_event_source *source = NULL;
	struct tfs_trace *trace = NULL;
	struct tfs_dat *dat = NULL;
	struct tfs_out *out = NULL;
	struct tfs_merge_opts merge = { .raw_ts = true };
	struct tfs_run_input input = { .merge = &merge };
	const struct tfs_run_opts opts_of_run = { .inputs = &input, .n = 1, .jobs = 1 };
	int null = open("/dev/null", O_WRONLY), rc;

	run->f = f;
	assert_int_equal(tfs_live_open(&opts, &dat, &source, NULL), 0);
	assert_int_equal(tfs_trace_open_dat(dat, NULL, &trace, NULL), 0);
	assert_int_equal(tfs_out_new(null, &out), 0);
	merge.source = input.source = source;
	input.trace = trace;
	rc = tfs_run(&noter.view, out, &opts_of_run, err);
	tfs_out_free(out);
	tfs_event_source_free(source);
	tfs_trace_free(trace);
	close(null);
	return rc;
}

static void ticks_come_between_reads_until_one_ends_the_source(void **state)
{
	static const uint64_t want[] = { 100, 200, 1100, 1200 };
	struct run run = { 0 };

	assert_int_equal(run_on_source(*state, make_events, &run, NULL), 0);
	assert_int_equal(run.n, 4);
	assert_memory_equal(run.seen, want, sizeof(want));
}

static void a_tick_that_fails_ends_the_run_with_its_error(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct run run = { 0 };

	assert_int_equal(run_on_source(*state, fail_at_once, &run, &err), -EIO);
	assert_string_equal(err.msg, "tick: Input/output error");
}

/* Sub-buffers that the hook got */
struct pages {
	uint64_t stamps[8];
	unsigned int cpus[8];
	size_t n, fail_at;
};

static int note_page(void *context, unsigned int cpu, const void *page, struct tfs_err *err)
{
	struct pages *p = context;

	if (p->n == p->fail_at)
		return tfs_err_say(err, -ENOSPC, "no room");
	memcpy(&p->stamps[p->n], page, sizeof(p->stamps[0]));
	p->cpus[p->n++] = cpu;
	return 0;
}

static void sub_buffers_are_handed_on_before_their_events(void **state)
{
	struct fixture *f = *state;
	struct pages pages = { .fail_at = 2 };
	const struct tfs_live_opts opts = { .root = f->fake.root,
					    .inst = &f->top,
					    .stop_fd = -1,
					    .page = note_page,
					    .context = &pages };
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_event_source *source = NULL;
	struct tfs_dat *dat = NULL;

	assert_int_equal(tfs_live_open(&opts, &dat, &source, NULL), 0);
	happens(f, 2, 200);
	happens(f, 1, 100);
	assert_int_equal(tfs_event_source_update(source, NULL), 0);
	assert_int_equal(pages.n, 2);
	assert_int_equal(pages.cpus[0], cpu_numbers[1]);
	assert_int_equal(pages.stamps[0], 100);
	assert_int_equal(pages.cpus[1], cpu_numbers[2]);
	assert_int_equal(pages.stamps[1], 200);
	happens(f, 0, 300);
	assert_int_equal(tfs_event_source_update(source, &err), -ENOSPC);
	assert_string_equal(err.msg, "no room");
	tfs_event_source_free(source);
	tfs_dat_free(dat);
}

/* The FIFO of a CPU is readable as its ring buffer is with buffer_percent 0. */
static void at_once_an_event_ends_the_pause(void **state)
{
	struct fixture *f = *state;
	const struct tfs_live_opts opts = { .root = f->fake.root,
					    .inst = &f->top,
					    .keep_open = true,
					    .at_once = true,
					    .stop_fd = -1 };
	struct tfs_merge_opts merge = { .raw_ts = true };

	tfs_merge_free(f->merge);
	f->merge = NULL;
	tfs_event_source_free(f->source);
	tfs_dat_free(f->dat);
	assert_int_equal(tfs_live_open(&opts, &f->dat, &f->source, NULL), 0);
	merge.source = f->source;
	assert_int_equal(tfs_merge_new(f->dat, &merge, &f->merge, NULL), 0);
	for (uint64_t ts = 100; ts < 104; ts++) {
		happens(f, ts % N_CPUS, ts);
		f->source->pause_ms = 3600 * 1000;
		assert_int_equal(tfs_event_source_wait(f->source, NULL), 0);
		gives(f, ts, ts % N_CPUS);
		gives_nothing(f, -EAGAIN);
	}
}

static void only_formats_of_named_events_are_read(void **state)
{
	struct fixture *f = *state;
	struct tfs_strvec events = TFS_STRVEC_INIT;
	struct tfs_live_opts opts = {
		.root = f->fake.root, .inst = &f->top, .events = &events, .stop_fd = -1
	};
	struct tfs_event_source *source = NULL;
	struct tfs_dat *dat = NULL;

	assert_int_equal(tfs_strvec_push(&events, "sched:sched_switch"), 0);
	assert_int_equal(tfs_live_open(&opts, &dat, &source, NULL), 0);
	/* besides those of the system "ftrace", which any ring buffer may hold */
	assert_true(tfs_dat_n_formats(dat) > 1);
	assert_true(tfs_dat_n_formats(dat) < tfs_dat_n_formats(f->dat));
	tfs_event_source_free(source);
	tfs_dat_free(dat);
	tfs_strvec_release(&events);
}

/* The FIFO of a CPU can be removed: what comes is read from the file that is open. */
static void files_that_are_kept_open_are_not_opened_again(void **state)
{
	struct fixture *f = *state;
	struct tfs_live_opts opts = {
		.root = f->fake.root, .inst = &f->top, .keep_open = true, .stop_fd = -1
	};
	struct tfs_merge_opts merge = { .raw_ts = true };

	tfs_merge_free(f->merge);
	f->merge = NULL;
	tfs_event_source_free(f->source);
	tfs_dat_free(f->dat);
	assert_int_equal(tfs_live_open(&opts, &f->dat, &f->source, NULL), 0);
	merge.source = f->source;
	assert_int_equal(tfs_merge_new(f->dat, &merge, &f->merge, NULL), 0);
	happens(f, 0, 10);
	update(f);
	gives(f, 10, 0);
	assert_int_equal(unlink(fake_path(&f->fake, "per_cpu/cpu0/trace_pipe_raw")), 0);
	happens(f, 0, 20);
	update(f);
	gives(f, 20, 0);
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
		TEST(a_view_in_order_gets_events_as_they_come),
		TEST(ticks_come_between_reads_until_one_ends_the_source),
		TEST(a_tick_that_fails_ends_the_run_with_its_error),
		TEST(sub_buffers_are_handed_on_before_their_events),
		TEST(only_formats_of_named_events_are_read),
		TEST(at_once_an_event_ends_the_pause),
		TEST(files_that_are_kept_open_are_not_opened_again),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
