/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_EXCHANGE_CHROME_INTERNAL_H
#define TFS_EXCHANGE_CHROME_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"
#include "base/pool.h"
#include "base/strbuf-core.h"
#include "exchange/chrome.h"
#include "pipeline/view.h"

struct tfs_event_type;
struct tfs_out;
struct tfs_out_file;
struct tfs_span_record;
struct tfs_spans;

/* Slices deeper than this are written at once, without regard to those around them. */
#define CHROME_HELD 64

/**
 * struct chrome_held - slices at one depth of a row
 * @begin, @text, @len: the first one, and what begins with it, until the slice around it ends: that
 *	may have begun at the same time, and then comes first
 * @end: of the last one
 */
struct chrome_held {
	uint64_t begin, end;
	char *text;
	size_t len;
};

/**
 * struct chrome_row - a row of slices; each task has one
 * @place: which one
 * @end: of the last slice at depth 0, which is never held
 * @held: depths from 1 on, as many as occurred: @room
 * @n: depths up to the deepest that holds a slice
 */
struct chrome_row {
	uint64_t place, end;
	struct chrome_held *held;
	unsigned int n, room;
};

/**
 * struct chrome_place - process and thread of a row, as the file has them
 *
 * Those of the recording; of a further recording or buffer, with a number in front that keeps them
 * apart. The processes 0 are the CPUs.
 */
struct chrome_place {
	uint64_t pid, tid;
};

/**
 * struct chrome - the view
 * @base: subtracted from time stamps that a double does not hold
 * @role: for each recording, by index of the type: CHROME_INSTANT and so on
 * @groups: for each recording, the number of its first buffer's group
 * @rows: struct chrome_row, in @by_place by their places
 * @named: processes and threads whose names were written, in @by_name by their numbers
 * @text: an entry that is being written
 * @more: an entry was written: the next one needs a comma before it
 */
struct chrome {
	struct tfs_view view;
	struct tfs_chrome_opts opts;
	const void **syscalls; /* of @opts */
	struct tfs_out_file *file;
	struct tfs_out *out;
	struct tfs_spans *spans;
	unsigned char **role;
	size_t *groups;
	struct tfs_pool rows, named;
	struct tfs_idmap by_place, by_name;
	struct tfs_strbuf text;
	uint64_t base, slices, instants;
	bool begun, more;
};

/** enum chrome_role - what an event becomes; USUAL_PAIR: a span, unless pairs are asked for */
enum chrome_role {
	CHROME_INSTANT,
	CHROME_SPAN,
	CHROME_USUAL_PAIR,
	CHROME_NOTHING,
	CHROME_COUNTER,
};

/* chrome-text.c: all append to @c->text and return 0 or -ENOMEM */

/** tfs_chrome_time() - ,"KEY":MICROSECONDS with three decimals */
int tfs_chrome_time(struct chrome *c, const char *key, int64_t ns);
/** tfs_chrome_head() - {"ph":"X","name":...,"pid":...,"tid":... */
int tfs_chrome_head(struct chrome *c, char phase, const char *name, size_t len,
		    const struct chrome_place *place);
/** tfs_chrome_fields() - "name":value,... of a record; *@more: one was written before */
int tfs_chrome_fields(struct chrome *c, const struct tfs_span_record *record, bool *more);

/* chrome-row.c */

/**
 * tfs_chrome_slice() - @c->text is a slice that ended: write or hold it
 * @depth: slices of its row around it
 */
int tfs_chrome_slice(struct chrome *c, const struct chrome_place *place, unsigned int depth,
		     uint64_t begin, uint64_t end);
/**
 * tfs_chrome_after() - when a slice whose beginning is not known can have begun: at @begin, or when
 * the last one ended that was not in it
 */
uint64_t tfs_chrome_after(struct chrome *c, const struct chrome_place *place, unsigned int depth,
			  uint64_t begin);
/** tfs_chrome_write() - an entry, with the comma before it; 0 or -errno */
int tfs_chrome_write(struct chrome *c, const char *text, size_t len);
/** tfs_chrome_flush() - write what is held */
int tfs_chrome_flush(struct chrome *c);
void tfs_chrome_rows_release(struct chrome *c);

#endif
