/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_CLI_INERT_TEXT_H
#define TC_CLI_INERT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf-core.h"

/*
 * Prints text of the kernel's files, which contains names and strings that any program may have
 * chosen.
 */

/**
 * struct tc_inert_text - text on its way to stdout
 * @inert: stdout is a terminal: control characters are escaped (base/inert.h)
 * @held: the beginning of a line whose end was not read yet
 */
struct tc_inert_text {
	bool inert;
	struct tfs_strbuf held;
};

enum tc_inert_text_flags {
	TC_INERT_TEXT_RAW = 1 << 0, /* print control characters unchanged, also on a terminal */
};

/** tc_inert_text_begin() - @flags: TC_INERT_TEXT_* */
void tc_inert_text_begin(struct tc_inert_text *t, unsigned int flags);
/**
 * tc_inert_text_write() - the next @len bytes
 *
 * Return: 0, -errno when stdout cannot be written, which main() reports, -ENOMEM.
 */
int tc_inert_text_write(struct tc_inert_text *t, const char *s, size_t len);
/** tc_inert_text_end() - the rest, and release; the same results */
int tc_inert_text_end(struct tc_inert_text *t);

#endif
