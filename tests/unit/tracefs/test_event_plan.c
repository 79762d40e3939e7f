/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "lib/alloc_fail.h"
#include "lib/fake.h"
#include "tracefs/event-plan.h"
#include "tracefs/event.h"
#include "tracefs/instance.h"
#include "tracefs/plan.h"
#include "tracefs/root.h"

struct state {
	struct tfs_strvec names;
	struct tfs_instance inst;
	struct tfs_strbuf sb;
	struct fake fake;
	struct tfs_err err;
};

static int setup(void **state)
{
	static const char *const names[] = {
		"irq:irq_handler_entry", "irq:softirq_entry",  "sched:sched_switch",
		"sched:sched_wakeup",    "sched:sched_waking",
	};
	struct state *s = calloc(1, sizeof(*s));
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(tfs_strvec_push(&s->names, names[i]), 0);
	tfs_strvec_sort(&s->names);
	assert_int_equal(tfs_instance_named(&s->inst, "i", NULL), 0);
	tfs_strbuf_init(&s->sb);
	s->err = TFS_ERR_INIT;
	fake_new(&s->fake, NULL);
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct state *s = *state;

	tfs_strvec_release(&s->names);
	tfs_strbuf_release(&s->sb);
	fake_free(&s->fake);
	free(s);
	return 0;
}

/* The plan for @specs as shell commands, without what every line has in common. */
static const char *planned(struct state *s, struct tfs_event_spec *specs, size_t n)
{
	static const char common[] = "/sys/kernel/tracing/";
	struct tfs_plan *plan;
	size_t i;
	char *p;

	tfs_strbuf_reset(&s->sb);
	assert_int_equal(tfs_plan_new(NULL, &plan), 0);
	assert_int_equal(tfs_event_resolve(specs, n, &s->names, 0, NULL, &s->err), 0);
	assert_int_equal(tfs_event_plan(specs, n, &s->names, &s->inst, plan, &s->err), 0);
	assert_int_equal(tfs_plan_print(plan, s->inst.name[0] ? 0 : TFS_PLAN_UNDO, &s->sb), 0);
	while (s->sb.len && (p = strstr(s->sb.s, common)))
		memmove(p, p + strlen(common), strlen(p + strlen(common)) + 1);
	tfs_plan_free(plan);
	for (i = 0; i < n; i++)
		tfs_strvec_release(&specs[i].matched);
	return s->sb.s;
}

static void a_system_is_enabled_by_one_write(void **state)
{
	struct tfs_event_spec spec = { .text = "sched" };

	assert_string_equal(planned(*state, &spec, 1),
			    "echo 1 > instances/i/events/sched/enable\n");
}

static void everything_is_enabled_by_one_write(void **state)
{
	struct tfs_event_spec spec = { .text = "all" }, each = { .text = "*r*:*" };

	assert_string_equal(planned(*state, &spec, 1), "echo 1 > instances/i/events/enable\n");
	assert_string_equal(planned(*state, &each, 1), "echo 1 > instances/i/events/irq/enable\n");
}

static void matched_events_are_enabled_one_by_one(void **state)
{
	struct tfs_event_spec spec = { .text = "*wak*" };

	assert_string_equal(planned(*state, &spec, 1),
			    "echo 1 > instances/i/events/sched/sched_wakeup/enable\n"
			    "echo 1 > instances/i/events/sched/sched_waking/enable\n");
}

static void excluded_events_are_switched_off_after_those_before_them(void **state)
{
	struct tfs_event_spec specs[] = {
		{ .text = "all" },
		{ .text = "irq", .exclude = true },
		{ .text = "sched_waking", .filter = "x == 1", .exclude = true },
	};

	assert_string_equal(planned(*state, specs, 3),
			    "echo 1 > instances/i/events/enable\n"
			    "echo 0 > instances/i/events/irq/enable\n"
			    "echo 0 > instances/i/events/sched/sched_waking/enable\n");
}

