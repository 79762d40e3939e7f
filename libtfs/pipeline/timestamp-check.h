/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PIPELINE_TIMESTAMP_CHECK_H
#define TFS_PIPELINE_TIMESTAMP_CHECK_H

#include <stdint.h>

struct tfs_backwards;
struct tfs_record;
struct tfs_trace;

/**
 * struct tfs_backwards_told - who is told of time stamps that go backwards (trace-cmd's --ts-check)
 * @call: @rec's is before @last, that of the record before it on its CPU of its buffer; by one
 *        thread at a time, not always by the one that runs the report
 */
struct tfs_backwards_told {
	void (*call)(void *context, const struct tfs_record *rec, uint64_t last);
	void *context;
};

/** tfs_backwards_new() - for the records of one recording; @told: copied. 0 or -ENOMEM */
int tfs_backwards_new(struct tfs_trace *trace, const struct tfs_backwards_told *told,
		      struct tfs_backwards **out);
void tfs_backwards_free(struct tfs_backwards *b);
/** tfs_backwards_look() - the next record, in the order of the report */
void tfs_backwards_look(struct tfs_backwards *b, const struct tfs_record *rec);

#endif
