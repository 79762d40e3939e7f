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
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "lib/alloc_fail.h"
#include "lib/fake.h"
#include "tracefs/instance.h"
#include "tracefs/journal.h"
#include "tracefs/plan.h"
#include "tracefs/root.h"

/*
 * The system calls that change tracefs are logged ("> tracing_on 1\n", ">> ...", "mkdir ...") and
 * fail on demand.
 * @on: paths below the fake tracefs only
 * @fail_at: number of the change that fails with @error, counted from 1; with error 0 a write is
 *           a short one
 * @leaves: what a refused write leaves in the file all the same
 * @busy: directory that cannot be removed
 * @tries: after so many refusals for @busy and @fail_path there are no more; 0: they go on
 * @slept_ms: what was waited for them
 */
static struct {
	bool on;
	struct tfs_strvec log;
	unsigned int n, fail_at;
	int error;
	const char *fail_path, *leaves, *busy;
	unsigned int tries, slept_ms;
	const char *dir;
	const struct fake *fake;
} changes;

ssize_t __real_write(int fd, const void *buf, size_t len);
ssize_t __wrap_write(int fd, const void *buf, size_t len);
int __real_mkdirat(int fd, const char *path, mode_t mode);
int __wrap_mkdirat(int fd, const char *path, mode_t mode);
int __real_unlinkat(int fd, const char *path, int flags);
int __wrap_unlinkat(int fd, const char *path, int flags);

int __real_nanosleep(const struct timespec *ts, struct timespec *left);
int __wrap_nanosleep(const struct timespec *ts, struct timespec *left);

int __wrap_nanosleep(const struct timespec *ts, struct timespec *left)
{
	if (!changes.on)
		return __real_nanosleep(ts, left);
	changes.slept_ms += (unsigned int)(ts->tv_sec * 1000 + ts->tv_nsec / 1000000);
	return 0;
}

/* Is it @refused once more? */
static bool is_refused(const char **refused, const char *path)
{
	if (!*refused || strcmp(*refused, path) != 0)
		return false;
	if (changes.tries && !--changes.tries)
		*refused = NULL;
	return true;
}

static bool fails(const char *path)
{
	changes.n++;
	if (is_refused(&changes.fail_path, path))
		return true;
	return changes.fail_at && changes.n == changes.fail_at;
}

ssize_t __wrap_write(int fd, const void *buf, size_t len)
{
	char link[64], path[1024];
	const char *name, *mode;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	if (!changes.on || strncmp(path, changes.dir, strlen(changes.dir)))
		return __real_write(fd, buf, len);
	name = path + strlen(changes.dir) + 1;
	mode = fcntl(fd, F_GETFL) & O_APPEND ? ">>" : ">";
	if (fails(name)) {
		tfs_strvec_pushf(&changes.log, "refused %s %s %.*s", mode, name, (int)len,
				 (const char *)buf);
		if (!changes.error)
			return (ssize_t)len - 1;
		if (changes.leaves)
			assert_true(__real_write(fd, changes.leaves, strlen(changes.leaves)) > 0);
		errno = changes.error;
		return -1;
	}
	tfs_strvec_pushf(&changes.log, "%s %s %.*s", mode, name, (int)len, (const char *)buf);
	return __real_write(fd, buf, len);
}

int __wrap_mkdirat(int fd, const char *path, mode_t mode)
{
	int rc;

	if (!changes.on)
		return __real_mkdirat(fd, path, mode);
	if (fails(path)) {
		tfs_strvec_pushf(&changes.log, "refused mkdir %s", path);
		errno = changes.error ? changes.error : EIO;
		return -1;
	}
	tfs_strvec_pushf(&changes.log, "mkdir %s", path);
	rc = __real_mkdirat(fd, path, mode);
	if (!rc) {
		changes.on = false;
		fake_fill_instance(changes.fake, fake_path(changes.fake, path));
		changes.on = true;
	}
	return rc;
}

int __wrap_unlinkat(int fd, const char *path, int flags)
{
	if (!changes.on || !(flags & AT_REMOVEDIR))
		return __real_unlinkat(fd, path, flags);
	if (is_refused(&changes.busy, path)) {
		tfs_strvec_pushf(&changes.log, "refused rmdir %s", path);
		errno = EBUSY;
		return -1;
	}
	tfs_strvec_pushf(&changes.log, "rmdir %s", path);
	if (fake_has(changes.fake, path))
		fake_empty_dir(fake_path(changes.fake, path));
	return __real_unlinkat(fd, path, flags);
}

struct state {
	struct fake fake;
	struct tfs_plan *plan;
	struct tfs_err err;
	struct tfs_strbuf sb;
	char *before, *after;
};

static int setup(void **state)
{
	struct state *s = calloc(1, sizeof(*s));

	fake_new(&s->fake, "x86_64-6.18");
	fake_put(&s->fake, "set_event", "");
	fake_put(&s->fake, "saved_cmdlines_size", "128\n");
	s->err = TFS_ERR_INIT;
	tfs_strbuf_init(&s->sb);
	assert_int_equal(tfs_plan_new(s->fake.root, &s->plan), 0);
	memset(&changes, 0, sizeof(changes));
	changes.dir = s->fake.dir;
	changes.fake = &s->fake;
	changes.on = true;
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct state *s = *state;

	changes.on = false;
	tfs_strvec_release(&changes.log);
	tfs_plan_free(s->plan);
	tfs_strbuf_release(&s->sb);
	free(s->before);
	free(s->after);
	fake_free(&s->fake);
	free(s);
	return 0;
}

