/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/sampler.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cpus.h"
#include "base/err.h"
#include "base/io.h"
#include "base/strbuf.h"
#include "lib/skip.h"

#define NS_PER_SEC 1000000000LL
#define PERIOD 1003009 /* of 997 Hz, in ns */

/* The share of gaps longer than x periods is exp(-x). */
static void gaps_are_exponentially_distributed(void **state)
{
	static const struct {
		double periods, share;
	} longer[] = {
		{ 0.01, 0.990050 }, { 0.1, 0.904837 }, { 0.5, 0.606531 }, { 0.693147, 0.5 },
		{ 1, 0.367879 },    { 2, 0.135335 },   { 4, 0.018316 },   { 7, 0.000912 },
	};
	const unsigned int n = 1000000;
	unsigned int count[8] = { 0 };
	uint64_t sum = 0;

	(void)state;
	for (unsigned int i = 0; i < n; i++) {
		/* evenly over all 32 bits */
		uint32_t random = (uint32_t)(((uint64_t)i << 32) / n);
		uint64_t gap = tfs_sampler_gap(PERIOD, random);

		assert_true(gap <= TFS_SAMPLER_GAP_MAX * (uint64_t)PERIOD);
		for (size_t k = 0; k < 8; k++)
			count[k] += (double)gap > longer[k].periods * PERIOD;
		sum += gap;
	}
	for (size_t k = 0; k < 8; k++)
		assert_in_range(count[k], (unsigned int)(longer[k].share * n) - 60,
				(unsigned int)(longer[k].share * n) + 60);
	/* cutting off what is longer than 8 periods takes exp(-8) of the mean */
	assert_in_range(sum / n, PERIOD - PERIOD / 1000, PERIOD + PERIOD / 10000);
}

static void the_longest_period_has_bounds_too(void **state)
{
	(void)state;
	assert_int_equal(tfs_sampler_gap(NS_PER_SEC, 0), TFS_SAMPLER_GAP_MAX * NS_PER_SEC);
	assert_true(tfs_sampler_gap(NS_PER_SEC, UINT32_MAX) < NS_PER_SEC / 10000);
	/* half of all are shorter than ln(2) periods */
	assert_in_range(tfs_sampler_gap(NS_PER_SEC, UINT32_C(1) << 31), 693100000, 693200000);
}

static void the_filter_names_each_of_a_few_threads(void **state)
{
	const pid_t tids[] = { 71, 72 };
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	(void)state;
	assert_int_equal(tfs_sampler_filter(tids, 2, "tc-samp-70", &sb), 0);
	assert_string_equal(sb.s, "(pid == 71 || pid == 72) && common_pid != 0");
	tfs_strbuf_release(&sb);
}

static void the_filter_of_many_threads_is_their_name_and_bounds(void **state)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	pid_t tids[17];

	(void)state;
	for (int i = 0; i < 17; i++)
		tids[i] = 100 + (i * 5) % 17;
	assert_int_equal(tfs_sampler_filter(tids, 17, "tc-samp-99", &sb), 0);
	assert_string_equal(sb.s, "comm == \"tc-samp-99\" && common_pid != 0 && pid >= 100 && "
				  "pid <= 116");
	tfs_strbuf_reset(&sb);
	assert_int_equal(tfs_sampler_filter(NULL, 0, "tc-samp-99", &sb), 0);
	assert_string_equal(sb.s, "comm == \"tc-samp-99\" && common_pid != 0");
	tfs_strbuf_release(&sb);
}

/* The largest pid there can be, 2^22, leaves the name whole. */
static void the_name_fits_the_kernels_room(void **state)
{
	char comm[TFS_SAMPLER_COMM_SIZE];

	(void)state;
	tfs_sampler_comm(4194304, comm);
	assert_string_equal(comm, "tc-samp-4194304");
}

/* The one CPU that this thread is on, which is allowed */
static struct tfs_cpus own_cpu(void)
{
	struct tfs_cpus cpus = { { 0 } };

	tfs_cpus_add(&cpus, (unsigned int)sched_getcpu());
	return cpus;
}

/* How often the thread has gone to sleep by itself */
static long count_switches(pid_t tid)
{
	static const char field[] = "\nvoluntary_ctxt_switches:";
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	const char *at = NULL;
	char path[64];
	long n;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", (int)tid);
	if (!tfs_read_path(path, &sb))
		at = strstr(sb.s, field);
	n = at ? strtol(at + strlen(field), NULL, 10) : 0;
	tfs_strbuf_release(&sb);
	return n;
}

static void a_thread_sleeps_on_its_cpu_and_counts_its_samples(void **state)
{
	const struct timespec pause = { .tv_nsec = 20000000 };
	const struct tfs_cpus cpus = own_cpu();
	const struct tfs_sampler_opts opts = { .cpus = &cpus, .period_ns = 1000000 };
	struct tfs_sampler_totals t, again;
	struct tfs_sampler *s = NULL;
	struct tfs_strbuf comm = TFS_STRBUF_INIT;
	const pid_t *tids;
	char path[64], name[TFS_SAMPLER_COMM_SIZE];
	time_t until = time(NULL) + 20;

	(void)state;
	if (access("/sys/devices/system/cpu/possible", R_OK))
		skip_because("there is no sysfs, which lists the CPUs");
	assert_int_equal(tfs_sampler_new(&opts, &s, NULL), 0);
	assert_int_equal(tfs_sampler_tids(s, &tids), 1);
	snprintf(path, sizeof(path), "/proc/self/task/%d/comm", (int)tids[0]);
	assert_int_equal(tfs_read_path(path, &comm), 0);
	tfs_strbuf_rtrim(&comm);
	tfs_sampler_comm(getpid(), name);
	assert_string_equal(comm.s, name);
	tfs_sampler_start(s);
	/* until it has had the time for a few samples, however busy the machine is */
	do {
		nanosleep(&pause, NULL);
		tfs_sampler_follow(s);
	} while (count_switches(tids[0]) < 3 && time(NULL) < until);
	tfs_sampler_stop(s, &t);
	assert_int_equal(t.cpus, 1);
	assert_true(t.longest_ns >= (uint64_t)pause.tv_nsec);
	/* a few times the mean number, which random gaps do not reach */
	assert_true(t.samples <= 10 * (t.longest_ns / opts.period_ns + 10));
	assert_true(t.samples > 0);
	assert_true(t.cpu_ns > 0);
	tfs_sampler_stop(s, &again);
	assert_memory_equal(&again, &t, sizeof(t));
	tfs_sampler_free(s);
	tfs_strbuf_release(&comm);
}

static void a_cpu_that_cannot_be_there_is_refused(void **state)
{
	struct tfs_cpus cpus = { { 0 } };
	const struct tfs_sampler_opts opts = { .cpus = &cpus, .period_ns = 1000000 };
	struct tfs_sampler *s = NULL;
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	tfs_cpus_add(&cpus, TFS_CPUS_MAX - 1);
	assert_int_equal(tfs_sampler_new(&opts, &s, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "none of these CPUs"));
	assert_null(s);
	tfs_sampler_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gaps_are_exponentially_distributed),
		cmocka_unit_test(the_longest_period_has_bounds_too),
		cmocka_unit_test(the_filter_names_each_of_a_few_threads),
		cmocka_unit_test(the_filter_of_many_threads_is_their_name_and_bounds),
		cmocka_unit_test(the_name_fits_the_kernels_room),
		cmocka_unit_test(a_thread_sleeps_on_its_cpu_and_counts_its_samples),
		cmocka_unit_test(a_cpu_that_cannot_be_there_is_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
