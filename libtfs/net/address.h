/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_NET_ADDRESS_H
#define TFS_NET_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct tfs_err;

/** TFS_NET_HOST_MAX - a host's name or address and a port as text, with the NUL */
#define TFS_NET_HOST_MAX 280u

/**
 * struct tfs_net_host - who to connect to
 * @host: name or address, without brackets
 * @port: TCP port
 */
struct tfs_net_host {
	char host[256];
	uint16_t port;
};

/**
 * tfs_net_host_parse() - "HOST:PORT", "[ADDRESS]:PORT", or "PORT" of this machine; pure
 * Return: 0 or -EINVAL.
 */
int tfs_net_host_parse(const char *text, struct tfs_net_host *out, struct tfs_err *err);

/**
 * struct tfs_net_address - an address of the other side
 * @text: numeric; a v4 address mapped to v6 as v4
 */
struct tfs_net_address {
	struct sockaddr_storage addr;
	socklen_t size;
	char text[64];
	uint16_t port;
};

/** tfs_net_address_name() - set @text and @port */
void tfs_net_address_name(struct tfs_net_address *a);
/** tfs_net_address_same_host() - the same but for the port? */
bool tfs_net_address_same_host(const struct tfs_net_address *a, const struct tfs_net_address *b);

/**
 * tfs_net_connect() - connect by TCP
 * @timeout_ms: for each address that the name has
 * @peer: which of them it was
 *
 * Return: a blocking descriptor, close-on-exec, without Nagle's delay; -errno with the host and
 * what to do.
 */
int tfs_net_connect(const struct tfs_net_host *host, int timeout_ms, struct tfs_net_address *peer,
		    struct tfs_err *err);
/** tfs_net_connect_port() - the same to another port of @peer */
int tfs_net_connect_port(const struct tfs_net_address *peer, uint16_t port, int timeout_ms,
			 struct tfs_err *err);

/**
 * tfs_net_bind() - a socket that is bound to a local address; non-blocking, close-on-exec
 * @type: SOCK_STREAM, which listens, or SOCK_DGRAM
 * @bind: numeric address; "" for all
 * @port: 0: the system chooses; set to what it is
 */
int tfs_net_bind(int type, const char *bind, uint16_t *port, struct tfs_err *err);

#endif
