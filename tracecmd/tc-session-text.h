/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_SESSION_TEXT_H
#define TC_SESSION_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

/*
 * Prints text of the kernel's files, which contains names and strings that any program may have
 * chosen.
 */

/**
 * struct session_text - text on its way to stdout
 * @inert: stdout is a terminal: control characters are escaped (base/inert.h)
 * @held: the beginning of a line whose end was not read yet
 */
struct session_text {
	bool inert;
	struct tfs_strbuf held;
};

enum session_text_flags {
	SESSION_TEXT_RAW = 1 << 0, /* print control characters unchanged, also on a terminal */
};

/** session_text_begin() - @flags: SESSION_TEXT_* */
void session_text_begin(struct session_text *t, unsigned int flags);
/**
 * session_text_write() - the next @len bytes
 *
 * Return: 0, -EIO when stdout cannot be written, which main() reports, -ENOMEM.
 */
int session_text_write(struct session_text *t, const char *s, size_t len);
/** session_text_end() - the rest, and release; the same results */
int session_text_end(struct session_text *t);

#endif
