/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "dso/dso.h"
#include "dwarf/debuginfo.h"
#include "dwarf/func.h"
#include "dwarf/line.h"
#include "dwarf/scope.h"
#include "lib/apart.h"
#include "lib/debuginfo.h"
#include "lib/skip.h"
#include "probe/var.h"

struct inner {
	short pad;
	union {
		long n;
		char c;
	};
	int grid[2][3];
};

struct outer {
	int i;
	unsigned int low : 3, high : 7;
	char text[8];
	const char *name;
	struct inner in;
	struct outer *next;
	struct owner {
		int id;
	} owner;
};

int tfs_test_passed(struct outer *o, int number, const char *text, double real);
static volatile long sink;
int tfs_test_global = 42;

TEST_APART int tfs_test_passed(struct outer *o, int number, const char *text, double real)
{
	sink = o->i + number + text[0] + (long)real + tfs_test_global;
	return (int)sink;
}

struct fixture {
	struct tfs_debuginfo *dbg;
	struct tfs_points points;
	struct tfs_scope *scope;
};

/* The test itself is the program looked at; where it has no debug information nothing is. */
static int open_self(void **state)
{
	struct tfs_func_query q = { .name = "tfs_test_passed" };
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	*state = f;
	if (!(f->dbg = open_debuginfo("/proc/self/exe")) ||
	    tfs_func_find(f->dbg, &q, &f->points, NULL) || f->points.n != 1)
		return -1;
	tfs_scope_new(f->dbg, &f->points.v[0], 0, &f->scope, NULL);
	return 0;
}

static int close_self(void **state)
{
	struct fixture *f = *state;

	tfs_scope_free(f->scope);
	tfs_points_release(&f->points);
	close_debuginfo(f->dbg);
	free(f);
	return 0;
}

static enum tfs_refusal fetch(struct fixture *f, const char *text, const char *cast,
			      struct tfs_strbuf *out)
{
	struct tfs_var_opts opts = { .cast = cast };
	struct tfs_fetch_list list = TFS_FETCH_LIST_INIT;
	enum tfs_refusal why = TFS_REFUSAL_NONE;
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_path path;
	int rc;

	if (!f->scope)
		skip_because("no debug information");
	assert_int_equal(tfs_path_parse(text, &path, NULL), 0);
	if (tfs_var_when(f->scope, &path) == TFS_VAR_AFTER_PROLOGUE) {
		tfs_path_release(&path);
		tfs_strbuf_release(out);
		skip_because("not optimised: where things are depends on the prologue");
	}
	rc = tfs_var_fetch(f->scope, &path, &opts, &list, &why, &err);
	tfs_path_release(&path);
	if (rc) {
		assert_int_equal(list.n, 0);
		assert_int_not_equal(err.msg[0], '\0');
	} else {
		assert_int_equal(list.n, 1);
		assert_int_equal(tfs_fetch_emit(&list.fetch[0], out), 0);
	}
	tfs_fetch_list_release(&list);
	return why;
}

static void expect(void **state, const char *text, const char *cast, const char *want)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	assert_int_equal(fetch(*state, text, cast, &sb), TFS_REFUSAL_NONE);
	assert_string_equal(sb.s, want);
	tfs_strbuf_release(&sb);
}

static void expect_member(void **state, const char *text, size_t offset, const char *type)
{
	char want[64];

	snprintf(want, sizeof(want), "+%zu(%%di):%s", offset, type);
	expect(state, text, NULL, want);
}

static void refused(void **state, const char *text, enum tfs_refusal why)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	assert_int_equal(fetch(*state, text, NULL, &sb), why);
	assert_int_equal(sb.len, 0);
}

#if defined(__x86_64__)
/* Registers by the System V ABI, offsets by the compiler. */
static void parameters_are_in_the_abis_registers(void **state)
{
	expect(state, "o", NULL, "%di:x64");
	expect(state, "number", NULL, "%si:s32");
	expect(state, "number", "x", "%si:x32");
	expect(state, "number", "u8", "%si:u8");
	expect(state, "text", NULL, "+0(%dx):string");
	expect(state, "text", "x64", "%dx:x64");
}

static void members_are_read_where_the_compiler_put_them(void **state)
{
	char want[64];

	expect_member(state, "o->i", offsetof(struct outer, i), "s32");
	expect_member(state, "o->text", offsetof(struct outer, text), "string");
	expect_member(state, "o->in.n", offsetof(struct outer, in.n), "s64");
	expect_member(state, "o->in.grid[1][2]", offsetof(struct outer, in.grid[1][2]), "s32");
	expect_member(state, "*o->in.grid[1]", offsetof(struct outer, in.grid[1][0]), "s32");
	expect_member(state, "o->in.grid[1]", offsetof(struct outer, in.grid[1]), "s32[3]");
	expect_member(state, "o[2].i", 2 * sizeof(struct outer), "s32");
	snprintf(want, sizeof(want), "+%zu(+%zu(%%di)):s32", offsetof(struct outer, i),
		 offsetof(struct outer, next));
	expect(state, "o->next->i", NULL, want);
	snprintf(want, sizeof(want), "+0(+%zu(%%di)):string", offsetof(struct outer, name));
	expect(state, "o->name", NULL, want);
}

