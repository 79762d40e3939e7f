/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/graph_view.h"

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
#include "base/strbuf.h"
#include "decode/trace.h"
#include "lib/bytes.h"
#include "lib/dat_build.h"
#include "pipeline/run.h"
#include "pipeline/view.h"

static const char symbols[] = "ffffffff81010000 t alpha\n"
			      "ffffffff81020000 t __beta.constprop.0\n"
			      "ffffffff81030000 t gamma\n"
			      "ffffffff81040000 t delta\n"
			      "ffffffff81050000 t irq_enter_rcu\n"
			      "ffffffff81060000 t tick\n"
			      "ffffffff81070000 t gamma.cold\n"
			      "ffffffff81080000 t behind\n"
			      "ffffffff8108fff0 T __irqentry_text_start\n"
			      "ffffffff81090000 t sysvec\n"
			      "ffffffff810a0000 T __irqentry_text_end\n";

#define CALL                                                           \
	"\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n" \
	"\tfield:unsigned int depth;\toffset:16;\tsize:4;\tsigned:0;\n"

static const char *const ftrace_formats[] = {
	"name: funcgraph_entry\nID: 11\n" DAT_COMMON_FIELDS CALL
	"\tfield:unsigned long args[];\toffset:24;\tsize:0;\tsigned:0;\n\n"
	"print fmt: \"--> %ps (%u)\", (void *)REC->func, REC->depth\n",
	"name: fgraph_retaddr_entry\nID: 12\n" DAT_COMMON_FIELDS CALL
	"\tfield:unsigned long retaddr;\toffset:24;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"--> %ps (%u) <- %ps\", (void *)REC->func, REC->depth, (void *)REC->retaddr\n",
	"name: funcgraph_exit\nID: 10\n" DAT_COMMON_FIELDS CALL
	"\tfield:unsigned int overrun;\toffset:20;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long long calltime;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long long rettime;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long retval;\toffset:40;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"<-- %ps (%u)\", (void *)REC->func, REC->depth\n",
	NULL,
};

#define VALUE                                                           \
	"\tfield:unsigned int nr;\toffset:8;\tsize:4;\tsigned:0;\n"     \
	"\tfield:unsigned int dev;\toffset:12;\tsize:4;\tsigned:0;\n\n" \
	"print fmt: \"nr=%u\", REC->nr\n"

/* The last has no end; what the kernel has for it is here all the same. */
static const char *const syscall_formats[] = {
	"name: sys_enter_read\nID: 53\n" DAT_COMMON_FIELDS VALUE,
	"name: sys_exit_read\nID: 54\n" DAT_COMMON_FIELDS VALUE,
	"name: sys_enter_exit\nID: 55\n" DAT_COMMON_FIELDS VALUE,
	"name: sys_exit_exit\nID: 56\n" DAT_COMMON_FIELDS VALUE,
	NULL,
};

static const char *const sched_formats[] = {
	"name: work_begin\nID: 50\n" DAT_COMMON_FIELDS VALUE,
	"name: work_end\nID: 51\n" DAT_COMMON_FIELDS VALUE,
	"name: note\nID: 52\n" DAT_COMMON_FIELDS VALUE,
	"name: p_open_0\nID: 57\n" DAT_COMMON_FIELDS
	"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"(%lx)\", REC->__probe_ip\n",
	"name: r_open_0\nID: 58\n" DAT_COMMON_FIELDS
	"\tfield:unsigned long __probe_func;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long __probe_ret_ip;\toffset:16;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"(%lx <- %lx)\", REC->__probe_ret_ip, REC->__probe_func\n",
	"name: open_0\nID: 59\n" DAT_COMMON_FIELDS
	"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"(%lx)\", REC->__probe_ip\n",
	NULL,
};

static void add_record(struct bytes *b, const struct event *e)
{
	bytes_u16(b, (uint16_t)e->kind);
	bytes_u8(b, (uint8_t)e->flags);
	bytes_u8(b, 0);
	bytes_u32(b, e->pid);
	if (e->kind >= PROBE) {
		bytes_u64(b, 0x1234);
		bytes_u64(b, 0x5678);
		return;
	}
	if (e->kind >= WORK) {
		bytes_u32(b, (uint32_t)e->took);
		bytes_u32(b, (uint32_t)e->value);
		return;
	}
	bytes_u64(b, 0xffffffff81000000 + 0x10000 * (uint64_t)e->func);
	bytes_u32(b, e->depth);
	bytes_u32(b, 0);
	if (e->kind != EXIT) {
		if (e->value)
			bytes_u64(b, e->value);
		return;
	}
	bytes_u64(b, e->ts - e->late - e->took);
	bytes_u64(b, e->ts - e->late);
	bytes_u64(b, e->value);
}

