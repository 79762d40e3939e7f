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

#include "base/strvec.h"
#include "lib/fake.h"
#include "lib/skip.h"
#include "trace_ask.h"
#include "tracefs/event.h"
#include "tracefs/plan.h"

static void the_instance_is_ready_before_events_are_switched_on(void **state)
{
	struct trace_ask *f = *state;

	assert_int_equal(ASK(f, "-e", "sched_switch", "-b", "1M", "-C", "mono"), 0);
	assert_string_equal(
		trace_ask_plan(f, NULL),
		"mkdir /sys/kernel/tracing/instances/x\n"
		"echo 0 > /sys/kernel/tracing/instances/x/tracing_on\n"
		"echo 1024 > /sys/kernel/tracing/instances/x/buffer_size_kb\n"
		"echo 25 > /sys/kernel/tracing/instances/x/buffer_percent\n"
		"echo mono > /sys/kernel/tracing/instances/x/trace_clock\n"
		"echo 1 > /sys/kernel/tracing/instances/x/events/sched/sched_switch/enable\n"
		"# undo\n"
		"rmdir /sys/kernel/tracing/instances/x\n");
}

/*
 * The kernel says that there is something to read when (full sub-buffers + 1) * 100 is at least
 * percent * sub-buffers: with none full, it is not to. A page holds 4080 bytes.
 */
static void no_reader_is_woken_before_a_sub_buffer_is_full(void **state)
{
	static const struct {
		const char *size;
		int pages;
		const char *line;
	} rows[] = {
		{ "4K", 2, "echo 51 > " },     { "7K", 2, "echo 51 > " },
		{ "8K", 3, "echo 34 > " },     { "12K", 4, "echo 26 > " },
		{ "16K", 5, "echo 25 > " },    { "4M", 1029, "echo 25 > " },
		{ "8M", 2057, "echo 12 > " },  { "32M", 8225, "echo 3 > " },
		{ "1G", 263173, "echo 1 > " },
	};
	struct trace_ask *f = *state;

	if (sysconf(_SC_PAGESIZE) != 4096)
		skip_because("pages are not of 4096 bytes");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char want[128];

		snprintf(want, sizeof(want), "\n%s/sys/kernel/tracing/instances/x/buffer_percent\n",
			 rows[i].line);
		assert_int_equal(ASK(f, "-e", "sched_switch", "-b", rows[i].size), 0);
		assert_non_null(strstr(trace_ask_plan(f, NULL), want));
		assert_true(strtol(rows[i].line + strlen("echo "), NULL, 10) * rows[i].pages > 100);
	}
}

static void a_reader_can_be_woken_by_each_event(void **state)
{
	struct trace_ask *f = *state;

	assert_int_equal(ASK(f, "-e", "sched_switch"), 0);
	f->req.buffers[0].flags |= TRACE_BUFFER_AT_ONCE;
	assert_non_null(strstr(trace_ask_plan(f, NULL),
			       "\necho 0 > /sys/kernel/tracing/instances/x/buffer_percent\n"));
}

static void children_are_followed_before_the_pids_are_named(void **state)
{
	struct trace_ask *f = *state;
	const char *text, *fork, *pid, *enable;

	assert_int_equal(ASK(f, "-e", "sched_switch", "-P", "77", "-c"), 0);
	text = trace_ask_plan(f, "77");
	fork = strstr(text, "echo 1 > /sys/kernel/tracing/instances/x/options/event-fork\n");
	pid = strstr(text, "echo 77 >> /sys/kernel/tracing/instances/x/set_event_pid\n");
	enable = strstr(text, "/enable\n");
	assert_true(fork && pid && enable);
	assert_true(fork < pid && pid < enable);
}

