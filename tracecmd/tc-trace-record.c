/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-trace-record.h"

#include <stddef.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "cli/msg.h"
#include "main.h"
#include "record/session.h"
#include "tc-trace-opts.h"
#include "tc-trace-proc.h"
#include "trace-keep.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-records.h"

/* Rather the events without it than neither */
static void add_proc(struct trace_keep *keep, const struct strace_proc *proc)
{
	const struct tfs_strbuf *kept = proc ? strace_proc_kept(proc) : NULL;
	struct tfs_strbuf packed = TFS_STRBUF_INIT;

	if (kept && !tfs_strbuf_add(&packed, kept->s, kept->len) &&
	    !tfs_dat_records_pack(&packed)) {
		const struct tfs_session_option option = {
			.id = TFS_DAT_PRIVATE_CALLS,
			.data = packed.s,
			.size = packed.len,
		};

		tfs_session_option(trace_keep_session(keep), &option);
	}
	tfs_strbuf_release(&packed);
}

int strace_record_end(struct trace_keep *keep, const struct trace_strace *req,
		      const struct strace_proc *proc, int rc, struct tfs_err *err)
{
	struct tfs_strbuf said = TFS_STRBUF_INIT;
	struct tfs_err own = TFS_ERR_INIT;

	add_proc(keep, proc);
	if (!trace_keep_end(keep, &said, &own) && !req->quiets)
		tc_msg_notice(tc_command.name, "%s", said.s);
	tfs_strbuf_release(&said);
	if (!rc && own.code)
		*err = own;
	return rc ? rc : own.code;
}
