/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/jit-map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/open-in.h"
#include "base/pid-ns.h"
#include "base/strbuf-core.h"
#include "base/time.h"

#define FILE_MAX ((long long)256 << 20)
#define NAME_MAX_BYTES 4096

static bool may_be_used(int fd, long uid, uint64_t since)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_nlink <= 1 &&
	       ((uint64_t)st.st_mtim.tv_sec + 1) * NS_PER_SEC >= since &&
	       (st.st_uid == 0 || (uid >= 0 && st.st_uid == (uid_t)uid));
}

int tfs_jit_map_open_at(const char *root, int nspid, long uid, uint64_t since)
{
	int base, dir, fd;
	char name[40];
	int rc = tfs_open_root(root, &base);

	if (rc)
		return rc;
	dir = tfs_open_dir_in(base, "tmp");
	tfs_close(&base);
	if (dir < 0)
		return dir;
	snprintf(name, sizeof(name), "perf-%d.map", nspid);
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	rc = fd < 0 ? -errno : fd;
	tfs_close(&dir);
	if (fd >= 0 && !may_be_used(fd, uid, since)) {
		tfs_close(&fd);
		return -EPERM;
	}
	return rc;
}

/* The last number of NSpid: that in the namespace it is in itself */
static int inner_pid(int pid)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	char path[40];
	int found = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (!tfs_read_path(path, &text))
		found = (int)tfs_pid_in_status(text.s, "\nNSpid:");
	tfs_strbuf_release(&text);
	return found > 0 ? found : pid;
}

int tfs_jit_map_open(int pid, long uid, uint64_t since)
{
	char root[40];

	snprintf(root, sizeof(root), "/proc/%d/root", pid);
	return tfs_jit_map_open_at(root, inner_pid(pid), uid, since);
}

/* "START SIZE NAME", hexadecimal; NULL: another line */
static const char *parse_line(char *line, uint64_t *start, uint64_t *end)
{
	char *rest;
	uint64_t size;

	line[strcspn(line, "\r\n")] = '\0';
	errno = 0;
	*start = strtoull(line, &rest, 16);
	if (rest == line || *rest != ' ')
		return NULL;
	line = rest + 1;
	size = strtoull(line, &rest, 16);
	if (rest == line || *rest != ' ' || errno || !size || *start + size < *start)
		return NULL;
	*end = *start + size;
	rest += strspn(rest, " ");
	return *rest && strlen(rest) < NAME_MAX_BYTES ? rest : NULL;
}

static int take_line(char *line, struct tfs_jit_hit *hits, size_t n, struct tfs_strbuf *names)
{
	uint64_t start, end;
	const char *name = parse_line(line, &start, &end);
	size_t at = names->len, i;
	bool kept = false;

	if (!name)
		return 0;
	for (i = tfs_bisect(k, n, hits[k].addr < start); i < n && hits[i].addr < end; i++) {
		if (!kept && tfs_strbuf_add(names, name, strlen(name) + 1))
			return -ENOMEM;
		kept = true;
		hits[i].start = start;
		hits[i].end = end;
		hits[i].name = at;
	}
	return 0;
}

int tfs_jit_map_find(int fd, struct tfs_jit_hit *hits, size_t n, struct tfs_strbuf *names)
{
	int copy = dup(fd), rc = 0;
	long long left = FILE_MAX;
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;
	FILE *file;

	file = copy < 0 ? NULL : fdopen(copy, "r");
	if (!file) {
		rc = -errno;
		tfs_close(&copy);
		return rc;
	}
	rewind(file);
	while (!rc && left > 0 && (len = getline(&line, &cap, file)) > 0) {
		left -= len;
		rc = take_line(line, hits, n, names);
	}
	free(line);
	fclose(file);
	return rc;
}
