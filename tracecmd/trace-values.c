/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace-values.h"

#include "base/err.h"
#include "base/strvec.h"
#include "probe/define.h"
#include "probe/means.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-private.h"
#include "tracedat/dat-values.h"

int trace_values_find(const struct tfs_root *root, const struct tfs_probe_defs *defs,
		      const struct tfs_strvec *events, struct trace_values *out,
		      struct tfs_err *err)
{
	int rc = tfs_dat_private_begin(&out->payload);
	size_t head = out->payload.len;

	if (!rc && defs)
		rc = tfs_probe_means_payload(defs, &out->payload);
	if (!rc)
		rc = tfs_probe_means_load(TFS_PROBE_MEANS_DIR, root, events, &out->payload);
	if (out->payload.len == head)
		out->payload.len = 0;
	out->option = (struct tfs_session_option){
		.id = TFS_DAT_PRIVATE_VALUES,
		.data = out->payload.s,
		.size = out->payload.len,
	};
	return rc ? tfs_err_set(err, rc, "cannot collect the names of values") : 0;
}
