/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/tasks.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/pid-ns.h"
#include "base/strbuf-core.h"
#include "base/time.h"
#include "record/outer-pid.h"
#include "tracedat/dat-tasks.h"

/* PF_KTHREAD of include/linux/sched.h, in the flags of /proc/PID/stat */
#define KERNEL_THREAD 0x00200000ul

/* The part of /proc/PID/stat that matters; @comm points into the text. */
struct stat_line {
	char *comm;
	unsigned int ppid;
	unsigned long flags;
	unsigned long long start; /* ticks since boot */
};

void tfs_comm_as_traced(char *comm)
{
	static const char worker[] = "kworker/";
	static const char digits[] = "0123456789";
	char *end = comm + strlen(worker);

	if (strncmp(comm, worker, strlen(worker)) != 0)
		return;
	end += *end == 'u';
	end += strspn(end, digits);
	if (*end != ':')
		return;
	end += 1 + strspn(end + 1, digits);
	end += *end == 'H';
	if (*end == '-' || *end == '+')
		*end = '\0';
}

/* "PID (COMM) STATE PPID ...": COMM may have any characters, and ends at the last parenthesis. */
static bool parse_stat(char *text, struct stat_line *out)
{
	char *open = strchr(text, '('), *close = strrchr(text, ')');

	if (!open || !close || close < open)
		return false;
	*close = '\0';
	out->comm = open + 1;
	tfs_comm_as_traced(out->comm);
	/* fields 3 to 22, of which 4, 9 and 22 are wanted */
	return sscanf(close + 1,
		      " %*c %u %*d %*d %*d %*d %lu %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d "
		      "%*d %llu",
		      &out->ppid, &out->flags, &out->start) == 3;
}

static int read_stat(uint32_t tgid, uint32_t tid, struct tfs_strbuf *text, struct stat_line *out)
{
	char path[64];
	int rc;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/stat", tgid, tid);
	tfs_strbuf_reset(text);
	rc = tfs_read_path(path, text);
	if (rc)
		return rc;
	return text->len && parse_stat(text->s, out) ? 0 : -ESRCH;
}

/* By the trace clock, a tick before the one that the kernel says */
static uint64_t trace_time(unsigned long long ticks, const struct tfs_dat_clock *now)
{
	uint64_t tick = NS_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t ago = now->boottime - (uint64_t)ticks * tick + tick;

	return now->trace > ago ? now->trace - ago : 0;
}

uint64_t tfs_tasks_from(uint32_t tgid, const struct tfs_dat_clock *now)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	struct stat_line line;
	uint64_t from = 0;

	if (now->trace && tfs_proc_shows_events() && !read_stat(tgid, tgid, &text, &line))
		from = trace_time(line.start, now);
	tfs_strbuf_release(&text);
	return from;
}

/* The number after the last tab of a line of /proc/PID/status; 0: there is no such line */
static uint32_t status_number(uint32_t pid, const char *key)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	long value = 0;
	char path[40];

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	if (!tfs_read_path(path, &text))
		value = tfs_pid_in_status(text.s, key);
	tfs_strbuf_release(&text);
	return (uint32_t)value;
}

uint32_t tfs_tasks_tgid(uint32_t tid)
{
	return tfs_proc_shows_events() ? status_number(tid, "\nTgid:") : 0;
}

/* Is the process in our namespace of process numbers? Then its numbers are ours. */
static bool is_in_our_namespace(uint32_t tgid)
{
	struct stat ours, theirs;
	char path[40];

	snprintf(path, sizeof(path), "/proc/%u/ns/pid", tgid);
	return stat(path, &theirs) || stat("/proc/self/ns/pid", &ours) ||
	       (ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev);
}

static void read_exe(uint32_t tgid, char *exe, size_t size)
{
	char path[40];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%u/exe", tgid);
	n = readlink(path, exe, size - 1);
	exe[n > 0 ? n : 0] = '\0';
}

/* "0::/path", of the one hierarchy; of several, the first with a path */
static int read_cgroup(uint32_t tgid, struct tfs_strbuf *out)
{
	const char *path;
	char name[40];

	snprintf(name, sizeof(name), "/proc/%u/cgroup", tgid);
	tfs_strbuf_reset(out);
	if (tfs_read_path(name, out) == -ENOMEM)
		return -ENOMEM;
	path = strstr(out->s, ":/");
	if (!path) {
		tfs_strbuf_reset(out);
		return 0;
	}
	path++;
	out->len = strcspn(path, "\n");
	memmove(out->s, path, out->len);
	out->s[out->len] = '\0';
	return 0;
}

/* All that the threads of a process have in common */
struct process {
	uint32_t tgid;
	bool ours;
	char exe[PATH_MAX];
	struct tfs_strbuf cgroup, text;
};

