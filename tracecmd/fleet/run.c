/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "base/time.h"
#include "cli/child.h"
#include "cli/msg.h"
#include "cli/signals.h"
#include "cli/xalloc.h"
#include "relay/remote.h"
#include "fleet/hosts.h"
#include "fleet/opts.h"
#include "fleet/fleet.h"

#define POLL_MS 25
#define KIB 1024u
#define HINT "hint: "
#define RETRY_NS (NS_PER_SEC)
#define NOT_FOUND 127
/* ssh itself, or a signal: from here on it is the connection that failed */
#define TRANSPORT_FAILED 128
/* For a connection to end after all has come and the recorder has been released */
#define BYE_NS (5 * NS_PER_SEC)
/* A connection that lasted, or brought something, is not one more failure to connect. */
#define LASTED_NS (5 * NS_PER_SEC)
/* A rest that takes longer at --bwlimit is announced. */
#define SLOW_S 5

/* Appends what comes after tc-record's name. */
static int add_arguments(const struct fleet_run *run, const struct fleet_host *h,
			 enum fleet_ask ask, struct tfs_strbuf *sb)
{
	static const char *const options[] = {
		[FLEET_RECORD] = " --stream --stream-id",
		[FLEET_RESUME] = " --resume",
		[FLEET_LIST] = " --spools",
		[FLEET_STOP] = " --stop-spool",
	};
	int rc = tfs_strbuf_adds(sb, options[ask]);

	if (!rc && ask != FLEET_LIST)
		rc = fleet_quote(sb, h->id);
	if (!rc && *run->spool)
		rc = tfs_strbuf_adds(sb, " --spool");
	if (!rc && *run->spool)
		rc = fleet_quote(sb, run->spool);
	if (!rc && run->rate && ask <= FLEET_RESUME)
		rc = tfs_strbuf_addf(sb, " --bwlimit %" PRIu64, (run->rate + KIB - 1) / KIB);
	for (size_t i = 0; i < run->words.n && !rc && ask == FLEET_RECORD; i++)
		rc = fleet_quote(sb, run->words.v[i]);
	return rc;
}

/* --copy: choose the program, and take it from standard input if need be */
static int add_choice(const struct fleet_run *run, const struct fleet_host *h, enum fleet_ask ask,
		      struct tfs_strbuf *sb)
{
	struct stat st;
	int rc = tfs_strbuf_addf(sb, "d=${TMPDIR:-/tmp}/tc-%s; ", h->id);

	/* Anybody there can make a folder of this name, unless it was made by us. */
	if (!rc && ask != FLEET_RECORD)
		return tfs_strbuf_adds(sb, "p=tc-record; [ -L \"$d\" ] || [ ! -O \"$d\" ] || "
					   "[ ! -x \"$d/tc-record\" ] || "
					   "p=$d/tc-record; \"$p\"");
	if (!rc && stat(run->req->binary, &st))
		rc = -errno;
	if (!rc)
		rc = tfs_strbuf_addf(sb,
				     "if [ \"$(tc-record --version 2>/dev/null)\" = "
				     "'tc-record (tracecraft) %s' ]; then p=tc-record; echo %s; "
				     "else mkdir -m 700 \"$d\" && echo %s && head -c %lld "
				     ">\"$d/tc-record\" && chmod 700 \"$d/tc-record\" || exit 126; "
				     "p=$d/tc-record; fi; \"$p\"",
				     PACKAGE_VERSION, TFS_RELAY_HAVE, TFS_RELAY_NEED,
				     (long long)st.st_size);
	return rc;
}

/* --copy: away with it once nobody needs it to go on */
static int add_removal(const struct fleet_run *run, const struct fleet_host *h,
		       struct tfs_strbuf *sb)
{
	int rc = tfs_strbuf_adds(sb, "; s=$?; \"$p\" --spools");

	if (!rc && *run->spool)
		rc = tfs_strbuf_adds(sb, " --spool");
	if (!rc && *run->spool)
		rc = fleet_quote(sb, run->spool);
	return rc ? rc : tfs_strbuf_addf(sb, " | grep -q '^%s ' || rm -rf \"$d\"; exit $s", h->id);
}

