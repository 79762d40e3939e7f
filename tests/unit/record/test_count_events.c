/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/count-events.h"
#include "record/percpu.h"
#include "tracedat/page.h"

#define SUBBUF 4096u
#define HEADER 16u
#define PAGES 23

static const struct tfs_subbuf sub = {
	.size = SUBBUF,
	.commit_offset = 8,
	.commit_size = 8,
	.data_offset = HEADER,
};

/* Sub-buffers filled by a generator: so many events, and how many are of type 300 */
struct made {
	unsigned char *pages;
	uint64_t events, wanted;
	uint32_t state;
};

static uint32_t draw(struct made *m, uint32_t below)
{
	m->state = m->state * 1664525u + 1013904223u;
	return (m->state >> 8) % below;
}

static unsigned char *put(unsigned char *p, uint32_t word)
{
	memcpy(p, &word, sizeof(word));
	return p + sizeof(word);
}

/* include/linux/ring_buffer.h: kinds of entries. Room for the longest is there. */
static unsigned char *make_entry(struct made *m, unsigned char *p, bool all_kinds)
{
	const uint32_t kind = all_kinds ? draw(m, 40) : 10;
	const uint16_t id = draw(m, 200) ? 5 : 300;
	uint32_t words = 1 + draw(m, 28);

	if (kind < 2) /* time extend, time stamp */
		return put(put(p, 30 + kind), 7);
	if (kind == 2) { /* discarded */
		put(put(p, 29 | 1 << 5), 4 + 4 * words);
		return p + 8 + 4 * words;
	}
	m->events++;
	m->wanted += id == 300;
	if (kind == 3) { /* with a length of its own */
		p = put(put(p, 0), 4 + 4 * (words + 28) - draw(m, 3));
		words += 28;
	} else {
		p = put(p, words | 3 << 5);
	}
	memcpy(p, &id, sizeof(id));
	return p + 4 * words;
}

static void make_page(struct made *m, size_t i, size_t room, bool all_kinds)
{
	unsigned char *page = m->pages + i * SUBBUF, *p = page + HEADER;
	uint64_t used;

	while ((size_t)(p - page) + 300 < room)
		p = make_entry(m, p, all_kinds);
	used = (uint64_t)(p - page) - HEADER;
	memcpy(page + 8, &used, sizeof(used));
}

static void begin(struct made *m, uint32_t seed)
{
	*m = (struct made){ .state = seed };
	m->pages = calloc(PAGES, SUBBUF);
	assert_non_null(m->pages);
}

static const unsigned char *wanted_ids(void)
{
	static const unsigned char ids[65536 / 8] = { [300 / 8] = 1 << 300 % 8 };

	return ids;
}

static void assert_counted(const struct made *m, size_t n)
{
	bool found = false;

	assert_int_equal(tfs_count_events(&sub, m->pages, n * SUBBUF, NULL, &found), m->events);
	assert_false(found);
	assert_int_equal(tfs_count_events(&sub, m->pages, n * SUBBUF, wanted_ids(), &found),
			 m->events);
	assert_int_equal(found, m->wanted > 0);
}

static void any_number_of_sub_buffers_is_counted(void **state)
{
	struct made m;

	(void)state;
	for (size_t n = 0; n <= PAGES; n++)
		for (uint32_t seed = 0; seed < 20; seed++) {
			begin(&m, seed);
			for (size_t i = 0; i < n; i++)
				make_page(&m, i, draw(&m, 4) ? SUBBUF : draw(&m, SUBBUF), seed & 1);
			assert_counted(&m, n);
			free(m.pages);
		}
}

static void empty_ones_and_a_part_have_none(void **state)
{
	struct made m;

	(void)state;
	begin(&m, 1);
	for (size_t i = 5; i < 7; i++)
		make_page(&m, i, SUBBUF, true);
	assert_counted(&m, PAGES);
	assert_int_equal(tfs_count_events(&sub, m.pages + 5 * SUBBUF, SUBBUF - 1, NULL, NULL), 0);
	assert_int_equal(tfs_count_events(&sub, m.pages + 5 * SUBBUF, 3 * SUBBUF - 1, NULL, NULL),
			 m.events);
	free(m.pages);
}

/* Those before the fault, and it may be any event */
static void broken_ones_may_hold_anything(void **state)
{
	const uint64_t beyond = SUBBUF;
	uint64_t before;
	bool found = false;
	struct made m;

	(void)state;
	begin(&m, 2);
	for (size_t i = 0; i < 6; i++)
		make_page(&m, i, SUBBUF, false);
	memcpy(m.pages + 5 * SUBBUF + 8, &beyond, sizeof(beyond));
	before = tfs_count_events(&sub, m.pages, 5 * SUBBUF, NULL, NULL);
	assert_int_equal(tfs_count_events(&sub, m.pages, 6 * SUBBUF, wanted_ids(), &found), before);
	assert_true(found);
	found = false;
	/* a length of its own that is too small */
	memset(m.pages + HEADER, 0, 8);
	assert_true(tfs_count_events(&sub, m.pages, 5 * SUBBUF, wanted_ids(), &found) < before);
	assert_true(found);
	free(m.pages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_number_of_sub_buffers_is_counted),
		cmocka_unit_test(empty_ones_and_a_part_have_none),
		cmocka_unit_test(broken_ones_may_hold_anything),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
