/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/out.h"
#include "base/strbuf.h"
#include "base/strvec.h"
#include "decode/trace.h"
#include "decode/wakeup.h"
#include "filter/select.h"
#include "lib/needs.h"
#include "lib/skip.h"
#include "pipeline/view.h"
#include "pipeline/run.h"
#include "pipeline/view.h"
#include "view/count.h"
#include "view/export.h"
#include "view/graph.h"
#include "view/kernel-lines.h"
#include "view/stat.h"
#include "view/text.h"

/*
 * Memory that runs out anywhere, also inside libtraceevent and libc: a report either fails, or is
 * what it is with memory. lib/alloc_fail.h does not reach into libraries; here the functions that
 * these call are replaced.
 */
#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif
/* gcc defines macros, clang has features. */
#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
#define REPLACED 0
#elif defined(__SANITIZE_THREAD__) || HAS_FEATURE(thread_sanitizer)
#define REPLACED 0
#else
#define REPLACED 1
#endif

/* Failures tried of each report, spread over all its allocations. */
#define TRIES 400

static struct {
	bool counts;
	size_t n, fail; /* allocations so far, and the one to fail, from 1; 0: none */
} memory;

#if REPLACED
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

static bool fails(void)
{
	if (!memory.counts || ++memory.n != memory.fail)
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	return fails() ? NULL : __libc_realloc(p, size);
}
#endif

enum view {
	TEXT,
	RAW,
	JSON,
	CSV,
	COLUMNS,
	STAT,
	KERNEL,
	WAKEUP,
	GRAPH,
	BY_TASK,
	SUMMARY,
	CALLS,
	COUNT
};

/* Pairs for --graph in a recording of sched events, and what a filter can ask of these */
#define PAIR "sched_wakeup:sched_switch,key=pid/next_pid"
#define FILTER "sched_switch: prev_pid < 500 && next_comm =~ \"^[a-z].*[hkr]\" || prev_prio == 99"

/**
 * struct report - what is shown, and of which recording
 * @filter: -F; @pids: --pid; NULL: all
 * @plugins: load plugins
 */
struct report {
	enum view view;
	const char *path, *filter, *pids, *pair;
	bool plugins;
};

static void add(struct tfs_strvec *list, const char *text)
{
	assert_true(!text || !tfs_strvec_push(list, text));
}

static int show_rows(struct tfs_trace *trace, enum view view, struct tfs_out *out,
		     const struct tfs_run_opts *run)
{
	static const char *const columns[] = { "time", "comm", "event", "prev_comm", "text" };
	const struct tfs_strvec v = { .v = (char **)columns, .n = 5 };
	const struct tfs_export_opts rows = {
		.style = view == JSON ? TFS_EXPORT_JSON :
			 view == CSV  ? TFS_EXPORT_CSV :
					TFS_EXPORT_TAB,
		.columns = view == COLUMNS ? &v : NULL,
		.text = view != COLUMNS,
		.traces = &trace,
		.n_traces = 1,
	};
	struct tfs_view *shown = NULL;
	int rc = tfs_export_new(&rows, &shown, NULL);

	if (rc)
		return rc;
	rc = tfs_run(shown, out, run, NULL);
	tfs_view_free(shown);
	return rc;
}

static int show_text(struct tfs_trace *trace, enum view view, struct tfs_out *out,
		     struct tfs_run_input *input, const struct tfs_run_opts *run)
{
	struct tfs_text_opts text = { .raw = view == RAW };
	struct tfs_view *shown = NULL;
	int rc = view == WAKEUP ? tfs_wakeup_new(trace, TFS_WAKEUP_TIMES, &input->wakeup) : 0;

	text.wakeup = input->wakeup;
	if (!rc)
		rc = tfs_text_new(trace, &text, &shown);
	if (!rc)
		rc = tfs_run(shown, out, run, NULL);
	tfs_view_free(shown);
	tfs_wakeup_free(input->wakeup);
	return rc;
}

static int show_kernel(struct tfs_trace *trace, struct tfs_out *out, const struct tfs_run_opts *run)
{
	struct tfs_view *shown = NULL;
	int rc = tfs_kernel_lines_new(trace, &shown);

	if (rc)
		return rc;
	rc = tfs_run(shown, out, run, NULL);
	tfs_view_free(shown);
	return rc;
}

