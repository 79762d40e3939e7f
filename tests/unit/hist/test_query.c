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
#include <tracefs.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "hist/query-kernel.h"
#include "hist/query.h"
#include "hist/rows.h"
#include "lib/alloc_fail.h"
#include "lib/fake.h"
#include "lib/skip.h"

#define PAIR                                                                        \
	"SELECT e.next_comm, s.pid AS who, COUNT(*), TIMESTAMP_DELTA_USECS AS lat " \
	"FROM sched_waking AS s JOIN sched.sched_switch AS e ON s.pid = e.next_pid "

struct fixture {
	struct fake fake;
	struct tfs_query query;
	struct tfs_query_hists hists;
	struct tfs_hist_rows rows;
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

	tfs_query_release(&f->query);
	tfs_query_hists_release(&f->hists);
	tfs_hist_rows_release(&f->rows);
	fake_free(&f->fake);
	free(f);
	return 0;
}

static int open_query(struct fixture *f, const char *text)
{
	tfs_query_release(&f->query);
	tfs_err_clear(&f->err);
	return tfs_query_open(text, f->fake.root, &f->query, &f->err);
}

static void events_are_found_with_and_without_their_system(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(open_query(f, PAIR), 0);
	assert_string_equal(f->query.event[0], "sched:sched_waking");
	assert_string_equal(f->query.event[1], "sched:sched_switch");
	assert_int_equal(f->query.fields.n, 2);
	assert_string_equal(f->query.fields.v[0].name, "next_comm");
	assert_int_equal(f->query.fields.v[0].kind, TFS_HIST_STRING);
	assert_string_equal(f->query.fields.v[1].name, "who");
	assert_int_equal(f->query.fields.v[1].kind, TFS_HIST_SIGNED);
	assert_int_equal(f->query.fields.n_sums, 1);
	assert_string_equal(f->query.fields.sums[0], "lat");
	/* The captured tree has no files hist. */
	assert_false(f->query.fields.kernel);
}

static void names_that_are_missing_have_their_place(void **state)
{
	static const struct {
		const char *text, *message, *hint;
		int caret;
	} cases[] = {
		{ "SELECT x FROM sched_swich", "there is no event 'sched_swich'",
		  "did you mean 'sched_switch'?", 14 },
		{ "SELECT x FROM sched.zzzzzzzz", "there is no event 'sched:zzzzzzzz'",
		  "tc-list -e lists events", 14 },
		{ "SELECT id, prev_com FROM sched_switch",
		  "event 'sched:sched_switch' has no field 'id'", NULL, 7 },
		{ "SELECT prev_pid, prev_com FROM sched_switch",
		  "event 'sched:sched_switch' has no field 'prev_com'", "did you mean 'prev_comm'?",
		  17 },
		{ "SELECT a.pid FROM sched_waking AS a JOIN sched_switch AS b ON "
		  "a.pid = b.nextpid",
		  "event 'sched:sched_switch' has no field 'nextpid'", "did you mean 'next_pid'?",
		  70 },
		{ "SELECT prev_pid, SUM(prev_comm) FROM sched_switch", "text cannot be added up",
		  NULL, 21 },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_true(open_query(f, cases[i].text) < 0);
		assert_string_equal(f->err.msg, cases[i].message);
		if (cases[i].hint)
			assert_string_equal(f->err.hint, cases[i].hint);
		assert_int_equal(f->err.caret, cases[i].caret);
	}
}

static void prints(struct fixture *f, enum tfs_export_style style, uint64_t dropped,
		   const char *want)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	assert_int_equal(tfs_query_print(&f->query, &f->rows, dropped, style, false, &sb), 0);
	assert_string_equal(sb.s, want);
	tfs_strbuf_release(&sb);
}

static void add(struct fixture *f, const char *key, uint64_t count, uint64_t sum)
{
	struct tfs_hist_row *row = tfs_hist_rows_text(&f->rows, 0, key, strlen(key));

	assert_non_null(row);
	row->count = count;
	row->sum[0] = sum;
}

