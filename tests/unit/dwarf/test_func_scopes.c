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

#include "dwarf/debuginfo-internal.h"
#include "dso/dso.h"
#include "dwarf/debuginfo.h"
#include "dwarf/die-reader.h"
#include "dwarf/func-internal.h"
#include "dwarf/func-name.h"
#include "dwarf/func.h"
#include "dwarf/unit.h"
#include "lib/debuginfo.h"
#include "lib/dwarf4.h"

/* DIEs of the unit: its own, and of each function two scopes, the function and the copy. */
enum { DIES = 1 + 4 * DWARF4_FUNCS };

/* Work done: walks over a unit by libdw, and DIEs read by the DIE reader. */
static size_t walks, reads;

int __real_dwarf_getscopes_die(Dwarf_Die *die, Dwarf_Die **scopes);
int __wrap_dwarf_getscopes_die(Dwarf_Die *die, Dwarf_Die **scopes);
bool __real_tfs_raw_die_read(const struct tfs_die_reader *reader, const unsigned char *at,
			     struct tfs_raw_die *die);
bool __wrap_tfs_raw_die_read(const struct tfs_die_reader *reader, const unsigned char *at,
			     struct tfs_raw_die *die);

int __wrap_dwarf_getscopes_die(Dwarf_Die *die, Dwarf_Die **scopes)
{
	walks++;
	return __real_dwarf_getscopes_die(die, scopes);
}

bool __wrap_tfs_raw_die_read(const struct tfs_die_reader *reader, const unsigned char *at,
			     struct tfs_raw_die *die)
{
	reads++;
	return __real_tfs_raw_die_read(reader, at, die);
}

static int open_self(void **state)
{
	struct tfs_debuginfo *dbg = NULL;

	dbg = open_debuginfo("/proc/self/exe");
	if (!dbg)
		return -1;
	walks = reads = 0;
	*state = dbg;
	return 0;
}

static int close_self(void **state)
{
	close_debuginfo(*state);
	return 0;
}

static void find_unit(struct tfs_debuginfo *dbg, Dwarf_Die *unit)
{
	struct tfs_units it = { NULL };

	while (tfs_units_next(dbg, &it, unit) > 0) {
		if (!strcmp(tfs_die_name(unit), dwarf4_unit()))
			return;
	}
	fail_msg("no unit '%s'", dwarf4_unit());
}

/* The name of a DIE by the table, which has to be the one by libdw. */
static void compare_names(struct tfs_debuginfo *dbg, Dwarf_Die *die, size_t i)
{
	const char want[] = { (char)('a' + i / 16), (char)('a' + i % 16), 0 };
	char *ours = tfs_func_qualified_name(dbg, die);
	size_t before = walks;
	char *libdws = tfs_die_qualified_name(die);

	assert_int_equal(walks, before + 1);
	walks = before;
	assert_non_null(ours);
	assert_string_equal(ours, libdws);
	assert_memory_equal(ours, want, 2);
	assert_string_equal(ours + 2, "::S::f");
	free(ours);
	free(libdws);
}

static void all_functions_are_named_by_one_reading_of_the_unit(void **state)
{
	Dwarf_Die unit, space, type, func, copy;
	size_t n = 0;

	find_unit(*state, &unit);
	assert_int_equal(dwarf_child(&unit, &space), 0);
	do {
		assert_int_equal(dwarf_child(&space, &type), 0);
		assert_int_equal(dwarf_child(&type, &func), 0);
		assert_int_equal(dwarf_child(&func, &copy), 0);
		assert_int_equal(dwarf_tag(&copy), DW_TAG_inlined_subroutine);
		compare_names(*state, &func, n);
		compare_names(*state, &copy, n);
		n++;
	} while (!dwarf_siblingof(&space, &space));
	assert_int_equal(n, DWARF4_FUNCS);
	assert_int_equal(walks, 0);
	assert_int_equal(reads, DIES);
}

