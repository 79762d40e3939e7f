/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <event-parse.h>

#include "base/io.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "format/event-format.h"
#include "lib/fake.h"

/* From Linux 6.1 and 6.18, and in between what a damaged file may hold */
static const char format[] =
	"name: x\nID: 5\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_tgid;\toffset:8;\tsize:4;\n"
	"\n"
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:const struct cpumask * mask;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:u32 both[2][3];\toffset:40;\tsize:24;\tsigned:0;\n"
	"\tfield:long last\n"
	"\tfield:];\toffset:1;\tsize:1;\n"
	"\tfield:;\n"
	"\tfield:;\toffset:1;\tsize:1;\n"
	"\tfield:int x;\toffset:-1;\tsize:1;\n"
	"\tfield:int x;\toffset:1;\tsize:12345678901;\n"
	"\tfield:int x;\tsize:1;\toffset:1;\n"
	"\tfield:int x;\toffset:1;\tsize:1;rest\n"
	"something\n"
	"\tfield:int more;\toffset:64;\tsize:4;\tsigned:1;\tlater:1;\n"
	"print fmt: \"\n"
	"\tfield:int no;\toffset:1;\tsize:1;\n\"\n";

static void is_next(const char **text, const char *end, const char *want)
{
	struct tfs_format_field f;
	char got[256];

	assert_true(tfs_format_next(text, end, &f));
	snprintf(got, sizeof(got), "%.*s|%.*s|%.*s %u+%u %d %d", (int)f.type_len, f.type,
		 (int)f.name_len, f.name, (int)f.array_len, f.array, f.offset, f.size, f.is_signed,
		 f.common);
	assert_string_equal(got, want);
}

static void splits_fields_into_type_name_and_array(void **state)
{
	const char *text = format, *end = format + sizeof(format) - 1;
	struct tfs_format_field f;

	(void)state;
	is_next(&text, end, "unsigned short|common_type| 0+2 0 1");
	is_next(&text, end, "int|common_tgid| 8+4 0 1");
	is_next(&text, end, "char|prev_comm|[16] 8+16 0 0");
	is_next(&text, end, "__data_loc char[]|name| 24+4 1 0");
	is_next(&text, end, "const struct cpumask *|mask| 32+8 0 0");
	is_next(&text, end, "u32|both|[2][3] 40+24 0 0");
	is_next(&text, end, "int|more| 64+4 1 0");
	assert_false(tfs_format_next(&text, end, &f));
	assert_false(tfs_format_next(&text, end, &f));
	assert_memory_equal(text, "print fmt:", 10);
}

static void reports_lines_that_kernels_do_not_write(void **state)
{
	const char *text = format, *end = format + sizeof(format) - 1, *before;
	unsigned int fields = 0, bad = 0, extra = 0;
	struct tfs_format_field f;

	(void)state;
	do {
		int rc;

		before = text;
		rc = tfs_format_line(&text, end, &f);
		fields += rc == 1;
		extra += rc == 1 && f.extra;
		bad += rc == -EBADMSG;
	} while (text > before);
	assert_int_equal(fields, 7);
	assert_int_equal(extra, 1);
	/* 3 before the first field, 9 in between */
	assert_int_equal(bad, 12);
}

static void finds_fields_by_name(void **state)
{
	struct tfs_format_field f;

	(void)state;
	assert_true(tfs_format_find(format, sizeof(format) - 1, "both", 4, &f));
	assert_int_equal(f.offset, 40);
	assert_memory_equal(f.line, "\tfield:u32 both[2][3];", 22);
	assert_true(tfs_format_is(&f, "both"));
	assert_false(tfs_format_is(&f, "bot"));
	assert_false(tfs_format_find(format, sizeof(format) - 1, "bot", 3, &f));
	assert_false(tfs_format_find(format, sizeof(format) - 1, "no", 2, &f));
}

static int parse(const char *text, struct tfs_event_format *f)
{
	return tfs_event_format_parse(text, strlen(text), f);
}

static void header_gives_name_and_id(void **state)
{
	static const char *const bad[] = {
		"",
		"name: ",
		"name: a",
		"name: a\n",
		"name: \nID: 1\n",
		"name: a\nID: \n",
		"name: a\nID: x\n",
		"name: a\nID: -1\n",
		"name: a\nID: 65536\n",
		"name: a\nID: 18446744073709551617\n",
		"name: a\nID: 1",
		"ID: 1\nname: a\n",
	};
	struct tfs_event_format f;

	(void)state;
	assert_int_equal(parse("name: a_b\nID: 17\nformat:\n", &f), 0);
	assert_int_equal(f.id, 17);
	assert_int_equal(f.name_len, 3);
	assert_memory_equal(f.name, "a_b", 3);
	assert_string_equal(f.fields, "");
	assert_int_equal(parse("name: a\nID: 65535\nfields:\n", &f), 0);
	assert_int_equal(f.id, TFS_EVENT_ID_MAX);
	assert_null(f.fields);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(parse(bad[i], &f), -EBADMSG);
	assert_int_equal(tfs_event_format_parse("name: a\0b\nID: 1\n", 16, &f), -EBADMSG);
}

