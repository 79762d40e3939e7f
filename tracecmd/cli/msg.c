/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/msg.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/err.h"
#include "base/inert.h"
#include "base/strvec.h"

/* Bytes of a character */
#define UTF8_MAX 4

/*
 * struct sheet - text on its way to stderr, which has no buffer of its own
 *
 * In one piece, so that the lines of threads and programs do not mix, and without allocating: the
 * message may be that there is no memory.
 */
struct sheet {
	size_t len;
	char text[4096];
};

static void flush(struct sheet *sh)
{
	fwrite(sh->text, 1, sh->len, stderr);
	sh->len = 0;
}

static void put(struct sheet *sh, char c)
{
	if (sh->len == sizeof(sh->text))
		flush(sh);
	sh->text[sh->len++] = c;
}

static void put_text(struct sheet *sh, const char *s)
{
	while (*s)
		put(sh, *s++);
}

/*
 * Text from the user or from a file must not control the terminal that shows it.
 * One character of @s, which is not empty. Return: its bytes
 */
static size_t put_char(struct sheet *sh, const char *s)
{
	size_t n = tfs_utf8_sequence(s, strnlen(s, UTF8_MAX)), i;

	if (!tfs_inert_span(s, n, TFS_INERT_NONE)) {
		put(sh, '?');
		return n ? n : 1;
	}
	for (i = 0; i < n; i++)
		put(sh, s[i]);
	return n;
}

/* As one line; a tab or line end is one column wide, so that a caret stands under its byte. */
static void put_inert(struct sheet *sh, const char *s)
{
	while (*s) {
		if (*s != '\t' && *s != '\n') {
			s += put_char(sh, s);
			continue;
		}
		put(sh, ' ');
		s++;
	}
}

/* Each line of @s after @indent; tabs stay, since the kernel's carets rely on them */
static void put_lines(struct sheet *sh, const char *s, const char *indent)
{
	while (*s) {
		put_text(sh, indent);
		while (*s && *s != '\n')
			s += put_char(sh, s);
		put(sh, '\n');
		if (*s)
			s++;
	}
}

/* The rows of a list are printed on lines of their own, indented below the hint. */
static void put_hint(struct sheet *sh, const char *s)
{
	put_text(sh, "hint: ");
	while (*s) {
		if (*s != *TFS_ERR_ROW && *s != '\t' && *s != '\n') {
			s += put_char(sh, s);
			continue;
		}
		put_text(sh, *s == *TFS_ERR_ROW ? "\n  " : " ");
		s++;
	}
	put(sh, '\n');
}

/* Characters before byte @off, which is the column it is shown in */
static size_t column_of(const char *s, size_t off)
{
	size_t n = 0, i;

	for (i = 0; i < off && s[i]; i++)
		n += ((unsigned char)s[i] & 0xc0) != 0x80;
	return n;
}

static void put_input(struct sheet *sh, const char *input, size_t caret)
{
	size_t column = column_of(input, caret);

	put_text(sh, "  ");
	put_inert(sh, input);
	put_text(sh, "\n  ");
	while (column--)
		put(sh, ' ');
	put_text(sh, "^\n");
}

/* Whatever could not be opened: this is the cause, and the same everywhere. */
static void put_file_limit(struct sheet *sh)
{
	struct rlimit limit;
	char text[128];

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	snprintf(text, sizeof(text),
		 "this program may have %llu files open at a time; ulimit -n shows and sets that",
		 (unsigned long long)limit.rlim_cur);
	put_hint(sh, text);
}

void tc_msg_error(const char *program, const struct tfs_err *err)
{
	struct sheet sh = { .len = 0 };

	put_text(&sh, program);
	put_text(&sh, ": ");
	put_inert(&sh, err->msg[0] ? err->msg : strerror(-err->code));
	put(&sh, '\n');
	if (err->input[0] && err->caret >= 0)
		put_input(&sh, err->input, (size_t)err->caret);
	if (err->kernel[0]) {
		put_text(&sh, "the kernel says:\n");
		put_lines(&sh, err->kernel, "  ");
	}
	if (err->hint[0])
		put_hint(&sh, err->hint);
	else if (err->code == -EMFILE)
		put_file_limit(&sh);
	flush(&sh);
}

static __attribute__((format(printf, 2, 0))) void put_format(struct sheet *sh, const char *fmt,
							     va_list ap)
{
	char text[2048];

	tfs_inert_format(text, sizeof(text), fmt, ap);
	if (text[0])
		put_lines(sh, text, "");
	else
		put(sh, '\n');
}

void tc_msg_notice(const char *program, const char *fmt, ...)
{
	struct sheet sh = { .len = 0 };
	va_list ap;

	put_text(&sh, program);
	put_text(&sh, ": ");
	va_start(ap, fmt);
	put_format(&sh, fmt, ap);
	va_end(ap);
	flush(&sh);
}

void tc_msg_notices(const char *program, const struct tfs_strvec *lines)
{
	for (size_t i = 0; i < lines->n; i++)
		tc_msg_notice(program, "%s", lines->v[i]);
}

void tc_msg_line(const char *fmt, ...)
{
	struct sheet sh = { .len = 0 };
	va_list ap;

	va_start(ap, fmt);
	put_format(&sh, fmt, ap);
	va_end(ap);
	flush(&sh);
}
