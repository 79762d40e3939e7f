/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cursor.h"
#include "base/err.h"
#include "lib/dat_build.h"
#include "lib/dat_open.h"
#include "tracedat/dat-read.h"
#include "tracedat/merge.h"
#include "tracedat/record-run.h"

#define PAGE 512u
#define MAX_CPUS 3u
#define PADDING 20u

/*
 * A compressed BUFFER section without an option, as trace-cmd leaves it when the file is truncated.
 * Each table comes after zeros up to a multiple of PAGE.
 * @first, @last: where the data of its first and last chunks begin
 * @end: where it ends
 */
struct layout {
	size_t section, n;
	struct {
		size_t first, last, end;
	} cpu[MAX_CPUS];
};

static uint32_t u32_at(const struct bytes *b, size_t at)
{
	return tfs_load_u32(b->sb.s + at, false);
}

/* Where the tables are, by the layout in trace.dat(5) */
static void find_tables(const struct bytes *b, size_t section, size_t n, struct layout *l)
{
	size_t at = section + 16, i, k;

	l->section = section;
	l->n = n;
	for (i = 0; i < n; i++) {
		at += (PAGE - at % PAGE) % PAGE;
		l->cpu[i].first = at + 12;
		k = u32_at(b, at);
		for (at += 4; k--; at += 8 + u32_at(b, at))
			l->cpu[i].last = at + 8;
		l->cpu[i].end = at;
	}
	assert_int_equal(at, section + 16 + tfs_load_u64(b->sb.s + section + 8, false));
}

/* Two chunks a CPU; of two buffers the second */
static void build(struct bytes *b, size_t n_cpus, size_t n_buffers, struct layout *l)
{
	static const struct dat_spec spec = {
		.codec = TFS_CODEC_ZLIB, .cpus = MAX_CPUS, .pages = 3, .chunk_pages = 2
	};
	struct dat_builder d;
	struct dat_cpu cpus[MAX_CPUS];
	struct bytes pages[MAX_CPUS];
	size_t i, c, section = 0;

	dat_begin(&d, &spec);
	dat_metadata(&d);
	for (i = 0; i < n_buffers; i++) {
		section = d.b.sb.len;
		for (c = 0; c < n_cpus; c++) {
			bytes_init(&pages[c], false);
			dat_sample_pages(&spec, (unsigned int)i, (unsigned int)c, &pages[c]);
			cpus[c] = (struct dat_cpu){ .cpu = (unsigned int)c, .pages = &pages[c] };
		}
		dat_buffer(&d, i ? "foo" : "", cpus, n_cpus);
		for (c = 0; c < n_cpus; c++)
			bytes_release(&pages[c]);
	}
	bytes_init(b, false);
	bytes_add(b, d.b.sb.s, d.b.sb.len);
	find_tables(b, section, n_cpus, l);
	dat_release(&d);
}

/* The next record, or (@run) the next ones */
static int next(struct tfs_merge *m, struct tfs_record_run *run, struct tfs_record *rec)
{
	int rc = run ? tfs_merge_run(m, run, NULL) : tfs_merge_next(m, rec, NULL);

	if (!run || rc <= 0)
		return rc;
	assert_int_equal(run->has_first, rc == 1);
	*rec = run->first;
	while (tfs_record_run_next(run, &run->first))
		assert_int_equal(rc, 1);
	return rc;
}

static unsigned int missing_in(struct tfs_dat *dat, size_t buffer, struct tfs_record_run *run)
{
	static const struct tfs_merge_opts opts = { .missing = true };
	struct tfs_merge *m;
	struct tfs_record rec;
	unsigned int found = 0;
	int rc;

	assert_int_equal(tfs_merge_new(dat, &opts, &m, NULL), 0);
	while ((rc = next(m, run, &rec)) > 0) {
		if (rc != TFS_MERGE_MISSING)
			continue;
		assert_int_equal(rec.buffer, buffer);
		assert_true(rec.cpu < MAX_CPUS);
		assert_false(found & 1u << rec.cpu);
		found |= 1u << rec.cpu;
	}
	assert_int_equal(rc, 0);
	tfs_merge_free(m);
	return found;
}

/* A bit for each CPU of the last buffer whose rest is missing in the first @size bytes */
static unsigned int missing(const struct bytes *b, size_t size, size_t buffer)
{
	struct tfs_record_run run;
	struct bytes cut;
	struct tfs_dat *dat;
	unsigned int found;

	bytes_init(&cut, false);
	bytes_add(&cut, b->sb.s, size);
	dat = dat_open(&cut);
	found = missing_in(dat, buffer, NULL);
	assert_int_equal(missing_in(dat, buffer, &run), found);
	tfs_dat_free(dat);
	bytes_release(&cut);
	return found;
}

/* The CPU whose last byte is not in the first @size bytes */
static size_t first_cut(const struct layout *l, size_t size)
{
	size_t c = 0;

	while (l->cpu[c].end <= size)
		c++;
	return c;
}

