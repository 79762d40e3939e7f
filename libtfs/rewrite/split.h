/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_REWRITE_SPLIT_H
#define TFS_REWRITE_SPLIT_H

#include <stddef.h>
#include <stdint.h>

struct tfs_dat_form;
struct tfs_err;
struct tfs_select;
struct tfs_time_ranges;
struct tfs_trace;

/**
 * enum tfs_split_by - where a piece ends and the next one begins
 * @TFS_SPLIT_NOWHERE: there is one piece
 * @TFS_SPLIT_TIME: after so many units of the clock (ns); pieces without records are left out
 * @TFS_SPLIT_COUNT: after so many records
 * @TFS_SPLIT_SIZE: before it would have more bytes of records than that, each with its head
 */
enum tfs_split_by { TFS_SPLIT_NOWHERE, TFS_SPLIT_TIME, TFS_SPLIT_COUNT, TFS_SPLIT_SIZE };

/**
 * struct tfs_split_opts - which records go into which piece
 * @times: only these parts of the time, as it is corrected; NULL or empty: all
 * @select: only these records; borrowed; NULL: all
 * @every: of @by
 */
struct tfs_split_opts {
	const struct tfs_time_ranges *times;
	struct tfs_select *select;
	enum tfs_split_by by;
	uint64_t every;
};

/**
 * struct tfs_split - a recording that is cut into pieces
 *
 * A first walk in order of time decides about every record, with a bit for each; then each piece is
 * written from the data of one CPU after the other. A sub-buffer of which all records are kept is
 * copied as it is. Losses stay where they are, or go to the next record that is kept. Memory does
 * not grow with the data but by those bits. One thread at a time.
 */
struct tfs_split;

/** TFS_SPLIT_PIECES_MAX - more pieces are refused */
#define TFS_SPLIT_PIECES_MAX 10000

/**
 * tfs_split_new() - decide
 * @trace: borrowed
 *
 * Return: 0; -EOPNOTSUPP for a latency tracer's text; -E2BIG for too many pieces; -EBADMSG where a
 * CPU is described twice; -ENOMEM. Damage is noted in the file; what comes after it is left out.
 */
int tfs_split_new(struct tfs_trace *trace, const struct tfs_split_opts *opts,
		  struct tfs_split **out, struct tfs_err *err);
void tfs_split_free(struct tfs_split *split);

/** struct tfs_split_piece - the records of a piece; time stamps are corrected */
struct tfs_split_piece {
	uint64_t records, first, last;
};

/** tfs_split_pieces() - how many there are; one without records if none is wanted */
size_t tfs_split_pieces(const struct tfs_split *split);
const struct tfs_split_piece *tfs_split_piece(const struct tfs_split *split, size_t n);

/**
 * tfs_split_write() - write the next piece, with all options of the whole
 * @fd: empty, seekable, writable; borrowed
 */
int tfs_split_write(struct tfs_split *split, int fd, const struct tfs_dat_form *form,
		    struct tfs_err *err);

#endif
