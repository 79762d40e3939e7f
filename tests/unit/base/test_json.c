/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/inert.h"
#include "base/json.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "lib/alloc_fail.h"

static void write_all(struct tfs_json *j)
{
	tfs_json_open(j, NULL, '{');
	tfs_json_text(j, "a\"b", "1\n");
	tfs_json_text(j, "none", NULL);
	tfs_json_open(j, "list", '[');
	tfs_json_int(j, NULL, -5);
	tfs_json_open(j, NULL, '{');
	tfs_json_bool(j, "yes", true);
	tfs_json_bool(j, "no", false);
	tfs_json_close(j, '}');
	tfs_json_open(j, NULL, '[');
	tfs_json_close(j, ']');
	tfs_json_close(j, ']');
	tfs_json_close(j, '}');
}

static const char document[] = "{\n\"a\\\"b\":\"1\\n\",\n\"none\":null,\n\"list\":[\n-5,\n"
			       "{\"yes\":true,\"no\":false},\n[]\n]\n}\n";

static void nesting_gives_commas_and_lines(void **state)
{
	struct tfs_json j = TFS_JSON_INIT;

	(void)state;
	write_all(&j);
	assert_int_equal(j.rc, 0);
	assert_string_equal(j.text.s, document);
	tfs_json_release(&j);
}

/* RFC 8259, 7; what is not ASCII is not UTF-8 here */
static void a_character_is_written_the_same_wherever_it_stands(void **state)
{
	static const char letters[] = "abcdefghijklmnopqrstuvw";
	const size_t n = sizeof(letters) - 1;
	char text[sizeof(letters)];
	size_t at;

	(void)state;
	for (unsigned int c = 0; c < 256; c++) {
		struct tfs_strbuf alone = TFS_STRBUF_INIT, out = TFS_STRBUF_INIT;
		unsigned char byte = (unsigned char)c;
		bool plain = c >= ' ' && c < 0x7f && c != '"' && c != '\\';

		assert_int_equal(tfs_json_string(&alone, &byte, 1), 0);
		assert_int_equal(alone.s[1] == '\\', !plain);
		if (plain)
			assert_int_equal((unsigned char)alone.s[1], c);
		for (at = 0; at < n; at++) {
			memcpy(text, letters, sizeof(text));
			text[at] = (char)byte;
			tfs_strbuf_reset(&out);
			assert_int_equal(tfs_json_string(&out, text, n), 0);
			assert_int_equal(out.len, n + alone.len - 1);
			assert_memory_equal(out.s + 1, letters, at);
			assert_memory_equal(out.s + 1 + at, alone.s + 1, alone.len - 2);
			assert_memory_equal(out.s + at + alone.len - 1, letters + at + 1,
					    n - at - 1);
		}
		tfs_strbuf_release(&alone);
		tfs_strbuf_release(&out);
	}
}

static void an_empty_document_is_one(void **state)
{
	struct tfs_json j = TFS_JSON_INIT;

	(void)state;
	tfs_json_open(&j, NULL, '{');
	tfs_json_close(&j, '}');
	assert_string_equal(j.text.s, "{}\n");
	tfs_json_release(&j);
}

static void out_of_memory_is_reported_at_the_end(void **state)
{
	(void)state;
	for (unsigned int n = 0;; n++) {
		struct tfs_json j = TFS_JSON_INIT;
		int rc;

		alloc_fail_at(n);
		write_all(&j);
		alloc_fail_off();
		rc = j.rc;
		if (!rc)
			assert_string_equal(j.text.s, document);
		else
			assert_int_equal(rc, -ENOMEM);
		tfs_json_release(&j);
		if (!rc)
			return;
		assert_true(n < 50);
	}
}

/* Whether bytes become UTF-8 before they are quoted or after, the text is the same. */
static void bytes_become_utf8_in_whole_documents(void **state)
{
	static const char *const texts[] = {
		"",
		"plain \"quoted\" \\ \n",
		"caf\xc3\xa9",
		"caf\xe9",
		"a\\xe9",
		"\\\\x \\",
		"\xe9\\x\xe9",
		"\xe2\x82",
		"\x7f\\udce9",
		"\\",
	};
	struct tfs_strbuf escaped = TFS_STRBUF_INIT, want = TFS_STRBUF_INIT, got = TFS_STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		tfs_strbuf_reset(&escaped);
		assert_int_equal(tfs_utf8_escape(&escaped, texts[i], strlen(texts[i])), 0);
		assert_int_equal(tfs_json_string(&want, escaped.s, escaped.len), 0);
		assert_int_equal(tfs_json_string(&got, texts[i], strlen(texts[i])), 0);
	}
	assert_int_equal(tfs_json_utf8(&got, 0), 0);
	assert_string_equal(got.s, want.s);
	assert_int_equal(got.len, want.len);
	/* Only the rest */
	tfs_strbuf_reset(&got);
	assert_int_equal(tfs_json_string(&got, "\xe9", 1), 0);
	assert_int_equal(tfs_json_string(&got, "\xe9", 1), 0);
	assert_int_equal(tfs_json_utf8(&got, got.len / 2), 0);
	assert_string_equal(got.s, "\"\\udce9\"\"\\\\xe9\"");
	tfs_strbuf_release(&escaped);
	tfs_strbuf_release(&want);
	tfs_strbuf_release(&got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nesting_gives_commas_and_lines),
		cmocka_unit_test(a_character_is_written_the_same_wherever_it_stands),
		cmocka_unit_test(an_empty_document_is_one),
		cmocka_unit_test(bytes_become_utf8_in_whole_documents),
		cmocka_unit_test(out_of_memory_is_reported_at_the_end),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
