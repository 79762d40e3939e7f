/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/fd-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf-core.h"
#include "strace/fd-table.h"

#define MAX_WAITING 4096

/* A look at /proc that the trace has not got to. */
struct tfs_fd_waiting {
	int tid, tgid, fd;
	int cloexec;
	uint64_t begin, end;
	struct tfs_fd_name *name;
};

void tfs_fd_waiting_release(struct tfs_fd_table *t)
{
	for (size_t i = 0; i < t->n_waiting; i++)
		tfs_fd_name_put(&t->names, t->waiting[i].name);
	free(t->waiting);
}

/* The number of a socket whose protocol is known: "TCP:[?]" and "socket:[123]" are "TCP:[123]". */
static int join_socket(struct tfs_fd_table *t, const struct tfs_fd_task *task, int fd,
		       struct tfs_fd_name **name)
{
	const struct tfs_fd_name *old = tfs_fd_files_name(task->files, fd);
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	struct tfs_fd_name *joined = NULL;
	int rc;

	if (!old || old->form != TFS_FD_SOCKET || (*name)->form != TFS_FD_SOCKET)
		return 0;
	rc = tfs_strbuf_add(&text, old->text, strcspn(old->text, ":"));
	if (!rc)
		rc = tfs_strbuf_adds(&text, (*name)->text + strcspn((*name)->text, ":"));
	if (!rc)
		joined = tfs_fd_name_get(&t->names, text.s, text.len, TFS_FD_SOCKET);
	tfs_strbuf_release(&text);
	if (!joined)
		return -ENOMEM;
	tfs_fd_name_put(&t->names, *name);
	*name = joined;
	return 0;
}

static int adopt(struct tfs_fd_table *t, struct tfs_fd_waiting *w)
{
	const struct tfs_fd_span span = { w->begin, w->end };
	struct tfs_fd_name *name = w->name;
	struct tfs_fd_task *task;
	int rc = tfs_fd_task_get(t, w->tid, w->tgid, &task);

	w->name = NULL;
	if (rc || task->born >= w->begin)
		goto out;
	if (w->tgid == w->tid)
		task->tgid_known = true;
	if (w->fd == TFS_FD_CWD) {
		if (task->fs->changed < w->begin && !tfs_fd_fs_in_flight(t, task->fs, NULL)) {
			tfs_fd_fs_set(t, task->fs, name, task->fs->changed);
			name = NULL;
		}
		goto out;
	}
	if (!tfs_fd_files_was_stable(task->files, w->fd, &span) ||
	    tfs_fd_in_flight(t, task->files, w->fd, NULL))
		goto out;
	rc = join_socket(t, task, w->fd, &name);
	if (rc)
		goto out;
	rc = tfs_fd_files_learn(task->files, w->fd, name,
				w->cloexec < 0 ? TFS_FD_CLOEXEC_UNKNOWN :
				w->cloexec     ? TFS_FD_CLOEXEC :
						 TFS_FD_KEPT);
	name = NULL;
out:
	tfs_fd_name_put(&t->names, name);
	return rc;
}

int tfs_fd_advance(struct tfs_fd_table *t, uint64_t ts)
{
	size_t n = 0;
	int rc = 0;

	while (n < t->n_waiting && t->waiting[n].end <= ts) {
		int rc_one = adopt(t, &t->waiting[n++]);

		rc = rc ? rc : rc_one;
	}
	if (n) {
		t->n_waiting -= n;
		memmove(t->waiting, t->waiting + n, t->n_waiting * sizeof(*t->waiting));
	}
	return rc;
}

int tfs_fd_table_reach(struct tfs_fd_table *t, uint64_t ts)
{
	return tfs_fd_advance(t, ts);
}

int tfs_fd_table_saw(struct tfs_fd_table *t, const struct tfs_fd_seen *seen)
{
	struct tfs_fd_waiting *w;
	const char *text = seen->text;
	enum tfs_fd_form form = TFS_FD_RESOLVED;

	if (t->n_waiting >= MAX_WAITING)
		return 0;
	if (tfs_grow(&t->waiting, &t->alloc_waiting, t->n_waiting + 1))
		return -ENOMEM;
	w = &t->waiting[t->n_waiting];
	*w = (struct tfs_fd_waiting){
		.tid = seen->tid,
		.tgid = seen->tgid,
		.fd = seen->fd,
		.cloexec = seen->cloexec,
		.begin = seen->begin,
		.end = seen->end,
	};
	if (!strncmp(text, "socket:[", 8))
		form = TFS_FD_SOCKET;
	else if (text[0] != '/')
		form = TFS_FD_KIND;
	w->name = tfs_fd_name_get(&t->names, text, strlen(text), form);
	if (!w->name)
		return -ENOMEM;
	t->n_waiting++;
	return 0;
}
