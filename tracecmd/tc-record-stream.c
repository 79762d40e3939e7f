/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-record-stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "base/time.h"
#include "cli/child.h"
#include "cli/command.h"
#include "cli/msg.h"
#include "cli/signals.h"
#include "record/session.h"
#include "relay/sender.h"
#include "relay/spool-read.h"
#include "tc-record-opts.h"

#define PROGRAM "tc-record"
/* Messages of a recorder whose sender may end before it */
#define MESSAGES "messages"
#define REMOVE_TRIES 500
/* For a client to say that it has seen why a recording did not begin */
#define BYE_NS (5 * NS_PER_SEC)
#define REMOVE_WAIT_NS 20000000L

static int on_begin(void *to, size_t sources, int fd, uint64_t len)
{
	int rc = tfs_relay_spool_sources(to, sources);

	return rc ? rc : tfs_relay_spool_file(to, TFS_RELAY_HEAD, fd, 0, len);
}

static int on_chunk(void *to, const struct tfs_record_chunk *c)
{
	const struct tfs_relay_chunk chunk = {
		.source = c->source,
		.data = c->data,
		.size = c->size,
		.raw = c->raw,
		.events = c->events,
	};

	return tfs_relay_spool_chunk(to, &chunk);
}

static uint64_t on_refused(void *to, uint32_t source)
{
	return tfs_relay_spool_refused(to, source);
}

static int on_tail(void *to, int fd, uint64_t off, uint64_t len)
{
	return tfs_relay_spool_file(to, TFS_RELAY_TAIL, fd, off, len);
}

/* The name of a spool that nobody asks for again */
static void make_id(char *id, size_t size)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(id, size, "%lld-%d", (long long)now.tv_sec, (int)getpid());
}

static int refuse_terminal(struct tfs_err *err)
{
	if (!isatty(STDOUT_FILENO))
		return 0;
	tfs_err_say(err, -EINVAL, "option --stream: a recording cannot be written to a terminal");
	tfs_err_hint(err, "tc-record --stream ... | tc-fleet receive -o FILE");
	return -EINVAL;
}

/* With @lock held, no other recorder makes a spool meanwhile. */
static int check_room(const char *root, uint64_t max, int *lock, struct tfs_err *err)
{
	struct tfs_strvec ids = TFS_STRVEC_INIT;
	int rc;

	*lock = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*lock < 0 || flock(*lock, LOCK_EX))
		return tfs_err_set(err, -errno, "cannot lock '%s'", root);
	rc = tfs_relay_spool_list(root, &ids, err);
	if (!rc && ids.n >= max) {
		rc = tfs_err_say(err, -EBUSY,
				 "there are %zu recordings here already, and %" PRIu64
				 " allowed, by --policy",
				 ids.n, max);
		tfs_err_hint(err, "tc-fleet fetch brings what is left of a run; "
				  "tc-record --spools, --stop-spool, --remove-spool");
	}
	tfs_strvec_release(&ids);
	return rc;
}

static int make_spool(struct record_stream *s, const struct record_request *req, const char *root,
		      const char *id, struct tfs_err *err)
{
	const struct record_stream_opts *o = &req->stream;
	const struct tfs_relay_spool_opts so = {
		.root = root,
		.id = id,
		.quota = o->size ? o->size : RECORD_SPOOL_SIZE,
		.full = o->full_text && !strcmp(o->full_text, "oldest") ? TFS_RELAY_DROP_OLDEST :
									  TFS_RELAY_REFUSE_NEWEST,
	};
	int rc = tfs_relay_spool_new(&so, &s->spool, err);

	if (rc)
		return rc;
	if (asprintf(&s->head, "%s/head", tfs_relay_spool_path(s->spool)) < 0) {
		s->head = NULL;
		return tfs_err_set(err, -ENOMEM, "cannot make the spool");
	}
	s->sink = (struct tfs_record_sink){
		.to = s->spool,
		.begin = on_begin,
		.chunk = on_chunk,
		.refused = on_refused,
		.tail = on_tail,
	};
	return 0;
}

