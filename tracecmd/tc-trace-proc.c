/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-trace-proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/num.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "base/time.h"
#include "record/outer-pid.h"
#include "record/task-memory.h"
#include "strace/fd-table.h"
#include "tracedat/dat-calls.h"
#include "tracedat/dat-private.h"
#include "tracedat/dat-tasks.h"

/* A run may go on for hours: the paths of half a million descriptors */
#define PROC_KEPT_MAX ((size_t)64 << 20)

struct thread {
	int tid, tgid;
	char comm[TFS_CALL_COMM];
};

/*
 * @calls, @tasks: of a recording; NULL: it has none, or /proc is asked
 * @live: /proc is asked
 * @blind: /proc shows other tasks under the numbers of events
 * @threads: of strace_proc_learn()
 * @keeps: @kept gets the answers
 * @memory: of strace_proc_text(); NULL: none is read, or there is no thread for it
 * @at, @tid, @next: the look that is the next to be made again: they are in the order of the file
 */
struct strace_proc {
	bool live, keeps, blind;
	int command;
	struct tfs_dat_calls *calls;
	struct tfs_dat_tasks *tasks;
	struct thread *threads;
	size_t n_threads, cap_threads;
	struct tfs_strbuf kept;
	uint64_t at;
	int tid;
	size_t next;
	struct tfs_task_memory *memory;
	char text[PATH_MAX];
};

static struct strace_proc *new_proc(void)
{
	struct strace_proc *proc = calloc(1, sizeof(*proc));

	if (proc)
		tfs_strbuf_init(&proc->kept);
	return proc;
}

int strace_proc_live(int command, bool keep, bool memory, struct strace_proc **out)
{
	struct strace_proc *proc = new_proc();
	int rc = proc ? 0 : -ENOMEM;

	if (!rc && keep)
		rc = tfs_dat_private_begin(&proc->kept);
	if (!rc && keep && command)
		rc = tfs_dat_calls_add_command(&proc->kept, command);
	if (rc) {
		strace_proc_free(proc);
		return rc;
	}
	/* Before tracing begins, so that it is one of the threads that are left out. */
	if (memory && tfs_task_memory_new(&proc->memory))
		proc->memory = NULL;
	proc->live = true;
	proc->blind = !tfs_proc_shows_events();
	proc->keeps = keep;
	proc->command = command;
	*out = proc;
	return 0;
}

int strace_proc_file(const struct tfs_dat *dat, struct strace_proc **out)
{
	struct strace_proc *proc = new_proc();
	int rc = proc ? tfs_dat_calls_new(dat, &proc->calls) : -ENOMEM;

	if (!rc)
		rc = tfs_dat_tasks_new(dat, &proc->tasks);
	if (rc) {
		strace_proc_free(proc);
		return rc;
	}
	proc->command = tfs_dat_calls_command(proc->calls);
	*out = proc;
	return 0;
}

void strace_proc_free(struct strace_proc *proc)
{
	if (!proc)
		return;
	tfs_task_memory_free(proc->memory);
	tfs_dat_calls_free(proc->calls);
	tfs_dat_tasks_free(proc->tasks);
	tfs_strbuf_release(&proc->kept);
	free(proc->threads);
	free(proc);
}

int strace_proc_command(const struct strace_proc *proc)
{
	return proc->command;
}

const struct tfs_strbuf *strace_proc_kept(const struct strace_proc *proc)
{
	return proc->kept.len ? &proc->kept : NULL;
}

/* Answers that are kept already stay, whatever becomes of the rest. */
static bool has_room(struct strace_proc *proc)
{
	if (proc->kept.len >= PROC_KEPT_MAX)
		proc->keeps = false;
	return proc->keeps;
}

static void kept(struct strace_proc *proc, size_t before, int rc)
{
	if (!rc)
		return;
	proc->kept.len = before;
	proc->keeps = false;
}

static int read_task(int tid, char comm[TFS_CALL_COMM])
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	char path[64], line[128];
	int tgid = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Tgid: %d", &tgid) == 1)
			break;
	if (f)
		fclose(f);
	/* The line of "status" has escapes. */
	snprintf(path, sizeof(path), "/proc/%d/comm", tid);
	if (!tfs_read_path(path, &text) && text.len)
		snprintf(comm, TFS_CALL_COMM, "%.*s", (int)text.len - 1, text.s);
	tfs_strbuf_release(&text);
	return tgid;
}