static void a_filter_goes_before_its_event(void **state)
{
	struct trace_ask *f = *state;
	const char *text, *filter, *enable;

	assert_int_equal(ASK(f, "-e", "sched_switch", "-f", "prev_pid == 0", "-e", "irq"), 0);
	text = trace_ask_plan(f, NULL);
	filter = strstr(text, "echo 'prev_pid == 0' > /sys/kernel/tracing/instances/x/events/sched/"
			      "sched_switch/filter\n");
	enable = strstr(text, "echo 1 > ");
	assert_true(filter && enable && filter < enable);
	assert_null(strstr(text, "irq_handler_entry/filter"));
}

static void a_long_list_of_pids_goes_in_pieces(void **state)
{
	struct trace_ask *f = *state;
	struct tfs_strvec *pids;
	struct tfs_plan *plan;
	size_t longest = 0;
	int total = 0;

	assert_int_equal(ASK(f, "-e", "sched_switch", "-P", "1"), 0);
	trace_ask_plan(f, NULL);
	pids = &f->req.buffers[0].threads;
	for (int i = 0; i < 1000; i++)
		assert_int_equal(tfs_strvec_pushf(pids, "%d", 4000000 + i), 0);
	assert_int_equal(tfs_plan_new(NULL, &plan), 0);
	assert_int_equal(trace_plan(&f->req, &f->found, plan, NULL), 0);
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
}

static void the_recorder_is_left_out_before_tracing_begins(void **state)
{
	struct trace_ask *f = *state;
	struct tfs_strvec own = TFS_STRVEC_INIT;
	struct tfs_plan *plan;

	assert_int_equal(tfs_strvec_push(&own, "10"), 0);
	assert_int_equal(tfs_strvec_push(&own, "11"), 0);
	assert_int_equal(ASK(f, "-e", "sched"), 0);
	trace_ask_plan(f, NULL);
	tfs_strbuf_reset(&f->text);
	assert_int_equal(tfs_plan_new(NULL, &plan), 0);
	assert_int_equal(trace_plan_start(&f->req, &f->found, &own, plan, NULL), 0);
	assert_int_equal(tfs_plan_print(plan, TFS_PLAN_UNDO, &f->text), 0);
	assert_string_equal(
		f->text.s, "echo '10 11' >> /sys/kernel/tracing/instances/x/set_event_notrace_pid\n"
			   "echo 1 > /sys/kernel/tracing/instances/x/tracing_on\n"
			   "# undo\n"
			   "echo 0 > /sys/kernel/tracing/instances/x/tracing_on\n");
	tfs_plan_free(plan);
	tfs_strvec_release(&own);
}

static const char *start_text(struct trace_ask *f)
{
	struct tfs_strvec none = TFS_STRVEC_INIT;
	struct tfs_plan *plan;

	tfs_strbuf_reset(&f->text);
	assert_int_equal(tfs_plan_new(NULL, &plan), 0);
	assert_int_equal(trace_plan_start(&f->req, &f->found, &none, plan, NULL), 0);
	assert_int_equal(tfs_plan_print(plan, TFS_PLAN_UNDO, &f->text), 0);
	tfs_plan_free(plan);
	return f->text.s;
}

static void tracing_can_begin_with_the_exec_of_the_command(void **state)
{
	static const char on[] = "echo 1 > /sys/kernel/tracing/instances/x/tracing_on\n"
				 "# undo\n"
				 "echo 0 > /sys/kernel/tracing/instances/x/tracing_on\n";
	struct trace_ask *f = *state;

	assert_int_equal(ASK(f, "-e", "sched_switch"), 0);
	trace_ask_plan(f, NULL);
	f->req.from_exec = true;
	f->req.only_command = true;
	assert_int_equal(tfs_strvec_push(&f->req.buffers[0].threads, "4711"), 0);
	/* A kernel without the event */
	assert_string_equal(start_text(f), on);
	assert_int_equal(tfs_strvec_push(&f->found.names, "sched:sched_process_exec"), 0);
	assert_string_equal(
		start_text(f),
		"echo 'traceon:1 if common_pid == 4711' >> /sys/kernel/tracing/instances/x/"
		"events/sched/sched_process_exec/trigger\n"
		"# undo\n"
		"echo '!traceon:1 if common_pid == 4711' >> /sys/kernel/tracing/instances/x/"
		"events/sched/sched_process_exec/trigger\n");
	/* Other tasks are not to wait for it. */
	assert_int_equal(tfs_strvec_push(&f->req.buffers[0].threads, "4712"), 0);
	assert_string_equal(start_text(f), on);
}