static void cpu_that_the_end_of_the_file_cuts_is_incomplete(void **state)
{
	struct layout l;
	struct bytes b;
	unsigned int got;
	size_t n, c;

	(void)state;
	for (size_t cpus = 1; cpus <= MAX_CPUS; cpus++) {
		build(&b, cpus, 1, &l);
		for (n = l.section + 16; n < l.cpu[cpus - 1].end; n++) {
			c = first_cut(&l, n);
			got = missing(&b, n, 0);
			/* None before it, and none after the last */
			assert_int_equal(got & ((1u << c) - 1), 0);
			assert_true(got & 1u << c);
			assert_true(got < 1u << cpus);
		}
		bytes_release(&b);
	}
}

/* With the length of the last chunk it is known where the CPU ends, and the section does not. */
static void cpu_after_the_last_chunk_is_incomplete(void **state)
{
	struct layout l;
	struct bytes b;
	size_t n, c;

	(void)state;
	build(&b, MAX_CPUS, 1, &l);
	for (c = 0; c + 1 < MAX_CPUS; c++)
		for (n = l.cpu[c].last; n < l.cpu[c].end; n++)
			assert_int_equal(missing(&b, n, 0), 3u << c);
	bytes_release(&b);
}

/* A chunk is at most as long as what it expands to, and a little: here is much more than that. */
static void section_that_is_longer_than_a_cpu_can_be_has_another(void **state)
{
	struct layout l;
	struct bytes b;

	(void)state;
	build(&b, 1, 1, &l);
	/* Its chunks of 1,024 and 512 bytes may have been made longer by compression. */
	bytes_set_u64(&b, l.section + 8, l.cpu[0].end - l.section - 16 + 1024);
	assert_int_equal(missing(&b, l.cpu[0].first, 0), 1);
	bytes_set_u64(&b, l.section + 8, l.cpu[0].end - l.section - 16 + 16 * 1024);
	assert_int_equal(missing(&b, l.cpu[0].first, 0), 3);
	bytes_release(&b);
}

static void cpus_that_were_not_reached_are_counted_by_other_buffers(void **state)
{
	struct layout l;
	struct bytes b;
	size_t n, c;

	(void)state;
	build(&b, MAX_CPUS, 2, &l);
	for (n = l.section + 16; n < l.cpu[MAX_CPUS - 1].end; n++) {
		c = first_cut(&l, n);
		assert_int_equal(missing(&b, n, 1), 7u & ~((1u << c) - 1));
	}
	bytes_release(&b);
}

/* Zeros up to where another table might have begun */
static void padding_at_the_end_is_not_a_cpu(void **state)
{
	struct layout l;
	struct bytes b;
	size_t end;

	(void)state;
	build(&b, 2, 1, &l);
	end = l.cpu[1].end;
	assert_true(end % PAGE && end % PAGE < PAGE - PADDING);
	bytes_zeros(&b, PADDING);
	bytes_set_u64(&b, l.section + 8, end + PADDING - l.section - 16);
	assert_int_equal(missing(&b, end + PADDING, 0), 0);
	assert_int_equal(missing(&b, end + PADDING / 2, 0), 0);
	bytes_release(&b);
}

/*
 * A recorder that was killed has not written the size. Then nothing says that there was more, and a
 * few bytes may as well be the beginning of another section.
 */
static void beginning_of_a_table_is_not_a_cpu_where_the_size_is_not_known(void **state)
{
	struct layout l;
	struct bytes b;
	size_t n;

	(void)state;
	build(&b, 2, 1, &l);
	bytes_set_u64(&b, l.section + 8, 0);
	for (n = l.cpu[0].end; n <= l.cpu[1].first; n++)
		assert_int_equal(missing(&b, n, 0), 0);
	bytes_release(&b);
}

static void hint_says_what_is_not_known(void **state)
{
	static const struct dat_spec counted = {
		.codec = TFS_CODEC_ZLIB, .cpus = 2, .pages = 3, .chunk_pages = 2
	};
	struct layout l;
	struct tfs_dat *dat;
	struct bytes b;

	(void)state;
	build(&b, 2, 1, &l);
	b.sb.len = l.cpu[0].last;
	dat = dat_open(&b);
	assert_non_null(strstr(tfs_dat_damage(dat)->hint,
			       "as buffer '' with 1 CPU, numbered by their order; there may have "
			       "been more"));
	assert_true(tfs_dat_more_cpus(dat));
	assert_true(tfs_dat_buffer(dat, 0)->more_cpus);
	tfs_dat_free(dat);
	bytes_release(&b);
	dat_sample(&counted, &b);
	b.sb.len -= 20;
	dat = dat_open(&b);
	assert_non_null(strstr(tfs_dat_damage(dat)->hint, "with 2 CPUs, numbered"));
	assert_null(strstr(tfs_dat_damage(dat)->hint, "there may have been more"));
	assert_false(tfs_dat_more_cpus(dat));
	tfs_dat_free(dat);
	bytes_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_that_the_end_of_the_file_cuts_is_incomplete),
		cmocka_unit_test(cpu_after_the_last_chunk_is_incomplete),
		cmocka_unit_test(section_that_is_longer_than_a_cpu_can_be_has_another),
		cmocka_unit_test(cpus_that_were_not_reached_are_counted_by_other_buffers),
		cmocka_unit_test(padding_at_the_end_is_not_a_cpu),
		cmocka_unit_test(beginning_of_a_table_is_not_a_cpu_where_the_size_is_not_known),
		cmocka_unit_test(hint_says_what_is_not_known),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
