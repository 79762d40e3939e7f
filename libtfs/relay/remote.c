/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relay/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf-core.h"
#include "clock/round-trip.h"
#include "relay/compare.h"
#include "relay/wire.h"
#include "tracedat/dat-host.h"

#define READ_BYTES 65536
#define SAID_MAX 2048u
#define ERROR "error "
#define PIECE_BYTES 65536
/* Acknowledge after so many bytes; or when nothing more is there */
#define ACK_BYTES (256u << 10)
/* For a program that has closed its output to end, which it does at once */
#define END_TRIES 300
#define END_WAIT_NS 10000000L

struct tfs_relay_remote {
	struct tfs_relay_remote_opts o;
	struct tfs_relay_receiver *receiver;
	enum tfs_relay_remote_state state;
	pid_t pid;
	int in, out, err; /* of the program: to write to, to read from */
	struct tfs_strbuf lines;
	size_t lines_at;
	int binary; /* being sent; -1: not */
	char preface[16];
	size_t preface_len;
	bool expects_preface, has_begun, has_connected, is_finished, has_died, has_ended;
	uint64_t next; /* record, when the connection was made */
	size_t unacked;
	uint64_t acked;
	uint64_t events, lost, waiting, refused;
	struct tfs_strbuf cannot; /* the other side says why it cannot go on; "": it can */
	int wstatus;
	bool is_full;
	struct tfs_err full;
	struct tfs_strbuf said;
	struct tfs_relay_compare compare;
	char boot[TFS_DAT_BOOT_SIZE]; /* of the other side now; "": it answers no requests */
	uint64_t read_ns;             /* when the last bytes had come */
	bool is_last;                 /* END has come: the last comparison is being made */
};

/* The other side answers requests for its clocks. They are the recording's only in one boot. */
static void take_hello(void *to, const char *text, size_t len)
{
	const size_t key = sizeof(TFS_RELAY_BOOT) - 1;
	struct tfs_relay_remote *r = to;
	const char *end;

	for (; len; len -= (size_t)(end - text), text = end) {
		end = memchr(text, '\n', len);
		end = end ? end + 1 : text + len;
		if ((size_t)(end - text) <= key || strncmp(text, TFS_RELAY_BOOT, key) != 0)
			continue;
		snprintf(r->boot, sizeof(r->boot), "%.*s", (int)(end - text - key - 1), text + key);
	}
}

static int add_line(struct tfs_relay_remote *r, const char *word, uint64_t n)
{
	return tfs_strbuf_addf(&r->lines, "%s %" PRIu64 "\n", word, n);
}

/* A note of the recorder, for the receiver */
static void take_note(void *to, const char *text, size_t len)
{
	struct tfs_relay_remote *r = to;
	char line[128];

	snprintf(line, sizeof(line), "%.*s", (int)(len < sizeof(line) ? len : sizeof(line) - 1),
		 text);
	if (!strcmp(line, "armed"))
		r->state = TFS_RELAY_REMOTE_ARMED;
	else if (!strcmp(line, "started"))
		r->state = TFS_RELAY_REMOTE_RECORDING;
	else if (!strcmp(line, "died"))
		r->has_died = true;
	else if (!strcmp(line, "ended"))
		r->has_ended = true;
	else if (!strncmp(line, ERROR, sizeof(ERROR) - 1))
		(void)!tfs_strbuf_add(&r->cannot, text + sizeof(ERROR) - 1,
				      len - (sizeof(ERROR) - 1));
	else if (!strncmp(line, "clock ", 6))
		tfs_relay_compare_answer(&r->compare, line, r->read_ns);
	else
		(void)!sscanf(line, "progress %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
			      &r->events, &r->lost, &r->waiting, &r->refused);
}

