/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wants: root */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "lib/fake.h"
#include "lib/skip.h"
#include "tracefs/instance.h"
#include "tracefs/journal-internal.h"
#include "tracefs/journal.h"
#include "tracefs/plan.h"
#include "tracefs/root.h"

/* A directory cannot be removed now: the kernel's answer while a file of an instance is open. */
static bool busy;
/* It can once this many times were waited for; else only once @busy is cleared */
static unsigned int busy_sleeps;
static unsigned int slept_ms;
static bool killed_at_unlink;
/* Called with the directory and the name before it is changed */
static void (*before_rename)(int dir, const char *name);

int __real_unlinkat(int fd, const char *path, int flags);
int __wrap_unlinkat(int fd, const char *path, int flags);

int __wrap_unlinkat(int fd, const char *path, int flags)
{
	/* killed just before it removes a name that is there */
	if (killed_at_unlink && !faccessat(fd, path, F_OK, 0))
		_exit(0);
	if (!busy || !(flags & AT_REMOVEDIR))
		return __real_unlinkat(fd, path, flags);
	errno = EBUSY;
	return -1;
}

int __real_renameat2(int from, const char *name, int to, const char *new_name, unsigned int flags);
int __wrap_renameat2(int from, const char *name, int to, const char *new_name, unsigned int flags);

int __wrap_renameat2(int from, const char *name, int to, const char *new_name, unsigned int flags)
{
	if (before_rename)
		before_rename(from, name);
	return __real_renameat2(from, name, to, new_name, flags);
}

int __wrap_nanosleep(const struct timespec *ts, struct timespec *left);

int __wrap_nanosleep(const struct timespec *ts, struct timespec *left)
{
	(void)left;
	slept_ms += (unsigned int)(ts->tv_sec * 1000 + ts->tv_nsec / 1000000);
	if (busy_sleeps && !--busy_sleeps)
		busy = false;
	return 0;
}

struct state {
	struct fake fake;
	char dir[128];
	struct tfs_err err;
	struct tfs_journal *journal;
	pid_t child;
};

