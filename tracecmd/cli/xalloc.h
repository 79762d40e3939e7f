/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_CLI_XALLOC_H
#define TC_CLI_XALLOC_H

#include <stddef.h>

/* Allocators for the programs: no memory ends the program with a message. Never in libtfs. */
void *xcalloc(size_t n, size_t size);
void *xreallocarray(void *p, size_t n, size_t size);
char *xstrdup(const char *s);

#endif