static void print_format_follows_its_label(void **state)
{
	static const char text[] = "name: x\nID: 1\nformat:\n\nprint fmt: \"a\", REC->a\n";
	size_t len = 0;

	(void)state;
	assert_string_equal(tfs_event_format_print(text, sizeof(text) - 1, &len),
			    " \"a\", REC->a\n");
	assert_int_equal(len, 13);
	assert_null(tfs_event_format_print(text, 20, &len));
}

static void conversions_that_print_functions_are_found(void **state)
{
	static const char *const yes[] = {
		"\"%ps\"",      "\"%-20pS\"", "\"%pF\"",     "\"%p\" \"S\"",
		"\"%\" \"ps\"", "\"%*pB\"",   "\"%d%%%pf\"", "\"%s\", __get_stacktrace(x)",
	};
	static const char *const no[] = { "\"%p\"", "\"%pI4\"", "\"%d ps\"", "\"%", "\"%p", "" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(yes); i++)
		if (!tfs_format_prints_code(yes[i], strlen(yes[i])))
			fail_msg("not found in %s", yes[i]);
	for (size_t i = 0; i < ARRAY_SIZE(no); i++)
		if (tfs_format_prints_code(no[i], strlen(no[i])))
			fail_msg("found in %s", no[i]);
	/* nothing beyond the given length */
	assert_false(tfs_format_prints_code("\"%ps\"", 3));
}

/* Our fields of one list, in libtraceevent's order: common fields are apart there. */
static unsigned int same_fields(const char *text, const char *end, bool common,
				const struct tep_format_field *theirs)
{
	struct tfs_format_field f;
	unsigned int n = 0;

	while (tfs_format_next(&text, end, &f)) {
		if (f.common != common)
			continue;
		assert_non_null(theirs);
		assert_int_equal(f.name_len, strlen(theirs->name));
		assert_memory_equal(f.name, theirs->name, f.name_len);
		assert_int_equal(f.offset, theirs->offset);
		assert_int_equal(f.size, theirs->size);
		assert_int_equal(f.is_signed, !!(theirs->flags & TEP_FIELD_IS_SIGNED));
		assert_false(f.extra);
		if (f.array_len)
			assert_true(theirs->flags & TEP_FIELD_IS_ARRAY);
		theirs = theirs->next;
		n++;
	}
	assert_null(theirs);
	return n;
}

static unsigned int same_format(struct tep_handle *tep, const struct tfs_strbuf *text)
{
	const char *end = text->s + text->len;
	struct tfs_event_format f;
	const struct tep_event *event;

	assert_int_equal(tfs_event_format_parse(text->s, text->len, &f), 0);
	tep_parse_event(tep, text->s, text->len, "x");
	event = tep_find_event(tep, f.id);
	assert_non_null(event);
	assert_int_equal(f.name_len, strlen(event->name));
	assert_memory_equal(f.name, event->name, f.name_len);
	assert_non_null(f.fields);
	return same_fields(f.fields, end, true, event->format.common_fields) +
	       same_fields(f.fields, end, false, event->format.fields);
}

/* Every format of three kernels: libtraceevent's parser finds the same. */
static void formats_of_kernels_are_read_as_libtraceevent_reads_them(void **state)
{
	static const char *const captures[] = { "x86_64-6.1", "x86_64-6.12", "x86_64-6.18" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(captures); i++) {
		struct tep_handle *tep = tep_alloc();
		unsigned int fields = 0;
		struct fake fake;
		glob_t files;

		fake_new(&fake, captures[i]);
		assert_int_equal(glob(fake_path(&fake, "events/*/*/format"), 0, NULL, &files), 0);
		for (size_t k = 0; k < files.gl_pathc; k++) {
			struct tfs_strbuf text = TFS_STRBUF_INIT;

			assert_int_equal(tfs_read_path(files.gl_pathv[k], &text), 0);
			fields += same_format(tep, &text);
			tfs_strbuf_release(&text);
		}
		print_message("# %s: %zu formats, %u fields\n", captures[i], files.gl_pathc,
			      fields);
		assert_true(fields > 4 * files.gl_pathc);
		globfree(&files);
		fake_free(&fake);
		tep_free(tep);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(splits_fields_into_type_name_and_array),
		cmocka_unit_test(reports_lines_that_kernels_do_not_write),
		cmocka_unit_test(finds_fields_by_name),
		cmocka_unit_test(header_gives_name_and_id),
		cmocka_unit_test(print_format_follows_its_label),
		cmocka_unit_test(conversions_that_print_functions_are_found),
		cmocka_unit_test(formats_of_kernels_are_read_as_libtraceevent_reads_them),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
