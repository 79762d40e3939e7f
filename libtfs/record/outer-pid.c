/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/outer-pid.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/pid-ns.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "tracefs/file.h"
#include "tracefs/plan.h"

/* PF_KTHREAD of include/linux/sched.h, in the ninth field of /proc/PID/stat */
#define KTHREAD 0x00200000u
#define FLAGS_FIELD 9
#define PROGRAM "tc-pids"
#define MARK "tracecraft looks for its pid"
#define MARK_EVENT "tracing_mark_write: " MARK
#define FORK_EVENT " sched_process_fork: "
#define CHILD " child_pid="
#define BUFFER_KIB 64

/* A file below a directory, 0 or -errno */
static int read_at(int dir, const char *file, struct tfs_strbuf *text)
{
	int fd = openat(dir, file, O_RDONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return -errno;
	tfs_strbuf_reset(text);
	rc = tfs_read_fd(fd, text);
	tfs_close(&fd);
	return rc;
}

/* kthreadd has pid 2 in the first namespace; no process of others is a thread of the kernel. */
static bool is_first(int proc)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	const char *p = read_at(proc, "2/stat", &text) ? NULL : strrchr(text.s, ')');
	unsigned long flags;

	for (int field = 2; p && field < FLAGS_FIELD; field++)
		p = strchr(p + 1, ' ');
	flags = p ? strtoul(p, NULL, 10) : 0;
	tfs_strbuf_release(&text);
	return flags & KTHREAD;
}

bool tfs_proc_shows_events(void)
{
	int fd;
	bool first;

	if (!tfs_pid_ns())
		return true;
	fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	first = fd >= 0 && is_first(fd);
	tfs_close(&fd);
	return first;
}

/* "ID PARENT DEV ROOT POINT OPTIONS... - TYPE ...": a /proc that shows all processes; -1 */
static int open_proc(const char *line)
{
	char root[8], point[512];
	int fd;

	if (!strstr(line, " - proc ") || sscanf(line, "%*s %*s %*s %7s %511s", root, point) != 2 ||
	    strcmp(root, "/") != 0)
		return -1;
	fd = open(point, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && !is_first(fd))
		tfs_close(&fd);
	return fd;
}

static int open_first_proc(const char *mounts)
{
	struct tfs_strvec lines = TFS_STRVEC_INIT;
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int fd = -1;

	if (!tfs_read_path(mounts, &text) && !tfs_strvec_split(&lines, text.s, "\n"))
		for (size_t i = 0; i < lines.n && fd < 0; i++)
			fd = open_proc(lines.v[i]);
	tfs_strvec_release(&lines);
	tfs_strbuf_release(&text);
	return fd;
}

/* A descriptor of a process has its number as the namespace of that /proc counts (pidfd). */
static pid_t of_process(int proc, pid_t pid)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	char file[64];
	pid_t found = 0;

	snprintf(file, sizeof(file), "self/fdinfo/%d", fd);
	if (fd >= 0 && !read_at(proc, file, &text))
		found = (pid_t)tfs_pid_in_status(text.s, "\nPid:");
	tfs_close(&fd);
	tfs_strbuf_release(&text);
	return found;
}

/* The thread of the process @tgid, by that /proc, whose number in its own namespace is @tid */
static pid_t of_thread(int proc, pid_t tgid, pid_t tid)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	const struct dirent *e;
	pid_t found = 0;
	char file[64];
	int fd;
	DIR *dir;

	snprintf(file, sizeof(file), "%d/task", (int)tgid);
	fd = openat(proc, file, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	while (dir && !found && (e = readdir(dir))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(file, sizeof(file), "%d/task/%.20s/status", (int)tgid, e->d_name);
		if (!read_at(proc, file, &text) && tfs_pid_in_status(text.s, "\nNSpid:") == tid)
			found = (pid_t)strtol(e->d_name, NULL, 10);
	}
	if (dir)
		closedir(dir);
	else
		tfs_close(&fd);
	tfs_strbuf_release(&text);
	return found;
}

pid_t tfs_outer_pid(pid_t tid, const char *mounts)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int proc = open_first_proc(mounts);
	pid_t found = 0, tgid = tid;
	char path[64];

	if (proc < 0)
		return -ENXIO;
	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	if (!tfs_read_path(path, &text) && tfs_pid_in_status(text.s, "\nTgid:") > 0)
		tgid = (pid_t)tfs_pid_in_status(text.s, "\nTgid:");
	found = of_process(proc, tgid);
	if (found > 0 && tgid != tid)
		found = of_thread(proc, found, tid);
	tfs_close(&proc);
	tfs_strbuf_release(&text);
	return found > 0 ? found : -ENXIO;
}

