/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-file-output.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/out-file.h"
#include "cli/command.h"
#include "cli/msg.h"
#include "rewrite/image.h"
#include "tc-file.h"
#include "tracedat/dat-read.h"

#define AT(member) .offset = offsetof(struct file_output, member)

const struct tc_option file_output_options[] = {
	{ 'o', "output", "FILE", "file to write", TC_OPT_STRING, TC_OPT_ONCE, AT(path),
	  .complete = "file" },
	{ 0, "file-version", "VERSION", "6 or 7 (that of the input)", TC_OPT_STRING, TC_OPT_ONCE,
	  AT(version), .complete = "none" },
	{ 0, "compression", "NAME[:LEVEL]", "zstd, zlib or none (that of the input)", TC_OPT_STRING,
	  TC_OPT_ONCE, AT(compression), .complete = "compression" },
	{ 'q', "quiet", NULL, "print errors only", TC_OPT_FLAG, AT(quiet) },
	TC_OPT_END,
};

int file_output_check(const struct file_output *o, struct tfs_err *err)
{
	enum tfs_codec_id codec;
	int level, rc;

	if (!o->path || !*o->path) {
		tfs_err_say(err, -EINVAL, "no file to write");
		tfs_err_hint(err, "-o FILE names it");
		return -EINVAL;
	}
	if (o->version && strcmp(o->version, "6") != 0 && strcmp(o->version, "7") != 0)
		return tfs_err_say(err, -EINVAL,
				   "option --file-version: '%s' is not a version (6, 7)",
				   o->version);
	if (!o->compression)
		return 0;
	rc = tfs_codec_parse(o->compression, &codec, &level, err);
	if (rc)
		return tfs_err_prefix(err, "option --compression");
	if (codec != TFS_CODEC_NONE && o->version && !strcmp(o->version, "6"))
		return tfs_err_say(err, -EINVAL,
				   "version 6 is never compressed: leave out --compression");
	return 0;
}

int file_output_form(const struct file_output *o, const struct tfs_dat *dat,
		     struct tfs_dat_form *form, struct tfs_err *err)
{
	const struct tfs_dat_info *info = tfs_dat_info(dat);
	const bool packs = o->compression && strncmp(o->compression, "none", 4) != 0;

	*form = (struct tfs_dat_form){ .version = info->version, .codec = info->codec };
	if (o->version)
		form->version = o->version[0] - '0';
	else if (packs)
		form->version = 7;
	if (o->compression)
		return tfs_codec_parse(o->compression, &form->codec, &form->level, err);
	if (form->version == 7 && info->version == 6)
		form->codec = tfs_codec_default();
	return 0;
}

static int check_not_input(const char *path, const struct tfs_dat *dat, struct tfs_err *err)
{
	struct stat in, out;

	if (stat(path, &out) || stat(tfs_dat_path(dat), &in) || in.st_dev != out.st_dev ||
	    in.st_ino != out.st_ino)
		return 0;
	tfs_err_say(err, -EINVAL, "'%s' is the input, which is never overwritten", path);
	tfs_err_hint(err, "write another file and rename it");
	return -EINVAL;
}

/* Who could not read one of the inputs cannot read what was made of it. */
static void take_mode(int fd, struct tfs_dat *const *inputs, size_t n)
{
	struct stat own, st;
	mode_t mode;

	if (fstat(fd, &own) || !S_ISREG(own.st_mode))
		return;
	mode = own.st_mode;
	for (size_t i = 0; i < n; i++)
		if (!stat(tfs_dat_path(inputs[i]), &st))
			mode &= st.st_mode | S_IRUSR | S_IWUSR;
	(void)!fchmod(fd, mode & 0777);
}

int file_output_open(const char *path, struct tfs_dat *const *inputs, size_t n,
		     struct tfs_out_file **out, struct tfs_err *err)
{
	struct stat st;
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++)
		rc = check_not_input(path, inputs[i], err);
	if (rc)
		return rc;
	if (!strcmp(path, "-") || (!stat(path, &st) && !S_ISREG(st.st_mode))) {
		tfs_err_say(err, -EINVAL, "cannot write '%s': it is not a regular file", path);
		tfs_err_hint(err, "offsets in the file are known when it is complete, so write a "
				  "file and copy it");
		return -EINVAL;
	}
	rc = tfs_out_file_open(path, out, err);
	if (!rc && tfs_out_file_is_new(*out))
		take_mode(tfs_out_file_fd(*out), inputs, n);
	return rc;
}

const char *file_input(const char *given, int argc, char **argv, struct tfs_err *err)
{
	const char *first = given ? given : argc ? argv[0] : "trace.dat";
	const int others = given ? 0 : 1;

	if (argc <= others)
		return first;
	tfs_err_say(err, -EINVAL, "one file at a time, not '%s' and '%s'", first, argv[others]);
	return NULL;
}

int file_report_damage(struct tfs_dat *const *inputs, size_t n, const char *made)
{
	int status = TC_EXIT_OK;

	for (size_t i = 0; i < n; i++) {
		const struct tfs_err *damage = tfs_dat_damage(inputs[i]);
		struct tfs_err err;

		if (!damage)
			continue;
		err = *damage;
		tfs_err_prefix(&err, "'%s' is damaged", tfs_dat_path(inputs[i]));
		if (made)
			tfs_err_hint(&err,
				     "'%s' holds what can be read; '%s check' lists what is "
				     "damaged",
				     made, FILE_PROGRAM);
		tc_msg_error(FILE_PROGRAM, &err);
		status = TC_EXIT_FAILED;
	}
	return status;
}

void file_report_drops(const struct file_output *o, const struct tfs_image *image,
		       const struct tfs_dat_form *form)
{
	const size_t n = tfs_dat_out_drops(image, form);

	if (n && !o->quiet)
		tc_msg_notice(FILE_PROGRAM,
			      "%zu section%s (BTF_FILE, MODULES_FILE) left out: only compressed "
			      "files of version 7 can hold them",
			      n, n == 1 ? "" : "s");
}