int tfs_relay_remote_new(const struct tfs_relay_remote_opts *opts, struct tfs_relay_remote **out,
			 struct tfs_err *err)
{
	struct tfs_relay_remote *r = calloc(1, sizeof(*r));
	struct tfs_relay_receiver_opts ro = {
		.path = opts->path,
		.resume = opts->resume,
		.max_bytes = opts->max_bytes,
		.note = take_note,
		.hello = take_hello,
		.to = r,
	};
	int rc;

	if (!r)
		return tfs_err_set(err, -ENOMEM, "cannot receive '%s'", opts->path);
	r->o = *opts;
	r->in = r->out = r->err = r->binary = -1;
	r->has_begun = opts->resume;
	tfs_strbuf_init(&r->lines);
	tfs_strbuf_init(&r->said);
	tfs_strbuf_init(&r->cannot);
	rc = tfs_relay_receiver_new(&ro, &r->receiver, err);
	if (rc) {
		tfs_relay_remote_free(r);
		return rc;
	}
	*out = r;
	return 0;
}

/* Its end has come or is about to: one that closed its output and stays would stop all others. */
static void reap(struct tfs_relay_remote *r)
{
	const struct timespec wait = { .tv_nsec = END_WAIT_NS };
	pid_t got = 0;

	if (r->pid <= 0)
		return;
	for (int i = 0; i < END_TRIES && !got; i++) {
		got = waitpid(r->pid, &r->wstatus, WNOHANG);
		if (!got)
			nanosleep(&wait, NULL);
	}
	if (!got)
		kill(r->pid, SIGKILL);
	while (!got && waitpid(r->pid, &r->wstatus, 0) < 0 && errno == EINTR)
		;
	r->pid = 0;
}

static void disconnect(struct tfs_relay_remote *r)
{
	tfs_relay_compare_stop(&r->compare);
	tfs_close(&r->in);
	tfs_close(&r->out);
	tfs_close(&r->err);
	tfs_close(&r->binary);
	if (r->state != TFS_RELAY_REMOTE_DONE)
		r->state = TFS_RELAY_REMOTE_IDLE;
}

void tfs_relay_remote_cut(struct tfs_relay_remote *r)
{
	if (r->pid > 0)
		kill(r->pid, SIGKILL);
	disconnect(r);
	reap(r);
}

void tfs_relay_remote_free(struct tfs_relay_remote *r)
{
	if (!r)
		return;
	tfs_relay_remote_cut(r);
	tfs_relay_receiver_free(r->receiver);
	tfs_strbuf_release(&r->lines);
	tfs_strbuf_release(&r->said);
	tfs_strbuf_release(&r->cannot);
	free(r);
}

/* With three pipes as its standard descriptors, and signals as usual */
static int spawn(char *const *argv, const int *std, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t set;
	int rc;

	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	/* A terminal's Ctrl-C is for the caller, who ends recordings in order. */
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
						POSIX_SPAWN_SETSIGDEF);
	sigemptyset(&set);
	posix_spawnattr_setsigmask(&attr, &set);
	sigaddset(&set, SIGPIPE);
	sigaddset(&set, SIGXFSZ);
	posix_spawnattr_setsigdefault(&attr, &set);
	rc = 0;
	for (int i = 0; i < 3 && !rc; i++)
		rc = -posix_spawn_file_actions_adddup2(&actions, std[i], i);
	if (!rc)
		rc = -posix_spawnp(pid, argv[0], &actions, &attr, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	return rc;
}

static void begin_connection(struct tfs_relay_remote *r)
{
	fcntl(r->in, F_SETFL, O_NONBLOCK);
	fcntl(r->out, F_SETFL, O_NONBLOCK);
	fcntl(r->err, F_SETFL, O_NONBLOCK);
	r->state = TFS_RELAY_REMOTE_CONNECTING;
	r->expects_preface = r->o.binary && !r->has_begun;
	r->preface_len = 0;
	r->has_connected = false;
	r->unacked = 0;
	r->lines_at = 0;
	tfs_strbuf_reset(&r->lines);
	tfs_strbuf_reset(&r->said);
	tfs_strbuf_reset(&r->cannot);
	r->next = tfs_relay_receiver_next(r->receiver);
	*r->boot = '\0';
	r->is_last = false;
	tfs_relay_receiver_reconnect(r->receiver);
}

