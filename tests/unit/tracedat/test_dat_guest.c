/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracedat/dat-guest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/bytes.h"
#include "lib/dat_build.h"
#include "lib/dat_open.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-read.h"

#define GUEST_ID 0x1122334455667788ull

static void add_guest(struct dat_builder *d, bool big, uint64_t id, uint32_t count, uint32_t pids)
{
	struct bytes b;

	bytes_init(&b, big);
	bytes_add(&b, "guest", 6);
	bytes_u64(&b, id);
	bytes_u32(&b, count);
	for (uint32_t i = 0; i < pids; i++) {
		bytes_u32(&b, i);
		bytes_u32(&b, 500 + i);
	}
	dat_option(d, TFS_DAT_GUEST, b.sb.s, b.sb.len);
	bytes_release(&b);
}

/* A host with another guest before the one with @count virtual CPUs, of which @pids are there */
static struct tfs_dat *host(const struct dat_spec *spec, uint32_t count, uint32_t pids)
{
	struct dat_builder d;

	dat_begin(&d, spec);
	dat_metadata(&d);
	add_guest(&d, spec->big, 1, 1, 1);
	add_guest(&d, spec->big, GUEST_ID, count, pids);
	return dat_open_built(&d);
}

static void threads_of_a_guest_are_found_by_its_id(void **state)
{
	int *pids;
	size_t n;

	(void)state;
	for (int big = 0; big < 2; big++) {
		const struct dat_spec spec = { .big = big };
		struct tfs_dat *dat = host(&spec, 2, 2);

		assert_int_equal(tfs_dat_vcpu_pids(dat, GUEST_ID, &pids, &n), 0);
		assert_int_equal(n, 2);
		assert_int_equal(pids[0], 500);
		assert_int_equal(pids[1], 501);
		free(pids);
		assert_int_equal(tfs_dat_vcpu_pids(dat, GUEST_ID + 1, &pids, &n), 0);
		assert_int_equal(n, 0);
		assert_null(pids);
		tfs_dat_free(dat);
	}
}

static void a_guest_with_more_cpus_than_bytes_is_not_known(void **state)
{
	const uint32_t counts[] = { 3, 0x20000000, UINT32_MAX };
	const struct dat_spec spec = { 0 };
	int *pids;
	size_t n;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct tfs_dat *dat = host(&spec, counts[i], 2);

		assert_int_equal(tfs_dat_vcpu_pids(dat, GUEST_ID, &pids, &n), 0);
		assert_int_equal(n, 0);
		assert_null(pids);
		tfs_dat_free(dat);
	}
}

static void the_id_has_eight_bytes(void **state)
{
	const unsigned char id[] = { 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11 };
	const struct dat_spec spec = { 0 };

	(void)state;
	for (size_t size = 0; size <= sizeof(id); size += 4) {
		struct dat_builder d;
		struct tfs_dat *dat;
		uint64_t got = 0;

		dat_begin(&d, &spec);
		dat_metadata(&d);
		if (size)
			dat_option(&d, TFS_DAT_TRACEID, id, size);
		dat = dat_open_built(&d);
		assert_int_equal(tfs_dat_trace_id(dat, &got), size == sizeof(id));
		assert_true(got == (size == sizeof(id) ? GUEST_ID : 0));
		tfs_dat_free(dat);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_of_a_guest_are_found_by_its_id),
		cmocka_unit_test(a_guest_with_more_cpus_than_bytes_is_not_known),
		cmocka_unit_test(the_id_has_eight_bytes),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