static void an_event_of_the_exec_itself_is_not_missed(void **state)
{
	struct trace_ask *f = *state;

	assert_int_equal(tfs_strvec_push(&f->found.names, "sched:sched_process_exec"), 0);
	assert_int_equal(ASK(f, "-e", "sched_process_exec"), 0);
	trace_ask_plan(f, NULL);
	f->req.from_exec = true;
	f->req.only_command = true;
	assert_int_equal(tfs_strvec_push(&f->req.buffers[0].threads, "4711"), 0);
	assert_null(strstr(start_text(f), "traceon"));
	/* As one of its system */
	assert_int_equal(ASK(f, "-e", "sched"), 0);
	trace_ask_plan(f, NULL);
	f->req.from_exec = true;
	f->req.only_command = true;
	assert_int_equal(tfs_strvec_push(&f->req.buffers[0].threads, "4711"), 0);
	assert_null(strstr(start_text(f), "traceon"));
}

static void a_synthetic_event_is_defined_first_and_removed_last(void **state)
{
	struct trace_ask *f = *state;
	const char *text, *define, *instance, *remove;

	assert_int_equal(ASK(f, "-e", "sched_switch"), 0);
	f->req.synthetic = "s:x1 pid_t pid; u64 lat;";
	text = trace_ask_plan(f, NULL);
	define = strstr(text, "echo 's:x1 pid_t pid; u64 lat;' >> "
			      "/sys/kernel/tracing/dynamic_events\n");
	instance = strstr(text, "rmdir ");
	remove = strstr(text, "-:synthetic/x1");
	assert_ptr_equal(define, text);
	assert_non_null(instance);
	assert_non_null(remove);
	assert_true(remove > instance);
}

static void formats_of_enabled_events_are_kept(void **state)
{
	struct trace_ask *f = *state;
	struct tfs_strvec events = TFS_STRVEC_INIT;

	assert_int_equal(ASK(f, "-e", "sched", "-e", "sched", "-e", "irq_handler_entry", "-v", "-e",
			     "sched_wakeup"),
			 0);
	trace_ask_plan(f, NULL);
	assert_int_equal(trace_events(&f->req, &events), 0);
	assert_true(tfs_strvec_has(&events, "sched:*"));
	assert_int_equal(events.n, 2);
	tfs_strvec_release(&events);
}

static void formats_of_events_that_triggers_enable_are_kept(void **state)
{
	struct trace_ask *f = *state;
	struct tfs_strvec events = TFS_STRVEC_INIT;

	assert_int_equal(ASK(f, "-e", "sched_switch", "-R", "enable_event:irq:softirq_entry:3",
			     "-R", "enable_event:irq:softirq_exit if prev_pid == 0", "-R",
			     "disable_event:irq:softirq_raise", "-v", "-e", "sched_wakeup", "-R",
			     "enable_event:irq:softirq_entry"),
			 0);
	trace_ask_plan(f, NULL);
	assert_int_equal(trace_events(&f->req, &events), 0);
	assert_int_equal(events.n, 3);
	assert_string_equal(events.v[0], "sched:sched_switch");
	assert_string_equal(events.v[1], "irq:softirq_entry");
	assert_string_equal(events.v[2], "irq:softirq_exit");
	tfs_strvec_release(&events);
}

