/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/fd-table.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "strace/call.h"
#include "strace/fd-internal.h"
#include "strace/fd-rules.h"
#include "syscalls/tables.h"

/* clone(2) */
#define CLONE_FS 0x200
#define CLONE_FILES 0x400
#define CLONE_THREAD 0x10000
#define CLONE_NEWNS 0x20000

int tfs_fd_table_new(struct tfs_fd_table **out)
{
	*out = calloc(1, sizeof(**out));
	return *out ? 0 : -ENOMEM;
}

static void put_fs(struct tfs_fd_table *t, struct tfs_fd_fs *fs)
{
	if (!fs || --fs->sharers)
		return;
	tfs_fd_name_put(&t->names, fs->cwd);
	free(fs);
}

static void free_task(struct tfs_fd_table *t, struct tfs_fd_task *task)
{
	tfs_fd_files_put(task->files);
	put_fs(t, task->fs);
	free(task);
}

void tfs_fd_table_free(struct tfs_fd_table *t)
{
	struct tfs_fd_task *task;
	size_t i;

	if (!t)
		return;
	tfs_hashmap_for_each(&t->tasks, i, task) free_task(t, task);
	tfs_hashmap_release(&t->tasks);
	tfs_fd_waiting_release(t);
	tfs_fd_names_release(&t->names);
	free(t);
}

struct tfs_fd_task *tfs_fd_task_find(const struct tfs_fd_table *t, int tid)
{
	return tfs_hashmap_int(&t->tasks, (uint64_t)(int64_t)tid);
}

static struct tfs_fd_fs *new_fs(void)
{
	struct tfs_fd_fs *fs = calloc(1, sizeof(*fs));

	if (fs)
		fs->sharers = 1;
	return fs;
}

/* Add a task whose @files and @fs are set, and owned by it. It is freed if there is no memory. */
static int add_task(struct tfs_fd_table *t, struct tfs_fd_task *task)
{
	int rc = task->files && task->fs ? 0 : -ENOMEM;

	if (!rc)
		rc = tfs_hashmap_add(&t->tasks, tfs_hash_int((uint64_t)(int64_t)task->tid), task);
	if (rc)
		free_task(t, task);
	return rc;
}

static void leave_call(struct tfs_fd_table *t, struct tfs_fd_task *task)
{
	if (task->rule)
		t->busy--;
	task->rule = NULL;
}

static void remove_task(struct tfs_fd_table *t, struct tfs_fd_task *task)
{
	leave_call(t, task);
	tfs_hashmap_remove(&t->tasks, tfs_hash_int((uint64_t)(int64_t)task->tid), task);
	free_task(t, task);
}

/* It is known now which process a task belongs to: threads of one process share descriptors. */
static void join(struct tfs_fd_table *t, struct tfs_fd_task *task, int tgid)
{
	struct tfs_fd_task *leader;

	task->tgid = tgid;
	task->tgid_known = true;
	leader = tfs_fd_task_find(t, tgid);
	if (!leader || leader == task || leader->files == task->files || task->files->certain)
		return;
	leader->tgid_known = true;
	tfs_fd_files_put(task->files);
	task->files = leader->files;
	task->files->sharers++;
	put_fs(t, task->fs);
	task->fs = leader->fs;
	task->fs->sharers++;
}

int tfs_fd_task_get(struct tfs_fd_table *t, int tid, int tgid, struct tfs_fd_task **out)
{
	struct tfs_fd_task *task = tfs_fd_task_find(t, tid);
	int rc = 0;

	*out = NULL;
	if (!task) {
		task = calloc(1, sizeof(*task));
		if (!task)
			return -ENOMEM;
		task->tid = task->tgid = tid;
		task->files = tfs_fd_files_new(&t->names);
		task->fs = new_fs();
		rc = add_task(t, task);
		if (rc)
			return rc;
	}
	if (tgid > 0 && tgid != tid && !task->tgid_known) {
		/* the process is added first, so that all its threads find it */
		if (!tfs_fd_task_find(t, tgid))
			rc = tfs_fd_task_get(t, tgid, tgid, out);
		if (!rc)
			join(t, task, tgid);
	}
	*out = task;
	return rc;
}

static bool may_change(const struct tfs_fd_task *task, int fd)
{
	return fd >= 0 && task->first <= (unsigned int)fd && (unsigned int)fd <= task->last;
}

