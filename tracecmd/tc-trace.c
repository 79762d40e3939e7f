/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/err.h"
#include "cli/command.h"
#include "main.h"
#include "strace/expr.h"
#include "tc-trace-file.h"
#include "tc-trace-live.h"
#include "tc-trace-opts.h"
#include "tc-trace-sql.h"

static int run(void *request, int argc, char **argv, struct tfs_err *err)
{
	struct trace_strace *req = request;
	struct tfs_expr expr;
	int rc = tfs_expr_init(&expr, SYS_ABI_NONE);

	if (rc)
		tfs_err_set(err, rc, "cannot read the options");
	else
		rc = strace_check(req, argc, argv, &expr, err);
	tfs_expr_release(&expr);
	if (rc)
		return TC_EXIT_USAGE;
	if (req->sql)
		return strace_sql_show(req, err);
	return req->input ? strace_file_show(req, err) : strace_live_show(req, err);
}

const struct tc_command tc_command = {
	.name = "tc-trace",
	.summary = "Trace system calls, as strace shows them, without stopping the program.",
	.operands = "[--] [COMMAND [ARG...]]",
	.options = strace_options,
	.request_size = sizeof(struct trace_strace),
	.init = strace_init,
	.run = run,
	.release = strace_release,
};
