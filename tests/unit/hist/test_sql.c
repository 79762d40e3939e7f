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
#include "base/macros.h"
#include "hist/sql.h"
#include "lib/alloc_fail.h"

struct fixture {
	struct tfs_sql sql;
	struct tfs_err err;
	char text[512];
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->err = TFS_ERR_INIT;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	tfs_sql_release(&((struct fixture *)*state)->sql);
	free(*state);
	return 0;
}

static int parse(struct fixture *f, const char *text)
{
	tfs_sql_release(&f->sql);
	tfs_err_clear(&f->err);
	return tfs_sql_parse(text, &f->sql, &f->err);
}

/* "KEY 0.pid=pid COUNT count|a:b x on=pid if ..." */
static const char *described(struct fixture *f)
{
	static const char *const what[] = { "KEY", "COUNT", "SUM", "DELTA" };
	const struct tfs_sql *sql = &f->sql;
	size_t len = 0;

	for (size_t i = 0; i < sql->n; i++) {
		const struct tfs_sql_column *col = &sql->v[i];
		const bool field = col->what == TFS_SQL_KEY || col->what == TFS_SQL_SUM;

		len += (size_t)snprintf(f->text + len, sizeof(f->text) - len, "%s%s ",
					what[col->what],
					col->syscall ? "-syscall" :
					col->log2    ? "-log2" :
					col->usecs   ? "-usecs" :
						       "");
		if (field)
			len += (size_t)snprintf(f->text + len, sizeof(f->text) - len,
						"%u.%s=", col->field.event, col->field.name);
		len += (size_t)snprintf(f->text + len, sizeof(f->text) - len, "%s ", col->name);
	}
	for (size_t i = 0; i < sql->n_events; i++) {
		const struct tfs_sql_event *e = &sql->event[i];

		len += (size_t)snprintf(f->text + len, sizeof(f->text) - len, "| %s%s%s%s%s ",
					e->name, e->on.name ? " on " : "",
					e->on.name ? e->on.name : "", e->filter.len ? " if " : "",
					e->filter.s);
	}
	return f->text;
}

static void queries_are_taken_apart(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "SELECT prev_comm, prev_state FROM sched_switch",
		  "KEY 0.prev_comm=prev_comm KEY 0.prev_state=prev_state | sched_switch " },
		{ "select cast(id as syscall) as call, count(*) as n, sum(a) from raw.enter;",
		  "KEY-syscall 0.id=call COUNT n SUM 0.a=a | raw:enter " },
		{ "SELECT x, COUNT(*), CAST(y AS _COUNTER_) AS bytes FROM a.b AS e",
		  "KEY 0.x=x COUNT count SUM 0.y=bytes | a:b " },
		{ "SELECT CAST(y AS LOG2) AS size, cast(z as log), common_pid FROM a.b",
		  "KEY-log2 0.y=size KEY-log2 0.z=z KEY 0.common_pid=common_pid | a:b " },
		/* a field may be called so */
		{ "SELECT count, sum FROM a.b", "KEY 0.count=count KEY 0.sum=sum | a:b " },
		{ "SELECT end.pid, TIMESTAMP_DELTA_USECS AS lat FROM sched.sched_waking AS start "
		  "JOIN sched.sched_switch AS end ON start.pid = end.next_pid",
		  "KEY 1.pid=pid DELTA-usecs lat | sched:sched_waking on pid "
		  "| sched:sched_switch on next_pid " },
		{ "SELECT a.x, (b.TIMESTAMP - a.TIMESTAMP) AS ns FROM p AS a JOIN q AS b "
		  "ON b.k == a.x",
		  "KEY 0.x=x DELTA ns | p on x | q on k " },
		{ "SELECT p.x, s.q.y FROM p JOIN s.q ON s.q.k = p.k",
		  "KEY 0.x=x KEY 1.y=y | p on k | s:q on k " },
		{ "SELECT x FROM a WHERE x = 5 AND (y > -3 OR NOT z == 'w') && v & 0x10",
		  "KEY 0.x=x | a if x == 5 && (y > -3 || !(z == \"w\")) && v & 0x10 " },
		{ "SELECT x FROM a WHERE a.x == 5 || y ~ \"*sh\" && z != 1",
		  "KEY 0.x=x | a if x == 5 || y ~ \"*sh\" && z != 1 " },
		{ "SELECT a.x FROM p AS a JOIN q AS b ON a.k = b.k "
		  "WHERE a.x > 1 && b.y < 2 && (a.z == 3 || a.z == 4)",
		  "KEY 0.x=x | p on k if x > 1 && (z == 3 || z == 4) | q on k if y < 2 " },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(parse(f, cases[i].text), 0);
		assert_string_equal(described(f), cases[i].want);
	}
}

static void clauses_that_are_not_needed_are_explained(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(parse(f, "SELECT x FROM a GROUP BY x"), -EINVAL);
	assert_string_equal(f->err.hint, "there is a row for each combination of the fields: "
					 "leave GROUP BY out");
	assert_int_equal(parse(f, "SELECT x FROM a order by x"), -EINVAL);
	assert_string_equal(f->err.hint, "rows are sorted by count, the largest first: "
					 "leave ORDER BY out");
	assert_int_equal(parse(f, "SELECT x FROM a GROUPS"), -EINVAL);
	assert_string_equal(f->err.hint, "");
}

