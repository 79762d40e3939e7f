/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rewrite/attach.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cursor.h"
#include "base/err.h"
#include "lib/bytes.h"
#include "lib/dat_build.h"
#include "rewrite/vcpus.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-guest.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-time.h"

#define HOST_ID 0x1111222233334444ull
#define GUEST_ID 0x5555666677778888ull

static const struct tfs_vcpu vcpus[] = { { 0, 500 }, { 1, 501 } };
static const struct tfs_attach_shift by_5000 = { .offset = -5000, .scaling = 1 };

/* A file in memory; a path of it that can be opened again */
struct file {
	int fd;
	char path[64];
};

struct spec {
	bool big, swapped;
	uint64_t id;
	const char *clock;
	bool cycles;
};

static void make(struct file *f, const struct spec *spec)
{
	struct dat_spec dat = { .cpus = 2, .big = spec->big, .swap_binary = spec->swapped };
	const bool big = spec->big != spec->swapped;
	struct dat_cpu cpus[2];
	struct bytes pages[2], b;
	struct dat_builder d;

	dat.clock = spec->clock ? spec->clock : "mono";
	dat_begin(&d, &dat);
	dat_metadata(&d);
	bytes_init(&b, big);
	bytes_u64(&b, spec->id);
	if (spec->id)
		dat_option(&d, TFS_DAT_TRACEID, b.sb.s, b.sb.len);
	bytes_release(&b);
	bytes_init(&b, big);
	bytes_u32(&b, 3);
	bytes_u32(&b, 1);
	bytes_u64(&b, 0);
	if (spec->cycles)
		dat_option(&d, TFS_DAT_TSC2NSEC, b.sb.s, b.sb.len);
	bytes_release(&b);
	bytes_init(&b, big);
	bytes_u32(&b, 2);
	dat_option(&d, TFS_DAT_CPUCOUNT, b.sb.s, b.sb.len);
	bytes_release(&b);
	for (unsigned int i = 0; i < 2; i++) {
		bytes_init(&pages[i], spec->big);
		dat_sample_pages(&d.spec, 0, i, &pages[i]);
		cpus[i] = (struct dat_cpu){ i, &pages[i] };
	}
	dat_buffer(&d, "", cpus, 2);
	dat_options_end(&d);
	f->fd = bytes_to_fd(d.b.sb.s, d.b.sb.len);
	snprintf(f->path, sizeof(f->path), "/proc/self/fd/%d", f->fd);
	for (unsigned int i = 0; i < 2; i++)
		bytes_release(&pages[i]);
	dat_release(&d);
}

static int attach(const struct file *host, const struct file *guest,
		  const struct tfs_attach_opts *opts, struct tfs_attach_done *done,
		  struct tfs_err *err)
{
	struct tfs_attach_file h, g;
	int rc;

	assert_int_equal(tfs_attach_open(host->path, &h, err), 0);
	assert_int_equal(tfs_attach_open(guest->path, &g, err), 0);
	rc = tfs_attach(&h, &g, opts, done, err);
	tfs_attach_close(&h);
	tfs_attach_close(&g);
	return rc;
}

static struct tfs_dat *reopen(const struct file *f)
{
	struct tfs_dat *dat = NULL;

	assert_int_equal(tfs_dat_open(f->path, &dat, NULL), 0);
	assert_null(tfs_dat_damage(dat));
	return dat;
}

/* The guest's stamp 100000 on CPU 0 is shown as that. */
static void check_time(struct tfs_dat *guest, uint64_t want)
{
	const struct tfs_dat_time_opts opts = { .raw = false };
	struct tfs_dat_time *time;
	uint64_t peer;

	assert_int_equal(tfs_dat_time_new(guest, &opts, &time, NULL), 0);
	assert_true(tfs_dat_time_peer(time, &peer));
	assert_int_equal(peer, HOST_ID);
	assert_int_equal(tfs_dat_time_fix(time, 0, 100000), want);
	assert_int_equal(tfs_dat_time_fix(time, 1, 100000), want);
	tfs_dat_time_free(time);
}

