/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rewrite/vcpus.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "lib/bytes.h"
#include "lib/dat_build.h"
#include "lib/dat_open.h"
#include "tracedat/dat-read.h"

#define ENTRY 70
#define EXIT 71
#define OTHER 72
#define FIELD(offset) "\tfield:unsigned int vcpu_id;\toffset:" offset ";\tsize:4;\tsigned:0;\n"

static const char *const kvm[] = {
	"name: kvm_entry\nID: 70\n" DAT_COMMON_FIELDS FIELD("8"),
	"name: kvm_exit\nID: 71\n" DAT_COMMON_FIELDS FIELD("12"),
	"name: kvm_other\nID: 72\n" DAT_COMMON_FIELDS FIELD("8"),
	NULL,
};
static const struct dat_system with_kvm[] = { { "kvm", kvm }, { NULL, NULL } };
/* The same events of another system are not KVM's. */
static const struct dat_system without_kvm[] = { { "mine", kvm }, { NULL, NULL } };

struct event {
	uint16_t id;
	uint32_t pid, cpu;
};

static const struct event two_guests[] = {
	{ ENTRY, 501, 1 }, { EXIT, 500, 0 },  { OTHER, 900, 3 }, { ENTRY, 600, 0 },
	{ EXIT, 501, 1 },  { ENTRY, 502, 2 }, { ENTRY, 500, 0 },
};

#define N_EVENTS (sizeof(two_guests) / sizeof(two_guests[0]))

static struct tfs_dat *host(bool big, const struct dat_system *systems)
{
	struct dat_spec spec = { .cpus = 1, .big = big, .systems = systems };
	struct page_builder p;
	struct dat_builder d;
	struct bytes pages, b;
	struct dat_cpu cpu = { .cpu = 0, .pages = &pages };
	struct tfs_dat *dat;

	bytes_init(&pages, big);
	page_begin(&p, &pages, 8, 512, 100);
	for (size_t i = 0; i < N_EVENTS; i++) {
		const struct event *e = &two_guests[i];

		bytes_init(&b, big);
		bytes_u16(&b, e->id);
		bytes_u16(&b, 0);
		bytes_u32(&b, e->pid);
		bytes_u32(&b, e->id == EXIT ? 99 : e->cpu);
		bytes_u32(&b, e->id == EXIT ? e->cpu : 99);
		page_data(&p, 10, b.sb.s, b.sb.len);
		bytes_release(&b);
	}
	page_end(&p, 0);
	dat_begin(&d, &spec);
	dat_metadata(&d);
	dat_buffer(&d, "", &cpu, 1);
	dat = dat_open_built(&d);
	bytes_release(&pages);
	return dat;
}

static void threads_are_found_by_their_events(void **state)
{
	static const uint32_t pids[] = { 502, 501, 500, 1, 900 };
	struct tfs_vcpus found;

	(void)state;
	for (int big = 0; big < 2; big++) {
		struct tfs_dat *dat = host(big, with_kvm);

		assert_int_equal(tfs_vcpus_find(dat, pids, 5, 0, &found, NULL), 0);
		assert_int_equal(found.n, 3);
		for (uint32_t i = 0; i < 3; i++) {
			assert_int_equal(found.v[i].cpu, i);
			assert_int_equal(found.v[i].pid, 500 + i);
		}
		free(found.v);
		tfs_dat_free(dat);
	}
}

static void search_ends_with_the_last_one_wanted(void **state)
{
	static const uint32_t pid = 501;
	struct tfs_dat *dat = host(false, with_kvm);
	struct tfs_vcpus found;

	(void)state;
	assert_int_equal(tfs_vcpus_find(dat, &pid, 1, 0, &found, NULL), 0);
	assert_int_equal(found.n, 1);
	assert_int_equal(found.v[0].cpu, 1);
	free(found.v);
	tfs_dat_free(dat);
}

static void two_guests_are_refused(void **state)
{
	struct tfs_dat *dat = host(false, with_kvm);
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_vcpus found;

	(void)state;
	assert_int_equal(tfs_vcpus_find(dat, NULL, 0, 0, &found, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "threads 500 and 600"));
	assert_null(found.v);
	tfs_dat_free(dat);
}

static void threads_without_events_are_refused(void **state)
{
	static const uint32_t pids[] = { 900, 7 };
	struct tfs_dat *dat = host(false, with_kvm);
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_vcpus found;

	(void)state;
	assert_int_equal(tfs_vcpus_find(dat, pids, 2, 0, &found, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "none of these threads"));
	tfs_dat_free(dat);
	dat = host(false, without_kvm);
	assert_int_equal(tfs_vcpus_find(dat, NULL, 0, 0, &found, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "no events kvm_entry"));
	tfs_dat_free(dat);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_are_found_by_their_events),
		cmocka_unit_test(search_ends_with_the_last_one_wanted),
		cmocka_unit_test(two_guests_are_refused),
		cmocka_unit_test(threads_without_events_are_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
