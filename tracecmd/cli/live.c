/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/live.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Back to the first column and delete the line: ECMA-48, every terminal but the "dumb" ones. */
#define CLEAR_LINE "\r\033[K"
#define CLEAR_BELOW "\033[J"
#define ROWS_MIN 4u

static bool is_capable(int fd)
{
	const char *term = getenv("TERM");

	return term && *term && strcmp(term, "dumb") != 0 && isatty(fd);
}

bool tc_live_can(void)
{
	return is_capable(STDERR_FILENO);
}

bool tc_live_color(int fd)
{
	const char *no = getenv("NO_COLOR");

	return (!no || !*no) && is_capable(fd);
}

void tc_live_line(const char *fmt, ...)
{
	va_list ap;

	fputs(CLEAR_LINE, stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fflush(stderr);
}

void tc_live_end(void)
{
	fputs(CLEAR_LINE, stderr);
	fflush(stderr);
}

static struct winsize terminal_size(void)
{
	struct winsize size = { .ws_row = 0 };

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col)
		return (struct winsize){ .ws_row = 24, .ws_col = 80 };
	return size;
}

unsigned int tc_live_rows(void)
{
	const unsigned int rows = terminal_size().ws_row;

	return rows > ROWS_MIN ? rows : ROWS_MIN;
}

unsigned int tc_live_block(const char *text, unsigned int before)
{
	const unsigned int columns = terminal_size().ws_col;
	unsigned int lines = 0;

	if (before)
		fprintf(stderr, "\033[%uA\r" CLEAR_BELOW, before);
	while (*text) {
		const size_t len = strcspn(text, "\n");

		fprintf(stderr, "%.*s\r\n", (int)(len < columns ? len : columns - 1), text);
		text += len + (text[len] == '\n');
		lines++;
	}
	fflush(stderr);
	return lines;
}