static int setup(void **state)
{
	struct state *s = calloc(1, sizeof(*s));

	fake_new(&s->fake, NULL);
	fake_put(&s->fake, "instances/mine/tracing_on", "1\n");
	fake_put(&s->fake, "tracing_on", "1\n");
	fake_put(&s->fake, "set_event", "");
	snprintf(s->dir, sizeof(s->dir), "%s/journal", s->fake.dir);
	s->err = TFS_ERR_INIT;
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct state *s = *state;

	if (s->child > 0) {
		kill(s->child, SIGKILL);
		waitpid(s->child, NULL, 0);
	}
	tfs_journal_done(s->journal);
	fake_free(&s->fake);
	free(s);
	return 0;
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

/*
 * Start a process that plans an instance and a changed value, applies that and waits; it is
 * killed by the caller. Its journal is there when this returns.
 */
static void start_recorder(struct state *s)
{
	struct tfs_journal *j;
	struct tfs_plan *plan;
	int ready[2];
	char c;

	assert_int_equal(pipe(ready), 0);
	s->child = fork();
	assert_true(s->child >= 0);
	if (!s->child) {
		close(ready[0]);
		if (tfs_journal_open(s->dir, "test", s->fake.root, &j, NULL) ||
		    tfs_plan_new(s->fake.root, &plan))
			_exit(1);
		tfs_plan_set_journal(plan, j);
		tfs_plan_mkdir(plan, "instances/tc-test.1");
		tfs_plan_write(plan, "tracing_on", "0");
		tfs_plan_undo_restore(plan);
		if (tfs_plan_apply(plan, NULL) || write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	assert_true(fake_has(&s->fake, "instances/tc-test.1"));
	assert_string_equal(fake_get(&s->fake, "tracing_on"), "0\n");
}

static void kill_recorder(struct state *s)
{
	kill(s->child, SIGKILL);
	assert_int_equal(waitpid(s->child, NULL, 0), s->child);
	s->child = 0;
}

static void the_next_program_undoes_what_a_killed_one_left(void **state)
{
	struct state *s = *state;
	char file[64];
	size_t count;

	start_recorder(s);
	snprintf(file, sizeof(file), "journal/test.%ld", (long)s->child);
	assert_true(fake_has(&s->fake, file));
	kill_recorder(s);

	assert_int_equal(tfs_journal_recover(s->dir, s->fake.root, 0, &count, &s->err), 0);
	assert_int_equal(count, 1);
	assert_false(fake_has(&s->fake, "instances/tc-test.1"));
	assert_string_equal(fake_get(&s->fake, "tracing_on"), "1\n");
	assert_false(fake_has(&s->fake, file));
	/* and only once */
	assert_int_equal(tfs_journal_recover(s->dir, s->fake.root, 0, &count, &s->err), 0);
	assert_int_equal(count, 0);
}

static void a_living_program_is_left_alone(void **state)
{
	struct state *s = *state;
	size_t count;

	start_recorder(s);
	assert_int_equal(tfs_journal_recover(s->dir, s->fake.root, 0, &count, &s->err), 0);
	assert_int_equal(count, 0);
	assert_true(fake_has(&s->fake, "instances/tc-test.1"));
	assert_string_equal(fake_get(&s->fake, "tracing_on"), "0\n");
}

/*
 * Write a journal by hand. @pid and @start: the owner; @boot: NULL for this boot; @root: a
 * directory, NULL for the fake tracefs.
 */
static void put_journal(struct state *s, const char *name, long pid, uint64_t start,
			const char *boot, const char *root, const char *actions)
{
	struct tfs_strbuf now = TFS_STRBUF_INIT;
	char text[4096], file[128];
	struct stat st;

	assert_int_equal(tfs_journal_boot_id(&now), 0);
	assert_int_equal(stat(root ? root : s->fake.dir, &st), 0);
	snprintf(text, sizeof(text),
		 "tracecraft-journal\t1\nowner\t%ld\t%" PRIu64 "\nboot\t%s\n"
		 "root\t%" PRIu64 "\t%" PRIu64 "\t%s\n%s",
		 pid, start, boot ? boot : now.s, (uint64_t)st.st_dev, (uint64_t)st.st_ino,
		 root ? root : s->fake.dir, actions);
	tfs_strbuf_release(&now);
	snprintf(file, sizeof(file), "journal/%s", name);
	fake_put(&s->fake, file, text);
}

static uint64_t my_start(void)
{
	uint64_t start = 0;

	assert_int_equal(tfs_journal_start_time(getpid(), &start), 0);
	return start;
}

static size_t recover(struct state *s, int rc)
{
	size_t count;

	tfs_err_clear(&s->err);
	assert_int_equal(tfs_journal_recover(s->dir, s->fake.root, 0, &count, &s->err), rc);
	assert_int_equal(s->err.code, rc);
	return count;
}

static void a_reused_pid_is_not_taken_for_the_owner(void **state)
{
	struct state *s = *state;

	fake_put(&s->fake, "instances/tc-a.1/x", "");
	fake_empty_dir(fake_path(&s->fake, "instances/tc-a.1"));
	put_journal(s, "test.1", getpid(), my_start() + 1, NULL, NULL,
		    "+rmdir\tinstances/tc-a.1\n");
	assert_int_equal(recover(s, 0), 1);
	assert_false(fake_has(&s->fake, "instances/tc-a.1"));
}

static void an_unlocked_journal_of_a_living_owner_is_left_alone(void **state)
{
	struct state *s = *state;

	put_journal(s, "test.1", getpid(), my_start(), NULL, NULL, "+write\ttracing_on\t0\n");
	assert_int_equal(recover(s, 0), 0);
	assert_string_equal(fake_get(&s->fake, "tracing_on"), "1\n");
	assert_true(fake_has(&s->fake, "journal/test.1"));
}

static void a_journal_of_an_earlier_boot_is_removed_and_not_followed(void **state)
{
	struct state *s = *state;

	put_journal(s, "test.1", getpid(), my_start(), "00000000-0000-0000-0000-000000000000", NULL,
		    "+write\ttracing_on\t0\n");
	assert_int_equal(recover(s, 0), 1);
	assert_string_equal(fake_get(&s->fake, "tracing_on"), "1\n");
	assert_false(fake_has(&s->fake, "journal/test.1"));
}

static void a_journal_of_another_tracefs_is_left_alone(void **state)
{
	struct state *s = *state;

	put_journal(s, "test.1", INT32_MAX, 1, NULL, "/", "+write\ttracing_on\t0\n");
	assert_int_equal(recover(s, 0), 0);
	assert_string_equal(fake_get(&s->fake, "tracing_on"), "1\n");
	assert_true(fake_has(&s->fake, "journal/test.1"));
}

static void actions_are_undone_last_first_and_struck_ones_not_at_all(void **state)
{
	struct state *s = *state;

	put_journal(s, "test.1", INT32_MAX, 1, NULL, NULL,
		    "+append\tset_event\tlast\\n\n"
		    "-append\tset_event\tstruck\\n\n"
		    "+append\tset_event\ta\\tb\\\\c\\nd\\n\n"
		    "+append\tset_event\tunfinished");
	assert_int_equal(recover(s, 0), 1);
	assert_string_equal(fake_get(&s->fake, "set_event"), "a\tb\\c\nd\nlast\n");
}

static void nothing_but_instances_is_removed(void **state)
{
	static const char *const bad[] = {
		"+rmdir\tinstances/tc-a/events\n",
		"+rmdir\tinstances/tc-a/../mine\n",
		"+rmdir\tinstances/\n",
		"+rmdir\tinstances\n",
		"+rmdir\t/tmp\n",
		"+rmdir\tinstances/../instances/tc-x\n",
		"+rmdir\t\n",
	};
	struct state *s = *state;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		put_journal(s, "test.1", INT32_MAX, 1, NULL, NULL, bad[i]);
		assert_int_equal(recover(s, -EINVAL), 0);
		assert_contains(s->err.msg, "no journal may ask");
		assert_true(fake_has(&s->fake, "instances/mine/tracing_on"));
		/* reported once: it would never work */
		assert_false(fake_has(&s->fake, "journal/test.1"));
	}
}

/* Whatever it is called: with -B NAME a program makes what its user names. */
static void an_instance_of_any_name_is_removed(void **state)
{
	struct state *s = *state;

	assert_int_equal(mkdir(fake_path(&s->fake, "instances/any"), 0700), 0);
	put_journal(s, "test.1", INT32_MAX, 1, NULL, NULL, "+rmdir\tinstances/any\n");
	assert_int_equal(recover(s, 0), 1);
	assert_false(fake_has(&s->fake, "instances/any"));
	assert_true(fake_has(&s->fake, "instances/mine/tracing_on"));
}

static void only_links_of_ours_are_removed(void **state)
{
	static const char *const bad[] = {
		"+unlink\t/etc/passwd\n",
		"+unlink\t/run/tracecraft/paths/../tc\n",
		"+unlink\t/run/tracecraft/paths/a/b\n",
		"+unlink\t/run/tracecraft/paths/..\n",
		"+unlink\t/run/tracecraft/paths/\n",
		"+unlink\t/run/tracecraft/paths\n",
		"+unlink\ttracing_on\n",
		"+unlink\t\n",
	};
	struct state *s = *state;

	if (geteuid())
		skip_because("not root");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		put_journal(s, "test.1", INT32_MAX, 1, NULL, NULL, bad[i]);
		assert_int_equal(recover(s, -EINVAL), 0);
		assert_contains(s->err.msg, "no journal may ask");
		assert_false(fake_has(&s->fake, "journal/test.1"));
	}
	/* gone already, or used: nothing to complain of */
	put_journal(s, "test.1", INT32_MAX, 1, NULL, NULL,
		    "+unlink\t/run/tracecraft/paths/there is none\n");
	assert_int_equal(recover(s, 0), 1);
}

static void nothing_outside_of_tracefs_is_written(void **state)
{
	static const char *const bad[] = {
		"+write\t../outside\tx\n",
		"+write\tinstances/../../outside\tx\n",
		"+write\t/etc/passwd\tx\n",
		"+write\t/proc/sys/kernel/../vm/x\tx\n",
		"+write\t./tracing_on\tx\n",
		"+write\ttracing_on/\tx\n",
		"+write\tinstances//mine/tracing_on\tx\n",
		"+truncate\ttracing_on\tx\n",
		"+nonsense\ta\n",
	};
	struct state *s = *state;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		put_journal(s, "test.1", INT32_MAX, 1, NULL, NULL, bad[i]);
		assert_int_equal(recover(s, -EINVAL), 0);
	}
	assert_string_equal(fake_get(&s->fake, "tracing_on"), "1\n");
	assert_string_equal(fake_get(&s->fake, "instances/mine/tracing_on"), "1\n");
}

