/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_LIB_DWARF5_H
#define TESTS_LIB_DWARF5_H

/*
 * A test that calls dwarf5_unit() has one unit more in its own debug information: of DWARF 5, whose
 * strings are numbers into .debug_str_offsets, as clang writes them and gcc does not. In it are
 * functions one_byte(), two_bytes(), three_bytes(), four_bytes() and leb(), each called after the
 * form that its name has.
 */

/** dwarf5_unit() - what DW_AT_name of the unit is */
const char *dwarf5_unit(void);

#endif
