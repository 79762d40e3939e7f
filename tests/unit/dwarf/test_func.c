/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dwarf.h>

#include "base/err.h"
#include "base/strvec.h"
#include "dso/dso.h"
#include "dso/symbol.h"
#include "dwarf/debuginfo-internal.h"
#include "dwarf/debuginfo.h"
#include "dwarf/func-internal.h"
#include "dwarf/func.h"
#include "dwarf/line.h"
#include "dwarf/unit.h"
#include "lib/apart.h"
#include "lib/debuginfo.h"
#include "lib/skip.h"

#define SELF "/proc/self/exe"

int tfs_test_subject(int a, const char *b);
int tfs_test_alias(int a, const char *b);

static volatile int sink;
/* Lines that the compiler's __LINE__ knows, and that debug information has to name too. */
enum { SUBJECT_LINE = __LINE__ + 2, BODY_LINE = SUBJECT_LINE + 2 };

TEST_APART int tfs_test_subject(int a, const char *b)
{
	sink = a + 3 + (b != NULL);
	return sink;
}

__attribute__((alias("tfs_test_subject"))) int tfs_test_alias(int a, const char *b);

static inline __attribute__((always_inline)) int copied(int a)
{
	sink = a * 7;
	sink += 2;
	return sink;
}

TEST_APART static int first_with_copy(int a)
{
	return copied(a) + 1;
}

TEST_APART static int second_with_copy(int a)
{
	return copied(a + 1) + 2;
}

static int open_self(void **state)
{
	struct tfs_debuginfo *dbg = NULL;

	dbg = open_debuginfo(SELF);
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

static int first_object(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	*(uintptr_t *)data = info->dlpi_addr;
	return 1;
}

static uint64_t linked_address(uintptr_t p)
{
	uintptr_t base = 0;

	dl_iterate_phdr(first_object, &base);
	return p - base;
}

static void one_point(struct tfs_debuginfo *dbg, const char *name, struct tfs_points *points)
{
	struct tfs_func_query q = { .name = name };
	struct tfs_err err = TFS_ERR_INIT;

	if (tfs_func_find(dbg, &q, points, &err))
		fail_msg("%s: %s", name, err.msg);
	assert_int_equal(points->n, 1);
}

static void need_dwarf(struct tfs_debuginfo *dbg)
{
	if (!tfs_debuginfo_available(dbg))
		skip_because("no debug information");
}

static void a_function_is_found_where_it_runs(void **state)
{
	struct tfs_points points = TFS_POINTS_INIT;

	one_point(*state, "tfs_test_subject", &points);
	assert_int_equal(points.v[0].addr, linked_address((uintptr_t)tfs_test_subject));
	assert_true(points.v[0].flags & TFS_POINT_ENTRY);
	tfs_points_release(&points);
}

static void an_alias_finds_the_function_it_is_of(void **state)
{
	struct tfs_points points = TFS_POINTS_INIT;

	one_point(*state, "tfs_test_alias", &points);
	assert_int_equal(points.v[0].addr, linked_address((uintptr_t)tfs_test_subject));
	assert_string_equal(points.v[0].symbol, "tfs_test_alias");
	if (tfs_debuginfo_available(*state))
		assert_string_equal(points.v[0].func, "tfs_test_subject");
	tfs_points_release(&points);
}

static void the_declaration_is_named(void **state)
{
	struct tfs_points points = TFS_POINTS_INIT;

	need_dwarf(*state);
	one_point(*state, "tfs_test_subject", &points);
	assert_true(points.v[0].flags & TFS_POINT_UNDECLARED);
	assert_false(points.v[0].flags & TFS_POINT_GLOBAL);
	tfs_point_read_decl(*state, &points.v[0]);
	assert_false(points.v[0].flags & TFS_POINT_UNDECLARED);
	assert_true(points.v[0].flags & TFS_POINT_GLOBAL);
	assert_int_equal(points.v[0].decl_line, SUBJECT_LINE);
	assert_non_null(strstr(points.v[0].decl_file, "test_func.c"));
	assert_non_null(points.v[0].scope);
	tfs_points_release(&points);
}

static void each_inlined_copy_is_found(void **state)
{
	struct tfs_func_query q = { .name = "copied" };
	struct tfs_points points = TFS_POINTS_INIT;
	bool first = false, second = false;

	need_dwarf(*state);
	assert_int_equal(tfs_func_find(*state, &q, &points, NULL), 0);
	assert_int_equal(points.n, 2);
	for (size_t i = 0; i < points.n; i++) {
		const struct tfs_symbol *in =
			tfs_symbol_at(tfs_debuginfo_dso(*state), points.v[i].addr);

		assert_true(points.v[i].flags & TFS_POINT_INLINED);
		assert_string_equal(points.v[i].func, "copied");
		assert_string_equal(points.v[i].into, in->name);
		first = first || !strcmp(in->name, "first_with_copy");
		second = second || !strcmp(in->name, "second_with_copy");
	}
	assert_true(first && second);
	tfs_points_release(&points);
}

static void copies_can_be_left_out(void **state)
{
	struct tfs_func_query q = { .name = "*_with_copy", .no_inlines = true };
	struct tfs_points points = TFS_POINTS_INIT;

	assert_int_equal(tfs_func_find(*state, &q, &points, NULL), 0);
	assert_int_equal(points.n, 2);
	tfs_points_release(&points);
}

static void the_file_chooses_between_functions(void **state)
{
	struct tfs_func_query q = { .name = "tfs_test_subject", .file = "dwarf/test_func.c" };
	struct tfs_points points = TFS_POINTS_INIT;

	need_dwarf(*state);
	assert_int_equal(tfs_func_find(*state, &q, &points, NULL), 0);
	assert_int_equal(points.n, 1);
	tfs_points_release(&points);
	q.file = "est_func.c";
	assert_int_equal(tfs_func_find(*state, &q, &points, NULL), -ENOENT);
}

static void more_places_than_wanted_are_refused(void **state)
{
	struct tfs_func_query q = { .name = "*", .max = 3 };
	struct tfs_points points = TFS_POINTS_INIT;

	assert_int_equal(tfs_func_find(*state, &q, &points, NULL), -E2BIG);
	assert_int_equal(points.n, 0);
}

static void a_misspelt_name_gets_suggestions(void **state)
{
	struct tfs_func_query q = { .name = "tfs_test_subjekt" };
	struct tfs_points points = TFS_POINTS_INIT;
	struct tfs_err err = TFS_ERR_INIT;

	assert_int_equal(tfs_func_find(*state, &q, &points, &err), -ENOENT);
	assert_non_null(strstr(err.hint, "'tfs_test_subject'"));
}

static void functions_are_listed_once_and_filtered(void **state)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;

	assert_int_equal(tfs_func_list(*state, "tfs_test_* !*alias", &names, NULL), 0);
	assert_int_equal(names.n, 1);
	assert_string_equal(names.v[0], "tfs_test_subject");
	tfs_strvec_release(&names);
}

