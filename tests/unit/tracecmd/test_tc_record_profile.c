/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-record-profile.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "lib/fake.h"
#include "tc-record-opts.h"
#include "tc-record-show.h"
#include "trace-plan.h"
#include "tracefs/event.h"
#include "tracefs/instance.h"
#include "tracefs/plan.h"

struct fixture {
	struct record_request req;
	struct record_profile profile;
	struct trace_found found;
	struct tfs_strbuf text;
	struct tfs_err err;
};

static int setup(void **state)
{
	static const char *const names[] = {
		"irq_vectors:local_timer_entry",
		"sched:sched_process_fork",
		"sched:sched_stat_runtime",
		"sched:sched_switch",
		"sched:sched_waking",
	};
	struct fixture *f = calloc(1, sizeof(*f));
	int rc = 0;

	if (!f)
		return -1;
	f->err = TFS_ERR_INIT;
	tfs_strbuf_init(&f->text);
	tfs_strbuf_init(&f->profile.filter);
	tfs_strbuf_init(&f->profile.payload);
	record_init(&f->req);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !rc; i++)
		rc = tfs_strvec_push(&f->found.names, names[i]);
	*state = f;
	return rc;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	record_release(&f->req);
	record_profile_release(&f->profile);
	trace_found_release(&f->found);
	tfs_strbuf_release(&f->text);
	free(f);
	return 0;
}

/* Parse and check the words up to NULL; those after "--" are COMMAND. */
static int ask(struct fixture *f, const char *const *words)
{
	char *argv[32] = { (char *)"tc-record" };
	struct tc_opt_result res;
	int argc = 1, rc;

	record_release(&f->req);
	memset(&f->req, 0, sizeof(f->req));
	record_init(&f->req);
	f->err = TFS_ERR_INIT;
	while (words[argc - 1]) {
		argv[argc] = (char *)words[argc - 1];
		argc++;
	}
	rc = tc_opt_parse(record_options, argc, argv, &f->req, &res, &f->err);
	return rc ? rc : record_check(&f->req, argc - res.first, argv + res.first, &f->err);
}
#define ASK(f, ...) ask(f, (const char *const[]){ __VA_ARGS__, NULL })

/* The plan of what was asked, as shell commands; @threads: of the buffer of samples, NULL: all */
static const char *plan_of(struct fixture *f, const char *threads)
{
	const struct tc_clauses *c = &f->req.trace.clauses;
	struct tfs_instance inst;
	struct tfs_plan *plan;
	struct tfs_strvec *list = &f->req.trace.buffers[f->req.profile.samples].threads;

	assert_int_equal(tfs_instance_named(&inst, "x", NULL), 0);
	assert_int_equal(trace_choose_instances(&f->req.trace, NULL, NULL, &inst, &f->err), 0);
	assert_int_equal(record_profile_dry_run(&f->profile, &f->req), 0);
	if (threads)
		assert_int_equal(tfs_strvec_push(list, threads), 0);
	assert_int_equal(tfs_event_resolve(c->events, c->n, &f->found.names, 0, NULL, &f->err), 0);
	assert_int_equal(tfs_plan_new(NULL, &plan), 0);
	assert_int_equal(trace_plan(&f->req.trace, &f->found, plan, &f->err), 0);
	tfs_strbuf_reset(&f->text);
	assert_int_equal(tfs_plan_print(plan, 0, &f->text), 0);
	tfs_plan_free(plan);
	return f->text.s;
}

