/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/macros.h"
#include "lib/dat_build.h"
#include "tracedat/page.h"

#define PAGE 512

/* Every byte order and size of long a kernel has. */
struct machine {
	bool big;
	unsigned int long_size;
};

static const struct machine machines[] = { { false, 8 }, { false, 4 }, { true, 8 }, { true, 4 } };

#define FOR_EACH_MACHINE(m) for (const struct machine *m = machines; m < machines + 4; m++)

struct fixture {
	struct bytes out;
	struct page_builder p;
	struct tfs_page page;
	struct tfs_record rec;
};

static const unsigned char payload[256] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };

static void begin(struct fixture *f, const struct machine *m, uint64_t ts)
{
	bytes_init(&f->out, m->big);
	page_begin(&f->p, &f->out, m->long_size, PAGE, ts);
}

/* A copy of exactly the page, so that a sanitizer sees a read beyond it. */
static int init_page(struct fixture *f, const struct machine *m, void **copy)
{
	*copy = malloc(f->out.sb.len);
	assert_non_null(*copy);
	memcpy(*copy, f->out.sb.s, f->out.sb.len);
	bytes_release(&f->out);
	return tfs_page_init(&f->page, *copy, PAGE, m->long_size, 8 + m->long_size, m->big);
}

static void expect(struct fixture *f, uint64_t ts, const void *data, size_t size)
{
	assert_int_equal(tfs_page_next(&f->page, &f->rec), 1);
	assert_int_equal(f->rec.ts, ts);
	assert_int_equal(f->rec.size, size);
	assert_memory_equal(f->rec.data, data, size);
}

static void walks_every_type_of_entry_on_every_machine(void **state)
{
	struct fixture f;
	void *copy;

	(void)state;
	FOR_EACH_MACHINE(m)
	{
		begin(&f, m, 1000);
		page_data(&f.p, 0, payload, 4);
		page_data(&f.p, 7, payload, 112);
		page_pair(&f.p, 30, 3, 2);        /* 2 << 27 and 3 more */
		page_long(&f.p, 1, payload, 130); /* rounded up to 132 */
		page_pair(&f.p, 29, 10, 12);      /* discarded, its time counts */
		bytes_zeros(&f.out, 8);
		page_data(&f.p, 5, payload, 8);
		page_pair(&f.p, 31, 9, 4); /* absolute: 4 << 27 | 9 */
		page_data(&f.p, 1, payload, 12);
		page_word(&f.p, 29, 0); /* the rest of the page is padding */
		page_end(&f.p, 0);
		assert_int_equal(init_page(&f, m, &copy), 0);
		expect(&f, 1000, payload, 4);
		expect(&f, 1007, payload, 112);
		expect(&f, 1007 + (2ull << 27) + 3 + 1, payload, 130);
		expect(&f, 1007 + (2ull << 27) + 4 + 10 + 5, payload, 8);
		expect(&f, (4ull << 27) + 9 + 1, payload, 12);
		assert_int_equal(tfs_page_next(&f.page, &f.rec), 0);
		assert_int_equal(tfs_page_next(&f.page, &f.rec), 0);
		free(copy);
	}
}

static void absolute_stamp_keeps_the_upper_five_bits_of_the_time(void **state)
{
	const struct machine *m = machines;
	uint64_t tai = 0x1800000000000123; /* bits 59 and 60 are set */
	struct fixture f;
	void *copy;

	(void)state;
	begin(&f, m, tai);
	page_pair(&f.p, 31, 5, 6);
	page_data(&f.p, 0, payload, 4);
	page_end(&f.p, 0);
	assert_int_equal(init_page(&f, m, &copy), 0);
	expect(&f, 0x1800000000000000 | 6ull << 27 | 5, payload, 4);
	free(copy);
}

