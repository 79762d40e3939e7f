/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "cli/print.h"
#include "tc-file-output.h"
#include "tc-file.h"
#include "tracedat/compress.h"
#include "tracedat/dat-check.h"
#include "tracedat/dat-complete.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-segments.h"

/* struct check_request - @verbose: list sound parts as well */
struct check_request {
	const char *input;
	bool verbose, quiet;
};

#define AT(member) .offset = offsetof(struct check_request, member)

static const struct tc_option options[] = {
	FILE_INPUT_OPTION(struct check_request),
	{ 'v', "verbose", NULL, "list also what is sound", TC_OPT_FLAG, AT(verbose) },
	{ 'q', "quiet", NULL, "print nothing: the exit status says it", TC_OPT_FLAG, AT(quiet) },
	TC_OPT_END_ANY_ORDER,
};

static void report(void *context, enum tfs_dat_grade grade, uint64_t offset, const char *text)
{
	static const char *const grades[] = {
		[TFS_DAT_SOUND] = "sound",
		[TFS_DAT_NOTE] = "note",
		[TFS_DAT_DAMAGED] = "damaged",
	};
	const struct check_request *req = context;

	if (req->quiet || (grade == TFS_DAT_SOUND && !req->verbose))
		return;
	if (offset)
		tc_print("%-8s0x%08" PRIx64 "  %s\n", grades[grade], offset, text);
	else
		tc_print("%-8s%10s  %s\n", grades[grade], "", text);
}

/* A recorder that was killed has left its data beside the file. */
static bool has_segments(const struct tfs_dat *dat)
{
	struct tfs_dat_segments s = { 0 };
	bool found = false;

	if (tfs_dat_option_last(dat, TFS_DAT_PRIVATE_SEGMENTS) &&
	    !tfs_dat_segments_read(dat, &s, NULL)) {
		for (size_t i = 0; i < s.n && !found; i++) {
			const struct tfs_dat_segment *p = &s.segments[i];
			char *path = tfs_dat_segment_path(tfs_dat_path(dat),
							  s.buffers[p->buffer].name, p->cpu);

			found = path && !access(path, F_OK);
			free(path);
		}
	}
	tfs_dat_segments_release(&s);
	return found;
}

static void print_result(const struct tfs_dat *dat, const struct tfs_dat_totals *t)
{
	const struct tfs_dat_info *info = tfs_dat_info(dat);
	char *command;

	tc_print("%s: version %d, %s-endian, %s; %" PRIu64 " formats, %" PRIu64
		 " sub-buffers, %" PRIu64 " records can be read\n",
		 tfs_dat_path(dat), info->version, info->big_endian ? "big" : "little",
		 info->version < 7 ? "not compressed" : tfs_codec_name(info->codec), t->formats,
		 t->pages, t->records);
	if (!t->damaged) {
		tc_print("%s: sound\n", tfs_dat_path(dat));
		return;
	}
	tc_print("%s: damaged in %" PRIu64 " place%s; %" PRIu64 " sub-buffers and %" PRIu64
		 " bytes of data cannot be read\n",
		 tfs_dat_path(dat), t->damaged, t->damaged == 1 ? "" : "s", t->bad_pages,
		 t->bad_bytes);
	command = has_segments(dat) ? tfs_dat_completes(tfs_dat_path(dat)) : NULL;
	if (command)
		tc_print("To complete it:          %s\n", command);
	else
		tc_print("To keep what can be read: tc-file convert -o NEW %s\n",
			 tfs_dat_path(dat));
	free(command);
}

static int run(void *request, int argc, char **argv, struct tfs_err *err)
{
	struct check_request *req = request;
	const struct tfs_dat_checker checker = { report, req };
	const char *path = file_input(req->input, argc, argv, err);
	struct tfs_dat_totals totals;
	struct tfs_dat *dat;
	int rc;

	if (!path)
		return TC_EXIT_USAGE;
	if (tfs_dat_open(path, &dat, err))
		return TC_EXIT_FAILED;
	rc = tfs_dat_check(dat, &checker, &totals, err);
	if (!rc && !req->quiet)
		print_result(dat, &totals);
	tfs_dat_free(dat);
	return rc || totals.damaged ? TC_EXIT_FAILED : TC_EXIT_OK;
}

const struct tc_command file_check = {
	.name = FILE_PROGRAM,
	.verb = "check",
	.summary = "verify all of a recording; exit status 0: sound, 1: damaged",
	.operands = "[FILE]",
	.options = options,
	.request_size = sizeof(struct check_request),
	.run = run,
};
