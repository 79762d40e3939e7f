/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pipeline/merged-sources.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"
#include "decode/event.h"
#include "decode/trace.h"
#include "pipeline/batch.h"
#include "pipeline/event-reader.h"
#include "pipeline/order-check.h"
#include "pipeline/run.h"
#include "tracedat/dat-read.h"
#include "tracedat/merge.h"
#include "tracedat/record-run.h"
#include "tracedat/stream.h"

/*
 * One recording, and its next event if it has one. That event may come into a later batch than the
 * one that is being filled, so memory that is done with until then goes where the event goes.
 */
struct lane {
	struct tfs_trace *trace;
	struct tfs_event_reader *reader;
	struct tfs_event event;
	struct tfs_blocks blocks;
	bool has_event;
};

struct tfs_merged_sources {
	struct lane *lanes;
	size_t n;
	struct lane *given; /* whose event the caller has */
	uint64_t left;      /* events that may still be shown */
	uint64_t before;    /* of what was shown last, of several recordings */
	struct tfs_run_losses *losses;
	struct tfs_order_check *order; /* NULL: none */
	struct tfs_err failed;         /* while filling a batch that had events */
};

static int add_lane(struct tfs_merged_sources *ms, const struct tfs_run_input *input,
		    unsigned int view_flags, struct tfs_err *err)
{
	struct lane *lane = &ms->lanes[ms->n];
	int rc = tfs_event_reader_new(input, view_flags, &lane->reader, err);

	if (rc)
		return rc;
	lane->trace = input->trace;
	tfs_trace_take_turns(lane->trace, ms->lanes[0].trace);
	ms->n++;
	return 0;
}

/* With one recording there is no choice, and nothing is read ahead. */
static int prime(struct tfs_merged_sources *ms, struct lane *lane, struct tfs_err *err)
{
	int rc = tfs_event_reader_next(lane->reader, &lane->event, err);

	lane->has_event = rc > 0;
	lane->event.input = (uint32_t)(lane - ms->lanes);
	return rc < 0 ? rc : 0;
}

int tfs_merged_sources_new(const struct tfs_run_opts *opts, unsigned int view_flags,
			   struct tfs_merged_sources **out, struct tfs_err *err)
{
	struct tfs_merged_sources *ms = calloc(1, sizeof(*ms));
	size_t i;
	int rc = 0;

	if (ms)
		ms->lanes = calloc(opts->n, sizeof(*ms->lanes));
	if (!ms || !ms->lanes) {
		tfs_merged_sources_free(ms);
		return tfs_err_set(err, -ENOMEM, "cannot read the recording");
	}
	ms->failed = TFS_ERR_INIT;
	ms->left = opts->max_events ? opts->max_events : UINT64_MAX;
	ms->losses = opts->losses;
	ms->order = opts->n > 1 ? opts->order : NULL;
	for (i = 0; i < opts->n && !rc; i++)
		rc = add_lane(ms, &opts->inputs[i], view_flags, err);
	for (i = 0; i < ms->n && ms->n > 1 && !rc; i++) {
		tfs_event_reader_keep(ms->lanes[i].reader, &ms->lanes[i].blocks);
		rc = prime(ms, &ms->lanes[i], err);
	}
	if (rc) {
		tfs_merged_sources_free(ms);
		return rc;
	}
	*out = ms;
	return 0;
}

void tfs_merged_sources_free(struct tfs_merged_sources *ms)
{
	if (!ms)
		return;
	for (size_t i = 0; i < ms->n; i++) {
		tfs_event_reader_free(ms->lanes[i].reader);
		tfs_trace_take_turns(ms->lanes[i].trace, ms->lanes[i].trace);
		tfs_blocks_free(&ms->lanes[i].blocks);
	}
	free(ms->lanes);
	free(ms);
}

static bool is_instance(const struct lane *lane)
{
	return *tfs_dat_buffer(tfs_trace_dat(lane->trace), lane->event.rec.buffer)->name;
}

/* @b was named after @a */
static bool is_before(const struct lane *b, const struct lane *a)
{
	if (b->event.rec.ts != a->event.rec.ts)
		return b->event.rec.ts < a->event.rec.ts;
	return !is_instance(b) && is_instance(a);
}

/* The lane whose event is the next one; NULL at the end. 0 or -errno */
static int choose(struct tfs_merged_sources *ms, struct lane **out, struct tfs_err *err)
{
	struct lane *first = NULL, *lane;
	int rc = 0;

	if (ms->given) {
		tfs_blocks_free(&ms->given->blocks);
		rc = prime(ms, ms->given, err);
	}
	ms->given = NULL;
	if (rc)
		return rc;
	for (lane = ms->lanes; lane < ms->lanes + ms->n; lane++)
		if (lane->has_event && (!first || is_before(lane, first)))
			first = lane;
	ms->given = first;
	*out = first;
	return 0;
}

