/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/sha256.h"

static void the_examples_of_the_standard(void **state)
{
	static const char *const texts[][2] = {
		{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	};
	struct tfs_sha256 s;
	char text[TFS_SHA256_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		tfs_sha256_init(&s);
		tfs_sha256_add(&s, texts[i][0], strlen(texts[i][0]));
		tfs_sha256_end(&s, text);
		assert_string_equal(text, texts[i][1]);
	}
	tfs_sha256_init(&s);
	for (int i = 0; i < 1000000; i++)
		tfs_sha256_add(&s, "a", 1);
	tfs_sha256_end(&s, text);
	assert_string_equal(text,
			    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* The sum of the sums that sha256sum(1) prints for 0 to 299 bytes, by sha256sum */
static void any_length_in_any_pieces_is_as_by_sha256sum(void **state)
{
	char text[TFS_SHA256_TEXT];

	(void)state;
	for (size_t piece = 1; piece < 200; piece += 13) {
		struct tfs_sha256 all;

		tfs_sha256_init(&all);
		for (size_t n = 0; n < 300; n++) {
			struct tfs_sha256 s;
			unsigned char data[300];

			for (size_t i = 0; i < n; i++)
				data[i] = (unsigned char)(i * 7 + n);
			tfs_sha256_init(&s);
			for (size_t i = 0; i < n; i += piece)
				tfs_sha256_add(&s, data + i, n - i < piece ? n - i : piece);
			tfs_sha256_end(&s, text);
			tfs_sha256_add(&all, text, TFS_SHA256_TEXT - 1);
		}
		tfs_sha256_end(&all, text);
		assert_string_equal(
			text, "def85da8f53f8ad58eda585dce61c0d7bfbb3da6924badae49d32d11288c576f");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_examples_of_the_standard),
		cmocka_unit_test(any_length_in_any_pieces_is_as_by_sha256sum),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
