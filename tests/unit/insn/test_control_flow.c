/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dwarf/debuginfo-internal.h"
#include "dso/dso.h"
#include "dso/symbol.h"
#include "dwarf/basic-block.h"
#include "dwarf/debuginfo.h"
#include "dwarf/func-internal.h"
#include "dwarf/func.h"
#include "dwarf/scope.h"
#include "dwarf/unit.h"
#include "dwarf/var-frame.h"
#include "dwarf/var-written.h"
#include "insn/control-flow.h"
#include "lib/apart.h"
#include "lib/debuginfo.h"
#include "lib/skip.h"

/*
 * The functions under test are defined here, with labels in assembly. The code between the labels
 * is never executed.
 */
int tfs_test_straight(int never);
int tfs_test_table(int never);
int tfs_test_writes(int never);

#ifdef __x86_64__

TEST_APART int tfs_test_straight(int never)
{
	if (never)
		__asm__ volatile("flow_first: nop\n"
				 "jz flow_third\n"
				 "flow_second: nop; nop\n"
				 "flow_third: nop\n"
				 "call flow_first\n"
				 "flow_fourth: nop\n"
				 "jmp flow_third\n"
				 "flow_fifth: nop\n" ::
					 : "memory");
	return never;
}

TEST_APART int tfs_test_table(int never)
{
	if (never)
		__asm__ volatile("table_first: jmp *%%rax" ::: "memory");
	return never;
}

/* Bytes 64 to 80 of the frame are written in two steps, then read, and one is written again. */
TEST_APART int tfs_test_writes(int never)
{
	if (never)
		__asm__ volatile("jmp writes_begin\n"
				 "writes_begin: movq $1, 64(%%rsp)\n"
				 "writes_half: movb $2, (%%rdi)\n"
				 "movups %%xmm5, 72(%%rsp)\n"
				 "writes_all: nop\n"
				 "writes_late: movl $3, 76(%%rsp)\n"
				 "writes_again: mov 64(%%rsp), %%rax\n"
				 "writes_read: movq $1, 64(%%rsp)\n"
				 "push %%rax\n"
				 "writes_moved: nop\n"
				 "movq $1, 64(%%rsp)\n"
				 "mov (%%rsi), %%rax\n"
				 "writes_pointer: movq $1, 64(%%rsp)\n"
				 "rep stosq\n"
				 "writes_string: mov (%%rsi), %%rdx\n"
				 "mov %%rax, 96(%%rsp)\n"
				 "mov 96(%%rsp), %%rax\n" ::
					 : "memory");
	return never;
}

struct fixture {
	struct tfs_debuginfo *dbg;
	Dwarf_Die func;
};

static uint64_t label(struct fixture *f, const char *name)
{
	const struct tfs_symbol *const *found;

	if (tfs_symbol_named(tfs_debuginfo_dso(f->dbg), name, &found) != 1)
		fail_msg("no label '%s'", name);
	return found[0]->addr;
}

static bool find(struct fixture *f, const char *at)
{
	Dwarf_Die unit;
	uint64_t addr = label(f, at);

	return tfs_unit_at(f->dbg, addr, &unit) == 0 &&
	       tfs_func_at(f->dbg, &unit, addr, &f->func) == 0;
}

static int open_self(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	return !f || !(f->dbg = open_debuginfo("/proc/self/exe"));
}

static int close_self(void **state)
{
	struct fixture *f = *state;

	close_debuginfo(f->dbg);
	free(f);
	return 0;
}

static void blocks_are_between_the_labels(void **state)
{
	static const char *const names[] = { "flow_first", "flow_second", "flow_third",
					     "flow_fourth", "flow_fifth" };
	struct fixture *f = *state;
	struct tfs_basic_block block;
	uint64_t addr, next;
	size_t i;

	assert_int_equal(tfs_test_straight(0), 0);
	if (!find(f, "flow_first"))
		skip_because("built without debug information");
	for (i = 0; i + 1 < sizeof(names) / sizeof(names[0]); i++) {
		addr = label(f, names[i]);
		next = label(f, names[i + 1]);
		assert_int_equal(tfs_basic_block_at(f->dbg, &f->func, addr, &block), 0);
		assert_int_equal(block.begin, addr);
		assert_int_equal(block.end, next);
		assert_int_equal(tfs_basic_block_at(f->dbg, &f->func, next - 1, &block), 0);
		assert_int_equal(block.begin, addr);
	}
}

