/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-report-views.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "stack/collect.h"
#include "tc-report-charts.h"
#include "tc-report-exchange.h"
#include "tc-report-graph.h"
#include "tc-report-opts.h"
#include "tc-report-stacks.h"
#include "tc-report-tables.h"
#include "tc-report-text.h"
#include "tc-report-timeline.h"
#include "view/info.h"
#include "view/stat.h"

/* Options that have no meaning with every view. */
enum report_layout {
	RAW = 1 << 0,
	LATENCY = 1 << 1,
	WAKEUP = 1 << 2,
	TS_DIFF = 1 << 3,
	NO_FLAGS = 1 << 4,
	COLOR = 1 << 5,
	JSON = 1 << 6,
	CSV = 1 << 7,
	EXPORT_TEXT = 1 << 8,
	FIELDS = 1 << 9,
	KERNEL_LINES = 1 << 10,
	COMPAT = 1 << 11,
	TIMES = 1 << 12,
	PLUGINS = 1 << 13,
	USER_SYMBOLS = 1 << 14,
	/* layouts of the text; of rows */
	TEXT_LAYOUTS = RAW | LATENCY | WAKEUP | TS_DIFF | NO_FLAGS | USER_SYMBOLS,
	EXPORTS = JSON | CSV | EXPORT_TEXT | FIELDS,
};

#define STAT_ROW(name, flag, of_kind)                                                              \
	{                                                                                          \
		.option = name, .flags = flag, .without = EXPORTS | KERNEL_LINES, .kind = of_kind, \
		.open = report_open_stat                                                           \
	}
#define INFO_ROW(name, flag, of_kind)                                                              \
	{                                                                                          \
		.option = name, .flags = flag, .without = EXPORTS | KERNEL_LINES, .kind = of_kind, \
		.show = report_show_info                                                           \
	}

#define TABLE_ROW(name, of_open)                                                          \
	{                                                                                 \
		.option = name,                                                           \
		.flags = REPORT_EVENTS | REPORT_MERGED | REPORT_ONE_VIEW | REPORT_INERT | \
			 REPORT_TYPED | REPORT_SYSCALLS | REPORT_TABLE,                   \
		.without = TEXT_LAYOUTS | COLOR | EXPORT_TEXT | FIELDS | KERNEL_LINES,    \
		.open = of_open                                                           \
	}

