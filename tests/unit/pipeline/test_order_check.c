/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pipeline/order-check.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/strvec.h"
#include "base/time.h"
#include "clock/clock-line.h"
#include "clock/clock-map.h"
#include "decode/event.h"
#include "decode/trace.h"
#include "decode/types.h"
#include "lib/bytes.h"
#include "lib/dat_build.h"

#define S ((uint64_t)NS_PER_SEC)
#define SENT 44
#define CAME 45

static const char sent_format[] = "name: sent\nID: 44\n" DAT_COMMON_FIELDS
				  "\tfield:unsigned long number;\toffset:8;\tsize:8;\tsigned:0;\n\n"
				  "print fmt: \"%lu\", REC->number\n";
static const char came_format[] = "name: came\nID: 45\n" DAT_COMMON_FIELDS
				  "\tfield:unsigned long n;\toffset:8;\tsize:8;\tsigned:0;\n\n"
				  "print fmt: \"%lu\", REC->n\n";

static const char *const formats[] = { sent_format, came_format, NULL };

static struct tfs_trace *open_trace(void)
{
	const struct dat_spec spec = { .cpus = 1, .sched = formats };
	const struct tfs_trace_opts opts = { .no_plugins = true };
	struct bytes pages[1];
	struct tfs_trace *trace = NULL;
	struct page_builder p;
	char path[64];
	int fd;

	bytes_init(&pages[0], false);
	page_begin(&p, &pages[0], 8, 512, 0);
	page_end(&p, 0);
	fd = dat_file(&spec, pages);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(tfs_trace_open(path, &opts, &trace, NULL), 0);
	close(fd);
	return trace;
}

/* Times from 1 s to 5 s are known to @bound. */
static struct tfs_clock_map *map_of(uint64_t bound)
{
	const struct tfs_clock_limits limits = { 0, 0 };
	const struct tfs_clock_sample samples[] = { { S, S, bound }, { 5 * S, 5 * S, bound } };
	const struct tfs_clock_span span = { S, 5 * S };
	struct tfs_clock_map *map = NULL;
	struct tfs_clock_line *line;

	assert_int_equal(tfs_clock_line_new(samples, 2, &limits, &line), 0);
	assert_int_equal(tfs_clock_map_new(line, NULL, &span, 0, &map), 0);
	tfs_clock_line_free(line);
	return map;
}

static void show(struct tfs_order_check *check, struct tfs_trace *trace, uint32_t input,
		 uint64_t ts, int id, uint64_t number)
{
	struct bytes b;
	struct tfs_event event = { .input = input, .shown = true, .selected = true };

	bytes_init(&b, false);
	bytes_u16(&b, (uint16_t)id);
	bytes_u16(&b, 0);
	bytes_u32(&b, 1);
	bytes_u64(&b, number);
	event.rec.ts = ts;
	event.rec.data = b.sb.s;
	event.rec.size = (uint32_t)b.sb.len;
	event.type = tfs_trace_event(trace, id);
	assert_non_null(event.type);
	assert_int_equal(tfs_order_check_event(check, &event), 0);
	bytes_release(&b);
}

/* Two hosts whose clocks are known to 100 and to 50 ns: 150, and 2 ns each of rounding */
static void events_closer_than_both_bounds_are_counted(void **state)
{
	struct tfs_trace *trace = open_trace();
	struct tfs_clock_map *a = map_of(100), *b = map_of(50);
	const struct tfs_order_input inputs[] = {
		{ trace, 0, a, 0 },
		{ trace, 1, b, 7 },
		{ trace, 0, a, 0 },
	};
	struct tfs_order_check *check = NULL;
	struct tfs_order_counts n;

	(void)state;
	assert_int_equal(tfs_order_check_new(inputs, 3, NULL, &check, NULL), 0);
	show(check, trace, 0, 2 * S, SENT, 1);
	show(check, trace, 1, 2 * S + 149, SENT, 2); /* uncertain */
	show(check, trace, 1, 2 * S + 160, SENT, 3);
	show(check, trace, 2, 2 * S + 300, SENT, 4); /* uncertain */
	show(check, trace, 0, 2 * S + 301, SENT, 5); /* uncertain: the other host's is at 160 */
	show(check, trace, 0, 2 * S + 400, SENT, 6);
	show(check, trace, 2, 2 * S + 401, SENT, 7); /* of the same host */
	show(check, trace, 1, 3 * S, SENT, 8);
	tfs_order_check_counts(check, &n);
	assert_int_equal(n.events, 8);
	assert_int_equal(n.uncertain, 3);
	assert_int_equal(n.unknown, 0);
	assert_int_equal(n.sends + n.receives, 0);
	tfs_order_check_free(check);
	tfs_clock_map_free(a);
	tfs_clock_map_free(b);
	tfs_trace_free(trace);
}

