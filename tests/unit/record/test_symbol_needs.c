/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "record/percpu.h"
#include "record/symbol-needs.h"

#define SUBBUF 4096u
#define HEADER 16u
#define ENTRY 12u

static const struct tfs_subbuf sub = {
	.size = SUBBUF,
	.commit_offset = 8,
	.commit_size = 8,
	.data_offset = HEADER,
};

/* A sub-buffer of @n records of type 5, but for the record @at, which is of @type */
static void make_page(unsigned char *page, unsigned int n, unsigned int at, uint16_t type)
{
	const uint32_t word = 2; /* type_len: 8 bytes; include/linux/ring_buffer.h */
	const uint64_t used = (uint64_t)n * ENTRY;

	memset(page, 0, SUBBUF);
	memcpy(page + 8, &used, sizeof(used));
	for (unsigned int i = 0; i < n; i++) {
		const uint16_t id = i == at ? type : 5;

		memcpy(page + HEADER + i * ENTRY, &word, sizeof(word));
		memcpy(page + HEADER + i * ENTRY + 4, &id, sizeof(id));
	}
}

static void begin(struct tfs_symbol_needs *w)
{
	memset(w, 0, sizeof(*w));
	tfs_symbol_needs_add(w, "x", "rare", 300);
	tfs_symbol_needs_add(w, "x", "late", 65535);
}

static bool sees(unsigned int n, unsigned int at, uint16_t type)
{
	unsigned char page[SUBBUF];
	struct tfs_symbol_needs w;

	begin(&w);
	make_page(page, n, at, type);
	tfs_symbol_needs_count(&w, &sub, page, SUBBUF);
	return atomic_load(&w.seen);
}

static void a_type_is_seen_wherever_it_is(void **state)
{
	(void)state;
	assert_true(sees(300, 0, 300));
	assert_true(sees(300, 150, 300));
	assert_true(sees(300, 299, 65535));
	assert_true(sees(1, 0, 300));
}

static void others_are_not(void **state)
{
	(void)state;
	assert_false(sees(300, 0, 5));
	assert_false(sees(300, 7, 301));
	assert_false(sees(300, 7, 44)); /* 300 & 0xff */
	assert_false(sees(0, 0, 300));
	/* after the last field */
	assert_false(sees(299, 299, 300));
}

static void an_unparsable_page_may_hold_any_type(void **state)
{
	const uint64_t much = 5000;
	const uint32_t beyond = 28;
	unsigned char page[SUBBUF];
	struct tfs_symbol_needs w;

	(void)state;
	begin(&w);
	make_page(page, 300, 0, 5);
	memcpy(page + 8, &much, sizeof(much));
	tfs_symbol_needs_count(&w, &sub, page, SUBBUF);
	assert_true(atomic_load(&w.seen));
	begin(&w);
	make_page(page, 300, 0, 5);
	memcpy(page + HEADER + (300 - 1) * ENTRY, &beyond, sizeof(beyond));
	tfs_symbol_needs_count(&w, &sub, page, SUBBUF);
	assert_true(atomic_load(&w.seen));
}

static void nobody_looks_when_there_is_nothing_to_look_out_for(void **state)
{
	struct tfs_symbol_needs w = { .n = 0 };

	(void)state;
	assert_false(tfs_symbol_needs_open(NULL));
	assert_false(tfs_symbol_needs_open(&w));
	begin(&w);
	assert_true(tfs_symbol_needs_open(&w));
	assert_string_equal(w.first, "x:rare");
	atomic_store(&w.seen, true);
	assert_false(tfs_symbol_needs_open(&w));
}

static void a_type_without_a_number_may_be_any(void **state)
{
	struct tfs_symbol_needs w = { .n = 0 };

	(void)state;
	tfs_symbol_needs_add(&w, "x", "y", -1);
	assert_true(atomic_load(&w.seen));
	w = (struct tfs_symbol_needs){ .n = 0 };
	tfs_symbol_needs_add(&w, "x", "y", 65536);
	assert_true(atomic_load(&w.seen));
}

static void few_are_one_in_eight(void **state)
{
	struct tfs_symbol_needs w;

	(void)state;
	begin(&w);
	w.of = 16;
	assert_true(tfs_symbol_needs_are_rare(&w));
	w.of = 15;
	assert_false(tfs_symbol_needs_are_rare(&w));
	w.of = 1000;
	atomic_store(&w.seen, true);
	assert_false(tfs_symbol_needs_are_rare(&w));
}

static void events_are_counted_also_after_one_was_seen(void **state)
{
	unsigned char page[SUBBUF];
	struct tfs_symbol_needs w;

	(void)state;
	begin(&w);
	make_page(page, 300, 7, 5);
	assert_int_equal(tfs_symbol_needs_count(&w, &sub, page, SUBBUF), 300);
	make_page(page, 300, 7, 300);
	assert_int_equal(tfs_symbol_needs_count(&w, &sub, page, SUBBUF), 300);
	assert_true(atomic_load(&w.seen));
	make_page(page, 0, 7, 300);
	assert_int_equal(tfs_symbol_needs_count(&w, &sub, page, SUBBUF), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_type_is_seen_wherever_it_is),
		cmocka_unit_test(others_are_not),
		cmocka_unit_test(an_unparsable_page_may_hold_any_type),
		cmocka_unit_test(nobody_looks_when_there_is_nothing_to_look_out_for),
		cmocka_unit_test(a_type_without_a_number_may_be_any),
		cmocka_unit_test(few_are_one_in_eight),
		cmocka_unit_test(events_are_counted_also_after_one_was_seen),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
