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

#include "base/out.h"
#include "decode/trace-internal.h"
#include "decode/trace.h"
#include "lib/bytes.h"
#include "lib/dat_build.h"
#include "lib/skip.h"
#include "pipeline/run.h"
#include "pipeline/view.h"
#include "view/text.h"

#define FIELD(type_name, offset, size) \
	"\tfield:" type_name ";\toffset:" #offset ";\tsize:" #size ";\tsigned:0;\n"
#define REPEATS 19
/* As the kernel has it in events/ftrace. */
static const char *const formats[] = {
	"name: func_repeats\nID: 19\n" DAT_COMMON_FIELDS FIELD("unsigned long ip", 8, 8)
		FIELD("unsigned long parent_ip", 16, 8) FIELD("u16 count", 24,
							      2) FIELD("u16 top_delta_ts", 26, 2)
			FIELD("u32 bottom_delta_ts", 28, 4) "\nprint fmt: \"%u\", REC->count\n",
	NULL,
};

#define STAMP 5000000000
#define DELTA 1000000 /* between the stamp and the last time the function was called */

/* One func_repeats record, stamped STAMP */
static int build(const char *clocks)
{
	const struct dat_spec spec = {
		.cpus = 1, .page_size = 4096, .ftrace = formats, .clocks = clocks
	};
	struct page_builder page;
	struct bytes pages, b;
	int fd;

	bytes_init(&b, false);
	bytes_u16(&b, REPEATS);
	bytes_u16(&b, 0);
	bytes_u32(&b, 42);
	bytes_u64(&b, 0);
	bytes_u64(&b, 0);
	bytes_u16(&b, 3);
	bytes_u16(&b, 0);
	bytes_u32(&b, DELTA);
	bytes_init(&pages, false);
	page_begin(&page, &pages, 8, 4096, STAMP);
	page_data(&page, 0, b.sb.s, b.sb.len);
	page_end(&page, 0);
	bytes_release(&b);
	fd = dat_file(&spec, &pages);
	assert_true(fd >= 0);
	return fd;
}

static struct tfs_trace *open_trace(int fd)
{
	static const struct tfs_trace_opts opts = { .text = TFS_TRACE_TIMES };
	struct tfs_trace *trace = NULL;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(tfs_trace_open(path, &opts, &trace, NULL), 0);
	return trace;
}

/* The view's output, in static memory. */
static const char *print(struct tfs_trace *trace, struct tfs_view *view)
{
	static char text[4096];
	const struct tfs_run_input input = { .trace = trace };
	const struct tfs_run_opts run = { .inputs = &input, .n = 1 };
	int fd = memfd_create("text", MFD_CLOEXEC);
	struct tfs_out *out = NULL;
	ssize_t n;

	assert_true(fd >= 0);
	assert_int_equal(tfs_out_new(fd, &out), 0);
	assert_int_equal(tfs_run(view, out, &run, NULL), 0);
	tfs_out_free(out);
	n = pread(fd, text, sizeof(text) - 1, 0);
	assert_true(n > 0);
	text[n] = '\0';
	close(fd);
	return text;
}

/* Both views are made before either runs: neither may change what the other prints. */
static void recordings_of_different_clocks_keep_their_time_stamps(void **state)
{
	static const struct tfs_text_opts opts = { 0 };
	int fds[2] = { build("[local] x86-tsc\n"), build("local [x86-tsc]\n") };
	struct tfs_trace *ns = open_trace(fds[0]), *units = open_trace(fds[1]);
	struct tfs_view *ns_view = NULL, *units_view = NULL;
	bool plugin = ns->repeat_time_of_plugin;

	(void)state;
	assert_int_equal(tfs_text_new(ns, &opts, &ns_view), 0);
	assert_int_equal(tfs_text_new(units, &opts, &units_view), 0);
	if (plugin) {
		assert_non_null(strstr(print(ns, ns_view), " 4.999000)"));
		assert_non_null(strstr(print(units, units_view), " 4999000000)"));
	}
	tfs_view_free(ns_view);
	tfs_view_free(units_view);
	tfs_trace_free(ns);
	tfs_trace_free(units);
	close(fds[0]);
	close(fds[1]);
	if (!plugin)
		skip_because("libtraceevent's plugin of ftrace is not installed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recordings_of_different_clocks_keep_their_time_stamps),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
