/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_SESSION_APART_H
#define TC_SESSION_APART_H

#include <signal.h>
#include <stdbool.h>

struct session_places;

/**
 * struct session_apart - this process is left out of what is traced while it reads the buffers
 * @places: borrowed
 * @before: the signal mask: signals wait until session_apart_end(), which puts things back
 * @held: @before is set
 */
struct session_apart {
	const struct session_places *places;
	sigset_t before;
	bool held;
};

/**
 * session_apart_begin() - leave this process out of every buffer of @places that is written to
 *
 * A session of system calls would fill up with those that look at it, and reading its ring buffer
 * would never end. What cannot be changed stays as it is: a kernel before 5.7, not root.
 */
void session_apart_begin(struct session_apart *a, const struct session_places *places);
/** session_apart_ended() - did a signal come that ends the program? What is done is to be left */
bool session_apart_ended(const struct session_apart *a);
/** session_apart_end() - put back what session_apart_begin() changed; a zeroed @a is fine */
void session_apart_end(struct session_apart *a);

#endif