static void check_guest(struct tfs_dat *host, const char *name)
{
	const struct tfs_dat_option *o = tfs_dat_option_last(host, TFS_DAT_GUEST);
	int *pids;
	size_t n;

	assert_non_null(o);
	assert_string_equal(o->data.data, name);
	assert_int_equal(tfs_dat_vcpu_pids(host, GUEST_ID, &pids, &n), 0);
	assert_int_equal(n, 2);
	assert_int_equal(pids[0], 500);
	assert_int_equal(pids[1], 501);
	free(pids);
}

static void files_of_any_byte_order_find_each_other(void **state)
{
	const struct tfs_attach_opts opts = { "vm", 2, vcpus, 2, &by_5000, 1 };
	struct tfs_attach_done done;

	(void)state;
	for (unsigned int kind = 0; kind < 16; kind++) {
		const struct spec h = { kind & 1, kind & 2, HOST_ID, "tsc2nsec", true };
		const struct spec g = { kind & 4, kind & 8, GUEST_ID, "x86-tsc", false };
		struct file host, guest;
		struct tfs_dat *dat;

		make(&host, &h);
		make(&guest, &g);
		assert_int_equal(attach(&host, &guest, &opts, &done, NULL), 0);
		assert_false(done.mapped);
		dat = reopen(&host);
		check_guest(dat, "vm");
		tfs_dat_free(dat);
		dat = reopen(&guest);
		/* 3 / 2 ns a cycle, as the host has */
		check_time(dat, (100000 - 5000) * 3 / 2);
		tfs_dat_free(dat);
		close(host.fd);
		close(guest.fd);
	}
}

static void second_time_changes_the_shift_only(void **state)
{
	const struct tfs_attach_shift other[] = { { .offset = 7, .scaling = 1 } };
	struct tfs_attach_opts opts = { "vm", 0, vcpus, 2, &by_5000, 1 };
	const struct spec h = { .id = HOST_ID }, g = { .id = GUEST_ID };
	struct tfs_attach_done done;
	struct file host, guest;
	struct tfs_dat *dat;
	off_t size;

	(void)state;
	make(&host, &h);
	make(&guest, &g);
	assert_int_equal(attach(&host, &guest, &opts, &done, NULL), 0);
	size = lseek(host.fd, 0, SEEK_END);
	opts.shifts = other;
	assert_int_equal(attach(&host, &guest, &opts, &done, NULL), 0);
	assert_true(done.mapped);
	assert_int_equal(lseek(host.fd, 0, SEEK_END), size);
	dat = reopen(&guest);
	check_time(dat, 100007);
	tfs_dat_free(dat);
	close(host.fd);
	close(guest.fd);
}

/* Each CPU has its own, the last one is for the rest; a factor of 5/4 is applied. */
static void shifts_belong_to_cpus(void **state)
{
	const struct tfs_attach_shift shifts[] = { { .offset = 10, .scaling = 1 },
						   { .offset = -20, .scaling = 5, .fraction = 2 } };
	const struct tfs_attach_opts opts = { NULL, 3, vcpus, 2, shifts, 2 };
	const struct spec h = { .id = HOST_ID }, g = { .id = GUEST_ID };
	const struct tfs_dat_time_opts plain = { .raw = false };
	struct tfs_attach_done done;
	struct tfs_dat_time *time;
	struct file host, guest;
	struct tfs_dat *dat;

	(void)state;
	make(&host, &h);
	make(&guest, &g);
	assert_int_equal(attach(&host, &guest, &opts, &done, NULL), 0);
	dat = reopen(&guest);
	assert_int_equal(tfs_dat_time_new(dat, &plain, &time, NULL), 0);
	assert_int_equal(tfs_dat_time_fix(time, 0, 1000), 1010);
	assert_int_equal(tfs_dat_time_fix(time, 1, 1000), 1250 - 20);
	assert_int_equal(tfs_dat_time_fix(time, 2, 1000), 1250 - 20);
	tfs_dat_time_free(time);
	tfs_dat_free(dat);
	close(host.fd);
	close(guest.fd);
}

