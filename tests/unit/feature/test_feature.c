/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "feature/feature.h"
#include "record/kconfig.h"
#include "lib/fake.h"
#include "lib/needs.h"

static int setup(void **state)
{
	struct fake *f = calloc(1, sizeof(*f));
	static const char *const empty[] = { "kprobe_events", "dynamic_events", "set_event" };

	fake_new(f, NULL);
	fake_put(f, "available_tracers", "function nop\n");
	fake_put(f, "current_tracer", "nop\n");
	fake_put(f, "tracing_on", "1\n");
	fake_put(f, "trace", "# entries-in-buffer/entries-written: 0/0   #P:2\n");
	fake_put(f, "instances/other/tracing_on", "1\n");
	for (size_t i = 0; i < sizeof(empty) / sizeof(empty[0]); i++)
		fake_put(f, empty[i], "");
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	fake_free(*state);
	free(*state);
	return 0;
}

static size_t index_of(const char *name)
{
	struct tfs_err err = TFS_ERR_INIT;
	size_t i;

	if (tfs_feature_find(name, &i, &err))
		fail_msg("%s", err.msg);
	return i;
}

static struct tfs_sandbox *sandbox_of(const struct fake *f)
{
	struct tfs_sandbox *sandbox;

	assert_int_equal(tfs_sandbox_new(f->root, NULL, NULL, &sandbox), 0);
	return sandbox;
}

static enum tfs_verdict verdict(struct tfs_sandbox *sandbox, const char *name, struct tfs_err *why)
{
	struct tfs_feature_result found;

	tfs_feature_try(sandbox, index_of(name), &found);
	if (why)
		*why = found.why;
	if (found.verdict == TFS_WORKS)
		assert_string_equal(found.why.msg, "");
	else
		assert_string_not_equal(found.why.msg, "");
	return found.verdict;
}

static void each_feature_has_a_name_of_its_own(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;
	size_t at;

	(void)state;
	assert_true(tfs_features() > 40);
	for (size_t i = 0; i < tfs_features(); i++) {
		const struct tfs_feature *f = tfs_feature(i);

		assert_int_equal(index_of(f->name), i);
		assert_true(*f->what);
		assert_true(!f->config || !strncmp(f->config, "CONFIG_", 7));
		assert_null(strpbrk(f->name, ", "));
	}
	assert_int_equal(tfs_feature_find("krobes", &at, &err), -EINVAL);
	assert_non_null(strstr(err.hint, "'kprobes'"));
}

static void a_configuration_is_read_line_by_line(void **state)
{
	static const char text[] = "CONFIG_TRACING=y\nCONFIG_KPROBES=m\n"
				   "# CONFIG_HIST_TRIGGERS is not set\nCONFIG_NR_CPUS=64\n"
				   "CONFIG_KPROBES_ON_FTRACE=y\nXCONFIG_UPROBES=y\n";
	uint64_t number;

	(void)state;
	assert_int_equal(tfs_kconfig_get(text, "CONFIG_TRACING"), 'y');
	assert_int_equal(tfs_kconfig_get(text, "CONFIG_KPROBES"), 'm');
	assert_int_equal(tfs_kconfig_get(text, "CONFIG_HIST_TRIGGERS"), 'n');
	assert_int_equal(tfs_kconfig_get(text, "CONFIG_NR_CPUS"), 'y');
	assert_int_equal(tfs_kconfig_get(text, "CONFIG_UPROBES"), 'n');
	assert_int_equal(tfs_kconfig_get(text, "CONFIG_KPROBES_ON_FTRACE"), 'y');
	assert_int_equal(tfs_kconfig_get("", "CONFIG_TRACING"), 'n');
	assert_true(tfs_kconfig_number(text, "CONFIG_NR_CPUS", &number));
	assert_int_equal(number, 64);
	assert_false(tfs_kconfig_number(text, "CONFIG_TRACING", &number));
	assert_false(tfs_kconfig_number(text, "CONFIG_HZ", &number));
}

/* Is @name a word of @text? */
static bool names_feature(const char *text, const char *name)
{
	const char *p = text ? strstr(text, name) : NULL;

	return p && (p == text || p[-1] == ' ') && !isalnum((unsigned char)p[strlen(name)]) &&
	       p[strlen(name)] != '_';
}

/* Do not suggest kprobes for fprobes, or fprobes for kprobes, where neither works. */
static void advice_does_not_name_features_that_may_fail_too(void **state)
{
	static const char *const probes[] = { "kprobes", "fprobes", "kretprobes",
					      "function_graph" };

	(void)state;
	for (size_t i = 0; i < tfs_features(); i++) {
		const struct tfs_feature *f = tfs_feature(i);
		bool via = false;
		size_t which;

		for (size_t k = 0; k < 4; k++) {
			assert_false(names_feature(f->otherwise, probes[k]));
			via |= names_feature(f->fallback, probes[k]);
		}
		if (via)
			assert_non_null(f->via);
		if (f->via)
			assert_int_equal(tfs_feature_find(f->via, &which, NULL), 0);
	}
}

