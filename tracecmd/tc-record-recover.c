/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-record-recover.h"

#include <errno.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf.h"
#include "cli/msg.h"
#include "tc-record-show.h"
#include "tracedat/dat-segments.h"
#include "tracedat/dat-recover.h"
#include "tracefs/file.h"
#include "tracefs/root.h"

#define PROGRAM "tc-record"
#define KALLSYMS "/proc/kallsyms"

/* Names of tasks, if this boot still knows them: a recovery does without. */
static void read_names(struct tfs_strbuf *names)
{
	struct tfs_root *root = NULL;

	if (!tfs_root_open(NULL, &root, NULL) && tfs_file_read(root, "saved_cmdlines", names, NULL))
		tfs_strbuf_reset(names);
	tfs_root_free(root);
}

static void print_result(const char *path, const struct tfs_recovered *found)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	if (!record_show_size(&sb, found->data_bytes))
		tc_msg_notice(PROGRAM, "recovered %s of %zu CPU%s into '%s'%s", sb.s, found->cpus,
			      found->cpus == 1 ? "" : "s", path,
			      found->joining ? "" :
					       "; what the recorder had not written when it was "
					       "killed is missing");
	tfs_strbuf_release(&sb);
}

int record_recover(const char *path, unsigned int flags, struct tfs_err *err)
{
	const bool quiet = flags & RECORD_RECOVER_QUIET;
	struct tfs_strbuf names = TFS_STRBUF_INIT;
	struct tfs_strbuf boot = TFS_STRBUF_INIT;
	struct tfs_strbuf symbols = TFS_STRBUF_INIT;
	struct tfs_recover_opts opts = { 0 };
	struct tfs_recovered found;
	int rc;

	read_names(&names);
	if (names.len)
		opts.cmdlines = names.s;
	if (!tfs_read_path(KALLSYMS, &symbols))
		opts.kallsyms = symbols.s;
	if (!tfs_read_path(TFS_DAT_BOOT_ID, &boot)) {
		tfs_strbuf_rtrim(&boot);
		opts.boot = boot.s;
	}
	rc = tfs_dat_recover(path, &opts, &found, err);
	if (rc == -EALREADY) {
		if (!quiet)
			tc_msg_notice(PROGRAM, "%s", err->msg);
		tfs_err_clear(err);
		rc = 0;
	} else if (!rc && !quiet) {
		print_result(path, &found);
		if (found.withheld)
			tc_msg_notice(PROGRAM,
				      "'%s' belongs to another user: names of tasks and functions "
				      "are not added",
				      path);
	} else if (rc == -ENOSPC) {
		tfs_err_hint(err, "nothing is lost: free some space and try again");
	}
	tfs_strbuf_release(&boot);
	tfs_strbuf_release(&names);
	tfs_strbuf_release(&symbols);
	return rc;
}
