/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/symbolize.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "decode/trace.h"
#include "dso/demangle.h"
#include "lib/dat_build.h"
#include "lib/dat_open.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-maps.h"
#include "tracedat/dat-private.h"
#include "tracedat/dat-symbols.h"
#include "tracedat/dat-tasks.h"

/*
 * Two programs: process 10 runs the first from 1000 on, then the second: seen at 5000, when the
 * first had been seen at 3000 for the last time. Process 20 is another one from 8000 on, and that
 * is known. Process 30 has an object for each reason not to have a name.
 */
static const struct tfs_dat_object objects[] = {
	{ TFS_DAT_OBJECT_READ, 0x1000, "/bin/a", "aa" },
	{ TFS_DAT_OBJECT_READ, 0, "/bin/b", "bb" },
	{ TFS_DAT_OBJECT_READ | TFS_DAT_OBJECT_DIFFERS, 0, "/bin/replaced", "cc" },
	{ TFS_DAT_OBJECT_MISSING, 0, "/bin/gone", "dd" },
	{ TFS_DAT_OBJECT_READ | TFS_DAT_OBJECT_JIT, 0, "/tmp/perf-30.map", "" },
	{ TFS_DAT_OBJECT_READ | TFS_DAT_OBJECT_VDSO, 0, "[vdso]", "ee" },
};

static const struct tfs_dat_map map_a[] = { { 0x7000, 0x9000, 0x3000, 0x4000, 0 } };
static const struct tfs_dat_map map_b[] = { { 0x8000, 0xa000, 0x1000, 0x1000, 1 } };
static const struct tfs_dat_map map_all[] = {
	{ 0x10000, 0x11000, 0, 0, 2 },
	{ 0x20000, 0x21000, 0, 0, 3 },
	{ 0x30000, 0x31000, 0, 0x30000, 4 },
	{ 0x40000, 0x41000, 0, 0, 5 },
	{ 0x50000, 0x51000, 0, 0, TFS_DAT_NO_OBJECT },
};

static const struct tfs_dat_image images[] = {
	{ 10, 0, 1000, 1000, 3000, map_a, 1 },
	{ 10, 0, 0, 5000, 6000, map_b, 1 },
	{ 20, 0, 0, 2000, 6000, map_a, 1 },
	{ 20, 0, 8000, 9000, 9500, map_b, 1 },
	{ 30, 0, 0, 2000, 9000, map_all, ARRAY_SIZE(map_all) },
};

static const struct tfs_dat_symbol in_a[] = { { 0x4000, 0x5000, "_ZN3foo3barEi" },
					      { 0x5000, 0x5800, "late" } };
static const struct tfs_dat_symbol in_b[] = { { 0x1000, 0x3000, "other" } };
static const struct tfs_dat_symbol in_all[] = { { 0, 0x100000, "wrong" } };
static const struct tfs_dat_symbol in_jit[] = { { 0x30100, 0x30200, "py::f" } };
static const struct tfs_dat_symbol in_vdso[] = { { 0x500, 0x600, "__vdso_time" } };

static const struct tfs_dat_task tasks[] = {
	{ 10, 10, 1, 10, 0, 0, "a", "/bin/a", "/" },
	{ 11, 10, 1, 2, 0, 0, "worker", "", "" },
	{ 12, 10, 1, 3, 0, 500, "first", "", "" },
	{ 12, 20, 1, 4, 0, 7000, "second", "", "" },
};

