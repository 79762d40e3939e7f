/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-report-spans.h"

#include "tc-report-opts.h"
#include "tc-report-sources.h"
#include "tc-report-syscalls.h"
#include "tc-report-views.h"

struct tfs_spans_opts report_spans_opts(const struct report_run *run)
{
	return (struct tfs_spans_opts){
		.traces = run->traces,
		.n = run->sources->n,
		.pairs = &run->req->graph.pairs,
		.syscall = report_syscall_name,
		.syscalls = run->syscalls,
	};
}
