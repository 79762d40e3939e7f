/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "base/macros.h"
#include "base/out.h"
#include "base/strbuf-core.h"
#include "lib/alloc_fail.h"

struct fixture {
	int fd;
	struct tfs_out *out;
	struct tfs_strbuf sb;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	tfs_strbuf_init(&f->sb);
	f->fd = memfd_create("out", MFD_CLOEXEC);
	*state = f;
	return f->fd < 0 ? -1 : tfs_out_new(f->fd, &f->out);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tfs_out_free(f->out);
	tfs_close(&f->fd);
	tfs_strbuf_release(&f->sb);
	free(f);
	return 0;
}

/* Everything that has reached the descriptor so far */
static const struct tfs_strbuf *written(struct fixture *f)
{
	char path[64];

	tfs_strbuf_reset(&f->sb);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", f->fd);
	assert_int_equal(tfs_read_path(path, &f->sb), 0);
	return &f->sb;
}

static void output_is_held_until_it_is_flushed(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(tfs_out_puts(f->out, "one\n"), 0);
	assert_int_equal(tfs_out_write(f->out, "two", 3), 0);
	assert_int_equal(tfs_out_printf(f->out, " %d", 3), 0);
	assert_int_equal(written(f)->len, 0);
	assert_int_equal(tfs_out_flush(f->out), 0);
	assert_string_equal(written(f)->s, "one\ntwo 3");
	assert_int_equal(tfs_out_flush(f->out), 0);
	assert_int_equal(written(f)->len, 9);
}

/* Pieces of many sizes, to meet the end of the buffer in every way: all must arrive in order. */
static void pieces_of_any_size_keep_their_order(void **state)
{
	static const size_t sizes[] = { 1, 100, 65535, 65536, 65537, 3, 200000, 40000, 40000, 7 };
	struct fixture *f = *state;
	struct tfs_strbuf want = TFS_STRBUF_INIT;
	const struct tfs_strbuf *got;
	char *piece = malloc(200001);
	size_t i;

	assert_non_null(piece);
	for (i = 0; i < 2 * ARRAY_SIZE(sizes); i++) {
		size_t size = sizes[i / 2];

		memset(piece, (int)('a' + i), size);
		piece[size] = '\0';
		assert_int_equal(tfs_strbuf_adds(&want, piece), 0);
		if (i & 1)
			assert_int_equal(tfs_out_printf(f->out, "%s", piece), 0);
		else
			assert_int_equal(tfs_out_write(f->out, piece, size), 0);
	}
	assert_int_equal(tfs_out_flush(f->out), 0);
	got = written(f);
	assert_int_equal(got->len, want.len);
	assert_memory_equal(got->s, want.s, want.len);
	tfs_strbuf_release(&want);
	free(piece);
}

static void the_first_error_stays(void **state)
{
	struct fixture *f = *state;
	char big[70000];
	int full;

	full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	assert_true(full >= 0);
	tfs_out_free(f->out);
	f->out = NULL;
	assert_int_equal(tfs_out_new(full, &f->out), 0);
	assert_int_equal(tfs_out_puts(f->out, "x"), 0);
	assert_int_equal(tfs_out_flush(f->out), -ENOSPC);
	tfs_close(&full);
	/* the descriptor is closed by now, and would say EBADF */
	assert_int_equal(tfs_out_puts(f->out, "x"), -ENOSPC);
	assert_int_equal(tfs_out_printf(f->out, "%d", 1), -ENOSPC);
	assert_int_equal(tfs_out_flush(f->out), -ENOSPC);

	memset(big, 'x', sizeof(big));
	tfs_out_free(f->out);
	f->out = NULL;
	assert_int_equal(tfs_out_new(-1, &f->out), 0);
	assert_int_equal(tfs_out_write(f->out, big, sizeof(big)), -EBADF);

	tfs_out_free(f->out);
	f->out = NULL;
	assert_int_equal(tfs_out_new(-1, &f->out), 0);
	assert_int_equal(tfs_out_puts(f->out, "x"), 0);
	assert_int_equal(tfs_out_write(f->out, big, sizeof(big)), -EBADF);
}

static void without_memory_it_says_so(void **state)
{
	struct fixture *f = *state;
	struct tfs_out *other = NULL;

	alloc_fail_at(0);
	assert_int_equal(tfs_out_new(1, &other), -ENOMEM);
	assert_true(alloc_fail_off());
	assert_null(other);

	/* text longer than the buffer is put together elsewhere */
	alloc_fail_at(0);
	assert_int_equal(tfs_out_printf(f->out, "%070000d", 1), -ENOMEM);
	assert_true(alloc_fail_off());
	assert_int_equal(tfs_out_flush(f->out), -ENOMEM);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(output_is_held_until_it_is_flushed),
		TEST(pieces_of_any_size_keep_their_order),
		TEST(the_first_error_stays),
		TEST(without_memory_it_says_so),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
