/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which recordings have a use for the kernel's symbols. With arguments, directories of events
 * (/sys/kernel/tracing/events): for every type there, records are made up and printed by
 * libtraceevent and plugins, with symbols and without. The exit status is 0 if the text is the same
 * but for types of which that is said. RECORDS= in the environment: how many for each type.
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

#include <cmocka.h>

#include <event-parse.h>

#include "base/io.h"
#include "base/strbuf-core.h"
#include "decode/printfmt.h"
#include "lib/differ.h"
#include "lib/fake.h"
#include "lib/their_leaks.h"
#include "record/symbols.h"
#include "tracefs/instance.h"

/* libtraceevent may read this far past the end of a record */
#define SCRATCH (2 * 65536)

/*
 * @with, @without: all that they know is the same but for the symbols of @with: one function over
 * nearly all addresses
 * @uses, @other: types whose text depends on symbols, and those whose does not
 * @said: types of which it is said that it may
 * @wrong: of @uses, those of which it is not
 */
struct both {
	struct tep_handle *with, *without;
	struct tep_plugin_list *plugins[2];
	struct differ maker;
	unsigned char *scratch;
	unsigned long uses, other, said, wrong;
};

static unsigned int records(void)
{
	const char *n = getenv("RECORDS");

	return n ? (unsigned int)strtoul(n, NULL, 10) : 20;
}

static struct tep_handle *handle_new(struct tep_plugin_list **plugins)
{
	struct tep_handle *tep = tep_alloc();

	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(tep, sizeof(long));
	*plugins = tep_load_plugins(tep);
	return tep;
}

static void both_init(struct both *b)
{
	char dir[4096];

	memset(b, 0, sizeof(*b));
	/* Ours besides those of libtraceevent */
	snprintf(dir, sizeof(dir), "%s/plugins",
		 getenv("TC_BUILDDIR") ? getenv("TC_BUILDDIR") : ".");
	setenv("TRACEEVENT_PLUGIN_DIR", dir, 0);
	b->with = handle_new(&b->plugins[0]);
	b->without = handle_new(&b->plugins[1]);
	tep_register_function(b->with, (char *)"everywhere", 1, NULL);
	tep_register_function(b->with, (char *)"the_end", UINT64_MAX - 4096, NULL);
	b->scratch = calloc(1, SCRATCH);
	if (!b->scratch || differ_init(&b->maker, b->with, NULL))
		abort();
}

static void both_release(struct both *b)
{
	differ_release(&b->maker);
	tep_unload_plugins(b->plugins[0], b->with);
	tep_unload_plugins(b->plugins[1], b->without);
	tep_free(b->with);
	tep_free(b->without);
	free(b->scratch);
}

static void print(struct tep_handle *tep, struct trace_seq *s, struct tep_record *rec)
{
	trace_seq_reset(s);
	tep_print_event(tep, s, rec, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(s);
}

static bool differs(struct both *b, struct tep_event *event)
{
	unsigned char data[DIFFER_ROOM];
	struct trace_seq with, without;
	bool same = true;
	size_t size, room;

	trace_seq_init(&with);
	trace_seq_init(&without);
	for (unsigned int n = records(); n && same; n--) {
		struct tep_record rec = { .data = b->scratch, .ref_count = 1 };

		size = differ_make(&b->maker, event, data, &room);
		memset(b->scratch, 0, DIFFER_ROOM);
		memcpy(b->scratch, data, size);
		rec.size = (int)size;
		if (!size ||
		    (tfs_printfmt_risky(event) && !tfs_printfmt_safe(event, b->scratch, SCRATCH)))
			continue;
		print(b->with, &with, &rec);
		print(b->without, &without, &rec);
		same = with.len == without.len && !memcmp(with.buffer, without.buffer, with.len);
	}
	trace_seq_destroy(&with);
	trace_seq_destroy(&without);
	return !same;
}

static void one_format(struct both *b, const char *system, const char *path)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	struct tep_event *event = NULL;
	bool uses, said;

	if (!tfs_read_path(path, &text)) {
		tep_parse_format(b->without, &event, text.s, text.len, system);
		tep_parse_format(b->with, &event, text.s, text.len, system);
	}
	event = event ? tep_find_event(b->with, event->id) : NULL;
	if (event) {
		uses = differs(b, event);
		said = tfs_format_names_code(text.s, text.len);
		b->uses += uses;
		b->other += !uses;
		b->said += said;
		b->wrong += uses && !said;
		if (uses && !said)
			printf("# %s:%s is printed with symbols\n", system, event->name);
	}
	tfs_strbuf_release(&text);
}

