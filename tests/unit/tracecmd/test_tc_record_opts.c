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
#include "base/strbuf.h"
#include "base/strvec.h"
#include "event/event.h"
#include "fs/instance.h"
#include "fs/plan.h"
#include "tc-record-opts.h"

#define MIB (1024 * 1024ULL)

struct fixture {
	struct record_request req;
	struct tfs_err err;
	struct tfs_strvec names;
	struct tfs_instance inst;
	struct tfs_strbuf text;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	f->err = TFS_ERR_INIT;
	tfs_strbuf_init(&f->text);
	record_init(&f->req);
	*state = f;
	return tfs_instance_named(&f->inst, "x", NULL);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	record_release(&f->req);
	tfs_strvec_release(&f->names);
	tfs_strbuf_release(&f->text);
	free(f);
	return 0;
}

/* Parse and check the words up to NULL. */
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

/* The plan of the request just asked, for pids typed as @pid, as shell commands */
static const char *plan_text(struct fixture *f, const char *pid)
{
	struct tfs_strvec pids = TFS_STRVEC_INIT;
	struct tfs_plan *plan;

	if (!f->names.n) {
		assert_int_equal(tfs_strvec_push(&f->names, "irq:irq_handler_entry"), 0);
		assert_int_equal(tfs_strvec_push(&f->names, "sched:sched_switch"), 0);
		assert_int_equal(tfs_strvec_push(&f->names, "sched:sched_wakeup"), 0);
	}
	if (pid)
		assert_int_equal(tfs_strvec_push(&pids, pid), 0);
	assert_int_equal(tfs_event_resolve(f->req.clauses.events, f->req.clauses.n, &f->names, 0,
					   NULL, NULL),
			 0);
	assert_int_equal(tfs_plan_new(NULL, &plan), 0);
	assert_int_equal(record_plan(&f->req, &f->inst, &f->names, &pids, plan, &f->err), 0);
	tfs_strbuf_reset(&f->text);
	assert_int_equal(tfs_plan_print(plan, TFS_PLAN_UNDO, &f->text), 0);
	tfs_plan_free(plan);
	tfs_strvec_release(&pids);
	return f->text.s;
}

static void defaults_are_those_of_the_manual(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(ASK(f, "-e", "sched"), 0);
	assert_int_equal(f->req.buffer_bytes, 4 * MIB);
	assert_string_equal(f->req.output, "trace.dat");
	assert_null(f->req.clock);
	assert_null(f->req.command);
	assert_int_equal(f->req.codec, tfs_codec_default());
	assert_int_equal(f->req.level, 0);
	assert_int_equal(f->req.duration_ns, 0);
}

static void a_bare_buffer_size_counts_kib_as_in_trace_cmd(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(ASK(f, "-e", "sched", "-b", "64"), 0);
	assert_int_equal(f->req.buffer_bytes, 64 * 1024);
	assert_int_equal(ASK(f, "-e", "sched", "-b", "2M"), 0);
	assert_int_equal(f->req.buffer_bytes, 2 * MIB);
	assert_int_equal(ASK(f, "-e", "sched", "-b", "1G"), 0);
	assert_int_equal(f->req.buffer_bytes, 1024 * MIB);
	assert_int_equal(ASK(f, "-e", "sched", "-b", "1"), -ERANGE);
	assert_int_equal(ASK(f, "-e", "sched", "-b", "64Q"), -EINVAL);
}

static void the_options_of_command_are_its_own(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(ASK(f, "-e", "sched", "ls", "-e", "-q"), 0);
	assert_int_equal(f->req.clauses.n, 1);
	assert_false(f->req.quiet);
	assert_string_equal(f->req.command[0], "ls");
	assert_string_equal(f->req.command[2], "-q");
	assert_int_equal(ASK(f, "-e", "sched", "--", "-odd"), 0);
	assert_string_equal(f->req.command[0], "-odd");
}

