/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks what libtfs assumes about the kernel on a mounted tracefs, in instances of its own. TAP on
 * stdout; t-plan.sh compiles it and looks for what it left.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "base/strvec.h"
#include "tracefs/event-plan.h"
#include "tracefs/event.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracefs/journal.h"
#include "tracefs/plan.h"
#include "tracefs/root.h"

/*
 * struct live - what every case works with
 * @inst: made by setup(), taken back by teardown()
 * @plan: of the case; @base: of the instance
 */
struct live {
	struct tfs_root *root;
	struct tfs_strvec names;
	struct tfs_instance inst;
	struct tfs_plan *base, *plan;
	struct tfs_err err;
	const char *journal_dir;
	unsigned int count, failed;
};

static void check(struct live *l, bool good, const char *name)
{
	l->count++;
	printf("%sok %u - %s\n", good ? "" : "not ", l->count, name);
	if (good)
		return;
	l->failed++;
	printf("# msg: %s\n# input: %s, caret %d\n# kernel: %s\n# hint: %s\n", l->err.msg,
	       l->err.input, l->err.caret, l->err.kernel, l->err.hint);
}

static const char *in_instance(const struct live *l, const char *file)
{
	static char path[512];

	if (tfs_instance_path(&l->inst, file, path, sizeof(path)))
		return "";
	return path;
}

static bool setup(struct live *l)
{
	l->err = TFS_ERR_INIT;
	tfs_instance_private(&l->inst, "tc-live");
	return !tfs_plan_new(l->root, &l->base) && !tfs_plan_new(l->root, &l->plan) &&
	       !tfs_instance_plan(&l->inst, l->base) && !tfs_plan_apply(l->base, &l->err);
}

static void teardown(struct live *l)
{
	tfs_plan_free(l->plan);
	l->plan = NULL;
	tfs_err_clear(&l->err);
	check(l,
	      !tfs_plan_rollback(l->base, &l->err) && !tfs_file_exists(l->root, in_instance(l, "")),
	      "the instance is removed");
	tfs_plan_free(l->base);
	l->base = NULL;
}

static bool reads(const struct live *l, const char *file, const char *want)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	bool same = !tfs_file_read(l->root, in_instance(l, file), &sb, NULL);

	tfs_strbuf_rtrim(&sb);
	same = same && !strcmp(sb.s, want);
	tfs_strbuf_release(&sb);
	return same;
}

static int apply_event(struct live *l, const char *text, const char *filter)
{
	struct tfs_event_spec spec = { .text = text, .filter = filter };
	int rc;

	tfs_err_clear(&l->err);
	rc = tfs_event_resolve(&spec, 1, &l->names, 0, NULL, &l->err);
	if (!rc)
		rc = tfs_event_plan(&spec, 1, &l->names, &l->inst, l->plan, &l->err);
	if (!rc)
		rc = tfs_plan_apply(l->plan, &l->err);
	tfs_strvec_release(&spec.matched);
	return rc;
}

static int apply_write(struct live *l, const char *file, const char *text)
{
	int rc;

	tfs_err_clear(&l->err);
	rc = tfs_plan_write(l->plan, in_instance(l, file), text);
	return rc ? rc : tfs_plan_apply(l->plan, &l->err);
}

static void a_new_instance_is_off(struct live *l)
{
	check(l, reads(l, "tracing_on", "0"), "a new instance does not trace");
}

static void events_are_enabled(struct live *l)
{
	check(l, !apply_event(l, "sched", NULL) && reads(l, "events/sched/enable", "1"),
	      "a system is enabled");
}

/* Not "all": others' probes are among these, and who has one on keeps it from being removed. */
static void events_of_a_glob_are_enabled(struct live *l)
{
	check(l,
	      !apply_event(l, "syscalls:sys_enter_*", NULL) &&
		      reads(l, "events/syscalls/sys_enter_read/enable", "1") &&
		      reads(l, "events/syscalls/sys_exit_read/enable", "0"),
	      "the events of a glob are enabled, and no others");
}

