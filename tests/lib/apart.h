/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_LIB_APART_H
#define TESTS_LIB_APART_H

/**
 * TEST_APART - of a function that a test looks at as machine code and debug information
 *
 * The compiler neither puts it into its callers nor makes a second one of it. Clang knows only the
 * first of the two, and makes no copies of functions that are called from elsewhere.
 */
#if __has_attribute(noclone)
#define TEST_APART __attribute__((noinline, noclone))
#else
#define TEST_APART __attribute__((noinline))
#endif

#endif /* TESTS_LIB_APART_H */
