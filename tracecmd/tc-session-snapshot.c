/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "tc-session-show.h"
#include "tc-session-instances.h"
#include "tc-session.h"

/*
 * struct snapshot_request - what to do with the snapshot
 * @selection: the first member, see session_instance_options
 * @take, @reset, @free: one of them, or none: show it
 */
struct snapshot_request {
	struct session_selection selection;
	bool take, reset, free, raw_output;
	const char *cpu;
};

#define AT(member) .offset = offsetof(struct snapshot_request, member)

static const struct tc_option options[] = {
	{ .type = TC_OPT_GROUP, .help = "Actions, instead of printing it" },
	{ 's', "take", NULL, "take a snapshot: swap it with the ring buffer", TC_OPT_FLAG,
	  AT(take) },
	{ 'r', "reset", NULL, "empty the snapshot, but keep its memory", TC_OPT_FLAG, AT(reset) },
	{ 'f', "free", NULL, "free its memory", TC_OPT_FLAG, AT(free) },
	{ 'c', "cpu", "CPU", "only this CPU", TC_OPT_STRING, AT(cpu), .complete = "cpu" },
	{ 0, "raw-output", NULL, "print control characters unchanged, also on a terminal",
	  TC_OPT_FLAG, AT(raw_output) },
	{ .type = TC_OPT_TABLE, .table = session_instance_options },
	TC_OPT_END,
};

static int check(const struct snapshot_request *req, struct tfs_err *err)
{
	if (req->take + req->reset + req->free > 1)
		return tfs_err_say(err, -EINVAL, "options -s, -r and -f exclude each other");
	if (req->free && req->cpu)
		return tfs_err_say(err, -EINVAL,
				   "option -f frees the snapshots of all CPUs: leave out -c");
	return session_check_cpu(req->cpu, err);
}

static int act(const struct snapshot_request *req, const struct session_instances *instances,
	       const struct session_instance *p, struct tfs_err *err)
{
	const struct session_view view = { instances, p, req->cpu, NULL, req->raw_output };
	char path[256];
	/* Documentation/trace/ftrace.rst, "Snapshot" */
	const char *text = req->take ? "1\n" : req->reset ? "2\n" : "0\n";
	int rc;

	if (!req->take && !req->reset && !req->free)
		return session_copy(&view, "snapshot", err);
	rc = session_path(p, req->cpu, "snapshot", path, sizeof(path), err);
	return rc ? rc : session_write_path(instances, path, text, err);
}

static int run(void *request, int argc, char **argv, struct tfs_err *err)
{
	struct snapshot_request *req = request;
	struct session_instances instances = { 0 };
	int rc = 0, status;

	if (check(req, err))
		return TC_EXIT_USAGE;
	status = session_open(&req->selection, 0, argc, argv, &instances, err);
	for (size_t i = 0; i < instances.n && status == TC_EXIT_OK && !rc; i++)
		rc = act(req, &instances, &instances.v[i], err);
	session_close(&instances);
	return rc ? TC_EXIT_FAILED : status;
}

const struct tc_command session_snapshot = {
	.name = SESSION_PROGRAM,
	.verb = "snapshot",
	.summary = "print the snapshot of the ring buffer, take one, empty or free it",
	.options = options,
	.request_size = sizeof(struct snapshot_request),
	.run = run,
	.release = session_selection_release,
};
