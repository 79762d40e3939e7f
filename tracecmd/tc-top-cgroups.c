/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-top-cgroups.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"

/* More are forgotten, and asked for again. */
#define TASKS_MAX 65536
/* Seconds until a task is asked for again: it may have moved, or be another one */
#define SECONDS 10

struct task {
	int pid;
	time_t asked;
	char path[];
};

static void forget_all(struct top_cgroups *c)
{
	struct task *task;
	size_t i;

	tfs_hashmap_for_each(&c->tasks, i, task) free(task);
	tfs_hashmap_release(&c->tasks);
}

const char *top_cgroup_parse(char *text)
{
	char *best = NULL, *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *path = strchr(line, ':');

		path = path ? strchr(path + 1, ':') : NULL;
		if (path && (!best || !strncmp(line, "0::", 3)) && path[1] == '/')
			best = path + 1;
	}
	return best;
}

/* "/" is a path as well; a task that is gone has none. */
static struct task *ask(int pid, time_t now)
{
	char name[64], text[4096];
	const char *path;
	struct task *task;
	ssize_t len = -1;
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/cgroup", pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		len = read(fd, text, sizeof(text) - 1);
	tfs_close(&fd);
	text[len > 0 ? len : 0] = '\0';
	path = top_cgroup_parse(text);
	path = path ? path : "";
	task = malloc(sizeof(*task) + strlen(path) + 1);
	if (!task)
		return NULL;
	task->pid = pid;
	task->asked = now;
	memcpy(task->path, path, strlen(path) + 1);
	return task;
}

static const char *find(void *context, int pid)
{
	struct top_cgroups *c = context;
	const uint64_t hash = tfs_hash_int((uint32_t)pid);
	struct task *task = tfs_hashmap_int(&c->tasks, (uint32_t)pid);
	struct timespec now;

	if (!c->live)
		return NULL;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	if (task && now.tv_sec - task->asked < SECONDS)
		return *task->path ? task->path : NULL;
	if (task) {
		tfs_hashmap_remove(&c->tasks, hash, task);
		free(task);
	}
	if (c->tasks.n >= TASKS_MAX)
		forget_all(c);
	task = ask(pid, now.tv_sec);
	if (task && tfs_hashmap_add(&c->tasks, hash, task)) {
		free(task);
		task = NULL;
	}
	return task && *task->path ? task->path : NULL;
}

void top_cgroups_init(struct top_cgroups *cgroups, bool live)
{
	*cgroups = (struct top_cgroups){ .find = { find, cgroups }, .live = live };
}

void top_cgroups_release(struct top_cgroups *cgroups)
{
	forget_all(cgroups);
}
