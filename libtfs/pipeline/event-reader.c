/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pipeline/event-reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/strbuf-core.h"
#include "decode/event-text.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/fgraph.h"
#include "decode/task.h"
#include "decode/trace.h"
#include "decode/types.h"
#include "decode/wakeup.h"
#include "filter/filter.h"
#include "filter/select.h"
#include "filter/time-range.h"
#include "pipeline/batch.h"
#include "pipeline/run.h"
#include "pipeline/timestamp-check.h"
#include "pipeline/view.h"
#include "printfmt/indent.h"
#include "printfmt/native.h"
#include "printfmt/program.h"
#include "tracedat/event-source.h"
#include "tracedat/merge.h"
#include "tracedat/record-run.h"

/* Tasks that recorded recently, by the low bits of their pids. */
#define RECENT 256
/* Event types that fill_fast() can handle, by the low bits of their ids. */
#define RECENT_TYPES 256

struct recent {
	int pid;
	const struct tfs_task *task; /* NULL: none */
};

struct recent_type {
	int id;
	struct tfs_event_type *type; /* NULL: none */
};

struct incomplete {
	uint32_t buffer, cpu;
};

struct tfs_event_reader {
	struct tfs_trace *trace;
	const struct tfs_event_index *index; /* its types */
	struct tfs_merge_opts merge_opts;
	struct tfs_merge *merge;
	struct tfs_blocks *kept; /* gets the memory of records; NULL: it is freed */
	const struct tfs_time_ranges *ranges;
	struct tfs_time_range range; /* the current one */
	size_t next_range;
	struct tfs_select *select;
	bool unselected;                /* events that are not selected are given as well */
	const struct tfs_filter *after; /* NULL: begun already */
	const struct tfs_filter *until; /* NULL: to the end of the recording */
	uint32_t last_cpu, last_buffer;
	unsigned int last_context;
	bool ending; /* the event of @until was given: its stack traces may follow */
	bool ended;  /* no more events */
	struct tfs_tasks *tasks;
	struct tfs_event_text *event_text; /* NULL: the view prints none */
	struct tfs_indent *indent;
	struct tfs_strbuf text; /* of the event given last, by tfs_event_reader_next() */
	struct tfs_wakeup *wakeup;
	struct tfs_timestamp_check *timestamp_check;
	uint64_t ts_offset;
	struct recent recent[RECENT];
	struct tfs_strbuf names; /* of tasks, as a live source gave them last */
	uint64_t named;          /* the source's updates then */
	struct recent_type recent_types[RECENT_TYPES];
	bool names_change;
	bool learns;     /* names in records name tasks */
	bool leaves;     /* entries are joined with exits, see TFS_VIEW_LEAVES */
	bool plain;      /* every record is shown, with no other use for it */
	bool fast_path;  /* @plain, and the next record needs no check: try fill_fast() */
	bool joined;     /* an entry was joined with its exit, which is still to come */
	uint64_t before; /* time stamp of the event shown last */
	bool after_loss; /* the event given last only reports a loss */
	struct incomplete *incomplete; /* CPUs whose rest is missing, given already */
	size_t n_incomplete, cap_incomplete;
	struct tfs_err failed; /* while filling a batch that had events */
};

/* Continue with the next range without reading what lies between. 1, 0 at the end, -errno */
static int enter_range(struct tfs_event_reader *er, struct tfs_err *err)
{
	int rc;

	if (er->ranges && er->next_range == er->ranges->n)
		return 0;
	if (er->ranges) {
		er->range = er->ranges->v[er->next_range++];
		er->merge_opts.from = tfs_time_before_offset(er->range.from, er->ts_offset);
	}
	if (er->merge && er->kept)
		tfs_merge_retire(er->merge);
	tfs_merge_free(er->merge);
	er->merge = NULL;
	rc = tfs_merge_new(tfs_trace_dat(er->trace), &er->merge_opts, &er->merge, err);
	if (!rc && er->kept)
		tfs_merge_keep(er->merge, er->kept);
	return rc ? rc : 1;
}

