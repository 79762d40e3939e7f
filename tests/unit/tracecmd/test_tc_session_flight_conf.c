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
#include "main.h"
#include "tc-session-flight-conf.h"

#define MIB 1048576ULL
#define SECOND 1000000000ULL

/* main.c is not linked here */
const struct tc_command tc_command = { .name = "tc-session" };

struct fixture {
	struct flight_conf conf;
	struct tfs_err err;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	f->err = TFS_ERR_INIT;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	flight_conf_release(&f->conf);
	free(f);
	return 0;
}

static int parse(struct fixture *f, const char *text)
{
	return flight_conf_parse(&f->conf, "box", "box.conf", text, strlen(text), &f->err);
}

static void each_line_is_an_option(void **state)
{
	struct fixture *f = *state;
	const struct flight_own *own = &f->conf.own;
	const struct trace_request *trace = &f->conf.start.trace;

	assert_int_equal(parse(f, "# comment\n; another\n\n"
				  "event = sched:*\r\n"
				  "  filter=prev_prio < 100   \n"
				  "\tevent\t=\tirq\n"
				  "ignore-missing\n"
				  "no-filter = no\n"
				  "clock = mono\n"
				  "buffer-size = 16M\n"
				  "directory = /srv/a dumps=1\n"
				  "keep-size = 64M\n"
				  "keep-age = 7d\n"
				  "keep-free = 0\n"
				  "mode = 640\n"
				  "holdoff = 1.5s\n"
				  "poll = 200ms\n"
				  "pressure = cpu some 150ms 1s\n"
				  "pressure = io full 1s 10s"),
			 0);
	assert_int_equal(trace->n_buffers, 2);
	assert_string_equal(trace->buffers[1].name, "box");
	assert_string_equal(trace->buffers[1].clock, "mono");
	assert_int_equal(trace->buffers[1].buffer_bytes, 16 * MIB);
	assert_int_equal(trace->buffers[1].n, 2);
	assert_true(trace->ignore_missing);
	assert_false(trace->no_filter);
	assert_string_equal(own->dump.directory, "/srv/a dumps=1");
	assert_int_equal(own->dump.limits.bytes, 64 * MIB);
	assert_int_equal(own->dump.limits.age_ns, 7 * 86400 * SECOND);
	assert_int_equal(own->dump.free_bytes, 0);
	assert_int_equal(own->dump.mode, 0640);
	assert_int_equal(own->holdoff_ns, SECOND + SECOND / 2);
	assert_int_equal(own->poll_ns, SECOND / 5);
	assert_int_equal(own->n_pressures, 2);
	/* psi.rst: microseconds */
	assert_string_equal(own->pressures[0].resource, "cpu");
	assert_string_equal(own->pressures[0].trigger, "some 150000 1000000");
	assert_string_equal(own->pressures[1].trigger, "full 1000000 10000000");
}

static void missing_lines_have_defaults(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(parse(f, "event = sched"), 0);
	assert_string_equal(f->conf.own.dump.directory, "/var/lib/tracecraft/flight");
	assert_int_equal(f->conf.own.dump.limits.bytes, 1024 * MIB);
	assert_int_equal(f->conf.own.dump.free_bytes, 256 * MIB);
	assert_int_equal(f->conf.own.holdoff_ns, 10 * SECOND);
	assert_int_equal(f->conf.own.poll_ns, SECOND);
}

