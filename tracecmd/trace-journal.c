/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace-journal.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "cli/msg.h"
#include "tracefs/journal.h"
#include "tracefs/orphans.h"

size_t trace_journal_orphans(const struct tfs_root *root, const char *program, unsigned int flags)
{
	const bool quiet = flags & TRACE_JOURNAL_QUIET;
	const size_t n = tfs_orphans_remove(root, TFS_JOURNAL_DIR,
					    flags & TRACE_JOURNAL_ALL ? TFS_ORPHANS_ALL : 0);

	if (n && !quiet)
		tc_msg_notice(program,
			      "removed %zu instance%s that killed programs have left without a "
			      "journal in " TFS_JOURNAL_DIR,
			      n, n == 1 ? "" : "s");
	return n;
}

struct tfs_journal *trace_journal_begin(const struct tfs_root *root, const char *program,
					unsigned int flags)
{
	const bool quiet = flags & TRACE_JOURNAL_QUIET;
	struct tfs_journal *journal = NULL;
	struct tfs_err err = TFS_ERR_INIT;
	size_t n = 0;

	tfs_journal_recover(TFS_JOURNAL_DIR, root, 0, &n, &err);
	if (err.code)
		tc_msg_error(program, &err);
	if (n && !quiet)
		tc_msg_notice(program, "cleaned up after %zu earlier program%s", n,
			      n == 1 ? "" : "s");
	tfs_err_clear(&err);
	trace_journal_orphans(root, program, flags & TRACE_JOURNAL_QUIET);
	if (!tfs_journal_open(TFS_JOURNAL_DIR, program, root, &journal, &err))
		return journal;
	if (!quiet)
		tc_msg_notice(program, "no journal, changes stay if this process is killed: %s",
			      err.msg);
	return NULL;
}
