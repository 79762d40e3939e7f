/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/macros.h"
#include "base/out.h"
#include "base/strbuf-core.h"
#include "decode/trace.h"
#include "exchange/arrow-ipc.h"
#include "exchange/arrow-tables.h"
#include "exchange/arrow.h"
#include "exchange/flatbuf.h"
#include "lib/alloc_fail.h"
#include "lib/needs.h"
#include "lib/skip.h"
#include "pipeline/run.h"
#include "pipeline/view.h"

/* Messages begin with a mark and the size of their metadata. */
#define PREFIX 8
/* Ids of format/Message.fbs */
enum { HEADER_SCHEMA = 1, HEADER_DICTIONARY = 2, HEADER_RECORDS = 3 };

static void assert_bytes(const struct tfs_strbuf *sb, size_t at, const void *bytes, size_t size)
{
	assert_true(at + size <= sb->len);
	assert_memory_equal(sb->s + at, bytes, size);
}

/* As in "FlatBuffers Internals": fields of 2, 4 (which has its default) and 1 byte */
static void tables_are_those_of_the_format(void **state)
{
	static const struct tfs_flatbuf_slot slots[] = { { 2, 50 }, { 0, 0 }, { 1, 3 } };
	static const unsigned char bytes[] = {
		20, 0, 0, 0,       /* where the root is */
		0,  0, 0, 0, 0, 0, /* so that what follows the table's first word is aligned */
		10, 0, 7, 0,       /* sizes of the vtable and of the table */
		4,  0, 0, 0, 6, 0, /* where the fields are; 0: default */
		10, 0, 0, 0,       /* back to the vtable */
		50, 0, 3, 0, 0, 0, 0, 0, /* the fields, padding */
	};
	struct tfs_strbuf out = TFS_STRBUF_INIT;
	struct tfs_flatbuf fb;

	(void)state;
	tfs_flatbuf_begin(&fb, &out);
	assert_int_equal(tfs_flatbuf_table(&fb, slots, ARRAY_SIZE(slots)), 20);
	assert_int_equal(tfs_flatbuf_end(&fb), sizeof(bytes));
	assert_int_equal(fb.rc, 0);
	assert_int_equal(out.len, sizeof(bytes));
	assert_bytes(&out, 0, bytes, sizeof(bytes));
	tfs_strbuf_release(&out);
}

static void references_point_to_strings_and_structs(void **state)
{
	static const struct tfs_flatbuf_slot slots[] = { TFS_FLATBUF_REF, TFS_FLATBUF_REF };
	static const int64_t pair[] = { 1, -2 };
	struct tfs_strbuf out = TFS_STRBUF_INIT;
	struct tfs_flatbuf fb;
	size_t table, string, pairs;
	uint32_t to;

	(void)state;
	/* Positions count from the message's beginning. */
	assert_int_equal(tfs_strbuf_add(&out, "12345678", 8), 0);
	tfs_flatbuf_begin(&fb, &out);
	table = tfs_flatbuf_table(&fb, slots, ARRAY_SIZE(slots));
	string = tfs_flatbuf_string(&fb, "abc", 3);
	tfs_flatbuf_link(&fb, table, 0, string);
	pairs = tfs_flatbuf_pairs(&fb, pair, 1);
	tfs_flatbuf_link(&fb, table, 1, pairs);
	tfs_flatbuf_end(&fb);
	assert_int_equal(fb.rc, 0);
	assert_bytes(&out, 8 + string, "\3\0\0\0abc", 8);
	assert_int_equal((pairs + 4) % 8, 0);
	assert_bytes(&out, 8 + pairs, "\1\0\0\0\1\0\0\0\0\0\0\0\xfe\xff\xff\xff\xff\xff\xff\xff",
		     20);
	memcpy(&to, out.s + 8 + table + 4, sizeof(to));
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		assert_int_equal(table + 4 + to, string);
	tfs_strbuf_release(&out);
}

