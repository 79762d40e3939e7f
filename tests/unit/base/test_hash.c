/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"

/* The vectors that the authors of FNV publish. */
static void values_are_those_of_fnv_1a(void **state)
{
	(void)state;
	assert_int_equal(tfs_hash32("", 0), 0x811c9dc5);
	assert_int_equal(tfs_hash32("a", 1), 0xe40c292c);
	assert_int_equal(tfs_hash32("foobar", 6), 0xbf9cf968);
	assert_true(tfs_hash64(TFS_HASH64_INIT, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
	assert_true(tfs_hash64(TFS_HASH64_INIT, "foobar", 6) == UINT64_C(0x85944171f73967e8));
}

static void parts_come_to_the_same_as_the_whole(void **state)
{
	(void)state;
	assert_true(tfs_hash64(tfs_hash64(TFS_HASH64_INIT, "foo", 3), "bar", 3) ==
		    tfs_hash64(TFS_HASH64_INIT, "foobar", 6));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_those_of_fnv_1a),
		cmocka_unit_test(parts_come_to_the_same_as_the_whole),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
