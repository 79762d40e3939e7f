/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/arch/machine-internal.h"

#include <elf.h>

#include "base/macros.h"

/* RISC-V ABIs, DWARF register numbers; 0 always reads as zero, 32 to 63 are f0 to f31. */
static const char *const regs[] = {
	[1] = "ra",  [2] = "sp",  [3] = "gp",  [4] = "tp",  [5] = "t0",   [6] = "t1",   [7] = "t2",
	[8] = "s0",  [9] = "s1",  [10] = "a0", [11] = "a1", [12] = "a2",  [13] = "a3",  [14] = "a4",
	[15] = "a5", [16] = "a6", [17] = "a7", [18] = "s2", [19] = "s3",  [20] = "s4",  [21] = "s5",
	[22] = "s6", [23] = "s7", [24] = "s8", [25] = "s9", [26] = "s10", [27] = "s11", [28] = "t3",
	[29] = "t4", [30] = "t5", [31] = "t6",
};

const struct tfs_machine tfs_machine_riscv64 = {
	.name = "riscv64",
	.elf = EM_RISCV,
	.bits = 64,
	.big = false,
	.reg = regs,
	.n_reg = ARRAY_SIZE(regs),
	.sp = 2,
	.zero = 0,
	.fp_first = 32,
	.fp_last = 63,
	.ret = 10,
	.more = " epc status badaddr cause orig_a0 ",
	.arg = { "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7" },
	.arg_stack = 0,
};
