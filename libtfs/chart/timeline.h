/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_CHART_TIMELINE_H
#define TFS_CHART_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "span/syscall-name.h"

struct tfs_err;
struct tfs_strvec;
struct tfs_trace;
struct tfs_view;

/** TFS_TIMELINE_MAX_PAGE - bytes of a page from which on it is thinned, if nothing else is asked */
#define TFS_TIMELINE_MAX_PAGE ((uint64_t)64 << 20)

/**
 * struct tfs_timeline_opts - what a page is to show
 * @traces, @files: the @n recordings and what they are called
 * @path: of the page; "-": standard output
 * @max_page: bytes that the page may have, about
 * @pairs: see struct tfs_spans_opts
 * @syscall, @syscalls: as there
 *
 * Recordings and names are borrowed as long as the view lives; the arrays are not.
 */
struct tfs_timeline_opts {
	struct tfs_trace *const *traces;
	const char *const *files;
	size_t n;
	const char *path;
	uint64_t max_page;
	const struct tfs_strvec *pairs;
	tfs_syscall_name_func *syscall;
	const void *const *syscalls;
};

/**
 * tfs_timeline_new() - a view that writes a page with a row for each CPU and task
 *
 * One view for all recordings. The page needs no other file and no network; libtfs/chart/page has
 * its sources. It is complete, or not there. Memory is bounded, columns go to temporary files.
 * Return: 0 or -errno with @err set.
 */
int tfs_timeline_new(const struct tfs_timeline_opts *opts, struct tfs_view **view,
		     struct tfs_err *err);

#endif