/*
 * Nobody reads what is printed after the sender has ended: it goes into the spool. Nor may a client
 * of --policy hold up the recorder by not reading it.
 */
static int redirect(const struct record_stream *s, struct tfs_err *err)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC), out = STDERR_FILENO, rc = 0;
	char *path = NULL;

	if (s->keeps || s->is_limited) {
		if (asprintf(&path, "%s/" MESSAGES, tfs_relay_spool_path(s->spool)) < 0)
			return tfs_err_set(err, -ENOMEM, "cannot begin the stream");
		out = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
		free(path);
	}
	if (null < 0 || out < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    dup2(out, STDERR_FILENO) < 0)
		rc = tfs_err_set(err, -errno, "cannot begin the stream");
	tfs_close(&null);
	if (out != STDERR_FILENO)
		tfs_close(&out);
	return rc;
}

/* Takes the messages of a recorder that writes them into its spool to stderr. */
static void show_messages(const char *root, const char *id, off_t *shown)
{
	struct tfs_strbuf path = TFS_STRBUF_INIT;
	char buf[4096];
	ssize_t n;
	int fd;

	if (tfs_strbuf_addf(&path, "%s/%s/" MESSAGES, root, id))
		return;
	fd = open(path.s, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	while (fd >= 0 && (n = pread(fd, buf, sizeof(buf), *shown)) > 0) {
		*shown += n;
		if (tfs_write_all(STDERR_FILENO, buf, (size_t)n))
			break;
	}
	tfs_close(&fd);
	tfs_strbuf_release(&path);
}

/*
 * struct sending - the process that sends
 * @pid: the recorder, if it is a child that has not ended; 0: it is not
 * @gate: write end of its pipe
 * @signals: that end the recording; -1: they end this process
 * @is_limited: for a client of --policy
 * @ended_ns: when it was seen that the recorder ended without having begun; 0: not yet
 */
struct sending {
	const char *root, *id;
	struct tfs_relay_reader *reader;
	struct tfs_relay_sender *sender;
	pid_t pid;
	int gate;
	int signals;
	int wstatus;
	off_t shown;
	uint64_t rate;
	uint64_t ended_ns;
	bool is_limited;
	bool bye;
};

static void reap(struct sending *p)
{
	if (p->pid > 0 && waitpid(p->pid, &p->wstatus, WNOHANG) == p->pid)
		p->pid = 0;
	tfs_relay_sender_alive(p->sender, p->pid > 0);
}

static void stop_recorder(const struct sending *p)
{
	struct tfs_relay_status st;

	tfs_relay_reader_status(p->reader, &st);
	if (p->pid > 0)
		kill(p->pid, SIGINT);
	else if (st.pid > 0)
		kill(st.pid, SIGINT);
}

static void obey(struct sending *p)
{
	const unsigned int asked = tfs_relay_sender_asked(p->sender);
	int sig = p->signals >= 0 ? tc_signals_take(p->signals) : 0;

	if ((asked & TFS_RELAY_ASKED_GO) && p->gate >= 0 && write(p->gate, "g", 1) != 1)
		tfs_close(&p->gate);
	if ((asked & TFS_RELAY_ASKED_STOP) || sig == SIGINT || sig == SIGTERM || sig == SIGHUP)
		stop_recorder(p);
	p->bye = p->bye || (asked & TFS_RELAY_ASKED_BYE);
}

/* A recorder that has added the end of its recording is about to end. */
static int remove_spool(const struct sending *p, struct tfs_err *err)
{
	const struct timespec wait = { .tv_nsec = REMOVE_WAIT_NS };
	int rc;

	for (int i = 0; i < REMOVE_TRIES; i++) {
		rc = tfs_relay_spool_remove(p->root, p->id, err);
		if (rc != -EBUSY)
			return rc;
		nanosleep(&wait, NULL);
	}
	return rc;
}

/* A client of --policy cannot fill the folder with recordings that were not even started. */
static bool is_worth_keeping(const struct sending *p)
{
	struct tfs_relay_status st = { .state = TFS_RELAY_RECORDING };

	if (p->is_limited && p->reader)
		tfs_relay_reader_status(p->reader, &st);
	return st.state >= TFS_RELAY_RECORDING;
}

/* Nor can it keep the place of one that has ended so, by saying nothing. */
static bool is_over(struct sending *p)
{
	if (p->pid > 0 || is_worth_keeping(p))
		return false;
	if (!p->ended_ns)
		p->ended_ns = tfs_monotonic_ns();
	return tfs_monotonic_ns() > p->ended_ns + BYE_NS;
}

/* Until the stream has ended, or the connection. Return: as tfs_relay_sender_step() */
static int send_all(struct sending *p, struct tfs_err *err)
{
	int rc;

	do {
		reap(p);
		rc = tfs_relay_sender_step(p->sender, p->signals, err);
		obey(p);
		show_messages(p->root, p->id, &p->shown);
	} while (rc > 0 && !p->bye && !is_over(p));
	return rc < 0 && !p->bye ? rc : 0;
}

static int send_spool(struct sending *p, bool answers, struct tfs_err *err)
{
	const struct tfs_relay_sender_opts so = {
		.spool = p->reader,
		.id = answers ? p->id : NULL,
		.in = answers ? STDIN_FILENO : -1,
		.out = STDOUT_FILENO,
		.rate = p->rate,
	};
	int rc = tfs_relay_sender_new(&so, &p->sender, err);

	if (rc)
		return rc;
	rc = send_all(p, err);
	tfs_relay_sender_free(p->sender);
	return rc;
}

/* The child's end, unless it goes on without us. Return: the exit status */
static int end_child(struct sending *p, bool keeps, int rc)
{
	tfs_close(&p->gate);
	if (rc && keeps)
		return TC_EXIT_FAILED;
	if (rc && p->pid > 0)
		kill(p->pid, SIGTERM);
	while (p->pid > 0 && waitpid(p->pid, &p->wstatus, 0) < 0 && errno == EINTR)
		;
	show_messages(p->root, p->id, &p->shown);
	return rc ? TC_EXIT_FAILED : tc_child_exit_status(p->wstatus);
}

/* The parent: sends until all is done. */
static int run_sender(struct sending *p, bool keeps, struct tfs_err *err)
{
	bool is_kept;
	int rc = 0, status;

	/* With a receiver that answers, a signal ends this process and not the recording. */
	if (!keeps) {
		p->signals = tc_signals_fd(err);
		rc = p->signals < 0 ? p->signals : 0;
	}
	if (!rc)
		rc = tfs_relay_reader_open(p->root, p->id, TFS_RELAY_TAKE, &p->reader, err);
	if (!rc)
		rc = send_spool(p, keeps, err);
	/* A receiver that answers has ended for a reason that it knows, and nobody reads this. */
	if (rc == -EPIPE && !keeps)
		tfs_err_say(err, -ECONNRESET,
			    "nobody reads standard output any more: recording has ended");
	else if (rc && !keeps && !err->code)
		tfs_err_set(err, rc, "cannot write the recording to standard output");
	status = end_child(p, keeps, rc);
	is_kept = keeps && rc && is_worth_keeping(p);
	tfs_relay_reader_free(p->reader);
	if (!is_kept)
		remove_spool(p, NULL);
	tfs_close(&p->signals);
	return status;
}

static int become_recorder(struct record_stream *s, struct record_request *req, int gate,
			   struct tfs_err *err)
{
	int rc;

	setsid();
	s->gate = gate;
	fcntl(gate, F_SETFL, O_NONBLOCK);
	rc = tfs_relay_spool_own(s->spool, err);
	if (!rc)
		rc = redirect(s, err);
	req->output = s->head;
	return rc;
}

int record_stream_fork(struct record_stream *s, struct record_request *req, int *status,
		       struct tfs_err *err)
{
	struct sending p = { .gate = -1, .signals = -1, .rate = req->stream.rate };
	char own[TFS_RELAY_ID_MAX + 1], *root = NULL;
	int fds[2] = { -1, -1 }, lock = -1, rc = refuse_terminal(err);

	*status = TC_EXIT_FAILED;
	if (rc)
		return rc;
	s->keeps = req->stream.id != NULL;
	s->is_limited = req->stream.max_spools != 0;
	s->wait_ns = req->stream.wait_ns;
	make_id(own, sizeof(own));
	p.id = s->keeps ? req->stream.id : own;
	rc = tfs_relay_spool_root(req->stream.spool, &root, err);
	if (!rc && req->stream.max_spools)
		rc = check_room(root, req->stream.max_spools, &lock, err);
	if (!rc)
		rc = make_spool(s, req, root, p.id, err);
	if (!rc && pipe2(fds, O_CLOEXEC))
		rc = tfs_err_set(err, -errno, "cannot begin the stream");
	if (!rc) {
		p.pid = fork();
		if (p.pid < 0)
			rc = tfs_err_set(err, -errno, "cannot begin the stream");
	}
	if (!rc && !p.pid) {
		tfs_close(&fds[1]);
		free(root);
		*status = -1;
		rc = become_recorder(s, req, fds[0], err);
		tfs_close(&lock);
		return rc;
	}
	/* The recorder's until it holds a lock of the spool itself */
	tfs_close(&lock);
	if (!rc) {
		tfs_close(&fds[0]);
		p.root = root;
		p.gate = fds[1];
		p.is_limited = s->is_limited;
		*status = run_sender(&p, s->keeps, err);
	}
	tfs_close(&fds[0]);
	free(root);
	return rc;
}

int record_stream_wait(struct record_stream *s, int signals, struct tfs_err *err)
{
	struct pollfd fds[] = {
		{ .fd = s->gate, .events = POLLIN },
		{ .fd = signals, .events = POLLIN },
	};
	const uint64_t ms = s->wait_ns / NS_PER_MSEC;
	const int wait_ms = !s->wait_ns ? -1 : ms < INT_MAX ? (int)ms + 1 : INT_MAX;
	char byte;

	if (!s->spool || !s->keeps)
		return 0;
	tfs_relay_spool_set(s->spool, TFS_RELAY_ARMED);
	while (poll(fds, 2, wait_ms) < 0 && errno == EINTR)
		;
	if (!fds[1].revents && read(s->gate, &byte, 1) == 1)
		return 0;
	return tfs_err_say(err, -ECANCELED, "recording was not started");
}

void record_stream_began(struct record_stream *s)
{
	if (!s->spool)
		return;
	tfs_relay_spool_set(s->spool, TFS_RELAY_RECORDING);
	if (s->keeps)
		tfs_close(&s->gate);
}

int record_stream_fd(const struct record_stream *s)
{
	return s->gate;
}

bool record_stream_is_lost(struct record_stream *s)
{
	char byte;

	if (s->gate >= 0 && !read(s->gate, &byte, 1))
		s->lost = true;
	return s->lost;
}

void record_stream_progress(struct record_stream *s, uint64_t events, uint64_t lost)
{
	tfs_relay_spool_progress(s->spool, events, lost);
}

int record_stream_end(struct record_stream *s, const struct tfs_session_totals *totals,
		      struct tfs_err *err)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	uint64_t refused = 0;
	int rc;

	for (size_t i = 0; i < totals->n_cpus; i++)
		refused += tfs_relay_spool_refused(s->spool, (uint32_t)i);
	tfs_relay_spool_progress(s->spool, totals->events, totals->lost + totals->taken - refused);
	rc = tfs_strbuf_addf(&text,
			     "events=%" PRIu64 "\nlost=%" PRIu64 "\nrefused=%" PRIu64
			     "\nduration_ns=%" PRIu64 "\n",
			     totals->events, totals->lost + totals->taken, refused,
			     totals->duration_ns);
	if (!rc)
		rc = tfs_relay_spool_end(s->spool, text.s);
	tfs_strbuf_release(&text);
	return rc ? tfs_err_set(err, rc, "cannot end the stream") : 0;
}