static void a_bad_filter_shows_the_caret(struct live *l)
{
	static const char filter[] = "prev_pid == 1 && nosuch == 2";

	check(l,
	      apply_event(l, "sched_switch", filter) == -EINVAL &&
		      strstr(l->err.kernel, "Field not found") && !strcmp(l->err.input, filter) &&
		      l->err.caret >= (int)strlen("prev_pid == 1 && "),
	      "a bad filter shows what the kernel says and where");
}

static void a_filter_cut_short_is_faulted_at_its_end(struct live *l)
{
	check(l,
	      apply_event(l, "sched_switch", "prev_pid ==") == -EINVAL && l->err.kernel[0] &&
		      l->err.caret == (int)strlen("prev_pid =="),
	      "a filter cut short is faulted at its end");
}

/* The file that the kernel has for it takes anything; so each event is asked. */
static void a_systems_nonsense_filter_is_refused(struct live *l)
{
	static const char nonsense[] = "nosuch == 1";

	check(l,
	      apply_event(l, "sched", nonsense) == -EINVAL &&
		      strstr(l->err.kernel, "Field not found") && !strcmp(l->err.input, nonsense),
	      "a filter that no event of a system understands is refused");
	check(l, reads(l, "events/sched/enable", "0"), "and nothing is enabled");
}

static void a_systems_filter_fits_some_events(struct live *l)
{
	check(l,
	      !apply_event(l, "sched", "prev_pid == 1") && tfs_plan_notices(l->plan) == 1 &&
		      reads(l, "events/sched/sched_switch/filter", "prev_pid == 1") &&
		      reads(l, "events/sched/enable", "1"),
	      "a filter that fits some events of a system is one notice");
}

static void an_unlogged_refusal_has_no_kernel_text(struct live *l)
{
	apply_event(l, "sched_switch", "nosuch == 1");
	check(l, l->err.kernel[0], "a refusal leaves an entry in error_log");
	tfs_plan_free(l->plan);
	l->plan = NULL;
	if (tfs_plan_new(l->root, &l->plan))
		return;
	check(l,
	      apply_write(l, "trace_clock", "nosuch") == -EINVAL && !l->err.kernel[0] &&
		      strstr(l->err.hint, "no such clock"),
	      "the entry is not taken for that of an unknown clock, which the kernel does not log");
}

static void a_pid_too_large_is_no_permission(struct live *l)
{
	int rc = apply_write(l, "set_event_pid", "99999999999");

	check(l, rc == -EINVAL || (rc == -EPERM && strstr(l->err.hint, "pid_max")),
	      "a pid above pid_max is not explained as a missing permission");
}

static void a_refused_word_leaves_the_list(struct live *l)
{
	static const char list[] = "irq:irq_handler_entry\nsched:sched_switch";

	if (apply_write(l, "set_event", "sched:sched_switch") ||
	    tfs_plan_append(l->plan, in_instance(l, "set_event"), "irq:irq_handler_entry") ||
	    tfs_plan_apply(l->plan, &l->err) || !reads(l, "set_event", list)) {
		check(l, false, "two events are in set_event");
		return;
	}
	tfs_plan_write(l->plan, in_instance(l, "set_event"), "nosuch:event");
	tfs_plan_undo_restore(l->plan);
	check(l, tfs_plan_apply(l->plan, &l->err) == -EINVAL && reads(l, "set_event", list),
	      "a list that a refused write emptied is put back");
}

/* A program that ends without taking anything back; its pid, -1 if it did not get there. */
static pid_t leave_an_instance(struct live *l, const struct tfs_instance *inst)
{
	struct tfs_journal *j = NULL;
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (tfs_journal_open(l->journal_dir, "tc-live", l->root, &j, NULL) ||
		    tfs_instance_plan(inst, l->plan))
			_exit(1);
		tfs_plan_set_journal(l->plan, j);
		_exit(tfs_plan_apply(l->plan, NULL) != 0);
	}
	return pid < 0 || waitpid(pid, &status, 0) < 0 || status ? -1 : pid;
}

