/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/macros.h"
#include "tc-record-opts.h"
#include "tracefs/event.h"

#define MIB (1024 * 1024ULL)
#define SECOND 1000000000ULL

struct fixture {
	struct record_request req;
	struct tfs_err err;
};

static void start(struct fixture *f)
{
	record_release(&f->req);
	memset(&f->req, 0, sizeof(f->req));
	record_init(&f->req);
	f->req.policy.file = "p.conf";
	f->err = TFS_ERR_INIT;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	*state = f;
	start(f);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	record_release(&f->req);
	free(f);
	return 0;
}

static int parse(struct fixture *f, const char *text)
{
	start(f);
	return record_policy_parse(&f->req.policy, text, strlen(text), &f->err);
}

/* A command under a policy, as far as it can be judged without a kernel */
static int judge(struct fixture *f, const char *policy, const char *line)
{
	size_t n;
	int rc = parse(f, policy);

	assert_int_equal(rc, 0);
	rc = record_policy_take(&f->req, line, &n, &f->err);
	return rc ? rc :
		    record_check(&f->req, (int)n,
				 f->req.policy.words.v + (f->req.policy.words.n - n), &f->err);
}

static void each_line_is_the_most_that_is_allowed(void **state)
{
	struct fixture *f = *state;
	const struct record_policy *p = &f->req.policy;

	assert_int_equal(parse(f, "# a comment\nevent = sched\nevent = irq:*\nduration = 2m\n"
				  "buffer-size = 8M\nspool-size = 512M\nmax-size = 2G\n"
				  "bwlimit = 1M\nrecordings = 3\n"),
			 0);
	assert_int_equal(p->events.n, 2);
	assert_string_equal(p->events.v[1], "irq:*");
	assert_int_equal(p->duration_ns, 120 * SECOND);
	assert_int_equal(p->buffer_bytes, 8 * MIB);
	assert_int_equal(p->spool_bytes, 512 * MIB);
	assert_int_equal(p->max_bytes, 2048 * MIB);
	assert_int_equal(p->rate, MIB);
	assert_int_equal(p->recordings, 3);
}

static void a_policy_that_says_nothing_else_has_limits(void **state)
{
	struct fixture *f = *state;
	const struct record_policy *p = &f->req.policy;

	assert_int_equal(parse(f, "event = sched"), 0);
	assert_int_equal(p->duration_ns, 60 * SECOND);
	assert_int_equal(p->buffer_bytes, 4 * MIB);
	assert_int_equal(p->spool_bytes, 256 * MIB);
	assert_int_equal(p->max_bytes, 1024 * MIB);
	assert_int_equal(p->recordings, 1);
}

static void a_policy_with_mistakes_allows_nothing(void **state)
{
	static const char *const bad[] = {
		"",
		"event =",
		"events = sched",
		"event = sched\nduration = never",
		"event = sched\nrecordings = 0",
		"event = sched\nspool-size = 1K",
		"event = sched\nduration = 0",
		"event = sched\nduration = 1s\nduration = 2h",
		"event = sched\nprobe = yes",
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_true(parse(f, bad[i]) < 0);
		assert_non_null(strstr(f->err.msg, "p.conf"));
	}
}

static void a_policy_that_others_may_write_to_is_refused(void **state)
{
	struct fixture *f = *state;
	char path[] = "/tmp/tc-policy.XXXXXX";
	int fd = mkstemp(path);
	size_t n = 0;

	assert_true(fd >= 0);
	/* a folder of its own for each key */
	assert_int_equal(record_policy_begin(&f->req, &n, &f->err), -EINVAL);
	f->req.stream.spool = "/var/tmp/key";
	assert_int_equal(write(fd, "event = sched\n", 14), 14);
	assert_int_equal(fchmod(fd, 0666), 0);
	f->req.policy.file = path;
	assert_int_equal(record_policy_begin(&f->req, &n, &f->err), -EPERM);
	assert_int_equal(fchmod(fd, 0600), 0);
	record_policy_release(&f->req.policy);
	assert_int_equal(setenv(RECORD_POLICY_VARIABLE, "tc-record --stream -e sched", 1), 0);
	assert_int_equal(setenv("TRACECRAFT_X", "y", 1), 0);
	assert_int_equal(record_policy_begin(&f->req, &n, &f->err), 0);
	assert_int_equal(f->req.trace.clauses.n, 1);
	assert_int_equal(n, 0);
	/* what a client sets reaches nothing */
	assert_null(getenv("TRACECRAFT_X"));
	assert_null(getenv(RECORD_POLICY_VARIABLE));
	unlink(path);
	close(fd);
}