static void functions_are_chosen_before_the_tracer_is_set(void **state)
{
	struct trace_ask *f = *state;

	assert_int_equal(ASK(f, "-p", "function_graph", "-l", "vfs_*", "-n", "vfs_read", "-g",
			     "ksys_read", "--max-graph-depth", "3", "-P", "7", "-c", "-M", "3"),
			 0);
	assert_string_equal(
		trace_ask_plan(f, "7"),
		"mkdir /sys/kernel/tracing/instances/x\n"
		"echo 0 > /sys/kernel/tracing/instances/x/tracing_on\n"
		"echo 4096 > /sys/kernel/tracing/instances/x/buffer_size_kb\n"
		"echo 25 > /sys/kernel/tracing/instances/x/buffer_percent\n"
		"echo 3 > /sys/kernel/tracing/instances/x/tracing_cpumask\n"
		"echo 1 > /sys/kernel/tracing/instances/x/options/event-fork\n"
		"echo 1 > /sys/kernel/tracing/instances/x/options/function-fork\n"
		"echo 7 >> /sys/kernel/tracing/instances/x/set_event_pid\n"
		"echo 7 >> /sys/kernel/tracing/instances/x/set_ftrace_pid\n"
		"echo 'vfs_*' > /sys/kernel/tracing/instances/x/set_ftrace_filter\n"
		"echo vfs_read > /sys/kernel/tracing/instances/x/set_ftrace_notrace\n"
		"echo ksys_read > /sys/kernel/tracing/set_graph_function\n"
		"echo 3 > /sys/kernel/tracing/max_graph_depth\n"
		"echo function_graph > /sys/kernel/tracing/instances/x/current_tracer\n"
		"# undo\n"
		"# write back what was there before: /sys/kernel/tracing/max_graph_depth\n"
		"# write back what was there before: /sys/kernel/tracing/set_graph_function\n"
		"rmdir /sys/kernel/tracing/instances/x\n");
}

static void memory_of_the_command_line_keeps_its_size(void **state)
{
	struct trace_ask *f = *state;
	const char *text;

	assert_int_equal(ASK(f, "-b", "64", "--subbuf-size", "8", "-e", "sched_switch"), 0);
	f->req.buffers[0].flags |= TRACE_BUFFER_FIXED;
	text = trace_ask_plan(f, NULL);
	assert_null(strstr(text, "size_kb"));
	assert_non_null(strstr(text, "events/sched/sched_switch/enable"));
}

static void each_buffer_is_an_instance(void **state)
{
	struct trace_ask *f = *state;

	assert_int_equal(ASK(f, "-C", "mono", "-b", "64", "-B", "one", "-e", "sched_switch", "-B",
			     "two", "-b", "128", "-C", "boot", "-e", "irq"),
			 0);
	assert_string_equal(
		trace_ask_plan(f, NULL),
		"mkdir /sys/kernel/tracing/instances/one\n"
		"echo 0 > /sys/kernel/tracing/instances/one/tracing_on\n"
		"echo 64 > /sys/kernel/tracing/instances/one/buffer_size_kb\n"
		"echo 25 > /sys/kernel/tracing/instances/one/buffer_percent\n"
		"echo mono > /sys/kernel/tracing/instances/one/trace_clock\n"
		"echo 1 > /sys/kernel/tracing/instances/one/events/sched/sched_switch/enable\n"
		"mkdir /sys/kernel/tracing/instances/two\n"
		"echo 0 > /sys/kernel/tracing/instances/two/tracing_on\n"
		"echo 128 > /sys/kernel/tracing/instances/two/buffer_size_kb\n"
		"echo 25 > /sys/kernel/tracing/instances/two/buffer_percent\n"
		"echo boot > /sys/kernel/tracing/instances/two/trace_clock\n"
		"echo 1 > /sys/kernel/tracing/instances/two/events/irq/enable\n"
		"# undo\n"
		"rmdir /sys/kernel/tracing/instances/two\n"
		"rmdir /sys/kernel/tracing/instances/one\n");
}

