/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <event-parse.h>

#include "base/strbuf-core.h"
#include "decode/comms.h"
#include "decode/trace.h"
#include "decode/types.h"
#include "lib/bytes.h"
#include "lib/dat_build.h"

/*
 * How much libtraceevent is given to do by files of few megabytes. It puts a new event before the
 * first with a higher id, which it looks for from the lowest id up: the steps of that are counted.
 */
#define FORMATS 20000
#define FIRST_ID 100

static struct {
	bool counts;
	unsigned char known[65536];
	unsigned int parsed, comms;
	uint64_t steps;
} seen;

enum tep_errno __real_tep_parse_event(struct tep_handle *tep, const char *buf, unsigned long size,
				      const char *sys);
enum tep_errno __wrap_tep_parse_event(struct tep_handle *tep, const char *buf, unsigned long size,
				      const char *sys);
int __real_tep_register_comm(struct tep_handle *tep, const char *comm, int pid);
int __wrap_tep_register_comm(struct tep_handle *tep, const char *comm, int pid);

enum tep_errno __wrap_tep_parse_event(struct tep_handle *tep, const char *buf, unsigned long size,
				      const char *sys)
{
	const char *text = strstr(buf, "\nID: ");
	unsigned long id, i;

	if (!seen.counts || !text)
		return __real_tep_parse_event(tep, buf, size, sys);
	id = strtoul(text + 5, NULL, 10);
	for (i = 0; i < id; i++)
		seen.steps += seen.known[i];
	seen.known[id] = 1;
	seen.parsed++;
	return __real_tep_parse_event(tep, buf, size, sys);
}

int __wrap_tep_register_comm(struct tep_handle *tep, const char *comm, int pid)
{
	if (!seen.counts)
		return __real_tep_register_comm(tep, comm, pid);
	seen.comms++;
	return 0;
}

static int set_up(void **state)
{
	(void)state;
	memset(&seen, 0, sizeof(seen));
	return 0;
}

static const char **new_formats(struct tfs_strbuf *texts)
{
	const char **formats = calloc(FORMATS + 1, sizeof(*formats));
	size_t *at = calloc(FORMATS, sizeof(*at));
	int i;

	assert_non_null(formats);
	assert_non_null(at);
	for (i = 0; i < FORMATS; i++) {
		at[i] = texts->len;
		tfs_strbuf_addf(texts,
				"name: e%d\nID: %d\n" DAT_COMMON_FIELDS
				"\tfield:int v;\toffset:8;\tsize:4;\tsigned:1;\n\n"
				"print fmt: \"%%d\", REC->v\n",
				i, FIRST_ID + i);
		tfs_strbuf_add(texts, "", 1);
	}
	for (i = 0; i < FORMATS; i++)
		formats[i] = texts->s + at[i];
	free(at);
	return formats;
}

static struct tfs_trace *open_formats(bool ftrace, const char **formats)
{
	struct dat_spec spec = { .cpus = 1 };
	struct tfs_trace *trace = NULL;
	struct bytes pages;
	char path[64];
	int fd;

	if (ftrace)
		spec.ftrace = formats;
	else
		spec.sched = formats;
	bytes_init(&pages, false);
	dat_sample_pages(&spec, 0, 0, &pages);
	fd = dat_file(&spec, &pages);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	seen.counts = true;
	assert_int_equal(tfs_trace_open(path, NULL, &trace, NULL), 0);
	close(fd);
	return trace;
}

static void check(bool ftrace)
{
	struct tfs_strbuf texts = TFS_STRBUF_INIT;
	const char **formats = new_formats(&texts);
	struct tfs_trace *trace = open_formats(ftrace, formats);
	int i;

	/* As records of all would ask for them. */
	for (i = 0; i < FORMATS; i++)
		assert_non_null(tfs_trace_event(trace, FIRST_ID + i));
	assert_in_range(seen.parsed, FORMATS, FORMATS + 100);
	/* One after the other upwards they would be FORMATS * FORMATS / 2: 200 million. */
	assert_true(seen.steps < (uint64_t)FORMATS * FORMATS / 4);
	tfs_trace_free(trace);
	tfs_strbuf_release(&texts);
	free(formats);
}

static void formats_of_ftrace_are_parsed_from_the_highest_id_down(void **state)
{
	(void)state;
	check(true);
	/* Others of the sample, with lower ids, are passed by none. */
	assert_true(seen.steps < (uint64_t)FORMATS * 100);
}

static void formats_that_records_ask_for_are_parsed_at_once_when_they_are_many(void **state)
{
	(void)state;
	check(false);
}

/* Twice as many lines as there are numbers of tasks. */
static void no_more_names_are_kept_than_there_are_tasks(void **state)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int i;

	(void)state;
	for (i = 0; i < 2 * TFS_COMMS_MAX; i++)
		tfs_strbuf_add(&text, "1 x\n", 4);
	seen.counts = true;
	assert_int_equal(tfs_comms_load(NULL, text.s), 0);
	assert_int_equal(seen.comms, 4 << 20);
	tfs_strbuf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(formats_of_ftrace_are_parsed_from_the_highest_id_down,
				       set_up),
		cmocka_unit_test_setup(
			formats_that_records_ask_for_are_parsed_at_once_when_they_are_many, set_up),
		cmocka_unit_test_setup(no_more_names_are_kept_than_there_are_tasks, set_up),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