static void commands_of_tc_fleet_are_taken(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(judge(f, "event = sched",
			       "tc-record --stream --stream-id 20260101-1 --bwlimit 100 -e "
			       "'sched:*' -f 'prev_prio < 100' -C mono -b 1024 --duration 5"),
			 0);
	assert_string_equal(f->req.stream.id, "20260101-1");
	assert_string_equal(f->req.trace.clauses.events[0].text, "sched:*");
	assert_string_equal(f->req.trace.clauses.events[0].filter, "prev_prio < 100");
	assert_int_equal(f->req.duration_ns, 5 * SECOND);
	assert_int_equal(judge(f, "event = sched", "/usr/bin/tc-record --resume 20260101-1"), 0);
	assert_string_equal(f->req.stream.resume, "20260101-1");
	assert_int_equal(judge(f, "event = sched", "tc-record --spools"), 0);
	assert_int_equal(judge(f, "event = sched", "tc-record --stop-spool 20260101-1"), 0);
	assert_int_equal(judge(f, "event = sched", "tc-record --version"), 1);
}

static void options_that_reach_further_are_refused(void **state)
{
	static const char *const bad[] = {
		"-p function",
		"-p kprobe:do_exit",
		"--probe=uprobe:/bin/sh:main",
		"--prob uprobe:/bin/sh:main",
		"-e sched -R stacktrace",
		"-e sched -T",
		"-e sched -O userstacktrace",
		"-e sched -o /etc/passwd",
		"-e sched -N 5000",
		"-e sched -B other",
		"-e sched -k",
		"-e sched --user root",
		"-e sched --spool /etc",
		"-e sched --policy other",
		"-e sched --profile-cpu",
		"-e sched -D",
		"-e sched -r 99",
		"-e sched --compression zstd:19",
		"-e sched --daemonize",
		"-e sched --container 1",
		"-e sched --cmdlines-size 100000",
		"-e sched --subbuf-size 64",
		"--recover /etc/passwd",
		"--clock-probe",
		"-e sched true",
		"-e sched -- true",
		"-h",
		"--dump-options",
	};
	struct fixture *f = *state;
	char line[128];

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		snprintf(line, sizeof(line), "tc-record --stream %s", bad[i]);
		assert_int_equal(judge(f, "event = sched", line), -EPERM);
		assert_non_null(strstr(f->err.msg, "allowed here, by --policy"));
	}
	assert_int_equal(judge(f, "event = sched", "tc-record -e sched"), -EPERM);
}

static void other_programs_are_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"sh -c true",
		"sudo tc-record --stream -e sched",
		"x-tc-record",
		"tc-record/..",
		"exec tc-record --stream -e sched",
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(judge(f, "event = sched", bad[i]), -EPERM);
	assert_int_equal(judge(f, "event = sched", "tc-record --spools; id"), -EINVAL);
	assert_int_equal(judge(f, "event = sched", "tc-record --stop-spool $(id)"), -EINVAL);
	assert_int_equal(judge(f, "event = sched", NULL), -EINVAL);
}

static void limits_hold_for_what_is_said_and_what_is_not(void **state)
{
	static const char policy[] = "event = sched\nduration = 10s\nbuffer-size = 2M\n"
				     "spool-size = 4M\nmax-size = 8M\nbwlimit = 1M\n"
				     "recordings = 2\n";
	static const char *const bad[] = {
		"--duration 10.1", "--duration 1h", "-b 2049", "-b 1G", "--spool-size 5M",
	};
	struct fixture *f = *state;
	char line[128];

	assert_int_equal(judge(f, policy, "tc-record --stream -e sched"), 0);
	assert_int_equal(f->req.duration_ns, 10 * SECOND);
	assert_int_equal(f->req.trace.buffers[0].buffer_bytes, 2 * MIB);
	assert_int_equal(f->req.stream.size, 4 * MIB);
	assert_int_equal(f->req.stream.rate, MIB);
	assert_int_equal(f->req.stream.max_bytes, 8 * MIB);
	assert_int_equal(f->req.stream.max_spools, 2);
	assert_int_equal(f->req.stream.wait_ns, 10 * SECOND);
	/* other programs write them, and no line "event" allows them */
	assert_false(f->req.trace.markers);
	assert_int_equal(judge(f, policy,
			       "tc-record --stream -e sched --duration 10 -b 2M --spool-size 4M "
			       "--bwlimit 10M"),
			 0);
	assert_int_equal(f->req.stream.rate, MIB);
	assert_int_equal(judge(f, policy,
			       "tc-record --stream -e sched --duration 3 -b 64 --spool-size 1M "
			       "--bwlimit 10"),
			 0);
	assert_int_equal(f->req.duration_ns, 3 * SECOND);
	assert_int_equal(f->req.trace.buffers[0].buffer_bytes, 64 * 1024);
	assert_int_equal(f->req.stream.rate, 10 * 1024);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		snprintf(line, sizeof(line), "tc-record --stream -e sched %s", bad[i]);
		assert_int_equal(judge(f, policy, line), -EPERM);
	}
	/* a buffer of the key's line would be measured by no limit */
	assert_int_equal(parse(f, policy), 0);
	trace_add_buffer(&f->req.trace, "other");
	f->req.stream.on = true;
	assert_int_equal(record_policy_limit(&f->req, &f->err), -EPERM);
	/* what is sent again is sent as slowly */
	assert_int_equal(judge(f, policy, "tc-record --resume x"), 0);
	assert_int_equal(f->req.stream.rate, MIB);
}

