/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <event-parse.h>

#include "base/strbuf-core.h"
#include "decode/value.h"
#include "lib/alloc_fail.h"
#include "lib/bytes.h"
#include "view/export-value.h"

#define HEAD                                                                   \
	"name: e\nID: 1\nformat:\n"                                            \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define NO_PRINT "\nprint fmt: \"\"\n"

/* An event of a machine of any kind, and one record of it. */
struct fixture {
	struct tep_handle *tep;
	struct tep_event *event;
	struct tfs_fields *fields;
	struct bytes rec;
};

static void parse(struct fixture *f, const char *system, const char *text, bool big,
		  unsigned int long_size)
{
	struct tep_event *event = NULL;

	f->tep = tep_alloc();
	assert_non_null(f->tep);
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_file_bigendian(f->tep, big ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(f->tep, tep_is_bigendian() ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(f->tep, (int)long_size);
	tep_parse_format(f->tep, &event, text, strlen(text), system);
	assert_non_null(event);
	f->event = event;
	assert_int_equal(tfs_fields_new(event, &f->fields), 0);
	bytes_init(&f->rec, big);
	bytes_u16(&f->rec, 1);
	bytes_u16(&f->rec, 0);
	bytes_u32(&f->rec, 77);
}

static int set_up(void **state)
{
	*state = calloc(1, sizeof(struct fixture));
	return *state ? 0 : -1;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	tfs_fields_free(f->fields);
	tep_free(f->tep);
	bytes_release(&f->rec);
	free(f);
	return 0;
}

static void is(struct fixture *f, const char *name, const char *json, const char *plain)
{
	const struct tfs_field *field = tfs_fields_find(f->fields, name, strlen(name));
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_value v;

	assert_non_null(field);
	assert_true(tfs_fields_get(f->fields, field, f->rec.sb.s, f->rec.sb.len, &v));
	assert_int_equal(tfs_json_value(&sb, field, &v), 0);
	assert_string_equal(sb.s, json);
	tfs_strbuf_reset(&sb);
	assert_int_equal(tfs_plain_value(&sb, field, &v), 0);
	assert_string_equal(sb.s, plain);
	tfs_strbuf_release(&sb);
}

static void is_not_there(struct fixture *f, const char *name)
{
	const struct tfs_field *field = tfs_fields_find(f->fields, name, strlen(name));
	struct tfs_value v;

	assert_non_null(field);
	assert_false(tfs_fields_get(f->fields, field, f->rec.sb.s, f->rec.sb.len, &v));
}

#define NUMBERS                                                           \
	HEAD "\tfield:u8 a;\toffset:8;\tsize:1;\tsigned:0;\n"             \
	     "\tfield:s8 b;\toffset:9;\tsize:1;\tsigned:1;\n"             \
	     "\tfield:u16 c;\toffset:10;\tsize:2;\tsigned:0;\n"           \
	     "\tfield:int d;\toffset:12;\tsize:4;\tsigned:1;\n"           \
	     "\tfield:u64 e;\toffset:16;\tsize:8;\tsigned:0;\n"           \
	     "\tfield:s64 f;\toffset:24;\tsize:8;\tsigned:1;\n"           \
	     "\tfield:u64 g;\toffset:32;\tsize:8;\tsigned:0;\n"           \
	     "\tfield:void * h;\toffset:40;\tsize:8;\tsigned:0;\n"        \
	     "\tfield:unsigned long i;\toffset:48;\tsize:8;\tsigned:0;\n" \
	     "\tfield:struct x j;\toffset:56;\tsize:3;\tsigned:0;\n"

static void add_numbers(struct fixture *f)
{
	bytes_u8(&f->rec, 200);
	bytes_u8(&f->rec, (uint8_t)-3);
	bytes_u16(&f->rec, 60000);
	bytes_u32(&f->rec, (uint32_t)-70000);
	bytes_u64(&f->rec, UINT64_C(9007199254740991));
	bytes_u64(&f->rec, (uint64_t)INT64_MIN);
	bytes_u64(&f->rec, UINT64_C(9007199254740992));
	bytes_u64(&f->rec, UINT64_C(0xffff888003fb2000));
	bytes_u64(&f->rec, UINT64_C(0xffffffff81000abc));
	bytes_add(&f->rec, "\x01\xfe\x00", 3);
}

static void numbers_are(struct fixture *f)
{
	is(f, "a", "200", "200");
	is(f, "b", "-3", "-3");
	is(f, "c", "60000", "60000");
	is(f, "d", "-70000", "-70000");
	is(f, "e", "9007199254740991", "9007199254740991");
	is(f, "f", "\"-9223372036854775808\"", "-9223372036854775808");
	is(f, "g", "\"9007199254740992\"", "9007199254740992");
	is(f, "h", "\"0xffff888003fb2000\"", "0xffff888003fb2000");
	is(f, "i", "\"0xffffffff81000abc\"", "0xffffffff81000abc");
	is(f, "j", "\"01fe00\"", "01fe00");
}

static void numbers_of_every_size_little_endian(void **state)
{
	parse(*state, "s", NUMBERS "\nprint fmt: \"%pS\", (void *)REC->i\n", false, 8);
	add_numbers(*state);
	numbers_are(*state);
}

static void numbers_of_every_size_big_endian(void **state)
{
	parse(*state, "s", NUMBERS "\nprint fmt: \"%ps\", (void *)REC->i\n", true, 8);
	add_numbers(*state);
	numbers_are(*state);
}

static void a_long_is_a_number_unless_printed_as_an_address(void **state)
{
	struct fixture *f = *state;

	parse(f, "s",
	      HEAD "\tfield:unsigned long n;\toffset:8;\tsize:8;\tsigned:0;\n"
		   "\tfield:u8 ip[4];\toffset:16;\tsize:4;\tsigned:0;\n"
		   "\nprint fmt: \"%lx %pI4\", REC->n, REC->ip\n",
	      false, 8);
	bytes_u64(&f->rec, 4096);
	bytes_add(&f->rec, "\x7f\x00\x00\x01", 4);
	is(f, "n", "4096", "4096");
	is(f, "ip", "\"7f000001\"", "7f000001");
}

static void numbers_beyond_the_end_do_not_exist(void **state)
{
	struct fixture *f = *state;

	parse(f, "s", NUMBERS NO_PRINT, false, 8);
	bytes_u8(&f->rec, 1);
	bytes_u8(&f->rec, 2);
	bytes_u8(&f->rec, 3);
	is(f, "b", "2", "2");
	is_not_there(f, "c");
	is_not_there(f, "h");
	is_not_there(f, "j");
}

#define STRINGS                                                                 \
	HEAD "\tfield:char comm[8];\toffset:8;\tsize:8;\tsigned:1;\n"           \
	     "\tfield:__data_loc char[] msg;\toffset:16;\tsize:4;\tsigned:0;\n" \
	     "\tfield:__rel_loc char[] rel;\toffset:20;\tsize:4;\tsigned:0;\n"  \
	     "\tfield:const char * ptr;\toffset:24;\tsize:8;\tsigned:0;\n"      \
	     "\tfield:char rest[];\toffset:32;\tsize:0;\tsigned:0;\n"

static void strings(struct fixture *f, bool big)
{
	parse(f, "s", STRINGS NO_PRINT, big, 8);
	bytes_add(&f->rec, "eightnow", 8);
	bytes_u32(&f->rec, 4 << 16 | 32);
	bytes_u32(&f->rec, 6 << 16 | 11); /* from 24 on */
	bytes_u64(&f->rec, 0x1000);
	bytes_add(&f->rec, "abc\0de\nf\0g", 10);
	is(f, "comm", "\"eightnow\"", "eightnow");
	is(f, "msg", "\"abc\"", "abc");
	is(f, "rel", "\"\"", "");
	is(f, "ptr", "\"0x1000\"", "0x1000");
	is(f, "rest", "\"abc\"", "abc");
	bytes_set_u32(&f->rec, 20, 6 << 16 | 12); /* what begins at 36 */
	is(f, "rel", "\"de\\nf\"", "de\nf");
}

static void strings_end_at_their_zero_or_their_room(void **state)
{
	strings(*state, false);
}

static void strings_of_a_big_endian_file(void **state)
{
	strings(*state, true);
}

static void a_place_outside_of_the_record_is_none(void **state)
{
	struct fixture *f = *state;

	parse(f, "s", STRINGS NO_PRINT, false, 8);
	bytes_add(&f->rec, "eig", 3);
	is(f, "comm", "\"eig\"", "eig");
	is_not_there(f, "msg");
	is_not_there(f, "rest");
	bytes_zeros(&f->rec, 5);
	bytes_u32(&f->rec, 5 << 16 | 32);
	bytes_u32(&f->rec, 1 << 16 | 0xffff);
	bytes_u64(&f->rec, 0);
	bytes_add(&f->rec, "abcd", 4);
	is_not_there(f, "msg");
	is_not_there(f, "rel");
	bytes_set_u32(&f->rec, 16, 4 << 16 | 32);
	is(f, "msg", "\"abcd\"", "abcd");
	bytes_set_u32(&f->rec, 16, 36);
	is(f, "msg", "\"\"", "");
	bytes_set_u32(&f->rec, 16, 37);
	is_not_there(f, "msg");
}

#define ARRAYS                                                                         \
	HEAD "\tfield:u16 a[3];\toffset:8;\tsize:6;\tsigned:0;\n"                      \
	     "\tfield:u8 mac[6];\toffset:14;\tsize:6;\tsigned:0;\n"                    \
	     "\tfield:long l[2];\toffset:20;\tsize:8;\tsigned:1;\n"                    \
	     "\tfield:__data_loc u64[] d;\toffset:28;\tsize:4;\tsigned:0;\n"           \
	     "\tfield:__data_loc unsigned long[] m;\toffset:32;\tsize:4;\tsigned:0;\n" \
	     "\tfield:__data_loc cpumask_t c;\toffset:36;\tsize:4;\tsigned:0;\n"       \
	     "\tfield:__data_loc unsigned char[] x;\toffset:40;\tsize:4;\tsigned:0;\n"

static void arrays(struct fixture *f, bool big)
{
	parse(f, "s", ARRAYS "\nprint fmt: \"%s %s\", __get_bitmask(m), __get_cpumask(c)\n", big,
	      4);
	bytes_u16(&f->rec, 1);
	bytes_u16(&f->rec, 500);
	bytes_u16(&f->rec, 65535);
	bytes_add(&f->rec, "\x02\x42\xac\x11\x00\xff", 6);
	bytes_u32(&f->rec, (uint32_t)-5);
	bytes_u32(&f->rec, 6);
	bytes_u32(&f->rec, 16 << 16 | 44);
	bytes_u32(&f->rec, 8 << 16 | 60);
	bytes_u32(&f->rec, 4 << 16 | 64);
	bytes_u32(&f->rec, 2 << 16 | 60);
	bytes_u64(&f->rec, 7);
	bytes_u64(&f->rec, UINT64_MAX);
	bytes_u32(&f->rec, 0x8000000f);
	bytes_u32(&f->rec, 0x00000101);
	is(f, "a", "[1,500,65535]", "1,500,65535");
	is(f, "mac", "\"0242ac1100ff\"", "0242ac1100ff");
	is(f, "l", "[-5,6]", "-5,6");
	is(f, "d", "[7,\"18446744073709551615\"]", "7,18446744073709551615");
	is(f, "m", "\"0-3,31-32,40\"", "0-3,31-32,40");
	is(f, "c", "\"0,8\"", "0,8");
	is(f, "x", big ? "\"8000\"" : "\"0f00\"", big ? "8000" : "0f00");
}

static void arrays_of_numbers_bytes_and_bits(void **state)
{
	arrays(*state, false);
}

static void arrays_of_a_big_endian_file(void **state)
{
	arrays(*state, true);
}

static void an_array_that_the_record_cuts_is_shorter(void **state)
{
	struct fixture *f = *state;

	parse(f, "s", ARRAYS NO_PRINT, false, 4);
	bytes_u16(&f->rec, 1);
	bytes_u16(&f->rec, 500);
	bytes_u8(&f->rec, 1);
	is(f, "a", "[1,500]", "1,500");
	is_not_there(f, "mac");
}

static void a_length_beside_an_array_counts(void **state)
{
	struct fixture *f = *state;

	parse(f, "s",
	      HEAD "\tfield:u32 v[3];\toffset:8;\tsize:12;\tsigned:0;\n"
		   "\tfield:s64 v_len;\toffset:20;\tsize:8;\tsigned:1;\n"
		   "\tfield:u8 s[4];\toffset:28;\tsize:4;\tsigned:0;\n"
		   "\tfield:u8 s_len;\toffset:32;\tsize:1;\tsigned:0;\n"
		   "\nprint fmt: \"%.*s\", REC->s_len, REC->s\n",
	      false, 8);
	bytes_u32(&f->rec, 1);
	bytes_u32(&f->rec, 2);
	bytes_u32(&f->rec, 3);
	bytes_u64(&f->rec, 2);
	bytes_add(&f->rec, "text", 4);
	bytes_u8(&f->rec, 2);
	is(f, "v", "[1,2]", "1,2");
	is(f, "s", "\"te\"", "te");
	bytes_set_u64(&f->rec, 20, (uint64_t)-1);
	is(f, "v", "[1,2,3]", "1,2,3");
	bytes_set_u64(&f->rec, 20, 0);
	is(f, "v", "[]", "");
}

static void a_stack_has_as_many_entries_as_its_size_says(void **state)
{
	struct fixture *f = *state;
	unsigned int i;
	char *text = strdup(HEAD "\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
				 "\tfield:unsigned long caller[2];\toffset:16;\tsize:16;\tsigned:0;"
				 "\n" NO_PRINT);

	assert_non_null(text);
	bytes_init(&f->rec, false);
	bytes_text(&f->rec, "name: kernel_stack");
	bytes_text(&f->rec, strchr(text, '\n'));
	free(text);
	text = strdup(f->rec.sb.s);
	bytes_release(&f->rec);
	parse(f, "ftrace", text, false, 8);
	free(text);
	bytes_u32(&f->rec, 3);
	bytes_u32(&f->rec, 0);
	for (i = 0; i < 5; i++)
		bytes_u64(&f->rec, 0xff00 + i);
	is(f, "caller", "[\"0xff00\",\"0xff01\",\"0xff02\"]", "0xff00,0xff01,0xff02");
}

static void a_second_field_of_a_name_is_numbered(void **state)
{
	struct fixture *f = *state;

	parse(f, "s",
	      HEAD "\tfield:u32 v;\toffset:8;\tsize:4;\tsigned:0;\n"
		   "\tfield:u32 v;\toffset:12;\tsize:4;\tsigned:0;\n"
		   "\tfield:u32 v;\toffset:16;\tsize:4;\tsigned:0;\n" NO_PRINT,
	      false, 8);
	bytes_u32(&f->rec, 1);
	bytes_u32(&f->rec, 2);
	bytes_u32(&f->rec, 3);
	is(f, "v", "1", "1");
	is(f, "v#2", "2", "2");
	is(f, "v#3", "3", "3");
	assert_null(tfs_fields_find(f->fields, "v#4", 3));
}

/* libtraceevent is the second source for every number that a record's bytes can be. */
static void numbers_are_libtraceevents(void **state)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i" };
	struct fixture *f = *state;
	struct tep_record rec = { .cpu = 0 };
	unsigned long long val;
	struct tfs_value v;
	unsigned int seed = 1;
	size_t i, n;

	parse(f, "s", NUMBERS NO_PRINT, false, 8);
	bytes_zeros(&f->rec, 51);
	rec.data = f->rec.sb.s;
	rec.size = (int)f->rec.sb.len;
	for (n = 0; n < 2000; n++) {
		for (i = 8; i < f->rec.sb.len; i++)
			f->rec.sb.s[i] = (char)(rand_r(&seed) >> 8);
		for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
			const struct tfs_field *field = tfs_fields_find(f->fields, names[i], 1);

			assert_true(tfs_fields_get(f->fields, field, rec.data, f->rec.sb.len, &v));
			assert_int_equal(tep_get_field_val(NULL, f->event, names[i], &rec, &val, 0),
					 0);
			if (field->element < 8)
				assert_int_equal(v.number << (64 - 8 * field->element),
						 val << (64 - 8 * field->element));
			else
				assert_int_equal(v.number, val);
		}
	}
}