/* Those of "ftrace" are not switched on: what writes them is looked at. */
static void directory(struct both *b, const char *path)
{
	struct dirent **systems, **events;
	int n = scandir(path, &systems, NULL, alphasort), m;
	char name[4096];

	for (int i = 0; i < n; free(systems[i++])) {
		const char *system = systems[i]->d_name;

		snprintf(name, sizeof(name), "%s/%s", path, system);
		m = *system == '.' || !strcmp(system, "ftrace") ?
			    -1 :
			    scandir(name, &events, NULL, alphasort);
		for (int k = 0; k < m; free(events[k++])) {
			if (events[k]->d_name[0] == '.')
				continue;
			snprintf(name, sizeof(name), "%s/%s/%s/format", path, system,
				 events[k]->d_name);
			one_format(b, system, name);
		}
		if (m >= 0)
			free(events);
	}
	if (n >= 0)
		free(systems);
}

static int by_arguments(int argc, char **argv)
{
	struct both b;
	bool ok;

	both_init(&b);
	for (int i = 1; i < argc; i++)
		directory(&b, argv[i]);
	printf("%lu types of events are printed with symbols, %lu without; said so of %lu, "
	       "not said of %lu that are\n",
	       b.uses, b.other, b.said, b.wrong);
	ok = b.uses && b.other && !b.wrong;
	both_release(&b);
	return !ok;
}

static void reports_types_printed_with_symbols(void **state)
{
	static const char *const captures[] = { "x86_64-6.1", "x86_64-6.12", "x86_64-6.18" };

	(void)state;
	for (size_t i = 0; i < sizeof(captures) / sizeof(captures[0]); i++) {
		struct fake fake;
		struct both b;

		fake_new(&fake, captures[i]);
		both_init(&b);
		directory(&b, fake_path(&fake, "events"));
		printf("# %s: %lu with symbols, %lu without; said of %lu\n", captures[i], b.uses,
		       b.other, b.said);
		fake_free(&fake);
		assert_int_equal(b.wrong, 0);
		assert_true(b.uses > 0);
		assert_true(b.other > b.said);
		both_release(&b);
	}
}

/* A format file, without what is not looked at */
static const char *format(const char *field, const char *print)
{
	static char text[1024];

	snprintf(text, sizeof(text),
		 "name: x\nID: 1\nformat:\n"
		 "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		 "\n\tfield:%s;\toffset:8;\tsize:8;\tsigned:0;\n\nprint fmt: %s\n",
		 field, print);
	return text;
}

static bool names_code(const char *text)
{
	return tfs_format_names_code(text, strlen(text));
}