/* The log as one text, a line a change; forgets it. */
static const char *logged(struct state *s)
{
	size_t i;

	tfs_strbuf_reset(&s->sb);
	for (i = 0; i < changes.log.n; i++) {
		tfs_strbuf_adds(&s->sb, changes.log.v[i]);
		if (s->sb.len && s->sb.s[s->sb.len - 1] != '\n')
			tfs_strbuf_addc(&s->sb, '\n');
	}
	tfs_strvec_release(&changes.log);
	return s->sb.s;
}

static void assert_contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

static void assert_starts(const char *text, const char *start)
{
	if (strncmp(text, start, strlen(start)))
		fail_msg("'%s' does not begin:\n%s", start, text);
}

/* The changes that a recording makes, in short. */
static void plan_recording(struct state *s)
{
	struct tfs_instance inst;

	assert_int_equal(tfs_instance_named(&inst, "tc-x.1", NULL), 0);
	assert_int_equal(tfs_instance_plan(&inst, s->plan), 0);
	assert_int_equal(tfs_plan_write(s->plan, "instances/tc-x.1/trace_clock", "mono"), 0);
	assert_int_equal(tfs_plan_write(s->plan, "instances/tc-x.1/events/sched/enable", "1"), 0);
	assert_int_equal(tfs_plan_append(s->plan, "dynamic_events", "p:tc/open do_sys_openat2"), 0);
	assert_int_equal(tfs_plan_undo_append(s->plan, "dynamic_events", "-:tc/open"), 0);
	assert_int_equal(tfs_plan_write(s->plan, "saved_cmdlines_size", "4096"), 0);
	assert_int_equal(tfs_plan_undo_restore(s->plan), 0);
	assert_int_equal(tfs_plan_write(s->plan, "instances/tc-x.1/tracing_on", "1"), 0);
	assert_int_equal(tfs_plan_undo_write(s->plan, "instances/tc-x.1/tracing_on", "0"), 0);
}

static const char recording[] = "mkdir instances/tc-x.1\n"
				"> instances/tc-x.1/tracing_on 0\n"
				"> instances/tc-x.1/trace_clock mono\n"
				"> instances/tc-x.1/events/sched/enable 1\n"
				">> dynamic_events p:tc/open do_sys_openat2\n"
				"> saved_cmdlines_size 4096\n"
				"> instances/tc-x.1/tracing_on 1\n";

static void building_a_plan_touches_nothing(void **state)
{
	struct state *s = *state;

	plan_recording(s);
	assert_string_equal(logged(s), "");
}

static void apply_writes_each_step_once_in_order(void **state)
{
	struct state *s = *state;

	plan_recording(s);
	assert_int_equal(tfs_plan_apply(s->plan, &s->err), 0);
	assert_string_equal(logged(s), recording);
	assert_int_equal(s->err.code, 0);
	assert_int_equal(tfs_plan_notices(s->plan), 0);
	assert_string_equal(fake_get(&s->fake, "instances/tc-x.1/trace_clock"), "mono\n");
}

static void rollback_undoes_in_reverse(void **state)
{
	struct state *s = *state;
	char old[64];

	snprintf(old, sizeof(old), "> saved_cmdlines_size %s",
		 fake_get(&s->fake, "saved_cmdlines_size"));
	plan_recording(s);
	assert_int_equal(tfs_plan_apply(s->plan, &s->err), 0);
	logged(s);
	assert_int_equal(tfs_plan_rollback(s->plan, &s->err), 0);
	logged(s);
	assert_ptr_equal(strstr(s->sb.s, "> instances/tc-x.1/tracing_on 0\n> saved_cmdlines_size "),
			 s->sb.s);
	assert_contains(s->sb.s, old);
	assert_contains(s->sb.s, ">> dynamic_events -:tc/open\nrmdir instances/tc-x.1\n");
	assert_false(fake_has(&s->fake, "instances/tc-x.1"));

	/* nothing is left for a second time */
	assert_int_equal(tfs_plan_rollback(s->plan, &s->err), 0);
	assert_string_equal(logged(s), "");
}

/* The fake takes probe definitions and their removal as text: not part of the comparison. */
static void forget_probes(struct state *s)
{
	changes.on = false;
	fake_put(&s->fake, "dynamic_events", "");
	changes.on = true;
}

static void failure_at(struct state *s, unsigned int step, int error)
{
	int rc;

	tfs_plan_free(s->plan);
	assert_int_equal(tfs_plan_new(s->fake.root, &s->plan), 0);
	plan_recording(s);
	forget_probes(s);
	s->before = fake_state(&s->fake);
	changes.n = 0;
	changes.fail_at = step;
	changes.error = error;
	rc = tfs_plan_apply(s->plan, &s->err);
	changes.fail_at = 0;
	assert_int_equal(rc, error ? -error : -EIO);
	assert_int_equal(s->err.code, rc);
	forget_probes(s);
	s->after = fake_state(&s->fake);
	assert_true(fake_same_state(s->before, s->after));
	free(s->before);
	free(s->after);
	s->before = NULL;
	s->after = NULL;
}

