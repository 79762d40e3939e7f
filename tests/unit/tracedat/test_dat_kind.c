/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracedat/dat-kind.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/macros.h"

/* Heads as file(1)'s magic has them: RFC 1952, RFC 8878, the xz format, perf.data, libpcap, ELF */
static void a_foreign_file_is_named_with_who_reads_it(void **state)
{
	static const struct {
		const char *head;
		size_t n;
		const char *kind, *hint;
	} cases[] = {
		{ "\x1f\x8b\x08\0\0\0\0\0", 8, "gzip", "gzip -dc" },
		{ "\x28\xb5\x2f\xfd\x04", 5, "zstd", "zstd -dc" },
		{ "\xfd"
		  "7zXZ\0\0\4",
		  8, "xz", "xz -dc" },
		{ "BZh91AY&SY", 10, "bzip2", "bzip2 -dc" },
		{ "PERFILE2\x68\0\0\0", 12, "perf", "perf script" },
		{ "\xd4\xc3\xb2\xa1\2\0\4\0", 8, "packet capture", "tcpdump -r" },
		{ "\x0a\x0d\x0d\x0a\x1c\0\0\0", 8, "packet capture", "tcpdump -r" },
		{ "\177ELF\2\1\1\0", 8, "ELF", "tc-record" },
		{ "# tracer: nop\n#\n", 16, "text", "not the text" },
		{ "caf\xc3\xa9\n", 6, "text", "not the text" },
		{ "", 0, "empty", "makes one" },
	};
	struct tfs_err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		err = TFS_ERR_INIT;
		assert_int_equal(tfs_dat_say_kind(cases[i].head, cases[i].n, &err), -EBADMSG);
		assert_non_null(strstr(err.msg, "not a trace.dat file"));
		assert_non_null(strstr(err.msg, cases[i].kind));
		assert_non_null(strstr(err.hint, cases[i].hint));
	}
}

static void makes_no_claim_about_other_bytes(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	assert_int_equal(tfs_dat_say_kind("\x1f\x8c\0\1", 4, &err), -EBADMSG);
	assert_string_equal(err.msg, "not a trace.dat file");
	assert_string_equal(err.hint, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_foreign_file_is_named_with_who_reads_it),
		cmocka_unit_test(makes_no_claim_about_other_bytes),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
