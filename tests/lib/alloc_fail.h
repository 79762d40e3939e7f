/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_LIB_ALLOC_FAIL_H
#define TESTS_LIB_ALLOC_FAIL_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Memory that runs out when a test says so. Link with --wrap for malloc, calloc, realloc and strdup
 * (WRAP in Makefile.in); what libc allocates for itself is not concerned.
 */

/** alloc_fail_at() - let allocation number @n from now on fail (0: the next), once */
void alloc_fail_at(size_t n);
/** alloc_fail_off() - no more failures. Return: whether one happened since alloc_fail_at() */
bool alloc_fail_off(void);

#endif
