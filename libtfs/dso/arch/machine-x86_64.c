/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/arch/machine-internal.h"

#include <elf.h>

#include "base/macros.h"

/* System V psABI AMD64, figure 3.36; 16 is the return address, 17 and up are xmm and x87. */
static const char *const regs[] = {
	[0] = "ax",   [1] = "dx",   [2] = "cx",   [3] = "bx",   [4] = "si",   [5] = "di",
	[6] = "bp",   [7] = "sp",   [8] = "r8",   [9] = "r9",   [10] = "r10", [11] = "r11",
	[12] = "r12", [13] = "r13", [14] = "r14", [15] = "r15",
};

const struct tfs_machine tfs_machine_x86_64 = {
	.name = "x86_64",
	.elf = EM_X86_64,
	.bits = 64,
	.big = false,
	.reg = regs,
	.n_reg = ARRAY_SIZE(regs),
	.sp = 7,
	.zero = -1,
	.fp_first = 17,
	.fp_last = 48,
	.ret = 0,
	.more = " ip flags cs ss orig_ax ",
	.arg = { "di", "si", "dx", "cx", "r8", "r9" },
	.arg_stack = 8,
};
