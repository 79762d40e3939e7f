/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_FOLLOW_H
#define TFS_TRACEDAT_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_dat;
struct tfs_err;

/**
 * struct tfs_follow - the data of a recording that tc-record is still making
 *
 * The trace file has its head only: formats, symbols, options. Each CPU's data grow in a temporary
 * file beside it (struct tfs_dat_segment): chunks, or sub-buffers, one after the other. When the
 * recording ends they are copied into the trace file as they are, while the temporary files are
 * emptied piece by piece, and then removed. One thread.
 */
struct tfs_follow;

/**
 * enum tfs_follow_flags - for tfs_follow_open()
 * @TFS_FOLLOW_ABANDONED: only what a killed recorder left; -EBUSY while it is being recorded
 */
enum tfs_follow_flags { TFS_FOLLOW_ABANDONED = 1 << 0 };

/**
 * tfs_follow_open() - find the growing data, and add the buffers to @dat whose CPUs they are
 * @dat: the head; outlives the result
 * @out: set on success; release with tfs_follow_free()
 *
 * Return: 0; -ENOENT when nothing grows: the file is complete, or has no temporary files, or its
 * recorder was killed while it completed it, which is noted as damage; -EAGAIN when the recording
 * is just being begun or completed: try again with the file opened anew; -errno.
 */
int tfs_follow_open(struct tfs_dat *dat, enum tfs_follow_flags flags, struct tfs_follow **out,
		    struct tfs_err *err);
void tfs_follow_free(struct tfs_follow *follow);

/**
 * tfs_follow_update() - check what has grown, and whether the recording has ended
 *
 * Call it about every 50 ms. After the end the rest is in the trace file; a
 * recorder that was killed leaves it in the temporary files, which is noted as damage.
 * Return: 0 or -errno.
 */
int tfs_follow_update(struct tfs_follow *follow, struct tfs_err *err);
/** tfs_follow_ended() - nothing more will come */
bool tfs_follow_ended(const struct tfs_follow *follow);

/**
 * struct tfs_follow_place - where one CPU's data are to be read
 * @dat: as if its data were a file of their own, or, at the end, the trace file
 * @base: where they begin there
 * @end: the end of the last whole sub-buffer, or of the available chunks
 */
struct tfs_follow_place {
	struct tfs_dat *dat;
	uint64_t base, end;
};

/**
 * tfs_follow_more() - is there a whole chunk, or a sub-buffer, after the first @done bytes?
 * @cpu_index: as in the buffer's cpus
 * @done: moved on over what a capped recording dropped (-m)
 *
 * Return: 1 with *@place set, 0 not now (after the end: not any more).
 */
int tfs_follow_more(struct tfs_follow *follow, size_t buffer, size_t cpu_index, uint64_t *done,
		    struct tfs_follow_place *place);
/** tfs_follow_intact() - was what tfs_follow_more() showed still there when it had been read? */
bool tfs_follow_intact(struct tfs_follow *follow);
/**
 * tfs_follow_is_stable() - were the first @done bytes there a second ago?
 *
 * Then other CPUs had time to write what is older; a record need not be held back any longer.
 */
bool tfs_follow_is_stable(const struct tfs_follow *follow, size_t buffer, size_t cpu_index,
			  uint64_t done);

#endif
