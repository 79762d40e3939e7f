/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dwarf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "dwarf/debuginfo-internal.h"
#include "dso/dso.h"
#include "dwarf/debuginfo.h"
#include "dwarf/die-reader-code.h"
#include "dwarf/die-reader.h"
#include "dwarf/func-internal.h"
#include "dwarf/unit.h"
#include "lib/debuginfo.h"
#include "lib/dwarf4.h"

/* In two parts of the file, so that its code has a list of ranges. */
__attribute__((noinline, cold)) static int unlikely(int a)
{
	return a * 3;
}

static volatile int sink;

__attribute__((noinline)) int tfs_test_two_parts(int a);
__attribute__((noinline)) int tfs_test_two_parts(int a)
{
	if (__builtin_expect(a > 7, 0)) {
		sink = unlikely(a);
		sink = unlikely(sink + 1);
		__builtin_trap();
	}
	return a + sink;
}

/* --- lists to order --- */

/* A DIE of a unit of 64 bit, that says where its list begins and nothing else, or an entry too. */
struct made {
	struct tfs_die_reader reader;
	struct tfs_raw_die die;
	unsigned char off[4];
};

static void make(struct made *m, unsigned int version, const void *list, size_t len, uint64_t base)
{
	const struct tfs_section s = { list, len };

	memset(m, 0, sizeof(*m));
	tfs_abbrev_table_set_units(&m->reader.table, 8, 4, version);
	m->reader.ranges = version < 5 ? s : (struct tfs_section){ NULL, 0 };
	m->reader.rnglists = version < 5 ? (struct tfs_section){ NULL, 0 } : s;
	m->reader.has_base = true;
	m->reader.base = base;
	m->die.has = 1u << TFS_DIE_RANGES;
	m->die.value[TFS_DIE_RANGES] =
		(struct tfs_raw_attr){ m->off, DW_FORM_sec_offset, sizeof(m->off) };
}

static void check_next(struct tfs_raw_ranges *it, uint64_t from, uint64_t to)
{
	uint64_t a = 0, b = 0;

	assert_int_equal(tfs_raw_ranges_next(it, &a, &b), 1);
	assert_int_equal(a, from);
	assert_int_equal(b, to);
}

/* Nothing after the end is read: each prefix is in an exact allocation. */
static void cut_off(unsigned int version, const void *list, size_t len)
{
	for (size_t n = 1; n < len; n++) {
		struct tfs_raw_ranges it;
		struct made m;
		uint64_t from, to;
		char *part = test_malloc(n);
		int more = 1;

		memcpy(part, list, n);
		make(&m, version, part, n, 0);
		assert_true(tfs_raw_ranges(&m.reader, &m.die, &it));
		while (more > 0)
			more = tfs_raw_ranges_next(&it, &from, &to);
		assert_int_equal(more, -1);
		test_free(part);
	}
}

static void a_list_of_dwarf_5_is_read(void **state)
{
	/* clang-format off */
	static const unsigned char list[] = {
		DW_RLE_offset_pair, 0x10, 0x90, 0x01,
		DW_RLE_base_address, 0, 0, 1, 0, 0, 0, 0, 0,
		DW_RLE_offset_pair, 1, 1,
		DW_RLE_start_end, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0,
		DW_RLE_start_length, 0, 2, 0, 0, 0, 0, 0, 0, 0x20,
		DW_RLE_end_of_list,
	};
	/* clang-format on */
	struct tfs_raw_ranges it;
	uint64_t from, to;
	struct made m;

	(void)state;
	make(&m, 5, list, sizeof(list), 0x1000);
	assert_true(tfs_raw_ranges(&m.reader, &m.die, &it));
	check_next(&it, 0x1010, 0x1090);
	check_next(&it, 0x10001, 0x10001);
	check_next(&it, 1, 2);
	check_next(&it, 0x200, 0x220);
	assert_int_equal(tfs_raw_ranges_next(&it, &from, &to), 0);
	cut_off(5, list, sizeof(list));
}

