/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "net/client.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf.h"
#include "base/time.h"
#include "net/completion.h"
#include "net/handshake.h"
#include "net/intake.h"
#include "net/message.h"
#include "record/output.h"
#include "tracedat/dat-append.h"

#define READ_BYTES 65536u
/* From the connection to the ports */
#define HELLO_MS 30000
/* After the client's end: for a stream that stands still, and one that nobody has connected to */
#define STALLED_MS 10000
#define UNUSED_MS 100
/* Datagrams that are on their way arrive within this time. */
#define LATE_MS 100
/* Time for the rest of a client that was killed: its children may live on. */
#define BROKEN_MS 2000
#define SAME_NAME_MAX 1000

enum stage {
	STAGE_HANDSHAKE,
	STAGE_INIT,     /* version 3: TINIT is expected */
	STAGE_METADATA, /* ports are known to the client */
	STAGE_RECORD,   /* version 3: metadata are complete, CLOSE is expected */
	STAGE_DRAIN,    /* the client has ended; data may still arrive */
	STAGE_COMPLETE, /* a thread completes the file, and has @intake and @output */
	STAGE_END,
};

struct tfs_client {
	const struct tfs_client_opts *o;
	struct tfs_net_address peer;
	int fd;
	enum stage stage;
	struct tfs_net_handshake hello;
	struct tfs_strbuf in, out;
	bool is_v1;
	bool head_known;
	bool broken;   /* the client ended without saying so */
	bool has_file; /* it is to be completed */
	struct tfs_net_tinit init;
	struct tfs_output output;
	struct tfs_intake *intake;
	struct tfs_completion *completion;
	size_t descriptors; /* taken of those that the options have */
	uint64_t metadata;
	long long since_ms; /* of the stage, or of the last progress */
	long long drain_ms;
};

static long long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / NS_PER_MSEC;
}

static void say(const struct tfs_client *c, const char *what, const struct tfs_err *err)
{
	c->o->say(c->o->context, &c->peer, what, err);
}

static void enter(struct tfs_client *c, enum stage stage)
{
	c->stage = stage;
	c->since_ms = now_ms();
}

static void send_now(struct tfs_client *c)
{
	ssize_t n;

	while (c->fd >= 0 && c->out.len) {
		n = send(c->fd, c->out.s, c->out.len, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno != EAGAIN && errno != EINTR) {
			/* Nobody is there to take it; what it sent is still to be read. */
			tfs_strbuf_reset(&c->out);
			return;
		}
		if (n <= 0)
			return;
		memmove(c->out.s, c->out.s + n, c->out.len - (size_t)n);
		c->out.len -= (size_t)n;
	}
}

int tfs_client_new(const struct tfs_client_opts *opts, int fd, const struct tfs_net_address *peer,
		   struct tfs_client **out)
{
	struct tfs_client *c = calloc(1, sizeof(*c));

	if (!c) {
		tfs_close(&fd);
		return -ENOMEM;
	}
	c->o = opts;
	c->fd = fd;
	c->peer = *peer;
	c->output = TFS_OUTPUT_INIT;
	tfs_strbuf_init(&c->in);
	tfs_strbuf_init(&c->out);
	enter(c, STAGE_HANDSHAKE);
	if (tfs_strbuf_adds(&c->out, TFS_NET_GREETING)) {
		tfs_client_free(c);
		return -ENOMEM;
	}
	send_now(c);
	*out = c;
	return 0;
}

static void say_wrote(const struct tfs_client *c, const struct tfs_intake_totals *t)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;

	tfs_strbuf_addf(&text, "wrote '%s': %" PRIu64 " sub-buffers of %" PRIu32 " CPUs%s",
			c->output.path, t->raw_bytes / c->init.page_size, t->cpus,
			c->broken ? "; the client did not end its recording, "
				    "so the last events may be missing" :
				    "");
	if (t->lost)
		tfs_strbuf_addf(&text, "; at least %" PRIu64 " sub-buffers were lost", t->lost);
	if (t->torn)
		tfs_strbuf_addf(&text, "; %" PRIu64 " bytes of incomplete sub-buffers", t->torn);
	say(c, text.s, NULL);
	tfs_strbuf_release(&text);
}

