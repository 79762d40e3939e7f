/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_LOCK_H
#define TC_TRACE_LOCK_H

struct tfs_root;

enum trace_lock_flags {
	TRACE_LOCK_QUIET = 1 << 0, /* print nothing */
};

/**
 * trace_lock_wait() - wait until the kernel lets events be changed
 * @program: for the message
 * @flags: TRACE_LOCK_*
 *
 * Enabling events, defining probes and creating instances all need one lock of the kernel
 * (event_mutex in kernel/trace/trace_events.c), and a process that waits for it cannot be killed.
 * Therefore a child tries it first: if that takes long, a message says so, and this process can
 * still be ended. Call it before anything is changed.
 */
void trace_lock_wait(const struct tfs_root *root, const char *program, unsigned int flags);

#endif