bool tfs_fd_in_flight(const struct tfs_fd_table *t, const struct tfs_fd_files *files, int fd,
		      const struct tfs_fd_task *except)
{
	const struct tfs_fd_task *task;
	size_t i, alone = except && except->rule ? 1 : 0;

	if (t->busy <= alone || (except && files->sharers == 1))
		return false;
	tfs_hashmap_for_each(&t->tasks, i, task)
	{
		if (task != except && task->rule && task->files == files && may_change(task, fd))
			return true;
	}
	return false;
}

static bool changes_directory(const struct tfs_fd_rule *rule)
{
	return rule->change == TFS_FD_CHDIR || rule->change == TFS_FD_FCHDIR ||
	       rule->change == TFS_FD_NEW_ROOT;
}

bool tfs_fd_fs_in_flight(const struct tfs_fd_table *t, const struct tfs_fd_fs *fs,
			 const struct tfs_fd_task *except)
{
	const struct tfs_fd_task *task;
	size_t i, alone = except && except->rule ? 1 : 0;

	if (t->busy <= alone || (except && fs->sharers == 1))
		return false;
	tfs_hashmap_for_each(&t->tasks, i, task)
	{
		if (task != except && task->rule && task->fs == fs && changes_directory(task->rule))
			return true;
	}
	return false;
}

/* Copy the descriptors of @from as they may be for a task that got them after @begin. */
static struct tfs_fd_files *copy_files(struct tfs_fd_table *t, const struct tfs_fd_task *from,
				       uint64_t begin, uint64_t end)
{
	struct tfs_fd_files *files = tfs_fd_files_copy(from->files, begin);
	const struct tfs_fd_task *task;
	size_t i;

	if (!files)
		return NULL;
	files->certain = true;
	if (from->files->sharers > 1 && t->busy) {
		tfs_hashmap_for_each(&t->tasks, i, task)
		{
			if (task != from && task->rule && task->files == from->files &&
			    task->first <= task->last &&
			    tfs_fd_files_doubt(files, task->first, task->last, end))
				break;
		}
	}
	return files;
}

int tfs_fd_own_files(struct tfs_fd_table *t, struct tfs_fd_task *task)
{
	struct tfs_fd_files *files;

	if (task->files->sharers == 1) {
		task->files->certain = true;
		return 0;
	}
	files = copy_files(t, task, task->begin, task->begin);
	if (!files)
		return -ENOMEM;
	tfs_fd_files_put(task->files);
	task->files = files;
	return 0;
}

static struct tfs_fd_fs *copy_fs(struct tfs_fd_table *t, const struct tfs_fd_task *from,
				 uint64_t begin)
{
	struct tfs_fd_fs *fs = new_fs();

	if (!fs)
		return NULL;
	fs->moved = from->fs->moved;
	fs->changed = from->fs->changed;
	if (fs->changed <= begin && !tfs_fd_fs_in_flight(t, from->fs, from))
		fs->cwd = tfs_fd_name_ref(from->fs->cwd);
	return fs;
}

int tfs_fd_own_fs(struct tfs_fd_table *t, struct tfs_fd_task *task)
{
	struct tfs_fd_fs *fs;

	if (task->fs->sharers == 1)
		return 0;
	fs = copy_fs(t, task, task->begin);
	if (!fs)
		return -ENOMEM;
	put_fs(t, task->fs);
	task->fs = fs;
	return 0;
}

void tfs_fd_fs_set(struct tfs_fd_table *t, struct tfs_fd_fs *fs, struct tfs_fd_name *cwd,
		   uint64_t end)
{
	tfs_fd_name_put(&t->names, fs->cwd);
	fs->cwd = cwd;
	if (fs->changed < end)
		fs->changed = end;
}

/* May two tasks have the same descriptors, although they are kept apart here? */
static bool may_share(const struct tfs_fd_task *a, const struct tfs_fd_task *b)
{
	return a->files != b->files && !b->files->certain &&
	       (!a->tgid_known || !b->tgid_known || a->tgid == b->tgid);
}