/* The file is as complete as it will be. */
static void report(struct tfs_client *c, const struct tfs_completed *done)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;

	if (done->removed) {
		say(c, "nothing arrived that could be read; there is no file", &done->err);
	} else if (done->rc) {
		tfs_strbuf_addf(&text, "'%s' is not complete, and its data are beside it",
				c->output.path);
		say(c, text.s, &done->err);
	} else {
		say_wrote(c, &done->totals);
	}
	if (!done->rc && !c->is_v1 && !tfs_net_message_add(&c->out, TFS_NET_CLOSE_RESP, NULL, 0))
		send_now(c);
	tfs_strbuf_release(&text);
	enter(c, STAGE_END);
}

/* Not here, because the client decides how long that takes, and others are served here. */
static void complete_file(struct tfs_client *c)
{
	struct tfs_completed done;
	struct tfs_intake *intake = c->intake;

	c->has_file = false;
	c->intake = NULL;
	if (!tfs_completion_start(intake, &c->output, c->is_v1, &c->completion)) {
		enter(c, STAGE_COMPLETE);
		return;
	}
	/* Without a thread the others have to wait. */
	tfs_complete(intake, &c->output, c->is_v1, &done);
	report(c, &done);
}

static void see_completion(struct tfs_client *c)
{
	struct tfs_completed done;

	tfs_completion_wait(c->completion, &done);
	c->completion = NULL;
	report(c, &done);
}

static void end(struct tfs_client *c)
{
	if (c->has_file)
		complete_file(c);
	else
		enter(c, STAGE_END);
}

/* It cannot be served any longer; what it has sent stays. */
static void drop(struct tfs_client *c, const struct tfs_err *err)
{
	say(c, c->has_file ? "stopped" : "refused", err);
	c->broken = true;
	end(c);
}

static void fail(struct tfs_client *c, int rc, const char *what)
{
	struct tfs_err err = TFS_ERR_INIT;

	tfs_err_set(&err, rc, "%s", what);
	drop(c, &err);
}

void tfs_client_stop(struct tfs_client *c)
{
	if (!c->has_file)
		return;
	c->broken = true;
	complete_file(c);
}

void tfs_client_free(struct tfs_client *c)
{
	if (!c)
		return;
	tfs_client_stop(c);
	if (c->completion)
		see_completion(c);
	tfs_intake_free(c->intake);
	if (c->descriptors)
		*c->o->descriptors += c->descriptors;
	tfs_output_release(&c->output);
	tfs_strbuf_release(&c->in);
	tfs_strbuf_release(&c->out);
	tfs_close(&c->fd);
	free(c);
}

/* Its name as trace-cmd's, with a number if there is such a file already. */
static int file_name(const struct tfs_client *c, struct tfs_strbuf *path)
{
	int rc = 0;

	for (unsigned int i = 1; i <= SAME_NAME_MAX; i++) {
		tfs_strbuf_reset(path);
		rc = tfs_strbuf_addf(path, "%s/%s.%s:%u", c->o->dir, c->o->name, c->peer.text,
				     c->peer.port);
		if (!rc && i > 1)
			rc = tfs_strbuf_addf(path, ".%u", i);
		if (!rc)
			rc = tfs_strbuf_adds(path, ".dat");
		if (rc || access(path->s, F_OK))
			return rc;
	}
	return -EEXIST;
}

/* A socket and a file for each CPU: they are not to be missing for other clients then. */
static int take_descriptors(struct tfs_client *c, struct tfs_err *err)
{
	const size_t n = 2 * (size_t)c->init.cpus;

	if (!c->o->descriptors)
		return 0;
	if (n > *c->o->descriptors) {
		tfs_err_say(err, -EMFILE,
			    "its %" PRIu32 " CPUs need %zu open files, and %zu are left",
			    c->init.cpus, n, *c->o->descriptors);
		tfs_err_hint(err, "start tc-listen with a larger limit: ulimit -n");
		return -EMFILE;
	}
	*c->o->descriptors -= n;
	c->descriptors = n;
	return 0;
}

