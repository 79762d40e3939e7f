/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_LIB_EVERY_VIEW_H
#define TESTS_LIB_EVERY_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_err;

/*
 * All views of tc-report in one table, for tests that try something on each of them. The number of
 * a row is the first byte of the seeds in fuzz/corpus/view: new rows go to the end.
 */

/**
 * struct every_view_opts - what is shown, and where
 * @path: of the recording; views that compare show it twice
 * @file: what views that write a file write
 * @fd: gets text and notes
 * @filter: -F; @pids: --pid; NULL: all
 * @pair: --pair; NULL: as the view's row says
 * @plugins: load plugins
 * @max_events: end after so many; 0: never
 */
struct every_view_opts {
	const char *path, *file;
	int fd;
	const char *filter, *pids, *pair;
	bool plugins;
	uint64_t max_events;
};

/** every_view_count() - views that there are */
size_t every_view_count(void);
/** every_view_name() - the options of tc-report that ask for it, "" for the text */
const char *every_view_name(size_t view);
/** every_view_find() - the one with these options; aborts if there is none */
size_t every_view_find(const char *name);
/**
 * every_view_show() - open the recording, show it, close it
 *
 * Return: 0, -ENOMEM, or -errno with @err set.
 */
int every_view_show(size_t view, const struct every_view_opts *opts, struct tfs_err *err);

#endif