static void symbolic_links_are_not_followed(void **state)
{
	struct state *s = *state;
	size_t count;

	fake_put(&s->fake, "outside", "untouched\n");
	fake_put(&s->fake, "tree/file", "untouched\n");
	assert_int_equal(symlink("outside", fake_path(&s->fake, "link")), 0);
	assert_int_equal(symlink("tree", fake_path(&s->fake, "dirlink")), 0);
	assert_int_equal(mkfifo(fake_path(&s->fake, "fifo"), 0600), 0);
	put_journal(s, "test.1", INT32_MAX, 1, NULL, NULL,
		    "+write\tlink\tx\n+write\tdirlink/file\tx\n+write\tfifo\tx\n");
	assert_int_not_equal(tfs_journal_recover(s->dir, s->fake.root, 0, &count, &s->err), 0);
	assert_int_equal(count, 0);
	assert_string_equal(fake_get(&s->fake, "outside"), "untouched\n");
	assert_string_equal(fake_get(&s->fake, "tree/file"), "untouched\n");

	/* nor is a journal that is a link itself */
	put_journal(s, "real", INT32_MAX, 1, NULL, NULL, "+write\ttracing_on\t0\n");
	assert_int_equal(rename(fake_path(&s->fake, "journal/real"), fake_path(&s->fake, "real")),
			 0);
	assert_int_equal(symlink("../real", fake_path(&s->fake, "journal/test.2")), 0);
	assert_int_equal(mkdir(fake_path(&s->fake, "journal/test.3"), 0700), 0);
	assert_int_equal(recover(s, 0), 0);
	assert_string_equal(fake_get(&s->fake, "tracing_on"), "1\n");
}

