/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libFuzzer target: a program with debug information, as tc-probe reads it. */
#include <stddef.h>
#include <stdint.h>

#include "lib/elf_walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	elf_walk_bytes(data, size);
	return 0;
}
