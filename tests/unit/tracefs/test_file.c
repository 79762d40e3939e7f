/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wants: root */
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
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "lib/fake.h"
#include "lib/skip.h"
#include "tracefs/file.h"
#include "tracefs/root.h"

#define NOBODY 65534

/*
 * uprobe_events as the kernel gives it out: some lines at a time, from where the lines counted so
 * far end now
 * @changes: called after the first read(2) of each reading, if set
 * @readings: of all files, counted at their ends
 */
#define LINES_A_READ 4
static struct {
	char lines[64][16];
	size_t n, pos;
	void (*changes)(void);
	unsigned int readings;
} list;

static void delete_line(size_t i)
{
	memmove(list.lines[i], list.lines[i + 1], (--list.n - i) * sizeof(list.lines[0]));
}

static void add_line(const char *prefix, unsigned int i)
{
	snprintf(list.lines[list.n++], sizeof(list.lines[0]), "%s%u\n", prefix, i);
}

ssize_t __real_read(int fd, void *buf, size_t len);
ssize_t __wrap_read(int fd, void *buf, size_t len);

ssize_t __wrap_read(int fd, void *buf, size_t len)
{
	static const char name[] = "/uprobe_events";
	char link[64], path[1024];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	if (n < (ssize_t)strlen(name) || strcmp(path + n - strlen(name), name) != 0) {
		n = __real_read(fd, buf, len);
		list.readings += !n;
		return n;
	}
	n = 0;
	for (size_t i = 0; i < LINES_A_READ && list.pos < list.n; i++, list.pos++)
		n += snprintf((char *)buf + n, len - (size_t)n, "%s", list.lines[list.pos]);
	if (list.pos == LINES_A_READ && n && list.changes)
		list.changes();
	if (!n) {
		list.readings++;
		list.pos = 0;
	}
	return n;
}

static int setup(void **state)
{
	struct fake *f = calloc(1, sizeof(*f));

	fake_new(f, NULL);
	fake_put(f, "tracing_on", "1\n");
	fake_put(f, "set_event", "old\n");
	memset(&list, 0, sizeof(list));
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	fake_free(*state);
	free(*state);
	return 0;
}

static void assert_contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

static void read_appends_the_whole_file(void **state)
{
	struct fake *f = *state;
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	assert_int_equal(tfs_strbuf_adds(&sb, "before "), 0);
	assert_int_equal(tfs_file_read(f->root, "tracing_on", &sb, NULL), 0);
	assert_string_equal(sb.s, "before 1\n");
	tfs_strbuf_reset(&sb);
	/* absolute paths are what they are; /proc files have no size */
	assert_int_equal(tfs_file_read(f->root, "/proc/self/comm", &sb, NULL), 0);
	assert_int_not_equal(sb.len, 0);
	tfs_strbuf_release(&sb);
}

static void delete_the_first_once(void)
{
	list.changes = NULL;
	delete_line(0);
}

static void a_list_that_changes_while_it_is_read_is_read_again(void **state)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT, want = TFS_STRBUF_INIT;
	struct fake *f = *state;

	fake_put(f, "uprobe_events", "");
	for (unsigned int i = 0; i < 10; i++) {
		add_line("p:", i);
		if (i)
			tfs_strbuf_adds(&want, list.lines[i]);
	}
	list.changes = delete_the_first_once;
	assert_int_equal(tfs_strbuf_adds(&sb, "before "), 0);
	assert_int_equal(tfs_file_read(f->root, "uprobe_events", &sb, NULL), 0);
	assert_memory_equal(sb.s, "before ", 7);
	assert_string_equal(sb.s + 7, want.s);
	assert_int_equal(list.readings, 3);
	tfs_strbuf_release(&sb);
	tfs_strbuf_release(&want);
}

/* A probe of each reading is deleted, as long as there are any, and another one added. */
static void go_on_changing(void)
{
	if (list.lines[0][0] == 'd')
		delete_line(0);
	add_line("new", list.readings);
}

static void no_line_of_a_list_that_never_rests_is_missing(void **state)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct fake *f = *state;
	char line[32];

	fake_put(f, "uprobe_events", "");
	for (unsigned int i = 0; i < 3; i++)
		add_line("deleted", i);
	for (unsigned int i = 0; i < 9; i++)
		add_line("stays", i);
	list.changes = go_on_changing;
	assert_int_equal(tfs_file_read(f->root, "uprobe_events", &sb, NULL), 0);
	for (unsigned int i = 0; i < 9; i++) {
		const char *found;

		snprintf(line, sizeof(line), "stays%u\n", i);
		found = strstr(sb.s, line);
		assert_non_null(found);
		assert_null(strstr(found + 1, line));
	}
	assert_int_equal(list.readings, 8);
	tfs_strbuf_release(&sb);
}

