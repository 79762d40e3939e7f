/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DECODE_EVENT_H
#define TFS_DECODE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracedat/page.h"

struct tfs_event_type;
struct tfs_task;

/**
 * struct tfs_event - a record of a report, with everything about it that the order decides
 * @rec: the record
 * @type: what it is, parsed (see decode/trace-internal.h); NULL: no format describes it
 * @task: who recorded it; NULL: a task whose name is not known (yet)
 * @pid: common_pid
 * @flags: as tfs_trace_record_flags()
 * @input: of several recordings, the one it is from (0: the first)
 * @text, @text_len: its text, made already because a plugin that keeps state prints it; NULL else
 * @leaf: the exit that is drawn together with this entry of function_graph; @type NULL: none
 * @indent: columns by which a function's line is indented
 * @bytes: of a type whose fields are all shown: the strings that are shown as bytes
 * @before: time stamp of the record shown before it; 0: it is the first
 * @woken: it starts a task that was woken, @waited ns after that (with decode/wakeup.h)
 * @lost: events were lost before it on its CPU: @rec.lost says how many
 * @shown: the record itself is wanted; false: only the loss that is noted on it
 * @selected: it is one of those that were asked for. False only in a view that gets all records, to
 *            join what belongs together before it asks whose that is (TFS_VIEW_UNSELECTED)
 * @gap: in such a view: events were lost before it, whether that is to be reported (@lost) or not
 * @missing: not an event: the rest of the CPU's events is missing from the recording. Of @rec, only
 *       @cpu, @buffer and @ts are set, the time up to which they could be read, or that of the
 *       first event if none could; of the event @input, and @lost if it is to be reported
 * @after_loss: the line before this one reports a loss (@lost of this event or of one before)
 * @fast_path: a record that is shown, of a task that is known and a type that no plugin prints and
 *         whose fields are not all shown; no loss, and nothing besides what is in front
 *
 * The event reader (pipeline/event-reader.h) fills it, in order; views use one event at a time.
 */
struct tfs_event {
	struct tfs_record rec;
	struct tfs_event_type *type;
	const struct tfs_task *task;
	int pid;
	unsigned int flags;
	uint64_t before;
	uint32_t input;
	bool fast_path, lost, shown, selected, gap, missing, after_loss;
	bool woken;
	unsigned int indent;
	const char *text;
	size_t text_len;
	struct {
		const struct tfs_event_type *type;
		const void *data;
		uint32_t size, room;
	} leaf;
	uint64_t waited;
	uint64_t bytes;
};

#endif
