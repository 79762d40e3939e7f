/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/out.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/inert.h"
#include "base/io.h"
#include "base/strbuf.h"

#define OUT_SIZE (64 * 1024)
/* So much is not copied to save a call. */
#define OUT_DIRECT (16 * 1024)

struct tfs_out {
	int fd;
	int error;
	bool inert;
	size_t len;
	char buf[OUT_SIZE];
};

int tfs_out_new(int fd, struct tfs_out **out)
{
	struct tfs_out *o = malloc(sizeof(*o));

	if (!o)
		return -ENOMEM;
	o->fd = fd;
	o->error = 0;
	o->inert = false;
	o->len = 0;
	*out = o;
	return 0;
}

void tfs_out_free(struct tfs_out *out)
{
	free(out);
}

int tfs_out_flush(struct tfs_out *out)
{
	if (!out->error && out->len)
		out->error = tfs_write_all(out->fd, out->buf, out->len);
	out->len = 0;
	return out->error;
}

void tfs_out_set_inert(struct tfs_out *out, bool inert)
{
	out->inert = inert;
}

static int write_bytes(struct tfs_out *out, const void *data, size_t len)
{
	if (out->error || !len)
		return out->error;
	if (len >= OUT_DIRECT || len > sizeof(out->buf) - out->len) {
		if (tfs_out_flush(out))
			return out->error;
		if (len >= OUT_DIRECT) {
			out->error = tfs_write_all(out->fd, data, len);
			return out->error;
		}
	}
	memcpy(out->buf + out->len, data, len);
	out->len += len;
	return 0;
}

int tfs_out_write(struct tfs_out *out, const void *data, size_t len)
{
	const char *s = data, *end = s + len;
	char text[TFS_INERT_MAX];
	size_t n;
	int rc = 0;

	if (!out->inert)
		return write_bytes(out, data, len);
	for (; s < end && !rc; s += n + 1) {
		n = tfs_inert_span(s, (size_t)(end - s), TFS_INERT_ALL);
		rc = write_bytes(out, s, n);
		if (!rc && s + n < end)
			rc = write_bytes(out, text, (size_t)(tfs_inert_put(text, s[n]) - text));
	}
	return rc;
}

int tfs_out_puts(struct tfs_out *out, const char *s)
{
	return tfs_out_write(out, s, strlen(s));
}

/* For what does not fit in the rest of the buffer. */
static __attribute__((format(printf, 2, 0))) int print_long(struct tfs_out *out, const char *fmt,
							    va_list ap)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = tfs_strbuf_vaddf(&sb, fmt, ap);

	if (rc)
		out->error = rc;
	else
		rc = tfs_out_write(out, sb.s, sb.len);
	tfs_strbuf_release(&sb);
	return rc;
}

int tfs_out_printf(struct tfs_out *out, const char *fmt, ...)
{
	size_t room = sizeof(out->buf) - out->len;
	char *at = out->buf + out->len;
	va_list ap;
	int n, rc;

	if (out->error)
		return out->error;
	if (out->inert)
		room = 0;
	va_start(ap, fmt);
	n = vsnprintf(at, room, fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < room) {
		out->len += (size_t)n;
		return 0;
	}
	va_start(ap, fmt);
	rc = print_long(out, fmt, ap);
	va_end(ap);
	return rc;
}