void record_stream_release(struct record_stream *s)
{
	char *slash = s->head ? strrchr(s->head, '/') : NULL, *id = NULL;

	/* Nobody else removes a spool that nobody can ask for. */
	if (slash && !s->keeps && record_stream_is_lost(s)) {
		*slash = '\0';
		id = strrchr(s->head, '/');
	}
	tfs_close(&s->gate);
	tfs_relay_spool_free(s->spool);
	if (id) {
		*id++ = '\0';
		tfs_relay_spool_remove(s->head, id, NULL);
	}
	free(s->head);
	*s = RECORD_STREAM_INIT;
}

int record_stream_resume(const struct record_request *req, struct tfs_err *err)
{
	struct sending p = {
		.gate = -1, .signals = -1, .id = req->stream.resume, .rate = req->stream.rate
	};
	char *root = NULL;
	int rc = refuse_terminal(err);

	if (!rc)
		rc = tfs_relay_spool_root(req->stream.spool, &root, err);
	p.root = root;
	if (!rc)
		rc = tfs_relay_reader_open(root, p.id, TFS_RELAY_TAKE, &p.reader, err);
	if (!rc)
		rc = send_spool(&p, true, err);
	tfs_relay_reader_free(p.reader);
	if (p.bye)
		rc = remove_spool(&p, err);
	free(root);
	return rc ? TC_EXIT_FAILED : TC_EXIT_OK;
}

