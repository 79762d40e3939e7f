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
#include "decode/trace-internal.h"
#include "decode/trace.h"
#include "decode/types.h"
#include "filter/filter-syntax.h"
#include "filter/filter.h"
#include "lib/needs.h"
#include "lib/their_leaks.h"
#include "tracedat/merge.h"

#define RANDOM_FILTERS 300

/* One of tc-record's recordings, sched:* of a few commands. */
static int set_up(void **state)
{
	/* Verdicts are compared with libtraceevent's, except where signs matter. */
	static const struct tfs_trace_opts opts = { .no_plugins = true, .compat = true };
	const char *dir = getenv("TC_SRCDIR");
	struct tfs_trace *trace = NULL;
	char path[4096];

	snprintf(path, sizeof(path), "%s/tests/data/sched.dat", dir ? dir : ".");
	if (tfs_trace_open(path, &opts, &trace, NULL))
		return -1;
	*state = trace;
	return 0;
}

static int tear_down(void **state)
{
	tfs_trace_free(*state);
	return 0;
}

/* The same record as libtraceevent has it, followed by zeros. */
static void to_tep(const struct tfs_record *rec, char *room, size_t size, struct tep_record *out)
{
	assert_true(rec->size < size);
	memset(room, 0, size);
	memcpy(room, rec->data, rec->room < size ? rec->room : size);
	*out = (struct tep_record){ .ts = rec->ts,
				    .cpu = (int)rec->cpu,
				    .size = (int)rec->size,
				    .data = room,
				    .ref_count = 1 };
}

static enum tfs_filter_verdict verdict_of(enum tep_errno code)
{
	if (code == TEP_ERRNO__FILTER_MATCH)
		return TFS_FILTER_MATCH;
	return code == TEP_ERRNO__FILTER_NOT_FOUND ? TFS_FILTER_NONE : TFS_FILTER_MISS;
}

/* Every record gets libtraceevent's verdict; *@matches counts those that match. */
static void agree(struct tfs_trace *trace, const char *text, unsigned int *matches)
{
	struct tep_event_filter *tep = tep_filter_alloc(trace->tep);
	struct tfs_filter *filter = NULL;
	struct tfs_merge *merge = NULL;
	struct tfs_err err = TFS_ERR_INIT;
	struct tep_record copy;
	struct tfs_record rec;
	static char room[4096];
	int code;

	if (tfs_filter_new(trace, text, NULL, &filter, &err))
		fail_msg("%s: %s", text, err.msg);
	code = tep_filter_add_filter_str(tep, text);
	if (code < 0)
		fail_msg("%s: libtraceevent takes it not: %d", text, code);
	assert_int_equal(tfs_merge_new(trace->dat, NULL, &merge, NULL), 0);
	while (tfs_merge_next(merge, &rec, NULL) == 1) {
		enum tfs_filter_verdict want, got = tfs_filter_match(filter, &rec);

		to_tep(&rec, room, sizeof(room), &copy);
		want = verdict_of(tep_filter_match(tep, &copy));
		if (want != got)
			fail_msg("%s: %d, not %d, at %llu", text, got, want,
				 (unsigned long long)rec.ts);
		*matches += got == TFS_FILTER_MATCH;
	}
	tfs_merge_free(merge);
	tfs_filter_free(filter);
	tep_filter_free(tep);
}

static void verdicts_are_those_of_libtraceevent(void **state)
{
	static const char *const filters[] = {
		"sched_switch",
		"sched",
		"sched/sched_wak.*",
		" sched / sched_switch , sched_waking ",
		"SCHED_SWITCH:prev_prio==120",
		".*:common_pid == 0",
		"sched:prev_state == 0 || target_cpu == 1",
		"sched_switch:prev_comm == \"sh\"",
		"sched_switch:prev_comm != 'sh' && next_pid != 0",
		"sched:comm =~ \"^s.*\"",
		"sched:comm !~ 'sh'",
		".*:COMM == \"sh\" && CPU != 0",
		".*:COMM =~ 'o'",
		".*:CPU == 0 || common_pid > 100",
		"sched_switch:prev_pid & 1",
		"sched_switch:prev_prio - next_prio",
		"sched_switch:!(prev_prio - next_prio)",
		"sched_switch:prev_pid % 3 && !(next_pid % 2)",
		"sched_switch:!prev_pid == 0 && prev_prio <= 120",
		"sched_switch:next_pid - prev_pid || next_pid ^ 5",
		"sched_switch:(prev_pid > 1 && (next_pid < 100000 || prev_prio == 120))",
		"sched_switch:prev_pid - next_pid || bogus + 1 || prev_pid & bogus",
		"sched_switch:prev_pid << 3 && prev_prio >> 2 && prev_prio * 2 && prev_pid + 1",
		"sched_switch:prev_prio / 7 && prev_prio | 1",
		"sched:bogus == 1 || common_pid == 1",
		"sched:bogus =~ 'x' || prev_pid == 0",
		"sched:bogus == 1",
		"sched:!(bogus == 1)",
		"sched_switch:prev_comm == 'a very long name that no task can have'",
		"sched_stat_runtime:runtime > 100000",
	};
	unsigned int matches = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(filters); i++)
		agree(*state, filters[i], &matches);
	assert_true(matches > 1000);
}