/* As tc-probe does: 16 functions, "p*::S::f", each with a copy. */
static void a_pattern_costs_no_walk_for_each_function(void **state)
{
	struct tfs_func_query q = { .name = "p[a-p]::S::f" };
	struct tfs_points points = TFS_POINTS_INIT;

	assert_int_equal(tfs_func_find(*state, &q, &points, NULL), 0);
	assert_true(points.n >= 16);
	for (size_t i = 0; i < points.n; i++)
		assert_true(points.v[i].func[0] == 'p' && !strcmp(points.v[i].func + 2, "::S::f"));
	assert_int_equal(walks, 0);
	tfs_points_release(&points);
}

static void a_name_that_is_qualified_costs_no_walk(void **state)
{
	struct tfs_func_query q = { .name = "cd::S::f" };
	struct tfs_points points = TFS_POINTS_INIT;

	assert_int_equal(tfs_func_find(*state, &q, &points, NULL), 0);
	assert_true(points.n >= 1);
	assert_string_equal(points.v[0].func, "cd::S::f");
	assert_int_equal(walks, 0);
	tfs_points_release(&points);
}

/* The function that libdw finds around a copy; NULL if none. */
static void *owner_by_libdw(Dwarf_Die *copy)
{
	Dwarf_Die *scopes = NULL;
	int n = __real_dwarf_getscopes_die(copy, &scopes);
	void *owner = NULL;

	for (int i = 1; i < n && !owner; i++)
		if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram)
			owner = scopes[i].addr;
	free(scopes);
	return owner;
}

/* All copies of a unit, at most so many. */
struct copies {
	struct tfs_debuginfo *dbg;
	size_t n;
	size_t max;
};

static int compare_owner(void *ctx, struct tfs_func_info *info)
{
	struct copies *c = ctx;
	Dwarf_Die owner;
	void *libdws;

	if (!info->inlined || c->n == c->max)
		return 0;
	c->n++;
	libdws = owner_by_libdw(&info->die);
	assert_non_null(libdws);
	assert_int_equal(tfs_die_function(c->dbg, &info->die, &owner), 0);
	assert_ptr_equal(owner.addr, libdws);
	assert_ptr_equal(owner.cu, info->die.cu);
	assert_int_equal(dwarf_tag(&owner), DW_TAG_subprogram);
	return 0;
}

static void the_function_around_a_copy_is_that_which_libdw_finds(void **state)
{
	struct copies all = { *state, 0, SIZE_MAX };
	struct tfs_units it = { NULL };
	Dwarf_Die unit, owner;

	find_unit(*state, &unit);
	assert_int_equal(tfs_walk_unit_slowly(&(struct tfs_walk){ .inlines = true,
								  .visit = compare_owner,
								  .ctx = &all },
					      &unit),
			 0);
	assert_int_equal(all.n, DWARF4_FUNCS);
	/* it was read once for all of them; a unit is in no function */
	assert_int_equal(reads, DIES);
	assert_int_equal(tfs_die_function(*state, &unit, &owner), -ENOENT);
	/* some of what the compiler wrote, with blocks, and copies in copies */
	while (tfs_units_next(*state, &it, &unit) > 0) {
		struct copies some = { *state, 0, 40 };

		assert_int_equal(tfs_walk_unit_slowly(&(struct tfs_walk){ .inlines = true,
									  .visit = compare_owner,
									  .ctx = &some },
						      &unit),
				 0);
		all.n += some.n;
	}
	assert_true(all.n > DWARF4_FUNCS + 40);
	assert_int_equal(walks, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_functions_are_named_by_one_reading_of_the_unit,
						open_self, close_self),
		cmocka_unit_test_setup_teardown(a_pattern_costs_no_walk_for_each_function,
						open_self, close_self),
		cmocka_unit_test_setup_teardown(a_name_that_is_qualified_costs_no_walk, open_self,
						close_self),
		cmocka_unit_test_setup_teardown(
			the_function_around_a_copy_is_that_which_libdw_finds, open_self,
			close_self),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
