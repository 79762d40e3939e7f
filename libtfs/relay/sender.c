/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relay/sender.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/num.h"
#include "base/strbuf-core.h"
#include "base/time.h"
#include "clock/round-trip.h"
#include "relay/bucket.h"
#include "relay/spool-read.h"
#include "relay/wire.h"
#include "tracedat/dat-segments.h"

#define LINE_MAX_BYTES 64u
#define POLL_MS 20
/* The largest record, and what is said beside it */
#define UNREAD_MAX (TFS_RELAY_PAYLOAD_MAX + (1u << 20))
#define PROGRESS_NS (NS_PER_SEC / 2)
/* Records that were sent and not acknowledged: of a chunk's size, some ten MiB */
#define WINDOW 4096u

struct tfs_relay_sender {
	struct tfs_relay_sender_opts o;
	bool began;    /* records may be sent */
	bool is_small; /* a write of more than PIPE_BUF may wait */
	bool alive;
	bool ended;         /* END was sent */
	struct tfs_err why; /* it cannot go on, which is said first */
	enum tfs_relay_state noted;
	uint64_t noted_ns, noted_events, noted_waiting;
	unsigned int asked;
	char line[LINE_MAX_BYTES];
	size_t line_len;
	struct tfs_strbuf out; /* to be written, from @out_at on */
	size_t out_at;
	uint64_t out_seq; /* of the record in it */
	struct tfs_relay_bucket bucket;
};

/* A record of text, which is not in the spool */
static int say(struct tfs_relay_sender *s, enum tfs_relay_type type, uint64_t seq, const char *text)
{
	unsigned char header[TFS_RELAY_HEADER];
	const struct tfs_relay_record r = { .type = type,
					    .seq = seq,
					    .size = (uint32_t)strlen(text) };
	int rc;

	tfs_relay_encode(&r, text, header);
	rc = tfs_strbuf_add(&s->out, header, sizeof(header));
	return rc ? rc : tfs_strbuf_adds(&s->out, text);
}

/* The clocks that can be read are those of this boot: the recording may be of another one. */
static int say_boot(struct tfs_strbuf *text)
{
	struct tfs_strbuf boot = TFS_STRBUF_INIT;
	int rc = tfs_read_path(TFS_DAT_BOOT_ID, &boot);

	if (!rc)
		rc = tfs_strbuf_addf(text, TFS_RELAY_BOOT "%.*s\n", (int)strcspn(boot.s, "\n"),
				     boot.s);
	tfs_strbuf_release(&boot);
	return rc == -ENOMEM ? rc : 0;
}

static int hello(struct tfs_relay_sender *s)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc = tfs_strbuf_addf(&text, "version=%d\n", TFS_RELAY_VERSION);

	if (!rc && s->o.id)
		rc = tfs_strbuf_addf(&text, "id=%s\n", s->o.id);
	if (!rc && s->o.in >= 0)
		rc = say_boot(&text);
	if (!rc)
		rc = say(s, TFS_RELAY_HELLO, tfs_relay_reader_next_seq(s->o.spool), text.s);
	tfs_strbuf_release(&text);
	return rc;
}

int tfs_relay_sender_new(const struct tfs_relay_sender_opts *opts, struct tfs_relay_sender **out,
			 struct tfs_err *err)
{
	struct tfs_relay_sender *s = calloc(1, sizeof(*s));
	struct stat st;

	if (!s)
		return tfs_err_set(err, -ENOMEM, "cannot send the stream");
	s->o = *opts;
	s->why = TFS_ERR_INIT;
	s->began = opts->in < 0;
	s->bucket.rate = opts->rate;
	s->is_small = !fstat(opts->out, &st) && !S_ISREG(st.st_mode);
	tfs_strbuf_init(&s->out);
	if (hello(s)) {
		tfs_relay_sender_free(s);
		return tfs_err_set(err, -ENOMEM, "cannot send the stream");
	}
	*out = s;
	return 0;
}

void tfs_relay_sender_free(struct tfs_relay_sender *s)
{
	if (!s)
		return;
	tfs_strbuf_release(&s->out);
	free(s);
}

void tfs_relay_sender_alive(struct tfs_relay_sender *s, bool alive)
{
	s->alive = alive;
}

unsigned int tfs_relay_sender_asked(struct tfs_relay_sender *s)
{
	const unsigned int asked = s->asked;

	s->asked = 0;
	return asked;
}

static int not_understood(const struct tfs_relay_sender *s, struct tfs_err *err)
{
	return tfs_err_say(err, -EBADMSG, "the receiver's answer '%s' is not understood", s->line);
}

/* The number after a word of a line */
static int number_after(const char *line, const char *word, uint64_t *n)
{
	const size_t len = strlen(word);

	if (strncmp(line, word, len) != 0)
		return -ENOENT;
	return tfs_parse_u64(line + len, 0, UINT64_MAX, n, NULL);
}

