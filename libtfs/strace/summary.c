/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/summary.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hashmap.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "decode/event.h"
#include "decode/event-type.h"
#include "decode/task.h"
#include "decode/trace.h"
#include "decode/types.h"
#include "pipeline/view.h"
#include "strace/call-abi.h"
#include "strace/call.h"
#include "strace/call-record.h"
#include "strace/summary-internal.h"
#include "syscalls/abi.h"
#include "tracedat/dat-read.h"
#include "tracedat/record-run.h"

/* Numbers whose names are asked for once; a kernel has about 470. */
#define KNOWN_NUMBERS 1024
/* Threads that made calls recently, by the low bits of their numbers */
#define RECENT 256
/* The number of a call that rt_sigreturn() has changed by the time it returns */
#define NO_NUMBER (-1)
/* In the numbers of x32 */
#define X32_MARK INT64_C(0x40000000)
/* That no call has returned yet */
#define NO_CALL INT64_MIN

/* The effect of a call on the thread that makes it */
enum class { ORDINARY, FORKS, EXECS, EXITS };

/*
 * @in_call: in call @nr since @begin, as events of raw_syscalls (@raw) and of syscalls (@named)
 * say; @losses is what struct summary had then. @ended: the call that returned last, as @ended_raw
 * says; the other system's event follows. @called: it began a call; @compat: it runs a program of
 * 32 bits on a kernel of 64, which has other numbers; @compat_child: such a thread created it
 */
struct thread {
	int tid;
	bool in_call, raw, named, selected, ended_raw, called, compat, compat_child;
	uint32_t losses;
	int64_t nr, ended;
	uint64_t begin;
	struct tfs_summary_group *group;
};

struct summary {
	struct tfs_view view;
	struct tfs_strace_summary_opts opts;
	struct tfs_summary_layout layout;
	struct tfs_call_records records;
	const struct tfs_event_index *index;
	bool both;         /* both kinds of events may report the same calls */
	bool by_thread;    /* what threads do has to be followed */
	bool execing;      /* @opts.command has not executed a program yet */
	bool has_compat;   /* programs of 32 bits have numbers of their own */
	int cloner;        /* the thread of 32 bits that last created another, or 0 */
	int64_t sigreturn; /* its number, NO_NUMBER if it is not known */
	/* By number; [1]: of programs of 32 bits */
	unsigned char class[2][KNOWN_NUMBERS];
	bool unwanted[2][KNOWN_NUMBERS];
	struct thread *recent[RECENT];
	struct tfs_hashmap threads;
	struct tfs_summary_group all; /* without groups */
	struct tfs_hashmap groups;
	uint32_t losses;
	uint64_t lost, missing;
	bool uncounted;
	bool doubtful; /* any thread may have made calls on a CPU whose rest is missing */
};

static struct summary *to_summary(struct tfs_view *view)
{
	return (struct summary *)view;
}

static enum class class_of_name(const char *name) {
	static const struct { const char * name; enum class class; }
classes[] = {
	{ "clone", FORKS },  { "clone3", FORKS },   { "fork", FORKS }, { "vfork", FORKS },
	{ "execve", EXECS }, { "execveat", EXECS }, { "exit", EXITS }, { "exit_group", EXITS },
};

for (size_t i = 0; name && i < ARRAY_SIZE(classes); i++)
	if (!strcmp(name, classes[i].name))
		return classes[i].class;
return ORDINARY;
}

static bool wants(const struct summary *s, int64_t key)
{
	int64_t nr = key;
	const int abi = tfs_summary_abi(s->opts.abi, &nr);

	return !s->opts.wants || s->opts.wants(s->opts.wants_ctx, abi, nr);
}