static void an_instance_in_use_stays_for_the_next(struct live *l)
{
	struct tfs_instance inst;
	char path[300];
	size_t count;
	int fd = -1;

	snprintf(path, sizeof(path), "%s.busy", l->inst.name);
	if (tfs_instance_named(&inst, path, &l->err))
		return;
	snprintf(path, sizeof(path), "%strace_pipe", inst.prefix);
	check(l,
	      leave_an_instance(l, &inst) > 0 &&
		      !tfs_file_open(l->root, path, O_RDONLY, &fd, &l->err),
	      "a program that ended left an instance, of which a file is open");
	check(l,
	      tfs_journal_recover(l->journal_dir, l->root, 0, &count, &l->err) == -EBUSY &&
		      count == 0 && l->err.hint[0] && tfs_file_exists(l->root, inst.prefix),
	      "so it cannot be removed yet");
	close(fd);
	tfs_err_clear(&l->err);
	check(l,
	      !tfs_journal_recover(l->journal_dir, l->root, 0, &count, &l->err) && count == 1 &&
		      !tfs_file_exists(l->root, inst.prefix),
	      "once it is closed, it can");
	check(l, !tfs_journal_recover(l->journal_dir, l->root, 0, &count, &l->err) && !count,
	      "and then nothing is left to do");
}

static void a_dynamic_event_comes_and_goes(struct live *l)
{
	char text[128], undo[64], ours[64], other[64];

	if (!tfs_file_exists(l->root, "dynamic_events")) {
		printf("ok %u - a dynamic event comes and goes # SKIP no dynamic_events\n",
		       ++l->count);
		return;
	}
	snprintf(other, sizeof(other), "events/tclive%ld/other", (long)getpid());
	snprintf(ours, sizeof(ours), "events/tclive%ld/probe", (long)getpid());
	snprintf(text, sizeof(text), "p:tclive%ld/other /bin/sh:0x0", (long)getpid());
	snprintf(undo, sizeof(undo), "-:tclive%ld/other", (long)getpid());
	tfs_plan_append(l->base, "dynamic_events", text);
	tfs_plan_undo_append(l->base, "dynamic_events", undo);
	check(l, !tfs_plan_apply(l->base, &l->err) && tfs_file_exists(l->root, other),
	      "a uprobe is defined");
	snprintf(text, sizeof(text), "p:tclive%ld/probe /bin/sh:0x0", (long)getpid());
	snprintf(undo, sizeof(undo), "-:tclive%ld/probe", (long)getpid());
	tfs_plan_append(l->plan, "dynamic_events", text);
	tfs_plan_undo_append(l->plan, "dynamic_events", undo);
	check(l, !tfs_plan_apply(l->plan, &l->err) && tfs_file_exists(l->root, ours),
	      "and another one beside it");
	check(l,
	      !tfs_plan_rollback(l->plan, &l->err) && !tfs_file_exists(l->root, ours) &&
		      tfs_file_exists(l->root, other),
	      "which is removed, and no other with it");
}

int main(int argc, char **argv)
{
	static void (*const cases[])(struct live * l) = {
		a_new_instance_is_off,
		events_are_enabled,
		events_of_a_glob_are_enabled,
		a_bad_filter_shows_the_caret,
		a_filter_cut_short_is_faulted_at_its_end,
		a_systems_nonsense_filter_is_refused,
		a_systems_filter_fits_some_events,
		an_unlogged_refusal_has_no_kernel_text,
		a_pid_too_large_is_no_permission,
		a_refused_word_leaves_the_list,
		an_instance_in_use_stays_for_the_next,
		a_dynamic_event_comes_and_goes,
	};
	struct live l = { .err = TFS_ERR_INIT, .journal_dir = argc > 1 ? argv[1] : "journal" };
	size_t i;

	if (tfs_root_open(NULL, &l.root, &l.err) || tfs_event_list(l.root, &l.names, &l.err)) {
		printf("1..0 # SKIP %s\n", l.err.msg);
		return 77;
	}
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (setup(&l))
			cases[i](&l);
		else
			check(&l, false, "an instance can be made");
		teardown(&l);
	}
	printf("1..%u\n", l.count);
	tfs_strvec_release(&l.names);
	tfs_root_free(l.root);
	return l.failed != 0;
}
