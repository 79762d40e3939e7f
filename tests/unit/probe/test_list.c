/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "probe/define.h"
#include "probe/list.h"
#include "tracefs/plan.h"

/* As a kernel prints them. */
static const char uprobes[] = "p:probe_a/f /bin/a:0x0000000000001000 v=%di:s32 w=+0(%si):string\n"
			      "p:probe_a/f /bin/a:0x0000000000002000 v=%di:s32 w=+0(%si):string\n"
			      "r:probe_a/g__return /bin/a:0x0000000000003000 arg1=$retval\n";
static const char kprobes[] = "p:probe/vfs_read vfs_read count=%dx:u64\n"
			      "e:eprobes/other sched.sched_switch a=$next_pid\n";

static void read_both(struct tfs_probe_events *events)
{
	memset(events, 0, sizeof(*events));
	assert_int_equal(tfs_probe_events_parse(TFS_PROBE_KPROBE, kprobes, events), 0);
	assert_int_equal(tfs_probe_events_parse(TFS_PROBE_UPROBE, uprobes, events), 0);
}

static void lines_are_taken_apart(void **state)
{
	struct tfs_strbuf names = TFS_STRBUF_INIT;
	struct tfs_probe_events events;

	(void)state;
	read_both(&events);
	assert_int_equal(events.n, 4);
	assert_int_equal(events.v[0].type, TFS_PROBE_KPROBE);
	assert_string_equal(events.v[1].group, "probe_a");
	assert_string_equal(events.v[1].event, "f");
	assert_string_equal(events.v[1].location, "/bin/a:0x0000000000001000");
	assert_false(events.v[1].ret);
	assert_true(events.v[3].ret);
	assert_int_equal(tfs_probe_event_arg_names(&events.v[1], &names), 0);
	assert_string_equal(names.s, "v w");
	tfs_strbuf_release(&names);
	tfs_probe_events_release(&events);
}

/* As 7.3 lists one; the filter that it may have is not listed. */
static void probes_on_events_are_listed_and_deleted(void **state)
{
	struct tfs_strvec globs = TFS_STRVEC_INIT, deleted = TFS_STRVEC_INIT;
	struct tfs_probe_events events = { 0 };
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_plan *plan = NULL;

	(void)state;
	assert_int_equal(tfs_probe_events_parse(TFS_PROBE_EPROBE, kprobes, &events), 0);
	assert_int_equal(events.n, 1);
	assert_string_equal(events.v[0].location, "sched.sched_switch");
	assert_string_equal(events.v[0].args, "a=$next_pid");
	assert_false(events.v[0].ret);
	assert_int_equal(tfs_strvec_push(&globs, "eprobes:*"), 0);
	assert_int_equal(tfs_plan_new(NULL, &plan), 0);
	assert_int_equal(tfs_probe_delete_plan(&events, &globs, plan, &deleted, NULL), 0);
	assert_int_equal(tfs_plan_print(plan, 0, &sb), 0);
	assert_non_null(strstr(sb.s, "-:eprobes/other"));
	assert_non_null(strstr(sb.s, "dynamic_events"));
	tfs_plan_free(plan);
	tfs_strbuf_release(&sb);
	tfs_strvec_release(&deleted);
	tfs_strvec_release(&globs);
	tfs_probe_events_release(&events);
}

static void globs_mean_events_of_any_group_or_of_one(void **state)
{
	struct tfs_probe_events events;

	(void)state;
	read_both(&events);
	assert_true(tfs_probe_event_matches(&events.v[1], "f"));
	assert_true(tfs_probe_event_matches(&events.v[1], "probe*:f"));
	assert_true(tfs_probe_event_matches(&events.v[1], "probe_a:*"));
	assert_false(tfs_probe_event_matches(&events.v[1], "probe:*"));
	assert_false(tfs_probe_event_matches(&events.v[1], "probe_a"));
	tfs_probe_events_release(&events);
}

static char *plan_text(const struct tfs_plan *plan)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	char *text = NULL;

	assert_int_equal(tfs_plan_print(plan, TFS_PLAN_UNDO, &sb), 0);
	assert_int_equal(tfs_strbuf_detach(&sb, &text), 0);
	return text;
}