static void other_files_are_read_once(void **state)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct fake *f = *state;

	assert_int_equal(tfs_file_read(f->root, "set_event", &sb, NULL), 0);
	assert_int_equal(list.readings, 1);
	tfs_strbuf_release(&sb);
}

static void truncating_and_appending_differ(void **state)
{
	struct fake *f = *state;

	assert_int_equal(tfs_file_write(f->root, "set_event", TFS_WRITE_APPEND, "new", 3, NULL), 0);
	assert_string_equal(fake_get(f, "set_event"), "old\nnew");
	assert_int_equal(tfs_file_write(f->root, "set_event", TFS_WRITE_TRUNC, "x", 1, NULL), 0);
	assert_string_equal(fake_get(f, "set_event"), "x");
	assert_int_equal(tfs_file_write(f->root, "set_event", TFS_WRITE_APPEND, "", 0, NULL), 0);
	assert_string_equal(fake_get(f, "set_event"), "x");
	assert_int_equal(tfs_file_write(f->root, "set_event", TFS_WRITE_TRUNC, "", 0, NULL), 0);
	assert_string_equal(fake_get(f, "set_event"), "");
}

static void lines_go_through_one_open(void **state)
{
	struct fake *f = *state;

	assert_int_equal(
		tfs_file_write_lines(f->root, "set_event", TFS_WRITE_TRUNC, "a\nb\nc", NULL), 0);
	assert_string_equal(fake_get(f, "set_event"), "a\nb\nc");
	assert_int_equal(tfs_file_write_lines(f->root, "nosuch", TFS_WRITE_TRUNC, "a", NULL),
			 -ENOENT);
}

static void no_control_file_is_ever_created(void **state)
{
	struct fake *f = *state;
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	char want[256];

	assert_int_equal(tfs_file_write(f->root, "nosuch", TFS_WRITE_TRUNC, "text\n", 5, &err),
			 -ENOENT);
	snprintf(want, sizeof(want),
		 "cannot write 'text' to '%s/nosuch': No such file or directory", f->dir);
	assert_string_equal(err.msg, want);
	assert_false(fake_has(f, "nosuch"));
	assert_false(tfs_file_exists(f->root, "nosuch"));
	assert_true(tfs_file_exists(f->root, "tracing_on"));
	assert_int_equal(tfs_file_read(f->root, "nosuch", &sb, &err), -ENOENT);
	assert_contains(err.msg, "cannot open '");
	assert_int_equal(tfs_file_read(f->root, ".", &sb, &err), -EISDIR);
	assert_contains(err.msg, "cannot read '");
	tfs_strbuf_release(&sb);
}

static void a_long_text_is_cut_in_the_message(void **state)
{
	struct fake *f = *state;
	struct tfs_err err = TFS_ERR_INIT;
	char text[300];

	memset(text, 'x', sizeof(text));
	assert_int_equal(tfs_file_write(f->root, "nosuch", TFS_WRITE_TRUNC, text, sizeof(text),
					&err),
			 -ENOENT);
	assert_contains(err.msg, "xxx...' to '");
	assert_contains(err.msg, "nosuch': No such file");
}

/* /dev/full takes no byte, with an errno. */
static void a_refused_write_names_the_value_and_the_file(void **state)
{
	struct fake *f = *state;
	struct tfs_err err = TFS_ERR_INIT;

	assert_int_equal(tfs_file_write(f->root, "/dev/full", TFS_WRITE_TRUNC, "1", 1, &err),
			 -ENOSPC);
	assert_string_equal(err.msg, "cannot write '1' to '/dev/full': No space left on device");
	assert_int_equal(tfs_file_write_lines(f->root, "/dev/full", TFS_WRITE_TRUNC, "1\n2", &err),
			 -ENOSPC);
}

static void directories_are_made_and_removed(void **state)
{
	struct fake *f = *state;
	struct tfs_err err = TFS_ERR_INIT;

	assert_int_equal(tfs_file_mkdir(f->root, "dir", &err), 0);
	assert_int_equal(tfs_file_mkdir(f->root, "dir", &err), -EEXIST);
	assert_contains(err.msg, "cannot make directory '");
	assert_int_equal(tfs_file_rmdir(f->root, "dir", &err), 0);
	assert_int_equal(tfs_file_rmdir(f->root, "dir", &err), -ENOENT);
	assert_contains(err.msg, "cannot remove directory '");
}

