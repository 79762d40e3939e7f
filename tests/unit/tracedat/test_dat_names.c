/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options that hold names: dat-maps.h, dat-symbols.h, dat-tasks.h, dat-records.h */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf-core.h"
#include "lib/bytes.h"
#include "lib/dat_build.h"
#include "lib/dat_open.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-maps.h"
#include "tracedat/dat-private.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-records.h"
#include "tracedat/dat-symbols.h"
#include "tracedat/dat-tasks.h"

/* One option of each id; an empty one is left out. */
struct options {
	struct bytes objects, maps, symbols, tasks;
};

static struct tfs_dat *file_with(bool big, const struct options *o, size_t cut)
{
	const struct {
		uint16_t id;
		const struct bytes *b;
	} all[] = {
		{ TFS_DAT_PRIVATE_OBJECTS, &o->objects },
		{ TFS_DAT_PRIVATE_MAPS, &o->maps },
		{ TFS_DAT_PRIVATE_SYMBOLS, &o->symbols },
		{ TFS_DAT_PRIVATE_TASKS, &o->tasks },
	};
	struct dat_spec spec = { .big = big };
	struct dat_builder d;

	dat_begin(&d, &spec);
	dat_metadata(&d);
	for (size_t i = 0; i < 4; i++) {
		size_t size = all[i].b->sb.len;

		if (size)
			dat_option(&d, all[i].id, all[i].b->sb.s, size < cut ? size : cut);
	}
	return dat_open_built(&d);
}

static void release(struct options *o)
{
	bytes_release(&o->objects);
	bytes_release(&o->maps);
	bytes_release(&o->symbols);
	bytes_release(&o->tasks);
}

static void head(struct bytes *b, uint16_t type, uint32_t size)
{
	bytes_u16(b, type);
	bytes_u32(b, size);
}

/* As Documentation/trace.dat.5 describes them, byte by byte; with a type of tomorrow among them. */
static void by_hand(struct options *o, bool big)
{
	bytes_init(&o->objects, big);
	bytes_u32(&o->objects, 0x01020304);
	head(&o->objects, 1, 4 + 8 + 4 + 2 + 7);
	bytes_u32(&o->objects, TFS_DAT_OBJECT_READ);
	bytes_u64(&o->objects, 0x1000);
	bytes_u32(&o->objects, 2);
	bytes_u8(&o->objects, 0xc0);
	bytes_u8(&o->objects, 0x1f);
	bytes_strz(&o->objects, "/bin/a");
	head(&o->objects, 999, 3);
	bytes_text(&o->objects, "new");

	bytes_init(&o->maps, big);
	bytes_u32(&o->maps, 0x01020304);
	head(&o->maps, 1, 8 + 24 + 4 + 2 * 36);
	bytes_u32(&o->maps, 41);
	bytes_u32(&o->maps, 0);
	bytes_u64(&o->maps, 100);
	bytes_u64(&o->maps, 110);
	bytes_u64(&o->maps, 190);
	bytes_u32(&o->maps, 2);
	for (unsigned int i = 0; i < 2; i++) {
		bytes_u64(&o->maps, i ? 0x400000 : 0x500000);
		bytes_u64(&o->maps, i ? 0x402000 : 0x501000);
		bytes_u64(&o->maps, 0x3000);
		bytes_u64(&o->maps, 0x4000);
		bytes_u32(&o->maps, i ? 0 : TFS_DAT_NO_OBJECT);
	}

	bytes_init(&o->symbols, big);
	bytes_u32(&o->symbols, 0x01020304);
	head(&o->symbols, 1, 10);
	bytes_strz(&o->symbols, "main");
	bytes_strz(&o->symbols, "work");
	head(&o->symbols, 2, 8 + 2 * 20);
	bytes_u32(&o->symbols, 0);
	bytes_u32(&o->symbols, 2);
	bytes_u64(&o->symbols, 0x4100);
	bytes_u64(&o->symbols, 0x4140);
	bytes_u32(&o->symbols, 5);
	bytes_u64(&o->symbols, 0x4000);
	bytes_u64(&o->symbols, 0x4080);
	bytes_u32(&o->symbols, 0);

	bytes_init(&o->tasks, big);
	bytes_u32(&o->tasks, 0x01020304);
	head(&o->tasks, 1, 20 + 8 + 2 + 7 + 2);
	bytes_u32(&o->tasks, 42);
	bytes_u32(&o->tasks, 41);
	bytes_u32(&o->tasks, 1);
	bytes_u32(&o->tasks, 7);
	bytes_u32(&o->tasks, 0);
	bytes_u64(&o->tasks, 99);
	bytes_strz(&o->tasks, "w");
	bytes_strz(&o->tasks, "/bin/a");
	bytes_strz(&o->tasks, "/");
	head(&o->tasks, 2, 4 + 5 * 8);
	bytes_u32(&o->tasks, TFS_DAT_CLOCK_END);
	for (uint64_t i = 1; i <= 5; i++)
		bytes_u64(&o->tasks, i);
}

