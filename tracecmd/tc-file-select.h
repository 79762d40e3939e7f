/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_FILE_SELECT_H
#define TC_FILE_SELECT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cpus.h"
#include "base/strvec.h"
#include "cli/opt.h"
#include "tc-file-output.h"

struct tfs_err;
struct tfs_select;
struct tfs_time_ranges;
struct tfs_trace;

/**
 * struct file_selection - which records are wanted, by the options of tc-report
 * @output: the first member of a request that begins with this
 * @n_filters: so many of @filters came before -v
 */
struct file_selection {
	struct file_output output;
	struct tfs_strvec times, events, filters, pids, comms, buffers;
	size_t n_filters;
	bool negate, children;
	struct tfs_cpus cpus;
};

/** file_selection_options - a table of them, over a request that begins with the struct */
extern const struct tc_option file_selection_options[];

void file_selection_release(struct file_selection *s);

/**
 * file_selection_new() - look up what was asked for
 * @select: tfs_select_free(), before @trace
 *
 * Return: 0; -ENOENT, -EINVAL or -ERANGE for what was typed; -ENOMEM.
 */
int file_selection_new(const struct file_selection *s, struct tfs_trace *trace,
		       struct tfs_select **select, struct tfs_err *err);
/** file_selection_times() - the parts of the time; tfs_time_ranges_release() in any case */
int file_selection_times(const struct file_selection *s, struct tfs_trace *trace,
			 struct tfs_time_ranges *ranges, struct tfs_err *err);
/** file_selection_check() - after all records were seen: were all of --pid among them? */
int file_selection_check(const struct tfs_select *select, struct tfs_err *err);

#endif
