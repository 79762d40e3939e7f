/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stack/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashmap.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "base/time.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/task.h"
#include "decode/trace.h"
#include "decode/value.h"
#include "stack/profile-name.h"
#include "stack/profile-window.h"
#include "tracedat/dat-profile.h"
#include "tracedat/dat-read.h"

/* "in step with the tick": tasks that ran for so many periods, whose samples are off by so much */
#define STEP_PERIODS 20
#define STEP_PERCENT 30
/* Tasks that are watched for it, and of those that are named in a note */
#define STEP_TASKS_MAX 65536
#define STEP_NAMED_MAX 4
#define CPUS_MAX 8192

/* Meaning of an event of a profile */
enum event_role { ROLE_NONE, ROLE_SAMPLE, ROLE_RUNTIME, ROLE_SWITCH, ROLE_FORK };

/* A type of a recording's events that its profile has; @field: what is read of it */
struct role {
	enum event_role role;
	const char *name;
	const char *fields[3];
};

static const struct role roles[] = {
	{ ROLE_SAMPLE, NULL, { "comm", "target_cpu" } },
	{ ROLE_RUNTIME, "sched:sched_stat_runtime", { "pid", "runtime", "comm" } },
	{ ROLE_SWITCH, "sched:sched_switch", { "prev_pid", "next_pid", "prev_comm" } },
	{ ROLE_FORK, "sched:sched_process_fork", { "parent_pid", "child_pid" } },
};

#define N_ROLES ARRAY_SIZE(roles)

/* When a CPU changed tasks; @pid -1: not known */
struct switched {
	uint64_t ts;
	int pid;
};

/* A task in the whole recording, where samples are ticks */
struct step_task {
	struct tfs_profile_task who;
	uint64_t samples, ns;
};

/*
 * struct source - the profile of one recording
 * @head: NULL: it has none
 * @samples, @runtime: indexes of buffers; -1: not there
 * @types: of @roles; NULL: the recording has no such event
 * @targets: pids to profile, as keys; without any, all
 * @cpus: for ROLE_SWITCH
 */
struct source {
	struct tfs_dat_profile *head;
	long samples, runtime;
	const struct tfs_event_type *types[N_ROLES];
	struct tfs_hashmap targets;
	struct switched *cpus;
	size_t n_cpus;
};

struct tfs_profile {
	const struct tfs_profile_ops *ops;
	void *ctx;
	struct source *sources;
	size_t n;
	struct tfs_profile_windows windows;
	struct tfs_profile_names names;
	struct tfs_hashmap steps;
	struct tfs_profile_totals totals;
	bool missing; /* the last events of a CPU are: of samples or of run time */
};

/* --- the recordings */

static const struct tfs_event_type *find_type(const struct tfs_trace *trace, const char *name)
{
	const struct tfs_event_index *index = tfs_trace_index(trace);
	const size_t sys = strcspn(name, ":");

	for (size_t i = 0; i < index->n && name[sys]; i++) {
		const struct tfs_event_type *t = &index->types[i];

		if (strlen(t->system) == sys && !memcmp(t->system, name, sys) &&
		    t->name_len == strlen(name + sys + 1) &&
		    !memcmp(t->name, name + sys + 1, t->name_len))
			return t;
	}
	return NULL;
}

static long find_buffer(const struct tfs_dat *dat, const char *name)
{
	for (size_t i = 0; i < tfs_dat_n_buffers(dat); i++) {
		if (!strcmp(tfs_dat_buffer(dat, i)->name, name))
			return (long)i;
	}
	return -1;
}

/* The set is of numbers: an entry is not looked at, but has to be something. */
static int add_target(struct source *s, uint32_t pid)
{
	if (tfs_hashmap_int(&s->targets, pid))
		return 0;
	return tfs_hashmap_add(&s->targets, tfs_hash_int(pid), s);
}

static bool is_target(const struct source *s, int pid)
{
	return !s->head->n_targets || tfs_hashmap_int(&s->targets, (uint32_t)pid);
}

