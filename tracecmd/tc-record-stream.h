/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_RECORD_STREAM_H
#define TC_RECORD_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "record/sink.h"
#include "relay/spool.h"

struct record_request;
struct tfs_err;
struct tfs_session_totals;

/**
 * struct record_stream - --stream: the recorder is a child of the process that sends
 * @spool: between the two; NULL: no --stream
 * @sink: into @spool, for the session
 * @head: path of the trace file without events
 * @gate: read end of a pipe from the sender: a byte starts recording; its end means the sender has
 *        ended; -1: closed
 * @keeps: recording goes on without the sender
 * @is_limited: for a client of --policy
 * @wait_ns: how long it waits to be started; 0: no limit
 * @lost: the sender has ended
 */
struct record_stream {
	struct tfs_relay_spool *spool;
	struct tfs_record_sink sink;
	char *head;
	int gate;
	bool keeps;
	bool is_limited;
	uint64_t wait_ns;
	bool lost;
};

#define RECORD_STREAM_INIT ((struct record_stream){ .gate = -1 })

/**
 * record_stream_fork() - make a spool and a child that records into it
 *
 * In the child it returns 0 with *@status -1, and messages go where the receiver sees them. In the
 * parent it returns after all was sent, with the status to exit with.
 */
int record_stream_fork(struct record_stream *s, struct record_request *req, int *status,
		       struct tfs_err *err);
/**
 * record_stream_wait() - wait until recording is to begin
 * @signals: readable: give up
 * Return: 0; -ECANCELED when it is not to begin.
 */
int record_stream_wait(struct record_stream *s, int signals, struct tfs_err *err);
/** record_stream_began() - recording has begun */
void record_stream_began(struct record_stream *s);
/** record_stream_fd() - readable when the sender has ended and recording is to end; -1: none */
int record_stream_fd(const struct record_stream *s);
/** record_stream_is_lost() - the sender has ended, and recording is to end */
bool record_stream_is_lost(struct record_stream *s);
/** record_stream_progress() - events so far */
void record_stream_progress(struct record_stream *s, uint64_t events, uint64_t lost);
/** record_stream_end() - after the session was finished; 0 or -errno */
int record_stream_end(struct record_stream *s, const struct tfs_session_totals *totals,
		      struct tfs_err *err);
void record_stream_release(struct record_stream *s);

/** record_stream_resume() - --resume: send what a spool has; the exit status */
int record_stream_resume(const struct record_request *req, struct tfs_err *err);
/** record_stream_list() - --spools: print what spools there are; the exit status */
int record_stream_list(const struct record_request *req, struct tfs_err *err);
/** record_stream_stop() - --stop-spool, --remove-spool; the exit status */
int record_stream_stop(const struct record_request *req, struct tfs_err *err);

#endif
