/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dwarf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf-core.h"
#include "dso/dso.h"
#include "dwarf/debuginfo-internal.h"
#include "dwarf/debuginfo.h"
#include "dwarf/die-reader.h"
#include "dwarf/func-internal.h"
#include "dwarf/unit.h"
#include "lib/debuginfo.h"
#include "lib/dwarf4.h"
#include "lib/dwarf5.h"

static int open_self(void **state)
{
	struct tfs_debuginfo *dbg = NULL;

	dbg = open_debuginfo("/proc/self/exe");
	if (!dbg)
		return -1;
	*state = dbg;
	return 0;
}

static int close_self(void **state)
{
	close_debuginfo(*state);
	return 0;
}

struct offsets {
	Dwarf_Off *v;
	size_t n;
};

static int note(void *ctx, struct tfs_func_info *info)
{
	struct offsets *o = ctx;

	if (!(o->n & (o->n - 1))) {
		o->v = realloc(o->v, (o->n ? 2 * o->n : 1) * sizeof(*o->v));
		assert_non_null(o->v);
	}
	o->v[o->n++] = dwarf_dieoffset(&info->die);
	return 0;
}

/* Some, whatever they are called. */
static bool has_letter(void *ctx, const char *name, const char *linkage)
{
	(void)ctx;
	return (name && strchr(name, 'e')) || (linkage && strchr(linkage, '7'));
}

static int note_letter(void *ctx, struct tfs_func_info *info)
{
	return has_letter(ctx, tfs_die_name(&info->die), tfs_die_linkage_name(&info->die)) ?
		       note(ctx, info) :
		       0;
}

static void walk_both(struct tfs_debuginfo *dbg, bool inlines, struct offsets *fast,
		      struct offsets *slow)
{
	struct tfs_walk walk = { .inlines = inlines, .visit = note };
	struct tfs_units it = { NULL };
	Dwarf_Die unit;

	while (tfs_units_next(dbg, &it, &unit) > 0) {
		walk.ctx = fast;
		assert_int_equal(tfs_walk_unit(dbg, &walk, &unit), 0);
		walk.ctx = slow;
		assert_int_equal(tfs_walk_unit_slowly(&walk, &unit), 0);
	}
}

static void finds_the_same_functions_as_libdw(void **state)
{
	for (int inlines = 0; inlines < 2; inlines++) {
		struct offsets fast = { 0 }, slow = { 0 };

		walk_both(*state, inlines, &fast, &slow);
		assert_true(fast.n > 100);
		assert_int_equal(fast.n, slow.n);
		assert_memory_equal(fast.v, slow.v, fast.n * sizeof(*fast.v));
		free(fast.v);
		free(slow.v);
	}
}

static void reads_every_unit_without_libdw(void **state)
{
	struct tfs_debuginfo *dbg = *state;
	struct tfs_units it = { NULL };
	struct tfs_die_reader reader = { 0 };
	bool old = false;
	Dwarf_Die unit;

	while (tfs_units_next(dbg, &it, &unit) > 0) {
		assert_int_equal(
			tfs_die_reader_open(&reader, &unit, tfs_dso_is_big_endian(dbg->dso)), 0);
		old = old ||
		      (dwarf_cuoffset(&unit) == 11 && !strcmp(tfs_die_name(&unit), dwarf4_unit()));
	}
	assert_true(old);
	tfs_die_reader_release(&reader);
}

static void reads_the_same_names_as_libdw(void **state)
{
	struct offsets fast = { 0 }, slow = { 0 };
	struct tfs_walk walk = { .inlines = true };
	struct tfs_units it = { NULL };
	Dwarf_Die unit;

	while (tfs_units_next(*state, &it, &unit) > 0) {
		walk.ctx = &fast;
		walk.wants = has_letter;
		walk.visit = note;
		assert_int_equal(tfs_walk_unit(*state, &walk, &unit), 0);
		walk.ctx = &slow;
		walk.visit = note_letter;
		assert_int_equal(tfs_walk_unit_slowly(&walk, &unit), 0);
	}
	assert_true(slow.n > 100);
	assert_int_equal(fast.n, slow.n);
	assert_memory_equal(fast.v, slow.v, fast.n * sizeof(*fast.v));
	free(fast.v);
	free(slow.v);
}

