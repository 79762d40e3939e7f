/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "cli/msg.h"
#include "relay/receive.h"
#include "fleet/fleet.h"

#define BUFFER_BYTES 65536
#define SIZE_LIMIT (UINT64_C(1) << 60)
#define KIB UINT64_C(1024)
#define AT(member) .offset = offsetof(struct receive_request, member)

/**
 * struct receive_request - the options of tc-fleet receive
 * @output: -o
 * @max_bytes: --max-size; 0: no limit
 * @quiet: -q
 */
struct receive_request {
	const char *output;
	uint64_t max_bytes;
	bool quiet;
};

static const struct tc_option receive_options[] = {
	{ 'o', "output", "FILE", "file to write (trace.dat)", TC_OPT_STRING, AT(output),
	  .complete = "file" },
	{ 0, "max-size", "SIZE", "stop when FILE has this size, in KiB or with K, M, G",
	  TC_OPT_SIZE, AT(max_bytes), .min = KIB, .max = SIZE_LIMIT, .unit = KIB,
	  .complete = "size" },
	{ 'q', "quiet", NULL, "print errors only", TC_OPT_FLAG, AT(quiet) },
	TC_OPT_END_ANY_ORDER,
};

static void init(void *request)
{
	struct receive_request *req = request;

	req->output = "trace.dat";
}

/* Until the end of the input. Return: 0 or -errno; what came before it is in the file */
static int take_all(struct tfs_relay_receiver *r, int fd, const char *name, struct tfs_err *err)
{
	static const size_t size = BUFFER_BYTES;
	unsigned char buf[BUFFER_BYTES];
	uint64_t seq;
	ssize_t n;
	int rc = 0;

	while (!rc) {
		n = read(fd, buf, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return tfs_err_set(err, -errno, "cannot read '%s'", name);
		if (!n)
			break;
		rc = tfs_relay_receiver_take(r, buf, (size_t)n, err);
		if (!rc)
			rc = tfs_relay_receiver_sync(r, &seq, err);
	}
	return rc;
}

static void print_totals(const struct receive_request *req, const struct tfs_relay_receiver *r)
{
	struct tfs_relay_received t;

	tfs_relay_receiver_totals(r, &t);
	if (t.gaps)
		tc_msg_notice(FLEET_PROGRAM,
			      "the sender left out %" PRIu64 " events in %" PRIu64 " places",
			      t.gap_events, t.gaps);
	if (!req->quiet)
		tc_msg_line(FLEET_PROGRAM ": %" PRIu64 " events in '%s'", t.events, req->output);
}

static int receive(const struct receive_request *req, int fd, const char *name, struct tfs_err *err)
{
	const struct tfs_relay_receiver_opts opts = { .path = req->output,
						      .max_bytes = req->max_bytes };
	struct tfs_err more = TFS_ERR_INIT;
	struct tfs_relay_receiver *r;
	int rc, finished;

	if (tfs_relay_receiver_new(&opts, &r, err))
		return TC_EXIT_FAILED;
	rc = take_all(r, fd, name, err);
	if (!rc && !tfs_relay_receiver_ended(r))
		rc = tfs_err_say(err, -ENODATA, "'%s' ends before the end of the recording", name);
	finished = tfs_relay_receiver_finish(r, NULL, &more);
	if (finished && !rc)
		*err = more;
	if (!finished)
		print_totals(req, r);
	else
		tfs_relay_receiver_discard(r);
	if (!finished && rc)
		tfs_err_hint(err, "'%s' has what came before", req->output);
	tfs_relay_receiver_free(r);
	return rc || finished ? TC_EXIT_FAILED : TC_EXIT_OK;
}

static int run(void *request, int argc, char **argv, struct tfs_err *err)
{
	const struct receive_request *req = request;
	int fd = STDIN_FILENO, status;

	if (argc > 1) {
		tfs_err_say(err, -EINVAL, "one stream is received at a time");
		return TC_EXIT_USAGE;
	}
	if (!argc && isatty(fd)) {
		tfs_err_say(err, -EINVAL, "a stream cannot come from a terminal");
		tfs_err_hint(err, "tc-record --stream ... | tc-fleet receive -o FILE");
		return TC_EXIT_USAGE;
	}
	if (argc) {
		fd = open(argv[0], O_RDONLY | O_CLOEXEC);
		if (fd < 0) {
			tfs_err_set(err, -errno, "cannot open '%s'", argv[0]);
			return TC_EXIT_FAILED;
		}
	}
	status = receive(req, fd, argc ? argv[0] : "standard input", err);
	if (argc)
		tfs_close(&fd);
	return status;
}

const struct tc_command fleet_receive = {
	.name = FLEET_PROGRAM,
	.verb = "receive",
	.summary = "make a trace file of a stream",
	.operands = "[STREAM]",
	.options = receive_options,
	.request_size = sizeof(struct receive_request),
	.init = init,
	.run = run,
};