static void deltas_use_all_27_bits(void **state)
{
	struct fixture f;
	void *copy;

	(void)state;
	FOR_EACH_MACHINE(m)
	{
		begin(&f, m, 0);
		page_data(&f.p, (1u << 27) - 1, payload, 4);
		page_end(&f.p, 0);
		assert_int_equal(init_page(&f, m, &copy), 0);
		expect(&f, (1u << 27) - 1, payload, 4);
		free(copy);
	}
}

static void empty_page_has_no_record(void **state)
{
	struct fixture f;
	void *copy;

	(void)state;
	FOR_EACH_MACHINE(m)
	{
		begin(&f, m, 5);
		page_end(&f.p, 0);
		assert_int_equal(init_page(&f, m, &copy), 0);
		assert_int_equal(tfs_page_next(&f.page, &f.rec), 0);
		free(copy);
	}
}

static void missed_events_are_reported_with_the_first_record_only(void **state)
{
	struct fixture f;
	void *copy;

	(void)state;
	FOR_EACH_MACHINE(m)
	{
		begin(&f, m, 5);
		page_pair(&f.p, 30, 0, 1); /* also when it is not the first entry */
		page_data(&f.p, 0, payload, 4);
		page_data(&f.p, 0, payload, 4);
		page_end(&f.p, 0xffffffff80000000);
		assert_int_equal(init_page(&f, m, &copy), 0);
		expect(&f, 5 + (1 << 27), payload, 4);
		assert_int_equal(f.rec.lost, TFS_LOST_UNKNOWN);
		expect(&f, 5 + (1 << 27), payload, 4);
		assert_int_equal(f.rec.lost, 0);
		free(copy);
	}
}

static void stored_count_of_missed_events_is_read_after_the_data(void **state)
{
	struct fixture f;
	void *copy;

	(void)state;
	FOR_EACH_MACHINE(m)
	{
		begin(&f, m, 5);
		page_data(&f.p, 0, payload, 4);
		page_end_lost(&f.p, 38641);
		assert_int_equal(init_page(&f, m, &copy), 0);
		expect(&f, 5, payload, 4);
		assert_int_equal(f.rec.lost, 38641);
		free(copy);
	}
}

static void stored_count_without_room_for_it_is_unknown(void **state)
{
	const struct machine *m = machines;
	struct fixture f;
	void *copy;

	(void)state;
	begin(&f, m, 5);
	while (page_used(&f.p) < PAGE - 16 - 4)
		page_data(&f.p, 0, payload, 4);
	if (page_used(&f.p) < PAGE - 16)
		bytes_zeros(&f.out, PAGE - 16 - page_used(&f.p));
	page_end(&f.p, 0xc0000000);
	assert_int_equal(init_page(&f, m, &copy), 0);
	expect(&f, 5, payload, 4);
	assert_int_equal(f.rec.lost, TFS_LOST_UNKNOWN);
	free(copy);
}

static void absurd_stored_count_is_unknown(void **state)
{
	const struct machine *m = machines;
	struct fixture f;
	void *copy;

	(void)state;
	begin(&f, m, 5);
	page_data(&f.p, 0, payload, 4);
	page_end_lost(&f.p, UINT64_MAX - 1);
	assert_int_equal(init_page(&f, m, &copy), 0);
	expect(&f, 5, payload, 4);
	assert_int_equal(f.rec.lost, TFS_LOST_UNKNOWN);
	free(copy);
}

static void commit_beyond_the_page_is_refused(void **state)
{
	unsigned char page[64] = { 0 };
	struct tfs_page pg;

	(void)state;
	page[8] = 49; /* one more than 64 - 16 */
	assert_int_equal(tfs_page_init(&pg, page, sizeof(page), 8, 16, false), -EBADMSG);
	page[8] = 48;
	assert_int_equal(tfs_page_init(&pg, page, sizeof(page), 8, 16, false), 0);
}