int tfs_fd_doubt_others(struct tfs_fd_table *t, const struct tfs_fd_task *task, unsigned int first,
			unsigned int last, uint64_t end)
{
	struct tfs_fd_task *other;
	int rc = 0;
	size_t i;

	if (task->files->certain)
		return 0;
	tfs_hashmap_for_each(&t->tasks, i, other)
	{
		if (other == task || !may_share(task, other))
			continue;
		if (tfs_fd_files_doubt(other->files, first, last, end))
			rc = -ENOMEM;
	}
	return rc;
}

static const struct tfs_fd_rule *rule_of(struct tfs_fd_table *t, const struct tfs_call *call)
{
	struct tfs_fd_rule_of *known;

	if (!call->entry)
		return NULL;
	known = &t->rule[call->entry->nr % TFS_FD_RULES];
	if (known->entry != call->entry) {
		known->entry = call->entry;
		known->rule = tfs_fd_rule_find(call->entry->name);
	}
	return known->rule;
}

/* Which descriptors may a call change that has begun? Nobody has those yet that it will open. */
static void set_range(struct tfs_fd_task *task, const struct tfs_call *call)
{
	task->first = 1;
	task->last = 0;
	switch (task->rule->change) {
	case TFS_FD_CLOSE:
	case TFS_FD_FCNTL:
	case TFS_FD_IOCTL:
		task->first = task->last = (unsigned int)call->args[0];
		break;
	case TFS_FD_DUP_TO:
		task->first = task->last = (unsigned int)call->args[1];
		break;
	case TFS_FD_CLOSE_RANGE:
		task->first = (unsigned int)call->args[0];
		task->last = (unsigned int)call->args[1];
		break;
	default:
		break;
	}
}

/* fcntl and ioctl change descriptors with few of their commands. */
static bool changes_nothing(const struct tfs_fd_rule *rule, const struct tfs_call *call)
{
	const unsigned int cmd = (unsigned int)call->args[1];

	if (rule->change == TFS_FD_FCNTL)
		return cmd != 0 && cmd != 2 && cmd != 1030; /* F_DUPFD, F_SETFD, F_DUPFD_CLOEXEC */
	if (rule->change == TFS_FD_IOCTL)
		return cmd != 0x5450 && cmd != 0x5451; /* FIONCLEX, FIOCLEX */
	return false;
}

int tfs_fd_table_enter(struct tfs_fd_table *t, const struct tfs_call *call)
{
	struct tfs_fd_task *task;
	int rc = tfs_fd_advance(t, call->begin), rc_task;

	rc_task = tfs_fd_task_get(t, call->tid, call->tgid, &task);
	if (!task)
		return rc_task;
	leave_call(t, task);
	task->begin = call->begin;
	task->rule = rule_of(t, call);
	if (task->rule && changes_nothing(task->rule, call))
		task->rule = NULL;
	if (task->rule) {
		t->busy++;
		set_range(task, call);
	}
	return rc ? rc : rc_task;
}

/* A call that may have been made, or not, or with other arguments. */
static int doubt_call(struct tfs_fd_table *t, struct tfs_fd_task *task,
		      const struct tfs_fd_rule *rule, const struct tfs_call *call)
{
	bool whole = call->flags & (TFS_CALL_NO_ENTRY | TFS_CALL_CUT);
	int rc = 0;

	if (changes_directory(rule)) {
		tfs_fd_fs_set(t, task->fs, NULL, call->end);
		task->fs->moved |= rule->change == TFS_FD_NEW_ROOT;
	} else if (whole || rule->change == TFS_FD_UNSHARE || rule->change == TFS_FD_RING) {
		tfs_fd_files_forget(task->files, call->end);
		task->files->certain = false;
		rc = tfs_fd_doubt_others(t, task, 0, UINT_MAX, call->end);
	} else if (task->first <= task->last) {
		rc = tfs_fd_files_doubt(task->files, task->first, task->last, call->end);
		if (!rc)
			rc = tfs_fd_doubt_others(t, task, task->first, task->last, call->end);
	}
	return rc;
}

