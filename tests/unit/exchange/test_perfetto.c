/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/io.h"
#include "base/out.h"
#include "base/strbuf-core.h"
#include "decode/trace.h"
#include "exchange/perfetto.h"
#include "lib/bytes.h"
#include "lib/dat_build.h"
#include "pipeline/run.h"
#include "pipeline/view.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-recorder.h"

#define FORMAT(name, id, fields) \
	"name: " name "\nID: " #id "\n" DAT_COMMON_FIELDS fields "\nprint fmt: \"\"\n"
#define SWITCH 50
#define ODD 51
/* One more than readers take */
#define CPUS 1025

static const char *const formats[] = {
	FORMAT("sched_switch", 50,
	       "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	       "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	       "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	       "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	       "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	       "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	       "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n"),
	FORMAT("odd", 51,
	       "\tfield:int small;\toffset:8;\tsize:4;\tsigned:1;\n"
	       "\tfield:unsigned int flags;\toffset:12;\tsize:4;\tsigned:0;\n"
	       "\tfield:s64 error;\toffset:16;\tsize:8;\tsigned:1;\n"
	       "\tfield:void * page;\toffset:24;\tsize:8;\tsigned:0;\n"
	       "\tfield:char who[8];\toffset:32;\tsize:8;\tsigned:0;\n"),
	NULL,
};

static void add_text(struct bytes *b, const char *text, size_t size)
{
	char room[16] = { 0 };

	memcpy(room, text, strlen(text));
	tfs_strbuf_add(&b->sb, room, size);
}

static void add_switch_of(struct page_builder *page, uint32_t delta, const char *prev,
			  uint32_t prev_pid, const char *next, uint32_t next_pid)
{
	struct bytes b;

	bytes_init(&b, false);
	bytes_u16(&b, SWITCH);
	bytes_u16(&b, 0);
	bytes_u32(&b, prev_pid);
	add_text(&b, prev, 16);
	bytes_u32(&b, prev_pid);
	bytes_u32(&b, 120);
	bytes_u64(&b, 0);
	add_text(&b, next, 16);
	bytes_u32(&b, next_pid);
	bytes_u32(&b, 120);
	page_data(page, delta, b.sb.s, b.sb.len);
	bytes_release(&b);
}

static void add_switch(struct page_builder *page, uint32_t delta)
{
	add_switch_of(page, delta, "swapper/0", 0, "w", 42);
}

static void add_odd(struct page_builder *page, uint32_t delta)
{
	struct bytes b;

	bytes_init(&b, false);
	bytes_u16(&b, ODD);
	bytes_u16(&b, 0);
	bytes_u32(&b, 42);
	bytes_u32(&b, (uint32_t)-1);
	bytes_u32(&b, (uint32_t)-1);
	bytes_u64(&b, (uint64_t)-38);
	bytes_u64(&b, UINT64_C(0xffff888000000000));
	add_text(&b, "hi\xff", 8);
	page_data(page, delta, b.sb.s, b.sb.len);
	bytes_release(&b);
}

/* At 2100 a switch and at 2400 an odd event, on CPU 0; the same on the last CPU */
static struct tfs_trace *open_events(unsigned int cpus)
{
	const struct dat_spec spec = { .cpus = cpus, .page_size = 4096, .sched = formats };
	static const struct tfs_trace_opts plain = { .no_plugins = true };
	struct bytes *pages = calloc(cpus, sizeof(*pages));
	struct tfs_trace *trace = NULL;
	struct page_builder page;
	char path[64];
	int fd;

	assert_non_null(pages);
	for (unsigned int cpu = 0; cpu < cpus; cpu++) {
		bytes_init(&pages[cpu], false);
		if (cpu && cpu != CPUS - 1)
			continue;
		page_begin(&page, &pages[cpu], 8, 4096, 2000);
		add_switch(&page, 100);
		add_odd(&page, 300);
		page_end(&page, 0);
	}
	fd = dat_file(&spec, pages);
	free(pages);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(tfs_trace_open(path, &plain, &trace, NULL), 0);
	close(fd);
	return trace;
}

