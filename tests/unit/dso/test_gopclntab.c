/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dso/gopclntab.h"
#include "dwarf/func.h"
#include "dwarf/line.h"
#include "lib/debuginfo.h"

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

/* Bytes of tables of values: differences, the lowest bit their sign, and how many bytes of code. */
static void put_bytes(struct made *m, size_t at, const char *bytes, size_t n)
{
	memcpy(m->data + at, bytes, n);
	if (m->size < at + n)
		m->size = at + n;
}

/*
 * The second function, 32 bytes at TEXT + 16: 8 of /m/a.go:30, 4 of /m/b.go:7 as copy 0, 12 of
 * /m/a.go:31, and the rest of /m/a.go:30. Values at 400, names of files at 460.
 */
static void put_values(struct made *m)
{
	put_bytes(m, 401, "\x04\x08\x02\x04\x01\x14\x00", 7);
	put_bytes(m, 410, "\x3e\x08\x2d\x04\x30\x0c\x01\x08\x00", 9);
	put_bytes(m, 420, "\x00\x08\x02\x04\x01\x14\x00", 7);
	put_text(m, 461, "/m/a.go");
	put_text(m, 470, "/m/b.go");
}

/* From the entry on: name, three, file, line, how many tables, the unit, all of four bytes. */
static void put_fields(struct made *m, size_t at, size_t values, bool has_unit, bool has_first)
{
	put(m, at + 16, 4, 401 - values);
	put(m, at + 20, 4, 410 - values);
	put(m, at + 24, 4, 3);
	if (has_unit)
		put(m, at + 28, 4, 1);
	at += has_unit ? 32 : 28;
	if (has_first)
		put(m, at, 4, 29);
	at += has_first ? 4 : 0;
	put(m, at + 4 + 8, 4, 420 - values);
}

static void put_header(struct made *m, uint32_t magic)
{
	put(m, 0, 4, magic);
	m->data[6] = 1;
	m->data[7] = (uint8_t)m->ptr;
}

/* Numbers of files of the units at 440, the second of which begins with the second number. */
static void put_lines(struct made *m, size_t header)
{
	put(m, header, m->ptr, 440);
	put(m, header + m->ptr, m->ptr, 460);
	put(m, header + 2 * m->ptr, m->ptr, 400);
	put_values(m);
	put(m, 440, 4, UINT32_MAX);
	put(m, 444, 4, UINT32_MAX);
	put(m, 448, 4, 1);
	put(m, 452, 4, 10);
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
	put_lines(m, 8 + 4 * m->ptr);
	put_fields(m, 288 + 4, 400, true, magic == 0xfffffff1);
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
	put_lines(m, 8 + 3 * m->ptr);
	put_fields(m, 320 + m->ptr, 400, true, false);
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
	put(m, 8 + 6 * m->ptr, 4, 480);
	/* their number is counted, too */
	put(m, 480, 4, 3);
	put(m, 480 + 4, 4, 461);
	put(m, 480 + 8, 4, 470);
	put_values(m);
	put_fields(m, 320 + m->ptr, 0, false, false);
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

static void has_lines(const struct made *m, int32_t copy)
{
	const struct tfs_go_row want[] = { { TEXT + 16, TEXT + 24, "/m/a.go", 30, -1 },
					   { TEXT + 24, TEXT + 28, "/m/b.go", 7, copy },
					   { TEXT + 28, TEXT + 40, "/m/a.go", 31, -1 },
					   { TEXT + 40, TEXT + 48, "/m/a.go", 30, -1 } };
	struct tfs_gopclntab t;
	struct tfs_go_rows rows;
	struct tfs_go_row row;

	assert_int_equal(tfs_gopclntab_open(m->data, m->size, m->big, &t), 0);
	assert_int_equal(tfs_gopclntab_first_line(&t, 1), t.form == 0xfffffff1 ? 29 : 0);
	assert_int_equal(tfs_gopclntab_rows(&t, 1, &rows), 0);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(tfs_gopclntab_next(&rows, &row), 1);
		assert_int_equal(row.from, want[i].from);
		assert_int_equal(row.to, want[i].to);
		assert_string_equal(row.file, want[i].file);
		assert_int_equal(row.line, want[i].line);
		assert_int_equal(row.copy, want[i].copy);
	}
	assert_int_equal(tfs_gopclntab_next(&rows, &row), 0);
	assert_int_equal(tfs_gopclntab_rows(&t, 2, &rows), -EBADMSG);
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
		/* the oldest form does not say which table has the inlined calls */
		for (unsigned int k = 0; k < 4; k++)
			has_lines(&m[k], k ? 0 : -1);
	}
}

