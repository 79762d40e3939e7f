/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/own.h"
#include "lib/fake.h"

static void makes_a_private_directory_and_the_one_above_it(void **state)
{
	struct fake fake;
	struct stat st;

	(void)state;
	fake_new(&fake, NULL);
	assert_int_equal(tfs_own_mkdir(fake_path(&fake, "a/b")), -ENOENT);
	assert_int_equal(tfs_own_mkdir_both(fake_path(&fake, "a/b")), 0);
	assert_int_equal(stat(fake_path(&fake, "a"), &st), 0);
	assert_int_equal(st.st_mode, S_IFDIR | 0700);
	assert_int_equal(stat(fake_path(&fake, "a/b"), &st), 0);
	assert_int_equal(st.st_mode, S_IFDIR | 0700);
	assert_int_equal(tfs_own_mkdir_both(fake_path(&fake, "a/b")), 0);
	assert_int_equal(tfs_own_mkdir(fake_path(&fake, "a")), 0);
	assert_int_equal(tfs_own_mkdir_both(fake_path(&fake, "x/y/z")), -ENOENT);
	assert_int_equal(tfs_own_mkdir_both("name"), -EINVAL);
	fake_put(&fake, "file", "");
	assert_int_equal(tfs_own_mkdir_both(fake_path(&fake, "file/b")), -ENOTDIR);
	fake_free(&fake);
}

static void is_own_only_if_nobody_else_can_write(void **state)
{
	struct stat st = { .st_uid = geteuid(), .st_mode = S_IFREG | 0644 };

	(void)state;
	assert_true(tfs_is_own(&st));
	st.st_mode = S_IFREG | 0664;
	assert_false(tfs_is_own(&st));
	st.st_mode = S_IFREG | 0602;
	assert_false(tfs_is_own(&st));
	st.st_mode = S_IFDIR | 0700;
	assert_true(tfs_is_own(&st));
	st.st_uid++;
	assert_false(tfs_is_own(&st));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(makes_a_private_directory_and_the_one_above_it),
		cmocka_unit_test(is_own_only_if_nobody_else_can_write),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