static void failure_at_every_step_leaves_everything_as_before(void **state)
{
	struct state *s = *state;
	unsigned int step;

	for (step = 1; step <= 7; step++)
		failure_at(s, step, EINVAL);
}

static void a_short_write_is_a_failure(void **state)
{
	struct state *s = *state;
	unsigned int step;

	for (step = 2; step <= 7; step++)
		failure_at(s, step, 0);
}

static void a_missing_file_fails_with_its_path_and_a_hint(void **state)
{
	struct state *s = *state;

	tfs_plan_mkdir(s->plan, "instances/tc-x.1");
	tfs_plan_write(s->plan, "instances/tc-x.1/nosuch", "1");
	assert_int_equal(tfs_plan_apply(s->plan, &s->err), -ENOENT);
	assert_contains(s->err.msg, "/instances/tc-x.1/nosuch': No such file or directory");
	assert_contains(s->err.msg, s->fake.dir);
	assert_contains(s->err.hint, "does not offer");
	assert_false(fake_has(&s->fake, "instances/tc-x.1"));
}

static void an_instance_of_someone_else_is_not_removed(void **state)
{
	struct state *s = *state;

	fake_put(&s->fake, "instances/tc-x.1/tracing_on", "1\n");
	plan_recording(s);
	assert_int_equal(tfs_plan_apply(s->plan, &s->err), -EEXIST);
	assert_contains(s->err.msg, "cannot create instance 'tc-x.1'");
	assert_contains(s->err.hint, "exists already");
	assert_string_equal(fake_get(&s->fake, "instances/tc-x.1/tracing_on"), "1\n");
}

static void an_optional_refusal_is_a_notice(void **state)
{
	struct state *s = *state;

	tfs_plan_write(s->plan, "set_event_notrace_pid", "1");
	tfs_plan_optional(s->plan, "recorder threads will be traced");
	tfs_plan_undo_write(s->plan, "set_event_notrace_pid", "");
	tfs_plan_write(s->plan, "tracing_on", "0");
	changes.fail_path = "set_event_notrace_pid";
	changes.error = EPERM;
	assert_int_equal(tfs_plan_apply(s->plan, &s->err), 0);
	assert_int_equal(s->err.code, 0);
	assert_int_equal(tfs_plan_notices(s->plan), 1);
	assert_null(tfs_plan_notice(s->plan, 1));
	assert_int_equal(tfs_plan_notice(s->plan, 0)->code, -EPERM);
	assert_contains(tfs_plan_notice(s->plan, 0)->msg,
			"recorder threads will be traced: cannot ");
	logged(s);
	/* what was refused is not undone */
	assert_int_equal(tfs_plan_rollback(s->plan, &s->err), 0);
	assert_string_equal(logged(s), "");
}

static void plan_group(struct state *s)
{
	unsigned int group = tfs_plan_new_group(s->plan);
	static const char *const files[] = {
		"events/sched/sched_switch/enable",
		"events/sched/sched_waking/enable",
		"events/sched/sched_wakeup/enable",
	};
	size_t i;

	for (i = 0; i < 3; i++) {
		tfs_plan_write(s->plan, files[i], "1");
		tfs_plan_group(s->plan, group, "not every event is recorded");
	}
	tfs_plan_write(s->plan, "tracing_on", "1");
	tfs_plan_undo_write(s->plan, "tracing_on", "0");
}

static void a_group_is_refused_only_as_a_whole(void **state)
{
	struct state *s = *state;

	plan_group(s);
	changes.fail_path = "events/sched/sched_waking/enable";
	changes.error = ENODEV;
	assert_int_equal(tfs_plan_apply(s->plan, &s->err), 0);
	assert_int_equal(tfs_plan_notices(s->plan), 1);
	assert_contains(tfs_plan_notice(s->plan, 0)->msg, "not every event is recorded (1 of 3): ");
	assert_contains(tfs_plan_notice(s->plan, 0)->msg, "sched_waking/enable': No such device");
}

static void a_group_refused_as_a_whole_fails_the_plan(void **state)
{
	struct state *s = *state;
	unsigned int group = tfs_plan_new_group(s->plan);

	tfs_plan_write(s->plan, "tracing_on", "0");
	tfs_plan_undo_write(s->plan, "tracing_on", "1");
	tfs_plan_write(s->plan, "events/nosuch/a/enable", "1");
	tfs_plan_group(s->plan, group, "not every event is recorded");
	tfs_plan_write(s->plan, "events/nosuch/b/enable", "1");
	tfs_plan_group(s->plan, group, "not every event is recorded");
	tfs_plan_write(s->plan, "trace_clock", "mono");
	assert_int_equal(tfs_plan_apply(s->plan, &s->err), -ENOENT);
	assert_contains(s->err.msg, "events/nosuch/a/enable");
	assert_string_equal(logged(s), "> tracing_on 0\n> tracing_on 1\n");
}

static void two_groups_are_judged_apart(void **state)
{
	struct state *s = *state;

	tfs_plan_write(s->plan, "tracing_on", "0");
	tfs_plan_group(s->plan, tfs_plan_new_group(s->plan), "first");
	tfs_plan_write(s->plan, "events/nosuch/a/enable", "1");
	tfs_plan_group(s->plan, tfs_plan_new_group(s->plan), "second");
	assert_int_equal(tfs_plan_apply(s->plan, &s->err), -ENOENT);
}

