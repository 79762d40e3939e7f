/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The verdicts on arguments are those of a kernel (6.18, uprobe_events), one definition at a time.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "probe/features.h"
#include "probe/validate.h"

static const struct tfs_probe_features all = { ~0U };

struct row {
	char kind;
	const char *args;
};

static const struct row taken[] = {
	{ 'p', "a=%di" },
	{ 'p', "%di" },
	{ 'r', "a=$retval:s32" },
	{ 'p', "a=$stack3" },
	{ 'p', "a=$stack2047" },
	{ 'p', "a=$stack2048" },
	{ 'p', "a=$stack9999" },
	{ 'p', "a=$comm" },
	{ 'p', "a=$comm:string" },
	{ 'p', "a=\\5:string" },
	{ 'p', "a=\\\"foo\":string" },
	{ 'p', "a=\\\"foo\"" },
	{ 'p', "a=+0(\\5):u8" },
	{ 'r', "a=+0($retval):string" },
	{ 'p', "a=+u0(%di):ustring" },
	{ 'p', "a=+0(%di):ustring" },
	{ 'p', "a=+0(%di):char" },
	{ 'p', "a=+0(%di):char[64]" },
	{ 'p', "a=+0(%di):b3@2/32[4]" },
	{ 'p', "a=+0(%di):string[4]" },
	{ 'p', "a=%di:b3@2/32" },
	{ 'p', "a=%di:b32@0/32" },
	{ 'p', "a=%di:b64@0/64" },
	{ 'p', "a=@0x1000:x8[2]" },
	{ 'p', "a=@0x1000" },
	{ 'p', "a=@1000" },
	{ 'p', "a=@+16:x8[2]" },
	{ 'p', "a=@+0x10" },
	{ 'p', "a=@+16:string" },
	{ 'p', "a=\\0x10" },
	{ 'p', "a=\\0X10" },
	{ 'p', "a=\\-5" },
	{ 'p', "a=\\010" },
	{ 'p', "a=\\18446744073709551615" },
	{ 'p', "a=\\-9223372036854775808" },
	{ 'p', "a=\\9223372036854775808" },
	{ 'p', "a=+0x10(%di)" },
	{ 'p', "a=-8(%bp)" },
	{ 'p', "a=+2147483647(%di)" },
	{ 'p', "a=%ip" },
	{ 'p', "a=%sp" },
	{ 'p', "a=%flags" },
	{ 'p', "a=%orig_ax" },
	{ 'p', "a=%cs" },
	{ 'p', "a=%ss" },
	{ 'p', "a=$stack" },
	{ 'p', "a=+0(%di):x8[0x2]" },
	{ 'p', "a=+0(%di):x8[64]" },
	{ 'p', "A=%di a=%si" },
	{ 'p', "_=%di" },
	{ 'p', "a=+0(+0(@+8)):u8" },
	{ 'p', "a=+0(@+8):string" },
	{ 'p', "a=+0(@0x8):string" },
	{ 'p', "a=+0($stack):u8" },
	{ 'p', "a=+0($stack1):u8" },
	{ 'p', "a=$stack:s64" },
	{ 'p', "a=+u8(+u0(%di)):u8" },
	{ 'p', "a=-u8(%di):u8" },
	{ 'p', "a=+00(%di)" },
	{ 'p', "a=+010(%di)" },
	{ 'p', "a=++1(%di)" },
	{ 'p', "a=+-1(%di)" },
	{ 'p', "a=+u-1(%di)" },
	{ 'p', "a=-u1(%di)" },
	{ 'p', "a=\\+5" },
	{ 'p', "a=$COMM" },
	{ 'p', "a=\\5:b3@2/32" },
};