/* Nothing outside the table is read, whatever it says: sanitizers and valgrind check that. */
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
			struct tfs_go_rows rows;
			struct tfs_go_row row;
			uint64_t last = 0;

			if (tfs_gopclntab_func(&t, i, &f))
				continue;
			assert_true(strlen(f.name) < size);
			if (tfs_gopclntab_rows(&t, i, &rows))
				continue;
			while (tfs_gopclntab_next(&rows, &row)) {
				assert_true(row.from >= f.entry && row.to <= f.end);
				assert_true(row.from >= last && row.from < row.to);
				assert_true(!row.file || strlen(row.file) < size);
				last = row.to;
			}
		}
	}
	free(copy);
}

static void damage_is_survived(void **state)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct made m = { .ptr = 8 };

	(void)state;
	for (unsigned int k = 0; k < 3; k++) {
		memset(m.data, 0, sizeof(m.data));
		m.size = 0;
		if (k == 0)
			make_1_2(&m);
		else if (k == 1)
			make_1_16(&m);
		else
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

/* Expected values: the comments beside the instructions in tests/fuzz/samples/go.S. */
static void lines_begin_where_control_comes_from_another_one(void **state)
{
	static const struct {
		unsigned int line;
		unsigned int at; /* from the beginning of main.add; 0xff: no code */
	} want[] = { { 10, 0 },  { 11, 10 },   { 12, 13 }, { 20, 29 },
		     { 21, 23 }, { 22, 0xff }, { 23, 34 } };
	const char *top = getenv("TC_SRCDIR");
	struct tfs_points points = TFS_POINTS_INIT;
	struct tfs_line_map map = { 0 };
	struct tfs_debuginfo *dbg;
	char path[4096];
	uint64_t base;

	(void)state;
	snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/elf/go-lines", top ? top : ".");
	dbg = open_debuginfo(path);
	assert_non_null(dbg);
	assert_int_equal(tfs_line_find(dbg, "main.go", 10, &points, NULL), 0);
	base = points.v[0].addr;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		tfs_points_release(&points);
		assert_int_equal(tfs_line_find(dbg, "src/main.go", want[i].line, &points, NULL),
				 want[i].at == 0xff ? -ENOENT : 0);
		if (want[i].at == 0xff)
			continue;
		assert_int_equal(points.n, 1);
		assert_int_equal(points.v[0].addr - base, want[i].at);
		assert_string_equal(points.v[0].func, want[i].line < 20 ? "main.add" : "main.loop");
	}
	tfs_points_release(&points);
	assert_int_equal(tfs_line_find(dbg, "pkg.go", 4, &points, NULL), 0);
	assert_int_equal(points.v[0].addr - base, 6);
	tfs_points_release(&points);
	assert_int_equal(tfs_line_find(dbg, "ain.go", 10, &points, NULL), -ENOENT);
	assert_int_equal(tfs_line_map_file(dbg, "main.go", 1, 0, &map, NULL), 0);
	assert_string_equal(map.file, "/src/main.go");
	assert_int_equal(map.n, 23);
	assert_true(map.has[19] && map.has[20] && !map.has[21] && map.has[22]);
	tfs_line_map_release(&map);
	close_debuginfo(dbg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_form_is_read),
		cmocka_unit_test(lines_begin_where_control_comes_from_another_one),
		cmocka_unit_test(damage_is_survived),
		cmocka_unit_test(a_count_is_not_believed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