static void add_objects(struct dat_builder *d)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	assert_int_equal(tfs_dat_private_begin(&sb), 0);
	for (size_t i = 0; i < ARRAY_SIZE(objects); i++)
		assert_int_equal(tfs_dat_objects_add(&sb, &objects[i]), 0);
	dat_option(d, TFS_DAT_PRIVATE_OBJECTS, sb.s, sb.len);
	tfs_strbuf_reset(&sb);
	assert_int_equal(tfs_dat_private_begin(&sb), 0);
	for (size_t i = 0; i < ARRAY_SIZE(images); i++)
		assert_int_equal(tfs_dat_maps_add(&sb, &images[i]), 0);
	dat_option(d, TFS_DAT_PRIVATE_MAPS, sb.s, sb.len);
	tfs_strbuf_reset(&sb);
	assert_int_equal(tfs_dat_private_begin(&sb), 0);
	for (size_t i = 0; i < ARRAY_SIZE(tasks); i++)
		assert_int_equal(tfs_dat_tasks_add(&sb, &tasks[i]), 0);
	dat_option(d, TFS_DAT_PRIVATE_TASKS, sb.s, sb.len);
	tfs_strbuf_release(&sb);
}

/* Two options, as when the names of one are too many. */
static void add_symbols(struct dat_builder *d)
{
	for (int part = 0; part < 2; part++) {
		struct tfs_dat_symbols_writer w = TFS_DAT_SYMBOLS_WRITER_INIT;
		struct tfs_strbuf sb = TFS_STRBUF_INIT;

		assert_int_equal(tfs_dat_private_begin(&sb), 0);
		if (!part) {
			assert_int_equal(tfs_dat_symbols_add(&w, 0, in_a, 2), 0);
			assert_int_equal(tfs_dat_symbols_add(&w, 1, in_b, 1), 0);
		} else {
			assert_int_equal(tfs_dat_symbols_add(&w, 2, in_all, 1), 0);
			assert_int_equal(tfs_dat_symbols_add(&w, 3, in_all, 1), 0);
			assert_int_equal(tfs_dat_symbols_add(&w, 4, in_jit, 1), 0);
			assert_int_equal(tfs_dat_symbols_add(&w, 5, in_vdso, 1), 0);
			assert_int_equal(tfs_dat_symbols_add(&w, 6, in_all, 1), 0);
		}
		assert_int_equal(tfs_dat_symbols_finish(&w, &sb), 0);
		dat_option(d, TFS_DAT_PRIVATE_SYMBOLS, sb.s, sb.len);
		tfs_strbuf_release(&sb);
		tfs_dat_symbols_writer_release(&w);
	}
}

static struct tfs_trace *make_trace(bool with_names, const char *offset)
{
	struct dat_spec spec = { .kallsyms = "ffffffff81000100 T vfs_read\n"
					     "ffffffffc0000000 t ext4_sync\t[ext4]\n"
					     "ffffffffc0001000 t ext4_end\t[ext4]\n" };
	struct tfs_trace *trace;
	struct dat_builder d;

	dat_begin(&d, &spec);
	dat_metadata(&d);
	if (offset)
		dat_option(&d, TFS_DAT_OFFSET, offset, strlen(offset) + 1);
	if (with_names) {
		add_objects(&d);
		add_symbols(&d);
	}
	assert_int_equal(tfs_trace_open_dat(dat_open_built(&d),
					    &(struct tfs_trace_opts){ .no_plugins = true }, &trace,
					    NULL),
			 0);
	return trace;
}

struct fixture {
	struct tfs_trace *trace;
	struct tfs_symbolize *s;
};

static void open_names(struct fixture *f, unsigned int flags)
{
	f->trace = make_trace(true, NULL);
	assert_int_equal(tfs_symbolize_new(f->trace, &(struct tfs_symbolize_opts){ .flags = flags },
					   &f->s),
			 0);
}

static void close_names(struct fixture *f)
{
	tfs_symbolize_free(f->s);
	tfs_trace_free(f->trace);
}

static const char *name_at(const struct fixture *f, int tgid, uint64_t ts, uint64_t addr)
{
	struct tfs_symbol_at at;

	return tfs_symbolize_user(f->s, tgid, ts, addr, &at) ? at.name :
							       tfs_symbol_why_text(at.why);
}