/* A request for the time. The time until it is read and until the answer goes is in the bound. */
static int answer_clock(struct tfs_relay_sender *s, struct tfs_clock_probe *probe)
{
	char line[TFS_CLOCK_LINE_MAX];

	/* Who asks on without reading gets no more answers, and the host keeps its memory. */
	if (s->out.len - s->out_at > UNREAD_MAX)
		return 0;
	/* A clock that is not known: the answer says so. */
	if (tfs_clock_probe_now(probe->name, &probe->t1))
		probe->t1 = 0;
	tfs_clock_probe_answer(probe, line);
	line[strcspn(line, "\n")] = '\0';
	return say(s, TFS_RELAY_NOTE, 0, line);
}

void tfs_relay_sender_error(struct tfs_relay_sender *s, const char *text)
{
	struct tfs_strbuf note = TFS_STRBUF_INIT;

	if (s->o.in >= 0 && !tfs_strbuf_addf(&note, "error %s", text))
		say(s, TFS_RELAY_NOTE, 0, note.s);
	tfs_strbuf_release(&note);
}

/* The first answer of a connection: what it has. Records before that are gone. */
static int begin_from(struct tfs_relay_sender *s, uint64_t n)
{
	int rc = tfs_relay_reader_from(s->o.spool, n);

	if (rc == -ERANGE)
		tfs_err_say(&s->why, rc,
			    "what was sent before is missing on the receiver's side, and is no "
			    "longer here: record %" PRIu64 " is wanted, %" PRIu64 " is the first",
			    n, tfs_relay_reader_next_seq(s->o.spool));
	/* The receiver is ahead: it may have been the recorder's machine that was reset. */
	else if (rc == -EAGAIN)
		tfs_err_say(&s->why, rc, "the spool does not have record %" PRIu64, n);
	else if (rc)
		return rc;
	s->began = !rc;
	if (rc)
		tfs_relay_sender_error(s, s->why.msg);
	return 0;
}

static int obey(struct tfs_relay_sender *s, struct tfs_err *err)
{
	struct tfs_clock_probe probe;
	static const struct {
		const char *word;
		unsigned int flag;
	} words[] = {
		{ "go", TFS_RELAY_ASKED_GO },
		{ "stop", TFS_RELAY_ASKED_STOP },
		{ "bye", TFS_RELAY_ASKED_BYE },
	};
	uint64_t n;
	int rc;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(s->line, words[i].word) != 0)
			continue;
		s->asked |= words[i].flag;
		return 0;
	}
	if (!tfs_clock_probe_parse_ask(s->line, &probe))
		return answer_clock(s, &probe);
	if (!number_after(s->line, "ack ", &n)) {
		rc = tfs_relay_reader_ack(s->o.spool, n);
	} else if (!s->began && !number_after(s->line, "from ", &n)) {
		rc = begin_from(s, n);
	} else {
		rc = -EBADMSG;
	}
	return rc ? not_understood(s, err) : 0;
}

/* Return: 0; -EPIPE at the end of the input; -errno */
static int read_lines(struct tfs_relay_sender *s, struct tfs_err *err)
{
	char buf[512];
	ssize_t n = read(s->o.in, buf, sizeof(buf));
	int rc = 0;

	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -EPIPE;
	if (!n)
		return -EPIPE;
	for (ssize_t i = 0; i < n && !rc; i++) {
		if (buf[i] != '\n' && s->line_len + 1 < sizeof(s->line)) {
			s->line[s->line_len++] = buf[i];
			continue;
		}
		s->line[s->line_len] = '\0';
		s->line_len = 0;
		rc = buf[i] == '\n' ? obey(s, err) : not_understood(s, err);
	}
	return rc;
}

static int note_progress(struct tfs_relay_sender *s, const struct tfs_relay_status *st)
{
	const uint64_t now = tfs_monotonic_ns();
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc;

	if (now < s->noted_ns + PROGRESS_NS ||
	    (st->events == s->noted_events && st->waiting == s->noted_waiting))
		return 0;
	s->noted_ns = now;
	s->noted_events = st->events;
	s->noted_waiting = st->waiting;
	rc = tfs_strbuf_addf(&text, "progress %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
			     st->events, st->lost + st->refused, st->waiting, st->refused);
	if (!rc)
		rc = say(s, TFS_RELAY_NOTE, 0, text.s);
	tfs_strbuf_release(&text);
	return rc;
}

/* News about the recorder, for a receiver that answers */
static int note(struct tfs_relay_sender *s, const struct tfs_relay_status *st)
{
	int rc = 0;

	if (s->o.in < 0)
		return 0;
	if (s->noted < TFS_RELAY_ARMED && st->state == TFS_RELAY_ARMED)
		rc = say(s, TFS_RELAY_NOTE, 0, "armed");
	else if (s->noted < TFS_RELAY_RECORDING && st->state >= TFS_RELAY_RECORDING)
		rc = say(s, TFS_RELAY_NOTE, 0, "started");
	/* Nothing will come but the bytes that wait. */
	if (!rc && s->noted < TFS_RELAY_ENDED && st->state == TFS_RELAY_ENDED) {
		s->noted_ns = s->noted_waiting = 0;
		rc = say(s, TFS_RELAY_NOTE, 0, "ended");
	}
	s->noted = st->state;
	return rc ? rc : note_progress(s, st);
}