static void learn_numbers(struct summary *s)
{
	s->sigreturn = NO_NUMBER;
	s->has_compat = s->opts.times && s->opts.abi != TFS_CALLS_ABI_NONE &&
			sys_abi_compat((enum sys_abi)s->opts.abi) != SYS_ABI_NONE;
	for (int compat = 0; compat < (s->has_compat ? 2 : 1); compat++)
		for (int64_t nr = 0; nr < KNOWN_NUMBERS; nr++) {
			const int64_t key = tfs_summary_key(nr, compat);
			const char *name = tfs_summary_known_name(s->opts.abi, key);

			s->class[compat][nr] = (unsigned char)class_of_name(name);
			s->unwanted[compat][nr] = !wants(s, key);
			if (!compat && name && !strcmp(name, "rt_sigreturn"))
				s->sigreturn = nr;
		}
}

static inline enum class class_of(const struct summary *s, int64_t nr, bool compat) {
	if ((uint64_t)nr < KNOWN_NUMBERS) return (enum class)s->class[compat][nr];
	return class_of_name(tfs_summary_known_name(s->opts.abi, tfs_summary_key(nr, compat)));
}

static inline bool is_wanted(const struct summary *s, int64_t nr, bool compat)
{
	if ((uint64_t)nr < KNOWN_NUMBERS)
		return !s->unwanted[compat][nr];
	return wants(s, tfs_summary_key(nr, compat));
}

static bool has_both(const struct tfs_event_index *index)
{
	bool raw = false, named = false;

	for (size_t i = 0; i < index->n; i++) {
		raw |= !strcmp(index->types[i].system, "raw_syscalls");
		named |= !strcmp(index->types[i].system, "syscalls");
	}
	return raw && named;
}

static struct tfs_summary_group *find_group(struct summary *s, int tid)
{
	struct tfs_summary_group *g;

	if (s->opts.by == TFS_SUMMARY_BY_NOTHING)
		return &s->all;
	g = tfs_hashmap_int(&s->groups, (uint64_t)tid);
	if (g)
		return g;
	g = calloc(1, sizeof(*g));
	if (!g)
		return NULL;
	g->tid = tid;
	if (!tfs_hashmap_add(&s->groups, tfs_hash_int((uint64_t)tid), g))
		return g;
	free(g);
	return NULL;
}

static struct thread *new_thread(struct summary *s, int tid)
{
	struct thread *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->tid = tid;
	t->ended = NO_CALL;
	t->group = find_group(s, tid);
	if (t->group && !tfs_hashmap_add(&s->threads, tfs_hash_int((uint64_t)tid), t))
		return t;
	free(t);
	return NULL;
}

static inline struct thread *find_thread(struct summary *s, int tid)
{
	struct thread **recent = &s->recent[(unsigned int)tid % RECENT], *t = *recent;

	if (t && t->tid == tid)
		return t;
	t = tfs_hashmap_int(&s->threads, (uint64_t)tid);
	if (!t)
		t = new_thread(s, tid);
	*recent = t;
	return t;
}

/* So that the memory does not grow with the threads that were */
static void forget_thread(struct summary *s, struct thread *t)
{
	tfs_hashmap_remove(&s->threads, tfs_hash_int((uint64_t)t->tid), t);
	s->recent[(unsigned int)t->tid % RECENT] = NULL;
	free(t);
}

/* A call as both systems of events say */
struct said {
	const struct tfs_call_record *record;
	int tid;
	int64_t nr, ret;
	uint64_t ts;
	bool selected;
};

/* One that is in a call, which it will not be seen to return from */
static int leave_open(struct summary *s, struct thread *t)
{
	struct tfs_tally_call *call;

	t->in_call = false;
	if (!t->selected || (s->execing && t->tid == s->opts.command) ||
	    !is_wanted(s, t->nr, t->compat))
		return 0;
	call = tfs_tally_call(&t->group->tally, tfs_summary_key(t->nr, t->compat));
	if (!call)
		return -ENOMEM;
	call->unfinished++;
	return 0;
}

