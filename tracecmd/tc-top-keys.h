/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TOP_KEYS_H
#define TC_TOP_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pattern.h"
#include "top/page.h"
#include "top/snapshot.h"

struct tfs_err;

/** TOP_TYPED - bytes of what is typed as a filter, with the NUL */
#define TOP_TYPED 128

/**
 * struct top_state - what is shown, and how; changed by keys, which all have an option
 * @by, @task: what is counted: enum tfs_top_by, and the task that alone is, -1: all
 * @task_name: of @task
 * @zoom_by: what is shown of a task that was chosen with Enter; @zoomed: one was
 * @sort, @reverse: the order; @sort_chosen: the user's. Else it is by time as soon as a row has one
 * @interval: nanoseconds
 * @frozen: the page stays
 * @recording: a file is being written
 * @help: the keys are shown instead of the table
 * @typing: @typed becomes the filter
 * @filter: if @filtered; its text is @filter_text
 * @message: shown until the next key
 * @snap, @page: what is shown now; @opts: how
 */
struct top_state {
	enum tfs_top_by by, zoom_by;
	int task;
	char task_name[64];
	bool zoomed;
	enum tfs_top_column sort;
	bool reverse, sort_chosen;
	uint64_t interval;
	bool frozen, help, typing, filtered, recording;
	char typed[TOP_TYPED], filter_text[TOP_TYPED];
	struct tfs_pattern filter;
	char message[TOP_TYPED];
	struct tfs_top_snapshot snap;
	struct tfs_top_page page;
	struct tfs_top_page_opts opts;
};

/**
 * enum top_effect - what else a key asks for
 * @TOP_EFFECT_QUIT: the end
 * @TOP_EFFECT_COUNT: count what @by and @task say: tfs_top_show()
 * @TOP_EFFECT_ZERO: tfs_top_zero()
 * @TOP_EFFECT_INTERVAL: tfs_top_set_interval()
 * @TOP_EFFECT_RECORD: begin to record, or end it
 */
enum top_effect {
	TOP_EFFECT_QUIT = 1 << 0,
	TOP_EFFECT_COUNT = 1 << 1,
	TOP_EFFECT_ZERO = 1 << 2,
	TOP_EFFECT_INTERVAL = 1 << 3,
	TOP_EFFECT_RECORD = 1 << 4,
};

void top_state_release(struct top_state *state);
/** top_state_filter() - show only rows that match; "" for all. 0 or -EINVAL with @err set */
int top_state_filter(struct top_state *state, const char *text, struct tfs_err *err);
/** top_state_key() - a key was pressed; Return: enum top_effect */
unsigned int top_state_key(struct top_state *state, int key);
/** top_state_say() - show @text on the last line until the next key; it may be cut */
void top_state_say(struct top_state *state, const char *text);
/** top_state_page() - make the page anew: the table, or the help. 0 or -ENOMEM */
int top_state_page(struct top_state *state);

#endif
