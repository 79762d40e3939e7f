/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-report-exchange.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/time.h"
#include "exchange/arrow-ipc.h"
#include "exchange/arrow-tables.h"
#include "exchange/arrow.h"
#include "exchange/chrome.h"
#include "exchange/folded-diff.h"
#include "exchange/folded.h"
#include "exchange/perf-script.h"
#include "exchange/perfetto.h"
#include "exchange/speedscope.h"
#include "exchange/table-sql.h"
#include "strace/call-abi.h"
#include "tc-report-opts.h"
#include "tc-report-sources.h"
#include "tc-report-stacks.h"
#include "tc-report-syscalls.h"
#include "tc-report-views.h"
#include "tracedat/compress.h"

/* The numbering of system calls in each recording; the array is the caller's, free() */
static const void **syscall_abis(struct report_sources *s)
{
	const void **abis = calloc(s->n, sizeof(void *));

	for (size_t i = 0; abis && i < s->n; i++) {
		s->v[i].abi = tfs_calls_abi(s->v[i].trace);
		abis[i] = &s->v[i].abi;
	}
	return abis;
}

int report_open_perfetto(const struct report_run *run, size_t n, struct tfs_view **view,
			 struct tfs_err *err)
{
	const struct report_sources *s = run->sources;
	const void **abis = syscall_abis(run->sources);
	struct tfs_perfetto_opts opts = {
		.path = run->req->to,
		.traces = run->traces,
		.files = run->files,
		.symbolize = run->symbolize,
		.n = s->n,
		.pairs = &run->req->graph.pairs,
		.syscall = report_syscall_name,
		.syscalls = abis,
		.flags = run->req->old_stacks ? TFS_PERFETTO_OLD_STACKS : 0,
	};
	int rc;

	(void)n;
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].input.ts_offset || s->v[i].merge.raw_ts || s->v[i].merge.map)
			opts.flags |= TFS_PERFETTO_NO_CLOCKS;
	rc = abis ? tfs_perfetto_new(&opts, view, err) : -ENOMEM;
	free(abis);
	return rc;
}

int report_open_chrome(const struct report_run *run, size_t n, struct tfs_view **view,
		       struct tfs_err *err)
{
	const void **abis = syscall_abis(run->sources);
	const struct tfs_chrome_opts opts = {
		.path = run->req->to,
		.traces = run->traces,
		.files = run->files,
		.symbolize = run->symbolize,
		.n = run->sources->n,
		.pairs = &run->req->graph.pairs,
		.syscall = report_syscall_name,
		.syscalls = abis,
	};
	int rc;

	(void)n;
	rc = abis ? tfs_chrome_new(&opts, view, err) : -ENOMEM;
	free(abis);
	return rc;
}

/* Names from the recording go to a terminal. */
static bool wants_inert(const struct report_request *req)
{
	return req->terminal && !strcmp(req->to, "-");
}

int report_open_folded(const struct report_run *run, size_t n, struct tfs_view **view,
		       struct tfs_err *err)
{
	const struct report_request *req = run->req;
	struct tfs_folded_opts opts = {
		.path = req->to,
		.flags = (req->stacks.no_annotate ? 0u : TFS_FOLDED_ANNOTATE) |
			 (wants_inert(req) ? TFS_FOLDED_INERT : 0u) |
			 (req->stacks.scale ? TFS_FOLDED_SCALED : 0u),
		.ns_per_unit = req->stacks.ns_per_unit ? req->stacks.ns_per_unit : NS_PER_USEC,
	};

	(void)n;
	report_collect_opts(run, &opts.collect);
	return req->stacks.diff ? tfs_folded_diff_new(&opts, view, err) :
				  tfs_folded_new(&opts, view, err);
}

int report_open_perf_script(const struct report_run *run, size_t n, struct tfs_view **view,
			    struct tfs_err *err)
{
	struct tfs_perf_script_opts opts = {
		.path = run->req->to,
		.flags = wants_inert(run->req) ? TFS_PERF_SCRIPT_INERT : 0,
	};

	(void)n;
	report_collect_opts(run, &opts.collect);
	return tfs_perf_script_new(&opts, view, err);
}

/* Readers expand zstd where it is built in: nobody has to ask for it. */
int report_check_arrow(const struct report_request *req, struct tfs_err *err)
{
	const char *name = req->compression;

	if (req->to && req->output)
		return tfs_err_say(err, -EINVAL, "--arrow=DIR writes files in DIR, -o another one");
	if (!name || !strcmp(name, "none"))
		return 0;
	if (strcmp(name, "zstd") != 0)
		return tfs_err_say(err, -EINVAL, "'%s': --compression is zstd or none with --arrow",
				   name);
	if (tfs_codec_default() == TFS_CODEC_ZSTD)
		return 0;
	return tfs_err_say(err, -EOPNOTSUPP, "zstd is not built in");
}

int report_open_arrow(const struct report_run *run, size_t n, struct tfs_view **view,
		      struct tfs_err *err)
{
	const struct report_request *req = run->req;
	bool is_plain = req->compression && !strcmp(req->compression, "none");
	const struct tfs_arrow_opts opts = {
		.path = req->to     ? req->to :
			req->output ? req->output :
				      "-",
		.flags = is_plain ? 0 : TFS_ARROW_ZSTD,
		.input = { run->traces, run->paths, run->bounds, run->sources->n },
	};

	(void)n;
	return (req->to ? tfs_arrow_tables_new : tfs_arrow_view_new)(&opts, view, err);
}

int report_check_schema(const struct report_request *req, struct tfs_err *err)
{
	enum tfs_sql_engine engine;

	if (req->n_inputs > 1)
		return tfs_err_say(err, -EINVAL, "--schema names one file to load");
	return tfs_sql_engine(req->schema, &engine, err);
}

/* The operand is the file that the engine loads. */
int report_show_schema(const struct report_run *run, struct tfs_err *err)
{
	const struct report_request *req = run->req;
	const char *file = req->named ? req->inputs[0].path : NULL;
	enum tfs_sql_engine engine;
	int rc = tfs_sql_engine(req->schema, &engine, err);

	return rc ? rc : tfs_table_sql(engine, file, run->out, err);
}

int report_open_speedscope(const struct report_run *run, size_t n, struct tfs_view **view,
			   struct tfs_err *err)
{
	struct tfs_speedscope_opts opts = { .path = run->req->to };

	(void)n;
	report_collect_opts(run, &opts.collect);
	return tfs_speedscope_new(&opts, view, err);
}
