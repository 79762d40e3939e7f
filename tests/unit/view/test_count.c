/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
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
#include "base/macros.h"
#include "base/out.h"
#include "base/strvec.h"
#include "decode/trace.h"
#include "lib/bytes.h"
#include "lib/dat_build.h"
#include "pipeline/run.h"
#include "pipeline/view.h"
#include "view/count.h"

#define FORMAT(name, id, field) \
	"name: " name "\nID: " #id "\n" DAT_COMMON_FIELDS field "\nprint fmt: \"\"\n"

static const char *const formats[] = {
	FORMAT("one", 50, "\tfield:int value;\toffset:8;\tsize:4;\tsigned:1;\n"),
	FORMAT("place", 52, "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"),
	FORMAT("two", 51, "\tfield:int other;\toffset:8;\tsize:4;\tsigned:1;\n"),
	NULL,
};

/* Ten events on two CPUs, values 7 (5 of them), 8 (2) and 9 (1), and two of the other type */
static const struct {
	unsigned int cpu, id, value;
} events[] = {
	{ 0, 50, 7 }, { 1, 50, 8 }, { 0, 50, 7 }, { 0, 51, 7 }, { 1, 50, 9 },
	{ 1, 50, 7 }, { 0, 50, 7 }, { 0, 50, 8 }, { 1, 51, 1 }, { 1, 50, 7 },
};

/* alpha twice, beta once, and one that has no name */
static const uint64_t places[] = { 0xffffffff81010004, 0xffffffff81020000, 0xffffffff81010000,
				   0x1000 };

static void add_places(struct page_builder *page)
{
	struct bytes b;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		bytes_init(&b, false);
		bytes_u16(&b, 52);
		bytes_u16(&b, 0);
		bytes_u32(&b, 42);
		bytes_u64(&b, places[i]);
		page_data(page, 10, b.sb.s, b.sb.len);
		bytes_release(&b);
	}
}

static struct tfs_trace *open_events(bool with_places)
{
	const struct dat_spec spec = { .cpus = 2,
				       .page_size = 4096,
				       .sched = formats,
				       .kallsyms = "ffffffff81010000 t alpha\n"
						   "ffffffff81020000 t beta\n"
						   "ffffffff81030000 t gamma\n" };
	static const struct tfs_trace_opts plain = { .no_plugins = true };
	struct tfs_trace *trace = NULL;
	struct page_builder page;
	struct bytes pages[2], b;
	char path[64];
	int fd;

	for (unsigned int cpu = 0; cpu < 2; cpu++) {
		bytes_init(&pages[cpu], false);
		page_begin(&page, &pages[cpu], 8, 4096, dat_sample_ts(0, cpu, 0));
		for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
			if (events[i].cpu != cpu)
				continue;
			bytes_init(&b, false);
			bytes_u16(&b, (uint16_t)events[i].id);
			bytes_u16(&b, 0);
			bytes_u32(&b, 42);
			bytes_u32(&b, events[i].value);
			page_data(&page, 10, b.sb.s, b.sb.len);
			bytes_release(&b);
		}
		if (cpu && with_places)
			add_places(&page);
		page_end(&page, 0);
	}
	fd = dat_file(&spec, pages);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(tfs_trace_open(path, &plain, &trace, NULL), 0);
	close(fd);
	return trace;
}

/* The view's output with these options, in static memory; @rc: result of creating the view */
static const char *count_sorted(const char *by, enum tfs_export_style style, const char *sort,
				uint64_t top, int *rc)
{
	static char text[4096];
	struct tfs_strvec columns = TFS_STRVEC_INIT;
	struct tfs_trace *trace = open_events(!strncmp(by, "symbol", 6));
	const char *const files[] = { "a" };
	const struct tfs_count_opts opts = {
		.rows = { .style = style, .columns = &columns, .traces = &trace, .n_traces = 1 },
		.files = files,
		.sort = sort,
		.top = top,
	};
	const struct tfs_run_input input = { .trace = trace };
	const struct tfs_run_opts run = { .inputs = &input, .n = 1, .jobs = 3 };
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_view *view = NULL;
	struct tfs_out *out = NULL;
	int fd = memfd_create("text", MFD_CLOEXEC);
	ssize_t n = 0;

	assert_int_equal(tfs_strvec_push(&columns, by), 0);
	*rc = tfs_count_new(&opts, &view, &err);
	assert_int_equal(tfs_out_new(fd, &out), 0);
	if (!*rc) {
		assert_int_equal(tfs_run(view, out, &run, NULL), 0);
		n = pread(fd, text, sizeof(text) - 1, 0);
	}
	text[n] = '\0';
	tfs_view_free(view);
	tfs_out_free(out);
	tfs_strvec_release(&columns);
	tfs_trace_free(trace);
	close(fd);
	return text;
}

