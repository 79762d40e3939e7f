/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracedat/dat-recorder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/strbuf-core.h"
#include "lib/dat_build.h"
#include "lib/dat_open.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-read.h"

/* The threads of a file with this option; NULL: without one */
static struct tfs_dat_recorder *of_file(bool big, const void *payload, size_t size)
{
	struct dat_spec spec = { .big = big };
	struct tfs_dat_recorder *r;
	struct dat_builder d;
	struct tfs_dat *dat;

	dat_begin(&d, &spec);
	dat_metadata(&d);
	if (payload)
		dat_option(&d, TFS_DAT_PRIVATE_RECORDER, payload, size);
	dat = dat_open_built(&d);
	assert_int_equal(tfs_dat_recorder_get(dat, &r), 0);
	tfs_dat_free(dat);
	return r;
}

static void both_of_two_threads_are_asked_for(void **state)
{
	static const uint32_t tids[] = { 4194303, 17, 18 };
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_dat_recorder *r;

	(void)state;
	assert_int_equal(tfs_dat_recorder_put(&sb, tids, 3), 0);
	r = of_file(false, sb.s, sb.len);
	assert_non_null(r);
	assert_true(tfs_dat_recorder_has(r, 17, 4194303));
	assert_true(tfs_dat_recorder_has(r, 18, 17));
	assert_false(tfs_dat_recorder_has(r, 17, 19));
	assert_false(tfs_dat_recorder_has(r, 0, 18));
	assert_false(tfs_dat_recorder_has(NULL, 17, 18));
	free(r);
	tfs_strbuf_release(&sb);
}

static void a_file_of_another_byte_order_has_the_same(void **state)
{
	static const unsigned char bytes[] = { 1, 2, 3, 4, 0, 0, 0, 18, 0, 0, 0, 17 };
	struct tfs_dat_recorder *r = of_file(true, bytes, sizeof(bytes));

	(void)state;
	assert_non_null(r);
	assert_true(tfs_dat_recorder_has(r, 17, 18));
	free(r);
}

static void numbers_of_no_thread_are_left_out(void **state)
{
	/* The idle task, and half of a number at the end */
	static const unsigned char bytes[] = { 4, 3, 2, 1, 0, 0, 0, 0, 17, 0, 0, 0, 1, 2 };
	static const unsigned char no_mark[] = { 17, 0, 0, 0 };
	struct tfs_dat_recorder *r = of_file(false, bytes, sizeof(bytes));

	(void)state;
	assert_non_null(r);
	assert_int_equal(r->n, 1);
	assert_false(tfs_dat_recorder_has(r, 0, 17));
	free(r);
	assert_null(of_file(false, no_mark, sizeof(no_mark)));
	assert_null(of_file(false, NULL, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_of_two_threads_are_asked_for),
		cmocka_unit_test(a_file_of_another_byte_order_has_the_same),
		cmocka_unit_test(numbers_of_no_thread_are_left_out),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
