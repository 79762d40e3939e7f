/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
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

#include "base/macros.h"
#include "base/strbuf-core.h"
#include "lib/skip.h"
#include "printfmt/env.h"
#include "printfmt/indent.h"
#include "printfmt/native.h"

#define RECORDS 3000
#define SIZE_MAX_TESTED 400
#define ID 77

/*
 * Fields after the common ones, as "type name", "type name[N]" or "type name[]"; the last has the
 * rest of the record. Layouts of kernels from 3.x to 6.18.
 */
static const struct layout {
	const char *system, *name, *fields, *print;
} layouts[] = {
	{ "sched", "sched_switch",
	  "char prev_comm[16];int prev_pid;int prev_prio;long prev_state;char next_comm[16];"
	  "int next_pid;int next_prio",
	  NULL },
	/* 6.18's, and an older one's, shortened to what names the states */
	{ "sched", "sched_switch",
	  "char prev_comm[16];int prev_pid;int prev_prio;long prev_state;char next_comm[16];"
	  "int next_pid;int next_prio",
	  "\"prev_comm=%s prev_state=%s%s\", REC->prev_comm, (REC->prev_state & ((((0x0 | 0x1 |"
	  " 0x40) + 1) << 1) - 1)) ? __print_flags(REC->prev_state & ((((0x0 | 0x1 | 0x40) + 1)"
	  " << 1) - 1), \"|\", { 0x00000001, \"S\" }, { 0x00000002, \"D\" }, { 0x00000004, \"T\" },"
	  " { 0x00000008, \"t\" }, { 0x00000010, \"X\" },"
	  " { 0x00000020, \"Z\" }, { 0x00000040, \"P\" },"
	  " { 0x00000080, \"I\" }) : \"R\", REC->prev_state & 0x100 ? \"+\" : \"\"" },
	{ "sched", "sched_switch",
	  "char prev_comm[16];int prev_pid;int prev_prio;long prev_state;char next_comm[16];"
	  "int next_pid;int next_prio",
	  "\"prev_state=%s%s\", REC->prev_state & (1024-1) ? __print_flags(REC->prev_state &"
	  " (1024-1), \"|\", { 1, \"S\"} , { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, \"Z\" },"
	  " { 32, \"X\" }, { 64, \"x\" }, { 128, \"K\" }, { 256, \"W\" }, { 512, \"P\" }) : \"R\","
	  " REC->prev_state & 1024 ? \"+\" : \"\"" },
	{ "sched", "sched_wakeup", "char comm[16];int pid;int prio;int target_cpu", NULL },
	{ "sched", "sched_wakeup", "char comm[16];int pid;int prio;int success;int target_cpu",
	  NULL },
	{ "sched", "sched_wakeup_new", "char comm[16];int pid;int prio;int success", NULL },
	{ "sched", "sched_wakeup_new", "char comm[16];int pid;int prio", NULL },
	{ "kmem", "kmalloc",
	  "long call_site;long ptr;long bytes_req;long bytes_alloc;long gfp_flags;int node", NULL },
	{ "kmem", "kmalloc_node", "long call_site;long ptr", NULL },
	{ "kmem", "kfree", "long call_site;long ptr", NULL },
	{ "kmem", "kmem_cache_alloc", "long call_site;long ptr", NULL },
	{ "kmem", "kmem_cache_alloc_node", "long call_site;long ptr", NULL },
	{ "kmem", "kmem_cache_free", "long call_site;long ptr", NULL },
	{ "timer", "hrtimer_start",
	  "long hrtimer;long function;u64 expires;u64 softexpires;int mode", NULL },
	{ "timer", "hrtimer_expire_entry", "long hrtimer;u64 now;long function", NULL },
	{ "syscalls", "sys_enter_futex",
	  "int nr;long uaddr;long op;long val;long utime;long uaddr2;long val3", NULL },
	{ "tlb", "tlb_flush", "int reason;long pages", NULL },
	{ "ftrace", "function", "long ip;long parent_ip", NULL },
	{ "ftrace", "function", "long ip;long parent_ip;long args[]", NULL },
	{ "ftrace", "kernel_stack", "int size;long caller[8]", NULL },
	{ "ftrace", "kernel_stack", "int size;long caller[]", NULL },
	{ "ftrace", "raw_data", "int id;char buf[]", NULL },
};