char *fleet_command(const struct fleet_run *run, const struct fleet_host *h, enum fleet_ask ask)
{
	const bool copies = !*run->program;
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	char *command = NULL;
	int rc;

	rc = copies ? add_choice(run, h, ask, &sb) : tfs_strbuf_adds(&sb, run->program);
	if (!rc)
		rc = add_arguments(run, h, ask, &sb);
	if (!rc && copies && ask <= FLEET_RESUME)
		rc = add_removal(run, h, &sb);
	if (rc || tfs_strbuf_detach(&sb, &command))
		tfs_strbuf_release(&sb);
	return command;
}

char **fleet_argv(const struct fleet_run *run, const struct fleet_host *h, char *command)
{
	char **argv = xcalloc(7, sizeof(*argv)), *script = NULL;

	if (asprintf(&script, "exec %s \"$@\"", run->req->ssh) < 0)
		script = xstrdup("exit 1");
	argv[0] = (char *)"sh";
	argv[1] = (char *)"-c";
	argv[2] = script;
	argv[3] = (char *)"sh";
	argv[4] = h->name;
	argv[5] = command;
	return argv;
}

static void fail(struct fleet_host *h, const struct tfs_err *err)
{
	h->state = FLEET_FAILED;
	h->err = *err;
}

/* Without the journal nothing can be added. Why it failed before is worth more. */
static int takes_no_more(const struct fleet_host *h, struct tfs_err *err)
{
	if (h->err.code) {
		*err = h->err;
		return err->code;
	}
	tfs_err_say(err, -EEXIST,
		    "'%s' was completed with what had come, or '%s.stream' was removed", h->path,
		    h->path);
	tfs_err_hint(err, "tc-record --recover '%s' completes what is here, if it was not",
		     h->path);
	return err->code;
}

static void connect_host(const struct fleet_run *run, struct fleet_host *h)
{
	const struct tfs_relay_remote_opts ro = {
		.path = h->path,
		.resume = run->resume,
		.max_bytes = run->max_bytes,
		.binary = *run->program ? NULL : run->req->binary,
	};
	struct tfs_err err = TFS_ERR_INIT;
	char *command, **argv;
	int rc = 0;

	if (!h->remote && run->resume && fleet_is_complete(h->path))
		rc = takes_no_more(h, &err);
	else if (!h->remote)
		rc = tfs_relay_remote_new(&ro, &h->remote, &err);
	if (rc) {
		fail(h, &err);
		return;
	}
	h->err = TFS_ERR_INIT;
	command = fleet_command(
		run, h, tfs_relay_remote_has_begun(h->remote) ? FLEET_RESUME : FLEET_RECORD);
	argv = fleet_argv(run, h, command);
	if (!command)
		rc = tfs_err_set(&err, -ENOMEM, "cannot connect");
	else
		rc = tfs_relay_remote_connect(h->remote, argv, &err);
	h->state = FLEET_BUSY;
	h->up_ns = 0;
	if (rc)
		fail(h, &err);
	free(argv[2]);
	free(argv);
	free(command);
}

/* The last error that a host printed, or else its last line */
static void last_error(const char *text, char *out, size_t size)
{
	const char *line = text, *found = text;
	bool is_error = false;
	size_t len;

	while (*line) {
		const bool error = !strncmp(line, "tc-record: ", 11);

		len = strcspn(line, "\r\n");
		if (len && (error || !is_error))
			found = line;
		is_error = is_error || error;
		line += len;
		line += strspn(line, "\r\n");
	}
	snprintf(out, size, "%.*s", (int)strcspn(found, "\r\n"), found);
}

/* The advice of a host's tc-record about its error */
static void take_hint(const char *text, struct tfs_err *err)
{
	const char *line = strncmp(text, HINT, sizeof(HINT) - 1) ? strstr(text, "\n" HINT) : text;

	if (!line)
		return;
	line = strstr(line, HINT) + sizeof(HINT) - 1;
	tfs_err_hint(err, "%.*s", (int)strcspn(line, "\r\n"), line);
}