int tfs_relay_remote_connect(struct tfs_relay_remote *r, char *const *argv, struct tfs_err *err)
{
	int fds[6] = { -1, -1, -1, -1, -1, -1 }, rc = 0;

	if (pipe2(fds, O_CLOEXEC) || pipe2(fds + 2, O_CLOEXEC) || pipe2(fds + 4, O_CLOEXEC))
		rc = -errno;
	else
		rc = spawn(argv, (const int[]){ fds[0], fds[3], fds[5] }, &r->pid);
	if (!rc) {
		r->in = fds[1];
		r->out = fds[2];
		r->err = fds[4];
		fds[1] = fds[2] = fds[4] = -1;
		begin_connection(r);
	} else {
		r->pid = 0;
		tfs_err_set(err, rc, "cannot start '%s'", argv[0]);
	}
	for (size_t i = 0; i < 6; i++)
		tfs_close(&fds[i]);
	return rc;
}

void tfs_relay_remote_poll(const struct tfs_relay_remote *r, struct pollfd *fds)
{
	const bool writes = r->lines.len > r->lines_at || r->binary >= 0;

	fds[0] = (struct pollfd){ .fd = r->out, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = r->err, .events = POLLIN };
	fds[2] = (struct pollfd){ .fd = writes ? r->in : -1, .events = POLLOUT };
}

/* Keeps the last bytes of what the program prints. */
static void read_said(struct tfs_relay_remote *r)
{
	char buf[1024];
	ssize_t n = read(r->err, buf, sizeof(buf));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		tfs_close(&r->err);
		return;
	}
	if (r->said.len + (size_t)n > SAID_MAX)
		tfs_strbuf_reset(&r->said);
	(void)!tfs_strbuf_add(&r->said, buf, (size_t)n);
}

static int write_binary(struct tfs_relay_remote *r)
{
	char piece[PIECE_BYTES];
	ssize_t n = read(r->binary, piece, sizeof(piece));

	if (n > 0) {
		tfs_strbuf_reset(&r->lines);
		r->lines_at = 0;
		return tfs_strbuf_add(&r->lines, piece, (size_t)n);
	}
	tfs_close(&r->binary);
	return n < 0 ? -errno : 0;
}

static int write_lines(struct tfs_relay_remote *r)
{
	ssize_t n;

	if (r->lines.len == r->lines_at && r->binary >= 0)
		return write_binary(r);
	n = write(r->in, r->lines.s + r->lines_at, r->lines.len - r->lines_at);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -EPIPE;
	r->lines_at += (size_t)n;
	if (r->lines_at == r->lines.len) {
		tfs_strbuf_reset(&r->lines);
		r->lines_at = 0;
	}
	return 0;
}

/* The first line, where a binary may be needed. Return: bytes of @data that belong to it */
static size_t take_preface(struct tfs_relay_remote *r, const char *data, size_t len, int *rc)
{
	for (size_t i = 0; i < len; i++) {
		if (data[i] != '\n' && r->preface_len + 1 < sizeof(r->preface)) {
			r->preface[r->preface_len++] = data[i];
			continue;
		}
		r->preface[r->preface_len] = '\0';
		r->expects_preface = false;
		*rc = 0;
		if (!strcmp(r->preface, TFS_RELAY_NEED)) {
			r->binary = open(r->o.binary, O_RDONLY | O_CLOEXEC);
			*rc = r->binary < 0 ? -errno : 0;
		} else if (strcmp(r->preface, TFS_RELAY_HAVE) != 0) {
			*rc = -EPROTO;
		}
		return i + 1;
	}
	return len;
}

static int acknowledge(struct tfs_relay_remote *r, struct tfs_err *err)
{
	uint64_t seq;
	int rc = tfs_relay_receiver_sync(r->receiver, &seq, err);

	r->unacked = 0;
	if (rc || seq <= r->acked)
		return rc;
	r->acked = seq;
	return add_line(r, "ack", seq);
}

