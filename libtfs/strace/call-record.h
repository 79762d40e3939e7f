/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STRACE_CALL_RECORD_H
#define TFS_STRACE_CALL_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct tfs_trace;

/**
 * enum tfs_call_record_kind - what an event says of system calls
 * @TFS_CALL_RECORD_NEW: its format was not looked at yet
 * @TFS_CALL_RECORD_OTHER: nothing
 */
enum tfs_call_record_kind {
	TFS_CALL_RECORD_NEW,
	TFS_CALL_RECORD_OTHER,
	TFS_CALL_RECORD_ENTER,
	TFS_CALL_RECORD_EXIT,
};

/**
 * struct tfs_call_record - where the records of an event have the numbers of system calls
 * @kind: enum tfs_call_record_kind
 * @raw: of raw_syscalls, not of syscalls
 * @swap: in the other byte order
 * @nr_size, @ret_size: 4 or 8; of an entry, @ret_size is 0
 */
struct tfs_call_record {
	uint8_t kind;
	bool raw, swap;
	uint8_t nr_size, ret_size;
	uint16_t nr_offset, ret_offset;
};

/**
 * struct tfs_call_records - the same by id of the event
 *
 * A format is looked at when a record of it is met, and not again. One thread at a time.
 */
struct tfs_call_records {
	struct tfs_trace *trace;
	struct tfs_call_record *by_id;
	size_t n;
};

/** tfs_call_records_init() - of this trace, borrowed; 0 or -ENOMEM */
int tfs_call_records_init(struct tfs_call_records *records, struct tfs_trace *trace);
void tfs_call_records_release(struct tfs_call_records *records);
/** tfs_call_records_learn() - look at the format of the event @id, at most the largest there is */
void tfs_call_records_learn(struct tfs_call_records *records, int id);

/** tfs_call_records_find() - of the event @id; never NULL */
static inline const struct tfs_call_record *tfs_call_records_find(struct tfs_call_records *records,
								  int id)
{
	static const struct tfs_call_record other = { .kind = TFS_CALL_RECORD_OTHER };

	if ((size_t)id >= records->n)
		return &other;
	if (records->by_id[id].kind == TFS_CALL_RECORD_NEW)
		tfs_call_records_learn(records, id);
	return &records->by_id[id];
}

/** tfs_call_record_load() - a signed number of @size bytes at @p */
static inline int64_t tfs_call_record_load(const struct tfs_call_record *r, const void *p,
					   size_t size)
{
	uint64_t wide;
	uint32_t narrow;

	if (size == sizeof(wide)) {
		memcpy(&wide, p, sizeof(wide));
		return (int64_t)(r->swap ? __builtin_bswap64(wide) : wide);
	}
	memcpy(&narrow, p, sizeof(narrow));
	return (int32_t)(r->swap ? __builtin_bswap32(narrow) : narrow);
}

/** tfs_call_record_fits() - does the record of @size bytes have all its numbers? */
static inline bool tfs_call_record_fits(const struct tfs_call_record *r, size_t size)
{
	return (size_t)r->nr_offset + r->nr_size <= size &&
	       (size_t)r->ret_offset + r->ret_size <= size;
}

/** tfs_call_record_nr() - number of the system call in a record that fits */
static inline int64_t tfs_call_record_nr(const struct tfs_call_record *r, const void *data)
{
	return tfs_call_record_load(r, (const char *)data + r->nr_offset, r->nr_size);
}

/** tfs_call_record_ret() - what it returned, of an exit that fits */
static inline int64_t tfs_call_record_ret(const struct tfs_call_record *r, const void *data)
{
	return tfs_call_record_load(r, (const char *)data + r->ret_offset, r->ret_size);
}

#endif
