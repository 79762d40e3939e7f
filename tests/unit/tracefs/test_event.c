/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "lib/alloc_fail.h"
#include "lib/fake.h"
#include "tracefs/event.h"
#include "tracefs/root.h"

/* Names that can be confused: a system called as an event, one system's name in another's. */
static const char *const some_names[] = {
	"irq:irq_handler_entry", "irq:irq_handler_exit",   "irq_vectors:irq_work_entry",
	"power:cpu_idle",        "raw_syscalls:sys_enter", "raw_syscalls:sys_exit",
	"sched:sched_switch",    "sched:sched_wakeup",     "sched:sched_wakeup_new",
	"sched:sched_waking",    "signal:signal_deliver",  "syscalls:sys_enter_sched_yield",
	"timer:power",           "timer:timer_start",
};

struct state {
	struct tfs_strvec names, missing;
	struct tfs_err err;
	struct tfs_strbuf sb;
};

static int setup(void **state)
{
	struct state *s = calloc(1, sizeof(*s));
	size_t i;

	for (i = 0; i < sizeof(some_names) / sizeof(some_names[0]); i++)
		assert_int_equal(tfs_strvec_push(&s->names, some_names[i]), 0);
	tfs_strvec_sort(&s->names);
	tfs_strbuf_init(&s->sb);
	s->err = TFS_ERR_INIT;
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct state *s = *state;

	tfs_strvec_release(&s->names);
	tfs_strvec_release(&s->missing);
	tfs_strbuf_release(&s->sb);
	free(s);
	return 0;
}

/* What @text stands for, names with a blank between; "" if nothing. */
static const char *resolved(struct state *s, const char *text)
{
	struct tfs_event_spec spec = { .text = text };
	size_t i;

	tfs_err_clear(&s->err);
	tfs_strbuf_reset(&s->sb);
	if (tfs_event_resolve(&spec, 1, &s->names, 0, NULL, &s->err))
		assert_int_equal(s->err.code, -ENOENT);
	for (i = 0; i < spec.matched.n; i++)
		tfs_strbuf_addf(&s->sb, "%s%s", i ? " " : "", spec.matched.v[i]);
	tfs_strvec_release(&spec.matched);
	return s->sb.s;
}

static void a_system_is_taken_whole(void **state)
{
	static const char *const texts[] = { "sched",  "sched:*", "sched/*",
					     "sched:", "sche?:*", "sched/" };
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_string_equal(resolved(*state, texts[i]), "sched:*");
}

