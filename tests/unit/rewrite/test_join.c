/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "lib/bytes.h"
#include "lib/dat_build.h"
#include "lib/dat_open.h"
#include "lib/dat_walk.h"
#include "rewrite/dat-out.h"
#include "rewrite/join.h"
#include "tracedat/dat-clocks.h"
#include "tracedat/dat-lost.h"
#include "tracedat/dat-private.h"
#include "tracedat/dat-read.h"
#include "tracedat/merge.h"

static const struct tfs_dat_form form = { .version = 7, .codec = TFS_CODEC_NONE };

/* The trace clock and CLOCK_REALTIME at @trace */
static void add_clocks(struct dat_builder *d, uint64_t trace)
{
	const struct tfs_dat_clock_pair pair = { .trace = trace, .ref = 2 * trace, .bound = 3 };
	struct tfs_strbuf payload = TFS_STRBUF_INIT;

	assert_int_equal(tfs_dat_private_begin(&payload), 0);
	assert_int_equal(tfs_dat_clocks_add(&payload, &pair), 0);
	dat_option(d, TFS_DAT_PRIVATE_CLOCKS, payload.s, payload.len);
	tfs_strbuf_release(&payload);
}

/* u32 flags, strz boot */
static void add_boot(struct dat_builder *d, const char *boot)
{
	static const uint32_t flags;
	struct tfs_strbuf payload = TFS_STRBUF_INIT;

	assert_int_equal(tfs_dat_private_begin(&payload), 0);
	assert_int_equal(tfs_strbuf_add(&payload, &flags, sizeof(flags)), 0);
	assert_int_equal(tfs_strbuf_add(&payload, boot, strlen(boot) + 1), 0);
	dat_option(d, TFS_DAT_PRIVATE_SEGMENTS, payload.s, payload.len);
	tfs_strbuf_release(&payload);
}

/* A recording of CPU 0 with events at @first, @first + 10 ..., which has lost @lost events */
static struct tfs_dat *record_boot(uint64_t first, uint64_t lost, const char *clocks,
				   const char *boot)
{
	const struct tfs_dat_lost entry = { .cpu = 0, .events = 4, .overrun = lost };
	const struct dat_spec spec = { .cpus = 1 };
	struct tfs_strbuf payload = TFS_STRBUF_INIT;
	struct page_builder p;
	struct dat_builder d;
	struct bytes pages;
	struct dat_cpu cpu = { .cpu = 0, .pages = &pages };
	struct tfs_dat *dat;

	bytes_init(&pages, false);
	page_begin(&p, &pages, 8, 512, first);
	for (unsigned int i = 0; i < 4; i++)
		page_data(&p, i ? 10 : 0, "\1\0\0\0\0\0\0\0", 8);
	page_end(&p, 0);
	dat_begin(&d, &spec);
	dat_metadata(&d);
	assert_int_equal(tfs_dat_lost_begin(&payload), 0);
	assert_int_equal(tfs_dat_lost_add(&payload, &entry), 0);
	dat_option(&d, TFS_DAT_PRIVATE_LOST, payload.s, payload.len);
	add_clocks(&d, first);
	add_boot(&d, boot);
	dat_option(&d, TFS_DAT_TRACECLOCK, clocks, strlen(clocks) + 1);
	dat_buffer(&d, "", &cpu, 1);
	dat = dat_open_built(&d);
	tfs_strbuf_release(&payload);
	bytes_release(&pages);
	return dat;
}

static struct tfs_dat *record(uint64_t first, uint64_t lost, const char *clocks)
{
	return record_boot(first, lost, clocks, "boot-1");
}

/* Joins two and releases them; NULL if they are refused */
static struct tfs_dat *join(struct tfs_dat *a, struct tfs_dat *b, struct tfs_err *err)
{
	struct tfs_dat *const dats[] = { a, b };
	int fd = memfd_create("joined", MFD_CLOEXEC), rc;
	struct tfs_join_notes notes;
	struct tfs_dat *dat = NULL;

	rc = tfs_join(dats, 2, fd, &form, &notes, err);
	tfs_dat_free(a);
	tfs_dat_free(b);
	if (rc) {
		assert_int_equal(rc, -EINVAL);
		close(fd);
		return NULL;
	}
	assert_int_equal(notes.symbols, 0);
	assert_int_equal(tfs_dat_open_fd(fd, "joined", &dat, NULL), 0);
	assert_null(tfs_dat_damage(dat));
	return dat;
}