int tfs_event_reader_new(const struct tfs_run_input *input, unsigned int view_flags,
			 struct tfs_event_reader **out, struct tfs_err *err)
{
	struct tfs_event_reader *er = calloc(1, sizeof(*er));
	int rc = er ? 0 : -ENOMEM;

	if (rc)
		goto out;
	er->failed = TFS_ERR_INIT;
	er->trace = input->trace;
	er->index = tfs_trace_index(er->trace);
	er->select = input->select && !tfs_select_is_all(input->select) ? input->select : NULL;
	er->unselected = view_flags & TFS_VIEW_UNSELECTED;
	er->learns = !(view_flags & TFS_VIEW_OWN_NAMES);
	er->leaves = view_flags & TFS_VIEW_LEAVES;
	er->ts_offset = (uint64_t)input->ts_offset;
	if (input->merge)
		er->merge_opts = *input->merge;
	er->merge_opts.missing = true;
	er->names_change = er->merge_opts.source && er->merge_opts.source->ops->task_names;
	if (input->ranges && input->ranges->n)
		er->ranges = input->ranges;
	er->range.to = UINT64_MAX;
	er->after = input->after;
	er->until = input->until;
	er->wakeup = input->wakeup;
	er->timestamp_check = input->timestamp_check;
	er->plain = !er->select && !er->ranges && !er->after && !er->until && !er->wakeup &&
		    !er->timestamp_check && !er->leaves && er->index->standard;
	er->fast_path = er->plain;
	tfs_strbuf_init(&er->text);
	tfs_strbuf_init(&er->names);
	rc = tfs_tasks_new(er->trace, &er->tasks);
	if (!rc)
		rc = tfs_indent_new(&er->indent);
	if (!rc && view_flags & TFS_VIEW_EVENT_TEXT)
		rc = tfs_event_text_new(er->trace, TFS_EVENT_TEXT_FORMATTED, &er->event_text);
out:
	if (rc)
		tfs_err_set(err, rc, "cannot read the recording");
	else
		rc = enter_range(er, err);
	if (rc < 0)
		tfs_event_reader_free(er);
	else
		*out = er;
	return rc < 0 ? rc : 0;
}

void tfs_event_reader_free(struct tfs_event_reader *er)
{
	if (!er)
		return;
	tfs_merge_free(er->merge);
	tfs_event_text_free(er->event_text);
	tfs_tasks_free(er->tasks);
	tfs_indent_free(er->indent);
	tfs_strbuf_release(&er->text);
	tfs_strbuf_release(&er->names);
	free(er->incomplete);
	free(er);
}

/* If the next record of the buffer, on any CPU, is the exit of this entry, both are one line. */
static int join_leaf(struct tfs_event_reader *er, struct tfs_event *event, struct tfs_err *err)
{
	struct tfs_record next;
	int rc;

	if (!tfs_fgraph_is_entry(event->type))
		return 0;
	rc = tfs_merge_peek_buffer(er->merge, &next, err);
	if (rc <= 0)
		return rc == -ENOMEM ? rc : 0;
	tfs_fgraph_join(er->trace, event, &next);
	er->joined |= event->leaf.type != NULL;
	return 0;
}

/* As in the kernel: the exit must be the next record of the CPU. */
static int join_next(struct tfs_event_reader *er, struct tfs_event *event, struct tfs_err *err)
{
	struct tfs_record next;
	int rc;

	if (!tfs_fgraph_is_call(event->type))
		return 0;
	rc = tfs_merge_peek(er->merge, &next, err);
	if (rc > 0)
		tfs_fgraph_join(er->trace, event, &next);
	return rc == -ENOMEM ? rc : 0;
}

static int learn(void *tasks, int pid, const char *comm, size_t len)
{
	return tfs_tasks_learn(tasks, pid, comm, len);
}

