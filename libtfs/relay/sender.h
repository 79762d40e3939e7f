/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RELAY_SENDER_H
#define TFS_RELAY_SENDER_H

#include <stdbool.h>
#include <stdint.h>

struct tfs_err;
struct tfs_relay_reader;

/**
 * struct tfs_relay_sender - sends what comes into a spool, and obeys the receiver's lines
 *
 * tracecraft-stream(5) has both. One thread.
 */
struct tfs_relay_sender;

/**
 * struct tfs_relay_sender_opts - a connection
 * @spool: outlives the sender
 * @id: name of the spool; NULL: nobody can go on with this stream
 * @in: lines come from here; -1: nobody answers, and what was written counts as received
 * @out: the stream goes there
 * @rate: bytes a second at most; 0: no limit. The spool grows instead
 */
struct tfs_relay_sender_opts {
	struct tfs_relay_reader *spool;
	const char *id;
	int in;
	int out;
	uint64_t rate;
};

/** enum tfs_relay_asked - what the receiver has asked for, as flags */
enum tfs_relay_asked {
	TFS_RELAY_ASKED_GO = 1 << 0,
	TFS_RELAY_ASKED_STOP = 1 << 1,
	TFS_RELAY_ASKED_BYE = 1 << 2,
};

int tfs_relay_sender_new(const struct tfs_relay_sender_opts *opts, struct tfs_relay_sender **out,
			 struct tfs_err *err);
void tfs_relay_sender_free(struct tfs_relay_sender *s);
/** tfs_relay_sender_alive() - the recorder is a child that has not ended, whatever its lock says */
void tfs_relay_sender_alive(struct tfs_relay_sender *s, bool alive);
/**
 * tfs_relay_sender_step() - wait until there is something to do, a twentieth of a second at most,
 * and do it
 * @other: readable: return; -1: none
 *
 * Return: 1; 0 when nothing more will come; -EPIPE when the connection has ended; -EBADMSG when the
 * spool is damaged, or the receiver does not speak as it should; -errno.
 */
int tfs_relay_sender_step(struct tfs_relay_sender *s, int other, struct tfs_err *err);
/** tfs_relay_sender_asked() - flags since the last call */
unsigned int tfs_relay_sender_asked(struct tfs_relay_sender *s);
/** tfs_relay_sender_error() - send a note why nothing will follow, as far as possible */
void tfs_relay_sender_error(struct tfs_relay_sender *s, const char *text);

#endif
