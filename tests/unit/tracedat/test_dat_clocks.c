/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracedat/dat-clocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf-core.h"
#include "lib/bytes.h"
#include "lib/dat_build.h"
#include "lib/dat_open.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-private.h"
#include "tracedat/dat-read.h"

static struct tfs_dat *file_with(bool big, const void *payload, size_t size)
{
	struct dat_spec spec = { .big = big };
	struct dat_builder d;

	dat_begin(&d, &spec);
	dat_metadata(&d);
	if (payload)
		dat_option(&d, TFS_DAT_PRIVATE_CLOCKS, payload, size);
	return dat_open_built(&d);
}

/* The option byte by byte, as trace.dat(5) has it, with a record of a later version */
static void put_option(struct bytes *b, bool big)
{
	bytes_init(b, big);
	bytes_u32(b, 0x01020304);
	bytes_u16(b, 3);
	bytes_u32(b, 4 + 6);
	bytes_u32(b, 1);
	bytes_strz(b, "local");
	bytes_u16(b, 999);
	bytes_u32(b, 2);
	bytes_u16(b, 7);
	bytes_u16(b, 2);
	bytes_u32(b, 4 + 10);
	bytes_u32(b, 5);
	bytes_strz(b, "collector");
	bytes_u16(b, 1);
	bytes_u32(b, 3 * 8 + 4 * 4 + 2 * 8 + 3);
	bytes_u64(b, 1000);
	bytes_u64(b, 1700000000000000000);
	bytes_u64(b, 25);
	bytes_u32(b, 5);
	bytes_u32(b, 3);
	bytes_u32(b, 1);
	bytes_u32(b, 64);
	bytes_u64(b, 16000000);
	bytes_u64(b, 2000);
	bytes_zeros(b, 3); /* of a later version */
}

static void check(const struct tfs_dat *dat)
{
	const struct tfs_dat_clock_pair *pairs;
	struct tfs_dat_clocks *clocks;
	size_t n;

	assert_int_equal(tfs_dat_clocks_new(dat, &clocks), 0);
	assert_non_null(clocks);
	assert_int_equal(tfs_dat_clocks_kind(clocks), TFS_DAT_CLOCK_PER_CPU);
	pairs = tfs_dat_clocks_all(clocks, &n);
	assert_int_equal(n, 1);
	assert_int_equal(pairs->trace, 1000);
	assert_true(pairs->ref == 1700000000000000000);
	assert_int_equal(pairs->bound, 25);
	assert_int_equal(pairs->method, TFS_DAT_CLOCK_TRIP);
	assert_int_equal(pairs->flags, TFS_DAT_CLOCK_SYNCED);
	assert_int_equal(pairs->status, 64);
	assert_int_equal(pairs->maxerror, 16000000);
	assert_int_equal(pairs->esterror, 2000);
	assert_string_equal(tfs_dat_clocks_source(clocks, pairs->source), "collector");
	assert_string_equal(tfs_dat_clocks_source(clocks, TFS_DAT_CLOCK_REALTIME), "");
	assert_null(tfs_dat_clocks_source(clocks, 6));
	tfs_dat_clocks_free(clocks);
}

static void clocks_are_read_in_either_byte_order(void **state)
{
	struct bytes b;
	struct tfs_dat *dat;

	(void)state;
	for (int big = 0; big < 2; big++) {
		put_option(&b, big);
		dat = file_with(big, b.sb.s, b.sb.len);
		check(dat);
		tfs_dat_free(dat);
		bytes_release(&b);
	}
}

static void clocks_are_written_as_they_are_read(void **state)
{
	const struct tfs_dat_clock_pair pair = {
		1000,
		1700000000000000000,
		25,
		5,
		TFS_DAT_CLOCK_TRIP,
		TFS_DAT_CLOCK_SYNCED,
		64,
		16000000,
		2000,
	};
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_dat *dat;

	(void)state;
	assert_int_equal(tfs_dat_private_begin(&sb), 0);
	assert_int_equal(tfs_dat_clocks_add_kind(&sb, TFS_DAT_CLOCK_PER_CPU, "local"), 0);
	assert_int_equal(tfs_dat_clocks_add_source(&sb, 5, "collector"), 0);
	assert_int_equal(tfs_dat_clocks_add(&sb, &pair), 0);
	dat = file_with(false, sb.s, sb.len);
	check(dat);
	tfs_dat_free(dat);
	tfs_strbuf_release(&sb);
}

static void cut_option_keeps_what_is_whole(void **state)
{
	struct tfs_dat_clocks *clocks;
	struct tfs_dat *dat;
	struct bytes b;
	size_t n;

	(void)state;
	put_option(&b, false);
	for (size_t size = 0; size < b.sb.len; size++) {
		dat = file_with(false, b.sb.s, size);
		assert_int_equal(tfs_dat_clocks_new(dat, &clocks), 0);
		tfs_dat_clocks_all(clocks, &n);
		assert_int_equal(n, 0);
		tfs_dat_clocks_free(clocks);
		tfs_dat_free(dat);
	}
	bytes_release(&b);
	dat = file_with(false, NULL, 0);
	assert_int_equal(tfs_dat_clocks_new(dat, &clocks), 0);
	assert_null(clocks);
	tfs_dat_free(dat);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks_are_read_in_either_byte_order),
		cmocka_unit_test(clocks_are_written_as_they_are_read),
		cmocka_unit_test(cut_option_keeps_what_is_whole),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
