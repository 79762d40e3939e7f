/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decode/plugins.h"

#include <errno.h>
#include <stdbool.h>

#include <event-parse.h>
#include <trace-seq.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "decode/fgraph.h"
#include "decode/plugin-dirs.h"
#include "decode/trace-internal.h"

static int take(struct trace_seq *seq, struct tfs_strbuf *sb)
{
	trace_seq_terminate(seq);
	return seq->state == TRACE_SEQ__GOOD ? tfs_strbuf_adds(sb, seq->buffer) : -ENOMEM;
}

int tfs_plugins_list(struct tfs_strvec *paths, struct tfs_strbuf *options, struct tfs_err *err)
{
	struct tfs_trace trace = { .tep = tep_alloc() };
	struct tfs_strbuf names = TFS_STRBUF_INIT;
	struct tep_plugin_list *list;
	struct trace_seq seq;
	int rc;

	if (!trace.tep)
		return tfs_err_set(err, -ENOMEM, "cannot load plugins");
	if (tfs_plugin_dirs_load(trace.tep, &list)) {
		tep_free(trace.tep);
		return tfs_err_set(err, -ENOMEM, "cannot load plugins");
	}
	trace_seq_init(&seq);
	tep_print_plugins(&seq, "", "\n", list);
	rc = take(&seq, &names);
	trace_seq_destroy(&seq);
	if (!rc)
		rc = tfs_fgraph_new(&trace);
	if (!rc)
		rc = tfs_strvec_split(paths, names.s, "\n");
	trace_seq_init(&seq);
	tep_plugin_print_options(&seq);
	if (!rc)
		rc = take(&seq, options);
	trace_seq_destroy(&seq);
	tfs_fgraph_free(&trace);
	tep_unload_plugins(list, trace.tep);
	tep_free(trace.tep);
	tfs_strbuf_release(&names);
	return rc ? tfs_err_set(err, rc, "cannot list plugins") : 0;
}