static int open_source(struct source *s, const struct tfs_trace *trace)
{
	const struct tfs_dat *dat = tfs_trace_dat(trace);
	int rc = tfs_dat_profile_get(dat, &s->head);

	if (rc || !s->head)
		return rc;
	s->samples = find_buffer(dat, s->head->samples);
	s->runtime = find_buffer(dat, s->head->runtime);
	for (size_t i = 0; i < N_ROLES; i++)
		s->types[i] = find_type(trace, roles[i].name ? roles[i].name : s->head->event);
	for (size_t i = 0; i < s->head->n_targets && !rc; i++)
		rc = add_target(s, s->head->targets[i]);
	return rc;
}

static void close_source(struct source *s)
{
	tfs_hashmap_release(&s->targets);
	free(s->head);
	free(s->cpus);
}

int tfs_profile_new(struct tfs_trace *const *traces, size_t n, unsigned int flags,
		    const struct tfs_profile_ops *ops, void *ctx, struct tfs_profile **out)
{
	struct tfs_profile *p = calloc(1, sizeof(*p));
	bool any = false;
	int rc = 0;

	*out = NULL;
	if (!p)
		return -ENOMEM;
	p->ops = ops;
	p->ctx = ctx;
	p->windows.flags = flags;
	p->sources = calloc(n, sizeof(*p->sources));
	if (!p->sources)
		rc = -ENOMEM;
	for (; p->n < n && !rc; p->n++) {
		rc = open_source(&p->sources[p->n], traces[p->n]);
		any |= p->sources[p->n].head != NULL;
	}
	if (rc || !any)
		tfs_profile_free(p);
	else
		*out = p;
	return rc;
}

void tfs_profile_free(struct tfs_profile *p)
{
	struct step_task *t;
	size_t i;

	if (!p)
		return;
	for (i = 0; i < p->n; i++)
		close_source(&p->sources[i]);
	free(p->sources);
	tfs_profile_windows_release(&p->windows);
	tfs_profile_names_release(&p->names);
	tfs_hashmap_for_each(&p->steps, i, t) free(t);
	tfs_hashmap_release(&p->steps);
	free(p);
}

bool tfs_profile_has(const struct tfs_profile *p, size_t input)
{
	return p && input < p->n && p->sources[input].head;
}

/* --- events */

/* Field @n of a role's type. Return: does the event have it? */
static bool get(const struct tfs_event *event, const struct role *role, size_t n,
		struct tfs_value *value, const struct tfs_field **field)
{
	const char *name = role->fields[n];
	const struct tfs_fields *fields = event->type->fields;

	*field = name && fields ? tfs_fields_find(fields, name, strlen(name)) : NULL;
	return *field && tfs_fields_get(fields, *field, event->rec.data, event->rec.size, value);
}

static bool get_number(const struct tfs_event *event, const struct role *role, size_t n,
		       uint64_t *out)
{
	const struct tfs_field *field;
	struct tfs_value value;

	if (!get(event, role, n, &value, &field) || field->array || field->kind > TFS_VALUE_ADDRESS)
		return false;
	*out = value.number;
	return true;
}

static void get_comm(const struct tfs_event *event, const struct role *role, size_t n,
		     char comm[TFS_PROFILE_COMM_SIZE])
{
	const struct tfs_field *field;
	struct tfs_value value = { 0 };
	size_t len = 0;

	memset(comm, 0, TFS_PROFILE_COMM_SIZE);
	if (get(event, role, n, &value, &field) && field->kind == TFS_VALUE_STRING)
		len = strnlen((const char *)value.data, value.size);
	if (len > TFS_PROFILE_COMM_SIZE - 1)
		len = TFS_PROFILE_COMM_SIZE - 1;
	if (len)
		memcpy(comm, value.data, len);
}

/* Is it the timer of this CPU that woke a thread that samples? */
static bool is_sample(const struct source *s, const struct tfs_event *event,
		      const struct role *role)
{
	char comm[TFS_PROFILE_COMM_SIZE];
	uint64_t cpu;

	if (event->pid <= 0)
		return false;
	if (!*s->head->comm)
		return true;
	get_comm(event, role, 0, comm);
	if (strcmp(comm, s->head->comm) != 0)
		return false;
	return !get_number(event, role, 1, &cpu) || cpu == event->rec.cpu;
}

