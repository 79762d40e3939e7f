/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For LD_PRELOAD: trace-cmd record ends where the kernel refuses files of function tracing, also
 * when no function is to be traced. With this it gets /dev/null in their place.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>

static int open_instead(const char *path, int flags, va_list ap)
{
	mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;

	if (strstr(path, "/set_ftrace_") || strstr(path, "/ftrace_enabled"))
		path = "/dev/null";
	return openat(AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
	va_list ap;
	int fd;

	va_start(ap, flags);
	fd = open_instead(path, flags, ap);
	va_end(ap);
	return fd;
}

int open64(const char *path, int flags, ...)
{
	va_list ap;
	int fd;

	va_start(ap, flags);
	fd = open_instead(path, flags, ap);
	va_end(ap);
	return fd;
}
