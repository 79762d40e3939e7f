/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/calls.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hashmap.h"
#include "base/macros.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/task.h"
#include "decode/trace.h"
#include "decode/value.h"
#include "strace/call-type.h"
#include "syscalls/abi.h"
#include "syscalls/tables.h"

/* clone(2) */
#define CLONE_VM 0x100
#define CLONE_VFORK 0x4000
#define CLONE_THREAD 0x10000
/* wait(2): the signal in the status of a killed process */
#define SIGNALS 64
/* The number that a return from a signal handler has: the call restores all registers */
#define NO_NUMBER (-1)

/*
 * A process that has several threads, or whose end has begun: all of its threads end the same way
 * @threads: those besides the first that were created while recording and have not ended
 * @leaderless: the first has ended
 */
struct group {
	int tgid;
	struct tfs_task_end end;
	unsigned int threads;
	bool leaderless;
};

struct tfs_calls {
	struct tfs_calls_opts opts;
	struct tfs_hashmap tasks;  /* struct tfs_call_task, by tid */
	struct tfs_hashmap groups; /* struct group, by tgid */
	struct tfs_call_type *types;
	struct tfs_call_texts texts;
	struct tfs_call_task *last; /* the thread of the event before */
	int cloner;                 /* the thread of 32 bits that last created another, or 0 */
	int64_t sigreturn;          /* number of rt_sigreturn, NO_NUMBER: not known */
	uint64_t losses;
	bool missing; /* the rest of a CPU's events is */
};

size_t tfs_calls_tasks(const struct tfs_calls *calls)
{
	return calls->tasks.n;
}

struct tfs_call_task *tfs_calls_task(const struct tfs_calls *calls, int tid)
{
	return tfs_hashmap_int(&calls->tasks, (uint32_t)tid);
}

static struct tfs_call_task *get_task(struct tfs_calls *calls, int tid)
{
	struct tfs_call_task *task = calls->last;

	if (task && task->tid == tid)
		return task;
	task = tfs_calls_task(calls, tid);
	if (!task) {
		task = calloc(1, sizeof(*task));
		if (!task)
			return NULL;
		tfs_call_kept_init(&task->kept);
		tfs_strbuf_init(&task->early.bytes);
		task->tid = task->tgid = tid;
		task->waits_for_exec = tid == calls->opts.command;
		if (calls->opts.find) {
			int tgid = calls->opts.find(calls->opts.ctx, tid, task->comm);

			task->tgid = tgid ? tgid : tid;
		}
		if (tfs_hashmap_add(&calls->tasks, tfs_hash_int((uint32_t)tid), task)) {
			free(task);
			return NULL;
		}
	}
	return calls->last = task;
}

static void free_task(struct tfs_call_task *task)
{
	tfs_call_kept_release(&task->kept);
	tfs_strbuf_release(&task->early.bytes);
	free(task);
}

static void drop_task(struct tfs_calls *calls, struct tfs_call_task *task)
{
	if (calls->last == task)
		calls->last = NULL;
	tfs_hashmap_remove(&calls->tasks, tfs_hash_int((uint32_t)task->tid), task);
	free_task(task);
}

static void drop_group(struct tfs_calls *calls, int tgid)
{
	struct group *g = tfs_hashmap_int(&calls->groups, (uint32_t)tgid);

	if (!g)
		return;
	tfs_hashmap_remove(&calls->groups, tfs_hash_int((uint32_t)tgid), g);
	free(g);
}

/* NULL: no memory */
static struct group *get_group(struct tfs_calls *calls, int tgid)
{
	struct group *g = tfs_hashmap_int(&calls->groups, (uint32_t)tgid);

	if (g)
		return g;
	g = calloc(1, sizeof(*g));
	if (!g)
		return NULL;
	g->tgid = tgid;
	if (!tfs_hashmap_add(&calls->groups, tfs_hash_int((uint32_t)tgid), g))
		return g;
	free(g);
	return NULL;
}