static void check_maps(const struct tfs_dat *dat)
{
	const struct tfs_dat_object *objects;
	const struct tfs_dat_image *images;
	struct tfs_dat_maps *m;
	size_t n;

	assert_int_equal(tfs_dat_maps_new(dat, &m), 0);
	objects = tfs_dat_maps_objects(m, &n);
	assert_int_equal(n, 1);
	assert_string_equal(objects[0].path, "/bin/a");
	assert_string_equal(objects[0].build_id, "c01f");
	assert_int_equal(objects[0].load_bias, 0x1000);
	images = tfs_dat_maps_images(m, &n);
	assert_int_equal(n, 1);
	assert_int_equal(images[0].tgid, 41);
	assert_int_equal(images[0].from, 100);
	assert_int_equal(images[0].first, 110);
	assert_int_equal(images[0].last, 190);
	assert_int_equal(images[0].n_maps, 2);
	assert_int_equal(tfs_dat_maps_find(&images[0], 0x401fff)->start, 0x400000);
	assert_null(tfs_dat_maps_find(&images[0], 0x402000));
	assert_null(tfs_dat_maps_find(&images[0], 0x3fffff));
	assert_int_equal(tfs_dat_maps_find(&images[0], 0x500000)->object, TFS_DAT_NO_OBJECT);
	tfs_dat_maps_free(m);
}

static void check_symbols(const struct tfs_dat *dat)
{
	struct tfs_dat_symbols *s;

	assert_int_equal(tfs_dat_symbols_new(dat, 1, &s), 0);
	assert_string_equal(tfs_dat_symbols_find(s, 0, 0x407f)->name, "main");
	assert_null(tfs_dat_symbols_find(s, 0, 0x4080));
	assert_string_equal(tfs_dat_symbols_find(s, 0, 0x4100)->name, "work");
	assert_null(tfs_dat_symbols_find(s, 0, 0x4140));
	assert_null(tfs_dat_symbols_find(s, 1, 0x4100));
	tfs_dat_symbols_free(s);
}

static void check_tasks(const struct tfs_dat *dat)
{
	const struct tfs_dat_clock *clocks;
	const struct tfs_dat_task *task;
	struct tfs_dat_tasks *t;
	size_t n;

	assert_int_equal(tfs_dat_tasks_new(dat, &t), 0);
	task = tfs_dat_tasks_find(t, 42);
	assert_int_equal(task->tgid, 41);
	assert_int_equal(task->ppid, 1);
	assert_int_equal(task->nspid, 7);
	assert_int_equal(task->from, 99);
	assert_string_equal(task->comm, "w");
	assert_string_equal(task->exe, "/bin/a");
	assert_string_equal(task->cgroup, "/");
	assert_null(tfs_dat_tasks_find(t, 41));
	clocks = tfs_dat_tasks_clocks(t, &n);
	assert_int_equal(n, 1);
	assert_int_equal(clocks[0].when, TFS_DAT_CLOCK_END);
	assert_int_equal(clocks[0].trace, 1);
	assert_int_equal(clocks[0].realtime, 2);
	assert_int_equal(clocks[0].boottime, 3);
	assert_int_equal(clocks[0].monotonic, 4);
	assert_int_equal(clocks[0].width, 5);
	tfs_dat_tasks_free(t);
}

static void options_as_documented_are_read_in_either_byte_order(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct options o;
		struct tfs_dat *dat;

		by_hand(&o, big);
		dat = file_with(big, &o, SIZE_MAX);
		check_maps(dat);
		check_symbols(dat);
		check_tasks(dat);
		tfs_dat_free(dat);
		release(&o);
	}
}

