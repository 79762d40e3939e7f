/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/dwarf5.h"

#if __SIZEOF_POINTER__ == 8
#define ADDR ".8byte"
#define ADDR_SIZE "8"
#else
#define ADDR ".4byte"
#define ADDR_SIZE "4"
#endif
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define THREE_BYTES ".byte 0, 0, 3\n"
#else
#define THREE_BYTES ".byte 3, 0, 0\n"
#endif

/* subprogram: name in that form, low_pc, high_pc */
#define ABBREV(number, form)                                         \
	".uleb128 " number ", 0x2e\n .byte 0\n .uleb128 0x03, " form \
	", 0x11, 0x01, 0x12, 0x0b, 0, 0\n"
#define FUNC(number, name)                                \
	".pushsection .text\n 1: .byte 0\n .popsection\n" \
	".uleb128 " number "\n " name "\n " ADDR " 1b\n .byte 1\n"

/* Subsection 1 follows what compilers write, as in dwarf4.c. */
__asm__(".pushsection .debug_str,\"MS\",%progbits,1\n"
	".subsection 1\n"
	"dwarf5_name: .asciz \"dwarf5.c\"\n"
	"dwarf5_one: .asciz \"one_byte\"\n"
	"dwarf5_two: .asciz \"two_bytes\"\n"
	"dwarf5_three: .asciz \"three_bytes\"\n"
	"dwarf5_four: .asciz \"four_bytes\"\n"
	"dwarf5_leb: .asciz \"leb\"\n"
	".popsection\n"

	".pushsection .debug_str_offsets,1,\"\",%progbits\n"
	".4byte 8f - 7f\n"
	"7: .2byte 5, 0\n"
	"dwarf5_strings: .4byte dwarf5_name, dwarf5_one, dwarf5_two, dwarf5_three, dwarf5_four\n"
	".4byte dwarf5_leb\n"
	"8:\n"
	".popsection\n"

	".pushsection .debug_abbrev,1,\"\",%progbits\n"
	"dwarf5_abbrev:\n"
	/* compile_unit: language, name, str_offsets_base */
	".uleb128 1, 0x11\n .byte 1\n .uleb128 0x13, 0x0b, 0x03, 0x25, 0x72, 0x17, 0, 0\n" /* */
	ABBREV("2", "0x25") ABBREV("3", "0x26") ABBREV("4", "0x27") ABBREV("5", "0x28")
		ABBREV("6", "0x1a") ".byte 0\n"
				    ".popsection\n"

				    ".pushsection .debug_info,1,\"\",%progbits\n"
				    ".4byte 8f - 7f\n"
				    "7: .2byte 5\n .byte 1, " ADDR_SIZE "\n .4byte dwarf5_abbrev\n"
				    ".uleb128 1\n .byte 0x0c, 0\n .4byte dwarf5_strings\n" /* */
	FUNC("2", ".byte 1") FUNC("3", ".2byte 2") FUNC("4", THREE_BYTES) FUNC("5", ".4byte 4")
		FUNC("6", ".uleb128 5") ".byte 0\n"
					"8:\n"
					".popsection\n");

const char *dwarf5_unit(void)
{
	return "dwarf5.c";
}
