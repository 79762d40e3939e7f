/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rewrite/pseudonym.h"

static struct tfs_pseudonyms *collect(const char *seed, const char *text)
{
	struct tfs_pseudonym_key key;
	struct tfs_pseudonyms *p;

	tfs_pseudonym_key_seed(&key, seed);
	p = tfs_pseudonyms_new(&key);
	assert_non_null(p);
	assert_int_equal(tfs_pseudonyms_collect(p, text, strlen(text)), 0);
	assert_int_equal(tfs_pseudonyms_assign(p), 0);
	return p;
}

static void replaced(const char *seed, const char *text, char *out)
{
	struct tfs_pseudonyms *p = collect(seed, text);

	memcpy(out, text, strlen(text) + 1);
	tfs_pseudonyms_replace(p, out, strlen(out));
	tfs_pseudonyms_free(p);
}

static void keeps_length_and_what_is_between_words(void **state)
{
	static const char path[] = "/home/alice/x-1.txt";
	char out[64];

	(void)state;
	replaced("s", path, out);
	assert_int_equal(strlen(out), strlen(path));
	for (size_t i = 0; i < strlen(path); i++) {
		if (strchr("/-.", path[i]))
			assert_int_equal(out[i], path[i]);
		else
			assert_false(strchr("/-.", out[i]) != NULL);
	}
	assert_null(strstr(out, "alice"));
	assert_true(out[14] >= '0' && out[14] <= '9');
}

static void depends_on_the_seed_only(void **state)
{
	char a[64], b[64], c[64];

	(void)state;
	replaced("one", "firefox gnome_shell", a);
	replaced("one", "firefox gnome_shell", b);
	replaced("two", "firefox gnome_shell", c);
	assert_string_equal(a, b);
	assert_string_not_equal(a, c);
	/* and on no other word */
	replaced("one", "firefox somebody", b);
	assert_memory_equal(a, b, 7);
}

static void different_words_have_different_pseudonyms(void **state)
{
	char text[26 * 2 * 2 + 1], out[sizeof(text)];
	size_t n = 0;

	(void)state;
	for (char c = 'A'; c <= 'Y'; c++) {
		text[n++] = c;
		text[n++] = ' ';
	}
	text[n] = '\0';
	replaced("s", text, out);
	for (size_t i = 0; i < n; i += 2)
		for (size_t k = 0; k < i; k += 2)
			assert_int_not_equal(out[i], out[k]);
}

static void sweeps_whole_words_of_four_letters_and_more(void **state)
{
	struct tfs_pseudonyms *p = collect("s", "bash sh 12345 alice");
	char text[] = "run bash, sh and bashful 12345 by alice";

	(void)state;
	tfs_pseudonyms_sweep(p, text, strlen(text));
	assert_null(strstr(text, "bash,"));
	assert_null(strstr(text, "alice"));
	assert_non_null(strstr(text, " sh and bashful 12345 by "));
	assert_int_equal(tfs_pseudonyms_words(p), 4);
	tfs_pseudonyms_free(p);
}

static void numbers_keep_zero_and_equality(void **state)
{
	struct tfs_pseudonyms *p = collect("s", "");
	unsigned char a[16] = { 10, 0, 0, 1 }, b[16] = { 10, 0, 0, 1 }, zero[16] = { 0 };
	static const unsigned char none[16];

	(void)state;
	tfs_pseudonyms_number(p, a, 4);
	tfs_pseudonyms_number(p, b, 4);
	assert_memory_equal(a, b, 16);
	assert_memory_not_equal(a, "\12\0\0\1", 4);
	assert_memory_equal(a + 4, none, 12);
	tfs_pseudonyms_number(p, zero, 16);
	assert_memory_equal(zero, none, 16);
	tfs_pseudonyms_free(p);
}

static void random_keys_differ(void **state)
{
	struct tfs_pseudonym_key a, b;

	(void)state;
	assert_int_equal(tfs_pseudonym_key_random(&a), 0);
	assert_int_equal(tfs_pseudonym_key_random(&b), 0);
	assert_memory_not_equal(&a, &b, sizeof(a));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_length_and_what_is_between_words),
		cmocka_unit_test(depends_on_the_seed_only),
		cmocka_unit_test(different_words_have_different_pseudonyms),
		cmocka_unit_test(sweeps_whole_words_of_four_letters_and_more),
		cmocka_unit_test(numbers_keep_zero_and_equality),
		cmocka_unit_test(random_keys_differ),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