static void an_address_has_name_object_and_offset(void **state)
{
	struct tfs_symbol_at at;
	struct fixture f;

	(void)state;
	open_names(&f, 0);
	assert_true(tfs_symbolize_has_maps(f.s));
	assert_true(tfs_symbolize_user(f.s, 10, 1500, 0x8010, &at));
	assert_string_equal(at.name, "late");
	assert_string_equal(at.object, "/bin/a");
	assert_string_equal(at.build_id, "aa");
	assert_int_equal(at.address, 0x5010);
	assert_int_equal(at.offset, 0x10);
	assert_int_equal(at.size, 0x800);
	assert_int_equal(at.map_start, 0x7000);
	assert_int_equal(at.map_offset, 0x3000);
	assert_int_equal(at.kind, TFS_SYMBOL_IN_FILE);
	assert_true(tfs_symbolize_user(f.s, 10, 1500, 0x7004, &at));
	assert_string_equal(at.mangled, "_ZN3foo3barEi");
	assert_string_equal(at.name, tfs_demangle_is_built_in() ? "foo::bar" : "_ZN3foo3barEi");
	close_names(&f);
	open_names(&f, TFS_SYMBOLIZE_MANGLED);
	assert_string_equal(name_at(&f, 10, 1500, 0x7004), "_ZN3foo3barEi");
	close_names(&f);
}

static void exec_gives_other_names(void **state)
{
	struct fixture f;

	(void)state;
	open_names(&f, 0);
	assert_string_equal(name_at(&f, 10, 999, 0x8010), "no maps of the process");
	assert_string_equal(name_at(&f, 10, 3000, 0x8010), "late");
	assert_string_equal(name_at(&f, 10, 5000, 0x8010), "other");
	assert_string_equal(name_at(&f, 10, 99999, 0x8010), "other");
	/* in between it ran either; an address that only one of them has shows which */
	assert_string_equal(name_at(&f, 10, 4000, 0x8010), "one of two programs");
	assert_string_equal(name_at(&f, 10, 4000, 0x9010), "other");
	assert_string_equal(name_at(&f, 10, 4000, 0x6000), "not mapped when its maps were read");
	/* of this one it is known when the other began */
	assert_string_equal(name_at(&f, 20, 7999, 0x8010), "late");
	assert_string_equal(name_at(&f, 20, 8000, 0x8010), "other");
	/* before it was seen first, it was the same */
	assert_string_equal(name_at(&f, 20, 1, 0x8010), "late");
	close_names(&f);
}

static void it_is_said_why_there_is_no_name(void **state)
{
	struct tfs_symbol_at at;
	struct fixture f;

	(void)state;
	open_names(&f, 0);
	/* although a symbol is there */
	assert_string_equal(name_at(&f, 30, 5000, 0x10010), "the file was replaced");
	assert_string_equal(name_at(&f, 30, 5000, 0x20010), "the file is gone");
	assert_string_equal(name_at(&f, 30, 5000, 0x30100), "py::f");
	assert_string_equal(name_at(&f, 30, 5000, 0x30200), "no symbol");
	assert_string_equal(name_at(&f, 30, 5000, 0x40580), "__vdso_time");
	assert_string_equal(name_at(&f, 99, 5000, 0x40580), "no maps of the process");
	assert_string_equal(name_at(&f, -1, 5000, 0x40580), "no maps of the process");
	assert_string_equal(name_at(&f, 30, 5000, 0x60000), "not mapped when its maps were read");
	assert_false(tfs_symbolize_user(f.s, 30, 5000, 0x50010, &at));
	assert_int_equal(at.kind, TFS_SYMBOL_IN_MEMORY);
	assert_int_equal(at.why, TFS_SYMBOL_NO_SYMBOL);
	assert_null(at.object);
	assert_false(tfs_symbolize_user(f.s, 30, 5000, 0x10010, &at));
	assert_string_equal(at.object, "/bin/replaced");
	assert_int_equal(at.address, 0x10);
	close_names(&f);
}