static void tables_have_sums_and_means_the_largest_count_first(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(open_query(f, PAIR), 0);
	add(f, "sh\t7", 2, 300);
	add(f, "\"a b\"\t-1", 10, 100);
	prints(f, TFS_EXPORT_TAB, 0,
	       "#next_comm  who count lat lat_mean\n"
	       "\"a b\"       -1     10 100       10\n"
	       "sh          7       2 300      150\n");
	prints(f, TFS_EXPORT_JSON, 5,
	       "{\"next_comm\":\"a b\",\"who\":-1,\"count\":10,\"lat\":100,\"lat_mean\":10}\n"
	       "{\"next_comm\":\"sh\",\"who\":7,\"count\":2,\"lat\":300,\"lat_mean\":150}\n"
	       "{\"lost\":5}\n");
}

static void the_count_is_shown_if_nobody_asks_for_it(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(open_query(f, "SELECT prev_pid FROM sched_switch"), 0);
	prints(f, TFS_EXPORT_TAB, 0, "#    COUNT  prev_pid\n# nothing happened\n");
	add(f, "7", 2, 0);
	prints(f, TFS_EXPORT_TAB, 0, "#    COUNT  prev_pid\n         2  7\n");
}

/* libtracefs gives numbers of its own to the variables. */
static const char *without_numbers(const char *text)
{
	static char out[512];
	size_t n = 0;

	for (const char *p = text; *p && n < sizeof(out) - 1; p++) {
		if (n && out[n - 1] == '_' && *p >= '0' && *p <= '9') {
			p += strspn(p, "0123456789") - 1;
			out[n++] = 'N';
		} else {
			out[n++] = *p;
		}
	}
	out[n] = '\0';
	return out;
}

static void an_event_alone_is_a_histogram(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(open_query(f, "SELECT next_comm, COUNT(*), SUM(next_prio) AS p "
				       "FROM sched_switch WHERE prev_pid == 0 AND next_pid > 3"),
			 0);
	assert_int_equal(tfs_query_compose(&f->query, f->fake.root, "x", &f->hists, &f->err), 0);
	assert_null(f->hists.synthetic);
	assert_int_equal(f->hists.n, 1);
	assert_string_equal(f->hists.v[0].event, "sched:sched_switch");
	assert_string_equal(f->hists.v[0].text, "hist:keys=next_comm:size=16384:vals=next_prio "
						"if prev_pid == 0 && next_pid > 3");
}

static void a_pair_is_an_event_with_a_histogram(void **state)
{
	struct fixture *f = *state;
	const char *text;

	if (!tracefs_tracing_dir())
		skip_because(
			"libtracefs from 1.8 on composes a pair only where a tracefs is mounted");
	assert_int_equal(open_query(f, PAIR "WHERE s.prio < 100 && e.prev_prio < 120"), 0);
	assert_int_equal(tfs_query_compose(&f->query, f->fake.root, "xy", &f->hists, &f->err), 0);
	/* With dynamic_events libtracefs writes "s:" before it. */
	text = f->hists.synthetic;
	assert_string_equal(strncmp(text, "s:", 2) != 0 ? text : text + 2,
			    "xy char next_comm[16]; pid_t who; u64 lat;");
	assert_int_equal(f->hists.n, 3);
	assert_string_equal(f->hists.v[0].event, "sched:sched_waking");
	assert_string_equal(without_numbers(f->hists.v[0].text),
			    "hist:keys=pid:size=16384:__arg_N_N=pid,__arg_N_N=common_timestamp"
			    ".usecs if prio < 100");
	assert_string_equal(f->hists.v[1].event, "sched:sched_switch");
	assert_string_equal(
		without_numbers(f->hists.v[1].text),
		"hist:keys=next_pid:size=16384:__next_comm_N_N=next_comm,__who_N_N=$__arg_N_N,"
		"__lat_N_N=common_timestamp.usecs-$__arg_N_N:onmatch(sched.sched_waking)"
		".trace(xy,$__next_comm_N_N,$__who_N_N,$__lat_N_N) if prev_prio < 120");
	assert_string_equal(f->hists.v[2].event, "synthetic:xy");
	assert_string_equal(f->hists.v[2].text, "hist:keys=next_comm,who:size=16384:vals=lat");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(events_are_found_with_and_without_their_system),
		TEST(names_that_are_missing_have_their_place),
		TEST(tables_have_sums_and_means_the_largest_count_first),
		TEST(the_count_is_shown_if_nobody_asks_for_it),
		TEST(an_event_alone_is_a_histogram),
		TEST(a_pair_is_an_event_with_a_histogram),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
