/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_NET_COMPLETION_H
#define TFS_NET_COMPLETION_H

#include <stdbool.h>

#include "base/err.h"
#include "net/intake.h"

struct tfs_output;

/**
 * struct tfs_completed - what became of a client's file
 * @rc: 0: it is complete; -errno: @err says why it is not
 * @removed: nothing arrived that could be read, and there is no file
 * @totals: what arrived
 */
struct tfs_completed {
	int rc;
	bool removed;
	struct tfs_intake_totals totals;
	struct tfs_err err;
};

/**
 * tfs_complete() - append the data to the metadata, and remove what is no longer needed
 * @intake: freed
 * @output: with the metadata; borrowed
 * @add_cpu_count: see tfs_intake_finish()
 *
 * Takes as long as the client's metadata and data make it.
 */
void tfs_complete(struct tfs_intake *intake, const struct tfs_output *output, bool add_cpu_count,
		  struct tfs_completed *out);

/** struct tfs_completion - tfs_complete() in a thread of its own */
struct tfs_completion;

/**
 * tfs_completion_start() - begin; parameters as those of tfs_complete()
 * @intake: taken over; @output: nobody else's until tfs_completion_wait()
 *
 * Return: 0; -errno when there is no thread for it, and nothing was done.
 */
int tfs_completion_start(struct tfs_intake *intake, const struct tfs_output *output,
			 bool add_cpu_count, struct tfs_completion **out);
/** tfs_completion_fd() - readable when tfs_completion_wait() does not wait; borrowed */
int tfs_completion_fd(const struct tfs_completion *c);
/** tfs_completion_wait() - until it has ended; @c is freed */
void tfs_completion_wait(struct tfs_completion *c, struct tfs_completed *out);

#endif