#define LAYOUTS ARRAY_SIZE(layouts)

struct fixture {
	struct tep_handle *tep;
	struct tep_plugin_list *plugins;
	struct tep_event *event;
	struct tfs_format_env env;
	struct tfs_native *native;
	struct tfs_indent *indent;
	struct tfs_strbuf text;
	uint64_t seed;
	unsigned char data[SIZE_MAX_TESTED + 64];
};

/* Addresses of functions: some have a module, one a name that another has, too. */
static const struct {
	uint64_t addr;
	const char *name, *module;
} functions[] = {
	{ 0x1000, "alpha", NULL },          { 0x1010, "beta", NULL },
	{ 0x1100, "gamma", "mod" },         { 0x2000, "beta", NULL },
	{ 0x2004, "delta", NULL },          { 0x80000000, "high32", NULL },
	{ 0x80000100, "alpha", NULL },      { 0xffffffff81000000, "_stext", NULL },
	{ 0xffffffff81000040, "eta", "m" }, { 0xffffffff81000100, "last", NULL },
};

#define FUNCTIONS ARRAY_SIZE(functions)

static const char *symbol(const void *tep, uint64_t addr, uint64_t *start)
{
	struct tep_handle *handle = (struct tep_handle *)tep;

	*start = tep_find_function_address(handle, addr);
	return tep_find_function(handle, addr);
}

static void release(struct fixture *f)
{
	tfs_native_free(f->native);
	tfs_indent_free(f->indent);
	if (f->plugins)
		tep_unload_plugins(f->plugins, f->tep);
	if (f->tep)
		tep_free(f->tep);
	f->native = NULL;
	f->indent = NULL;
	f->plugins = NULL;
	f->tep = NULL;
	tfs_strbuf_release(&f->text);
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	tep_set_loglevel(TEP_LOG_NONE);
	tfs_strbuf_init(&f->text);
	f->seed = 1;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	release(*state);
	free(*state);
	return 0;
}