static void names_of_tasks_are_kept_at_the_top_level(void **state)
{
	struct trace_ask *f = *state;
	const char *text;

	assert_int_equal(ASK(f, "-e", "irq", "--cmdlines-size", "4096"), 0);
	text = trace_ask_plan(f, NULL);
	assert_non_null(strstr(text, "echo 4096 > /sys/kernel/tracing/saved_cmdlines_size\n"));
	assert_non_null(strstr(text, "# write back what was there before: "
				     "/sys/kernel/tracing/saved_cmdlines_size\n"));
	assert_int_equal(ASK(f, "-e", "irq", "--cmdlines-size", "0"), -ERANGE);
}

/* An event after -v is not recorded, but its trigger acts. */
static void a_trigger_is_set_before_and_taken_away_after(void **state)
{
	struct trace_ask *f = *state;
	const char *text;

	assert_int_equal(ASK(f, "-e", "sched_switch", "-R", "stacktrace", "-v", "-e",
			     "sched_wakeup", "-R", "hist:keys=pid"),
			 0);
	text = strstr(trace_ask_plan(f, NULL), "echo stacktrace");
	assert_non_null(text);
	assert_string_equal(
		text,
		"echo stacktrace >> /sys/kernel/tracing/instances/x/events/sched/sched_switch/"
		"trigger\n"
		"echo 1 > /sys/kernel/tracing/instances/x/events/sched/sched_switch/enable\n"
		"echo hist:keys=pid >> /sys/kernel/tracing/instances/x/events/sched/sched_wakeup/"
		"trigger\n"
		"echo 0 > /sys/kernel/tracing/instances/x/events/sched/sched_wakeup/enable\n"
		"# undo\n"
		"echo '!hist:keys=pid' >> /sys/kernel/tracing/instances/x/events/sched/"
		"sched_wakeup/trigger\n"
		"echo '!stacktrace' >> /sys/kernel/tracing/instances/x/events/sched/"
		"sched_switch/trigger\n"
		"rmdir /sys/kernel/tracing/instances/x\n");
}

/* The kernel counts what occurs while tracing is off, too. */
static void a_counted_trigger_is_set_once_tracing_is_on(void **state)
{
	struct trace_ask *f = *state;
	struct tfs_strvec none = TFS_STRVEC_INIT;
	struct tfs_plan *plan;

	assert_int_equal(ASK(f, "-e", "sched_switch", "-R", "stacktrace:3 if prev_pid == 0", "-R",
			     "enable_event:irq:softirq_entry:1", "-R", "stacktrace if a == 1:2",
			     "-R", "hist:keys=pid:vals=2", "-R", "enable_event:irq:softirq_exit"),
			 0);
	assert_null(strstr(trace_ask_plan(f, NULL), "stacktrace:3"));
	assert_null(strstr(f->text.s, "softirq_entry:1"));
	assert_non_null(strstr(f->text.s, "echo 'stacktrace if a == 1:2' >>"));
	assert_non_null(strstr(f->text.s, "echo hist:keys=pid:vals=2 >>"));
	assert_non_null(strstr(f->text.s, "echo enable_event:irq:softirq_exit >>"));
	tfs_strbuf_reset(&f->text);
	assert_int_equal(tfs_plan_new(NULL, &plan), 0);
	assert_int_equal(trace_plan_start(&f->req, &f->found, &none, plan, NULL), 0);
	assert_int_equal(tfs_plan_print(plan, TFS_PLAN_UNDO, &f->text), 0);
	assert_string_equal(f->text.s,
			    "echo 1 > /sys/kernel/tracing/instances/x/tracing_on\n"
			    "echo 'stacktrace:3 if prev_pid == 0' >> "
			    "/sys/kernel/tracing/instances/x/events/sched/sched_switch/trigger\n"
			    "echo enable_event:irq:softirq_entry:1 >> "
			    "/sys/kernel/tracing/instances/x/events/sched/sched_switch/trigger\n"
			    "# undo\n"
			    "echo '!enable_event:irq:softirq_entry:1' >> "
			    "/sys/kernel/tracing/instances/x/events/sched/sched_switch/trigger\n"
			    "echo '!stacktrace:3 if prev_pid == 0' >> "
			    "/sys/kernel/tracing/instances/x/events/sched/sched_switch/trigger\n"
			    "echo 0 > /sys/kernel/tracing/instances/x/tracing_on\n");
	tfs_plan_free(plan);
}

