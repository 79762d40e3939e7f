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

#include "base/io.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "lib/bytes.h"
#include "lib/every_view.h"
#include "lib/needs.h"
#include "lib/profile_dat.h"
#include "lib/skip.h"

/*
 * Memory that runs out anywhere in libtfs: a report either fails, or is what it is with memory.
 * Functions are hidden (-fvisibility), so that libraries keep theirs: libtraceevent 1.7 compares
 * strings that it did not check (tep_parse_header_page()).
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

/* Failures tried of each report, spread over all its allocations: many, or with TC_GATE fewer. */
static size_t tries(void)
{
	const char *gate = getenv("TC_GATE");

	return gate && gate[0] ? 60 : 400;
}

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

/* Pairs for --graph in a recording of sched events, and what a filter can ask of these */
#define PAIR "sched_wakeup:sched_switch,key=pid/next_pid"
#define FILTER "sched_switch: prev_pid < 500 && next_comm =~ \"^[a-z].*[hkr]\" || prev_prio == 99"

/* @recording: a memfd, or -1; @file: what views write, in @dir; @opts.fd gets text and notes */
struct fixture {
	struct every_view_opts opts;
	int recording;
	char dir[32];
	struct tfs_strbuf file, path;
};

static int show(size_t view, const struct every_view_opts *opts)
{
	int rc;

	memory.counts = true;
	rc = every_view_show(view, opts, NULL);
	memory.counts = false;
	return rc;
}

/* Append what is in the file @path. */
static void append(struct tfs_strbuf *sb, const char *path)
{
	struct tfs_strbuf file = TFS_STRBUF_INIT;
	int rc = tfs_read_path(path, &file);

	assert_true(!rc || rc == -ENOENT);
	assert_int_equal(tfs_strbuf_add(sb, file.s, file.len), 0);
	tfs_strbuf_release(&file);
}

/* Take all that was shown away from where it is: text and notes, then the file. */
static void take(const struct every_view_opts *opts, struct tfs_strbuf *out)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", opts->fd);
	append(out, path);
	assert_int_equal(ftruncate(opts->fd, 0), 0);
	lseek(opts->fd, 0, SEEK_SET);
	append(out, opts->file);
	unlink(opts->file);
}

/* Each failure is a status: it may not be another than what is said here. */
static size_t sweep(size_t view, const struct every_view_opts *opts)
{
	struct tfs_strbuf want = TFS_STRBUF_INIT, got = TFS_STRBUF_INIT;
	size_t all, step, at, wrong = 0;
	const char *problem;
	int rc, want_rc;

	memory.n = memory.fail = 0;
	want_rc = show(view, opts);
	/* the recording with pairs has no system calls and no stacks */
	assert_true(!want_rc || want_rc == -ENODATA);
	all = memory.n;
	assert_true(all > 100);
	take(opts, &want);
	assert_true(want_rc || want.len > 0 || opts->pair);
	step = all / tries() + 1;
	for (at = 1; at <= all; at += step) {
		memory.n = 0;
		memory.fail = at;
		rc = show(view, opts);
		tfs_strbuf_reset(&got);
		take(opts, &got);
		problem = rc && rc != -ENOMEM && rc != want_rc ? strerror(-rc) :
			  !rc && (got.len != want.len || memcmp(got.s, want.s, want.len)) ?
								 "other text" :
								 NULL;
		if (!problem)
			continue;
		print_message("# %s '%s', allocation %zu of %zu: %s\n", opts->path,
			      every_view_name(view), at, all, problem);
		wrong++;
	}
	tfs_strbuf_release(&want);
	tfs_strbuf_release(&got);
	return wrong;
}

static int setup(void **state)
{
	static const char name[] = "/tmp/test-no-memory-XXXXXX";
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	if (!f)
		return -1;
	memcpy(f->dir, name, sizeof(name));
	f->opts.fd = memfd_create("text", MFD_CLOEXEC);
	f->recording = -1;
	if (f->opts.fd < 0 || !mkdtemp(f->dir) || tfs_strbuf_addf(&f->file, "%s/file", f->dir))
		return -1;
	f->opts.file = f->file.s;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	close(f->opts.fd);
	if (f->recording >= 0)
		close(f->recording);
	unlink(f->file.s);
	rmdir(f->dir);
	tfs_strbuf_release(&f->file);
	tfs_strbuf_release(&f->path);
	free(f);
	return 0;
}

/* A recording of sched_switch and the like */
static void use_sched(struct fixture *f)
{
	const char *dir = getenv("TC_SRCDIR");

	if (!REPLACED)
		skip_because("the sanitizer has its own malloc()");
	assert_int_equal(tfs_strbuf_addf(&f->path, "%s/tests/data/sched.dat", dir ? dir : "."), 0);
}

static void use_profile(struct fixture *f)
{
	struct bytes b;

	if (!REPLACED)
		skip_because("the sanitizer has its own malloc()");
	f->recording = memfd_create("recording", MFD_CLOEXEC);
	assert_true(f->recording >= 0);
	profile_dat(&b);
	assert_int_equal(tfs_write_all(f->recording, b.sb.s, b.sb.len), 0);
	bytes_release(&b);
	assert_int_equal(tfs_strbuf_addf(&f->path, "/proc/self/fd/%d", f->recording), 0);
}

static void every_view_fails_or_is_right(void **state)
{
	struct fixture *f = *state;
	size_t wrong = 0;

	use_sched(f);
	f->opts.path = f->path.s;
	f->opts.pair = PAIR;
	for (size_t i = 0; i < every_view_count(); i++)
		wrong += sweep(i, &f->opts);
	assert_int_equal(wrong, 0);
}

/* Samples of a program, whose maps, functions and tasks are in the file */
static void a_profile_with_names_fails_or_is_right(void **state)
{
	static const char *const views[] = {
		"--flat",        "--folded",   "--flame .svg",
		"--perf-script", "--perfetto", "--user-symbols",
	};
	struct fixture *f = *state;
	size_t wrong = 0;

	use_profile(f);
	f->opts.path = f->path.s;
	for (size_t i = 0; i < ARRAY_SIZE(views); i++)
		wrong += sweep(every_view_find(views[i]), &f->opts);
	assert_int_equal(wrong, 0);
}

static void options_fail_or_are_right(void **state)
{
	const struct {
		const char *view;
		struct every_view_opts opts;
	} cases[] = {
		{ "", { .plugins = true } },
		{ "", { .filter = FILTER } },
		{ "", { .pids = "0,1,15" } },
		{ "--json=text", { .filter = FILTER } },
		{ "--graph", { .pair = PAIR, .filter = FILTER } },
		{ "--latency", { .filter = FILTER } },
	};
	struct fixture *f = *state;
	size_t wrong = 0;

	use_sched(f);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct every_view_opts opts = cases[i].opts;

		opts.path = f->path.s;
		opts.file = f->opts.file;
		opts.fd = f->opts.fd;
		wrong += sweep(every_view_find(cases[i].view), &opts);
	}
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_view_fails_or_is_right, setup, teardown),
		cmocka_unit_test_setup_teardown(a_profile_with_names_fails_or_is_right, setup,
						teardown),
		cmocka_unit_test_setup_teardown(options_fail_or_are_right, setup, teardown),
	};

	if (lacks_zstd())
		return TEST_SKIPPED;
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