static int begin_process(struct process *p, uint32_t tgid)
{
	p->tgid = tgid;
	p->ours = is_in_our_namespace(tgid);
	read_exe(tgid, p->exe, sizeof(p->exe));
	return read_cgroup(tgid, &p->cgroup);
}

static int add_thread(struct process *p, uint32_t tid, const struct tfs_dat_clock *now,
		      struct tfs_strbuf *payload)
{
	const bool first = tid == p->tgid;
	struct tfs_dat_task task = {
		.tid = tid,
		.tgid = p->tgid,
		.exe = first ? p->exe : "",
		.cgroup = first ? p->cgroup.s : "",
	};
	struct stat_line line;
	int rc = read_stat(p->tgid, tid, &p->text, &line);

	if (rc)
		return rc;
	task.comm = line.comm;
	task.ppid = line.ppid;
	task.flags = line.flags & KERNEL_THREAD ? TFS_DAT_TASK_KERNEL : 0;
	task.nspid = p->ours ? tid : status_number(tid, "\nNSpid:");
	task.from = now->trace ? trace_time(line.start, now) : 0;
	return tfs_dat_tasks_add(payload, &task);
}

static void release_process(struct process *p)
{
	tfs_strbuf_release(&p->cgroup);
	tfs_strbuf_release(&p->text);
}

int tfs_tasks_add(uint32_t tgid, uint32_t tid, const struct tfs_dat_clock *now,
		  struct tfs_strbuf *payload)
{
	struct process p = { .cgroup = TFS_STRBUF_INIT, .text = TFS_STRBUF_INIT };
	int rc = tfs_proc_shows_events() ? begin_process(&p, tgid) : -ENOENT;

	if (!rc)
		rc = add_thread(&p, tid, now, payload);
	release_process(&p);
	return rc;
}

/* The next entry of a directory of /proc that is a number; false: there is none. */
static bool next_number(DIR *dir, uint32_t *out)
{
	struct dirent *e;

	while ((e = readdir(dir))) {
		char *end;
		unsigned long n = strtoul(e->d_name, &end, 10);

		if (*e->d_name >= '0' && *e->d_name <= '9' && !*end && n <= INT_MAX) {
			*out = (uint32_t)n;
			return true;
		}
	}
	return false;
}

static int list_threads(struct process *p, const struct tfs_dat_clock *now,
			struct tfs_strbuf *payload, size_t *n)
{
	char path[40];
	uint32_t tid;
	int rc = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", p->tgid);
	dir = opendir(path);
	while (dir && rc != -ENOMEM && *n < TFS_TASKS_MAX && next_number(dir, &tid)) {
		rc = add_thread(p, tid, now, payload);
		*n += !rc;
	}
	if (dir)
		closedir(dir);
	return rc == -ENOMEM ? rc : 0;
}

int tfs_tasks_list(const struct tfs_dat_clock *now, struct tfs_strbuf *payload)
{
	struct process p = { .cgroup = TFS_STRBUF_INIT, .text = TFS_STRBUF_INIT };
	DIR *dir = tfs_proc_shows_events() ? opendir("/proc") : NULL;
	uint32_t tgid;
	size_t n = 0;
	int rc = 0;

	while (dir && !rc && n < TFS_TASKS_MAX && next_number(dir, &tgid)) {
		rc = begin_process(&p, tgid);
		if (!rc)
			rc = list_threads(&p, now, payload, &n);
	}
	if (dir)
		closedir(dir);
	release_process(&p);
	return rc;
}

/* A thread that began later may have got the number of another one that was recorded before. */
static int add_comms(uint32_t tgid, uint64_t before, struct tfs_strbuf *text,
		     struct tfs_strbuf *out)
{
	const uint64_t tick = NS_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK);
	struct stat_line line;
	char path[40];
	uint32_t tid;
	int rc = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", tgid);
	dir = opendir(path);
	while (dir && rc != -ENOMEM && next_number(dir, &tid)) {
		rc = read_stat(tgid, tid, text, &line);
		if (!rc && (line.flags & KERNEL_THREAD || line.start * tick <= before) &&
		    !strchr(line.comm, '\n'))
			rc = tfs_strbuf_addf(out, "%u %s\n", tid, line.comm);
	}
	if (dir)
		closedir(dir);
	return rc == -ENOMEM ? rc : 0;
}

int tfs_tasks_comms(uint64_t before, struct tfs_strbuf *out)
{
	DIR *dir = tfs_pid_ns() ? NULL : opendir("/proc");
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	uint32_t tgid;
	size_t n = 0;
	int rc = 0;

	while (dir && !rc && n++ < TFS_TASKS_MAX && next_number(dir, &tgid))
		rc = add_comms(tgid, before, &text, out);
	if (dir)
		closedir(dir);
	tfs_strbuf_release(&text);
	return rc;
}
