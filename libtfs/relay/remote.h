/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RELAY_REMOTE_H
#define TFS_RELAY_REMOTE_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "relay/receive.h"

struct tfs_err;

/**
 * struct tfs_relay_remote - a recorder on another host, and the file that its stream becomes
 *
 * A program of the caller's choice (ssh) makes the connection: its standard input and output are
 * the two directions of tracecraft-stream(5). One thread; nothing waits.
 */
struct tfs_relay_remote;

/**
 * struct tfs_relay_remote_opts - all borrowed for the remote's life
 * @path: of the trace file
 * @resume: go on with what there is of it
 * @max_bytes: that the file may have; 0: no limit. At the limit the recording is ended there, and
 *             the file is completed
 * @binary: sent before anything else when the other side asks for it by the line TFS_RELAY_NEED;
 *          TFS_RELAY_HAVE says that it is not needed. NULL: no such line comes
 */
struct tfs_relay_remote_opts {
	const char *path;
	bool resume;
	uint64_t max_bytes;
	const char *binary;
};

#define TFS_RELAY_NEED "tc-need"
#define TFS_RELAY_HAVE "tc-have"

/**
 * enum tfs_relay_remote_state
 * @TFS_RELAY_REMOTE_IDLE: there is no connection
 * @TFS_RELAY_REMOTE_CONNECTING: no record has come yet
 * @TFS_RELAY_REMOTE_CONNECTED: records come; it is not armed yet
 * @TFS_RELAY_REMOTE_ARMED: waits for tfs_relay_remote_go()
 * @TFS_RELAY_REMOTE_RECORDING: events come
 * @TFS_RELAY_REMOTE_DONE: the file is complete, or full: the connection is about to end
 */
enum tfs_relay_remote_state {
	TFS_RELAY_REMOTE_IDLE,
	TFS_RELAY_REMOTE_CONNECTING,
	TFS_RELAY_REMOTE_CONNECTED,
	TFS_RELAY_REMOTE_ARMED,
	TFS_RELAY_REMOTE_RECORDING,
	TFS_RELAY_REMOTE_DONE,
};

int tfs_relay_remote_new(const struct tfs_relay_remote_opts *opts, struct tfs_relay_remote **out,
			 struct tfs_err *err);
/** tfs_relay_remote_free() - the connection is cut; what has come stays, and can be resumed */
void tfs_relay_remote_free(struct tfs_relay_remote *r);

/**
 * tfs_relay_remote_connect() - start the program that makes the connection
 * @argv: copied by the kernel
 * Return: 0 or -errno.
 */
int tfs_relay_remote_connect(struct tfs_relay_remote *r, char *const *argv, struct tfs_err *err);

#define TFS_RELAY_REMOTE_FDS 3
/** tfs_relay_remote_poll() - fill in what to wait for; fds of -1 are nothing */
void tfs_relay_remote_poll(const struct tfs_relay_remote *r, struct pollfd *fds);
/**
 * tfs_relay_remote_step() - do what poll(2) has found
 *
 * Return: 0; -EPIPE when the connection has ended, which may be taken up again; -EBADMSG when what
 * comes is not a stream, or damaged; -ESTALE when the other side does not have what is missing
 * here; another -errno when the file cannot be written: what has come stays, and can be resumed.
 * The state is IDLE then.
 */
int tfs_relay_remote_step(struct tfs_relay_remote *r, const struct pollfd *fds,
			  struct tfs_err *err);

enum tfs_relay_remote_state tfs_relay_remote_state(const struct tfs_relay_remote *r);
/** tfs_relay_remote_has_begun() - there is a spool: the next connection takes it up again */
bool tfs_relay_remote_has_begun(const struct tfs_relay_remote *r);
/** tfs_relay_remote_go() - start recording, in state ARMED */
void tfs_relay_remote_go(struct tfs_relay_remote *r);
/** tfs_relay_remote_stop() - end the recording; its rest will come */
void tfs_relay_remote_stop(struct tfs_relay_remote *r);
/** tfs_relay_remote_cut() - end the connection now */
void tfs_relay_remote_cut(struct tfs_relay_remote *r);
/** tfs_relay_remote_discard() - remove a file without a head; others stay */
void tfs_relay_remote_discard(struct tfs_relay_remote *r);
/** tfs_relay_remote_finish() - complete the file with what has come; tfs_relay_receiver_finish() */
int tfs_relay_remote_finish(struct tfs_relay_remote *r, struct tfs_err *err);

/**
 * struct tfs_relay_remote_news - what is known of a remote
 * @events, @lost: so far, by the recorder
 * @waiting: bytes in its spool
 * @refused: events of @lost that its spool had no room for
 * @received: what has come
 * @wstatus: wait(2) status of the connection's program, once it has ended
 * @has_connected: the last connection brought records
 * @has_advanced: it brought some that were not here
 * @has_died: the recorder ended without an end of the recording
 * @has_ended: the recording has ended there; its rest is still to come
 * @full: the file has reached its limit: what it says; borrowed. NULL: it has not
 * @said: the last lines of its standard error; borrowed
 */
struct tfs_relay_remote_news {
	uint64_t events;
	uint64_t lost;
	uint64_t waiting;
	uint64_t refused;
	struct tfs_relay_received received;
	int wstatus;
	bool has_connected;
	bool has_advanced;
	bool has_died;
	bool has_ended;
	const struct tfs_err *full;
	const char *said;
};
void tfs_relay_remote_news(const struct tfs_relay_remote *r, struct tfs_relay_remote_news *news);

#endif