static void without_memory_there_are_no_fields(void **state)
{
	struct fixture *f = *state;
	struct tfs_fields *fields = NULL;
	size_t n;
	int rc;

	parse(f, "s", NUMBERS NO_PRINT, false, 8);
	for (n = 0;; n++) {
		alloc_fail_at(n);
		rc = tfs_fields_new(f->event, &fields);
		if (!alloc_fail_off())
			break;
		assert_int_equal(rc, -ENOMEM);
		assert_null(fields);
	}
	assert_int_equal(rc, 0);
	assert_int_equal(n, 13);
	tfs_fields_free(fields);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(numbers_of_every_size_little_endian),
		TEST(numbers_of_every_size_big_endian),
		TEST(a_long_is_a_number_unless_printed_as_an_address),
		TEST(numbers_beyond_the_end_do_not_exist),
		TEST(strings_end_at_their_zero_or_their_room),
		TEST(strings_of_a_big_endian_file),
		TEST(a_place_outside_of_the_record_is_none),
		TEST(arrays_of_numbers_bytes_and_bits),
		TEST(arrays_of_a_big_endian_file),
		TEST(an_array_that_the_record_cuts_is_shorter),
		TEST(a_length_beside_an_array_counts),
		TEST(a_stack_has_as_many_entries_as_its_size_says),
		TEST(a_second_field_of_a_name_is_numbered),
		TEST(numbers_are_libtraceevents),
		TEST(without_memory_there_are_no_fields),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
