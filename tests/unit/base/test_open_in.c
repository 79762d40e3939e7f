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
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "base/macros.h"
#include "base/open-in.h"
#include "base/strbuf-core.h"

/* Whether openat2(2) is there: both ways have to answer the same. Link with --wrap=syscall. */
static bool is_old_kernel;

long __real_syscall(long nr, ...);
long __wrap_syscall(long nr, ...);

long __wrap_syscall(long nr, ...)
{
	va_list ap;
	long a[4];

	if (nr == SYS_openat2 && is_old_kernel) {
		errno = ENOSYS;
		return -1;
	}
	va_start(ap, nr);
	for (size_t i = 0; i < 4; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	return __real_syscall(nr, a[0], a[1], a[2], a[3]);
}

/*
 * struct world - a directory with a root in it and what is beside that
 * @root: descriptor of DIR/root
 */
struct world {
	char dir[64];
	int root;
};

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void sparse(const char *path, off_t size)
{
	put(path, "");
	assert_int_equal(truncate(path, size), 0);
}

static int set_up(void **state)
{
	static struct world w;
	char link[128];

	snprintf(w.dir, sizeof(w.dir), "/tmp/tc-open-in.XXXXXX");
	if (!mkdtemp(w.dir) || chdir(w.dir))
		return -1;
	put("secret", "outside");
	if (mkdir("root", 0700) || mkdir("root/etc", 0700) || mkdir("root/usr", 0700) ||
	    mkdir("root/usr/lib", 0700) || mkfifo("root/fifo", 0600))
		return -1;
	put("root/etc/name", "inside");
	put("root/secret", "shadow");
	snprintf(link, sizeof(link), "%s/secret", w.dir);
	if (symlink(link, "root/out") || symlink("../../../../../../secret", "root/etc/up") ||
	    symlink("/etc/name", "root/usr/lib/absolute") || symlink("../etc", "root/usr/etc") ||
	    symlink("loop", "root/loop") || symlink("fifo", "root/to-fifo") ||
	    symlink("/dev/zero", "root/to-zero") || symlink("/", "root/top") ||
	    symlink("/etc/", "root/slash"))
		return -1;
	sparse("root/large", (off_t)30 << 30);
	if (tfs_open_root("root", &w.root))
		return -1;
	*state = &w;
	return 0;
}

static int tear_down(void **state)
{
	static const char *const all[] = {
		"root/usr/lib/absolute",
		"root/usr/etc",
		"root/etc/up",
		"root/etc/name",
		"root/out",
		"root/loop",
		"root/to-fifo",
		"root/to-zero",
		"root/top",
		"root/slash",
		"root/large",
		"root/fifo",
		"root/secret",
		"root/usr/lib",
		"root/usr",
		"root/etc",
		"root",
		"secret",
	};
	struct world *w = *state;

	tfs_close(&w->root);
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (remove(all[i]))
			return -1;
	return chdir("/") || rmdir(w->dir);
}

/* The content of a path below the root, or the error for it. */
static void expect(const struct world *w, const char *path, uint64_t max, int rc, const char *text)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int got;

	for (int old = 0; old < 2; old++) {
		is_old_kernel = old;
		got = tfs_read_in(w->root, path, max, &sb);
		if (got != rc || strcmp(sb.s, text) != 0)
			fail_msg("%s (%s): %d '%s', wanted %d '%s'", path,
				 old ? "step by step" : "openat2", got, sb.s, rc, text);
		tfs_strbuf_release(&sb);
	}
	is_old_kernel = false;
}

static void paths_are_below_the_root(void **state)
{
	const struct world *w = *state;

	expect(w, "etc/name", 100, 0, "inside");
	expect(w, "/etc/name", 100, 0, "inside");
	expect(w, "//usr/./lib//../../etc/name", 100, 0, "inside");
	expect(w, "../../../../../etc/name", 100, 0, "inside");
	expect(w, "secret", 100, 0, "shadow");
	expect(w, "/../secret", 100, 0, "shadow");
	expect(w, "no/such", 100, -ENOENT, "");
	expect(w, "etc/name/more", 100, -ENOTDIR, "");
	/* path_resolution(7): an empty path is none, and before a final '/' is a directory */
	expect(w, "", 100, -ENOENT, "");
	expect(w, "etc/name/", 100, -ENOTDIR, "");
	expect(w, "usr/lib/absolute/", 100, -ENOTDIR, "");
	expect(w, "usr/etc/", 100, -EISDIR, "");
}

static void links_do_not_lead_out(void **state)
{
	const struct world *w = *state;

	expect(w, "usr/lib/absolute", 100, 0, "inside");
	expect(w, "usr/etc/name", 100, 0, "inside");
	expect(w, "top/top/slash/name", 100, 0, "inside");
	/* DIR/secret below the root is nowhere, though it is there outside */
	expect(w, "out", 100, -ENOENT, "");
	expect(w, "etc/up", 100, 0, "shadow");
	expect(w, "to-zero", 100, -ENOENT, "");
	expect(w, "loop", 100, -ELOOP, "");
}

static void only_regular_files_are_opened(void **state)
{
	const struct world *w = *state;

	expect(w, "fifo", 100, -EINVAL, "");
	expect(w, "to-fifo", 100, -EINVAL, "");
	expect(w, "etc", 100, -EISDIR, "");
	expect(w, "/", 100, -EISDIR, "");
	assert_int_equal(tfs_open_in(TFS_NO_ROOT, "root/fifo", 100), -EINVAL);
	assert_int_equal(tfs_open_in(TFS_NO_ROOT, "/dev/zero", 100), -EINVAL);
	assert_int_equal(tfs_open_in(TFS_NO_ROOT, "/dev/tty", 100), -EINVAL);
}