static void pids_come_singly_and_in_lists(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(ASK(f, "-e", "sched", "-P", "1,22", "-P", "333"), 0);
	assert_int_equal(f->req.n_pids, 3);
	assert_int_equal(f->req.pids[0], 1);
	assert_int_equal(f->req.pids[1], 22);
	assert_int_equal(f->req.pids[2], 333);
	assert_int_equal(ASK(f, "-e", "sched", "-P", "1,x"), -EINVAL);
	assert_non_null(strstr(f->err.msg, "-P"));
	assert_int_equal(ASK(f, "-e", "sched", "-P", "0"), -ERANGE);
	assert_int_equal(ASK(f, "-e", "sched", "-P", "-1"), -EINVAL);
	assert_int_equal(ASK(f, "-e", "sched", "-P", ","), -EINVAL);
}

static void options_that_need_each_other_are_checked(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(ASK(f, "-e", "sched", "-F"), -EINVAL);
	assert_non_null(strstr(f->err.msg, "COMMAND"));
	assert_int_equal(ASK(f, "-e", "sched", "-c", "true"), -EINVAL);
	assert_int_equal(ASK(f, "-e", "sched", "-c", "-F", "true"), 0);
	assert_int_equal(ASK(f, "-e", "sched", "-c", "-P", "1"), 0);
	assert_int_equal(ASK(f, "-e", "sched", "--user", "nobody"), -EINVAL);
	assert_int_equal(ASK(f, "-e", "sched", "-o", ""), -EINVAL);
	assert_int_equal(ASK(f, "-e", "sched", "-C", "a b"), -EINVAL);
	assert_int_equal(ASK(f, "-e", "sched", ""), -EINVAL);
	assert_int_equal(ASK(f, "true"), -EINVAL);
	assert_non_null(strstr(f->err.msg, "nothing to record"));
}

static void compression_takes_a_name_and_a_level(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(ASK(f, "-e", "sched", "--compression", "none"), 0);
	assert_int_equal(f->req.codec, TFS_CODEC_NONE);
	assert_int_equal(ASK(f, "-e", "sched", "--compression", "zlib:7"), 0);
	assert_int_equal(f->req.codec, TFS_CODEC_ZLIB);
	assert_int_equal(f->req.level, 7);
	assert_int_equal(ASK(f, "-e", "sched", "--compression", "rot13"), -EINVAL);
	assert_non_null(strstr(f->err.msg, "--compression"));
}

static void the_instance_is_ready_before_events_are_switched_on(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(ASK(f, "-e", "sched_switch", "-b", "1M", "-C", "mono"), 0);
	assert_string_equal(
		plan_text(f, NULL),
		"mkdir /sys/kernel/tracing/instances/x\n"
		"echo 0 > /sys/kernel/tracing/instances/x/tracing_on\n"
		"echo 1024 > /sys/kernel/tracing/instances/x/buffer_size_kb\n"
		"echo 50 > /sys/kernel/tracing/instances/x/buffer_percent\n"
		"echo mono > /sys/kernel/tracing/instances/x/trace_clock\n"
		"echo 1 > /sys/kernel/tracing/instances/x/events/sched/sched_switch/enable\n"
		"# undo\n"
		"rmdir /sys/kernel/tracing/instances/x\n");
}

static void children_are_followed_before_the_pids_are_named(void **state)
{
	struct fixture *f = *state;
	const char *text, *fork, *pid, *enable;

	assert_int_equal(ASK(f, "-e", "sched_switch", "-P", "77", "-c"), 0);
	text = plan_text(f, "77");
	fork = strstr(text, "echo 1 > /sys/kernel/tracing/instances/x/options/event-fork\n");
	pid = strstr(text, "echo 77 >> /sys/kernel/tracing/instances/x/set_event_pid\n");
	enable = strstr(text, "/enable\n");
	assert_true(fork && pid && enable);
	assert_true(fork < pid && pid < enable);
}

