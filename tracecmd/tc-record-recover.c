/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-record-recover.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf.h"
#include "cli/msg.h"
#include "record/headless.h"
#include "tc-record-show.h"
#include "tracedat/dat-complete.h"
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

static void print_headless(const char *path, const struct tfs_headless *h)
{
	tc_msg_notice(PROGRAM,
		      "there was no '%s': event formats are those of the running kernel, and its "
		      "clock is taken to be '%s'",
		      path, h->clock);
	if (h->deleted && h->n_buffers > 1)
		tc_msg_notice(PROGRAM, "%zu of %zu buffers are of instances that are deleted",
			      h->deleted, h->n_buffers);
	if (h->earlier)
		tc_msg_notice(PROGRAM,
			      "the data were written before this boot: if the kernel was another "
			      "one, events may be read wrongly");
}

/* trace-cmd has written nothing but data when it is killed: the metadata come from the kernel. */
static int begin_file(const char *path, struct tfs_headless *headless, struct tfs_err *err)
{
	struct tfs_root *root = NULL;
	struct stat st;
	int rc;

	*headless = (struct tfs_headless){ 0 };
	if (!lstat(path, &st) || errno != ENOENT)
		return 0;
	rc = tfs_root_open(NULL, &root, err);
	if (!rc)
		rc = tfs_headless_begin(path, root, headless, err);
	tfs_root_free(root);
	return rc;
}

/* A file that was joined here could not be continued, and its rest would be lost. */
static int check_fleet(const char *path, struct tfs_err *err)
{
	char *folder = tfs_dat_fleet_folder(path);

	if (!folder)
		return 0;
	tfs_err_say(err, -EEXIST, "'%s' is of a run of tc-fleet, and its host may have more", path);
	tfs_err_hint(err,
		     "tc-fleet fetch -o '%s' brings that; to complete what is here and do without "
		     "the rest, remove '%s" TFS_DAT_FLEET_JOURNAL "' first",
		     folder, path);
	free(folder);
	return err->code;
}

int record_recover(const char *path, unsigned int flags, struct tfs_err *err)
{
	const bool quiet = flags & RECORD_RECOVER_QUIET;
	struct tfs_strbuf names = TFS_STRBUF_INIT;
	struct tfs_strbuf boot = TFS_STRBUF_INIT;
	struct tfs_strbuf symbols = TFS_STRBUF_INIT;
	struct tfs_recover_opts opts = { 0 };
	struct tfs_headless headless;
	struct tfs_recovered found;
	int rc = check_fleet(path, err);

	if (rc)
		return rc;
	read_names(&names);
	if (names.len)
		opts.cmdlines = names.s;
	if (!tfs_read_path(KALLSYMS, &symbols))
		opts.kallsyms = symbols.s;
	if (!tfs_read_path(TFS_DAT_BOOT_ID, &boot)) {
		tfs_strbuf_rtrim(&boot);
		opts.boot = boot.s;
	}
	rc = begin_file(path, &headless, err);
	if (!rc)
		rc = tfs_dat_recover(path, &opts, &found, err);
	if (rc && headless.n_buffers)
		unlink(path);
	if (!rc && !quiet && headless.n_buffers)
		print_headless(path, &headless);
	free(headless.clock);
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
