/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/out.h"
#include "base/strbuf-core.h"
#include "decode/trace.h"
#include "exchange/arrow-tables.h"
#include "exchange/arrow.h"
#include "lib/bytes.h"
#include "lib/dat_build.h"
#include "pipeline/run.h"
#include "pipeline/view.h"
#include "view/export.h"
#include "view/text.h"
#include "view/wide.h"

/*
 * Recordings of a few kilobytes whose lines would be of many megabytes: a line ends after a MiB and
 * says so, whatever makes it.
 */
#define MIB ((size_t)1 << 20)
#define ID 44
#define HEAD "name: long\nID: 44\n" DAT_COMMON_FIELDS
/* The rest of the line, before and after the event text, takes less than this. */
#define REST 200
/* A record's string, in every field again. */
#define FIELDS 400
#define STRING 3000

enum style { TEXT, RAW, JSON, CSV, WIDE };

static struct tfs_trace *open_format(const char *format, const void *record, size_t size,
				     unsigned int text)
{
	const struct tfs_trace_opts opts = { .text = text };
	const char *const formats[] = { format, NULL };
	struct dat_spec spec = { .cpus = 1, .page_size = 4096, .sched = formats };
	struct tfs_trace *trace = NULL;
	struct page_builder page;
	struct bytes pages;
	char path[64];
	int fd;

	bytes_init(&pages, false);
	page_begin(&page, &pages, 8, 4096, dat_sample_ts(0, 0, 0));
	page_long(&page, 0, record, size);
	page_end(&page, 0);
	fd = dat_file(&spec, &pages);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(tfs_trace_open(path, &opts, &trace, NULL), 0);
	close(fd);
	return trace;
}

static int make(struct tfs_trace *trace, enum style style, struct tfs_view **view)
{
	const struct tfs_text_opts text = { .raw = style == RAW };
	const struct tfs_export_opts rows = {
		.style = style == CSV ? TFS_EXPORT_CSV : TFS_EXPORT_JSON,
		.traces = &trace,
		.n_traces = 1,
	};

	static const char *const file = "a";
	const struct tfs_wide_opts wide = { .input = { &trace, &file, NULL, 1 } };

	if (style == WIDE)
		return tfs_wide_new(&wide, view, NULL);
	return style < JSON ? tfs_text_new(trace, &text, view) : tfs_export_new(&rows, view, NULL);
}

/* The last line of the report. */
static char *report(struct tfs_trace *trace, enum style style)
{
	const struct tfs_run_input input = { .trace = trace };
	const struct tfs_run_opts run = { .inputs = &input, .n = 1, .jobs = 1 };
	struct tfs_view *view = NULL;
	struct tfs_out *out = NULL;
	int fd = memfd_create("text", 0);
	off_t size;
	char *s, *line;

	assert_int_equal(tfs_out_new(fd, &out), 0);
	assert_int_equal(make(trace, style, &view), 0);
	assert_int_equal(tfs_run(view, out, &run, NULL), 0);
	tfs_view_free(view);
	tfs_out_free(out);
	size = lseek(fd, 0, SEEK_END);
	assert_true(size > 0);
	s = calloc(1, (size_t)size + 1);
	assert_non_null(s);
	assert_int_equal(pread(fd, s, (size_t)size, 0), size);
	close(fd);
	assert_int_equal(s[size - 1], '\n');
	s[size - 1] = '\0';
	line = strrchr(s, '\n');
	line = strdup(line ? line + 1 : s);
	assert_non_null(line);
	free(s);
	return line;
}

static void ends_with(const char *line, const char *end)
{
	size_t len = strlen(line), n = strlen(end);

	assert_true(len > n);
	assert_string_equal(line + len - n, end);
}

/* Columns of a number, as wide as can be: 3 MB from 20 KB of format. */
static void a_line_of_wide_columns_is_cut(void **state)
{
	static const unsigned char record[12] = { ID, 0, 0, 0, 1, 0, 0, 0, 7 };
	struct tfs_strbuf format = TFS_STRBUF_INIT;
	struct tfs_trace *trace;
	char *line, *body;
	int i;

	(void)state;
	tfs_strbuf_adds(&format, HEAD "\tfield:int v;\toffset:8;\tsize:4;\tsigned:1;\n\n"
				      "print fmt: \"");
	for (i = 0; i < 3000; i++)
		tfs_strbuf_adds(&format, "%999d");
	tfs_strbuf_adds(&format, "\"");
	for (i = 0; i < 3000; i++)
		tfs_strbuf_adds(&format, ", REC->v");
	tfs_strbuf_adds(&format, "\n");
	trace = open_format(format.s, record, sizeof(record), 0);
	line = report(trace, TEXT);
	ends_with(line, " [CUT AT 1 MiB]");
	body = strstr(line, "long:");
	assert_non_null(body);
	/* As printf() pads, and nothing is missing before the end. */
	body = strchr(body, '7');
	assert_non_null(body);
	for (i = 1; i < 1000; i++) {
		assert_int_equal(strspn(body + 1, " "), 998);
		body += 999;
		assert_int_equal(*body, '7');
	}
	assert_in_range(strlen(line), MIB, MIB + REST);
	free(line);
	tfs_trace_free(trace);
	tfs_strbuf_release(&format);
}

