/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "net/sender.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf-core.h"
#include "base/time.h"
#include "clock/clock-line.h"
#include "clock/round-trip.h"
#include "net/message.h"
#include "record/remote.h"

#define CONNECT_MS 10000
/* A listener answers at once, but its machine may be busy. */
#define ANSWER_MS 20000
/* It takes nothing for so long: it hangs. */
#define STALLED_MS 30000
/* For an answer that a listener may leave out */
#define PATIENT_MS 2000
/* Listeners give up when they get nothing for 5 s. */
#define ALIVE_MS 2000
/* Pieces that are read of what a listener says unasked, at a time */
#define TALK_MAX 64
/* A comparison of clocks: the first of both ends it */
#define TRIPS 40
#define COMPARE_MS 500

struct tfs_sender {
	struct tfs_net_host host;
	struct tfs_net_address peer;
	int fd;
	int file;
	uint64_t sent, room; /* offsets in @file */
	uint32_t cpus;
	uint16_t *ports;
	bool *opened;
	struct tfs_net_extras extras;
	uint32_t asked; /* requests for its clock */
	long long said_ms;
};

static long long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / NS_PER_MSEC;
}

static int went_away(const struct tfs_sender *s, struct tfs_err *err)
{
	tfs_err_say(err, -EPIPE, "the listener on '%s' port %u went away", s->host.host,
		    s->host.port);
	tfs_err_hint(err, "tc-listen keeps a file of the data that had arrived; trace-cmd listen "
			  "does not. Events after that are lost: record into a file with -o where "
			  "that matters");
	return -EPIPE;
}

static int cannot_send(const struct tfs_sender *s, int rc, struct tfs_err *err)
{
	if (rc == -EPIPE || rc == -ECONNRESET)
		return went_away(s, err);
	if (rc == -EAGAIN)
		rc = -ETIMEDOUT;
	return tfs_err_set(err, rc, "cannot send to '%s' port %u", s->host.host, s->host.port);
}

void tfs_sender_explain(const struct tfs_sender *s, struct tfs_err *err)
{
	cannot_send(s, err->code, err);
}

/* So that neither side waits for ever for one that vanished. */
static void set_timeouts(int fd)
{
	const struct timeval stalled = { .tv_sec = STALLED_MS / 1000 };

	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &stalled, sizeof(stalled));
}

