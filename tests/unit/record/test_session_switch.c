/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/strvec.h"
#include "lib/fake.h"
#include "record/session.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-recover.h"
#include "tracedat/stream.h"
#include "tracefs/instance.h"

#define SUBBUF 4096u
/* Far beyond what a loaded machine with sanitizers takes: reached only where something hangs. */
#define DEADLINE_MS 100000
#define KILLED 77
#define CPUS 2
#define PAGES 3

static const unsigned int cpu_numbers[CPUS] = { 0, 5 };

/* Calls that this thread may still make of those that change a file; 0: any number */
static _Thread_local int calls_left;
/* The errno of linkat(); 0: it works */
static _Thread_local int no_links;

/* Before the last one the process ends, as if it was killed there. */
static void count_call(void)
{
	if (calls_left && !--calls_left)
		_exit(KILLED);
}

#define COUNTED(ret, name, params, args)   \
	ret __real_##name params;          \
	ret __wrap_##name params;          \
	ret __wrap_##name params           \
	{                                  \
		count_call();              \
		return __real_##name args; \
	}

COUNTED(int, renameat, (int from, const char *old, int to, const char *new), (from, old, to, new))
COUNTED(int, renameat2, (int from, const char *old, int to, const char *new, unsigned int flags),
	(from, old, to, new, flags))
COUNTED(int, unlinkat, (int dir, const char *name, int flags), (dir, name, flags))
COUNTED(int, ftruncate, (int fd, off_t size), (fd, size))
COUNTED(int, fallocate, (int fd, int mode, off_t off, off_t size), (fd, mode, off, size))
COUNTED(ssize_t, pwrite, (int fd, const void *s, size_t n, off_t off), (fd, s, n, off))
COUNTED(ssize_t, write, (int fd, const void *s, size_t n), (fd, s, n))
COUNTED(ssize_t, copy_file_range,
	(int in, off_t *in_off, int out, off_t *out_off, size_t n, unsigned int flags),
	(in, in_off, out, out_off, n, flags))

int __real_linkat(int from, const char *old, int to, const char *new, int flags);
int __wrap_linkat(int from, const char *old, int to, const char *new, int flags);
int __wrap_linkat(int from, const char *old, int to, const char *new, int flags)
{
	count_call();
	if (!no_links)
		return __real_linkat(from, old, to, new, flags);
	errno = no_links;
	return -1;
}

struct fixture {
	struct fake fake;
	struct tfs_instance top;
	struct tfs_strvec events;
	struct tfs_session_buffer buffer;
	struct tfs_session_opts opts;
	struct tfs_session *s;
	char output[128], part[160];
	int feed[CPUS];
};

static const char *raw_file(const struct fixture *f, size_t i)
{
	char name[64];

	snprintf(name, sizeof(name), "per_cpu/cpu%u/trace_pipe_raw", cpu_numbers[i]);
	return fake_path(&f->fake, name);
}

/* As test_session.c: each CPU's trace_pipe_raw is a named pipe. */
static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char name[64];

	if (!f)
		return -1;
	fake_new(&f->fake, "x86_64-6.18");
	for (size_t i = 0; i < CPUS; i++) {
		snprintf(name, sizeof(name), "per_cpu/cpu%u/stats", cpu_numbers[i]);
		fake_put(&f->fake, name, "entries: 0\n");
		if (mkfifo(raw_file(f, i), 0600))
			return -1;
	}
	fake_put(&f->fake, "trace_clock", "local [mono]\n");
	snprintf(f->output, sizeof(f->output), "%s/out.dat", f->fake.dir);
	snprintf(f->part, sizeof(f->part), "%s.part", f->output);
	f->buffer = (struct tfs_session_buffer){ .inst = &f->top, .name = "" };
	f->opts = (struct tfs_session_opts){
		.root = f->fake.root,
		.buffers = &f->buffer,
		.n_buffers = 1,
		.output = f->output,
		.codec = TFS_CODEC_NONE,
		.events = &f->events,
	};
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	fake_free(&f->fake);
	free(f);
	return 0;
}