static void a_list_of_dwarf_4_is_read(void **state)
{
	/* the first counts from the unit, the others from where it says */
	static const uint64_t list[] = { 0x10, 0x20, UINT64_MAX, 0x5000, 0, 8, 9, 9, 0, 0 };
	struct tfs_raw_ranges it;
	uint64_t from, to;
	struct made m;

	(void)state;
	make(&m, 4, list, sizeof(list), 0x1000);
	m.reader.big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	assert_true(tfs_raw_ranges(&m.reader, &m.die, &it));
	check_next(&it, 0x1010, 0x1020);
	check_next(&it, 0x5000, 0x5008);
	check_next(&it, 0x5009, 0x5009);
	assert_int_equal(tfs_raw_ranges_next(&it, &from, &to), 0);
	cut_off(4, list, sizeof(list));
}

/* The unit's addresses and list offsets follow a header and those of another unit. */
static void give_numbers(struct made *m, const void *addresses, size_t n, const void *lists,
			 size_t n_lists)
{
	m->reader.addresses.in = (struct tfs_section){ addresses, n };
	m->reader.addresses.off = 8;
	m->reader.lists.in = (struct tfs_section){ lists, n_lists };
	m->reader.lists.off = 4;
}

static void numbers_of_addresses_and_lists_are_looked_up(void **state)
{
	/* clang-format off */
	static const unsigned char list[] = {
		0xee, 0xee, 0xee, 0xee, 0xee, 0xee,
		DW_RLE_startx_length, 1, 0x10,
		DW_RLE_base_addressx, 0,
		DW_RLE_offset_pair, 2, 3,
		DW_RLE_startx_endx, 0, 1,
		DW_RLE_end_of_list,
		DW_RLE_startx_length, 2, 1, DW_RLE_end_of_list,
	};
	/* clang-format on */
	static const uint64_t addresses[] = { 0xbad, 0x4000, 0x5000 };
	/* of the second list, from where they are: 4 is the sixth byte */
	static const uint32_t offsets[] = { 0xbad, 0xbad, 2, 14 };
	static const unsigned char index[] = { 1 }, one[] = { 1 }, past[] = { 2 };
	struct tfs_raw_ranges it;
	uint64_t from, to, entry, end;
	struct made m;

	(void)state;
	make(&m, 5, list, sizeof(list), 0);
	m.reader.big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	m.reader.end = index + sizeof(index);
	give_numbers(&m, addresses, sizeof(addresses), offsets, sizeof(offsets));
	m.die.value[TFS_DIE_RANGES] = (struct tfs_raw_attr){ index, DW_FORM_rnglistx, 1 };
	assert_true(tfs_raw_ranges(&m.reader, &m.die, &it));
	check_next(&it, 0x5000, 0x5010);
	check_next(&it, 0x4002, 0x4003);
	check_next(&it, 0x4000, 0x5000);
	assert_int_equal(tfs_raw_ranges_next(&it, &from, &to), 0);
	/* the entry is an index as well: out of range, then one in the first range */
	m.die.has |= 1u << TFS_DIE_ENTRY_PC;
	m.reader.addresses.in.len = 2 * sizeof(*addresses);
	m.die.value[TFS_DIE_ENTRY_PC] = (struct tfs_raw_attr){ one, DW_FORM_addrx1, 1 };
	assert_false(tfs_raw_die_entry(&m.reader, &m.die, &entry, &end));
	m.reader.addresses.in.len = sizeof(addresses);
	m.reader.addresses.off = 0;
	assert_true(tfs_raw_die_entry(&m.reader, &m.die, &entry, &end));
	assert_int_equal(entry, 0x4000);
	assert_int_equal(end, 0x4010);
	/* there is no such list, and no such address */
	m.die.has = 1u << TFS_DIE_RANGES;
	m.die.value[TFS_DIE_RANGES].at = past;
	m.reader.end = past + sizeof(past);
	m.reader.lists.in.len -= 4;
	assert_false(tfs_raw_attr_list(&m.reader, &m.die.value[TFS_DIE_RANGES], &entry));
	m.reader.lists.in.len += 4;
	m.reader.addresses.off = 8;
	assert_true(tfs_raw_ranges(&m.reader, &m.die, &it));
	assert_int_equal(tfs_raw_ranges_next(&it, &from, &to), -1);
	/* nor is there a part */
	m.reader.lists.off = UINT64_MAX;
	assert_false(tfs_raw_ranges(&m.reader, &m.die, &it));
}

