/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/out-file.h"
#include "cli/msg.h"
#include "cli/xalloc.h"
#include "rewrite/join.h"
#include "tc-file-output.h"
#include "tc-file.h"
#include "tracedat/dat-read.h"

static const struct tc_option options[] = {
	{ .type = TC_OPT_TABLE, .table = file_output_options },
	TC_OPT_END_ANY_ORDER,
};

static int write_file(const struct file_output *o, struct tfs_dat *const *dats, size_t n,
		      struct tfs_err *err)
{
	struct tfs_join_notes notes = { 0 };
	struct tfs_out_file *file = NULL;
	struct tfs_dat_form form;
	int rc = file_output_form(o, dats[0], &form, err);

	if (!rc)
		rc = file_output_open(o->path, dats, n, &file, err);
	if (!rc) {
		rc = tfs_join(dats, n, tfs_out_file_fd(file), &form, &notes, err);
		if (rc && rc != -EINVAL)
			tfs_err_prefix(err, "'%s'", o->path);
	}
	if (!rc)
		rc = tfs_out_file_commit(file, err);
	tfs_out_file_free(file);
	if (!rc && notes.symbols && !o->quiet)
		tc_msg_notice(
			FILE_PROGRAM,
			"tasks, maps and symbols of programs are those of the first recording: "
			"those of %zu other%s are left out",
			notes.symbols, notes.symbols == 1 ? "" : "s");
	return rc;
}

static int check_twice(struct tfs_dat *const *dats, size_t n, struct tfs_err *err)
{
	struct stat a, b;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			if (!stat(tfs_dat_path(dats[i]), &a) && !stat(tfs_dat_path(dats[k]), &b) &&
			    a.st_dev == b.st_dev && a.st_ino == b.st_ino)
				return tfs_err_say(err, -EINVAL,
						   "'%s' is given twice: its records would be, too",
						   tfs_dat_path(dats[i]));
	return 0;
}

static int run(void *request, int argc, char **argv, struct tfs_err *err)
{
	const struct file_output *o = request;
	struct tfs_dat **dats;
	int status = TC_EXIT_FAILED;
	size_t n = 0;
	int rc = 0;

	if (argc < 2) {
		tfs_err_say(err, -EINVAL, "merge needs at least two recordings");
		return TC_EXIT_USAGE;
	}
	if (file_output_check(o, err))
		return TC_EXIT_USAGE;
	dats = xcalloc((size_t)argc, sizeof(struct tfs_dat *));
	for (int i = 0; i < argc && !rc; i++) {
		rc = tfs_dat_open(argv[i], &dats[n], err);
		n += !rc;
	}
	if (!rc)
		rc = check_twice(dats, n, err);
	if (!rc)
		rc = write_file(o, dats, n, err);
	if (!rc)
		status = file_report_damage(dats, n, o->path);
	while (n--)
		tfs_dat_free(dats[n]);
	free(dats);
	return status;
}

const struct tc_command file_merge = {
	.name = FILE_PROGRAM,
	.verb = "merge",
	.summary = "join recordings of one machine, or the pieces of one recording",
	.operands = "FILE FILE...",
	.options = options,
	.request_size = sizeof(struct file_output),
	.run = run,
};
