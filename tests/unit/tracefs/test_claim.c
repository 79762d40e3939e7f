/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/io.h"
#include "lib/fake.h"
#include "tracefs/claim.h"
#include "tracefs/instance.h"
#include "tracefs/orphans.h"
#include "tracefs/plan.h"

struct state {
	struct fake fake;
	struct tfs_instance inst, top;
	int fd;
};

static int setup(void **state)
{
	struct state *s = calloc(1, sizeof(*s));

	if (!s)
		return -1;
	fake_new(&s->fake, NULL);
	fake_put(&s->fake, "tracing_on", "1\n");
	fake_put(&s->fake, "instances/a/tracing_on", "1\n");
	tfs_instance_named(&s->inst, "a", NULL);
	tfs_instance_top(&s->top);
	s->fd = -1;
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct state *s = *state;

	tfs_close(&s->fd);
	fake_free(&s->fake);
	free(s);
	return 0;
}

static int try_to_claim(const struct state *s, const struct tfs_instance *inst, struct tfs_err *err)
{
	int fd, rc = tfs_claim_take(s->fake.root, inst, &fd, err);

	tfs_close(&fd);
	return rc;
}

static void a_ring_buffer_has_one_reader(void **state)
{
	struct state *s = *state;
	struct tfs_err err = TFS_ERR_INIT;

	assert_int_equal(tfs_claim_take(s->fake.root, &s->inst, &s->fd, NULL), 0);
	assert_true(s->fd >= 0);
	assert_int_equal(try_to_claim(s, &s->inst, &err), -EBUSY);
	assert_non_null(strstr(err.msg, "reads the ring buffer of 'a'"));
	assert_non_null(strstr(err.hint, "-B NAME"));
	assert_int_equal(try_to_claim(s, &s->top, NULL), 0);
	tfs_close(&s->fd);
	assert_int_equal(try_to_claim(s, &s->inst, NULL), 0);
}

static void the_top_level_has_one_too(void **state)
{
	struct state *s = *state;
	struct tfs_err err = TFS_ERR_INIT;

	assert_int_equal(tfs_claim_take(s->fake.root, &s->top, &s->fd, NULL), 0);
	assert_int_equal(try_to_claim(s, &s->top, &err), -EBUSY);
	assert_non_null(strstr(err.msg, "of the top level"));
	assert_int_equal(try_to_claim(s, &s->inst, NULL), 0);
}

