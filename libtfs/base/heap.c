/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/heap.h"

#include "config.h"

#if HAVE_MALLOC_TRIM
#include <malloc.h>
#else
/* The GNU C library has it. */
static int malloc_trim(int pad)
{
	return pad;
}
#endif

void tfs_heap_trim(void)
{
	malloc_trim(0);
}
