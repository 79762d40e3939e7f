/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "lib/fake.h"
#include "tracefs/reason.h"

static const struct tfs_reason_facts user = {
	.is_root = false,
	.lockdown = "",
	.mount = "/sys/kernel/tracing",
	.group = "",
};

static const char *hint_for(const struct tfs_reason_facts *facts, const char *path, int code)
{
	static struct tfs_err err;

	err = TFS_ERR_INIT;
	tfs_reason_hint(facts, path, code, &err);
	return err.hint;
}

static void assert_hint(const struct tfs_reason_facts *facts, const char *path, int code,
			const char *part)
{
	const char *hint = hint_for(facts, path, code);

	if (!strstr(hint, part))
		fail_msg("'%s' is not in '%s'", part, hint);
}

static void an_error_suggests_root_and_the_group_to_a_user(void **state)
{
	struct tfs_reason_facts grouped = user;

	(void)state;
	grouped.group = "tracing";
	assert_hint(&user, "/sys/kernel/tracing/tracing_on", -EACCES,
		    "run it as root, or let root");
	assert_hint(&user, "/sys/kernel/tracing/tracing_on", -EACCES, "remount,mode=750,gid=GROUP");
	assert_hint(&grouped, "/sys/kernel/tracing/tracing_on", -EPERM, "of the group 'tracing'");
	grouped.may_read = true;
	assert_hint(&grouped, "/sys/kernel/tracing/tracing_on", -EACCES, "CAP_DAC_OVERRIDE");
}

static void an_error_mentions_lockdown_to_root_where_it_is_known(void **state)
{
	struct tfs_reason_facts root = user;

	(void)state;
	root.is_root = true;
	assert_hint(&root, "/t/current_tracer", -EPERM, "even to root: kernel lockdown, another");
	root.lockdown = "[none] integrity confidentiality\n";
	assert_hint(&root, "/t/current_tracer", -EPERM, "even to root: kernel lockdown, another");
	root.lockdown = "none [integrity] confidentiality\n";
	assert_hint(&root, "/t/current_tracer", -EPERM, "locked down (integrity)");
	root.lockdown = "none integrity [confidentiality]\n";
	assert_hint(&root, "/t/current_tracer", -EPERM, "locked down (confidentiality)");
	/* The kernel's answer to mkdir then. */
	assert_hint(&root, "/t/instances/x", -EINVAL, "locked down (confidentiality)");
}

static void a_read_only_mount_is_named(void **state)
{
	(void)state;
	assert_hint(&user, "/t/tracing_on", -EROFS, "remount,rw /sys/kernel/tracing");
}

static void a_missing_file_is_not_in_this_kernel(void **state)
{
	(void)state;
	assert_hint(&user, "/t/hist", -ENOENT, "CONFIG_HIST_TRIGGERS");
	assert_hint(&user, "/t/trace_stat", -ENOENT, "this kernel does not offer it");
	assert_hint(&user, "/t/kprobe_events", -ENOENT, "CONFIG_KPROBE_EVENTS");
	assert_hint(&user, "/t/uprobe_events", -ENOENT, "CONFIG_UPROBE_EVENTS");
	assert_hint(&user, "/tmp/nosuch/instances/gone/tracing_on", -ENOENT,
		    "the instance is gone");
	assert_hint(&user, "/instances/gone", -ENOENT, "this kernel does not offer it");
}

static void known_files_explain_their_own_errnos(void **state)
{
	(void)state;
	assert_hint(&user, "/t/instances/a/trace_clock", -EINVAL, "no such clock");
	assert_hint(&user, "/t/buffer_size_kb", -ENOMEM, "ask for less");
	assert_hint(&user, "/t/instances/a", -EBUSY, "holds a file of this instance open");
	assert_hint(&user, "/t/instances/a", -EEXIST, "exists already");
	assert_hint(&user, "/t/options/sym-offset", -EINVAL, "takes 0 or 1");
	/* the errno of a number that is too large looks like one of a missing permission */
	assert_hint(&user, "/t/set_event_pid", -EPERM, "pid_max");
	assert_hint(&user, "/t/set_event_pid", -EACCES, "run it as root");
	assert_hint(&user, "trace_clock", -EINVAL, "no such clock");
	assert_hint(&user, "/t/anything", -ENOMEM, "memory");
}