/* Entries of functions; libdw looks the unit up by .debug_aranges. */
static int compare_unit(void *ctx, struct tfs_func_info *info)
{
	struct tfs_debuginfo *dbg = ctx;
	Dwarf_Die ours, libdws;
	Dwarf_Addr entry;

	if (tfs_die_entry(dbg, &info->die, &entry) ||
	    !tfs_dso_is_code(tfs_debuginfo_dso(dbg), entry) ||
	    !dwarf_addrdie(tfs_debuginfo_dwarf(dbg), entry, &libdws))
		return 0;
	assert_int_equal(tfs_unit_at(dbg, entry, &ours), 0);
	assert_int_equal(dwarf_dieoffset(&ours), dwarf_dieoffset(&libdws));
	return 0;
}

static void finds_the_same_unit_of_an_address_as_libdw(void **state)
{
	const struct tfs_walk walk = { .visit = compare_unit, .ctx = *state };
	struct tfs_units it = { NULL };
	Dwarf_Die unit;
	size_t n = 0;

	for (; tfs_units_next(*state, &it, &unit) > 0; n++)
		assert_int_equal(tfs_walk_unit(*state, &walk, &unit), 0);
	assert_true(n > 10);
	assert_int_equal(tfs_unit_at(*state, 1, &unit), -ENOENT);
}

static bool wants_nothing(void *ctx, const char *name, const char *linkage)
{
	(void)ctx;
	(void)name;
	(void)linkage;
	return false;
}

static void unwanted_dies_are_not_visited(void **state)
{
	struct offsets o = { 0 };
	const struct tfs_walk walk = {
		.inlines = true, .wants = wants_nothing, .visit = note, .ctx = &o
	};
	struct tfs_units it = { NULL };
	Dwarf_Die unit;

	while (tfs_units_next(*state, &it, &unit) > 0)
		assert_int_equal(tfs_walk_unit(*state, &walk, &unit), 0);
	assert_int_equal(o.n, 0);
}

static bool note_name(void *ctx, const char *name, const char *linkage)
{
	assert_null(linkage);
	assert_int_equal(tfs_strbuf_addf(ctx, "%s ", name), 0);
	return false;
}

static int not_visited(void *ctx, struct tfs_func_info *info)
{
	(void)ctx;
	fail_msg("%s was not asked for", tfs_die_name(&info->die));
	return 0;
}

static void reads_indexed_names_without_libdw(void **state)
{
	struct tfs_strbuf names = TFS_STRBUF_INIT;
	const struct tfs_walk walk = { .wants = note_name, .visit = not_visited, .ctx = &names };
	struct tfs_units it = { NULL };
	Dwarf_Die unit;

	while (tfs_units_next(*state, &it, &unit) > 0) {
		if (!strcmp(tfs_die_name(&unit), dwarf5_unit()))
			assert_int_equal(tfs_walk_unit(*state, &walk, &unit), 0);
	}
	assert_string_equal(names.s, "one_byte two_bytes three_bytes four_bytes leb ");
	tfs_strbuf_release(&names);
}

static int read_table(struct tfs_abbrev_table *t, const unsigned char *s, size_t len)
{
	const struct tfs_section from = { s, len };

	*t = (struct tfs_abbrev_table){ 0 };
	tfs_abbrev_table_set_units(t, 8, 4, 5);
	return tfs_abbrev_table_read(t, &from);
}

/* clang-format off */
static const unsigned char table[] = {
	1, DW_TAG_lexical_block, 1, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0, 0,
	3, DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_strp, DW_AT_low_pc, DW_FORM_addr,
		DW_AT_decl_line, DW_FORM_implicit_const, 0x85, 0x00,
		DW_AT_frame_base, DW_FORM_exprloc, 0, 0,
	0,
};
/* clang-format on */

static void a_table_says_how_to_step_over(void **state)
{
	struct tfs_abbrev_table t;
	const struct tfs_abbrev_step *step;

	(void)state;
	assert_int_equal(read_table(&t, table, sizeof(table)), 0);
	assert_int_equal(t.n, 4);
	assert_int_equal(t.abbrev[2].steps, 0);
	assert_int_equal(t.abbrev[1].tag, DW_TAG_lexical_block);
	assert_true(t.abbrev[1].children);
	/* an address and four bytes */
	assert_int_equal(t.abbrev[1].n_steps, 1);
	assert_int_equal(t.step[t.abbrev[1].steps].size, 12);
	assert_true(t.abbrev[3].code);
	assert_int_equal(t.abbrev[3].n_steps, 4);
	step = &t.step[t.abbrev[3].steps];
	assert_int_equal(step[0].kind, TFS_DIE_NAME);
	assert_int_equal(step[0].form, DW_FORM_strp);
	assert_int_equal(step[0].size, 4);
	assert_int_equal(step[1].kind, TFS_DIE_LOW_PC);
	assert_int_equal(step[1].size, 8);
	assert_int_equal(step[2].kind, TFS_DIE_DECL_LINE);
	assert_int_equal(step[2].size, 5);
	assert_int_equal(step[3].form, DW_FORM_exprloc);
	assert_int_equal(step[3].size, TFS_DIE_SIZE_VARIES);
	tfs_abbrev_table_release(&t);
}