/* The first reason counts. */
static int set_group_end(struct tfs_calls *calls, int tgid, enum tfs_task_fate fate, int value)
{
	struct group *g = get_group(calls, tgid);

	if (!g)
		return -ENOMEM;
	if (g->end.fate == TFS_TASK_FATE_UNKNOWN)
		g->end = (struct tfs_task_end){ .fate = fate, .value = value };
	return 0;
}

/* How its process ends is kept until the last thread has ended. */
static void leave_group(struct tfs_calls *calls, const struct tfs_call_task *task)
{
	struct group *g = tfs_hashmap_int(&calls->groups, (uint32_t)task->tgid);

	if (!g)
		return;
	if (task->tid == task->tgid)
		g->leaderless = true;
	else if (task->is_counted && g->threads)
		g->threads--;
	if (g->leaderless && !g->threads)
		drop_group(calls, task->tgid);
}

static bool is_one_of(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; name && i < n; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static bool makes_task(const struct sys_entry *entry)
{
	static const char *const names[] = { "clone", "clone3", "fork", "vfork" };

	return entry && is_one_of(entry->name, names, ARRAY_SIZE(names));
}

static bool executes(const struct sys_entry *entry)
{
	static const char *const names[] = { "execve", "execveat" };

	return entry && is_one_of(entry->name, names, ARRAY_SIZE(names));
}

/* The ABI that a number has in a thread; the number without marks is stored back */
static enum sys_abi abi_of(const struct tfs_calls *calls, bool compat, int64_t *nr)
{
	const enum sys_abi abi = calls->opts.abi == TFS_CALLS_ABI_NONE ?
					 SYS_ABI_NONE :
					 (enum sys_abi)calls->opts.abi;
	const enum sys_abi marked = abi == SYS_ABI_NONE ? abi : sys_abi_of_id(abi, nr);

	return compat && marked == abi ? sys_abi_compat(abi) : marked;
}

/* NULL: the number has no name */
static const struct sys_entry *entry_of(const struct tfs_calls *calls, bool compat, int64_t nr)
{
	const enum sys_abi abi = abi_of(calls, compat, &nr);

	return abi == SYS_ABI_NONE ? NULL : sys_abi_lookup(abi, nr);
}

static bool is_call(const struct tfs_call *call, const char *name)
{
	return call->entry && !strcmp(call->entry->name, name);
}

/* Report a call that was held back for its texts. */
static int begin_held(struct tfs_calls *calls, struct tfs_call_task *task,
		      const struct tfs_event *event)
{
	if (!task->held)
		return 0;
	task->held = false;
	return calls->opts.ops->enter(calls->opts.ctx, task, event);
}

static int end_call(struct tfs_calls *calls, struct tfs_call_task *task, unsigned int flags,
		    const struct tfs_event *event)
{
	struct tfs_call *call = &task->call;
	int rc;

	call->flags |= flags;
	rc = tfs_call_kept_return(&task->kept, call);
	if (!rc)
		rc = begin_held(calls, task, event);
	if (rc)
		return rc;
	/* Clocks of two CPUs may differ by more than a short call takes. */
	call->end = event && event->rec.ts > call->begin ? event->rec.ts : call->begin;
	if (call->losses != calls->losses || calls->missing)
		call->flags |= TFS_CALL_CUT;
	task->in_call = false;
	return task->waits_for_exec ? 0 : calls->opts.ops->exit(calls->opts.ctx, task, event);
}

static void init_call(struct tfs_calls *calls, struct tfs_call_task *task, int64_t nr,
		      const struct tfs_event *event)
{
	struct tfs_call *call = &task->call;
	enum sys_abi abi;

	task->id = nr;
	abi = abi_of(calls, task->compat, &nr);
	*call = (struct tfs_call){
		.tid = task->tid,
		.tgid = task->tgid,
		.abi = (int)abi,
		.nr = nr,
		.entry = abi == SYS_ABI_NONE ? NULL : sys_abi_lookup(abi, nr),
		.before = call->entry,
		.begin = event->rec.ts,
		.losses = calls->losses,
	};
}

/* Note its meaning for threads and processes, whether it is shown or not */
static int note_call(struct tfs_calls *calls, const struct tfs_call_task *task)
{
	const struct tfs_call *call = &task->call;

	if (is_call(call, "exit_group"))
		return set_group_end(calls, task->tgid, TFS_TASK_EXITED, call->args[0] & 0xff);
	return 0;
}

/* Texts of the call that the thread is in */
static int keep_text(struct tfs_calls *calls, struct tfs_call_task *task,
		     const struct tfs_call_type *type, const struct tfs_event *event)
{
	int rc = type->role == TFS_CALL_TYPE_GETNAME ?
			 tfs_call_keep_name(&task->kept, &task->call, type, event) :
			 tfs_call_keep_named(&task->kept, &task->call, type, event);

	return rc || tfs_call_kept_waits(&task->kept) ? rc : begin_held(calls, task, event);
}

/* An event that has nothing but texts */
static int take_text(struct tfs_calls *calls, const struct tfs_call_type *type,
		     const struct tfs_event *event)
{
	struct tfs_call_task *task = tfs_calls_task(calls, event->pid);
	int64_t nr;
	int rc = 0;

	if (type->role == TFS_CALL_TYPE_BEFORE) {
		task = get_task(calls, event->pid);
		rc = task ? tfs_call_take_early(&task->early, type, event) : -ENOMEM;
		return rc ? rc : 1;
	}
	if (!task || !task->in_call)
		return 1;
	if (type->role == TFS_CALL_TYPE_GETNAME ||
	    (tfs_call_type_nr(type, event, &nr) && nr == task->call.nr))
		rc = keep_text(calls, task, type, event);
	return rc ? rc : 1;
}

static int enter(struct tfs_calls *calls, const struct tfs_call_type *type,
		 const struct tfs_event *event)
{
	struct tfs_call_task *task = get_task(calls, event->pid);
	const unsigned int from = type->role == TFS_CALL_TYPE_ENTER ? TFS_CALL_RAW : TFS_CALL_NAMED;
	struct tfs_call *call;
	int64_t nr;
	int rc = 0;

	if (!task)
		return -ENOMEM;
	call = &task->call;
	task->is_new = task->compat_child = false;
	if (!tfs_call_type_nr(type, event, &nr))
		return 0;
	if (task->in_call && task->id == nr && !(call->flags & from)) {
		call->flags |= from;
		return keep_text(calls, task, type, event);
	}
	if (task->in_call)
		rc = end_call(calls, task, TFS_CALL_NO_EXIT, event);
	if (rc)
		return rc;
	init_call(calls, task, nr, event);
	call->flags = from;
	if (task->compat && makes_task(call->entry))
		calls->cloner = task->tid;
	tfs_call_type_args(type, event, call);
	task->in_call = true;
	tfs_call_kept_begin(&task->kept, &calls->texts, call);
	if (calls->opts.ops->begin)
		rc = calls->opts.ops->begin(calls->opts.ctx, task, event);
	if (!rc)
		rc = tfs_call_keep_early(&task->kept, &task->early, call);
	if (!rc)
		rc = tfs_call_keep_named(&task->kept, call, type, event);
	if (!rc)
		rc = note_call(calls, task);
	task->held = !task->waits_for_exec;
	return rc || tfs_call_kept_waits(&task->kept) ? rc : begin_held(calls, task, event);
}

/*
 * A thread that executes a program of the other ABI leaves the call with the number of execve of
 * that ABI: kernels for x86_64 set it with the thread's personality.
 */
static bool ends_exec(struct tfs_calls *calls, struct tfs_call_task *task, int64_t nr, int64_t ret)
{
	struct tfs_call *call = &task->call;
	const struct sys_entry *entry;

	for (int before = 0; before <= 1 && !ret; before++) {
		entry = entry_of(calls, before, task->id);
		if (!executes(entry) || !executes(entry_of(calls, !before, nr)))
			continue;
		/* It was perhaps not known to be of 32 bits. */
		call->entry = entry;
		task->compat = !before;
		return true;
	}
	return false;
}

/* Is a thread of 32 bits in the call with this number, which makes another? */
static bool is_cloning(const struct tfs_calls *calls, int64_t nr)
{
	const struct tfs_call_task *task = calls->cloner ? tfs_calls_task(calls, calls->cloner) :
							   NULL;

	return task && task->compat && task->in_call && task->id == nr;
}

/* The first return of a new thread is that from its parent's call. */
static bool is_child(const struct tfs_calls *calls, struct tfs_call_task *task, int64_t nr,
		     int64_t ret)
{
	const bool own = makes_task(entry_of(calls, false, nr));

	if (ret)
		return false;
	if (makes_task(entry_of(calls, true, nr)) &&
	    (task->compat || task->compat_child || (!task->call.begin && is_cloning(calls, nr)))) {
		task->compat = true;
		return true;
	}
	/* Another thread had the number, and its end was not recorded. */
	if (own)
		task->compat = false;
	return own;
}

/* Which thread the one of 32 bits has created, if numbers are those of its namespace */
static int expect_child(struct tfs_calls *calls, const struct tfs_call *call)
{
	struct tfs_call_task *child;

	if (call->abi == calls->opts.abi || call->ret <= 0 || call->ret > INT_MAX ||
	    !makes_task(call->entry))
		return 0;
	child = get_task(calls, (int)call->ret);
	if (!child)
		return -ENOMEM;
	child->compat_child = !child->call.begin;
	return 0;
}

static int leave(struct tfs_calls *calls, const struct tfs_call_type *type,
		 const struct tfs_event *event)
{
	struct tfs_call_task *task = get_task(calls, event->pid);
	const bool was_new = task && task->is_new;
	bool child;
	struct tfs_call *call;
	int64_t nr, ret;
	int rc = 0;

	if (!task)
		return -ENOMEM;
	call = &task->call;
	task->is_new = false;
	if (!tfs_call_type_nr(type, event, &nr) || !tfs_call_type_ret(type, event, &ret))
		return 0;
	if (!task->in_call && nr == NO_NUMBER)
		nr = calls->sigreturn;
	if (task->in_call && nr != NO_NUMBER && task->id != nr && !ends_exec(calls, task, nr, ret))
		rc = end_call(calls, task, TFS_CALL_NO_EXIT, event);
	if (!rc && !task->in_call) {
		/* The second of two events for the same return */
		if (task->id == nr && call->end && call->ret == ret &&
		    (call->flags & (TFS_CALL_RAW | TFS_CALL_NAMED)) ==
			    (TFS_CALL_RAW | TFS_CALL_NAMED)) {
			call->flags &= ~(unsigned int)TFS_CALL_RAW;
			return 0;
		}
		child = is_child(calls, task, nr, ret);
		init_call(calls, task, nr, event);
		call->flags = TFS_CALL_NO_ENTRY;
		if (was_new || child)
			return 0;
	}
	call->ret = ret;
	if (!rc && task->compat)
		rc = expect_child(calls, call);
	return rc ? rc : end_call(calls, task, 0, event);
}

/* From the event, or the parent's call */
static struct tfs_task_clone find_clone(const struct tfs_call_type *type,
					const struct tfs_event *event,
					const struct tfs_call_task *parent)
{
	const struct tfs_call *call = &parent->call;
	const bool in_call = parent->in_call && !(call->flags & TFS_CALL_NO_ENTRY);
	struct tfs_task_clone clone = { .known = true };
	int64_t flags;

	if (tfs_call_type_number(&type->clone_flags, event, &flags))
		clone.flags = (uint64_t)flags;
	else if (in_call && is_call(call, "clone"))
		clone.flags = call->args[0];
	else if (in_call && is_call(call, "vfork"))
		clone.flags = CLONE_VM | CLONE_VFORK;
	else
		clone.known = in_call && is_call(call, "fork");
	clone.thread = clone.flags & CLONE_THREAD;
	return clone;
}

/* The event is the parent's: its name may be known otherwise. */
static void inherit_name(const struct tfs_call_task *parent, struct tfs_call_task *child,
			 const struct tfs_event *event)
{
	if (*parent->comm)
		memcpy(child->comm, parent->comm, sizeof(child->comm));
	else if (event->task)
		snprintf(child->comm, sizeof(child->comm), "%s", event->task->comm);
}

/* A process that had this id before is not this one. */
static int join_group(struct tfs_calls *calls, struct tfs_call_task *child)
{
	struct group *g;

	if (child->tid == child->tgid) {
		drop_group(calls, child->tgid);
		return 0;
	}
	g = get_group(calls, child->tgid);
	if (!g)
		return -ENOMEM;
	g->threads++;
	child->is_counted = true;
	return 0;
}

static int fork_task(struct tfs_calls *calls, const struct tfs_call_type *type,
		     const struct tfs_event *event)
{
	struct tfs_call_task *parent = get_task(calls, event->pid), *child;
	struct tfs_task_clone clone;
	int64_t pid;
	int rc;

	if (!parent)
		return -ENOMEM;
	if (!tfs_call_type_number(&type->pid, event, &pid))
		return 0;
	child = tfs_calls_task(calls, (int)pid);
	/* task_newtask comes before sched_process_fork of the same child. */
	if (child && child->is_new)
		return 1;
	if (child) { /* its end was not recorded */
		rc = begin_held(calls, child, event);
		if (rc)
			return rc;
		leave_group(calls, child);
		drop_task(calls, child);
	}
	clone = find_clone(type, event, parent);
	child = get_task(calls, (int)pid);
	if (!child)
		return -ENOMEM;
	child->tgid = clone.thread ? parent->tgid : (int)pid;
	child->is_new = true;
	rc = join_group(calls, child);
	if (rc)
		return rc;
	inherit_name(parent, child, event);
	child->compat = parent->compat;
	child->waits_for_exec |= parent->waits_for_exec;
	rc = calls->opts.ops->fork && !parent->waits_for_exec ?
		     calls->opts.ops->fork(calls->opts.ctx, parent, (int)pid, &clone, event) :
		     0;
	return rc ? rc : 1;
}

static int rename_task(struct tfs_calls *calls, const struct tfs_call_type *type,
		       const struct tfs_event *event)
{
	struct tfs_call_task *task;
	int64_t pid = event->pid;

	tfs_call_type_number(&type->pid, event, &pid);
	task = get_task(calls, (int)pid);
	if (!task)
		return -ENOMEM;
	tfs_call_type_comm(type, event, task->comm);
	return 0;
}

/* A thread that executes a program gets the id of its process. */
static void take_over(struct tfs_calls *calls, int old_tid, struct tfs_call_task *task)
{
	struct tfs_call_task *old = tfs_calls_task(calls, old_tid);

	if (!old || old == task)
		return;
	task->call = old->call;
	task->call.tid = task->tid;
	task->in_call = old->in_call;
	task->id = old->id;
	task->compat = old->compat;
	task->held = old->held;
	tfs_call_kept_release(&task->kept);
	task->kept = old->kept;
	tfs_call_kept_init(&old->kept);
	drop_task(calls, old);
}

static int exec_task(struct tfs_calls *calls, const struct tfs_call_type *type,
		     const struct tfs_event *event)
{
	struct tfs_call_task *task = get_task(calls, event->pid);
	const char *file;
	int64_t old = event->pid;
	int rc = 0;

	if (!task)
		return -ENOMEM;
	if (tfs_call_type_number(&type->old_pid, event, &old) && old != task->tid) {
		rc = begin_held(calls, task, event);
		take_over(calls, (int)old, task);
	}
	task->tgid = task->call.tgid = task->tid;
	/* Other threads of the process were killed for this; it goes on. */
	drop_group(calls, task->tgid);
	file = tfs_call_type_file(type, event);
	if (!rc && file && task->in_call)
		rc = tfs_call_keep_exec(&task->kept, &task->call, file);
	task->held |= task->in_call && task->waits_for_exec;
	task->waits_for_exec = false;
	if (!rc)
		rc = begin_held(calls, task, event);
	if (!rc && calls->opts.ops->exec)
		rc = calls->opts.ops->exec(calls->opts.ctx, task, file, event);
	return rc ? rc : 1;
}

static void find_end(struct tfs_calls *calls, const struct tfs_call_task *task,
		     struct tfs_task_end *end)
{
	const struct group *g = tfs_hashmap_int(&calls->groups, (uint32_t)task->tgid);

	if (g && g->end.fate != TFS_TASK_FATE_UNKNOWN)
		*end = g->end;
	else if (task->in_call && is_call(&task->call, "exit"))
		*end = (struct tfs_task_end){ TFS_TASK_EXITED, task->call.args[0] & 0xff };
}

static int end_task(struct tfs_calls *calls, const struct tfs_event *event)
{
	struct tfs_call_task *task = get_task(calls, event->pid);
	struct tfs_task_end end = { TFS_TASK_FATE_UNKNOWN, 0 };
	int rc = 0;

	if (!task)
		return -ENOMEM;
	find_end(calls, task, &end);
	if (task->in_call)
		rc = end_call(calls, task, TFS_CALL_NO_EXIT | TFS_CALL_DEAD, event);
	if (!rc && calls->opts.ops->end && !task->waits_for_exec)
		rc = calls->opts.ops->end(calls->opts.ctx, task, &end, event);
	leave_group(calls, task);
	drop_task(calls, task);
	return rc ? rc : 1;
}

/* Signals whose default is to be ignored, or to stop or continue the process, do not end it. */
static bool is_fatal(int sig)
{
	static const uint64_t harmless = 1ull << 17 | 1ull << 18 | 1ull << 19 | 1ull << 20 |
					 1ull << 21 | 1ull << 22 | 1ull << 23 | 1ull << 28;

	return sig > 0 && sig <= SIGNALS && !(sig < SIGNALS && harmless >> sig & 1);
}

static int deliver(struct tfs_calls *calls, const struct tfs_call_type *type,
		   const struct tfs_event *event)
{
	struct tfs_call_task *task = get_task(calls, event->pid);
	struct tfs_call_signal sig;
	int64_t handler = 0;
	int rc;

	if (!task)
		return -ENOMEM;
	if (!tfs_call_type_signal(type, event, &sig, &handler))
		return 0;
	sig.handled = handler != 0 && handler != 1;
	rc = begin_held(calls, task, event);
	if (rc)
		return rc;
	if (!handler && is_fatal(sig.sig)) {
		rc = set_group_end(calls, task->tgid, TFS_TASK_KILLED, sig.sig);
		if (rc)
			return rc;
	}
	rc = calls->opts.ops->signal && !task->waits_for_exec ?
		     calls->opts.ops->signal(calls->opts.ctx, task, &sig, event) :
		     0;
	return rc ? rc : 1;
}

int tfs_calls_event(struct tfs_calls *calls, const struct tfs_event *event)
{
	struct tfs_call_type *type;
	int rc;

	if (!event->type)
		return 0;
	type = &calls->types[event->type->index];
	if (type->role == TFS_CALL_TYPE_UNKNOWN)
		tfs_call_type_init(type, event->type);
	switch (type->role) {
	case TFS_CALL_TYPE_ENTER:
	case TFS_CALL_TYPE_NAMED_ENTER:
		rc = enter(calls, type, event);
		return rc ? rc : 1;
	case TFS_CALL_TYPE_EXIT:
	case TFS_CALL_TYPE_NAMED_EXIT:
		rc = leave(calls, type, event);
		return rc ? rc : 1;
	case TFS_CALL_TYPE_FORK:
		return fork_task(calls, type, event);
	case TFS_CALL_TYPE_EXEC:
		return exec_task(calls, type, event);
	case TFS_CALL_TYPE_TASK_END:
		return end_task(calls, event);
	case TFS_CALL_TYPE_SIGNAL:
		return deliver(calls, type, event);
	case TFS_CALL_TYPE_RENAME:
		return rename_task(calls, type, event);
	case TFS_CALL_TYPE_GETNAME:
	case TFS_CALL_TYPE_TEXT:
	case TFS_CALL_TYPE_BEFORE:
		return take_text(calls, type, event);
	case TFS_CALL_TYPE_UNKNOWN:
	case TFS_CALL_TYPE_OTHER:
		break;
	}
	return 0;
}

void tfs_calls_lost(struct tfs_calls *calls)
{
	calls->losses++;
}

void tfs_calls_missing(struct tfs_calls *calls)
{
	calls->missing = true;
}

/* These do not return: whoever called one is dead, also if its end was not recorded. */
static unsigned int ends_task(const struct tfs_call *call)
{
	return is_call(call, "exit") || is_call(call, "exit_group") ? TFS_CALL_DEAD : 0;
}

static int compare_tids(const void *a, const void *b)
{
	const struct tfs_call_task *x = *(const struct tfs_call_task *const *)a;
	const struct tfs_call_task *y = *(const struct tfs_call_task *const *)b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

int tfs_calls_finish(struct tfs_calls *calls)
{
	struct tfs_call_task **open = calloc(calls->tasks.n + 1, sizeof(struct tfs_call_task *));
	struct tfs_call_task *task;
	size_t n = 0, i;
	int rc = 0;

	if (!open)
		return -ENOMEM;
	tfs_hashmap_for_each(&calls->tasks, i, task) if (task->in_call) open[n++] = task;
	qsort(open, n, sizeof(struct tfs_call_task *), compare_tids);
	for (i = 0; i < n && !rc; i++)
		rc = end_call(calls, open[i], TFS_CALL_NO_EXIT | ends_task(&open[i]->call), NULL);
	free(open);
	return rc;
}

static int64_t find_sigreturn(int abi)
{
	const struct sys_table *table = abi >= 0 && abi < SYS_N_ABIS ? &sys_tables[abi] : NULL;

	for (size_t i = 0; table && i < table->n; i++)
		if (!strcmp(table->entries[i].name, "rt_sigreturn"))
			return table->entries[i].nr;
	return NO_NUMBER;
}

int tfs_calls_new(const struct tfs_calls_opts *opts, struct tfs_calls **out)
{
	struct tfs_calls *calls = calloc(1, sizeof(*calls));

	if (!calls)
		return -ENOMEM;
	calls->opts = *opts;
	calls->sigreturn = find_sigreturn(opts->abi);
	calls->types = calloc(tfs_trace_index(opts->trace)->n + 1, sizeof(*calls->types));
	if (!calls->types || tfs_call_texts_init(&calls->texts, opts->trace, opts->abi)) {
		tfs_calls_free(calls);
		return -ENOMEM;
	}
	*out = calls;
	return 0;
}

void tfs_calls_free(struct tfs_calls *calls)
{
	struct tfs_call_task *task;
	struct group *g;
	size_t i;

	if (!calls)
		return;
	tfs_hashmap_for_each(&calls->tasks, i, task) free_task(task);
	tfs_hashmap_release(&calls->tasks);
	tfs_hashmap_for_each(&calls->groups, i, g) free(g);
	tfs_hashmap_release(&calls->groups);
	free(calls->types);
	tfs_call_texts_release(&calls->texts);
	free(calls);
}