static void errors_have_their_place_in_the_query(void **state)
{
#define JOINED " FROM p AS a JOIN q AS b ON a.k = b.k"
	/* The place is that of the first '^', which is taken out. */
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "^", "a query begins with SELECT" },
		{ "^UPDATE x", "a query begins with SELECT" },
		{ "SELECT ^", "a field is missing" },
		{ "SELECT ^FROM a", "a field is missing" },
		{ "SELECT ^* FROM a",
		  "name the fields: a row is made for each of their combinations" },
		{ "SELECT x,^", "a field is missing" },
		{ "SELECT x ^y FROM a", "FROM is missing" },
		{ "SELECT x FROM ^", "an event is missing" },
		{ "SELECT x FROM a ^b", "this is not understood here" },
		{ "SELECT x FROM a ^ORDER BY x", "this is not understood here" },
		{ "SELECT ^b.x FROM a", "this is not a field of the event" },
		{ "SELECT ^x" JOINED, "this is not a field of one of the events: NAME.FIELD" },
		{ "SELECT a.x FROM p AS a JOIN q AS b ^WHERE 1",
		  "ON is missing: JOIN EVENT AS b ON a.FIELD = b.FIELD" },
		{ "SELECT a.x FROM p AS a JOIN q AS b ON a.k = ^a.j",
		  "ON takes a field of each event" },
		{ "SELECT a.x" JOINED " ^AND a.l = b.l", "only one pair of fields is supported" },
		{ "SELECT COUNT(^x) FROM a", "COUNT takes *: COUNT(*)" },
		{ "SELECT CAST(x AS ^SYM) FROM a",
		  "this type is not supported: SYSCALL, LOG2, _COUNTER_" },
		{ "^SELECT COUNT(*) FROM a", "a field is missing, of whose values rows are made" },
		{ "SELECT x, ^TIMESTAMP_DELTA FROM a",
		  "a time from one event to another needs JOIN" },
		{ "SELECT a.x, (^b.TIMESTAMP - a.TIMESTAMP)" JOINED,
		  "a difference needs a name: (...) AS NAME" },
		{ "SELECT a.x, (^b.y - a.y) AS d" JOINED,
		  "only differences of time stamps are supported: "
		  "(b.TIMESTAMP_USECS - a.TIMESTAMP_USECS)" },
		{ "SELECT x, ^x FROM a", "two columns have the same name: use AS" },
		{ "SELECT x FROM a WHERE x ^", "a comparison is missing: == != < <= > >= & ~" },
		{ "SELECT x FROM a WHERE x == ^y", "a number or a text in quotes is missing" },
		{ "SELECT x FROM a WHERE x == ^\"y", "the quotes are not closed" },
		{ "SELECT x FROM a WHERE (x == 1 ^", "')' is missing" },
		{ "SELECT a.x" JOINED " WHERE a.x == 1 || ^b.y == 2",
		  "only AND may join conditions about different events, outside of "
		  "parentheses" },
		{ "SELECT a.x" JOINED " WHERE (a.x == 1 && ^b.y == 2)",
		  "only AND may join conditions about different events, outside of "
		  "parentheses" },
		{ "SELECT a.x" JOINED " WHERE a.x == 1 && ^b.y == 2 || b.y == 3",
		  "only AND may join conditions about different events, outside of "
		  "parentheses" },
		{ "SELECT x AS ^a.b FROM a", "a name after AS has no dot" },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const size_t at = strcspn(cases[i].text, "^");
		char text[256];

		snprintf(text, sizeof(text), "%.*s%s", (int)at, cases[i].text,
			 cases[i].text + at + 1);
		assert_int_equal(parse(f, text), -EINVAL);
		assert_string_equal(f->err.msg, cases[i].message);
		assert_int_equal(f->err.caret, at);
		assert_string_equal(f->err.input, text);
	}
}

static void parentheses_end(void **state)
{
	struct fixture *f = *state;
	char text[400] = "SELECT x FROM a WHERE ";

	memset(text + strlen(text), '(', 300);
	assert_int_equal(parse(f, text), -EINVAL);
	assert_string_equal(f->err.msg, "too many parentheses");
}

static void without_memory_it_fails(void **state)
{
	static const char query[] =
		"SELECT a.x AS y, SUM(b.z), COUNT(*), TIMESTAMP_DELTA FROM p AS a JOIN s.q AS b "
		"ON a.k = b.k WHERE a.x > 1 && (b.y < 2 || b.y > 5) && a.z == 3";
	struct fixture *f = *state;
	int rc = -ENOMEM;

	for (size_t i = 0; rc; i++) {
		tfs_sql_release(&f->sql);
		alloc_fail_at(i);
		rc = tfs_sql_parse(query, &f->sql, NULL);
		if (alloc_fail_off())
			assert_int_equal(rc, -ENOMEM);
		else
			assert_int_equal(rc, 0);
	}
	assert_string_equal(described(f), "KEY 0.x=y SUM 1.z=z COUNT count DELTA delta "
					  "| p on k if x > 1 && z == 3 "
					  "| s:q on k if (y < 2 || y > 5) ");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(queries_are_taken_apart),
		TEST(clauses_that_are_not_needed_are_explained),
		TEST(errors_have_their_place_in_the_query),
		TEST(parentheses_end),
		TEST(without_memory_it_fails),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
