/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-report-stacks.h"

#include <errno.h>

#include "base/err.h"
#include "stack/collect.h"
#include "tc-report-opts.h"
#include "tc-report-sources.h"
#include "tc-report-views.h"

int report_check_stacks(const struct report_request *req, struct tfs_err *err)
{
	if (req->stacks.scale && !req->stacks.diff)
		return tfs_err_say(err, -EINVAL, "--normalize has a meaning only with --diff");
	if (req->stacks.diff && req->n_inputs != 2)
		return tfs_err_say(err, -EINVAL, "--diff compares two recordings, not %zu",
				   req->n_inputs);
	if (req->stacks.is_off_cpu && req->stacks.weight)
		return tfs_err_say(err, -EINVAL, "--off-cpu weighs by time; leave out --weight");
	return 0;
}

void report_collect_opts(const struct report_run *run, struct tfs_collect_opts *opts)
{
	const struct report_stacks *stacks = &run->req->stacks;

	*opts = (struct tfs_collect_opts){
		.traces = run->traces,
		.files = run->files,
		.symbolize = run->symbolize,
		.n = run->sources->n,
		.root = (enum tfs_collect_root)stacks->root,
		.kind = stacks->is_off_cpu ? TFS_COLLECT_OFF_CPU :
			stacks->weight     ? TFS_COLLECT_STACKS :
					     TFS_COLLECT_AUTO,
		.off_cpu = (enum tfs_off_cpu)stacks->off_cpu,
		.weight = stacks->weight,
		.flags = stacks->addrs ? TFS_COLLECT_ADDRESSES : 0,
	};
}