/* 0x7000 is 0x4000 in /bin/a: 0x8000 is where the one function ends and the next begins. */
static void a_call_at_the_end_of_a_function_is_in_it(void **state)
{
	struct tfs_symbol_at at;
	struct fixture f;

	(void)state;
	open_names(&f, TFS_SYMBOLIZE_MANGLED);
	assert_string_equal(name_at(&f, 10, 1500, 0x8000), "late");
	assert_true(tfs_symbolize_caller(f.s, 10, 1500, 0x8000, &at));
	assert_string_equal(at.name, "_ZN3foo3barEi");
	assert_int_equal(at.offset, 0x1000);
	assert_int_equal(at.address, 0x5000);
	assert_false(tfs_symbolize_caller(f.s, 10, 1500, 0x7000, &at));
	close_names(&f);
}

static void times_are_compared_as_events_have_them(void **state)
{
	struct fixture f = { .trace = make_trace(true, "1000000") };

	(void)state;
	assert_int_equal(tfs_symbolize_new(f.trace, NULL, &f.s), 0);
	assert_string_equal(name_at(&f, 20, 1007999, 0x8010), "late");
	assert_string_equal(name_at(&f, 20, 1008000, 0x8010), "other");
	tfs_symbolize_free(f.s);
	assert_int_equal(tfs_symbolize_new(f.trace,
					   &(struct tfs_symbolize_opts){ .ts_offset = -1000000 },
					   &f.s),
			 0);
	assert_string_equal(name_at(&f, 20, 7999, 0x8010), "late");
	assert_string_equal(name_at(&f, 20, 8000, 0x8010), "other");
	close_names(&f);
}

static void threads_have_processes(void **state)
{
	struct fixture f;

	(void)state;
	open_names(&f, 0);
	assert_int_equal(tfs_symbolize_tgid(f.s, 11, 1500), 10);
	assert_int_equal(tfs_symbolize_tgid(f.s, 12, 6999), 10);
	assert_int_equal(tfs_symbolize_tgid(f.s, 12, 7000), 20);
	assert_int_equal(tfs_symbolize_tgid(f.s, 12, 499), -1);
	assert_int_equal(tfs_symbolize_tgid(f.s, 77, 7000), -1);
	assert_string_equal(tfs_symbolize_task(f.s, 12, 7000)->comm, "second");
	close_names(&f);
}

static void kernel_addresses_have_modules(void **state)
{
	struct tfs_symbol_at at;
	struct fixture f;

	(void)state;
	open_names(&f, TFS_SYMBOLIZE_KERNEL);
	assert_true(tfs_symbolize_kernel(f.s, 0xffffffffc0000123, &at));
	assert_int_equal(at.name_len, strlen("ext4_sync"));
	assert_memory_equal(at.name, "ext4_sync", at.name_len);
	assert_int_equal(at.offset, 0x123);
	assert_int_equal(at.size, 0x1000);
	assert_memory_equal(at.module, "[ext4]", at.module_len);
	assert_true(tfs_symbolize_kernel(f.s, 0xffffffff81000100, &at));
	assert_memory_equal(at.name, "vfs_read", at.name_len);
	assert_null(at.module);
	assert_false(tfs_symbolize_kernel(f.s, 0x100, &at));
	close_names(&f);
}

static void a_recording_without_names_has_none(void **state)
{
	struct fixture f = { .trace = make_trace(false, NULL) };

	(void)state;
	assert_int_equal(tfs_symbolize_new(f.trace, NULL, &f.s), 0);
	assert_false(tfs_symbolize_has_maps(f.s));
	assert_string_equal(name_at(&f, 10, 1500, 0x8010), "no maps of the process");
	assert_int_equal(tfs_symbolize_tgid(f.s, 11, 1500), -1);
	close_names(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_has_name_object_and_offset),
		cmocka_unit_test(exec_gives_other_names),
		cmocka_unit_test(it_is_said_why_there_is_no_name),
		cmocka_unit_test(a_call_at_the_end_of_a_function_is_in_it),
		cmocka_unit_test(times_are_compared_as_events_have_them),
		cmocka_unit_test(threads_have_processes),
		cmocka_unit_test(kernel_addresses_have_modules),
		cmocka_unit_test(a_recording_without_names_has_none),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