static void page_shorter_than_its_header_is_refused(void **state)
{
	unsigned char page[16] = { 0 };
	struct tfs_page pg;

	(void)state;
	assert_int_equal(tfs_page_init(&pg, page, 15, 8, 16, false), -EBADMSG);
	assert_int_equal(tfs_page_init(&pg, page, 16, 8, 15, false), -EBADMSG);
	assert_int_equal(tfs_page_init(&pg, page, 16, 8, 16, false), 0);
}

/* An entry whose second word is @word, in a page that holds @extra bytes after its two words. */
static int walk_pair(unsigned int type, uint32_t delta, uint32_t word, size_t extra)
{
	const struct machine *m = machines;
	struct fixture f;
	void *copy;
	int rc;

	begin(&f, m, 0);
	page_pair(&f.p, type, delta, word);
	bytes_zeros(&f.out, extra);
	page_end(&f.p, 0);
	assert_int_equal(init_page(&f, m, &copy), 0);
	rc = tfs_page_next(&f.page, &f.rec);
	free(copy);
	return rc;
}

static void length_that_does_not_fit_is_refused(void **state)
{
	static const uint32_t bad[] = { 0, 3, 13, 16, 0x7fffffff, 0xfffffffd, 0xffffffff };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(walk_pair(0, 1, bad[i], 8), -EBADMSG);
		assert_int_equal(walk_pair(29, 1, bad[i], 8), -EBADMSG);
	}
	assert_int_equal(walk_pair(0, 1, 12, 8), 1);
	assert_int_equal(walk_pair(29, 1, 12, 8), 0);
	assert_int_equal(walk_pair(29, 1, 11, 8), -EBADMSG); /* would lose the alignment */
	assert_int_equal(walk_pair(0, 1, 11, 8), 1);
	assert_int_equal(walk_pair(0, 1, 11, 6), -EBADMSG); /* fits, but not rounded up */
}

/* Committed bytes end anywhere: an error or fewer records, never a read beyond them. */
static void entry_cut_anywhere_is_refused(void **state)
{
	struct fixture f;
	unsigned char *copy;
	size_t used, cut;
	int rc;

	(void)state;
	begin(&f, machines, 0);
	page_data(&f.p, 1, payload, 8);
	page_pair(&f.p, 30, 1, 1);
	page_long(&f.p, 1, payload, 16);
	page_pair(&f.p, 31, 1, 1);
	page_pair(&f.p, 29, 1, 8);
	bytes_zeros(&f.out, 4);
	used = page_used(&f.p);
	page_end(&f.p, 0);
	for (cut = 0; cut < used; cut++) {
		copy = malloc(16 + cut);
		assert_non_null(copy);
		memcpy(copy, f.out.sb.s, 16 + cut);
		copy[8] = (unsigned char)cut;
		assert_int_equal(tfs_page_init(&f.page, copy, 16 + cut, 8, 16, false), 0);
		do {
			rc = tfs_page_next(&f.page, &f.rec);
		} while (rc > 0);
		/* whole entries end after 12, 20, 44, 52 bytes */
		if (cut == 0 || cut == 12 || cut == 20 || cut == 44 || cut == 52)
			assert_int_equal(rc, 0);
		else
			assert_int_equal(rc, -EBADMSG);
		free(copy);
	}
	bytes_release(&f.out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(walks_every_type_of_entry_on_every_machine),
		cmocka_unit_test(absolute_stamp_keeps_the_upper_five_bits_of_the_time),
		cmocka_unit_test(deltas_use_all_27_bits),
		cmocka_unit_test(empty_page_has_no_record),
		cmocka_unit_test(missed_events_are_reported_with_the_first_record_only),
		cmocka_unit_test(stored_count_of_missed_events_is_read_after_the_data),
		cmocka_unit_test(stored_count_without_room_for_it_is_unknown),
		cmocka_unit_test(absurd_stored_count_is_unknown),
		cmocka_unit_test(commit_beyond_the_page_is_refused),
		cmocka_unit_test(page_shorter_than_its_header_is_refused),
		cmocka_unit_test(length_that_does_not_fit_is_refused),
		cmocka_unit_test(entry_cut_anywhere_is_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