/* END has come: the file is completed before the other side may forget. */
static int complete(struct tfs_relay_remote *r, struct tfs_err *err)
{
	int rc = tfs_relay_receiver_finish(r->receiver, &r->compare, err);

	if (rc)
		return rc;
	r->is_finished = true;
	r->state = TFS_RELAY_REMOTE_DONE;
	return tfs_strbuf_adds(&r->lines, "bye\n");
}

/*
 * The recorder was killed: nothing will follow what has come. Where that cannot be completed here,
 * the other side keeps it.
 */
static int give_up(struct tfs_relay_remote *r, struct tfs_err *err)
{
	int rc = tfs_relay_receiver_finish(r->receiver, &r->compare, err);

	if (rc == -ENODATA) {
		tfs_err_clear(err);
		tfs_relay_receiver_discard(r->receiver);
	} else if (rc) {
		return rc;
	}
	r->is_finished = true;
	r->state = TFS_RELAY_REMOTE_DONE;
	return tfs_strbuf_adds(&r->lines, "bye\n");
}

/*
 * The limit of the file: the rest is not wanted, and must not stay on the host either. A limit that
 * its head alone exceeds leaves no file.
 */
static int end_at_limit(struct tfs_relay_remote *r, const struct tfs_err *why)
{
	if (tfs_relay_receiver_finish(r->receiver, &r->compare, NULL))
		tfs_relay_receiver_discard(r->receiver);
	r->full = *why;
	r->is_full = true;
	r->is_finished = true;
	r->state = TFS_RELAY_REMOTE_DONE;
	return tfs_strbuf_adds(&r->lines, "stop\nbye\n");
}

static int take_bytes(struct tfs_relay_remote *r, const char *data, size_t len, struct tfs_err *err)
{
	struct tfs_err why = TFS_ERR_INIT;
	int rc = 0;

	if (r->is_finished)
		return 0;
	if (r->expects_preface) {
		const size_t n = take_preface(r, data, len, &rc);

		if (rc)
			return tfs_err_set(err, rc, "cannot copy '%s' to the host", r->o.binary);
		data += n;
		len -= n;
	}
	if (len && r->state == TFS_RELAY_REMOTE_CONNECTING) {
		r->state = TFS_RELAY_REMOTE_CONNECTED;
		r->has_begun = true;
		r->has_connected = true;
		rc = add_line(r, "from", tfs_relay_receiver_next(r->receiver));
	}
	if (!rc)
		rc = tfs_relay_receiver_take(r->receiver, data, len, &why);
	if (rc == -EDQUOT)
		return end_at_limit(r, &why);
	if (rc && err && why.code)
		*err = why;
	r->unacked += len;
	if (!rc &&
	    (r->unacked >= ACK_BYTES || len < READ_BYTES || tfs_relay_receiver_ended(r->receiver)))
		rc = acknowledge(r, err);
	if (!rc && r->cannot.len)
		rc = tfs_err_say(err, -ESTALE, "%s", r->cannot.s);
	if (!rc && r->has_died && !tfs_relay_receiver_ended(r->receiver))
		rc = give_up(r, err);
	return rc;
}

/* Begins to compare the clocks as soon as the head says which one is recorded. */
static void start_comparing(struct tfs_relay_remote *r)
{
	char clock[TFS_CLOCK_NAME_MAX], boot[TFS_DAT_BOOT_SIZE];

	if (r->compare.state != TFS_RELAY_COMPARE_OFF || !*r->boot ||
	    !tfs_relay_receiver_clock(r->receiver, clock, sizeof(clock), boot))
		return;
	if (!strcmp(boot, r->boot))
		tfs_relay_compare_start(&r->compare, clock);
}

