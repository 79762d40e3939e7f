/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/strvec.h"
#include "lib/alloc_fail.h"
#include "lib/fake.h"
#include "tracefs/event-on.h"
#include "tracefs/instance.h"

struct fixture {
	struct fake fake;
	struct tfs_instance inst;
	struct tfs_strvec before, unloaded, off;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	fake_new(&f->fake, NULL);
	assert_int_equal(tfs_instance_named(&f->inst, "a", NULL), 0);
	fake_put(&f->fake, "events/dog/dog_bark/enable", "0\n");
	fake_put(&f->fake, "events/sched/sched_switch/enable", "0\n");
	fake_put(&f->fake, "events/sched/sched_waking/enable", "0\n");
	fake_put(&f->fake, "instances/a/set_event",
		 "sched:sched_waking\ndog:dog_wag\nsched:sched_switch\ndog:dog_bark\n");
	assert_int_equal(tfs_event_on(f->fake.root, &f->inst, &f->before, NULL), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tfs_strvec_release(&f->before);
	tfs_strvec_release(&f->unloaded);
	tfs_strvec_release(&f->off);
	fake_free(&f->fake);
	free(f);
	return 0;
}

static int find_unloaded(struct fixture *f)
{
	return tfs_event_unloaded(f->fake.root, &f->inst, &f->before, &f->unloaded, &f->off, NULL);
}

static void the_events_that_are_on_are_sorted(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(f->before.n, 4);
	assert_string_equal(f->before.v[0], "dog:dog_bark");
	assert_string_equal(f->before.v[3], "sched:sched_waking");
}

static void as_long_as_all_are_on_none_is_missed(void **state)
{
	struct fixture *f = *state;

	fake_put(&f->fake, "instances/a/set_event",
		 "dog:dog_bark\ndog:dog_wag\nirq:softirq_entry\nsched:sched_switch\n"
		 "sched:sched_waking\nzfs:zfs_read\n");
	assert_int_equal(find_unloaded(f), 0);
	assert_int_equal(f->unloaded.n, 0);
	assert_int_equal(f->off.n, 0);
}

/* dog_wag has no directory: its module is gone; the others have one */
static void distinguishes_disabled_from_missing_events(void **state)
{
	struct fixture *f = *state;

	fake_put(&f->fake, "instances/a/set_event", "sched:sched_switch\n");
	assert_int_equal(find_unloaded(f), 0);
	assert_int_equal(f->unloaded.n, 1);
	assert_string_equal(f->unloaded.v[0], "dog:dog_wag");
	assert_int_equal(f->off.n, 2);
	assert_string_equal(f->off.v[0], "dog:dog_bark");
	assert_string_equal(f->off.v[1], "sched:sched_waking");
}

static void an_event_of_two_instances_is_named_once(void **state)
{
	struct fixture *f = *state;

	fake_put(&f->fake, "instances/a/set_event", "");
	assert_int_equal(find_unloaded(f), 0);
	assert_int_equal(find_unloaded(f), 0);
	assert_int_equal(f->unloaded.n, 1);
	assert_int_equal(f->off.n, 3);
}

static void no_memory_and_no_file_are_errors(void **state)
{
	struct fixture *f = *state;
	struct tfs_err err = TFS_ERR_INIT;
	size_t n;
	int rc = -1;

	fake_put(&f->fake, "instances/a/set_event", "");
	for (n = 0; n < 100 && rc; n++) {
		alloc_fail_at(n);
		rc = find_unloaded(f);
		alloc_fail_off();
		assert_true(rc == 0 || rc == -ENOMEM);
	}
	assert_in_range(n, 3, 99);
	assert_int_equal(tfs_instance_named(&f->inst, "nobody", NULL), 0);
	assert_int_equal(tfs_event_on(f->fake.root, &f->inst, &f->off, &err), -ENOENT);
	assert_string_not_equal(err.msg, "");
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(the_events_that_are_on_are_sorted),
		T(as_long_as_all_are_on_none_is_missed),
		T(distinguishes_disabled_from_missing_events),
		T(an_event_of_two_instances_is_named_once),
		T(no_memory_and_no_file_are_errors),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("event-on", tests, NULL, NULL);
}