static void a_filter_goes_before_its_event(void **state)
{
	struct fixture *f = *state;
	const char *text, *filter, *enable;

	assert_int_equal(ASK(f, "-e", "sched_switch", "-f", "prev_pid == 0", "-e", "irq"), 0);
	text = plan_text(f, NULL);
	filter = strstr(text, "echo 'prev_pid == 0' > /sys/kernel/tracing/instances/x/events/sched/"
			      "sched_switch/filter\n");
	enable = strstr(text, "echo 1 > ");
	assert_true(filter && enable && filter < enable);
	assert_null(strstr(text, "irq_handler_entry/filter"));
}

static void a_long_list_of_pids_goes_in_pieces(void **state)
{
	struct fixture *f = *state;
	struct tfs_strvec pids = TFS_STRVEC_INIT;
	struct tfs_plan *plan;
	size_t longest = 0;
	int total = 0;

	assert_int_equal(ASK(f, "-e", "sched_switch", "-P", "1"), 0);
	plan_text(f, NULL);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(tfs_strvec_pushf(&pids, "%d", 4000000 + i), 0);
	assert_int_equal(tfs_plan_new(NULL, &plan), 0);
	assert_int_equal(record_plan(&f->req, &f->inst, &f->names, &pids, plan, NULL), 0);
	tfs_strbuf_reset(&f->text);
	assert_int_equal(tfs_plan_print(plan, 0, &f->text), 0);
	for (char *line = f->text.s, *next; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		for (char *p = line; (p = strstr(p, "4000")); p += 7)
			total++;
		if (strlen(line) > longest)
			longest = strlen(line);
	}
	assert_int_equal(total, 1000);
	assert_true(longest < 4096);
	tfs_plan_free(plan);
	tfs_strvec_release(&pids);
}

static void the_recorder_is_left_out_before_tracing_begins(void **state)
{
	struct fixture *f = *state;
	struct tfs_strvec own = TFS_STRVEC_INIT;
	struct tfs_plan *plan;

	assert_int_equal(tfs_strvec_push(&own, "10"), 0);
	assert_int_equal(tfs_strvec_push(&own, "11"), 0);
	assert_int_equal(tfs_plan_new(NULL, &plan), 0);
	assert_int_equal(record_plan_start(&f->inst, &own, plan, NULL), 0);
	assert_int_equal(tfs_plan_print(plan, TFS_PLAN_UNDO, &f->text), 0);
	assert_string_equal(
		f->text.s, "echo '10 11' >> /sys/kernel/tracing/instances/x/set_event_notrace_pid\n"
			   "echo 1 > /sys/kernel/tracing/instances/x/tracing_on\n"
			   "# undo\n"
			   "echo 0 > /sys/kernel/tracing/instances/x/tracing_on\n");
	tfs_plan_free(plan);
	tfs_strvec_release(&own);
}

static void formats_are_kept_of_what_is_switched_on(void **state)
{
	struct fixture *f = *state;
	struct tfs_strvec events = TFS_STRVEC_INIT;

	assert_int_equal(ASK(f, "-e", "sched", "-e", "sched", "-e", "irq_handler_entry", "-v", "-e",
			     "sched_wakeup"),
			 0);
	plan_text(f, NULL);
	assert_int_equal(record_events(&f->req, &events), 0);
	assert_true(tfs_strvec_has(&events, "sched:*"));
	assert_int_equal(events.n, 2);
	tfs_strvec_release(&events);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(defaults_are_those_of_the_manual),
		TEST(a_bare_buffer_size_counts_kib_as_in_trace_cmd),
		TEST(the_options_of_command_are_its_own),
		TEST(pids_come_singly_and_in_lists),
		TEST(options_that_need_each_other_are_checked),
		TEST(compression_takes_a_name_and_a_level),
		TEST(the_instance_is_ready_before_events_are_switched_on),
		TEST(children_are_followed_before_the_pids_are_named),
		TEST(a_filter_goes_before_its_event),
		TEST(a_long_list_of_pids_goes_in_pieces),
		TEST(the_recorder_is_left_out_before_tracing_begins),
		TEST(formats_are_kept_of_what_is_switched_on),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
