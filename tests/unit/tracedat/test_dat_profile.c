/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracedat/dat-profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf-core.h"
#include "lib/dat_build.h"
#include "lib/dat_open.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-read.h"

/* A file with @payload as its profile; NULL for none. */
static struct tfs_dat *file_with(bool big, const void *payload, size_t size)
{
	struct dat_spec spec = { .big = big };
	struct dat_builder d;

	dat_begin(&d, &spec);
	dat_metadata(&d);
	if (payload)
		dat_option(&d, TFS_DAT_PRIVATE_PROFILE, payload, size);
	return dat_open_built(&d);
}

static struct tfs_strbuf payload(void)
{
	static const uint32_t targets[] = { 17, 4194303 };
	const struct tfs_dat_profile profile = {
		.flags = TFS_DAT_PROFILE_CHILDREN,
		.period_ns = 1003009,
		.samples = "samples",
		.runtime = "",
		.event = "sched:sched_waking",
		.comm = "tc-samp-16",
		.targets = targets,
		.n_targets = 2,
	};
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	assert_int_equal(tfs_dat_profile_put(&sb, &profile), 0);
	return sb;
}

static void a_profile_is_read_as_it_was_written_in_either_byte_order(void **state)
{
	struct tfs_strbuf sb = payload();
	struct tfs_dat_profile *p;
	struct tfs_dat *dat;

	(void)state;
	for (int big = 0; big < 2; big++) {
		dat = file_with(big, sb.s, sb.len);
		assert_int_equal(tfs_dat_profile_get(dat, &p), 0);
		assert_non_null(p);
		assert_int_equal(p->flags, TFS_DAT_PROFILE_CHILDREN);
		assert_int_equal(p->period_ns, 1003009);
		assert_string_equal(p->samples, "samples");
		assert_string_equal(p->runtime, "");
		assert_string_equal(p->event, "sched:sched_waking");
		assert_string_equal(p->comm, "tc-samp-16");
		assert_int_equal(p->n_targets, 2);
		assert_int_equal(p->targets[0], 17);
		assert_int_equal(p->targets[1], 4194303);
		free(p);
		tfs_dat_free(dat);
	}
	tfs_strbuf_release(&sb);
}

static void additions_of_later_versions_are_skipped(void **state)
{
	struct tfs_strbuf sb = payload();
	struct tfs_dat_profile *p;
	struct tfs_dat *dat;

	(void)state;
	assert_int_equal(tfs_strbuf_adds(&sb, "more"), 0);
	dat = file_with(false, sb.s, sb.len);
	assert_int_equal(tfs_dat_profile_get(dat, &p), 0);
	assert_non_null(p);
	assert_int_equal(p->n_targets, 2);
	free(p);
	tfs_dat_free(dat);
	tfs_strbuf_release(&sb);
}

static void a_profile_that_is_cut_anywhere_is_none(void **state)
{
	struct tfs_strbuf sb = payload();
	struct tfs_dat_profile *p;
	struct tfs_dat *dat;

	(void)state;
	for (size_t size = 0; size < sb.len; size++) {
		dat = file_with(false, size ? sb.s : NULL, size);
		assert_int_equal(tfs_dat_profile_get(dat, &p), 0);
		assert_null(p);
		tfs_dat_free(dat);
	}
	tfs_strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_profile_is_read_as_it_was_written_in_either_byte_order),
		cmocka_unit_test(additions_of_later_versions_are_skipped),
		cmocka_unit_test(a_profile_that_is_cut_anywhere_is_none),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