/* As it was asked then, else as the recording's table of tasks has it */
static int task_of_file(const struct strace_proc *proc, uint64_t at, int tid,
			char comm[TFS_CALL_COMM])
{
	const struct tfs_dat_task *task = tfs_dat_tasks_find(proc->tasks, (uint32_t)tid);
	const char *name;
	int tgid = tfs_dat_calls_tgid(proc->calls, tid, at, &name);

	snprintf(comm, TFS_CALL_COMM, "%s", name);
	return tgid || !task || task->from > at ? tgid : (int)task->tgid;
}

static void keep_task(struct strace_proc *proc, uint64_t at, const struct thread *t)
{
	const size_t before = proc->kept.len;

	if (has_room(proc))
		kept(proc, before,
		     tfs_dat_calls_add_process(&proc->kept, at, t->tid, t->tgid, t->comm));
}

static int each_number(const char *path, int (*call)(void *ctx, int number), void *ctx)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	uint64_t number;
	int rc = 0;

	while (!rc && dir && (entry = readdir(dir)))
		if (!tfs_parse_u64(entry->d_name, 0, INT_MAX, &number, NULL))
			rc = call(ctx, (int)number);
	if (dir)
		closedir(dir);
	return rc;
}

struct learning {
	struct strace_proc *proc;
	int tgid;
};

static int learn_thread(void *ctx, int tid)
{
	const struct learning *l = ctx;
	struct strace_proc *proc = l->proc;
	struct thread t = { .tid = tid, .tgid = l->tgid };

	read_task(tid, t.comm);
	if (tfs_grow(&proc->threads, &proc->cap_threads, proc->n_threads + 1))
		return -ENOMEM;
	proc->threads[proc->n_threads++] = t;
	keep_task(proc, 0, &t);
	return 0;
}

int strace_proc_learn(struct strace_proc *proc, int tgid)
{
	struct learning learning = { proc, tgid };
	char path[64];

	if (proc->blind)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/task", tgid);
	return each_number(path, learn_thread, &learning);
}

/* A thread may have ended since. */
static const struct thread *find_learnt(const struct strace_proc *proc, int tid)
{
	for (size_t i = proc->n_threads; i--;)
		if (proc->threads[i].tid == tid)
			return &proc->threads[i];
	return NULL;
}

int strace_proc_task(struct strace_proc *proc, uint64_t at, int tid, char comm[TFS_CALL_COMM])
{
	struct thread t = { .tid = tid };
	const struct thread *learnt;

	if (!proc->live)
		return task_of_file(proc, at, tid, comm);
	t.tgid = proc->blind ? 0 : read_task(tid, t.comm);
	learnt = t.tgid ? NULL : find_learnt(proc, tid);
	if (learnt)
		t = *learnt;
	else if (t.tgid)
		keep_task(proc, at, &t);
	memcpy(comm, t.comm, sizeof(t.comm));
	return t.tgid;
}

int strace_proc_threads(const struct strace_proc *proc, int tgid, struct tfs_strvec *tids)
{
	size_t n;
	const struct tfs_dat_task *tasks = tfs_dat_tasks_all(proc->tasks, &n);
	int rc = 0;

	for (int tid = 0; !rc && (tid = tfs_dat_calls_thread(proc->calls, tgid, tid));)
		rc = tfs_strvec_pushf(tids, "%d", tid);
	for (size_t i = 0; !rc && i < n; i++)
		if (tasks[i].tgid == (uint32_t)tgid)
			rc = tfs_strvec_pushf(tids, "%" PRIu32, tasks[i].tid);
	return rc;
}

/* As the trace's */
static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

/* 1 or 0; -1: not known */
static int read_cloexec(int tid, int fd)
{
	char path[64], line[128];
	unsigned int flags;
	int cloexec = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", tid, fd);
	f = fopen(path, "re");
	while (f && cloexec < 0 && fgets(line, sizeof(line), f))
		if (sscanf(line, "flags: %o", &flags) == 1)
			cloexec = (flags & O_CLOEXEC) != 0;
	if (f)
		fclose(f);
	return cloexec;
}

/* "socket:[123]" of /proc/PID/fd/N: as "TCP:[123]"; as it is if the kernel does not say */
static void name_protocol(const char *path, char *text, size_t size)
{
	char protocol[32], number[32];
	ssize_t n = getxattr(path, "system.sockprotoname", protocol, sizeof(protocol) - 1);

	if (n <= 0 || sscanf(text, "socket:%31s", number) != 1)
		return;
	protocol[n] = '\0';
	snprintf(text, size, "%s:%s", protocol, number);
}