/* Nothing more comes: the file has what has come, and without anything there is none. */
static void end_file(struct fleet_host *h)
{
	if (tfs_relay_remote_finish(h->remote, NULL))
		tfs_relay_remote_discard(h->remote);
}

/* Why there never was a stream */
static void explain_failure(struct fleet_host *h)
{
	struct tfs_relay_remote_news news;
	struct tfs_err err = TFS_ERR_INIT;
	char line[256];
	int status;

	tfs_relay_remote_news(h->remote, &news);
	status = tc_child_exit_status(news.wstatus);
	last_error(news.said, line, sizeof(line));
	if (status == NOT_FOUND) {
		tfs_err_say(&err, -ENOENT, "tc-record was not found there%s%s", *line ? ": " : "",
			    line);
		tfs_err_hint(&err, "install the package 'tracecraft' there, or use --copy");
	} else {
		tfs_err_say(&err, -EIO, "%s", *line ? line : "the connection ended at once");
		take_hint(news.said, &err);
	}
	fail(h, &err);
	end_file(h);
}

/* To be made again. --reconnect is how long that may go on without any use. */
static void note_broken(struct fleet_host *h, const struct tfs_relay_remote_news *news)
{
	const uint64_t now = tfs_monotonic_ns();
	const bool had_use = news->has_advanced || (h->up_ns && now > h->up_ns + LASTED_NS);

	h->state = FLEET_BROKEN;
	h->retry_ns = now + RETRY_NS;
	if (*news->said)
		last_error(news->said, h->said, sizeof(h->said));
	if (!h->broken_ns || had_use)
		h->broken_ns = now;
}

/* The connection has ended. */
static void disconnected(struct fleet_host *h)
{
	struct tfs_relay_remote_news news;
	struct tfs_err err = TFS_ERR_INIT;

	tfs_relay_remote_news(h->remote, &news);
	h->status = tc_child_exit_status(news.wstatus);
	if (news.has_died) {
		char line[256];

		last_error(news.said, line, sizeof(line));
		tfs_err_say(&err, -EIO, "the recorder ended early%s%s", *line ? ": " : "", line);
		take_hint(news.said, &err);
		fail(h, &err);
		end_file(h);
	} else if (news.full) {
		fail(h, news.full);
	} else if (tfs_relay_remote_state(h->remote) == TFS_RELAY_REMOTE_DONE) {
		h->state = FLEET_OK;
	} else if (tfs_relay_remote_has_begun(h->remote) &&
		   (news.has_connected || h->status >= TRANSPORT_FAILED)) {
		note_broken(h, &news);
	} else {
		explain_failure(h);
	}
}

/* Once: what to do about it depends on why the events go too slowly. */
static void notice_full(struct fleet_run *run, struct fleet_host *h,
			const struct tfs_relay_remote_news *news)
{
	if (!news->refused || h->was_full)
		return;
	h->was_full = true;
	if (run->req->quiet)
		return;
	fleet_progress_end(run);
	tc_msg_notice(FLEET_PROGRAM,
		      "host '%s': the spool is full, events are lost: --spool-size or --bwlimit "
		      "can be raised",
		      h->name);
}

/* The recording has ended, and --bwlimit holds up its rest: how long is known. */
static void notice_slow(struct fleet_run *run, struct fleet_host *h,
			const struct tfs_relay_remote_news *news)
{
	const uint64_t seconds = run->rate ? news->waiting / run->rate : 0;

	if (!news->has_ended || seconds < SLOW_S || h->was_slow)
		return;
	h->was_slow = true;
	if (run->req->quiet)
		return;
	fleet_progress_end(run);
	tc_msg_notice(FLEET_PROGRAM,
		      "host '%s': the recording has ended; its last %" PRIu64 " KiB take %" PRIu64
		      " s at --bwlimit %" PRIu64 "K",
		      h->name, news->waiting / KIB, seconds, run->rate / KIB);
}

/*
 * A fault on this side, such as a full disk, leaves everything as it is: fetch goes on from there.
 * One of the other side would come again.
 */
