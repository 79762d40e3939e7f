/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stddef.h>
#include <unistd.h>

#include "base/err.h"
#include "base/out.h"
#include "rewrite/dump.h"
#include "tc-file-output.h"
#include "tc-file.h"
#include "tracedat/dat-read.h"

/* struct dump_request - @parts: enum tfs_dump_part; 0: the summary */
struct dump_request {
	unsigned int parts;
	const char *input;
};

static int on_part(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	struct dump_request *req = request;

	(void)arg;
	(void)err;
	req->parts |= (unsigned int)opt->value;
	return 0;
}

#define AT(member) .offset = offsetof(struct dump_request, member)

static const struct tc_option options[] = {
	FILE_INPUT_OPTION(struct dump_request),
	{ 0, "summary", NULL, "how many of what (the default)", TC_OPT_CALL, .call = on_part,
	  .value = TFS_DUMP_SUMMARY },
	{ 0, "all", NULL, "everything but the data", TC_OPT_CALL, .call = on_part,
	  .value = TFS_DUMP_ALL },
	{ 0, "head-page", NULL, "format of a sub-buffer's header", TC_OPT_CALL, .call = on_part,
	  .value = TFS_DUMP_HEAD_PAGE },
	{ 0, "head-event", NULL, "format of an entry's header", TC_OPT_CALL, .call = on_part,
	  .value = TFS_DUMP_HEAD_EVENT },
	{ 0, "ftrace-events", NULL, "formats of the events of system ftrace", TC_OPT_CALL,
	  .call = on_part, .value = TFS_DUMP_FTRACE_EVENTS },
	{ 0, "systems", NULL, "other systems, and their number of events", TC_OPT_CALL,
	  .call = on_part, .value = TFS_DUMP_SYSTEMS },
	{ 0, "events", NULL, "formats of their events", TC_OPT_CALL, .call = on_part,
	  .value = TFS_DUMP_EVENTS },
	{ 0, "kallsyms", NULL, "symbols of the kernel", TC_OPT_CALL, .call = on_part,
	  .value = TFS_DUMP_KALLSYMS },
	{ 0, "printk", NULL, "format strings of trace_printk()", TC_OPT_CALL, .call = on_part,
	  .value = TFS_DUMP_PRINTK },
	{ 0, "cmd-lines", NULL, "names of tasks", TC_OPT_CALL, .call = on_part,
	  .value = TFS_DUMP_CMD_LINES },
	{ 0, "options", NULL, "all options", TC_OPT_CALL, .call = on_part,
	  .value = TFS_DUMP_OPTIONS },
	{ 0, "flyrecord", NULL, "where the data of each CPU are", TC_OPT_CALL, .call = on_part,
	  .value = TFS_DUMP_FLYRECORD },
	{ 0, "clock", NULL, "trace clocks, the one in use in brackets", TC_OPT_CALL,
	  .call = on_part, .value = TFS_DUMP_CLOCK },
	{ 0, "sections", NULL, "all sections", TC_OPT_CALL, .call = on_part,
	  .value = TFS_DUMP_SECTIONS },
	{ 0, "strings", NULL, "descriptions of sections", TC_OPT_CALL, .call = on_part,
	  .value = TFS_DUMP_STRINGS },
	TC_OPT_WITHOUT('v', "validate", "tc-file check verifies a recording"),
	TC_OPT_WITHOUT(0, "verbose", "errors are always printed"),
	TC_OPT_END_ANY_ORDER,
};

static int run(void *request, int argc, char **argv, struct tfs_err *err)
{
	struct dump_request *req = request;
	const char *path = file_input(req->input, argc, argv, err);
	struct tfs_out *out = NULL;
	struct tfs_dat *dat;
	int rc;

	if (!path)
		return TC_EXIT_USAGE;
	if (tfs_dat_open(path, &dat, err))
		return TC_EXIT_FAILED;
	rc = tfs_out_new(STDOUT_FILENO, &out);
	if (rc)
		tfs_err_set(err, rc, "cannot print");
	else
		tfs_out_set_inert(out, isatty(STDOUT_FILENO));
	if (!rc)
		rc = tfs_dump(dat, req->parts ? req->parts : TFS_DUMP_SUMMARY, out, err);
	if (out && tfs_out_flush(out) && !rc)
		rc = tfs_err_set(err, tfs_out_flush(out), "cannot print");
	tfs_out_free(out);
	if (!rc)
		rc = file_report_damage(&dat, 1, NULL);
	tfs_dat_free(dat);
	return rc ? TC_EXIT_FAILED : TC_EXIT_OK;
}

const struct tc_command file_dump = {
	.name = FILE_PROGRAM,
	.verb = "dump",
	.summary = "print what a recording holds besides records, as trace-cmd dump",
	.operands = "[FILE]",
	.options = options,
	.request_size = sizeof(struct dump_request),
	.run = run,
};
