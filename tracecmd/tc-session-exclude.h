/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_SESSION_EXCLUDE_H
#define TC_SESSION_EXCLUDE_H

#include <signal.h>
#include <stdbool.h>

struct session_instances;

/**
 * struct session_exclusion - this process is left out of what is traced while it reads the buffers
 * @instances: borrowed
 * @before: the signal mask: signals wait until session_exclude_end(), which puts things back
 * @held: @before is set
 */
struct session_exclusion {
	const struct session_instances *instances;
	sigset_t before;
	bool held;
};

/**
 * session_exclude_begin() - leave this process out of every buffer of @instances that is written to
 *
 * A session of system calls would fill up with those that look at it, and reading its ring buffer
 * would never end. What cannot be changed stays as it is: a kernel before 5.7, not root.
 */
void session_exclude_begin(struct session_exclusion *a, const struct session_instances *instances);
/** session_exclude_interrupted() - did a signal come that ends the program? What is done is to be left */
bool session_exclude_interrupted(const struct session_exclusion *a);
/** session_exclude_end() - put back what session_exclude_begin() changed; a zeroed @a is fine */
void session_exclude_end(struct session_exclusion *a);

#endif
