/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wants: root */
#include <fcntl.h>
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

#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "decode/plugin-dirs.h"
#include "decode/plugins.h"
#include "lib/skip.h"

/*
 * Root does not load programs that others wrote. The plugin is one of this tree, which is loaded or
 * is not; directories belong to uid 12345 where they are another user's.
 */
#define OTHER 12345
#define BELOW "/.local/lib/traceevent/plugins"
#define PLUGIN "/plugin_copy.so"

struct fixture {
	char dir[64];
	char plugins[128];
	char plugin[160];
	char *home;
};

static int shell(const char *command)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid ? status : -1;
}

static void copy_plugin(const char *to)
{
	const char *build = getenv("TC_BUILDDIR");
	char command[4096];

	snprintf(command, sizeof(command), "cp '%s/plugins/plugin_syscalls.so' '%s'",
		 build ? build : ".", to);
	assert_int_equal(shell(command), 0);
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char command[256];

	if (!f)
		return -1;
	*state = f;
	f->home = getenv("HOME") ? strdup(getenv("HOME")) : NULL;
	snprintf(f->dir, sizeof(f->dir), "/tmp/tc-plugin-dirs.XXXXXX");
	if (!mkdtemp(f->dir) || chmod(f->dir, 0755))
		return -1;
	snprintf(f->plugins, sizeof(f->plugins), "%s" BELOW, f->dir);
	snprintf(f->plugin, sizeof(f->plugin), "%s" PLUGIN, f->plugins);
	snprintf(command, sizeof(command), "umask 022; mkdir -p '%s'", f->plugins);
	if (shell(command))
		return -1;
	copy_plugin(f->plugin);
	chmod(f->plugin, 0644);
	unsetenv("TRACEEVENT_PLUGIN_DIR");
	setenv("HOME", f->dir, 1);
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	char command[256];

	if (f->home)
		setenv("HOME", f->home, 1);
	unsetenv("TRACEEVENT_PLUGIN_DIR");
	snprintf(command, sizeof(command), "rm -rf '%s'", f->dir);
	if (shell(command))
		return -1;
	free(f->home);
	free(f);
	return 0;
}

static bool is_loaded(void)
{
	struct tfs_strvec paths = TFS_STRVEC_INIT;
	struct tfs_strbuf options = TFS_STRBUF_INIT;
	bool loaded = false;

	assert_int_equal(tfs_plugins_list(&paths, &options, NULL), 0);
	for (size_t i = 0; i < paths.n; i++)
		loaded |= strstr(paths.v[i], PLUGIN) != NULL;
	tfs_strvec_release(&paths);
	tfs_strbuf_release(&options);
	return loaded;
}

/* @path is why; NULL: it is loaded. */
static void check(const char *path)
{
	struct tfs_strvec reasons = TFS_STRVEC_INIT;
	char part[256];

	if (geteuid()) {
		skip_because("not root");
	}
	assert_int_equal(tfs_plugin_dirs_refused(&reasons), 0);
	assert_int_equal(reasons.n, path ? 1 : 0);
	if (path) {
		snprintf(part, sizeof(part), ": '%s' is not root's alone", path);
		assert_non_null(strstr(reasons.v[0], part));
	}
	assert_int_equal(is_loaded(), !path);
	tfs_strvec_release(&reasons);
}

static void roots_own_plugins_are_loaded(void **state)
{
	struct fixture *f = *state;

	check(NULL);
	setenv("HOME", "/nonexistent", 1);
	assert_int_equal(setenv("TRACEEVENT_PLUGIN_DIR", f->plugins, 1), 0);
	check(NULL);
	assert_string_equal(getenv("HOME"), "/nonexistent");
}

static void a_home_of_another_user_is_passed_over(void **state)
{
	struct fixture *f = *state;

	if (geteuid())
		skip_because("not root");
	assert_int_equal(chown(f->dir, OTHER, OTHER), 0);
	check(f->dir);
	assert_string_equal(getenv("HOME"), f->dir);
}

static void a_directory_that_others_may_write_to_is_passed_over(void **state)
{
	struct fixture *f = *state;

	setenv("HOME", "/nonexistent", 1);
	setenv("TRACEEVENT_PLUGIN_DIR", f->plugins, 1);
	assert_int_equal(chmod(f->plugins, 0777), 0);
	check(f->plugins);
	/* The sticky bit does not keep others from adding plugins. */
	assert_int_equal(chmod(f->plugins, 01777), 0);
	check(f->plugins);
	assert_string_equal(getenv("TRACEEVENT_PLUGIN_DIR"), f->plugins);
}

static void a_plugin_of_another_user_is_passed_over(void **state)
{
	struct fixture *f = *state;

	if (geteuid())
		skip_because("not root");
	assert_int_equal(chown(f->plugin, OTHER, OTHER), 0);
	check(f->plugin);
}

/* The link is root's, and what it leads to is not. */
static void a_link_to_another_users_plugins_is_passed_over(void **state)
{
	struct fixture *f = *state;
	char other[128];

	if (geteuid())
		skip_because("not root");
	snprintf(other, sizeof(other), "%s/link", f->dir);
	assert_int_equal(symlink(f->plugins, other), 0);
	assert_int_equal(chown(f->plugins, OTHER, OTHER), 0);
	setenv("HOME", "/nonexistent", 1);
	setenv("TRACEEVENT_PLUGIN_DIR", other, 1);
	check(f->plugins);
}

/* And the reverse: who owns the link may turn it at any time. */
static void another_users_link_is_passed_over(void **state)
{
	struct fixture *f = *state;
	char other[128];

	if (geteuid())
		skip_because("not root");
	snprintf(other, sizeof(other), "%s/link", f->dir);
	assert_int_equal(symlink(f->plugins, other), 0);
	assert_int_equal(lchown(other, OTHER, OTHER), 0);
	setenv("HOME", "/nonexistent", 1);
	setenv("TRACEEVENT_PLUGIN_DIR", other, 1);
	check(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(roots_own_plugins_are_loaded, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_home_of_another_user_is_passed_over, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_directory_that_others_may_write_to_is_passed_over,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_plugin_of_another_user_is_passed_over, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_link_to_another_users_plugins_is_passed_over,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(another_users_link_is_passed_over, set_up,
						tear_down),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
