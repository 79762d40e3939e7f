/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_RECORD_UNLOADED_H
#define TC_RECORD_UNLOADED_H

#include <stdbool.h>
#include <stddef.h>

struct tfs_root;
struct tfs_strbuf;
struct tfs_strvec;
struct trace_request;

/**
 * struct record_unloaded - events that were enabled when recording began, to find at its end those
 *	whose module was unloaded
 * @on: one list for each of the @n buffers
 *
 * A zeroed one is empty.
 */
struct record_unloaded {
	struct tfs_strvec *on;
	size_t n;
};

/**
 * record_unloaded_begin() - note which events are enabled; call it after the plan is applied
 *
 * Events that cannot be read are not reported later.
 */
void record_unloaded_begin(struct record_unloaded *events, const struct trace_request *req,
			   const struct tfs_root *root);
/**
 * record_unloaded_show() - append lines for stderr that name the events no longer enabled
 * @unloaded: set if a module was unloaded, which emptied the ring buffer
 *
 * Return: 0 or -ENOMEM.
 */
int record_unloaded_show(const struct record_unloaded *events, const struct trace_request *req,
			 const struct tfs_root *root, struct tfs_strbuf *sb, bool *unloaded);
void record_unloaded_release(struct record_unloaded *events);

#endif
