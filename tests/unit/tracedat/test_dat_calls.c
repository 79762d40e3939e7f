/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracedat/dat-calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf-core.h"
#include "lib/dat_build.h"
#include "lib/dat_open.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-private.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-records.h"

/* A file with @payload as the option; NULL for none. */
static struct tfs_dat *file_with(bool big, const void *payload, size_t size)
{
	struct dat_spec spec = { .big = big };
	struct dat_builder d;

	dat_begin(&d, &spec);
	dat_metadata(&d);
	if (payload)
		dat_option(&d, TFS_DAT_PRIVATE_CALLS, payload, size);
	return dat_open_built(&d);
}

static void put_look(struct tfs_strbuf *sb, uint64_t at, int tid, int fd, const char *text)
{
	const struct tfs_dat_look look = {
		.at = at,
		.tid = tid,
		.tgid = 40,
		.fd = fd,
		.cloexec = -1,
		.begin = at + 1000 + sb->len,
		.end = at + 2000 + sb->len,
		.text = text,
	};

	assert_int_equal(tfs_dat_calls_add_look(sb, &look), 0);
}

static struct tfs_strbuf payload(void)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	assert_int_equal(tfs_dat_private_begin(&sb), 0);
	assert_int_equal(tfs_dat_calls_add_command(&sb, 4711), 0);
	put_look(&sb, 0, 40, -100, "/home");
	put_look(&sb, 0, 40, 2, "/dev/null");
	put_look(&sb, 0, 50, -100, "/");
	assert_int_equal(tfs_dat_calls_add_process(&sb, 700, 43, 40, ""), 0);
	assert_int_equal(tfs_dat_calls_add_process(&sb, 800, 41, 40, "one"), 0);
	put_look(&sb, 900, 41, 7, "socket:[99]");
	put_look(&sb, 900, 41, 3, "/etc/passwd");
	assert_int_equal(tfs_dat_calls_add_process(&sb, 900, 41, 39, "two"), 0);
	return sb;
}

static void check(struct tfs_dat *dat)
{
	const struct tfs_dat_look *looks;
	struct tfs_dat_calls *calls;
	size_t n;

	assert_int_equal(tfs_dat_calls_new(dat, &calls), 0);
	assert_non_null(calls);
	assert_int_equal(tfs_dat_calls_command(calls), 4711);
	looks = tfs_dat_calls_looks(calls, 41, 900, &n);
	assert_int_equal(n, 2);
	assert_int_equal(looks[0].fd, 7);
	assert_string_equal(looks[0].text, "socket:[99]");
	assert_int_equal(looks[1].tgid, 40);
	assert_int_equal(looks[1].cloexec, -1);
	assert_int_equal(looks[1].end - looks[1].begin, 1000);
	looks = tfs_dat_calls_looks(calls, 40, 0, &n);
	assert_int_equal(n, 2);
	assert_int_equal(looks[0].fd, -100);
	assert_null(tfs_dat_calls_looks(calls, 41, 899, &n));
	assert_int_equal(n, 0);
	assert_int_equal(tfs_dat_calls_next(calls, 0, 0), 40);
	assert_int_equal(tfs_dat_calls_next(calls, 40, 0), 50);
	assert_int_equal(tfs_dat_calls_next(calls, 50, 0), 0);
	tfs_dat_calls_free(calls);
	tfs_dat_free(dat);
}

static void answers_are_found_by_time_and_thread_in_either_byte_order(void **state)
{
	struct tfs_strbuf sb = payload();

	(void)state;
	check(file_with(false, sb.s, sb.len));
	check(file_with(true, sb.s, sb.len));
	tfs_strbuf_release(&sb);
}

static void packed_it_says_the_same(void **state)
{
	struct tfs_strbuf sb = payload();

	(void)state;
	for (int i = 0; i < 100; i++)
		put_look(&sb, 5000 + (uint64_t)i, 60, 3, "/a/path/that/compresses/well");
	assert_int_equal(tfs_dat_records_pack(&sb), 0);
	check(file_with(false, sb.s, sb.len));
	tfs_strbuf_release(&sb);
}

static void a_thread_is_of_the_process_that_was_said_last(void **state)
{
	struct tfs_strbuf sb = payload();
	struct tfs_dat *dat = file_with(false, sb.s, sb.len);
	struct tfs_dat_calls *calls;
	const char *comm;

	(void)state;
	assert_int_equal(tfs_dat_calls_new(dat, &calls), 0);
	assert_int_equal(tfs_dat_calls_tgid(calls, 41, 799, NULL), 0);
	assert_int_equal(tfs_dat_calls_tgid(calls, 41, 800, NULL), 40);
	assert_int_equal(tfs_dat_calls_tgid(calls, 41, 899, NULL), 40);
	assert_int_equal(tfs_dat_calls_tgid(calls, 41, 900, NULL), 39);
	assert_int_equal(tfs_dat_calls_tgid(calls, 42, 900, NULL), 0);
	assert_int_equal(tfs_dat_calls_tgid(calls, 41, 850, &comm), 40);
	assert_string_equal(comm, "one");
	assert_int_equal(tfs_dat_calls_tgid(calls, 41, 1850, &comm), 39);
	assert_string_equal(comm, "two");
	assert_int_equal(tfs_dat_calls_tgid(calls, 41, 10, &comm), 0);
	assert_string_equal(comm, "");
	assert_int_equal(tfs_dat_calls_thread(calls, 40, 0), 41);
	assert_int_equal(tfs_dat_calls_thread(calls, 40, 41), 43);
	assert_int_equal(tfs_dat_calls_thread(calls, 40, 43), 0);
	tfs_dat_calls_free(calls);
	tfs_dat_free(dat);
	tfs_strbuf_release(&sb);
}

static void a_file_without_it_answers_nothing(void **state)
{
	struct tfs_dat *dat = file_with(false, NULL, 0);
	struct tfs_dat_calls *calls;
	size_t n;

	(void)state;
	assert_int_equal(tfs_dat_calls_new(dat, &calls), 0);
	assert_null(calls);
	assert_int_equal(tfs_dat_calls_command(calls), 0);
	assert_int_equal(tfs_dat_calls_tgid(calls, 1, 1, NULL), 0);
	assert_int_equal(tfs_dat_calls_thread(calls, 1, 0), 0);
	assert_null(tfs_dat_calls_looks(calls, 1, 1, &n));
	assert_int_equal(tfs_dat_calls_next(calls, 0, 0), 0);
	tfs_dat_free(dat);
}

/* Every beginning of the payload is read without a fault, up to its last complete record. */
static void a_damaged_option_ends_before_the_damage(void **state)
{
	struct tfs_strbuf sb = payload();

	(void)state;
	for (size_t size = 0; size < sb.len; size++) {
		struct tfs_dat *dat = file_with(false, sb.s, size);
		struct tfs_dat_calls *calls;
		size_t n;

		assert_int_equal(tfs_dat_calls_new(dat, &calls), 0);
		tfs_dat_calls_looks(calls, 41, 900, &n);
		assert_true(n <= 2);
		tfs_dat_calls_free(calls);
		tfs_dat_free(dat);
	}
	tfs_strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_are_found_by_time_and_thread_in_either_byte_order),
		cmocka_unit_test(packed_it_says_the_same),
		cmocka_unit_test(a_thread_is_of_the_process_that_was_said_last),
		cmocka_unit_test(a_file_without_it_answers_nothing),
		cmocka_unit_test(a_damaged_option_ends_before_the_damage),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
