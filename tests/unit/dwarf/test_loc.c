/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dwarf.h>
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dwarf/loc.h"
#include "probe/var-internal.h"

#define EVAL(out, ...)                                 \
	eval((out), (const Dwarf_Op[]){ __VA_ARGS__ }, \
	     sizeof((const Dwarf_Op[]){ __VA_ARGS__ }) / sizeof(Dwarf_Op))

static void eval(struct tfs_loc *out, const Dwarf_Op *op, size_t n)
{
	struct tfs_scope scope = { .machine = tfs_machine_find(EM_X86_64, 64, false) };

	*out = (struct tfs_loc){ 0 };
	assert_int_equal(tfs_loc_eval(&scope, NULL, op, n, 0, out), 0);
}

static void a_register_holds_the_variable(void **state)
{
	struct tfs_loc loc;

	(void)state;
	EVAL(&loc, { .atom = DW_OP_reg5 });
	assert_int_equal(loc.kind, TFS_LOC_REG);
	assert_int_equal(loc.v.reg, 5);
}

static void a_register_and_an_offset_is_an_address(void **state)
{
	struct tfs_loc loc;

	(void)state;
	EVAL(&loc, { .atom = DW_OP_breg5, .number = 16 });
	assert_int_equal(loc.kind, TFS_LOC_MEM);
	assert_int_equal(loc.v.add, 16);
}

/* perf probe mistakes this for memory at %di+1. */
static void a_sum_is_a_value_not_a_place(void **state)
{
	struct tfs_loc loc;

	(void)state;
	EVAL(&loc, { .atom = DW_OP_breg5, .number = 1 }, { .atom = DW_OP_stack_value });
	assert_int_equal(loc.kind, TFS_LOC_VALUE);
	assert_int_equal(loc.v.base, TFS_SVAL_REG);
	assert_int_equal(loc.v.add, 1);
	assert_int_equal(loc.v.n, 0);
}

static void constants_are_computed(void **state)
{
	struct tfs_loc loc;

	(void)state;
	EVAL(&loc, { .atom = DW_OP_lit5 }, { .atom = DW_OP_const1u, .number = 3 },
	     { .atom = DW_OP_shl }, { .atom = DW_OP_lit2 }, { .atom = DW_OP_minus },
	     { .atom = DW_OP_stack_value });
	assert_int_equal(loc.kind, TFS_LOC_VALUE);
	assert_int_equal(loc.v.base, TFS_SVAL_CONST);
	assert_int_equal(loc.v.c, (5 << 3) - 2);
}

static void masks_and_shifts_select_bits(void **state)
{
	struct tfs_loc loc;

	(void)state;
	EVAL(&loc, { .atom = DW_OP_breg4 }, { .atom = DW_OP_lit8 }, { .atom = DW_OP_shr },
	     { .atom = DW_OP_const1u, .number = 0xff }, { .atom = DW_OP_and },
	     { .atom = DW_OP_stack_value });
	assert_int_equal(loc.kind, TFS_LOC_VALUE);
	assert_int_equal(loc.v.shift, 8);
	assert_int_equal(loc.v.bits, 8);
	assert_false(loc.v.is_signed);
}

static void shifting_up_and_down_extends_the_sign(void **state)
{
	struct tfs_loc loc;

	(void)state;
	EVAL(&loc, { .atom = DW_OP_breg4 }, { .atom = DW_OP_const1u, .number = 32 },
	     { .atom = DW_OP_shl }, { .atom = DW_OP_const1u, .number = 32 }, { .atom = DW_OP_shra },
	     { .atom = DW_OP_stack_value });
	assert_int_equal(loc.v.shift, 0);
	assert_int_equal(loc.v.bits, 32);
	assert_true(loc.v.is_signed);
}

static void pointers_are_followed(void **state)
{
	struct tfs_loc loc;

	(void)state;
	EVAL(&loc, { .atom = DW_OP_breg6, .number = (Dwarf_Word)-24 }, { .atom = DW_OP_deref },
	     { .atom = DW_OP_plus_uconst, .number = 8 });
	assert_int_equal(loc.kind, TFS_LOC_MEM);
	assert_int_equal(loc.v.n, 1);
	assert_int_equal(loc.v.off[0], -24);
	assert_int_equal(loc.v.add, 8);
}

static void arithmetic_with_two_unknowns_is_refused(void **state)
{
	struct tfs_loc loc;

	(void)state;
	EVAL(&loc, { .atom = DW_OP_breg4 }, { .atom = DW_OP_breg5 }, { .atom = DW_OP_mul },
	     { .atom = DW_OP_stack_value });
	assert_int_equal(loc.kind, TFS_LOC_NONE);
	assert_int_equal(loc.why, TFS_REFUSAL_ARITHMETIC);
}

