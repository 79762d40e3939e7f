/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DECODE_EVENT_TYPE_H
#define TFS_DECODE_EVENT_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tracedat/page.h"

struct tep_event;
struct tfs_dat_format;
struct tfs_fields;
struct tfs_native;
struct tfs_patch;
struct tfs_program;
struct tfs_trace;

/** TFS_EVENT_IDS - common_type has 16 bits */
#define TFS_EVENT_IDS 65536

/**
 * struct tfs_event_type - one event of the recording
 * @tep: libtraceevent's view; NULL until tfs_trace_event() needs it, and when it cannot be parsed
 * @program: its print format, compiled; NULL: libtraceevent prints it, @refused says why
 * @native: prints it without libtraceevent; NULL: does not
 * @all: all its fields, for -R or because its print format cannot be parsed; NULL: libtraceevent
 * @column: " name: " padded as reports print it, and its length
 * @room: bytes that this and what @program prints take at most, as far as can be known
 * @parsed: @tep was tried; @ready: and what prints it was made
 * @handled: and a plugin prints it, not its print format or -R
 * @relaid: @program prints what a plugin would, in its layout; @native, where it cannot
 * @risky: see tfs_printfmt_risky()
 * @padded: its text ends in lines of zeros, which are left out
 * @looks_up: printing it may look up symbols
 * @message: what it says is in its text alone: trace_printk(), whose fields are addresses
 * @id: common_type
 * @index: of this one in the table of events, for tables beside that
 * @bytes: what tfs_program_bytes() last gave for @all; the feeder's
 * @span: bytes of a record that its fixed fields reach
 * @least: bytes a record must have: a field without a size takes the rest after its offset
 * @system, @name: borrowed from the file, and @name_len
 * @format: its format text; NULL for the made-up blktrace event
 * @fields: how to read its fields without libtraceevent; NULL while @tep is
 * @patches: what must be changed in a copy of the record before libtraceevent prints it
 *
 * Members that are read for every record come first, in one cache line.
 */
struct tfs_event_type {
	struct tep_event *tep;
	struct tfs_program *program;
	struct tfs_native *native;
	struct tfs_program *all;
	char *column;
	size_t column_len, room;
	bool parsed, ready, handled, plain;
	bool relaid;
	bool risky, looks_up, padded, message;
	int id;
	uint32_t index;
	uint64_t bytes;
	unsigned int span, least;
	const char *system;
	const char *name;
	size_t name_len;
	const struct tfs_dat_format *format;
	struct tfs_fields *fields;
	const char *refused;
	struct tfs_patch *patches;
};

/**
 * struct tfs_event_index - the events of a recording; read only, but for decode/
 * @types: @n events in file order
 * @by_id: index into @types plus one, 0 for none; TFS_EVENT_IDS entries, none above @max_id
 * @standard: the common fields are where every kernel has them, in this machine's byte order
 */
struct tfs_event_index {
	struct tfs_event_type *types;
	size_t n;
	uint32_t *by_id;
	int max_id;
	bool standard;
};

/** tfs_trace_index() - borrowed from the trace; it does not change once that was opened */
const struct tfs_event_index *tfs_trace_index(const struct tfs_trace *trace);

/** TFS_COMMON_HEAD - bytes of the common fields that all kernels have: type, flags, count, pid */
#define TFS_COMMON_HEAD 8

/**
 * tfs_trace_head() - the common fields of a record that is long enough for them
 * @flags: as tfs_trace_record_flags()
 *
 * For the hot path. Return: false where they have to be read one by one (decode/types.h).
 */
static inline bool tfs_trace_head(const struct tfs_event_index *index, const struct tfs_record *rec,
				  int *id, unsigned int *flags, int *pid)
{
	uint64_t head;

	_Static_assert(sizeof(head) == TFS_COMMON_HEAD, "type, flags, count, pid");
	if (!index->standard || rec->size < sizeof(head))
		return false;
	memcpy(&head, rec->data, sizeof(head));
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
		*id = head & 0xffff;
		*flags = head >> 16 & 0xffff;
		*pid = (int32_t)(head >> 32);
	} else {
		*id = (int)(head >> 48);
		*flags = (head >> 40 & 0xff) | (head >> 32 & 0xff) << 8;
		*pid = (int32_t)head;
	}
	return true;
}

/**
 * tfs_trace_ready() - the event that tfs_trace_head() gave the id of, when it was met before
 *
 * For the hot path. Return: NULL when tfs_trace_event() has to be asked.
 */
static inline struct tfs_event_type *tfs_trace_ready(const struct tfs_event_index *index, int id)
{
	uint32_t n = index->by_id[id];
	struct tfs_event_type *type = &index->types[n - 1];

	return n && type->ready ? type : NULL;
}

#endif
