/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracedat/dat-compared.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/strbuf-core.h"
#include "lib/bytes.h"
#include "lib/dat_build.h"
#include "lib/dat_open.h"
#include "tracedat/dat-clocks.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-private.h"
#include "tracedat/dat-read.h"

#define SECOND 1000000000ull
#define REF 1700000000000000000ull
/* By how much the clock of the second recording is ahead, by each of the other clocks */
#define BY_REALTIME 900
#define BY_COLLECTOR 500

/* The bounds of a recording's comparisons, 0: there are none, and its CLOCK_REALTIME */
struct spec {
	uint64_t realtime, collector;
	bool is_synced;
	uint64_t maxerror;
};

static void put_pairs(struct tfs_strbuf *sb, const struct spec *spec, uint32_t source,
		      uint64_t ahead)
{
	struct tfs_dat_clock_pair pair = {
		.bound = source ? spec->collector : spec->realtime,
		.source = source,
		.method = source ? TFS_DAT_CLOCK_TRIP : TFS_DAT_CLOCK_READ,
		.flags = spec->is_synced ? TFS_DAT_CLOCK_SYNCED : 0,
		.maxerror = spec->maxerror,
	};

	/* before and after all events, so that nothing is left to a clock's drift */
	for (int i = 0; i < 2 && pair.bound; i++) {
		pair.trace = (uint64_t)i * SECOND + ahead;
		pair.ref = REF + (uint64_t)i * SECOND;
		assert_int_equal(tfs_dat_clocks_add(sb, &pair), 0);
	}
}

static struct tfs_dat *make(const struct spec *spec, bool is_second)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct dat_spec dat = { .cpus = 1 };
	struct dat_builder d;
	struct dat_cpu cpu;
	struct bytes page;

	dat_begin(&d, &dat);
	dat_metadata(&d);
	assert_int_equal(tfs_dat_private_begin(&sb), 0);
	assert_int_equal(tfs_dat_clocks_add_source(&sb, 5, "collector"), 0);
	put_pairs(&sb, spec, TFS_DAT_CLOCK_REALTIME, is_second ? BY_REALTIME : 0);
	put_pairs(&sb, spec, 5, is_second ? BY_COLLECTOR : 0);
	dat_option(&d, TFS_DAT_PRIVATE_CLOCKS, sb.s, sb.len);
	tfs_strbuf_release(&sb);
	bytes_init(&page, false);
	dat_sample_pages(&d.spec, 0, 0, &page);
	cpu = (struct dat_cpu){ 0, &page };
	dat_buffer(&d, "", &cpu, 1);
	bytes_release(&page);
	return dat_open_built(&d);
}

/* Return: by how much times are shifted; *@worst: the bound. INT64_MAX: there is no map */
static int64_t map(const struct spec *a, const struct spec *b, uint64_t *worst)
{
	static const struct tfs_dat_time_opts opts = { .raw = true };
	struct tfs_dat *from = make(a, false), *to = make(b, true);
	struct tfs_dat_compared f, t;
	struct tfs_clock_map *m;
	int64_t shift = INT64_MAX;

	assert_int_equal(tfs_dat_compared_read(&f, from, &opts, NULL), 0);
	assert_int_equal(tfs_dat_compared_read(&t, to, &opts, NULL), 0);
	assert_true(f.has_events);
	assert_int_equal(tfs_dat_compared_map(&f, &t, &m), 0);
	if (m) {
		shift = tfs_clock_map_shift(m);
		*worst = tfs_clock_map_worst(m);
	}
	tfs_clock_map_free(m);
	tfs_dat_compared_release(&f);
	tfs_dat_compared_release(&t);
	tfs_dat_free(from);
	tfs_dat_free(to);
	return shift;
}

/* The bound is at least that of both comparisons and of both hosts' clocks. */
static void smallest_bound_is_chosen(void **state)
{
	const struct spec good = { 5, 40, true, 10 }, bad = { 5, 40, true, 1000 },
			  alone = { 5, 0, true, 1000 }, unsure = { 5, 40, false, 0 };
	uint64_t worst;

	(void)state;
	assert_int_equal(map(&good, &good, &worst), BY_REALTIME);
	assert_in_range(worst, 2 * 5 + 2 * 10, 2 * 40 - 1);
	assert_int_equal(map(&bad, &bad, &worst), BY_COLLECTOR);
	assert_in_range(worst, 2 * 40, 2 * 1000);
	assert_int_equal(map(&good, &bad, &worst), BY_COLLECTOR);
	assert_int_equal(map(&unsure, &good, &worst), BY_COLLECTOR);
	assert_int_equal(map(&bad, &alone, &worst), BY_REALTIME);
	assert_in_range(worst, 2 * 5 + 2 * 1000, 4000);
}

static void unknown_error_is_no_reason_to_have_none(void **state)
{
	const struct spec unsure = { 5, 0, false, 0 }, sure = { 5, 0, true, 10 },
			  other = { 0, 40, true, 10 }, none = { 0 };
	uint64_t worst;

	(void)state;
	assert_int_equal(map(&unsure, &sure, &worst), BY_REALTIME);
	assert_true(worst == UINT64_MAX);
	assert_true(map(&unsure, &other, &worst) == INT64_MAX);
	assert_true(map(&none, &sure, &worst) == INT64_MAX);
}

static void clocks_are_named_once_each(void **state)
{
	static const struct tfs_dat_time_opts opts = { .raw = true };
	const struct spec both = { 5, 40, true, 10 };
	struct tfs_dat *dat = make(&both, false);
	struct tfs_dat_compared c;
	size_t at = 0;

	(void)state;
	assert_int_equal(tfs_dat_compared_read(&c, dat, &opts, NULL), 0);
	assert_string_equal(tfs_dat_compared_next(&c, &at), "collector");
	assert_null(tfs_dat_compared_next(&c, &at));
	assert_null(tfs_dat_compared_next(&c, &at));
	tfs_dat_compared_release(&c);
	tfs_dat_free(dat);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(smallest_bound_is_chosen),
		cmocka_unit_test(unknown_error_is_no_reason_to_have_none),
		cmocka_unit_test(clocks_are_named_once_each),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
