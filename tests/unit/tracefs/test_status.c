/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "lib/fake.h"
#include "tracefs/instance.h"
#include "tracefs/plan.h"
#include "tracefs/reset.h"
#include "tracefs/status.h"

struct fixture {
	struct fake fake;
	struct tfs_instance top;
	struct tfs_status state;
	struct tfs_plan *plan;
	struct tfs_err err;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	fake_new(&f->fake, "x86_64-6.12");
	fake_put(&f->fake, "per_cpu/cpu0/buffer_size_kb", "7 (expanded: 1408)\n");
	fake_put(&f->fake, "per_cpu/cpu0/stats", "entries: 3\noverrun: 5\nread events: 9\n");
	fake_put(&f->fake, "per_cpu/cpu1/buffer_size_kb", "64\n");
	fake_put(&f->fake, "tracing_cpumask", "3\n");
	fake_put(&f->fake, "buffer_total_size_kb", "128\n");
	tfs_status_init(&f->state);
	f->err = TFS_ERR_INIT;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tfs_plan_free(f->plan);
	tfs_status_release(&f->state);
	fake_free(&f->fake);
	free(f);
	return 0;
}

static void read_state(struct fixture *f)
{
	if (tfs_status_read(f->fake.root, &f->top, &f->state, &f->err))
		fail_msg("%s", f->err.msg);
}

/* A note of the list, as "WHAT: TEXT" */
static void assert_note(const struct tfs_status_notes *notes, size_t i, const char *what,
			const char *text)
{
	assert_true(i < notes->n);
	assert_string_equal(notes->v[i].what, what);
	assert_string_equal(notes->v[i].text, text);
}

/* Captured from a machine that nobody had traced on yet */
static void an_untouched_tracefs_has_nothing_set(void **state)
{
	struct fixture *f = *state;

	read_state(f);
	assert_true(f->state.on);
	assert_true(tfs_status_is_idle(&f->state));
	assert_int_equal(f->state.n_events, 0);
	assert_int_equal(f->state.filters.n, 0);
	assert_int_equal(f->state.triggers.n, 0);
	assert_int_equal(f->state.settings.n, 0);
	assert_int_equal(f->state.options.n, 0);
	assert_true(f->state.all_options.n > 20);
	assert_string_equal(f->state.clock.s, "local");
	assert_int_equal(f->state.n_cpus, 2);
	assert_int_equal(f->state.cpus[0].kb, 0);
	assert_int_equal(f->state.cpus[0].stats.entries, 3);
	assert_int_equal(f->state.cpus[0].stats.overrun, 5);
	assert_int_equal(f->state.cpus[0].stats.read, 9);
	assert_int_equal(f->state.cpus[1].kb, 64);
	assert_int_equal(f->state.total_kb, 128);
}

static void set_everything(struct fixture *f)
{
	const struct fake *k = &f->fake;

	fake_put(k, "tracing_on", "0\n");
	fake_put(k, "current_tracer", "function\n");
	fake_put(k, "trace_clock", "local global [mono]\n");
	fake_put(k, "set_event", "timer:timer_start\nsched:sched_waking\ntask:task_rename\n");
	fake_put(k, "events/task/enable", "1\n");
	fake_put(k, "events/timer/enable", "X\n");
	fake_put(k, "events/sched/enable", "X\n");
	fake_put(k, "events/task/task_rename/filter", "pid > 1\n");
	fake_put(k, "events/task/task_newtask/filter",
		 "nosuch == 1\n^\nparse_error: Field not found\n");
	fake_put(k, "events/task/task_rename/trigger",
		 "stacktrace:unlimited\n"
		 "hist:keys=pid:vals=hitcount:sort=hitcount:size=2048 [active]\n");
	fake_put(k, "events/task/task_newtask/trigger",
		 "# Available triggers:\n# traceon traceoff\n");
	fake_put(k, "set_event_pid", "1\n77\n");
	fake_put(k, "set_ftrace_filter", "vfs_read\nvfs_write\n");
	fake_put(k, "set_ftrace_notrace", "#### no functions disabled ####\n");
	fake_put(k, "set_ftrace_pid", "no pid\n");
	fake_put(k, "tracing_cpumask", "1\n");
	fake_put(k, "max_graph_depth", "5\n");
	fake_put(k, "trace_options", "print-parent\nstacktrace\nnooverwrite\nnosym-addr\n");
}

static void reports_the_settings(void **state)
{
	struct fixture *f = *state;

	set_everything(f);
	read_state(f);
	assert_false(f->state.on);
	assert_false(tfs_status_is_idle(&f->state));
	assert_string_equal(f->state.tracer.s, "function");
	assert_string_equal(f->state.clock.s, "mono");
	assert_int_equal(f->state.n_events, 3);
	assert_int_equal(f->state.events.n, 3);
	assert_string_equal(f->state.events.v[0], "sched:sched_waking");
	assert_string_equal(f->state.events.v[1], "task:*");
	assert_string_equal(f->state.events.v[2], "timer:timer_start");
	/* one that was refused is not in force */
	assert_int_equal(f->state.filters.n, 1);
	assert_note(&f->state.filters, 0, "task:task_rename", "pid > 1");
	assert_int_equal(f->state.triggers.n, 2);
	assert_note(&f->state.triggers, 0, "task:task_rename", "stacktrace:unlimited");
	assert_int_equal(f->state.settings.n, 4);
	assert_note(&f->state.settings, 0, "set_event_pid", "1\n77");
	assert_note(&f->state.settings, 1, "set_ftrace_filter", "vfs_read\nvfs_write");
	assert_note(&f->state.settings, 2, "max_graph_depth", "5");
	assert_note(&f->state.settings, 3, "tracing_cpumask", "1");
	assert_int_equal(f->state.options.n, 2);
	assert_string_equal(f->state.options.v[0], "stacktrace");
	assert_string_equal(f->state.options.v[1], "nooverwrite");
}