static const struct role *role_of(const struct source *s, const struct tfs_event *event)
{
	const long buffer = (long)event->rec.buffer;

	if (!s->head || !event->type || (buffer != s->samples && buffer != s->runtime))
		return NULL;
	for (size_t i = 0; i < N_ROLES; i++) {
		const bool sample = roles[i].role == ROLE_SAMPLE;

		if (s->types[i] == event->type && buffer == (sample ? s->samples : s->runtime))
			return &roles[i];
	}
	return NULL;
}

/* The task in the whole recording; NULL: it is not watched */
static int find_step(struct tfs_profile *p, const struct tfs_profile_task *who,
		     struct step_task **out)
{
	const uint64_t key = (uint64_t)who->input << 32 | (uint32_t)who->pid;
	struct step_task *t = tfs_hashmap_int(&p->steps, key);

	*out = t;
	if (t || p->steps.n >= STEP_TASKS_MAX)
		return 0;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->who = *who;
	if (tfs_hashmap_add(&p->steps, tfs_hash_int(key), t)) {
		free(t);
		return -ENOMEM;
	}
	*out = t;
	return 0;
}

static int add_step(struct tfs_profile *p, const struct tfs_profile_task *who, uint64_t samples,
		    uint64_t ns)
{
	struct step_task *t;
	int rc;

	if (!(p->sources[who->input].head->flags & TFS_DAT_PROFILE_TICK))
		return 0;
	rc = find_step(p, who, &t);
	if (!rc && t) {
		if (who->comm[0] || who->task)
			t->who = *who;
		t->samples += samples;
		t->ns += ns;
	}
	return rc;
}

static int add_sample(struct tfs_profile *p, const struct tfs_event *event)
{
	struct tfs_profile_task who = {
		.input = event->input,
		.pid = event->pid,
		.task = event->task,
	};
	int rc = tfs_profile_window_sample(&p->windows, &who, event->rec.ts,
					   event->shown && event->selected);

	if (!rc)
		rc = add_step(p, &who, 1, 0);
	p->totals.samples++;
	return rc;
}

static int add_runtime(struct tfs_profile *p, const struct tfs_event *event,
		       const struct role *role, int pid, uint64_t ns)
{
	struct tfs_profile_task who = { .input = event->input, .pid = pid };
	int rc;

	if (pid <= 0 || !is_target(&p->sources[event->input], pid))
		return 0;
	if (event->pid == pid)
		who.task = event->task;
	get_comm(event, role, 2, who.comm);
	rc = who.task ? 0 : tfs_profile_name_learn(&p->names, who.input, pid, who.comm);
	if (!rc)
		rc = tfs_profile_window_runtime(&p->windows, &who, event->rec.ts, ns,
						event->selected);
	if (!rc)
		rc = add_step(p, &who, 0, ns);
	p->totals.runtime_ns += ns;
	return rc;
}

static int on_runtime(struct tfs_profile *p, const struct tfs_event *event, const struct role *role)
{
	uint64_t pid, ns;

	if (!get_number(event, role, 0, &pid) || !get_number(event, role, 1, &ns))
		return 0;
	return add_runtime(p, event, role, (int)pid, ns);
}

static struct switched *cpu_of(struct source *s, uint32_t cpu)
{
	struct switched *cpus;

	if (cpu >= s->n_cpus && cpu < CPUS_MAX) {
		cpus = realloc(s->cpus, (cpu + 1) * sizeof(*cpus));
		if (!cpus)
			return NULL;
		for (size_t i = s->n_cpus; i <= cpu; i++)
			cpus[i] = (struct switched){ .pid = -1 };
		s->cpus = cpus;
		s->n_cpus = cpu + 1;
	}
	return cpu < s->n_cpus ? &s->cpus[cpu] : NULL;
}

