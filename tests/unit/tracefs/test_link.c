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
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "lib/fake.h"
#include "tracefs/link.h"
#include "tracefs/plan.h"

struct place {
	char top[64];
	char dir[96];
	char link[128];
	struct fake fake;
};

static int make_place(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	if (!p)
		return -1;
	snprintf(p->top, sizeof(p->top), "/tmp/tc-test-link.XXXXXX");
	if (!mkdtemp(p->top))
		return -1;
	snprintf(p->dir, sizeof(p->dir), "%s/run/paths", p->top);
	snprintf(p->link, sizeof(p->link), "%s/a", p->dir);
	fake_new(&p->fake, NULL);
	*state = p;
	return 0;
}

static int remove_place(void **state)
{
	struct place *p = *state;
	char run[96];

	snprintf(run, sizeof(run), "%s/run", p->top);
	unlink(p->link);
	rmdir(p->dir);
	unlink(p->dir);
	rmdir(run);
	rmdir(p->top);
	fake_free(&p->fake);
	free(p);
	return 0;
}

static void only_paths_that_the_kernel_does_not_accept_need_a_link(void **state)
{
	(void)state;
	assert_true(tfs_link_needed("/a b/c"));
	assert_true(tfs_link_needed("/a\tb"));
	assert_true(tfs_link_needed("/a#b"));
	/* the kernel's isspace() has 0xa0 */
	assert_true(tfs_link_needed("/voil\xc3\xa0/b"));
	assert_false(tfs_link_needed("/voil\xc3\xa9/b"));
	assert_false(tfs_link_needed("/usr/lib/a:b,c%d(e)\\f"));
}

static void each_path_has_one_name_without_blanks(void **state)
{
	char *one = NULL, *again = NULL, *other = NULL, *plain = NULL;

	(void)state;
	assert_int_equal(tfs_link_name("/run/x", "/a b/my prog", &one), 0);
	assert_int_equal(tfs_link_name("/run/x", "/a b/my prog", &again), 0);
	assert_int_equal(tfs_link_name("/run/x", "/a c/my prog", &other), 0);
	assert_int_equal(tfs_link_name("/run/x", "/bin/true", &plain), 0);
	assert_string_equal(one, again);
	assert_string_not_equal(one, other);
	assert_false(tfs_link_needed(one));
	assert_memory_equal(one, "/run/x/", 7);
	assert_non_null(strstr(one, "-my_prog"));
	assert_string_equal(plain, "/bin/true");
	free(one);
	free(again);
	free(other);
	free(plain);
}

