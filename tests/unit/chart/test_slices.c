/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "chart/slices.h"
#include "chart/spill.h"
#include "lib/alloc_fail.h"

#define ROWS 7
#define SLICES 30000

struct seen {
	uint32_t row;
	uint64_t n, last;
};

static int teardown(void **state)
{
	(void)state;
	alloc_fail_off();
	return 0;
}

/* Row i % ROWS gets slice i: so within a row they rise by ROWS. */
static int check(void *ctx, const struct tfs_slice *v, size_t n)
{
	struct seen *seen = ctx;
	size_t i;

	for (i = 0; i < n; i++) {
		assert_int_equal(v[i].row, seen->row);
		assert_int_equal(v[i].begin, seen->row + ROWS * seen->n);
		assert_int_equal(v[i].name, ~v[i].begin & 0xffff);
		seen->n++;
	}
	return 0;
}

static void rows_are_read_in_order(size_t memory)
{
	struct tfs_slices *s = NULL;
	uint64_t all = 0;
	uint32_t i;

	assert_int_equal(tfs_slices_new(memory, &s), 0);
	for (i = 0; i < SLICES; i++) {
		const struct tfs_slice slice = { .row = i % ROWS, .begin = i, .name = ~i & 0xffff };

		assert_int_equal(tfs_slices_add(s, &slice), 0);
	}
	/* one row more than there are slices of */
	assert_int_equal(tfs_slices_sort(s, ROWS + 1), 0);
	for (i = 0; i <= ROWS; i++) {
		struct seen seen = { .row = i };

		assert_int_equal(tfs_slices_row(s, i, check, &seen), 0);
		all += seen.n;
	}
	assert_int_equal(all, SLICES);
	tfs_slices_free(s);
}

static void rows_are_read_from_memory(void **state)
{
	(void)state;
	rows_are_read_in_order(SLICES);
}

static void rows_are_read_from_runs_in_a_file(void **state)
{
	(void)state;
	rows_are_read_in_order(1000);
	rows_are_read_in_order(SLICES / 3);
}

static int stop(void *ctx, const struct tfs_slice *v, size_t n)
{
	(void)ctx;
	(void)v;
	(void)n;
	return -EPIPE;
}

static void a_failure_of_the_reader_ends_it(void **state)
{
	const struct tfs_slice slice = { .row = 0 };
	struct tfs_slices *s = NULL;

	(void)state;
	assert_int_equal(tfs_slices_new(10, &s), 0);
	assert_int_equal(tfs_slices_add(s, &slice), 0);
	assert_int_equal(tfs_slices_sort(s, 1), 0);
	assert_int_equal(tfs_slices_row(s, 0, stop, NULL), -EPIPE);
	tfs_slices_free(s);
}

static void bytes_spill_into_a_file(void **state)
{
	struct tfs_spill s = TFS_SPILL_INIT(100000);
	unsigned char out[64];
	uint32_t i, n = 100000;

	(void)state;
	for (i = 0; i < n; i++)
		assert_int_equal(tfs_spill_add(&s, &i, sizeof(i)), 0);
	assert_int_equal(tfs_spill_size(&s), n * sizeof(i));
	assert_true(s.fd >= 0);
	assert_true(s.room <= 100000);
	/* across where the file ends and memory begins, and elsewhere */
	for (i = 0; i + 16 < n; i += 999) {
		uint32_t v[16], k;

		assert_int_equal(tfs_spill_read(&s, i * sizeof(i), out, sizeof(out)), 0);
		memcpy(v, out, sizeof(v));
		for (k = 0; k < 16; k++)
			assert_int_equal(v[k], i + k);
	}
	assert_int_equal(tfs_spill_read(&s, s.file - 8, out, 16), 0);
	assert_int_equal(*(uint32_t *)out, (uint32_t)(s.file / 4 - 2));
	tfs_spill_release(&s);
	assert_int_equal(tfs_spill_size(&s), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(rows_are_read_from_memory, teardown),
		cmocka_unit_test_teardown(rows_are_read_from_runs_in_a_file, teardown),
		cmocka_unit_test_teardown(a_failure_of_the_reader_ends_it, teardown),
		cmocka_unit_test_teardown(bytes_spill_into_a_file, teardown),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