static unsigned int draw(uint32_t *seed, unsigned int n)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 16) % n;
}

static void add_random(struct tfs_strbuf *sb, uint32_t *seed, unsigned int depth)
{
	static const char *const names[] = {
		"prev_pid",   "next_pid", "prev_prio",    "prev_state", "pid",     "prio",
		"common_pid", "CPU",      "common_flags", "bogus",      "runtime", "target_cpu"
	};
	static const char *const compares[] = { "==", "!=", "<", ">", "<=", ">=" };
	static const char *const computes[] = {
		"&", "|", "^", "+", "-", "*", "/", "%", "<<", ">>"
	};
	static const char *const texts[] = { "comm == \"sh\"", "prev_comm =~ \"s\"",
					     "next_comm !~ '^k'", "COMM != \"ls\"",
					     "COMM =~ '.*t.*'" };

	if (depth && draw(seed, 3)) {
		tfs_strbuf_adds(sb, draw(seed, 4) ? "(" : "!(");
		add_random(sb, seed, depth - 1);
		tfs_strbuf_adds(sb, draw(seed, 2) ? " && " : " || ");
		add_random(sb, seed, depth - 1);
		tfs_strbuf_adds(sb, ")");
		return;
	}
	switch (draw(seed, 4)) {
	case 0:
		tfs_strbuf_adds(sb, texts[draw(seed, 5)]);
		break;
	case 1:
		/* Nothing is divided by zero, where libtraceevent ends. */
		tfs_strbuf_addf(sb, "%s %s %u", names[draw(seed, 9)], computes[draw(seed, 10)],
				1 + draw(seed, 9));
		break;
	default:
		tfs_strbuf_addf(sb, "%s %s %u", names[draw(seed, 12)], compares[draw(seed, 6)],
				draw(seed, 2) ? draw(seed, 130) : draw(seed, 3));
	}
}

static void random_filters_agree_with_libtraceevent(void **state)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	unsigned int matches = 0, i;
	uint32_t seed = 20261122;

	for (i = 0; i < RANDOM_FILTERS; i++) {
		tfs_strbuf_reset(&sb);
		tfs_strbuf_adds(&sb, draw(&seed, 3) ? "sched:" : "sched_switch,.*waking:");
		add_random(&sb, &seed, 3);
		agree(*state, sb.s, &matches);
	}
	tfs_strbuf_release(&sb);
	assert_true(matches > 1000);
}

/* "-1" is the number that a field of any size with that value is compared as. */
static void negative_numbers_are_found(void **state)
{
	struct tfs_trace *trace = *state;
	struct tfs_filter *filter = NULL;
	struct tfs_event_type *t = NULL;
	struct tep_format_field *field;
	char data[128] = { 0 };
	struct tfs_record rec = { .data = data, .size = 64, .room = 128 };
	size_t i;

	for (i = 0; i < trace->index.n; i++)
		if (!strncmp(trace->index.types[i].name, "sched_switch\n", 13))
			t = tfs_trace_event(trace, trace->index.types[i].id);
	assert_non_null(t);
	memcpy(data, &(uint16_t){ (uint16_t)t->id }, 2);
	assert_int_equal(tfs_filter_new(trace, "sched_switch: prev_pid == -7", NULL, &filter, NULL),
			 0);
	assert_int_equal(tfs_filter_match(filter, &rec), TFS_FILTER_MISS);
	field = tep_find_field(t->tep, "prev_pid");
	memcpy(data + field->offset, &(int32_t){ -7 }, 4);
	assert_int_equal(tfs_filter_match(filter, &rec), TFS_FILTER_MATCH);
	/* A record that ends before the field has a zero there. */
	rec.size = rec.room = 8;
	assert_int_equal(tfs_filter_match(filter, &rec), TFS_FILTER_MISS);
	tfs_filter_free(filter);
}

