/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/print-helpers.h"

#include <string.h>

#include "base/macros.h"

/* Errors are the last page of addresses: <linux/err.h> */
#define IS_ERROR "((unsigned long)(a) >= (unsigned long)-4095)"

#define SWAPS(name, bits)                                                                      \
	{ "be" #bits "_to_cpu" name, "(u" #bits ")(BIG ? (a) : __swab" #bits "(a))" },         \
		{ "cpu_to_be" #bits name, "(u" #bits ")(BIG ? (a) : __swab" #bits "(a))" },    \
		{ "le" #bits "_to_cpu" name, "(u" #bits ")(BIG ? __swab" #bits "(a) : (a))" }, \
	{                                                                                      \
		"cpu_to_le" #bits name, "(u" #bits ")(BIG ? __swab" #bits "(a) : (a))"         \
	}

/*
 * From <linux/math64.h>, <linux/string_choices.h>, <linux/byteorder/generic.h>, <linux/ktime.h>,
 * <linux/err.h> and <linux/uidgid.h>. The latter's numbers are those of the first namespace.
 */
static const struct {
	const char *name, *body;
} helpers[] = {
	{ "div_s64", "(s64)(a) / (s32)(b)" },
	{ "div_u64", "(u64)(a) / (u32)(b)" },
	{ "div64_s64", "(s64)(a) / (s64)(b)" },
	{ "div64_u64", "(u64)(a) / (u64)(b)" },
	{ "div64_long", "(s64)(a) / (long)(b)" },
	{ "div64_ul", "(u64)(a) / (unsigned long)(b)" },
	{ "str_assert_deassert", "(a) ? \"assert\" : \"deassert\"" },
	{ "str_deassert_assert", "(a) ? \"deassert\" : \"assert\"" },
	{ "str_disable_enable", "(a) ? \"disable\" : \"enable\"" },
	{ "str_disabled_enabled", "(a) ? \"disabled\" : \"enabled\"" },
	{ "str_down_up", "(a) ? \"down\" : \"up\"" },
	{ "str_enable_disable", "(a) ? \"enable\" : \"disable\"" },
	{ "str_enabled_disabled", "(a) ? \"enabled\" : \"disabled\"" },
	{ "str_false_true", "(a) ? \"false\" : \"true\"" },
	{ "str_hi_lo", "(a) ? \"hi\" : \"lo\"" },
	{ "str_high_low", "(a) ? \"high\" : \"low\"" },
	{ "str_input_output", "(a) ? \"input\" : \"output\"" },
	{ "str_lo_hi", "(a) ? \"lo\" : \"hi\"" },
	{ "str_low_high", "(a) ? \"low\" : \"high\"" },
	{ "str_no_yes", "(a) ? \"no\" : \"yes\"" },
	{ "str_off_on", "(a) ? \"off\" : \"on\"" },
	{ "str_on_off", "(a) ? \"on\" : \"off\"" },
	{ "str_output_input", "(a) ? \"output\" : \"input\"" },
	{ "str_plural", "(a) == 1 ? \"\" : \"s\"" },
	{ "str_read_write", "(a) ? \"read\" : \"write\"" },
	{ "str_true_false", "(a) ? \"true\" : \"false\"" },
	{ "str_up_down", "(a) ? \"up\" : \"down\"" },
	{ "str_write_read", "(a) ? \"write\" : \"read\"" },
	{ "str_yes_no", "(a) ? \"yes\" : \"no\"" },
	{ "ntohs", "(u16)(BIG ? (a) : __swab16(a))" },
	{ "htons", "(u16)(BIG ? (a) : __swab16(a))" },
	{ "ntohl", "(u32)(BIG ? (a) : __swab32(a))" },
	{ "htonl", "(u32)(BIG ? (a) : __swab32(a))" },
	SWAPS("", 16),
	SWAPS("", 32),
	SWAPS("", 64),
	{ "le16_to_cpup", "(u16)(BIG ? __swab16(*(u16 *)(a)) : *(u16 *)(a))" },
	{ "le32_to_cpup", "(u32)(BIG ? __swab32(*(u32 *)(a)) : *(u32 *)(a))" },
	{ "le64_to_cpup", "(u64)(BIG ? __swab64(*(u64 *)(a)) : *(u64 *)(a))" },
	{ "be16_to_cpup", "(u16)(BIG ? *(u16 *)(a) : __swab16(*(u16 *)(a)))" },
	{ "be32_to_cpup", "(u32)(BIG ? *(u32 *)(a) : __swab32(*(u32 *)(a)))" },
	{ "be64_to_cpup", "(u64)(BIG ? *(u64 *)(a) : __swab64(*(u64 *)(a)))" },
	{ "ktime_to_ns", "(s64)(a)" },
	{ "ktime_to_us", "(s64)(a) / 1000" },
	{ "ktime_to_ms", "(s64)(a) / 1000000" },
	{ "IS_ERR", IS_ERROR },
	{ "IS_ERR_OR_NULL", "!(a) || " IS_ERROR },
	{ "PTR_ERR", "(long)(a)" },
	{ "PTR_ERR_OR_ZERO", IS_ERROR " ? (int)(long)(a) : 0" },
	{ "ERR_PTR", "(void *)(a)" },
	{ "from_kuid", "(u32)(b)" },
	{ "from_kuid_munged", "(u32)(b)" },
	{ "from_kgid", "(u32)(b)" },
	{ "from_kgid_munged", "(u32)(b)" },
	{ "from_kprojid", "(u32)(b)" },
	{ "__kuid_val", "(u32)(a)" },
	{ "__kgid_val", "(u32)(a)" },
};

const char *tfs_print_helper(const char *name, size_t len)
{
	const char *bare = name;
	size_t i;

	/* "__be16_to_cpu" is "be16_to_cpu" */
	if (len > 10 && !memcmp(name, "__", 2) && memmem(name, len, "_cpu", 4)) {
		bare += 2;
		len -= 2;
	}
	for (i = 0; i < ARRAY_SIZE(helpers); i++)
		if (strlen(helpers[i].name) == len && !memcmp(helpers[i].name, bare, len))
			return helpers[i].body;
	return NULL;
}
