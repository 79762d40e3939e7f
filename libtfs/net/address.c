/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "net/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/num.h"

#define BACKLOG 64

static int bad_host(const char *text, struct tfs_err *err)
{
	tfs_err_say(err, -EINVAL, "'%s' does not name a listener", text);
	tfs_err_hint(err, "write HOST:PORT, [ADDRESS]:PORT, or PORT for this machine");
	return -EINVAL;
}

int tfs_net_host_parse(const char *text, struct tfs_net_host *out, struct tfs_err *err)
{
	const char *colon = strrchr(text, ':'), *host = text, *end = colon;
	uint64_t port;

	if (!colon) {
		host = "localhost";
		end = host + strlen(host);
	} else if (*host == '[') {
		if (colon == text || colon[-1] != ']')
			return bad_host(text, err);
		host++;
		end--;
	} else if (memchr(text, ':', (size_t)(colon - text))) {
		return bad_host(text, err);
	}
	if (end <= host || (size_t)(end - host) >= sizeof(out->host) ||
	    tfs_parse_u64(colon ? colon + 1 : text, 1, UINT16_MAX, &port, NULL))
		return bad_host(text, err);
	snprintf(out->host, sizeof(out->host), "%.*s", (int)(end - host), host);
	out->port = (uint16_t)port;
	return 0;
}

void tfs_net_address_name(struct tfs_net_address *a)
{
	static const char mapped[] = "::ffff:";
	char port[8];

	if (getnameinfo((const struct sockaddr *)&a->addr, a->size, a->text, sizeof(a->text), port,
			sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV)) {
		snprintf(a->text, sizeof(a->text), "?");
		snprintf(port, sizeof(port), "0");
	}
	if (!strncmp(a->text, mapped, sizeof(mapped) - 1) && strchr(a->text, '.'))
		memmove(a->text, a->text + sizeof(mapped) - 1,
			strlen(a->text) - (sizeof(mapped) - 1) + 1);
	if (a->addr.ss_family == AF_INET6)
		a->port = ntohs(((const struct sockaddr_in6 *)&a->addr)->sin6_port);
	else
		a->port = ntohs(((const struct sockaddr_in *)&a->addr)->sin_port);
}

bool tfs_net_address_same_host(const struct tfs_net_address *a, const struct tfs_net_address *b)
{
	return !strcmp(a->text, b->text) && strcmp(a->text, "?") != 0;
}

/* Return: 0 or -errno */
static int connect_in_time(int fd, const struct sockaddr *addr, socklen_t size, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	socklen_t len = sizeof(int);
	int failed = 0, n;

	if (!connect(fd, addr, size))
		return 0;
	if (errno != EINPROGRESS)
		return -errno;
	do {
		n = poll(&p, 1, timeout_ms);
	} while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n ? -errno : -ETIMEDOUT;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &len))
		return -errno;
	return -failed;
}

static int open_connection(const struct sockaddr *addr, socklen_t size, int timeout_ms)
{
	const int one = 1;
	int fd, rc;

	fd = socket(addr->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	rc = connect_in_time(fd, addr, size, timeout_ms);
	if (!rc && fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK))
		rc = -errno;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (rc)
		tfs_close(&fd);
	return rc ? rc : fd;
}

static int cannot_connect(const char *host, uint16_t port, int rc, struct tfs_err *err)
{
	tfs_err_set(err, rc, "cannot connect to '%s' port %u", host, port);
	if (rc == -ECONNREFUSED)
		tfs_err_hint(err,
			     "nobody listens there: start tc-listen or trace-cmd listen with "
			     "-p %u on it",
			     port);
	else if (rc == -ETIMEDOUT || rc == -EHOSTUNREACH)
		tfs_err_hint(err, "check the address, and whether a firewall is between: the "
				  "listener also uses a port for each CPU");
	return rc;
}

int tfs_net_connect(const struct tfs_net_host *host, int timeout_ms, struct tfs_net_address *peer,
		    struct tfs_err *err)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV };
	struct addrinfo *list, *a;
	char port[8];
	int fd = -ENOENT, rc;

	snprintf(port, sizeof(port), "%u", host->port);
	rc = getaddrinfo(host->host, port, &hints, &list);
	if (rc)
		return tfs_err_say(err, -EINVAL, "cannot find the host '%s': %s", host->host,
				   rc == EAI_SYSTEM ? strerror(errno) : gai_strerror(rc));
	for (a = list; a && fd < 0; a = a->ai_next) {
		fd = open_connection(a->ai_addr, a->ai_addrlen, timeout_ms);
		if (fd < 0)
			continue;
		*peer = (struct tfs_net_address){ .size = a->ai_addrlen };
		memcpy(&peer->addr, a->ai_addr, a->ai_addrlen);
		tfs_net_address_name(peer);
	}
	freeaddrinfo(list);
	return fd < 0 ? cannot_connect(host->host, host->port, fd, err) : fd;
}

int tfs_net_connect_port(const struct tfs_net_address *peer, uint16_t port, int timeout_ms,
			 struct tfs_err *err)
{
	struct sockaddr_storage addr = peer->addr;
	int fd;

	if (addr.ss_family == AF_INET6)
		((struct sockaddr_in6 *)&addr)->sin6_port = htons(port);
	else
		((struct sockaddr_in *)&addr)->sin_port = htons(port);
	fd = open_connection((const struct sockaddr *)&addr, peer->size, timeout_ms);
	return fd < 0 ? cannot_connect(peer->text, port, fd, err) : fd;
}

static int bind_it(int fd, int type, const struct addrinfo *a)
{
	const int one = 1, zero = 0;

	if (type == SOCK_STREAM)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (a->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero));
	if (bind(fd, a->ai_addr, a->ai_addrlen))
		return -errno;
	return type == SOCK_STREAM && listen(fd, BACKLOG) ? -errno : 0;
}

static uint16_t bound_port(int fd)
{
	struct tfs_net_address a = { .size = sizeof(a.addr) };

	if (getsockname(fd, (struct sockaddr *)&a.addr, &a.size))
		return 0;
	tfs_net_address_name(&a);
	return a.port;
}

int tfs_net_bind(int type, const char *bind, uint16_t *port, struct tfs_err *err)
{
	struct addrinfo hints = {
		.ai_socktype = type,
		.ai_flags = AI_NUMERICSERV | AI_NUMERICHOST | AI_PASSIVE,
	};
	struct addrinfo *a;
	char text[8];
	int fd, rc;

	snprintf(text, sizeof(text), "%u", *port);
	/* Without an address: IPv6, which takes IPv4 as well, or IPv4 where there is no other. */
	if (!*bind)
		hints.ai_family = AF_INET6;
	if (getaddrinfo(*bind ? bind : NULL, text, &hints, &a)) {
		tfs_err_say(err, -EINVAL, "'%s' is not an address", bind);
		tfs_err_hint(err, "write it in numbers, for example 192.0.2.7 or ::");
		return -EINVAL;
	}
	fd = socket(a->ai_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	rc = fd < 0 ? -errno : bind_it(fd, type, a);
	freeaddrinfo(a);
	if (rc && fd >= 0)
		tfs_close(&fd);
	if (rc == -EAFNOSUPPORT && !*bind)
		return tfs_net_bind(type, "0.0.0.0", port, err);
	if (rc)
		return tfs_err_set(err, rc, "cannot listen on '%s' port %u",
				   *bind ? bind : "::", *port);
	*port = bound_port(fd);
	return fd;
}