static bool matches(struct tfs_trace *trace, const char *text, const struct tfs_record *rec)
{
	struct tfs_filter *filter = NULL;
	bool match;

	assert_int_equal(tfs_filter_new(trace, text, NULL, &filter, NULL), 0);
	match = tfs_filter_match(filter, rec) == TFS_FILTER_MATCH;
	tfs_filter_free(filter);
	return match;
}

static void signs_count_in_comparisons_but_with_compat(void **state)
{
	static const struct {
		const char *text;
		bool match, compat;
	} rows[] = {
		{ "sched_switch: prev_pid < 0", true, false },
		{ "sched_switch: prev_pid > 0", false, true },
		{ "sched_switch: prev_pid >= -7", true, true },
		{ "sched_switch: prev_pid > -8", true, true },
		{ "sched_switch: next_pid > -1", true, false },
		/* An unsigned field has no sign to count. */
		{ "sched_switch: common_type < -1", true, true },
		{ "sched_switch: common_type > -1", false, false },
	};
	struct tfs_trace *trace = *state;
	struct tfs_event_type *t = NULL;
	char data[128] = { 0 };
	struct tfs_record rec = { .data = data, .size = 64, .room = 128 };
	size_t i;

	for (i = 0; i < trace->index.n; i++)
		if (!strncmp(trace->index.types[i].name, "sched_switch\n", 13))
			t = tfs_trace_event(trace, trace->index.types[i].id);
	assert_non_null(t);
	memcpy(data, &(uint16_t){ (uint16_t)t->id }, 2);
	memcpy(data + tep_find_field(t->tep, "prev_pid")->offset, &(int32_t){ -7 }, 4);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		trace->compat = false;
		assert_int_equal(matches(trace, rows[i].text, &rec), rows[i].match);
		trace->compat = true;
		assert_int_equal(matches(trace, rows[i].text, &rec), rows[i].compat);
	}
}

/* libtraceevent misreads these, or crashes on them. */
static void the_caret_points_to_the_error(void **state)
{
	static const struct {
		const char *text;
		int caret;
		const char *says;
	} bad[] = {
		{ "sched_switch:", 13, "a field is needed" },
		{ "sched_switch: prev_pid", 22, "an operator is needed" },
		{ "sched_switch: prev_pid ==", 25, "a value is needed" },
		{ "sched_switch: prev_pid = 3", 23, "'==' compares" },
		{ "sched_switch: prev_pid == 3x", 26, "64-bit number" },
		{ "sched_switch: prev_pid == 3 next_pid == 4", 28, "'&&' or '||' is needed" },
		{ "sched_switch: (prev_pid == 3", 14, "not closed" },
		{ "sched_switch: prev_pid == 3)", 27, "'&&' or '||'" },
		{ "sched_switch: prev_comm == \"sh", 27, "does not end" },
		{ "sched_switch: prev_comm < \"sh\"", 24, "strings are compared" },
		{ "sched_switch: prev_pid =~ 3", 26, "in quotes" },
		{ "sched_switch: prev_comm =~ \"\\(\"", 27, "Unmatched" },
		{ "sched_switch: 3 == prev_pid", 14, "before the operator" },
		{ "sched_switch: !!prev_pid == 3", 15, "write none" },
		{ "sched_switch: prev_pid == next_pid", 26, "not a field" },
		{ "sched_switch: prev_pid ? 3", 23, "none of its operators" },
		{ "sched_switch,", 13, "an event is needed" },
		{ ":prev_pid == 3", 0, "an event is needed" },
		{ "sched/: prev_pid == 3", 6, "an event is needed" },
	};
	struct tfs_filter *filter = NULL;
	struct tfs_err err;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		err = TFS_ERR_INIT;
		if (!tfs_filter_new(*state, bad[i].text, NULL, &filter, &err))
			fail_msg("taken: %s", bad[i].text);
		if (err.caret != bad[i].caret || !strstr(err.msg, bad[i].says))
			fail_msg("%s: %d %s", bad[i].text, err.caret, err.msg);
	}
	err = TFS_ERR_INIT;
	assert_int_equal(tfs_filter_new(*state, "sched_switch:next_pid!=prev_pid", NULL, &filter,
					&err),
			 -EINVAL);
	assert_non_null(strstr(err.hint, "'A - B'"));
	assert_non_null(strstr(err.hint, "'!(A - B)'"));
	err = TFS_ERR_INIT;
	/* No calculation says which is less. */
	assert_int_equal(tfs_filter_new(*state, "sched_switch:next_pid<prev_pid", NULL, &filter,
					&err),
			 -EINVAL);
	assert_string_equal(err.hint, "");
	err = TFS_ERR_INIT;
	assert_int_equal(tfs_filter_new(*state, "sched_swich", NULL, &filter, &err), -ENOENT);
	assert_non_null(strstr(err.hint, "sched_switch"));
}

