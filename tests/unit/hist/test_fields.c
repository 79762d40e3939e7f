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
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "decode/value.h"
#include "lib/fake.h"
#include "hist/fields.h"

struct fixture {
	struct fake fake;
	struct tfs_strvec names;
	struct tfs_hist_event event;
	struct tfs_hist_fields fields;
	struct tfs_err err;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->err = TFS_ERR_INIT;
	fake_new(&f->fake, "x86_64-6.1");
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tfs_hist_fields_release(&f->fields);
	tfs_strvec_release(&f->names);
	fake_free(&f->fake);
	free(f);
	return 0;
}

static int find(struct fixture *f, const char *event, const char *names)
{
	tfs_hist_fields_release(&f->fields);
	tfs_strvec_release(&f->names);
	tfs_err_clear(&f->err);
	f->event.name = event;
	assert_int_equal(tfs_strvec_split(&f->names, names, ","), 0);
	return tfs_hist_fields_find(&f->names, &f->event, 1, f->fake.root, &f->fields, &f->err);
}

static const char *name_of(const void *names, int64_t nr)
{
	return nr == 7 ? names : NULL;
}

/* The histogram's file is not captured with the tree. */
static void has_hist(struct fixture *f, const char *event)
{
	char path[128];

	snprintf(path, sizeof(path), "events/%s/hist", event);
	fake_put(&f->fake, path, "");
}

static void kinds_are_those_of_the_format(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(find(f, "sched:sched_switch", "prev_comm,prev_pid,prev_state"), 0);
	assert_int_equal(f->fields.v[0].kind, TFS_HIST_STRING);
	assert_int_equal(f->fields.v[1].kind, TFS_HIST_SIGNED);
	assert_int_equal(f->fields.v[2].kind, TFS_HIST_SIGNED);
	assert_int_equal(find(f, "sched:sched_process_exec", "filename"), 0);
	assert_int_equal(f->fields.v[0].kind, TFS_HIST_STRING);
	assert_int_equal(find(f, "timer:timer_cancel", "timer"), 0);
	assert_int_equal(f->fields.v[0].kind, TFS_HIST_OTHER);
	assert_int_equal(find(f, "raw_syscalls:sys_enter", "id,args"), 0);
	assert_int_equal(f->fields.v[0].kind, TFS_HIST_SIGNED);
	assert_true(f->fields.v[0].syscall);
	assert_int_equal(f->fields.v[1].kind, TFS_HIST_OTHER);
}

static void a_histogram_takes_three_fields_of_kinds_that_it_knows(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(find(f, "sched:sched_switch", "prev_comm"), 0);
	assert_false(f->fields.kernel);
	has_hist(f, "sched/sched_switch");
	assert_int_equal(find(f, "sched:sched_switch", "prev_comm,prev_pid,prev_state"), 0);
	assert_true(f->fields.kernel);
	assert_int_equal(find(f, "sched:sched_switch", "prev_comm,prev_pid,prev_state,next_pid"),
			 0);
	assert_false(f->fields.kernel);
	has_hist(f, "raw_syscalls/sys_enter");
	assert_int_equal(find(f, "raw_syscalls:sys_enter", "id"), 0);
	assert_true(f->fields.kernel);
	assert_int_equal(find(f, "raw_syscalls:sys_enter", "id,args"), 0);
	assert_false(f->fields.kernel);
	/* its addresses are printed as such */
	has_hist(f, "timer/timer_start");
	assert_int_equal(find(f, "timer:timer_start", "flags"), 0);
	assert_false(f->fields.kernel);
	assert_int_equal(find(f, NULL, "x"), 0);
	assert_false(f->fields.kernel);
}

static void a_field_that_is_missing_gets_suggestions(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(find(f, "sched:sched_switch", "prev_com"), -ENOENT);
	assert_string_equal(f->err.msg, "event 'sched:sched_switch' has no field 'prev_com'");
	assert_string_equal(f->err.hint, "did you mean 'prev_comm'?");
	assert_int_equal(find(f, "raw_syscalls:sys_exit", "zzzzzz"), -ENOENT);
	assert_string_equal(f->err.hint, "it has id, ret");
	assert_int_equal(find(f, "raw_syscalls:sys_exit", "common_pud"), -ENOENT);
}

