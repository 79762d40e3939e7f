/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "span/span-internal.h"

#include <errno.h>
#include <stdlib.h>

#include "tracedat/dat-recorder.h"

/* Fields of roles, see span/span-types.c */
enum { PREV_PID, PREV_STATE, NEXT_PID };
enum { PID, TARGET_CPU, SUCCESS };

const char *tfs_task_state_name(enum tfs_task_state state)
{
	static const char *const names[TFS_TASK_STATES] = {
		[TFS_TASK_STATE_UNKNOWN] = "unknown",
		[TFS_TASK_RUNNING] = "running",
		[TFS_TASK_RUNNABLE] = "runnable",
		[TFS_TASK_PREEMPTED] = "preempted",
		[TFS_TASK_SLEEPING] = "sleeping",
		[TFS_TASK_BLOCKED] = "blocked",
		[TFS_TASK_STOPPED] = "stopped",
		[TFS_TASK_PARKED] = "parked",
		[TFS_TASK_IDLE] = "idle",
		[TFS_TASK_DEAD] = "dead",
	};

	return state < TFS_TASK_STATES ? names[state] : names[TFS_TASK_STATE_UNKNOWN];
}

static enum tfs_task_state state_of_letter(char letter)
{
	switch (letter) {
	case 'S':
		return TFS_TASK_SLEEPING;
	case 'D':
		return TFS_TASK_BLOCKED;
	case 'T':
	case 't':
		return TFS_TASK_STOPPED;
	case 'X':
	case 'x':
	case 'Z':
		return TFS_TASK_DEAD;
	case 'P':
		return TFS_TASK_PARKED;
	case 'I':
		return TFS_TASK_IDLE;
	default:
		return TFS_TASK_STATE_UNKNOWN;
	}
}

/*
 * The format names the bits; the one after the last is "+", preempted (TASK_REPORT_MAX). Without
 * names: those of Linux 4.14 and later.
 */
static enum tfs_task_state state_of(const struct span_labels *labels, uint64_t value)
{
	static const char letters[] = "SDTtXZPI";
	uint64_t known = 0;
	size_t i;

	for (i = 0; i < labels->n; i++) {
		if (value & labels->v[i].value)
			return state_of_letter(*labels->v[i].text);
		known |= labels->v[i].value;
	}
	for (i = 0; !known && i < sizeof(letters) - 1; i++)
		if (value & UINT64_C(1) << i)
			return state_of_letter(letters[i]);
	return TFS_TASK_PREEMPTED;
}

/* @last: the event that it ends with; NULL: none */
static int end_state(struct tfs_spans *s, const struct span_scope *scope, struct span_task *task,
		     const struct span_close *how, const struct tfs_event *last)
{
	struct tfs_span_record end;
	struct tfs_span span = {
		.kind = TFS_SPAN_STATE,
		.flags = task->flags | how->flag,
		.state = task->state,
		.cpu = task->cpu ? task->cpu->nr : how->cpu,
		.end_cpu = how->cpu,
		.tid = task->pid,
		.end_tid = task->pid,
		.name_id = task->name,
		.comm_id = task->name,
		.begin = task->since,
		.end = how->ts,
		.first = task->kept ? &task->kept->rec : NULL,
	};
	int rc = 0;

	if (task->state != TFS_TASK_STATE_UNKNOWN && scope->switches &&
	    tfs_span_wants(s, TFS_SPAN_STATE)) {
		if (last) {
			end = tfs_span_record(last);
			span.last = &end;
		}
		rc = tfs_span_emit(s, scope, &span);
	}
	free(task->kept);
	task->kept = NULL;
	task->state = TFS_TASK_STATE_UNKNOWN;
	return rc;
}

/* The task is in another state from now on. */
static int set_state(struct tfs_spans *s, const struct span_at *at, struct span_task *task,
		     enum tfs_task_state state)
{
	task->state = (uint8_t)state;
	task->since = at->ts;
	task->flags = at->event->selected ? 0 : TFS_SPAN_UNSELECTED;
	if (s->opts.states && !(s->opts.states & 1u << state))
		return 0;
	return tfs_span_keep(s, TFS_SPAN_STATE, at->event, &task->kept);
}

static int change_state(struct tfs_spans *s, const struct span_at *at, struct span_task *task,
			enum tfs_task_state state)
{
	const struct span_close how = { .ts = at->ts, .cpu = at->cpu->nr };
	int rc = end_state(s, at->scope, task, &how, at->event);