/* The bytes of the writer are those of the manual page. */
static void written_options_have_the_documented_bytes(void **state)
{
	const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	const struct tfs_dat_object object = { TFS_DAT_OBJECT_READ, 0x1000, "/bin/a", "c01f" };
	const struct tfs_dat_map maps[] = {
		{ 0x500000, 0x501000, 0x3000, 0x4000, TFS_DAT_NO_OBJECT },
		{ 0x400000, 0x402000, 0x3000, 0x4000, 0 },
	};
	const struct tfs_dat_image image = { 41, 0, 100, 110, 190, maps, 2 };
	const struct tfs_dat_symbol functions[] = { { 0x4100, 0x4140, "work" },
						    { 0x4000, 0x4080, "main" } };
	const struct tfs_dat_task task = { 42, 41, 1, 7, 0, 99, "w", "/bin/a", "/" };
	const struct tfs_dat_clock clock = { TFS_DAT_CLOCK_END, 1, 2, 3, 4, 5 };
	struct tfs_dat_symbols_writer w = TFS_DAT_SYMBOLS_WRITER_INIT;
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct options o;

	(void)state;
	by_hand(&o, big);
	assert_int_equal(tfs_dat_private_begin(&sb), 0);
	assert_int_equal(tfs_dat_objects_add(&sb, &object), 0);
	assert_int_equal(sb.len, o.objects.sb.len - 9);
	assert_memory_equal(sb.s, o.objects.sb.s, sb.len);
	tfs_strbuf_reset(&sb);
	assert_int_equal(tfs_dat_private_begin(&sb), 0);
	assert_int_equal(tfs_dat_maps_add(&sb, &image), 0);
	assert_int_equal(sb.len, o.maps.sb.len);
	assert_memory_equal(sb.s, o.maps.sb.s, sb.len);
	tfs_strbuf_reset(&sb);
	/* a name twice is one name */
	assert_int_equal(tfs_dat_private_begin(&sb), 0);
	assert_int_equal(tfs_dat_symbols_add(&w, 0, functions, 2), 0);
	assert_int_equal(tfs_dat_symbols_add(&w, 1, functions, 2), 0);
	assert_int_equal(tfs_dat_symbols_finish(&w, &sb), 0);
	assert_int_equal(sb.len, o.symbols.sb.len + 6 + 8 + 2 * 20);
	tfs_strbuf_reset(&sb);
	assert_int_equal(tfs_dat_private_begin(&sb), 0);
	assert_int_equal(tfs_dat_tasks_add(&sb, &task), 0);
	assert_int_equal(tfs_dat_tasks_add_clock(&sb, &clock), 0);
	assert_int_equal(sb.len, o.tasks.sb.len);
	assert_memory_equal(sb.s, o.tasks.sb.s, sb.len);
	tfs_dat_symbols_writer_release(&w);
	tfs_strbuf_release(&sb);
	release(&o);
}

static void packed_records_are_the_same_records(void **state)
{
	const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	struct tfs_dat_task task = { .tgid = 9, .comm = "task", .exe = "", .cgroup = "" };
	struct options o = { .objects.big = big };
	const struct tfs_dat_task *all;
	struct tfs_dat_tasks *t;
	struct tfs_dat *dat;
	size_t plain, n;

	(void)state;
	by_hand(&o, big);
	bytes_release(&o.tasks);
	bytes_init(&o.tasks, big);
	assert_int_equal(tfs_dat_private_begin(&o.tasks.sb), 0);
	for (task.tid = 1; task.tid <= 1000; task.tid++)
		assert_int_equal(tfs_dat_tasks_add(&o.tasks.sb, &task), 0);
	plain = o.tasks.sb.len;
	assert_int_equal(tfs_dat_records_pack(&o.tasks.sb), 0);
	assert_true(o.tasks.sb.len < plain / 4);
	dat = file_with(big, &o, SIZE_MAX);
	assert_int_equal(tfs_dat_tasks_new(dat, &t), 0);
	all = tfs_dat_tasks_all(t, &n);
	assert_int_equal(n, 1000);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(all[i].tid, i + 1);
		assert_string_equal(all[i].comm, "task");
	}
	tfs_dat_tasks_free(t);
	tfs_dat_free(dat);
	release(&o);
}

