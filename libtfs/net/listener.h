/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_NET_LISTENER_H
#define TFS_NET_LISTENER_H

#include <stddef.h>
#include <stdint.h>

#include "net/client.h"

struct tfs_err;

/**
 * struct tfs_listener - receives recordings from any number of clients, on one thread
 *
 * Nothing that a client sends or leaves out stops the others: what takes as long as a client likes,
 * the completion of its file, has a thread of its own, and where all places are taken the client
 * that has been silent the longest before its first data gives its place to the next. One thread at
 * a time, which is the only one to call @say.
 */
struct tfs_listener;

/**
 * struct tfs_listener_opts - where to listen; borrowed, and to outlive the listener
 * @client: what becomes of what clients send; the listener sets @descriptors
 * @port: TCP; 0: the system chooses
 * @max_clients: served at a time; with those whose files are being completed, twice as many
 */
struct tfs_listener_opts {
	struct tfs_client_opts client;
	uint16_t port;
	size_t max_clients;
};

int tfs_listener_new(const struct tfs_listener_opts *opts, struct tfs_listener **out,
		     struct tfs_err *err);
/** tfs_listener_port() - the one that it listens on */
uint16_t tfs_listener_port(const struct tfs_listener *l);
/**
 * tfs_listener_run() - serve clients until a descriptor is readable
 * @stop: that descriptor; borrowed
 *
 * Return: 0 when it is; -errno when nobody can be served any more.
 */
int tfs_listener_run(struct tfs_listener *l, int stop, struct tfs_err *err);
/** tfs_listener_free() - what clients have sent until now is made into files, and waited for */
void tfs_listener_free(struct tfs_listener *l);

#endif
