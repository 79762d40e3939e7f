/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/strvec.h"
#include "cli/clause.h"
#include "probe/define.h"
#include "trace-probe.h"
#include "tracefs/event.h"

static void a_kernel_probe_has_point_and_arguments(void **state)
{
	struct trace_probe p = { 0 };

	(void)state;
	assert_int_equal(trace_probe_parse("kprobe:vfs_read+4 n=count file->f_flags:x32", &p, NULL),
			 0);
	assert_null(p.exec);
	assert_string_equal(p.spec.func, "vfs_read");
	assert_int_equal(p.spec.offset, 4);
	assert_false(p.spec.ret);
	assert_int_equal(p.spec.n_args, 2);
	assert_string_equal(p.spec.args[0].name, "n");
	assert_string_equal(p.spec.args[1].expr, "file->f_flags");
	assert_string_equal(p.spec.args[1].type, "x32");
	trace_probe_release(&p);
}

static void a_program_ends_at_its_colon(void **state)
{
	struct trace_probe p = { 0 };

	(void)state;
	assert_int_equal(trace_probe_parse("uprobe:/bin/bash:ev=readline.c:10 x", &p, NULL), 0);
	assert_string_equal(p.exec, "/bin/bash");
	assert_string_equal(p.spec.event, "ev");
	assert_string_equal(p.spec.src, "readline.c");
	assert_int_equal(p.spec.line, 10);
	trace_probe_release(&p);
	assert_int_equal(trace_probe_parse("uprobe:a\\:b c:ns::f", &p, NULL), 0);
	assert_string_equal(p.exec, "a:b c");
	assert_string_equal(p.spec.func, "ns::f");
	trace_probe_release(&p);
}

static void return_probes_can_be_written_in_two_ways(void **state)
{
	struct trace_probe p = { 0 };

	(void)state;
	assert_int_equal(trace_probe_parse("kretprobe:vfs_read ret", &p, NULL), 0);
	assert_true(p.spec.ret);
	assert_string_equal(p.spec.func, "vfs_read");
	trace_probe_release(&p);
	assert_int_equal(trace_probe_parse("fexit:vfs_read ret", &p, NULL), 0);
	assert_true(p.spec.ret);
	assert_int_equal(p.type, TFS_PROBE_FPROBE);
	trace_probe_release(&p);
	assert_int_equal(trace_probe_parse("uprobe:c:malloc%return", &p, NULL), 0);
	assert_true(p.spec.ret);
	trace_probe_release(&p);
	assert_int_equal(trace_probe_parse("uretprobe:c:malloc%return", &p, NULL), 0);
	assert_true(p.spec.ret);
	trace_probe_release(&p);
}

static void text_that_is_not_a_probe_is_refused(void **state)
{
	static const char *const wrong[] = {
		"function_graph",
		"kprobe:",
		"kprobe",
		"uprobe:bash",
		"uprobe::f",
		"uprobe:",
		"kretprobe:f+4",
		"kretprobe:a.c:10",
		"kretprobe:f:2",
		"kprobe:f a=",
		"",
	};
	struct trace_probe p = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct tfs_err err = TFS_ERR_INIT;

		assert_int_equal(trace_probe_parse(wrong[i], &p, &err), -EINVAL);
		assert_int_equal(err.code, -EINVAL);
		assert_non_null(strstr(err.msg, "option -p"));
		assert_null(p.exec);
		assert_null(p.spec.func);
	}
}

static void places_of_one_event_are_one_name(void **state)
{
	struct tfs_event_spec specs[2] = { { .text = "sched", .probe = false },
					   { .text = "kprobe:f*", .probe = true } };
	struct tc_clauses clauses = { .events = specs, .n = 2 };
	struct tfs_probe_def def[3] = {
		{ .group = (char *)"g", .event = (char *)"f", .request = 1 },
		{ .group = (char *)"g", .event = (char *)"f", .request = 1 },
		{ .group = (char *)"g", .event = (char *)"f_1", .request = 1 },
	};
	const struct tfs_probe_defs defs = { .v = def, .n = 3 };
	struct tfs_strvec names = TFS_STRVEC_INIT;

	(void)state;
	assert_int_equal(trace_probes_name(&clauses, &defs, &names), 0);
	assert_int_equal(names.n, 2);
	assert_int_equal(specs[0].matched.n, 0);
	assert_int_equal(specs[1].matched.n, 2);
	assert_string_equal(specs[1].matched.v[0], "g:f");
	assert_string_equal(specs[1].matched.v[1], "g:f_1");
	tfs_strvec_release(&specs[1].matched);
	tfs_strvec_release(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kernel_probe_has_point_and_arguments),
		cmocka_unit_test(a_program_ends_at_its_colon),
		cmocka_unit_test(return_probes_can_be_written_in_two_ways),
		cmocka_unit_test(text_that_is_not_a_probe_is_refused),
		cmocka_unit_test(places_of_one_event_are_one_name),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