static void a_conversion_to_a_symbol_makes_use_of_them(void **state)
{
	static const char *const yes[] = {
		"\"%pS\", (void *)REC->v",     "\"%ps\", (void *)REC->v",
		"\"%pSR\", (void *)REC->v",    "\"%-20pF\", (void *)REC->v",
		"\"%*pf\", 8, (void *)REC->v", "\"at %\" \"pB\", (void *)REC->v",
		"\"%d %%p %pBb\", 1, REC->v",  "\"%s\", __get_stacktrace(v)",
		"\"%p\" \"S\", REC->v",
	};
	static const char *const no[] = {
		"\"%p\", (void *)REC->v",     "\"%pI4\", REC->v", "\"%pISpc\", REC->v",
		"\"%d ps pS\", REC->v",       "\"%d\", REC->v",   "\"%p for\", (void *)REC->v",
		"\"%lu %p\", REC->v, REC->v", "\"%p\", REC->Sum",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		if (!names_code(format("u64 v", yes[i])))
			fail_msg("not said of %s", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		if (names_code(format("u64 v", no[i])))
			fail_msg("said of %s", no[i]);
}

static void so_does_a_field_that_may_hold_an_address(void **state)
{
	static const char *const yes[] = {
		"void * v",
		"const struct sk_buff * skb",
		"unsigned long __probe_ip",
		"unsigned long __probe_func",
		"unsigned long caller_ip",
		"unsigned long ip",
		"unsigned long function",
		"unsigned long call_site",
		"unsigned long caller[8]",
		"unsigned long stack[16]",
		"__data_loc unsigned long[] stack",
		"initcall_t func",
		"u64 addr",
	};
	static const char *const no[] = {
		"long id",          "unsigned long args[6]",  "char next_comm[16]",
		"pid_t next_pid",   "__data_loc char[] name", "int prev_prio",
		"unsigned int vec", "long prev_state",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		if (!names_code(format(yes[i], "\"%lx\", REC->v")))
			fail_msg("not said of %s", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		if (names_code(format(no[i], "\"%lx\", REC->v")))
			fail_msg("said of %s", no[i]);
}

static void pointers_of_a_system_call_are_its_callers(void **state)
{
	(void)state;
	assert_false(names_code(
		format("int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n\tfield:char * buf",
		       "\"%lx\", REC->buf")));
	assert_true(names_code(
		format("int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n\tfield:char * buf",
		       "\"%ps\", REC->buf")));
}

static void an_unparsable_format_counts_as_printing_symbols(void **state)
{
	(void)state;
	assert_true(names_code(""));
	assert_true(names_code("name: x\nformat:\n\tfield:"));
	assert_false(names_code("\tfield:\n\tfield:;\nprint fmt: \"%"));
}

static void names_the_setting_that_makes_stacks_in_an_instance(void **state)
{
	struct tfs_instance inst;
	struct fake fake;

	(void)state;
	fake_new(&fake, NULL);
	assert_int_equal(tfs_instance_named(&inst, "x", NULL), 0);
	assert_string_equal(tfs_instance_names_code(fake.root, &inst), "");
	fake_put(&fake, "instances/x/current_tracer", "nop\n");
	assert_string_equal(tfs_instance_names_code(fake.root, &inst), "");
	fake_put(&fake, "instances/x/trace_options", "print-parent\nnostacktrace\nmarkers\n");
	assert_null(tfs_instance_names_code(fake.root, &inst));
	fake_put(&fake, "instances/x/trace_options", "print-parent\nstacktrace\nmarkers\n");
	assert_string_equal(tfs_instance_names_code(fake.root, &inst), "stacktrace");
	fake_put(&fake, "instances/x/trace_options", "copy_trace_marker\n");
	assert_null(tfs_instance_names_code(fake.root, &inst));
	fake_put(&fake, "instances/x/current_tracer", "function\n");
	assert_string_equal(tfs_instance_names_code(fake.root, &inst), "a tracer");
	fake_free(&fake);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_types_printed_with_symbols),
		cmocka_unit_test(a_conversion_to_a_symbol_makes_use_of_them),
		cmocka_unit_test(so_does_a_field_that_may_hold_an_address),
		cmocka_unit_test(pointers_of_a_system_call_are_its_callers),
		cmocka_unit_test(an_unparsable_format_counts_as_printing_symbols),
		cmocka_unit_test(names_the_setting_that_makes_stacks_in_an_instance),
	};

	if (argc > 1)
		return by_arguments(argc, argv);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
