/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stddef.h>

#include "base/err.h"
#include "base/out-file.h"
#include "base/strvec.h"
#include "cli/msg.h"
#include "rewrite/pseudonym.h"
#include "rewrite/scrub.h"
#include "tc-file-output.h"
#include "tc-file.h"
#include "tracedat/dat-read.h"

/* struct scrub_request - @fields: as typed, names separated by commas */
struct scrub_request {
	struct file_output output;
	struct tfs_strvec fields;
	const char *input, *seed;
};

#define AT(member) .offset = offsetof(struct scrub_request, member)

static const struct tc_option options[] = {
	FILE_INPUT_OPTION(struct scrub_request),
	{ 0, "fields", "LIST", "what to replace: comm, filename, ip ... (comm,filename)",
	  TC_OPT_LIST, TC_OPT_REPEATS, AT(fields), .complete = "none" },
	{ 0, "seed", "TEXT", "the same pseudonyms wherever this TEXT is given; keep it secret",
	  TC_OPT_STRING, TC_OPT_ONCE, AT(seed), .complete = "none" },
	{ .type = TC_OPT_TABLE, .table = file_output_options },
	TC_OPT_END_ANY_ORDER,
};

static void release(void *request)
{
	struct scrub_request *req = request;

	tfs_strvec_release(&req->fields);
}

static int make_key(const struct scrub_request *req, struct tfs_pseudonym_key *key,
		    struct tfs_err *err)
{
	int rc = 0;

	if (req->seed)
		tfs_pseudonym_key_seed(key, req->seed);
	else
		rc = tfs_pseudonym_key_random(key);
	return rc ? tfs_err_set(err, rc, "cannot get a random key") : 0;
}

static int check(const struct scrub_request *req, struct tfs_err *err)
{
	if (req->seed && !*req->seed)
		return tfs_err_say(err, -EINVAL, "option --seed: it must not be empty");
	return file_output_check(&req->output, err);
}

static int split_names(const struct scrub_request *req, struct tfs_strvec *names,
		       struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < req->fields.n && !rc; i++)
		rc = tfs_strvec_split(names, req->fields.v[i], ",");
	if (!rc && !req->fields.n)
		rc = tfs_strvec_split(names, "comm,filename", ",");
	if (rc)
		return tfs_err_set(err, rc, "cannot look up the fields");
	if (names->n)
		return 0;
	tfs_err_say(err, -EINVAL, "option --fields names no field");
	tfs_err_hint(err, "without the option, they are comm and filename");
	return -EINVAL;
}

/* Returns an exit status. */
static int scrub(const struct scrub_request *req, struct tfs_dat *dat,
		 const struct tfs_strvec *names, struct tfs_err *err)
{
	const char *path = req->output.path;
	struct tfs_out_file *file = NULL;
	struct tfs_pseudonym_key key;
	struct tfs_scrubbed done;
	struct tfs_dat_form form;
	const struct tfs_scrub_opts opts = { names, &key, &form };
	int rc = make_key(req, &key, err);

	if (!rc)
		rc = file_output_form(&req->output, dat, &form, err);
	if (!rc)
		rc = file_output_open(path, &dat, 1, &file, err);
	if (!rc) {
		rc = tfs_scrub(dat, &opts, tfs_out_file_fd(file), &done, err);
		if (rc && rc != -ENOENT)
			tfs_err_prefix(err, "'%s'", path);
	}
	if (!rc)
		rc = tfs_out_file_commit(file, err);
	tfs_out_file_free(file);
	if (rc)
		return rc == -ENOENT ? TC_EXIT_USAGE : TC_EXIT_FAILED;
	if (!req->output.quiet)
		tc_msg_line(FILE_PROGRAM ": '%s' has pseudonyms for %zu word%s%s", path, done.words,
			    done.words == 1 ? "" : "s",
			    done.options ?
				    "; options with programs and unknown options are left out" :
				    "");
	return file_report_damage(&dat, 1, path);
}

static int run(void *request, int argc, char **argv, struct tfs_err *err)
{
	const struct scrub_request *req = request;
	struct tfs_strvec names = TFS_STRVEC_INIT;
	const char *path = file_input(req->input, argc, argv, err);
	struct tfs_dat *dat;
	int status = TC_EXIT_FAILED, rc;

	if (!path || check(req, err))
		return TC_EXIT_USAGE;
	if (tfs_dat_open(path, &dat, err))
		return TC_EXIT_FAILED;
	rc = split_names(req, &names, err);
	if (!rc)
		status = scrub(req, dat, &names, err);
	else if (rc == -EINVAL)
		status = TC_EXIT_USAGE;
	tfs_strvec_release(&names);
	tfs_dat_free(dat);
	return status;
}

const struct tc_command file_scrub = {
	.name = FILE_PROGRAM,
	.verb = "scrub",
	.summary = "replace names in a recording, so that it can be given away",
	.operands = "[FILE]",
	.options = options,
	.request_size = sizeof(struct scrub_request),
	.run = run,
	.release = release,
};
