/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/call-record.h"

#include <errno.h>
#include <stdlib.h>

#include "decode/event-type.h"
#include "decode/types.h"
#include "strace/call-type.h"

int tfs_call_records_init(struct tfs_call_records *records, struct tfs_trace *trace)
{
	const struct tfs_event_index *index = tfs_trace_index(trace);

	records->trace = trace;
	records->n = (size_t)index->max_id + 1;
	records->by_id = calloc(records->n, sizeof(*records->by_id));
	return records->by_id ? 0 : -ENOMEM;
}

void tfs_call_records_release(struct tfs_call_records *records)
{
	free(records->by_id);
	records->by_id = NULL;
}

/* Where a number is that has a size which is read here */
static uint8_t take(const struct tfs_call_number *n, uint16_t *offset, bool *swap)
{
	if ((n->size != 4 && n->size != 8) || n->offset > UINT16_MAX)
		return 0;
	*offset = (uint16_t)n->offset;
	*swap = n->big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	return n->size;
}

static void set_record(struct tfs_call_record *r, const struct tfs_call_type *t)
{
	const bool is_exit = t->role == TFS_CALL_TYPE_EXIT || t->role == TFS_CALL_TYPE_NAMED_EXIT;

	if (!is_exit && t->role != TFS_CALL_TYPE_ENTER && t->role != TFS_CALL_TYPE_NAMED_ENTER)
		return;
	r->raw = t->role == TFS_CALL_TYPE_ENTER || t->role == TFS_CALL_TYPE_EXIT;
	r->nr_size = take(&t->nr, &r->nr_offset, &r->swap);
	if (is_exit)
		r->ret_size = take(&t->ret, &r->ret_offset, &r->swap);
	if (r->nr_size && (r->ret_size || !is_exit))
		r->kind = is_exit ? TFS_CALL_RECORD_EXIT : TFS_CALL_RECORD_ENTER;
}

/* Only formats of these systems are parsed. */
void tfs_call_records_learn(struct tfs_call_records *records, int id)
{
	struct tfs_call_record r = { .kind = TFS_CALL_RECORD_OTHER };
	const struct tfs_event_type *type = tfs_trace_type(records->trace, id);
	struct tfs_call_type call_type;

	if (type && (!strcmp(type->system, "raw_syscalls") || !strcmp(type->system, "syscalls")))
		type = tfs_trace_event(records->trace, id);
	else
		type = NULL;
	if (type) {
		tfs_call_type_init(&call_type, type);
		set_record(&r, &call_type);
	}
	records->by_id[id] = r;
}