static void a_claim_ends_with_its_process(void **state)
{
	struct state *s = *state;
	int ends[2], go[2], status;
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(pipe(go), 0);
	pid = fork();
	if (!pid) {
		const int rc = tfs_claim_take(s->fake.root, &s->inst, &s->fd, NULL);

		_exit(rc || write(ends[1], "x", 1) != 1 || read(go[0], &byte, 1) != 1);
	}
	assert_int_equal(read(ends[0], &byte, 1), 1);
	assert_int_equal(try_to_claim(s, &s->inst, NULL), -EBUSY);
	assert_int_equal(write(go[1], "x", 1), 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(try_to_claim(s, &s->inst, NULL), 0);
	for (int i = 0; i < 2; i++) {
		close(ends[i]);
		close(go[i]);
	}
}

static void an_instance_is_made_by_one_alone(void **state)
{
	struct state *s = *state;
	struct tfs_instance made;
	int fd;

	tfs_instance_named(&made, "b", NULL);
	assert_int_equal(try_to_claim(s, &made, NULL), -ENOENT);
	assert_int_equal(tfs_claim_make(s->fake.root, &made, &s->fd, NULL), 0);
	assert_true(fake_has(&s->fake, "instances/b"));
	assert_int_equal(try_to_claim(s, &made, NULL), -EBUSY);
	assert_int_equal(tfs_claim_make(s->fake.root, &made, &fd, NULL), -EEXIST);
	assert_int_equal(fd, -1);
}

/* Nothing is changed in an instance that was there before, until it is claimed. */
static void plans_claim_what_they_change(void **state)
{
	struct state *s = *state;
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_plan *plan;

	s->inst.shared = true;
	assert_int_equal(tfs_plan_new(s->fake.root, &plan), 0);
	assert_int_equal(tfs_instance_plan(&s->inst, plan), 0);
	assert_int_equal(tfs_claim_take(s->fake.root, &s->inst, &s->fd, NULL), 0);
	assert_int_equal(tfs_plan_apply(plan, &err), -EBUSY);
	assert_string_equal(fake_get(&s->fake, "instances/a/tracing_on"), "1\n");
	tfs_close(&s->fd);
	assert_int_equal(tfs_plan_apply(plan, NULL), 0);
	assert_int_equal(try_to_claim(s, &s->inst, NULL), -EBUSY);
	assert_int_equal(tfs_plan_rollback(plan, NULL), 0);
	assert_int_equal(try_to_claim(s, &s->inst, NULL), 0);
	assert_int_equal(tfs_plan_apply(plan, NULL), 0);
	tfs_plan_free(plan);
	assert_int_equal(try_to_claim(s, &s->inst, NULL), 0);
}

/* One of each kind, and whether it is removed: 1, with TFS_ORPHANS_ALL alone: 2, never: 0 */
static void orphans_are_known_by_name_and_claim(void **state)
{
	static const struct {
		const char *name;
		int when;
	} all[] = {
		{ "tc-record.1.4026532281", 1 },
		{ "tc-record.1.4026532281.samples", 1 },
		{ "tc-record.1.4026532281.kept", 0 },
		{ "tc-record.1.4026532281.kept.samples", 0 },
		{ "tc-record.2.4026532281", 0 },
		{ "tc-stat.17.3", 2 },
		{ "tc-record.17", 2 },
		{ "tc-record.17.kept", 0 },
		{ "tc-record.18", 0 },
		{ "tc-record.17x", 0 },
		{ "tc-record", 0 },
		{ "tc-live-17", 0 },
		{ "record.1.4026532281", 0 },
	};
	const size_t n = sizeof(all) / sizeof(all[0]);
	struct state *s = *state;
	struct tfs_instance claimed;
	char path[128];

	for (size_t i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "instances/%s", all[i].name);
		assert_int_equal(mkdir(fake_path(&s->fake, path), 0700), 0);
	}
	tfs_instance_named(&claimed, "tc-record.2.4026532281", NULL);
	assert_int_equal(tfs_claim_take(s->fake.root, &claimed, &s->fd, NULL), 0);
	fake_put(&s->fake, "journals/kept/instance:tc-record.18", "");
	assert_int_equal(chmod(fake_path(&s->fake, "journals"), 0700), 0);
	assert_int_equal(chmod(fake_path(&s->fake, "journals/kept"), 0700), 0);
	for (int when = 1; when <= 2; when++) {
		assert_int_equal(tfs_orphans_remove(s->fake.root, fake_path(&s->fake, "journals"),
						    when == 2 ? TFS_ORPHANS_ALL : 0),
				 2);
		for (size_t i = 0; i < n; i++) {
			snprintf(path, sizeof(path), "instances/%s", all[i].name);
			assert_int_equal(fake_has(&s->fake, path),
					 !all[i].when || all[i].when > when);
		}
	}
}

static void probes_of_an_orphan_go_with_it(void **state)
{
	struct state *s = *state;

	fake_put(&s->fake, "dynamic_events",
		 "p:tc_record_1_4026532281/one /bin/sh:0x10\n"
		 "r8:tc_record_1_40265322810/other vfs_read\n"
		 "p:tc_record_1_402653228/another vfs_read\n");
	assert_int_equal(mkdir(fake_path(&s->fake, "instances/tc-record.1.4026532281"), 0700), 0);
	assert_int_equal(tfs_orphans_remove(s->fake.root, "/nonexistent", 0), 1);
	assert_non_null(strstr(fake_get(&s->fake, "dynamic_events"),
			       "another vfs_read\n-:tc_record_1_4026532281/one\n"));
	assert_null(strstr(fake_get(&s->fake, "dynamic_events"), "-:tc_record_1_40265322810"));
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_ring_buffer_has_one_reader),   TEST(the_top_level_has_one_too),
		TEST(a_claim_ends_with_its_process),  TEST(an_instance_is_made_by_one_alone),
		TEST(plans_claim_what_they_change),   TEST(orphans_are_known_by_name_and_claim),
		TEST(probes_of_an_orphan_go_with_it),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
