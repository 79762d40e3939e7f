/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/call_view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/out.h"
#include "decode/trace.h"
#include "lib/alloc_fail.h"
#include "lib/bytes.h"
#include "lib/dat_build.h"
#include "pipeline/run.h"
#include "pipeline/view.h"
#include "strace/calls.h"

#define TEXT_MAX 65536
#define PAGE_FULL 3000
/* A ring buffer has the length of a longer one in a word of its own (kernel: ring_buffer.h). */
#define SHORT_RECORD 112

#define INT(name, offset) "\tfield:int " name ";\toffset:" #offset ";\tsize:4;\tsigned:1;\n"
#define LONG(name, offset) "\tfield:long " name ";\toffset:" #offset ";\tsize:8;\tsigned:1;\n"
#define ULONG(name, offset) \
	"\tfield:unsigned long " name ";\toffset:" #offset ";\tsize:8;\tsigned:0;\n"
#define COMM(name, offset) "\tfield:char " name "[16];\toffset:" #offset ";\tsize:16;\tsigned:0;\n"
#define FORMAT(name, id, fields, print) \
	"name: " name "\nID: " #id "\n" DAT_COMMON_FIELDS fields "\nprint fmt: " print "\n"

/* include/trace/events of Linux 6.18, as a kernel shows them */
static const char *const raw_formats[] = {
	FORMAT("sys_enter", 60,
	       LONG("id", 8) "\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n",
	       "\"NR %ld\", REC->id"),
	FORMAT("sys_exit", 61, LONG("id", 8) LONG("ret", 16), "\"NR %ld\", REC->id"),
	NULL,
};

static const char *const task_formats[] = {
	FORMAT("task_newtask", 62, INT("pid", 8) COMM("comm", 12) ULONG("clone_flags", 32),
	       "\"pid=%d\", REC->pid"),
	FORMAT("task_rename", 75, INT("pid", 8) COMM("oldcomm", 12) COMM("newcomm", 28),
	       "\"pid=%d\", REC->pid"),
	NULL,
};

static const char *const sched_formats[] = {
	FORMAT("sched_process_fork", 63,
	       COMM("parent_comm", 8) INT("parent_pid", 24) COMM("child_comm", 28)
		       INT("child_pid", 44),
	       "\"child_pid=%d\", REC->child_pid"),
	FORMAT("sched_process_exec", 64,
	       "\tfield:__data_loc char[] filename;\toffset:8;\tsize:4;\tsigned:0;\n" INT("pid", 12)
		       INT("old_pid", 16),
	       "\"pid=%d\", REC->pid"),
	FORMAT("sched_switch", 76,
	       COMM("prev_comm", 8) INT("prev_pid", 24) INT("prev_prio", 28) LONG("prev_state", 32)
		       COMM("next_comm", 40) INT("next_pid", 56) INT("next_prio", 60),
	       "\"next_pid=%d\", REC->next_pid"),
	FORMAT("sched_waking", 77,
	       COMM("comm", 8) INT("pid", 24) INT("prio", 28) INT("target_cpu", 32),
	       "\"pid=%d\", REC->pid"),
	FORMAT("sched_process_exit", 65, COMM("comm", 8) INT("pid", 24) INT("prio", 28),
	       "\"pid=%d\", REC->pid"),
	NULL,
};

static const char *const signal_formats[] = {
	FORMAT("signal_deliver", 66,
	       INT("sig", 8) INT("errno", 12) INT("code", 16) ULONG("sa_handler", 24)
		       ULONG("sa_flags", 32),
	       "\"sig=%d\", REC->sig"),
	NULL,
};

static const char *const block_formats[] = {
	FORMAT("block_rq_issue", 78,
	       "\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n" ULONG("sector",
									   16) INT("nr_sector", 24)
		       INT("bytes", 28) "\tfield:char rwbs[10];\toffset:32;\tsize:10;\tsigned:0;\n",
	       "\"bytes=%d\", REC->bytes"),
	FORMAT("block_rq_complete", 79,
	       "\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n" ULONG("sector", 16),
	       "\"dev=%d\", REC->dev"),
	NULL,
};

static const char *const exception_formats[] = {
	FORMAT("page_fault_kernel", 80, ULONG("address", 8), "\"address=%ld\", REC->address"),
	NULL,
};

static const char *const other_formats[] = {
	FORMAT("other", 67, INT("value", 8), "\"value=%d\", REC->value"),
	NULL,
};

/* So that the recording is known to be of x86_64 */
static const char *const vector_formats[] = {
	FORMAT("local_timer_entry", 68, INT("vector", 8), "\"vector=%d\", REC->vector"),
	NULL,
};

