/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RELAY_RECEIVE_H
#define TFS_RELAY_RECEIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_err;
struct tfs_relay_compare;

/**
 * struct tfs_relay_receiver - makes a trace file of a stream
 *
 * While the stream comes, the file is as one that is being recorded: a head, and temporary files of
 * the CPUs beside it (tracedat/dat-segments.h), which tc-report and tc-record --recover know. What
 * has come is in FILE.stream, so that a receiver that was killed can go on. Memory is that of one
 * record. All that comes is hostile. One thread.
 */
struct tfs_relay_receiver;

/**
 * struct tfs_relay_receiver_opts - how to receive
 * @path: the trace file
 * @mode: its permissions; 0: for its owner alone
 * @resume: go on with what a receiver has left of the same stream, if there is anything
 * @max_bytes: that are written at most; 0: no limit
 * @note: called for text that the recorder says (TFS_RELAY_NOTE, not terminated); may be NULL
 * @hello: the same for the beginning of each connection (TFS_RELAY_HELLO)
 * @to: for both
 */
struct tfs_relay_receiver_opts {
	const char *path;
	unsigned int mode;
	bool resume;
	uint64_t max_bytes;
	void (*note)(void *to, const char *text, size_t len);
	void (*hello)(void *to, const char *text, size_t len);
	void *to;
};

/**
 * tfs_relay_receiver_new() - create the file, or go on with it
 * Return: 0; -EBUSY when somebody records into it; -errno.
 */
int tfs_relay_receiver_new(const struct tfs_relay_receiver_opts *opts,
			   struct tfs_relay_receiver **out, struct tfs_err *err);
/** tfs_relay_receiver_free() - what has come stays, for another receiver or --recover */
void tfs_relay_receiver_free(struct tfs_relay_receiver *r);

/** tfs_relay_receiver_discard() - remove the file and what is beside it, if nothing has come */
void tfs_relay_receiver_discard(struct tfs_relay_receiver *r);

/** tfs_relay_receiver_next() - sequence number of the first record that it does not have */
uint64_t tfs_relay_receiver_next(const struct tfs_relay_receiver *r);
/** tfs_relay_receiver_reconnect() - the next bytes are those of a new connection */
void tfs_relay_receiver_reconnect(struct tfs_relay_receiver *r);
/**
 * tfs_relay_receiver_take() - bytes of the stream, in pieces of any size
 *
 * Records that it has are skipped. Return: 0; -EBADMSG when they are not a stream, or damaged: the
 * connection is of no use any more, what came before is; -EDQUOT at @max_bytes; -errno of the file.
 */
int tfs_relay_receiver_take(struct tfs_relay_receiver *r, const void *data, size_t len,
			    struct tfs_err *err);
/**
 * tfs_relay_receiver_sync() - keep in mind what has come
 * @seq: of the last record that may be acknowledged; 0: none
 * Return: 0 or -errno.
 */
int tfs_relay_receiver_sync(struct tfs_relay_receiver *r, uint64_t *seq, struct tfs_err *err);
/** tfs_relay_receiver_ended() - the last record has come */
bool tfs_relay_receiver_ended(const struct tfs_relay_receiver *r);
/**
 * tfs_relay_receiver_clock() - what the head says of the recording's clock
 * @clock: its name, if it has less than @size bytes
 * @boot: TFS_DAT_BOOT_SIZE bytes: the boot id of the kernel that records
 *
 * It opens the file, but not for each piece of a head that comes in small ones: call it until the
 * stream has ended.
 * Return: false while the head is not complete, or when it does not say.
 */
bool tfs_relay_receiver_clock(struct tfs_relay_receiver *r, char *clock, size_t size, char *boot);
/** tfs_relay_receiver_begun() - is there anything of the recording? */
bool tfs_relay_receiver_begun(const struct tfs_relay_receiver *r);

/**
 * struct tfs_relay_received - what has come
 * @events: in the file
 * @gap_events: that gaps between chunks left out
 * @gaps: of them
 * @bytes: of events as stored
 * @text: of the END record; borrowed; "" before
 */
struct tfs_relay_received {
	uint64_t events;
	uint64_t gap_events;
	uint64_t gaps;
	uint64_t bytes;
	const char *text;
};
void tfs_relay_receiver_totals(const struct tfs_relay_receiver *r, struct tfs_relay_received *t);

/**
 * tfs_relay_receiver_finish() - complete the file
 * @compared: what its clock was compared with; NULL: nothing
 *
 * Also of a stream that was cut: what the recorder says at its end is missing then. Return: 0;
 * -ENODATA when nothing has come; -errno, and tc-record --recover completes it later. Nothing can
 * be fed after it.
 */
int tfs_relay_receiver_finish(struct tfs_relay_receiver *r,
			      const struct tfs_relay_compare *compared, struct tfs_err *err);

#endif