static const struct report_view views[] = {
	[REPORT_VIEW_TEXT] = {
		.flags = REPORT_EVENTS | REPORT_MERGED | REPORT_FOLLOWS | REPORT_INERT |
			 REPORT_TEXT,
		.open = report_open_text,
	},
	[REPORT_VIEW_EXPORT] = {
		.flags = REPORT_EVENTS | REPORT_MERGED | REPORT_FOLLOWS | REPORT_INERT,
		.without = TEXT_LAYOUTS | COLOR,
		.check = report_check_export,
		.open = report_open_export,
	},
	[REPORT_VIEW_WIDE] = {
		.option = "--wide",
		.flags = REPORT_EVENTS | REPORT_MERGED | REPORT_ONE_VIEW | REPORT_FOLLOWS |
			 REPORT_INERT,
		.without = TEXT_LAYOUTS | COLOR | EXPORT_TEXT | FIELDS | KERNEL_LINES,
		.check = report_check_wide,
		.open = report_open_wide,
	},
	[REPORT_VIEW_KERNEL] = {
		.option = "--kernel",
		.flags = REPORT_EVENTS | REPORT_MERGED | REPORT_FOLLOWS | REPORT_INERT,
		.without = EXPORTS | (TEXT_LAYOUTS & ~LATENCY) | COLOR | COMPAT | TIMES |
			   PLUGINS,
		.check = report_check_kernel,
		.open = report_open_kernel,
	},
	[REPORT_VIEW_COUNT_BY] = TABLE_ROW("--count-by", report_open_count),
	[REPORT_VIEW_LATENCY] = TABLE_ROW("--latency", report_open_latency),
	[REPORT_VIEW_HEATMAP] = {
		.option = "--heatmap",
		.flags = REPORT_EVENTS | REPORT_MERGED | REPORT_ONE_VIEW | REPORT_TYPED |
			 REPORT_SYSCALLS,
		.without = TEXT_LAYOUTS | COLOR | EXPORTS | KERNEL_LINES,
		.check = report_check_heatmap,
		.open = report_open_heatmap,
	},
	[REPORT_VIEW_PROFILE] = TABLE_ROW("--profile", report_open_profile),
	[REPORT_VIEW_SYSCALLS] = TABLE_ROW("--syscalls", report_open_syscalls),
	[REPORT_VIEW_WAKEUPS] = TABLE_ROW("--wakeups", report_open_wakeups),
	[REPORT_VIEW_FLAT] = {
		.option = "--flat",
		.flags = REPORT_EVENTS | REPORT_MERGED | REPORT_ONE_VIEW | REPORT_INERT |
			 REPORT_TYPED | REPORT_SYMBOLIZE | REPORT_NO_LOSSES,
		.without = TEXT_LAYOUTS | COLOR | EXPORT_TEXT | FIELDS | KERNEL_LINES,
		.check = report_check_stacks,
		.open = report_open_flat,
	},
	[REPORT_VIEW_GRAPH] = {
		.option = "--graph",
		.flags = REPORT_EVENTS | REPORT_NAMES | REPORT_TYPED | REPORT_IRQS,
		.without = TEXT_LAYOUTS | EXPORT_TEXT | FIELDS | KERNEL_LINES,
		.check = report_graph_check,
		.show = report_graph_show,
	},
	[REPORT_VIEW_HTML] = {
		.option = "--html",
		.flags = REPORT_EVENTS | REPORT_MERGED | REPORT_ONE_VIEW | REPORT_INERT |
			 REPORT_TYPED,
		.without = TEXT_LAYOUTS | COLOR | EXPORTS | KERNEL_LINES,
		.open = report_open_timeline,
	},
	[REPORT_VIEW_CHROME] = {
		.option = "--chrome",
		.flags = REPORT_EVENTS | REPORT_MERGED | REPORT_ONE_VIEW | REPORT_INERT |
			 REPORT_SYMBOLIZE | REPORT_TYPED,
		.without = TEXT_LAYOUTS | COLOR | EXPORTS | KERNEL_LINES | TIMES,
		.open = report_open_chrome,
	},
	[REPORT_VIEW_PERFETTO] = {
		.option = "--perfetto",
		.flags = REPORT_EVENTS | REPORT_MERGED | REPORT_ONE_VIEW | REPORT_INERT |
			 REPORT_SYMBOLIZE | REPORT_TYPED,
		.without = TEXT_LAYOUTS | COLOR | EXPORTS | KERNEL_LINES | TIMES,
		.open = report_open_perfetto,
	},
	[REPORT_VIEW_FLAME] = {
		.option = "--flame",
		.flags = REPORT_EVENTS | REPORT_MERGED | REPORT_ONE_VIEW | REPORT_TYPED |
			 REPORT_SYMBOLIZE | REPORT_NO_LOSSES,
		.without = TEXT_LAYOUTS | COLOR | EXPORTS | KERNEL_LINES | COMPAT | PLUGINS,
		.check = report_check_flame,
		.open = report_open_flame,
	},
	[REPORT_VIEW_FOLDED] = {
		.option = "--folded",
		.flags = REPORT_EVENTS | REPORT_MERGED | REPORT_ONE_VIEW | REPORT_INERT |
			 REPORT_TYPED | REPORT_SYMBOLIZE | REPORT_NO_LOSSES,
		.without = TEXT_LAYOUTS | COLOR | EXPORTS | KERNEL_LINES | COMPAT | TIMES |
			   PLUGINS,
		.check = report_check_stacks,
		.open = report_open_folded,
	},
	[REPORT_VIEW_PERF_SCRIPT] = {
		.option = "--perf-script",
		.flags = REPORT_EVENTS | REPORT_MERGED | REPORT_ONE_VIEW | REPORT_INERT |
			 REPORT_TYPED | REPORT_SYMBOLIZE | REPORT_NO_LOSSES,
		.without = TEXT_LAYOUTS | COLOR | EXPORTS | KERNEL_LINES | COMPAT | TIMES |
			   PLUGINS,
		.open = report_open_perf_script,
	},
	[REPORT_VIEW_SPEEDSCOPE] = {
		.option = "--speedscope",
		.flags = REPORT_EVENTS | REPORT_MERGED | REPORT_ONE_VIEW | REPORT_INERT |
			 REPORT_TYPED | REPORT_SYMBOLIZE | REPORT_NO_LOSSES,
		.without = TEXT_LAYOUTS | COLOR | EXPORTS | KERNEL_LINES | COMPAT | TIMES |
			   PLUGINS,
		.check = report_check_stacks,
		.open = report_open_speedscope,
	},
	[REPORT_VIEW_ARROW] = {
		.option = "--arrow",
		.flags = REPORT_EVENTS | REPORT_MERGED | REPORT_ONE_VIEW | REPORT_INERT |
			 REPORT_BINARY,
		.without = TEXT_LAYOUTS | COLOR | EXPORTS | KERNEL_LINES,
		.check = report_check_arrow,
		.open = report_open_arrow,
	},
	[REPORT_VIEW_SCHEMA] = {
		.option = "--schema",
		.flags = REPORT_NO_RECORDING,
		.without = TEXT_LAYOUTS | COLOR | EXPORTS | KERNEL_LINES,
		.check = report_check_schema,
		.show = report_show_schema,
	},
	[REPORT_VIEW_STAT] = STAT_ROW("--stat", REPORT_EVENTS, TFS_STAT_ALL),
	[REPORT_VIEW_STAT_KERNEL] = STAT_ROW("--stat=kernel", 0, TFS_STAT_KERNEL),
	[REPORT_VIEW_UNAME] = STAT_ROW("--uname", 0, TFS_STAT_UNAME),
	[REPORT_VIEW_VERSION] = STAT_ROW("--version", REPORT_NO_FILE, TFS_STAT_VERSION),
	[REPORT_VIEW_CPUS] = {
		.option = "--cpus",
		.without = EXPORTS | KERNEL_LINES,
		.show = report_show_cpus,
	},
	[REPORT_VIEW_EVENTS] = INFO_ROW("-E", 0, TFS_INFO_EVENTS),
	[REPORT_VIEW_PRINTK] = INFO_ROW("-P", 0, TFS_INFO_PRINTK),
	[REPORT_VIEW_FUNCTIONS] = INFO_ROW("-f", 0, TFS_INFO_FUNCTIONS),
	[REPORT_VIEW_CHECK_EVENTS] = {
		.option = "--check-events",
		.without = EXPORTS | KERNEL_LINES,
		.show = report_show_check_events,
	},
	[REPORT_VIEW_FORMATS] = INFO_ROW("--events", REPORT_TYPED, TFS_INFO_FORMATS),
	[REPORT_VIEW_ENDIAN] = INFO_ROW("-e", 0, TFS_INFO_ENDIAN),
	[REPORT_VIEW_PAGE_SIZE] = INFO_ROW("-p", 0, TFS_INFO_PAGE_SIZE),
};

