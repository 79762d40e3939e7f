/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a recording, shown. The first byte of the input chooses the view: text, -R, the
 * kernel's lines, JSON, CSV, columns, --graph (drawn, by task, summed up, with pairs) or --stat.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/out.h"
#include "base/strvec.h"
#include "decode/trace.h"
#include "pipeline/run.h"
#include "pipeline/view.h"
#include "tracedat/merge.h"
#include "view/count.h"
#include "view/export.h"
#include "view/graph.h"
#include "view/kernel-lines.h"
#include "view/stat.h"
#include "view/text.h"

/* Enough of what expands out of proportion. */
#define EVENTS_MAX 2000

enum view {
	TEXT,
	RAW,
	TERMINAL,
	KERNEL,
	JSON,
	CSV,
	GRAPH,
	BY_TASK,
	SUMMARY,
	PAIRS,
	STAT,
	COUNT,
	VIEWS,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);

/* libtraceevent 1.7 does not free all that it has when it refuses a format. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent.so\n";
}

static void must(bool holds)
{
	if (!holds)
		abort();
}

static int show_text(struct tfs_trace *trace, enum view view, struct tfs_out *out,
		     const struct tfs_run_opts *run, struct tfs_err *err)
{
	const struct tfs_text_opts opts = { .raw = view == RAW, .color = view == TERMINAL };
	struct tfs_view *shown = NULL;
	int rc;

	if (view == TERMINAL)
		tfs_trace_set_inert(trace);
	if (tfs_text_new(trace, &opts, &shown))
		return 0;
	rc = tfs_run(shown, out, run, err);
	tfs_view_free(shown);
	return rc;
}

static int show_kernel(struct tfs_trace *trace, struct tfs_out *out, const struct tfs_run_opts *run,
		       struct tfs_err *err)
{
	struct tfs_view *shown = NULL;
	int rc;

	if (tfs_kernel_lines_new(trace, &shown))
		return 0;
	rc = tfs_run(shown, out, run, err);
	tfs_view_free(shown);
	return rc;
}

static int show_rows(struct tfs_trace *trace, enum view view, struct tfs_out *out,
		     const struct tfs_run_opts *run, struct tfs_err *err)
{
	const struct tfs_export_opts opts = {
		.style = view == JSON ? TFS_EXPORT_JSON : TFS_EXPORT_CSV,
		.text = view == JSON,
		.inert = view == CSV,
		.traces = &trace,
		.n_traces = 1,
	};
	struct tfs_view *shown = NULL;
	int rc = tfs_export_new(&opts, &shown, err);

	if (!rc)
		rc = tfs_run(shown, out, run, err);
	tfs_view_free(shown);
	return rc;
}

static int show_graph(struct tfs_trace *trace, enum view view, struct tfs_out *out,
		      const struct tfs_run_opts *run, struct tfs_err *err)
{
	struct tfs_strvec none = TFS_STRVEC_INIT, pairs = TFS_STRVEC_INIT;
	const struct tfs_graph_opts opts = {
		.funcs = &none,
		.callers = &none,
		.pairs = view == PAIRS ? &pairs : &none,
		.by_task = view == BY_TASK,
		.summary = view == SUMMARY,
	};
	struct tfs_view *shown = NULL;
	int rc = view == PAIRS ? tfs_strvec_push(&pairs, "sys_enter_*:sys_exit_*") : 0;

	if (!rc)
		rc = tfs_graph_new(trace, &opts, &shown, err);
	if (!rc)
		rc = tfs_run(shown, out, run, err);
	tfs_view_free(shown);
	tfs_strvec_release(&pairs);
	return rc;
}

static int show_stat(struct tfs_trace *trace, struct tfs_out *out, const struct tfs_run_opts *run,
		     struct tfs_err *err)
{
	struct tfs_view *shown = NULL;
	int rc = tfs_stat_new(trace, TFS_STAT_ALL, &shown);

	if (rc)
		return 0;
	rc = tfs_run(shown, out, run, err);
	tfs_view_free(shown);
	return rc;
}

static int show_count(struct tfs_trace *trace, struct tfs_out *out, const struct tfs_run_opts *run,
		      struct tfs_err *err)
{
	static const char *const columns[] = { "comm", "event", "text" };
	static const char *const files[] = { "a" };
	const struct tfs_strvec v = { .v = (char **)columns, .n = 3 };
	const struct tfs_count_opts opts = {
		.rows = { .style = TFS_EXPORT_TAB, .columns = &v, .traces = &trace, .n_traces = 1 },
		.files = files,
	};
	struct tfs_view *shown = NULL;
	int rc = tfs_count_new(&opts, &shown, err);

	if (!rc)
		rc = tfs_run(shown, out, run, err);
	tfs_view_free(shown);
	return rc;
}

static int show(struct tfs_trace *trace, enum view view, struct tfs_out *out, struct tfs_err *err)
{
	const struct tfs_run_input input = { .trace = trace };
	const struct tfs_run_opts run = {
		.inputs = &input, .n = 1, .jobs = 1, .max_events = EVENTS_MAX
	};

	if (view <= TERMINAL)
		return show_text(trace, view, out, &run, err);
	if (view == KERNEL)
		return show_kernel(trace, out, &run, err);
	if (view <= CSV)
		return show_rows(trace, view, out, &run, err);
	if (view == COUNT)
		return show_count(trace, out, &run, err);
	return view == STAT ? show_stat(trace, out, &run, err) :
			      show_graph(trace, view, out, &run, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfs_trace_opts opts = { .no_plugins = true };
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_trace *trace = NULL;
	struct tfs_out *out = NULL;
	char path[64];
	enum view view;
	int fd, null, rc;

	if (!size)
		return 0;
	view = data[0] % VIEWS;
	opts.kernel = view == KERNEL;
	opts.text = view == RAW ? TFS_TRACE_FIELDS : 0;
	/* The code that draws function_graph in place of a plugin is off without plugins, too. */
	opts.no_plugins = !(data[0] & 0x80);
	fd = memfd_create("fuzz", MFD_CLOEXEC);
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	must(fd >= 0 && null >= 0 && !tfs_write_all(fd, data + 1, size - 1));
	must(!tfs_out_new(null, &out));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	rc = tfs_trace_open(path, &opts, &trace, &err);
	if (!rc)
		rc = show(trace, view, out, &err);
	must(rc <= 0 && (!rc || err.msg[0]));
	tfs_trace_free(trace);
	tfs_out_free(out);
	close(fd);
	close(null);
	return 0;
}
