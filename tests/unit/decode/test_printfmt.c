/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <event-parse.h>

#include "base/strbuf-core.h"
#include "decode/printfmt.h"
#include "printfmt/convs.h"

#define LIMIT 256

struct fixture {
	struct tep_handle *tep;
	struct tep_event *event;
	unsigned char data[LIMIT];
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	f->tep = tep_alloc();
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_file_bigendian(f->tep, TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(f->tep, tep_is_bigendian() ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(f->tep, 8);
	*state = f;
	return f->tep ? 0 : -1;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	tep_free(f->tep);
	free(f);
	return 0;
}

/* An event with u32 a at 8, u32 b at 12, u8 v[8] at 16 and a dynamic array d at 24. */
static void parse(struct fixture *f, const char *print)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	assert_int_equal(
		tfs_strbuf_addf(&sb,
				"name: x\nID: 1\nformat:\n"
				"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\n\n"
				"\tfield:u32 a;\toffset:8;\tsize:4;\n"
				"\tfield:u32 b;\toffset:12;\tsize:4;\n"
				"\tfield:u8 v[8];\toffset:16;\tsize:8;\n"
				"\tfield:__data_loc u8[] d;\toffset:24;\tsize:4;\n"
				"\nprint fmt: %s\n",
				print),
		0);
	tep_free(f->tep);
	f->tep = tep_alloc();
	tep_set_long_size(f->tep, 8);
	assert_int_equal(tep_parse_event(f->tep, sb.s, sb.len, "made"), 0);
	f->event = tep_find_event(f->tep, 1);
	assert_non_null(f->event);
	tfs_strbuf_release(&sb);
}

static void put(struct fixture *f, size_t at, uint32_t n)
{
	memcpy(f->data + at, &n, 4);
}

static void conversions_take_their_arguments(void **state)
{
	struct fixture *f = *state;
	struct tfs_convs it;
	struct tfs_conv c;

	parse(f, "\"%% %-5ld \\\"%*s %pIS4|%zu\", REC->a, REC->b, \"x\", REC->v, REC->b");
	tfs_convs_init(&it, f->event->print_fmt.format, f->event->print_fmt.args);
	assert_true(tfs_convs_next(&it, &c));
	assert_int_equal(c.conv, 'd');
	assert_int_equal(c.longs, 1);
	assert_int_equal(c.len, 5);
	assert_string_equal(c.arg->field.name, "a");
	assert_true(tfs_convs_next(&it, &c));
	assert_int_equal(c.conv, 's');
	assert_string_equal(c.width_arg->field.name, "b");
	assert_int_equal(c.arg->type, TEP_PRINT_ATOM);
	assert_true(tfs_convs_next(&it, &c));
	assert_int_equal(c.conv, 'p');
	assert_memory_equal(c.suffix, "IS4", 3);
	assert_true(tfs_convs_next(&it, &c));
	assert_int_equal(c.longs, 1);
	assert_string_equal(c.arg->field.name, "b");
	assert_false(tfs_convs_next(&it, &c));
}

static void symbols_are_needed_for_addresses_and_names_in_arithmetic(void **state)
{
	static const struct {
		const char *print;
		bool needs;
	} cases[] = {
		{ "\"%d\", REC->a", false },
		{ "\"%s\", REC->a ? \"yes\" : \"no\"", false },
		{ "\"%s\", __print_symbolic(REC->a, { 0, \"A\" })", false },
		{ "\"%p\", REC->a", false },
		{ "\"%pS\", REC->a", true },
		{ "\"%ps %d\", REC->a, REC->b", true },
		{ "\"%d\", (jiffies - REC->a) / 4", true },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		parse(*state, cases[i].print);
		assert_int_equal(tfs_printfmt_needs_symbols(((struct fixture *)*state)->event),
				 cases[i].needs);
	}
}

static void plain_formats_carry_no_risk(void **state)
{
	struct fixture *f = *state;

	parse(f, "\"%d %s\", REC->a >> 3, REC->v");
	assert_false(tfs_printfmt_risky(f->event));
	parse(f, "\"%d\", REC->a / REC->b");
	assert_true(tfs_printfmt_risky(f->event));
}

static void division_by_zero_is_seen(void **state)
{
	struct fixture *f = *state;

	parse(f, "\"%d\", REC->a / REC->b");
	put(f, 8, 7);
	put(f, 12, 2);
	assert_true(tfs_printfmt_safe(f->event, f->data, LIMIT));
	put(f, 12, 0);
	assert_false(tfs_printfmt_safe(f->event, f->data, LIMIT));
	/* Only the branch that is taken counts. */
	parse(f, "\"%d\", REC->b ? REC->a / REC->b : 0");
	assert_true(tfs_printfmt_safe(f->event, f->data, LIMIT));
	parse(f, "\"%d\", REC->a % REC->b");
	assert_false(tfs_printfmt_safe(f->event, f->data, LIMIT));
}

static void lengths_beyond_the_record_are_seen(void **state)
{
	struct fixture *f = *state;

	parse(f, "\"%s\", __print_hex(REC->v, REC->a)");
	assert_true(tfs_printfmt_risky(f->event));
	put(f, 8, 8);
	assert_true(tfs_printfmt_safe(f->event, f->data, LIMIT));
	put(f, 8, 0xfffffff0);
	assert_false(tfs_printfmt_safe(f->event, f->data, LIMIT));
	parse(f, "\"%s\", __print_array(__get_dynamic_array(d), REC->a, 4)");
	put(f, 8, 10);
	put(f, 24, 40 << 16 | 28);
	assert_true(tfs_printfmt_safe(f->event, f->data, LIMIT));
	put(f, 8, 100);
	assert_false(tfs_printfmt_safe(f->event, f->data, LIMIT));
}

static void indices_and_widths_are_seen(void **state)
{
	struct fixture *f = *state;

	parse(f, "\"%d\", REC->v[REC->a]");
	put(f, 8, 7);
	assert_true(tfs_printfmt_safe(f->event, f->data, LIMIT));
	put(f, 8, 0x7fffffff);
	assert_false(tfs_printfmt_safe(f->event, f->data, LIMIT));
	parse(f, "\"%*d\", REC->a, REC->b");
	assert_false(tfs_printfmt_safe(f->event, f->data, LIMIT));
	put(f, 8, 12);
	assert_true(tfs_printfmt_safe(f->event, f->data, LIMIT));
	put(f, 8, (uint32_t)-12);
	assert_true(tfs_printfmt_safe(f->event, f->data, LIMIT));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(conversions_take_their_arguments),
		TEST(symbols_are_needed_for_addresses_and_names_in_arithmetic),
		TEST(plain_formats_carry_no_risk),
		TEST(division_by_zero_is_seen),
		TEST(lengths_beyond_the_record_are_seen),
		TEST(indices_and_widths_are_seen),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