static void without_tracefs_the_rest_is_tried(void **state)
{
	struct tfs_sandbox *sandbox;
	struct tfs_err no = TFS_ERR_INIT, why;

	(void)state;
	tfs_err_say(&no, -ENOENT, "no tracefs is mounted");
	tfs_err_hint(&no, "mount it");
	assert_int_equal(tfs_sandbox_new(NULL, &no, NULL, &sandbox), 0);
	assert_int_equal(verdict(sandbox, "tracefs", &why), TFS_FAILS);
	assert_string_equal(why.msg, "no tracefs is mounted");
	assert_string_equal(why.hint, "mount it");
	assert_int_equal(verdict(sandbox, "kprobes", &why), TFS_UNTRIED);
	assert_string_equal(why.msg, "no tracefs is mounted");
	assert_int_equal(verdict(sandbox, "zstd", NULL), has_zstd() ? TFS_WORKS : TFS_FAILS);
	assert_int_equal(tfs_sandbox_free(sandbox, NULL), 0);
}

/* A plain directory takes the mkdir of an instance, but no files appear in it. */
static void a_file_that_is_not_there_does_not_work(void **state)
{
	struct fake *f = *state;
	struct tfs_sandbox *sandbox = sandbox_of(f);
	char *before = fake_state(f), *after;

	assert_int_equal(verdict(sandbox, "tracefs", NULL), TFS_WORKS);
	/* tracing_on, which turns the instance off at once, is not there */
	assert_int_equal(verdict(sandbox, "instances", NULL), TFS_FAILS);
	assert_int_equal(verdict(sandbox, "hist", NULL), TFS_FAILS);
	assert_int_equal(verdict(sandbox, "clock-mono", NULL), TFS_FAILS);
	assert_int_equal(tfs_sandbox_free(sandbox, NULL), 0);
	after = fake_state(f);
	assert_true(fake_same_state(before, after));
	free(before);
	free(after);
}

static void nothing_is_defined_without_an_instance(void **state)
{
	struct fake *f = *state;
	struct tfs_sandbox *sandbox = sandbox_of(f);
	char name[64], dir[128];

	snprintf(name, sizeof(name), "instances/tc-list.%ld", (long)getpid());
	snprintf(dir, sizeof(dir), "%s", fake_path(f, name));
	/* a directory of its name is there already: that is refused */
	assert_int_equal(mkdir(dir, 0755), 0);
	assert_int_equal(verdict(sandbox, "kprobes", NULL), TFS_FAILS);
	assert_string_equal(fake_get(f, "kprobe_events"), "");
	assert_int_equal(tfs_sandbox_free(sandbox, NULL), 0);
	/* what was somebody else's stays */
	assert_true(fake_has(f, name));
}

static void nobodys_tracing_at_the_top_level_is_disturbed(void **state)
{
	static const struct {
		const char *file, *busy, *idle, *says;
	} signs[] = {
		{ "current_tracer", "function\n", "nop\n", "tracer" },
		{ "set_event", "sched:sched_switch\n", "", "events" },
		{ "trace", "# entries-in-buffer/entries-written: 3/3   #P:2\n",
		  "# entries-in-buffer/entries-written: 0/0   #P:2\n", "trace" },
	};
	struct fake *f = *state;
	struct tfs_sandbox *sandbox = sandbox_of(f);
	struct tfs_err why;

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		fake_put(f, signs[i].file, signs[i].busy);
		assert_int_equal(verdict(sandbox, "function_graph", &why), TFS_UNTRIED);
		assert_non_null(strstr(why.msg, "the top level is in use"));
		assert_non_null(strstr(why.msg, signs[i].says));
		assert_string_equal(fake_get(f, signs[i].file), signs[i].busy);
		assert_string_equal(fake_get(f, "tracing_on"), "1\n");
		fake_put(f, signs[i].file, signs[i].idle);
	}
	assert_int_equal(verdict(sandbox, "function_graph", NULL), TFS_WORKS);
	assert_string_equal(fake_get(f, "current_tracer"), "nop\n");
	assert_string_equal(fake_get(f, "tracing_on"), "1\n");
	assert_int_equal(tfs_sandbox_free(sandbox, NULL), 0);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_feature_has_a_name_of_its_own),
		cmocka_unit_test(a_configuration_is_read_line_by_line),
		cmocka_unit_test(advice_does_not_name_features_that_may_fail_too),
		cmocka_unit_test(without_tracefs_the_rest_is_tried),
		T(a_file_that_is_not_there_does_not_work),
		T(nothing_is_defined_without_an_instance),
		T(nobodys_tracing_at_the_top_level_is_disturbed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("feature", tests, NULL, NULL);
}