/* A descriptor that is not there, or not to be read, stays unknown. */
static int look_live(struct strace_proc *proc, bool sockets, struct tfs_fd_seen *seen)
{
	char path[64];
	ssize_t n;

	seen->begin = now();
	if (seen->fd == TFS_FD_CWD)
		snprintf(path, sizeof(path), "/proc/%d/cwd", seen->tid);
	else
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", seen->tid, seen->fd);
	seen->cloexec = seen->fd == TFS_FD_CWD ? -1 : read_cloexec(seen->tid, seen->fd);
	n = readlink(path, proc->text, sizeof(proc->text));
	if (n <= 0 || (size_t)n >= sizeof(proc->text))
		return 0;
	proc->text[n] = '\0';
	if (sockets && !strncmp(proc->text, "socket:", strlen("socket:")))
		name_protocol(path, proc->text, sizeof(proc->text));
	seen->text = proc->text;
	seen->end = now();
	return 1;
}

static void keep_look(struct strace_proc *proc, uint64_t at, const struct tfs_fd_seen *seen)
{
	const size_t before = proc->kept.len;
	const struct tfs_dat_look look = {
		.at = at,
		.tid = seen->tid,
		.tgid = seen->tgid,
		.fd = seen->fd,
		.cloexec = seen->cloexec,
		.begin = seen->begin,
		.end = seen->end,
		.text = seen->text,
	};

	if (has_room(proc))
		kept(proc, before, tfs_dat_calls_add_look(&proc->kept, &look));
}

/* The looks of this time that were not made again */
static const struct tfs_dat_look *looks_left(struct strace_proc *proc, uint64_t at, int tid,
					     size_t *n)
{
	const struct tfs_dat_look *looks = tfs_dat_calls_looks(proc->calls, tid, at, n);

	if (proc->at != at || proc->tid != tid)
		proc->next = 0;
	proc->at = at;
	proc->tid = tid;
	*n -= proc->next;
	return looks ? looks + proc->next : NULL;
}

static int take_look(const struct tfs_dat_look *look, struct tfs_fd_seen *seen)
{
	seen->cloexec = look->cloexec;
	seen->begin = look->begin;
	seen->end = look->end;
	seen->text = look->text;
	return *seen->text != '\0';
}

/* Lines that are shown when their call has ended ask more at a time than others. */
static int look_in_file(struct strace_proc *proc, uint64_t at, struct tfs_fd_seen *seen)
{
	size_t n;
	const struct tfs_dat_look *looks = looks_left(proc, at, seen->tid, &n);

	for (size_t i = 0; i < n; i++)
		if (looks[i].fd == seen->fd) {
			proc->next += i + 1;
			return take_look(&looks[i], seen);
		}
	for (size_t i = 0; looks && i++ < proc->next;)
		if ((looks - i)->fd == seen->fd)
			return take_look(looks - i, seen);
	return 0;
}

int strace_proc_look(struct strace_proc *proc, uint64_t at, bool sockets, struct tfs_fd_seen *seen)
{
	int found;

	if (!proc->live)
		return look_in_file(proc, at, seen);
	found = proc->blind ? 0 : look_live(proc, sockets, seen);
	if (!found)
		seen->text = "";
	keep_look(proc, at, seen);
	return found;
}

int strace_proc_text(struct strace_proc *proc, int tid, uint64_t address,
		     struct tfs_call_text *text)
{
	const char *end;
	ssize_t n;

	if (!proc->live || proc->blind || !proc->memory)
		return 0;
	n = tfs_task_memory_read(proc->memory, tid, address, proc->text, sizeof(proc->text));
	end = n > 0 ? memchr(proc->text, '\0', (size_t)n) : NULL;
	if (!end)
		return 0;
	for (const char *p = proc->text; p < end; p++)
		if ((unsigned char)*p < ' ')
			return 0;
	*text = (struct tfs_call_text){
		.s = proc->text,
		.len = (uint32_t)(end - proc->text),
		.guess = true,
	};
	return 1;
}

static int each_of_file(struct strace_proc *proc, uint64_t at, int tid,
			int (*call)(void *ctx, int fd), void *ctx)
{
	size_t n;
	const struct tfs_dat_look *looks = looks_left(proc, at, tid, &n);
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++)
		if (looks[i].fd != TFS_FD_CWD)
			rc = call(ctx, looks[i].fd);
	return rc;
}

int strace_proc_each_fd(struct strace_proc *proc, uint64_t at, int tid,
			int (*call)(void *ctx, int fd), void *ctx)
{
	char path[64];

	if (!proc->live)
		return each_of_file(proc, at, tid, call, ctx);
	if (proc->blind)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/fd", tid);
	return each_number(path, call, ctx);
}

int strace_proc_next(const struct strace_proc *proc, int tid)
{
	return tfs_dat_calls_next(proc->calls, tid, 0);
}