	return rc ? rc : set_state(s, at, task, state);
}

static int end_run(struct tfs_spans *s, const struct span_scope *scope, struct span_cpu *cpu,
		   const struct span_close *how, const struct tfs_event *last)
{
	const struct span_task *task = cpu->cur;
	struct tfs_span_record end;
	struct tfs_span span = {
		.kind = TFS_SPAN_RUN,
		.flags = cpu->run_flags | how->flag,
		.state = TFS_TASK_RUNNING,
		.cpu = cpu->nr,
		.end_cpu = cpu->nr,
		.begin = cpu->run_begin,
		.end = how->ts,
		.first = cpu->run_kept ? &cpu->run_kept->rec : NULL,
	};
	int rc = 0;

	if (task && tfs_span_wants(s, TFS_SPAN_RUN)) {
		span.tid = span.end_tid = task->pid;
		span.name_id = span.comm_id = task->name;
		if (last) {
			end = tfs_span_record(last);
			span.last = &end;
		}
		rc = tfs_span_emit(s, scope, &span);
	}
	free(cpu->run_kept);
	cpu->run_kept = NULL;
	cpu->cur = NULL;
	return rc;
}

int tfs_span_close_run(struct tfs_spans *s, const struct span_scope *scope, struct span_cpu *cpu,
		       const struct span_close *how)
{
	return end_run(s, scope, cpu, how, NULL);
}

int tfs_span_close_state(struct tfs_spans *s, const struct span_scope *scope,
			 struct span_task *task, const struct span_close *how)
{
	return end_state(s, scope, task, how, NULL);
}

/*
 * Who ran until now. That it began to was perhaps not recorded: before the recording, in a gap, or
 * because only some switches were asked for.
 */
static int leave(struct tfs_spans *s, const struct span_at *at, struct span_task *prev)
{
	const struct span_close missed = { .flag = TFS_SPAN_NO_END,
					   .ts = at->ts,
					   .cpu = at->cpu->nr };
	const struct span_close now = { .ts = at->ts, .cpu = at->cpu->nr };
	const unsigned int flags = TFS_SPAN_NO_BEGIN |
				   (at->event->selected ? 0 : TFS_SPAN_UNSELECTED);
	struct span_cpu *cpu = at->cpu;
	bool known = !cpu->cur;
	int rc = 0;

	if (cpu->cur && cpu->cur != prev) {
		if (cpu->cur->pid)
			rc = end_state(s, at->scope, cpu->cur, &missed, NULL);
		if (!rc)
			rc = end_run(s, at->scope, cpu, &missed, NULL);
	}
	if (!cpu->cur) {
		cpu->cur = prev;
		cpu->run_begin = known ? cpu->known : at->ts;
		cpu->run_flags = flags;
	}
	if (!rc)
		rc = end_run(s, at->scope, cpu, &now, at->event);
	if (rc || !prev->pid || prev->state == TFS_TASK_RUNNING)
		return rc;
	known = known && prev->state == TFS_TASK_STATE_UNKNOWN;
	rc = end_state(s, at->scope, prev, &missed, NULL);
	prev->state = TFS_TASK_RUNNING;
	prev->since = known ? cpu->known : at->ts;
	if (known && prev->was_cut && prev->seen > prev->since)
		prev->since = prev->seen;
	prev->flags = (uint8_t)flags;
	return rc;
}

/*
 * A task that ran on without having been woken was woken in the missing rest of a CPU, when it may
 * have run there as well.
 */
static int end_sleep(struct tfs_spans *s, const struct span_at *at, struct span_task *task)
{
	const uint64_t since = at->scope->missing;
	const struct span_close cut = { .flag = TFS_SPAN_CUT,
					.ts = task->since > since ? task->since : since,
					.cpu = at->cpu->nr };

	if (since == UINT64_MAX || !at->scope->woken || task->state == TFS_TASK_RUNNABLE ||
	    task->state == TFS_TASK_PREEMPTED)
		return 0;
	return end_state(s, at->scope, task, &cut, NULL);
}