static int open_file(struct tfs_client *c, struct tfs_err *err)
{
	const struct tfs_intake_opts io = {
		.init = c->init,
		.output = &c->output,
		.peer = &c->peer,
		.bind = c->o->bind,
	};
	struct tfs_strbuf path = TFS_STRBUF_INIT;
	int rc;

	if (!c->init.tcp && !c->o->udp) {
		tfs_err_say(err, -EOPNOTSUPP, "it wants to send datagrams, which get lost");
		tfs_err_hint(err, "record with -t, or allow them here with --udp");
		return -EOPNOTSUPP;
	}
	rc = take_descriptors(c, err);
	if (rc)
		return rc;
	rc = file_name(c, &path);
	if (rc)
		tfs_err_set(err, rc, "cannot name a file in '%s'", c->o->dir);
	if (!rc)
		rc = tfs_output_open(&c->output, path.s, 0, err);
	if (!rc)
		rc = tfs_output_begin(&c->output, err);
	if (!rc)
		rc = tfs_intake_new(&io, &c->intake, err);
	if (rc && c->output.fd >= 0)
		tfs_output_discard(&c->output);
	c->has_file = !rc;
	tfs_strbuf_release(&path);
	return rc;
}

static int answer_v1(struct tfs_client *c)
{
	const uint16_t *ports = tfs_intake_ports(c->intake);
	int rc = 0;

	for (uint32_t i = 0; i < c->init.cpus && !rc; i++)
		rc = tfs_strbuf_addf(&c->out, "%s%u", i ? "," : "", ports[i]);
	return rc ? rc : tfs_strbuf_addc(&c->out, '\0');
}

/* The client has said what it will send: name the ports. */
static int begin(struct tfs_client *c, struct tfs_err *err)
{
	char clock[TFS_CLOCK_REFERENCE_MAX];
	int rc = open_file(c, err);

	if (rc)
		return rc;
	tfs_clock_reference(clock);
	if (c->is_v1)
		rc = answer_v1(c);
	else
		rc = tfs_net_rinit_add(&c->out, tfs_intake_ports(c->intake), c->init.cpus, clock);
	if (rc)
		return tfs_err_set(err, rc, "cannot name %" PRIu32 " ports to it", c->init.cpus);
	send_now(c);
	enter(c, STAGE_METADATA);
	return 0;
}

/* The beginning of the file says how data are to be stored. */
static int see_head(struct tfs_client *c, struct tfs_err *err)
{
	unsigned char bytes[TFS_DAT_HEAD_MAX];
	struct tfs_dat_head head;
	size_t n = c->metadata < sizeof(bytes) ? (size_t)c->metadata : sizeof(bytes);
	int rc = tfs_pread_all(c->output.fd, bytes, n, 0);

	if (rc)
		return tfs_err_set(err, rc, "cannot read '%s'", c->output.path);
	rc = tfs_dat_head_parse(bytes, n, &head, err);
	if (rc <= 0)
		return rc;
	c->head_known = true;
	return tfs_intake_begin(c->intake, &head, err);
}

static int add_metadata(struct tfs_client *c, const void *data, size_t size, struct tfs_err *err)
{
	int rc;

	if (c->metadata + size > TFS_NET_METADATA_MAX)
		return tfs_err_say(err, -EFBIG, "it has more metadata than %" PRIu64 " MiB",
				   TFS_NET_METADATA_MAX >> 20);
	rc = tfs_pwrite_all(c->output.fd, data, size, (off_t)c->metadata);
	if (rc)
		return tfs_err_set(err, rc, "cannot write '%s'", c->output.path);
	c->metadata += size;
	c->since_ms = now_ms();
	return c->head_known ? 0 : see_head(c, err);
}

static void start_drain(struct tfs_client *c)
{
	enter(c, STAGE_DRAIN);
	c->drain_ms = c->since_ms;
}

/* A client compares its clock with the one here. */
static int answer_clock(struct tfs_client *c, const struct tfs_net_message *m)
{
	char line[TFS_CLOCK_LINE_MAX] = "";
	struct tfs_clock_probe probe;

	if (m->n_rest >= sizeof(line))
		return -EBADMSG;
	memcpy(line, m->rest, m->n_rest);
	if (tfs_clock_probe_parse_ask(line, &probe))
		return -EBADMSG;
	/* A clock that is not known: the answer says so. */
	if (tfs_clock_probe_now(probe.name, &probe.t1))
		probe.t1 = 0;
	tfs_clock_probe_answer(&probe, line);
	return tfs_net_message_add(&c->out, TFS_NET_ASK_CLOCK, line, strlen(line));
}

