/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-record-symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "cli/xalloc.h"
#include "record/meta-formats.h"
#include "record/symbol-needs.h"
#include "tc-record-opts.h"
#include "trace-plan.h"
#include "tracefs/event.h"

static const char *why_of_events(const struct trace_request *trace)
{
	for (size_t i = 0; i < trace->clauses.n; i++) {
		if (trace->clauses.events[i].probe)
			return "a probe (-p)";
		if (trace->clauses.events[i].triggers.n)
			return "a trigger (-R)";
	}
	return NULL;
}

enum tfs_symbols record_symbols(const struct record_request *req, const char **why)
{
	const struct trace_request *trace = &req->trace;
	const struct trace_buffer *buf = &trace->buffers[0];

	if (req->kallsyms)
		*why = "--kallsyms";
	else if (req->profile.on)
		*why = "--profile-cpu";
	else if (trace->n_buffers > 1)
		*why = "others may write into an instance with a name (-B)";
	else if (trace_is_used(trace, buf) && (!*buf->inst.name || buf->inst.shared))
		*why = "others may write into the top level";
	else if (buf->tracer)
		*why = "a tracer (-p)";
	else if (buf->options.n || buf->func_stack)
		*why = "an option of tracing (-O, -T)";
	else
		*why = why_of_events(trace);
	return *why ? TFS_SYMBOLS_ALWAYS : TFS_SYMBOLS_USED;
}

int record_symbols_show(const struct record_request *req, const struct tfs_root *root,
			struct tfs_strbuf *sb, struct tfs_err *err)
{
	struct tfs_strvec events = TFS_STRVEC_INIT;
	struct tfs_strbuf formats = TFS_STRBUF_INIT;
	struct tfs_symbol_needs *needs = xcalloc(1, sizeof(*needs));
	const char *why;
	int rc = 0;

	if (record_symbols(req, &why) == TFS_SYMBOLS_USED) {
		rc = trace_events(&req->trace, &events);
		if (!rc)
			rc = tfs_meta_formats(root, &events, &formats, needs, NULL, err);
	}
	if (!rc && why)
		rc = tfs_strbuf_addf(sb, "# /proc/kallsyms is stored: %s\n", why);
	else if (!rc && needs->n)
		rc = tfs_strbuf_addf(
			sb,
			"# /proc/kallsyms is stored if there is a %s, or another event "
			"with addresses of code\n",
			needs->first);
	else if (!rc && req->trace.buffers[0].flags & TRACE_BUFFER_MARKERS)
		rc = tfs_strbuf_adds(sb, "# /proc/kallsyms is stored if there is a marker of a "
					 "program\n");
	else if (!rc)
		rc = tfs_strbuf_adds(sb,
				     "# /proc/kallsyms is not stored: no event that is recorded "
				     "has addresses of code\n");
	if (rc && !(err && err->code))
		tfs_err_set(err, rc, "cannot find out whether symbols are stored");
	tfs_strvec_release(&events);
	tfs_strbuf_release(&formats);
	free(needs);
	return rc;
}
