/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wants: root */
/* The kernel says which threads there are: gettid() in them, getpid() and clone() */
#include "record/threads.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/strvec.h"
#include "lib/skip.h"

struct waiting {
	pthread_barrier_t begun, done;
	pid_t tid;
};

static void *wait_thread(void *arg)
{
	struct waiting *w = arg;

	w->tid = gettid();
	pthread_barrier_wait(&w->begun);
	pthread_barrier_wait(&w->done);
	return NULL;
}

static bool has(const struct tfs_strvec *v, pid_t tid)
{
	char word[24];

	snprintf(word, sizeof(word), "%d", (int)tid);
	return tfs_strvec_has(v, word);
}

static void assert_each_once(const struct tfs_strvec *v)
{
	for (size_t i = 0; i < v->n; i++) {
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(v->v[i], v->v[k]);
	}
}

static void each_thread_of_a_process_is_added_once(void **state)
{
	struct tfs_strvec found = TFS_STRVEC_INIT;
	struct waiting w;
	pthread_t thread;

	(void)state;
	assert_int_equal(tfs_threads_add("self", &found), 0);
	assert_true(has(&found, gettid()));
	assert_int_equal(pthread_barrier_init(&w.begun, NULL, 2), 0);
	assert_int_equal(pthread_barrier_init(&w.done, NULL, 2), 0);
	assert_int_equal(pthread_create(&thread, NULL, wait_thread, &w), 0);
	pthread_barrier_wait(&w.begun);
	assert_false(has(&found, w.tid));
	assert_int_equal(tfs_threads_add("self", &found), 0);
	pthread_barrier_wait(&w.done);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(has(&found, w.tid));
	assert_each_once(&found);
	tfs_strvec_release(&found);
}

static void a_process_that_has_ended_has_no_threads(void **state)
{
	struct tfs_strvec found = TFS_STRVEC_INIT;
	char word[24];
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	snprintf(word, sizeof(word), "%d", (int)pid);
	assert_int_equal(tfs_threads_add(word, &found), 0);
	assert_int_equal(found.n, 0);
}

/* A group of this process, "/" and a path below the mount point: it lists this process. */
static bool own_cgroup(char *out, size_t size)
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	char line[1024];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f)) {
		const char *controller = strchr(line, ':');
		char procs[2100];
		FILE *list;
		char *path;
		int pid;

		path = controller ? strchr(controller + 1, ':') : NULL;
		if (!path)
			continue;
		*path++ = '\0';
		path[strcspn(path, "\n")] = '\0';
		snprintf(out, size, "%s%s%s", controller[1] ? "/" : "", controller + 1, path);
		snprintf(procs, sizeof(procs), "/sys/fs/cgroup%s/cgroup.procs", out);
		list = fopen(procs, "re");
		while (list && !found && fscanf(list, "%d", &pid) == 1)
			found = pid == getpid();
		if (list)
			fclose(list);
	}
	if (f)
		fclose(f);
	return found;
}

static void the_cgroup_of_a_process_has_its_threads(void **state)
{
	struct tfs_strvec found = TFS_STRVEC_INIT, again = TFS_STRVEC_INIT;
	struct tfs_err err = TFS_ERR_INIT;
	char name[1024], dir[1100];

	(void)state;
	if (!own_cgroup(name, sizeof(name)))
		skip_because("no control groups are mounted");
	assert_int_equal(tfs_threads_add_cgroup(name, &found, &err), 0);
	assert_true(has(&found, gettid()));

	/* without the slash, as a directory, and where another option has found them */
	assert_int_equal(tfs_threads_add_cgroup(name + 1, &again, &err), 0);
	assert_true(has(&again, gettid()));
	tfs_strvec_release(&again);
	assert_int_equal(tfs_threads_add("self", &again), 0);
	snprintf(dir, sizeof(dir), "/sys/fs/cgroup%s", name);
	assert_int_equal(tfs_threads_add_cgroup(dir, &again, &err), 0);
	assert_true(has(&again, gettid()));
	assert_each_once(&again);
	tfs_strvec_release(&again);
	tfs_strvec_release(&found);
}

static void an_absent_cgroup_is_an_error(void **state)
{
	struct tfs_strvec found = TFS_STRVEC_INIT;
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	assert_int_equal(tfs_threads_add_cgroup("no/such.slice", &found, &err), -ESRCH);
	assert_string_equal(err.msg, "there is no cgroup 'no/such.slice'");
	assert_string_equal(err.hint, "a cgroup is a directory below /sys/fs/cgroup");
	assert_int_equal(found.n, 0);
}

static int sleep_in_namespace(void *arg)
{
	(void)arg;
	pause();
	return 0;
}

static void a_container_has_the_tasks_of_its_namespace(void **state)
{
	static char stack[65536] __attribute__((aligned(16)));
	struct tfs_strvec found = TFS_STRVEC_INIT;
	struct tfs_err err = TFS_ERR_INIT;
	pid_t pid = clone(sleep_in_namespace, stack + sizeof(stack), CLONE_NEWPID | SIGCHLD, NULL);
	int rc;

	(void)state;
	if (pid < 0)
		skip_because("no pid namespace can be made here");
	rc = tfs_threads_add_container(pid, &found, &err);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(rc, 0);
	assert_int_equal(found.n, 1);
	assert_true(has(&found, pid));
	tfs_strvec_release(&found);
}

static void the_own_namespace_is_not_a_container(void **state)
{
	struct tfs_strvec found = TFS_STRVEC_INIT;
	struct tfs_err err = TFS_ERR_INIT;
	char want[64];

	(void)state;
	assert_int_equal(tfs_threads_add_container(getpid(), &found, &err), -EINVAL);
	snprintf(want, sizeof(want), "process %d is not in a container", (int)getpid());
	assert_string_equal(err.msg, want);
	assert_int_equal(found.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_thread_of_a_process_is_added_once),
		cmocka_unit_test(a_process_that_has_ended_has_no_threads),
		cmocka_unit_test(the_cgroup_of_a_process_has_its_threads),
		cmocka_unit_test(an_absent_cgroup_is_an_error),
		cmocka_unit_test(a_container_has_the_tasks_of_its_namespace),
		cmocka_unit_test(the_own_namespace_is_not_a_container),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