#define ONLY(id) (1ULL << REPORT_VIEW_##id)
/* Views that are a table (view/table.h) */
#define TABLES                                                                          \
	(ONLY(COUNT_BY) | ONLY(FLAT) | ONLY(LATENCY) | ONLY(PROFILE) | ONLY(SYSCALLS) | \
	 ONLY(WAKEUPS))
/* Views that write a file, or what may be one */
#define FILES                                                                                      \
	(ONLY(HEATMAP) | ONLY(HTML) | ONLY(FLAME) | ONLY(FOLDED) | ONLY(CHROME) | ONLY(PERFETTO) | \
	 ONLY(PERF_SCRIPT) | ONLY(SPEEDSCOPE) | ONLY(ARROW) | ONLY(SCHEMA))

/* The last of trace-cmd's views is shown; these cannot be asked for beside another one. */
static bool is_alone(const struct report_view *view)
{
	return (TABLES | FILES | ONLY(WIDE)) >> (view - views) & 1;
}

void report_view_ask(struct report_request *req, enum report_view_id view)
{
	const struct report_view *asked = &views[view];

	if (req->view && req->view != asked && (is_alone(req->view) || is_alone(asked)))
		req->other_view = asked;
	else if (!req->view || req->view < asked)
		req->view = asked;
}