/* The kernel goes on to the next event when one refuses, and the file then reads X. */
static void a_system_that_is_partly_on_is_a_notice(void **state)
{
	struct state *s = *state;

	tfs_plan_write(s->plan, "events/sched/enable", "1");
	tfs_plan_partial(s->plan, "not every event of 'sched' is recorded");
	tfs_plan_undo_write(s->plan, "events/sched/enable", "0");
	changes.fail_at = 1;
	changes.error = EPERM;
	changes.leaves = "X\n";
	assert_int_equal(tfs_plan_apply(s->plan, &s->err), 0);
	assert_int_equal(tfs_plan_notices(s->plan), 1);
	assert_contains(tfs_plan_notice(s->plan, 0)->msg,
			"not every event of 'sched' is recorded: cannot write '1' to ");
	logged(s);
	assert_int_equal(tfs_plan_rollback(s->plan, &s->err), 0);
	assert_string_equal(logged(s), "> events/sched/enable 0\n");
}

static void a_system_that_stays_off_fails_the_plan(void **state)
{
	struct state *s = *state;

	tfs_plan_write(s->plan, "events/sched/enable", "1");
	tfs_plan_partial(s->plan, "not every event of 'sched' is recorded");
	changes.fail_at = 1;
	changes.error = EPERM;
	changes.leaves = "0\n";
	assert_int_equal(tfs_plan_apply(s->plan, &s->err), -EPERM);
	assert_int_equal(tfs_plan_notices(s->plan), 0);
}

static void a_message_comes_before_file_and_errno(void **state)
{
	struct state *s = *state;

	tfs_plan_write(s->plan, "events/sched/sched_switch/filter", "prev_pid == 1");
	tfs_plan_says(s->plan, "cannot filter event 'sched:sched_switch'", "prev_pid == 1");
	changes.fail_at = 1;
	changes.error = EINVAL;
	assert_int_equal(tfs_plan_apply(s->plan, &s->err), -EINVAL);
	assert_memory_equal(s->err.msg,
			    "cannot filter event 'sched:sched_switch': cannot write "
			    "'prev_pid == 1' to '/",
			    76);
	assert_string_equal(s->err.input, "prev_pid == 1");
	assert_int_equal(s->err.caret, -1);
	assert_string_equal(s->err.kernel, "");
}

/* The log is the kernel's own: 6.18, echo of the same command into an instance's filter file. */
static void the_kernels_caret_is_moved_to_the_typed_text(void **state)
{
	struct state *s = *state;

	fake_put(&s->fake, "instances/tc-x.1/error_log",
		 "[ 2515.943431] event filter parse error: error: Field not found\n"
		 "  Command: (prev_pid == 1)&&(nosuch == 1)\n"
		 "                                    ^\n");
	fake_put(&s->fake, "instances/tc-x.1/events/sched/sched_switch/filter", "none\n");
	tfs_plan_write(s->plan, "instances/tc-x.1/events/sched/sched_switch/filter",
		       "(prev_pid == 1)&&(nosuch == 1)");
	tfs_plan_says(s->plan, "cannot filter", "nosuch == 1");
	changes.fail_at = 1;
	changes.error = EINVAL;
	assert_int_equal(tfs_plan_apply(s->plan, &s->err), -EINVAL);
	assert_string_equal(s->err.kernel, "event filter parse error: error: Field not found");
	assert_string_equal(s->err.input, "nosuch == 1");
	/* column 36 - 11 of "  Command: " - 18 bytes before the input */
	assert_int_equal(s->err.caret, 36 - 11 - 18);
}

static void the_kernels_message_stands_if_it_does_not_quote_the_input(void **state)
{
	struct state *s = *state;

	fake_put(&s->fake, "error_log",
		 "[ 1.0] event filter parse error: error: Field not found\n"
		 "  Command: nosuch == 1\n"
		 "                  ^\n");
	tfs_plan_write(s->plan, "events/sched/sched_switch/filter", "nosuch == 1");
	tfs_plan_says(s->plan, "cannot filter", "typed");
	changes.fail_at = 1;
	changes.error = EINVAL;
	assert_int_equal(tfs_plan_apply(s->plan, &s->err), -EINVAL);
	assert_string_equal(s->err.input, "nosuch == 1");
	assert_int_equal(s->err.caret, 7);
}

static void settings_that_cannot_be_restored_are_not_changed(void **state)
{
	struct state *s = *state;

	fake_put(&s->fake, "events/sched/enable", "X\n");
	tfs_plan_write(s->plan, "events/sched/enable", "1");
	tfs_plan_undo_restore(s->plan);
	assert_int_equal(tfs_plan_apply(s->plan, &s->err), -ENOTSUP);
	assert_string_equal(logged(s), "");
	tfs_plan_free(s->plan);
	assert_int_equal(tfs_plan_new(s->fake.root, &s->plan), 0);
	tfs_plan_write(s->plan, "nosuch", "1");
	tfs_plan_undo_restore(s->plan);
	assert_int_equal(tfs_plan_apply(s->plan, &s->err), -ENOENT);
}