static int send_all(struct tfs_sender *s, const void *data, size_t size, struct tfs_err *err)
{
	const char *p = data;
	ssize_t n;

	while (size) {
		n = send(s->fd, p, size, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return cannot_send(s, -errno, err);
		p += n;
		size -= (size_t)n;
	}
	s->said_ms = now_ms();
	return 0;
}

/* Exactly @size bytes within @ms. Return: 0; -EPIPE at the end; -ETIMEDOUT; -errno */
static int receive(struct tfs_sender *s, void *data, size_t size, int ms)
{
	const long long until = now_ms() + ms;
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	unsigned char *to = data;
	long long left;
	ssize_t n;

	while (size) {
		left = until - now_ms();
		if (left <= 0 || !poll(&p, 1, (int)left))
			return -ETIMEDOUT;
		n = recv(s->fd, to, size, MSG_DONTWAIT);
		if (!n)
			return -EPIPE;
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return errno == ECONNRESET ? -EPIPE : -errno;
		if (n > 0) {
			to += n;
			size -= (size_t)n;
		}
	}
	return 0;
}

static int not_a_listener(const struct tfs_sender *s, const char *what, struct tfs_err *err)
{
	tfs_err_say(err, -EPROTO, "'%s' port %u is not a trace-cmd listener: %s", s->host.host,
		    s->host.port, what);
	tfs_err_hint(err, "start tc-listen -p PORT or trace-cmd listen -p PORT there");
	return -EPROTO;
}

static int expect(struct tfs_sender *s, const char *wanted, size_t size, const char *what,
		  struct tfs_err *err)
{
	char got[16];
	int rc = receive(s, got, size, ANSWER_MS);

	if (rc == -EPIPE)
		return not_a_listener(s, "it closes the connection", err);
	if (rc == -ETIMEDOUT)
		return not_a_listener(s, "it says nothing", err);
	if (rc)
		return cannot_send(s, rc, err);
	return memcmp(got, wanted, size) != 0 ? not_a_listener(s, what, err) : 0;
}

int tfs_sender_connect(const struct tfs_net_host *host, struct tfs_sender **out,
		       struct tfs_err *err)
{
	struct tfs_sender *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return tfs_err_set(err, -ENOMEM, "cannot connect");
	s->host = *host;
	s->file = -1;
	s->fd = tfs_net_connect(host, CONNECT_MS, &s->peer, err);
	rc = s->fd < 0 ? s->fd : 0;
	if (!rc) {
		set_timeouts(s->fd);
		rc = expect(s, TFS_NET_GREETING, TFS_NET_GREETING_SIZE,
			    "it does not greet with 'tracecmd'", err);
	}
	if (rc == -EPROTO)
		tfs_err_hint(err, "start tc-listen -p PORT or trace-cmd listen -p PORT there. "
				  "trace-cmd listen closes connections from an address for which "
				  "its machine finds no name (an entry in /etc/hosts is enough)");
	if (rc)
		tfs_sender_free(s);
	else
		*out = s;
	return rc;
}

void tfs_sender_free(struct tfs_sender *s)
{
	if (!s)
		return;
	tfs_close(&s->fd);
	free(s->ports);
	free(s->opened);
	free(s);
}

uint64_t tfs_sender_sent(const struct tfs_sender *s)
{
	return s->sent;
}

static int say_message(struct tfs_sender *s, enum tfs_net_command command, const void *data,
		       size_t size, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = tfs_net_message_add(&sb, command, data, size);

	rc = rc ? tfs_err_set(err, rc, "cannot make a message") : send_all(s, sb.s, sb.len, err);
	tfs_strbuf_release(&sb);
	return rc;
}

static int say_init(struct tfs_sender *s, uint32_t page_size, struct tfs_err *err)
{
	const struct tfs_net_tinit init = { .cpus = s->cpus, .page_size = page_size, .tcp = true };
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = tfs_net_tinit_check(&init, err);

	if (!rc) {
		rc = tfs_net_tinit_add(&sb, &init);
		rc = rc ? tfs_err_set(err, rc, "cannot make a message") :
			  send_all(s, sb.s, sb.len, err);
	}
	tfs_strbuf_release(&sb);
	return rc;
}

/* A message into @buffer, which has room for the largest. */
static int hear_message(struct tfs_sender *s, unsigned char *buffer, int ms,
			struct tfs_net_message *m, struct tfs_err *err)
{
	size_t used, have = TFS_NET_HEADER_SIZE;
	int rc = receive(s, buffer, have, ms);

	while (!rc) {
		rc = tfs_net_message_parse(buffer, have, m, &used, err);
		if (rc)
			return rc > 0 ? 0 : not_a_listener(s, "it sends no messages", err);
		/* The header was read, so its size is one that can be. */
		used = ((size_t)buffer[2] << 8 | buffer[3]) - have;
		rc = receive(s, buffer + have, used, ms);
		have += used;
	}
	return rc == -EPIPE ? went_away(s, err) : cannot_send(s, rc, err);
}

static int learn_ports(struct tfs_sender *s, struct tfs_err *err)
{
	unsigned char buffer[TFS_NET_MESSAGE_MAX];
	struct tfs_net_message m;
	int rc = hear_message(s, buffer, ANSWER_MS, &m, err);

	return rc ? rc : tfs_net_rinit_parse(&m, s->ports, s->cpus, &s->extras, err);
}

static int send_file(struct tfs_sender *s, uint64_t until, struct tfs_err *err)
{
	unsigned char piece[TFS_NET_DATA_MAX];
	size_t n;
	int rc = 0;

	while (!rc && s->sent < until) {
		n = until - s->sent < sizeof(piece) ? (size_t)(until - s->sent) : sizeof(piece);
		rc = tfs_pread_all(s->file, piece, n, (off_t)s->sent);
		if (rc)
			return tfs_err_set(err, rc, "cannot read the metadata");
		rc = say_message(s, TFS_NET_SEND_DATA, piece, n, err);
		s->sent += n;
	}
	return rc;
}

static int agree(struct tfs_sender *s, struct tfs_err *err)
{
	int rc = send_all(s, TFS_NET_VERSION, sizeof(TFS_NET_VERSION), err);

	if (!rc)
		rc = expect(s, TFS_NET_SPEAKS, sizeof(TFS_NET_SPEAKS),
			    "it does not speak version 3 of the protocol (trace-cmd 2.8 does)",
			    err);
	if (!rc)
		rc = send_all(s, TFS_NET_MAGIC, sizeof(TFS_NET_MAGIC), err);
	if (!rc)
		rc = expect(s, TFS_NET_READY, sizeof(TFS_NET_READY) - 1, "it does not get ready",
			    err);
	return rc;
}

int tfs_sender_begin(struct tfs_sender *s, const struct tfs_record_head *head, struct tfs_err *err)
{
	const uint32_t cpus = head->cpus;
	int rc;

	s->file = head->fd;
	s->room = head->room;
	s->cpus = cpus;
	s->ports = calloc(cpus, sizeof(*s->ports));
	s->opened = calloc(cpus, sizeof(*s->opened));
	if (!s->ports || !s->opened)
		return tfs_err_set(err, -ENOMEM, "cannot connect");
	rc = agree(s, err);
	if (!rc)
		rc = say_init(s, head->page_size, err);
	if (!rc)
		rc = learn_ports(s, err);
	return rc ? rc : send_file(s, head->size, err);
}

/* Whatever a listener says now, only its end means something: one that talks on is there. */
static bool is_there(const struct tfs_sender *s)
{
	char c[256];
	ssize_t n = 1;

	for (int i = 0; i < TALK_MAX && n > 0; i++)
		n = recv(s->fd, c, sizeof(c), MSG_DONTWAIT);
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

/*
 * The readers of trace-cmd listen are processes that begin to listen when they get to run, maybe
 * after their ports were named.
 */
static int connect_reader(const struct tfs_sender *s, uint16_t port, struct tfs_err *err)
{
	const struct timespec pause = { .tv_nsec = 10 * NS_PER_MSEC };
	const long long until = now_ms() + ANSWER_MS;
	int fd;

	do {
		tfs_err_clear(err);
		fd = tfs_net_connect_port(&s->peer, port, CONNECT_MS, err);
		if (fd != -ECONNREFUSED || !is_there(s))
			return fd;
		nanosleep(&pause, NULL);
	} while (now_ms() < until);
	return fd;
}

int tfs_sender_open_cpu(struct tfs_sender *s, uint32_t cpu, int *fd, struct tfs_err *err)
{
	if (cpu >= s->cpus)
		return tfs_err_say(err, -ERANGE, "the listener has no port for CPU %u", cpu);
	*fd = connect_reader(s, s->ports[cpu], err);
	if (*fd < 0)
		return *fd;
	set_timeouts(*fd);
	s->opened[cpu] = true;
	return 0;
}

int tfs_sender_tick(struct tfs_sender *s, struct tfs_err *err)
{
	if (!is_there(s))
		return went_away(s, err);
	if (now_ms() - s->said_ms < ALIVE_MS || s->sent >= s->room)
		return 0;
	return send_file(s, s->sent + 1, err);
}

/* A listener of trace-cmd waits for a connection of each CPU. */
static void open_others(struct tfs_sender *s)
{
	int fd, rc = 0;

	for (uint32_t i = 0; i < s->cpus && !rc; i++) {
		if (s->opened[i])
			continue;
		rc = tfs_sender_open_cpu(s, i, &fd, NULL);
		if (!rc)
			tfs_close(&fd);
	}
}

/*
 * Until the listener's readers have read to the end and closed: trace-cmd's are killed two seconds
 * after CLOSE with what they have by then.
 */
static int wait_for_readers(struct tfs_sender *s, const int *fds, size_t n, struct tfs_err *err)
{
	struct pollfd p = { .events = POLLIN };
	char c;
	ssize_t got;

	for (size_t i = 0; i < n; i++)
		if (fds[i] >= 0)
			shutdown(fds[i], SHUT_WR);
	for (size_t i = 0; i < n; i++) {
		if (fds[i] < 0)
			continue;
		p.fd = fds[i];
		if (poll(&p, 1, STALLED_MS) <= 0)
			return cannot_send(s, -ETIMEDOUT, err);
		got = recv(fds[i], &c, 1, MSG_DONTWAIT);
		if (got < 0 && errno != EAGAIN)
			return cannot_send(s, -errno, err);
	}
	return 0;
}

/*
 * trace-cmd's listener takes the end of one of its readers for the end of metadata that it is still
 * reading. It answers a message that it does not expect, which shows that it has read all before.
 */
static int see_it_reads(struct tfs_sender *s, struct tfs_err *err)
{
	unsigned char buffer[TFS_NET_MESSAGE_MAX];
	struct tfs_net_message m;
	int rc = say_message(s, TFS_NET_FIN_DATA, NULL, 0, err);

	if (!rc)
		rc = hear_message(s, buffer, PATIENT_MS, &m, err);
	if (rc != -ETIMEDOUT)
		return rc;
	tfs_err_clear(err);
	return 0;
}

static int hear_confirmation(struct tfs_sender *s, struct tfs_err *err)
{
	unsigned char buffer[TFS_NET_MESSAGE_MAX];
	struct tfs_net_message m = { .command = TFS_NET_CLOSE };
	int rc;

	/* An answer about the clock that came too late may be before it. */
	do {
		rc = hear_message(s, buffer, STALLED_MS, &m, err);
	} while (!rc && m.command == TFS_NET_ASK_CLOCK && s->asked--);
	if (rc != -EPIPE && (rc || m.command == TFS_NET_CLOSE_RESP))
		return rc;
	tfs_err_say(err, -EIO, "the listener on '%s' port %u could not complete its file",
		    s->host.host, s->host.port);
	tfs_err_hint(err, "its messages say why, and where the data are");
	return -EIO;
}

int tfs_sender_finish(struct tfs_sender *s, uint64_t size, const int *fds, size_t n,
		      struct tfs_err *err)
{
	int rc;

	rc = send_file(s, size, err);
	if (!rc)
		rc = say_message(s, TFS_NET_FIN_DATA, NULL, 0, err);
	if (!rc && !s->extras.confirms)
		rc = see_it_reads(s, err);
	open_others(s);
	if (!rc)
		rc = wait_for_readers(s, fds, n, err);
	if (!rc)
		rc = say_message(s, TFS_NET_CLOSE, NULL, 0, err);
	if (!rc && s->extras.confirms)
		rc = hear_confirmation(s, err);
	return rc;
}

const char *tfs_sender_clock(const struct tfs_sender *s)
{
	return s->extras.clock;
}

/* A round trip, in which the listener's clock is the one that is asked for */
static int make_trip(struct tfs_sender *s, const char *clock, struct tfs_clock_trip *trip)
{
	struct tfs_clock_probe probe = { .seq = ++s->asked, .name = "mono" };
	unsigned char buffer[TFS_NET_MESSAGE_MAX];
	char line[TFS_CLOCK_LINE_MAX];
	struct tfs_net_message m = { .command = TFS_NET_CLOSE };
	int rc;

	tfs_clock_probe_ask(&probe, line);
	if (tfs_clock_probe_now(clock, &trip->t0))
		return -EINVAL;
	rc = say_message(s, TFS_NET_ASK_CLOCK, line, strlen(line), NULL);
	if (!rc)
		rc = hear_message(s, buffer, PATIENT_MS, &m, NULL);
	if (!rc && tfs_clock_probe_now(clock, &trip->t3))
		rc = -EINVAL;
	if (!rc && (m.command != TFS_NET_ASK_CLOCK || m.n_rest >= sizeof(line)))
		rc = -EBADMSG;
	if (rc)
		return rc;
	memset(line, 0, sizeof(line));
	memcpy(line, m.rest, m.n_rest);
	rc = tfs_clock_probe_parse_answer(line, &probe);
	trip->t1 = probe.t1;
	trip->t2 = probe.t2;
	return rc;
}

int tfs_sender_compare(struct tfs_sender *s, const char *clock, struct tfs_clock_sample *out)
{
	const long long until = now_ms() + COMPARE_MS;
	struct tfs_clock_burst burst = TFS_CLOCK_BURST_INIT;
	struct tfs_clock_trip trip;
	struct tfs_clock_sample best;
	int rc = 0;

	if (!*s->extras.clock)
		return -EOPNOTSUPP;
	if (tfs_clock_probe_now(clock, &trip.t0))
		return -EINVAL;
	for (int i = 0; i < TRIPS && !rc && now_ms() < until; i++) {
		rc = make_trip(s, clock, &trip);
		if (!rc)
			tfs_clock_burst_add(&burst, &trip);
	}
	/* It is not asked again: what it says then is not an answer to what was asked. */
	if (rc)
		*s->extras.clock = '\0';
	if (!burst.n || tfs_clock_trip_sample(&burst.best, &best))
		return rc ? rc : -EBADMSG;
	*out = (struct tfs_clock_sample){
		.local = best.ref,
		.ref = best.local,
		/* The bound is of the clock here, which may be slower than the other one. */
		.bound = best.bound + best.bound / 1000 + 1,
	};
	return 0;
}
