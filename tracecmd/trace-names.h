/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_NAMES_H
#define TC_TRACE_NAMES_H

#include <stdbool.h>

struct tfs_err;
struct tfs_root;
struct tfs_strvec;
struct trace_request;

/**
 * trace_names_check() - check that the clocks, CPUs and triggers of a request exist
 * @events: names of the kernel's events
 *
 * They are compared with the kernel's lists. Names that it does not list are left to the kernel to
 * refuse.
 * Return: 0; -ENOENT for a name that does not exist, with suggestions as the hint; -EOPNOTSUPP for
 * a trigger that this kernel is built without; -EINVAL for a CPU that the machine does not have.
 */
int trace_names_check(const struct trace_request *req, const struct tfs_root *root,
		      const struct tfs_strvec *events, struct tfs_err *err);

/** trace_is_trigger() - does @text begin with the name of a trigger that some kernel has? */
bool trace_is_trigger(const char *text);

#endif
