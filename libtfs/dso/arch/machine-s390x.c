/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/arch/machine-internal.h"

#include <elf.h>

#include "base/macros.h"

/* s390x ELF ABI, table 1.12; 16 to 31 are f0 to f15. */
static const char *const regs[] = {
	[0] = "r0",   [1] = "r1",   [2] = "r2",   [3] = "r3",   [4] = "r4",   [5] = "r5",
	[6] = "r6",   [7] = "r7",   [8] = "r8",   [9] = "r9",   [10] = "r10", [11] = "r11",
	[12] = "r12", [13] = "r13", [14] = "r14", [15] = "r15",
};

const struct tfs_machine tfs_machine_s390x = {
	.name = "s390x",
	.elf = EM_S390,
	.bits = 64,
	.big = true,
	.reg = regs,
	.n_reg = ARRAY_SIZE(regs),
	.sp = 15,
	.zero = -1,
	.fp_first = 16,
	.fp_last = 31,
	.ret = 2,
	.more = " ",
	.arg = { "r2", "r3", "r4", "r5", "r6" },
	.arg_stack = 160,
};
