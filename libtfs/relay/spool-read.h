/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RELAY_SPOOL_READ_H
#define TFS_RELAY_SPOOL_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "relay/spool.h"
#include "relay/wire.h"

struct tfs_err;
struct tfs_strvec;

/** struct tfs_relay_reader - the side of a spool that takes the stream away; one thread */
struct tfs_relay_reader;

/**
 * enum tfs_relay_take - how a spool is opened
 * @TFS_RELAY_LOOK: to see its status only
 * @TFS_RELAY_TAKE: to read records. A process that does so already is killed: its connection was
 *                  lost, or is about to be
 */
enum tfs_relay_take { TFS_RELAY_LOOK, TFS_RELAY_TAKE };

/**
 * tfs_relay_reader_open() - open the spool @id in @root
 * Return: 0; -ENOENT; -EBADMSG when it is damaged; -EBUSY; -errno. A spool of an earlier boot can
 * be read.
 */
int tfs_relay_reader_open(const char *root, const char *id, enum tfs_relay_take take,
			  struct tfs_relay_reader **out, struct tfs_err *err);
void tfs_relay_reader_free(struct tfs_relay_reader *r);

/**
 * struct tfs_relay_status - of a spool
 * @pid: the recorder's process; 0: it has ended
 * @waiting: bytes that nobody has taken
 * @last_seq: of the last record
 * @acked_seq: of the last one that was taken
 * @refused: events that the spool had no room for
 */
struct tfs_relay_status {
	enum tfs_relay_state state;
	pid_t pid;
	uint64_t waiting;
	uint64_t last_seq;
	uint64_t acked_seq;
	uint64_t events;
	uint64_t lost;
	uint64_t refused;
};
void tfs_relay_reader_status(const struct tfs_relay_reader *r, struct tfs_relay_status *status);

/**
 * tfs_relay_reader_from() - go on at the record @seq
 *
 * Return: 0; -ERANGE when it was given back, because a receiver has it; -EAGAIN when it is not
 * there yet; -EBADMSG.
 */
int tfs_relay_reader_from(struct tfs_relay_reader *r, uint64_t seq);
/** tfs_relay_reader_next_seq() - of the first record that was not acknowledged */
uint64_t tfs_relay_reader_next_seq(const struct tfs_relay_reader *r);
/**
 * tfs_relay_reader_next() - the next record as it goes over the wire
 * @packet, @len: header and payload; borrowed until the next call
 * @record: its header
 *
 * Return: 1; 0 when there is none, yet; -EBADMSG when the log is damaged; -errno.
 */
int tfs_relay_reader_next(struct tfs_relay_reader *r, const void **packet, size_t *len,
			  struct tfs_relay_record *record);
/** tfs_relay_reader_sent() - records that tfs_relay_reader_next() gave and nobody acknowledged */
size_t tfs_relay_reader_sent(const struct tfs_relay_reader *r);
/**
 * tfs_relay_reader_ack() - the receiver has the records up to @seq
 * Return: 0; -ERANGE when they were not sent.
 */
int tfs_relay_reader_ack(struct tfs_relay_reader *r, uint64_t seq);

/** tfs_relay_spool_list() - append the names of the spools in @root; 0 or -errno */
int tfs_relay_spool_list(const char *root, struct tfs_strvec *ids, struct tfs_err *err);
/** tfs_relay_spool_remove() - remove a spool whose recorder has ended; 0, -EBUSY or -errno */
int tfs_relay_spool_remove(const char *root, const char *id, struct tfs_err *err);

#endif