static void filters_come_before_their_events_are_enabled(void **state)
{
	struct tfs_event_spec specs[] = {
		{ .text = "irq", .filter = "irq != 3" },
		{ .text = "sched_switch", .filter = "prev_comm == \"a\"" },
	};

	assert_string_equal(
		planned(*state, specs, 2),
		"echo 'irq != 3' > instances/i/events/irq/irq_handler_entry/filter\n"
		"echo 'irq != 3' > instances/i/events/irq/softirq_entry/filter\n"
		"echo 1 > instances/i/events/irq/enable\n"
		"echo 'prev_comm == \"a\"' > instances/i/events/sched/sched_switch/filter\n"
		"echo 1 > instances/i/events/sched/sched_switch/enable\n");
}

/* Others trace there too: every file that changes is put back, so none may be a system's. */
static void at_the_top_level_each_event_is_put_back(void **state)
{
	struct tfs_event_spec spec = { .text = "irq", .filter = "irq == 1" };
	struct state *s = *state;

	tfs_instance_top(&s->inst);
	assert_string_equal(
		planned(s, &spec, 1),
		"echo 'irq == 1' > events/irq/irq_handler_entry/filter\n"
		"echo 'irq == 1' > events/irq/softirq_entry/filter\n"
		"echo 1 > events/irq/irq_handler_entry/enable\n"
		"echo 1 > events/irq/softirq_entry/enable\n"
		"# undo\n"
		"# write back what was there before: events/irq/softirq_entry/enable\n"
		"# write back what was there before: events/irq/irq_handler_entry/enable\n"
		"# write back what was there before: events/irq/softirq_entry/filter\n"
		"# write back what was there before: events/irq/irq_handler_entry/filter\n");
}

static void no_match_makes_no_step(void **state)
{
	struct tfs_event_spec spec = { .text = "nosuch" };
	struct state *s = *state;
	struct tfs_plan *plan;

	assert_int_equal(tfs_plan_new(NULL, &plan), 0);
	assert_int_equal(tfs_event_plan(&spec, 1, &s->names, &s->inst, plan, &s->err), 0);
	assert_int_equal(tfs_event_plan(NULL, 0, &s->names, &s->inst, plan, &s->err), 0);
	assert_int_equal(tfs_plan_print(plan, TFS_PLAN_UNDO, &s->sb), 0);
	assert_string_equal(s->sb.s, "# undo\n");
	tfs_plan_free(plan);
}

/* Apply @spec to a fake instance in which only the files of @files exist. */
static int applied(struct state *s, struct tfs_event_spec *spec, const char *const *files, size_t n,
		   struct tfs_plan **plan)
{
	size_t i;
	int rc;

	for (i = 0; i < n; i++)
		fake_put(&s->fake, files[i], "0\n");
	assert_int_equal(tfs_plan_new(s->fake.root, plan), 0);
	assert_int_equal(tfs_event_resolve(spec, 1, &s->names, 0, NULL, &s->err), 0);
	assert_int_equal(tfs_event_plan(spec, 1, &s->names, &s->inst, *plan, &s->err), 0);
	rc = tfs_plan_apply(*plan, &s->err);
	tfs_strvec_release(&spec->matched);
	return rc;
}

static void a_systems_event_without_the_field_is_a_notice(void **state)
{
	static const char *const files[] = {
		"instances/i/events/sched/sched_switch/filter",
		"instances/i/events/sched/enable",
	};
	struct tfs_event_spec spec = { .text = "sched", .filter = "prev_pid == 1" };
	struct state *s = *state;
	struct tfs_plan *plan;

	assert_int_equal(applied(s, &spec, files, 2, &plan), 0);
	assert_int_equal(tfs_plan_notices(plan), 1);
	assert_non_null(strstr(tfs_plan_notice(plan, 0)->msg,
			       "some events of 'sched' are recorded "
			       "without the filter (2 of 3): cannot filter event 'sched:"));
	assert_string_equal(fake_get(&s->fake, files[0]), "prev_pid == 1\n");
	assert_string_equal(fake_get(&s->fake, files[1]), "1\n");
	tfs_plan_free(plan);
}

static void a_filter_that_no_event_takes_is_an_error(void **state)
{
	static const char *const files[] = { "instances/i/events/sched/enable" };
	struct tfs_event_spec spec = { .text = "sched", .filter = "prev_pid == 1" };
	struct state *s = *state;
	struct tfs_plan *plan;

	assert_int_equal(applied(s, &spec, files, 1, &plan), -ENOENT);
	assert_non_null(strstr(s->err.msg, "cannot filter event 'sched:sched_"));
	assert_string_equal(s->err.input, "prev_pid == 1");
	assert_string_equal(fake_get(&s->fake, files[0]), "0\n");
	tfs_plan_free(plan);
}