/* stat(2) calls them regular files, and reading /proc/kmsg takes the kernel's messages away. */
static void the_kernels_own_files_are_not_opened(void **state)
{
	(void)state;
	assert_int_equal(tfs_open_in(TFS_NO_ROOT, "/proc/self/maps", TFS_NO_LIMIT), -EINVAL);
	assert_int_equal(tfs_open_in(TFS_NO_ROOT, "/proc/self/mem", TFS_NO_LIMIT), -EINVAL);
	if (!access("/proc/kmsg", F_OK))
		assert_int_equal(tfs_open_in(TFS_NO_ROOT, "/proc/kmsg", TFS_NO_LIMIT), -EINVAL);
	if (!access("/sys/kernel/notes", F_OK))
		assert_int_equal(tfs_open_in(TFS_NO_ROOT, "/sys/kernel/notes", TFS_NO_LIMIT),
				 -EINVAL);
}

/* A program that runs is one of the file's, not of /proc's. */
static void opens_the_program_of_a_process(void **state)
{
	struct stat here, there;
	int fd = tfs_open_in(TFS_NO_ROOT, "/proc/self/exe", TFS_NO_LIMIT);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &here), 0);
	assert_int_equal(stat("/proc/self/exe", &there), 0);
	assert_true(here.st_ino == there.st_ino && here.st_dev == there.st_dev);
	tfs_close(&fd);
}

static void sizes_are_limited(void **state)
{
	const struct world *w = *state;
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int fd;

	expect(w, "large", 100, -EFBIG, "");
	expect(w, "large", UINT64_C(29) << 30, -EFBIG, "");
	expect(w, "etc/name", 5, -EFBIG, "");
	expect(w, "etc/name", 6, 0, "inside");
	fd = tfs_open_in(w->root, "large", TFS_NO_LIMIT);
	assert_true(fd >= 0);
	/* as if it had grown since it was looked at */
	assert_int_equal(tfs_strbuf_adds(&sb, "before"), 0);
	assert_int_equal(tfs_read_fd_max(fd, 100000, &sb), -EFBIG);
	assert_string_equal(sb.s, "before");
	tfs_strbuf_release(&sb);
	tfs_close(&fd);
}

static void directories_are_opened_below_the_root_too(void **state)
{
	const struct world *w = *state;

	for (int old = 0; old < 2; old++) {
		int fd;

		is_old_kernel = old;
		fd = tfs_open_dir_in(w->root, "usr/etc/../slash");
		assert_true(fd >= 0);
		assert_int_equal(faccessat(fd, "name", F_OK, 0), 0);
		tfs_close(&fd);
		assert_int_equal(tfs_open_dir_in(w->root, "etc/name"), -ENOTDIR);
		assert_int_equal(tfs_open_dir_in(w->root, "fifo"), -ENOTDIR);
	}
	is_old_kernel = false;
}

/* A name that is given to something else meanwhile does not matter. */
static void opens_the_file_that_was_looked_up(void **state)
{
	const struct world *w = *state;
	int found = tfs_open_path_in(w->root, "etc/name"), fd;
	char text[7] = "";

	assert_true(found >= 0);
	assert_int_equal(rename("root/etc/name", "root/etc/other"), 0);
	assert_int_equal(symlink("/fifo", "root/etc/name"), 0);
	fd = tfs_open_found(found, 100);
	assert_true(fd >= 0);
	assert_int_equal(read(fd, text, 6), 6);
	assert_string_equal(text, "inside");
	assert_int_equal(rename("root/etc/other", "root/etc/name"), 0);
	tfs_close(&fd);
	tfs_close(&found);
}

static void deep_paths_and_long_names_end(void **state)
{
	const struct world *w = *state;
	char path[8000];

	memset(path, 'a', sizeof(path));
	path[300] = '\0';
	expect(w, path, 100, -ENAMETOOLONG, "");
	path[0] = '\0';
	for (int i = 0; i < 100; i++)
		strncat(path, "top/", sizeof(path) - strlen(path) - 1);
	expect(w, path, 100, -ELOOP, "");
}

static void roots_are_directories(void **state)
{
	int fd = 5;

	(void)state;
	assert_int_equal(tfs_open_root(NULL, &fd), 0);
	assert_int_equal(fd, TFS_NO_ROOT);
	assert_int_equal(tfs_open_root("", &fd), 0);
	assert_int_equal(fd, TFS_NO_ROOT);
	assert_int_equal(tfs_open_root("secret", &fd), -ENOTDIR);
	assert_int_equal(tfs_open_root("nowhere", &fd), -ENOENT);
	assert_int_equal(fd, TFS_NO_ROOT);
}

static void refusals_have_words(void **state)
{
	(void)state;
	assert_string_equal(tfs_open_refused(-EINVAL), "it is not a regular file");
	assert_string_equal(tfs_open_refused(-EISDIR), "it is a directory");
	assert_string_equal(tfs_open_refused(-EFBIG), "it is too large");
	assert_null(tfs_open_refused(-ENOENT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_are_below_the_root),
		cmocka_unit_test(links_do_not_lead_out),
		cmocka_unit_test(only_regular_files_are_opened),
		cmocka_unit_test(the_kernels_own_files_are_not_opened),
		cmocka_unit_test(opens_the_program_of_a_process),
		cmocka_unit_test(sizes_are_limited),
		cmocka_unit_test(directories_are_opened_below_the_root_too),
		cmocka_unit_test(opens_the_file_that_was_looked_up),
		cmocka_unit_test(deep_paths_and_long_names_end),
		cmocka_unit_test(roots_are_directories),
		cmocka_unit_test(refusals_have_words),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
