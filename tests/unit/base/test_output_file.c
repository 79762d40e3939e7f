/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wants: root */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/io.h"
#include "base/out-file.h"
#include "base/output-file.h"
#include "base/strbuf-core.h"
#include "lib/fake.h"
#include "lib/skip.h"

/* A user that is not root and owns nothing here. */
#define NOBODY 65534
#define SHARED 01777

struct fixture {
	char dir[64], path[96], target[96];
	int fd;
	struct tfs_out_file *file;
	struct tfs_err err;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	f->fd = -1;
	f->err = TFS_ERR_INIT;
	snprintf(f->dir, sizeof(f->dir), "/tmp/tfs-output-file-XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	snprintf(f->path, sizeof(f->path), "%s/out", f->dir);
	snprintf(f->target, sizeof(f->target), "%s/target", f->dir);
	umask(022);
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	tfs_close(&f->fd);
	tfs_out_file_free(f->file);
	fake_empty_dir(f->dir);
	rmdir(f->dir);
	free(f);
	return 0;
}

static void plant(const char *path, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "precious", 8), 8);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void text_is(const char *path, const char *want)
{
	struct tfs_strbuf got = TFS_STRBUF_INIT;

	assert_int_equal(tfs_read_path(path, &got), 0);
	assert_string_equal(got.s, want);
	tfs_strbuf_release(&got);
}

static struct stat look(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st;
}

static int open_it(struct fixture *f, int flags)
{
	int rc = tfs_output_file_open(f->path, flags, 0666, &f->fd, &f->err);

	if (!rc)
		assert_int_equal(write(f->fd, "new", 3), 3);
	tfs_close(&f->fd);
	return rc;
}

static void writes_anew_or_at_the_end(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(open_it(f, O_APPEND), 0);
	assert_int_equal(look(f->path).st_mode & 07777, 0644);
	assert_int_equal(open_it(f, O_APPEND), 0);
	text_is(f->path, "newnew");
	assert_int_equal(chmod(f->dir, SHARED), 0);
	assert_int_equal(open_it(f, O_APPEND), 0);
	text_is(f->path, "newnewnew");
	assert_int_equal(open_it(f, O_TRUNC), 0);
	text_is(f->path, "new");
}

static void follows_a_link_where_nobody_else_could_have_put_it(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(symlink("target", f->path), 0);
	assert_int_equal(open_it(f, O_TRUNC), 0);
	text_is(f->target, "new");
	assert_int_equal(open_it(f, O_APPEND), 0);
	text_is(f->target, "newnew");
}

static void follows_no_link_where_others_may_write(void **state)
{
	struct fixture *f = *state;

	plant(f->target, 0600);
	assert_int_equal(symlink("target", f->path), 0);
	assert_int_equal(chmod(f->dir, SHARED), 0);
	assert_int_equal(open_it(f, O_TRUNC), -ELOOP);
	assert_non_null(strstr(f->err.msg, "/out': there is a symbolic link"));
	assert_int_equal(open_it(f, O_APPEND), -ELOOP);
	assert_int_equal(tfs_out_file_open(f->path, &f->file, &f->err), -ELOOP);
	text_is(f->target, "precious");
}

static void nor_one_to_a_directory(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(mkdir(f->target, 0700), 0);
	assert_int_equal(symlink("target", f->path), 0);
	snprintf(f->path, sizeof(f->path), "%s/out/out", f->dir);
	assert_int_equal(chmod(f->dir, SHARED), 0);
	assert_int_equal(open_it(f, O_TRUNC), -ELOOP);
	assert_int_equal(tfs_out_file_open(f->path, &f->file, &f->err), -ELOOP);
}

static void a_second_name_is_replaced_and_not_appended_to(void **state)
{
	struct fixture *f = *state;

	plant(f->target, 0600);
	assert_int_equal(link(f->target, f->path), 0);
	assert_int_equal(chmod(f->dir, SHARED), 0);
	assert_int_equal(open_it(f, O_APPEND), -EPERM);
	assert_int_equal(open_it(f, O_TRUNC), 0);
	text_is(f->target, "precious");
	text_is(f->path, "new");
}

static void so_is_a_file_of_another_user(void **state)
{
	struct fixture *f = *state;

	if (geteuid())
		skip_because("only root makes a file of another user");
	plant(f->path, 0666);
	assert_int_equal(chown(f->path, NOBODY, NOBODY), 0);
	assert_int_equal(chmod(f->dir, SHARED), 0);
	assert_int_equal(open_it(f, O_APPEND), -EPERM);
	text_is(f->path, "precious");
	assert_int_equal(open_it(f, O_TRUNC), 0);
	assert_int_equal(look(f->path).st_uid, geteuid());
	assert_int_equal(look(f->path).st_mode & 07777, 0644);
}

static void a_pipe_of_another_user_is_not_waited_for(void **state)
{
	struct fixture *f = *state;

	if (geteuid())
		skip_because("only root makes a pipe of another user");
	assert_int_equal(mkfifo(f->path, 0666), 0);
	assert_int_equal(chown(f->path, NOBODY, NOBODY), 0);
	assert_int_equal(chmod(f->dir, SHARED), 0);
	assert_int_equal(open_it(f, O_TRUNC), -EPERM);
	assert_int_equal(tfs_out_file_open(f->path, &f->file, &f->err), -EPERM);
}

static void a_link_of_ones_own_does_not_lead_to_a_file_of_another_user(void **state)
{
	struct fixture *f = *state;

	if (geteuid())
		skip_because("only root makes a file of another user");
	plant(f->target, 0666);
	assert_int_equal(chown(f->target, NOBODY, NOBODY), 0);
	assert_int_equal(symlink("target", f->path), 0);
	assert_int_equal(open_it(f, O_TRUNC), -EPERM);
	assert_non_null(strstr(f->err.msg, "a symbolic link to a file of another user"));
	assert_int_equal(tfs_out_file_open(f->path, &f->file, &f->err), -EPERM);
	text_is(f->target, "precious");
}

static void devices_are_written_to(void **state)
{
	struct fixture *f = *state;

	snprintf(f->path, sizeof(f->path), "/dev/null");
	assert_int_equal(open_it(f, O_TRUNC), 0);
	assert_int_equal(tfs_out_file_open("/dev/null", &f->file, &f->err), 0);
	assert_false(tfs_out_file_is_new(f->file));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(writes_anew_or_at_the_end),
		TEST(follows_a_link_where_nobody_else_could_have_put_it),
		TEST(follows_no_link_where_others_may_write),
		TEST(nor_one_to_a_directory),
		TEST(a_second_name_is_replaced_and_not_appended_to),
		TEST(so_is_a_file_of_another_user),
		TEST(a_pipe_of_another_user_is_not_waited_for),
		TEST(a_link_of_ones_own_does_not_lead_to_a_file_of_another_user),
		TEST(devices_are_written_to),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
