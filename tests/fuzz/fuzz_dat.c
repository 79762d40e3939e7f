/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libFuzzer target: a trace.dat file, read from its first byte to its last record. */
#include <stddef.h>
#include <stdint.h>

#include "lib/dat_walk.h"

/* More than a small file can hold, unless its chunks expand to much: enough of those is enough. */
#define MAX_RECORDS 200000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dat_walk walk;

	dat_walk_bytes(data, size, MAX_RECORDS, &walk);
	return 0;
}
