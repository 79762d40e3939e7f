/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_LIB_THEIR_LEAKS_H
#define TESTS_LIB_THEIR_LEAKS_H

/*
 * For one source file of a test program, that with main(): LeakSanitizer passes over what
 * libtraceevent 1.7 does not free: tokens of filters and print formats that it reads, names in
 * lines of saved_cmdlines that it refuses. Whose they are shows in whole stacks only, which libc's
 * functions without frame pointers cut short.
 */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
__attribute__((visibility("default"))) const char *__asan_default_options(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:tep_filter_add_filter_str\n"
	       "leak:tep_parse_format\n"
	       "leak:tep_parse_saved_cmdlines\n";
}

const char *__asan_default_options(void)
{
	return "fast_unwind_on_malloc=0:print_suppressions=0";
}

#endif
