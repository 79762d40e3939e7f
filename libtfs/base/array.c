/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/array.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Elements of the first allocation. */
#define FIRST 8

/* The caller's pointer has a type of its own, so it is copied, not dereferenced as void *. */
static int resize(void *array, size_t n, size_t size)
{
	void *p;

	if (n > SIZE_MAX / size)
		return -ENOMEM;
	memcpy(&p, array, sizeof(p));
	p = realloc(p, n * size);
	if (!p)
		return -ENOMEM;
	memcpy(array, &p, sizeof(p));
	return 0;
}

int tfs_grow_array(void *array, size_t *alloc, size_t n, size_t size)
{
	size_t more = *alloc > SIZE_MAX / 2 ? SIZE_MAX : 2 * *alloc;
	int rc;

	if (more < FIRST)
		more = FIRST;
	if (more < n)
		more = n;
	rc = resize(array, more, size);
	if (!rc)
		*alloc = more;
	return rc;
}

int tfs_grow_twofold(void *array, size_t n, size_t size)
{
	return n > SIZE_MAX / 2 ? -ENOMEM : resize(array, n ? 2 * n : 1, size);
}
