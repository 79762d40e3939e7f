/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
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
#include "base/out.h"
#include "base/strbuf-core.h"

struct fixture {
	char dir[64], path[128];
	struct tfs_out_file *file;
	struct tfs_strbuf text;
	struct tfs_err err;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	*state = f;
	tfs_strbuf_init(&f->text);
	snprintf(f->dir, sizeof(f->dir), "/tmp/test_out_file.XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	snprintf(f->path, sizeof(f->path), "%s/page.html", f->dir);
	return 0;
}

/* Names in the directory, but for . and .. */
static unsigned int entries(const char *dir)
{
	DIR *d = opendir(dir);
	unsigned int n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	char link[160];

	tfs_out_file_free(f->file);
	tfs_strbuf_release(&f->text);
	snprintf(link, sizeof(link), "%s/link", f->dir);
	unlink(link);
	unlink(f->path);
	rmdir(f->dir);
	free(f);
	return 0;
}

static void write_file(struct fixture *f, const char *path, const char *text)
{
	assert_int_equal(tfs_out_file_open(path, &f->file, &f->err), 0);
	assert_int_equal(tfs_out_puts(tfs_out_file_out(f->file), text), 0);
}

static const char *content(struct fixture *f)
{
	tfs_strbuf_reset(&f->text);
	assert_int_equal(tfs_read_path(f->path, &f->text), 0);
	return f->text.s;
}

static void end(struct fixture *f)
{
	tfs_out_file_free(f->file);
	f->file = NULL;
}

static void appears_when_it_is_complete(void **state)
{
	struct fixture *f = *state;
	mode_t mask = umask(027);
	struct stat st;

	write_file(f, f->path, "one");
	umask(mask);
	assert_int_equal(access(f->path, F_OK), -1);
	assert_int_equal(tfs_out_file_commit(f->file, &f->err), 0);
	end(f);
	assert_string_equal(content(f), "one");
	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_int_equal(entries(f->dir), 1);
}

static void leaves_the_old_file_until_then(void **state)
{
	struct fixture *f = *state;

	write_file(f, f->path, "old");
	assert_int_equal(tfs_out_file_commit(f->file, &f->err), 0);
	end(f);
	write_file(f, f->path, "new");
	assert_string_equal(content(f), "old");
	end(f);
	assert_string_equal(content(f), "old");
	assert_int_equal(entries(f->dir), 1);
	write_file(f, f->path, "new");
	assert_int_equal(tfs_out_file_commit(f->file, &f->err), 0);
	end(f);
	assert_string_equal(content(f), "new");
	assert_int_equal(entries(f->dir), 1);
}

static void writes_through_a_link(void **state)
{
	struct fixture *f = *state;
	struct stat st;
	char link[160];

	write_file(f, f->path, "a long text");
	assert_int_equal(tfs_out_file_commit(f->file, &f->err), 0);
	end(f);
	snprintf(link, sizeof(link), "%s/link", f->dir);
	assert_int_equal(symlink("page.html", link), 0);
	write_file(f, link, "short");
	assert_int_equal(tfs_out_file_commit(f->file, &f->err), 0);
	end(f);
	assert_string_equal(content(f), "short");
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
}

static void reports_what_cannot_be_written(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(tfs_out_file_open("/nonexistent/x", &f->file, &f->err), -ENOENT);
	assert_string_equal(f->err.msg, "cannot write '/nonexistent/x': No such file or directory");
	assert_true(tfs_out_file_open(f->dir, &f->file, &f->err) < 0);
	assert_int_equal(tfs_out_file_open("/dev/full", &f->file, &f->err), 0);
	tfs_out_puts(tfs_out_file_out(f->file), "text");
	assert_int_equal(tfs_out_file_commit(f->file, &f->err), -ENOSPC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(appears_when_it_is_complete, setup, teardown),
		cmocka_unit_test_setup_teardown(leaves_the_old_file_until_then, setup, teardown),
		cmocka_unit_test_setup_teardown(writes_through_a_link, setup, teardown),
		cmocka_unit_test_setup_teardown(reports_what_cannot_be_written, setup, teardown),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
