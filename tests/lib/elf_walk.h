/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_LIB_ELF_WALK_H
#define TESTS_LIB_ELF_WALK_H

#include <stddef.h>

/**
 * elf_walk_bytes() - a program with debug information, through all that tc-probe does with one:
 * functions, the parameters of each, lines, variables, explanations, markers, linkage stubs
 * @bytes: an ELF file; or "ELF2", 8 hexadecimal digits with the size of the first, an ELF file and
 *	the .dwo ("second.dwo") that its split unit is in
 *
 * The results do not matter. Aborts where the library breaks a promise: an error without a
 * message, a definition that the kernel would refuse. Files are made in a directory of their own.
 */
void elf_walk_bytes(const void *bytes, size_t size);

#endif