/* The state that printing events in order would pass from one to the next. */
static int learn_natively(struct tfs_event_reader *er, struct tfs_event *event)
{
	const struct tfs_native_rec rec = { .data = event->rec.data, .size = event->rec.size };
	const struct tfs_learn to = { learn, er->tasks };
	int rc = er->event_text ?
			 tfs_native_indent(event->type->native, er->indent, event->rec.cpu, &rec) :
			 0;

	if (rc < 0)
		return rc;
	event->indent = (unsigned int)rc;
	return er->learns ? tfs_native_learn(event->type->native, &rec, &to) : 0;
}

/* Appends to @text, which may move: @event->text is final only when @text is complete. */
static int print_event_text(struct tfs_event_reader *er, struct tfs_event *event,
			    struct tfs_strbuf *text)
{
	size_t start = text->len;
	int rc;

	if (!tfs_event_text_in_order(event))
		return event->type->native ? learn_natively(er, event) : 0;
	rc = tfs_event_text_print(er->event_text, event, text);
	event->text = text->s + start;
	event->text_len = text->len - start;
	tfs_tasks_changed(er->tasks);
	return rc;
}

/* Only plugins, or our code in their place, need other records and name tasks. */
static int in_order(struct tfs_event_reader *er, struct tfs_event *event, struct tfs_strbuf *text,
		    struct tfs_err *err)
{
	int rc;

	/* A task has the same name as in the text. */
	if (!er->event_text)
		return er->learns && event->type->native ? learn_natively(er, event) : 0;
	rc = join_leaf(er, event, err);
	return rc ? rc : print_event_text(er, event, text);
}

static int find_task(struct tfs_event_reader *er, struct tfs_event *event)
{
	struct recent *r = &er->recent[(unsigned int)event->pid % RECENT];
	int rc;

	event->task = r->task;
	if (r->task && r->pid == event->pid)
		return 0;
	rc = tfs_tasks_find(er->tasks, event->pid, &event->task);
	/* A task that has no name may get one. */
	if (event->task)
		*r = (struct recent){ event->pid, event->task };
	return rc;
}

/* So that fill_fast() knows it next time. */
static void remember_type(struct tfs_event_reader *er, int id, struct tfs_event_type *type)
{
	if (type && type->plain)
		er->recent_types[(unsigned int)id % RECENT_TYPES] =
			(struct recent_type){ id, type };
}

/* Other threads print by the type: write to it only if something changed, which is rare. */
static void note_bytes(struct tfs_event *event)
{
	const struct tfs_record *rec = &event->rec;
	struct tfs_event_type *type = event->type;

	event->bytes = tfs_program_bytes(type->all, rec->data, rec->size, rec->room, type->bytes);
	if (event->bytes != type->bytes)
		type->bytes = event->bytes;
}

static bool need_names(const struct tfs_event_reader *er)
{
	const struct tfs_event_source *source = er->merge_opts.source;
	uint64_t since = source->updates - er->named;

	/* Many tasks of the first events have had their names for long. */
	return since && (!er->named || since >= source->names_every);
}

/* Tasks of a running kernel come, go and change names: read them once per update. */
static __attribute__((noinline)) int update_names(struct tfs_event_reader *er, struct tfs_err *err)
{
	struct tfs_event_source *source = er->merge_opts.source;
	struct tfs_strbuf now = TFS_STRBUF_INIT;
	int rc = 0;

	er->named = source->updates;
	/* On failure the known names remain. */
	if (!source->ops->task_names(source, &now) && now.len &&
	    (now.len != er->names.len || memcmp(now.s, er->names.s, now.len))) {
		rc = tfs_tasks_update(er->tasks, now.s);
		memset(er->recent, 0, sizeof(er->recent));
		tfs_strbuf_release(&er->names);
		er->names = now;
		tfs_strbuf_init(&now);
	}
	tfs_strbuf_release(&now);
	return rc ? tfs_err_set(err, rc, "cannot read the names of tasks") : 0;
}

