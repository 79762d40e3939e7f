/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "lib/fake.h"
#include "tracefs/root.h"

static void a_directory_is_taken_as_it_is(void **state)
{
	struct tfs_root *root = NULL;
	struct fake fake;
	char path[128];
	struct stat st, want;

	(void)state;
	fake_new(&fake, NULL);
	snprintf(path, sizeof(path), "%s//", fake.dir);
	assert_int_equal(tfs_root_open(path, &root, NULL), 0);
	assert_string_equal(tfs_root_path(root), fake.dir);
	assert_int_equal(fstat(tfs_root_fd(root), &st), 0);
	assert_int_equal(stat(fake.dir, &want), 0);
	assert_int_equal(st.st_ino, want.st_ino);
	tfs_root_free(root);
	fake_free(&fake);
}

static void the_environment_names_one_when_the_caller_does_not(void **state)
{
	struct tfs_root *root = NULL;
	struct fake fake;

	(void)state;
	fake_new(&fake, NULL);
	assert_int_equal(setenv(TFS_ROOT_ENV, fake.dir, 1), 0);
	assert_int_equal(tfs_root_open(NULL, &root, NULL), 0);
	assert_string_equal(tfs_root_path(root), fake.dir);
	tfs_root_free(root);
	root = NULL;
	assert_int_equal(setenv(TFS_ROOT_ENV, "/nosuch", 1), 0);
	assert_int_equal(tfs_root_open(fake.dir, &root, NULL), 0);
	tfs_root_free(root);
	assert_int_equal(unsetenv(TFS_ROOT_ENV), 0);
	fake_free(&fake);
}

static void a_path_that_is_not_a_directory_is_an_error(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_root *root = NULL;

	(void)state;
	assert_int_equal(tfs_root_open("/nosuch", &root, &err), -ENOENT);
	assert_string_equal(err.msg, "cannot use tracefs at '/nosuch': No such file or directory");
	assert_int_equal(tfs_root_open("/dev/null", &root, &err), -ENOTDIR);
	assert_null(root);
	tfs_root_free(NULL);
}

/* Without one given: the mounted tracefs, or words on how to mount it; never a mount. */
static void a_mounted_one_is_found_or_explained(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_root *root = NULL;
	int rc;

	(void)state;
	rc = tfs_root_open(NULL, &root, &err);
	if (!rc) {
		assert_int_equal(tfs_root_path(root)[0], '/');
		tfs_root_free(root);
		return;
	}
	assert_null(root);
	assert_int_equal(err.code, rc);
	assert_string_not_equal(err.hint, "");
	if (rc == -ENOENT)
		assert_non_null(strstr(err.hint, "mount -t tracefs"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_directory_is_taken_as_it_is),
		cmocka_unit_test(the_environment_names_one_when_the_caller_does_not),
		cmocka_unit_test(a_path_that_is_not_a_directory_is_an_error),
		cmocka_unit_test(a_mounted_one_is_found_or_explained),
	};

	unsetenv(TFS_ROOT_ENV);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("root", tests, NULL, NULL);
}
