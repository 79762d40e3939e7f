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
#include "base/output-dir.h"
#include "lib/fake.h"
#include "lib/skip.h"
#include "record/output.h"

/* A user that is not root and owns nothing here. */
#define NOBODY 65534

struct fixture {
	char dir[64];
	char path[128];
	struct tfs_output o;
	struct tfs_err err;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	snprintf(f->dir, sizeof(f->dir), "/tmp/tfs-output-XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	snprintf(f->path, sizeof(f->path), "%s/t.dat", f->dir);
	f->o = TFS_OUTPUT_INIT;
	f->err = TFS_ERR_INIT;
	umask(022);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	tfs_output_release(&f->o);
	fake_empty_dir(f->dir);
	rmdir(f->dir);
	free(f);
	return 0;
}

static const char *in_dir(const struct fixture *f, const char *name)
{
	static char path[192];

	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	return path;
}

/* A file that was there before */
static ino_t plant(const char *path, const char *text, mode_t mode)
{
	struct stat st;
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	assert_int_equal(fstat(fd, &st), 0);
	close(fd);
	return st.st_ino;
}

static struct stat look(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st;
}

static void text_is(const char *path, const char *want)
{
	char got[64] = "";
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	assert_true(read(fd, got, sizeof(got) - 1) >= 0);
	close(fd);
	assert_string_equal(got, want);
}

static void begin(struct fixture *f, unsigned int mode)
{
	assert_int_equal(tfs_output_open(&f->o, f->path, mode, &f->err), 0);
	assert_int_equal(tfs_output_begin(&f->o, &f->err), 0);
	assert_int_equal(write(f->o.fd, "new", 3), 3);
}

static void a_new_file_is_its_owners_alone_whatever_the_umask_is(void **state)
{
	struct fixture *f = *state;
	struct stat st;
	int fd;

	umask(0);
	begin(f, 0);
	st = look(f->path);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(tfs_output_temp(&f->o, "", 3, &fd, &f->err), 0);
	close(fd);
	assert_int_equal(look(in_dir(f, "t.dat.cpu3")).st_mode & 07777, 0600);
	assert_int_equal(tfs_output_check(&f->o, &f->err), 0);
	tfs_output_unlink_temp(&f->o, "", 3);
	assert_int_equal(access(in_dir(f, "t.dat.cpu3"), F_OK), -1);
}

static void another_mode_can_be_chosen(void **state)
{
	struct fixture *f = *state;

	umask(077);
	begin(f, 0644);
	assert_int_equal(look(f->path).st_mode & 07777, 0644);
}

static void a_private_file_is_written_in_place(void **state)
{
	struct fixture *f = *state;
	const ino_t ino = plant(f->path, "old and longer", 0600);

	assert_int_equal(tfs_output_open(&f->o, f->path, 0, &f->err), 0);
	text_is(f->path, "old and longer");
	assert_int_equal(tfs_output_begin(&f->o, &f->err), 0);
	assert_int_equal(write(f->o.fd, "new", 3), 3);
	assert_int_equal(look(f->path).st_ino, ino);
	text_is(f->path, "new");
}

static void who_has_a_readable_file_open_does_not_see_the_next_recording(void **state)
{
	struct fixture *f = *state;
	char got[8] = "";
	int fd;

	plant(f->path, "old", 0644);
	fd = open(f->path, O_RDONLY);
	begin(f, 0);
	assert_int_equal(look(f->path).st_mode & 07777, 0600);
	text_is(f->path, "new");
	assert_int_equal(read(fd, got, sizeof(got) - 1), 3);
	assert_string_equal(got, "old");
	close(fd);
}

static void a_file_with_two_names_is_replaced(void **state)
{
	struct fixture *f = *state;

	plant(in_dir(f, "other"), "other", 0600);
	assert_int_equal(link(in_dir(f, "other"), f->path), 0);
	begin(f, 0);
	text_is(in_dir(f, "other"), "other");
	text_is(f->path, "new");
}

static void a_file_of_another_user_is_replaced(void **state)
{
	struct fixture *f = *state;
	struct stat st;

	if (geteuid())
		skip_because("not root");
	plant(f->path, "theirs", 0666);
	assert_int_equal(chown(f->path, NOBODY, NOBODY), 0);
	assert_int_equal(chmod(f->dir, 01777), 0);
	begin(f, 0);
	st = look(f->path);
	assert_int_equal(st.st_uid, 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(tfs_output_check(&f->o, &f->err), 0);
}

static void a_link_is_followed_where_nobody_else_could_put_one(void **state)
{
	struct fixture *f = *state;

	plant(in_dir(f, "target"), "old", 0600);
	assert_int_equal(symlink("target", f->path), 0);
	begin(f, 0);
	text_is(in_dir(f, "target"), "new");
	assert_true(S_ISLNK(look(f->path).st_mode));
	assert_int_equal(tfs_output_check(&f->o, &f->err), 0);
	tfs_output_release(&f->o);
	/* also one whose target is still to be made */
	assert_int_equal(unlink(in_dir(f, "target")), 0);
	begin(f, 0);
	text_is(in_dir(f, "target"), "new");
}

static void a_link_is_not_followed_where_others_may_write(void **state)
{
	struct fixture *f = *state;

	plant(in_dir(f, "target"), "precious", 0600);
	assert_int_equal(symlink("target", f->path), 0);
	assert_int_equal(chmod(f->dir, 01777), 0);
	assert_int_equal(tfs_output_open(&f->o, f->path, 0, &f->err), -ELOOP);
	assert_non_null(strstr(f->err.msg, "t.dat': there is a symbolic link"));
	text_is(in_dir(f, "target"), "precious");
}

static void nor_a_link_to_a_directory(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(mkdir(in_dir(f, "target"), 0700), 0);
	assert_int_equal(symlink("target", in_dir(f, "sub")), 0);
	snprintf(f->path, sizeof(f->path), "%s/sub/t.dat", f->dir);
	begin(f, 0);
	text_is(in_dir(f, "target/t.dat"), "new");
	tfs_output_release(&f->o);
	assert_int_equal(chmod(f->dir, 01777), 0);
	assert_int_equal(tfs_output_open(&f->o, f->path, 0, &f->err), -ELOOP);
}

static void notices_a_file_that_was_replaced_meanwhile(void **state)
{
	struct fixture *f = *state;

	plant(in_dir(f, "target"), "precious", 0600);
	begin(f, 0);
	assert_int_equal(unlink(f->path), 0);
	assert_int_equal(tfs_output_check(&f->o, &f->err), -ESTALE);
	assert_int_equal(symlink("target", f->path), 0);
	tfs_err_clear(&f->err);
	assert_int_equal(tfs_output_check(&f->o, &f->err), -ESTALE);
	assert_non_null(strstr(f->err.msg, "removed or replaced"));
	/* and is left alone */
	tfs_output_discard(&f->o);
	assert_int_equal(access(f->path, F_OK), 0);
	assert_int_equal(tfs_output_move(&f->o, in_dir(f, "next"), &f->err), -ESTALE);
}

static void a_planted_name_of_a_temporary_file_is_explained(void **state)
{
	struct fixture *f = *state;
	int fd = -1;

	begin(f, 0);
	plant(in_dir(f, "t.dat.cpu0"), "of a killed recorder", 0600);
	assert_int_equal(tfs_output_temp(&f->o, "", 0, &fd, &f->err), 0);
	close(fd);
	assert_int_equal(symlink("t.dat", in_dir(f, "t.dat.cpu1")), 0);
	assert_int_equal(tfs_output_temp(&f->o, "", 1, &fd, &f->err), -EEXIST);
	assert_non_null(strstr(f->err.msg, "t.dat.cpu1"));
	assert_non_null(strstr(f->err.hint, "remove it, or name another file"));
}

/* is_shared: what tfs_output_dir_open() says of a directory with this mode and owner */
static bool is_shared(const struct fixture *f, mode_t mode, uid_t uid, gid_t gid)
{
	bool shared;
	int fd;

	assert_int_equal(chown(f->dir, uid, gid), 0);
	assert_int_equal(chmod(f->dir, mode), 0);
	assert_int_equal(tfs_output_dir_open(f->path, &fd, &shared), 0);
	close(fd);
	return shared;
}

static void reports_directories_that_others_may_write_to(void **state)
{
	struct fixture *f = *state;
	const uid_t me = geteuid();

	assert_false(is_shared(f, 0700, me, getegid()));
	assert_false(is_shared(f, 0755, me, getegid()));
	assert_false(is_shared(f, 0775, me, getegid()));
	assert_true(is_shared(f, 0777, me, getegid()));
	assert_true(is_shared(f, 01777, me, getegid()));
	if (me)
		skip_because("not root");
	assert_true(is_shared(f, 0775, 0, NOBODY));
	assert_true(is_shared(f, 0700, NOBODY, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		T(a_new_file_is_its_owners_alone_whatever_the_umask_is),
		T(another_mode_can_be_chosen),
		T(a_private_file_is_written_in_place),
		T(who_has_a_readable_file_open_does_not_see_the_next_recording),
		T(a_file_with_two_names_is_replaced),
		T(a_file_of_another_user_is_replaced),
		T(a_link_is_followed_where_nobody_else_could_put_one),
		T(a_link_is_not_followed_where_others_may_write),
		T(nor_a_link_to_a_directory),
		T(notices_a_file_that_was_replaced_meanwhile),
		T(a_planted_name_of_a_temporary_file_is_explained),
		T(reports_directories_that_others_may_write_to),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
