/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "lib/fake.h"
#include "tracefs/instance.h"
#include "tracefs/plan.h"
#include "tracefs/tracing-on.h"

#define DIR "/sys/kernel/tracing/instances/a/"

static void put(struct fake *fake, const char *on, const char *copy)
{
	fake_new(fake, NULL);
	fake_put(fake, "instances/a/tracing_on", on);
	if (copy)
		fake_put(fake, "instances/a/" TFS_TRACING_COPY_FILE, copy);
}

/* In this order: an instance that is off and has the copies makes every write of a marker fail. */
static void a_pause_ends_the_copies_of_markers_first(void **state)
{
	static const struct {
		const char *on, *copy, *text;
	} rows[] = {
		{ "1\n", "1\n",
		  "echo 0 > " DIR "options/copy_trace_marker\necho 0 > " DIR "tracing_on\n" },
		{ "1\n", "0\n", "echo 0 > " DIR "tracing_on\n" },
		{ "1\n", NULL, "echo 0 > " DIR "tracing_on\n" },
		{ "0\n", "0\n", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tfs_strbuf text = TFS_STRBUF_INIT;
		struct tfs_err err = TFS_ERR_INIT;
		struct tfs_instance inst;
		struct tfs_plan *shown, *plan;
		struct fake fake;

		put(&fake, rows[i].on, rows[i].copy);
		assert_int_equal(tfs_instance_named(&inst, "a", NULL), 0);
		assert_int_equal(tfs_plan_new(NULL, &shown), 0);
		assert_int_equal(tfs_tracing_pause_plan(fake.root, &inst, shown, &err), 0);
		assert_int_equal(tfs_plan_print(shown, 0, &text), 0);
		assert_string_equal(text.s ? text.s : "", rows[i].text);
		tfs_plan_free(shown);
		assert_int_equal(tfs_plan_new(fake.root, &plan), 0);
		assert_int_equal(tfs_tracing_pause_plan(fake.root, &inst, plan, &err), 0);
		assert_int_equal(tfs_plan_apply(plan, &err), 0);
		assert_int_equal(fake_get(&fake, "instances/a/tracing_on")[0], '0');
		assert_int_equal(tfs_plan_rollback(plan, &err), 0);
		assert_int_equal(fake_get(&fake, "instances/a/tracing_on")[0], rows[i].on[0]);
		tfs_plan_free(plan);
		tfs_strbuf_release(&text);
		fake_free(&fake);
	}
}

static void tracing_is_turned_off_with_its_copies_and_on_again(void **state)
{
	struct tfs_instance inst;
	struct fake fake;
	bool copied;

	(void)state;
	put(&fake, "1\n", "1");
	assert_int_equal(tfs_instance_named(&inst, "a", NULL), 0);
	assert_int_equal(tfs_tracing_off(fake.root, &inst, &copied, NULL), 0);
	assert_true(copied);
	assert_string_equal(fake_get(&fake, "instances/a/tracing_on"), "0");
	assert_string_equal(fake_get(&fake, "instances/a/" TFS_TRACING_COPY_FILE), "0");
	assert_int_equal(tfs_tracing_off(fake.root, &inst, &copied, NULL), 0);
	assert_false(copied);
	assert_int_equal(tfs_tracing_on(fake.root, &inst, false, NULL), 0);
	assert_string_equal(fake_get(&fake, "instances/a/tracing_on"), "1");
	assert_string_equal(fake_get(&fake, "instances/a/" TFS_TRACING_COPY_FILE), "0");
	assert_int_equal(tfs_tracing_on(fake.root, &inst, true, NULL), 0);
	assert_string_equal(fake_get(&fake, "instances/a/" TFS_TRACING_COPY_FILE), "1");
	fake_free(&fake);
}

static void the_option_of_the_top_level_stays(void **state)
{
	struct tfs_instance top;
	struct fake fake;
	bool copied;

	(void)state;
	fake_new(&fake, NULL);
	fake_put(&fake, "tracing_on", "1\n");
	fake_put(&fake, TFS_TRACING_COPY_FILE, "1\n");
	tfs_instance_top(&top);
	assert_int_equal(tfs_tracing_off(fake.root, &top, &copied, NULL), 0);
	assert_false(copied);
	assert_string_equal(fake_get(&fake, "tracing_on"), "0");
	assert_string_equal(fake_get(&fake, TFS_TRACING_COPY_FILE), "1\n");
	fake_free(&fake);
}

static void a_kernel_that_copies_no_markers_is_turned_off_and_on(void **state)
{
	struct tfs_instance inst;
	struct fake fake;
	bool copied = true;

	(void)state;
	put(&fake, "1\n", NULL);
	assert_int_equal(tfs_instance_named(&inst, "a", NULL), 0);
	assert_int_equal(tfs_tracing_off(fake.root, &inst, &copied, NULL), 0);
	assert_false(copied);
	assert_string_equal(fake_get(&fake, "instances/a/tracing_on"), "0");
	assert_int_equal(tfs_tracing_on(fake.root, &inst, copied, NULL), 0);
	assert_string_equal(fake_get(&fake, "instances/a/tracing_on"), "1");
	fake_free(&fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pause_ends_the_copies_of_markers_first),
		cmocka_unit_test(tracing_is_turned_off_with_its_copies_and_on_again),
		cmocka_unit_test(the_option_of_the_top_level_stays),
		cmocka_unit_test(a_kernel_that_copies_no_markers_is_turned_off_and_on),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
