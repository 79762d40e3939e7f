/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf-core.h"
#include "stack/collect.h"
#include "stack/frames.h"
#include "stack/unnamed.h"
#include "symbolize/symbolize.h"

static struct tfs_frame frame(enum tfs_symbol_why why, bool in_memory)
{
	return (struct tfs_frame){ .kind = TFS_FRAME_USER,
				   .why = (uint8_t)why,
				   .in_memory = in_memory };
}

/* Each reason but none has a bit of its own, and so does code in memory. */
static void frames_have_one_reason_each(void **state)
{
	struct tfs_frame f = frame(TFS_SYMBOL_NAMED, false);
	unsigned int seen = 0, bit;

	(void)state;
	assert_int_equal(tfs_unnamed_why(&f), 0);
	f = (struct tfs_frame){ .kind = TFS_FRAME_KERNEL };
	assert_int_equal(tfs_unnamed_why(&f), 0);
	for (unsigned int why = TFS_SYMBOL_NAMED + 1; why <= TFS_SYMBOL_N_WHY; why++) {
		f = why < TFS_SYMBOL_N_WHY ? frame((enum tfs_symbol_why)why, false) :
					     frame(TFS_SYMBOL_NO_SYMBOL, true);
		bit = tfs_unnamed_why(&f);
		assert_int_equal(__builtin_popcount(bit), 1);
		assert_false(seen & bit);
		assert_true(bit < 1u << TFS_UNNAMED_REASONS);
		seen |= bit;
	}
}

static void stacks_count_once_for_each_of_their_reasons(void **state)
{
	const struct tfs_frame differs = frame(TFS_SYMBOL_DIFFERS, false);
	const struct tfs_frame memory = frame(TFS_SYMBOL_NO_SYMBOL, true);
	const struct tfs_collect_opts opts = { .n = 0 };
	struct tfs_strbuf out = TFS_STRBUF_INIT;
	struct tfs_unnamed u = { 0 };

	(void)state;
	tfs_unnamed_add(&u, 0);
	tfs_unnamed_add(&u, 0);
	assert_int_equal(tfs_unnamed_notes(&u, &opts, &out), 0);
	assert_int_equal(out.len, 0);
	tfs_unnamed_add(&u, tfs_unnamed_why(&differs) | tfs_unnamed_why(&memory));
	tfs_unnamed_add(&u, tfs_unnamed_why(&differs));
	assert_int_equal(tfs_unnamed_notes(&u, &opts, &out), 0);
	assert_string_equal(
		out.s,
		"2 of 4 user stacks have frames without names (code that is not of a file: 1, "
		"the file was replaced: 2)\n"
		"programs list code that they generate in /tmp/perf-PID.map only on request, as "
		"node --perf-basic-prof does\n"
		"files were replaced while they were recorded: record again\n");
	tfs_strbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_have_one_reason_each),
		cmocka_unit_test(stacks_count_once_for_each_of_their_reasons),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
