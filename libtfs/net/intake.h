/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_NET_INTAKE_H
#define TFS_NET_INTAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/address.h"
#include "net/message.h"

struct tfs_codec;
struct tfs_dat_head;
struct tfs_err;
struct tfs_output;

/**
 * struct tfs_intake - the ring-buffer data of one client: a socket and a temporary file for each
 * CPU
 *
 * One thread at a time. Nothing blocks.
 */
struct tfs_intake;

/**
 * struct tfs_intake_opts - where from and where to; all borrowed, and to outlive the intake
 * @output: the temporary files are beside it
 * @peer: nobody else's connections are taken, and nobody else's datagrams
 * @bind: local address; see tfs_net_bind()
 */
struct tfs_intake_opts {
	struct tfs_net_tinit init;
	const struct tfs_output *output;
	const struct tfs_net_address *peer;
	const char *bind;
};

int tfs_intake_new(const struct tfs_intake_opts *opts, struct tfs_intake **out,
		   struct tfs_err *err);
/**
 * tfs_intake_free() - closes all; the temporary files stay unless tfs_intake_unlink() was called
 */
void tfs_intake_free(struct tfs_intake *in);
void tfs_intake_unlink(struct tfs_intake *in);

/** tfs_intake_ports() - of the sockets, for the client; borrowed */
const uint16_t *tfs_intake_ports(const struct tfs_intake *in);
/** tfs_intake_begin() - the head of the file is known; before this nothing is read. 0 or -errno */
int tfs_intake_begin(struct tfs_intake *in, const struct tfs_dat_head *head, struct tfs_err *err);
/**
 * tfs_intake_fd() - readable when there is something to take, after tfs_intake_begin(); borrowed
 */
int tfs_intake_fd(const struct tfs_intake *in);
/**
 * tfs_intake_take() - read some of what has arrived; 0 or -errno of a file
 * @progress: bytes were taken, or a connection ended
 */
int tfs_intake_take(struct tfs_intake *in, bool *progress, struct tfs_err *err);

/** enum tfs_intake_state - of all connections together */
enum tfs_intake_state {
	TFS_INTAKE_OPEN,   /* one can still bring data; always with datagrams */
	TFS_INTAKE_UNUSED, /* those that were made have ended, and not all were made */
	TFS_INTAKE_ENDED,  /* all have ended */
};

/** tfs_intake_connected() - the client has made a connection, or needs none (datagrams) */
bool tfs_intake_connected(const struct tfs_intake *in);
enum tfs_intake_state tfs_intake_state(const struct tfs_intake *in);

/**
 * struct tfs_intake_totals - what arrived
 * @raw_bytes: whole sub-buffers
 * @file_bytes: as stored
 * @lost: datagrams that arrived and were dropped because this side was too slow
 * @torn: bytes of sub-buffers that did not arrive whole
 * @refused: connections and datagrams of somebody else
 * @cpus: CPUs with data
 */
struct tfs_intake_totals {
	uint64_t raw_bytes, file_bytes, lost, torn, refused;
	uint32_t cpus;
};

void tfs_intake_totals(const struct tfs_intake *in, struct tfs_intake_totals *out);

/**
 * tfs_intake_finish() - append all data to the file, which has its metadata
 * @add_cpu_count: see struct tfs_dat_append_opts, as @trace_id
 */
int tfs_intake_finish(struct tfs_intake *in, bool add_cpu_count, uint64_t trace_id,
		      struct tfs_err *err);

#endif