static int enter(struct summary *s, const struct said *said)
{
	struct thread *t = find_thread(s, said->tid);
	const bool raw = said->record->raw;
	int rc = 0;

	if (!t)
		return -ENOMEM;
	if (t->in_call && t->nr == said->nr && (raw ? !t->raw : !t->named)) {
		t->raw = t->named = true;
		t->selected |= said->selected;
		return 0;
	}
	if (t->in_call)
		rc = leave_open(s, t);
	t->in_call = t->called = true;
	t->compat_child = false;
	t->raw = raw;
	t->named = !raw;
	t->selected = said->selected;
	t->nr = said->nr;
	t->begin = said->ts;
	t->losses = s->losses;
	t->ended = NO_CALL;
	if (t->compat && class_of(s, t->nr, true) == FORKS)
		s->cloner = t->tid;
	if (!rc && !s->both && class_of(s, t->nr, t->compat) == EXITS) {
		rc = leave_open(s, t);
		forget_thread(s, t);
	}
	return rc;
}

/* Is a thread of 32 bits in the call with this number, which makes another? */
static bool is_cloning(const struct summary *s, int64_t nr)
{
	const struct thread *t = s->cloner ? tfs_hashmap_int(&s->threads, (uint64_t)s->cloner) :
					     NULL;

	return t && t->compat && t->in_call && t->nr == nr;
}

/* A new thread begins with the return from its parent's call, which is counted there. */
static bool is_child(const struct summary *s, struct thread *t, int64_t ret)
{
	if (ret)
		return false;
	if (s->has_compat && class_of(s, t->nr, true) == FORKS &&
	    (t->compat || t->compat_child || (!t->called && is_cloning(s, t->nr))))
		return t->compat = true;
	if (class_of(s, t->nr, false) != FORKS)
		return false;
	/* Another thread had the number, and its end was not recorded. */
	t->compat = false;
	return true;
}

/* Which thread the one of 32 bits has created, if numbers are those of its namespace */
static int expect_child(struct summary *s, const struct thread *t, int64_t ret)
{
	struct thread *child;

	if (!t->compat || ret <= 0 || ret > INT_MAX || class_of(s, t->nr, true) != FORKS)
		return 0;
	child = find_thread(s, (int)ret);
	if (!child)
		return -ENOMEM;
	child->compat_child = !child->called;
	return 0;
}

/*
 * A thread that executes a program of the other ABI leaves the call with the number of execve of
 * that ABI: kernels for x86_64 set it with the thread's personality. @after: the program's
 */
static bool ends_exec(const struct summary *s, struct thread *t, const struct said *said,
		      bool *after)
{
	for (int before = 0; before <= 1 && s->has_compat && !said->ret; before++)
		if (class_of(s, t->nr, before) == EXECS &&
		    class_of(s, said->nr, !before) == EXECS) {
			/* It was perhaps not known to be of 32 bits. */
			t->compat = before;
			*after = !before;
			return true;
		}
	return false;
}

/* The calls of a command before it is executed are those of the program that started it. */
static bool is_before_exec(struct summary *s, int tid, enum class class, int64_t ret)
{
	if (tid != s->opts.command)
		return false;
	if (!ret && class == EXECS)
		s->execing = false;
	return s->execing;
}

/* From exits alone */
static inline int count_exit(struct summary *s, const struct said *said)
{
	int64_t nr = said->nr == NO_NUMBER ? s->sigreturn : said->nr;
	const enum class class = class_of(s, nr, false);
	struct tfs_tally_call *call;

	if ((!said->ret && class == FORKS) || !said->selected)
		return 0;
	if ((s->execing && is_before_exec(s, said->tid, class, said->ret)) ||
	    !is_wanted(s, nr, false))
		return 0;
	call = tfs_tally_call(&s->all.tally, nr);
	return call ? tfs_tally_result(call, said->ret) : -ENOMEM;
}

