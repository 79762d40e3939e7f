/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/arch/machine-internal.h"

#include <elf.h>

#include "base/macros.h"

/* 64-bit ELF V2 ABI for Power, table 2.26: 65 is LR, 66 CTR, 76 XER; 32 to 63 are f0 to f31. */
static const char *const regs[] = {
	[0] = "gpr0",   [1] = "gpr1",   [2] = "gpr2",   [3] = "gpr3",   [4] = "gpr4",
	[5] = "gpr5",   [6] = "gpr6",   [7] = "gpr7",   [8] = "gpr8",   [9] = "gpr9",
	[10] = "gpr10", [11] = "gpr11", [12] = "gpr12", [13] = "gpr13", [14] = "gpr14",
	[15] = "gpr15", [16] = "gpr16", [17] = "gpr17", [18] = "gpr18", [19] = "gpr19",
	[20] = "gpr20", [21] = "gpr21", [22] = "gpr22", [23] = "gpr23", [24] = "gpr24",
	[25] = "gpr25", [26] = "gpr26", [27] = "gpr27", [28] = "gpr28", [29] = "gpr29",
	[30] = "gpr30", [31] = "gpr31", [65] = "link",  [66] = "ctr",   [76] = "xer",
};

const struct tfs_machine tfs_machine_ppc64le = {
	.name = "ppc64le",
	.elf = EM_PPC64,
	.bits = 64,
	.big = false,
	.reg = regs,
	.n_reg = ARRAY_SIZE(regs),
	.sp = 1,
	.zero = -1,
	.fp_first = 32,
	.fp_last = 63,
	.ret = 3,
	.more = " nip msr ccr softe trap dar dsisr ",
	.arg = { "gpr3", "gpr4", "gpr5", "gpr6", "gpr7", "gpr8", "gpr9", "gpr10" },
	.arg_stack = -1,
	/* the back chain and three words more, then a doubleword for each of gpr3 to gpr10 */
	.saved = 32 + 8 * 8,
};
