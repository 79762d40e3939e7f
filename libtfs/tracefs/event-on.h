/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEFS_EVENT_ON_H
#define TFS_TRACEFS_EVENT_ON_H

struct tfs_err;
struct tfs_instance;
struct tfs_root;
struct tfs_strvec;

/**
 * tfs_event_on() - the events that are on in an instance: the lines of its set_event, sorted
 * @out: appended to
 *
 * Return: 0, -ENOMEM or -errno.
 */
int tfs_event_on(const struct tfs_root *root, const struct tfs_instance *inst,
		 struct tfs_strvec *out, struct tfs_err *err);

/**
 * tfs_event_unloaded() - which of the events that were on are not any more?
 * @before: what tfs_event_on() gave then
 * @unloaded: those that are not there now are added: their module was unloaded. The kernel emptied
 *	the ring buffer of the instance then, with whatever it held (trace_module_remove_events() in
 *	kernel/trace/trace_events.c; tests/vm/t-module.sh), and its counters are 0 since
 * @off: those that are there, and off, are added: somebody switched them off, or their module was
 *	loaded anew
 *
 * Return: 0, -ENOMEM or -errno.
 */
int tfs_event_unloaded(const struct tfs_root *root, const struct tfs_instance *inst,
		       const struct tfs_strvec *before, struct tfs_strvec *unloaded,
		       struct tfs_strvec *off, struct tfs_err *err);

#endif
