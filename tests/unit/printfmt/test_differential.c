/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiled print formats beside libtraceevent. Alone it takes recordings of tests/data; with
 * arguments those recordings, or directories of events (/sys/kernel/tracing/events). RECORDS= in
 * the environment: how many records are made up for each type; VERBOSE=1: what is not compiled;
 * FIELDS=1: all fields as name=value instead of the print format. The exit status is 0 if all texts
 * are the same and 97 of 100 formats are compiled.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/macros.h"
#include "decode/arrays.h"
#include "decode/compat.h"
#include "decode/trace-internal.h"
#include "decode/trace.h"
#include "decode/types.h"
#include "lib/differ.h"
#include "lib/skip.h"
#include "lib/their_leaks.h"
#include "printfmt/program.h"
#include "tracedat/merge.h"
#include "tracedat/page.h"

#define FORMAT_MAX (1 << 20)

struct totals {
	bool fields; /* all of them as name=value */
	unsigned long types, refused, same, passed, different, real;
};

static unsigned int records(void)
{
	const char *n = getenv("RECORDS");

	return n ? (unsigned int)strtoul(n, NULL, 10) : 5;
}

static void add(struct totals *t, struct differ *d, const char *name)
{
	t->types += d->types;
	t->refused += d->refused;
	t->same += d->same;
	t->passed += d->passed;
	t->different += d->different;
	if (getenv("VERBOSE"))
		printf("# %s: %lu types, %lu refused, %lu same, %lu passed, %lu different\n%s",
		       name, d->types, d->refused, d->same, d->passed, d->different, d->reasons.s);
	if (d->report.len)
		printf("%s\n", d->report.s);
}

static void real_records(struct tfs_trace *trace, struct differ *d,
			 struct tfs_program *const *programs, struct totals *t)
{
	struct tfs_merge *merge = NULL;
	struct tfs_record rec;
	struct tfs_event_type *type;
	int id;

	if (tfs_merge_new(trace->dat, NULL, &merge, NULL))
		return;
	while (tfs_merge_next(merge, &rec, NULL) == 1) {
		id = tfs_trace_record_id(trace, &rec);
		type = tfs_trace_event(trace, id);
		if (!type || type->patches || !programs[type - trace->index.types])
			continue;
		differ_record(d, type->tep, programs[type - trace->index.types], rec.data, rec.size,
			      rec.room);
		t->real++;
	}
	tfs_merge_free(merge);
}

static void recording(const char *path, struct totals *t)
{
	struct tfs_trace *trace = NULL;
	struct tfs_event_type *type;
	struct tfs_program **programs;
	struct differ *d = calloc(1, sizeof(*d));
	size_t i;

	if (!d || tfs_trace_open(path, NULL, &trace, NULL)) {
		printf("# %s: not opened\n", path);
		free(d);
		return;
	}
	tfs_trace_load_symbols(trace);
	if (differ_init(d, trace->tep, &trace->env))
		goto out;
	d->fields = t->fields;
	programs = calloc(trace->index.n + 1, sizeof(*programs));
	for (i = 0; programs && i < trace->index.n; i++) {
		type = tfs_trace_event(trace, trace->index.types[i].id);
		/* Types that have to be changed first are not compiled. */
		if (!type || type->patches)
			continue;
		programs[i] = differ_compile(d, type->tep);
		if (programs[i])
			differ_random(d, type->tep, programs[i], records());
	}
	if (programs)
		real_records(trace, d, programs, t);
	add(t, d, path);
	for (i = 0; programs && i < trace->index.n; i++)
		tfs_program_free(programs[i]);
	free(programs);
	differ_release(d);
out:
	tfs_trace_free(trace);
	free(d);
}

static void one_format(struct differ *d, const char *system, const char *path)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT, rewritten = TFS_STRBUF_INIT;
	struct tep_event *event = NULL;
	struct tfs_program *program;
	char *buf = malloc(FORMAT_MAX);
	FILE *f = fopen(path, "r");
	size_t n;

	n = f && buf ? fread(buf, 1, FORMAT_MAX, f) : 0;
	if (n && !tfs_strbuf_add(&text, buf, n)) {
		if (tfs_arrays_rewrite(text.s, text.len, TFS_ARRAY_PRINT_ARRAY, &rewritten))
			tep_parse_format(d->tep, &event, text.s, text.len, system);
		else
			tep_parse_format(d->tep, &event, rewritten.s, rewritten.len, system);
	}
	if (f)
		fclose(f);
	free(buf);
	tfs_strbuf_release(&text);
	tfs_strbuf_release(&rewritten);
	if (!event)
		return;
	event = tep_find_event(d->tep, event->id);
	program = event ? differ_compile(d, event) : NULL;
	if (program)
		differ_random(d, event, program, records());
	tfs_program_free(program);
}