/* clang-format off */
static const unsigned char long_table[] = {
	1, DW_TAG_namespace, 1, DW_AT_name, DW_FORM_strp, DW_AT_sibling, DW_FORM_ref4,
		DW_AT_inline, DW_FORM_data1, 0, 0,
	2, DW_TAG_subprogram, 1, DW_AT_inline, DW_FORM_data1,
		0x87, 0x40 /* DW_AT_MIPS_linkage_name */, DW_FORM_strp,
		DW_AT_sibling, DW_FORM_ref_udata,
		DW_AT_type, 0xa0, 0x3e /* DW_FORM_GNU_ref_alt */, 0, 0,
	3, DW_TAG_subprogram, 0, DW_AT_sibling, DW_FORM_ref4,
		DW_AT_prototyped, DW_FORM_flag_present, 0, 0,
	4, DW_TAG_subprogram, 0, DW_AT_external, DW_FORM_flag_present, 0, 0,
	0,
};
/* clang-format on */

static void names_and_forms_of_two_bytes_are_read(void **state)
{
	struct tfs_abbrev_table t;
	const struct tfs_abbrev_step *step;

	(void)state;
	assert_int_equal(read_table(&t, long_table, sizeof(long_table)), 0);
	/* only the sibling matters if the DIE is not a function */
	assert_int_equal(t.abbrev[1].n_steps, 3);
	step = &t.step[t.abbrev[1].steps];
	assert_int_equal(step[0].size, 4);
	assert_int_equal(step[1].kind, TFS_DIE_SIBLING);
	assert_int_equal(step[2].size, 1);
	assert_false(t.abbrev[1].inlined);
	assert_int_equal(t.abbrev[2].n_steps, 4);
	step = &t.step[t.abbrev[2].steps];
	assert_int_equal(step[0].size, 1);
	assert_int_equal(step[1].kind, TFS_DIE_LINKAGE_NAME);
	assert_int_equal(step[2].kind, TFS_DIE_SIBLING);
	assert_int_equal(step[2].form, DW_FORM_ref_udata);
	assert_int_equal(step[3].size, 4);
	assert_true(t.abbrev[2].inlined);
	assert_false(t.abbrev[2].code);
	/* without children it has no use for a sibling; flags take no room */
	assert_int_equal(t.abbrev[3].n_steps, 1);
	assert_int_equal(t.step[t.abbrev[3].steps].size, 4);
	assert_int_equal(t.abbrev[4].n_steps, 0);
	assert_int_not_equal(t.abbrev[4].steps, 0);
	/* the same for units of 64-bit DWARF */
	tfs_abbrev_table_set_units(&t, 8, 8, 5);
	assert_int_equal(t.n, 0);
	assert_int_equal(
		tfs_abbrev_table_read(&t, &(struct tfs_section){ long_table, sizeof(long_table) }),
		0);
	assert_int_equal(t.step[t.abbrev[1].steps].size, 8);
	tfs_abbrev_table_release(&t);
}

static bool read_value(uint16_t form, const unsigned char *bytes, size_t n, uint64_t *out)
{
	const struct tfs_die_reader reader = { .begin = bytes, .end = bytes + n };
	const struct tfs_raw_attr value = { bytes, form, 0 };

	return tfs_raw_attr_number(&reader, &value, out);
}

