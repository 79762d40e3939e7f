/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/strbuf-core.h"
#include "lib/alloc_fail.h"
#include "view/export-value.h"

typedef int encode_fn(struct tfs_strbuf *out, const void *s, size_t len);

static void gives_bytes(encode_fn *encode, const char *s, size_t len, const char *want)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	assert_int_equal(encode(&sb, s, len), 0);
	assert_string_equal(sb.s, want);
	assert_int_equal(sb.len, strlen(want));
	tfs_strbuf_release(&sb);
}

static void gives(encode_fn *encode, const char *s, const char *want)
{
	gives_bytes(encode, s, strlen(s), want);
}

static void json_escapes_control_characters_and_quotes(void **state)
{
	(void)state;
	gives(tfs_json_string, "", "\"\"");
	gives(tfs_json_string, "swapper/0", "\"swapper/0\"");
	gives(tfs_json_string, "a\"b\\c", "\"a\\\"b\\\\c\"");
	gives(tfs_json_string, "\b\t\n\f\r", "\"\\b\\t\\n\\f\\r\"");
	gives(tfs_json_string, "\x01\x0b\x1b\x1f \x7f", "\"\\u0001\\u000b\\u001b\\u001f \\u007f\"");
	gives(tfs_json_string, "\xc2\x80\xc2\x9b\xc2\x9f", "\"\\u0080\\u009b\\u009f\"");
	gives_bytes(tfs_json_string, "a\0b", 3, "\"a\\u0000b\"");
}

static void json_keeps_utf8(void **state)
{
	static const char *const good[] = {
		"\xc2\xa0",         "\xdf\xbf",         "\xe0\xa0\x80",
		"\xed\x9f\xbf",     "\xee\x80\x80",     "\xef\xbf\xbf",
		"\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "\xc3\xa4\xe2\x82\xac",
	};
	char want[32];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(good) / sizeof(*good); i++) {
		snprintf(want, sizeof(want), "\"%s\"", good[i]);
		gives(tfs_json_string, good[i], want);
	}
}

static void json_keeps_other_bytes_as_surrogates(void **state)
{
	(void)state;
	gives(tfs_json_string, "\x80", "\"\\udc80\"");
	gives(tfs_json_string,
	      "a\xff"
	      "b",
	      "\"a\\udcffb\"");
	/* too long, a surrogate, above the last character, cut short */
	gives(tfs_json_string, "\xc0\x80", "\"\\udcc0\\udc80\"");
	gives(tfs_json_string, "\xc1\xbf", "\"\\udcc1\\udcbf\"");
	gives(tfs_json_string, "\xe0\x9f\xbf", "\"\\udce0\\udc9f\\udcbf\"");
	gives(tfs_json_string, "\xed\xa0\x80", "\"\\udced\\udca0\\udc80\"");
	gives(tfs_json_string, "\xf0\x8f\xbf\xbf", "\"\\udcf0\\udc8f\\udcbf\\udcbf\"");
	gives(tfs_json_string, "\xf4\x90\x80\x80", "\"\\udcf4\\udc90\\udc80\\udc80\"");
	gives(tfs_json_string, "\xf5\x80\x80\x80", "\"\\udcf5\\udc80\\udc80\\udc80\"");
	gives(tfs_json_string, "\xe2\x82", "\"\\udce2\\udc82\"");
	gives(tfs_json_string, "\xe2\x82x", "\"\\udce2\\udc82x\"");
	gives(tfs_json_string, "\xc3", "\"\\udcc3\"");
}

static void json_numbers_beyond_doubles_are_strings(void **state)
{
	static const struct {
		int64_t n;
		const char *is_signed, *is_unsigned;
	} rows[] = {
		{ 0, "0", "0" },
		{ 9007199254740991, "9007199254740991", "9007199254740991" },
		{ 9007199254740992, "\"9007199254740992\"", "\"9007199254740992\"" },
		{ -9007199254740991, "-9007199254740991", "\"18437736874454810625\"" },
		{ -9007199254740992, "\"-9007199254740992\"", "\"18437736874454810624\"" },
		{ -1, "-1", "\"18446744073709551615\"" },
		{ INT64_MAX, "\"9223372036854775807\"", "\"9223372036854775807\"" },
		{ INT64_MIN, "\"-9223372036854775808\"", "\"9223372036854775808\"" },
	};
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		tfs_strbuf_reset(&sb);
		assert_int_equal(tfs_json_signed(&sb, rows[i].n), 0);
		assert_string_equal(sb.s, rows[i].is_signed);
		tfs_strbuf_reset(&sb);
		assert_int_equal(tfs_json_unsigned(&sb, (uint64_t)rows[i].n), 0);
		assert_string_equal(sb.s, rows[i].is_unsigned);
	}
	tfs_strbuf_release(&sb);
}

static void csv_quotes_where_rfc4180_says(void **state)
{
	(void)state;
	gives(tfs_csv_cell, "", "");
	gives(tfs_csv_cell, "a b;c'd\te", "a b;c'd\te");
	gives(tfs_csv_cell, "a,b", "\"a,b\"");
	gives(tfs_csv_cell, "a\"b\"", "\"a\"\"b\"\"\"");
	gives(tfs_csv_cell, "a\nb", "\"a\nb\"");
	gives(tfs_csv_cell, "a\rb", "\"a\rb\"");
	gives(tfs_csv_cell, "\xff,", "\"\xff,\"");
}

static void tab_separated_cells_stay_one_word_of_one_line(void **state)
{
	(void)state;
	gives(tfs_tab_cell, "", "");
	gives(tfs_tab_cell, "a b,\"c\"", "a b,\"c\"");
	gives(tfs_tab_cell, "a\tb\nc\\d", "a\\tb\\nc\\\\d");
	gives(tfs_tab_cell, "\r\x1b[m\x7f\xff", "\\x0d\\x1b[m\\x7f\xff");
}

static void bytes_are_two_digits(void **state)
{
	(void)state;
	gives(tfs_hex_bytes, "", "");
	gives_bytes(tfs_hex_bytes, "\x00\x0f\xf0\xff", 4, "000ff0ff");
}

static void without_memory_it_says_so(void **state)
{
	encode_fn *const all[] = { tfs_json_string, tfs_csv_cell, tfs_tab_cell, tfs_hex_bytes };
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		alloc_fail_at(0);
		assert_int_equal(all[i](&sb, "a,b", 3), -ENOMEM);
		assert_true(alloc_fail_off());
		assert_int_equal(sb.len, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_escapes_control_characters_and_quotes),
		cmocka_unit_test(json_keeps_utf8),
		cmocka_unit_test(json_keeps_other_bytes_as_surrogates),
		cmocka_unit_test(json_numbers_beyond_doubles_are_strings),
		cmocka_unit_test(csv_quotes_where_rfc4180_says),
		cmocka_unit_test(tab_separated_cells_stay_one_word_of_one_line),
		cmocka_unit_test(bytes_are_two_digits),
		cmocka_unit_test(without_memory_it_says_so),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
