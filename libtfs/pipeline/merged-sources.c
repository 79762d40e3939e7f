/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pipeline/merged-sources.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"
#include "decode/event.h"
#include "decode/trace.h"
#include "pipeline/batch.h"
#include "pipeline/event-source.h"
#include "pipeline/run.h"
#include "tracedat/dat-read.h"
#include "tracedat/stream.h"

/*
 * One recording, and its next item if it has one. That item may come into a later batch than the
 * one that is being filled, so memory that is done with until then goes where the item goes.
 */
struct lane {
	struct tfs_trace *trace;
	struct tfs_feed *feed;
	struct tfs_item item;
	struct tfs_blocks blocks;
	bool has_item;
};

struct tfs_feeds {
	struct lane *lanes;
	size_t n;
	struct lane *given; /* whose item the caller has */
	uint64_t left;      /* items that may still be shown */
	uint64_t before;    /* of what was shown last, of several recordings */
	struct tfs_run_losses *losses;
	struct tfs_err failed; /* while filling a batch that had items */
};

static int add_lane(struct tfs_feeds *f, struct tfs_trace *trace, const struct tfs_run_opts *opts,
		    bool bodies, struct tfs_err *err)
{
	struct lane *lane = &f->lanes[f->n];
	int rc = tfs_feed_new(trace, opts, bodies, &lane->feed, err);

	if (rc)
		return rc;
	lane->trace = trace;
	tfs_trace_take_turns(trace, f->lanes[0].trace);
	f->n++;
	return 0;
}

/* With one recording there is no choice, and nothing is read ahead. */
static int prime(struct tfs_feeds *f, struct lane *lane, struct tfs_err *err)
{
	int rc = tfs_feed_next(lane->feed, &lane->item, err);

	lane->has_item = rc > 0;
	lane->item.input = (uint32_t)(lane - f->lanes);
	return rc < 0 ? rc : 0;
}

int tfs_feeds_new(struct tfs_trace *trace, const struct tfs_run_opts *opts, bool bodies,
		  struct tfs_feeds **out, struct tfs_err *err)
{
	struct tfs_feeds *f = calloc(1, sizeof(*f));
	size_t i;
	int rc = 0;

	if (f)
		f->lanes = calloc(1 + opts->n_others, sizeof(*f->lanes));
	if (!f || !f->lanes) {
		tfs_feeds_free(f);
		return tfs_err_set(err, -ENOMEM, "cannot read the recording");
	}
	f->failed = TFS_ERR_INIT;
	f->left = opts->max_items ? opts->max_items : UINT64_MAX;
	f->losses = opts->losses;
	rc = add_lane(f, trace, opts, bodies, err);
	for (i = 0; i < opts->n_others && !rc; i++)
		rc = add_lane(f, opts->others[i].trace, opts->others[i].opts, bodies, err);
	for (i = 0; i < f->n && f->n > 1 && !rc; i++) {
		tfs_feed_keep(f->lanes[i].feed, &f->lanes[i].blocks);
		rc = prime(f, &f->lanes[i], err);
	}
	if (rc) {
		tfs_feeds_free(f);
		return rc;
	}
	*out = f;
	return 0;
}

void tfs_feeds_free(struct tfs_feeds *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n; i++) {
		tfs_feed_free(f->lanes[i].feed);
		tfs_trace_take_turns(f->lanes[i].trace, f->lanes[i].trace);
		tfs_blocks_free(&f->lanes[i].blocks);
	}
	free(f->lanes);
	free(f);
}

static bool is_instance(const struct lane *lane)
{
	return *tfs_dat_buffer(tfs_trace_dat(lane->trace), lane->item.rec.buffer)->name;
}

/* @b was named after @a */
static bool is_before(const struct lane *b, const struct lane *a)
{
	if (b->item.rec.ts != a->item.rec.ts)
		return b->item.rec.ts < a->item.rec.ts;
	return !is_instance(b) && is_instance(a);
}

