/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-trace-fds.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "base/macros.h"
#include "base/num.h"
#include "strace/call.h"
#include "strace/expr.h"
#include "strace/fd-table.h"
#include "syscalls/tables.h"

#define NS_PER_SEC UINT64_C(1000000000)

struct strace_fds {
	struct tfs_fd_table *table;
	enum tfs_fd_style style;
	bool live;
};

int strace_fds_new(const struct tfs_expr *expr, bool live, struct strace_fds **out)
{
	struct strace_fds *fds = calloc(1, sizeof(*fds));

	if (!fds || tfs_fd_table_new(&fds->table)) {
		free(fds);
		return -ENOMEM;
	}
	fds->style = expr->decode & TFS_EXPR_FD_SOCKET ? TFS_FD_PROTOCOLS : TFS_FD_FILES;
	fds->live = live;
	*out = fds;
	return 0;
}

void strace_fds_free(struct strace_fds *fds)
{
	if (!fds)
		return;
	tfs_fd_table_free(fds->table);
	free(fds);
}

struct tfs_fd_table *strace_fds_table(struct strace_fds *fds)
{
	return fds->table;
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
static int look(struct strace_fds *fds, int tid, int tgid, int fd)
{
	struct tfs_fd_seen seen = { .tid = tid, .tgid = tgid, .fd = fd, .begin = now() };
	char path[64], text[PATH_MAX];
	ssize_t n;

	if (fd == TFS_FD_CWD)
		snprintf(path, sizeof(path), "/proc/%d/cwd", tid);
	else
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", tid, fd);
	seen.cloexec = fd == TFS_FD_CWD ? -1 : read_cloexec(tid, fd);
	n = readlink(path, text, sizeof(text));
	if (n <= 0 || (size_t)n >= sizeof(text))
		return 0;
	text[n] = '\0';
	if (fds->style == TFS_FD_PROTOCOLS && !strncmp(text, "socket:", 7))
		name_protocol(path, text, sizeof(text));
	seen.text = text;
	seen.end = now();
	return tfs_fd_table_saw(fds->table, &seen);
}

static int look_if_unknown(struct strace_fds *fds, int tid, int tgid, int fd)
{
	return tfs_fd_table_is_known(fds->table, tid, fd) ? 0 : look(fds, tid, tgid, fd);
}

static int look_at_all(struct strace_fds *fds, int tid, int tgid)
{
	const struct dirent *entry;
	char path[64];
	uint64_t fd;
	int rc = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", tid);
	dir = opendir(path);
	while (!rc && dir && (entry = readdir(dir)))
		if (!tfs_parse_u64(entry->d_name, 0, INT_MAX, &fd, NULL))
			rc = look_if_unknown(fds, tid, tgid, (int)fd);
	if (dir)
		closedir(dir);
	return rc;
}

int strace_fds_read(struct strace_fds *fds, pid_t pid)
{
	int rc = look(fds, pid, pid, TFS_FD_CWD);

	return rc ? rc : look_at_all(fds, pid, pid);
}

static bool is_one_of(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

int strace_fds_returned(struct strace_fds *fds, const struct tfs_call *call)
{
	/* The numbers that these give are in memory. */
	static const char *const pairs[] = { "pipe", "pipe2", "socketpair" };
	static const char *const moves[] = { "chdir", "fchdir" };
	int rc = tfs_fd_table_returned(fds->table, call);

	if (rc || !fds->live || !call->entry || call->ret < 0 ||
	    call->flags & (TFS_CALL_NO_ENTRY | TFS_CALL_NO_EXIT))
		return rc;
	if (is_one_of(call->entry->name, pairs, ARRAY_SIZE(pairs)))
		return look_at_all(fds, call->tid, call->tgid);
	if (is_one_of(call->entry->name, moves, ARRAY_SIZE(moves)))
		return look(fds, call->tid, call->tgid, TFS_FD_CWD);
	if (call->entry->proto && call->entry->proto->ret == SYS_FD)
		return look_if_unknown(fds, call->tid, call->tgid, (int)call->ret);
	return 0;
}

/* Without memory for a look it is not known. */
const char *strace_fds_path(void *ctx, const struct tfs_call *call, int fd)
{
	struct strace_fds *fds = ctx;

	if (fds->live)
		look_if_unknown(fds, call->tid, call->tgid, fd);
	return tfs_fd_table_path(fds->table, call->tid, fd);
}

int strace_fds_print(void *ctx, const struct tfs_call *call, int fd, struct tfs_strbuf *out)
{
	struct strace_fds *fds = ctx;
	int rc = fds->live ? look_if_unknown(fds, call->tid, call->tgid, fd) : 0;

	return rc ? rc : tfs_fd_table_print(fds->table, call->tid, fd, fds->style, out);
}
