/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "lib/fake.h"
#include "record/meta-formats.h"
#include "record/meta.h"
#include "record/symbol-needs.h"
#include "tracedat/compress.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-write.h"
#include "tracefs/instance.h"

struct fixture {
	struct fake fake;
	struct tfs_instance top;
	struct tfs_codec *codec;
	struct tfs_dat_writer *writer;
	int fd;
	struct tfs_dat *dat;
	struct tfs_symbol_needs needs;
	bool has_needs;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	fake_new(&f->fake, "x86_64-6.18");
	f->fd = memfd_create("dat", 0);
	if (tfs_codec_new(TFS_CODEC_NONE, 0, &f->codec, NULL) ||
	    tfs_dat_writer_new(f->fd, f->codec, 4096, &f->writer, NULL))
		return -1;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tfs_dat_free(f->dat);
	tfs_dat_writer_free(f->writer);
	tfs_codec_free(f->codec);
	close(f->fd);
	fake_free(&f->fake);
	free(f);
	return 0;
}

static int write_head(struct fixture *f, const struct tfs_strvec *events, struct tfs_err *err)
{
	struct tfs_meta_head head = {
		.root = f->fake.root,
		.inst = &f->top,
		.events = events,
		.n_cpus = 4,
		.needs = f->has_needs ? &f->needs : NULL,
	};

	return tfs_meta_write_head(f->writer, &head, err);
}

