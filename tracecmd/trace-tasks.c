/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace-tasks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf-core.h"
#include "trace-opts.h"

#define CGROUPS "/sys/fs/cgroup"
#define NS_DEPTH_MAX 32 /* MAX_PID_NS_LEVEL of the kernel */

/* With -c the existing threads of a process are recorded like those it creates. */
int trace_add_threads(const char *pid, struct tfs_strvec *pids)
{
	char path[64];
	struct dirent *e;
	DIR *dir;
	int rc = 0;

	snprintf(path, sizeof(path), "/proc/%.20s/task", pid);
	dir = opendir(path);
	if (!dir)
		return 0;
	while (!rc && (e = readdir(dir))) {
		if (e->d_name[0] != '.' && !tfs_strvec_has(pids, e->d_name))
			rc = tfs_strvec_push(pids, e->d_name);
	}
	closedir(dir);
	return rc;
}

/* Those of --pid */
static int add_pids(const struct trace_request *req, struct trace_buffer *buf, struct tfs_err *err)
{
	char word[24];
	int rc = 0;

	for (size_t i = 0; i < buf->n_pids && !rc; i++) {
		pid_t pid = buf->pids[i];

		if (kill(pid, 0) && errno == ESRCH)
			return tfs_err_say(err, -ESRCH, "option %s: there is no process %d",
					   trace_pid_option(req), (int)pid);
		snprintf(word, sizeof(word), "%d", (int)pid);
		if (req->children || (buf->flags & TRACE_BUFFER_PROCESSES))
			rc = trace_add_threads(word, &buf->threads);
		/* a thread that is not a process, or one that has just ended */
		if (!rc && !tfs_strvec_has(&buf->threads, word))
			rc = tfs_strvec_push(&buf->threads, word);
	}
	return rc;
}

/* The tasks of the cgroup and of those below it; tasks that end meanwhile are left out. */
static int add_cgroup(const char *path, struct tfs_strvec *pids)
{
	struct tfs_strvec words = TFS_STRVEC_INIT;
	struct tfs_strbuf text = TFS_STRBUF_INIT, below = TFS_STRBUF_INIT;
	struct dirent *e;
	DIR *dir;
	int rc;

	rc = tfs_strbuf_addf(&below, "%s/cgroup.procs", path);
	/* it cannot be read in a threaded cgroup, whose tasks are listed in its parent */
	if (!rc && !tfs_read_path(below.s, &text))
		rc = tfs_strvec_split(&words, text.s, "\n");
	for (size_t i = 0; i < words.n && !rc; i++)
		rc = trace_add_threads(words.v[i], pids);
	dir = opendir(path);
	while (!rc && dir && (e = readdir(dir))) {
		if (e->d_name[0] == '.' || e->d_type != DT_DIR)
			continue;
		tfs_strbuf_reset(&below);
		rc = tfs_strbuf_addf(&below, "%s/%s", path, e->d_name);
		if (!rc)
			rc = add_cgroup(below.s, pids);
	}
	if (dir)
		closedir(dir);
	tfs_strvec_release(&words);
	tfs_strbuf_release(&text);
	tfs_strbuf_release(&below);
	return rc;
}

static int add_cgroups(struct trace_buffer *buf, struct tfs_err *err)
{
	struct tfs_strbuf path = TFS_STRBUF_INIT, procs = TFS_STRBUF_INIT;
	struct stat st;
	int rc = 0;

	for (size_t i = 0; i < buf->cgroups.n && !rc; i++) {
		const char *name = buf->cgroups.v[i];
		size_t before = buf->threads.n;

		tfs_strbuf_reset(&path);
		tfs_strbuf_reset(&procs);
		/* as systemd-cgls and /proc/PID/cgroup write it, or the directory */
		if (strncmp(name, CGROUPS, strlen(CGROUPS)) != 0)
			rc = tfs_strbuf_addf(&path, CGROUPS "%s", name[0] == '/' ? "" : "/");
		if (!rc)
			rc = tfs_strbuf_adds(&path, name);
		if (!rc)
			rc = tfs_strbuf_addf(&procs, "%s/cgroup.procs", path.s);
		if (!rc && stat(procs.s, &st)) {
			rc = tfs_err_say(err, -ESRCH, "option --cgroup: there is no cgroup '%s'",
					 name);
			tfs_err_hint(err, "a cgroup is a directory below " CGROUPS);
		}
		if (!rc)
			rc = add_cgroup(path.s, &buf->threads);
		if (!rc && buf->threads.n == before)
			rc = tfs_err_say(err, -ESRCH, "option --cgroup: there are no tasks in '%s'",
					 name);
	}
	tfs_strbuf_release(&path);
	tfs_strbuf_release(&procs);
	return rc;
}

static int open_pid_ns(const char *pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%.20s/ns/pid", pid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static bool same_ns(int fd, const struct stat *ns)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_ino == ns->st_ino && st.st_dev == ns->st_dev;
}

/* Is the process in the namespace, or in one that was made in it? */
static bool is_inside(const char *pid, const struct stat *ns)
{
	int fd = open_pid_ns(pid), parent;
	bool inside = false;

	for (int depth = 0; fd >= 0 && depth < NS_DEPTH_MAX && !inside; depth++) {
		inside = same_ns(fd, ns);
		parent = inside ? -1 : ioctl(fd, NS_GET_PARENT);
		tfs_close(&fd);
		fd = parent;
	}
	tfs_close(&fd);
	return inside;
}

static int add_container(struct trace_buffer *buf, struct tfs_err *err)
{
	struct dirent *e;
	struct stat ns = { 0 };
	char word[24];
	DIR *dir = NULL;
	int fd, own, rc = 0;

	snprintf(word, sizeof(word), "%d", (int)buf->container_pid);
	fd = open_pid_ns(word);
	if (fd < 0 || fstat(fd, &ns))
		rc = tfs_err_set(err, -errno, "option --container: cannot look at process %s",
				 word);
	own = open_pid_ns("self");
	if (!rc && own >= 0 && same_ns(own, &ns)) {
		rc = tfs_err_say(err, -EINVAL,
				 "option --container: process %s is not in a container", word);
		tfs_err_hint(err,
			     "it is in the pid namespace of this program; -P %s -c records it "
			     "and its children",
			     word);
	}
	if (!rc)
		dir = opendir("/proc");
	while (!rc && dir && (e = readdir(dir))) {
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && is_inside(e->d_name, &ns))
			rc = trace_add_threads(e->d_name, &buf->threads);
	}
	if (dir)
		closedir(dir);
	tfs_close(&fd);
	tfs_close(&own);
	return rc;
}

static int find_tasks(const struct trace_request *req, struct trace_buffer *buf,
		      struct tfs_err *err)
{
	int rc = add_pids(req, buf, err);

	if (!rc)
		rc = add_cgroups(buf, err);
	if (!rc && buf->container)
		rc = add_container(buf, err);
	return rc;
}

int trace_find_tasks(struct trace_request *req, pid_t command, struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < req->n_buffers && !rc; i++) {
		struct trace_buffer *buf = &req->buffers[i];

		tfs_strvec_release(&buf->threads);
		rc = find_tasks(req, buf, err);
		if (!rc && command > 0 && trace_wants_command(req, buf))
			rc = tfs_strvec_pushf(&buf->threads, "%d", (int)command);
	}
	return rc == -ENOMEM ? tfs_err_set(err, rc, "cannot list the tasks to record") : rc;
}