bool report_view_is_default(const struct report_request *req)
{
	return req->view == &views[REPORT_VIEW_TEXT];
}

bool report_view_lacks_losses(const struct report_request *req)
{
	return req->view->flags & REPORT_NO_LOSSES ||
	       (req->view->flags & REPORT_TABLE && req->export == REPORT_EXPORT_CSV);
}

bool report_view_exists(const char *option)
{
	for (size_t i = 0; i < ARRAY_SIZE(views); i++)
		if (views[i].option && !strcmp(views[i].option, option))
			return true;
	return false;
}

struct asked {
	const char *option;
	unsigned int bit; /* enum report_layout */
	bool on;
};

/* The first option given that has no meaning with @without; NULL: none */
static const char *find_meaningless(const struct report_request *req, unsigned int without)
{
	const struct asked layouts[] = {
		{ "-R", RAW, req->raw },
		{ "-l", LATENCY, req->latency },
		{ "-w", WAKEUP, req->wakeup },
		{ "--ts-diff", TS_DIFF, req->ts_diff },
		{ "--user-symbols", USER_SYMBOLS, req->user_symbols },
		{ "--no-flags", NO_FLAGS, req->no_flags },
		{ "--color", COLOR, req->color == REPORT_COLOR_ALWAYS },
		{ "--json=text", EXPORT_TEXT,
		  req->export_text && req->export == REPORT_EXPORT_JSON },
		{ "--csv=text", EXPORT_TEXT, req->export_text && req->export == REPORT_EXPORT_CSV },
		{ "--json", JSON, req->export == REPORT_EXPORT_JSON },
		{ "--csv", CSV, req->export == REPORT_EXPORT_CSV },
		{ "--fields", FIELDS, req->fields.n },
		{ "--kernel", KERNEL_LINES, req->kernel },
		{ "--compat", COMPAT, req->compat },
		{ "-t", TIMES, req->nsecs },
		{ "--raw-ts", TIMES, req->raw_ts },
		{ "-r", PLUGINS, req->raw_events.n },
		{ "-n", PLUGINS, req->plain_events.n },
		{ "-L", PLUGINS, req->local_plugins },
		{ "-O", PLUGINS, req->plugin_options.n },
		{ "--plugins", PLUGINS, req->plugins },
	};

	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		if (layouts[i].on && layouts[i].bit & without)
			return layouts[i].option;
	return NULL;
}

/* Views of folded stacks, and of stacks */
#define FOLDS (ONLY(FLAME) | ONLY(FOLDED))
#define TREES (FOLDS | ONLY(SPEEDSCOPE))
#define STACKS (TREES | ONLY(FLAT) | ONLY(PERF_SCRIPT))

/* An option, and the views that it has a meaning with */
struct owner {
	const char *option;
	uint64_t views;
	bool on;
};

static int refuse_option(const struct owner *o, struct tfs_err *err)
{
	struct tfs_strbuf names = TFS_STRBUF_INIT;
	uint64_t left = o->views;
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(views) && !rc; i++) {
		if (!(left >> i & 1))
			continue;
		left ^= 1ULL << i;
		rc = tfs_strbuf_addf(&names, "%s%s",
				     !names.len ? "" :
				     left       ? ", " :
						  " or ",
				     views[i].option);
	}
	rc = rc ? tfs_err_set(err, rc, "cannot check the options") :
		  tfs_err_say(err, -EINVAL, "%s has a meaning only with %s", o->option, names.s);
	tfs_strbuf_release(&names);
	return rc;
}