/* Fills the empty buffer. Return: 1; 0 when nothing is there; -errno */
static int next_packet(struct tfs_relay_sender *s)
{
	struct tfs_relay_record r;
	const void *packet;
	size_t len;
	int rc;

	if (!s->began || s->ended || tfs_relay_reader_sent(s->o.spool) >= WINDOW)
		return 0;
	rc = tfs_relay_reader_next(s->o.spool, &packet, &len, &r);
	if (rc <= 0)
		return rc;
	rc = tfs_strbuf_add(&s->out, packet, len);
	s->out_seq = r.seq;
	s->ended = r.type == TFS_RELAY_END;
	return rc ? rc : 1;
}

/* Bytes that may be written now; 0: ask again after @wait_ms */
static size_t bytes_to_write(struct tfs_relay_sender *s, int *wait_ms)
{
	size_t len = s->out.len - s->out_at;

	if (s->is_small && len > PIPE_BUF)
		len = PIPE_BUF;
	return tfs_relay_bucket_take(&s->bucket, tfs_monotonic_ns(), len, wait_ms);
}

static int write_some(struct tfs_relay_sender *s, size_t len)
{
	ssize_t n;

	n = write(s->o.out, s->out.s + s->out_at, len);
	tfs_relay_bucket_give_back(&s->bucket, n < 0 ? len : len - (size_t)n);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -errno;
	s->out_at += (size_t)n;
	if (s->out_at < s->out.len)
		return 0;
	tfs_strbuf_reset(&s->out);
	s->out_at = 0;
	if (s->o.in < 0 && s->out_seq)
		return tfs_relay_reader_ack(s->o.spool, s->out_seq);
	return 0;
}

/* Will nothing more come? Looked at before the log, which the recorder may just be adding to. */
static bool is_over(const struct tfs_relay_sender *s, const struct tfs_relay_status *st)
{
	return !s->alive && !st->pid && st->state != TFS_RELAY_ENDED;
}

/* Puts something into the empty buffer if there is anything. Return: 1; 0 at the end; -errno */
static int fill(struct tfs_relay_sender *s)
{
	struct tfs_relay_status st;
	bool over;
	int rc;

	tfs_relay_reader_status(s->o.spool, &st);
	over = is_over(s, &st);
	rc = note(s, &st);
	if (rc || s->out.len)
		return rc ? rc : 1;
	rc = next_packet(s);
	if (rc)
		return rc;
	/* A receiver that answers says bye once it has completed its file. */
	if (s->ended)
		return s->o.in >= 0;
	if (!over || !s->began || tfs_relay_reader_sent(s->o.spool) >= WINDOW)
		return 1;
	rc = s->o.in >= 0 ? say(s, TFS_RELAY_NOTE, 0, "died") : 0;
	s->ended = true;
	return rc ? rc : 1;
}

int tfs_relay_sender_step(struct tfs_relay_sender *s, int other, struct tfs_err *err)
{
	struct pollfd fds[] = {
		{ .fd = s->o.in, .events = POLLIN },
		{ .fd = other, .events = POLLIN },
		{ .fd = s->o.out },
	};
	size_t len = 0;
	int rc = 1, wait_ms = POLL_MS;
	bool had;

	if (s->why.code && !s->out.len) {
		if (err)
			*err = s->why;
		return s->why.code;
	}
	if (!s->out.len)
		rc = fill(s);
	if (rc <= 0)
		return rc ? tfs_err_set(err, rc, "cannot read the spool") : 0;
	if (s->out.len)
		len = bytes_to_write(s, &wait_ms);
	fds[2].events = len ? POLLOUT : 0;
	rc = poll(fds, 3, len ? 1000 : wait_ms);
	if (!(fds[2].revents & POLLOUT) || rc < 0)
		tfs_relay_bucket_give_back(&s->bucket, len);
	if (rc < 0)
		return errno == EINTR ? 1 : -errno;
	had = s->out.len;
	if (fds[0].revents) {
		rc = read_lines(s, err);
		if (rc)
			return rc;
	}
	/* An answer to a request for the time is waited for, and not held back by a rate. */
	if (!had && s->out.len) {
		len = s->is_small && s->out.len > PIPE_BUF ? PIPE_BUF : s->out.len;
		fds[2] = (struct pollfd){ .fd = s->o.out, .events = POLLOUT };
		(void)!poll(&fds[2], 1, 0);
	}
	/* A pipe says POLLERR, a socket, as sshd gives its programs, POLLHUP. */
	if (fds[2].revents & (POLLERR | POLLHUP | POLLNVAL))
		return -EPIPE;
	if (fds[2].revents & POLLOUT) {
		rc = write_some(s, len);
		if (rc)
			return rc;
	}
	return 1;
}
