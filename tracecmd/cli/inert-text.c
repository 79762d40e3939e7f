/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/inert-text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/inert.h"

/* A line of the kernel's is shorter. */
#define LINE_MAX_HELD (64 * 1024)

void tc_inert_text_begin(struct tc_inert_text *t, unsigned int flags)
{
	*t = (struct tc_inert_text){ .inert = !(flags & TC_INERT_TEXT_RAW) && isatty(STDOUT_FILENO),
				     .held = TFS_STRBUF_INIT };
}

static int put(const char *s, size_t len)
{
	errno = 0;
	if (fwrite(s, 1, len, stdout) == len)
		return 0;
	/* The write that failed set it; stdio itself does not. */
	return errno ? -errno : -EIO;
}

static int put_held(struct tc_inert_text *t)
{
	int rc = tfs_inert_rest(&t->held, 0, TFS_INERT_ALL);

	if (!rc)
		rc = put(t->held.s, t->held.len);
	tfs_strbuf_reset(&t->held);
	return rc;
}

/* Whole lines: a character whose bytes come in two reads would be taken for none. */
int tc_inert_text_write(struct tc_inert_text *t, const char *s, size_t len)
{
	const char *nl = t->inert ? memrchr(s, '\n', len) : NULL;
	size_t n = nl ? (size_t)(nl - s) + 1 : 0;
	int rc;

	if (!t->inert)
		return put(s, len);
	rc = tfs_strbuf_add(&t->held, s, n);
	if (!rc && n)
		rc = put_held(t);
	if (!rc)
		rc = tfs_strbuf_add(&t->held, s + n, len - n);
	return !rc && t->held.len > LINE_MAX_HELD ? put_held(t) : rc;
}

int tc_inert_text_end(struct tc_inert_text *t)
{
	int rc = t->held.len ? put_held(t) : 0;

	tfs_strbuf_release(&t->held);
	return rc;
}