static void a_list_is_put_back_line_by_line(void **state)
{
	struct state *s = *state;

	fake_put(&s->fake, "set_event", "sched:sched_switch\nirq:irq_handler_entry\n");
	tfs_plan_write(s->plan, "set_event", "");
	tfs_plan_undo_restore(s->plan);
	assert_int_equal(tfs_plan_apply(s->plan, &s->err), 0);
	/* an empty text empties the list by O_TRUNC and writes nothing */
	assert_string_equal(logged(s), "");
	assert_string_equal(fake_get(&s->fake, "set_event"), "");
	assert_int_equal(tfs_plan_rollback(s->plan, &s->err), 0);
	assert_string_equal(logged(s), "> set_event sched:sched_switch\n"
				       "> set_event irq:irq_handler_entry\n");
}

static void steps_added_later_are_applied_and_taken_back_alone(void **state)
{
	struct state *s = *state;

	tfs_plan_mkdir(s->plan, "instances/tc-x.1");
	assert_int_equal(tfs_plan_apply(s->plan, &s->err), 0);
	tfs_plan_write(s->plan, "tracing_on", "0");
	tfs_plan_undo_write(s->plan, "tracing_on", "1");
	tfs_plan_write(s->plan, "nosuch", "1");
	assert_int_equal(tfs_plan_apply(s->plan, &s->err), -ENOENT);
	assert_string_equal(logged(s), "mkdir instances/tc-x.1\n> tracing_on 0\n> tracing_on 1\n");
	assert_int_equal(tfs_plan_rollback(s->plan, &s->err), 0);
	assert_string_equal(logged(s), "rmdir instances/tc-x.1\n");
}

/* As with set_event: O_TRUNC empties the list, then the word is refused. */
static void a_list_emptied_by_a_refused_write_is_put_back(void **state)
{
	struct state *s = *state;

	fake_put(&s->fake, "set_event", "sched:sched_switch\n");
	tfs_plan_write(s->plan, "set_event", "nosuch");
	tfs_plan_undo_restore(s->plan);
	changes.fail_at = 1;
	changes.error = EINVAL;
	assert_int_equal(tfs_plan_apply(s->plan, &s->err), -EINVAL);
	assert_string_equal(fake_get(&s->fake, "set_event"), "sched:sched_switch\n");
}

static void steps_that_cannot_be_undone_are_shown_as_commands_and_retried(void **state)
{
	struct state *s = *state;
	char want[256];

	tfs_plan_mkdir(s->plan, "instances/tc-x.1");
	tfs_plan_write(s->plan, "tracing_on", "0");
	tfs_plan_undo_write(s->plan, "tracing_on", "1");
	assert_int_equal(tfs_plan_apply(s->plan, &s->err), 0);
	changes.busy = "instances/tc-x.1";
	logged(s);
	assert_int_equal(tfs_plan_rollback(s->plan, &s->err), -EBUSY);
	assert_starts(logged(s), "> tracing_on 1\nrefused rmdir instances/tc-x.1\n");
	assert_contains(s->err.msg, "Device or resource busy");
	assert_contains(s->err.hint, "holds a file of this instance open");
	snprintf(want, sizeof(want), "\nrmdir %s/instances/tc-x.1", s->fake.dir);
	assert_contains(s->err.hint, want);

	changes.busy = NULL;
	assert_int_equal(tfs_plan_rollback(s->plan, &s->err), 0);
	assert_string_equal(logged(s), "rmdir instances/tc-x.1\n");
}

/* An instance, and a probe that is defined before it: both can be busy. */
static void apply_instance_with_probe(struct state *s)
{
	tfs_plan_append(s->plan, "uprobe_events", "p:tc/main /bin/true:0x1000");
	tfs_plan_undo_append(s->plan, "uprobe_events", "-:tc/main");
	tfs_plan_mkdir(s->plan, "instances/tc-x.1");
	assert_int_equal(tfs_plan_apply(s->plan, &s->err), 0);
	logged(s);
}

static void a_directory_that_is_busy_for_a_moment_is_tried_again(void **state)
{
	struct state *s = *state;

	apply_instance_with_probe(s);
	changes.busy = "instances/tc-x.1";
	changes.tries = 2;
	assert_int_equal(tfs_plan_rollback(s->plan, &s->err), 0);
	assert_string_equal(logged(s), "refused rmdir instances/tc-x.1\n"
				       "refused rmdir instances/tc-x.1\n"
				       "rmdir instances/tc-x.1\n"
				       ">> uprobe_events -:tc/main\n");
	assert_in_range(changes.slept_ms, 2, 200);
	assert_int_equal(tfs_plan_notices(s->plan), 0);
}

static void a_probe_that_is_busy_for_a_moment_is_tried_again(void **state)
{
	struct state *s = *state;

	apply_instance_with_probe(s);
	changes.fail_path = "uprobe_events";
	changes.error = EBUSY;
	changes.tries = 1;
	assert_int_equal(tfs_plan_rollback(s->plan, &s->err), 0);
	assert_string_equal(logged(s), "rmdir instances/tc-x.1\n"
				       "refused >> uprobe_events -:tc/main\n"
				       ">> uprobe_events -:tc/main\n");
}

