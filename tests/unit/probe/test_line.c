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
#include "base/strbuf-core.h"
#include "probe/define.h"
#include "probe/features.h"
#include "probe/resolve.h"

static void distinguishes_the_kernels_lines_from_requests(void **state)
{
	static const char *const lines[] = { "p:g/e /bin/x:0x10",
					     "r:g/e f+0",
					     "r8:g-x/e f",
					     "p:g/e /bin/x:0x10 a=%di",
					     " p:g/e x",
					     "p:e f",
					     "p:g.e f",
					     "p:g/ f",
					     "f:g/e f%return",
					     "t:g/e sched_switch a=prev",
					     "e:g/e sched.sched_switch",
					     "p /bin/x:0x10" };
	static const char *const requests[] = { "f",
						"p:f",
						"p:g=f",
						"p:g=a/b",
						"g:e=f a=b/c",
						"r8",
						"main.go:3 a",
						"p",
						"f a/b",
						"q:g/e f",
						"p:10 a",
						"s:lat u64 d",
						"r::f%return a",
						"r::S::f a/b" };
	static const char *const bare[] = { "p vfs_read", "r10 vfs_read $retval", "f vfs_read",
					    "t sched_switch", "e sched/sched_switch" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		assert_true(tfs_probe_is_line(lines[i], 0));
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++)
		assert_false(tfs_probe_is_line(requests[i], 0));
	/* functions of a program may be called so */
	for (size_t i = 0; i < ARRAY_SIZE(bare); i++) {
		assert_false(tfs_probe_is_line(bare[i], 0));
		assert_true(tfs_probe_is_line(bare[i], TFS_PROBE_LINE_BARE));
	}
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
		assert_int_equal(tfs_probe_line_parse(rows[i].text, 0, &l, NULL), 0);
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
		{ "p:1g/e f", 2 },
		{ "p:g/e-x f", 4 },
		{ "p:g/e", 5 },
		{ "p:g/e /bin/x", 6 },
		{ "p:g/e /bin/x:y", 13 },
		{ "p:g/e /b:0x1(2", 12 },
		{ "r5000:g/e vfs_read", 1 },
		{ "e:g/e sched a.b", 6 },
		{ "p:/e f", 2 },
		{ "p:g/e f a=%di\np:g/x f", 13 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct tfs_err err = TFS_ERR_INIT;
		struct tfs_probe_line l;

		assert_int_equal(tfs_probe_line_parse(rows[i].text, 0, &l, &err), -EINVAL);
		assert_int_equal(err.caret, rows[i].caret);
	}
}

/* Written without a name, each of these lines is listed by kernel 7.3 with this one. */
static void an_event_without_a_name_has_the_kernels(void **state)
{
	static const struct {
		const char *text, *group, *event;
	} rows[] = {
		{ "p vfs_read", "kprobes", "p_vfs_read_0" },
		{ "p vfs_read+0", "kprobes", "p_vfs_read_0" },
		{ "r10 vfs_read", "kprobes", "r_vfs_read_0" },
		{ "p vfs_read%return $retval", "kprobes", "r_vfs_read_0" },
		{ "p virtio_blk:virtio_queue_rq", "kprobes", "p_virtio_blk_virtio_queue_rq_0" },
		{ "p:foo/ vfs_read", "foo", "p_vfs_read_0" },
		{ "p:myev vfs_read", "kprobes", "myev" },
		{ "p:foo.myev vfs_read", "foo", "myev" },
		{ "f vfs_read", "fprobes", "vfs_read__entry" },
		{ "f vfs_read%return", "fprobes", "vfs_read__exit" },
		{ "f vfs_read $retval $arg1", "fprobes", "vfs_read__exit" },
		{ "t kmem_cache_free", "tracepoints", "kmem_cache_free" },
		{ "e syscalls/sys_enter_openat", "eprobes", "sys_enter_openat" },
		{ "e syscalls.sys_enter_openat", "eprobes", "sys_enter_openat" },
		{ "p /bin/sh:10", "uprobes", "p_sh_0xa" },
		{ "r /bin/sh:10", "uprobes", "p_sh_0xa" },
		{ "p:foo/bar /bin/sh:10%return", "foo", "bar" },
	};
	struct tfs_probe_line l;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(tfs_probe_line_parse(rows[i].text, TFS_PROBE_LINE_BARE, &l, NULL),
				 0);
		assert_string_equal(l.group, rows[i].group);
		assert_string_equal(l.event, rows[i].event);
		tfs_probe_line_release(&l);
	}
}

