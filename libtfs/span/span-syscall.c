/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "span/span-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "decode/event-type.h"

/* By the number alone: the recording's table, or "syscall 0" */
static int name_number(struct tfs_spans *s, const struct span_at *at, int64_t nr, uint32_t *name)
{
	const uint32_t input = at->scope->input;
	uint64_t key = tfs_hash64(TFS_HASH64_INIT, "syscall", sizeof("syscall"));
	const char *known = NULL;
	char text[32];
	int rc;

	key = tfs_hash64(key, &input, sizeof(input));
	key = tfs_hash64(key, &nr, sizeof(nr));
	*name = tfs_span_memo(s, key);
	if (*name != SPAN_NO_NAME)
		return 0;
	if (s->opts.syscall)
		known = s->opts.syscall(s->opts.syscalls ? s->opts.syscalls[input] : NULL, nr);
	snprintf(text, sizeof(text), "syscall %" PRId64, nr);
	rc = tfs_span_name(s, known ? known : text, known ? strlen(known) : sizeof(text), name);
	return rc ? rc : tfs_span_note(s, key, *name);
}

static bool is_raw(const struct span_at *at)
{
	return at->type->role == SPAN_RAW_ENTER || at->type->role == SPAN_RAW_EXIT;
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
	int rc = is_raw(at) ? name_number(s, at, nr, &name) : 0;

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

static int leave(struct tfs_spans *s, const struct span_at *at, struct span_task *task, int64_t nr)
{
	struct span_calls *calls = task->calls;
	uint64_t since;
	int rc = 0;

	/* Number -1: restarts, and the return from a signal handler */
	if (calls->in_call && nr != -1 && calls->nr != nr)
		rc = end_call(s, at, task, TFS_SPAN_NO_END, NULL);
	if (!rc && !calls->in_call) {
		if (calls->ended == nr && calls->ended_raw != is_raw(at)) {
			calls->ended = SPAN_NO_CALL;
			return 0;
		}
		since = tfs_span_unbegun(task, at->ts);
		rc = open_call(s, at, task, nr);
		calls->call.flags |= TFS_SPAN_NO_BEGIN;
		calls->call.begin = since;
	}
	calls->ended = nr;
	calls->ended_raw = is_raw(at);
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