#define TEXT(name, offset) \
	"\tfield:__data_loc char[] " name ";\toffset:" #offset ";\tsize:4;\tsigned:0;\n"
#define NR "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
#define PARAMETER(type, name, offset) \
	"\tfield:" type " " name ";\toffset:" #offset ";\tsize:8;\tsigned:0;\n"

/* As a kernel 7.3 shows them, but for the names of flags in the text of openat */
static const char *const call_formats[] = {
	FORMAT("sys_enter_openat", 69,
	       NR PARAMETER("int", "dfd", 16) PARAMETER("const char *", "filename", 24)
		       PARAMETER("int", "flags", 32) PARAMETER("umode_t", "mode", 40)
			       TEXT("__filename_val", 48),
	       "\"dfd: 0x%08lx, filename: 0x%08lx \\\"%s\\\", flags: 0x%08lx, mode: 0%03o\", "
	       "((unsigned long)(REC->dfd)), ((unsigned long)(REC->filename)), "
	       "__get_str(__filename_val), ((unsigned long)(REC->flags)), "
	       "((unsigned long)(REC->mode))"),
	FORMAT("sys_enter_write", 70,
	       NR PARAMETER("unsigned int", "fd", 16) PARAMETER("const char *", "buf", 24)
		       PARAMETER("size_t", "count", 32) TEXT("__buf_val", 40),
	       "\"fd: 0x%08lx, buf: 0x%08lx (%s), count: 0x%08lx\", "
	       "((unsigned long)(REC->fd)), ((unsigned long)(REC->buf)), "
	       "__print_dynamic_array(__buf_val, 1), ((unsigned long)(REC->count))"),
	NULL,
};

/* As kernels 6.12 show those of probes */
static const char *const copy_formats[] = {
	FORMAT("tc_getname", 71,
	       ULONG("__probe_func", 8) ULONG("__probe_ret_ip", 16)
		       TEXT("name", 24) "\tfield:s64 ret;\toffset:28;\tsize:8;\tsigned:1;\n"
					"\tfield:u64 ptr;\toffset:36;\tsize:8;\tsigned:0;\n",
	       "\"(%lx <- %lx) name=\\\"%s\\\" ret=%Ld ptr=0x%Lx\", REC->__probe_func, "
	       "REC->__probe_ret_ip, __get_str(name), REC->ret, REC->ptr"),
	NULL,
};

static const char *const enter_formats[] = {
	FORMAT("tc_enter_renameat", 72,
	       "\tfield:s32 nr;\toffset:8;\tsize:4;\tsigned:1;\n" TEXT("text1", 12)
		       TEXT("text3", 16),
	       "\" nr=%d text1=\\\"%s\\\" text3=\\\"%s\\\"\", REC->nr, __get_str(text1), "
	       "__get_str(text3)"),
	NULL,
};

static const char *const before_formats[] = {
	FORMAT("tc_before_renameat", 73,
	       "\tfield:s32 nr;\toffset:8;\tsize:4;\tsigned:1;\n" TEXT("text1", 12)
		       TEXT("text3", 16),
	       "\" nr=%d text1=\\\"%s\\\" text3=\\\"%s\\\"\", REC->nr, __get_str(text1), "
	       "__get_str(text3)"),
	NULL,
};

static const struct dat_system systems[] = {
	{ "raw_syscalls", raw_formats },     { "task", task_formats },
	{ "signal", signal_formats },        { "test", other_formats },
	{ "irq_vectors", vector_formats },   { "block", block_formats },
	{ "exceptions", exception_formats }, { NULL, NULL },
};

/* Systems that only some recordings have, by their first and last event */
static const struct {
	enum call_event_kind first, last;
	struct dat_system system;
} others[] = {
	{ CALL_OPENAT, CALL_WRITE, { "syscalls", call_formats } },
	{ CALL_GETNAME, CALL_GETNAME, { "tc_trace_1", copy_formats } },
	{ CALL_TEXTS, CALL_TEXTS, { "tc_trace_1", enter_formats } },
	{ CALL_BEFORE, CALL_BEFORE, { "tc_trace_1", before_formats } },
};

static void add_exec(struct bytes *b, const struct call_event *e)
{
	static const char file[12] = "/bin/prog";

	bytes_u32(b, 20 | (uint32_t)sizeof(file) << 16);
	bytes_u32(b, e->pid);
	bytes_u32(b, (uint32_t)e->nr);
	bytes_add(b, file, sizeof(file));
}

