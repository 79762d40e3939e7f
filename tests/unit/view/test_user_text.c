/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/user-text.h"

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

#include "base/out.h"
#include "base/strbuf-core.h"
#include "decode/trace.h"
#include "lib/bytes.h"
#include "lib/dat_build.h"
#include "lib/dat_open.h"
#include "pipeline/run.h"
#include "pipeline/view.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-maps.h"
#include "tracedat/dat-private.h"
#include "tracedat/dat-symbols.h"
#include "view/text.h"

#define STACK_ID 12
#define PROBE_ID 90
#define PROCESS 41

/* As Linux 6.18 has them */
static const char stack_format[] =
	"name: user_stack\nID: 12\n" DAT_COMMON_FIELDS
	"\tfield:unsigned int tgid;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n\n"
	"print fmt: \"\\t=> %p\\n\", (void *)REC->caller[0]\n";
static const char probe_format[] =
	"name: probe\nID: 90\n" DAT_COMMON_FIELDS
	"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:u32 n;\toffset:16;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"(%lx) n=%u\", REC->__probe_ip, REC->n\n";

static void put_u64(char *p, uint64_t v)
{
	memcpy(p, &v, sizeof(v));
}

static void put_head(char *p, uint16_t id, uint32_t pid)
{
	memcpy(p, &id, sizeof(id));
	memcpy(p + 4, &pid, sizeof(pid));
}

/* A user stack: in a function, called at the end of another, called from unmapped memory. */
static void add_events(struct bytes *pages)
{
	char stack[80] = { 0 }, probe[24] = { 0 };
	struct page_builder page;

	put_head(stack, STACK_ID, PROCESS);
	memcpy(stack + 8, &(uint32_t){ PROCESS }, 4);
	put_u64(stack + 16, 0x7010);
	put_u64(stack + 24, 0x7200);
	put_u64(stack + 32, 0x9999);
	put_u64(stack + 40, 0x7f00);
	put_head(probe, PROBE_ID, PROCESS);
	put_u64(probe + 8, 0x7000);
	probe[16] = 5;
	bytes_init(pages, false);
	page_begin(&page, pages, 8, 4096, 5000);
	page_data(&page, 1, stack, sizeof(stack));
	page_data(&page, 1, probe, sizeof(probe));
	page_end(&page, 0);
}

static void add_names(struct dat_builder *d)
{
	static const struct tfs_dat_symbol functions[] = {
		{ 0x4000, 0x4100, "a\nCPU:0 [EVENTS DROPPED]\x1b[2J" },
		{ 0x4100, 0x4200, "caller" },
		{ 0x4200, 0x4300, "next" },
	};
	static const struct tfs_dat_map map = { 0x7000, 0x8000, 0x4000, 0x4000, 0 };
	static const struct tfs_dat_image image = { PROCESS, 0, 0, 1, 2, &map, 1 };
	struct tfs_dat_symbols_writer w = TFS_DAT_SYMBOLS_WRITER_INIT;
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	assert_int_equal(tfs_dat_private_begin(&sb), 0);
	assert_int_equal(
		tfs_dat_objects_add(&sb, &(struct tfs_dat_object){ 1, 0, "/b\tin)\n", "" }), 0);
	dat_option(d, TFS_DAT_PRIVATE_OBJECTS, sb.s, sb.len);
	tfs_strbuf_reset(&sb);
	assert_int_equal(tfs_dat_private_begin(&sb), 0);
	assert_int_equal(tfs_dat_maps_add(&sb, &image), 0);
	dat_option(d, TFS_DAT_PRIVATE_MAPS, sb.s, sb.len);
	tfs_strbuf_reset(&sb);
	assert_int_equal(tfs_dat_private_begin(&sb), 0);
	assert_int_equal(tfs_dat_symbols_add(&w, 0, functions, 3), 0);
	assert_int_equal(tfs_dat_symbols_finish(&w, &sb), 0);
	dat_option(d, TFS_DAT_PRIVATE_SYMBOLS, sb.s, sb.len);
	tfs_dat_symbols_writer_release(&w);
	tfs_strbuf_release(&sb);
}

