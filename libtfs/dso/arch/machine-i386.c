/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/arch/machine-internal.h"

#include <elf.h>

#include "base/macros.h"

/* System V psABI i386, table 2.14; 8 is the instruction pointer, 11 and up are x87 and xmm. */
static const char *const regs[] = {
	[0] = "ax", [1] = "cx", [2] = "dx", [3] = "bx", [4] = "sp",
	[5] = "bp", [6] = "si", [7] = "di", [8] = "ip",
};

const struct tfs_machine tfs_machine_i386 = {
	.name = "i386",
	.elf = EM_386,
	.bits = 32,
	.big = false,
	.reg = regs,
	.n_reg = ARRAY_SIZE(regs),
	.sp = 4,
	.zero = -1,
	.fp_first = 11,
	.fp_last = 44,
	.ret = 0,
	.more = " flags cs ss ds es fs gs orig_ax ",
};