static void add_rename(struct bytes *b, const struct call_event *e)
{
	char comm[16] = "";

	snprintf(comm, sizeof(comm), "new-%u", (unsigned int)e->args[0]);
	bytes_u32(b, (uint32_t)e->nr);
	bytes_zeros(b, 16);
	bytes_add(b, comm, sizeof(comm));
}

static uint32_t text_size(const struct call_event *e)
{
	return !e->text ? 0 : e->text_size ? e->text_size : (uint32_t)strlen(e->text) + 1;
}

/* Where the text is that follows the fields, and how long it is */
static void add_loc(struct bytes *b, uint32_t offset, uint32_t size)
{
	bytes_u32(b, offset | size << 16);
}

static void add_named(struct bytes *b, const struct call_event *e, size_t n_args)
{
	bytes_u64(b, (uint32_t)e->nr);
	for (size_t i = 0; i < n_args; i++)
		bytes_u64(b, e->args[i]);
	add_loc(b, (uint32_t)(20 + 8 * n_args), text_size(e));
	if (e->text)
		bytes_add(b, e->text, text_size(e));
}

static void add_copy(struct bytes *b, const struct call_event *e)
{
	bytes_zeros(b, 16);
	add_loc(b, 44, text_size(e));
	bytes_u64(b, (uint64_t)e->nr);
	bytes_u64(b, e->args[0]);
	if (e->text)
		bytes_add(b, e->text, text_size(e));
}

static void add_texts(struct bytes *b, const struct call_event *e)
{
	const uint32_t other = (uint32_t)strlen(e->other) + 1;

	bytes_u32(b, (uint32_t)e->nr);
	add_loc(b, 20, text_size(e));
	add_loc(b, 20 + text_size(e), other);
	bytes_add(b, e->text, text_size(e));
	bytes_add(b, e->other, other);
}

static void add_switch(struct bytes *b, const struct call_event *e)
{
	bytes_zeros(b, 16);
	bytes_u32(b, e->pid);
	bytes_u32(b, 120);
	bytes_u64(b, e->args[0]);
	bytes_zeros(b, 16);
	bytes_u32(b, (uint32_t)e->nr);
	bytes_u32(b, 120);
}

static void add_issue(struct bytes *b, const struct call_event *e)
{
	bytes_u32(b, (uint32_t)e->args[0]);
	bytes_u32(b, 0);
	bytes_u64(b, (uint64_t)e->nr);
	bytes_u32(b, (uint32_t)(e->args[1] / 512));
	bytes_u32(b, (uint32_t)e->args[1]);
	bytes_add(b, "WS\0\0\0\0\0\0\0\0\0", 12);
}

static void add_fields(struct bytes *b, const struct call_event *e)
{
	switch (e->kind) {
	case CALL_ENTER:
		bytes_u64(b, (uint64_t)e->nr);
		for (size_t i = 0; i < 6; i++)
			bytes_u64(b, e->args[i]);
		return;
	case CALL_LEAVE:
		bytes_u64(b, (uint64_t)e->nr);
		bytes_u64(b, e->args[0]);
		return;
	case CALL_NEWTASK:
		bytes_u32(b, (uint32_t)e->nr);
		bytes_zeros(b, 20);
		bytes_u64(b, e->args[0]);
		return;
	case CALL_FORK:
		bytes_zeros(b, 36);
		bytes_u32(b, (uint32_t)e->nr);
		return;
	case CALL_EXEC:
		add_exec(b, e);
		return;
	case CALL_TASK_END:
		bytes_zeros(b, 24);
		return;
	case CALL_SIGNAL:
		bytes_u32(b, (uint32_t)e->nr);
		bytes_u32(b, (uint32_t)e->args[0]);
		bytes_u32(b, (uint32_t)e->args[1]);
		bytes_u32(b, 0);
		bytes_u64(b, e->args[2]);
		bytes_u64(b, 0);
		return;
	case CALL_OTHER:
	case CALL_VECTOR:
		bytes_u32(b, (uint32_t)e->nr);
		return;
	case CALL_SWITCH:
		add_switch(b, e);
		return;
	case CALL_WAKING:
		bytes_zeros(b, 16);
		bytes_u32(b, (uint32_t)e->nr);
		bytes_zeros(b, 8);
		return;
	case CALL_ISSUE:
		add_issue(b, e);
		return;
	case CALL_COMPLETE:
		bytes_u32(b, (uint32_t)e->args[0]);
		bytes_u32(b, 0);
		bytes_u64(b, (uint64_t)e->nr);
		return;
	case CALL_FAULT:
		bytes_u64(b, (uint64_t)e->nr);
		return;
	case CALL_RENAME:
		add_rename(b, e);
		return;
	case CALL_OPENAT:
		add_named(b, e, 4);
		return;
	case CALL_WRITE:
		add_named(b, e, 3);
		return;
	case CALL_GETNAME:
		add_copy(b, e);
		return;
	case CALL_TEXTS:
	case CALL_BEFORE:
		add_texts(b, e);
	}
}

