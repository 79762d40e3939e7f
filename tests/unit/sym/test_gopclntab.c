/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sym/gopclntab.h"

#define TEXT 0x401000u

/* A table that is written, as the linker of Go would, for each of its forms. */
struct made {
	uint8_t data[512];
	size_t size;
	bool big;
	unsigned int ptr;
};

static void put(struct made *m, size_t at, unsigned int width, uint64_t v)
{
	for (unsigned int i = 0; i < width; i++)
		m->data[at + (m->big ? width - 1 - i : i)] = (uint8_t)(v >> 8 * i);
	if (m->size < at + width)
		m->size = at + width;
}

static void put_text(struct made *m, size_t at, const char *text)
{
	memcpy(m->data + at, text, strlen(text) + 1);
	if (m->size < at + strlen(text) + 1)
		m->size = at + strlen(text) + 1;
}

static void put_header(struct made *m, uint32_t magic)
{
	put(m, 0, 4, magic);
	m->data[6] = 1;
	m->data[7] = (uint8_t)m->ptr;
}

/* Two functions, main.add of 16 bytes and pkg.(*T).Method of 32; names at 128, functions at 192. */
static void make_1_18(struct made *m, uint32_t magic)
{
	put_header(m, magic);
	put(m, 8, m->ptr, 2);
	put(m, 8 + 2 * m->ptr, m->ptr, TEXT);
	put(m, 8 + 3 * m->ptr, m->ptr, 128);
	put(m, 8 + 7 * m->ptr, m->ptr, 192);
	put_text(m, 129, "main.add");
	put_text(m, 140, "pkg.(*T).Method");
	put(m, 192, 4, 0);
	put(m, 196, 4, 64);
	put(m, 200, 4, 16);
	put(m, 204, 4, 96);
	put(m, 208, 4, 48);
	put(m, 256 + 4, 4, 1);
	put(m, 288 + 4, 4, 12);
}

static void make_1_16(struct made *m)
{
	put_header(m, 0xfffffffa);
	put(m, 8, m->ptr, 2);
	put(m, 8 + 2 * m->ptr, m->ptr, 128);
	put(m, 8 + 6 * m->ptr, m->ptr, 192);
	put_text(m, 129, "main.add");
	put_text(m, 140, "pkg.(*T).Method");
	put(m, 192, m->ptr, TEXT);
	put(m, 192 + m->ptr, m->ptr, 96);
	put(m, 192 + 2 * m->ptr, m->ptr, TEXT + 16);
	put(m, 192 + 3 * m->ptr, m->ptr, 128);
	put(m, 192 + 4 * m->ptr, m->ptr, TEXT + 48);
	put(m, 288 + m->ptr, 4, 1);
	put(m, 320 + m->ptr, 4, 12);
}

static void make_1_2(struct made *m)
{
	put_header(m, 0xfffffffb);
	put(m, 8, m->ptr, 2);
	put(m, 8 + m->ptr, m->ptr, TEXT);
	put(m, 8 + 2 * m->ptr, m->ptr, 288);
	put(m, 8 + 3 * m->ptr, m->ptr, TEXT + 16);
	put(m, 8 + 4 * m->ptr, m->ptr, 320);
	put(m, 8 + 5 * m->ptr, m->ptr, TEXT + 48);
	put_text(m, 129, "main.add");
	put_text(m, 140, "pkg.(*T).Method");
	put(m, 288 + m->ptr, 4, 129);
	put(m, 320 + m->ptr, 4, 140);
}

static void has_both(const struct made *m)
{
	struct tfs_gopclntab t;
	struct tfs_go_func f;

	assert_int_equal(tfs_gopclntab_open(m->data, m->size, m->big, &t), 0);
	assert_int_equal(t.n, 2);
	assert_int_equal(tfs_gopclntab_func(&t, 0, &f), 0);
	assert_string_equal(f.name, "main.add");
	assert_int_equal(f.entry, TEXT);
	assert_int_equal(f.end, TEXT + 16);
	assert_int_equal(tfs_gopclntab_func(&t, 1, &f), 0);
	assert_string_equal(f.name, "pkg.(*T).Method");
	assert_int_equal(f.entry, TEXT + 16);
	assert_int_equal(f.end, TEXT + 48);
	assert_int_equal(tfs_gopclntab_func(&t, 2, &f), -EBADMSG);
}

static void each_form_is_read(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		struct made m[4] = { 0 };

		for (unsigned int k = 0; k < 4; k++) {
			m[k].big = i & 1;
			m[k].ptr = i & 2 ? 8 : 4;
		}
		make_1_2(&m[0]);
		make_1_16(&m[1]);
		make_1_18(&m[2], 0xfffffff0);
		make_1_18(&m[3], 0xfffffff1);
		for (unsigned int k = 0; k < 4; k++)
			has_both(&m[k]);
	}
}

/* Whatever the table says, nothing outside of it is read: sanitizers and valgrind would tell. */
static void try_all(const uint8_t *data, size_t size, bool big)
{
	uint8_t *copy = malloc(size ? size : 1);
	struct tfs_gopclntab t;
	struct tfs_go_func f;

	assert_non_null(copy);
	memcpy(copy, data, size);
	if (!tfs_gopclntab_open(copy, size, big, &t)) {
		assert_true(t.n <= size);
		for (size_t i = 0; i < t.n; i++) {
			if (!tfs_gopclntab_func(&t, i, &f))
				assert_true(strlen(f.name) < size);
		}
	}
	free(copy);
}

static void damage_is_survived(void **state)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct made m = { .ptr = 8 };

	(void)state;
	make_1_18(&m, 0xfffffff1);
	for (size_t size = 0; size <= m.size; size++)
		try_all(m.data, size, false);
	for (size_t at = 0; at < m.size; at++) {
		uint8_t was = m.data[at];

		for (size_t i = 0; i < sizeof(values); i++) {
			m.data[at] = values[i];
			try_all(m.data, m.size, false);
			try_all(m.data, m.size, true);
		}
		m.data[at] = was;
	}
}

static void a_count_is_not_believed(void **state)
{
	struct made m = { .ptr = 8 };
	struct tfs_gopclntab t;

	(void)state;
	make_1_18(&m, 0xfffffff1);
	put(&m, 8, 8, UINT64_MAX);
	assert_int_equal(tfs_gopclntab_open(m.data, m.size, false, &t), -EBADMSG);
	put(&m, 8, 8, 1000);
	assert_int_equal(tfs_gopclntab_open(m.data, m.size, false, &t), -EBADMSG);
	put(&m, 0, 4, 0xfffffff2);
	assert_int_equal(tfs_gopclntab_open(m.data, m.size, false, &t), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_form_is_read),
		cmocka_unit_test(damage_is_survived),
		cmocka_unit_test(a_count_is_not_believed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