/* Each text, and what the message says of it */
static const struct {
	const char *text, *message;
} wrong[] = {
	{ "event = sched\nkeep-sise = 1G\n", "box.conf:2: unknown key 'keep-sise'" },
	{ "event\n", "box.conf:1: 'event' needs a value" },
	{ "event =  \n", "box.conf:1: 'event' needs a value" },
	{ "\n\n= 1\n", "box.conf:3: there is no key before '='" },
	{ "event = sched\nclock = mono\nclock = local\n", "box.conf:3: 'clock' is given twice" },
	{ "event = sched\nignore-missing = maybe\n",
	  "box.conf:2: 'ignore-missing' is yes or no, not 'maybe'" },
	{ "event = sched\nbuffer-size = 12X\n", "box.conf:2: " },
	{ "event = sched\nkeep-size = 1M\n", "box.conf:2: " },
	{ "event = sched\nkeep-age = 1y\n", "box.conf:2: " },
	{ "event = sched\nkeep-age = 99999999999d\n", "box.conf:2: " },
	{ "event = sched\nbuffer = two\n", "box.conf:2: a flight recorder has one ring buffer" },
	{ "filter = a > 1\n", "box.conf:1: " },
	{ "event = sched\nmode = 999\n", "box.conf:2: " },
	{ "event = sched\npoll = 1ms\n", "box.conf: 'poll' is less than 50ms" },
	{ "event = sched\ndirectory = dumps\n", "box.conf: 'directory' is not an absolute path" },
	{ "event = sched\npressure = cpu most 1s 2s\n", "box.conf: 'cpu most 1s 2s' is not a" },
	{ "event = sched\npressure = disk some 1s 2s\n", "box.conf: 'disk some 1s 2s' is not a" },
	{ "event = sched\npressure = cpu some 3s 2s\n", "box.conf: 'cpu some 3s 2s': the window" },
	{ "event = sched\npressure = cpu some 1s\n", "box.conf: 'cpu some 1s' is not a" },
	{ "event = sched\nonly-command = yes\n", "box.conf: option -F needs a COMMAND" },
	{ "", "box.conf: " },
};

static void a_mistake_is_named_with_its_line(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct flight_conf conf = { 0 };
		struct tfs_err err = TFS_ERR_INIT;

		assert_true(flight_conf_parse(&conf, "box", "box.conf", wrong[i].text,
					      strlen(wrong[i].text), &err) < 0);
		if (strncmp(err.msg, wrong[i].message, strlen(wrong[i].message)) != 0)
			fail_msg("for '%s': %s", wrong[i].text, err.msg);
		flight_conf_release(&conf);
	}
	assert_int_equal(parse(f, "event = sched\nkeep-sise = 1G\n"), -EINVAL);
	assert_non_null(strstr(f->err.hint, "keep-size"));
}

static void bytes_that_are_no_text_are_refused(void **state)
{
	static const char zero[] = "event = sched\0\nclock = mono\n";
	struct fixture *f = *state;

	assert_int_equal(flight_conf_parse(&f->conf, "box", "box.conf", zero, sizeof(zero) - 1,
					   &f->err),
			 -EINVAL);
}

static void a_file_that_others_may_write_is_refused(void **state)
{
	struct fixture *f = *state;
	struct flight_conf again = { 0 };
	char path[] = "/tmp/tc-flight.XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "event = sched\n", 14), 14);
	assert_int_equal(fchmod(fd, 0644), 0);
	assert_int_equal(flight_conf_read(&f->conf, "box", path, &f->err), 0);
	assert_int_equal(fchmod(fd, 0666), 0);
	assert_int_equal(flight_conf_read(&again, "box", path, &f->err), -EPERM);
	flight_conf_release(&again);
	unlink(path);
	close(fd);
	assert_int_equal(flight_conf_read(&again, "box", path, &f->err), -ENOENT);
	assert_int_equal(flight_conf_read(&again, "box", "/dev/zero", &f->err), -EINVAL);
	flight_conf_release(&again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_line_is_an_option, setup, teardown),
		cmocka_unit_test_setup_teardown(missing_lines_have_defaults, setup, teardown),
		cmocka_unit_test_setup_teardown(a_mistake_is_named_with_its_line, setup, teardown),
		cmocka_unit_test_setup_teardown(bytes_that_are_no_text_are_refused, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_file_that_others_may_write_is_refused, setup,
						teardown),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
