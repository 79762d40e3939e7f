/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_LIB_SKIP_H
#define TESTS_LIB_SKIP_H

/** skip_because() - skip the unit test that runs, and say why; cmocka's own skip() cannot */
#define skip_because(why)                              \
	do {                                           \
		print_message("# skipped: %s\n", why); \
		skip();                                \
	} while (0)

#endif
