/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "lib/alloc_fail.h"
#include "lib/fake.h"
#include "hist/fields.h"
#include "hist/kernel-hist.h"
#include "hist/rows.h"
#include "tracefs/instance.h"

#define HEAD "# event histogram\n#\n# trigger info: hist:keys=comm,state [active]\n#\n\n"
/* As Linux 6.1 and 6.12 have it */
#define TOTALS(dropped) "\nTotals:\n    Hits: 4\n    Entries: 3\n    Dropped: " dropped "\n"
#define KEY(comm, blanks, state, n) "{ comm: " comm blanks ", state: " state " } hitcount: " n "\n"
#define BLANKS40 "                                        "

struct fixture {
	struct tfs_hist_field v[2];
	struct tfs_hist_fields by;
	struct tfs_hist_rows rows;
	uint64_t dropped;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->v[0] = (struct tfs_hist_field){ .name = "comm", .kind = TFS_HIST_STRING };
	f->v[1] = (struct tfs_hist_field){ .name = "state", .kind = TFS_HIST_SIGNED };
	f->by = (struct tfs_hist_fields){ .n = 2, .v = f->v, .kernel = true };
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	tfs_hist_rows_release(&((struct fixture *)*state)->rows);
	free(*state);
	return 0;
}

static uint64_t count(struct fixture *f, const char *key)
{
	return tfs_hist_rows_text(&f->rows, 0, key, strlen(key))->count;
}

static int parse(struct fixture *f, const char *text)
{
	return tfs_hist_parse(&f->by, 0, text, &f->rows, &f->dropped);
}

static const char two[] = HEAD KEY("swapper/1 ", BLANKS40, "         0", "         1")
	KEY("sh        ", BLANKS40, "18446744073709551615", "        17") TOTALS("0");

static void keys_and_counts_are_read(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(parse(f, two), 0);
	assert_int_equal(count(f, "swapper/1,0"), 1);
	assert_int_equal(count(f, "sh,-1"), 17);
	assert_int_equal(f->rows.map.n, 2);
	assert_int_equal(f->dropped, 0);
}

static void a_second_reading_has_the_counts_until_then(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(parse(f, two), 0);
	assert_int_equal(parse(f, two), 0);
	assert_int_equal(count(f, "sh,-1"), 17);
}

/* A task may be called so. */
static void a_string_may_hold_the_text_after_it(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(parse(f, HEAD KEY("a, state: ", BLANKS40, "         3", " 5") TOTALS("0")),
			 0);
	assert_int_equal(count(f, "\"a, state:\",3"), 5);
	assert_int_equal(f->rows.map.n, 1);
}

static void a_long_string_has_no_blanks(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(parse(f, HEAD KEY("aaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbbaaaaaaaaaab"
					   "bbbbbbbbb",
					   "", "         3", " 5") TOTALS("0")),
			 0);
	assert_int_equal(count(f, "aaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbbaaaaaaaaaabbbbbbbbbb,3"),
			 5);
}

static void dropped_events_are_added(void **state)
{
	struct fixture *f = *state;

	f->dropped = 7;
	assert_int_equal(parse(f, HEAD TOTALS("35")), 0);
	assert_int_equal(f->dropped, 42);
	assert_int_equal(f->rows.map.n, 0);
}

static void any_other_text_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"#",
		HEAD,
		HEAD "{",
		HEAD "{ comm: sh",
		HEAD "{ name: sh, state: 3 } hitcount: 5\n" TOTALS("0"),
		HEAD "{ comm: sh, state: x } hitcount: 5\n" TOTALS("0"),
		HEAD "{ comm: sh, state: 3 } hitcount: \n" TOTALS("0"),
		HEAD "{ comm: sh, state: 3 } hitcount: 5, x\n" TOTALS("0"),
		HEAD "{ comm: sh, state: 99999999999999999999 } hitcount: 5\n" TOTALS("0"),
		HEAD TOTALS(""),
		HEAD "\nTotals:\n    Hits: 4\n",
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(parse(f, bad[i]), -EBADMSG);
}