/* A new handle with libtraceevent's plugins. */
static void open_tep(struct fixture *f, unsigned int long_size, bool big)
{
	size_t i;

	release(f);
	f->tep = tep_alloc();
	assert_non_null(f->tep);
	tep_set_long_size(f->tep, (int)long_size);
	tep_set_file_bigendian(f->tep, big ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(f->tep, tep_is_bigendian() ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	for (i = 0; i < FUNCTIONS; i++)
		if (long_size == 8 || functions[i].addr <= UINT32_MAX)
			tep_register_function(f->tep, (char *)functions[i].name, functions[i].addr,
					      (char *)functions[i].module);
	f->plugins = tep_load_plugins(f->tep);
	f->env = (struct tfs_format_env){
		.big = big, .long_size = long_size, .symbol = symbol, .symbols = f->tep
	};
	assert_int_equal(tfs_indent_new(&f->indent), 0);
}

static unsigned int type_size(const char *type, size_t len, unsigned int long_size)
{
	if (!strncmp(type, "long", len))
		return long_size;
	if (!strncmp(type, "u64", len))
		return 8;
	return strncmp(type, "char", len) ? 4 : 1;
}

/* The event as the kernel would describe it. */
static void parse(struct fixture *f, const struct layout *l)
{
	unsigned int at = 8, size, n, long_size = (unsigned int)tep_get_long_size(f->tep);
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	const char *p = l->fields, *blank, *bracket;
	int len;

	tfs_strbuf_addf(&sb,
			"name: %s\nID: %d\nformat:\n"
			"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
			"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;"
			"\tsigned:0;\n"
			"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n",
			l->name, ID);
	for (; *p; p += len + (p[len] == ';')) {
		len = (int)strcspn(p, ";");
		blank = strchr(p, ' ');
		bracket = memchr(p, '[', (size_t)len);
		size = type_size(p, (size_t)(blank - p), long_size);
		n = bracket ? (unsigned int)strtoul(bracket + 1, NULL, 10) : 1;
		at = (at + size - 1) / size * size;
		tfs_strbuf_addf(&sb, "\tfield:%.*s;\toffset:%u;\tsize:%u;\tsigned:0;\n", len, p, at,
				size * n);
		at += size * n;
	}
	assert_int_equal(tfs_strbuf_addf(&sb, "\nprint fmt: %s\n", l->print ? l->print : "\"x\""),
			 0);
	assert_int_equal(tep_parse_event(f->tep, sb.s, sb.len, l->system), 0);
	tfs_strbuf_release(&sb);
	f->event = tep_find_event(f->tep, ID);
	assert_non_null(f->event);
}

static void open_event(struct fixture *f, const struct layout *l, unsigned int long_size, bool big)
{
	open_tep(f, long_size, big);
	parse(f, l);
	if (!f->event->handler)
		skip_because("libtraceevent's plugins are not installed");
	assert_int_equal(tfs_native_compile(f->event, &f->env, &f->native), 0);
}

static uint64_t any(struct fixture *f)
{
	f->seed = f->seed * 6364136223846793005u + 1442695040888963407u;
	return f->seed >> 33 ^ f->seed << 20;
}

static void store(const struct fixture *f, unsigned char *p, unsigned int size, uint64_t n)
{
	unsigned int i;

	for (i = 0; i < size; i++)
		p[f->env.big ? size - 1 - i : i] = (unsigned char)(n >> 8 * i);
}

/* A number that means something, or is one of those where things change. */
static uint64_t any_number(struct fixture *f)
{
	static const uint64_t edges[] = { 0,          1,          2,          9,         10,
					  99,         100,        127,        128,       129,
					  255,        256,        384,        999,       1000,
					  INT32_MAX,  INT32_MIN,  UINT32_MAX, INT64_MAX, INT64_MIN,
					  UINT64_MAX, 0xffffffff, 1ull << 32 };

	switch (any(f) % 4) {
	case 0:
		return edges[any(f) % (ARRAY_SIZE(edges))];
	case 1:
		return functions[any(f) % FUNCTIONS].addr + any(f) % 3;
	case 2:
		return any(f) % 14 + (any(f) % 4 << 7);
	default:
		return any(f) << 32 ^ any(f);
	}
}

static void make_up(struct fixture *f)
{
	struct tep_format_field *field;
	size_t i;

	for (i = 0; i < sizeof(f->data); i++)
		f->data[i] = (unsigned char)(any(f) % 3 ? ' ' + any(f) % 95 : any(f));
	for (field = f->event->format.fields; field; field = field->next) {
		if (field->flags & TEP_FIELD_IS_STRING && field->size)
			f->data[field->offset + any(f) % 20] = '\0';
		else if (field->size == 8 || field->size == 4)
			store(f, f->data + field->offset, (unsigned int)field->size, any_number(f));
		else
			for (i = 0; i < 10; i++)
				store(f, f->data + field->offset + i * f->env.long_size,
				      f->env.long_size, any_number(f));
	}
	store(f, f->data, 2, ID);
}

/* One record through ours and libtraceevent's handler; the result of ours. */
static int both(struct fixture *f, size_t size, unsigned int cpu)
{
	struct tep_record record = {
		.data = f->data, .size = (int)size, .cpu = (int)cpu, .ref_count = 1
	};
	struct tfs_native_rec rec = { .data = f->data, .size = size };
	struct trace_seq seq;
	int rc, theirs;

	trace_seq_init(&seq);
	tfs_strbuf_reset(&f->text);
	rc = tfs_native_indent(f->native, f->indent, cpu, &rec);
	assert_true(rc >= 0);
	rec.indent = (unsigned int)rc;
	rc = tfs_native_run(f->native, &rec, &f->text);
	if (rc != TFS_NATIVE_NOT_ME) {
		theirs = f->event->handler(&seq, &record, f->event, f->event->context);
		assert_int_equal(rc == TFS_NATIVE_DONE, theirs == 0);
		trace_seq_terminate(&seq);
		assert_string_equal(f->text.s, seq.buffer);
		assert_int_equal(f->text.len, seq.len);
	}
	trace_seq_destroy(&seq);
	return rc;
}

static void compare(struct fixture *f, const struct layout *l, unsigned int long_size, bool big)
{
	unsigned int i, done = 0;
	size_t size;

	open_event(f, l, long_size, big);
	for (i = 0; i < RECORDS; i++) {
		make_up(f);
		size = i % 10 ? 96 + any(f) % 8 * 8 : any(f) % 128;
		done += both(f, size, (unsigned int)(any(f) % 3)) != TFS_NATIVE_NOT_ME;
	}
	/* Else the comparison says nothing. */
	assert_true(done > RECORDS / 2);
}

static void assert_not_ours(struct fixture *f)
{
	struct tfs_native *native;

	assert_int_equal(tfs_native_compile(f->event, &f->env, &native), -ENOENT);
}

static const struct layout *layout(const char *name)
{
	size_t i;

	for (i = 0; strcmp(layouts[i].name, name); i++)
		;
	return &layouts[i];
}

static void text_is_that_of_the_plugin(void **state)
{
	size_t i;

	for (i = 0; i < LAYOUTS; i++)
		compare(*state, &layouts[i], 8, false);
}

static void so_it_is_for_narrow_longs(void **state)
{
	size_t i;

	for (i = 0; i < LAYOUTS; i++)
		if (strcmp(layouts[i].name, "raw_data"))
			compare(*state, &layouts[i], 4, false);
}

/* The plugin prints as many bytes for each step as this machine's long has: each of them twice. */
static void a_plugin_that_prints_something_else_is_noticed(void **state)
{
	struct fixture *f = *state;

	open_tep(f, 4, false);
	parse(f, layout("raw_data"));
	if (!f->event->handler)
		skip_because("libtraceevent's plugins are not installed");
	assert_not_ours(f);
}

static void so_it_is_for_the_other_byte_order(void **state)
{
	size_t i;

	for (i = 0; i < LAYOUTS; i++)
		compare(*state, &layouts[i], 8, true);
}

struct learnt {
	int pid[2];
	char comm[2][32];
	unsigned int n;
};

static int learn(void *context, int pid, const char *comm, size_t len)
{
	struct learnt *l = context;

	assert_true(l->n < 2 && len < sizeof(l->comm[0]));
	l->pid[l->n] = pid;
	memcpy(l->comm[l->n++], comm, len);
	return 0;
}

static void reports_task_names(void **state)
{
	struct fixture *f = *state;
	struct tfs_native_rec rec = { .data = f->data, .size = 64 };
	struct learnt learnt = { { 0 }, { "" }, 0 };
	const struct tfs_learn to = { learn, &learnt };

	open_event(f, &layouts[0], 8, false);
	memcpy(f->data + 8, "sixteen--letters", 16);
	store(f, f->data + 24, 4, 4711);
	memcpy(f->data + 40, "next", 5);
	store(f, f->data + 56, 4, 12);
	assert_int_equal(tfs_native_run(f->native, &rec, &f->text), TFS_NATIVE_DONE);
	assert_string_equal(f->text.s, "sixteen--letters:4711 [0] R ==> next:12 [0]");
	assert_int_equal(tfs_native_learn(f->native, &rec, &to), 0);
	assert_int_equal(learnt.n, 2);
	assert_int_equal(learnt.pid[0], 4711);
	assert_string_equal(learnt.comm[0], "sixteen--letters");
	assert_int_equal(learnt.pid[1], 12);
	assert_string_equal(learnt.comm[1], "next");
	/* The task names that the plugin learns from it. */
	both(f, 64, 0);
	assert_string_equal(tep_data_comm_from_pid(f->tep, 4711), "sixteen--letters");
	assert_string_equal(tep_data_comm_from_pid(f->tep, 12), "next");
}

static int other(struct trace_seq *s, struct tep_record *record, struct tep_event *event,
		 void *context)
{
	(void)record;
	(void)event;
	(void)context;
	return trace_seq_puts(s, "mine");
}

static void a_handler_of_the_user_s_is_left_alone(void **state)
{
	struct fixture *f = *state;

	open_tep(f, 8, false);
	tep_register_event_handler(f->tep, -1, "sched", "sched_switch", other, NULL);
	parse(f, &layouts[0]);
	assert_not_ours(f);
}

static void flags_that_switch_handlers_off_count(void **state)
{
	struct fixture *f = *state;

	open_event(f, &layouts[0], 8, false);
	f->event->flags |= TEP_EVENT_FL_NOHANDLE;
	assert_not_ours(f);
	f->event->flags &= ~TEP_EVENT_FL_NOHANDLE;
	f->event->flags |= TEP_EVENT_FL_PRINTRAW;
	assert_not_ours(f);
}

static void a_state_without_a_bit_is_noticed(void **state)
{
	struct layout l = layouts[0];
	struct fixture *f = *state;

	open_event(f, &l, 8, false);
	assert_false(tfs_native_hangs(f->event));
	l.print = layouts[1].print;
	open_event(f, &l, 8, false);
	assert_false(tfs_native_hangs(f->event));
	open_tep(f, 8, false);
	l.print = "\"%s\","
		  " __print_flags(REC->prev_state, \"|\", { 1, \"S\" }, { 0, \"R\" })";
	parse(f, &l);
	assert_true(tfs_native_hangs(f->event));
}

/* Options stay as they are for the whole process: the last test. */
static void options_of_the_plugin_are_the_plugin_s(void **state)
{
	static const char *const names[] = { "function", "kernel_stack" };
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < 2; i++)
		open_event(f, layout(names[i]), 8, false);
	assert_int_equal(tep_plugin_add_option("offset", NULL), 0);
	for (i = 0; i < 2; i++) {
		open_tep(f, 8, false);
		parse(f, layout(names[i]));
		assert_not_ours(f);
	}
}

static void events_without_the_printed_fields_are_left_alone(void **state)
{
	static const struct layout less[] = {
		{ "sched", "sched_switch", "char prev_comm[16];int prev_pid;int prev_prio", NULL },
		{ "sched", "sched_wakeup", "int pid;int prio", NULL },
		{ "ftrace", "kernel_stack", "int size", NULL },
		{ "sched", "sched_migrate_task", "char comm[16];int pid;int prio", NULL },
	};
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(less); i++) {
		open_tep(f, 8, false);
		parse(f, &less[i]);
		assert_not_ours(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(text_is_that_of_the_plugin, set_up, tear_down),
		cmocka_unit_test_setup_teardown(so_it_is_for_narrow_longs, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_plugin_that_prints_something_else_is_noticed,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(so_it_is_for_the_other_byte_order, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(reports_task_names, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_handler_of_the_user_s_is_left_alone, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(flags_that_switch_handlers_off_count, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_state_without_a_bit_is_noticed, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(events_without_the_printed_fields_are_left_alone,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(options_of_the_plugin_are_the_plugin_s, set_up,
						tear_down),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
