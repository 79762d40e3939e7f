/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/profile_dat.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/macros.h"
#include "base/strbuf-core.h"
#include "lib/bytes.h"
#include "lib/dat_build.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-maps.h"
#include "tracedat/dat-private.h"
#include "tracedat/dat-profile.h"
#include "tracedat/dat-symbols.h"
#include "tracedat/dat-tasks.h"

#define SAMPLER "tc-samp-9"
#define PROCESS 41
#define THREAD 42
#define PAGE_SIZE 4096

enum { KERNEL_STACK = 4, USER_STACK = 12, WAKING = 60, RUNTIME, SWITCH };

#define FORMAT(name, id, fields, print) \
	"name: " name "\nID: " #id "\n" DAT_COMMON_FIELDS fields "\nprint fmt: " print "\n"
#define INT(name, offset) "\tfield:int " name ";\toffset:" #offset ";\tsize:4;\tsigned:1;\n"
#define U64(name, offset) "\tfield:u64 " name ";\toffset:" #offset ";\tsize:8;\tsigned:0;\n"
#define TEXT(name, offset) "\tfield:char " name "[16];\toffset:" #offset ";\tsize:16;\tsigned:0;\n"

static const char *const ftrace[] = {
	FORMAT("kernel_stack", 4,
	       INT("size", 8) "\tfield:unsigned long caller[];\toffset:16;\tsize:0;\tsigned:0;\n",
	       "\"\\t=> %ps\\n\", (void *)REC->caller[0]"),
	FORMAT("user_stack", 12,
	       "\tfield:unsigned int tgid;\toffset:8;\tsize:4;\tsigned:0;\n"
	       "\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n",
	       "\"\\t=> %p\\n\", (void *)REC->caller[0]"),
	NULL,
};

static const char *const sched[] = {
	FORMAT("sched_waking", 60, TEXT("comm", 8) INT("pid", 24) INT("target_cpu", 28),
	       "\"%s\", REC->comm"),
	FORMAT("sched_stat_runtime", 61, TEXT("comm", 8) INT("pid", 24) U64("runtime", 32),
	       "\"%Lu\", REC->runtime"),
	FORMAT("sched_switch", 62,
	       TEXT("prev_comm", 8) INT("prev_pid", 24) INT("prev_prio", 28) U64("prev_state", 32)
		       TEXT("next_comm", 40) INT("next_pid", 56) INT("next_prio", 60),
	       "\"%s\", REC->prev_comm"),
	NULL,
};

static void begin(struct bytes *b, int id, int pid)
{
	bytes_init(b, false);
	bytes_u16(b, (uint16_t)id);
	bytes_u16(b, 0);
	bytes_u32(b, (uint32_t)pid);
}

static void comm(struct bytes *b, const char *name)
{
	for (size_t i = 0; i < 16; i++)
		bytes_u8(b, i < strlen(name) ? (unsigned char)name[i] : 0);
}

static void end(struct page_builder *p, struct bytes *b)
{
	page_data(p, 1000, b->sb.s, b->sb.len);
	bytes_release(b);
}

/* A sample of THREAD: in "next", which "main" called, which unmapped memory did */
static void sample(struct page_builder *p)
{
	static const uint64_t kernel[] = { 0xffffffff81000010, 0xffffffff81000200 };
	static const uint64_t user[8] = { 0x7110, 0x7010, 0x9999 };
	struct bytes b;

	begin(&b, WAKING, THREAD);
	comm(&b, SAMPLER);
	bytes_u32(&b, 99);
	bytes_u32(&b, 0);
	end(p, &b);
	begin(&b, KERNEL_STACK, THREAD);
	bytes_u32(&b, ARRAY_SIZE(kernel));
	bytes_u32(&b, 0);
	for (size_t i = 0; i < ARRAY_SIZE(kernel); i++)
		bytes_u64(&b, kernel[i]);
	end(p, &b);
	begin(&b, USER_STACK, THREAD);
	bytes_u32(&b, PROCESS);
	bytes_u32(&b, 0);
	for (size_t i = 0; i < ARRAY_SIZE(user); i++)
		bytes_u64(&b, user[i]);
	end(p, &b);
}

static void runtime(struct page_builder *p, int pid, uint64_t ns)
{
	struct bytes b;

	begin(&b, RUNTIME, pid);
	comm(&b, "work");
	bytes_u32(&b, (uint32_t)pid);
	bytes_u32(&b, 0);
	bytes_u64(&b, ns);
	end(p, &b);
}

