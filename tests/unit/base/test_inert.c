/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control characters of ECMA-48; marks of direction and separators of Unicode (UAX #9, #14) */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/inert.h"
#include "base/json.h"
#include "base/macros.h"
#include "base/strbuf-core.h"

static void assert_inert(const char *text, const char *want)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	assert_int_equal(tfs_strbuf_adds(&sb, text), 0);
	assert_int_equal(tfs_inert_rest(&sb, 0, TFS_INERT_NONE), 0);
	assert_string_equal(sb.s, want);
	tfs_strbuf_release(&sb);
}

static void controls_are_escaped(void **state)
{
	(void)state;
	assert_inert("a\tb\n\r\033[2J\177", "a\tb\\n\\r\\x1b[2J\\x7f");
	assert_inert("\302\233\233\377x", "\\xc2\\x9b\\x9b\\xffx");
	assert_inert("\303\244\342\202\254\360\237\230\200",
		     "\303\244\342\202\254\360\237\230\200");
}

static void marks_of_direction_are_escaped(void **state)
{
	static const uint16_t marks[] = { 0x061c, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b,
					  0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069 };
	static const uint16_t others[] = { 0x061b, 0x061d, 0x200d, 0x2010, 0x2027,
					   0x202f, 0x2065, 0x206a, 0x20ac };
	struct tfs_strbuf json = TFS_STRBUF_INIT;
	char text[8], want[32], quoted[16];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(marks) + ARRAY_SIZE(others); i++) {
		const bool mark = i < ARRAY_SIZE(marks);
		const unsigned int c = mark ? marks[i] : others[i - ARRAY_SIZE(marks)];

		if (c < 0x800)
			snprintf(text, sizeof(text), "%c%c", 0xc0 | c >> 6, 0x80 | (c & 63));
		else
			snprintf(text, sizeof(text), "%c%c%c", 0xe0 | c >> 12, 0x80 | (c >> 6 & 63),
				 0x80 | (c & 63));
		if (!mark)
			snprintf(want, sizeof(want), "%s", text);
		else if (c < 0x800)
			snprintf(want, sizeof(want), "\\x%02x\\x%02x", text[0] & 255,
				 text[1] & 255);
		else
			snprintf(want, sizeof(want), "\\x%02x\\x%02x\\x%02x", text[0] & 255,
				 text[1] & 255, text[2] & 255);
		assert_inert(text, want);
		if (mark)
			snprintf(quoted, sizeof(quoted), "\"\\u%04x\"", c);
		else
			snprintf(quoted, sizeof(quoted), "\"%s\"", text);
		tfs_strbuf_reset(&json);
		assert_int_equal(tfs_json_string(&json, text, strlen(text)), 0);
		assert_string_equal(json.s, quoted);
	}
	tfs_strbuf_release(&json);
}

static void bytes_that_are_not_utf8_are_escaped(void **state)
{
	static const struct {
		const char *from, *to;
	} texts[] = {
		{ "", "" },
		{ "kworker/0:1", "kworker/0:1" },
		{ "caf\xc3\xa9", "caf\xc3\xa9" },
		{ "caf\xe9", "caf\\xe9" },
		/* An escape that was in the text is escaped; other backslashes stay. */
		{ "a\\xe9", "a\\x5cxe9" },
		{ "\\n\\", "\\n\\" },
		/* A surrogate, an overlong slash, a sequence that is cut short */
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80" },
		{ "\xc0\xaf", "\\xc0\\xaf" },
		{ "\xe2\x82", "\\xe2\\x82" },
	};
	struct tfs_strbuf out = TFS_STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		tfs_strbuf_reset(&out);
		assert_int_equal(tfs_utf8_escape(&out, texts[i].from, strlen(texts[i].from)), 0);
		assert_string_equal(out.s, texts[i].to);
		if (strcmp(texts[i].from, texts[i].to) != 0)
			assert_true(tfs_utf8_is_escaped(texts[i].from, strlen(texts[i].from)));
	}
	tfs_strbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_that_are_not_utf8_are_escaped),
		cmocka_unit_test(controls_are_escaped),
		cmocka_unit_test(marks_of_direction_are_escaped),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
