/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "span/span-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/macros.h"
#include "decode/event-type.h"

/* Any number: makes memos of calls others than those of what else has names */
#define MEMO_OF_CALLS UINT64_C(0x73797363616c6c00)

/* NULL: the number has no name */
static const char *known_name(const struct tfs_spans *s, const struct span_at *at,
			      enum span_abi abi, int64_t nr)
{
	const void *syscalls = s->opts.syscalls ? s->opts.syscalls[at->scope->input] : NULL;

	if (!s->opts.syscall)
		return NULL;
	return s->opts.syscall(syscalls, nr,
			       abi == SPAN_ABI_COMPAT ? TFS_SYSCALL_COMPAT : TFS_SYSCALL_OWN);
}

/* By the number alone: the recording's table, or "syscall 0" */
static int name_number(struct tfs_spans *s, const struct span_at *at, enum span_abi abi, int64_t nr,
		       uint32_t *name)
{
	const uint64_t table = (uint64_t)at->scope->input << 1 | (abi == SPAN_ABI_COMPAT);
	const uint64_t key = tfs_hash_int((uint64_t)nr ^ tfs_hash_int(table + MEMO_OF_CALLS));
	const char *known;
	char text[32];
	int rc;

	*name = tfs_span_memo(s, key);
	if (*name != SPAN_NO_NAME)
		return 0;
	known = known_name(s, at, abi, nr);
	snprintf(text, sizeof(text), "syscall %" PRId64, nr);
	rc = tfs_span_name(s, known ? known : text, known ? strlen(known) : sizeof(text), name);
	return rc ? rc : tfs_span_note(s, key, *name);
}

static bool is_raw(const struct span_at *at)
{
	return at->type->role == SPAN_RAW_ENTER || at->type->role == SPAN_RAW_EXIT;
}

