/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/dwarf4.h"

#if __SIZEOF_POINTER__ == 8
#define ADDR ".8byte"
#else
#define ADDR ".4byte"
#endif

/*
 * Each function has one byte of code, and its copy the same one. Subsection 1 follows what
 * compilers write, which clang takes for the beginning of the section.
 */
__asm__(".pushsection .debug_abbrev,1,\"\",%progbits\n"
	"dwarf4_abbrev:\n"
	/* compile_unit: language, name */
	".uleb128 1, 0x11\n .byte 1\n .uleb128 0x13, 0x0b, 0x03, 0x08, 0, 0\n"
	/* namespace: name */
	".uleb128 2, 0x39\n .byte 1\n .uleb128 0x03, 0x08, 0, 0\n"
	/* structure_type: name */
	".uleb128 3, 0x13\n .byte 1\n .uleb128 0x03, 0x08, 0, 0\n"
	/* subprogram: name, low_pc, high_pc */
	".uleb128 4, 0x2e\n .byte 1\n .uleb128 0x03, 0x08, 0x11, 0x01, 0x12, 0x0b, 0, 0\n"
	/* inlined_subroutine: abstract_origin, low_pc, high_pc */
	".uleb128 5, 0x1d\n .byte 0\n .uleb128 0x31, 0x13, 0x11, 0x01, 0x12, 0x0b, 0, 0\n"
	".byte 0\n"
	".popsection\n"

	".pushsection .debug_info,1,\"\",%progbits\n"
	"dwarf4_begin: .4byte 8f - 7f\n"
	"7: .2byte 4\n .4byte dwarf4_abbrev\n .byte " /* address size */
#if __SIZEOF_POINTER__ == 8
	"8\n"
#else
	"4\n"
#endif
	".uleb128 1\n .byte 0x04\n .asciz \"dwarf4.cc\"\n"
	".set dwarf4_i, 0\n"
	".rept 256\n"
	".pushsection .text\n 1: .byte 0\n .popsection\n"
	".uleb128 2\n .byte 'a' + dwarf4_i / 16, 'a' + dwarf4_i % 16, 0\n"
	".uleb128 3\n .asciz \"S\"\n"
	"2: .uleb128 4\n .asciz \"f\"\n " ADDR " 1b\n .byte 1\n"
	".uleb128 5\n .4byte 2b - dwarf4_begin\n " ADDR " 1b\n .byte 1\n"
	".byte 0, 0, 0\n"
	".set dwarf4_i, dwarf4_i + 1\n"
	".endr\n"
	".byte 0\n"
	"8:\n"
	".popsection\n");

const char *dwarf4_unit(void)
{
	return "dwarf4.cc";
}