static int take_message(struct tfs_client *c, const struct tfs_net_message *m, struct tfs_err *err)
{
	int rc;

	if (c->stage == STAGE_INIT) {
		rc = tfs_net_tinit_parse(m, &c->init, err);
		return rc ? rc : begin(c, err);
	}
	if (c->stage == STAGE_METADATA && m->command == TFS_NET_SEND_DATA)
		return add_metadata(c, m->rest, m->n_rest, err);
	if (c->stage == STAGE_METADATA && m->command == TFS_NET_FIN_DATA) {
		enter(c, STAGE_RECORD);
		return 0;
	}
	if (m->command == TFS_NET_CLOSE) {
		start_drain(c);
		return 0;
	}
	if (c->stage == STAGE_METADATA && m->command == TFS_NET_ASK_CLOCK)
		rc = answer_clock(c, m);
	else
		rc = tfs_net_message_add(&c->out, TFS_NET_NOT_SUPP, NULL, 0);
	send_now(c);
	/* Who does not read the answers has nothing to say. */
	if (rc || c->out.len > TFS_NET_MESSAGE_MAX)
		return tfs_err_say(err, -EBADMSG, "it sends what was not asked for");
	return 0;
}

/* Return: 1 when something was used, 0 when more is needed, -errno */
static int take_some(struct tfs_client *c, const char *data, size_t size, size_t *used,
		     struct tfs_err *err)
{
	struct tfs_net_message m;
	int rc;

	*used = 0;
	if (c->stage == STAGE_HANDSHAKE) {
		rc = tfs_net_handshake_take(&c->hello, data, size, used, &c->out, err);
		send_now(c);
		if (rc <= 0)
			return rc;
		if (c->hello.stage == TFS_NET_MESSAGES)
			enter(c, STAGE_INIT);
		if (c->hello.stage != TFS_NET_STREAM)
			return 1;
		c->is_v1 = true;
		c->init = c->hello.init;
		rc = begin(c, err);
		return rc ? rc : 1;
	}
	if (c->is_v1) {
		*used = size;
		rc = size ? add_metadata(c, data, size, err) : 0;
		return rc ? rc : size > 0;
	}
	rc = tfs_net_message_parse(data, size, &m, used, err);
	if (rc > 0) {
		rc = take_message(c, &m, err);
		rc = rc ? rc : 1;
	}
	return rc;
}

static int take_input(struct tfs_client *c, struct tfs_err *err)
{
	size_t done = 0, used;
	int rc = 1;

	while (rc > 0 && c->stage < STAGE_DRAIN) {
		rc = take_some(c, c->in.s + done, c->in.len - done, &used, err);
		done += used;
	}
	if (rc < 0)
		return rc;
	memmove(c->in.s, c->in.s + done, c->in.len - done);
	c->in.len -= done;
	return 0;
}

/* The connection has ended. For version 1 this is how metadata end. */
static void see_end(struct tfs_client *c)
{
	tfs_close(&c->fd);
	if (!c->has_file) {
		say(c, "went away before it sent anything", NULL);
		end(c);
		return;
	}
	c->broken = !c->is_v1;
	start_drain(c);
}

void tfs_client_serve(struct tfs_client *c)
{
	struct tfs_err err = TFS_ERR_INIT;
	ssize_t n;
	int rc;

	send_now(c);
	if (c->stage >= STAGE_DRAIN)
		return;
	if (tfs_strbuf_grow(&c->in, READ_BYTES)) {
		fail(c, -ENOMEM, "cannot receive");
		return;
	}
	n = recv(c->fd, c->in.s + c->in.len, READ_BYTES, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		see_end(c);
		return;
	}
	c->in.len += (size_t)n;
	rc = take_input(c, &err);
	if (rc)
		drop(c, &err);
}

static bool is_over_quota(const struct tfs_client *c)
{
	struct tfs_intake_totals t;

	if (!c->o->quota)
		return false;
	tfs_intake_totals(c->intake, &t);
	return c->metadata + t.file_bytes > c->o->quota;
}

void tfs_client_take(struct tfs_client *c)
{
	struct tfs_err err = TFS_ERR_INIT;
	bool progress;
	int rc;

	if (c->completion) {
		see_completion(c);
		return;
	}
	rc = tfs_intake_take(c->intake, &progress, &err);
	if (progress && c->stage == STAGE_DRAIN)
		c->since_ms = now_ms();
	if (!rc && is_over_quota(c)) {
		rc = tfs_err_say(&err, -EDQUOT, "its file has reached %" PRIu64 " KiB",
				 c->o->quota >> 10);
		tfs_err_hint(&err, "--quota allows more");
	}
	if (rc)
		drop(c, &err);
}