static void a_named_event_has_to_take_its_filter(void **state)
{
	static const char *const files[] = {
		"instances/i/events/sched/sched_waking/filter",
		"instances/i/events/sched/sched_waking/enable",
		"instances/i/events/sched/sched_wakeup/enable",
	};
	struct tfs_event_spec spec = { .text = "sched_wak*", .filter = "pid == 1" };
	struct state *s = *state;
	struct tfs_plan *plan;

	assert_int_equal(applied(s, &spec, files, 3, &plan), -ENOENT);
	assert_non_null(strstr(s->err.msg, "cannot filter event 'sched:sched_wakeup'"));
	tfs_plan_free(plan);
}

static void one_of_several_may_refuse_to_be_enabled(void **state)
{
	static const char *const files[] = { "instances/i/events/sched/sched_waking/enable" };
	struct tfs_event_spec spec = { .text = "*wak*" }, one = { .text = "sched_wakeup" };
	struct state *s = *state;
	struct tfs_plan *plan;

	assert_int_equal(applied(s, &spec, files, 1, &plan), 0);
	assert_int_equal(tfs_plan_notices(plan), 1);
	assert_non_null(strstr(tfs_plan_notice(plan, 0)->msg,
			       "not everything that '*wak*' matches "
			       "is enabled (1 of 2): cannot enable event 'sched:sched_wakeup'"));
	tfs_plan_free(plan);
	assert_int_equal(applied(s, &one, files, 1, &plan), -ENOENT);
	assert_non_null(strstr(s->err.msg, "cannot enable event 'sched:sched_wakeup'"));
	tfs_plan_free(plan);
}

static void a_system_that_refuses_is_an_error(void **state)
{
	struct tfs_event_spec spec = { .text = "sched" }, all = { .text = "all" };
	struct state *s = *state;
	struct tfs_plan *plan;

	assert_int_equal(applied(s, &spec, NULL, 0, &plan), -ENOENT);
	assert_non_null(strstr(s->err.msg, "cannot enable the events of 'sched': cannot write"));
	tfs_plan_free(plan);
	assert_int_equal(applied(s, &all, NULL, 0, &plan), -ENOENT);
	assert_non_null(strstr(s->err.msg, "cannot enable all events: cannot write '1' to '"));
	tfs_plan_free(plan);
}

static void no_memory_is_an_error_at_every_allocation(void **state)
{
	struct tfs_event_spec specs[] = {
		{ .text = "sched", .filter = "pid == 1" },
		{ .text = "all" },
		{ .text = "*wak*", .exclude = true },
	};
	struct state *s = *state;
	struct tfs_plan *plan;
	size_t n, i;
	int rc;

	assert_int_equal(tfs_event_resolve(specs, 3, &s->names, 0, NULL, &s->err), 0);
	for (n = 0; n < 1000; n++) {
		assert_int_equal(tfs_plan_new(NULL, &plan), 0);
		alloc_fail_at(n);
		rc = tfs_event_plan(specs, 3, &s->names, &s->inst, plan, &s->err);
		tfs_plan_free(plan);
		if (!alloc_fail_off())
			break;
		assert_int_equal(rc, -ENOMEM);
	}
	assert_in_range(n, 10, 999);
	assert_int_equal(rc, 0);
	for (i = 0; i < 3; i++)
		tfs_strvec_release(&specs[i].matched);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_system_is_enabled_by_one_write),
		T(everything_is_enabled_by_one_write),
		T(matched_events_are_enabled_one_by_one),
		T(excluded_events_are_switched_off_after_those_before_them),
		T(filters_come_before_their_events_are_enabled),
		T(at_the_top_level_each_event_is_put_back),
		T(no_match_makes_no_step),
		T(a_systems_event_without_the_field_is_a_notice),
		T(a_filter_that_no_event_takes_is_an_error),
		T(a_named_event_has_to_take_its_filter),
		T(one_of_several_may_refuse_to_be_enabled),
		T(a_system_that_refuses_is_an_error),
		T(no_memory_is_an_error_at_every_allocation),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("event-plan", tests, NULL, NULL);
}
