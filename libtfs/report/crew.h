/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_REPORT_CREW_H
#define TFS_REPORT_CREW_H

struct tfs_batch;
struct tfs_err;
struct tfs_out;
struct tfs_printer;

/** TFS_CREW_MAX - more threads than this are not started */
#define TFS_CREW_MAX 64

/**
 * struct tfs_crew - threads that make the text of batches; it is written in the batches' order
 *
 * One thread fills a batch after the other and hands them on. The memory of batches under way is
 * bounded: when the writing is behind, who fills waits.
 */
struct tfs_crew;

/**
 * tfs_crew_new() - start @jobs threads; with one job none: tfs_crew_submit() prints and writes
 * @printer, @out: borrowed; @out is the crew's until tfs_crew_finish()
 *
 * Fewer threads are used when the system refuses more. Return: 0 or -ENOMEM.
 */
int tfs_crew_new(const struct tfs_printer *printer, struct tfs_out *out, unsigned int jobs,
		 struct tfs_crew **crew, struct tfs_err *err);
/** tfs_crew_batch() - an empty batch to fill; NULL: printing or writing failed, it is over */
struct tfs_batch *tfs_crew_batch(struct tfs_crew *crew);
/** tfs_crew_submit() - hand on the batch that tfs_crew_batch() gave last */
void tfs_crew_submit(struct tfs_crew *crew);
/**
 * tfs_crew_finish() - wait until all that was handed on is written, or failed; threads are gone
 *
 * The output may still hold back what came last: tfs_out_flush(). Return: 0 or the first failure:
 * -ENOMEM of the printer, the errno of writing.
 */
int tfs_crew_finish(struct tfs_crew *crew, struct tfs_err *err);
/** tfs_crew_free() - @crew is finished, or NULL */
void tfs_crew_free(struct tfs_crew *crew);

#endif