static void a_journal_that_others_may_write_is_left_alone(void **state)
{
	struct state *s = *state;

	put_journal(s, "test.1", INT32_MAX, 1, NULL, NULL, "+write\ttracing_on\t0\n");
	assert_int_equal(chmod(fake_path(&s->fake, "journal/test.1"), 0622), 0);
	put_journal(s, "test.2", INT32_MAX, 1, NULL, NULL, "+write\ttracing_on\t0\n");
	assert_int_equal(link(fake_path(&s->fake, "journal/test.2"),
			      fake_path(&s->fake, "journal/test.3")),
			 0);
	assert_int_equal(recover(s, 0), 0);
	assert_string_equal(fake_get(&s->fake, "tracing_on"), "1\n");
}

static void a_foreign_owners_journal_is_left_alone(void **state)
{
	struct state *s = *state;

	if (geteuid())
		skip_because("not root");
	put_journal(s, "test.1", INT32_MAX, 1, NULL, NULL, "+write\ttracing_on\t0\n");
	assert_int_equal(chown(fake_path(&s->fake, "journal/test.1"), 65534, 65534), 0);
	assert_int_equal(recover(s, 0), 0);
	assert_string_equal(fake_get(&s->fake, "tracing_on"), "1\n");

	/* nor is a directory trusted where others may put files */
	assert_int_equal(chown(s->dir, 65534, 65534), 0);
	recover(s, -EPERM);
}

static void a_directory_that_others_may_write_is_not_used(void **state)
{
	struct state *s = *state;

	assert_int_equal(mkdir(s->dir, 0700), 0);
	assert_int_equal(chmod(s->dir, 01777), 0);
	recover(s, -EPERM);
	assert_int_equal(tfs_journal_open(s->dir, "test", s->fake.root, &s->journal, &s->err),
			 -EPERM);
	assert_null(s->journal);
}

static void files_that_are_not_journals_are_reported_and_kept(void **state)
{
	static const char *const bad[] = {
		"",
		"\n",
		"tracecraft-journal\t2\nowner\t1\t2\n",
		"tracecraft-journal\t1\n",
		"tracecraft-journal\t1\nowner\tx\t1\nboot\tb\nroot\t1\t2\t/\n",
		"tracecraft-journal\t1\nowner\t0\t1\nboot\tb\nroot\t1\t2\t/\n",
		"tracecraft-journal\t1\nowner\t1\nboot\tb\nroot\t1\t2\t/\n",
		"tracecraft-journal\t1\nowner\t1\t1\nboot\tb\nroot\t1\t/\n",
		"tracecraft-journal\t1\nowner\t1\t1\nroot\t1\t2\t/\n",
		"tracecraft-journal\t1\nowner\t99999999999\t1\nboot\tb\nroot\t1\t2\t/\n",
	};
	struct state *s = *state;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		fake_put(&s->fake, "journal/test.1", bad[i]);
		assert_int_equal(recover(s, -EBADMSG), 0);
		assert_contains(s->err.msg, "/journal/test.1' is not a journal");
		assert_true(fake_has(&s->fake, "journal/test.1"));
	}
	/* one bad file does not keep the others from being dealt with */
	put_journal(s, "test.2", INT32_MAX, 1, NULL, NULL, "+write\ttracing_on\t0\\n\n");
	assert_int_equal(recover(s, -EBADMSG), 1);
	assert_string_equal(fake_get(&s->fake, "tracing_on"), "0\n");
}

