/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "fleet/opts.h"
#include "main.h"

/* main.c is not linked here */
const struct tc_command tc_command = { .name = "tc-fleet" };

/* Undoes "%XX". */
static void decode(const char *folder, char *out)
{
	static const char digits[] = "0123456789ABCDEF";

	while (*folder) {
		if (*folder != '%') {
			*out++ = *folder++;
			continue;
		}
		*out++ = (char)((strchr(digits, folder[1]) - digits) * 16 +
				(strchr(digits, folder[2]) - digits));
		folder += 3;
	}
	*out = '\0';
}

static void each_host_has_a_folder_of_its_own(void **state)
{
	static const char *const hosts[][2] = {
		{ "web1", "web1" },
		{ "root@db.example.org", "root@db.example.org" },
		{ "a/b", "a%2Fb" },
		{ "a_b", "a_b" },
		{ "a%2Fb", "a%252Fb" },
		{ "..", "%2E." },
		{ ".", "%2E" },
		{ "fe80::1%eth0", "fe80::1%25eth0" },
		{ "[::1]", "%5B::1%5D" },
		{ "fleet.tab", "%66leet.tab" },
		{ "manifest.json", "%6Danifest.json" },
		{ "g\xc3\xa4st", "g%C3%A4st" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(hosts) / sizeof(*hosts); i++) {
		struct tfs_strbuf folder = TFS_STRBUF_INIT;
		char name[64];

		assert_int_equal(fleet_folder(hosts[i][0], &folder), 0);
		assert_string_equal(folder.s, hosts[i][1]);
		decode(folder.s, name);
		assert_string_equal(name, hosts[i][0]);
		tfs_strbuf_release(&folder);
	}
}

static void hosts_are_read_and_doubtful_ones_refused(void **state)
{
	static const char *const bad[] = { "-oProxyCommand=x", "a,a", "a b", "a\nb", "" };
	struct fleet_request req = { .max_parallel = 1 };
	struct tfs_strvec hosts = TFS_STRVEC_INIT;
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	assert_int_equal(tfs_strvec_push(&req.on, "a,user@b,c"), 0);
	assert_int_equal(fleet_hosts(&req, &hosts, &err), 0);
	assert_int_equal(hosts.n, 3);
	assert_string_equal(hosts.v[1], "user@b");
	tfs_strvec_release(&hosts);
	tfs_strvec_release(&req.on);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(tfs_strvec_push(&req.on, bad[i]), 0);
		assert_int_equal(fleet_hosts(&req, &hosts, &err), -EINVAL);
		tfs_strvec_release(&hosts);
		tfs_strvec_release(&req.on);
	}
}

static void words_reach_the_other_shell_unchanged(void **state)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	(void)state;
	assert_int_equal(fleet_quote(&sb, "it's $HOME;\n`x`"), 0);
	assert_string_equal(sb.s, " 'it'\\''s $HOME;\n`x`'");
	tfs_strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_host_has_a_folder_of_its_own),
		cmocka_unit_test(hosts_are_read_and_doubtful_ones_refused),
		cmocka_unit_test(words_reach_the_other_shell_unchanged),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
