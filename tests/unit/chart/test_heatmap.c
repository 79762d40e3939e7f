/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
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

#include "base/err.h"
#include "base/out.h"
#include "chart/heatmap-internal.h"
#include "decode/trace.h"
#include "lib/span_view.h"
#include "pipeline/run.h"
#include "pipeline/view.h"

/* x^4, which stays below 2^128 */
static unsigned __int128 fourth(uint64_t x)
{
	unsigned __int128 square = (unsigned __int128)x * x;

	return square * square;
}

/* Row k begins with the first integer whose fourth power is not below 2^k. */
static void rows_are_quarters_of_an_octave(void **state)
{
	(void)state;
	for (unsigned int k = 1; k < 124; k++) {
		uint64_t low = tfs_heat_low(k);

		assert_true(fourth(low) >= (unsigned __int128)1 << k);
		assert_true(fourth(low - 1) < (unsigned __int128)1 << k);
		if (tfs_heat_low(k + 1) > low)
			assert_int_equal(tfs_heat_row(low), k);
		assert_true(tfs_heat_row(low - 1) < k || low == 1);
	}
	assert_int_equal(tfs_heat_low(0), 0);
	assert_int_equal(tfs_heat_row(0), 0);
	assert_int_equal(tfs_heat_row(UINT64_MAX), HEAT_LOG - 1);
}

static void values_are_in_the_cells_of_their_times(void **state)
{
	struct heat_grid g;
	uint64_t value;

	(void)state;
	assert_int_equal(tfs_heat_grid_new(&g, 1000, 1099, 500, 10), 0);
	assert_int_equal(g.width, 10);
	for (uint64_t i = 0; i < 100; i++)
		assert_int_equal(tfs_heat_grid_add(&g, 1000 + i, i < 10 ? i : 500), 0);
	assert_int_equal(tfs_heat_grid_end(&g), 0);
	assert_int_equal(g.total, 100);
	assert_int_equal(g.log[tfs_heat_row(8)], 1 + 1); /* 8 and 9 */
	assert_int_equal(g.log[9 * HEAT_LOG + tfs_heat_row(500)], 10);
	assert_int_equal(g.linear[0], 10);
	assert_int_equal(g.linear[HEAT_LINEAR + 500 / g.step], 10);
	assert_int_equal(g.largest_log, 10);
	assert_true(tfs_heat_percentile(&g, 0, 0, &value));
	assert_int_equal(value, 4);
	assert_true(tfs_heat_percentile(&g, 0, 1, &value));
	assert_int_equal(value, 9);
	tfs_heat_grid_release(&g);
}

struct drawing {
	struct tfs_heatmap_opts opts;
	struct tfs_err err;
	char path[64], text[1 << 16];
	unsigned int passes;
};

static int set_up(void **state)
{
	struct drawing *d = calloc(1, sizeof(*d));

	if (!d)
		return -1;
	d->err = TFS_ERR_INIT;
	*state = d;
	return 0;
}

static int tear_down(void **state)
{
	free(*state);
	return 0;
}

static int run(struct drawing *d, struct tfs_trace *trace)
{
	const struct tfs_run_input input = { .trace = trace };
	const struct tfs_run_opts opts = { .inputs = &input, .n = 1 };
	int fd = memfd_create("heat", MFD_CLOEXEC), null = memfd_create("out", MFD_CLOEXEC);
	struct tfs_view *view = NULL;
	struct tfs_out *out = NULL;
	ssize_t got;
	int rc;

	snprintf(d->path, sizeof(d->path), "/proc/self/fd/%d", fd);
	d->opts.path = d->path;
	d->opts.spans.traces = &trace;
	d->opts.spans.n = 1;
	rc = tfs_out_new(null, &out);
	if (!rc)
		rc = tfs_heatmap_new(&d->opts, &view, &d->err);
	do {
		rc = rc ? rc : tfs_run(view, out, &opts, &d->err);
		d->passes++;
	} while (!rc && view->again);
	tfs_view_free(view);
	tfs_out_free(out);
	got = pread(fd, d->text, sizeof(d->text) - 1, 0);
	assert_true(got >= 0);
	close(fd);
	close(null);
	return rc;
}

static int draw(struct drawing *d, const struct span_event *events, size_t n)
{
	static const struct tfs_trace_opts plain = { .no_plugins = true };
	int dat = span_build(events, n), rc;
	struct tfs_trace *trace = NULL;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", dat);
	assert_int_equal(tfs_trace_open(path, &plain, &trace, NULL), 0);
	close(dat);
	rc = run(d, trace);
	tfs_trace_free(trace);
	return rc;
}

static const struct span_event some[] = {
	EV(IRQ_ENTRY, 100, 0, 1000, .a = 24),  EV(IRQ_EXIT, 100, 0, 1400, .a = 24),
	EV(IRQ_ENTRY, 100, 0, 5000, .a = 24),  EV(IRQ_EXIT, 100, 0, 5900, .a = 24),
	EV(IRQ_ENTRY, 100, 1, 7000, .a = 24),  EV(IRQ_EXIT, 100, 1, 9000, .a = 24, .lost = 5),
	EV(IRQ_ENTRY, 100, 0, 10000, .a = 24), EV(IRQ_EXIT, 100, 0, 10900, .a = 24),
};

static void a_picture_has_cells_and_gaps(void **state)
{
	struct drawing *d = *state;

	d->opts.file = TFS_HEATMAP_SVG;
	d->opts.title = "a <b> & c";
	d->opts.of = "irq:disk (24)";
	d->opts.columns = 2;
	assert_int_equal(draw(d, some, N_SPAN_EVENTS(some)), 0);
	assert_int_equal(d->passes, 1);
	assert_non_null(strstr(d->text, ">a &lt;b&gt; &amp; c (3)</text>"));
	/* 2^(34/4) is 362.04, 2^(39/4) is 861.08: rows begin with the integers after these */
	assert_non_null(strstr(d->text, "0.000001 s to 0.000006 s, 363 ns to 431 ns: 1 (50.0% of "
					"this time, 50.0% took no longer)"));
	assert_non_null(
		strstr(d->text, "862 ns to 1.02 us: 1 (50.0% of this time, 100.0% took no"));
	assert_non_null(
		strstr(d->text, "862 ns to 1.02 us: 1 (100.0% of this time, 100.0% took no"));
	assert_non_null(strstr(d->text, "<title>CPU 1 lost 5 events</title>"));
	assert_null(strstr(d->text, "<script"));
}

static void too_many_values_are_read_twice(void **state)
{
	struct drawing *d = *state;

	d->opts.file = TFS_HEATMAP_SVG;
	d->opts.title = "";
	d->opts.of = "disk (24)";
	d->opts.values_max = 1;
	d->opts.linear = true;
	assert_int_equal(draw(d, some, N_SPAN_EVENTS(some)), 0);
	assert_int_equal(d->passes, 2);
	assert_non_null(strstr(d->text, "> (3)</text>"));
}

static void nothing_to_draw_is_an_error(void **state)
{
	struct drawing *d = *state;

	d->opts.file = TFS_HEATMAP_HTML;
	d->opts.title = "a";
	assert_int_equal(draw(d, some, N_SPAN_EVENTS(some)), -ENODATA);
	assert_non_null(strstr(d->err.hint, "--of"));
	assert_int_equal(d->text[0], '\0');
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_quarters_of_an_octave),
		cmocka_unit_test(values_are_in_the_cells_of_their_times),
		TEST(a_picture_has_cells_and_gaps),
		TEST(too_many_values_are_read_twice),
		TEST(nothing_to_draw_is_an_error),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