/* Who runs from now on */
static int enter(struct tfs_spans *s, const struct span_at *at, struct span_task *next)
{
	const struct span_close missed = { .flag = TFS_SPAN_NO_END,
					   .ts = at->ts,
					   .cpu = at->cpu->nr };
	struct span_cpu *cpu = at->cpu;
	int rc = 0;

	cpu->cur = next;
	cpu->run_begin = at->ts;
	cpu->run_flags = at->event->selected ? 0 : TFS_SPAN_UNSELECTED;
	if (next->pid && next->state == TFS_TASK_RUNNING)
		rc = end_state(s, at->scope, next, &missed, NULL);
	if (!rc && next->pid)
		rc = end_sleep(s, at, next);
	if (!rc && next->pid)
		rc = change_state(s, at, next, TFS_TASK_RUNNING);
	if (next->pid)
		tfs_span_task_seen(next, cpu);
	return rc ? rc : tfs_span_keep(s, TFS_SPAN_RUN, at->event, &cpu->run_kept);
}

static int name_task(struct tfs_spans *s, const struct span_at *at, struct span_task *task,
		     struct span_text comm)
{
	if (!comm.size || (uint32_t)comm.offset + comm.size > at->event->rec.size)
		return 0;
	return tfs_span_task_comm(s, task, (const char *)at->event->rec.data + comm.offset,
				  comm.size);
}

/* The calls of a task that is dead will not return: exit_group, do_exit. */
static int bury(struct tfs_spans *s, const struct span_at *at, struct span_task *task)
{
	const struct span_close how = { .flag = TFS_SPAN_NO_END, .ts = at->ts, .cpu = at->cpu->nr };
	int rc = tfs_span_close_calls(s, at->scope, task, &how);

	task->state = TFS_TASK_STATE_UNKNOWN;
	if (!rc)
		tfs_span_task_drop(s, at->scope, task);
	return rc;
}

/*
 * The kernel leaves out the switch from one thread of the recorder to another, and all that they
 * record besides. That it happened the next one proves, which takes off the other one; when, nobody
 * knows: all of the time is the first one's.
 */
static int make_switch(struct tfs_spans *s, const struct span_at *at, struct span_task *prev)
{
	const struct span_close made = { .flag = TFS_SPAN_MADE, .ts = at->ts, .cpu = at->cpu->nr };
	struct span_cpu *cpu = at->cpu;
	struct span_task *first = cpu->cur;
	int rc = end_run(s, at->scope, cpu, &made, NULL);

	if (!rc)
		rc = end_state(s, at->scope, first, &made, NULL);
	if (!rc)
		rc = end_state(s, at->scope, prev, &made, NULL);
	cpu->cur = prev;
	cpu->run_begin = prev->since = at->ts;
	cpu->run_flags = prev->flags = TFS_SPAN_MADE |
				       (at->event->selected ? 0 : TFS_SPAN_UNSELECTED);
	prev->state = TFS_TASK_RUNNING;
	s->counts.made += at->event->selected;
	return rc;
}

int tfs_span_switch(struct tfs_spans *s, const struct span_at *at)
{
	const struct span_type *t = at->type;
	uint64_t prev_pid, prev_state, next_pid;
	struct span_task *prev, *next;
	enum tfs_task_state state;
	int rc;

	if (!tfs_span_number(at->event, t->field[PREV_PID], &prev_pid) ||
	    !tfs_span_number(at->event, t->field[PREV_STATE], &prev_state) ||
	    !tfs_span_number(at->event, t->field[NEXT_PID], &next_pid))
		return 0;
	at->scope->switches = true;
	prev = at->cpu->cur && at->cpu->cur->pid == (int)prev_pid ?
		       at->cpu->cur :
		       tfs_span_task(s, at, (int)prev_pid);
	if (!prev)
		return -ENOMEM;
	rc = name_task(s, at, prev, t->comm[0]);
	if (!rc && at->cpu->cur && at->cpu->cur != prev &&
	    tfs_dat_recorder_has(at->input->recorder, (uint32_t)at->cpu->cur->pid,
				 (uint32_t)prev_pid))
		rc = make_switch(s, at, prev);
	if (!rc)
		rc = leave(s, at, prev);
	if (rc)
		return rc;
	if (prev->pid) {
		tfs_span_task_seen(prev, at->cpu);
		state = state_of(&t->labels, prev_state);
		rc = change_state(s, at, prev, state);
		if (!rc && state == TFS_TASK_DEAD)
			rc = bury(s, at, prev);
	}
	next = rc ? NULL : tfs_span_task(s, at, (int)next_pid);
	if (!next)
		return rc ? rc : -ENOMEM;
	rc = name_task(s, at, next, t->comm[1]);
	return rc ? rc : enter(s, at, next);
}

