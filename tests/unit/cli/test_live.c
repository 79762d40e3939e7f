/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "cli/live.h"
#include "lib/skip.h"

struct fixture {
	int master, tty, file;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	*state = f;
	f->tty = -1;
	f->file = open("/dev/null", O_WRONLY | O_CLOEXEC);
	f->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (f->master >= 0 && !grantpt(f->master) && !unlockpt(f->master))
		f->tty = open(ptsname(f->master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	tfs_close(&f->master);
	tfs_close(&f->tty);
	tfs_close(&f->file);
	free(f);
	return 0;
}

static void a_terminal_has_colours_a_file_has_none(void **state)
{
	struct fixture *f = *state;

	if (f->tty < 0)
		skip_because("no pseudo-terminal");
	assert_true(tc_live_color(f->tty));
	assert_false(tc_live_color(f->file));
}

static void a_dumb_terminal_has_no_colours(void **state)
{
	struct fixture *f = *state;

	setenv("TERM", "dumb", 1);
	assert_false(tc_live_color(f->tty));
	setenv("TERM", "", 1);
	assert_false(tc_live_color(f->tty));
	unsetenv("TERM");
	assert_false(tc_live_color(f->tty));
}

/* As no-color.org has it: any value but an empty one. */
static void no_color_that_is_not_empty_is_honoured(void **state)
{
	struct fixture *f = *state;

	if (f->tty < 0)
		skip_because("no pseudo-terminal");
	setenv("NO_COLOR", "0", 1);
	assert_false(tc_live_color(f->tty));
	setenv("NO_COLOR", "", 1);
	assert_true(tc_live_color(f->tty));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_terminal_has_colours_a_file_has_none, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_dumb_terminal_has_no_colours, set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_color_that_is_not_empty_is_honoured, set_up,
						tear_down),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