static void an_open_file_is_not_inherited(void **state)
{
	struct fake *f = *state;
	int fd = -1;

	assert_int_equal(tfs_file_open(f->root, "tracing_on", O_RDONLY, &fd, NULL), 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	close(fd);
}

static void a_path_of_any_length_is_an_error_and_no_crash(void **state)
{
	struct fake *f = *state;
	struct tfs_err err = TFS_ERR_INIT;
	char *path = malloc(10000);
	int fd;

	memset(path, 'a', 9999);
	path[9999] = '\0';
	assert_int_equal(tfs_file_open(f->root, path, O_RDONLY, &fd, &err), -ENAMETOOLONG);
	free(path);
}

/* What @check says as another user, in a child: 0 is success. */
static int as_nobody(struct fake *f, int (*check)(struct fake *f))
{
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		if (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY))
			_exit(99);
		_exit(check(f));
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int refused_with_a_hint(struct fake *f)
{
	struct tfs_err err = TFS_ERR_INIT;

	if (tfs_file_write(f->root, "tracing_on", TFS_WRITE_TRUNC, "0", 1, &err) != -EACCES)
		return 1;
	if (!strstr(err.msg, "/tracing_on': Permission denied"))
		return 2;
	return strstr(err.hint, "run it as root") ? 0 : 3;
}

static int root_refused_with_a_hint(struct fake *f)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_root *root = NULL;
	char want[128];

	if (tfs_root_open(f->dir, &root, &err) != -EACCES)
		return 1;
	snprintf(want, sizeof(want), "cannot use tracefs at '%s'", f->dir);
	if (root || !strstr(err.msg, want))
		return 2;
	return strstr(err.hint, "run it as root") ? 0 : 3;
}

static int root_refused_names_the_group(struct fake *f)
{
	struct tfs_err err = TFS_ERR_INIT;

	if (tfs_file_write(f->root, "tracing_on", TFS_WRITE_TRUNC, "0", 1, &err) != -EACCES)
		return 1;
	return strstr(err.hint, "become a member of the group '") ? 0 : 3;
}

static void an_error_tells_another_user_what_would_help(void **state)
{
	struct fake *f = *state;

	if (geteuid())
		skip_because("not root");
	assert_int_equal(chmod(f->dir, 0755), 0);
	assert_int_equal(chmod(fake_path(f, "tracing_on"), 0640), 0);
	assert_int_equal(as_nobody(f, refused_with_a_hint), 0);
	/* as tracefs is mounted: nobody but root gets in */
	assert_int_equal(chmod(f->dir, 0700), 0);
	assert_int_equal(as_nobody(f, root_refused_with_a_hint), 0);
	/* mounted for a group */
	assert_int_equal(chown(f->dir, 0, 1), 0);
	assert_int_equal(chmod(f->dir, 0755), 0);
	assert_int_equal(as_nobody(f, root_refused_names_the_group), 0);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

static void a_directory_is_listed_by_kind_and_sorted(void **state)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	struct fake *f = *state;
	struct tfs_err err = TFS_ERR_INIT;

	fake_put(f, "instances/b/tracing_on", "1\n");
	fake_put(f, "instances/a/tracing_on", "1\n");
	fake_put(f, "instances/file", "1\n");
	assert_int_equal(tfs_file_list(f->root, "instances", TFS_LIST_DIRS, &names, NULL), 0);
	assert_int_equal(names.n, 2);
	assert_string_equal(names.v[0], "a");
	assert_string_equal(names.v[1], "b");
	tfs_strvec_release(&names);
	assert_int_equal(tfs_file_list(f->root, "instances", TFS_LIST_FILES, &names, NULL), 0);
	assert_int_equal(names.n, 1);
	assert_string_equal(names.v[0], "file");
	tfs_strvec_release(&names);
	assert_int_equal(tfs_file_list(f->root, "nothing", TFS_LIST_DIRS, &names, &err), -ENOENT);
	assert_contains(err.msg, "/nothing'");
	assert_int_equal(tfs_file_list(f->root, "tracing_on", TFS_LIST_DIRS, &names, NULL),
			 -ENOTDIR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(read_appends_the_whole_file),
		T(a_list_that_changes_while_it_is_read_is_read_again),
		T(no_line_of_a_list_that_never_rests_is_missing),
		T(other_files_are_read_once),
		T(truncating_and_appending_differ),
		T(lines_go_through_one_open),
		T(no_control_file_is_ever_created),
		T(a_long_text_is_cut_in_the_message),
		T(a_refused_write_names_the_value_and_the_file),
		T(directories_are_made_and_removed),
		T(a_directory_is_listed_by_kind_and_sorted),
		T(an_open_file_is_not_inherited),
		T(a_path_of_any_length_is_an_error_and_no_crash),
		T(an_error_tells_another_user_what_would_help),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
