/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/out-file.h"
#include "cli/msg.h"
#include "rewrite/align.h"
#include "rewrite/convert.h"
#include "rewrite/dat-out.h"
#include "rewrite/image.h"
#include "tc-file-output.h"
#include "tc-file.h"
#include "tracedat/dat-read.h"

#define AT(member) .offset = offsetof(struct convert_request, member)

/**
 * struct convert_request - the options of tc-file convert
 * @input: -i, @time_line: --time-line; NULL: not given
 */
struct convert_request {
	struct file_output output;
	const char *input, *time_line;
};

static const struct tc_option options[] = {
	FILE_INPUT_OPTION(struct convert_request),
	{ .type = TC_OPT_TABLE, .table = file_output_options },
	{ 0, "time-line", "FILE", "make other programs show the times by FILE's clock",
	  TC_OPT_STRING, AT(time_line), .complete = "file" },
	TC_OPT_END_ANY_ORDER,
};

static int align(struct tfs_image *image, struct tfs_dat *const *dats,
		 const struct convert_request *req, struct tfs_err *err)
{
	uint64_t bound;
	int rc = tfs_align_to(image, dats[0], dats[1], &bound, err);

	if (!rc && !req->output.quiet)
		tc_msg_notice(FILE_PROGRAM, "times are those of '%s', +-%" PRIu64 ".%03u us",
			      req->time_line, bound / 1000, (unsigned int)(bound % 1000));
	return rc;
}

/* @dats: the recording, and that with the time line */
static int write_file(struct tfs_dat *const *dats, const struct convert_request *req,
		      const struct tfs_dat_form *form, struct tfs_err *err)
{
	const struct file_output *o = &req->output;
	struct tfs_dat *dat = dats[0];
	struct tfs_out_file *file = NULL;
	struct tfs_dat_out *out = NULL;
	struct tfs_image image;
	int rc = tfs_image_read(dat, &image, err);

	if (!rc && req->time_line)
		rc = align(&image, dats, req, err);
	if (!rc)
		rc = tfs_dat_out_check(&image, form, err);
	if (!rc)
		rc = file_output_open(o->path, dats, dats[1] ? 2 : 1, &file, err);
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
	const struct convert_request *req = request;
	const struct file_output *o = &req->output;
	const char *path = file_input(req->input, argc, argv, err);
	struct tfs_dat *dats[2] = { NULL, NULL };
	struct tfs_dat_form form;
	int status = TC_EXIT_FAILED, rc;

	if (!path || file_output_check(o, err))
		return TC_EXIT_USAGE;
	rc = tfs_dat_open(path, &dats[0], err);
	if (!rc && req->time_line)
		rc = tfs_dat_open(req->time_line, &dats[1], err);
	if (!rc)
		rc = file_output_form(o, dats[0], &form, err);
	if (!rc)
		rc = write_file(dats, req, &form, err);
	if (!rc)
		status = file_report_damage(dats, 1, o->path);
	tfs_dat_free(dats[0]);
	tfs_dat_free(dats[1]);
	return status;
}

const struct tc_command file_convert = {
	.name = FILE_PROGRAM,
	.verb = "convert",
	.summary = "store a recording as another version or with another compression",
	.operands = "[FILE]",
	.options = options,
	.request_size = sizeof(struct convert_request),
	.run = run,
};
