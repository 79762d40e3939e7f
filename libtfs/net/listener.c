/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "net/listener.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"

/* A machine that vanished is noticed after so many seconds without an answer. */
#define KEEPALIVE_S 30
/*
 * Files of the process, and of a client besides those of its CPUs: connection, file, directory,
 * epoll, the thread's eventfd
 */
#define OWN_FILES 16u
#define CLIENT_FILES 5u
/* When there are no descriptors left to accept with */
#define BREATHE_MS 100

struct tfs_listener {
	struct tfs_listener_opts o;
	int fd;
	uint16_t port;
	struct tfs_client **clients;
	size_t n, room;       /* in @clients */
	struct pollfd *polls; /* stop, @fd, and two for each client */
	size_t descriptors;   /* for CPUs of clients */
};

/*
 * Each CPU of each client takes a socket and a file. Return: how many there may be, besides those
 * of the process, and others of each client.
 */
static size_t raise_limit(size_t clients)
{
	const size_t others = OWN_FILES + CLIENT_FILES * clients;
	struct rlimit r;
	size_t most;

	if (getrlimit(RLIMIT_NOFILE, &r))
		return SIZE_MAX;
	most = (size_t)r.rlim_cur;
	r.rlim_cur = r.rlim_max;
	if (!setrlimit(RLIMIT_NOFILE, &r))
		most = (size_t)r.rlim_max;
	return most / 2 > others ? most - others : most / 2;
}

int tfs_listener_new(const struct tfs_listener_opts *opts, struct tfs_listener **out,
		     struct tfs_err *err)
{
	struct tfs_listener *l = calloc(1, sizeof(*l));

	if (!l)
		return tfs_err_set(err, -ENOMEM, "cannot listen");
	l->o = *opts;
	l->port = opts->port;
	l->room = 2 * opts->max_clients;
	l->clients = calloc(l->room, sizeof(struct tfs_client *));
	l->polls = calloc(2 + 2 * l->room, sizeof(*l->polls));
	if (!l->clients || !l->polls)
		l->fd = tfs_err_set(err, -ENOMEM, "cannot listen");
	else
		l->fd = tfs_net_bind(SOCK_STREAM, opts->client.bind, &l->port, err);
	if (l->fd < 0) {
		int rc = l->fd;

		l->fd = -1;
		tfs_listener_free(l);
		return rc;
	}
	l->descriptors = raise_limit(l->room);
	l->o.client.descriptors = &l->descriptors;
	*out = l;
	return 0;
}

uint16_t tfs_listener_port(const struct tfs_listener *l)
{
	return l->port;
}

void tfs_listener_free(struct tfs_listener *l)
{
	if (!l)
		return;
	/* All at once: one that takes long does not keep the others from a complete file. */
	for (size_t i = 0; l->clients && i < l->n; i++)
		tfs_client_stop(l->clients[i]);
	for (size_t i = 0; l->clients && i < l->n; i++)
		tfs_client_free(l->clients[i]);
	tfs_close(&l->fd);
	free(l->clients);
	free(l->polls);
	free(l);
}

static void set_options(int fd)
{
	const int one = 1, seconds = KEEPALIVE_S;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof(seconds));
}

/* The client that has been silent the longest without any data; NULL: none has */
static struct tfs_client *most_silent(const struct tfs_listener *l)
{
	struct tfs_client *found = NULL;
	long long most = -1, ms;

	for (size_t i = 0; i < l->n; i++) {
		ms = tfs_client_silence(l->clients[i]);
		if (ms > most) {
			most = ms;
			found = l->clients[i];
		}
	}
	return found;
}

/* Return: NULL when there is a place for one more, or why there is none */
static const char *find_place(struct tfs_listener *l)
{
	struct tfs_client *silent;
	size_t served = 0;

	if (l->n == l->room)
		return "refused: the files of as many clients as --max-clients are being completed";
	for (size_t i = 0; i < l->n; i++)
		served += tfs_client_served(l->clients[i]);
	if (served < l->o.max_clients)
		return NULL;
	silent = most_silent(l);
	if (!silent)
		return "refused: there are as many clients as --max-clients";
	tfs_client_displace(silent);
	return NULL;
}

/* Return: false when there are no descriptors for one more */
static bool accept_client(struct tfs_listener *l)
{
	const struct tfs_client_opts *o = &l->o.client;
	struct tfs_net_address from = { .size = sizeof(from.addr) };
	int fd = accept4(l->fd, (struct sockaddr *)&from.addr, &from.size,
			 SOCK_CLOEXEC | SOCK_NONBLOCK);
	const char *why;

	if (fd < 0)
		return errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM;
	tfs_net_address_name(&from);
	why = find_place(l);
	if (why) {
		tfs_close(&fd);
		o->say(o->context, &from, why, NULL);
		return true;
	}
	set_options(fd);
	if (!tfs_client_new(o, fd, &from, &l->clients[l->n])) {
		l->n++;
		o->say(o->context, &from, "connected", NULL);
	}
	return true;
}

static nfds_t fill(struct tfs_listener *l, int stop)
{
	uint32_t events;
	nfds_t n = 0;

	l->polls[n++] = (struct pollfd){ .fd = stop, .events = POLLIN };
	l->polls[n++] = (struct pollfd){ .fd = l->fd, .events = POLLIN };
	for (size_t i = 0; i < l->n; i++) {
		struct pollfd *p = &l->polls[n];

		p[0].fd = tfs_client_fd(l->clients[i], &events);
		p[0].events = (short)((events & EPOLLIN ? POLLIN : 0) |
				      (events & EPOLLOUT ? POLLOUT : 0));
		/* Without anything to wait for, an end would be reported again and again. */
		if (!events)
			p[0].fd = -1;
		p[1].fd = tfs_client_data_fd(l->clients[i]);
		p[1].events = POLLIN;
		n += 2;
	}
	return n;
}

static int next_tick(struct tfs_listener *l)
{
	int least = -1, ms;

	for (size_t i = 0; i < l->n; i++) {
		ms = tfs_client_tick(l->clients[i]);
		if (ms >= 0 && (least < 0 || ms < least))
			least = ms;
	}
	return least;
}

static void serve(struct tfs_listener *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct pollfd *p = &l->polls[2 + 2 * i];

		if (p[1].fd >= 0 && p[1].revents)
			tfs_client_take(l->clients[i]);
		if (p[0].fd >= 0 && p[0].revents && !tfs_client_ended(l->clients[i]))
			tfs_client_serve(l->clients[i]);
	}
}

static void sweep(struct tfs_listener *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->n; i++) {
		if (tfs_client_ended(l->clients[i]))
			tfs_client_free(l->clients[i]);
		else
			l->clients[kept++] = l->clients[i];
	}
	l->n = kept;
}

int tfs_listener_run(struct tfs_listener *l, int stop, struct tfs_err *err)
{
	bool full = false;
	int wait;

	for (;;) {
		wait = next_tick(l);
		sweep(l);
		fill(l, stop);
		if (full) {
			l->polls[1].fd = -1;
			wait = wait < 0 || wait > BREATHE_MS ? BREATHE_MS : wait;
		}
		if (poll(l->polls, 2 + 2 * l->n, wait) < 0 && errno != EINTR)
			return tfs_err_set(err, -errno, "cannot wait for clients");
		if (l->polls[0].revents)
			return 0;
		serve(l);
		full = full ? false : l->polls[1].revents && !accept_client(l);
	}
}