static void a_link_is_made_in_a_directory_of_ours_alone(void **state)
{
	struct place *p = *state;
	char *target = NULL;
	struct stat st;

	assert_int_equal(tfs_link_make(p->link, "/a b", NULL), 0);
	assert_int_equal(lstat(p->dir, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(tfs_link_target(p->dir, p->link, &target), 0);
	assert_string_equal(target, "/a b");
	free(target);
	/* a second probe in the same file */
	assert_int_equal(tfs_link_make(p->link, "/a b", NULL), 1);
	assert_int_equal(tfs_link_make(p->link, "/other", NULL), -EEXIST);
	assert_int_equal(tfs_link_remove(p->link, NULL), 0);
	assert_int_equal(tfs_link_remove(p->link, NULL), 0);
	assert_int_equal(tfs_link_target(p->dir, p->link, &target), -ENOENT);
	assert_int_equal(tfs_link_target(p->dir, "/bin/true", &target), -ENOENT);
}

static void a_directory_that_others_can_write_is_refused(void **state)
{
	struct place *p = *state;
	struct tfs_err err = TFS_ERR_INIT;
	struct stat st;

	assert_int_equal(tfs_link_make(p->link, "/a b", NULL), 0);
	assert_int_equal(tfs_link_remove(p->link, NULL), 0);
	assert_int_equal(chmod(p->dir, 0777), 0);
	assert_int_equal(tfs_link_make(p->link, "/a b", &err), -EPERM);
	assert_non_null(strstr(err.msg, p->dir));
	assert_int_not_equal(lstat(p->link, &st), 0);
}

static void a_directory_that_is_a_link_is_refused(void **state)
{
	struct place *p = *state;

	assert_int_equal(tfs_link_make(p->link, "/a b", NULL), 0);
	assert_int_equal(tfs_link_remove(p->link, NULL), 0);
	assert_int_equal(rmdir(p->dir), 0);
	assert_int_equal(symlink("/tmp", p->dir), 0);
	assert_int_equal(tfs_link_make(p->link, "/a b", NULL), -EPERM);
}

/* The kernel's line of a probe on the link, or of others. */
static void put_probe(const struct place *p, const char *before, const char *after)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	assert_int_equal(tfs_strbuf_addf(&sb, "p:g/e /bin/cat:0x10\np:g/f %s%s%s:0x20 a=%%di\n",
					 before, p->link, after),
			 0);
	fake_put(&p->fake, "uprobe_events", sb.s);
	tfs_strbuf_release(&sb);
}

static void a_link_is_used_if_a_probe_is_on_it(void **state)
{
	struct place *p = *state;

	/* such a kernel has no probes */
	assert_false(tfs_link_used(p->fake.root, p->link));
	put_probe(p, "", "");
	assert_true(tfs_link_used(p->fake.root, p->link));
	put_probe(p, "", "b");
	assert_false(tfs_link_used(p->fake.root, p->link));
	put_probe(p, "/x", "");
	assert_false(tfs_link_used(p->fake.root, p->link));
}

static void a_plan_takes_no_link_back_that_is_used(void **state)
{
	struct place *p = *state;
	struct tfs_plan *first = NULL, *second = NULL;
	struct stat st;

	assert_int_equal(tfs_plan_new(p->fake.root, &first), 0);
	assert_int_equal(tfs_plan_new(p->fake.root, &second), 0);
	assert_int_equal(tfs_plan_link(first, p->link, "/a b"), 0);
	assert_int_equal(tfs_plan_link(second, p->link, "/a b"), 0);
	assert_int_equal(tfs_plan_apply(first, NULL), 0);
	assert_int_equal(tfs_plan_apply(second, NULL), 0);
	put_probe(p, "", "");
	assert_int_equal(tfs_plan_rollback(first, NULL), 0);
	assert_int_equal(lstat(p->link, &st), 0);
	/* the last one takes it away, though it did not make it */
	fake_put(&p->fake, "uprobe_events", "");
	assert_int_equal(tfs_plan_rollback(second, NULL), 0);
	assert_int_not_equal(lstat(p->link, &st), 0);
	tfs_plan_free(first);
	tfs_plan_free(second);
}

static void a_removed_link_is_made_again(void **state)
{
	struct place *p = *state;
	struct tfs_plan *plan = NULL;
	struct stat st;
	char *target = NULL;

	assert_int_equal(tfs_link_make(p->link, "/a b", NULL), 0);
	assert_int_equal(tfs_plan_new(p->fake.root, &plan), 0);
	assert_int_equal(tfs_plan_unlink(plan, p->link, "/a b"), 0);
	assert_int_equal(tfs_plan_apply(plan, NULL), 0);
	assert_int_not_equal(lstat(p->link, &st), 0);
	assert_int_equal(tfs_plan_rollback(plan, NULL), 0);
	assert_int_equal(tfs_link_target(p->dir, p->link, &target), 0);
	assert_string_equal(target, "/a b");
	free(target);
	tfs_plan_free(plan);
}

static void steps_are_printed_for_a_shell(void **state)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_plan *plan = NULL;

	(void)state;
	assert_int_equal(tfs_plan_new(NULL, &plan), 0);
	assert_int_equal(tfs_plan_link(plan, "/run/x/a", "/a 'b"), 0);
	assert_int_equal(tfs_plan_print(plan, TFS_PLAN_UNDO, &sb), 0);
	assert_non_null(strstr(sb.s, "mkdir -p -m 700 /run/x && ln -sfn '/a '\\''b' /run/x/a\n"));
	assert_non_null(strstr(sb.s, "rm /run/x/a\n"));
	tfs_strbuf_release(&sb);
	tfs_plan_free(plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_paths_that_the_kernel_does_not_accept_need_a_link),
		cmocka_unit_test(each_path_has_one_name_without_blanks),
		cmocka_unit_test_setup_teardown(a_link_is_made_in_a_directory_of_ours_alone,
						make_place, remove_place),
		cmocka_unit_test_setup_teardown(a_directory_that_others_can_write_is_refused,
						make_place, remove_place),
		cmocka_unit_test_setup_teardown(a_directory_that_is_a_link_is_refused, make_place,
						remove_place),
		cmocka_unit_test_setup_teardown(a_link_is_used_if_a_probe_is_on_it, make_place,
						remove_place),
		cmocka_unit_test_setup_teardown(a_plan_takes_no_link_back_that_is_used, make_place,
						remove_place),
		cmocka_unit_test_setup_teardown(a_removed_link_is_made_again, make_place,
						remove_place),
		cmocka_unit_test(steps_are_printed_for_a_shell),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