static void a_missing_instance_has_no_status(void **state)
{
	struct fixture *f = *state;
	struct tfs_instance inst;

	assert_int_equal(tfs_instance_named(&inst, "nosuch", NULL), 0);
	assert_int_equal(tfs_status_read(f->fake.root, &inst, &f->state, &f->err), -ENOENT);
	assert_non_null(strstr(f->err.msg, "instances/nosuch/tracing_on"));
}

static void instances_are_listed(void **state)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	struct fixture *f = *state;

	fake_put(&f->fake, "instances/b/tracing_on", "1\n");
	fake_put(&f->fake, "instances/a/tracing_on", "1\n");
	assert_int_equal(tfs_status_instances(f->fake.root, &names, &f->err), 0);
	assert_int_equal(names.n, 2);
	assert_string_equal(names.v[0], "a");
	assert_string_equal(names.v[1], "b");
	tfs_strvec_release(&names);
}

static void reset_writes_back_the_settings(void **state)
{
	struct fixture *f = *state;

	set_everything(f);
	fake_put(&f->fake, "trace", "something\n");
	fake_put(&f->fake, "events/enable", "X\n");
	fake_put(&f->fake, "options/stacktrace", "1\n");
	fake_put(&f->fake, "options/overwrite", "0\n");
	fake_put(&f->fake, "buffer_size_kb", "99\n");
	read_state(f);
	assert_int_equal(tfs_plan_new(f->fake.root, &f->plan), 0);
	assert_int_equal(tfs_reset_plan(&f->state, &f->top, f->plan), 0);
	assert_int_equal(tfs_plan_apply(f->plan, &f->err), 0);
	assert_int_equal(tfs_plan_notices(f->plan), 0);
	assert_string_equal(fake_get(&f->fake, "tracing_on"), "1\n");
	assert_string_equal(fake_get(&f->fake, "current_tracer"), "nop\n");
	assert_string_equal(fake_get(&f->fake, "trace_clock"), "local\n");
	assert_string_equal(fake_get(&f->fake, "events/enable"), "0\n");
	assert_string_equal(fake_get(&f->fake, "events/task/task_rename/filter"), "0\n");
	assert_string_equal(fake_get(&f->fake, "events/task/task_rename/trigger"),
			    "!stacktrace:unlimited\n");
	assert_string_equal(fake_get(&f->fake, "set_event_pid"), "");
	assert_string_equal(fake_get(&f->fake, "set_ftrace_filter"), "");
	assert_string_equal(fake_get(&f->fake, "max_graph_depth"), "0\n");
	assert_string_equal(fake_get(&f->fake, "tracing_cpumask"), "3\n");
	assert_string_equal(fake_get(&f->fake, "options/stacktrace"), "0\n");
	assert_string_equal(fake_get(&f->fake, "options/overwrite"), "1\n");
	assert_string_equal(fake_get(&f->fake, "trace"), "");
	/* left alone */
	assert_string_equal(fake_get(&f->fake, "buffer_size_kb"), "99\n");
}

/* Of 70 CPUs: the kernel takes no more digits than it has CPUs, in groups of eight. */
static void a_full_mask_has_every_cpu_and_no_more(void **state)
{
	struct fixture *f = *state;

	fake_put(&f->fake, "per_cpu/cpu69/stats", "");
	fake_put(&f->fake, "tracing_cpumask", "00,00000000,00000001\n");
	read_state(f);
	assert_int_equal(f->state.settings.n, 1);
	assert_int_equal(tfs_plan_new(f->fake.root, &f->plan), 0);
	assert_int_equal(tfs_reset_plan(&f->state, &f->top, f->plan), 0);
	assert_int_equal(tfs_plan_apply(f->plan, &f->err), 0);
	assert_string_equal(fake_get(&f->fake, "tracing_cpumask"), "3f,ffffffff,ffffffff\n");
	tfs_status_release(&f->state);
	read_state(f);
	assert_int_equal(f->state.settings.n, 0);
}

static void a_refusal_is_a_notice_and_the_rest_is_done(void **state)
{
	struct fixture *f = *state;

	set_everything(f);
	read_state(f);
	fake_run((const char *const[]){ "rm", fake_path(&f->fake, "max_graph_depth"), NULL });
	fake_run((const char *const[]){ "mkdir", fake_path(&f->fake, "max_graph_depth"), NULL });
	assert_int_equal(tfs_plan_new(f->fake.root, &f->plan), 0);
	assert_int_equal(tfs_reset_plan(&f->state, &f->top, f->plan), 0);
	assert_int_equal(tfs_plan_apply(f->plan, &f->err), 0);
	assert_true(tfs_plan_notices(f->plan) > 0);
	assert_string_equal(fake_get(&f->fake, "tracing_on"), "1\n");
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(an_untouched_tracefs_has_nothing_set),
		T(reports_the_settings),
		T(a_missing_instance_has_no_status),
		T(instances_are_listed),
		T(reset_writes_back_the_settings),
		T(a_full_mask_has_every_cpu_and_no_more),
		T(a_refusal_is_a_notice_and_the_rest_is_done),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("state", tests, NULL, NULL);
}
