/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MSG_SIZE sizeof(((struct tfs_err *)0)->msg)
#define INPUT_SIZE sizeof(((struct tfs_err *)0)->input)
#define HINT_SIZE sizeof(((struct tfs_err *)0)->hint)

/* Whole UTF-8 characters of the first @len bytes of @s: a cut must not leave half of one behind. */
static size_t whole_chars(const char *s, size_t len)
{
	size_t start = len;

	while (start && ((unsigned char)s[start - 1] & 0xc0) == 0x80)
		start--;
	if (!start || (unsigned char)s[start - 1] < 0xc0)
		return len;
	start--;
	switch ((unsigned char)s[start] >> 4) {
	case 0xf:
		return len - start < 4 ? start : len;
	case 0xe:
		return len - start < 3 ? start : len;
	default:
		return len - start < 2 ? start : len;
	}
}

/* @src may lie inside @dst */
static void copy_cut(char *dst, size_t size, const char *src)
{
	size_t len = strlen(src);

	if (len >= size)
		len = whole_chars(src, size - 1);
	memmove(dst, src, len);
	dst[len] = '\0';
}

/* By way of a copy, since the arguments may well be fields of the error that is replaced. */
static __attribute__((format(printf, 2, 0))) void format_msg(char msg[MSG_SIZE], const char *fmt,
							     va_list ap)
{
	int n = vsnprintf(msg, MSG_SIZE, fmt, ap);

	if (n < 0)
		msg[0] = '\0';
	else if ((size_t)n >= MSG_SIZE)
		msg[whole_chars(msg, MSG_SIZE - 1)] = '\0';
}

static void replace(struct tfs_err *err, int code, const char *msg)
{
	err->code = code;
	err->caret = -1;
	copy_cut(err->msg, sizeof(err->msg), msg);
	err->input[0] = '\0';
	err->kernel[0] = '\0';
	err->hint[0] = '\0';
}

int tfs_err_set(struct tfs_err *err, int code, const char *fmt, ...)
{
	char msg[MSG_SIZE];
	char scratch[128];
	const char *why;
	size_t len, room;
	va_list ap;

	if (!err)
		return code;
	va_start(ap, fmt);
	format_msg(msg, fmt, ap);
	va_end(ap);
	replace(err, code, msg);

	/* The reason counts more than the end of a long path. */
	why = strerror_r(-code, scratch, sizeof(scratch));
	room = sizeof(err->msg) - strlen(": ") - strlen(why) - 1;
	len = strlen(err->msg);
	if (len > room)
		len = whole_chars(err->msg, room);
	snprintf(err->msg + len, sizeof(err->msg) - len, ": %s", why);
	return code;
}

int tfs_err_say(struct tfs_err *err, int code, const char *fmt, ...)
{
	char msg[MSG_SIZE];
	va_list ap;

	if (!err)
		return code;
	va_start(ap, fmt);
	format_msg(msg, fmt, ap);
	va_end(ap);
	replace(err, code, msg);
	return code;
}

int tfs_err_prefix(struct tfs_err *err, const char *fmt, ...)
{
	char msg[MSG_SIZE];
	size_t len, room, keep;
	va_list ap;

	if (!err)
		return 0;
	va_start(ap, fmt);
	format_msg(msg, fmt, ap);
	va_end(ap);

	/* Cut the end of the old message, not its context; but let no context push it out whole. */
	room = sizeof(err->msg) / 2;
	len = strlen(msg);
	if (len > room)
		len = whole_chars(msg, room);
	memcpy(msg + len, ": ", 3);
	len += 2;
	keep = strlen(err->msg);
	if (len + keep >= sizeof(err->msg))
		keep = whole_chars(err->msg, sizeof(err->msg) - len - 1);
	memmove(err->msg + len, err->msg, keep);
	memcpy(err->msg, msg, len);
	err->msg[len + keep] = '\0';
	return err->code;
}

void tfs_err_hint(struct tfs_err *err, const char *fmt, ...)
{
	char hint[HINT_SIZE];
	va_list ap;
	int n;

	if (!err)
		return;
	va_start(ap, fmt);
	n = vsnprintf(hint, sizeof(hint), fmt, ap);
	va_end(ap);
	if (n < 0)
		hint[0] = '\0';
	else if ((size_t)n >= sizeof(hint))
		hint[whole_chars(hint, sizeof(hint) - 1)] = '\0';
	memcpy(err->hint, hint, sizeof(hint));
}

void tfs_err_input(struct tfs_err *err, const char *input, int caret)
{
	static const char dots[] = "...";
	char text[INPUT_SIZE];
	size_t skip = 0;

	if (!err)
		return;
	if (!input)
		input = "";
	if (caret < -1 || (caret >= 0 && (size_t)caret > strlen(input)))
		caret = -1;
	text[0] = '\0';
	if (caret >= 0 && (size_t)caret >= sizeof(text) - 1) {
		/* The fault has to be visible: leave out the beginning instead. */
		skip = (size_t)caret - sizeof(text) / 2;
		while (((unsigned char)input[skip] & 0xc0) == 0x80)
			skip++;
		memcpy(text, dots, sizeof(dots));
		caret = caret - (int)skip + (int)strlen(dots);
	}
	copy_cut(text + strlen(text), sizeof(text) - strlen(text), input + skip);
	memcpy(err->input, text, strlen(text) + 1);
	err->caret = caret;
}

void tfs_err_kernel(struct tfs_err *err, const char *text)
{
	if (err)
		copy_cut(err->kernel, sizeof(err->kernel), text ? text : "");
}

void tfs_err_clear(struct tfs_err *err)
{
	if (err)
		*err = TFS_ERR_INIT;
}