static void an_event_is_found_with_and_without_its_system(void **state)
{
	static const char *const texts[] = {
		"sched_switch",   "sched:sched_switch", "sched/sched_switch", ":sched_switch",
		"*:sched_switch", "sched_sw*",          "sch*:*switch",       "sched:sched_[s]*",
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_string_equal(resolved(*state, texts[i]), "sched:sched_switch");
}

/* trace-cmd-record(1), -e: all events (or subsystems) that match */
static void one_word_names_systems_and_events(void **state)
{
	assert_string_equal(resolved(*state, "power"), "power:* timer:power");
	assert_string_equal(resolved(*state, "*irq*"), "irq:* irq_vectors:*");
	assert_string_equal(resolved(*state, "*sched*"), "sched:* syscalls:sys_enter_sched_yield");
	assert_string_equal(resolved(*state, "*wakeup*"),
			    "sched:sched_wakeup sched:sched_wakeup_new");
	assert_string_equal(resolved(*state, "sys_e*"),
			    "raw_syscalls:sys_enter raw_syscalls:sys_exit "
			    "syscalls:sys_enter_sched_yield");
}

static void a_glob_after_the_colon_matches_single_events(void **state)
{
	assert_string_equal(resolved(*state, "sched:sched_w*"),
			    "sched:sched_wakeup sched:sched_wakeup_new sched:sched_waking");
	assert_string_equal(
		resolved(*state, "irq*:irq_*"),
		"irq:irq_handler_entry irq:irq_handler_exit irq_vectors:irq_work_entry");
	assert_string_equal(resolved(*state, "irq*:*"), "irq:* irq_vectors:*");
}

static void all_is_every_system(void **state)
{
	static const char everything[] = "irq:* irq_vectors:* power:* raw_syscalls:* sched:* "
					 "signal:* syscalls:* timer:*";

	assert_string_equal(resolved(*state, "all"), everything);
	assert_string_equal(resolved(*state, "*"), everything);
	assert_string_equal(resolved(*state, "*:*"), everything);
	assert_string_equal(resolved(*state, "*/*"), everything);
}

static void an_unknown_event_lists_similar_names(void **state)
{
	struct state *s = *state;

	assert_string_equal(resolved(s, "sched:sched_swich"), "");
	assert_string_equal(s->err.msg, "no event or system of this kernel is called "
					"'sched:sched_swich'");
	assert_non_null(strstr(s->err.hint, "did you mean 'sched:sched_switch'"));
	resolved(s, "sched_swich");
	assert_non_null(strstr(s->err.hint, "did you mean 'sched_switch'"));
	resolved(s, "shed");
	assert_non_null(strstr(s->err.hint, "'sched'"));
}

static void a_name_like_no_other_gets_the_list_of_events(void **state)
{
	struct state *s = *state;

	assert_string_equal(resolved(s, "zzzzzzzz"), "");
	assert_non_null(strstr(s->err.hint, "tc-list -e"));
	assert_string_equal(resolved(s, "zz*"), "");
	assert_string_equal(s->err.msg, "no event or system of this kernel matches 'zz*'");
	assert_string_equal(resolved(s, ""), "");
	assert_string_equal(resolved(s, "sched:sched_switch:x"), "");
	/* the part before the colon counts as a whole */
	assert_string_equal(resolved(s, "sch:sched_switch"), "");
}

static void missing_events_can_be_ignored(void **state)
{
	struct tfs_event_spec specs[3] = {
		{ .text = "nosuch" },
		{ .text = "sched_switch" },
		{ .text = "none:*" },
	};
	struct state *s = *state;
	size_t i;

	assert_int_equal(tfs_event_resolve(specs, 3, &s->names, TFS_EVENT_IGNORE_MISSING,
					   &s->missing, &s->err),
			 0);
	assert_int_equal(s->err.code, 0);
	assert_int_equal(s->missing.n, 2);
	assert_string_equal(s->missing.v[0], "nosuch");
	assert_string_equal(s->missing.v[1], "none:*");
	assert_int_equal(specs[1].matched.n, 1);
	/* resolving again starts again */
	assert_int_equal(
		tfs_event_resolve(specs, 3, &s->names, TFS_EVENT_IGNORE_MISSING, NULL, NULL), 0);
	assert_int_equal(specs[1].matched.n, 1);
	assert_int_equal(tfs_event_resolve(specs, 3, &s->names, 0, NULL, NULL), -ENOENT);
	for (i = 0; i < 3; i++)
		tfs_strvec_release(&specs[i].matched);
}

static void events_are_listed_with_their_systems_and_sorted(void **state)
{
	struct state *s = *state;
	struct tfs_strvec names = TFS_STRVEC_INIT;
	struct fake fake;
	size_t i;

	fake_new(&fake, "x86_64-6.18");
	assert_int_equal(tfs_event_list(fake.root, &names, &s->err), 0);
	assert_true(tfs_strvec_has(&names, "sched:sched_switch"));
	assert_true(tfs_strvec_has(&names, "raw_syscalls:sys_enter"));
	for (i = 0; i < names.n; i++) {
		/* no enable file there: its formats are for other uses */
		assert_int_not_equal(strncmp(names.v[i], "ftrace:", 7), 0);
		if (i)
			assert_true(strcmp(names.v[i - 1], names.v[i]) < 0);
	}
	tfs_strvec_release(&names);
	fake_free(&fake);
}

/* Second source: each kernel's own list, for the systems whose directories were captured. */
static void check_against_available_events(const char *capture)
{
	static const char *const systems[] = { "sched:", "irq:", "timer:", "raw_syscalls:",
					       "task:" };
	struct tfs_strvec names = TFS_STRVEC_INIT, all = TFS_STRVEC_INIT;
	struct fake fake;
	size_t i, k, n = 0;

	fake_new(&fake, capture);
	assert_int_equal(tfs_event_list(fake.root, &names, NULL), 0);
	assert_int_equal(tfs_strvec_split(&all, fake_get(&fake, "available_events"), "\n"), 0);
	for (i = 0; i < all.n; i++) {
		for (k = 0; k < 5; k++) {
			if (strncmp(all.v[i], systems[k], strlen(systems[k])))
				continue;
			assert_true(tfs_strvec_has(&names, all.v[i]));
			n++;
		}
	}
	assert_int_equal(n, names.n);
	assert_in_range(n, 40, 100);
	tfs_strvec_release(&names);
	tfs_strvec_release(&all);
	fake_free(&fake);
}

static void lists_the_events_of_available_events(void **state)
{
	(void)state;
	check_against_available_events("x86_64-6.1");
	check_against_available_events("x86_64-6.12");
	check_against_available_events("x86_64-6.18");
}

static void no_events_directory_is_an_error(void **state)
{
	struct state *s = *state;
	struct tfs_strvec names = TFS_STRVEC_INIT;
	struct fake fake;

	fake_new(&fake, NULL);
	assert_int_equal(tfs_event_list(fake.root, &names, &s->err), -ENOENT);
	assert_non_null(strstr(s->err.msg, "/events': No such file or directory"));
	fake_put(&fake, "events/not-a-dir", "");
	fake_put(&fake, "events/sched/enable", "0");
	fake_put(&fake, "events/sched/filter", "none");
	fake_put(&fake, "events/ftrace/print/format", "");
	assert_int_equal(tfs_event_list(fake.root, &names, &s->err), 0);
	assert_int_equal(names.n, 0);
	tfs_strvec_release(&names);
	fake_free(&fake);
}

static void no_memory_is_an_error_at_every_allocation(void **state)
{
	struct state *s = *state;
	struct tfs_event_spec specs[2] = { { .text = "*irq*" }, { .text = "sched:shed" } };
	size_t n;
	int rc;

	for (n = 0; n < 1000; n++) {
		alloc_fail_at(n);
		rc = tfs_event_resolve(specs, 2, &s->names, 0, NULL, &s->err);
		tfs_strvec_release(&specs[0].matched);
		tfs_strvec_release(&specs[1].matched);
		if (!alloc_fail_off())
			break;
		assert_true(rc == -ENOMEM || rc == -ENOENT);
	}
	assert_in_range(n, 3, 999);
	assert_int_equal(rc, -ENOENT);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_system_is_taken_whole),
		T(an_event_is_found_with_and_without_its_system),
		T(one_word_names_systems_and_events),
		T(a_glob_after_the_colon_matches_single_events),
		T(all_is_every_system),
		T(an_unknown_event_lists_similar_names),
		T(a_name_like_no_other_gets_the_list_of_events),
		T(missing_events_can_be_ignored),
		T(events_are_listed_with_their_systems_and_sorted),
		T(lists_the_events_of_available_events),
		T(no_events_directory_is_an_error),
		T(no_memory_is_an_error_at_every_allocation),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("event", tests, NULL, NULL);
}