static struct tfs_trace *open_trace(void)
{
	static const char *const ftrace[] = { stack_format, NULL };
	static const char *const sched[] = { probe_format, NULL };
	struct dat_spec spec = { .cpus = 1, .page_size = 4096, .ftrace = ftrace, .sched = sched };
	struct tfs_trace *trace = NULL;
	struct dat_cpu cpu = { .cpu = 0 };
	struct dat_builder d;
	struct bytes pages;

	dat_begin(&d, &spec);
	dat_metadata(&d);
	add_names(&d);
	add_events(&pages);
	cpu.pages = &pages;
	dat_buffer(&d, "", &cpu, 1);
	bytes_release(&pages);
	assert_int_equal(tfs_trace_open_dat(dat_open_built(&d),
					    &(struct tfs_trace_opts){ .no_plugins = true }, &trace,
					    NULL),
			 0);
	return trace;
}

static char *show(struct tfs_trace *trace, struct tfs_user_text *user)
{
	const struct tfs_run_input input = { .trace = trace };
	const struct tfs_run_opts run = { .inputs = &input, .n = 1, .jobs = 1 };
	struct tfs_view *view = NULL;
	struct tfs_out *out = NULL;
	int fd = memfd_create("text", 0);
	off_t size;
	char *s;

	assert_int_equal(tfs_out_new(fd, &out), 0);
	assert_int_equal(tfs_text_new(trace, &(struct tfs_text_opts){ .user = user }, &view), 0);
	assert_int_equal(tfs_run(view, out, &run, NULL), 0);
	tfs_view_free(view);
	tfs_out_free(out);
	size = lseek(fd, 0, SEEK_END);
	assert_true(size > 0);
	s = calloc(1, (size_t)size + 1);
	assert_non_null(s);
	assert_int_equal(pread(fd, s, (size_t)size, 0), size);
	close(fd);
	return s;
}

/* Names stay in their lines; a call at the end of a function is in it; a gap has its address. */
static void addresses_are_shown_by_names_that_cannot_forge_lines(void **state)
{
	struct tfs_user_text_counts counts = { .stacks = 0 };
	struct tfs_trace *trace = open_trace();
	struct tfs_user_text *user;
	char *s, *at;

	(void)state;
	assert_int_equal(tfs_user_text_new(trace, NULL, &user), 0);
	s = show(trace, user);
	at = strstr(s, "user_stack:");
	assert_non_null(at);
	at = strchr(at, '=');
	assert_non_null(at);
	assert_memory_equal(at,
			    "=> a\\nCPU:0 [EVENTS DROPPED]\\x1b[2J+0x10 (/b\tin)\\n)\n"
			    "\t=> caller+0x100 (/b\tin)\\n)\n"
			    "\t=> 0x9999\n"
			    "\t=> 0x4f00 (/b\tin)\\n)\n",
			    strlen("=> a\\nCPU:0 [EVENTS DROPPED]\\x1b[2J+0x10 (/b\tin)\\n)\n"
				   "\t=> caller+0x100 (/b\tin)\\n)\n"
				   "\t=> 0x9999\n"
				   "\t=> 0x4f00 (/b\tin)\\n)\n"));
	assert_non_null(strstr(s, "(a\\nCPU:0 [EVENTS DROPPED]\\x1b[2J+0x0 (/b\tin)\\n)) n=5\n"));
	tfs_user_text_counts(user, &counts);
	assert_int_equal(counts.stacks, 1);
	assert_int_equal(counts.no_maps, 0);
	assert_int_equal(counts.addresses, 5);
	assert_int_equal(counts.why[TFS_SYMBOL_NAMED], 3);
	assert_int_equal(counts.why[TFS_SYMBOL_NO_MAP], 1);
	assert_int_equal(counts.why[TFS_SYMBOL_NO_SYMBOL], 1);
	free(s);
	tfs_user_text_free(user);
	tfs_trace_free(trace);
}

static void text_without_names_is_as_before(void **state)
{
	struct tfs_trace *trace = open_trace();
	char *s = show(trace, NULL);

	(void)state;
	assert_non_null(strstr(s, "(7000) n=5\n") ? s : strstr(s, "(0x7000) n=5\n"));
	assert_null(strstr(s, "caller"));
	free(s);
	tfs_trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_shown_by_names_that_cannot_forge_lines),
		cmocka_unit_test(text_without_names_is_as_before),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