/* The lane whose item is the next one; NULL at the end. 0 or -errno */
static int choose(struct tfs_feeds *f, struct lane **out, struct tfs_err *err)
{
	struct lane *first = NULL, *lane;
	int rc = 0;

	if (f->given) {
		tfs_blocks_free(&f->given->blocks);
		rc = prime(f, f->given, err);
	}
	f->given = NULL;
	if (rc)
		return rc;
	for (lane = f->lanes; lane < f->lanes + f->n; lane++)
		if (lane->has_item && (!first || is_before(lane, first)))
			first = lane;
	f->given = first;
	*out = first;
	return 0;
}

/* What is asked of the report as a whole. */
static void count(struct tfs_feeds *f, const struct tfs_item *item)
{
	if (f->left != UINT64_MAX)
		f->left -= item->shown && item->selected;
	if (!item->lost || !f->losses)
		return;
	f->losses->any = true;
	if (item->rec.lost > 0)
		f->losses->counted += (uint64_t)item->rec.lost;
	else
		f->losses->uncounted = true;
}

/* A feed knows only of its own recording. */
static void follow(struct tfs_feeds *f, struct tfs_item *item)
{
	if (!item->shown)
		return;
	item->before = f->before;
	f->before = item->rec.ts;
}

int tfs_feeds_next(struct tfs_feeds *f, struct tfs_item *item, struct tfs_err *err)
{
	struct lane *lane = NULL;
	int rc;

	if (!f->left)
		return 0;
	if (f->n == 1) {
		rc = tfs_feed_next(f->lanes[0].feed, item, err);
	} else {
		rc = choose(f, &lane, err);
		if (lane) {
			follow(f, &lane->item);
			*item = lane->item;
			rc = 1;
		}
	}
	if (rc > 0)
		count(f, item);
	return rc;
}

static int batch_of_one(struct tfs_feeds *f, struct tfs_batch *b, struct tfs_err *err)
{
	size_t i;
	int rc = tfs_feed_batch(f->lanes[0].feed, b, err);

	if (f->left == UINT64_MAX && !f->losses)
		return rc;
	for (i = 0; rc > 0 && i < b->n && f->left; i++)
		count(f, &b->items[i]);
	b->n = i;
	return rc;
}

/* The item of @lane is the next one of the batch. */
static int give(struct lane *lane, struct tfs_batch *b)
{
	struct tfs_item *item = &b->items[b->n++];

	*item = lane->item;
	tfs_blocks_move(&b->blocks, &lane->blocks);
	return item->body ? tfs_strbuf_add(&b->bodies, item->body, item->body_len) : 0;
}

static int batch_of_several(struct tfs_feeds *f, struct tfs_batch *b, struct tfs_err *err)
{
	struct lane *lane = NULL;
	size_t bytes = 0;
	int rc = 0;

	while (!rc && f->left && !tfs_batch_is_full(b, bytes)) {
		rc = choose(f, &lane, &f->failed);
		if (rc || !lane)
			break;
		bytes += lane->item.rec.size;
		follow(f, &lane->item);
		count(f, &lane->item);
		rc = give(lane, b);
		if (rc)
			tfs_err_set(&f->failed, rc, "cannot format the report");
	}
	tfs_batch_place_bodies(b);
	if (rc && !b->n && err)
		*err = f->failed;
	return b->n ? 1 : rc;
}

int tfs_feeds_batch(struct tfs_feeds *f, struct tfs_batch *b, struct tfs_err *err)
{
	if (f->failed.code) {
		if (err)
			*err = f->failed;
		return f->failed.code;
	}
	if (!f->left)
		return 0;
	return f->n == 1 ? batch_of_one(f, b, err) : batch_of_several(f, b, err);
}

void tfs_feeds_progress(const struct tfs_feeds *f, uint64_t *done, uint64_t *total)
{
	*done = *total = 0;
	for (size_t i = 0; i < f->n; i++)
		tfs_feed_progress(f->lanes[i].feed, done, total);
}
