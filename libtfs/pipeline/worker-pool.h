/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PIPELINE_WORKER_POOL_H
#define TFS_PIPELINE_WORKER_POOL_H

struct tfs_batch;
struct tfs_err;
struct tfs_out;
struct tfs_view;

/** TFS_WORKER_POOL_MAX - more threads than this are not used */
#define TFS_WORKER_POOL_MAX 64
/** TFS_WORKER_POOL_ALIGN - keeps what two threads write apart: CPUs fetch pairs of cache lines */
#define TFS_WORKER_POOL_ALIGN 128

/**
 * struct tfs_worker_pool_source - where batches come from
 * @fill: make @batch, which is empty, the next one; called by one thread at a time, by whichever
 *        has nothing else to do. Return: 1, 0 at the end, -errno with @err set
 */
struct tfs_worker_pool_source {
	int (*fill)(void *context, struct tfs_batch *batch, struct tfs_err *err);
	void *context;
};

/**
 * tfs_worker_pool_run() - make the text of all batches, and write it in their order
 * @out: what comes last may still be held back in it: tfs_out_flush()
 * @jobs: threads, the caller's among them; with one job no other is started
 *
 * Every thread does the same again and again: fill a batch while no other does, print what it
 * filled, write what is next in order. So a record is read and printed where it is in the caches of
 * one processor. Memory is bounded: nothing is filled while writing is too slow.
 *
 * Fewer threads are used when the system refuses more. Return: 0, or the first failure: of the
 * source, -ENOMEM of the view, the errno of writing (-EPIPE: who read the output left).
 */
int tfs_worker_pool_run(const struct tfs_worker_pool_source *source, struct tfs_view *view,
			struct tfs_out *out, unsigned int jobs, struct tfs_err *err);

#endif