static void rates_have_bounds_and_defaults(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(ASK(f, "--profile-cpu"), 0);
	assert_true(f->req.profile.on && !f->req.profile.tick);
	assert_int_equal(f->req.profile.hz, 97);
	assert_int_equal(ASK(f, "--profile-cpu", "--", "true"), 0);
	assert_int_equal(f->req.profile.hz, 997);
	assert_int_equal(ASK(f, "--profile-cpu", "-P", "1"), 0);
	assert_int_equal(f->req.profile.hz, 997);
	assert_int_equal(ASK(f, "--profile-cpu=10000"), 0);
	assert_int_equal(f->req.profile.hz, 10000);
	assert_int_equal(ASK(f, "--profile-cpu=tick"), 0);
	assert_true(f->req.profile.tick);
	assert_int_equal(ASK(f, "--profile-cpu=0"), -ERANGE);
	assert_int_equal(ASK(f, "--profile-cpu=10001"), -ERANGE);
	assert_int_equal(ASK(f, "--profile-cpu=tock"), -EINVAL);
	assert_int_equal(ASK(f, "--profile-cpu=-1"), -EINVAL);
	assert_int_equal(ASK(f, "--profile-cpu", "-B", "samples", "-e", "sched"), -EINVAL);
	assert_non_null(strstr(f->err.msg, "'samples'"));
}

static void samples_and_run_times_have_buffers_of_their_own(void **state)
{
	struct fixture *f = *state;
	const char *text;

	assert_int_equal(ASK(f, "--profile-cpu"), 0);
	text = plan_of(f, NULL);
	assert_non_null(strstr(text, "mkdir /sys/kernel/tracing/instances/samples\n"));
	assert_non_null(strstr(text, "mkdir /sys/kernel/tracing/instances/runtime\n"));
	assert_null(strstr(text, "instances/x"));
	/* of the whole system: nobody's children are followed */
	assert_null(strstr(text, "sched_process_fork"));
	assert_null(strstr(text, "event-fork"));
	assert_non_null(strstr(text, "instances/samples/events/sched/sched_waking/filter\n"));
	assert_non_null(strstr(text, "instances/runtime/events/sched/sched_stat_runtime/enable\n"));
	assert_null(strstr(text, "instances/runtime/events/sched/sched_waking"));
}

static void an_event_of_e_stays_in_the_main_buffer(void **state)
{
	struct fixture *f = *state;
	const char *text;

	assert_int_equal(ASK(f, "-e", "sched_switch", "--profile-cpu", "-v", "-e", "irq_vectors"),
			 0);
	text = plan_of(f, NULL);
	assert_non_null(strstr(text, "echo 1 > /sys/kernel/tracing/instances/x/events/sched/"
				     "sched_switch/enable\n"));
	/* what comes after -v is not what a profile enables */
	assert_non_null(strstr(text, "echo 1 > /sys/kernel/tracing/instances/samples/events/sched/"
				     "sched_waking/enable\n"));
	assert_non_null(strstr(text, "echo 0 > /sys/kernel/tracing/instances/x/events/irq_vectors/"
				     "enable\n"));
}

static void only_command_and_its_children_are_sampled(void **state)
{
	struct fixture *f = *state;
	const struct trace_buffer *buffers;
	const char *text;

	assert_int_equal(ASK(f, "-e", "sched_switch", "--profile-cpu", "--", "true"), 0);
	buffers = f->req.trace.buffers;
	assert_false(trace_wants_command(&f->req.trace, &buffers[0]));
	assert_true(trace_wants_command(&f->req.trace, &buffers[f->req.profile.samples]));
	assert_false(trace_wants_command(&f->req.trace, &buffers[f->req.profile.runtime]));
	text = plan_of(f, "77");
	assert_non_null(strstr(text, "echo 1 > /sys/kernel/tracing/instances/samples/options/"
				     "event-fork\n"));
	assert_non_null(strstr(text, "echo 77 >> /sys/kernel/tracing/instances/samples/"
				     "set_event_pid\n"));
	/* run time is of all tasks: whoever accounts it is not always the task itself */
	assert_null(strstr(text, "instances/runtime/set_event_pid"));
	assert_null(strstr(text, "instances/runtime/options/event-fork"));
	assert_non_null(strstr(text, "instances/runtime/events/sched/sched_process_fork/enable"));
	/* the same with -F */
	assert_int_equal(ASK(f, "--profile-cpu", "-F", "--", "true"), 0);
	buffers = f->req.trace.buffers;
	assert_false(trace_wants_command(&f->req.trace, &buffers[f->req.profile.runtime]));
}

