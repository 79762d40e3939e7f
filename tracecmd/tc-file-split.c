/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/out-file.h"
#include "base/strbuf-core.h"
#include "cli/msg.h"
#include "decode/clock.h"
#include "decode/trace.h"
#include "filter/select.h"
#include "filter/time-range.h"
#include "rewrite/split.h"
#include "tc-file-output.h"
#include "tc-file-select.h"
#include "tc-file.h"
#include "tracedat/dat-read.h"

/* struct split_request - @every, @count, @size: one of them, or none: one piece */
struct split_request {
	struct file_selection selection;
	const char *input;
	uint64_t every, count, size;
};

#define AT(member) .offset = offsetof(struct split_request, member)

static const char every[] = "--every DURATION makes pieces: 10s, 500ms, 20us";

static const struct tc_option options[] = {
	{ .type = TC_OPT_GROUP, .help = "Records" },
	FILE_INPUT_OPTION(struct split_request),
	{ .type = TC_OPT_TABLE, .table = file_selection_options },
	{ .type = TC_OPT_GROUP, .help = "Pieces: FILE.1, FILE.2, ..." },
	{ 0, "every", "DURATION", "a piece for each 10s, 500ms ...", TC_OPT_DURATION, AT(every),
	  .complete = "none" },
	{ 0, "count", "N", "pieces of N records", TC_OPT_U64, AT(count), .min = 1,
	  .complete = "none" },
	{ 0, "size", "SIZE", "pieces of so many bytes of records: 100M", TC_OPT_SIZE, AT(size),
	  .min = 4096, .complete = "size" },
	{ .type = TC_OPT_GROUP, .help = "Output" },
	{ .type = TC_OPT_TABLE, .table = file_output_options },
	TC_OPT_WITHOUT('s', NULL, every),
	TC_OPT_WITHOUT('m', NULL, every),
	TC_OPT_WITHOUT('u', NULL, every),
	TC_OPT_WITHOUT('e', NULL, "--count N makes pieces of N records"),
	TC_OPT_WITHOUT('p', NULL, "--size SIZE makes pieces of so many bytes"),
	TC_OPT_WITHOUT('r', NULL, "--every, --count and --size make pieces of the whole file"),
	TC_OPT_WITHOUT('c', NULL, "-C cuts out a CPU"),
	TC_OPT_WITHOUT(0, "top", "-B '' selects the top-level buffer"),
	TC_OPT_END_ANY_ORDER,
};

static void release(void *request)
{
	struct split_request *req = request;

	file_selection_release(&req->selection);
}

static int check(const struct split_request *req, struct tfs_err *err)
{
	if (!!req->every + !!req->count + !!req->size > 1)
		return tfs_err_say(err, -EINVAL,
				   "options --every, --count and --size exclude each other");
	return file_output_check(&req->selection.output, err);
}

/* FILE.N, or FILE if there is one piece only by what was asked for; free() */
static char *piece_path(const struct split_request *req, size_t n)
{
	const char *path = req->selection.output.path;
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	const bool numbered = req->every || req->count || req->size;
	char *out = NULL;
	int rc = numbered ? tfs_strbuf_addf(&sb, "%s.%zu", path, n + 1) :
			    tfs_strbuf_adds(&sb, path);

	if (!rc)
		rc = tfs_strbuf_detach(&sb, &out);
	tfs_strbuf_release(&sb);
	return rc ? NULL : out;
}

static int write_piece(struct tfs_split *split, const char *path, struct tfs_dat *dat,
		       const struct tfs_dat_form *form, struct tfs_err *err)
{
	struct tfs_out_file *file = NULL;
	int rc = file_output_open(path, &dat, 1, &file, err);

	if (!rc) {
		rc = tfs_split_write(split, tfs_out_file_fd(file), form, err);
		if (rc)
			tfs_err_prefix(err, "'%s'", path);
	}
	if (!rc)
		rc = tfs_out_file_commit(file, err);
	tfs_out_file_free(file);
	return rc;
}

