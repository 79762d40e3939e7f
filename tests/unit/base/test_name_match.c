/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/macros.h"
#include "base/name-match.h"

static void underscores_prefixes_and_suffixes_do_not_count(void **state)
{
	static const char *const same[][2] = {
		{ "netif_receive_skb_core", "__netif_receive_skb_core" },
		{ "_netif_receive_skb_core", "__netif_receive_skb_core.constprop.0" },
		{ "sys_openat2", "__x64_sys_openat2" },
		{ "sys_read", "__arm64_sys_read" },
		{ "f", "f.isra.0.cold" },
		{ "_f", "f.part.3" },
		{ "f", "f.llvm.123456" },
	};
	static const char *const others[][2] = {
		{ "do_sys_open", "do_sys_openat2" },
		{ "sys_read", "__ia32_sys_read" },
		{ "sys_read", "__se_sys_read" },
		{ "f", "f.c" },
		{ "f", "g" },
		{ "_", "__" },
		{ "", "" },
		{ "f_", "f" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(same); i++) {
		assert_true(tfs_func_same_name(same[i][0], same[i][1]));
		assert_true(tfs_func_same_name(same[i][1], same[i][0]));
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		assert_false(tfs_func_same_name(others[i][0], others[i][1]));
		assert_false(tfs_func_same_name(others[i][1], others[i][0]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(underscores_prefixes_and_suffixes_do_not_count),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