/* After each step: the next request, and the end of the file after the last comparison */
static int go_on_comparing(struct tfs_relay_remote *r, struct tfs_err *err)
{
	char line[TFS_CLOCK_LINE_MAX];
	bool asks;

	if (r->is_finished || r->state < TFS_RELAY_REMOTE_CONNECTED)
		return 0;
	start_comparing(r);
	if (tfs_relay_receiver_ended(r->receiver) && !r->is_last) {
		r->is_last = true;
		if (r->compare.state != TFS_RELAY_COMPARE_OFF)
			tfs_relay_compare_now(&r->compare);
	}
	asks = tfs_relay_compare_ask(&r->compare, line);
	if (asks && tfs_strbuf_adds(&r->lines, line))
		return tfs_err_set(err, -ENOMEM, "cannot compare clocks");
	/* At once: what it waits for makes the bound wider. */
	if (asks && r->binary < 0 && write_lines(r) == -EPIPE)
		tfs_close(&r->in);
	return r->is_last && r->compare.state != TFS_RELAY_COMPARE_ASKING ? complete(r, err) : 0;
}

static int read_stream(struct tfs_relay_remote *r, struct tfs_err *err)
{
	char buf[READ_BYTES];
	ssize_t n = read(r->out, buf, sizeof(buf));

	if (tfs_clock_probe_now("mono", &r->read_ns))
		r->read_ns = 0;
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -EPIPE;
	return n ? take_bytes(r, buf, (size_t)n, err) : -EPIPE;
}

int tfs_relay_remote_step(struct tfs_relay_remote *r, const struct pollfd *fds, struct tfs_err *err)
{
	int rc = 0;

	if (fds[1].revents)
		read_said(r);
	if (fds[2].revents && r->in >= 0) {
		rc = write_lines(r);
		if (rc == -EPIPE)
			tfs_close(&r->in);
		/* Its last words come before its end. */
		if (rc == -EPIPE)
			rc = 0;
	}
	if (!rc && fds[0].revents)
		rc = read_stream(r, err);
	if (!rc)
		rc = go_on_comparing(r, err);
	if (!rc)
		return 0;
	if (rc == -EPIPE && r->err >= 0)
		read_said(r);
	if (rc != -EPIPE) {
		tfs_relay_remote_cut(r);
		return rc;
	}
	disconnect(r);
	reap(r);
	return rc;
}

enum tfs_relay_remote_state tfs_relay_remote_state(const struct tfs_relay_remote *r)
{
	return r->state;
}

bool tfs_relay_remote_has_begun(const struct tfs_relay_remote *r)
{
	return r->has_begun;
}

void tfs_relay_remote_go(struct tfs_relay_remote *r)
{
	(void)!tfs_strbuf_adds(&r->lines, "go\n");
}

void tfs_relay_remote_stop(struct tfs_relay_remote *r)
{
	(void)!tfs_strbuf_adds(&r->lines, "stop\n");
}

int tfs_relay_remote_finish(struct tfs_relay_remote *r, struct tfs_err *err)
{
	int rc;

	if (r->is_finished)
		return 0;
	rc = tfs_relay_receiver_finish(r->receiver, &r->compare, err);
	r->is_finished = !rc;
	return rc;
}

void tfs_relay_remote_discard(struct tfs_relay_remote *r)
{
	if (!r->is_finished)
		tfs_relay_receiver_discard(r->receiver);
}

void tfs_relay_remote_news(const struct tfs_relay_remote *r, struct tfs_relay_remote_news *news)
{
	*news = (struct tfs_relay_remote_news){
		.events = r->events,
		.lost = r->lost,
		.waiting = r->waiting,
		.refused = r->refused,
		.wstatus = r->wstatus,
		.has_connected = r->has_connected,
		.has_advanced = tfs_relay_receiver_next(r->receiver) > r->next,
		.has_died = r->has_died,
		.has_ended = r->has_ended,
		.full = r->is_full ? &r->full : NULL,
		.said = r->said.s ? r->said.s : "",
	};
	tfs_relay_receiver_totals(r->receiver, &news->received);
}