static void tasks_and_cpus_are_those_of_the_main_buffer(void **state)
{
	struct fixture *f = *state;
	const struct trace_buffer *samples;

	assert_int_equal(ASK(f, "--profile-cpu", "-P", "5,6", "--cpus", "1", "-B", "other", "-e",
			     "sched_switch", "-P", "7", "--", "true"),
			 0);
	samples = &f->req.trace.buffers[f->req.profile.samples];
	assert_int_equal(samples->n_pids, 2);
	assert_int_equal(samples->pids[1], 6);
	assert_string_equal(samples->mask, "2");
	assert_false(trace_wants_command(&f->req.trace, samples));
	assert_string_equal(f->req.trace.buffers[f->req.profile.runtime].mask, "2");
}

static void a_size_that_was_asked_for_is_that_of_all_buffers(void **state)
{
	struct fixture *f = *state;
	const char *text;

	assert_int_equal(ASK(f, "--profile-cpu"), 0);
	text = plan_of(f, NULL);
	assert_non_null(strstr(text, "echo 1024 > /sys/kernel/tracing/instances/samples/"
				     "buffer_size_kb\n"));
	assert_non_null(strstr(text, "echo 2048 > /sys/kernel/tracing/instances/runtime/"
				     "buffer_size_kb\n"));
	assert_int_equal(ASK(f, "--profile-cpu", "-b", "16M"), 0);
	text = plan_of(f, NULL);
	assert_non_null(strstr(text, "echo 16384 > /sys/kernel/tracing/instances/samples/"
				     "buffer_size_kb\n"));
	assert_non_null(strstr(text, "echo 16384 > /sys/kernel/tracing/instances/runtime/"
				     "buffer_size_kb\n"));
}

static void ticks_of_idle_cpus_are_left_out(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(ASK(f, "--profile-cpu=tick"), 0);
	assert_non_null(strstr(plan_of(f, NULL),
			       "echo 'common_pid != 0' > /sys/kernel/tracing/instances/samples/"
			       "events/irq_vectors/local_timer_entry/filter\n"));
}

/* A kernel that has these files, up to NULL, and what place() makes of it */
static int place_in(struct fixture *f, const char *const *files, struct tfs_strvec *notices)
{
	struct tfs_instance main_buffer;
	struct fake fake;
	int rc;

	fake_new(&fake, NULL);
	tfs_instance_private(&main_buffer, "tc-record");
	for (; *files; files++)
		fake_put(&fake, *files, "");
	rc = record_profile_place(&f->req, &main_buffer, fake.root, notices, &f->err);
	fake_free(&fake);
	return rc;
}
#define PLACE(f, notices, ...) place_in(f, (const char *const[]){ __VA_ARGS__, NULL }, notices)

#define WAKING "events/sched/sched_waking/enable"
#define RUNTIME "events/sched/sched_stat_runtime/enable"
#define TICK "events/irq_vectors/local_timer_entry/enable"
#define HRTIMER "events/timer/hrtimer_expire_entry/enable"
#define KERNEL_STACKS "options/stacktrace"
#define USER_STACKS "options/userstacktrace"

static const char *event_of(const struct fixture *f, size_t buffer)
{
	const struct trace_buffer *buf = &f->req.trace.buffers[buffer];

	return f->req.trace.clauses.events[buf->first].text;
}

static bool says(const struct tfs_strvec *notices, const char *text)
{
	for (size_t i = 0; i < notices->n; i++) {
		if (strstr(notices->v[i], text))
			return true;
	}
	return false;
}

