/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "format/header-page.h"
#include "lib/fake.h"

/* from a 32-bit kernel (kernel/trace/ring_buffer.c, local_t has 4 bytes) */
static const char narrow[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
			     "\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"
			     "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
			     "\tfield: char data;\toffset:12;\tsize:4084;\tsigned:0;\n";

static void kernels_describe_their_sub_buffers(void **state)
{
	struct tfs_header_page h;
	struct fake fake;
	const char *text;

	(void)state;
	fake_new(&fake, "x86_64-6.18");
	text = fake_get(&fake, "events/header_page");
	assert_int_equal(tfs_header_page_parse(text, strlen(text), &h, NULL), 0);
	fake_free(&fake);
	assert_int_equal(h.commit_offset, 8);
	assert_int_equal(h.commit_size, 8);
	assert_int_equal(h.data_offset, 16);
	assert_int_equal(h.data_size, 4080);
	assert_int_equal(tfs_header_page_parse(narrow, sizeof(narrow) - 1, &h, NULL), 0);
	assert_int_equal(h.commit_size, 4);
	assert_int_equal(h.data_offset, 12);
	assert_int_equal(h.data_size, 4084);
}

static void a_missing_field_is_named(void **state)
{
	static const char data[] = "\tfield: char data;\toffset:12;\tsize:4084;\n";
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_header_page h;

	(void)state;
	assert_int_equal(tfs_header_page_parse("", 0, &h, &err), -EBADMSG);
	assert_string_equal(err.msg, "header_page has no field 'commit'");
	assert_int_equal(tfs_header_page_parse(data, sizeof(data) - 1, &h, NULL), -EBADMSG);
	assert_int_equal(tfs_header_page_parse(narrow, 120, &h, &err), -EBADMSG);
	assert_string_equal(err.msg, "header_page has no field 'data'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_describe_their_sub_buffers),
		cmocka_unit_test(a_missing_field_is_named),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