static void numbers_are_read_that_are_not_signed(void **state)
{
	static const unsigned char bytes[] = { 0xf1, 0xf2, 0x73, 4, 5, 6, 7, 0x88 };
	struct tfs_raw_attr value = { NULL, DW_FORM_implicit_const, 77 };
	uint64_t n = 0;

	(void)state;
	assert_true(read_value(DW_FORM_data1, bytes, 1, &n));
	assert_int_equal(n, 0xf1);
	assert_true(read_value(DW_FORM_data2, bytes, 2, &n));
	assert_int_equal(n, 0xf2f1);
	assert_true(read_value(DW_FORM_data4, bytes, 4, &n));
	assert_int_equal(n, 0x0473f2f1);
	assert_true(read_value(DW_FORM_data8, bytes, 8, &n));
	assert_int_equal(n, UINT64_C(0x880706050473f2f1));
	assert_true(read_value(DW_FORM_udata, bytes, 3, &n));
	assert_int_equal(n, 0x71 | 0x72 << 7 | 0x73 << 14);
	assert_false(read_value(DW_FORM_udata, bytes, 2, &n));
	assert_false(read_value(DW_FORM_sdata, bytes, 3, &n));
	assert_false(read_value(DW_FORM_strp, bytes, 4, &n));
	assert_true(tfs_raw_attr_number(&(struct tfs_die_reader){ 0 }, &value, &n));
	assert_int_equal(n, 77);
	value.constant = TFS_DIE_SIZE_VARIES;
	assert_false(tfs_raw_attr_number(&(struct tfs_die_reader){ 0 }, &value, &n));
}

/* Read a DW_FORM_implicit_const, whose value is in the abbreviation itself. */
static uint32_t implicit(const unsigned char *sleb, size_t n)
{
	unsigned char bytes[24] = { 1, DW_TAG_subprogram, 0, DW_AT_decl_line,
				    DW_FORM_implicit_const };
	struct tfs_abbrev_table t;
	uint32_t value;

	memcpy(bytes + 5, sleb, n);
	assert_int_equal(read_table(&t, bytes, 5 + n + 3), 0);
	assert_int_equal(t.abbrev[1].n_steps, 1);
	value = t.step[t.abbrev[1].steps].size;
	tfs_abbrev_table_release(&t);
	return value;
}

static void a_value_in_an_abbreviation_is_neither_negative_nor_large(void **state)
{
	(void)state;
	assert_int_equal(implicit((const unsigned char[]){ 0x3f }, 1), 63);
	/* -1 and -64; 64, 2^31 - 1 and 2^31 (DWARF 5, 7.6) */
	assert_int_equal(implicit((const unsigned char[]){ 0x7f }, 1), TFS_DIE_SIZE_VARIES);
	assert_int_equal(implicit((const unsigned char[]){ 0x40 }, 1), TFS_DIE_SIZE_VARIES);
	assert_int_equal(implicit((const unsigned char[]){ 0xc0, 0x00 }, 2), 64);
	assert_int_equal(implicit((const unsigned char[]){ 0xff, 0xff, 0xff, 0xff, 0x07 }, 5),
			 INT32_MAX);
	assert_int_equal(implicit((const unsigned char[]){ 0x80, 0x80, 0x80, 0x80, 0x08 }, 5),
			 TFS_DIE_SIZE_VARIES);
}

static void a_damaged_table_is_left_to_libdw(void **state)
{
	static const unsigned char twice[] = { 1, 0x2e, 0, 0, 0, 1, 0x2e, 0, 0, 0, 0 };
	static const unsigned char unknown[] = { 1, 0x2e, 0, DW_AT_name, 0x7f, 0, 0, 0 };
	static const unsigned char huge[] = { 0xff, 0xff, 0xff, 0xff, 0x7f, 0x2e, 0, 0, 0, 0 };
	struct tfs_abbrev_table t;

	(void)state;
	for (size_t len = 0; len < sizeof(table); len++) {
		assert_int_equal(read_table(&t, table, len), -ENOTSUP);
		tfs_abbrev_table_release(&t);
	}
	assert_int_equal(read_table(&t, twice, sizeof(twice)), -ENOTSUP);
	tfs_abbrev_table_release(&t);
	assert_int_equal(read_table(&t, unknown, sizeof(unknown)), -ENOTSUP);
	tfs_abbrev_table_release(&t);
	assert_int_equal(read_table(&t, huge, sizeof(huge)), -ENOTSUP);
	tfs_abbrev_table_release(&t);
}

/* clang-format off */
static const unsigned char plain_table[] = {
	/* 1: nothing but its number; 2: five bytes; 3: as many as are in it */
	1, DW_TAG_unspecified_type, 0, 0, 0,
	2, DW_TAG_pointer_type, 0, DW_AT_byte_size, DW_FORM_data1, DW_AT_type, DW_FORM_ref4, 0, 0,
	3, DW_TAG_variable, 0, DW_AT_location, DW_FORM_exprloc, 0, 0,
	/* 4: has others in it; 5: a function */
	4, DW_TAG_structure_type, 1, DW_AT_byte_size, DW_FORM_data1, 0, 0,
	5, DW_TAG_subprogram, 0, DW_AT_external, DW_FORM_flag, 0, 0,
	/* 200: two bytes */
	0xc8, 0x01, DW_TAG_typedef, 0, DW_AT_type, DW_FORM_ref2, 0, 0,
	0,
};
/* clang-format on */