static int count_call(struct summary *s, struct thread *t, const struct said *said, bool begun)
{
	struct tfs_tally_call *call;

	if ((s->execing && is_before_exec(s, t->tid, class_of(s, t->nr, t->compat), said->ret)) ||
	    !is_wanted(s, t->nr, t->compat))
		return 0;
	call = tfs_tally_call(&t->group->tally, tfs_summary_key(t->nr, t->compat));
	if (!call)
		return -ENOMEM;
	if (!s->opts.times)
		;
	else if (!begun)
		call->unbegun++;
	else if (t->losses != s->losses || s->doubtful)
		call->cut++;
	else
		tfs_stats_add(&call->times, said->ts > t->begin ? said->ts - t->begin : 0);
	return tfs_tally_result(call, said->ret);
}

static int leave(struct summary *s, const struct said *said)
{
	struct thread *t = find_thread(s, said->tid);
	const bool raw = said->record->raw;
	bool begun, same, after;
	int rc = 0;

	if (!t)
		return -ENOMEM;
	after = t->compat;
	same = t->nr == said->nr || said->nr == NO_NUMBER ||
	       (t->in_call && ends_exec(s, t, said, &after));
	/* Another call's return was lost, and the entry of this one. */
	if (t->in_call && !same)
		rc = leave_open(s, t);
	begun = t->in_call;
	if (!begun) {
		if (t->ended == said->nr && t->ended_raw != raw) {
			t->ended = NO_CALL;
			return rc;
		}
		t->nr = said->nr == NO_NUMBER ? s->sigreturn : said->nr;
		t->selected = said->selected;
	}
	t->in_call = false;
	t->ended = said->nr;
	t->ended_raw = raw;
	if (!rc)
		rc = expect_child(s, t, said->ret);
	if (!rc && t->selected && (begun || !is_child(s, t, said->ret)))
		rc = count_call(s, t, said, begun);
	if (begun)
		t->compat = after;
	return rc;
}

static inline int take(struct summary *s, const void *data, size_t size, int id, struct said *said)
{
	const struct tfs_call_record *r = tfs_call_records_find(&s->records, id);

	if (r->kind == TFS_CALL_RECORD_OTHER || !tfs_call_record_fits(r, size))
		return 0;
	said->record = r;
	said->nr = tfs_call_record_nr(r, data);
	if (r->kind == TFS_CALL_RECORD_ENTER)
		return s->opts.times ? enter(s, said) : 0;
	said->ret = tfs_call_record_ret(r, data);
	return s->by_thread ? leave(s, said) : count_exit(s, said);
}

static void remember_name(struct summary *s, const struct tfs_event *event)
{
	struct tfs_summary_group *g = tfs_hashmap_int(&s->groups, (uint64_t)event->pid);

	if (g && event->task)
		snprintf(g->comm, sizeof(g->comm), "%s", event->task->comm);
}

static int event(struct tfs_view *view, void *state, const struct tfs_event *event,
		 struct tfs_strbuf *out)
{
	struct summary *s = to_summary(view);
	struct said said = {
		.tid = event->pid,
		.ts = event->rec.ts,
		.selected = event->selected,
	};
	int id = event->type ? event->type->id : -1;
	int rc;

	(void)state;
	(void)out;
	if (s->opts.given)
		return 0;
	rc = take(s, event->rec.data, event->rec.size, id, &said);
	if (s->opts.by == TFS_SUMMARY_BY_TASK)
		remember_name(s, event);
	return rc;
}

/* The key of its number as the events have it */
static int64_t key_of(const struct summary *s, const struct tfs_call *call)
{
	const enum sys_abi abi = (enum sys_abi)s->opts.abi;

	if (s->opts.abi == TFS_CALLS_ABI_NONE || call->abi == s->opts.abi)
		return call->nr;
	if (call->abi == SYS_ABI_X32)
		return call->nr | X32_MARK;
	return tfs_summary_key(call->nr, call->abi == (int)sys_abi_compat(abi));
}

