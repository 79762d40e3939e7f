/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
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
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "record/dump-dir.h"

#define HOUR_NS (3600ULL * 1000000000)

struct fixture {
	char path[64];
	struct tfs_dump_dir dir;
	struct tfs_err err;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	snprintf(f->path, sizeof(f->path), "/tmp/tc-dumps.XXXXXX");
	f->err = TFS_ERR_INIT;
	*state = f;
	return !mkdtemp(f->path) || tfs_dump_dir_open(&f->dir, f->path, &f->err);
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	DIR *dir = opendir(f->path);
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		if (unlinkat(f->dir.fd, e->d_name, 0))
			unlinkat(f->dir.fd, e->d_name, AT_REMOVEDIR);
	}
	if (dir)
		closedir(dir);
	rmdir(f->path);
	tfs_dump_dir_close(&f->dir);
	free(f);
	return 0;
}

/* A file of @bytes, changed @hours before 2026-01-01 */
static void put(const struct fixture *f, const char *name, off_t bytes, time_t hours)
{
	struct timespec times[2] = { { 0 }, { 0 } };
	int fd = openat(f->dir.fd, name, O_WRONLY | O_CREAT | O_EXCL, 0600);

	times[0].tv_sec = times[1].tv_sec = 1767225600 - hours * 3600;
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, bytes), 0);
	assert_int_equal(futimens(fd, times), 0);
	close(fd);
}

static bool has(const struct fixture *f, const char *name)
{
	return !faccessat(f->dir.fd, name, F_OK, AT_SYMLINK_NOFOLLOW);
}

static int clean(struct fixture *f, const char *name, uint64_t bytes, uint64_t age_ns,
		 const char *keep)
{
	const struct tfs_dump_limits limits = { .bytes = bytes, .age_ns = age_ns };
	const struct timespec now = { .tv_sec = 1767225600 };

	return tfs_dump_dir_clean(&f->dir, name, &limits, &now, keep, &f->err);
}

/* The stamp is what date -u -d @1767225599.987 prints. */
static void a_name_has_the_time_in_utc(void **state)
{
	const struct timespec now = { .tv_sec = 1767225599, .tv_nsec = 987654321 };
	const struct timespec far = { .tv_sec = 253402300800 }; /* year 10000 */
	char long_name[400] = "", buf[TFS_DUMP_NAME_MAX];

	(void)state;
	assert_int_equal(tfs_dump_file_name("net", &now, buf), 0);
	assert_string_equal(buf, "net-20251231T235959.987Z.dat");
	assert_int_equal(tfs_dump_file_name("net", &far, buf), -ERANGE);
	memset(long_name, 'x', sizeof(long_name) - 1);
	assert_int_equal(tfs_dump_file_name(long_name, &now, buf), -ERANGE);
}

static void the_oldest_go_until_the_size_fits(void **state)
{
	struct fixture *f = *state;

	put(f, "net-20250101T000000.000Z.dat", 4000, 1);
	put(f, "net-20250102T000000.000Z.dat", 3000, 9);
	put(f, "net-20250103T000000.000Z.dat", 2000, 1);
	assert_int_equal(clean(f, "net", 9000, 0, NULL), 0);
	assert_int_equal(clean(f, "net", 8999, 0, NULL), 1);
	assert_false(has(f, "net-20250101T000000.000Z.dat"));
	assert_int_equal(clean(f, "net", 1, 0, "net-20250103T000000.000Z.dat"), 1);
	assert_false(has(f, "net-20250102T000000.000Z.dat"));
	assert_true(has(f, "net-20250103T000000.000Z.dat"));
}

static void those_that_are_too_old_go(void **state)
{
	struct fixture *f = *state;

	put(f, "net-20250101T000000.000Z.dat", 1, 25);
	put(f, "net-20250102T000000.000Z.dat", 1, 23);
	put(f, "net-20250103T000000.000Z.dat", 1, -5); /* the clock was set back */
	put(f, "net-20250104T000000.000Z.dat", 1, 490000);
	assert_int_equal(clean(f, "net", 0, 24 * HOUR_NS, NULL), 2);
	assert_true(has(f, "net-20250102T000000.000Z.dat"));
	assert_true(has(f, "net-20250103T000000.000Z.dat"));
	assert_int_equal(clean(f, "net", 0, 0, NULL), 0);
}

static void a_part_goes_before_any_dump(void **state)
{
	struct fixture *f = *state;

	put(f, "net-20250101T000000.000Z.dat", 1000, 1);
	put(f, "net-20250102T000000.000Z.dat.part", 1000, 1);
	put(f, "net-20250102T000000.000Z.dat.part.cpu0", 1000, 1);
	assert_int_equal(clean(f, "net", 1000, 0, NULL), 2);
	assert_true(has(f, "net-20250101T000000.000Z.dat"));
}

static void nothing_else_is_touched(void **state)
{
	static const char *const others[] = {
		"net-20250101T000000.000Z.dat.gz", "net-20250101T000000.000Z.data",
		"net-20250101T000000.000Z",        "net-2025010aT000000.000Z.dat",
		"net2-20250101T000000.000Z.dat",   "net-notes.dat",
		"Net-20250101T000000.000Z.dat",    ".net-20250101T000000.000Z.dat",
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		put(f, others[i], 100000, 1000);
	assert_int_equal(symlinkat("/etc/passwd", f->dir.fd, "net-20250102T000000.000Z.dat"), 0);
	assert_int_equal(mkdirat(f->dir.fd, "net-20250103T000000.000Z.dat", 0700), 0);
	assert_int_equal(clean(f, "net", 1, 1, NULL), 0);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_true(has(f, others[i]));
	assert_true(has(f, "net-20250102T000000.000Z.dat"));
	assert_int_equal(tfs_dump_dir_remove_oldest(&f->dir, "net", &f->err), 0);
}

static void the_oldest_can_be_removed_for_room(void **state)
{
	struct fixture *f = *state;
	uint64_t room = 0;

	put(f, "net-20250102T000000.000Z.dat", 1, 9);
	put(f, "net-20250101T000000.000Z.dat", 1, 1);
	assert_int_equal(tfs_dump_dir_remove_oldest(&f->dir, "net", &f->err), 1);
	assert_false(has(f, "net-20250101T000000.000Z.dat"));
	assert_int_equal(tfs_dump_dir_remove_oldest(&f->dir, "net", &f->err), 1);
	assert_int_equal(tfs_dump_dir_remove_oldest(&f->dir, "net", &f->err), 0);
	assert_int_equal(tfs_dump_dir_room(&f->dir, &room, &f->err), 0);
	assert_true(room > 0);
}

static void a_directory_that_is_not_there_is_named(void **state)
{
	struct fixture *f = *state;
	struct tfs_dump_dir dir;

	assert_int_equal(tfs_dump_dir_open(&dir, "/nonexistent/dumps", &f->err), -ENOENT);
	assert_non_null(strstr(f->err.msg, "/nonexistent/dumps"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_has_the_time_in_utc),
		cmocka_unit_test_setup_teardown(the_oldest_go_until_the_size_fits, setup, teardown),
		cmocka_unit_test_setup_teardown(those_that_are_too_old_go, setup, teardown),
		cmocka_unit_test_setup_teardown(a_part_goes_before_any_dump, setup, teardown),
		cmocka_unit_test_setup_teardown(nothing_else_is_touched, setup, teardown),
		cmocka_unit_test_setup_teardown(the_oldest_can_be_removed_for_room, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_directory_that_is_not_there_is_named, setup,
						teardown),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