static void step_failed(const struct fleet_run *run, struct fleet_host *h, int rc,
			struct tfs_err *err)
{
	if (rc == -EBADMSG || rc == -EPROTO)
		end_file(h);
	else if (rc == -ESTALE)
		tfs_relay_remote_discard(h->remote);
	if (rc == -ESTALE)
		tfs_err_hint(err,
			     "put the files of '%s' back, or give up what is left of '%s' there: "
			     "tc-record --remove-spool",
			     h->path, h->id);
	else if (rc != -EBADMSG && rc != -EPROTO)
		tfs_err_hint(err, "once that is mended, tc-fleet fetch -o '%s' goes on from there",
			     run->req->output);
	fail(h, err);
}

static void step_host(struct fleet_run *run, struct fleet_host *h, const struct pollfd *fds)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_relay_remote_news news;
	enum tfs_relay_remote_state state;
	int rc = tfs_relay_remote_step(h->remote, fds, &err);

	state = tfs_relay_remote_state(h->remote);
	if (rc == -EPIPE) {
		disconnected(h);
		return;
	}
	if (rc) {
		step_failed(run, h, rc, &err);
		return;
	}
	if (state >= TFS_RELAY_REMOTE_CONNECTED && !h->up_ns) {
		h->up_ns = tfs_monotonic_ns();
		/* It was not there to hear it. */
		if (run->stops && h->broken_ns)
			tfs_relay_remote_stop(h->remote);
	}
	if (state == TFS_RELAY_REMOTE_DONE && !h->done_ns)
		h->done_ns = tfs_monotonic_ns();
	if (state == TFS_RELAY_REMOTE_RECORDING && !h->started_ns)
		h->started_ns = tfs_monotonic_ns();
	tfs_relay_remote_news(h->remote, &news);
	notice_full(run, h, &news);
	notice_slow(run, h, &news);
	if (state == TFS_RELAY_REMOTE_ARMED && run->go_ns && !h->was_go) {
		h->was_go = true;
		tfs_relay_remote_go(h->remote);
	}
}

static void give_up_host(const struct fleet_run *run, struct fleet_host *h)
{
	struct tfs_err err = TFS_ERR_INIT;

	tfs_err_say(&err, -ETIMEDOUT,
		    "no connection for %" PRIu64 " s%s%s; recording may go on there",
		    run->req->reconnect_ns / (uint64_t)NS_PER_SEC, *h->said ? ": " : "", h->said);
	tfs_err_hint(&err, "tc-fleet fetch -o '%s' brings the rest", run->req->output);
	fail(h, &err);
}

/* Connects hosts whose turn it is. Return: are there hosts that have not ended? */
static bool connect_some(struct fleet_run *run)
{
	const uint64_t now = tfs_monotonic_ns();
	size_t connecting = 0;
	bool more = false;

	for (size_t i = 0; i < run->n; i++)
		connecting += run->hosts[i].state == FLEET_BUSY &&
			      tfs_relay_remote_state(run->hosts[i].remote) < TFS_RELAY_REMOTE_ARMED;
	for (size_t i = 0; i < run->n; i++) {
		struct fleet_host *h = &run->hosts[i];
		const bool turn = h->state == FLEET_WAITING ||
				  (h->state == FLEET_BROKEN && now >= h->retry_ns);

		if (h->broken_ns && now > h->broken_ns + run->req->reconnect_ns &&
		    (h->state == FLEET_BROKEN || (h->state == FLEET_BUSY && !h->up_ns))) {
			tfs_relay_remote_cut(h->remote);
			give_up_host(run, h);
		} else if (h->state == FLEET_BUSY && h->done_ns && now > h->done_ns + BYE_NS) {
			tfs_relay_remote_cut(h->remote);
			disconnected(h);
		} else if (turn && connecting < run->req->max_parallel) {
			connect_host(run, h);
			connecting++;
		}
		more = more || (h->state != FLEET_OK && h->state != FLEET_FAILED);
	}
	return more;
}

