/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-trace-fds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "base/strbuf-core.h"
#include "strace/args.h"
#include "strace/call.h"
#include "strace/expr.h"
#include "strace/fd-table.h"
#include "syscalls/tables.h"
#include "tc-trace-proc.h"

/*
 * @made: the call of this event that returned a descriptor; NULL: none, or its file is known
 * @wait: for the file of @made: until is 0 if there was no answer
 * @marks, @marked: see strace_fds_mark(), strace_fds_marked()
 */
struct strace_fds {
	struct tfs_fd_table *table;
	enum tfs_fd_style style;
	struct strace_proc *proc;
	uint64_t at;
	const struct tfs_call *made;
	struct strace_fds_wait wait;
	bool marks, marked;
};

int strace_fds_new(const struct tfs_expr *expr, struct strace_proc *proc, struct strace_fds **out)
{
	struct strace_fds *fds = calloc(1, sizeof(*fds));

	if (!fds || tfs_fd_table_new(&fds->table)) {
		free(fds);
		return -ENOMEM;
	}
	fds->style = expr->decode & TFS_EXPR_FD_SOCKET ? TFS_FD_PROTOCOLS : TFS_FD_FILES;
	fds->proc = proc;
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

void strace_fds_at(struct strace_fds *fds, uint64_t ts)
{
	fds->at = ts;
	fds->made = NULL;
	fds->marked = false;
}

void strace_fds_mark(struct strace_fds *fds)
{
	fds->marks = true;
}

bool strace_fds_marked(const struct strace_fds *fds, struct strace_fds_wait *wait)
{
	*wait = fds->wait;
	return fds->marked;
}

int strace_fds_reach(struct strace_fds *fds, uint64_t ts)
{
	return tfs_fd_table_reach(fds->table, ts);
}

int strace_fds_answer(struct strace_fds *fds, const struct strace_fds_wait *wait,
		      struct tfs_strbuf *out)
{
	int rc;

	if (!tfs_fd_table_is_since(fds->table, wait->tid, wait->fd, wait->since))
		return 0;
	rc = tfs_fd_table_print(fds->table, wait->tid, wait->fd, fds->style, out);
	return rc ? rc : 1;
}

/* @until: when the answer counts, 0: there is none; may be NULL */
static int look_until(struct strace_fds *fds, int tid, int tgid, int fd, uint64_t *until)
{
	struct tfs_fd_seen seen = { .tid = tid, .tgid = tgid, .fd = fd };
	const bool sockets = fds->style == TFS_FD_PROTOCOLS;
	const bool found = strace_proc_look(fds->proc, fds->at, sockets, &seen);

	if (until)
		*until = found ? seen.end : 0;
	return found ? tfs_fd_table_saw(fds->table, &seen) : 0;
}

static int look(struct strace_fds *fds, int tid, int tgid, int fd)
{
	return look_until(fds, tid, tgid, fd, NULL);
}

static int look_if_unknown(struct strace_fds *fds, int tid, int tgid, int fd)
{
	return tfs_fd_table_is_known(fds->table, tid, fd) ? 0 : look(fds, tid, tgid, fd);
}

/* Whose descriptors are looked at */
struct owner {
	struct strace_fds *fds;
	int tid, tgid;
};

static int look_at(void *ctx, int fd)
{
	const struct owner *o = ctx;

	return look_if_unknown(o->fds, o->tid, o->tgid, fd);
}

static int look_at_all(struct strace_fds *fds, int tid, int tgid)
{
	struct owner owner = { fds, tid, tgid };

	return strace_proc_each_fd(fds->proc, fds->at, tid, look_at, &owner);
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

/* A look at the descriptor that a call made, if its file is not known by the call alone */
static int look_at_result(struct strace_fds *fds, const struct tfs_call *call)
{
	const int fd = (int)call->ret;

	if (tfs_fd_table_is_known(fds->table, call->tid, fd))
		return 0;
	fds->made = call;
	fds->wait = (struct strace_fds_wait){ .tid = call->tid, .fd = fd, .since = call->end };
	return look_until(fds, call->tid, call->tgid, fd, &fds->wait.until);
}

int strace_fds_returned(struct strace_fds *fds, const struct tfs_call *call)
{
	/* The numbers that these give are in memory. */
	static const char *const pairs[] = { "pipe", "pipe2", "socketpair" };
	static const char *const moves[] = { "chdir", "fchdir" };
	int rc = tfs_fd_table_returned(fds->table, call);

	if (rc || !call->entry || call->ret < 0 ||
	    call->flags & (TFS_CALL_NO_ENTRY | TFS_CALL_NO_EXIT))
		return rc;
	if (is_one_of(call->entry->name, pairs, ARRAY_SIZE(pairs)))
		return look_at_all(fds, call->tid, call->tgid);
	if (is_one_of(call->entry->name, moves, ARRAY_SIZE(moves)))
		return look(fds, call->tid, call->tgid, TFS_FD_CWD);
	if (tfs_args_result_is_fd(call))
		return look_at_result(fds, call);
	return 0;
}

/* Without memory for a look it is not known. */
const char *strace_fds_path(void *ctx, const struct tfs_call *call, int fd)
{
	struct strace_fds *fds = ctx;

	look_if_unknown(fds, call->tid, call->tgid, fd);
	return tfs_fd_table_path(fds->table, call->tid, fd);
}

int strace_fds_print(void *ctx, const struct tfs_call *call, int fd, struct tfs_strbuf *out)
{
	struct strace_fds *fds = ctx;
	const bool made = call == fds->made && fd == fds->wait.fd;
	const bool marks = made && fds->marks && fds->wait.until;
	int rc = made ? 0 : look_if_unknown(fds, call->tid, call->tgid, fd);

	if (!rc && marks)
		rc = tfs_strbuf_adds(out, STRACE_FDS_MARK);
	if (!rc)
		rc = tfs_fd_table_print(fds->table, call->tid, fd, fds->style, out);
	if (!rc && marks)
		rc = tfs_strbuf_adds(out, STRACE_FDS_MARK);
	fds->marked |= marks;
	return rc;
}