static const struct row refused[] = {
	{ 'p', "a=%di:string" },
	{ 'r', "a=$retval:string" },
	{ 'p', "a=$retval" },
	{ 'p', "a=$stack:string" },
	{ 'p', "a=$stack0:string" },
	{ 'p', "a=$comm:u8" },
	{ 'p', "a=\\\"foo\":u8" },
	{ 'p', "a=\\\"foo" },
	{ 'p', "a=+0(\\\"foo\"):string" },
	{ 'p', "a=+0($comm):string" },
	{ 'p', "a=+0($retval):string" },
	{ 'p', "a=%di:symbol" },
	{ 'p', "a=+0(%di):string[65]" },
	{ 'p', "a=%di:b0@2/32" },
	{ 'p', "a=%di:b33@0/32" },
	{ 'p', "a=%di:b32@1/32" },
	{ 'p', "a=%di:b3@0/24" },
	{ 'p', "a=\\\"x#y\":string" },
	{ 'p', "a=\\\"x\xa0y\":string" },
	{ 'p', "a=%di:b3@0/128" },
	{ 'p', "a=%di:b03@00/032" },
	{ 'p', "a=%di:x8[1]" },
	{ 'p', "a=$stack1:x8[1]" },
	{ 'p', "a=@-16" },
	{ 'p', "a=@sym" },
	{ 'p', "a=\\-9223372036854775809" },
	{ 'p', "a=\\0x10000000000000000" },
	{ 'p', "a=+0(%di" },
	{ 'p', "a=+0%di" },
	{ 'p', "a=+(%di)" },
	{ 'p', "a=0(%di)" },
	{ 'p', "a=%DI" },
	{ 'p', "a=%" },
	{ 'p', "a=" },
	{ 'p', "=%di" },
	{ 'p', "a" },
	{ 'p', "a=$arg1" },
	{ 'p', "a=%di:" },
	{ 'p', "a=%di:x8[0]" },
	{ 'p', "a=+0(%di):x8[0]" },
	{ 'p', "a=+0(%di):x8[]" },
	{ 'p', "a=+0(%di):x8[65]" },
	{ 'p', "a=+0(%di):x8[2" },
	{ 'p', "a=+0(%di):x8[2]3" },
	{ 'p', "arg2=%di %si" },
	{ 'p', "%di arg1=%si" },
	{ 'p', "a=%di a=%si" },
	{ 'p', "a-b=%di" },
	{ 'p', "a.b=%di" },
	{ 'p', "1a=%di" },
	{ 'p', "a=%di:%pd" },
	{ 'p', "a=+0(%di):x" },
	{ 'p', "a=+0(%di):s" },
	{ 'p', "a=+0(%di):b3" },
	{ 'p', "a=+0(%di):b3@2" },
	{ 'p', "a=+0(+0($comm)):u8" },
	{ 'p', "a=$comm:string[2]" },
	{ 'p', "a=b=%di" },
	{ 'p', "a=%di:u8[2]" },
	{ 'p', "a=+0($arg1)" },
	{ 'p', "a=+1 (%di)" },
	{ 'p', "a=\\\"a b\"" },
	{ 'p', "a=$comm:ustring" },
	{ 'p', "a=$comm:symbol" },
	{ 'p', "a=$retval:string" },
	{ 'p', "a=+0(%di):string[0]" },
	{ 'p', "a=\\5:u8[2]" },
};

/* Each kernel has more types and variables than the one before it: these are for it to judge. */
static const struct row asked[] = {
	{ 'p', "a=+0(%di):symstr" }, { 'p', "a=$stackx" },         { 'p', "a=$stack-1" },
	{ 'p', "a=$foo" },           { 'p', "a=%di:u8:u8" },       { 'p', "a=%di:U8" },
	{ 'p', "a=%di:u65" },        { 'p', "a=+0(%di):string:" }, { 'p', "a=$comm[2]" },
};

/* The kernel takes these and does something else than what they say. */
static const struct row misread[] = {
	{ 'p', "a=+0(%di)x" },
	{ 'p', "a=+2147483648(%di)" },
	{ 'p', "a=+99999999999(%di)" },
};

static int verdict(const struct row *row)
{
	struct tfs_err err = TFS_ERR_INIT;
	char line[512];
	int rc;

	snprintf(line, sizeof(line), "%c:g/e /bin/true:0x2000 %s", row->kind, row->args);
	rc = tfs_probe_validate(TFS_PROBE_UPROBE, line, &all, &err);
	assert_int_equal(err.code, rc);
	assert_true(!rc || err.msg[0]);
	return rc;
}

static void arguments_the_kernel_takes_are_taken(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(taken); i++) {
		if (verdict(&taken[i]))
			fail_msg("'%s' was refused", taken[i].args);
	}
}

static void the_kernel_is_asked_about_the_unknown(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(asked); i++) {
		if (verdict(&asked[i]))
			fail_msg("'%s' was refused", asked[i].args);
	}
}

static void arguments_the_kernel_refuses_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		if (verdict(&refused[i]) != -EINVAL)
			fail_msg("'%s' was taken", refused[i].args);
	}
	for (size_t i = 0; i < ARRAY_SIZE(misread); i++) {
		if (verdict(&misread[i]) != -EINVAL)
			fail_msg("'%s' was taken", misread[i].args);
	}
}