/* Options that belong to some views */
static int check_owners(const struct report_request *req, struct tfs_err *err)
{
	const struct report_graph *g = &req->graph;
	const struct report_stacks *stacks = &req->stacks;
	const struct owner own[] = {
		{ "--caller", ONLY(GRAPH), g->callers.n },
		{ "--pair",
		  ONLY(GRAPH) | ONLY(CHROME) | ONLY(PERFETTO) | ONLY(HTML) | ONLY(LATENCY) |
			  ONLY(HEATMAP),
		  g->pairs.n },
		{ "--of", ONLY(HEATMAP), req->of },
		{ "--columns", ONLY(HEATMAP), req->columns },
		{ "--linear", ONLY(HEATMAP), req->linear },
		{ "--max-page", ONLY(HTML), req->max_page },
		{ "--depth", ONLY(GRAPH), g->depth },
		{ "--min-duration", ONLY(GRAPH), g->min_duration },
		{ "--by-task", ONLY(GRAPH) | ONLY(LATENCY) | ONLY(SYSCALLS), g->by_task },
		{ "--summary", ONLY(GRAPH), g->summary },
		{ "--off-cpu", TREES | ONLY(FLAT), stacks->is_off_cpu },
		{ "--weight", STACKS, stacks->weight },
		{ "--diff", FOLDS, stacks->diff },
		{ "--normalize", FOLDS, stacks->scale },
		{ "--title", ONLY(FLAME) | ONLY(HEATMAP), stacks->title },
		{ "--colors", ONLY(FLAME), stacks->colors },
		{ "--histogram", ONLY(LATENCY), req->histogram },
		{ "--sort", TABLES, req->sort },
		{ "--top", TABLES, req->top },
		{ "-o", ONLY(ARROW), req->output },
		{ "--compression", ONLY(ARROW), req->compression },
		{ "--old-stacks", ONLY(PERFETTO), req->old_stacks },
		{ "--by-pid", TREES | ONLY(PERF_SCRIPT), stacks->root == TFS_ROOT_PID },
		{ "--by-tid", TREES | ONLY(PERF_SCRIPT), stacks->root == TFS_ROOT_TID },
		{ "--no-annotate", ONLY(FOLDED), stacks->no_annotate },
		{ "--addrs", TREES | ONLY(FLAT), stacks->addrs },
		{ "--countname", ONLY(FOLDED), stacks->ns_per_unit },
	};

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (own[i].on && !(own[i].views >> (req->view - views) & 1))
			return refuse_option(&own[i], err);
	return 0;
}

/* The name of the view in messages: for an export the option that asks for it */
static const char *option_of(const struct report_request *req)
{
	if (req->view->option)
		return req->view->option;
	return req->export == REPORT_EXPORT_JSON ? "--json" :
	       req->export == REPORT_EXPORT_CSV  ? "--csv" :
						   "--fields";
}

int report_view_check(struct report_request *req, struct tfs_err *err)
{
	const char *other;
	int rc;

	if (!req->view)
		report_view_ask(req, req->kernel                  ? REPORT_VIEW_KERNEL :
				     req->export || req->fields.n ? REPORT_VIEW_EXPORT :
								    REPORT_VIEW_TEXT);
	if (req->other_view)
		return tfs_err_say(err, -EINVAL,
				   "%s and %s cannot be combined: ask for one of them",
				   req->view->option ? req->view->option : "text",
				   req->other_view->option);
	if (req->escape && req->raw_output)
		return tfs_err_say(err, -EINVAL, "--escape and --raw-output cannot be combined");
	rc = check_owners(req, err);
	if (rc)
		return rc;
	other = find_meaningless(req, req->view->without);
	if (other)
		return tfs_err_say(err, -EINVAL, "%s has no meaning with %s", other,
				   option_of(req));
	return req->view->check ? req->view->check(req, err) : 0;
}
