/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-trace-graph.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strvec.h"
#include "cli/msg.h"
#include "tc-trace-opts.h"
#include "view/graph.h"

#define PROGRAM "tc-trace"

static const char *find_call_option(const struct trace_strace *req)
{
	const struct {
		bool given;
		const char *name;
	} options[] = {
		{ req->exprs.n > 0, "-e" },
		{ req->paths.n > 0, "-P" },
		{ req->successful, "-z" },
		{ req->failed, "-Z" },
		{ req->max_events > 0, "--max-events" },
		{ req->separate, "-ff" },
		{ req->summary_only, "-c" },
		{ req->summary, "-C" },
		{ req->stacks, "-k" },
		{ req->why, "--why" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i].given)
			return options[i].name;
	return NULL;
}

int strace_graph_check(const struct trace_strace *req, struct tfs_err *err)
{
	const char *option = req->graph.n ? find_call_option(req) : NULL;

	if (option)
		return tfs_err_say(
			err, -EINVAL,
			"option --graph shows functions, not system calls: no %s with it", option);
	if (req->graph.n && req->input) {
		tfs_err_say(err, -EINVAL, "option --graph traces: no -i with it");
		tfs_err_hint(err, "'tc-report --graph %s' shows those of a recording", req->input);
		return -EINVAL;
	}
	return 0;
}

int strace_graph_request(struct trace_strace *req)
{
	struct trace_buffer *buf = &req->trace.buffers[0];
	int rc = 0;

	buf->tracer = "function_graph";
	for (size_t i = 0; !rc && i < req->graph.n; i++)
		rc = tfs_strvec_push(&buf->functions.graph, req->graph.v[i]);
	return rc;
}

int strace_graph_view(const struct trace_strace *req, struct tfs_trace *trace,
		      struct tfs_view **view, struct tfs_err *err)
{
	static const struct tfs_strvec none;
	const struct tfs_graph_opts opts = {
		.funcs = &req->graph,
		.callers = &none,
		.pairs = &none,
		.min_duration = req->min_duration,
		.style = req->json ? TFS_GRAPH_JSON : TFS_GRAPH_TREE,
	};
	int rc = tfs_graph_new(trace, &opts, view, err);

	return rc && !err->code ? tfs_err_set(err, rc, "cannot show functions") : rc;
}

void strace_graph_notice(const struct trace_strace *req, const struct tfs_view *view)
{
	struct tfs_strvec funcs = TFS_STRVEC_INIT, callers = TFS_STRVEC_INIT;
	struct tfs_err err = TFS_ERR_INIT;

	if (!req->quiets && tfs_graph_missed(view, &funcs, &callers, &err) == -ENOENT)
		tc_msg_notice(PROGRAM, "%s", err.msg);
	tfs_strvec_release(&funcs);
	tfs_strvec_release(&callers);
}
