/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_SESSION_EXCLUDE_H
#define TC_SESSION_EXCLUDE_H

#include <signal.h>
#include <stdbool.h>

struct session_instances;

/**
 * struct session_exclusion - keeps this process out of the traces that it reads
 * @instances: borrowed
 * @before: signal mask to restore
 * @held: @before is set
 */
struct session_exclusion {
	const struct session_instances *instances;
	sigset_t before;
	bool held;
};

/**
 * session_exclude_begin() - exclude this process from every buffer that is being written to
 *
 * Otherwise reading a session of system calls would fill its ring buffer, and reading would never
 * end. Signals are blocked until session_exclude_end(). Where the kernel cannot exclude a process
 * (before 5.7) or this process may not (not root), nothing changes.
 */
void session_exclude_begin(struct session_exclusion *e, const struct session_instances *instances);
/** session_exclude_interrupted() - is a signal pending that ends the program? Stop reading then */
bool session_exclude_interrupted(const struct session_exclusion *e);
/** session_exclude_end() - undo session_exclude_begin(); does nothing for a zeroed @e */
void session_exclude_end(struct session_exclusion *e);

#endif