static int show_stat(struct tfs_trace *trace, struct tfs_out *out, const struct tfs_run_opts *run)
{
	struct tfs_view *shown = NULL;
	int rc = tfs_stat_new(trace, TFS_STAT_ALL, &shown);

	if (!rc)
		rc = tfs_run(shown, out, run, NULL);
	tfs_view_free(shown);
	return rc;
}

static int show_count(struct tfs_trace *trace, struct tfs_out *out, const struct tfs_run_opts *run)
{
	static const char *const columns[] = { "comm", "event", "prev_comm" };
	static const char *const files[] = { "a" };
	const struct tfs_strvec v = { .v = (char **)columns, .n = 3 };
	const struct tfs_count_opts opts = {
		.rows = { .style = TFS_EXPORT_TAB, .columns = &v, .traces = &trace, .n_traces = 1 },
		.files = files,
	};
	struct tfs_view *shown = NULL;
	int rc = tfs_count_new(&opts, &shown, NULL);

	if (!rc)
		rc = tfs_run(shown, out, run, NULL);
	tfs_view_free(shown);
	return rc;
}

static int show_graph(struct tfs_trace *trace, const struct report *r, struct tfs_out *out,
		      const struct tfs_run_opts *run, const struct tfs_strvec *pairs)
{
	const struct tfs_strvec none = TFS_STRVEC_INIT;
	struct tfs_strvec funcs = TFS_STRVEC_INIT, callers = TFS_STRVEC_INIT;
	const struct tfs_graph_opts opts = {
		.funcs = &none,
		.callers = &none,
		.pairs = pairs,
		.by_task = r->view == BY_TASK,
		.summary = r->view == SUMMARY,
		.style = r->view == CALLS ? TFS_GRAPH_JSON : TFS_GRAPH_TREE,
		.select = run->inputs->select,
	};
	struct tfs_view *shown = NULL;
	int rc = tfs_graph_new(trace, &opts, &shown, NULL);

	if (!rc)
		rc = tfs_run(shown, out, run, NULL);
	if (!rc)
		rc = tfs_graph_missed(shown, &funcs, &callers, NULL);
	tfs_view_free(shown);
	tfs_strvec_release(&funcs);
	tfs_strvec_release(&callers);
	return rc;
}

static int show(struct tfs_trace *trace, const struct report *r, struct tfs_out *out,
		struct tfs_run_input *input, const struct tfs_strvec *pairs)
{
	const struct tfs_run_opts opts = { .inputs = input, .n = 1, .jobs = 1 }, *run = &opts;

	input->trace = trace;
	switch (r->view) {
	case JSON:
	case CSV:
	case COLUMNS:
		return show_rows(trace, r->view, out, run);
	case STAT:
		return show_stat(trace, out, run);
	case KERNEL:
		return show_kernel(trace, out, run);
	case COUNT:
		return show_count(trace, out, run);
	case GRAPH:
	case BY_TASK:
	case SUMMARY:
	case CALLS:
		return show_graph(trace, r, out, run, pairs);
	default:
		return show_text(trace, r->view, out, input, run);
	}
}

/* As tc-report does it: what is wrong with memory is asked at the end. */
static int report(const struct report *r, int fd)
{
	const struct tfs_trace_opts opts = { .no_plugins = !r->plugins,
					     .kernel = r->view == KERNEL,
					     .text = r->view == RAW ? TFS_TRACE_FIELDS : 0 };
	struct tfs_strvec filters = TFS_STRVEC_INIT, pids = TFS_STRVEC_INIT,
			  pairs = TFS_STRVEC_INIT;
	const struct tfs_select_opts selection = { .filters = &filters,
						   .n_filters = r->filter != NULL,
						   .pids = &pids };
	struct tfs_run_input input = { 0 };
	struct tfs_trace *trace = NULL;
	struct tfs_out *out = NULL;
	int rc;

	add(&filters, r->filter);
	add(&pids, r->pids);
	add(&pairs, r->pair);
	memory.counts = true;
	rc = tfs_trace_open(r->path, &opts, &trace, NULL);
	if (!rc)
		rc = tfs_out_new(fd, &out);
	if (!rc)
		rc = tfs_select_new(trace, &selection, &input.select, NULL);
	if (!rc)
		rc = show(trace, r, out, &input, &pairs);
	if (!rc)
		rc = tfs_trace_check_memory(trace, NULL);
	tfs_out_free(out);
	tfs_select_free(input.select);
	tfs_trace_free(trace);
	memory.counts = false;
	tfs_strvec_release(&filters);
	tfs_strvec_release(&pids);
	tfs_strvec_release(&pairs);
	return rc;
}