/* Every field is the same string, whose letters take more room as text: 1.2 MB and more of 3 KB. */
static struct tfs_trace *open_fields(bool print)
{
	static unsigned char record[8 + 4 * FIELDS / 2 + STRING];
	struct tfs_strbuf format = TFS_STRBUF_INIT;
	const unsigned int at = 8 + 4 * FIELDS / 2;
	struct tfs_trace *trace;
	int i;

	memset(record, 0, sizeof(record));
	record[0] = ID;
	memset(record + at, '"', STRING - 1);
	for (i = 0; i < FIELDS / 2; i++) {
		record[8 + 4 * i] = at & 0xff;
		record[9 + 4 * i] = at >> 8;
		record[10 + 4 * i] = STRING & 0xff;
		record[11 + 4 * i] = STRING >> 8;
	}
	tfs_strbuf_adds(&format, HEAD);
	/* Each twice, at the same place. */
	for (i = 0; i < FIELDS; i++)
		tfs_strbuf_addf(&format,
				"\tfield:__data_loc char[] f%d;\toffset:%d;\tsize:4;\tsigned:0;\n",
				i, 8 + 4 * (i / 2));
	tfs_strbuf_adds(&format, "\nprint fmt: \"");
	for (i = 0; i < FIELDS; i++)
		tfs_strbuf_adds(&format, print ? "%s" : "");
	tfs_strbuf_adds(&format, "\"");
	for (i = 0; i < FIELDS && print; i++)
		tfs_strbuf_addf(&format, ", __get_str(f%d)", i);
	tfs_strbuf_adds(&format, "\n");
	trace = open_format(format.s, record, sizeof(record), print ? 0 : TFS_TRACE_FIELDS);
	tfs_strbuf_release(&format);
	return trace;
}

static void a_line_of_long_strings_is_cut(void **state)
{
	struct tfs_trace *trace = open_fields(true);
	char *line = report(trace, TEXT);

	(void)state;
	ends_with(line, "\" [CUT AT 1 MiB]");
	assert_in_range(strlen(line), MIB, MIB + REST);
	free(line);
	tfs_trace_free(trace);
}

static void fields_that_make_a_row_too_long_are_left_out(void **state)
{
	static const struct {
		enum style style;
		const char *end;
	} rows[] = {
		{ RAW, "\" [CUT AT 1 MiB]" },
		{ JSON, "\\\"\"},\"cut\":true}" },
		{ CSV, "\" [CUT AT 1 MiB]\"" },
		{ WIDE, ",\"[CUT AT 1 MiB]\":true},\"lost\":null,\"buffer\":\"\"}" },
	};
	struct tfs_trace *trace = open_fields(false);
	size_t i;
	char *line;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		line = report(trace, rows[i].style);
		/* A cell has each quote twice, and a last field is complete. */
		assert_in_range(strlen(line), MIB, 4 * MIB);
		if (rows[i].style == CSV)
			assert_non_null(strstr(line, " [CUT AT 1 MiB]\""));
		else
			ends_with(line, rows[i].end);
		free(line);
	}
	tfs_trace_free(trace);
}

/* The last columns of the row are null. */
static void a_row_of_a_table_has_a_mebibyte(void **state)
{
	static const char *const file = "a";
	char dir[] = "/tmp/tc-long.XXXXXX", path[64];
	struct tfs_trace *trace = open_fields(false);
	const struct tfs_run_input input = { .trace = trace };
	const struct tfs_run_opts run = { .inputs = &input, .n = 1, .jobs = 1 };
	const struct tfs_arrow_opts opts = { .path = dir, .input = { &trace, &file, NULL, 1 } };
	struct tfs_view *view = NULL;
	struct tfs_out *out = NULL;
	struct stat st;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(tfs_out_new(-1, &out), 0);
	assert_int_equal(tfs_arrow_tables_new(&opts, &view, NULL), 0);
	assert_int_equal(tfs_run(view, out, &run, NULL), 0);
	tfs_view_free(view);
	tfs_out_free(out);
	snprintf(path, sizeof(path), "%s/sched.long.arrows", dir);
	assert_int_equal(stat(path, &st), 0);
	/* Each column has its name and place besides. */
	assert_in_range(st.st_size, MIB, MIB + FIELDS * REST);
	unlink(path);
	rmdir(dir);
	tfs_trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_of_wide_columns_is_cut),
		cmocka_unit_test(a_line_of_long_strings_is_cut),
		cmocka_unit_test(fields_that_make_a_row_too_long_are_left_out),
		cmocka_unit_test(a_row_of_a_table_has_a_mebibyte),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