static void instances_have_the_name_of_the_process(void **state)
{
	struct fixture *f = *state;
	struct tfs_strvec notices = TFS_STRVEC_INIT;
	char want[64];

	assert_int_equal(ASK(f, "--profile-cpu"), 0);
	assert_int_equal(PLACE(f, &notices, WAKING, RUNTIME, KERNEL_STACKS, USER_STACKS), 0);
	snprintf(want, sizeof(want), "tc-record.%d.samples", (int)getpid());
	assert_string_equal(f->req.trace.buffers[f->req.profile.samples].inst.name, want);
	assert_string_equal(event_of(f, f->req.profile.samples), "sched:sched_waking");
	assert_string_equal(event_of(f, f->req.profile.runtime), "sched:sched_stat_runtime");
	assert_int_equal(f->req.trace.buffers[f->req.profile.runtime].options.n, 0);
	assert_true(tfs_strvec_has(&f->req.trace.buffers[f->req.profile.samples].options,
				   "stacktrace"));
	tfs_strvec_release(&notices);
}

static void a_kernel_without_sched_waking_samples_at_ticks(void **state)
{
	struct fixture *f = *state;
	struct tfs_strvec notices = TFS_STRVEC_INIT;

	assert_int_equal(ASK(f, "--profile-cpu"), 0);
	assert_int_equal(PLACE(f, &notices, RUNTIME, TICK, HRTIMER, KERNEL_STACKS, USER_STACKS), 0);
	assert_true(f->req.profile.tick);
	assert_true(says(&notices, "sched:sched_waking"));
	assert_string_equal(event_of(f, f->req.profile.samples), "irq_vectors:local_timer_entry");
	tfs_strvec_release(&notices);
	notices = (struct tfs_strvec)TFS_STRVEC_INIT;
	assert_int_equal(ASK(f, "--profile-cpu=tick"), 0);
	assert_int_equal(PLACE(f, &notices, WAKING, RUNTIME, HRTIMER, KERNEL_STACKS, USER_STACKS),
			 0);
	assert_false(says(&notices, "sched:sched_waking"));
	assert_string_equal(event_of(f, f->req.profile.samples), "timer:hrtimer_expire_entry");
	tfs_strvec_release(&notices);
}

static void a_kernel_without_timers_cannot_be_sampled(void **state)
{
	struct fixture *f = *state;
	struct tfs_strvec notices = TFS_STRVEC_INIT;

	assert_int_equal(ASK(f, "--profile-cpu"), 0);
	assert_int_equal(PLACE(f, &notices, RUNTIME, KERNEL_STACKS, USER_STACKS), -ENOENT);
	assert_non_null(strstr(f->err.msg, "no event to sample"));
	tfs_strvec_release(&notices);
}

static void a_kernel_without_run_times_or_user_stacks_says_so(void **state)
{
	struct fixture *f = *state;
	struct tfs_strvec notices = TFS_STRVEC_INIT;
	const struct tfs_strvec *options;

	assert_int_equal(ASK(f, "--profile-cpu"), 0);
	assert_int_equal(PLACE(f, &notices, WAKING, KERNEL_STACKS), 0);
	assert_true(says(&notices, "sched:sched_stat_runtime"));
	assert_string_equal(event_of(f, f->req.profile.runtime), "sched:sched_switch");
	assert_true(says(&notices, "stacks of user space"));
	options = &f->req.trace.buffers[f->req.profile.samples].options;
	assert_int_equal(options->n, 1);
	assert_string_equal(options->v[0], "stacktrace");
	tfs_strvec_release(&notices);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rates_have_bounds_and_defaults),
		TEST(samples_and_run_times_have_buffers_of_their_own),
		TEST(an_event_of_e_stays_in_the_main_buffer),
		TEST(only_command_and_its_children_are_sampled),
		TEST(tasks_and_cpus_are_those_of_the_main_buffer),
		TEST(a_size_that_was_asked_for_is_that_of_all_buffers),
		TEST(ticks_of_idle_cpus_are_left_out),
		TEST(instances_have_the_name_of_the_process),
		TEST(a_kernel_without_sched_waking_samples_at_ticks),
		TEST(a_kernel_without_timers_cannot_be_sampled),
		TEST(a_kernel_without_run_times_or_user_stacks_says_so),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
