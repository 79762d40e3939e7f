/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "decode/trace.h"
#include "lib/bytes.h"
#include "lib/dat_build.h"
#include "view/info.h"

/*
 * A block that declares is C, which libtraceevent cannot parse, and tc-report prints. Nobody knows
 * the function of the second. Every recording here has beta:two besides, whose format is broken.
 */
static const char with_block[] = "name: with_block\nID: 50\n" DAT_COMMON_FIELDS
				 "\tfield:int nr;\toffset:8;\tsize:4;\tsigned:1;\n\n"
				 "print fmt: \"%d\", ({ int a = REC->nr; int b = a; b; })\n";
static const char with_function[] = "name: with_function\nID: 51\n" DAT_COMMON_FIELDS
				    "\tfield:int nr;\toffset:8;\tsize:4;\tsigned:1;\n\n"
				    "print fmt: \"%s\", not_known_to_anybody(REC->nr)\n";
static const char *const first[] = { with_block, NULL };
static const char *const both[] = { with_block, with_function, NULL };

static int check(const char *const *formats, bool compat, struct tfs_err *err)
{
	const struct dat_spec spec = { .cpus = 1, .page_size = 4096, .sched = formats };
	const struct tfs_trace_opts opts = { .no_plugins = true, .compat = compat };
	struct tfs_trace *trace = NULL;
	struct page_builder page;
	struct bytes pages;
	char path[64];
	int fd, rc;

	bytes_init(&pages, false);
	page_begin(&page, &pages, 8, 4096, 1000);
	page_end(&page, 0);
	fd = dat_file(&spec, &pages);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(tfs_trace_open(path, &opts, &trace, NULL), 0);
	rc = tfs_info_check_events(trace, err);
	tfs_trace_free(trace);
	close(fd);
	return rc;
}

static void formats_that_a_report_prints_are_parsed(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	assert_int_equal(check(first, false, &err), -EBADMSG);
	assert_string_equal(err.msg, "1 of 4 event formats cannot be parsed: 'beta:two'");
	tfs_err_clear(&err);
	assert_int_equal(check(both, false, &err), -EBADMSG);
	assert_string_equal(err.msg, "2 of 5 event formats cannot be parsed: 'beta:two', "
				     "'sched:with_function'");
}

static void compat_counts_what_libtraceevent_cannot_parse(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	assert_int_equal(check(both, true, &err), -EBADMSG);
	assert_string_equal(err.msg, "3 of 5 event formats cannot be parsed: 'beta:two', "
				     "'sched:with_block', 'sched:with_function'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_that_a_report_prints_are_parsed),
		cmocka_unit_test(compat_counts_what_libtraceevent_cannot_parse),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
