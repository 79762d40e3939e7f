/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_LIB_DWARF4_H
#define TESTS_LIB_DWARF4_H

/*
 * A test that calls dwarf4_unit() has one unit more in its own debug information: of C++, of DWARF
 * 4, whatever the compiler writes. In it are 256 times, with 'a' to 'p' for each X and Y:
 *
 *	namespace XY { struct S { void f() } }, and a copy of f() inlined into it
 */

enum { DWARF4_FUNCS = 256 };

/** dwarf4_unit() - what DW_AT_name of the unit is */
const char *dwarf4_unit(void);

#endif