static void attributes_that_only_libdw_can_read_are_left_to_it(void **state)
{
	static const unsigned char list[] = { DW_RLE_startx_length, 0, 1, DW_RLE_end_of_list };
	struct tfs_raw_ranges it;
	uint64_t from, to;
	struct made m;

	(void)state;
	make(&m, 5, list, sizeof(list), 0);
	assert_true(tfs_raw_ranges(&m.reader, &m.die, &it));
	assert_int_equal(tfs_raw_ranges_next(&it, &from, &to), -1);
	/* after the end */
	m.off[__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 3 : 0] = sizeof(list);
	m.reader.big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	assert_false(tfs_raw_ranges(&m.reader, &m.die, &it));
	make(&m, 5, list, sizeof(list), 0);
	m.reader.has_base = false;
	assert_false(tfs_raw_ranges(&m.reader, &m.die, &it));
	/* a number of a list */
	make(&m, 5, list, sizeof(list), 0);
	m.die.value[TFS_DIE_RANGES].form = DW_FORM_rnglistx;
	assert_false(tfs_raw_ranges(&m.reader, &m.die, &it));
	/* none at all */
	m.die.has = 0;
	assert_false(tfs_raw_ranges(&m.reader, &m.die, &it));
	assert_false(tfs_raw_die_entry(&m.reader, &m.die, &from, &to));
}

/* --- this program's --- */

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

/**
 * struct counts - functions and inlined copies that a walk visits
 * @known: read without libdw; @lists: those of them that have a list of ranges
 * @others: left to libdw
 */
struct counts {
	size_t known;
	size_t lists;
	size_t others;
};

static uint64_t end_by_libdw(Dwarf_Die *die, uint64_t entry)
{
	Dwarf_Addr base, from, to;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &from, &to)) > 0)
		if (entry >= from && entry < to)
			return to;
	return entry;
}

static int compare(void *ctx, struct tfs_func_info *info)
{
	struct counts *counts = ctx;
	const char *name = tfs_die_name(&info->die);
	Dwarf_Addr entry = 0;

	assert_int_equal(info->inlined, dwarf_tag(&info->die) == DW_TAG_inlined_subroutine);
	counts->known += info->known;
	counts->others += !info->known;
	if (!info->known)
		return 0;
	counts->lists += dwarf_hasattr(&info->die, DW_AT_ranges) != 0;
	assert_int_equal(tfs_die_entry(NULL, &info->die, &entry), 0);
	assert_int_equal(info->entry, entry);
	assert_int_equal(info->end, end_by_libdw(&info->die, entry));
	assert_ptr_equal(info->name, name);
	return 0;
}

static void finds_the_same_entries_and_ends_as_libdw(void **state)
{
	struct counts counts = { 0, 0, 0 };
	const struct tfs_walk walk = { .inlines = true, .visit = compare, .ctx = &counts };
	struct tfs_units it = { NULL };
	Dwarf_Die unit;
	bool old = false;

	while (tfs_units_next(*state, &it, &unit) > 0) {
		old = old || !strcmp(tfs_die_name(&unit), dwarf4_unit());
		assert_int_equal(tfs_walk_unit(*state, &walk, &unit), 0);
	}
	assert_true(old);
	assert_true(counts.known > 100);
	print_message("# %zu known, %zu with lists, %zu left to libdw\n", counts.known,
		      counts.lists, counts.others);
	/* clang writes numbers of lists and addresses, if not for DWARF 4 */
	assert_true(counts.lists > 10 || counts.others > 10);
}

/* --- which function is where --- */

