/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_NET_CLIENT_H
#define TFS_NET_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/address.h"

struct tfs_err;

/** TFS_NET_METADATA_MAX - a client's metadata have no more bytes */
#define TFS_NET_METADATA_MAX (UINT64_C(256) << 20)

/**
 * struct tfs_client_opts - what a listener does with its clients; borrowed, outlives them
 * @dir: the files are in it
 * @name: their names begin with this: NAME.ADDRESS:PORT.dat
 * @bind: see tfs_net_bind()
 * @udp: clients that send datagrams are served
 * @quota: bytes of a client's file at most; 0: no limit
 * @timeout_ms: silence that ends a client before its metadata are complete, and before it connects
 *	for its data, where it can
 * @descriptors: how many files the CPUs of clients may still open; NULL: no limit. Clients
 *	count it down, and up again at their end
 * @say: reports what happened to a client, in one line: @what, and why where @err is not NULL
 */
struct tfs_client_opts {
	const char *dir;
	const char *name;
	const char *bind;
	bool udp;
	uint64_t quota;
	int timeout_ms;
	size_t *descriptors;
	void (*say)(void *context, const struct tfs_net_address *who, const char *what,
		    const struct tfs_err *err);
	void *context;
};

/**
 * struct tfs_client - a connection to a listener, from its first byte to the complete file
 *
 * One thread at a time. Nothing blocks but writing to files; another thread completes the file.
 */
struct tfs_client;

/**
 * tfs_client_new() - greet a client
 * @fd: non-blocking; taken over, also on failure
 */
int tfs_client_new(const struct tfs_client_opts *opts, int fd, const struct tfs_net_address *peer,
		   struct tfs_client **out);
/** tfs_client_stop() - take no more, and begin to complete the file with what has arrived */
void tfs_client_stop(struct tfs_client *c);
/** tfs_client_free() - tfs_client_stop(), and wait until the file is complete */
void tfs_client_free(struct tfs_client *c);

/**
 * tfs_client_fd() - of the connection; *@events: what to wait for (EPOLLIN, EPOLLOUT), 0: nothing
 */
int tfs_client_fd(const struct tfs_client *c, uint32_t *events);
/**
 * tfs_client_data_fd() - readable when data can be taken, or the file is complete; -1: there are
 * none yet
 */
int tfs_client_data_fd(const struct tfs_client *c);
/** tfs_client_serve() - the connection is ready */
void tfs_client_serve(struct tfs_client *c);
/** tfs_client_take() - tfs_client_data_fd() is readable */
void tfs_client_take(struct tfs_client *c);
/** tfs_client_tick() - time has passed. Return: milliseconds until the next call, -1: no matter */
int tfs_client_tick(struct tfs_client *c);
/** tfs_client_served() - it takes a place: its file is not being completed, and it has not ended */
bool tfs_client_served(const struct tfs_client *c);
/** tfs_client_silence() - of a client that is served and has sent no data, in ms; else -1 */
long long tfs_client_silence(const struct tfs_client *c);
/** tfs_client_displace() - stop such a client, because another one needs its place */
void tfs_client_displace(struct tfs_client *c);
/** tfs_client_ended() - there is nothing more to do but tfs_client_free() */
bool tfs_client_ended(const struct tfs_client *c);

#endif