static void files_without_id_get_one(void **state)
{
	const struct tfs_attach_opts opts = { "", 0, vcpus, 2, &by_5000, 1 };
	const struct spec none = { .id = 0 };
	struct tfs_attach_done done;
	struct file host, guest;
	struct tfs_dat *h, *g;
	uint64_t a = 0, b = 0;
	int *pids;
	size_t n;

	(void)state;
	make(&host, &none);
	make(&guest, &none);
	assert_int_equal(attach(&host, &guest, &opts, &done, NULL), 0);
	h = reopen(&host);
	g = reopen(&guest);
	assert_true(tfs_dat_trace_id(h, &a));
	assert_true(tfs_dat_trace_id(g, &b));
	assert_true(a && b && a != b);
	assert_int_equal(tfs_dat_vcpu_pids(h, b, &pids, &n), 0);
	assert_int_equal(n, 2);
	free(pids);
	tfs_dat_free(h);
	tfs_dat_free(g);
	close(host.fd);
	close(guest.fd);
}

/* Nothing is written where something is wrong. */
static void check_refused(const struct spec *h, const struct spec *g,
			  const struct tfs_attach_opts *opts, const char *why)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_attach_done done;
	struct file host, guest;
	off_t sizes[2];

	make(&host, h);
	make(&guest, g);
	sizes[0] = lseek(host.fd, 0, SEEK_END);
	sizes[1] = lseek(guest.fd, 0, SEEK_END);
	assert_int_equal(attach(&host, &guest, opts, &done, &err), -EINVAL);
	if (!strstr(err.msg, why))
		fail_msg("%s", err.msg);
	assert_int_equal(lseek(host.fd, 0, SEEK_END), sizes[0]);
	assert_int_equal(lseek(guest.fd, 0, SEEK_END), sizes[1]);
	close(host.fd);
	close(guest.fd);
}

static void mismatches_are_refused(void **state)
{
	const struct tfs_attach_shift shifts[3] = { by_5000, by_5000, by_5000 };
	const struct tfs_attach_opts good = { "", 0, vcpus, 2, &by_5000, 1 };
	const struct tfs_attach_opts three = { "", 0, vcpus, 2, shifts, 3 };
	const struct tfs_attach_opts none = { "", 0, vcpus, 2, NULL, 0 };
	const struct spec ns = { .id = HOST_ID }, other = { .id = GUEST_ID };
	const struct spec tsc = { .id = GUEST_ID, .clock = "x86-tsc" };
	const struct spec host_tsc = { .id = HOST_ID, .clock = "x86-tsc" };

	(void)state;
	check_refused(&ns, &ns, &good, "same recording");
	check_refused(&ns, &tsc, &good, "different units");
	check_refused(&ns, &other, &three, "3 shifts are given");
	check_refused(&ns, &other, &none, "were not compared");
	check_refused(&host_tsc, &tsc, &none, "counts cycles");
}

static void one_program_at_a_time(void **state)
{
	const struct spec spec = { .id = HOST_ID };
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_attach_file a, b;
	struct file f;

	(void)state;
	make(&f, &spec);
	assert_int_equal(tfs_attach_open(f.path, &a, &err), 0);
	assert_int_equal(tfs_attach_open(f.path, &b, &err), -EBUSY);
	tfs_attach_close(&b);
	tfs_attach_close(&a);
	assert_int_equal(tfs_attach_open(f.path, &b, &err), 0);
	tfs_attach_close(&b);
	assert_int_equal(ftruncate(f.fd, 300), 0);
	assert_int_equal(tfs_attach_open(f.path, &b, &err), -EBADMSG);
	tfs_attach_close(&b);
	close(f.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_of_any_byte_order_find_each_other),
		cmocka_unit_test(second_time_changes_the_shift_only),
		cmocka_unit_test(shifts_belong_to_cpus),
		cmocka_unit_test(files_without_id_get_one),
		cmocka_unit_test(mismatches_are_refused),
		cmocka_unit_test(one_program_at_a_time),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