/* The file that the view writes, not compressed; the caller's */
/* At 2100 a reader of the recorder is put on, and at 2400 another one is taken off. */
static struct tfs_trace *open_switches(bool known)
{
	const struct dat_spec spec = { .cpus = 1, .page_size = 4096, .sched = formats };
	static const struct tfs_trace_opts plain = { .no_plugins = true };
	static const uint32_t recorder[] = { 7, 8 };
	struct tfs_strbuf tids = TFS_STRBUF_INIT;
	struct tfs_trace *trace = NULL;
	struct page_builder page;
	struct dat_builder d;
	struct bytes pages;
	char path[64];
	int fd;

	bytes_init(&pages, false);
	page_begin(&page, &pages, 8, 4096, 2000);
	add_switch_of(&page, 100, "swapper/0", 0, "r1", 7);
	add_switch_of(&page, 300, "r2", 8, "w", 42);
	page_end(&page, 0);
	dat_begin(&d, &spec);
	dat_metadata(&d);
	assert_int_equal(tfs_dat_recorder_put(&tids, recorder, 2), 0);
	if (known)
		dat_option(&d, TFS_DAT_PRIVATE_RECORDER, tids.s, tids.len);
	dat_buffer(&d, "", &(struct dat_cpu){ .pages = &pages }, 1);
	dat_options_end(&d);
	fd = memfd_create("dat", MFD_CLOEXEC);
	assert_int_equal(write(fd, d.b.sb.s, d.b.sb.len), (ssize_t)d.b.sb.len);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(tfs_trace_open(path, &plain, &trace, NULL), 0);
	close(fd);
	tfs_strbuf_release(&tids);
	bytes_release(&pages);
	dat_release(&d);
	return trace;
}

static struct tfs_strbuf export_events(struct tfs_trace *trace)
{
	static const char *const files[] = { "a" };
	char path[] = "/tmp/tc-test-perfetto.XXXXXX";
	const struct tfs_perfetto_opts opts = {
		.path = path, .traces = &trace, .files = files, .n = 1, .flags = TFS_PERFETTO_PLAIN
	};
	const struct tfs_run_input input = { .trace = trace };
	const struct tfs_run_opts run = { .inputs = &input, .n = 1, .jobs = 1 };
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	struct tfs_view *view = NULL;
	struct tfs_out *out = NULL;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(tfs_out_new(fd, &out), 0);
	assert_int_equal(tfs_perfetto_new(&opts, &view, NULL), 0);
	assert_int_equal(tfs_run(view, out, &run, NULL), 0);
	tfs_view_free(view);
	tfs_out_free(out);
	close(fd);
	assert_int_equal(tfs_read_path(path, &text), 0);
	unlink(path);
	return text;
}

static bool holds(const struct tfs_strbuf *text, const void *bytes, size_t len)
{
	return memmem(text->s, text->len, bytes, len) != NULL;
}

#define HOLDS(text, bytes) holds(&(text), bytes, sizeof(bytes) - 1)

