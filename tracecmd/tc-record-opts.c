/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-record-opts.h"

#include <errno.h>

#include "base/err.h"

#define AT(member) .offset = offsetof(struct record_request, member)

const struct tc_option record_options[] = {
	{ .type = TC_OPT_GROUP, .help = "What to record" },
	{ .type = TC_OPT_TABLE, .table = trace_what_options },
	{ .type = TC_OPT_GROUP, .help = "Whom to record" },
	{ .type = TC_OPT_TABLE, .table = trace_whom_options },
	{ 0, "user", "USER", "run COMMAND as this user", TC_OPT_STRING, AT(user),
	  .complete = "user" },
	{ 0, "duration", "TIME", "stop after this time: 10, 1.5, 200ms, 2m", TC_OPT_DURATION,
	  AT(duration_ns), .complete = "none" },
	{ .type = TC_OPT_GROUP, .help = "How to record" },
	{ .type = TC_OPT_TABLE, .table = trace_how_options },
	{ 'o', "output", "FILE", "file to write (trace.dat)", TC_OPT_STRING, AT(output),
	  .complete = "file" },
	{ 0, "compression", "NAME[:LEVEL]", "zstd, zlib or none", TC_OPT_STRING, AT(compression),
	  .complete = "compression" },
	{ 0, "recover", "FILE", "complete FILE, whose recorder was killed; record nothing",
	  TC_OPT_STRING, AT(recover), .complete = "file" },
	{ 0, "dry-run", NULL, "print what would be done as shell commands; record nothing",
	  TC_OPT_FLAG, AT(dry_run) },
	{ 'q', "quiet", NULL, "print errors only", TC_OPT_FLAG, AT(quiet) },
	TC_OPT_END,
};

void record_init(void *request)
{
	struct record_request *req = request;

	trace_init(&req->trace);
	req->output = "trace.dat";
}

void record_release(void *request)
{
	struct record_request *req = request;

	trace_release(&req->trace);
}

static int check_conflicts(const struct record_request *req, struct tfs_err *err)
{
	int rc = 0;

	if (req->user && !req->trace.command)
		rc = tfs_err_say(err, -EINVAL, "option --user needs a COMMAND to run");
	else if (!*req->output)
		rc = tfs_err_say(err, -EINVAL, "option -o: the name of the file is empty");
	return rc;
}

int record_check(struct record_request *req, int argc, char **argv, struct tfs_err *err)
{
	int rc;

	if (req->recover) {
		if (argc > 0 || req->trace.clauses.n)
			return tfs_err_say(err, -EINVAL,
					   "option --recover records nothing: "
					   "it takes no events and no COMMAND");
		return 0;
	}
	if (argc > 0 && !*argv[0])
		return tfs_err_say(err, -EINVAL, "the name of COMMAND is empty");
	req->trace.command = argc > 0 ? argv : NULL;
	rc = trace_check(&req->trace, err);
	if (!rc)
		rc = check_conflicts(req, err);
	if (rc)
		return rc;
	req->codec = tfs_codec_default();
	req->level = 0;
	if (!req->compression)
		return 0;
	rc = tfs_codec_parse(req->compression, &req->codec, &req->level, err);
	if (rc)
		tfs_err_prefix(err, "option --compression");
	return rc;
}