static void switch_to(struct page_builder *p, int prev, uint64_t state, int next)
{
	struct bytes b;

	begin(&b, SWITCH, prev);
	comm(&b, "prev");
	bytes_u32(&b, (uint32_t)prev);
	bytes_u32(&b, 120);
	bytes_u64(&b, state);
	comm(&b, "next");
	bytes_u32(&b, (uint32_t)next);
	bytes_u32(&b, 120);
	end(p, &b);
}

static void put_option(struct dat_builder *d, uint16_t id, struct tfs_strbuf *sb)
{
	dat_option(d, id, sb->s, sb->len);
	tfs_strbuf_release(sb);
}

static void names(struct dat_builder *d)
{
	static const struct tfs_dat_symbol functions[] = { { 0x4000, 0x4100, "main" },
							   { 0x4100, 0x4200, "_ZN1a4nextEv" } };
	static const struct tfs_dat_map map = { 0x7000, 0x8000, 0x4000, 0x4000, 0 };
	static const struct tfs_dat_image image = { PROCESS, 0, 0, 1, 2, &map, 1 };
	static const struct tfs_dat_object object = { TFS_DAT_OBJECT_READ, 0, "/bin/work", "abcd" };
	static const struct tfs_dat_task task = {
		THREAD, PROCESS, 1, THREAD, 0, 0, "work", "", ""
	};
	static const struct tfs_dat_clock clock = { TFS_DAT_CLOCK_START, 5000, 7, 6, 5, 1 };
	static const struct tfs_dat_profile profile = {
		.period_ns = 1000000,
		.samples = "samples",
		.runtime = "runtime",
		.event = "sched:sched_waking",
		.comm = SAMPLER,
	};
	struct tfs_dat_symbols_writer w = TFS_DAT_SYMBOLS_WRITER_INIT;
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	tfs_dat_private_begin(&sb);
	tfs_dat_objects_add(&sb, &object);
	put_option(d, TFS_DAT_PRIVATE_OBJECTS, &sb);
	tfs_dat_private_begin(&sb);
	tfs_dat_maps_add(&sb, &image);
	put_option(d, TFS_DAT_PRIVATE_MAPS, &sb);
	tfs_dat_private_begin(&sb);
	tfs_dat_symbols_add(&w, 0, functions, ARRAY_SIZE(functions));
	tfs_dat_symbols_finish(&w, &sb);
	put_option(d, TFS_DAT_PRIVATE_SYMBOLS, &sb);
	tfs_dat_private_begin(&sb);
	tfs_dat_tasks_add(&sb, &task);
	tfs_dat_tasks_add_clock(&sb, &clock);
	put_option(d, TFS_DAT_PRIVATE_TASKS, &sb);
	tfs_dat_profile_put(&sb, &profile);
	put_option(d, TFS_DAT_PRIVATE_PROFILE, &sb);
	tfs_dat_symbols_writer_release(&w);
}

void profile_dat(struct bytes *out)
{
	static const struct dat_spec spec = {
		.cpus = 1, .page_size = PAGE_SIZE, .ftrace = ftrace, .sched = sched
	};
	struct bytes samples, runtimes;
	struct page_builder page;
	struct dat_builder d;

	dat_begin(&d, &spec);
	dat_metadata(&d);
	names(&d);
	bytes_init(&samples, false);
	page_begin(&page, &samples, 8, PAGE_SIZE, 5000);
	sample(&page);
	switch_to(&page, THREAD, 1, 0);
	switch_to(&page, 0, 0, THREAD);
	sample(&page);
	page_end(&page, 0);
	bytes_init(&runtimes, false);
	page_begin(&page, &runtimes, 8, PAGE_SIZE, 5500);
	runtime(&page, THREAD, 700000);
	runtime(&page, 43, 30000);
	page_end(&page, 0);
	dat_buffer(&d, "samples", &(struct dat_cpu){ .pages = &samples }, 1);
	dat_buffer(&d, "runtime", &(struct dat_cpu){ .pages = &runtimes }, 1);
	dat_options_end(&d);
	*out = d.b;
	bytes_init(&d.b, false);
	bytes_release(&samples);
	bytes_release(&runtimes);
	dat_release(&d);
}