/* A page of one event. Their times are 1000, 1001 ... of the first CPU, 2000 ... of the next. */
static void feed(const struct fixture *f, size_t cpu, uint64_t ts)
{
	const uint64_t used = 8;
	const uint32_t words[] = { 1, 0 };
	unsigned char page[SUBBUF] = { 0 };

	memcpy(page, &ts, sizeof(ts));
	memcpy(page + 8, &used, sizeof(used));
	memcpy(page + 16, words, sizeof(words));
	if (write(f->feed[cpu], page, sizeof(page)) != SUBBUF)
		_exit(1);
}

static off_t size_of(const char *path, unsigned int cpu)
{
	char name[256];
	struct stat st;

	snprintf(name, sizeof(name), "%s.cpu%u", path, cpu);
	return stat(name, &st) ? -1 : st.st_size;
}

/* Until what was fed is in the temporary files: then it is not to be lost. */
static void record_pages(struct fixture *f)
{
	if (tfs_session_new(&f->opts, &f->s, NULL))
		_exit(2);
	for (size_t i = 0; i < CPUS; i++) {
		f->feed[i] = open(raw_file(f, i), O_WRONLY | O_NONBLOCK);
		if (f->feed[i] < 0)
			_exit(3);
	}
	if (tfs_session_start(f->s, NULL))
		_exit(4);
	for (size_t i = 0; i < CPUS; i++)
		for (uint64_t k = 0; k < PAGES; k++)
			feed(f, i, 1000 * (i + 1) + k);
	for (size_t i = 0; i < CPUS; i++)
		for (int ms = 0; size_of(f->output, cpu_numbers[i]) < PAGES * SUBBUF; ms++) {
			if (ms > DEADLINE_MS)
				_exit(5);
			poll(NULL, 0, 1);
		}
}