static void events_have_the_bytes_that_readers_take(void **state)
{
	/* sched_switch (4) at 2100 of task 0, as protoc decodes it by the published schema */
	static const char switched[] = "\x12\x1f\x08\xb4\x10\x10\x00\x22\x18"
				       "\x0a\x09swapper/0\x10\x00\x18\x78\x20\x00"
				       "\x2a\x01w\x30\x2a\x38\x78";
	/* 65536 at 2400 of task 42: negative numbers have ten bytes, also of 32 bits */
	static const char odd[] = "\x08\xe0\x12\x10\x2a\x82\x80\x20\x2f"
				  "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
				  "\x10\xff\xff\xff\xff\x0f"
				  "\x18\xda\xff\xff\xff\xff\xff\xff\xff\xff\x01"
				  "\x20\x80\x80\x80\x80\x80\x90\xe2\xff\xff\x01"
				  "\x2a\x06hi\\xff";
	/* int32, uint32, int64, uint64, string */
	static const char described[] = "\x0a\x03odd"
					"\x12\x0d\x0a\x05small\x18\x01\x20\x01\x28\x05"
					"\x12\x0d\x0a\x05"
					"flags\x18\x02\x20\x01\x28\x0d"
					"\x12\x0d\x0a\x05"
					"error\x18\x03\x20\x01\x28\x03"
					"\x12\x0c\x0a\x04page\x18\x04\x20\x01\x28\x04"
					"\x12\x0b\x0a\x03who\x18\x05\x20\x01\x28\x09";
	struct tfs_trace *trace = open_events(1);
	struct tfs_strbuf text = export_events(trace);

	(void)state;
	assert_true(HOLDS(text, switched));
	assert_true(HOLDS(text, odd));
	assert_true(HOLDS(text, described));
	assert_true(HOLDS(text, "\x1a\x05sched"));
	tfs_strbuf_release(&text);
	tfs_trace_free(trace);
}

static void cpus_that_readers_refuse_are_left_out_and_counted(void **state)
{
	/* attribute with the number 2 */
	static const char counted[] = "\x0a\x24tracecraft.events_of_cpus_above_1023\x10\x02";
	struct tfs_trace *one = open_events(1), *all = open_events(CPUS);
	struct tfs_strbuf without = export_events(one), with = export_events(all);

	(void)state;
	assert_true(HOLDS(with, counted));
	assert_false(HOLDS(without, "tracecraft.events_of_cpus_above_1023"));
	/* two events in either */
	assert_true(HOLDS(with, "\x0a\x11tracecraft.events\x10\x02"));
	assert_true(HOLDS(without, "\x0a\x11tracecraft.events\x10\x02"));
	tfs_strbuf_release(&with);
	tfs_strbuf_release(&without);
	tfs_trace_free(one);
	tfs_trace_free(all);
}

static void a_switch_between_threads_of_the_recorder_is_made(void **state)
{
	/* sched_switch (4) at 2400 of task 8, from r1 (7), state 1, to r2 (8) */
	static const char made[] = "\x12\x19\x08\xe0\x12\x10\x08\x22\x12"
				   "\x0a\x02r1\x10\x07\x18\x78\x20\x01"
				   "\x2a\x02r2\x30\x08\x38\x78";
	static const char counted[] =
		"tracecraft.sched_switch_made_between_threads_of_the_recorder\x10\x01";
	struct tfs_trace *known = open_switches(true), *unknown = open_switches(false);
	struct tfs_strbuf with = export_events(known), without = export_events(unknown);

	(void)state;
	assert_true(HOLDS(with, made));
	assert_true(HOLDS(with, counted));
	assert_false(HOLDS(without, "r1\x10\x07\x18"));
	assert_false(HOLDS(without, "of_the_recorder"));
	tfs_strbuf_release(&with);
	tfs_strbuf_release(&without);
	tfs_trace_free(known);
	tfs_trace_free(unknown);
}

static void files_of_a_recording_are_the_same(void **state)
{
	struct tfs_trace *trace = open_events(1);
	struct tfs_strbuf a = export_events(trace), b = export_events(trace);

	(void)state;
	assert_int_equal(a.len, b.len);
	assert_memory_equal(a.s, b.s, a.len);
	tfs_strbuf_release(&a);
	tfs_strbuf_release(&b);
	tfs_trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_have_the_bytes_that_readers_take),
		cmocka_unit_test(cpus_that_readers_refuse_are_left_out_and_counted),
		cmocka_unit_test(a_switch_between_threads_of_the_recorder_is_made),
		cmocka_unit_test(files_of_a_recording_are_the_same),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
