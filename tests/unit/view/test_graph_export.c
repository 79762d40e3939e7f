/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/graph_view.h"

/*
 * alpha is open when 42 events are lost, and with it __beta; delta and alpha end then. gamma of the
 * other task goes on to the end.
 */
static const struct event broken[] = {
	EV(ENTRY, 100, A, 0, 1000000, .value = 0xabc),
	EV(ENTRY, 101, C, 0, 1001000, .cpu = 1),
	EV(ENTRY, 100, B, 1, 1002000),
	EV(EXIT, 100, D, 1, 1005000, .took = 500, .lost = 42),
	EV(EXIT, 100, A, 0, 1006000, .took = 6000, .value = (uint64_t)-22),
	EV(NOTE, 101, 0, 0, 1007000, .cpu = 1),
};

static void json_marks_unknown_parts_of_a_call(void **state)
{
	struct view *v = *state;

	v->opts.style = TFS_GRAPH_JSON;
	graph_draw(broken, N_EVENTS(broken), v);
	assert_string_equal(
		v->text.s,
		"{\"begin\":0.001002000,\"duration\":null,\"cpu\":0,\"pid\":100,\"comm\":\"task\","
		"\"function\":\"__beta.constprop.0\",\"depth\":1,\"args\":null,\"result\":null,"
		"\"unfinished\":true,\"unbegun\":false,\"loss\":true}\n"
		"{\"begin\":0.001000000,\"duration\":null,\"cpu\":0,\"pid\":100,\"comm\":\"task\","
		"\"function\":\"alpha\",\"depth\":0,\"args\":\"0xabc\",\"result\":null,"
		"\"unfinished\":true,\"unbegun\":false,\"loss\":true}\n"
		"{\"begin\":0.001005000,\"cpu\":0,\"lost\":42}\n"
		"{\"begin\":null,\"duration\":0.000000500,\"cpu\":0,\"pid\":100,\"comm\":\"task\","
		"\"function\":\"delta\",\"depth\":1,\"args\":null,\"result\":\"0x0\","
		"\"unfinished\":false,\"unbegun\":true,\"loss\":false}\n"
		"{\"begin\":null,\"duration\":0.000006000,\"cpu\":0,\"pid\":100,\"comm\":\"task\","
		"\"function\":\"alpha\",\"depth\":0,\"args\":null,\"result\":\"-22\","
		"\"unfinished\":false,\"unbegun\":true,\"loss\":false}\n"
		"{\"begin\":0.001001000,\"duration\":null,\"cpu\":1,\"pid\":101,\"comm\":null,"
		"\"function\":\"gamma\",\"depth\":0,\"args\":null,\"result\":null,"
		"\"unfinished\":true,\"unbegun\":false,\"loss\":false}\n");
}

static void csv_has_a_cell_for_each_column(void **state)
{
	struct view *v = *state;

	v->opts.style = TFS_GRAPH_CSV;
	assert_int_equal(tfs_strvec_push(&v->funcs, "alpha"), 0);
	graph_draw(broken, N_EVENTS(broken), v);
	assert_string_equal(
		v->text.s,
		"begin,duration,cpu,pid,comm,function,depth,args,result,unfinished,unbegun,loss,"
		"lost\n"
		"0.001002000,,0,100,task,__beta.constprop.0,1,,,true,false,true,\n"
		"0.001000000,,0,100,task,alpha,0,0xabc,,true,false,true,\n"
		"0.001005000,,0,,,,,,,,,,42\n"
		",0.000006000,0,100,task,alpha,0,,-22,false,true,false,\n");
}

static void rows_are_cut_as_the_tree_is(void **state)
{
	struct view *v = *state;

	v->opts.style = TFS_GRAPH_CSV;
	v->opts.no_head = true;
	v->opts.depth = 1;
	v->opts.min_duration = 6000;
	v->opts.file = "a,b";
	graph_draw(broken, N_EVENTS(broken), v);
	assert_string_equal(v->text.s, "\"a,b\",0.001005000,,0,,,,,,,,,,42\n"
				       "\"a,b\",,0.000006000,0,100,task,alpha,0,,-22,false,true,"
				       "false,\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, graph_set_up, graph_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(json_marks_unknown_parts_of_a_call),
		TEST(csv_has_a_cell_for_each_column),
		TEST(rows_are_cut_as_the_tree_is),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