static void directory(const char *path, struct totals *t)
{
	struct tep_handle *tep = tep_alloc();
	struct tep_plugin_list *plugins;
	struct dirent **systems, **events;
	struct differ *d = calloc(1, sizeof(*d));
	char name[4096];
	int n = scandir(path, &systems, NULL, alphasort), m, i, k;

	if (n < 0 || !tep || !d || differ_init(d, tep, NULL)) {
		free(d);
		return;
	}
	d->fields = t->fields;
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(tep, sizeof(long));
	d->env.long_size = sizeof(long);
	plugins = tep_load_plugins(tep);
	for (i = 0; i < n; free(systems[i++])) {
		snprintf(name, sizeof(name), "%s/%s", path, systems[i]->d_name);
		m = systems[i]->d_name[0] == '.' ? -1 : scandir(name, &events, NULL, alphasort);
		for (k = 0; k < m; free(events[k++])) {
			if (events[k]->d_name[0] == '.')
				continue;
			snprintf(name, sizeof(name), "%s/%s/%s/format", path, systems[i]->d_name,
				 events[k]->d_name);
			one_format(d, systems[i]->d_name, name);
		}
		if (m >= 0)
			free(events);
	}
	free(systems);
	add(t, d, path);
	differ_release(d);
	tep_unload_plugins(plugins, tep);
	tep_free(tep);
	free(d);
}

static int by_arguments(int argc, char **argv)
{
	struct totals t = { .fields = getenv("FIELDS") };
	struct stat st;
	int i;

	for (i = 1; i < argc; i++) {
		if (stat(argv[i], &st))
			continue;
		if (S_ISDIR(st.st_mode))
			directory(argv[i], &t);
		else
			recording(argv[i], &t);
	}
	printf("%lu types compiled, %lu not; records: %lu the same (%lu real), %lu left to "
	       "libtraceevent, %lu different\n",
	       t.types, t.refused, t.same, t.real, t.passed, t.different);
	return t.different || !t.same || t.types < (t.types + t.refused) * 97 / 100;
}

/* A recording of tests/data, unpacked into memory. */
static void packed(const char *name, struct totals *t)
{
	const char *dir = getenv("TC_SRCDIR");
	int fd = memfd_create("recording", 0), status;
	char path[4096], unpacked[64];
	pid_t child;

	snprintf(path, sizeof(path), "%s/tests/data/%s.dat.xz", dir ? dir : "../../../..", name);
	child = fork();
	if (!child) {
		dup2(fd, STDOUT_FILENO);
		execlp("xz", "xz", "-dc", path, (char *)NULL);
		_exit(127);
	}
	if (fd < 0 || child < 0 || waitpid(child, &status, 0) != child || status) {
		printf("# %s: not unpacked\n", path);
	} else {
		snprintf(unpacked, sizeof(unpacked), "/proc/self/fd/%d", fd);
		recording(unpacked, t);
	}
	close(fd);
}

static void compare(struct totals *t)
{
	static const char *const names[] = {
		"recordings/x86_64-6.12/ev-v7zstd",
		"recordings/x86_64-6.12/kprobe",
		"recordings/x86_64-lat/timerlat",
		"recordings/arm64/ev-v7zstd",
		"recordings/i386/ev-plain",
		"recordings/s390x/ev-v7zstd",
		"recordings/ppc64el/kprobe",
		"recordings/x86_64/ev-v6",
		"made/foreign-be",
		"made/foreign-32",
		"made/switch-be64",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		packed(names[i], t);
	printf("# %lu types compiled, %lu not; %lu records the same (%lu real), %lu left over\n",
	       t->types, t->refused, t->same, t->real, t->passed);
	assert_int_equal(t->different, 0);
	if (!t->types)
		skip_because("no xz");
	assert_true(t->types > 300);
	assert_true(t->refused < t->types / 33);
	assert_true(t->real > 1000);
	assert_true(t->passed < t->same / 10);
}

static void compiled_formats_print_what_libtraceevent_prints(void **state)
{
	struct totals t = { 0 };

	(void)state;
	compare(&t);
}

static void so_do_all_fields_as_name_and_value(void **state)
{
	struct totals t = { .fields = true };

	(void)state;
	compare(&t);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compiled_formats_print_what_libtraceevent_prints),
		cmocka_unit_test(so_do_all_fields_as_name_and_value),
	};

	if (argc > 1)
		return by_arguments(argc, argv);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
