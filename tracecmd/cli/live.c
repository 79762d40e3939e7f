/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/live.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Back to the first column and delete the line: ECMA-48, every terminal but the "dumb" ones. */
#define CLEAR_LINE "\r\033[K"

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
