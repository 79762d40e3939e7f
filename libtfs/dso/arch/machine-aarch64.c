/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/arch/machine-internal.h"

#include <elf.h>

#include "base/macros.h"

/* DWARF for the Arm 64-bit Architecture, 4.1; 64 to 95 are v0 to v31. */
static const char *const regs[] = {
	[0] = "x0",   [1] = "x1",   [2] = "x2",   [3] = "x3",   [4] = "x4",   [5] = "x5",
	[6] = "x6",   [7] = "x7",   [8] = "x8",   [9] = "x9",   [10] = "x10", [11] = "x11",
	[12] = "x12", [13] = "x13", [14] = "x14", [15] = "x15", [16] = "x16", [17] = "x17",
	[18] = "x18", [19] = "x19", [20] = "x20", [21] = "x21", [22] = "x22", [23] = "x23",
	[24] = "x24", [25] = "x25", [26] = "x26", [27] = "x27", [28] = "x28", [29] = "x29",
	[30] = "x30", [31] = "sp",
};

const struct tfs_machine tfs_machine_aarch64 = {
	.name = "aarch64",
	.elf = EM_AARCH64,
	.bits = 64,
	.big = false,
	.reg = regs,
	.n_reg = ARRAY_SIZE(regs),
	.sp = 31,
	.zero = -1,
	.fp_first = 64,
	.fp_last = 95,
	.ret = 0,
	.more = " lr pc pstate ",
	.arg = { "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7" },
	.arg_stack = 0,
};
