/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "feature/feature-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "tracefs/file.h"

/* More than fits into a sub-buffer of 4 KiB, so that a whole one is there */
#define MARKERS 8
#define MARKER_SIZE 900
#define MARKER "tc-list was here "

static int write_marker(struct tfs_sandbox *sandbox, struct tfs_err *err)
{
	char path[512], text[MARKER_SIZE];

	memset(text, '.', sizeof(text));
	memcpy(text, MARKER, strlen(MARKER));
	snprintf(path, sizeof(path), "%strace_marker", sandbox->inst.prefix);
	return tfs_file_write(sandbox->root, path, TFS_WRITE_TRUNC, text, sizeof(text), err);
}

static int set_on(struct tfs_sandbox *sandbox, const char *value, struct tfs_err *err)
{
	char path[512];

	snprintf(path, sizeof(path), "%stracing_on", sandbox->inst.prefix);
	return tfs_file_write(sandbox->root, path, TFS_WRITE_TRUNC, value, 1, err);
}

int tfs_try_marker(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		   struct tfs_err *err)
{
	struct tfs_strbuf trace = TFS_STRBUF_INIT;
	char path[512];
	int rc = tfs_sandbox_instance(sandbox, err);

	(void)p;
	if (!rc)
		rc = set_on(sandbox, "1", err);
	if (!rc)
		rc = write_marker(sandbox, err);
	if (!rc)
		rc = set_on(sandbox, "0", err);
	snprintf(path, sizeof(path), "%strace", sandbox->inst.prefix);
	if (!rc)
		rc = tfs_file_read(sandbox->root, path, &trace, err);
	if (!rc && !strstr(trace.s, MARKER))
		rc = tfs_err_say(err, -ENODATA, "what was written is not in the trace");
	tfs_strbuf_release(&trace);
	return rc;
}

/*
 * Fill more than a sub-buffer of one CPU and open it. The process stays on the CPU for as long as
 * that takes, and goes back to those it may run on.
 */
static int open_filled(struct tfs_sandbox *sandbox, int *fd, struct tfs_err *err)
{
	cpu_set_t before, one;
	char path[512];
	int rc = tfs_sandbox_instance(sandbox, err), cpu = sched_getcpu();

	if (rc)
		return rc;
	if (cpu < 0 || cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof(before), &before))
		return tfs_err_set(err, -EINVAL, "cannot find out which CPU this runs on");
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		return tfs_err_set(err, -errno, "cannot stay on a CPU");
	rc = set_on(sandbox, "1", err);
	for (int i = 0; i < MARKERS && !rc; i++)
		rc = write_marker(sandbox, err);
	set_on(sandbox, "0", NULL);
	sched_setaffinity(0, sizeof(before), &before);
	snprintf(path, sizeof(path), "%sper_cpu/cpu%d/trace_pipe_raw", sandbox->inst.prefix, cpu);
	return rc ? rc : tfs_file_open(sandbox->root, path, O_RDONLY | O_NONBLOCK, fd, err);
}

int tfs_try_raw_read(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		     struct tfs_err *err)
{
	char page[65536];
	ssize_t n;
	int fd = -1, rc = open_filled(sandbox, &fd, err);

	(void)p;
	if (!rc) {
		n = read(fd, page, sizeof(page));
		if (n < 0)
			rc = tfs_err_set(err, -errno, "cannot read trace_pipe_raw");
		else if (!memmem(page, (size_t)n, MARKER, strlen(MARKER)))
			rc = tfs_err_say(err, -ENODATA, "what was recorded is not in it");
	}
	tfs_close(&fd);
	return rc;
}

int tfs_try_raw_splice(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		       struct tfs_err *err)
{
	int fd = -1, to[2] = { -1, -1 }, rc = open_filled(sandbox, &fd, err);
	ssize_t n;

	(void)p;
	if (!rc && pipe2(to, O_CLOEXEC | O_NONBLOCK))
		rc = tfs_err_set(err, -errno, "cannot make a pipe");
	if (!rc) {
		n = splice(fd, NULL, to[1], NULL, 65536, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
		if (n <= 0)
			rc = tfs_err_set(err, n ? -errno : -ENODATA,
					 "cannot splice trace_pipe_raw");
	}
	tfs_close(&to[0]);
	tfs_close(&to[1]);
	tfs_close(&fd);
	return rc;
}

int tfs_try_raw_mmap(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		     struct tfs_err *err)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	int fd = -1, rc = open_filled(sandbox, &fd, err);
	void *meta;

	(void)p;
	if (!rc) {
		meta = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
		if (meta == MAP_FAILED)
			rc = tfs_err_set(err, -errno, "cannot map trace_pipe_raw");
		else
			munmap(meta, size);
	}
	tfs_close(&fd);
	return rc;
}