/* Pieces that were written before one that cannot be are of no use. */
static void remove_pieces(const struct split_request *req, size_t n)
{
	while (n--) {
		char *path = piece_path(req, n);

		if (path)
			unlink(path);
		free(path);
	}
}

static int write_pieces(const struct split_request *req, struct tfs_split *split,
			struct tfs_dat *dat, const struct tfs_dat_form *form, struct tfs_err *err)
{
	const size_t n = tfs_split_pieces(split);
	size_t i;
	int rc = 0;

	for (i = 0; i < n && !rc; i++) {
		char *path = piece_path(req, i);

		rc = path ? write_piece(split, path, dat, form, err) :
			    tfs_err_set(err, -ENOMEM, "cannot name a piece");
		if (!rc && !req->selection.output.quiet)
			tc_msg_line(FILE_PROGRAM ": %" PRIu64 " records are in '%s'",
				    tfs_split_piece(split, i)->records, path);
		free(path);
	}
	if (rc && i)
		remove_pieces(req, i - 1);
	return rc;
}

/* Pieces have numbers after the name. */
static int report_damage(const struct split_request *req, struct tfs_dat *dat)
{
	char *path = piece_path(req, 0);
	const int status = file_report_damage(&dat, 1, path);

	free(path);
	return status;
}

static void set_pieces(const struct split_request *req, struct tfs_split_opts *opts)
{
	if (req->every)
		opts->by = TFS_SPLIT_TIME;
	else if (req->count)
		opts->by = TFS_SPLIT_COUNT;
	else if (req->size)
		opts->by = TFS_SPLIT_SIZE;
	opts->every = req->every + req->count + req->size; /* one of them */
}

/* Returns an exit status. */
static int split(const struct split_request *req, struct tfs_trace *trace, struct tfs_err *err)
{
	struct tfs_dat *dat = tfs_trace_dat(trace);
	struct tfs_time_ranges ranges = { 0 };
	struct tfs_split_opts opts = { .times = &ranges };
	struct tfs_split *pieces = NULL;
	struct tfs_dat_form form;
	int status = TC_EXIT_USAGE, rc;

	if (req->every && !tfs_trace_is_ns(trace)) {
		tfs_err_say(err, -EINVAL, "--every: the clock of '%s' does not count time",
			    tfs_dat_path(dat));
		tfs_err_hint(err, "--count cuts it");
		return TC_EXIT_USAGE;
	}
	set_pieces(req, &opts);
	rc = file_output_form(&req->selection.output, dat, &form, err);
	if (!rc)
		rc = file_selection_new(&req->selection, trace, &opts.select, err);
	if (!rc)
		rc = file_selection_times(&req->selection, trace, &ranges, err);
	if (!rc) {
		status = TC_EXIT_FAILED;
		rc = tfs_split_new(trace, &opts, &pieces, err);
	}
	if (!rc) {
		rc = file_selection_check(opts.select, err);
		status = rc ? TC_EXIT_USAGE : status;
	}
	if (!rc)
		rc = write_pieces(req, pieces, dat, &form, err);
	if (!rc)
		status = report_damage(req, dat);
	tfs_split_free(pieces);
	tfs_select_free(opts.select);
	tfs_time_ranges_release(&ranges);
	return status;
}

static int run(void *request, int argc, char **argv, struct tfs_err *err)
{
	const struct split_request *req = request;
	const char *path = file_input(req->input, argc, argv, err);
	struct tfs_trace *trace;
	int status;

	if (!path || check(req, err))
		return TC_EXIT_USAGE;
	if (tfs_trace_open(path, &(struct tfs_trace_opts){ .no_plugins = true }, &trace, err))
		return TC_EXIT_FAILED;
	status = split(req, trace, err);
	tfs_trace_free(trace);
	return status;
}

const struct tc_command file_split = {
	.name = FILE_PROGRAM,
	.verb = "split",
	.summary = "cut pieces out of a recording",
	.operands = "[FILE]",
	.options = options,
	.request_size = sizeof(struct split_request),
	.run = run,
	.release = release,
};
