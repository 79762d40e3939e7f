/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-report-timeline.h"

#include <errno.h>
#include <stdlib.h>

#include "chart/timeline.h"
#include "strace/call-abi.h"
#include "tc-report-opts.h"
#include "tc-report-sources.h"
#include "tc-report-syscalls.h"
#include "tc-report-views.h"

int report_open_timeline(const struct report_run *run, size_t n, struct tfs_view **view,
			 struct tfs_err *err)
{
	struct report_sources *s = run->sources;
	const char **files = calloc(s->n, sizeof(char *));
	const void **abis = calloc(s->n, sizeof(void *));
	const struct tfs_timeline_opts opts = {
		.traces = run->traces,
		.files = files,
		.n = s->n,
		.path = run->req->to,
		.max_page = run->req->max_page ? run->req->max_page : TFS_TIMELINE_MAX_PAGE,
		.pairs = &run->req->graph.pairs,
		.syscall = report_syscall_name,
		.syscalls = abis,
	};
	int rc = files && abis ? 0 : -ENOMEM;

	(void)n;
	for (size_t i = 0; !rc && i < s->n; i++) {
		files[i] = s->v[i].name;
		s->v[i].abi = tfs_calls_abi(s->v[i].trace);
		abis[i] = &s->v[i].abi;
	}
	if (!rc)
		rc = tfs_timeline_new(&opts, view, err);
	free(files);
	free(abis);
	return rc;
}