static uint32_t u32_at(const struct tfs_strbuf *sb, size_t at)
{
	const unsigned char *p = (const unsigned char *)sb->s + at;

	assert_true(at + 4 <= sb->len);
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Where field @id of the root of the message at @at is */
static size_t root_field(const struct tfs_strbuf *sb, size_t at, unsigned int id)
{
	size_t root = at + PREFIX + u32_at(sb, at + PREFIX), vtable = root - u32_at(sb, root);

	assert_true(4 + 2 * id < (u32_at(sb, vtable) & 0xffff));
	return root + (u32_at(sb, vtable + 4 + 2 * id) & 0xffff);
}

/* Kind of the message at *@at, which is moved to its body, whose size is set; 0: the end mark */
static unsigned int next_message(const struct tfs_strbuf *sb, size_t *at, size_t *size)
{
	uint32_t metadata = u32_at(sb, *at + 4);
	unsigned int type;

	assert_int_equal(u32_at(sb, *at), UINT32_MAX);
	assert_int_equal((*at + metadata) % 8, 0);
	if (!metadata)
		return 0;
	type = (unsigned char)sb->s[root_field(sb, *at, 1)];
	*size = u32_at(sb, root_field(sb, *at, 3));
	*at += PREFIX + metadata;
	return type;
}

static void assert_message(const struct tfs_strbuf *sb, size_t *at, unsigned int type,
			   const void *body, size_t size)
{
	size_t has = 0;

	assert_int_equal(next_message(sb, at, &has), type);
	if (!body) {
		*at += has;
		return;
	}
	assert_int_equal(has, size);
	assert_bytes(sb, *at, body, size);
	*at += size;
}

static const struct tfs_arrow_field fields[] = {
	{ .name = "n", .len = 1, .kind = TFS_ARROW_INT, .bytes = 2 },
	{ .name = "name", .len = 4, .kind = TFS_ARROW_NAME },
	{ .name = "list", .len = 4, .kind = TFS_ARROW_UINT, .bytes = 1, .list = true },
};

static void add_row(struct tfs_arrow *a, int n, const char *name, const char *list)
{
	uint32_t hint = 77;

	assert_int_equal(n ? tfs_arrow_number(a, 0, (uint64_t)n) : tfs_arrow_null(a, 0), 0);
	assert_int_equal(tfs_arrow_name(a, 1, name, strlen(name), &hint), 0);
	for (; *list; list++)
		assert_int_equal(tfs_arrow_element(a, 2, (unsigned char)*list), 0);
	assert_int_equal(tfs_arrow_end_list(a, 2), 0);
	tfs_arrow_end_row(a);
}

/* Bodies as the format has them: validity, offsets, data, each padded to 8 bytes */
static void batches_have_new_names_only(void **state)
{
	static const char first_names[] = "\0\0\0\0\1\0\0\0\3\0\0\0\0\0\0\0"
					  "abb\0\0\0\0";
	static const char first_rows[] = "\5\0\0\0\0\0\0\0"     /* rows 0 and 2 have a number */
					 "\xff\xff\0\0\7\0\0\0" /* -1, null, 7 */
					 "\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0" /* a, bb, a */
					 "\0\0\0\0\2\0\0\0\2\0\0\0\3\0\0\0" /* xy, -, z */
					 "xyz\0\0\0\0";
	static const char second_names[] = "\0\0\0\0\2\0\0\0cc\0\0\0\0\0";
	static const char second_rows[] = "\1\0\0\0\0\0\0\0"
					  "\2\0\0\0\0\0\0\0"
					  "\0\0\0\0\0\0\0";
	struct tfs_strbuf out = TFS_STRBUF_INIT;
	struct tfs_arrow_writer *w;
	struct tfs_arrow *a;
	size_t at = 0, end;

	(void)state;
	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		skip_because("the expected bytes are little-endian");
	assert_int_equal(tfs_arrow_new(fields, ARRAY_SIZE(fields), &a), 0);
	assert_int_equal(tfs_arrow_writer_new(0, &w), 0);
	assert_int_equal(tfs_arrow_schema(a, &out), 0);
	add_row(a, -1, "a", "xy");
	add_row(a, 0, "bb", "");
	add_row(a, 7, "a", "z");
	assert_int_equal(tfs_arrow_rows(a), 3);
	assert_int_equal(tfs_arrow_batch(a, w, &out), 0);
	add_row(a, 1, "cc", "");
	assert_int_equal(tfs_arrow_batch(a, w, &out), 0);
	/* Nothing to write: no message */
	end = out.len;
	assert_int_equal(tfs_arrow_batch(a, w, &out), 0);
	assert_int_equal(out.len, end);
	assert_int_equal(tfs_arrow_end(&out), 0);

	assert_message(&out, &at, HEADER_SCHEMA, "", 0);
	assert_message(&out, &at, HEADER_DICTIONARY, first_names, sizeof(first_names));
	assert_message(&out, &at, HEADER_RECORDS, first_rows, sizeof(first_rows));
	assert_message(&out, &at, HEADER_DICTIONARY, second_names, sizeof(second_names));
	assert_message(&out, &at, HEADER_RECORDS, second_rows, sizeof(second_rows));
	assert_int_equal(next_message(&out, &at, &end), 0);
	assert_int_equal(at + PREFIX, out.len);
	tfs_arrow_free(a);
	tfs_arrow_writer_free(w);
	tfs_strbuf_release(&out);
}

/* A dictionary that is too large is begun again: the next batch has all that it uses */
static void large_dictionaries_are_replaced(void **state)
{
	static const struct tfs_arrow_field field = { .name = "s",
						      .len = 1,
						      .kind = TFS_ARROW_NAME };
	struct tfs_strbuf out = TFS_STRBUF_INIT;
	size_t at = 0, size = 0;
	struct tfs_arrow_writer *w;
	struct tfs_arrow *a;
	uint32_t hint = 0;

	(void)state;
	assert_int_equal(tfs_arrow_new(&field, 1, &a), 0);
	assert_int_equal(tfs_arrow_writer_new(0, &w), 0);
	assert_int_equal(tfs_arrow_schema(a, &out), 0);
	for (uint32_t i = 0; i < (1 << 20) + 2; i++) {
		assert_int_equal(tfs_arrow_name(a, 0, &i, sizeof(i), &hint), 0);
		assert_int_equal(hint, i);
		tfs_arrow_end_row(a);
	}
	assert_int_equal(tfs_arrow_batch(a, w, &out), 0);
	size = out.len;
	/* The old index is a guess that is wrong now. */
	assert_int_equal(tfs_arrow_name(a, 0, "last", 4, &hint), 0);
	assert_int_equal(hint, 0);
	tfs_arrow_end_row(a);
	assert_int_equal(tfs_arrow_batch(a, w, &out), 0);
	at = size;
	assert_message(&out, &at, HEADER_DICTIONARY, "\0\0\0\0\4\0\0\0last\0\0\0", 16);
	assert_message(&out, &at, HEADER_RECORDS, NULL, 0);
	assert_int_equal(at, out.len);
	tfs_arrow_free(a);
	tfs_arrow_writer_free(w);
	tfs_strbuf_release(&out);
}

/* Show a recording in tables; -errno, or 0 and @dir has them. */
static int show_tables(const char *recording, const char *dir)
{
	static const char *const file = "a";
	const struct tfs_trace_opts trace_opts = { .no_plugins = true };
	struct tfs_run_input input = { NULL };
	const struct tfs_run_opts run = { .inputs = &input, .n = 1, .jobs = 1 };
	struct tfs_arrow_opts opts = { .path = dir,
				       .flags = TFS_ARROW_ZSTD,
				       .input = { .files = &file, .n = 1 } };
	struct tfs_view *view = NULL;
	struct tfs_trace *trace = NULL;
	struct tfs_out *out = NULL;
	int rc = tfs_trace_open(recording, &trace_opts, &trace, NULL);

	input.trace = trace;
	opts.input.traces = &trace;
	if (!rc)
		rc = tfs_out_new(-1, &out);
	if (!rc)
		rc = tfs_arrow_tables_new(&opts, &view, NULL);
	if (!rc)
		rc = tfs_run(view, out, &run, NULL);
	tfs_view_free(view);
	tfs_out_free(out);
	tfs_trace_free(trace);
	return rc;
}

/* Removes the files of a directory, and it. Return: how many there were */
static size_t remove_dir(const char *path)
{
	const struct dirent *entry;
	DIR *dir = opendir(path);
	size_t n = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		n += !unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
	assert_int_equal(rmdir(path), 0);
	return n;
}

static void tables_without_memory_leave_nothing_behind(void **state)
{
	char base[] = "/tmp/tc-arrow.XXXXXX", dir[64], recording[512];
	size_t n, files, failures = 0;
	int rc;

	(void)state;
	if (!getenv("TC_SRCDIR"))
		skip_because("TC_SRCDIR is not set");
	if (!has_zstd())
		skip_because("zstd is not built in");
	snprintf(recording, sizeof(recording), "%s/tests/data/sched.dat", getenv("TC_SRCDIR"));
	assert_non_null(mkdtemp(base));
	snprintf(dir, sizeof(dir), "%s/tables", base);
	assert_int_equal(show_tables(recording, dir), 0);
	files = remove_dir(dir);
	assert_true(files > 5);
	for (n = 0;; n += 1 + n / 16) {
		alloc_fail_at(n);
		rc = show_tables(recording, dir);
		if (!alloc_fail_off())
			break;
		failures++;
		if (rc)
			assert_int_equal(access(dir, F_OK), -1);
		else
			/* libtraceevent's own failures make an event unknown. */
			assert_true(remove_dir(dir) > 0);
	}
	assert_int_equal(rc, 0);
	assert_int_equal(remove_dir(dir), files);
	assert_true(failures > 50);
	/* No directory of another name is left in it. */
	assert_int_equal(rmdir(base), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_those_of_the_format),
		cmocka_unit_test(references_point_to_strings_and_structs),
		cmocka_unit_test(batches_have_new_names_only),
		cmocka_unit_test(large_dictionaries_are_replaced),
		cmocka_unit_test(tables_without_memory_leave_nothing_behind),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