/* Fill in what the record means; for records that are shown. */
static int fill(struct tfs_event_reader *er, struct tfs_event *event, struct tfs_strbuf *text,
		struct tfs_err *err)
{
	const struct tfs_record *rec = &event->rec;
	int id, rc;

	event->type = NULL;
	if (tfs_trace_head(er->index, rec, &id, &event->flags, &event->pid)) {
		event->type = tfs_trace_ready(er->index, id);
	} else {
		id = tfs_trace_record_id(er->trace, rec);
		event->flags = tfs_trace_record_flags(er->trace, rec);
		event->pid = tfs_trace_record_pid(er->trace, rec);
	}
	if (!event->type) {
		event->type = tfs_trace_event(er->trace, id);
		if (tfs_trace_check_memory(er->trace, NULL))
			return tfs_trace_check_memory(er->trace, err);
	}
	remember_type(er, id, event->type);
	if (event->type && event->type->all)
		note_bytes(event);
	event->before = er->before;
	er->before = event->rec.ts;
	if (er->names_change && need_names(er)) {
		rc = update_names(er, err);
		if (rc)
			return rc;
	}
	rc = find_task(er, event);
	if (!rc && er->wakeup)
		rc = tfs_wakeup_look(er->wakeup, event);
	if (!rc && er->leaves)
		rc = join_next(er, event, err);
	if (!rc && event->type && event->type->handled)
		rc = in_order(er, event, text, err);
	return rc ? tfs_err_set(err, rc, "cannot format the report") : 0;
}

static bool selected(const struct tfs_event_reader *er, const struct tfs_record *rec)
{
	return !er->select || tfs_select_match(er->select, rec);
}

/* A loss is reported even if the record it is noted on is not selected. */
static bool has_loss(const struct tfs_event_reader *er, const struct tfs_record *rec)
{
	return rec->lost && (!er->select || tfs_select_wants_cpu(er->select, rec));
}

static unsigned int context_of(const struct tfs_event_reader *er, const struct tfs_record *rec)
{
	return tfs_flags_context(tfs_trace_record_flags(er->trace, rec));
}

/* The report ends, unless the next record of the CPU is a stack trace of its last event, or one of
 * an interrupt that came before that. */
static int look_for_stack(struct tfs_event_reader *er, struct tfs_err *err)
{
	struct tfs_record next;
	int rc = tfs_merge_peek(er->merge, &next, err);
	unsigned int context = rc > 0 ? context_of(er, &next) : 0;

	er->ended = rc <= 0 || next.lost || context < er->last_context ||
		    (context == er->last_context && !tfs_trace_is_stack(er->trace, &next));
	return rc < 0 ? rc : 0;
}

/* After the last event: 1 for its stack traces */
static int after_last(struct tfs_event_reader *er, const struct tfs_record *rec,
		      struct tfs_err *err)
{
	int rc;

	if (rec->cpu != er->last_cpu || rec->buffer != er->last_buffer)
		return 0;
	rc = look_for_stack(er, err);
	return rc ? rc : context_of(er, rec) == er->last_context;
}

/*
 * Is the record between the first and the last one of the report (--after, --until)? Both belong to
 * it, the last one with its stack traces. 1, 0, -errno
 */
static int between(struct tfs_event_reader *er, const struct tfs_record *rec, struct tfs_err *err)
{
	int rc;

	if (er->after) {
		if (tfs_filter_match(er->after, rec) != TFS_FILTER_MATCH)
			return 0;
		er->after = NULL;
		return 1;
	}
	if (er->ending)
		return after_last(er, rec, err);
	if (!er->until || tfs_filter_match(er->until, rec) != TFS_FILTER_MATCH)
		return 1;
	er->ending = true;
	er->last_cpu = rec->cpu;
	er->last_buffer = rec->buffer;
	er->last_context = context_of(er, rec);
	rc = look_for_stack(er, err);
	return rc ? rc : 1;
}