static void count_loss(struct tfs_merged_sources *ms, int64_t lost)
{
	if (!ms->losses)
		return;
	ms->losses->any = true;
	if (lost > 0)
		ms->losses->counted += (uint64_t)lost;
	else
		ms->losses->uncounted = true;
}

/* Events and losses are counted over all sources. */
static void count(struct tfs_merged_sources *ms, const struct tfs_event *event)
{
	if (ms->left != UINT64_MAX)
		ms->left -= event->shown && event->selected;
	if (event->missing && event->lost && ms->losses) {
		ms->losses->any = true;
		ms->losses->missing++;
	} else if (event->lost && !event->missing) {
		count_loss(ms, event->rec.lost);
	}
}

/* A reader knows only of its own recording. */
static int follow(struct tfs_merged_sources *ms, struct tfs_event *event)
{
	if (!event->shown)
		return 0;
	event->before = ms->before;
	ms->before = event->rec.ts;
	return ms->order && event->selected ? tfs_order_check_event(ms->order, event) : 0;
}

int tfs_merged_sources_next(struct tfs_merged_sources *ms, struct tfs_event *event,
			    struct tfs_err *err)
{
	struct lane *lane = NULL;
	int rc;

	if (!ms->left)
		return 0;
	if (ms->n == 1) {
		event->input = 0;
		rc = tfs_event_reader_next(ms->lanes[0].reader, event, err);
	} else {
		rc = choose(ms, &lane, err);
		if (lane) {
			rc = follow(ms, &lane->event);
			*event = lane->event;
			rc = rc ? tfs_err_set(err, rc, "cannot check the order of events") : 1;
		}
	}
	if (rc > 0)
		count(ms, event);
	return rc;
}

bool tfs_merged_sources_has_runs(const struct tfs_merged_sources *ms)
{
	return ms->n == 1 && ms->left == UINT64_MAX &&
	       tfs_event_reader_has_runs(ms->lanes[0].reader);
}

int tfs_merged_sources_run(struct tfs_merged_sources *ms, struct tfs_record_run *run,
			   struct tfs_event *event, struct tfs_err *err)
{
	int rc;

	event->input = 0;
	rc = tfs_event_reader_run(ms->lanes[0].reader, run, event, err);
	if (rc == TFS_MERGE_MISSING)
		count(ms, event);
	/* Only the first record of a run can have a loss before it. */
	else if (rc > 0 && run->first.lost)
		count_loss(ms, run->first.lost);
	return rc;
}

static int batch_of_one(struct tfs_merged_sources *ms, struct tfs_batch *b, struct tfs_err *err)
{
	size_t i;
	int rc = tfs_event_reader_batch(ms->lanes[0].reader, b, err);

	if (ms->left == UINT64_MAX && !ms->losses)
		return rc;
	for (i = 0; rc > 0 && i < b->n && ms->left; i++)
		count(ms, &b->events[i]);
	b->n = i;
	return rc;
}

/* The event of @lane is the next one of the batch. */
static int give(struct lane *lane, struct tfs_batch *b)
{
	struct tfs_event *event = &b->events[b->n++];

	*event = lane->event;
	tfs_blocks_move(&b->blocks, &lane->blocks);
	return event->text ? tfs_strbuf_add(&b->event_texts, event->text, event->text_len) : 0;
}

static int batch_of_several(struct tfs_merged_sources *ms, struct tfs_batch *b, struct tfs_err *err)
{
	struct lane *lane = NULL;
	size_t bytes = 0;
	int rc = 0;

	while (!rc && ms->left && !tfs_batch_is_full(b, bytes)) {
		rc = choose(ms, &lane, &ms->failed);
		if (rc || !lane)
			break;
		bytes += lane->event.rec.size;
		rc = follow(ms, &lane->event);
		count(ms, &lane->event);
		if (!rc)
			rc = give(lane, b);
		if (rc)
			tfs_err_set(&ms->failed, rc, "cannot format the report");
	}
	tfs_batch_place_event_texts(b);
	if (rc && !b->n && err)
		*err = ms->failed;
	return b->n ? 1 : rc;
}

int tfs_merged_sources_batch(struct tfs_merged_sources *ms, struct tfs_batch *b,
			     struct tfs_err *err)
{
	if (ms->failed.code) {
		if (err)
			*err = ms->failed;
		return ms->failed.code;
	}
	if (!ms->left)
		return 0;
	return ms->n == 1 ? batch_of_one(ms, b, err) : batch_of_several(ms, b, err);
}

void tfs_merged_sources_progress(const struct tfs_merged_sources *ms, uint64_t *done,
				 uint64_t *total)
{
	*done = *total = 0;
	for (size_t i = 0; i < ms->n; i++)
		tfs_event_reader_progress(ms->lanes[i].reader, done, total);
}
