/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>
#include <zlib.h>

#include "base/io.h"
#include "base/out.h"
#include "base/strbuf-core.h"
#include "chart/page.h"
#include "lib/alloc_fail.h"

#define N_LARGE (TFS_PAGE_BLOCK / 8 + 3)

static const struct tfs_page_source source = {
	.part = { "<title>", "</title><script>", "</script>\n", "end\n" },
	.len = { 7, 16, 10, 4 },
};

struct fixture {
	int fd;
	struct tfs_out *out;
	struct tfs_page *page;
	struct tfs_strbuf text, column;
	unsigned char *raw;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	*state = f;
	tfs_strbuf_init(&f->text);
	tfs_strbuf_init(&f->column);
	f->raw = malloc(TFS_PAGE_BLOCK + 1);
	f->fd = memfd_create("page", MFD_CLOEXEC);
	return f->fd < 0 || !f->raw ? -1 : tfs_out_new(f->fd, &f->out);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	alloc_fail_off();
	tfs_page_free(f->page);
	tfs_out_free(f->out);
	tfs_close(&f->fd);
	tfs_strbuf_release(&f->text);
	tfs_strbuf_release(&f->column);
	free(f->raw);
	free(f);
	return 0;
}

static const char *written(struct fixture *f)
{
	char path[64];

	assert_int_equal(tfs_page_end(f->page), 0);
	assert_int_equal(tfs_out_flush(f->out), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", f->fd);
	assert_int_equal(tfs_read_path(path, &f->text), 0);
	return f->text.s;
}

static unsigned int digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (unsigned int)(c - 'A');
	if (c >= 'a' && c <= 'z')
		return (unsigned int)(c - 'a') + 26;
	if (c >= '0' && c <= '9')
		return (unsigned int)(c - '0') + 52;
	return c == '+' ? 62 : 63;
}

/* Base64 up to the next tag, expanded by zlib. Return: bytes. */
static size_t block(struct fixture *f, const char *s)
{
	unsigned char *packed = malloc(strcspn(s, "<") + 3);
	z_stream z = { 0 };
	size_t n = 0;

	assert_non_null(packed);
	for (; *s != '<'; s += 4) {
		uint32_t v = digit(s[0]) << 18 | digit(s[1]) << 12 | digit(s[2]) << 6 | digit(s[3]);

		packed[n++] = (unsigned char)(v >> 16);
		if (s[2] != '=')
			packed[n++] = (unsigned char)(v >> 8);
		if (s[3] != '=')
			packed[n++] = (unsigned char)v;
	}
	inflateInit2(&z, 15 + 16);
	z.next_in = packed;
	z.avail_in = (uInt)n;
	z.next_out = f->raw;
	z.avail_out = TFS_PAGE_BLOCK + 1;
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	inflateEnd(&z);
	free(packed);
	return TFS_PAGE_BLOCK + 1 - z.avail_out;
}

/* All blocks of a column, put together again */
static const unsigned char *column(struct fixture *f, const char *text, const char *name)
{
	unsigned int width = 0, i = 0;
	size_t n, size, at, b;
	char head[64];
	const char *s;

	tfs_strbuf_reset(&f->column);
	for (;; i++) {
		snprintf(head, sizeof(head), "id=\"col-%s.%u\" data-n=\"", name, i);
		s = strstr(text, head);
		if (!s)
			break;
		assert_int_equal(sscanf(s + strlen(head), "%zu\" data-w=\"%u", &n, &width), 2);
		size = block(f, strchr(s, '>') + 1);
		assert_int_equal(size, n * width);
		for (at = 0; at < n; at++)
			for (b = 0; b < width; b++)
				tfs_strbuf_addc(&f->column, (char)f->raw[b * n + at]);
	}
	assert_true(i > 0);
	return (const unsigned char *)f->column.s;
}

