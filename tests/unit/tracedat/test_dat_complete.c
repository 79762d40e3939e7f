/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracedat/dat-complete.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"

/* A run with one host, in a directory of its own, which is the working directory */
struct fixture {
	char top[64];
	int old;
};

static const char *const files[] = { "run/fleet.tab", "run/one/a.dat.stream", "run/one/whole.dat",
				     "other/one/a.dat.stream" };
static const char *const folders[] = { "run", "run/one", "other", "other/one" };

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	int fd;

	snprintf(f->top, sizeof(f->top), "/tmp/tc-complete-XXXXXX");
	f->old = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (!mkdtemp(f->top) || chdir(f->top))
		return -1;
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		if (mkdir(folders[i], 0700))
			return -1;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		fd = open(files[i], O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
		if (fd < 0)
			return -1;
		tfs_close(&fd);
	}
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		unlink(files[i]);
	for (size_t i = sizeof(folders) / sizeof(*folders); i > 0; i--)
		rmdir(folders[i - 1]);
	(void)!fchdir(f->old);
	rmdir(f->top);
	tfs_close(&f->old);
	free(f);
	return 0;
}

static void check_folder(const char *path, const char *wanted)
{
	char *folder = tfs_dat_fleet_folder(path);

	if (wanted)
		assert_string_equal(folder, wanted);
	else
		assert_null(folder);
	free(folder);
}

static void test_unfinished_file_of_a_run_has_its_folder(void **state)
{
	const struct fixture *f = *state;
	char path[128], folder[128];

	check_folder("run/one/a.dat", "run");
	check_folder("run//one/a.dat", "run");
	snprintf(path, sizeof(path), "%s/run/one/a.dat", f->top);
	snprintf(folder, sizeof(folder), "%s/run", f->top);
	check_folder(path, folder);
	assert_false(chdir("run"));
	check_folder("one/a.dat", ".");
	assert_false(chdir("one"));
	check_folder("a.dat", "..");
	check_folder("./a.dat", "./..");
	check_folder("../one/a.dat", "..");
	assert_false(chdir("../.."));
}

static void test_others_have_none(void **state)
{
	(void)state;
	check_folder("run/one/whole.dat", NULL);
	/* Somebody received it, or took it out of its run */
	check_folder("other/one/a.dat", NULL);
	check_folder("run/one/none.dat", NULL);
}

static void test_command_is_of_the_tool_that_can(void **state)
{
	char *of_run = tfs_dat_completes("run/one/a.dat");
	char *other = tfs_dat_completes("other/one/a.dat");

	(void)state;
	assert_string_equal(of_run, "tc-fleet fetch -o 'run'");
	assert_string_equal(other, "tc-record --recover 'other/one/a.dat'");
	free(of_run);
	free(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_unfinished_file_of_a_run_has_its_folder, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_others_have_none, setup, teardown),
		cmocka_unit_test_setup_teardown(test_command_is_of_the_tool_that_can, setup,
						teardown),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
