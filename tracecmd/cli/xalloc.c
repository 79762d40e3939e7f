/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/xalloc.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "cli/msg.h"
#include "cli/command.h"

static __attribute__((noreturn)) void no_memory(size_t n, size_t size)
{
	struct tfs_err err = TFS_ERR_INIT;

	tfs_err_set(&err, -ENOMEM, "cannot allocate %zu times %zu bytes", n, size);
	tc_msg_error(program_invocation_short_name, &err);
	exit(TC_EXIT_FAILED);
}

void *xcalloc(size_t n, size_t size)
{
	/* never NULL, also for no bytes at all */
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (!p)
		no_memory(n, size);
	return p;
}

void *xreallocarray(void *p, size_t n, size_t size)
{
	void *q = NULL;

	if (!size || n <= SIZE_MAX / size)
		q = realloc(p, n && size ? n * size : 1);
	if (!q)
		no_memory(n, size);
	return q;
}

char *xstrdup(const char *s)
{
	char *copy = strdup(s);

	if (!copy)
		no_memory(1, strlen(s) + 1);
	return copy;
}