/* Members that few events use. */
static inline void clear_rest(struct tfs_event *event)
{
	event->gap = false;
	event->missing = false;
	event->indent = 0;
	event->text = NULL;
	event->leaf.type = NULL;
	event->leaf.data = NULL;
	event->leaf.size = 0;
}

/*
 * The fast path, for almost all records: the type was seen before and no plugin prints it, and the
 * task recorded recently. false: nothing was done.
 */
static inline bool fill_fast(struct tfs_event_reader *er, struct tfs_event *event)
{
	const struct tfs_record *rec = &event->rec;
	const struct recent *r;
	const struct recent_type *u;
	int id;

	if (rec->lost || !tfs_trace_head(er->index, rec, &id, &event->flags, &event->pid))
		return false;
	r = &er->recent[(unsigned int)event->pid % RECENT];
	u = &er->recent_types[(unsigned int)id % RECENT_TYPES];
	if (r->pid != event->pid || !r->task || u->id != id || !u->type)
		return false;
	event->type = u->type;
	event->task = r->task;
	event->before = er->before;
	er->before = rec->ts;
	event->fast_path = true;
	event->lost = false;
	event->shown = true;
	event->selected = true;
	event->after_loss = false;
	clear_rest(event);
	return true;
}

/* Is there a loss to report before the record, or the record to show? */
static inline bool is_wanted(struct tfs_event_reader *er, struct tfs_event *event)
{
	event->lost = has_loss(er, &event->rec);
	event->shown = event->selected = selected(er, &event->rec);
	if (event->lost)
		er->after_loss = true;
	if (event->shown) {
		event->after_loss = er->after_loss;
		er->after_loss = false;
		if (er->joined && tfs_fgraph_joined(er->trace, &event->rec))
			event->shown = false;
	}
	if (er->unselected) {
		event->gap = event->rec.lost;
		event->shown = true;
	}
	return event->lost || event->shown;
}

/* Each time range begins anew; a CPU whose rest is missing is given in the first. */
static int is_news(struct tfs_event_reader *er, const struct tfs_record *rec)
{
	for (size_t i = 0; i < er->n_incomplete; i++)
		if (er->incomplete[i].buffer == rec->buffer && er->incomplete[i].cpu == rec->cpu)
			return 0;
	if (tfs_grow(&er->incomplete, &er->cap_incomplete, er->n_incomplete + 1))
		return -ENOMEM;
	er->incomplete[er->n_incomplete++] = (struct incomplete){ rec->buffer, rec->cpu };
	return 1;
}

/* @event->rec says whose rest is missing. 1 if it is wanted, 0, -ENOMEM */
static int fill_missing(struct tfs_event_reader *er, struct tfs_event *event, struct tfs_err *err)
{
	int rc = is_news(er, &event->rec);

	if (rc < 0)
		return tfs_err_set(err, rc, "cannot read the recording");
	event->rec.ts += er->ts_offset;
	event->type = NULL;
	event->task = NULL;
	event->pid = 0;
	event->flags = 0;
	event->before = er->before;
	event->shown = event->selected = event->after_loss = false;
	event->missing = true;
	event->lost = !er->select || tfs_select_wants_cpu(er->select, &event->rec);
	return rc && (event->lost || er->unselected);
}

/* 1, 0 at the end, TFS_MERGE_MISSING, -errno. @given: @event has the record */
static int next_record(struct tfs_event_reader *er, struct tfs_event *event, bool given,
		       struct tfs_err *err)
{
	int rc = given ? 1 : tfs_merge_next(er->merge, &event->rec, err);

	if (rc <= 0 || rc == TFS_MERGE_MISSING)
		return rc;
	if (!given)
		event->rec.ts += er->ts_offset;
	if (er->timestamp_check)
		tfs_timestamp_check_record(er->timestamp_check, &event->rec);
	return rc;
}

