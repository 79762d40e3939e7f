/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strvec.h"
#include "lib/dat_build.h"
#include "rewrite/image.h"
#include "rewrite/pseudonym.h"
#include "rewrite/scrub-fields.h"
#include "tracedat/page.h"

#define RECORD 64

static const char format[] = "name: one\nID: 7\n" DAT_COMMON_FIELDS
			     "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
			     "\tfield:__data_loc char[] filename;\toffset:24;\tsize:4;\tsigned:0;\n"
			     "\tfield:__data_loc char[] msg;\toffset:28;\tsize:4;\tsigned:0;\n"
			     "\tfield:u32 saddr;\toffset:32;\tsize:4;\tsigned:0;\n"
			     "\tfield:u32 other;\toffset:36;\tsize:4;\tsigned:0;\n"
			     "\nprint fmt: \"%s\", REC->prev_comm\n";

struct fixture {
	struct tfs_image image;
	struct tfs_scrub_fields *fields;
	struct tfs_pseudonyms *words;
	struct tfs_err err;
};

static int setup(void **state)
{
	const struct tfs_blob text = { format, sizeof(format) - 1 };
	struct tfs_strvec names = TFS_STRVEC_INIT;
	struct fixture *f = calloc(1, sizeof(*f));
	struct tfs_pseudonym_key key;

	f->err = TFS_ERR_INIT;
	tfs_pseudonym_key_seed(&key, "seed");
	f->words = tfs_pseudonyms_new(&key);
	assert_int_equal(tfs_image_add_format(&f->image, "sys", 0, &text), 0);
	assert_int_equal(tfs_strvec_split(&names, "comm,filename,saddr", ","), 0);
	assert_int_equal(tfs_scrub_fields_new(&f->image, &names, &f->fields, &f->err), 0);
	tfs_strvec_release(&names);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tfs_scrub_fields_free(f->fields);
	tfs_pseudonyms_free(f->words);
	tfs_image_release(&f->image);
	free(f);
	return 0;
}

/* Strings at 40 and 52 */
static void fill(unsigned char *data, uint32_t filename, uint32_t msg)
{
	memset(data, 0, RECORD);
	data[0] = 7;
	memcpy(data + 8, "alice\0secretstuff", 16);
	memcpy(data + 24, &filename, 4);
	memcpy(data + 28, &msg, 4);
	memcpy(data + 32, "\300\250\1\2", 4);
	memcpy(data + 36, "\300\250\1\2", 4);
	memcpy(data + 40, "/etc/hosts", 11);
	memcpy(data + 52, "by alice", 9);
}

static void check_common(const unsigned char *data)
{
	assert_int_equal(data[0], 7);
	assert_memory_not_equal(data + 8, "alice", 5);
	/* the rest of an earlier text is gone */
	for (size_t i = 13; i < 24; i++)
		assert_int_equal(data[i], 0);
	assert_memory_not_equal(data + 32, "\300\250\1\2", 4);
	assert_memory_equal(data + 36, "\300\250\1\2", 4);
}

static void replaces_fields_and_their_words_elsewhere(void **state)
{
	struct fixture *f = *state;
	unsigned char data[RECORD], copy[RECORD];
	struct tfs_record rec = { .data = data, .size = RECORD };

	fill(data, 11u << 16 | 40, 9u << 16 | 52);
	assert_int_equal(tfs_scrub_fields_collect(f->fields, &rec, f->words), 0);
	assert_int_equal(tfs_pseudonyms_assign(f->words), 0);
	memcpy(copy, data, RECORD);
	tfs_scrub_fields_replace(f->fields, &rec, copy, f->words);
	check_common(copy);
	assert_int_equal(copy[40], '/');
	assert_int_equal(copy[44], '/');
	assert_memory_not_equal(copy + 45, "hosts", 5);
	/* alice is the same in a text that nobody asked for */
	assert_memory_equal(copy + 52, "by ", 3);
	assert_memory_equal(copy + 55, copy + 8, 5);
}

/* A place of a string that lies outside the record, in part or as a whole */
static void nothing_outside_a_record_is_touched(void **state)
{
	static const uint32_t places[] = { 0xffffffff,    0xffff0000 | 60, 100u << 16 | 63,
					   1u << 16 | 64, 0xffffu,         20u << 16 | 0xfff0 };
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(places) * 2; i++) {
		if (i == ARRAY_SIZE(places))
			assert_int_equal(tfs_pseudonyms_assign(f->words), 0);
		for (uint32_t size = 0; size <= RECORD; size++) {
			unsigned char data[RECORD], *copy = malloc(size + 16);
			struct tfs_record rec = { .data = data, .size = size };

			fill(data, places[i % ARRAY_SIZE(places)], places[i % ARRAY_SIZE(places)]);
			memcpy(copy, data, size);
			memset(copy + size, 0xa5, 16);
			if (i < ARRAY_SIZE(places))
				assert_int_equal(
					tfs_scrub_fields_collect(f->fields, &rec, f->words), 0);
			else
				tfs_scrub_fields_replace(f->fields, &rec, copy, f->words);
			for (size_t k = size; k < (size_t)size + 16; k++)
				assert_int_equal(copy[k], 0xa5);
			free(copy);
		}
	}
}

static void a_name_of_no_field_is_refused(void **state)
{
	struct fixture *f = *state;
	struct tfs_strvec names = TFS_STRVEC_INIT;
	struct tfs_scrub_fields *none = NULL;

	assert_int_equal(tfs_strvec_split(&names, "comm,nothing", ","), 0);
	assert_int_equal(tfs_scrub_fields_new(&f->image, &names, &none, &f->err), -ENOENT);
	assert_null(none);
	assert_non_null(strstr(f->err.msg, "'nothing'"));
	tfs_strvec_release(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(replaces_fields_and_their_words_elsewhere, setup,
						teardown),
		cmocka_unit_test_setup_teardown(nothing_outside_a_record_is_touched, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_name_of_no_field_is_refused, setup, teardown),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
