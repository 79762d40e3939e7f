/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
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

/* The bytes of the other end come in pieces; until there are @want, or for 10 s none has come */
static size_t read_terminal(int master, char *buf, size_t size, size_t want)
{
	struct pollfd p = { .fd = master, .events = POLLIN };
	size_t got = 0;

	while (got < want && poll(&p, 1, 10000) > 0) {
		ssize_t n = read(master, buf + got, size - got);

		if (n <= 0)
			break;
		got += (size_t)n;
	}
	return got;
}

static void a_block_takes_the_place_of_the_one_before(void **state)
{
	static const char expected[] = "one\r\n0123456789\r\n"
				       "\033[2A\r\033[Jtwo\r\n"
				       "\033[1A\r\033[J";
	const struct winsize small = { .ws_row = 3, .ws_col = 11 };
	struct fixture *f = *state;
	struct termios mode;
	int saved = dup(STDERR_FILENO);
	char got[256];
	unsigned int first, second, third, rows;

	if (f->tty < 0)
		skip_because("no pseudo-terminal");
	assert_int_equal(tcgetattr(f->tty, &mode), 0);
	mode.c_oflag &= ~(tcflag_t)OPOST;
	assert_int_equal(tcsetattr(f->tty, TCSANOW, &mode), 0);
	assert_int_equal(ioctl(f->tty, TIOCSWINSZ, &small), 0);
	assert_int_equal(dup2(f->tty, STDERR_FILENO), STDERR_FILENO);
	rows = tc_live_rows();
	first = tc_live_block("one\n0123456789cut\n", 0);
	second = tc_live_block("two\n", first);
	third = tc_live_block("", second);
	dup2(saved, STDERR_FILENO);
	tfs_close(&saved);
	assert_int_equal(rows, 4);
	assert_int_equal(first, 2);
	assert_int_equal(second, 1);
	assert_int_equal(third, 0);
	assert_int_equal(read_terminal(f->master, got, sizeof(got), sizeof(expected) - 1),
			 sizeof(expected) - 1);
	assert_memory_equal(got, expected, sizeof(expected) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_terminal_has_colours_a_file_has_none, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_dumb_terminal_has_no_colours, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_block_takes_the_place_of_the_one_before, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(no_color_that_is_not_empty_is_honoured, set_up,
						tear_down),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