int tfs_fd_table_returned(struct tfs_fd_table *t, const struct tfs_call *call)
{
	const struct tfs_fd_rule *rule;
	struct tfs_fd_task *task;
	int rc = tfs_fd_advance(t, call->end), rc_call;

	rc_call = tfs_fd_task_get(t, call->tid, call->tgid, &task);
	if (!task)
		return rc_call;
	rule = call->flags & (TFS_CALL_NO_ENTRY | TFS_CALL_CUT) ? rule_of(t, call) : task->rule;
	leave_call(t, task);
	if (!rule)
		return rc ? rc : rc_call;
	if (call->flags & (TFS_CALL_NO_ENTRY | TFS_CALL_CUT | TFS_CALL_NO_EXIT))
		rc_call = doubt_call(t, task, rule, call);
	else
		rc_call = tfs_fd_apply(t, task, rule, call);
	return rc ? rc : rc_call;
}

int tfs_fd_table_fork(struct tfs_fd_table *t, int tid, int child, uint64_t flags, bool known,
		      uint64_t ts)
{
	struct tfs_fd_task *parent, *task = tfs_fd_task_find(t, child);
	int rc = tfs_fd_advance(t, ts), rc_fork;

	/* a number that is used again: its end was not seen */
	if (task)
		remove_task(t, task);
	tfs_fd_task_get(t, tid, 0, &parent);
	task = parent ? calloc(1, sizeof(*task)) : NULL;
	if (!task)
		return -ENOMEM;
	task->tid = task->tgid = child;
	task->born = ts;
	if (!known) {
		task->files = tfs_fd_files_new(&t->names);
		task->fs = new_fs();
		parent->files->certain = false;
		if (task->files)
			task->files->forgotten = ts;
		if (task->fs)
			task->fs->changed = ts;
		tfs_fd_fs_set(t, parent->fs, NULL, ts);
	} else {
		if (flags & CLONE_THREAD)
			task->tgid = parent->tgid;
		task->tgid_known = !(flags & CLONE_THREAD) || parent->tgid_known;
		if (flags & CLONE_FILES) {
			task->files = parent->files;
			task->files->sharers++;
		} else {
			task->files = copy_files(t, parent, parent->begin, ts);
		}
		if (flags & CLONE_FS) {
			task->fs = parent->fs;
			task->fs->sharers++;
		} else {
			task->fs = copy_fs(t, parent, parent->begin);
		}
		if (task->fs && flags & CLONE_NEWNS)
			task->fs->moved = true;
	}
	rc_fork = add_task(t, task);
	return rc ? rc : rc_fork;
}

/* Remove the other threads of a process. Return: had all of them the same descriptors? */
static bool remove_others(struct tfs_fd_table *t, const struct tfs_fd_task *task)
{
	struct tfs_fd_task *other, *dead;
	bool same = true;
	size_t i;

	do {
		dead = NULL;
		tfs_hashmap_for_each(&t->tasks, i, other)
		{
			if (other != task && other->tgid_known && other->tgid == task->tgid) {
				dead = other;
				break;
			}
		}
		if (dead) {
			same &= dead->files == task->files;
			remove_task(t, dead);
		}
	} while (dead);
	return same;
}

int tfs_fd_table_exec(struct tfs_fd_table *t, int tid, int tgid, uint64_t ts)
{
	struct tfs_fd_task *task;
	int rc = tfs_fd_advance(t, ts), rc_exec;
	bool same;

	rc_exec = tfs_fd_task_get(t, tid, tgid, &task);
	if (!task)
		return rc_exec;
	leave_call(t, task);
	task->tgid = tid;
	task->tgid_known = true;
	same = remove_others(t, task);
	rc_exec = tfs_fd_own_files(t, task);
	if (rc_exec)
		return rc_exec;
	if (!same || task->files->unsure)
		tfs_fd_files_forget(task->files, ts);
	task->files->unsure = false;
	rc_exec = tfs_fd_files_exec(task->files, ts);
	return rc ? rc : rc_exec;
}

void tfs_fd_table_end(struct tfs_fd_table *t, int tid)
{
	struct tfs_fd_task *task = tfs_fd_task_find(t, tid);

	if (task)
		remove_task(t, task);
}

void tfs_fd_table_lost(struct tfs_fd_table *t, uint64_t ts)
{
	struct tfs_fd_task *task;
	size_t i;

	tfs_hashmap_for_each(&t->tasks, i, task)
	{
		tfs_fd_files_forget(task->files, ts);
		task->files->certain = false;
		task->tgid_known = false;
		tfs_fd_fs_set(t, task->fs, NULL, ts);
		task->fs->moved = true;
	}
}