static int next_wanted(struct tfs_event_reader *er, struct tfs_event *event,
		       struct tfs_strbuf *text, bool given, struct tfs_err *err)
{
	int rc;

	for (; !er->ended; given = false) {
		rc = next_record(er, event, given, err);
		if (rc == TFS_MERGE_MISSING) {
			rc = fill_missing(er, event, err);
			if (rc)
				return rc;
			event->missing = false;
			continue;
		}
		if (rc <= 0)
			return rc;
		if (event->rec.ts > er->range.to) {
			rc = enter_range(er, err);
			if (rc <= 0)
				return rc;
			continue;
		}
		rc = event->rec.ts < er->range.from ? 0 : between(er, &event->rec, err);
		if (rc < 0)
			return rc;
		if (!rc || !is_wanted(er, event))
			continue;
		rc = event->shown ? fill(er, event, text, err) : 0;
		return rc ? rc : 1;
	}
	return 0;
}

/* @given: @event has its record. Not inline, so that the fast path saves no registers for it. */
static __attribute__((noinline)) int next_of_any(struct tfs_event_reader *er,
						 struct tfs_event *event, struct tfs_strbuf *text,
						 bool given, struct tfs_err *err)
{
	int rc;

	event->fast_path = false;
	clear_rest(event);
	rc = next_wanted(er, event, text, given, err);
	er->fast_path = er->plain && !er->after_loss && !er->joined;
	return rc;
}

static inline int next_event(struct tfs_event_reader *er, struct tfs_event *event,
			     struct tfs_strbuf *text, struct tfs_err *err)
{
	if (!er->fast_path || !tfs_merge_next_fast(er->merge, &event->rec))
		return next_of_any(er, event, text, false, err);
	event->rec.ts += er->ts_offset;
	return fill_fast(er, event) ? 1 : next_of_any(er, event, text, true, err);
}

void tfs_event_reader_keep(struct tfs_event_reader *er, struct tfs_blocks *blocks)
{
	er->kept = blocks;
	tfs_merge_keep(er->merge, blocks);
}

int tfs_event_reader_next(struct tfs_event_reader *er, struct tfs_event *event, struct tfs_err *err)
{
	tfs_strbuf_reset(&er->text);
	return next_event(er, event, &er->text, err);
}

int tfs_event_reader_batch(struct tfs_event_reader *er, struct tfs_batch *b, struct tfs_err *err)
{
	size_t bytes = 0;
	int rc = er->failed.code;

	if (rc) {
		if (err)
			*err = er->failed;
		return rc;
	}
	tfs_event_reader_keep(er, &b->blocks);
	while (!tfs_batch_is_full(b, bytes)) {
		rc = next_event(er, &b->events[b->n], &b->event_texts, &er->failed);
		if (rc <= 0)
			break;
		bytes += b->events[b->n++].rec.size;
	}
	tfs_batch_place_event_texts(b);
	if (b->n)
		return 1;
	if (rc < 0 && err)
		*err = er->failed;
	return rc;
}

bool tfs_event_reader_has_runs(const struct tfs_event_reader *er)
{
	return er->plain && !er->ts_offset;
}

int tfs_event_reader_run(struct tfs_event_reader *er, struct tfs_record_run *run,
			 struct tfs_event *event, struct tfs_err *err)
{
	int rc, wanted = 0;

	do {
		rc = tfs_merge_run(er->merge, run, err);
		if (rc != TFS_MERGE_MISSING)
			return rc;
		event->rec = run->first;
		wanted = fill_missing(er, event, err);
	} while (!wanted);
	return wanted < 0 ? wanted : rc;
}

void tfs_event_reader_progress(const struct tfs_event_reader *er, uint64_t *done, uint64_t *total)
{
	tfs_merge_progress(er->merge, done, total);
}
