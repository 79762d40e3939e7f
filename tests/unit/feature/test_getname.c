/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/strbuf-core.h"
#include "feature/getname.h"

/* Lines of the kernels named, in their order */
static const struct {
	const char *text, *func;
} lists[] = {
	/* available_filter_functions of 6.1 and 6.12 */
	{ "getname_statx_lookup_flags\ngetname_kernel\ngetname_flags.part.0\ngetname_flags\n"
	  "getname_uflags\ngetname\n",
	  "getname_flags.part.0" },
	/* of 7.3 */
	{ "do_getname_kernel\ngetname_kernel\ndo_getname\ngetname_flags\ngetname_uflags\n",
	  "do_getname" },
	/* of a kernel whose compiler did not split it, with a module's */
	{ "getname_flags_of_mine [mine]\ngetname_flags\n", "getname_flags" },
	{ "getname_flags.cold\ngetname_flags", "getname_flags" },
	/* kallsyms of 6.12 */
	{ "ffffffff8146c0e0 T __pfx_getname_flags\nffffffff8146c2a0 t getname_flags.part.0\n"
	  "ffffffff8146c4b0 T getname_flags\nffffffffc0123000 t getname_flags\t[mine]\n",
	  "getname_flags.part.0" },
};

static void the_function_that_all_copies_come_from_is_chosen(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct tfs_strbuf func = TFS_STRBUF_INIT;

		assert_int_equal(tfs_getname_pick(lists[i].text, &func), 0);
		assert_string_equal(func.s, lists[i].func);
		tfs_strbuf_release(&func);
	}
}

static void a_kernel_without_one_is_known(void **state)
{
	struct tfs_strbuf func = TFS_STRBUF_INIT;

	(void)state;
	assert_int_equal(tfs_getname_pick("getname\ngetname_kernel\n", &func), -ENOENT);
	assert_int_equal(tfs_getname_pick("", &func), -ENOENT);
	tfs_strbuf_release(&func);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_function_that_all_copies_come_from_is_chosen),
		cmocka_unit_test(a_kernel_without_one_is_known),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("getname", tests, NULL, NULL);
}
