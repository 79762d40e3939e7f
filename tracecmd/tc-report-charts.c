/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-report-charts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "chart/flame.h"
#include "chart/heatmap.h"
#include "decode/clock.h"
#include "stack/collect.h"
#include "tc-report-opts.h"
#include "tc-report-sources.h"
#include "tc-report-spans.h"
#include "tc-report-stacks.h"
#include "tc-report-views.h"

int report_parse_off_cpu(const char *text, unsigned int *out, struct tfs_err *err)
{
	static const char *const names[] = {
		[TFS_OFF_CPU_BLOCKED] = "blocked",
		[TFS_OFF_CPU_RUNNABLE] = "runnable",
		[TFS_OFF_CPU_ALL] = "all",
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(text, names[i])) {
			*out = i;
			return 0;
		}
	}
	tfs_err_say(err, -EINVAL, "'%s' is not a kind of time off the CPU", text);
	tfs_err_hint(err, "blocked, runnable or all");
	return -EINVAL;
}

int report_check_flame(const struct report_request *req, struct tfs_err *err)
{
	enum tfs_flame_file file;
	int rc = report_check_stacks(req, err);

	if (rc)
		return rc;
	return tfs_flame_file(req->to, &file, err);
}

static int make_title(const struct report_run *run, struct tfs_strbuf *title)
{
	const struct report_stacks *stacks = &run->req->stacks;
	const struct report_sources *s = run->sources;
	int rc;

	if (stacks->title)
		return tfs_strbuf_adds(title, stacks->title);
	if (stacks->diff)
		return tfs_strbuf_addf(title, "%s%s compared with %s",
				       stacks->is_off_cpu ? "Time off the CPU: " : "", s->v[1].name,
				       s->v[0].name);
	rc = tfs_strbuf_adds(title, stacks->is_off_cpu ? "Time off the CPU: " : "Flame graph: ");
	for (size_t i = 0; i < s->n && !rc; i++)
		rc = tfs_strbuf_addf(title, "%s%s", i ? ", " : "", s->v[i].name);
	return rc;
}

int report_open_flame(const struct report_run *run, size_t n, struct tfs_view **view,
		      struct tfs_err *err)
{
	const struct report_stacks *stacks = &run->req->stacks;
	const struct report_source *first = &run->sources->v[0];
	struct tfs_strbuf title = TFS_STRBUF_INIT;
	struct tfs_flame_opts opts = {
		.path = run->req->to,
		.quiet = run->req->quiet,
		.look = {
			.scheme = stacks->colors,
			.flags = (stacks->diff ? TFS_FLAME_DIFF : 0) |
				 (stacks->scale ? TFS_FLAME_SCALED : 0),
		},
	};
	int rc = tfs_flame_file(opts.path, &opts.file, err);

	(void)n;
	opts.times = !tfs_trace_counts(first->trace, first->merge.raw_ts, first->merge.unit);
	if (!rc)
		rc = make_title(run, &title);
	opts.look.title = title.s;
	report_collect_opts(run, &opts.collect);
	if (!rc)
		rc = tfs_flame_new(&opts, view, err);
	tfs_strbuf_release(&title);
	return rc;
}

int report_check_heatmap(const struct report_request *req, struct tfs_err *err)
{
	enum tfs_heatmap_file file;

	return tfs_heatmap_file(req->to, &file, err);
}

/* "read: a.dat, b.dat" */
static int make_heatmap_title(const struct report_run *run, struct tfs_strbuf *title)
{
	const struct tfs_strvec *pairs = &run->req->graph.pairs;
	const char *of = run->req->of ? run->req->of : pairs->n ? pairs->v[0] : "wakeup";
	int rc;

	if (run->req->stacks.title)
		return tfs_strbuf_adds(title, run->req->stacks.title);
	rc = tfs_strbuf_adds(title, of);
	for (size_t i = 0; i < run->sources->n && !rc; i++)
		rc = tfs_strbuf_addf(title, "%s%s", i ? ", " : ": ", run->files[i]);
	return rc;
}

int report_open_heatmap(const struct report_run *run, size_t n, struct tfs_view **view,
			struct tfs_err *err)
{
	struct tfs_strbuf title = TFS_STRBUF_INIT;
	struct tfs_heatmap_opts opts = {
		.path = run->req->to,
		.spans = report_spans_opts(run),
		.of = run->req->of,
		.columns = (size_t)run->req->columns,
		.linear = run->req->linear,
		.quiet = run->req->quiet,
	};
	int rc = tfs_heatmap_file(opts.path, &opts.file, err);

	(void)n;
	if (!rc)
		rc = make_heatmap_title(run, &title);
	opts.title = title.s;
	if (!rc)
		rc = tfs_heatmap_new(&opts, view, err);
	tfs_strbuf_release(&title);
	return rc;
}