static void fill_pages(const struct event *events, size_t n, unsigned int cpu, struct bytes *out)
{
	uint32_t lost = 0, begun = 0;
	struct page_builder p;
	uint64_t before = 0;
	struct bytes e;

	for (size_t i = 0; i < n; i++) {
		if (events[i].cpu != cpu)
			continue;
		if (begun && (events[i].lost || page_used(&p) > 3000)) {
			if (lost)
				page_end_lost(&p, lost);
			else
				page_end(&p, 0);
			begun = 0;
		}
		if (!begun) {
			page_begin(&p, out, 8, 4096, events[i].ts);
			before = events[i].ts;
			lost = events[i].lost;
			begun = 1;
		}
		bytes_init(&e, false);
		add_record(&e, &events[i]);
		page_data(&p, (uint32_t)(events[i].ts - before), e.sb.s, e.sb.len);
		bytes_release(&e);
		before = events[i].ts;
	}
	if (begun && lost)
		page_end_lost(&p, lost);
	else if (begun)
		page_end(&p, 0);
}

int graph_build(const struct event *events, size_t n)
{
	const struct dat_spec spec = { .cpus = CPUS,
				       .page_size = 4096,
				       .sched = sched_formats,
				       .syscalls = syscall_formats,
				       .ftrace = ftrace_formats,
				       .kallsyms = symbols };
	const uint32_t n_cpus = CPUS;
	struct bytes pages[CPUS];
	struct dat_cpu cpus[CPUS];
	struct dat_builder d;
	int fd;

	dat_begin(&d, &spec);
	dat_metadata(&d);
	dat_option(&d, 8, &n_cpus, sizeof(n_cpus));
	for (unsigned int i = 0; i < CPUS; i++) {
		bytes_init(&pages[i], false);
		fill_pages(events, n, i, &pages[i]);
		cpus[i] = (struct dat_cpu){ .cpu = i, .pages = &pages[i] };
	}
	dat_buffer(&d, "", cpus, CPUS);
	dat_options_end(&d);
	fd = bytes_to_fd(d.b.sb.s, d.b.sb.len);
	for (unsigned int i = 0; i < CPUS; i++)
		bytes_release(&pages[i]);
	dat_release(&d);
	return fd;
}

int graph_set_up(void **state)
{
	struct view *v = calloc(1, sizeof(*v));

	if (!v)
		return -1;
	*state = v;
	v->err = TFS_ERR_INIT;
	tfs_strbuf_init(&v->text);
	v->opts.funcs = &v->funcs;
	v->opts.callers = &v->callers;
	v->opts.pairs = &v->pairs;
	return 0;
}

int graph_tear_down(void **state)
{
	struct view *v = *state;

	tfs_strvec_release(&v->funcs);
	tfs_strvec_release(&v->callers);
	tfs_strvec_release(&v->pairs);
	tfs_strvec_release(&v->other);
	tfs_strvec_release(&v->other_callers);
	tfs_strbuf_release(&v->text);
	free(v);
	return 0;
}

int graph_run(struct tfs_trace *trace, int fd, struct view *v)
{
	struct tfs_select *select = NULL;
	struct tfs_run_input input = { .trace = trace };
	const struct tfs_run_opts run = { .inputs = &input, .n = 1 };
	struct tfs_view *view = NULL;
	struct tfs_out *out = NULL;
	int rc = tfs_out_new(fd, &out);

	if (!rc)
		rc = tfs_select_new(trace, &v->select, &select, &v->err);
	v->opts.select = input.select = select;
	if (!rc)
		rc = tfs_graph_new(trace, &v->opts, &view, &v->err);
	if (!rc)
		rc = tfs_run(view, out, &run, &v->err);
	if (!rc)
		v->missed = tfs_graph_missed(view, &v->other, &v->other_callers, &v->err);
	tfs_view_free(view);
	tfs_select_free(select);
	tfs_out_free(out);
	return rc;
}

int graph_try(const struct event *events, size_t n, int fd, struct view *v)
{
	static const struct tfs_trace_opts plain = { .no_plugins = true };
	struct tfs_trace *trace = NULL;
	int dat = graph_build(events, n), rc;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", dat);
	assert_int_equal(tfs_trace_open(path, &plain, &trace, NULL), 0);
	rc = graph_run(trace, fd, v);
	tfs_trace_free(trace);
	close(dat);
	return rc;
}

void graph_draw(const struct event *events, size_t n, struct view *v)
{
	int fd = memfd_create("out", MFD_CLOEXEC);
	ssize_t got;
	off_t size;
	char *body;

	assert_int_equal(graph_try(events, n, fd, v), 0);
	size = lseek(fd, 0, SEEK_END);
	assert_int_equal(tfs_strbuf_grow(&v->text, (size_t)size), 0);
	got = pread(fd, v->text.s, (size_t)size, 0);
	assert_int_equal(got, size);
	v->text.s[size] = '\0';
	v->text.len = (size_t)size;
	close(fd);
	body = strstr(v->text.s, "|   |   |\n");
	if (body)
		memmove(v->text.s, body + 10, strlen(body + 10) + 1);
}

/* The column of durations is as wide as the kernel's: what is before a tab is padded to that. */
void graph_expect(const struct view *v, const char *const *lines)
{
	struct tfs_strbuf all = TFS_STRBUF_INIT;
	const char *tab;

	for (; *lines; lines++) {
		tab = strchr(*lines, '\t');
		if (tab)
			tfs_strbuf_addf(&all, "%-35.*s%s", (int)(tab - *lines), *lines, tab + 1);
		else
			tfs_strbuf_adds(&all, *lines);
	}
	assert_string_equal(v->text.s, all.s);
	tfs_strbuf_release(&all);
}
