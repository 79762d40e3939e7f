/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stddef.h>

#include "base/err.h"
#include "base/out-file.h"
#include "rewrite/convert.h"
#include "rewrite/dat-out.h"
#include "rewrite/image.h"
#include "tc-file-output.h"
#include "tc-file.h"
#include "tracedat/dat-read.h"

static const struct tc_option options[] = {
	{ .type = TC_OPT_TABLE, .table = file_output_options },
	TC_OPT_END_ANY_ORDER,
};

static int write_file(struct tfs_dat *dat, const struct file_output *o,
		      const struct tfs_dat_form *form, struct tfs_err *err)
{
	struct tfs_out_file *file = NULL;
	struct tfs_dat_out *out = NULL;
	struct tfs_image image;
	int rc = tfs_image_read(dat, &image, err);

	if (!rc)
		rc = tfs_dat_out_check(&image, form, err);
	if (!rc)
		rc = file_output_open(o->path, &dat, 1, &file, err);
	if (!rc)
		rc = tfs_dat_out_new(tfs_out_file_fd(file), &image, form, &out, err);
	if (!rc)
		rc = tfs_convert_data(dat, out, err);
	if (!rc)
		rc = tfs_dat_out_end(out, err);
	if (rc && file)
		tfs_err_prefix(err, "'%s'", o->path);
	if (!rc)
		rc = tfs_out_file_commit(file, err);
	if (!rc)
		file_report_drops(o, &image, form);
	tfs_dat_out_free(out);
	tfs_out_file_free(file);
	tfs_image_release(&image);
	return rc;
}

static int run(void *request, int argc, char **argv, struct tfs_err *err)
{
	const struct file_output *o = request;
	const char *path = file_input(argc, argv, err);
	struct tfs_dat_form form;
	struct tfs_dat *dat;
	int status = TC_EXIT_FAILED;

	if (!path || file_output_check(o, err))
		return TC_EXIT_USAGE;
	if (tfs_dat_open(path, &dat, err))
		return TC_EXIT_FAILED;
	if (!file_output_form(o, dat, &form, err) && !write_file(dat, o, &form, err))
		status = file_report_damage(&dat, 1, o->path);
	tfs_dat_free(dat);
	return status;
}

const struct tc_command file_convert = {
	.name = FILE_PROGRAM,
	.verb = "convert",
	.summary = "store a recording as another version or with another compression",
	.operands = "[FILE]",
	.options = options,
	.request_size = sizeof(struct file_output),
	.run = run,
};