static void a_huge_journal_is_not_read(void **state)
{
	struct state *s = *state;

	fake_put(&s->fake, "journal/test.1", "");
	assert_int_equal(truncate(fake_path(&s->fake, "journal/test.1"), 100 << 20), 0);
	recover(s, -EBADMSG);
	assert_int_equal(truncate(fake_path(&s->fake, "journal/test.1"), 100), 0);
	recover(s, -EBADMSG);
}

static void steps_that_cannot_be_undone_stay_in_the_journal(void **state)
{
	struct state *s = *state;
	char want[256];

	fake_put(&s->fake, "instances/tc-a.1/x", "");
	fake_empty_dir(fake_path(&s->fake, "instances/tc-a.1"));
	put_journal(s, "test.1", INT32_MAX, 1, NULL, NULL,
		    "+write\ttracing_on\t0\\n\n+rmdir\tinstances/tc-a.1\n");
	busy = true;
	assert_int_equal(recover(s, -EBUSY), 0);
	assert_contains(s->err.msg, "cannot take back what an earlier program left (rmdir '");
	assert_string_equal(fake_get(&s->fake, "tracing_on"), "0\n");

	/* what was undone is not undone again: someone may have changed it since */
	fake_put(&s->fake, "tracing_on", "1\n");
	busy = false;
	assert_int_equal(recover(s, 0), 1);
	assert_string_equal(fake_get(&s->fake, "tracing_on"), "1\n");
	snprintf(want, sizeof(want), "%s/test.1", s->dir);
	assert_int_not_equal(access(want, F_OK), 0);
}

static void put_busy_journal(struct state *s, const char *name)
{
	fake_put(&s->fake, "instances/tc-a.1/x", "");
	fake_empty_dir(fake_path(&s->fake, "instances/tc-a.1"));
	put_journal(s, name, INT32_MAX, 1, NULL, NULL, "+rmdir\tinstances/tc-a.1\n");
	busy = true;
	slept_ms = 0;
}

static void a_program_that_starts_does_not_wait_for_what_is_busy(void **state)
{
	struct state *s = *state;

	put_busy_journal(s, "test.1");
	busy_sleeps = 1;
	assert_int_equal(recover(s, -EBUSY), 0);
	assert_int_equal(slept_ms, 0);
	busy_sleeps = 0;
	busy = false;
}

static void who_asks_for_it_waits_for_what_is_busy(void **state)
{
	struct state *s = *state;
	size_t count;

	put_busy_journal(s, "test.1");
	assert_int_equal(tfs_journal_recover(s->dir, s->fake.root, TFS_JOURNAL_WAIT, &count,
					     &s->err),
			 -EBUSY);
	assert_int_equal(count, 0);
	assert_int_equal(slept_ms, 2000);
	busy_sleeps = 3;
	assert_int_equal(
		tfs_journal_recover(s->dir, s->fake.root, TFS_JOURNAL_WAIT, &count, &s->err), 0);
	assert_int_equal(count, 1);
	assert_false(fake_has(&s->fake, "instances/tc-a.1"));
}

static void a_session_that_is_busy_for_a_moment_is_undone(void **state)
{
	struct state *s = *state;
	struct tfs_instance inst;
	bool done;

	assert_int_equal(tfs_instance_named(&inst, "tc-a.1", NULL), 0);
	put_busy_journal(s, "kept/instance:tc-a.1");
	assert_int_equal(chmod(fake_path(&s->fake, "journal/kept"), 0700), 0);
	busy_sleeps = 3;
	assert_int_equal(tfs_journal_undo(s->dir, s->fake.root, &inst, &done, &s->err), 0);
	assert_true(done);
	assert_false(fake_has(&s->fake, "instances/tc-a.1"));
}

static unsigned int renames;

/* Another program looks at the directory just before the journal gets its name. */
static void look_before_it_has_its_name(int dir, const char *name)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	char text[1024] = "", want[64];
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(tfs_journal_names(dir, &names), 0);
	assert_int_equal(names.n, 0);
	assert_int_not_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(errno, EWOULDBLOCK);
	assert_true(pread(fd, text, sizeof(text) - 1, 0) > 0);
	snprintf(want, sizeof(want), "tracecraft-journal\t1\nowner\t%ld\t", (long)getpid());
	assert_starts(text, want);
	assert_contains(text, "\nboot\t");
	assert_contains(text, "\nroot\t");
	assert_int_equal(text[strlen(text) - 1], '\n');
	tfs_strvec_release(&names);
	close(fd);
	renames++;
}