/* As the kernel lists them: defined again they are what they were. */
static void the_fetches_of_a_line_are_not_changed(void **state)
{
	static const char *const lines[] = {
		"p:foo/x do_sys_openat2 dfd=dfd filename=filename how=how",
		"r10:foo/x vfs_read file=file arg5=$retval",
		"p:foo/x virtio_blk:virtio_queue_rq n=(file)%di->f_path.mnt->mnt_flags",
		"f:fprobes/fpevent vfs_read%return name=+0x0(+0x28(+0x48($arg1))):string",
		"t:foo/x sched_switch arg1=prev->comm:string",
		"e:foo/x sched.sched_switch pid=$next_pid if next_pid > 1 && prev_pid < 9",
		"p:foo/x vfs_read a=this_cpu_read(@this_cpu_off) o=+-4(%ax) s=%ip:symstr",
	};
	const struct tfs_probe_features features = TFS_PROBE_FEATURES_ANY;
	const struct tfs_probe_resolve_opts opts = { .features = &features };
	struct tfs_probe_defs defs = { 0 };
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		assert_int_equal(tfs_probe_line_define(NULL, lines[i], 0, &opts, &defs, NULL), 0);
		assert_int_equal(defs.n, 1);
		tfs_strbuf_reset(&sb);
		assert_int_equal(tfs_probe_def_line(&defs.v[0], &sb), 0);
		assert_string_equal(sb.s, lines[i]);
		tfs_probe_defs_release(&defs);
	}
	tfs_strbuf_release(&sb);
	assert_int_equal(tfs_probe_line_define(NULL, "p:g/e /bin/x:0x10", 0, &opts, &defs, NULL),
			 -EINVAL);
}

static void words_of_probes_on_events_become_lines(void **state)
{
	static const struct {
		const char *text, *line;
	} good[] = {
		{ "tprobe:sched_switch prev->pid", "t:mine/ sched_switch prev->pid" },
		{ "tprobe:e=sched_switch", "t:mine/e sched_switch" },
		{ "tprobe:g:e=sched_switch a=$arg1", "t:g/e sched_switch a=$arg1" },
		{ "eprobe:sched:sched_switch p=$next_pid if next_pid > 1",
		  "e:mine/ sched.sched_switch p=$next_pid if next_pid > 1" },
		{ "eprobe:g:e=sched/sched_switch", "e:g/e sched.sched_switch" },
	};
	static const char *const bad[] = { "tprobe:", "eprobe:sched_switch a=b:c", "eprobe::x" };
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	enum tfs_probe_type type;
	const char *rest;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		rest = tfs_probe_line_word(good[i].text, &type);
		assert_non_null(rest);
		tfs_strbuf_reset(&sb);
		assert_int_equal(tfs_probe_line_of(type, rest, "mine", &sb, NULL), 0);
		assert_string_equal(sb.s, good[i].line);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		rest = tfs_probe_line_word(bad[i], &type);
		assert_non_null(rest);
		assert_int_equal(tfs_probe_line_of(type, rest, "mine", &sb, NULL), -EINVAL);
	}
	assert_null(tfs_probe_line_word("kprobe:f", &type));
	tfs_strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distinguishes_the_kernels_lines_from_requests),
		cmocka_unit_test(a_line_is_taken_apart),
		cmocka_unit_test(a_fault_in_a_line_has_its_place),
		cmocka_unit_test(an_event_without_a_name_has_the_kernels),
		cmocka_unit_test(the_fetches_of_a_line_are_not_changed),
		cmocka_unit_test(words_of_probes_on_events_become_lines),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
