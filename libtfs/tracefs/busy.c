/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracefs/busy.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf-core.h"
#include "tracefs/file.h"
#include "tracefs/root.h"

#define STEP_MS 20
#define MS_PER_SEC 1000
#define NS_PER_MS 1000000L

/* How many holders a message names. */
#define MAX_NAMED 3

#define INSTANCES "instances/"

/*
 * struct wanted - the files that keep something busy
 * @dir: "/instances/NAME/", part of the path of each; "" for those of the top level
 * @dev: the tracefs that they are in
 */
struct wanted {
	char dir[NAME_MAX + 16];
	dev_t dev;
};

bool tfs_busy_again(struct tfs_busy *busy, int rc)
{
	const unsigned int ms = busy->left_ms < STEP_MS ? busy->left_ms : STEP_MS;
	const struct timespec step = { ms / MS_PER_SEC, (long)(ms % MS_PER_SEC) * NS_PER_MS };

	if (rc != -EBUSY || !ms)
		return false;
	nanosleep(&step, NULL);
	busy->left_ms -= ms;
	return true;
}

/* Readers of the top level's ring buffer; its other files do not matter. */
static bool reads_top(const char *file)
{
	const char *name = strrchr(file, '/');

	return name && !strstr(file, "/" INSTANCES) &&
	       (!strncmp(name, "/trace_pipe", strlen("/trace_pipe")) ||
		!strncmp(name, "/snapshot", strlen("/snapshot")));
}

/*
 * Is the descriptor @link, of /proc, one of them? Its name decides first: nothing else is asked
 * about, and that without waiting, since the file system could be anybody's.
 */
static bool is_wanted(const struct wanted *w, const char *link)
{
	char file[PATH_MAX];
	struct statx st;
	ssize_t n = readlink(link, file, sizeof(file) - 1);

	if (n <= 0)
		return false;
	file[n] = '\0';
	if (w->dir[0] ? !strstr(file, w->dir) : !reads_top(file))
		return false;
	return !statx(AT_FDCWD, link, AT_STATX_DONT_SYNC, STATX_TYPE, &st) &&
	       S_ISREG(st.stx_mode) && makedev(st.stx_dev_major, st.stx_dev_minor) == w->dev;
}

static bool holds(const struct wanted *w, const char *pid)
{
	char path[64 + NAME_MAX];
	const struct dirent *entry;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%.20s/fd", pid);
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%.20s/fd/%s", pid, entry->d_name);
		found = is_wanted(w, path);
	}
	if (dir)
		closedir(dir);
	return found;
}

static int add_holder(const char *pid, struct tfs_strbuf *sb)
{
	struct tfs_strbuf name = TFS_STRBUF_INIT;
	char path[64];
	int rc = sb->len ? tfs_strbuf_adds(sb, ", ") : 0;

	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	/* It may have ended meanwhile. */
	if (!rc && tfs_read_path(path, &name))
		tfs_strbuf_reset(&name);
	if (!rc)
		rc = tfs_strbuf_addf(sb, "%s (%.*s)", pid, (int)strcspn(name.s, "\n"), name.s);
	tfs_strbuf_release(&name);
	return rc;
}

static int add_holders(const struct wanted *w, struct tfs_strbuf *sb)
{
	const struct dirent *entry;
	DIR *proc = opendir("/proc");
	size_t n = 0;
	int rc = 0;

	while (proc && !rc && (entry = readdir(proc))) {
		if (isdigit((unsigned char)entry->d_name[0]) && holds(w, entry->d_name) &&
		    n++ < MAX_NAMED)
			rc = add_holder(entry->d_name, sb);
	}
	if (!rc && n > MAX_NAMED)
		rc = tfs_strbuf_addf(sb, " and %zu more", n - MAX_NAMED);
	if (proc)
		closedir(proc);
	return rc;
}

int tfs_busy_holders(const struct tfs_root *root, const char *path, struct tfs_strbuf *sb)
{
	const size_t skip = strlen(INSTANCES);
	struct wanted w = { .dir = "" };
	struct stat st;

	/* /proc/sys */
	if (!root || path[0] == '/' || fstat(tfs_root_fd(root), &st))
		return 0;
	w.dev = st.st_dev;
	if (!strncmp(path, INSTANCES, skip))
		snprintf(w.dir, sizeof(w.dir), "/" INSTANCES "%.*s/",
			 (int)strcspn(path + skip, "/"), path + skip);
	return add_holders(&w, sb);
}

void tfs_busy_hint(const struct tfs_root *root, const char *path, const char *what,
		   struct tfs_err *err)
{
	struct tfs_strbuf who = TFS_STRBUF_INIT;

	if (tfs_busy_holders(root, path, &who) || !who.len)
		tfs_err_hint(err, "%s", what);
	else
		tfs_err_hint(err, "it is open in %s; %s", who.s, what);
	tfs_strbuf_release(&who);
}

int tfs_busy_rmdir(const struct tfs_root *root, const char *path, struct tfs_err *err)
{
	struct tfs_busy busy = { .left_ms = TFS_BUSY_WAIT_MS };
	struct tfs_strbuf who = TFS_STRBUF_INIT;
	int rc;

	do {
		rc = tfs_file_rmdir(root, path, err);
	} while (tfs_busy_again(&busy, rc));
	if (rc == -EBUSY && !tfs_busy_holders(root, path, &who) && who.len)
		tfs_err_hint(err, "a file of it is open in %s: end that and try again", who.s);
	if (!rc)
		tfs_err_clear(err);
	tfs_strbuf_release(&who);
	return rc;
}