static void read_back(struct fixture *f)
{
	int fd = dup(f->fd);

	assert_int_equal(tfs_dat_writer_finish(f->writer, NULL), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(tfs_dat_open_fd(fd, "dat", &f->dat, NULL), 0);
	assert_null(tfs_dat_damage(f->dat));
}

/* The payload of the n-th option with this id, NULL if there are fewer */
static const struct tfs_dat_option *option(const struct fixture *f, uint16_t id, size_t n)
{
	for (size_t i = 0; i < tfs_dat_n_options(f->dat); i++) {
		const struct tfs_dat_option *o = tfs_dat_option(f->dat, i);

		if (o->id == id && !n--)
			return o;
	}
	return NULL;
}

static size_t formats_of(const struct fixture *f, const char *system, const char *event)
{
	char name[128];
	size_t n = 0;

	snprintf(name, sizeof(name), "name: %s\n", event ? event : "");
	for (size_t i = 0; i < tfs_dat_n_formats(f->dat); i++) {
		const struct tfs_dat_format *format = tfs_dat_format(f->dat, i);

		if (!strcmp(format->system, system) &&
		    (!event || !strncmp(format->text.data, name, strlen(name))))
			n++;
	}
	return n;
}

static void the_clock_is_the_one_in_brackets(void **state)
{
	struct fixture *f = *state;
	struct tfs_strbuf name = TFS_STRBUF_INIT;

	fake_put(&f->fake, "trace_clock", "local global [mono_raw] boot\n");
	assert_int_equal(tfs_meta_clock(f->fake.root, &f->top, &name, NULL), 0);
	assert_string_equal(name.s, "mono_raw");
	fake_put(&f->fake, "trace_clock", "local global\n");
	assert_int_equal(tfs_meta_clock(f->fake.root, &f->top, &name, NULL), -EBADMSG);
	tfs_strbuf_release(&name);
}

static void the_head_has_the_requested_formats_and_those_of_ftrace(void **state)
{
	struct fixture *f = *state;
	struct tfs_strvec events = TFS_STRVEC_INIT;
	struct tfs_blob blob;
	glob_t ftrace;

	fake_put(&f->fake, "printk_formats", "0xffffffff81234567 : \"hello\"\n");
	assert_int_equal(tfs_strvec_push(&events, "sched:sched_switch"), 0);
	assert_int_equal(tfs_strvec_push(&events, "irq:*"), 0);
	assert_int_equal(tfs_strvec_push(&events, "irq:irq_handler_entry"), 0);
	assert_int_equal(tfs_strvec_push(&events, "sched:sched_gone"), 0);
	assert_int_equal(tfs_strvec_push(&events, "gone:*"), 0);
	assert_int_equal(write_head(f, &events, NULL), 0);
	read_back(f);
	tfs_strvec_release(&events);

	tfs_dat_blob(f->dat, TFS_DAT_BLOB_HEADER_PAGE, &blob);
	assert_string_equal(blob.data, fake_get(&f->fake, "events/header_page"));
	tfs_dat_blob(f->dat, TFS_DAT_BLOB_HEADER_EVENT, &blob);
	assert_string_equal(blob.data, fake_get(&f->fake, "events/header_event"));
	tfs_dat_blob(f->dat, TFS_DAT_BLOB_PRINTK, &blob);
	assert_string_equal(blob.data, fake_get(&f->fake, "printk_formats"));
	assert_int_equal(formats_of(f, "sched", NULL), 1);
	assert_int_equal(formats_of(f, "sched", "sched_switch"), 1);
	assert_int_equal(formats_of(f, "irq", "irq_handler_entry"), 1);
	assert_int_equal(formats_of(f, "irq", "softirq_raise"), 1);
	assert_int_equal(glob(fake_path(&f->fake, "events/ftrace/*/format"), 0, NULL, &ftrace), 0);
	assert_int_equal(formats_of(f, "ftrace", NULL), ftrace.gl_pathc);
	globfree(&ftrace);
}

/* Without its format no record of the event could be decoded. */
static void a_format_that_cannot_be_read_is_an_error(void **state)
{
	struct fixture *f = *state;
	struct tfs_strvec events = TFS_STRVEC_INIT;
	struct tfs_strbuf payload = TFS_STRBUF_INIT;
	struct tfs_err err = TFS_ERR_INIT;

	/* a directory can be opened and not be read */
	assert_int_equal(unlink(fake_path(&f->fake, "events/irq/softirq_raise/format")), 0);
	assert_int_equal(mkdir(fake_path(&f->fake, "events/irq/softirq_raise/format"), 0700), 0);
	assert_int_equal(tfs_strvec_push(&events, "irq:*"), 0);
	assert_int_equal(tfs_meta_formats(f->fake.root, &events, &payload, NULL, NULL, &err),
			 -EISDIR);
	assert_non_null(strstr(err.msg, "events/irq/softirq_raise/format"));
	assert_int_equal(write_head(f, &events, NULL), -EISDIR);
	tfs_strbuf_release(&payload);
	tfs_strvec_release(&events);
}

static bool has_symbols(const struct fixture *f)
{
	struct tfs_blob blob;

	tfs_dat_blob(f->dat, TFS_DAT_BLOB_KALLSYMS, &blob);
	return blob.size > 0;
}

/* The head of a recording that has symbols only if they are of use */
static void write_head_with(struct fixture *f, const char *event, const char *options)
{
	struct tfs_strvec events = TFS_STRVEC_INIT;

	fake_put(&f->fake, "current_tracer", "nop\n");
	fake_put(&f->fake, "trace_options", options);
	if (!strstr(options, "copy_trace_marker"))
		assert_int_equal(unlink(fake_path(&f->fake, "options/copy_trace_marker")), 0);
	f->has_needs = true;
	assert_int_equal(tfs_strvec_push(&events, event), 0);
	assert_int_equal(write_head(f, &events, NULL), 0);
	read_back(f);
	tfs_strvec_release(&events);
}

static void types_that_may_need_symbols_are_looked_out_for(void **state)
{
	struct fixture *f = *state;

	write_head_with(f, "sched:*", "markers\nnostacktrace\n");
	assert_false(has_symbols(f));
	assert_int_equal(f->needs.of, formats_of(f, "sched", NULL));
	assert_int_equal(f->needs.n, 3); /* sched_kthread_work_*: %p and %ps */
	assert_string_equal(f->needs.first, "sched:sched_kthread_work_execute_end");
	assert_true(tfs_symbol_needs_open(&f->needs));
}

static void where_an_instance_makes_stacks_there_are_symbols(void **state)
{
	struct fixture *f = *state;

	write_head_with(f, "sched:sched_switch", "markers\nstacktrace\n");
	assert_true(has_symbols(f));
	assert_false(tfs_symbol_needs_open(&f->needs));
}

static void markers_that_are_copied_are_looked_out_for(void **state)
{
	struct fixture *f = *state;

	write_head_with(f, "sched:sched_switch", "copy_trace_marker\nnostacktrace\n");
	assert_false(has_symbols(f));
	assert_true(tfs_symbol_needs_open(&f->needs));
	/* TRACE_PRINT, TRACE_BPRINT and TRACE_BPUTS of kernel/trace/trace.h */
	assert_int_equal(f->needs.ids[0], 1 << 5 | 1 << 6);
	assert_int_equal(f->needs.ids[1], 1 << (15 - 8));
}

static void an_event_shows_whose_system_calls_they_are(void **state)
{
	static const char text[] = "name: sys_enter_arch_prctl\nID: 99\nformat:\n"
				   "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
				   "\nprint fmt: \"\"\n";
	struct fixture *f = *state;

	fake_put(&f->fake, "events/syscalls/sys_enter_arch_prctl/format", text);
	write_head_with(f, "raw_syscalls:*", "nostacktrace\n");
	assert_false(has_symbols(f));
	assert_int_equal(formats_of(f, "syscalls", NULL), 1);
	assert_int_equal(formats_of(f, "syscalls", "sys_enter_arch_prctl"), 1);
	assert_int_equal(formats_of(f, "raw_syscalls", NULL), 2);
	assert_false(tfs_symbol_needs_open(&f->needs));
}

static void or_by_symbols_where_there_is_none(void **state)
{
	struct fixture *f = *state;

	write_head_with(f, "raw_syscalls:*", "nostacktrace\n");
	assert_true(has_symbols(f));
	assert_int_equal(formats_of(f, "syscalls", NULL), 0);
}

static void the_options_describe_this_machine(void **state)
{
	struct fixture *f = *state;
	struct tfs_strvec none = TFS_STRVEC_INIT;
	const struct tfs_dat_option *o;
	struct utsname un;
	char want[512];
	uint32_t cpus;

	fake_put(&f->fake, "trace_clock", "local [boot]\n");
	assert_int_equal(write_head(f, &none, NULL), 0);
	read_back(f);
	o = option(f, TFS_DAT_TRACECLOCK, 0);
	assert_non_null(o);
	assert_string_equal(o->data.data, "local [boot]\n");
	assert_int_equal(uname(&un), 0);
	snprintf(want, sizeof(want), "Linux %s %s %s", un.nodename, un.release, un.machine);
	o = option(f, TFS_DAT_UNAME, 0);
	assert_non_null(o);
	assert_string_equal(o->data.data, want);
	o = option(f, TFS_DAT_CPUCOUNT, 0);
	assert_non_null(o);
	assert_int_equal(o->data.size, 4);
	memcpy(&cpus, o->data.data, 4);
	assert_int_equal(cpus, 4);
	assert_non_null(option(f, TFS_DAT_VERSION, 0));
}

static void a_file_without_printk_formats_is_whole_all_the_same(void **state)
{
	struct fixture *f = *state;
	struct tfs_strvec none = TFS_STRVEC_INIT;
	struct tfs_blob blob;

	assert_false(fake_has(&f->fake, "printk_formats"));
	assert_int_equal(write_head(f, &none, NULL), 0);
	read_back(f);
	tfs_dat_blob(f->dat, TFS_DAT_BLOB_PRINTK, &blob);
	assert_int_equal(blob.size, 0);
}

static void without_header_page_there_is_no_recording(void **state)
{
	struct fixture *f = *state;
	struct tfs_strvec none = TFS_STRVEC_INIT;
	struct tfs_err err = TFS_ERR_INIT;

	assert_int_equal(unlink(fake_path(&f->fake, "events/header_page")), 0);
	assert_int_equal(write_head(f, &none, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "header_page"));
}

static void the_names_of_tasks_are_in_the_file(void **state)
{
	struct fixture *f = *state;
	struct tfs_blob blob;

	fake_put(&f->fake, "saved_cmdlines", "1 init\n77 a b\n");
	assert_int_equal(write_head(f, &(struct tfs_strvec)TFS_STRVEC_INIT, NULL), 0);
	assert_int_equal(tfs_meta_write_cmdlines(f->writer, f->fake.root, NULL, NULL), 0);
	read_back(f);
	tfs_dat_blob(f->dat, TFS_DAT_BLOB_CMDLINES, &blob);
	assert_string_equal(blob.data, "1 init\n77 a b\n");
}

static void names_that_the_kernel_has_not_saved_come_after_those_that_it_has(void **state)
{
	struct fixture *f = *state;
	struct tfs_blob blob;

	fake_put(&f->fake, "saved_cmdlines", "1 init\n77 a b\n");
	assert_int_equal(write_head(f, &(struct tfs_strvec)TFS_STRVEC_INIT, NULL), 0);
	assert_int_equal(tfs_meta_write_cmdlines(f->writer, f->fake.root,
						 "7 seven\n77 other\n1 x\n4194303 timerlat/0\n",
						 NULL),
			 0);
	read_back(f);
	tfs_dat_blob(f->dat, TFS_DAT_BLOB_CMDLINES, &blob);
	assert_string_equal(blob.data, "1 init\n77 a b\n7 seven\n4194303 timerlat/0\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_clock_is_the_one_in_brackets),
		TEST(the_head_has_the_requested_formats_and_those_of_ftrace),
		TEST(a_format_that_cannot_be_read_is_an_error),
		TEST(types_that_may_need_symbols_are_looked_out_for),
		TEST(where_an_instance_makes_stacks_there_are_symbols),
		TEST(markers_that_are_copied_are_looked_out_for),
		TEST(an_event_shows_whose_system_calls_they_are),
		TEST(or_by_symbols_where_there_is_none),
		TEST(the_options_describe_this_machine),
		TEST(a_file_without_printk_formats_is_whole_all_the_same),
		TEST(without_header_page_there_is_no_recording),
		TEST(the_names_of_tasks_are_in_the_file),
		TEST(names_that_the_kernel_has_not_saved_come_after_those_that_it_has),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