static const char *count(const char *by, enum tfs_export_style style, uint64_t top, int *rc)
{
	return count_sorted(by, style, NULL, top, rc);
}

static void counts_events_with_the_same_values_the_most_frequent_first(void **state)
{
	int rc;

	(void)state;
	assert_string_equal(count("event,value", TFS_EXPORT_TAB, 0, &rc),
			    "#    COUNT   SHARE  event      value\n"
			    "         5  62.50%  sched:one  7\n"
			    "         2  25.00%  sched:one  8\n"
			    "         1  12.50%  sched:one  9\n"
			    "# 2 events without these fields\n");
	assert_string_equal(count("cpu", TFS_EXPORT_TAB, 0, &rc), "#    COUNT   SHARE  cpu\n"
								  "         5  50.00%  0\n"
								  "         5  50.00%  1\n");
}

static void top_says_what_it_leaves_out(void **state)
{
	int rc;

	(void)state;
	assert_string_equal(count("value", TFS_EXPORT_TAB, 1, &rc),
			    "#    COUNT   SHARE  value\n"
			    "         5  62.50%  7\n"
			    "# 3 events in 2 more rows\n"
			    "# 2 events without these fields\n");
}

static void json_and_csv_have_typed_keys_and_the_counts(void **state)
{
	int rc;

	(void)state;
	assert_string_equal(count("cpu,value", TFS_EXPORT_JSON, 2, &rc),
			    "{\"cpu\":0,\"value\":7,\"count\":3,\"share\":37.50}\n"
			    "{\"cpu\":1,\"value\":7,\"count\":2,\"share\":25.00}\n");
	assert_string_equal(count("event", TFS_EXPORT_CSV, 0, &rc), "event,count,share\n"
								    "sched:one,8,80.00\n"
								    "sched:two,2,20.00\n");
}

static void sorts_by_fields_as_the_numbers_they_are(void **state)
{
	int rc;

	(void)state;
	assert_string_equal(count_sorted("value,cpu", TFS_EXPORT_CSV, "-value,cpu", 0, &rc),
			    "value,cpu,count,share\n"
			    "9,1,1,12.50\n"
			    "8,0,1,12.50\n"
			    "8,1,1,12.50\n"
			    "7,0,3,37.50\n"
			    "7,1,2,25.00\n");
	assert_string_equal(count_sorted("value", TFS_EXPORT_JSON, "-count", 1, &rc),
			    "{\"value\":9,\"count\":1,\"share\":12.50}\n");
	count_sorted("value", TFS_EXPORT_TAB, "vale", 0, &rc);
	assert_int_equal(rc, -EINVAL);
}

static void counts_symbols_and_tasks(void **state)
{
	int rc;

	(void)state;
	assert_string_equal(count("symbol,task", TFS_EXPORT_CSV, 0, &rc),
			    "symbol,task,count,share\n"
			    "alpha,<...>-42,2,50.00\n"
			    "0x1000,<...>-42,1,25.00\n"
			    "beta,<...>-42,1,25.00\n");
	assert_string_equal(count("symbol", TFS_EXPORT_TAB, 1, &rc),
			    "#    COUNT   SHARE  symbol\n"
			    "         2  50.00%  alpha\n"
			    "# 2 events in 2 more rows\n"
			    "# 10 events without these fields\n");
}

static void refuses_a_field_that_no_event_has(void **state)
{
	int rc;

	(void)state;
	count("valeu", TFS_EXPORT_TAB, 0, &rc);
	assert_int_equal(rc, -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_events_with_the_same_values_the_most_frequent_first),
		cmocka_unit_test(top_says_what_it_leaves_out),
		cmocka_unit_test(json_and_csv_have_typed_keys_and_the_counts),
		cmocka_unit_test(sorts_by_fields_as_the_numbers_they_are),
		cmocka_unit_test(counts_symbols_and_tasks),
		cmocka_unit_test(refuses_a_field_that_no_event_has),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
