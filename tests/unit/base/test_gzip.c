/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "base/gzip.h"
#include "base/strbuf-core.h"
#include "lib/alloc_fail.h"

#define SIZE 300000

struct fixture {
	struct tfs_gzipper *z;
	struct tfs_strbuf out;
	unsigned char src[SIZE], back[SIZE + 1];
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	unsigned int x = 1, i;

	if (!f)
		return -1;
	*state = f;
	tfs_strbuf_init(&f->out);
	/* half of it repeats, half does not */
	for (i = 0; i < SIZE; i++) {
		x = x * 1103515245 + 12345;
		f->src[i] = (unsigned char)(i & 4096 ? x >> 16 : i / 7);
	}
	f->z = tfs_gzipper_new(TFS_GZIP_LEVEL);
	return f->z ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	alloc_fail_off();
	tfs_gzipper_free(f->z);
	tfs_strbuf_release(&f->out);
	free(f);
	return 0;
}

/* zlib expands it; bits: 15 + 16 takes gzip only, 15 zlib's streams only. Return: bytes, or -1. */
static long expand(struct fixture *f, size_t at, int bits)
{
	z_stream s = { 0 };
	long n = -1;

	assert_int_equal(inflateInit2(&s, bits), Z_OK);
	s.next_in = (Bytef *)f->out.s + at;
	s.avail_in = (uInt)(f->out.len - at);
	s.next_out = f->back;
	s.avail_out = sizeof(f->back);
	if (inflate(&s, Z_FINISH) == Z_STREAM_END && !s.avail_in)
		n = (long)(sizeof(f->back) - s.avail_out);
	inflateEnd(&s);
	return n;
}

static void zlib_expands_gzip(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(tfs_gzip(f->z, f->src, SIZE, &f->out), 0);
	assert_true(f->out.len < SIZE * 3 / 4);
	assert_int_equal(expand(f, 0, 15 + 16), SIZE);
	assert_memory_equal(f->back, f->src, SIZE);
	/* no date: the same input gives the same bytes */
	assert_memory_equal(f->out.s + 4, "\0\0\0\0", 4);
}

static void zlib_expands_zlib(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(tfs_zlib(f->z, f->src, 1000, &f->out), 0);
	assert_int_equal(expand(f, 0, 15), 1000);
	assert_memory_equal(f->back, f->src, 1000);
}

static void appends_and_compresses_nothing(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(tfs_strbuf_adds(&f->out, "head"), 0);
	assert_int_equal(tfs_gzip(f->z, f->src, 0, &f->out), 0);
	assert_memory_equal(f->out.s, "head", 4);
	assert_int_equal(expand(f, 4, 15 + 16), 0);
}

static void reports_missing_memory(void **state)
{
	struct fixture *f = *state;

	alloc_fail_at(0);
	assert_int_equal(tfs_gzip(f->z, f->src, SIZE, &f->out), -ENOMEM);
	assert_true(alloc_fail_off());
	assert_int_equal(f->out.len, 0);
	assert_int_equal(tfs_gzip(f->z, f->src, (size_t)1 << 30, &f->out), -EFBIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(zlib_expands_gzip, setup, teardown),
		cmocka_unit_test_setup_teardown(zlib_expands_zlib, setup, teardown),
		cmocka_unit_test_setup_teardown(appends_and_compresses_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(reports_missing_memory, setup, teardown),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