/* A packed record that says it becomes 4 GiB, and one within another, which is not looked into. */
static void packed_records_that_lie_are_left_out(void **state)
{
	struct options o;
	struct tfs_dat_tasks *t;
	struct tfs_dat *dat;

	(void)state;
	by_hand(&o, false);
	bytes_release(&o.tasks);
	bytes_init(&o.tasks, false);
	bytes_u32(&o.tasks, 0x01020304);
	head(&o.tasks, TFS_DAT_RECORD_PACKED, 12);
	bytes_u32(&o.tasks, TFS_CODEC_ZLIB);
	bytes_u32(&o.tasks, UINT32_MAX);
	bytes_u32(&o.tasks, 0);
	head(&o.tasks, TFS_DAT_RECORD_PACKED, 12);
	bytes_u32(&o.tasks, 77);
	bytes_u32(&o.tasks, 4);
	bytes_u32(&o.tasks, 0);
	head(&o.tasks, 2, 4 + 5 * 8);
	bytes_zeros(&o.tasks, 44);
	dat = file_with(false, &o, SIZE_MAX);
	assert_int_equal(tfs_dat_tasks_new(dat, &t), 0);
	assert_non_null(t);
	tfs_dat_tasks_free(t);
	tfs_dat_free(dat);
	release(&o);
}

/* Memory that one reader has, another cannot have before the first one is gone. */
static void options_of_a_file_share_what_may_be_kept(void **state)
{
	struct tfs_dat_tasks *t;
	struct options o;
	struct tfs_dat *dat;
	size_t room = TFS_DAT_PRIVATE_BYTES_MAX;

	(void)state;
	by_hand(&o, false);
	dat = file_with(false, &o, SIZE_MAX);
	for (size_t i = 0; i < tfs_dat_n_options(dat); i++)
		room -= tfs_dat_option(dat, i)->data.size;
	assert_int_equal(tfs_dat_private_take(dat, room + 1), -E2BIG);
	assert_int_equal(tfs_dat_private_take(dat, SIZE_MAX), -E2BIG);
	assert_int_equal(tfs_dat_private_take(dat, room), 0);
	assert_int_equal(tfs_dat_private_take(dat, 1), -E2BIG);
	assert_int_equal(tfs_dat_tasks_new(dat, &t), 0);
	assert_null(t);
	tfs_dat_private_give(dat, room);
	check_tasks(dat);
	check_maps(dat);
	assert_int_equal(tfs_dat_private_take(dat, room), 0);
	tfs_dat_free(dat);
	release(&o);
}

static void records_before_damage_count(void **state)
{
	(void)state;
	for (size_t cut = 0; cut < 200; cut++) {
		struct tfs_dat_symbols *s;
		struct tfs_dat_tasks *t;
		struct tfs_dat_maps *m;
		struct tfs_dat *dat;
		struct options o;
		size_t n;

		by_hand(&o, false);
		dat = file_with(false, &o, cut);
		assert_int_equal(tfs_dat_maps_new(dat, &m), 0);
		tfs_dat_maps_objects(m, &n);
		assert_int_equal(n, cut >= 4 + 6 + 25);
		tfs_dat_maps_images(m, &n);
		assert_int_equal(n, cut >= o.maps.sb.len);
		assert_int_equal(tfs_dat_symbols_new(dat, 1, &s), 0);
		tfs_dat_symbols_all(s, &n);
		assert_int_equal(n, cut >= o.symbols.sb.len ? 2 : 0);
		assert_int_equal(tfs_dat_tasks_new(dat, &t), 0);
		tfs_dat_tasks_all(t, &n);
		assert_int_equal(n, cut >= 4 + 6 + 39);
		tfs_dat_maps_free(m);
		tfs_dat_symbols_free(s);
		tfs_dat_tasks_free(t);
		tfs_dat_free(dat);
		release(&o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_as_documented_are_read_in_either_byte_order),
		cmocka_unit_test(written_options_have_the_documented_bytes),
		cmocka_unit_test(packed_records_are_the_same_records),
		cmocka_unit_test(packed_records_that_lie_are_left_out),
		cmocka_unit_test(options_of_a_file_share_what_may_be_kept),
		cmocka_unit_test(records_before_damage_count),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
