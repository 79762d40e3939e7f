/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/threads.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"

#define CGROUPS "/sys/fs/cgroup"
#define LIST_TRIES 100  /* of a process whose threads end all the time */
#define NS_DEPTH_MAX 32 /* MAX_PID_NS_LEVEL of the kernel */

static int add(const char *tid, struct tfs_strvec *out)
{
	return tfs_strvec_has(out, tid) ? 0 : tfs_strvec_push(out, tid);
}

/* Adds what the kernel lists. Return: 1 if it has listed all, 0, -ENOMEM */
static int list(DIR *dir, struct tfs_strvec *out)
{
	char last[sizeof(((struct dirent *)0)->d_name)] = ".";
	struct dirent *e;
	int rc = 0;

	rewinddir(dir);
	while (!rc && (e = readdir(dir))) {
		if (e->d_name[0] == '.')
			continue;
		rc = add(e->d_name, out);
		memcpy(last, e->d_name, strlen(e->d_name) + 1);
	}
	return rc ? rc : !faccessat(dirfd(dir), last, F_OK, 0);
}

/*
 * The kernel goes from a thread to the next; if one has just ended, it does not know the next, and
 * the list ends there (next_tid() in fs/proc/base.c). So a list is whole if its last thread is
 * still there afterwards; else it is read again, which adds those that it lacked.
 */
int tfs_threads_add(const char *pid, struct tfs_strvec *out)
{
	char path[64];
	DIR *dir;
	int rc = 0;

	snprintf(path, sizeof(path), "/proc/%.20s/task", pid);
	dir = opendir(path);
	if (!dir)
		return 0;
	for (int tries = 0; tries < LIST_TRIES && !rc; tries++)
		rc = list(dir, out);
	closedir(dir);
	return rc < 0 ? rc : 0;
}

/* The tasks of the cgroup and of those below it; tasks that end meanwhile are left out. */
static int add_cgroup(const char *path, struct tfs_strvec *out)
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
		rc = tfs_threads_add(words.v[i], out);
	dir = opendir(path);
	while (!rc && dir && (e = readdir(dir))) {
		if (e->d_name[0] == '.' || e->d_type != DT_DIR)
			continue;
		tfs_strbuf_reset(&below);
		rc = tfs_strbuf_addf(&below, "%s/%s", path, e->d_name);
		if (!rc)
			rc = add_cgroup(below.s, out);
	}
	if (dir)
		closedir(dir);
	tfs_strvec_release(&words);
	tfs_strbuf_release(&text);
	tfs_strbuf_release(&below);
	return rc;
}

int tfs_threads_add_cgroup(const char *name, struct tfs_strvec *out, struct tfs_err *err)
{
	struct tfs_strbuf path = TFS_STRBUF_INIT, procs = TFS_STRBUF_INIT;
	struct tfs_strvec found = TFS_STRVEC_INIT;
	struct stat st;
	int rc = 0;

	/* as systemd-cgls and /proc/PID/cgroup write it, or the directory */
	if (strncmp(name, CGROUPS, strlen(CGROUPS)) != 0)
		rc = tfs_strbuf_addf(&path, CGROUPS "%s", name[0] == '/' ? "" : "/");
	if (!rc)
		rc = tfs_strbuf_adds(&path, name);
	if (!rc)
		rc = tfs_strbuf_addf(&procs, "%s/cgroup.procs", path.s);
	if (!rc && stat(procs.s, &st)) {
		rc = tfs_err_say(err, -ESRCH, "there is no cgroup '%s'", name);
		tfs_err_hint(err, "a cgroup is a directory below " CGROUPS);
	}
	if (!rc)
		rc = add_cgroup(path.s, &found);
	for (size_t i = 0; i < found.n && !rc; i++)
		rc = add(found.v[i], out);
	tfs_strvec_release(&found);
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

int tfs_threads_add_container(pid_t pid, struct tfs_strvec *out, struct tfs_err *err)
{
	struct dirent *e;
	struct stat ns = { 0 };
	char word[24];
	DIR *dir = NULL;
	int fd, own, rc = 0;

	snprintf(word, sizeof(word), "%d", (int)pid);
	fd = open_pid_ns(word);
	if (fd < 0 || fstat(fd, &ns))
		rc = tfs_err_set(err, -errno, "cannot look at process %s", word);
	own = open_pid_ns("self");
	if (!rc && own >= 0 && same_ns(own, &ns)) {
		rc = tfs_err_say(err, -EINVAL, "process %s is not in a container", word);
		tfs_err_hint(err,
			     "it is in the pid namespace of this program; -P %s -c records it "
			     "and its children",
			     word);
	}
	if (!rc)
		dir = opendir("/proc");
	while (!rc && dir && (e = readdir(dir))) {
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && is_inside(e->d_name, &ns))
			rc = tfs_threads_add(e->d_name, out);
	}
	if (dir)
		closedir(dir);
	tfs_close(&fd);
	tfs_close(&own);
	return rc;
}
