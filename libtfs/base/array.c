/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>

/* Elements of the first allocation. */
#define FIRST 8

static void *resize(void *array, size_t n, size_t size)
{
	return n > SIZE_MAX / size ? NULL : realloc(array, n * size);
}

void *tfs_grow_array(void *array, size_t *alloc, size_t n, size_t size)
{
	size_t more = *alloc > SIZE_MAX / 2 ? SIZE_MAX : 2 * *alloc;
	void *grown;

	if (more < FIRST)
		more = FIRST;
	if (more < n)
		more = n;
	grown = resize(array, more, size);
	if (grown)
		*alloc = more;
	return grown;
}

void *tfs_grow_twofold(void *array, size_t n, size_t size)
{
	return n > SIZE_MAX / 2 ? NULL : resize(array, n ? 2 * n : 1, size);
}