static void columns_can_be_read_back(void **state)
{
	struct fixture *f = *state;
	const uint32_t numbers[] = { 1, 0x01020304, UINT32_MAX };
	const char *text;

	assert_int_equal(tfs_page_begin(f->out, &source, "t", "{}", &f->page), 0);
	assert_int_equal(tfs_page_column(f->page, "a", 4, numbers, 3), 0);
	assert_int_equal(tfs_page_column(f->page, "b", 1, "text", 4), 0);
	assert_int_equal(tfs_page_column(f->page, "none", 8, NULL, 0), 0);
	text = written(f);
	assert_memory_equal(column(f, text, "a"), numbers, sizeof(numbers));
	assert_memory_equal(column(f, text, "b"), "text", 4);
	column(f, text, "none");
	assert_int_equal(f->column.len, 0);
	assert_string_equal(text + strlen(text) - 4, "end\n");
}

static void large_columns_have_several_blocks_that_alternate(void **state)
{
	struct fixture *f = *state;
	uint64_t *v = malloc(N_LARGE * sizeof(*v));
	struct tfs_column *x = NULL, *y = NULL;
	const char *text;
	size_t i;

	assert_non_null(v);
	for (i = 0; i < N_LARGE; i++)
		v[i] = i * i;
	assert_int_equal(tfs_page_begin(f->out, &source, "t", "{}", &f->page), 0);
	assert_int_equal(tfs_column_open(f->page, "x", 8, &x), 0);
	assert_int_equal(tfs_column_open(f->page, "y", 1, &y), 0);
	assert_int_equal(tfs_column_add(x, v, 5), 0);
	assert_int_equal(tfs_column_add(y, "abc", 3), 0);
	assert_int_equal(tfs_column_add(x, v + 5, N_LARGE - 5), 0);
	assert_int_equal(tfs_column_close(y), 0);
	assert_int_equal(tfs_column_close(x), 0);
	assert_int_equal(tfs_column_close(NULL), 0);
	text = written(f);
	assert_non_null(strstr(text, "id=\"col-x.1\" data-n=\"3\" data-w=\"8\""));
	assert_memory_equal(column(f, text, "x"), v, N_LARGE * sizeof(*v));
	assert_memory_equal(column(f, text, "y"), "abc", 3);
	free(v);
}

static void hostile_texts_do_not_end_an_element(void **state)
{
	struct fixture *f = *state;
	const char *text;

	assert_int_equal(tfs_page_begin(f->out, &source, "a</title><b>&", "\"</script><!--&\"",
					&f->page),
			 0);
	assert_int_equal(tfs_page_column(f->page, "c", 1, "</script>", 9), 0);
	text = written(f);
	assert_ptr_equal(strstr(text, "<title>a&lt;/title>&lt;b>&amp;</title>"), text);
	assert_non_null(strstr(text, ">\"\\u003c/script>\\u003c!--\\u0026\"</script>\n"));
	assert_memory_equal(column(f, text, "c"), "</script>", 9);
}

static void reports_missing_memory(void **state)
{
	struct fixture *f = *state;
	size_t i;

	for (i = 0;; i++) {
		int rc;

		alloc_fail_at(i);
		rc = tfs_page_begin(f->out, &source, "t", "{}", &f->page);
		if (!rc)
			rc = tfs_page_column(f->page, "c", 1, "abc", 3);
		if (!alloc_fail_off())
			break;
		assert_int_equal(rc, -ENOMEM);
		tfs_page_free(f->page);
		f->page = NULL;
	}
	assert_true(i > 2);
}

static void the_timeline_is_embedded(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < 4; i++)
		assert_int_equal(strlen(tfs_page_timeline.part[i]), tfs_page_timeline.len[i]);
	assert_non_null(strstr(tfs_page_timeline.part[0], "default-src 'none'"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(columns_can_be_read_back, setup, teardown),
		cmocka_unit_test_setup_teardown(large_columns_have_several_blocks_that_alternate,
						setup, teardown),
		cmocka_unit_test_setup_teardown(hostile_texts_do_not_end_an_element, setup,
						teardown),
		cmocka_unit_test_setup_teardown(reports_missing_memory, setup, teardown),
		cmocka_unit_test(the_timeline_is_embedded),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