int tfs_strace_summary_call(struct tfs_view *view, const struct tfs_call *call, const char *comm)
{
	struct summary *s = to_summary(view);
	struct tfs_summary_group *g = find_group(s, call->tid);
	struct tfs_tally_call *counted = g ? tfs_tally_call(&g->tally, key_of(s, call)) : NULL;

	if (!counted)
		return -ENOMEM;
	if (*comm)
		snprintf(g->comm, sizeof(g->comm), "%s", comm);
	if (call->flags & TFS_CALL_NO_EXIT) {
		counted->unfinished++;
		return 0;
	}
	if (call->flags & TFS_CALL_NO_ENTRY)
		counted->unbegun++;
	else if (call->flags & TFS_CALL_CUT)
		counted->cut++;
	else
		tfs_stats_add(&counted->times, call->end - call->begin);
	return tfs_tally_result(counted, call->ret);
}

static void note_loss(struct summary *s, int64_t lost, bool reported)
{
	s->losses++;
	if (!reported)
		return;
	if (lost > 0)
		s->lost += (uint64_t)lost;
	else
		s->uncounted = true;
}

/* The same of many records, without their tasks and types */
static int run(struct tfs_view *view, struct tfs_record_run *run, struct tfs_strbuf *out)
{
	struct summary *s = to_summary(view);
	struct said said = { .selected = true };
	struct tfs_record rec;
	unsigned int flags;
	int rc = 0, id;

	(void)out;
	while (!rc && tfs_record_run_next(run, &rec)) {
		if (rec.lost)
			note_loss(s, rec.lost, true);
		if (!tfs_trace_head(s->index, &rec, &id, &flags, &said.tid))
			continue;
		said.ts = rec.ts;
		rc = take(s, rec.data, rec.size, id, &said);
	}
	return rc;
}

static int lost(struct tfs_view *view, void *state, const struct tfs_event *event,
		struct tfs_strbuf *out)
{
	struct summary *s = to_summary(view);

	(void)state;
	(void)out;
	if (event->missing) {
		s->missing += event->lost;
		s->doubtful = true;
	} else {
		note_loss(s, event->rec.lost, event->lost);
	}
	return 0;
}

static void add_totals(const struct tfs_tally *tally, struct tfs_strace_summary_totals *totals)
{
	const struct tfs_tally_call *call;
	size_t i;

	for (i = 0; i < tally->n + tally->others.n_slots; i++) {
		call = i < tally->n ? tally->by_nr[i] : tally->others.slot[i - tally->n].entry;
		if (!call)
			continue;
		totals->calls += call->calls;
		totals->errors += call->errors;
		totals->unbegun += call->unbegun;
		totals->cut += call->cut;
		totals->unfinished += call->unfinished;
	}
}

void tfs_strace_summary_totals(const struct tfs_view *view,
			       struct tfs_strace_summary_totals *totals)
{
	const struct summary *s = (const struct summary *)view;
	const struct tfs_summary_group *g;
	size_t i;

	*totals = (struct tfs_strace_summary_totals){
		.lost = s->lost,
		.uncounted = s->uncounted,
		.missing = s->missing,
		.more_cpus = tfs_dat_more_cpus(tfs_trace_dat(s->opts.trace)),
	};
	add_totals(&s->all.tally, totals);
	tfs_hashmap_for_each(&s->groups, i, g) add_totals(&g->tally, totals);
}