/*
 * Found by fuzzing: symbols may have any names, and the list of parameters of one that opens
 * parentheses was taken to end where no parenthesis is.
 */
__asm__(".pushsection .text\n"
	".type \"odd_name(int\",%function\n"
	"\"odd_name(int\": .byte 0, 0, 0, 0\n"
	".size \"odd_name(int\", 4\n"
	".type \"odd_name<(int, char\",%function\n"
	"\"odd_name<(int, char\": .byte 0, 0, 0, 0\n"
	".size \"odd_name<(int, char\", 4\n"
	".popsection\n");

static void a_name_that_opens_parentheses_need_not_close_them(void **state)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;

	assert_int_equal(tfs_func_list(*state, "odd_name*", &names, NULL), 0);
	assert_int_equal(names.n, 2);
	assert_string_equal(names.v[0], "odd_name(int");
	assert_string_equal(names.v[1], "odd_name<(int, char");
	tfs_strvec_release(&names);
}

static void a_line_is_found_in_its_function(void **state)
{
	struct tfs_points points = TFS_POINTS_INIT, func = TFS_POINTS_INIT;

	need_dwarf(*state);
	assert_int_equal(tfs_line_find(*state, "dwarf/test_func.c", BODY_LINE, &points, NULL), 0);
	assert_int_equal(points.n, 1);
	assert_string_equal(points.v[0].func, "tfs_test_subject");
	assert_int_equal(points.v[0].line, BODY_LINE);
	one_point(*state, "tfs_test_subject", &func);
	assert_true(points.v[0].addr >= func.v[0].entry && points.v[0].addr < func.v[0].end);
	tfs_points_release(&points);
	assert_int_equal(
		tfs_line_in_func(*state, &func.v[0], BODY_LINE - SUBJECT_LINE, &points, NULL), 0);
	assert_int_equal(points.n, 1);
	assert_int_equal(points.v[0].line, BODY_LINE);
	tfs_points_release(&points);
	tfs_points_release(&func);
}

static void the_line_a_function_is_declared_at_is_its_entry(void **state)
{
	struct tfs_points points = TFS_POINTS_INIT;
	struct tfs_err err = TFS_ERR_INIT;

	assert_int_equal(
		tfs_line_find(*state, "unit/dwarf/test_func.c", SUBJECT_LINE, &points, &err), 0);
	assert_true(points.n >= 1);
	assert_int_equal(points.v[0].addr, linked_address((uintptr_t)tfs_test_subject));
	tfs_points_release(&points);
}

static void a_line_without_code_names_the_next_with_some(void **state)
{
	struct tfs_points points = TFS_POINTS_INIT;
	struct tfs_err err = TFS_ERR_INIT;

	need_dwarf(*state);
	assert_int_equal(tfs_line_find(*state, "test_func.c", 2, &points, &err), -ENOENT);
	assert_non_null(strstr(err.hint, "next line that has code"));
	assert_int_equal(tfs_line_find(*state, "no_such_file.c", 2, &points, &err), -ENOENT);
}