/* By one walk for all, or one for the unit that is asked for. */
static void compare_tables(struct tfs_debuginfo *by_glob, struct tfs_debuginfo *by_unit)
{
	struct tfs_points points = TFS_POINTS_INIT;
	const struct tfs_func_query all = { .name = "*" };
	size_t n = 0;

	assert_int_equal(tfs_func_find(by_glob, &all, &points, NULL), 0);
	for (size_t i = 0; i < points.n; i++) {
		Dwarf_Die unit[2], func[2];
		uint64_t addr = points.v[i].addr;
		int rc[2];

		if (tfs_unit_at(by_glob, addr, &unit[0]))
			continue;
		assert_int_equal(tfs_unit_at(by_unit, addr, &unit[1]), 0);
		rc[0] = tfs_func_at(by_glob, &unit[0], addr, &func[0]);
		rc[1] = tfs_func_at(by_unit, &unit[1], addr, &func[1]);
		assert_int_equal(rc[0], rc[1]);
		if (rc[0])
			continue;
		n++;
		assert_int_equal(dwarf_dieoffset(&func[0]), dwarf_dieoffset(&func[1]));
		assert_true(dwarf_haspc(&func[0], addr) > 0);
	}
	assert_true(n > 100);
	tfs_points_release(&points);
}

static void finds_the_same_functions_by_one_walk_and_by_unit(void **state)
{
	void *other = NULL;

	assert_int_equal(open_self(&other), 0);
	compare_tables(*state, other);
	close_self(&other);
}

static void assigns_a_part_elsewhere_to_its_function(void **state)
{
	struct tfs_points points = TFS_POINTS_INIT;
	const struct tfs_func_query q = { .name = "tfs_test_two_part?" };
	Dwarf_Addr base, from, to;
	ptrdiff_t at = 0;
	Dwarf_Die func;

	sink = tfs_test_two_parts(3);
	assert_int_equal(tfs_func_find(*state, &q, &points, NULL), 0);
	assert_int_equal(points.n, 1);
	while ((at = dwarf_ranges(&points.v[0].scope->die, at, &base, &from, &to)) > 0) {
		Dwarf_Die unit;

		assert_int_equal(tfs_unit_at(*state, from, &unit), 0);
		assert_int_equal(tfs_func_at(*state, &unit, from, &func), 0);
		assert_string_equal(tfs_die_name(&func), "tfs_test_two_parts");
	}
	tfs_points_release(&points);
}

static void refuses_more_points_than_the_limit(void **state)
{
	struct tfs_points all = TFS_POINTS_INIT, some = TFS_POINTS_INIT;
	struct tfs_func_query q = { .name = "tfs_*" };

	assert_int_equal(tfs_func_find(*state, &q, &all, NULL), 0);
	assert_true(all.n > 100);
	/* each function is come to twice: by its symbol and by its DIE */
	q.max = all.n;
	assert_int_equal(tfs_func_find(*state, &q, &some, NULL), 0);
	assert_int_equal(some.n, all.n);
	for (size_t i = 0; i < all.n; i++)
		assert_int_equal(some.v[i].addr, all.v[i].addr);
	tfs_points_release(&some);
	q.max = all.n - 1;
	assert_int_equal(tfs_func_find(*state, &q, &some, NULL), -E2BIG);
	assert_int_equal(some.n, 0);
	tfs_points_release(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_of_dwarf_5_is_read),
		cmocka_unit_test(a_list_of_dwarf_4_is_read),
		cmocka_unit_test(numbers_of_addresses_and_lists_are_looked_up),
		cmocka_unit_test(attributes_that_only_libdw_can_read_are_left_to_it),
		cmocka_unit_test_setup_teardown(finds_the_same_entries_and_ends_as_libdw, open_self,
						close_self),
		cmocka_unit_test_setup_teardown(finds_the_same_functions_by_one_walk_and_by_unit,
						open_self, close_self),
		cmocka_unit_test_setup_teardown(assigns_a_part_elsewhere_to_its_function, open_self,
						close_self),
		cmocka_unit_test_setup_teardown(refuses_more_points_than_the_limit, open_self,
						close_self),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