static void only_what_is_busy_is_waited_for(void **state)
{
	struct state *s = *state;

	apply_instance_with_probe(s);
	changes.fail_path = "uprobe_events";
	changes.error = EIO;
	assert_int_equal(tfs_plan_rollback(s->plan, &s->err), -EIO);
	assert_string_equal(logged(s), "rmdir instances/tc-x.1\n"
				       "refused >> uprobe_events -:tc/main\n");
	assert_int_equal(changes.slept_ms, 0);
}

static void all_steps_of_an_undo_wait_for_two_seconds_together(void **state)
{
	struct state *s = *state;

	apply_instance_with_probe(s);
	changes.busy = "instances/tc-x.1";
	changes.fail_path = "uprobe_events";
	changes.error = EBUSY;
	assert_int_equal(tfs_plan_rollback(s->plan, &s->err), -EBUSY);
	assert_int_equal(changes.slept_ms, 2000);
	assert_contains(s->err.hint, "\nrmdir ");
	assert_contains(s->err.hint, "-:tc/main");
	changes.fail_path = NULL;
	changes.busy = NULL;
	assert_int_equal(tfs_plan_rollback(s->plan, &s->err), 0);
}

static void open_journal(struct state *s, char file[192], struct tfs_journal **j)
{
	char dir[128];

	snprintf(dir, sizeof(dir), "%s/journal", s->fake.dir);
	assert_int_equal(tfs_journal_open(dir, "test", s->fake.root, j, &s->err), 0);
	snprintf(file, 192, "journal/test.%ld", (long)getpid());
	tfs_plan_set_journal(s->plan, *j);
}