static void a_journal_is_locked_and_whole_before_it_has_its_name(void **state)
{
	struct state *s = *state;
	int rc;

	renames = 0;
	before_rename = look_before_it_has_its_name;
	rc = tfs_journal_open(s->dir, "test", s->fake.root, &s->journal, &s->err);
	before_rename = NULL;
	assert_int_equal(rc, 0);
	assert_int_equal(renames, 1);
}

static void a_program_killed_while_it_makes_its_journal_leaves_none(void **state)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	struct tfs_journal *j;
	struct state *s = *state;
	int dir;

	s->child = fork();
	assert_true(s->child >= 0);
	if (!s->child) {
		killed_at_unlink = true;
		tfs_journal_open(s->dir, "test", s->fake.root, &j, NULL);
		_exit(0);
	}
	assert_int_equal(waitpid(s->child, NULL, 0), s->child);
	s->child = 0;
	recover(s, 0);
	dir = tfs_journal_open_dir(s->dir, NULL);
	assert_true(dir >= 0);
	assert_int_equal(tfs_journal_names(dir, &names), 0);
	close(dir);
	assert_int_equal(names.n, 0);
}

static void a_process_of_the_same_pid_elsewhere_keeps_its_unfinished_journal(void **state)
{
	struct state *s = *state;
	char old[64], new[64];

	snprintf(old, sizeof(old), "journal/.new.%ld", (long)getpid());
	snprintf(new, sizeof(new), "journal/.new.%ld.%" PRIu64, (long)getpid(), my_start() + 1);
	fake_put(&s->fake, old, "theirs");
	fake_put(&s->fake, new, "theirs");
	assert_int_equal(chmod(s->dir, 0700), 0);
	assert_int_equal(tfs_journal_open(s->dir, "test", s->fake.root, &s->journal, &s->err), 0);
	assert_string_equal(fake_get(&s->fake, old), "theirs");
	assert_string_equal(fake_get(&s->fake, new), "theirs");
}

static void no_directory_is_nothing_to_recover(void **state)
{
	struct state *s = *state;

	assert_int_equal(recover(s, 0), 0);
	assert_int_equal(tfs_journal_recover(s->dir, s->fake.root, 0, NULL, NULL), 0);
}