/* The plan of what was asked, on a machine with these files */
static int plan_here(struct trace_ask *f, const struct fake *fake, const char **text)
{
	const struct tc_clauses *c = &f->req.clauses;
	struct tfs_strvec none = TFS_STRVEC_INIT;
	struct tfs_instance inst;
	struct tfs_plan *plan;
	int rc;

	assert_int_equal(tfs_instance_named(&inst, "x", NULL), 0);
	rc = trace_choose_instances(&f->req, fake->root, NULL, &inst, &f->err);
	if (rc)
		return rc;
	assert_int_equal(tfs_event_resolve(c->events, c->n, &f->found.names, 0, NULL, NULL), 0);
	assert_int_equal(tfs_plan_new(NULL, &plan), 0);
	assert_int_equal(trace_plan(&f->req, &f->found, plan, &f->err), 0);
	assert_int_equal(trace_plan_start(&f->req, &f->found, &none, plan, &f->err), 0);
	tfs_strbuf_reset(&f->text);
	assert_int_equal(tfs_plan_print(plan, 0, &f->text), 0);
	tfs_plan_free(plan);
	*text = f->text.s;
	return 0;
}

static void markers_are_copied_into_the_first_buffer_of_our_own(void **state)
{
	static const char copy[] = "echo 1 > /sys/kernel/tracing/instances/%s"
				   "/options/copy_trace_marker\n";
	static const struct {
		const char *other, *option, *first;
	} rows[] = { { "one", "0\n", "x" }, { "one", NULL, NULL }, { "", "0\n", NULL } };
	struct trace_ask *f = *state;
	const char *text, *at;
	struct fake fake;
	char want[128];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		fake_new(&fake, NULL);
		fake_put(&fake, "current_tracer", "nop\n");
		fake_put(&fake, "set_event", "");
		if (rows[i].option)
			fake_put(&fake, "options/copy_trace_marker", rows[i].option);
		assert_int_equal(ASK(f, "-e", "sched_switch", "-B", rows[i].other, "-e", "irq"), 0);
		f->req.markers = true;
		assert_int_equal(plan_here(f, &fake, &text), 0);
		at = strstr(text, "copy_trace_marker");
		assert_int_equal(at != NULL, rows[i].first != NULL);
		if (rows[i].first) {
			snprintf(want, sizeof(want), copy, rows[i].first);
			assert_non_null(strstr(text, want));
			assert_null(strstr(at + 1, "copy_trace_marker"));
			snprintf(want, sizeof(want),
				 "echo 1 > /sys/kernel/tracing/instances/%s/tracing_on\n",
				 rows[i].first);
			assert_non_null(strstr(text, want));
			assert_true(strstr(text, want) < at);
		}
		fake_free(&fake);
	}
}

/* Each write to trace_marker would fail while the instance does not take it. */
static void no_markers_are_copied_to_what_may_not_take_them(void **state)
{
	static const char *const rows[][2] = {
		{ "-M", "1" },
		{ "-O", "nooverwrite" },
		{ "-R", "traceoff" },
		{ "-O", "nocopy_trace_marker" },
	};
	struct trace_ask *f = *state;
	const char *text;
	struct fake fake;

	fake_new(&fake, NULL);
	fake_put(&fake, "options/copy_trace_marker", "0\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(ASK(f, "-e", "sched_switch", rows[i][0], rows[i][1]), 0);
		f->req.markers = true;
		assert_int_equal(tfs_strvec_push(&f->found.options, "overwrite"), 0);
		assert_int_equal(tfs_strvec_push(&f->found.options, "copy_trace_marker"), 0);
		assert_int_equal(plan_here(f, &fake, &text), 0);
		assert_null(strstr(text, "echo 1 > /sys/kernel/tracing/instances/x/options/copy"));
	}
	fake_free(&fake);
}