static void order_with_an_unknown_clock_is_unknown(void **state)
{
	struct tfs_trace *trace = open_trace();
	struct tfs_clock_map *a = map_of(100);
	const struct tfs_order_input inputs[] = { { trace, 0, a, 0 }, { trace, 1, NULL, 0 } };
	struct tfs_order_check *check = NULL;
	struct tfs_order_counts n;

	(void)state;
	assert_int_equal(tfs_order_check_new(inputs, 2, NULL, &check, NULL), 0);
	show(check, trace, 0, 2 * S, SENT, 1);
	show(check, trace, 1, 4 * S, SENT, 2);
	show(check, trace, 0, 5 * S, SENT, 3);
	tfs_order_check_counts(check, &n);
	assert_int_equal(n.uncertain, 0);
	assert_int_equal(n.unknown, 2);
	tfs_order_check_free(check);
	tfs_clock_map_free(a);
	tfs_trace_free(trace);
}

static void receives_before_their_sends_are_counted(void **state)
{
	struct tfs_trace *trace = open_trace();
	const struct tfs_order_input inputs[] = { { trace, 0, NULL, 0 }, { trace, 1, NULL, 0 } };
	struct tfs_strvec messages = TFS_STRVEC_INIT;
	struct tfs_order_check *check = NULL;
	struct tfs_order_counts n;

	(void)state;
	assert_int_equal(tfs_strvec_push(&messages, "sent,sched:came,number=n"), 0);
	assert_int_equal(tfs_order_check_new(inputs, 2, &messages, &check, NULL), 0);
	show(check, trace, 0, 1, SENT, 10);
	show(check, trace, 1, 2, CAME, 10); /* in order */
	show(check, trace, 1, 3, CAME, 11); /* early */
	show(check, trace, 0, 4, SENT, 11);
	show(check, trace, 1, 5, CAME, 12); /* never sent */
	show(check, trace, 0, 6, SENT, 13); /* never came */
	show(check, trace, 0, 7, SENT, 10); /* a number that is used again */
	show(check, trace, 1, 8, CAME, 10);
	tfs_order_check_counts(check, &n);
	assert_int_equal(n.sends, 4);
	assert_int_equal(n.receives, 4);
	assert_int_equal(n.early, 1);
	assert_int_equal(n.alone, 1);
	assert_int_equal(n.unchecked, 0);
	tfs_order_check_free(check);
	tfs_strvec_release(&messages);
	tfs_trace_free(trace);
}

static void messages_that_cannot_be_matched_are_refused(void **state)
{
	static const struct {
		const char *text;
		int rc;
		const char *why;
	} wrong[] = {
		{ "sent", -EINVAL, "'sent' is not SEND,RECEIVE,KEY" },
		{ "sent,came", -EINVAL, "'sent,came' is not SEND,RECEIVE,KEY" },
		{ "sent,came,", -EINVAL, "'sent,came,' is not SEND,RECEIVE,KEY" },
		{ "sent,came,number=", -EINVAL, "'sent,came,number=' is not SEND,RECEIVE,KEY" },
		{ "sent,came,number=n,x", -EINVAL,
		  "'sent,came,number=n,x' is not SEND,RECEIVE,KEY" },
		{ "sent,gone,number", -ENOENT, "no recording has the event 'gone'" },
		{ "irq:sent,came,number=n", -ENOENT, "no recording has the event 'irq:sent'" },
		{ "sent,came,number", -ENOENT, "event 'came' has no field 'number'" },
	};
	struct tfs_trace *trace = open_trace();
	const struct tfs_order_input inputs[] = { { trace, 0, NULL, 0 } };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct tfs_strvec messages = TFS_STRVEC_INIT;
		struct tfs_order_check *check = NULL;
		struct tfs_err err = TFS_ERR_INIT;

		assert_int_equal(tfs_strvec_push(&messages, wrong[i].text), 0);
		assert_int_equal(tfs_order_check_new(inputs, 1, &messages, &check, &err),
				 wrong[i].rc);
		assert_string_equal(err.msg, wrong[i].why);
		assert_null(check);
		tfs_strvec_release(&messages);
	}
	tfs_trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_closer_than_both_bounds_are_counted),
		cmocka_unit_test(order_with_an_unknown_clock_is_unknown),
		cmocka_unit_test(receives_before_their_sends_are_counted),
		cmocka_unit_test(messages_that_cannot_be_matched_are_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