static void line_is(enum tfs_probe_type file, const char *line, int want)
{
	int rc = tfs_probe_validate(file, line, &all, NULL);

	if (rc != want)
		fail_msg("'%s': %d instead of %d", line, rc, want);
}

static void names_and_places_have_limits(void **state)
{
	(void)state;
	line_is(TFS_PROBE_UPROBE, "p:g/e /bin/true:0x10", 0);
	line_is(TFS_PROBE_UPROBE, "p:g-x/e /bin/a:b%c:0x10(0x20)", 0);
	line_is(TFS_PROBE_UPROBE, "p:g/e /bin/true:0x10%return", 0);
	line_is(TFS_PROBE_UPROBE, "p:g/e-x /bin/true:0x10", -EINVAL);
	line_is(TFS_PROBE_UPROBE, "p:1g/e /bin/true:0x10", -EINVAL);
	line_is(TFS_PROBE_UPROBE, "p:g/e /bin/true", -EINVAL);
	line_is(TFS_PROBE_UPROBE, "p:g/e /bin/tr ue:0x10", -EINVAL);
	line_is(TFS_PROBE_UPROBE, "x:g/e /bin/true:0x10", -EINVAL);
	line_is(TFS_PROBE_UPROBE, "p:g/e", -EINVAL);
	line_is(TFS_PROBE_KPROBE, "p:g/e vfs_read+0 $arg1 @jiffies:u64 @jiffies-8", 0);
	line_is(TFS_PROBE_KPROBE, "p:g/e xfs:xfs_file_open+0x10 %di:symbol", 0);
	line_is(TFS_PROBE_KPROBE, "r:g/e vfs_read+0 $retval", 0);
	line_is(TFS_PROBE_KPROBE, "r:g/e vfs_read+4 $retval", -EINVAL);
	line_is(TFS_PROBE_KPROBE, "r4096:g/e vfs_read $retval", 0);
	line_is(TFS_PROBE_KPROBE, "r4097:g/e vfs_read $retval", -EINVAL);
	line_is(TFS_PROBE_KPROBE, "p8:g/e vfs_read", -EINVAL);
	line_is(TFS_PROBE_UPROBE, "r8:g/e /bin/true:0x10", -EINVAL);
	line_is(TFS_PROBE_FPROBE, "f8:g/e vfs_read%return", 0);
	line_is(TFS_PROBE_FPROBE, "f8:g/e vfs_read", -EINVAL);
	line_is(TFS_PROBE_KPROBE, "p:g/e vfs_read+5 $arg1", -EINVAL);
	line_is(TFS_PROBE_KPROBE, "p:g/e vfs_read @+8", -EINVAL);
}