/* Are the time stamps those, in this order? */
static void check_stamps(struct tfs_dat *dat, const uint64_t *want, size_t n)
{
	struct tfs_record rec;
	struct tfs_merge *m;

	assert_int_equal(tfs_merge_new(dat, NULL, &m, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(tfs_merge_next(m, &rec, NULL), 1);
		assert_int_equal(rec.ts, want[i]);
	}
	assert_int_equal(tfs_merge_next(m, &rec, NULL), 0);
	tfs_merge_free(m);
}

static void successive_recordings_follow_each_other(void **state)
{
	static const uint64_t want[] = { 100, 110, 120, 130, 200, 210, 220, 230 };
	struct tfs_dat *dat = join(record(200, 1, "[local]"), record(100, 2, "[local]"), NULL);

	(void)state;
	assert_non_null(dat);
	check_stamps(dat, want, 8);
	tfs_dat_free(dat);
}

static void recordings_that_overlap_are_merged(void **state)
{
	static const uint64_t want[] = { 100, 110, 115, 120, 125, 130, 135, 145 };
	struct tfs_dat *dat = join(record(115, 1, "[local]"), record(100, 2, "[local]"), NULL);

	(void)state;
	assert_non_null(dat);
	check_stamps(dat, want, 8);
	tfs_dat_free(dat);
}

static void losses_are_added_up_except_those_of_pieces(void **state)
{
	struct tfs_dat *dat = join(record(100, 5, "[local]"), record(200, 7, "[local]"), NULL);
	struct tfs_dat_lost lost;

	(void)state;
	assert_int_equal(tfs_dat_lost_find(dat, 0, 0, &lost), 1);
	assert_int_equal(lost.overrun, 12);
	assert_int_equal(lost.events, 8);
	tfs_dat_free(dat);
	dat = join(record(100, 5, "[local]"), record(200, 5, "[local]"), NULL);
	assert_int_equal(tfs_dat_lost_find(dat, 0, 0, &lost), 1);
	assert_int_equal(lost.overrun, 10);
	tfs_dat_free(dat);
	/* with the same samples of clocks: pieces of one recording */
	dat = join(record(100, 5, "[local]"), record(100, 5, "[local]"), NULL);
	assert_int_equal(tfs_dat_lost_find(dat, 0, 0, &lost), 1);
	assert_int_equal(lost.overrun, 5);
	tfs_dat_free(dat);
}

static void clocks_are_compared_as_in_each_recording(void **state)
{
	struct tfs_dat *dat = join(record(100, 5, "[local]"), record(200, 5, "[local]"), NULL);
	const struct tfs_dat_clock_pair *pairs;
	struct tfs_dat_clocks *clocks;
	size_t n;

	(void)state;
	assert_int_equal(tfs_dat_clocks_new(dat, &clocks), 0);
	pairs = tfs_dat_clocks_all(clocks, &n);
	assert_int_equal(n, 2);
	assert_int_equal(pairs[0].trace, 100);
	assert_int_equal(pairs[1].trace, 200);
	assert_int_equal(pairs[1].ref, 400);
	tfs_dat_clocks_free(clocks);
	tfs_dat_free(dat);
}

static void other_clocks_are_refused(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	assert_null(join(record(100, 1, "[local] mono"), record(200, 1, "local [mono]"), &err));
	assert_non_null(strstr(err.msg, "their clocks are different"));
	assert_true(err.hint[0]);
}

static void other_boots_are_refused(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	assert_null(
		join(record(100, 1, "[local]"), record_boot(200, 1, "[local]", "boot-2"), &err));
	assert_non_null(strstr(err.msg, "booted in between"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(successive_recordings_follow_each_other),
		cmocka_unit_test(recordings_that_overlap_are_merged),
		cmocka_unit_test(losses_are_added_up_except_those_of_pieces),
		cmocka_unit_test(clocks_are_compared_as_in_each_recording),
		cmocka_unit_test(other_clocks_are_refused),
		cmocka_unit_test(other_boots_are_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
