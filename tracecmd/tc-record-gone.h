/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_RECORD_GONE_H
#define TC_RECORD_GONE_H

#include <stdbool.h>
#include <stddef.h>

struct tfs_root;
struct tfs_strbuf;
struct tfs_strvec;
struct trace_request;

/**
 * struct record_gone - events that were on when recording began, to see at its end which went away
 * @on: of each buffer; @n of them
 *
 * A zeroed one is empty.
 */
struct record_gone {
	struct tfs_strvec *on;
	size_t n;
};

/**
 * record_gone_remember() - look which events are on; once the plan is applied
 *
 * What cannot be read is not missed later.
 */
void record_gone_remember(struct record_gone *gone, const struct trace_request *req,
			  const struct tfs_root *root);
/**
 * record_gone_show() - append which of them are not on any more, as lines for stderr
 * @unloaded: a module took some along, and with them what its ring buffer held
 *
 * Return: 0 or -ENOMEM.
 */
int record_gone_show(const struct record_gone *gone, const struct trace_request *req,
		     const struct tfs_root *root, struct tfs_strbuf *sb, bool *unloaded);
void record_gone_release(struct record_gone *gone);

#endif