static void the_lines_of_a_function_are_marked(void **state)
{
	struct tfs_points func = TFS_POINTS_INIT;
	struct tfs_line_map map = { 0 };

	need_dwarf(*state);
	one_point(*state, "tfs_test_subject", &func);
	assert_int_equal(tfs_line_map_func(*state, &func.v[0], &map, NULL), 0);
	assert_int_equal(map.first, SUBJECT_LINE);
	assert_true(map.n > BODY_LINE - SUBJECT_LINE && map.n <= 5);
	assert_true(map.has[BODY_LINE - SUBJECT_LINE]);
	assert_non_null(strstr(map.file, "dwarf/test_func.c"));
	tfs_line_map_release(&map);
	tfs_points_release(&func);
}

/* Functions with code and inlined copies of that name that libdw finds in a unit */
struct count {
	const char *name;
	size_t n;
};

static int count_one(void *ctx, struct tfs_func_info *info)
{
	struct count *count = ctx;
	const char *name = tfs_die_name(&info->die);

	count->n += name && !strcmp(name, count->name);
	return 0;
}

static bool is_listed(const struct tfs_unit_list *list, const Dwarf_Die *unit)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->v[i].addr == unit->addr)
			return true;
	return false;
}

/* No unit is left out that has a function's code or a copy of it. Return: is @own left out? */
static bool check_units(struct tfs_debuginfo *dbg, const char *name, const Dwarf_Die *own)
{
	struct tfs_unit_list list = { NULL, 0, 0 };
	struct tfs_units units = { NULL };
	struct count all = { name, 0 };
	bool is_out, missing = false;
	Dwarf_Die unit;

	assert_int_equal(tfs_units_naming(dbg, name, &list), 0);
	while (tfs_units_next(dbg, &units, &unit) > 0) {
		struct count here = { name, 0 };
		const struct tfs_walk walk = { .inlines = true, .visit = count_one, .ctx = &here };

		assert_int_equal(tfs_walk_unit_slowly(&walk, &unit), 0);
		missing = missing || (here.n && !is_listed(&list, &unit));
		all.n += here.n;
	}
	is_out = !is_listed(&list, own);
	free(list.v);
	if (missing)
		fail_msg("a unit with %s is left out", name);
	assert_true(all.n > 0);
	return is_out;
}

/* DW_FORM_strx1: any unit has such a byte. */
#ifdef __clang__
static const bool names_are_small_numbers = true;
#else
static const bool names_are_small_numbers = false;
#endif

static void units_that_only_declare_a_function_are_passed_over(void **state)
{
	/* called here, and declared */
	static const char *const elsewhere[] = { "tfs_dso_open", "tfs_dso_free", "tfs_func_find",
						 "tfs_points_release" };
	size_t out = 0;
	Dwarf_Die own;

	need_dwarf(*state);
	assert_int_equal(tfs_unit_at(*state, linked_address((uintptr_t)tfs_test_subject), &own), 0);
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
		out += check_units(*state, elsewhere[i], &own);
	/* a name's number may be found where it is not one, but hardly for each of them */
	assert_true(out > 0 || names_are_small_numbers);
	assert_false(check_units(*state, "copied", &own));
	check_units(*state, "tfs_read_uleb128", &own);
}

static void an_address_is_named(void **state)
{
	struct tfs_points points = TFS_POINTS_INIT;
	uint64_t addr = linked_address((uintptr_t)tfs_test_subject);

	assert_int_equal(tfs_point_at(*state, addr, &points, NULL), 0);
	assert_int_equal(points.n, 1);
	assert_true(!strcmp(points.v[0].func, "tfs_test_subject") ||
		    !strcmp(points.v[0].func, "tfs_test_alias"));
	tfs_points_release(&points);
	assert_int_equal(tfs_point_at(*state, 1, &points, NULL), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_is_found_where_it_runs),
		cmocka_unit_test(an_alias_finds_the_function_it_is_of),
		cmocka_unit_test(the_declaration_is_named),
		cmocka_unit_test(each_inlined_copy_is_found),
		cmocka_unit_test(copies_can_be_left_out),
		cmocka_unit_test(the_file_chooses_between_functions),
		cmocka_unit_test(more_places_than_wanted_are_refused),
		cmocka_unit_test(a_misspelt_name_gets_suggestions),
		cmocka_unit_test(functions_are_listed_once_and_filtered),
		cmocka_unit_test(a_name_that_opens_parentheses_need_not_close_them),
		cmocka_unit_test(a_line_is_found_in_its_function),
		cmocka_unit_test(the_line_a_function_is_declared_at_is_its_entry),
		cmocka_unit_test(a_line_without_code_names_the_next_with_some),
		cmocka_unit_test(the_lines_of_a_function_are_marked),
		cmocka_unit_test(units_that_only_declare_a_function_are_passed_over),
		cmocka_unit_test(an_address_is_named),
	};

	/* They are there to be found. */
	sink = tfs_test_subject(1, NULL) + first_with_copy(2) + second_with_copy(3);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, open_self, close_self);
}
