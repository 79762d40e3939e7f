/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STRACE_TALLY_H
#define TFS_STRACE_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "base/hashmap.h"
#include "base/stats.h"

/** TFS_TALLY_ERRNO_MAX - the kernel's MAX_ERRNO: what a call returns from -4095 on is an error */
#define TFS_TALLY_ERRNO_MAX 4095

/** struct tfs_tally_error - how often calls failed with the errno @error (positive) */
struct tfs_tally_error {
	int32_t error;
	uint64_t n;
};

/**
 * struct tfs_tally_call - what is known of all calls of one number
 * @nr: the number
 * @calls: that returned
 * @errors: of these, that failed; by errno in @failed, in order of first occurrence
 * @times: from entry to exit in ns, of those in @calls whose time is known
 * @unbegun: of @calls, whose entry was not recorded
 * @cut: of @calls, in which events were lost, or may be missing
 * @unfinished: entered, and not seen to return; not in @calls
 */
struct tfs_tally_call {
	int64_t nr;
	uint64_t calls, errors, unbegun, cut, unfinished;
	struct tfs_stats times;
	struct tfs_tally_error *failed;
	size_t n_failed;
};

/**
 * struct tfs_tally - calls by number
 * @by_nr: of the @n lowest numbers, NULL if there was no such call: the kernel's numbers are small
 * @others: all other numbers
 *
 * Zeroed it is empty; release with tfs_tally_release(). Memory grows with the different numbers.
 * One thread at a time.
 */
struct tfs_tally {
	struct tfs_tally_call **by_nr;
	size_t n;
	struct tfs_hashmap others;
};

void tfs_tally_release(struct tfs_tally *t);
/** tfs_tally_new_call() - tfs_tally_call() of a number that was not met yet */
struct tfs_tally_call *tfs_tally_new_call(struct tfs_tally *t, int64_t nr);
/** tfs_tally_fail() - note a call that failed with the errno @error; 0 or -ENOMEM */
int tfs_tally_fail(struct tfs_tally_call *call, int64_t error);
/**
 * tfs_tally_list() - all calls, in order of their numbers
 * @out: NULL without calls; yours, free(). Its elements are borrowed from @t
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_tally_list(const struct tfs_tally *t, struct tfs_tally_call ***out, size_t *n);

/** tfs_tally_call() - the calls of a number; NULL without memory */
static inline struct tfs_tally_call *tfs_tally_call(struct tfs_tally *t, int64_t nr)
{
	struct tfs_tally_call *call;

	if ((uint64_t)nr < t->n && (call = t->by_nr[nr]))
		return call;
	return tfs_tally_new_call(t, nr);
}

/** tfs_tally_result() - a call returned @ret; 0 or -ENOMEM */
static inline int tfs_tally_result(struct tfs_tally_call *call, int64_t ret)
{
	call->calls++;
	return ret < 0 && ret >= -TFS_TALLY_ERRNO_MAX ? tfs_tally_fail(call, -ret) : 0;
}

#endif