static void a_journal_names_its_owner_and_its_purpose(void **state)
{
	struct state *s = *state;
	char file[64], want[512];
	struct stat st;

	assert_int_equal(tfs_journal_open(s->dir, "test", s->fake.root, &s->journal, &s->err), 0);
	assert_int_equal(stat(s->dir, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	snprintf(file, sizeof(file), "journal/test.%ld", (long)getpid());
	assert_int_equal(stat(fake_path(&s->fake, file), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(st.st_nlink, 1);
	snprintf(want, sizeof(want), "tracecraft-journal\t1\nowner\t%ld\t%" PRIu64 "\nboot\t",
		 (long)getpid(), my_start());
	assert_starts(fake_get(&s->fake, file), want);
	assert_int_equal(tfs_journal_add_write(s->journal, "a\tb", TFS_WRITE_TRUNC, "x\ny\\"), 0);
	assert_contains(fake_get(&s->fake, file), "\n+write\ta\\tb\tx\\ny\\\\\n");
}

static void a_stale_journal_of_the_same_name_is_not_overwritten(void **state)
{
	struct state *s = *state;
	char file[64], neighbour[72];

	snprintf(file, sizeof(file), "journal/test.%ld", (long)getpid());
	snprintf(neighbour, sizeof(neighbour), "%s.1", file);
	fake_put(&s->fake, file, "stale");
	assert_int_equal(tfs_journal_open(s->dir, "test", s->fake.root, &s->journal, &s->err), 0);
	assert_string_equal(fake_get(&s->fake, file), "stale");
	assert_true(fake_has(&s->fake, neighbour));
	tfs_journal_done(s->journal);
	s->journal = NULL;
	assert_false(fake_has(&s->fake, neighbour));
	assert_true(fake_has(&s->fake, file));
}

static void a_journal_with_something_left_stays(void **state)
{
	struct state *s = *state;
	char file[64];
	size_t i;

	assert_int_equal(tfs_journal_open(s->dir, "test", s->fake.root, &s->journal, &s->err), 0);
	for (i = 0; i < 40; i++)
		assert_int_equal(tfs_journal_add_rmdir(s->journal, "instances/tc-a"), 0);
	assert_int_equal(tfs_journal_count(s->journal), 40);
	for (i = 1; i < 40; i++)
		tfs_journal_strike(s->journal, i);
	tfs_journal_strike(s->journal, 1);
	tfs_journal_strike(s->journal, 40);
	tfs_journal_done(s->journal);
	s->journal = NULL;
	snprintf(file, sizeof(file), "journal/test.%ld", (long)getpid());
	assert_true(fake_has(&s->fake, file));
	assert_contains(fake_get(&s->fake, file), "\n+rmdir\tinstances/tc-a\n-rmdir");
}

static void no_journal_is_fine(void **state)
{
	(void)state;
	assert_int_equal(tfs_journal_add_rmdir(NULL, "x"), 0);
	assert_int_equal(tfs_journal_add_write(NULL, "x", TFS_WRITE_APPEND, "y"), 0);
	assert_int_equal(tfs_journal_count(NULL), 0);
	tfs_journal_strike(NULL, 0);
	tfs_journal_done(NULL);
}

static void a_directory_that_cannot_be_made_is_an_error(void **state)
{
	struct state *s = *state;

	assert_int_equal(tfs_journal_open("/proc/nosuch/dir", "test", s->fake.root, &s->journal,
					  &s->err),
			 -ENOENT);
	assert_contains(s->err.msg, "cannot make '/proc/nosuch/dir' for the journal");
	fake_put(&s->fake, "file", "");
	assert_int_equal(tfs_journal_open(fake_path(&s->fake, "file"), "test", s->fake.root,
					  &s->journal, &s->err),
			 -ENOTDIR);
	assert_int_equal(tfs_journal_open(s->fake.dir, "nosuch/test", s->fake.root, &s->journal,
					  &s->err),
			 -ENOENT);
	assert_null(s->journal);
}

/* A name with spaces and parentheses does not shift the fields. */
static void start_time_is_that_of_the_process(void **state)
{
	uint64_t start = 0;

	(void)state;
	assert_int_equal(tfs_journal_start_time(INT32_MAX, &start), -ESRCH);
	assert_int_equal(tfs_journal_start_time(1, &start), 0);
	assert_true(my_start() >= start);
	assert_int_equal(my_start(), my_start());
}

/* A plan that makes @inst, or changes the top level, and is to stay as it is made. */
static void set_up_and_keep(struct state *s, const struct tfs_instance *inst)
{
	struct tfs_plan *plan;
	char path[256];

	assert_int_equal(tfs_journal_open(s->dir, "tc-test", s->fake.root, &s->journal, &s->err),
			 0);
	assert_int_equal(tfs_plan_new(s->fake.root, &plan), 0);
	tfs_plan_set_journal(plan, s->journal);
	if (inst->name[0]) {
		snprintf(path, sizeof(path), "instances/%s", inst->name);
		assert_int_equal(tfs_plan_mkdir(plan, path), 0);
	} else {
		assert_int_equal(tfs_plan_write(plan, "tracing_on", "0"), 0);
		assert_int_equal(tfs_plan_undo_restore(plan), 0);
	}
	assert_int_equal(tfs_plan_apply(plan, &s->err), 0);
	tfs_plan_free(plan);
	assert_int_equal(tfs_journal_keep(s->journal, s->dir, inst, &s->err), 0);
	s->journal = NULL;
}

static void kept_journals_are_left_alone_until_requested(void **state)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	const struct tfs_instance top = { .name = "" };
	struct state *s = *state;
	struct tfs_instance inst;
	size_t count;
	bool done;

	assert_int_equal(tfs_instance_named(&inst, "other", &s->err), 0);
	assert_int_equal(tfs_journal_undo(s->dir, s->fake.root, &top, &done, &s->err), 0);
	assert_false(done);
	set_up_and_keep(s, &inst);
	set_up_and_keep(s, &top);
	assert_int_equal(tfs_journal_recover(s->dir, s->fake.root, 0, &count, &s->err), 0);
	assert_int_equal(count, 0);
	assert_true(fake_has(&s->fake, "instances/other"));
	assert_string_equal(fake_get(&s->fake, "tracing_on"), "0\n");
	assert_int_equal(tfs_journal_kept(s->dir, &names), 0);
	assert_int_equal(names.n, 2);
	assert_string_equal(names.v[0], "");
	assert_string_equal(names.v[1], "other");

	assert_int_equal(tfs_journal_undo(s->dir, s->fake.root, &top, &done, &s->err), 0);
	assert_true(done);
	assert_string_equal(fake_get(&s->fake, "tracing_on"), "1\n");
	assert_true(fake_has(&s->fake, "instances/other"));
	assert_int_equal(tfs_journal_undo(s->dir, s->fake.root, &inst, &done, &s->err), 0);
	assert_true(done);
	assert_false(fake_has(&s->fake, "instances/other"));
	assert_int_equal(tfs_journal_undo(s->dir, s->fake.root, &inst, &done, &s->err), 0);
	assert_false(done);
	tfs_strvec_release(&names);
}

static void one_journal_is_kept_for_an_instance(void **state)
{
	const struct tfs_instance top = { .name = "" };
	struct state *s = *state;

	set_up_and_keep(s, &top);
	assert_int_equal(tfs_journal_open(s->dir, "tc-test", s->fake.root, &s->journal, &s->err),
			 0);
	assert_int_equal(tfs_journal_keep(s->journal, s->dir, &top, &s->err), -EEXIST);
	assert_contains(s->err.msg, "cannot keep a journal in");
}

/* Kept for one instance, it may not be used to remove another. */
static void a_kept_journal_removes_its_own_instance_only(void **state)
{
	struct state *s = *state;
	struct tfs_instance inst;
	bool done;

	assert_int_equal(tfs_instance_named(&inst, "other", &s->err), 0);
	put_journal(s, "kept/instance:other", getpid(), my_start(), NULL, NULL,
		    "+rmdir\tinstances/mine\n");
	assert_int_equal(chmod(fake_path(&s->fake, "journal"), 0700), 0);
	assert_int_equal(chmod(fake_path(&s->fake, "journal/kept"), 0700), 0);
	assert_int_equal(chmod(fake_path(&s->fake, "journal/kept/instance:other"), 0600), 0);
	assert_int_equal(tfs_journal_undo(s->dir, s->fake.root, &inst, &done, &s->err), -EINVAL);
	assert_contains(s->err.msg, "no journal may ask");
	assert_true(fake_has(&s->fake, "instances/mine/tracing_on"));
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(the_next_program_undoes_what_a_killed_one_left),
		T(a_living_program_is_left_alone),
		T(a_reused_pid_is_not_taken_for_the_owner),
		T(an_unlocked_journal_of_a_living_owner_is_left_alone),
		T(a_journal_of_an_earlier_boot_is_removed_and_not_followed),
		T(a_journal_of_another_tracefs_is_left_alone),
		T(actions_are_undone_last_first_and_struck_ones_not_at_all),
		T(nothing_but_instances_is_removed),
		T(an_instance_of_any_name_is_removed),
		T(only_links_of_ours_are_removed),
		T(nothing_outside_of_tracefs_is_written),
		T(symbolic_links_are_not_followed),
		T(a_journal_that_others_may_write_is_left_alone),
		T(a_foreign_owners_journal_is_left_alone),
		T(a_directory_that_others_may_write_is_not_used),
		T(files_that_are_not_journals_are_reported_and_kept),
		T(a_huge_journal_is_not_read),
		T(steps_that_cannot_be_undone_stay_in_the_journal),
		T(a_program_that_starts_does_not_wait_for_what_is_busy),
		T(who_asks_for_it_waits_for_what_is_busy),
		T(a_session_that_is_busy_for_a_moment_is_undone),
		T(a_journal_is_locked_and_whole_before_it_has_its_name),
		T(a_program_killed_while_it_makes_its_journal_leaves_none),
		T(a_process_of_the_same_pid_elsewhere_keeps_its_unfinished_journal),
		T(no_directory_is_nothing_to_recover),
		T(a_journal_names_its_owner_and_its_purpose),
		T(a_stale_journal_of_the_same_name_is_not_overwritten),
		T(a_journal_with_something_left_stays),
		T(no_journal_is_fine),
		T(a_directory_that_cannot_be_made_is_an_error),
		T(start_time_is_that_of_the_process),
		T(kept_journals_are_left_alone_until_requested),
		T(one_journal_is_kept_for_an_instance),
		T(a_kept_journal_removes_its_own_instance_only),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("journal", tests, NULL, NULL);
}