/* Kernel 7.3 takes all of these; what an older one has not, it refuses itself. */
static void definitions_for_newer_kernels_are_taken(void **state)
{
	static const struct {
		enum tfs_probe_type type;
		const char *line;
	} rows[] = {
		{ TFS_PROBE_KPROBE, "p:foo/x vfs_read $arg*" },
		{ TFS_PROBE_KPROBE, "r:foo/x vfs_read $arg* $retval" },
		{ TFS_PROBE_KPROBE, "p:foo/x vfs_read%return $retval" },
		{ TFS_PROBE_KPROBE, "p:foo/x vfs_read $current pid=$current->pid" },
		{ TFS_PROBE_KPROBE,
		  "p:foo/x vfs_read pid=(task_struct,group_leader)$current->pid" },
		{ TFS_PROBE_KPROBE,
		  "p:foo/x vfs_read n=(file)%di->f_path.dentry->d_name.name:string" },
		{ TFS_PROBE_KPROBE, "p:foo/x vfs_read n=(file)(file)->f_mode count" },
		{ TFS_PROBE_KPROBE, "p:foo/x vfs_read a=this_cpu_read(@this_cpu_off)" },
		{ TFS_PROBE_KPROBE, "p:foo/x vfs_read +0(file):x32 file=file" },
		{ TFS_PROBE_KPROBE, "p:foo/x call_rcu func=%si:symstr" },
		{ TFS_PROBE_KPROBE, "p:foo/x vfs_read a=@_sdata:symstr" },
		{ TFS_PROBE_KPROBE, "r:foo/x 0xffffffff81000000" },
		{ TFS_PROBE_FPROBE, "f:foo/x vfs_read $retval $arg1" },
		{ TFS_PROBE_TPROBE, "t:foo/x sched_switch prev->comm:string $arg*" },
		{ TFS_PROBE_EPROBE,
		  "e:foo/x sched.sched_switch pid=$next_pid comm=next_comm:string" },
		{ TFS_PROBE_EPROBE, "e:foo/x sched/sched_switch if next_pid > 1" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		line_is(rows[i].type, rows[i].line, 0);
	line_is(TFS_PROBE_EPROBE, "e:foo/x sched_switch", -EINVAL);
	line_is(TFS_PROBE_EPROBE, "e:foo/x sched. a=$b", -EINVAL);
	line_is(TFS_PROBE_UPROBE, "p:foo/x /b:0 file", -EINVAL);
	line_is(TFS_PROBE_UPROBE, "p:foo/x /b:0 (file)%di->f_mode", -EINVAL);
	line_is(TFS_PROBE_KPROBE, "p:foo/x vfs_read &1", -EINVAL);
	line_is(TFS_PROBE_KPROBE, "p:foo/x vfs_read%hoge", -EINVAL);
}

/* 63 characters, 32, 128 arguments, 14 levels: include/linux and kernel/trace/trace_probe.h. */
static void counts_have_limits(void **state)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	(void)state;
	assert_int_equal(tfs_strbuf_adds(&sb, "p:g/e /bin/true:0x10"), 0);
	for (int i = 0; i < TFS_PROBE_ARGS_MAX; i++)
		assert_int_equal(tfs_strbuf_addf(&sb, " a%d=%%di", i), 0);
	line_is(TFS_PROBE_UPROBE, sb.s, 0);
	assert_int_equal(tfs_strbuf_adds(&sb, " %di"), 0);
	line_is(TFS_PROBE_UPROBE, sb.s, -EINVAL);
	tfs_strbuf_release(&sb);
	line_is(TFS_PROBE_UPROBE,
		"p:g/e /b:0 a=+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(%di)))))))))))))))",
		-EINVAL);
	line_is(TFS_PROBE_UPROBE,
		"p:g/e /b:0 a=+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(%di))))))))))))))", 0);
	line_is(TFS_PROBE_UPROBE, "p:g/e /b:0 a23456789012345678901234567890123=%di", -EINVAL);
	line_is(TFS_PROBE_UPROBE, "p:g/e /b:0 a2345678901234567890123456789012=%di", 0);
	line_is(TFS_PROBE_UPROBE, "p:g/e /b:0 common_pid=%di", -EINVAL);
	line_is(TFS_PROBE_UPROBE,
		"p:g/e234567890123456789012345678901234567890123456789012345678901234 /b:0",
		-EINVAL);
}

static void features_that_a_kernel_lacks_are_refused(void **state)
{
	static const char entry[] = "r:g/e vfs_read a=$arg1:x64 ret=$retval";
	const struct tfs_probe_features old = { TFS_PROBE_HAS_README };

	(void)state;
	/* 6.9: "Support $argN in return probe" */
	line_is(TFS_PROBE_KPROBE, entry, 0);
	line_is(TFS_PROBE_FPROBE, "f:g/e vfs_read%return a=$arg1:x64 b=+8($arg2):x64", 0);
	assert_int_equal(tfs_probe_validate(TFS_PROBE_FPROBE, "f:g/e vfs_read%return a=$arg1", &old,
					    NULL),
			 -EINVAL);
	line_is(TFS_PROBE_KPROBE, "r:g/e vfs_read+4 a=$arg1:x64", -EINVAL);
	line_is(TFS_PROBE_UPROBE, "r:g/e /b:0 a=$arg1", -EINVAL);
	assert_int_equal(tfs_probe_validate(TFS_PROBE_KPROBE, entry, &old, NULL), -EINVAL);
	assert_int_equal(tfs_probe_validate(TFS_PROBE_KPROBE, "p:g/e vfs_read a=$arg1", &old, NULL),
			 0);
	assert_int_equal(tfs_probe_validate(TFS_PROBE_UPROBE, "p:g/e /b:0 a=%di:x8", &old, NULL),
			 -EINVAL);
	assert_int_equal(tfs_probe_validate(TFS_PROBE_UPROBE, "p:g/e /b:0 a=%di:char", &old, NULL),
			 -EINVAL);
	assert_int_equal(tfs_probe_validate(TFS_PROBE_UPROBE, "p:g/e /b:0 a=%di:u8", &old, NULL),
			 0);
}

/* Without its README nothing shows that it lacks something. */
static void a_kernel_that_is_not_known_lacks_nothing(void **state)
{
	const struct tfs_probe_features unknown = TFS_PROBE_FEATURES_ANY;

	(void)state;
	assert_int_equal(tfs_probe_validate(TFS_PROBE_KPROBE,
					    "r:g/e vfs_read a=$arg1 b=%di:char c=%di:%pD", &unknown,
					    NULL),
			 0);
}

static void readme_lists_what_the_kernel_offers(void **state)
{
	struct tfs_probe_features f;

	(void)state;
	tfs_probe_features_parse(
		"  uprobe_events\t\t- Create/append/remove/show the userspace dynamic "
		"events\n     type: s8/16/32/64, u8/16/32/64, x8/16/32/64, char, string\n",
		&f);
	assert_int_equal(f.has, TFS_PROBE_HAS_README | TFS_PROBE_HAS_X_TYPES | TFS_PROBE_HAS_CHAR |
					TFS_PROBE_HAS_APPEND);
	tfs_probe_features_parse("\t     kernel return probes support: $retval, $arg<N>, $comm\n",
				 &f);
	assert_int_equal(f.has, TFS_PROBE_HAS_README | TFS_PROBE_HAS_RETURN_ARGS);
	tfs_probe_features_parse("     type: s8/16/32/64, u8/16/32/64, string, symbol,\n", &f);
	assert_int_equal(f.has, TFS_PROBE_HAS_README);
	tfs_probe_features_parse("\t           [(structname[,field])]<argname>[->field[->field|"
				 ".field...]],\n",
				 &f);
	assert_int_equal(f.has, TFS_PROBE_HAS_README | TFS_PROBE_HAS_NAMES | TFS_PROBE_HAS_CASTS);
}

/* Asked of 6.12 (tests/vm/t-probe-fprobe.sh). */
static void fprobes_have_arguments_but_no_registers(void **state)
{
	static const char *const good[] = {
		"f:g/e vfs_read",
		"f:g/e vfs_read%return ret=$retval",
		"f:g/e vfs_read name=+0(+40(+24($arg1))):string count=$arg3:x64",
		"f:g/e vfs_read st=$stack0 x=@jiffies c=$comm",
	};
	static const char *const bad[] = {
		"f:g/e vfs_read di=%di",   "f:g/e vfs_read+0 c=$arg3",
		"p:g/e vfs_read",          "f:g/e virtio_ring:virtqueue_add_sgs",
		"f:g/e vfs_read x=@+0x10",
	};
	const struct tfs_probe_features features = TFS_PROBE_FEATURES_ANY;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_int_equal(tfs_probe_validate(TFS_PROBE_FPROBE, good[i], &features, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(tfs_probe_validate(TFS_PROBE_FPROBE, bad[i], &features, NULL),
				 -EINVAL);
}

/* Asked of 6.12 (tests/vm/t-probe-fprobe.sh). */
static void tprobes_are_on_a_tracepoint_by_its_name(void **state)
{
	static const char *const good[] = {
		"t:g/e sched_switch",
		"t:g/e sched_switch prev=$arg2 pid=+0($arg2):s32 c=$comm",
	};
	static const char *const bad[] = {
		"t:g/e sched:sched_switch",   "t:g/e sched/sched_switch",
		"t:g/e sched_switch+4",       "t:g/e sched_switch ip=%ip",
		"f:g/e sched_switch",         "t:g/e sched_switch%return",
		"t:g/e sched_switch $retval",
	};
	const struct tfs_probe_features features = TFS_PROBE_FEATURES_ANY;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_int_equal(tfs_probe_validate(TFS_PROBE_TPROBE, good[i], &features, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(tfs_probe_validate(TFS_PROBE_TPROBE, bad[i], &features, NULL),
				 -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fprobes_have_arguments_but_no_registers),
		cmocka_unit_test(tprobes_are_on_a_tracepoint_by_its_name),
		cmocka_unit_test(arguments_the_kernel_takes_are_taken),
		cmocka_unit_test(arguments_the_kernel_refuses_are_refused),
		cmocka_unit_test(the_kernel_is_asked_about_the_unknown),
		cmocka_unit_test(definitions_for_newer_kernels_are_taken),
		cmocka_unit_test(a_kernel_that_is_not_known_lacks_nothing),
		cmocka_unit_test(names_and_places_have_limits),
		cmocka_unit_test(counts_have_limits),
		cmocka_unit_test(features_that_a_kernel_lacks_are_refused),
		cmocka_unit_test(readme_lists_what_the_kernel_offers),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