static size_t over(struct tfs_die_reader *reader, const unsigned char *s, size_t len)
{
	/* of its own length, so that reading on is noticed */
	unsigned char *copy = malloc(len ? len : 1);
	size_t n;

	assert_non_null(copy);
	memcpy(copy, s, len);
	reader->end = copy + len;
	n = (size_t)(tfs_raw_die_skip(reader, copy) - copy);
	free(copy);
	return n;
}

static void irrelevant_dies_are_skipped(void **state)
{
	static const unsigned char dies[] = { 1, 2, 9, 9, 9, 9, 9, 0xc8, 0x01, 7, 7, 1, 3, 1, 0 };
	static const unsigned char ends[][2] = { { 3, 1 }, { 4, 1 }, { 5, 1 }, { 0, 1 }, { 6, 1 } };
	/* not the shortest way to write it, a number of three bytes, and one too large */
	static const unsigned char odd[][3] = { { 0x81, 0x00, 1 },
						{ 0xc8, 0x81, 0x00 },
						{ 0xff, 0x7f, 1 } };
	static const size_t whole[] = { 0, 1, 7, 11, 12 };
	struct tfs_die_reader reader = { 0 };

	(void)state;
	assert_int_equal(read_table(&reader.table, plain_table, sizeof(plain_table)), 0);
	assert_int_equal(over(&reader, dies, sizeof(dies)), 12);
	/* of what is cut off nothing is stepped over but what is there */
	for (size_t len = 0; len <= 12; len++) {
		size_t i = 0;

		while (i + 1 < sizeof(whole) / sizeof(whole[0]) && whole[i + 1] <= len)
			i++;
		assert_int_equal(over(&reader, dies, len), whole[i]);
	}
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		assert_int_equal(over(&reader, ends[i], sizeof(ends[i])), 0);
	assert_int_equal(over(&reader, odd[0], sizeof(odd[0])), 3);
	assert_int_equal(over(&reader, odd[1], sizeof(odd[1])), 0);
	assert_int_equal(over(&reader, odd[2], sizeof(odd[2])), 0);
	tfs_abbrev_table_release(&reader.table);
}

static void a_die_that_is_cut_off_is_none(void **state)
{
	/* number 3: a string's offset, an address, a block of two */
	static const unsigned char die[] = { 3, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 2, 9, 9 };
	struct tfs_die_reader reader = { .begin = die, .unit = die };
	struct tfs_raw_die out;

	(void)state;
	assert_int_equal(read_table(&reader.table, table, sizeof(table)), 0);
	for (size_t len = 0; len < sizeof(die); len++) {
		unsigned char *copy = malloc(len ? len : 1);

		assert_non_null(copy);
		memcpy(copy, die, len);
		reader.end = copy + len;
		assert_false(tfs_raw_die_read(&reader, copy, &out));
		free(copy);
	}
	reader.end = die + sizeof(die);
	assert_true(tfs_raw_die_read(&reader, die, &out));
	assert_ptr_equal(out.next, reader.end);
	assert_ptr_equal(tfs_raw_attr(&out, TFS_DIE_NAME)->at, die + 1);
	tfs_abbrev_table_release(&reader.table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(finds_the_same_functions_as_libdw, open_self,
						close_self),
		cmocka_unit_test_setup_teardown(reads_every_unit_without_libdw, open_self,
						close_self),
		cmocka_unit_test_setup_teardown(reads_the_same_names_as_libdw, open_self,
						close_self),
		cmocka_unit_test_setup_teardown(finds_the_same_unit_of_an_address_as_libdw,
						open_self, close_self),
		cmocka_unit_test_setup_teardown(unwanted_dies_are_not_visited, open_self,
						close_self),
		cmocka_unit_test_setup_teardown(reads_indexed_names_without_libdw, open_self,
						close_self),
		cmocka_unit_test(a_table_says_how_to_step_over),
		cmocka_unit_test(names_and_forms_of_two_bytes_are_read),
		cmocka_unit_test(numbers_are_read_that_are_not_signed),
		cmocka_unit_test(a_value_in_an_abbreviation_is_neither_negative_nor_large),
		cmocka_unit_test(a_damaged_table_is_left_to_libdw),
		cmocka_unit_test(irrelevant_dies_are_skipped),
		cmocka_unit_test(a_die_that_is_cut_off_is_none),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