/* Without exact run times: a task ran from one change of tasks of its CPU to the next. */
static int on_switch(struct tfs_profile *p, const struct tfs_event *event, const struct role *role)
{
	struct switched *last = cpu_of(&p->sources[event->input], event->rec.cpu);
	uint64_t prev, next;
	int rc = 0;

	if (!last)
		return event->rec.cpu < CPUS_MAX ? -ENOMEM : 0;
	if (!get_number(event, role, 0, &prev) || !get_number(event, role, 1, &next))
		return 0;
	if (last->pid == (int)prev && event->rec.ts > last->ts)
		rc = add_runtime(p, event, role, (int)prev, event->rec.ts - last->ts);
	*last = (struct switched){ event->rec.ts, (int)next };
	return rc;
}

static int on_fork(struct tfs_profile *p, const struct tfs_event *event, const struct role *role)
{
	struct source *s = &p->sources[event->input];
	uint64_t parent, child;

	if (!s->head->n_targets || !(s->head->flags & TFS_DAT_PROFILE_CHILDREN) ||
	    !get_number(event, role, 0, &parent) || !get_number(event, role, 1, &child) ||
	    !is_target(s, (int)parent))
		return 0;
	return add_target(s, (uint32_t)child);
}

/* Gives the weights of a window that is complete. */
static int give(void *ctx, const struct tfs_profile_share *share)
{
	struct tfs_profile *p = ctx;
	uint64_t ns = share->ns;

	if (!share->sampled) {
		p->totals.unsampled_ns += ns;
		return share->selected && p->ops->unsampled ?
			       p->ops->unsampled(p->ctx, &share->who, ns) :
			       0;
	}
	p->totals.spread_ns += share->spread;
	if (share->bare) {
		p->totals.bare++;
		p->totals.bare_ns += p->sources[share->who.input].head->period_ns;
		ns += p->sources[share->who.input].head->period_ns;
	}
	return p->ops->weigh(p->ctx, share->token, ns);
}

enum tfs_profile_kind tfs_profile_kind(const struct tfs_profile *p, const struct tfs_event *event)
{
	const struct source *s = p ? &p->sources[event->input] : NULL;
	const struct role *role = s ? role_of(s, event) : NULL;

	if (!role)
		return TFS_PROFILE_NONE;
	return role->role == ROLE_SAMPLE && is_sample(s, event, role) ? TFS_PROFILE_SAMPLE :
									TFS_PROFILE_OTHER;
}

int tfs_profile_event(struct tfs_profile *p, const struct tfs_event *event)
{
	const struct source *s = &p->sources[event->input];
	const struct role *role = role_of(s, event);
	int rc;

	if (!role)
		return 0;
	rc = tfs_profile_windows_advance(&p->windows, event->rec.ts, give, p);
	if (rc)
		return rc;
	switch (role->role) {
	case ROLE_SAMPLE:
		return is_sample(s, event, role) ? add_sample(p, event) : 0;
	case ROLE_RUNTIME:
		return on_runtime(p, event, role);
	case ROLE_SWITCH:
		return on_switch(p, event, role);
	case ROLE_FORK:
		return on_fork(p, event, role);
	case ROLE_NONE:
		break;
	}
	return 0;
}

void tfs_profile_lost(struct tfs_profile *p, const struct tfs_event *event)
{
	struct source *s = &p->sources[event->input];
	const long buffer = (long)event->rec.buffer;

	if (!s->head || (buffer != s->samples && buffer != s->runtime))
		return;
	if (event->missing)
		p->missing = true;
	else if (event->rec.lost > 0)
		p->totals.lost += (uint64_t)event->rec.lost;
	if (buffer == s->runtime && event->rec.cpu < s->n_cpus)
		s->cpus[event->rec.cpu].pid = -1;
}

const struct tfs_task *tfs_profile_who(const struct tfs_profile *p, const struct tfs_event *event)
{
	return event->task ? event->task :
			     tfs_profile_name_find(&p->names, event->input, event->pid);
}

int tfs_profile_sample(struct tfs_profile *p, const struct tfs_event *event, uint64_t token)
{
	const struct tfs_profile_task who = { .input = event->input, .pid = event->pid };

	return tfs_profile_window_token(&p->windows, &who, event->rec.ts, token);
}

int tfs_profile_end(struct tfs_profile *p)
{
	return tfs_profile_windows_end(&p->windows, give, p);
}