static void a_jump_through_a_register_may_go_anywhere(void **state)
{
	struct fixture *f = *state;
	struct tfs_basic_block block;

	assert_int_equal(tfs_test_table(0), 0);
	if (!find(f, "table_first"))
		skip_because("no debug information");
	assert_int_not_equal(tfs_basic_block_at(f->dbg, &f->func, label(f, "table_first"), &block),
			     0);
}

static bool is_written(struct fixture *f, const char *at, int64_t from, uint64_t len)
{
	struct tfs_scope scope = {
		.dbg = f->dbg, .dso = tfs_debuginfo_dso(f->dbg), .func = f->func, .pc = label(f, at)
	};

	scope.machine = tfs_dso_machine(tfs_debuginfo_dso(f->dbg));
	return tfs_var_is_written(&scope, (unsigned int)scope.machine->sp, from, len);
}

static void a_structure_is_there_when_all_of_it_is_written(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(tfs_test_writes(0), 0);
	if (!find(f, "writes_begin"))
		skip_because("no debug information");
	assert_false(is_written(f, "writes_begin", 64, 8));
	assert_true(is_written(f, "writes_half", 64, 8));
	assert_false(is_written(f, "writes_half", 64, 16));
	assert_false(is_written(f, "writes_half", 60, 8));
	assert_true(is_written(f, "writes_all", 64, 8));
	/* of the second half, a part comes once more */
	assert_false(is_written(f, "writes_all", 64, 24));
	assert_true(is_written(f, "writes_all", 80, 8));
	assert_false(is_written(f, "writes_all", 84, 8));
	assert_true(is_written(f, "writes_again", 64, 24));
}

static void a_value_read_earlier_is_stale(void **state)
{
	struct fixture *f = *state;

	if (!find(f, "writes_begin"))
		skip_because("no debug information");
	assert_false(is_written(f, "writes_read", 64, 8));
	assert_true(is_written(f, "writes_read", 72, 8));
	/* the stack pointer has moved; through a pointer all may have been read, or written */
	assert_false(is_written(f, "writes_moved", 72, 8));
	assert_false(is_written(f, "writes_pointer", 64, 8));
	assert_false(is_written(f, "writes_string", 64, 8));
}

static void a_register_written_before_it_is_read_is_dead(void **state)
{
	struct fixture *f = *state;
	static const int64_t far[] = { INT64_MAX, INT64_MAX - 7, INT64_MIN, INT64_MIN + 7 };
	struct tfs_scope scope = { .dbg = f->dbg, .dso = tfs_debuginfo_dso(f->dbg) };
	unsigned int sp;

	if (!find(f, "writes_begin"))
		skip_because("no debug information");
	scope.func = f->func;
	scope.machine = tfs_dso_machine(tfs_debuginfo_dso(f->dbg));
	sp = (unsigned int)scope.machine->sp;
	scope.pc = label(f, "writes_begin");
	if (!tfs_var_optimised(&scope))
		skip_because("not optimised: variables are written when the source says so");
	assert_true(tfs_var_is_replaced(&scope, sp, 64, 4));
	assert_true(tfs_var_is_replaced(&scope, sp, 76, 4));
	/* where hostile debug information says it is, there is no frame */
	for (size_t i = 0; i < sizeof(far) / sizeof(far[0]); i++) {
		assert_false(tfs_var_is_replaced(&scope, sp, far[i], 8));
		assert_false(tfs_var_is_replaced(&scope, sp, 64, (uint64_t)far[i]));
		assert_false(tfs_var_is_written(&scope, sp, far[i], 8));
	}
	assert_false(tfs_var_is_replaced(&scope, sp, 56, 8));
	scope.pc = label(f, "writes_all");
	assert_true(tfs_var_is_replaced(&scope, sp, 72, 8));
	assert_false(tfs_var_is_replaced(&scope, sp, 64, 8));
	/* what is read through a pointer is not what was spilt */
	scope.pc = label(f, "writes_string");
	assert_true(tfs_var_is_replaced(&scope, sp, 96, 8));
	scope.pc = label(f, "writes_again");
	assert_false(tfs_var_is_replaced(&scope, sp, 64, 8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(blocks_are_between_the_labels, open_self,
						close_self),
		cmocka_unit_test_setup_teardown(a_jump_through_a_register_may_go_anywhere,
						open_self, close_self),
		cmocka_unit_test_setup_teardown(a_structure_is_there_when_all_of_it_is_written,
						open_self, close_self),
		cmocka_unit_test_setup_teardown(a_value_read_earlier_is_stale, open_self,
						close_self),
		cmocka_unit_test_setup_teardown(a_register_written_before_it_is_read_is_dead,
						open_self, close_self),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 77; /* in x86's language only */
}

#endif