static void parts_keep_their_places(void **state)
{
	struct tfs_loc loc;

	(void)state;
	EVAL(&loc, { .atom = DW_OP_reg5 }, { .atom = DW_OP_piece, .number = 8 },
	     { .atom = DW_OP_piece, .number = 4 }, { .atom = DW_OP_reg17 },
	     { .atom = DW_OP_piece, .number = 4 });
	assert_int_equal(loc.kind, TFS_LOC_PIECES);
	assert_int_equal(loc.n_piece, 3);
	assert_int_equal(loc.piece[0].loc.kind, TFS_LOC_REG);
	assert_int_equal(loc.piece[0].bits, 64);
	assert_int_equal(loc.piece[1].at, 64);
	assert_int_equal(loc.piece[1].loc.why, TFS_REFUSAL_OPTIMISED_OUT);
	assert_int_equal(loc.piece[2].at, 96);
	assert_int_equal(loc.piece[2].loc.why, TFS_REFUSAL_FP_REGISTER);
	tfs_loc_release(&loc);
}

static void registers_out_of_reach_are_refused_by_kind(void **state)
{
	struct tfs_loc loc;

	(void)state;
	EVAL(&loc, { .atom = DW_OP_reg17 });
	assert_int_equal(loc.why, TFS_REFUSAL_FP_REGISTER);
	EVAL(&loc, { .atom = DW_OP_reg16 });
	assert_int_equal(loc.why, TFS_REFUSAL_UNSUPPORTED);
	EVAL(&loc, { .atom = DW_OP_regx, .number = UINT64_MAX });
	assert_int_equal(loc.kind, TFS_LOC_NONE);
}

static void a_thread_local_is_refused(void **state)
{
	struct tfs_loc loc;

	(void)state;
	EVAL(&loc, { .atom = DW_OP_const8u, .number = 16 }, { .atom = DW_OP_form_tls_address });
	assert_int_equal(loc.why, TFS_REFUSAL_TLS);
}

static void damage_is_refused(void **state)
{
	struct tfs_loc loc;

	(void)state;
	EVAL(&loc, { .atom = DW_OP_plus });
	assert_int_equal(loc.why, TFS_REFUSAL_DAMAGED);
	EVAL(&loc, { .atom = DW_OP_lit0 }, { .atom = DW_OP_rot });
	assert_int_equal(loc.why, TFS_REFUSAL_DAMAGED);
	EVAL(&loc, { .atom = DW_OP_lit0 }, { .atom = DW_OP_pick, .number = 255 });
	assert_int_equal(loc.why, TFS_REFUSAL_DAMAGED);
	EVAL(&loc, { .atom = DW_OP_addrx, .number = 7 });
	assert_int_equal(loc.why, TFS_REFUSAL_DAMAGED);
	EVAL(&loc, { .atom = DW_OP_breg5 }, { .atom = DW_OP_const1u, .number = 200 },
	     { .atom = DW_OP_shl }, { .atom = DW_OP_stack_value });
	assert_int_equal(loc.why, TFS_REFUSAL_ARITHMETIC);
}

/* clang 14 leaves out that the place is to be read: no number is where the stack is. */
static void the_stack_pointer_is_not_a_number(void **state)
{
	struct tfs_scope scope = { .machine = tfs_machine_find(EM_X86_64, 64, false) };
	struct tfs_var_cursor cur = { .scope = &scope, .size = 8, .type.class = TFS_TYPE_INT };
	struct tfs_refusing r = { 0 };
	struct tfs_sval v;

	(void)state;
	EVAL(&cur.loc, { .atom = DW_OP_breg7 }, { .atom = DW_OP_stack_value });
	assert_int_equal(tfs_var_cursor_value(&cur, 64, &v, &r), -EBADMSG);
	assert_int_equal(r.why, TFS_REFUSAL_DAMAGED);
	cur.type.class = TFS_TYPE_POINTER;
	assert_int_equal(tfs_var_cursor_value(&cur, 64, &v, &r), 0);
	cur.type.class = TFS_TYPE_INT;
	EVAL(&cur.loc, { .atom = DW_OP_breg5 }, { .atom = DW_OP_stack_value });
	assert_int_equal(tfs_var_cursor_value(&cur, 64, &v, &r), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_register_holds_the_variable),
		cmocka_unit_test(a_register_and_an_offset_is_an_address),
		cmocka_unit_test(a_sum_is_a_value_not_a_place),
		cmocka_unit_test(constants_are_computed),
		cmocka_unit_test(masks_and_shifts_select_bits),
		cmocka_unit_test(shifting_up_and_down_extends_the_sign),
		cmocka_unit_test(pointers_are_followed),
		cmocka_unit_test(arithmetic_with_two_unknowns_is_refused),
		cmocka_unit_test(parts_keep_their_places),
		cmocka_unit_test(registers_out_of_reach_are_refused_by_kind),
		cmocka_unit_test(a_thread_local_is_refused),
		cmocka_unit_test(damage_is_refused),
		cmocka_unit_test(the_stack_pointer_is_not_a_number),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
