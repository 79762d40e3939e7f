/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_VALUES_H
#define TC_TRACE_VALUES_H

#include "base/strbuf-core.h"
#include "record/session.h"

struct tfs_err;
struct tfs_probe_defs;
struct tfs_root;
struct tfs_strvec;

/**
 * struct trace_values - the meaning of numbers that probes record, as an option of a file
 * @payload: content of @option; if it is empty, the file does not have the option
 *
 * A zeroed one is empty; release with tfs_strbuf_release(&@payload).
 */
struct trace_values {
	struct tfs_session_option option;
	struct tfs_strbuf payload;
};

/**
 * trace_values_find() - for the probes that this program defines, and those that others defined
 * @defs: NULL for none
 * @events: recorded events, "system:event" or "system:*"
 *
 * Return: 0 or -errno with @err set.
 */
int trace_values_find(const struct tfs_root *root, const struct tfs_probe_defs *defs,
		      const struct tfs_strvec *events, struct trace_values *out,
		      struct tfs_err *err);

#endif