/* Both resolved against the events of a kernel */
static int judge_events(struct fixture *f, const char *policy, const char *line)
{
	static const char *const all[] = {
		"irq:irq_handler_entry", "irq:irq_handler_exit", "sched:sched_switch",
		"sched:sched_waking",    "sched:sched_wakeup",   "schedule:other",
	};
	struct tfs_strvec names = TFS_STRVEC_INIT;
	struct trace_request *t = &f->req.trace;
	int rc = judge(f, policy, line);

	assert_int_equal(rc, 0);
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		assert_int_equal(tfs_strvec_push(&names, all[i]), 0);
	rc = tfs_event_resolve(t->clauses.events, t->clauses.n, &names, 0, NULL, &f->err);
	assert_int_equal(rc, 0);
	rc = record_policy_check_events(&f->req, &names, &f->err);
	tfs_strvec_release(&names);
	return rc;
}

static void events_are_judged_by_what_they_are_not_by_how_they_are_named(void **state)
{
	static const char policy[] = "event = sched:sched_switch\nevent = sched_wak*\n"
				     "event = nothing:here\n";
	static const struct {
		const char *events;
		const char *refused; /* NULL: taken */
	} cases[] = {
		{ "-e sched_switch", NULL },
		{ "-e sched:sched_switch -e 'sched_wak*'", NULL },
		{ "-e sched", NULL }, /* all three are named one by one */
		{ "-e 'sched:*'", NULL },
		{ "-e 'sche*'", "schedule:other" },
		{ "-e irq", "irq:irq_handler_entry" },
		{ "-e irq_handler_exit", "irq:irq_handler_exit" },
		{ "-e sched_switch -e '*:*_exit'", "irq:irq_handler_exit" },
		{ "-e all", "irq:irq_handler_entry" },
		{ "-e sched -v -e irq", NULL }, /* disabled */
	};
	struct fixture *f = *state;
	char line[128];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(line, sizeof(line), "tc-record --stream %s", cases[i].events);
		assert_int_equal(judge_events(f, policy, line), cases[i].refused ? -EPERM : 0);
		if (!cases[i].refused)
			continue;
		assert_non_null(strstr(f->err.msg, cases[i].refused));
		assert_non_null(
			strstr(f->err.hint, "sched:sched_switch, sched_wak*, nothing:here"));
	}
	assert_int_equal(judge_events(f, "event = all", "tc-record --stream -e all"), 0);
	assert_int_equal(judge_events(f, "event = irq:*", "tc-record --stream -e irq"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_line_is_the_most_that_is_allowed, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_policy_that_says_nothing_else_has_limits, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_policy_with_mistakes_allows_nothing, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_policy_that_others_may_write_to_is_refused, setup,
						teardown),
		cmocka_unit_test_setup_teardown(commands_of_tc_fleet_are_taken, setup, teardown),
		cmocka_unit_test_setup_teardown(options_that_reach_further_are_refused, setup,
						teardown),
		cmocka_unit_test_setup_teardown(other_programs_are_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(limits_hold_for_what_is_said_and_what_is_not, setup,
						teardown),
		cmocka_unit_test_setup_teardown(
			events_are_judged_by_what_they_are_not_by_how_they_are_named, setup,
			teardown),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
