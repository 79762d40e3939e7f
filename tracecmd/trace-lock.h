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
 * Whoever switches events, defines probes or makes an instance needs one lock of the kernel
 * (event_mutex in kernel/trace/trace_events.c), and waits for it in a state in which no signal
 * ends it. A child tries it first: if that takes long, a message says what is waited for, and this
 * process can still be ended. Call it before anything is changed.
 */
void trace_lock_wait(const struct tfs_root *root, const char *program, unsigned int flags);

#endif