/* A process switches, and is killed before its @nth change. Return: it made fewer */
static bool switch_is_survived(struct fixture *f, int nth)
{
	struct tfs_session_totals totals;
	int status, rc;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		record_pages(f);
		calls_left = nth;
		rc = tfs_session_switch(f->s, f->part, &totals, NULL);
		_exit(rc ? 6 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_true(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == KILLED);
	return !WEXITSTATUS(status);
}

/* How often each page is in the file */
static void count_pages(const char *path, unsigned int seen[CPUS][PAGES])
{
	const struct tfs_dat_buffer *b;
	struct tfs_stream *stream;
	struct tfs_dat *dat;
	const void *page;
	uint64_t ts;

	if (tfs_dat_open(path, &dat, NULL))
		return;
	b = tfs_dat_n_buffers(dat) ? tfs_dat_buffer(dat, 0) : NULL;
	for (size_t i = 0; b && i < b->n_cpus; i++) {
		assert_int_equal(tfs_stream_new(dat, 0, i, &stream, NULL), 0);
		while (tfs_stream_next(stream, &page, NULL) == 1) {
			memcpy(&ts, page, sizeof(ts));
			assert_in_range(ts / 1000, 1, CPUS);
			assert_in_range(ts % 1000, 0, PAGES - 1);
			seen[ts / 1000 - 1][ts % 1000]++;
		}
		tfs_stream_free(stream);
	}
	tfs_dat_free(dat);
}

static void remove_files(const struct fixture *f)
{
	DIR *dir = opendir(f->fake.dir);
	struct dirent *e;

	assert_non_null(dir);
	while ((e = readdir(dir)))
		if (!strncmp(e->d_name, "out.dat", 7))
			unlinkat(dirfd(dir), e->d_name, 0);
	closedir(dir);
}

static void recovered_is_whole(const struct fixture *f, int nth)
{
	const struct tfs_recover_opts opts = { 0 };
	unsigned int seen[CPUS][PAGES] = { { 0 } };
	const char *const paths[] = { f->part, f->output };
	struct tfs_recovered found;

	for (size_t i = 0; i < 2; i++)
		if (!access(paths[i], F_OK))
			tfs_dat_recover(paths[i], &opts, &found, NULL);
	for (size_t i = 0; i < 2; i++)
		count_pages(paths[i], seen);
	for (size_t i = 0; i < CPUS; i++)
		for (size_t k = 0; k < PAGES; k++)
			if (seen[i][k] != 1)
				fail_msg("change %d: page %zu of CPU %u is in %u files", nth, k,
					 cpu_numbers[i], seen[i][k]);
}

static void killed_anywhere_a_switch_loses_nothing(void **state)
{
	struct fixture *f = *state;
	bool ended = false;
	int nth;

	for (nth = 1; !ended; nth++) {
		ended = switch_is_survived(f, nth);
		recovered_is_whole(f, nth);
		remove_files(f);
	}
	/* links, the name, old names, next file, tail and data: all of them have been counted */
	assert_true(nth > 3 * CPUS + 4);
}

/* A recorder that was killed between its links and the name has left some. */
static void a_stray_name_is_replaced(void **state)
{
	struct fixture *f = *state;

	fake_put(&f->fake, "out.dat.part.cpu0", "stray");
	assert_true(switch_is_survived(f, 0));
	assert_int_equal(size_of(f->part, 0), -1);
	recovered_is_whole(f, 0);
}

/* It is to be recovered: the caller takes another name. */
static void an_unfinished_file_is_not_replaced(void **state)
{
	struct fixture *f = *state;
	struct tfs_session_totals totals;

	fake_put(&f->fake, "out.dat.part", "precious");
	fake_put(&f->fake, "out.dat.part.cpu0", "data");
	record_pages(f);
	assert_int_equal(tfs_session_switch(f->s, f->part, &totals, NULL), -EEXIST);
	assert_string_equal(fake_get(&f->fake, "out.dat.part"), "precious");
	assert_string_equal(fake_get(&f->fake, "out.dat.part.cpu0"), "data");
	assert_int_equal(size_of(f->output, 0), PAGES * SUBBUF);
	tfs_session_free(f->s);
}

/* FAT: linkat() fails with EPERM */
static void files_that_have_but_one_name_are_renamed(void **state)
{
	struct fixture *f = *state;
	struct tfs_session_totals totals;

	record_pages(f);
	no_links = EPERM;
	assert_int_equal(tfs_session_switch(f->s, f->part, &totals, NULL), 0);
	no_links = 0;
	assert_int_equal(totals.raw_bytes, CPUS * PAGES * SUBBUF);
	assert_int_equal(size_of(f->part, 0), -1);
	assert_int_equal(size_of(f->output, 0), 0);
	tfs_session_free(f->s);
	recovered_is_whole(f, 0);
}

/* Nothing has another name then. */
static void a_switch_that_cannot_begin_changes_nothing(void **state)
{
	struct fixture *f = *state;
	struct tfs_session_totals totals;

	record_pages(f);
	no_links = EIO;
	assert_int_equal(tfs_session_switch(f->s, f->part, &totals, NULL), -EIO);
	no_links = 0;
	assert_int_equal(access(f->part, F_OK), -1);
	assert_int_equal(size_of(f->part, 0), -1);
	assert_int_equal(size_of(f->output, 0), PAGES * SUBBUF);
	assert_int_equal(tfs_session_stop(f->s, NULL), 0);
	assert_int_equal(tfs_session_finish(f->s, &totals, NULL), 0);
	assert_string_equal(totals.path, f->output);
	tfs_session_free(f->s);
	recovered_is_whole(f, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(killed_anywhere_a_switch_loses_nothing),
		TEST(a_stray_name_is_replaced),
		TEST(an_unfinished_file_is_not_replaced),
		TEST(files_that_have_but_one_name_are_renamed),
		TEST(a_switch_that_cannot_begin_changes_nothing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