static bool is_one_of(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; name && i < n; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static bool makes_task(const char *name)
{
	static const char *const names[] = { "clone", "clone3", "fork", "vfork" };

	return is_one_of(name, names, ARRAY_SIZE(names));
}

static bool executes(const char *name)
{
	static const char *const names[] = { "execve", "execveat" };

	return is_one_of(name, names, ARRAY_SIZE(names));
}

static int end_call(struct tfs_spans *s, const struct span_at *at, const struct span_task *task,
		    unsigned int flag, const struct tfs_event *last)
{
	const struct span_close how = { .flag = flag, .ts = at->ts, .cpu = at->cpu->nr };

	task->calls->in_call = false;
	return tfs_span_end_call(s, at->scope, task, &task->calls->call, &how, last);
}

/* The same call, from the other of the two systems: only its name is news. */
static bool is_same_call(const struct span_calls *calls, const struct span_at *at, int64_t nr)
{
	return calls->in_call && calls->nr == nr && (is_raw(at) ? !calls->raw : !calls->named);
}

static int open_call(struct tfs_spans *s, const struct span_at *at, struct span_task *task,
		     int64_t nr)
{
	struct span_calls *calls = task->calls;
	uint32_t name = at->type->name;
	int rc = is_raw(at) ? name_number(s, at, task->abi, nr, &name) : 0;

	if (rc)
		return rc;
	calls->call = (struct span_open){
		.begin = at->ts,
		.name = name,
		.cpu = at->cpu->nr,
		.tid = task->pid,
		.kind = TFS_SPAN_SYSCALL,
		.flags = at->event->selected ? 0 : TFS_SPAN_UNSELECTED,
		.depth = tfs_span_depth(calls),
	};
	rc = tfs_span_keep(s, TFS_SPAN_SYSCALL, at->event, &calls->call.kept);
	if (rc)
		return rc;
	if (task->abi == SPAN_ABI_COMPAT && makes_task(s->names[name]))
		at->scope->cloner = task->pid;
	calls->nr = nr;
	calls->in_call = true;
	calls->raw = is_raw(at);
	calls->named = !calls->raw;
	calls->ended = SPAN_NO_CALL;
	return 0;
}

static int enter(struct tfs_spans *s, const struct span_at *at, struct span_task *task, int64_t nr)
{
	struct span_calls *calls = task->calls;
	int rc = 0;

	if (task->abi == SPAN_ABI_CHILD)
		task->abi = SPAN_ABI_OWN;
	if (is_same_call(calls, at, nr)) {
		if (!is_raw(at))
			calls->call.name = at->type->name;
		if (at->event->selected)
			calls->call.flags &= (uint8_t)~TFS_SPAN_UNSELECTED;
		calls->raw = calls->named = true;
		return 0;
	}
	if (calls->in_call)
		rc = end_call(s, at, task, TFS_SPAN_NO_END, NULL);
	return rc ? rc : open_call(s, at, task, nr);
}

/*
 * A task that executes a program of the other ABI leaves the call with the number of execve of that
 * ABI: kernels for x86_64 set it with the task's personality. 1: so it is, 0: it is not
 */
static int end_exec(struct tfs_spans *s, const struct span_at *at, struct span_task *task,
		    int64_t nr)
{
	struct span_calls *calls = task->calls;
	uint64_t ret;
	int rc;

	if (!tfs_span_number(at->event, at->type->field[1], &ret) || ret)
		return 0;
	for (enum span_abi before = SPAN_ABI_OWN; before <= SPAN_ABI_COMPAT; before++) {
		const enum span_abi after = SPAN_ABI_OWN + SPAN_ABI_COMPAT - before;

		if (!executes(known_name(s, at, before, calls->nr)) ||
		    !executes(known_name(s, at, after, nr)))
			continue;
		/* It was not known to be of 32 bits. */
		if (before == SPAN_ABI_COMPAT && task->abi != before) {
			rc = name_number(s, at, before, calls->nr, &calls->call.name);
			if (rc)
				return rc;
		}
		task->abi = (uint8_t)after & 3;
		return 1;
	}
	return 0;
}

/* Is a task of 32 bits in the call with this number, which makes another? */
static bool is_cloning(const struct span_scope *scope, int64_t nr)
{
	const struct span_task *task = scope->cloner ? tfs_span_find_task(scope, scope->cloner) :
						       NULL;

	return task && task->abi == SPAN_ABI_COMPAT && task->calls && task->calls->in_call &&
	       task->calls->nr == nr;
}

/* The first return of a new task is that from its parent's call, which is counted there. */
static bool is_child(const struct tfs_spans *s, const struct span_at *at, struct span_task *task,
		     int64_t nr)
{
	const bool own = makes_task(is_raw(at) ? known_name(s, at, SPAN_ABI_OWN, nr) :
						 s->names[at->type->name]);
	const bool compat = is_raw(at) && makes_task(known_name(s, at, SPAN_ABI_COMPAT, nr));
	uint64_t ret;

	if (!tfs_span_number(at->event, at->type->field[1], &ret) || ret || !(own || compat))
		return false;
	if (compat && (task->abi != SPAN_ABI_OWN ||
		       (task->calls->ended == SPAN_NO_CALL && is_cloning(at->scope, nr)))) {
		task->abi = SPAN_ABI_COMPAT;
		return true;
	}
	/* Another task had the number, and its end was not recorded. */
	if (own)
		task->abi = SPAN_ABI_OWN;
	return own;
}

/* Which task the one of 32 bits has created, if numbers of tasks are those of its namespace */
static int expect_child(struct tfs_spans *s, const struct span_at *at)
{
	struct span_task *child;
	uint64_t ret;

	if (!tfs_span_number(at->event, at->type->field[1], &ret) || !ret || ret > INT_MAX)
		return 0;
	child = tfs_span_task(s, at, (int)ret);
	if (!child)
		return -ENOMEM;
	if (child->abi == SPAN_ABI_OWN && !child->calls && child->ended == SPAN_NO_NR)
		child->abi = SPAN_ABI_CHILD;
	return 0;
}

static int leave(struct tfs_spans *s, const struct span_at *at, struct span_task *task, int64_t nr)
{
	struct span_calls *calls = task->calls;
	uint64_t since;
	int rc = 0;

	/* Number -1: restarts, and the return from a signal handler */
	if (calls->in_call && nr != -1 && calls->nr != nr) {
		rc = end_exec(s, at, task, nr);
		if (rc > 0)
			nr = calls->nr;
		rc = rc ? (rc < 0 ? rc : 0) : end_call(s, at, task, TFS_SPAN_NO_END, NULL);
	}
	if (!rc && !calls->in_call) {
		if (calls->ended == nr && calls->ended_raw != is_raw(at)) {
			calls->ended = SPAN_NO_CALL;
			return 0;
		}
		if (is_child(s, at, task, nr))
			return 0;
		since = tfs_span_unbegun(task, at->ts);
		rc = open_call(s, at, task, nr);
		calls->call.flags |= TFS_SPAN_NO_BEGIN;
		calls->call.begin = since;
	}
	calls->ended = nr;
	calls->ended_raw = is_raw(at);
	if (!rc && task->abi == SPAN_ABI_COMPAT && makes_task(s->names[calls->call.name]))
		rc = expect_child(s, at);
	return rc ? rc : end_call(s, at, task, 0, at->event);
}

int tfs_span_syscall(struct tfs_spans *s, const struct span_at *at)
{
	const enum span_role role = at->type->role;
	struct span_task *task;
	uint64_t nr;
	int rc;

	if (!tfs_span_wants(s, TFS_SPAN_SYSCALL) ||
	    !tfs_span_number(at->event, at->type->field[0], &nr))
		return 0;
	/* A compatible call's number may have more bits in one of the two. */
	task = tfs_span_task(s, at, at->event->pid);
	if (!task || !tfs_span_calls(s, task))
		return -ENOMEM;
	tfs_span_task_seen(task, at->cpu);
	if (tfs_span_task_known(s, task, at->event))
		return -ENOMEM;
	if (role == SPAN_SYS_ENTER || role == SPAN_RAW_ENTER)
		rc = enter(s, at, task, (int64_t)nr);
	else
		rc = leave(s, at, task, (int64_t)nr);
	tfs_span_calls_done(s, task);
	return rc;
}
