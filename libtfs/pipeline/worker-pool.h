/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PIPELINE_WORKER_POOL_H
#define TFS_PIPELINE_WORKER_POOL_H

struct tfs_batch;
struct tfs_err;
struct tfs_out;
struct tfs_view;

/** TFS_WORKER_POOL_MAX - upper limit of threads */
#define TFS_WORKER_POOL_MAX 64
/** TFS_WORKER_POOL_ALIGN - avoids false sharing: CPUs fetch pairs of cache lines */
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
 * tfs_worker_pool_run() - print all batches, and write their text in order
 * @out: may still buffer the end of the text: call tfs_out_flush()
 * @jobs: number of threads, including the caller's
 *
 * Each thread repeats three steps: fill a batch (one thread at a time), print it, write the batches
 * that are next in order. A record is thus read and printed by one CPU, while it is in its caches.
 * Memory is bounded: filling waits if writing is slow.
 *
 * Fewer threads are used if the system refuses more. Return: 0, or the first failure: of the
 * source, -ENOMEM of the view, the errno of writing (-EPIPE: the reader closed the pipe).
 */
int tfs_worker_pool_run(const struct tfs_worker_pool_source *source, struct tfs_view *view,
			struct tfs_out *out, unsigned int jobs, struct tfs_err *err);

#endif