/* The kernel counts the numbers that powers of two are made of. */
static void common_fields_and_modifiers_are_those_of_the_kernel(void **state)
{
	struct fixture *f = *state;

	has_hist(f, "kmem/kmalloc");
	has_hist(f, "raw_syscalls/sys_exit");
	assert_int_equal(find(f, "raw_syscalls:sys_exit", "common_pid,ret.log2,id.syscall"), 0);
	assert_true(f->fields.kernel);
	assert_string_equal(f->fields.v[0].name, "common_pid");
	assert_int_equal(f->fields.v[0].kind, TFS_HIST_SIGNED);
	assert_string_equal(f->fields.v[1].name, "ret");
	assert_true(f->fields.v[1].log2);
	assert_true(f->fields.v[2].syscall);
	assert_int_equal(find(f, "raw_syscalls:sys_exit", "ret,ret.log2"), 0);
	assert_false(f->fields.kernel);
	assert_int_equal(find(f, "raw_syscalls:sys_exit", "id.log2"), 0);
	assert_false(f->fields.v[0].syscall);
	assert_int_equal(find(f, "raw_syscalls:sys_exit", "ret.buckets=5"), -EINVAL);
	assert_string_equal(f->err.msg, "'ret.buckets=5': '.buckets=5' is not supported here");
	assert_int_equal(find(f, "sched:sched_switch", "prev_comm.log2"), -EINVAL);
	assert_string_equal(f->err.msg, "field 'prev_comm' is text, not a number");
	assert_int_equal(find(f, "raw_syscalls:sys_exit", "rat.log2"), -ENOENT);
	assert_string_equal(f->err.msg, "event 'raw_syscalls:sys_exit' has no field 'rat'");
}

static void values_are_numbers_words_or_names_of_calls(void **state)
{
	const struct tfs_field number = { .kind = TFS_VALUE_SIGNED };
	const struct tfs_field string = { .kind = TFS_VALUE_STRING };
	const struct tfs_hist_field plain = { .kind = TFS_HIST_SIGNED };
	const struct tfs_hist_field call = { .kind = TFS_HIST_SIGNED, .syscall = true };
	const struct tfs_hist_field power = { .kind = TFS_HIST_SIGNED, .log2 = true };
	const struct {
		const struct tfs_hist_field *by;
		const struct tfs_field *f;
		uint64_t number;
		const char *text, *want;
	} cases[] = {
		{ &plain, &number, (uint64_t)-5, "", "-5" },
		{ &plain, &number, 0, "", "0" },
		{ &call, &number, 7, "", "poll" },
		{ &call, &number, 8, "", "8" },
		{ &plain, &number, 7, "", "7" },
		/* hist_field_log2(): rounded up */
		{ &power, &number, 0, "", "~ 2^0" },
		{ &power, &number, 1, "", "~ 2^0" },
		{ &power, &number, 2, "", "~ 2^1" },
		{ &power, &number, 3, "", "~ 2^2" },
		{ &power, &number, 4096, "", "~ 2^12" },
		{ &power, &number, 4097, "", "~ 2^13" },
		{ &power, &number, (uint64_t)-5, "", "negative" },
		{ &plain, &string, 0, "swapper/0", "swapper/0" },
		{ &plain, &string, 0, "a, b", "\"a, b\"" },
		{ &plain, &string, 0, "", "\"\"" },
	};
	struct fixture *f = *state;
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	f->fields.syscall = name_of;
	f->fields.syscalls = "poll";
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct tfs_value v = { .number = cases[i].number,
					     .data = (const unsigned char *)cases[i].text,
					     .size = strlen(cases[i].text) };

		tfs_strbuf_reset(&sb);
		assert_int_equal(
			tfs_hist_fields_print(&f->fields, cases[i].by, cases[i].f, &v, &sb), 0);
		assert_string_equal(sb.s, cases[i].want);
	}
	tfs_strbuf_release(&sb);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(kinds_are_those_of_the_format),
		TEST(common_fields_and_modifiers_are_those_of_the_kernel),
		TEST(a_histogram_takes_three_fields_of_kinds_that_it_knows),
		TEST(a_field_that_is_missing_gets_suggestions),
		TEST(values_are_numbers_words_or_names_of_calls),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
