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
#include "report/printer.h"
#include "report/rows.h"
#include "report/run.h"
#include "report/stat.h"
#include "report/sink.h"
#include "report/text.h"
#include "report/trace.h"

/*
 * Memory that runs out anywhere, also inside libtraceevent and libc: a report either fails, or is
 * what it is with memory. lib/alloc_fail.h does not reach into libraries; here the functions that
 * these call are replaced.
 */
#if defined(__SANITIZE_ADDRESS__)
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

enum view { TEXT, RAW, JSON, STAT, VIEWS };

static int show(struct tfs_trace *trace, enum view view, struct tfs_out *out)
{
	const struct tfs_text_opts text = { .raw = view == RAW };
	const struct tfs_rows_opts rows = {
		.style = TFS_ROWS_JSON, .text = true, .traces = &trace, .n_traces = 1
	};
	const struct tfs_run_opts run = { .jobs = 1 };
	struct tfs_printer *printer = NULL;
	struct tfs_sink *sink = NULL;
	int rc;

	if (view == STAT) {
		rc = tfs_stat_new(trace, out, TFS_STAT_ALL, &sink);
		if (!rc)
			rc = tfs_run_sink(trace, sink, &run, NULL);
		tfs_stat_free(sink);
		return rc;
	}
	rc = view == JSON ? tfs_rows_new(&rows, &printer, NULL) :
			    tfs_text_new(trace, &text, &printer);
	if (!rc)
		rc = tfs_run_printer(trace, printer, out, &run, NULL);
	if (!printer)
		return rc;
	if (view == JSON)
		tfs_rows_free(printer);
	else
		tfs_text_free(printer);
	return rc;
}

static int report(const char *path, enum view view, int fd, bool plugins)
{
	const struct tfs_trace_opts opts = { .no_plugins = !plugins };
	struct tfs_trace *trace = NULL;
	struct tfs_out *out = NULL;
	int rc;

	memory.counts = true;
	rc = tfs_trace_open(path, &opts, &trace, NULL);
	if (!rc)
		rc = tfs_out_new(fd, false, &out);
	if (!rc)
		rc = show(trace, view, out);
	tfs_out_free(out);
	tfs_trace_free(trace);
	memory.counts = false;
	return rc;
}

/* What is in @fd, which is emptied; *@len bytes, the caller's. */
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

static size_t sweep(const char *path, enum view view, bool plugins)
{
	int fd = memfd_create("text", MFD_CLOEXEC), rc;
	size_t all, step, want_len, len, at, wrong = 0;
	char *want, *got;

	assert_true(fd >= 0);
	memory.n = memory.fail = 0;
	assert_int_equal(report(path, view, fd, plugins), 0);
	all = memory.n;
	assert_true(all > 100);
	want = take(fd, &want_len);
	step = all / TRIES + 1;
	for (at = 1; at <= all; at += step) {
		memory.n = 0;
		memory.fail = at;
		rc = report(path, view, fd, plugins);
		got = take(fd, &len);
		if (!rc && (len != want_len || memcmp(got, want, len))) {
			print_message("# view %d, allocation %zu of %zu: other text\n", (int)view,
				      at, all);
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
	size_t wrong = 0;
	int view;

	(void)state;
	if (!REPLACED)
		skip();
	snprintf(path, sizeof(path), "%s/tests/data/sched.dat", dir ? dir : ".");
	for (view = TEXT; view < VIEWS; view++)
		wrong += sweep(path, (enum view)view, false);
	assert_int_equal(wrong, 0);
	assert_int_equal(sweep(path, TEXT, true), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_report_fails_or_is_right),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