static void a_field_that_no_event_has_is_noticed(void **state)
{
	struct tfs_filter *filter = NULL;
	const struct tfs_err *notice;

	assert_int_equal(tfs_filter_new(*state, "sched_switch: prev_pdi == 3", NULL, &filter, NULL),
			 0);
	notice = tfs_filter_notice(filter);
	assert_non_null(notice);
	assert_non_null(strstr(notice->hint, "prev_pid"));
	tfs_filter_free(filter);
	assert_int_equal(tfs_filter_new(*state, "sched: prev_pid == 3", NULL, &filter, NULL), 0);
	assert_null(tfs_filter_notice(filter));
	tfs_filter_free(filter);
}

static void reports_missing_events_where_they_are_not_an_error(void **state)
{
	struct tfs_strvec missing = TFS_STRVEC_INIT;
	struct tfs_filter *filter = NULL;

	assert_int_equal(tfs_filter_new(*state, "nosuch, sched/sched_switch, x/y: prev_pid == 3",
					&missing, &filter, NULL),
			 0);
	assert_false(tfs_filter_is_empty(filter));
	assert_int_equal(missing.n, 2);
	assert_string_equal(missing.v[0], "event 'nosuch'");
	assert_string_equal(missing.v[1], "event 'x/y'");
	tfs_filter_free(filter);
	assert_int_equal(tfs_filter_new(*state, "nosuch: x == 3", &missing, &filter, NULL), 0);
	assert_true(tfs_filter_is_empty(filter));
	assert_null(tfs_filter_notice(filter));
	tfs_filter_free(filter);
	assert_int_equal(tfs_filter_new(*state, "nosuch: x ==", &missing, &filter, NULL), -EINVAL);
	tfs_strvec_release(&missing);
}

static void warns_when_a_field_is_compared_with_an_impossible_value(void **state)
{
	static const struct {
		const char *text, *says;
	} odd[] = {
		{ "sched_switch: next_comm == 5", "'next_comm' is a text" },
		{ "sched: COMM > 0 && prev_pid == 1", "'COMM' is a text" },
		{ "sched_switch: prev_pid == '51'", "'prev_pid' is a number" },
		{ "sched_switch: prev_pid == 5 && prev_comm == \"5\"", NULL },
		{ "sched_switch: prev_comm == '5'", "'prev_comm' is a text" },
		{ "sched_switch: COMM =~ '^5'", NULL },
	};
	const struct tfs_err *notice;
	struct tfs_filter *filter;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(odd); i++) {
		assert_int_equal(tfs_filter_new(*state, odd[i].text, NULL, &filter, NULL), 0);
		notice = tfs_filter_notice(filter);
		assert_int_equal(notice != NULL, odd[i].says != NULL);
		if (notice)
			assert_non_null(strstr(notice->msg, odd[i].says));
		tfs_filter_free(filter);
	}
}

static void nesting_is_bounded(void **state)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_filter_syntax syntax;
	struct tfs_err err = TFS_ERR_INIT;
	int i;

	(void)state;
	for (i = 0; i < 100000; i++)
		tfs_strbuf_addc(&sb, '(');
	assert_int_equal(tfs_filter_syntax(sb.s, 0, NULL, &syntax, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "too much"));
	tfs_filter_syntax_release(&syntax);
	tfs_strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdicts_are_those_of_libtraceevent),
		cmocka_unit_test(random_filters_agree_with_libtraceevent),
		cmocka_unit_test(negative_numbers_are_found),
		cmocka_unit_test(signs_count_in_comparisons_but_with_compat),
		cmocka_unit_test(the_caret_points_to_the_error),
		cmocka_unit_test(a_field_that_no_event_has_is_noticed),
		cmocka_unit_test(reports_missing_events_where_they_are_not_an_error),
		cmocka_unit_test(warns_when_a_field_is_compared_with_an_impossible_value),
		cmocka_unit_test(nesting_is_bounded),
	};

	if (lacks_zstd())
		return TEST_SKIPPED;
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