static void bitfields_are_cut_out_of_their_bytes(void **state)
{
	expect_member(state, "o->low", 4, "b3@0/8");
	expect_member(state, "o->high", 4, "b7@3/16");
}

static void a_structure_of_few_bytes_is_shown_as_they_are(void **state)
{
	expect_member(state, "o->owner", offsetof(struct outer, owner), "x32");
}

static void an_address_is_a_value_only_without_a_distance(void **state)
{
	expect(state, "&o->i", NULL, "%di:x64");
	refused(state, "&o->name", TFS_REFUSAL_ARITHMETIC);
}

static void a_floating_point_parameter_is_refused(void **state)
{
	refused(state, "real", TFS_REFUSAL_FP_REGISTER);
}
#endif

static void unknown_names_are_refused(void **state)
{
	refused(state, "nothing", TFS_REFUSAL_NO_VARIABLE);
	refused(state, "$retval", TFS_REFUSAL_NO_VALUE);
}

static void values_that_do_not_fit_their_type_are_refused(void **state)
{
	refused(state, "o->nothing", TFS_REFUSAL_NO_MEMBER);
	refused(state, "number->i", TFS_REFUSAL_TYPE);
	refused(state, "number[1]", TFS_REFUSAL_TYPE);
	refused(state, "*number", TFS_REFUSAL_TYPE);
	refused(state, "o->in", TFS_REFUSAL_TYPE);
	refused(state, "o->in.grid[2]", TFS_REFUSAL_TYPE);
}

static void a_global_is_found_from_the_function(void **state)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	assert_int_equal(fetch(*state, "tfs_test_global", NULL, &sb), TFS_REFUSAL_NONE);
	assert_int_equal(strncmp(sb.s, "@+0x", 4), 0);
	assert_non_null(strstr(sb.s, ":s32"));
	tfs_strbuf_release(&sb);
}

static void variables_are_listed_with_their_types(void **state)
{
	static const char *const want[][2] = {
		{ "struct outer *", "o" },
		{ "int", "number" },
		{ "const char *", "text" },
		{ "double", "real" },
	};
	struct fixture *f = *state;
	struct tfs_var_list list = { 0 };
	size_t i;

	if (!f->scope)
		skip_because("no debug information");
	assert_int_equal(tfs_vars_list(f->scope, 0, &list, NULL), 0);
	assert_int_equal(list.n, 4);
	for (i = 0; i < 4; i++) {
		assert_string_equal(list.var[i].type, want[i][0]);
		assert_string_equal(list.var[i].name, want[i][1]);
		assert_true(list.var[i].param);
	}
	tfs_var_list_release(&list);
}

static void all_parameters_leave_out_unavailable_ones(void **state)
{
	struct fixture *f = *state;
	struct tfs_fetch_list list = TFS_FETCH_LIST_INIT;
	struct tfs_path path;

	if (!f->scope)
		skip_because("no debug information");
	assert_int_equal(tfs_path_parse("$params", &path, NULL), 0);
	assert_int_equal(tfs_var_fetch(f->scope, &path, NULL, &list, NULL, NULL), 0);
	tfs_path_release(&path);
	assert_int_equal(list.n + list.n_refused, 4);
	assert_true(list.n_refused >= 1);
	tfs_fetch_list_release(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#if defined(__x86_64__)
		cmocka_unit_test(parameters_are_in_the_abis_registers),
		cmocka_unit_test(members_are_read_where_the_compiler_put_them),
		cmocka_unit_test(bitfields_are_cut_out_of_their_bytes),
		cmocka_unit_test(a_structure_of_few_bytes_is_shown_as_they_are),
		cmocka_unit_test(an_address_is_a_value_only_without_a_distance),
		cmocka_unit_test(a_floating_point_parameter_is_refused),
#endif
		cmocka_unit_test(unknown_names_are_refused),
		cmocka_unit_test(values_that_do_not_fit_their_type_are_refused),
		cmocka_unit_test(a_global_is_found_from_the_function),
		cmocka_unit_test(variables_are_listed_with_their_types),
		cmocka_unit_test(all_parameters_leave_out_unavailable_ones),
	};
	struct outer o = { .i = 1 };

	/* It is there to be found. */
	tfs_test_passed(&o, 1, "", 1.0);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, open_self, close_self);
}