/* --- totals */

void tfs_profile_totals(const struct tfs_profile *p, struct tfs_profile_totals *out)
{
	*out = p->totals;
}

/* Do the ticks see too much of the task, or too little? */
static bool is_in_step(const struct tfs_profile *p, const struct step_task *t, uint64_t *seen)
{
	const uint64_t period = p->sources[t->who.input].head->period_ns;
	uint64_t off;

	if (!period || t->ns / period < STEP_PERIODS || t->samples > UINT64_MAX / period)
		return false;
	*seen = t->samples * period;
	off = *seen > t->ns ? *seen - t->ns : t->ns - *seen;
	return off > t->ns / 100 * STEP_PERCENT;
}

static int note_steps(const struct tfs_profile *p, struct tfs_strbuf *out)
{
	const struct step_task *t;
	size_t i, n = 0;
	uint64_t seen;
	int rc = 0;

	tfs_hashmap_for_each(&p->steps, i, t)
	{
		if (rc || !is_in_step(p, t, &seen) || n++ >= STEP_NAMED_MAX)
			continue;
		rc = tfs_strbuf_addf(out,
				     "in step with the tick: %s-%d ran for %.3f s, and its samples "
				     "say %.3f s\n",
				     t->who.task ? t->who.task->comm : t->who.comm, t->who.pid,
				     (double)t->ns / (double)NS_PER_SEC,
				     (double)seen / (double)NS_PER_SEC);
	}
	if (!rc && n > STEP_NAMED_MAX)
		rc = tfs_strbuf_addf(out, "%zu more tasks are in step with the tick\n",
				     n - STEP_NAMED_MAX);
	return rc;
}

/* Buffers that the profile names, and that a damaged file does not describe */
static int note_buffers(const struct tfs_profile *p, struct tfs_strbuf *out)
{
	int rc = 0;

	for (size_t i = 0; i < p->n && !rc; i++) {
		const struct source *s = &p->sources[i];

		if (s->head && s->samples < 0)
			rc = tfs_strbuf_addf(
				out,
				"the samples of the CPU profile are not known: buffer \'%s\' "
				"is missing\n",
				s->head->samples);
		if (!rc && s->head && *s->head->runtime && s->runtime < 0)
			rc = tfs_strbuf_addf(
				out,
				"the run time of the CPU profile is not known: buffer \'%s\' "
				"is missing\n",
				s->head->runtime);
	}
	return rc;
}

/* Losses come first: they may be the cause of the rest. */
int tfs_profile_notes(const struct tfs_profile *p, struct tfs_strbuf *out)
{
	const bool partial = p->missing || p->totals.lost;
	int rc = note_buffers(p, out);

	if (!rc && p->totals.lost)
		rc = tfs_strbuf_addf(out,
				     "%" PRIu64 " events of the profile were lost: CPU time is "
				     "missing\n",
				     p->totals.lost);
	if (!rc && !p->missing)
		rc = note_steps(p, out);
	if (!rc && p->totals.spread_ns)
		rc = tfs_strbuf_addf(out,
				     "%.3f of %.3f s of CPU time are of tasks %s, and count for "
				     "samples of tasks with the same name\n",
				     (double)p->totals.spread_ns / (double)NS_PER_SEC,
				     (double)p->totals.runtime_ns / (double)NS_PER_SEC,
				     partial ? "without samples" :
					       "that ran too briefly to be sampled");
	if (!rc && p->totals.unsampled_ns)
		rc = tfs_strbuf_addf(out, "%.3f of %.3f s of CPU time have no sample%s\n",
				     (double)p->totals.unsampled_ns / (double)NS_PER_SEC,
				     (double)p->totals.runtime_ns / (double)NS_PER_SEC,
				     p->ops->unsampled ? ": " TFS_PROFILE_NOT_SAMPLED :
							 ", and are left out");
	if (!rc && p->totals.bare)
		rc = tfs_strbuf_addf(out,
				     "%" PRIu64 " of %" PRIu64 " samples are of tasks without run "
				     "time: each counts one period\n",
				     p->totals.bare, p->totals.samples);
	return rc;
}
