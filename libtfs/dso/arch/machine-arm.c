/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/arch/machine-internal.h"

#include <elf.h>

#include "base/macros.h"

/* DWARF for the Arm Architecture, 4.1; 64 and up are s and d registers. */
static const char *const regs[] = {
	[0] = "r0",  [1] = "r1",  [2] = "r2",  [3] = "r3",  [4] = "r4",   [5] = "r5",
	[6] = "r6",  [7] = "r7",  [8] = "r8",  [9] = "r9",  [10] = "r10", [11] = "fp",
	[12] = "ip", [13] = "sp", [14] = "lr", [15] = "pc",
};

const struct tfs_machine tfs_machine_arm = {
	.name = "arm",
	.elf = EM_ARM,
	.bits = 32,
	.big = false,
	.reg = regs,
	.n_reg = ARRAY_SIZE(regs),
	.sp = 13,
	.zero = -1,
	.fp_first = 64,
	.fp_last = 287,
	.ret = 0,
	.more = " cpsr ORIG_r0 ",
};