/* Read and empty @fd: *@len bytes, which the caller frees. */
static char *take(int fd, size_t *len)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *s = malloc((size_t)size + 1);

	assert_non_null(s);
	assert_int_equal(pread(fd, s, (size_t)size, 0), size);
	*len = (size_t)size;
	assert_int_equal(ftruncate(fd, 0), 0);
	lseek(fd, 0, SEEK_SET);
	return s;
}

/* Each failure is a status: it may not be another than what is said here. */
static size_t sweep(const char *name, const struct report *r)
{
	int fd = memfd_create("text", MFD_CLOEXEC), rc;
	size_t all, step, want_len, len, at, wrong = 0;
	char *want, *got;

	assert_true(fd >= 0);
	memory.n = memory.fail = 0;
	assert_int_equal(report(r, fd), 0);
	all = memory.n;
	assert_true(all > 100);
	want = take(fd, &want_len);
	assert_true(want_len > 0);
	step = all / TRIES + 1;
	for (at = 1; at <= all; at += step) {
		memory.n = 0;
		memory.fail = at;
		rc = report(r, fd);
		got = take(fd, &len);
		if (!rc && (len != want_len || memcmp(got, want, len))) {
			print_message("# %s, allocation %zu of %zu: other text\n", name, at, all);
			wrong++;
		}
		if (rc && rc != -ENOMEM) {
			print_message("# %s, allocation %zu of %zu: %s\n", name, at, all,
				      strerror(-rc));
			wrong++;
		}
		free(got);
	}
	free(want);
	close(fd);
	return wrong;
}

/* sched_switch and the like, as a plugin and as their formats print them */
static void a_report_fails_or_is_right(void **state)
{
	const char *dir = getenv("TC_SRCDIR");
	char path[4096];
	const struct {
		const char *name;
		struct report report;
	} cases[] = {
		{ "text", { .view = TEXT } },
		{ "text by plugins", { .view = TEXT, .plugins = true } },
		{ "raw", { .view = RAW } },
		{ "JSON", { .view = JSON } },
		{ "CSV", { .view = CSV } },
		{ "columns", { .view = COLUMNS } },
		{ "statistics", { .view = STAT } },
		{ "the kernel's lines", { .view = KERNEL } },
		{ "wakeups", { .view = WAKEUP } },
		{ "a filter", { .view = TEXT, .filter = FILTER } },
		{ "a filter, JSON", { .view = JSON, .filter = FILTER } },
		{ "tasks", { .view = TEXT, .pids = "0,1,15" } },
		{ "calls", { .view = GRAPH, .pair = PAIR } },
		{ "calls by task", { .view = BY_TASK, .pair = PAIR } },
		{ "calls, filtered", { .view = GRAPH, .pair = PAIR, .filter = FILTER } },
		{ "a summary of calls", { .view = SUMMARY, .pair = PAIR } },
		{ "calls as JSON", { .view = CALLS, .pair = PAIR } },
		{ "counts", { .view = COUNT } },
	};
	size_t wrong = 0;

	(void)state;
	if (!REPLACED)
		skip_because("the sanitizer has its own malloc()");
	snprintf(path, sizeof(path), "%s/tests/data/sched.dat", dir ? dir : ".");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct report r = cases[i].report;

		r.path = path;
		wrong += sweep(cases[i].name, &r);
	}
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_report_fails_or_is_right),
	};

	if (lacks_zstd())
		return TEST_SKIPPED;
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