static void add_record(struct page_builder *p, const struct call_event *e, uint64_t before)
{
	struct bytes b;

	bytes_init(&b, false);
	bytes_u16(&b, (uint16_t)e->kind);
	bytes_u16(&b, e->kind == CALL_WAKING ? (uint16_t)e->args[0] : 0);
	bytes_u32(&b, e->pid);
	add_fields(&b, e);
	bytes_zeros(&b, -b.sb.len & 3);
	if (b.sb.len > SHORT_RECORD)
		page_long(p, (uint32_t)(e->ts - before), b.sb.s, b.sb.len);
	else
		page_data(p, (uint32_t)(e->ts - before), b.sb.s, b.sb.len);
	bytes_release(&b);
}

static void end_page(struct page_builder *p, uint32_t lost)
{
	if (lost)
		page_end_lost(p, lost);
	else
		page_end(p, 0);
}

static void fill_pages(const struct call_event *events, size_t n, struct bytes *out)
{
	struct page_builder p = { 0 };
	uint32_t lost = 0;

	for (size_t i = 0; i < n; i++) {
		if (p.out && (events[i].lost || page_used(&p) > PAGE_FULL)) {
			end_page(&p, lost);
			p.out = NULL;
		}
		if (!p.out) {
			page_begin(&p, out, 8, 4096, events[i].ts);
			lost = events[i].lost;
			add_record(&p, &events[i], events[i].ts);
		} else {
			add_record(&p, &events[i], events[i - 1].ts);
		}
	}
	if (p.out)
		end_page(&p, lost);
}

int call_build(const struct call_event *events, size_t n)
{
	struct dat_system used[N_CALLS(systems) + N_CALLS(others)] = { { NULL, NULL } };
	const struct dat_spec spec = {
		.cpus = 1,
		.page_size = 4096,
		.sched = sched_formats,
		.systems = used,
		.uname = "Linux host 6.1 x86_64",
	};
	size_t n_used = N_CALLS(systems) - 1;
	struct bytes pages;

	memcpy(used, systems, sizeof(systems));
	for (size_t k = 0; k < N_CALLS(others); k++) {
		size_t i = 0;

		while (i < n &&
		       (events[i].kind < others[k].first || events[i].kind > others[k].last))
			i++;
		if (i < n)
			used[n_used++] = others[k].system;
	}
	bytes_init(&pages, false);
	fill_pages(events, n, &pages);
	return dat_file(&spec, &pages);
}

struct tfs_strace_opts call_opts(void)
{
	return (struct tfs_strace_opts){
		.args = { .max_string = TFS_ARGS_STRING },
		.line = { .column = TFS_LINE_COLUMN, .duration_digits = -1 },
	};
}

const char *call_show(const struct call_event *events, size_t n, struct tfs_strace_opts opts,
		      size_t fail, bool *failed, int *rc)
{
	static const struct tfs_trace_opts plain = { .no_plugins = true };
	static char text[TEXT_MAX];
	int fd = call_build(events, n), out_fd = memfd_create("text", MFD_CLOEXEC), result;
	struct tfs_run_input input = { 0 };
	const struct tfs_run_opts run = { .inputs = &input, .n = 1, .jobs = 1 };
	struct tfs_view *view = NULL;
	struct tfs_out *out = NULL;
	char path[64];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(tfs_trace_open(path, &plain, &input.trace, NULL), 0);
	assert_int_equal(tfs_out_new(out_fd, &out), 0);
	opts.trace = input.trace;
	opts.abi = tfs_calls_abi(input.trace);
	alloc_fail_at(fail);
	result = tfs_strace_new(&opts, &view, NULL);
	if (!result)
		result = tfs_run(view, out, &run, NULL);
	if (failed)
		*failed = alloc_fail_off();
	else
		alloc_fail_off();
	if (rc)
		*rc = result;
	else
		assert_int_equal(result, 0);
	len = pread(out_fd, text, sizeof(text) - 1, 0);
	text[len] = '\0';
	tfs_view_free(view);
	tfs_out_free(out);
	tfs_trace_free(input.trace);
	close(out_fd);
	close(fd);
	return text;
}