static void without_memory_it_fails(void **state)
{
	struct fixture *f = *state;
	int rc = -ENOMEM;

	for (size_t i = 0; rc; i++) {
		alloc_fail_at(i);
		rc = parse(f, two);
		if (!alloc_fail_off())
			assert_int_equal(rc, 0);
		else
			assert_int_equal(rc, -ENOMEM);
	}
	assert_int_equal(count(f, "sh,-1"), 17);
}

static void triggers_have_keys_size_command_and_filter(void **state)
{
	struct tfs_hist_event event = { .name = "a:b" };
	struct fixture *f = *state;
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	assert_int_equal(tfs_hist_trigger(&f->by, &event, "", &sb), 0);
	assert_string_equal(sb.s, "hist:keys=comm,state:size=16384");
	tfs_strbuf_reset(&sb);
	event.filter = "pid > 5";
	assert_int_equal(tfs_hist_trigger(&f->by, &event, "pause", &sb), 0);
	assert_string_equal(sb.s, "hist:keys=comm,state:size=16384:pause if pid > 5");
	tfs_strbuf_reset(&sb);
	event.trigger = "hist:keys=x:vals=y if z == 1";
	assert_int_equal(tfs_hist_trigger(&f->by, &event, "clear", &sb), 0);
	assert_string_equal(sb.s, "hist:keys=x:vals=y:clear if z == 1");
	tfs_strbuf_reset(&sb);
	event.trigger = "hist:keys=x";
	assert_int_equal(tfs_hist_trigger(&f->by, &event, "clear", &sb), 0);
	assert_string_equal(sb.s, "hist:keys=x:clear");
	tfs_strbuf_release(&sb);
}

static void files_are_those_of_the_instance(void **state)
{
	const struct tfs_hist_event event = { .name = "a:b" };
	struct fixture *f = *state;
	struct tfs_instance inst;
	struct fake fake;
	struct tfs_hists hists = { .fields = &f->by, .events = &event, .n = 1, .inst = &inst };

	fake_new(&fake, NULL);
	hists.root = fake.root;
	assert_int_equal(tfs_instance_named(&inst, "i", NULL), 0);
	fake_put(&fake, "instances/i/events/a/b/trigger", "");
	fake_put(&fake, "instances/i/events/a/b/hist", two);
	assert_int_equal(tfs_hists_command(&hists, "clear", NULL), 0);
	assert_string_equal(fake_get(&fake, "instances/i/events/a/b/trigger"),
			    "hist:keys=comm,state:size=16384:clear");
	fake_put(&fake, "instances/i/events/sched/sched_process_exec/trigger", "");
	fake_put(&fake, "instances/i/events/a/b/trigger", "");
	assert_int_equal(tfs_hists_from_exec(&hists, 4711, NULL), 0);
	assert_string_equal(fake_get(&fake, "instances/i/events/a/b/trigger"),
			    "hist:keys=comm,state:size=16384:clear"
			    "hist:keys=comm,state:size=16384:pause");
	assert_string_equal(fake_get(&fake, "instances/i/events/sched/sched_process_exec/trigger"),
			    "enable_hist:a:b:1 if common_pid == 4711");
	assert_int_equal(tfs_hists_read(&hists, &f->rows, &f->dropped, NULL), 0);
	assert_int_equal(count(f, "sh,-1"), 17);
	fake_put(&fake, "instances/i/events/a/b/hist", "no histogram");
	assert_int_equal(tfs_hists_read(&hists, &f->rows, &f->dropped, NULL), -EBADMSG);
	fake_free(&fake);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(keys_and_counts_are_read),
		TEST(a_second_reading_has_the_counts_until_then),
		TEST(a_string_may_hold_the_text_after_it),
		TEST(a_long_string_has_no_blanks),
		TEST(dropped_events_are_added),
		TEST(any_other_text_is_refused),
		TEST(without_memory_it_fails),
		TEST(triggers_have_keys_size_command_and_filter),
		TEST(files_are_those_of_the_instance),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
