/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wants: root */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "cli/clause.h"
#include "lib/capture.h"
#include "lib/fake.h"
#include "probe/define.h"
#include "trace-lock.h"
#include "trace-opts.h"
#include "trace-probe.h"
#include "tracefs/event.h"
#include "tracefs/root.h"

/* More than anything takes here: what hangs is ended. */
#define DEADLINE_S 100

/* Opened for reading, a pipe that nobody writes to makes wait, as the kernel's lock does. */
static int setup(void **state)
{
	struct fake *f = calloc(1, sizeof(*f));

	fake_new(f, "x86_64-6.18");
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	fake_free(*state);
	free(*state);
	return 0;
}

static void block(const struct fake *f, const char *file)
{
	unlink(fake_path(f, file));
	assert_int_equal(mkfifo(fake_path(f, file), 0600), 0);
}

static void wait_lock(void *arg)
{
	const struct fake *f = arg;

	alarm(DEADLINE_S);
	trace_lock_wait(f->root, "tc-record", 0);
}

static void a_lock_that_is_free_is_not_mentioned(void **state)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;

	assert_int_equal(capture_run(wait_lock, *state, STDERR_FILENO, -1, &text), 0);
	assert_int_equal(text.len, 0);
	tfs_strbuf_release(&text);
}

/* The waiting is said, whoever waits can be ended, and what follows needs no more waiting. */
static void wait_and_be_ended(void *arg)
{
	const struct fake *f = arg;
	int status, ends[2];
	char line[64] = "";
	pid_t pid;

	alarm(DEADLINE_S);
	if (pipe(ends))
		_exit(9);
	pid = fork();
	if (!pid) {
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		close(ends[1]);
		trace_lock_wait(f->root, "tc-record", 0);
		_exit(0);
	}
	close(ends[1]);
	/* said while it waits: nobody has written to the pipe yet */
	if (read(ends[0], line, sizeof(line) - 1) <= 0 ||
	    !strstr(line, "tc-record: waiting for the kernel"))
		_exit(8);
	kill(pid, SIGINT);
	if (waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status) || WTERMSIG(status) != SIGINT)
		_exit(7);
	/* its child, which still waits */
	close(open(fake_path(f, "set_event"), O_WRONLY));
}

static void waiting_is_announced_and_can_be_interrupted(void **state)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;

	block(*state, "set_event");
	assert_int_equal(capture_run(wait_and_be_ended, *state, STDOUT_FILENO, -1, &text), 0);
	tfs_strbuf_release(&text);
}

static void resolve_events(void *arg)
{
	const struct fake *f = arg;
	struct tfs_event_spec spec = { .text = "sched" };
	const struct trace_request req = { .clauses = { .events = &spec, .n = 1 } };
	struct tfs_strvec notices = TFS_STRVEC_INIT;
	struct tfs_probe_defs defs = { 0 };

	alarm(DEADLINE_S);
	if (trace_probes_resolve(&req, f->root, "g", &defs, &notices, NULL) || defs.n)
		_exit(9);
}

static void without_probes_no_list_of_probes_is_read(void **state)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;

	block(*state, "dynamic_events");
	block(*state, "uprobe_events");
	assert_int_equal(capture_run(resolve_events, *state, STDOUT_FILENO, -1, &text), 0);
	tfs_strbuf_release(&text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_lock_that_is_free_is_not_mentioned),
		TEST(waiting_is_announced_and_can_be_interrupted),
		TEST(without_probes_no_list_of_probes_is_read),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