static void an_instance_that_stays_busy_is_left_to_the_journal_and_its_holder_named(void **state)
{
	struct state *s = *state;
	char file[192], comm[17] = "", want[64];
	struct tfs_journal *j;
	int fd;

	open_journal(s, file, &j);
	apply_instance_with_probe(s);
	fd = open(fake_path(&s->fake, "instances/tc-x.1/tracing_on"), O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	changes.busy = "instances/tc-x.1";
	assert_int_equal(tfs_plan_rollback(s->plan, &s->err), 0);
	close(fd);
	assert_int_equal(s->err.code, 0);
	assert_int_equal(tfs_plan_notices(s->plan), 1);
	assert_int_equal(prctl(PR_GET_NAME, comm), 0);
	snprintf(want, sizeof(want), ": a file of it is open in %ld (%s); ", (long)getpid(), comm);
	assert_contains(tfs_plan_notice(s->plan, 0)->msg, want);
	assert_contains(tfs_plan_notice(s->plan, 0)->msg, "Device or resource busy");
	tfs_journal_done(j);
	assert_contains(fake_get(&s->fake, file), "\n+rmdir\tinstances/tc-x.1\n");
	assert_contains(fake_get(&s->fake, file), "\n-append\tuprobe_events\t-:tc/main");
}

static void a_failure_beside_what_is_busy_is_a_failure(void **state)
{
	struct state *s = *state;
	struct tfs_journal *j;
	char file[192];

	open_journal(s, file, &j);
	apply_instance_with_probe(s);
	changes.busy = "instances/tc-x.1";
	changes.fail_path = "uprobe_events";
	changes.error = EIO;
	assert_int_equal(tfs_plan_rollback(s->plan, &s->err), -EBUSY);
	assert_int_equal(tfs_plan_notices(s->plan), 0);
	assert_contains(s->err.msg, "cannot take back all changes");
	tfs_journal_forget(j);
}

static void an_undo_that_fails_after_a_failure_is_in_the_hint(void **state)
{
	struct state *s = *state;
	char want[256];

	tfs_plan_mkdir(s->plan, "instances/tc-x.1");
	tfs_plan_write(s->plan, "nosuch", "1");
	tfs_plan_write(s->plan, "tracing_on", "1");
	changes.busy = "instances/tc-x.1";
	assert_int_equal(tfs_plan_apply(s->plan, &s->err), -ENOENT);
	assert_starts(logged(s), "mkdir instances/tc-x.1\nrefused rmdir instances/tc-x.1\n");
	assert_contains(s->err.msg, "nosuch");
	snprintf(want, sizeof(want), "\nrmdir %s/instances/tc-x.1", s->fake.dir);
	assert_contains(s->err.hint, want);
}

static void missing_files_count_as_undone(void **state)
{
	struct state *s = *state;

	tfs_plan_mkdir(s->plan, "instances/tc-x.1");
	tfs_plan_write(s->plan, "instances/tc-x.1/tracing_on", "1");
	tfs_plan_undo_write(s->plan, "instances/tc-x.1/tracing_on", "0");
	assert_int_equal(tfs_plan_apply(s->plan, &s->err), 0);
	changes.on = false;
	fake_empty_dir(fake_path(&s->fake, "instances"));
	changes.on = true;
	assert_int_equal(tfs_plan_rollback(s->plan, &s->err), 0);
}

static void the_journal_has_the_applied_steps_only(void **state)
{
	struct state *s = *state;
	char dir[128], file[192];
	struct tfs_journal *j;
	const char *text;

	snprintf(dir, sizeof(dir), "%s/journal", s->fake.dir);
	assert_int_equal(tfs_journal_open(dir, "test", s->fake.root, &j, &s->err), 0);
	snprintf(file, sizeof(file), "journal/test.%ld", (long)getpid());
	plan_recording(s);
	tfs_plan_set_journal(s->plan, j);
	assert_int_equal(tfs_plan_apply(s->plan, &s->err), 0);
	assert_int_equal(tfs_journal_count(j), 4);
	text = strstr(fake_get(&s->fake, file), "+rmdir");
	assert_memory_equal(text,
			    "+rmdir\tinstances/tc-x.1\n"
			    "+append\tdynamic_events\t-:tc/open\\n\n"
			    "+write\tsaved_cmdlines_size\t",
			    85);
	assert_contains(text, "\n+write\tinstances/tc-x.1/tracing_on\t0\\n\n");

	assert_int_equal(tfs_plan_rollback(s->plan, &s->err), 0);
	text = fake_get(&s->fake, file);
	assert_null(strchr(text, '+'));
	assert_contains(text, "\n-rmdir\tinstances/tc-x.1\n");
	tfs_journal_done(j);
	assert_false(fake_has(&s->fake, file));
}

static void a_refused_steps_undo_is_struck_out(void **state)
{
	struct state *s = *state;
	char dir[128], file[192];
	struct tfs_journal *j;

	snprintf(dir, sizeof(dir), "%s/journal", s->fake.dir);
	assert_int_equal(tfs_journal_open(dir, "test", s->fake.root, &j, &s->err), 0);
	snprintf(file, sizeof(file), "journal/test.%ld", (long)getpid());
	tfs_plan_set_journal(s->plan, j);
	tfs_plan_write(s->plan, "tracing_on", "0");
	tfs_plan_undo_write(s->plan, "tracing_on", "1");
	tfs_plan_optional(s->plan, "tracing goes on");
	changes.fail_at = 1;
	changes.error = EPERM;
	assert_int_equal(tfs_plan_apply(s->plan, &s->err), 0);
	assert_contains(fake_get(&s->fake, file), "\n-write\ttracing_on\t1\\n\n");
	tfs_journal_done(j);
	assert_false(fake_has(&s->fake, file));
}

static void print_shows_commands_for_a_shell(void **state)
{
	struct state *s = *state;
	struct tfs_plan *plan;

	assert_int_equal(tfs_plan_new(NULL, &plan), 0);
	tfs_plan_mkdir(plan, "instances/tc-x.1");
	tfs_plan_write(plan, "instances/tc-x.1/tracing_on", "0");
	tfs_plan_write(plan, "events/sched/sched_switch/filter", "prev_comm == \"it's\"");
	tfs_plan_append(plan, "dynamic_events", "p:tc/open do_sys_openat2 $arg1");
	tfs_plan_undo_append(plan, "dynamic_events", "-:tc/open");
	tfs_plan_write(plan, "set_event", "");
	tfs_plan_write(plan, "set_event_pid", "1\n2\n");
	tfs_plan_append(plan, "dynamic_events", "-:tc/old");
	tfs_plan_write(plan, "events/x/y/filter", "a ~ \"\\*\"");
	tfs_plan_write(plan, "/proc/sys/kernel/kptr_restrict", "0");
	tfs_plan_undo_restore(plan);
	assert_int_equal(tfs_plan_print(plan, TFS_PLAN_UNDO, &s->sb), 0);
	assert_string_equal(
		s->sb.s,
		"mkdir /sys/kernel/tracing/instances/tc-x.1\n"
		"echo 0 > /sys/kernel/tracing/instances/tc-x.1/tracing_on\n"
		"echo 'prev_comm == \"it'\\''s\"' > "
		"/sys/kernel/tracing/events/sched/sched_switch/filter\n"
		"echo 'p:tc/open do_sys_openat2 $arg1' >> /sys/kernel/tracing/dynamic_events\n"
		": > /sys/kernel/tracing/set_event\n"
		"echo 1 > /sys/kernel/tracing/set_event_pid\n"
		"echo 2 >> /sys/kernel/tracing/set_event_pid\n"
		"printf '%s\\n' -:tc/old >> /sys/kernel/tracing/dynamic_events\n"
		"printf '%s\\n' 'a ~ \"\\*\"' > /sys/kernel/tracing/events/x/y/filter\n"
		"echo 0 > /proc/sys/kernel/kptr_restrict\n"
		"# undo\n"
		"# write back what was there before: /proc/sys/kernel/kptr_restrict\n"
		"printf '%s\\n' -:tc/open >> /sys/kernel/tracing/dynamic_events\n"
		"rmdir /sys/kernel/tracing/instances/tc-x.1\n");
	tfs_plan_free(plan);
}

/* The printed commands, run by sh on one fake, do what apply does on another. */
static void the_printed_commands_do_the_same(void **state)
{
	struct state *s = *state;
	struct fake other;
	struct tfs_plan *plan;

	fake_new(&other, "x86_64-6.18");
	fake_put(&other, "set_event", "");
	assert_int_equal(tfs_plan_new(other.root, &plan), 0);
	tfs_plan_write(plan, "trace_clock", "it's \\n \"$HOME\" `x`");
	tfs_plan_undo_restore(plan);
	tfs_plan_append(plan, "dynamic_events", "-n a*  b");
	tfs_plan_write(plan, "set_event_pid", "1");
	tfs_plan_append(plan, "set_event_pid", "#~");
	assert_int_equal(tfs_plan_print(plan, 0, &s->sb), 0);
	fake_run((const char *const[]){ "sh", "-c", s->sb.s, NULL });
	s->before = fake_state(&other);

	fake_free(&other);
	fake_new(&other, "x86_64-6.18");
	fake_put(&other, "set_event", "");
	tfs_plan_free(plan);
	assert_int_equal(tfs_plan_new(other.root, &plan), 0);
	tfs_plan_write(plan, "trace_clock", "it's \\n \"$HOME\" `x`");
	tfs_plan_append(plan, "dynamic_events", "-n a*  b");
	tfs_plan_write(plan, "set_event_pid", "1");
	tfs_plan_append(plan, "set_event_pid", "#~");
	assert_int_equal(tfs_plan_apply(plan, &s->err), 0);
	s->after = fake_state(&other);
	assert_true(fake_same_state(s->before, s->after));
	tfs_plan_free(plan);
	fake_free(&other);
}

static void print_shows_what_restoring_would_write(void **state)
{
	struct state *s = *state;
	char want[256];

	fake_put(&s->fake, "trace_clock", "local [mono] boot\n");
	tfs_plan_write(s->plan, "trace_clock", "boot");
	tfs_plan_undo_restore(s->plan);
	assert_int_equal(tfs_plan_print(s->plan, TFS_PLAN_UNDO, &s->sb), 0);
	snprintf(want, sizeof(want), "# undo\necho mono > %s/trace_clock\n", s->fake.dir);
	assert_contains(s->sb.s, want);

	/* once applied, what was saved counts */
	assert_int_equal(tfs_plan_apply(s->plan, &s->err), 0);
	tfs_strbuf_reset(&s->sb);
	assert_int_equal(tfs_plan_print(s->plan, TFS_PLAN_UNDO, &s->sb), 0);
	assert_contains(s->sb.s, want);
}

/* Memory that runs out at any allocation: an error, and nothing lost or changed. */
static void no_memory_is_an_error_at_every_allocation(void **state)
{
	struct state *s = *state;
	struct tfs_plan *plan;
	size_t n;
	int rc;

	for (n = 0; n < 1000; n++) {
		plan = NULL;
		alloc_fail_at(n);
		rc = tfs_plan_new(s->fake.root, &plan);
		if (!rc)
			rc = tfs_plan_mkdir(plan, "instances/tc-x.1");
		if (!rc)
			rc = tfs_plan_write(plan, "tracing_on", "1");
		if (!rc)
			rc = tfs_plan_says(plan, "cannot", "1");
		if (!rc)
			rc = tfs_plan_optional(plan, "not traced");
		if (!rc)
			rc = tfs_plan_partial(plan, "not traced");
		if (!rc)
			rc = tfs_plan_undo_write(plan, "tracing_on", "0");
		if (!rc)
			rc = tfs_plan_print(plan, TFS_PLAN_UNDO, &s->sb);
		tfs_plan_free(plan);
		if (!alloc_fail_off())
			break;
		assert_int_equal(rc, -ENOMEM);
	}
	assert_in_range(n, 8, 999);
	assert_int_equal(rc, 0);
	assert_string_equal(logged(s), "");
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(building_a_plan_touches_nothing),
		T(apply_writes_each_step_once_in_order),
		T(rollback_undoes_in_reverse),
		T(failure_at_every_step_leaves_everything_as_before),
		T(a_short_write_is_a_failure),
		T(a_missing_file_fails_with_its_path_and_a_hint),
		T(an_instance_of_someone_else_is_not_removed),
		T(an_optional_refusal_is_a_notice),
		T(a_group_is_refused_only_as_a_whole),
		T(a_group_refused_as_a_whole_fails_the_plan),
		T(two_groups_are_judged_apart),
		T(a_system_that_is_partly_on_is_a_notice),
		T(a_system_that_stays_off_fails_the_plan),
		T(a_message_comes_before_file_and_errno),
		T(the_kernels_caret_is_moved_to_the_typed_text),
		T(the_kernels_message_stands_if_it_does_not_quote_the_input),
		T(settings_that_cannot_be_restored_are_not_changed),
		T(a_list_is_put_back_line_by_line),
		T(a_list_emptied_by_a_refused_write_is_put_back),
		T(steps_added_later_are_applied_and_taken_back_alone),
		T(steps_that_cannot_be_undone_are_shown_as_commands_and_retried),
		T(a_directory_that_is_busy_for_a_moment_is_tried_again),
		T(a_probe_that_is_busy_for_a_moment_is_tried_again),
		T(only_what_is_busy_is_waited_for),
		T(all_steps_of_an_undo_wait_for_two_seconds_together),
		T(an_instance_that_stays_busy_is_left_to_the_journal_and_its_holder_named),
		T(a_failure_beside_what_is_busy_is_a_failure),
		T(an_undo_that_fails_after_a_failure_is_in_the_hint),
		T(missing_files_count_as_undone),
		T(the_journal_has_the_applied_steps_only),
		T(a_refused_steps_undo_is_struck_out),
		T(print_shows_commands_for_a_shell),
		T(the_printed_commands_do_the_same),
		T(print_shows_what_restoring_would_write),
		T(no_memory_is_an_error_at_every_allocation),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