static void others_have_their_markers_as_they_want_them(void **state)
{
	struct trace_ask *f = *state;
	const char *text;
	struct fake fake;

	fake_new(&fake, NULL);
	fake_put(&fake, "options/copy_trace_marker", "1\n");
	fake_put(&fake, "instances/theirs/tracing_on", "1\n");
	assert_int_equal(ASK(f, "-B", "theirs", "-e", "sched_switch"), 0);
	f->req.markers = true;
	assert_int_equal(plan_here(f, &fake, &text), 0);
	assert_null(strstr(text, "copy_trace_marker"));
	assert_int_equal(ASK(f, "-e", "sched_switch"), 0);
	assert_int_equal(plan_here(f, &fake, &text), 0);
	assert_null(strstr(text, "copy_trace_marker"));
	fake_free(&fake);
}

static void the_top_level_has_the_clock_of_the_others(void **state)
{
	struct trace_ask *f = *state;
	const char *text;
	struct fake fake;

	fake_new(&fake, NULL);
	fake_put(&fake, "current_tracer", "nop\n");
	fake_put(&fake, "set_event", "");
	assert_int_equal(ASK(f, "-e", "sched_switch", "-B", ""), 0);
	assert_int_equal(plan_here(f, &fake, &text), 0);
	assert_non_null(strstr(text, "echo local > /sys/kernel/tracing/trace_clock\n"));
	assert_int_equal(ASK(f, "-e", "sched_switch", "-C", "boot", "-B", ""), 0);
	assert_int_equal(plan_here(f, &fake, &text), 0);
	assert_non_null(strstr(text, "echo boot > /sys/kernel/tracing/trace_clock\n"));
	fake_put(&fake, "set_event", "irq:softirq_entry\n");
	assert_int_equal(plan_here(f, &fake, &text), -EBUSY);
	assert_non_null(strstr(f->err.msg, "irq:softirq_entry"));
	fake_free(&fake);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, trace_ask_setup, trace_ask_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_instance_is_ready_before_events_are_switched_on),
		TEST(no_reader_is_woken_before_a_sub_buffer_is_full),
		TEST(children_are_followed_before_the_pids_are_named),
		TEST(a_reader_can_be_woken_by_each_event),
		TEST(a_filter_goes_before_its_event),
		TEST(a_long_list_of_pids_goes_in_pieces),
		TEST(the_recorder_is_left_out_before_tracing_begins),
		TEST(tracing_can_begin_with_the_exec_of_the_command),
		TEST(an_event_of_the_exec_itself_is_not_missed),
		TEST(a_synthetic_event_is_defined_first_and_removed_last),
		TEST(formats_of_enabled_events_are_kept),
		TEST(formats_of_events_that_triggers_enable_are_kept),
		TEST(functions_are_chosen_before_the_tracer_is_set),
		TEST(each_buffer_is_an_instance),
		TEST(memory_of_the_command_line_keeps_its_size),
		TEST(names_of_tasks_are_kept_at_the_top_level),
		TEST(a_trigger_is_set_before_and_taken_away_after),
		TEST(a_counted_trigger_is_set_once_tracing_is_on),
		TEST(markers_are_copied_into_the_first_buffer_of_our_own),
		TEST(no_markers_are_copied_to_what_may_not_take_them),
		TEST(others_have_their_markers_as_they_want_them),
		TEST(the_top_level_has_the_clock_of_the_others),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