/* Starts all hosts at once, when all are ready or it takes too long. */
static void go_when_ready(struct fleet_run *run)
{
	size_t ready = 0, pending = 0;

	if (run->go_ns || run->resume)
		return;
	for (size_t i = 0; i < run->n; i++) {
		const struct fleet_host *h = &run->hosts[i];

		if (h->state == FLEET_OK || h->state == FLEET_FAILED)
			continue;
		if (h->state == FLEET_BUSY &&
		    tfs_relay_remote_state(h->remote) == TFS_RELAY_REMOTE_ARMED)
			ready++;
		else
			pending++;
	}
	if (!ready || (pending && tfs_monotonic_ns() < run->begun_ns + run->req->arm_ns))
		return;
	run->go_ns = tfs_monotonic_ns();
	for (size_t i = 0; i < run->n; i++) {
		struct fleet_host *h = &run->hosts[i];

		if (h->state != FLEET_BUSY ||
		    tfs_relay_remote_state(h->remote) != TFS_RELAY_REMOTE_ARMED)
			continue;
		h->was_go = true;
		tfs_relay_remote_go(h->remote);
	}
}

/* The first signal ends the recordings, the second the connections. */
static void stop_all(struct fleet_run *run)
{
	struct tfs_err err = TFS_ERR_INIT;

	run->stops++;
	tfs_err_say(&err, -EINTR, "interrupted");
	if (run->go_ns || run->resume)
		tfs_err_hint(&err, "tc-fleet fetch -o '%s' brings what is still on the hosts",
			     run->req->output);
	for (size_t i = 0; i < run->n; i++) {
		struct fleet_host *h = &run->hosts[i];

		if (h->state == FLEET_OK || h->state == FLEET_FAILED)
			continue;
		if (h->state == FLEET_BUSY && h->was_go && run->stops == 1) {
			tfs_relay_remote_stop(h->remote);
		} else if (h->state != FLEET_BROKEN || run->stops > 1) {
			if (h->remote)
				tfs_relay_remote_cut(h->remote);
			fail(h, &err);
		}
	}
}

static void wait_and_step(struct fleet_run *run, int signals, struct pollfd *fds)
{
	for (size_t i = 0; i < run->n; i++) {
		struct pollfd *own = fds + 1 + i * TFS_RELAY_REMOTE_FDS;

		if (run->hosts[i].state == FLEET_BUSY)
			tfs_relay_remote_poll(run->hosts[i].remote, own);
		else
			for (size_t k = 0; k < TFS_RELAY_REMOTE_FDS; k++)
				own[k] = (struct pollfd){ .fd = -1 };
	}
	fds[0] = (struct pollfd){ .fd = signals, .events = POLLIN };
	if (poll(fds, 1 + run->n * TFS_RELAY_REMOTE_FDS, POLL_MS) < 0)
		return;
	for (size_t i = 0; i < run->n; i++)
		if (run->hosts[i].state == FLEET_BUSY)
			step_host(run, &run->hosts[i], fds + 1 + i * TFS_RELAY_REMOTE_FDS);
}

/* Three descriptors for each host, and one for each of its CPUs */
static void allow_many_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int exit_status(const struct fleet_run *run)
{
	size_t ok = 0;

	for (size_t i = 0; i < run->n; i++)
		ok += run->hosts[i].state == FLEET_OK;
	return ok == run->n ? TC_EXIT_OK : ok ? FLEET_EXIT_SOME : TC_EXIT_FAILED;
}

int fleet_run_all(struct fleet_run *run, struct tfs_err *err)
{
	struct pollfd *fds = xcalloc(1 + run->n * TFS_RELAY_REMOTE_FDS, sizeof(*fds));
	int signals = tc_signals_fd(err), sig;

	run->begun_ns = tfs_monotonic_ns();
	allow_many_files();
	while (signals >= 0 && connect_some(run)) {
		wait_and_step(run, signals, fds);
		while ((sig = tc_signals_take(signals)) > 0)
			if (sig != SIGCHLD)
				stop_all(run);
		go_when_ready(run);
		fleet_progress(run);
	}
	fleet_progress_end(run);
	free(fds);
	if (signals < 0)
		return TC_EXIT_FAILED;
	tfs_close(&signals);
	return exit_status(run);
}