/* It may be silent until there are events. Whoever records connects for that before, if it can. */
static bool is_recording(const struct tfs_client *c)
{
	return c->head_known && tfs_intake_connected(c->intake);
}

/* How long a stage may last without progress; -1: as long as it likes */
static int patience(const struct tfs_client *c)
{
	switch (c->stage) {
	case STAGE_HANDSHAKE:
	case STAGE_INIT:
		return HELLO_MS < c->o->timeout_ms ? HELLO_MS : c->o->timeout_ms;
	case STAGE_METADATA:
		/* Those of version 1 end with the recording. */
		return c->is_v1 && is_recording(c) ? -1 : c->o->timeout_ms;
	case STAGE_RECORD:
		return is_recording(c) ? -1 : c->o->timeout_ms;
	case STAGE_DRAIN:
		if (!c->init.tcp)
			return LATE_MS;
		return tfs_intake_state(c->intake) == TFS_INTAKE_OPEN ? STALLED_MS : UNUSED_MS;
	default:
		return -1;
	}
}

/* All has come: nobody waits for more. */
static bool is_drained(const struct tfs_client *c)
{
	return !c->head_known || tfs_intake_state(c->intake) == TFS_INTAKE_ENDED;
}

/* It has been silent for @ms. */
static void end_silent(struct tfs_client *c, int ms)
{
	struct tfs_err err = TFS_ERR_INIT;

	if (c->stage != STAGE_RECORD && !(c->is_v1 && c->head_known)) {
		fail(c, -ETIMEDOUT, "it has been silent for too long");
		return;
	}
	tfs_err_say(&err, -ETIMEDOUT, "it has not connected for its data within %d s", ms / 1000);
	tfs_err_hint(&err,
		     "a firewall may keep it from the ports of its CPUs, which the system chooses");
	drop(c, &err);
}

int tfs_client_tick(struct tfs_client *c)
{
	const long long now = now_ms();
	const int most = patience(c);
	long long left = c->since_ms + most - now;

	if (c->stage == STAGE_END)
		return 0;
	if (most < 0)
		return -1;
	if (c->stage == STAGE_DRAIN) {
		if (left > 0 && c->broken && c->drain_ms + BROKEN_MS - now < left)
			left = c->drain_ms + BROKEN_MS - now;
		if (is_drained(c) || left <= 0)
			end(c);
	} else if (left <= 0) {
		end_silent(c, most);
	}
	if (c->stage >= STAGE_COMPLETE)
		return c->stage == STAGE_END ? 0 : -1;
	return left < 1000 ? (int)left + 1 : 1000;
}

bool tfs_client_served(const struct tfs_client *c)
{
	return c->stage < STAGE_COMPLETE;
}

long long tfs_client_silence(const struct tfs_client *c)
{
	struct tfs_intake_totals t = { .cpus = 0 };

	if (!tfs_client_served(c))
		return -1;
	if (c->intake)
		tfs_intake_totals(c->intake, &t);
	return t.cpus ? -1 : now_ms() - c->since_ms;
}

void tfs_client_displace(struct tfs_client *c)
{
	struct tfs_err err = TFS_ERR_INIT;

	tfs_err_say(&err, -EBUSY,
		    "it has sent no data and been silent for %lld s, and another client needs its "
		    "place",
		    tfs_client_silence(c) / 1000);
	tfs_err_hint(&err, "--max-clients allows more at a time");
	drop(c, &err);
}

bool tfs_client_ended(const struct tfs_client *c)
{
	return c->stage == STAGE_END;
}

int tfs_client_fd(const struct tfs_client *c, uint32_t *events)
{
	*events = (c->stage < STAGE_DRAIN ? EPOLLIN : 0u) | (c->out.len ? EPOLLOUT : 0u);
	return c->fd;
}

int tfs_client_data_fd(const struct tfs_client *c)
{
	if (c->completion)
		return tfs_completion_fd(c->completion);
	return c->head_known && c->stage < STAGE_COMPLETE ? tfs_intake_fd(c->intake) : -1;
}