/* "NAME-PID [CPU] ...", where the name may have anything: the last number before " [CPU]" */
static pid_t pid_of_line(const char *line, const char *event)
{
	const char *p = event;

	while (p > line && *p != '[')
		p--;
	while (p > line && p[-1] == ' ')
		p--;
	while (p > line && p[-1] >= '0' && p[-1] <= '9')
		p--;
	return p > line && p[-1] == '-' ? (pid_t)strtol(p, NULL, 10) : 0;
}

static int read_lines(const struct tfs_pid_look *look, struct tfs_strvec *lines,
		      struct tfs_err *err)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc = tfs_instance_read(look->root, &look->inst, "trace", &text, err);

	if (!rc)
		rc = tfs_strvec_split(lines, text.s, "\n");
	tfs_strbuf_release(&text);
	return rc;
}

static int write_file(const struct tfs_pid_look *look, const char *file, const char *text,
		      struct tfs_err *err)
{
	char path[sizeof(look->inst.prefix) + 64];
	int rc = tfs_instance_path(&look->inst, file, path, sizeof(path));

	if (rc)
		return tfs_err_set(err, rc, "cannot look for pids");
	return tfs_file_write(look->root, path, TFS_WRITE_APPEND, text, strlen(text), err);
}

static int find_self(struct tfs_pid_look *look, struct tfs_err *err)
{
	struct tfs_strvec lines = TFS_STRVEC_INIT;
	int rc = write_file(look, "trace_marker", MARK "\n", err);

	if (!rc)
		rc = read_lines(look, &lines, err);
	for (size_t i = 0; i < lines.n && !rc; i++) {
		const char *event = strstr(lines.v[i], MARK_EVENT);

		if (event)
			look->self = pid_of_line(lines.v[i], event);
	}
	tfs_strvec_release(&lines);
	if (!rc && look->self <= 0)
		rc = tfs_err_say(err, -ENXIO, "a mark in tracefs does not have a pid");
	return rc;
}

static int plan_look(const struct tfs_pid_look *look)
{
	int rc = tfs_instance_plan(&look->inst, look->plan);

	if (!rc)
		rc = tfs_instance_write_number(&look->inst, "buffer_size_kb", BUFFER_KIB, NULL,
					       look->plan);
	if (!rc)
		rc = tfs_instance_write(&look->inst, "tracing_on", "1", NULL, look->plan);
	return rc;
}

int tfs_pid_look_begin(struct tfs_pid_look *look, const struct tfs_root *root,
		       struct tfs_journal *journal, struct tfs_err *err)
{
	char pid[24];
	int rc;

	*look = (struct tfs_pid_look){ .root = root };
	tfs_instance_private(&look->inst, PROGRAM);
	rc = tfs_plan_new(root, &look->plan);
	if (!rc) {
		tfs_plan_set_journal(look->plan, journal);
		rc = plan_look(look);
	}
	if (rc)
		tfs_err_set(err, rc, "cannot look for pids");
	else
		rc = tfs_plan_apply(look->plan, err);
	if (!rc)
		rc = find_self(look, err);
	snprintf(pid, sizeof(pid), "%d\n", (int)look->self);
	if (!rc)
		rc = write_file(look, "set_event_pid", pid, err);
	if (!rc)
		rc = write_file(look, "events/sched/sched_process_fork/enable", "1\n", err);
	if (rc)
		tfs_pid_look_end(look);
	return rc;
}

int tfs_pid_look_children(const struct tfs_pid_look *look, struct tfs_strvec *pids,
			  struct tfs_err *err)
{
	struct tfs_strvec lines = TFS_STRVEC_INIT;
	int rc = read_lines(look, &lines, err);

	for (size_t i = 0; i < lines.n && !rc; i++) {
		const char *event = strstr(lines.v[i], FORK_EVENT);
		const char *child = event ? strstr(event, CHILD) : NULL;

		if (child && pid_of_line(lines.v[i], event) == look->self)
			rc = tfs_strvec_push(pids, child + strlen(CHILD));
	}
	tfs_strvec_release(&lines);
	return rc && err && !err->code ? tfs_err_set(err, rc, "cannot look for pids") : rc;
}

void tfs_pid_look_end(struct tfs_pid_look *look)
{
	if (look->plan)
		tfs_plan_rollback(look->plan, NULL);
	tfs_plan_free(look->plan);
	*look = (struct tfs_pid_look){ .root = NULL };
}
