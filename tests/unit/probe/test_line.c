/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/macros.h"
#include "probe/line.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"

static void distinguishes_the_kernels_lines_from_requests(void **state)
{
	static const char *const lines[] = { "p:g/e /bin/x:0x10", "r:g/e f+0", "r8:g-x/e f",
					     "p:g/e /bin/x:0x10 a=%di", " p:g/e x" };
	static const char *const requests[] = { "f",           "p:f",     "p:g=f",       "p:g=a/b",
						"g:e=f a=b/c", "r8",      "main.go:3 a", "p",
						"f a/b",       "q:g/e f", "p:e f" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		assert_true(tfs_probe_is_line(lines[i]));
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++)
		assert_false(tfs_probe_is_line(requests[i]));
}

/* As the kernel 6.18 lists what was written to its files. */
static void a_line_is_taken_apart(void **state)
{
	static const struct {
		const char *text;
		struct {
			bool ret;
			unsigned int maxactive;
			const char *group, *event, *path, *location;
			uint64_t offset, counter;
			const char *args;
		} want;
	} rows[] = {
		{ "p:probe_x/main /usr/bin/x:0x0000000000001139 v=%di:s32 w=+8(%si):string",
		  { .group = "probe_x",
		    .event = "main",
		    .path = "/usr/bin/x",
		    .offset = 0x1139,
		    .args = "v=%di:s32 w=+8(%si):string" } },
		{ "r:g/e /a:b:0x10(0x68326e) rv=$retval",
		  { .ret = true,
		    .group = "g",
		    .event = "e",
		    .path = "/a:b",
		    .offset = 0x10,
		    .counter = 0x68326e,
		    .args = "rv=$retval" } },
		{ "p:g/e /a:16%return",
		  { .ret = true,
		    .group = "g",
		    .event = "e",
		    .path = "/a",
		    .offset = 16,
		    .args = "" } },
		{ "r64:kprobes/e vfs_read+0 $retval",
		  { .ret = true,
		    .maxactive = 64,
		    .group = "kprobes",
		    .event = "e",
		    .location = "vfs_read+0",
		    .args = "$retval" } },
		{ "p:g/e xfs:f+8",
		  { .group = "g", .event = "e", .location = "xfs:f+8", .args = "" } },
	};
	struct tfs_probe_line l;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(tfs_probe_line_parse(rows[i].text, &l, NULL), 0);
		assert_int_equal(l.ret, rows[i].want.ret);
		assert_int_equal(l.maxactive, rows[i].want.maxactive);
		assert_int_equal(l.offset, rows[i].want.offset);
		assert_int_equal(l.counter, rows[i].want.counter);
		assert_string_equal(l.group, rows[i].want.group);
		assert_string_equal(l.event, rows[i].want.event);
		assert_string_equal(l.path ? l.path : "-",
				    rows[i].want.path ? rows[i].want.path : "-");
		assert_string_equal(l.location ? l.location : "-",
				    rows[i].want.location ? rows[i].want.location : "-");
		assert_string_equal(l.args, rows[i].want.args);
		tfs_probe_line_release(&l);
	}
}

static void a_fault_in_a_line_has_its_place(void **state)
{
	static const struct {
		const char *text;
		int caret;
	} rows[] = {
		{ "p:1g/e f", 2 },           { "p:g/e-x f", 4 },       { "p:g/e", 5 },
		{ "p:g/e /bin/x", 6 },       { "p:g/e /bin/x:y", 13 }, { "p:g/e /b:0x1(2", 12 },
		{ "r5000:g/e vfs_read", 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct tfs_err err = TFS_ERR_INIT;
		struct tfs_probe_line l;

		assert_int_equal(tfs_probe_line_parse(rows[i].text, &l, &err), -EINVAL);
		assert_int_equal(err.caret, rows[i].caret);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distinguishes_the_kernels_lines_from_requests),
		cmocka_unit_test(a_line_is_taken_apart),
		cmocka_unit_test(a_fault_in_a_line_has_its_place),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