static void an_event_of_two_places_is_deleted_once_and_comes_back_whole(void **state)
{
	struct tfs_strvec globs = TFS_STRVEC_INIT, deleted = TFS_STRVEC_INIT;
	struct tfs_probe_events events;
	struct tfs_plan *plan = NULL;
	char *text, *undo;

	(void)state;
	read_both(&events);
	assert_int_equal(tfs_strvec_push(&globs, "probe_a:f"), 0);
	assert_int_equal(tfs_plan_new(NULL, &plan), 0);
	assert_int_equal(tfs_probe_delete_plan(&events, &globs, plan, &deleted, NULL), 0);
	assert_int_equal(deleted.n, 1);
	assert_string_equal(deleted.v[0], "probe_a:f");
	text = plan_text(plan);
	assert_non_null(strstr(text, "-:probe_a/f"));
	undo = strstr(text, "# undo");
	assert_non_null(undo);
	assert_non_null(strstr(undo, "/bin/a:0x0000000000001000"));
	assert_non_null(strstr(undo, "/bin/a:0x0000000000002000"));
	assert_null(strstr(undo, "g__return"));
	free(text);
	tfs_plan_free(plan);
	tfs_strvec_release(&deleted);
	tfs_strvec_release(&globs);
	tfs_probe_events_release(&events);
}

static void deleting_an_unknown_name_suggests_similar_ones(void **state)
{
	struct tfs_strvec globs = TFS_STRVEC_INIT, deleted = TFS_STRVEC_INIT;
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_probe_events events;
	struct tfs_plan *plan = NULL;

	(void)state;
	read_both(&events);
	assert_int_equal(tfs_strvec_push(&globs, "probe:vfs_raed"), 0);
	assert_int_equal(tfs_plan_new(NULL, &plan), 0);
	assert_int_equal(tfs_probe_delete_plan(&events, &globs, plan, &deleted, &err), -ENOENT);
	assert_non_null(strstr(err.hint, "probe:vfs_read"));
	tfs_plan_free(plan);
	tfs_strvec_release(&deleted);
	tfs_strvec_release(&globs);
	tfs_probe_events_release(&events);
}

static void add_def(struct tfs_probe_defs *defs, size_t request, const char *location)
{
	struct tfs_probe_def def = {
		.type = TFS_PROBE_UPROBE,
		.group = strdup("g"),
		.event = strdup("e"),
		.location = strdup(location),
		.args = strdup("v=%di:s32"),
		.shape = strdup("v:s32 "),
		.real = strdup("e"),
		.request = request,
	};

	assert_int_equal(tfs_probe_defs_take(defs, &def), 0);
}

static void names_that_are_taken_are_refused_or_numbered(void **state)
{
	struct tfs_strvec taken = TFS_STRVEC_INIT, again = TFS_STRVEC_INIT;
	struct tfs_probe_defs defs = { 0 };
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	(void)state;
	assert_int_equal(tfs_strvec_push(&taken, "g/e"), 0);
	assert_int_equal(tfs_strvec_push(&again, "g/e"), 0);
	add_def(&defs, 0, "/a:0x1");
	add_def(&defs, 0, "/a:0x2");
	add_def(&defs, 1, "/a:0x3");
	assert_int_equal(tfs_probe_defs_unique(&defs, &taken, 0, NULL), -EEXIST);
	assert_int_equal(tfs_probe_defs_unique(&defs, &again, TFS_PROBE_RENAME, NULL), 0);
	assert_string_equal(defs.v[0].event, "e_1");
	assert_string_equal(defs.v[1].event, "e_1");
	assert_string_equal(defs.v[2].event, "e_2");
	assert_int_equal(tfs_probe_def_line(&defs.v[2], &sb), 0);
	assert_string_equal(sb.s, "p:g/e_2 /a:0x3 v=%di:s32");
	tfs_strbuf_release(&sb);
	tfs_strvec_release(&again);
	tfs_strvec_release(&taken);
	tfs_probe_defs_release(&defs);
}

static void definitions_are_taken_back_by_event(void **state)
{
	struct tfs_probe_defs defs = { 0 };
	struct tfs_plan *plan = NULL;
	char *text, *undo;

	(void)state;
	add_def(&defs, 0, "/a:0x1");
	add_def(&defs, 0, "/a:0x2");
	assert_int_equal(tfs_plan_new(NULL, &plan), 0);
	assert_int_equal(tfs_probe_define_plan(&defs, plan), 0);
	text = plan_text(plan);
	undo = strstr(text, "# undo");
	assert_non_null(undo);
	undo = strstr(undo, "-:g/e");
	assert_non_null(undo);
	assert_null(strstr(undo + 1, "-:g/e"));
	free(text);
	tfs_plan_free(plan);
	tfs_probe_defs_release(&defs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_taken_apart),
		cmocka_unit_test(probes_on_events_are_listed_and_deleted),
		cmocka_unit_test(globs_mean_events_of_any_group_or_of_one),
		cmocka_unit_test(an_event_of_two_places_is_deleted_once_and_comes_back_whole),
		cmocka_unit_test(deleting_an_unknown_name_suggests_similar_ones),
		cmocka_unit_test(names_that_are_taken_are_refused_or_numbered),
		cmocka_unit_test(definitions_are_taken_back_by_event),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