static void print_spool(const char *root, const char *id)
{
	static const char *const states[] = { "starting", "armed", "recording", "ended" };
	struct tfs_relay_reader *r = NULL;
	struct tfs_relay_status st;

	if (tfs_relay_reader_open(root, id, TFS_RELAY_LOOK, &r, NULL)) {
		printf("%s damaged\n", id);
		return;
	}
	tfs_relay_reader_status(r, &st);
	printf("%s %s %" PRIu64 " events %" PRIu64 " lost %" PRIu64 " bytes\n", id,
	       !st.pid && st.state != TFS_RELAY_ENDED ? "died" : states[st.state & 3], st.events,
	       st.lost + st.refused, st.waiting);
	tfs_relay_reader_free(r);
}

int record_stream_list(const struct record_request *req, struct tfs_err *err)
{
	struct tfs_strvec ids = TFS_STRVEC_INIT;
	char *root = NULL;
	int rc = tfs_relay_spool_root(req->stream.spool, &root, err);

	if (!rc)
		rc = tfs_relay_spool_list(root, &ids, err);
	for (size_t i = 0; i < ids.n && !rc; i++)
		print_spool(root, ids.v[i]);
	tfs_strvec_release(&ids);
	free(root);
	return rc ? TC_EXIT_FAILED : TC_EXIT_OK;
}

int record_stream_stop(const struct record_request *req, struct tfs_err *err)
{
	const char *id = req->stream.stop ? req->stream.stop : req->stream.remove;
	struct tfs_relay_reader *r = NULL;
	struct tfs_relay_status st;
	char *root = NULL;
	int rc = tfs_relay_spool_root(req->stream.spool, &root, err);

	if (!rc && req->stream.remove)
		rc = tfs_relay_spool_remove(root, id, err);
	else if (!rc)
		rc = tfs_relay_reader_open(root, id, TFS_RELAY_LOOK, &r, err);
	if (!rc && r) {
		tfs_relay_reader_status(r, &st);
		if (st.pid > 0 && kill(st.pid, SIGINT))
			rc = tfs_err_set(err, -errno, "cannot stop the recorder %d", (int)st.pid);
	}
	tfs_relay_reader_free(r);
	free(root);
	return rc ? TC_EXIT_FAILED : TC_EXIT_OK;
}