static void prints_nothing_where_nothing_is_known(void **state)
{
	(void)state;
	assert_string_equal(hint_for(&user, "/t/anything", -EIO), "");
	assert_string_equal(hint_for(&user, "/t/notinstances/a", -EBUSY), "");
}

static void this_process_is_looked_at(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	tfs_reason_add(NULL, "/nosuch/x", -EACCES, &err);
	assert_non_null(strstr(err.hint, geteuid() ? "run it as root" : "even to root"));
	tfs_reason_add(NULL, "/nosuch/x", -EACCES, NULL);
}

/* Second source: the fields that trace-cmd list -F shows for these events. */
static void a_format_lists_the_fields(void **state)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct fake fake;

	(void)state;
	fake_new(&fake, "x86_64-6.1");
	assert_int_equal(
		tfs_reason_fields(fake_get(&fake, "events/sched/sched_switch/format"), &sb), 0);
	assert_string_equal(sb.s,
			    "prev_comm, prev_pid, prev_prio, prev_state, next_comm, next_pid, "
			    "next_prio");
	tfs_strbuf_reset(&sb);
	/* an array, and a type with brackets: unsigned long args[6], __data_loc char[] name */
	assert_int_equal(
		tfs_reason_fields(fake_get(&fake, "events/raw_syscalls/sys_enter/format"), &sb), 0);
	assert_string_equal(sb.s, "id, args");
	tfs_strbuf_reset(&sb);
	assert_int_equal(
		tfs_reason_fields(fake_get(&fake, "events/irq/irq_handler_entry/format"), &sb), 0);
	assert_string_equal(sb.s, "irq, name");
	tfs_strbuf_reset(&sb);
	assert_int_equal(tfs_reason_fields("\tfield:;\n\tfield:]\n\tfield:x];\n\tfield:", &sb), 0);
	assert_string_equal(sb.s, "");
	tfs_strbuf_release(&sb);
	fake_free(&fake);
}

static void a_refused_filter_is_answered_with_the_fields(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct fake fake;

	(void)state;
	fake_new(&fake, "x86_64-6.1");
	tfs_reason_add(fake.root, fake_path(&fake, "events/irq/softirq_raise/filter"), -EINVAL,
		       &err);
	assert_string_equal(err.hint,
			    "fields of this event: vec; of every event: common_pid, CPU, COMM");
	tfs_reason_add(fake.root, fake_path(&fake, "events/irq/filter"), -EINVAL, &err);
	assert_non_null(strstr(err.hint, "format file"));
	fake_free(&fake);
}

static void who_uses_an_event_is_named(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct fake fake;

	(void)state;
	fake_new(&fake, "x86_64-6.1");
	fake_put(&fake, "events/g/e/enable", "0\n");
	fake_put(&fake, "instances/idle/events/g/e/enable", "0\n");
	tfs_reason_in_use(fake.root, "-:g/e", 5, &err);
	assert_non_null(strstr(err.hint, "perf"));
	fake_put(&fake, "events/g/e/enable", "1\n");
	tfs_reason_in_use(fake.root, "-:g/e", 5, &err);
	assert_non_null(strstr(err.hint, "/events/g/e/enable first"));
	fake_put(&fake, "instances/busy/events/g/e/enable", "1*\n");
	tfs_reason_in_use(fake.root, "-:g/e", 5, &err);
	assert_non_null(strstr(err.hint, "in the instance 'busy'"));
	tfs_err_clear(&err);
	tfs_reason_in_use(fake.root, "p:g/e /bin/true:0", 17, &err);
	tfs_reason_in_use(fake.root, "-:e", 3, &err);
	tfs_reason_in_use(NULL, "-:g/e", 5, &err);
	assert_string_equal(err.hint, "");
	fake_free(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_error_suggests_root_and_the_group_to_a_user),
		cmocka_unit_test(an_error_mentions_lockdown_to_root_where_it_is_known),
		cmocka_unit_test(a_read_only_mount_is_named),
		cmocka_unit_test(a_missing_file_is_not_in_this_kernel),
		cmocka_unit_test(known_files_explain_their_own_errnos),
		cmocka_unit_test(prints_nothing_where_nothing_is_known),
		cmocka_unit_test(this_process_is_looked_at),
		cmocka_unit_test(who_uses_an_event_is_named),
		cmocka_unit_test(a_format_lists_the_fields),
		cmocka_unit_test(a_refused_filter_is_answered_with_the_fields),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("reason", tests, NULL, NULL);
}
