/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/macros.h"
#include "probe/define.h"
#include "probe/features.h"
#include "probe/resolve-internal.h"

/* A place of an event; @want is the name it should get. */
struct row {
	const char *event, *location, *shape;
	bool ret, partial;
	const char *want;
};

static const struct tfs_probe_features append = { TFS_PROBE_HAS_APPEND }, old_kernel;

static void check(const struct row *rows, size_t n, const struct tfs_probe_features *features)
{
	struct tfs_probe_defs defs = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct tfs_probe_def def = { .ret = rows[i].ret, .partial = rows[i].partial };

		def.group = strdup("probes");
		def.event = strdup(rows[i].event);
		def.location = strdup(rows[i].location);
		def.shape = rows[i].shape ? strdup(rows[i].shape) : NULL;
		assert_int_equal(tfs_probe_defs_take(&defs, &def), 0);
	}
	assert_int_equal(tfs_probe_name_events(&defs, features), 0);
	assert_int_equal(defs.n, n);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(defs.v[i].event, rows[i].want);
		assert_string_equal(defs.v[i].location, rows[i].location);
	}
	tfs_probe_defs_release(&defs);
}

static void equal_locations_are_one_event(void **state)
{
	static const struct row rows[] = {
		{ "f", "a+0", NULL, false, false, "f" },
		{ "f", "b+4", "", false, false, "f" },
		{ "g", "a+0", NULL, false, false, "g" },
		{ "f", "c+0", NULL, false, false, "f" },
	};

	(void)state;
	check(rows, ARRAY_SIZE(rows), &append);
}

/* A kernel before 5.5 takes one place for each event. */
static void each_place_has_a_number_where_the_kernel_wants_it(void **state)
{
	static const struct row rows[] = {
		{ "f", "a+0", NULL, false, false, "f" },
		{ "f", "b+4", NULL, false, false, "f_1" },
		{ "f", "c+0", NULL, false, false, "f_2" },
	};

	(void)state;
	check(rows, ARRAY_SIZE(rows), &old_kernel);
}

static void locations_that_cannot_share_an_event_are_numbered(void **state)
{
	static const struct row rows[] = {
		{ "f", "a+0", "v:s32 ", false, false, "f" },
		/* twice at one place */
		{ "f", "a+0", "v:s32 ", false, false, "f_1" },
		/* other arguments, and none */
		{ "f", "b+0", "v:s64 ", false, false, "f_2" },
		{ "f", "c+0", NULL, false, false, "f_3" },
		{ "f", "d+0", NULL, true, false, "f_4" },
		/* the next that fits takes the first name that it can have */
		{ "f", "e+0", "v:s32 ", false, false, "f" },
		{ "f", "f+0", NULL, false, false, "f_3" },
	};

	(void)state;
	check(rows, ARRAY_SIZE(rows), &append);
}

static void the_name_is_for_places_with_all_arguments(void **state)
{
	static const struct row rows[] = {
		{ "f", "a+0", "v:s32 ", false, true, "f_1" },
		{ "f", "b+0", "v:s32 w:s32 ", false, false, "f" },
		{ "f", "c+0", "v:s32 ", false, true, "f_1" },
	};

	(void)state;
	check(rows, ARRAY_SIZE(rows), &append);
}

static void thousands_have_names(void **state)
{
	struct tfs_probe_defs defs = { 0 };
	char text[32];

	(void)state;
	for (unsigned int i = 0; i < 5000; i++) {
		struct tfs_probe_def def = { 0 };

		/* each place twice, for each of ten events */
		snprintf(text, sizeof(text), "f%u", i % 10);
		def.group = strdup("probes");
		def.event = strdup(text);
		snprintf(text, sizeof(text), "s+%u", i / 20);
		def.location = strdup(text);
		assert_int_equal(tfs_probe_defs_take(&defs, &def), 0);
	}
	assert_int_equal(tfs_probe_name_events(&defs, &append), 0);
	for (unsigned int i = 0; i < 5000; i++) {
		snprintf(text, sizeof(text), i % 20 < 10 ? "f%u" : "f%u_1", i % 10);
		assert_string_equal(defs.v[i].event, text);
	}
	tfs_probe_defs_release(&defs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_locations_are_one_event),
		cmocka_unit_test(each_place_has_a_number_where_the_kernel_wants_it),
		cmocka_unit_test(locations_that_cannot_share_an_event_are_numbered),
		cmocka_unit_test(the_name_is_for_places_with_all_arguments),
		cmocka_unit_test(thousands_have_names),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
