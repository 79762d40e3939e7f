/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/output-file.h"
#include "base/strbuf-core.h"
#include "cli/msg.h"
#include "cli/signals.h"
#include "main.h"
#include "net/listener.h"
#include "tc-listen-opts.h"

#define PROGRAM "tc-listen"

/* Where messages go: a file, or -1 for standard error. */
struct listening {
	const struct listen_request *req;
	int log;
};

static int open_log(struct listening *l, struct tfs_err *err)
{
	if (!l->req->log)
		return 0;
	return tfs_output_file_open(l->req->log, O_APPEND, 0600, &l->log, err);
}

static void add_time(struct tfs_strbuf *line)
{
	const time_t now = time(NULL);
	char text[32];
	struct tm tm;

	if (localtime_r(&now, &tm) && strftime(text, sizeof(text), "%F %T ", &tm))
		tfs_strbuf_adds(line, text);
}

/* Several clients: each line has all that belongs together. */
static void say(void *context, const struct tfs_net_address *who, const char *what,
		const struct tfs_err *err)
{
	const struct listening *l = context;
	struct tfs_strbuf line = TFS_STRBUF_INIT;
	int rc = 0;

	if (l->req->quiet && !err)
		return;
	if (l->log >= 0)
		add_time(&line);
	rc = tfs_strbuf_addf(&line, "%s port %u: %s", who->text, who->port, what);
	if (!rc && err)
		rc = tfs_strbuf_addf(&line, ": %s", err->msg);
	if (!rc && err && *err->hint)
		rc = tfs_strbuf_addf(&line, " (%s)", err->hint);
	if (!rc && l->log >= 0) {
		if (!tfs_strbuf_addc(&line, '\n'))
			tfs_write_all(l->log, line.s, line.len);
	} else if (!rc) {
		tc_msg_notice(PROGRAM, "%s", line.s);
	}
	tfs_strbuf_release(&line);
}

static int check_dir(const char *dir, struct tfs_err *err)
{
	struct stat st;

	if (stat(dir, &st))
		return tfs_err_set(err, -errno, "option -d: '%s'", dir);
	if (!S_ISDIR(st.st_mode))
		return tfs_err_set(err, -ENOTDIR, "option -d: '%s'", dir);
	return access(dir, W_OK | X_OK) ? tfs_err_set(err, -errno, "option -d: '%s'", dir) : 0;
}

static void introduce(const struct listen_request *req, uint16_t port)
{
	tc_msg_notice(PROGRAM, "listening on %s port %u", req->bind, port);
	if (!listen_is_open(req))
		return;
	tc_msg_notice(PROGRAM,
		      "the protocol has no authentication and no encryption: whoever "
		      "reaches this port can write files of %s here, and whoever is "
		      "between can read them; where others reach the network, record "
		      "into a file over ssh, and fetch it",
		      req->quota ? "up to --quota" : "any size");
}

/* The socket is open: who connects from now on is served. */
static int go_into_background(struct tfs_err *err)
{
	pid_t pid = fork();
	int null;

	if (pid < 0)
		return tfs_err_set(err, -errno, "cannot go into the background");
	if (pid > 0)
		_exit(0);
	setsid();
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; null >= 0 && fd <= 2; fd++)
		dup2(null, fd);
	if (null > 2)
		tfs_close(&null);
	return 0;
}

static int serve(struct listening *l, struct tfs_err *err)
{
	const struct listen_request *req = l->req;
	const struct tfs_listener_opts lo = {
		.client = {
			.dir = req->dir,
			.name = req->name,
			.bind = req->bind,
			.udp = req->udp,
			.quota = req->quota,
			.timeout_ms = (int)req->timeout * 1000,
			.say = say,
			.context = l,
		},
		.port = (uint16_t)req->port,
		.max_clients = (size_t)req->max_clients,
	};
	struct tfs_listener *listener;
	int signals, rc;

	tc_signals_accept();
	signals = tc_signals_fd(err);
	if (signals < 0)
		return signals;
	rc = tfs_listener_new(&lo, &listener, err);
	if (rc) {
		tfs_close(&signals);
		return rc;
	}
	introduce(req, tfs_listener_port(listener));
	if (req->daemon)
		rc = go_into_background(err);
	if (!rc)
		rc = tfs_listener_run(listener, signals, err);
	tfs_listener_free(listener);
	tfs_close(&signals);
	return rc;
}

static int run(void *request, int argc, char **argv, struct tfs_err *err)
{
	const struct listen_request *req = request;
	struct listening l = { .req = req, .log = -1 };
	int rc = listen_check(req, argc, argv, err);

	if (rc)
		return TC_EXIT_USAGE;
	rc = check_dir(req->dir, err);
	if (!rc)
		rc = open_log(&l, err);
	if (!rc)
		rc = serve(&l, err);
	tfs_close(&l.log);
	return rc ? TC_EXIT_FAILED : TC_EXIT_OK;
}

const struct tc_command tc_command = {
	.name = PROGRAM,
	.summary = "Receive recordings of other machines",
	.operands = "",
	.options = listen_options,
	.request_size = sizeof(struct listen_request),
	.init = listen_init,
	.run = run,
};