/* Nobody knows what a task does on a CPU whose events are missing. */
static int expect_on(struct tfs_spans *s, const struct span_at *at, struct span_task *task,
		     uint64_t cpu)
{
	const struct span_close cut = { .flag = TFS_SPAN_CUT, .ts = at->ts, .cpu = at->cpu->nr };
	struct span_cpu *to = cpu < at->scope->n_cpus ? at->scope->cpus[cpu] : NULL;

	if ((to && to->missing) || cpu >= at->scope->more_cpus_from)
		return tfs_span_cut_task(s, at->scope, task, &cut, SPAN_UNSEEN);
	if (to)
		tfs_span_task_seen(task, to);
	else if (!task->cpu)
		tfs_span_task_seen(task, at->cpu);
	return 0;
}

/*
 * A task that is woken while it waits for a CPU has run and slept since, where the events are
 * missing: on CPUs that are all there, it would have been seen.
 */
static int miss_run(struct tfs_spans *s, const struct span_at *at, struct span_task *task)
{
	const struct span_close cut = { .flag = TFS_SPAN_CUT,
					.ts = task->since,
					.cpu = at->cpu->nr };

	if (at->scope->missing > at->ts || task->state != TFS_TASK_RUNNABLE)
		return 0;
	return end_state(s, at->scope, task, &cut, NULL);
}

/* Each sched_waking has one sched_wakeup: a second one belongs to one that is missing. */
static int up_again(struct tfs_spans *s, const struct span_at *at)
{
	struct span_task *task;
	uint64_t pid;

	if (at->scope->missing > at->ts ||
	    !tfs_span_number(at->event, at->type->field[PID], &pid) || !(int)pid)
		return 0;
	task = tfs_span_find_task(at->scope, (int)pid);
	if (!task)
		return 0;
	if (task->was_up)
		return miss_run(s, at, task);
	task->was_up = true;
	return 0;
}

/*
 * The first waking since the task went to sleep counts. It may be woken before it has left its CPU:
 * it is not asleep then, as far as was recorded.
 */
int tfs_span_waking(struct tfs_spans *s, const struct span_at *at, enum span_role role)
{
	const struct span_close missed = { .flag = TFS_SPAN_NO_END,
					   .ts = at->ts,
					   .cpu = at->cpu->nr };
	const struct span_type *t = at->type;
	uint64_t pid, cpu, success;
	struct span_task *task;
	int rc;

	at->scope->woken = true;
	if (role == SPAN_WAKING)
		at->scope->waking = true;
	else if (role == SPAN_WAKEUP && at->scope->waking)
		return up_again(s, at);
	if (!tfs_span_number(at->event, t->field[PID], &pid) || !(int)pid)
		return 0;
	/* Old kernels also record wakeups that did not succeed. */
	if (tfs_span_number(at->event, t->field[SUCCESS], &success) && !success)
		return 0;
	task = tfs_span_task(s, at, (int)pid);
	if (!task)
		return -ENOMEM;
	rc = name_task(s, at, task, t->comm[0]);
	/* Another task had the number, and its end was not recorded. */
	if (!rc && role == SPAN_WAKEUP_NEW && task->state != TFS_TASK_STATE_UNKNOWN)
		rc = end_state(s, at->scope, task, &missed, NULL);
	if (!rc && role == SPAN_WAKING) {
		rc = miss_run(s, at, task);
		task->was_up = false;
	}
	if (rc || task->state == TFS_TASK_RUNNING || task->state == TFS_TASK_RUNNABLE ||
	    task->state == TFS_TASK_PREEMPTED)
		return rc;
	rc = change_state(s, at, task, TFS_TASK_RUNNABLE);
	if (!tfs_span_number(at->event, t->field[TARGET_CPU], &cpu))
		cpu = (uint64_t)at->cpu->nr;
	return rc ? rc : expect_on(s, at, task, cpu);
}

int tfs_span_migrate(struct tfs_spans *s, const struct span_at *at)
{
	struct span_task *known;
	uint64_t pid, cpu;

	if (!tfs_span_number(at->event, at->type->field[0], &pid) || !(int)pid ||
	    !tfs_span_number(at->event, at->type->field[1], &cpu))
		return 0;
	known = tfs_span_find_task(at->scope, (int)pid);
	return known ? expect_on(s, at, known, cpu) : 0;
}