/* Those with the most calls first */
static int compare_groups(const void *a, const void *b)
{
	const struct tfs_summary_group *x = *(struct tfs_summary_group *const *)a;
	const struct tfs_summary_group *y = *(struct tfs_summary_group *const *)b;
	struct tfs_strace_summary_totals of_x = { 0 }, of_y = { 0 };

	add_totals(&x->tally, &of_x);
	add_totals(&y->tally, &of_y);
	if (of_x.calls != of_y.calls)
		return of_x.calls < of_y.calls ? 1 : -1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

int tfs_strace_summary_print(struct tfs_view *view, struct tfs_strbuf *out)
{
	struct summary *s = to_summary(view);
	struct tfs_summary_group **groups = NULL, *g;
	struct tfs_strace_summary_totals totals;
	size_t n = 0, i;
	int rc;

	groups = calloc(s->groups.n + 1, sizeof(struct tfs_summary_group *));
	if (!groups)
		return -ENOMEM;
	if (s->opts.by == TFS_SUMMARY_BY_NOTHING)
		groups[n++] = &s->all;
	tfs_hashmap_for_each(&s->groups, i, g) groups[n++] = g;
	qsort(groups, n, sizeof(struct tfs_summary_group *), compare_groups);
	tfs_strace_summary_totals(view, &totals);
	if (s->opts.style == TFS_EXPORT_TAB)
		rc = tfs_summary_print_text(&s->opts, &s->layout, &totals, groups, n, out);
	else
		rc = tfs_summary_export(&s->opts, &totals, groups, n, out);
	free(groups);
	return rc;
}

void tfs_strace_summary_reset(struct tfs_view *view)
{
	struct summary *s = to_summary(view);
	struct tfs_summary_group *g;
	size_t i;

	tfs_tally_release(&s->all.tally);
	tfs_hashmap_for_each(&s->groups, i, g) tfs_tally_release(&g->tally);
	s->lost = s->missing = 0;
	s->uncounted = false;
}

static int end(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	struct summary *s = to_summary(view);
	struct thread *t;
	size_t i;
	int rc = 0;

	(void)err;
	tfs_hashmap_for_each(&s->threads, i, t) if (t->in_call && !rc) rc = leave_open(s, t);
	return rc ? rc : tfs_strace_summary_print(view, out);
}

static int text(struct tfs_view *view, const char *text, size_t len, struct tfs_strbuf *out,
		struct tfs_err *err)
{
	(void)view;
	(void)text;
	(void)len;
	(void)out;
	return tfs_err_say(err, -EOPNOTSUPP,
			   "the recording is a latency tracer's text, which has no system calls");
}

static void free_view(struct tfs_view *view)
{
	struct summary *s = to_summary(view);
	struct tfs_summary_group *g;
	struct thread *t;
	size_t i;

	tfs_hashmap_for_each(&s->threads, i, t) free(t);
	tfs_hashmap_release(&s->threads);
	tfs_hashmap_for_each(&s->groups, i, g)
	{
		tfs_tally_release(&g->tally);
		free(g);
	}
	tfs_hashmap_release(&s->groups);
	tfs_tally_release(&s->all.tally);
	tfs_call_records_release(&s->records);
	free(s);
}

static const struct tfs_view_ops ops = {
	.event = event,
	.lost = lost,
	.run = run,
	.text = text,
	.end = end,
	.free = free_view,
};

int tfs_strace_summary_new(const struct tfs_strace_summary_opts *opts, struct tfs_view **view,
			   struct tfs_err *err)
{
	struct summary *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return -ENOMEM;
	s->view.ops = &ops;
	/* Names of threads come with events only. */
	s->view.flags = TFS_VIEW_UNSELECTED | TFS_VIEW_MISSING;
	if (opts->by == TFS_SUMMARY_BY_NOTHING && !opts->given)
		s->view.flags |= TFS_VIEW_RUNS;
	s->opts = *opts;
	s->opts.columns = s->opts.sort = NULL;
	s->index = tfs_trace_index(opts->trace);
	s->both = has_both(s->index);
	s->by_thread = opts->times || opts->by != TFS_SUMMARY_BY_NOTHING || s->both;
	s->execing = opts->command;
	learn_numbers(s);
	rc = tfs_summary_layout_parse(&s->layout, opts->columns, opts->sort, opts->times, err);
	if (!rc)
		rc = tfs_call_records_init(&s->records, opts->trace);
	if (rc)
		tfs_view_free(&s->view);
	else
		*view = &s->view;
	return rc;
}
