/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "decode/event.h"
#include "decode/task.h"
#include "decode/trace-internal.h"
#include "decode/trace.h"
#include "decode/types.h"
#include "lib/alloc_fail.h"
#include "lib/needs.h"
#include "pipeline/view.h"
#include "view/columns.h"
#include "view/export.h"

/* A sched_switch of a recording of tc-record's. */
struct fixture {
	struct tfs_trace *trace;
	struct tfs_strvec columns;
	unsigned char data[64];
	struct tfs_event event;
	struct tfs_task task; /* last: its column has no fixed size */
};

static int set_up(void **state)
{
	static const struct tfs_trace_opts opts = { .no_plugins = true };
	struct fixture *f = calloc(1, sizeof(*f));
	const char *dir = getenv("TC_SRCDIR");
	char path[4096];
	size_t i;

	if (!f)
		return -1;
	snprintf(path, sizeof(path), "%s/tests/data/sched.dat", dir ? dir : ".");
	if (tfs_trace_open(path, &opts, &f->trace, NULL)) {
		free(f);
		return -1;
	}
	for (i = 0; i < f->trace->index.n; i++)
		if (f->trace->index.types[i].name_len == 12 &&
		    !strncmp(f->trace->index.types[i].name, "sched_switch", 12))
			f->event.type = tfs_trace_event(f->trace, f->trace->index.types[i].id);
	if (!f->event.type)
		return -1;
	memcpy(f->data, &(uint16_t){ (uint16_t)f->event.type->id }, 2);
	tfs_strvec_init(&f->columns);
	f->data[4] = 77;
	memcpy(f->data + 8, "a\"b,\x80", 5);
	f->data[24] = 77; /* prev_pid */
	memset(f->data + 28, 0xff, 4);
	memcpy(f->data + 40, "next", 4);
	f->task = (struct tfs_task){ .pid = 77, .comm = "tab\there" };
	f->event.rec = (struct tfs_record){
		.data = f->data, .size = 64, .room = 64, .cpu = 3, .ts = UINT64_C(9007199254740993)
	};
	f->event.task = &f->task;
	f->event.pid = 77;
	f->event.shown = true;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	tfs_strvec_release(&f->columns);
	tfs_trace_free(f->trace);
	free(f);
	return 0;
}

/* Everything that a run of one event prints. */
static int print(struct fixture *f, enum tfs_export_style style, struct tfs_strbuf *out)
{
	const struct tfs_export_opts opts = {
		.style = style, .columns = &f->columns, .traces = &f->trace, .n_traces = 1
	};
	struct tfs_view *view = NULL;
	void *state = NULL;
	int rc = tfs_export_new(&opts, &view, NULL);

	if (!rc)
		rc = view->ops->init(view, out, NULL);
	if (!rc)
		rc = view->ops->thread_begin(view, &state);
	if (!rc)
		rc = tfs_view_show(view, state, &f->event, out);
	if (view)
		view->ops->thread_end(view, state);
	tfs_view_free(view);
	return rc;
}

static void prints(struct fixture *f, enum tfs_export_style style, const char *want)
{
	struct tfs_strbuf out = TFS_STRBUF_INIT;

	assert_int_equal(print(f, style, &out), 0);
	assert_string_equal(out.s, want);
	tfs_strbuf_release(&out);
}

static void choose(struct fixture *f, const char *list)
{
	tfs_strvec_release(&f->columns);
	assert_int_equal(tfs_strvec_push(&f->columns, list), 0);
}

static void json_has_all_fields_with_their_types(void **state)
{
	prints(*state, TFS_EXPORT_JSON,
	       "{\"ts\":\"9007199254740993\",\"time\":9007199.254740993,\"cpu\":3,\"pid\":77,"
	       "\"comm\":\"tab\\there\",\"flags\":\".....\",\"event\":\"sched:sched_switch\","
	       "\"fields\":{\"prev_comm\":\"a\\\"b,\\udc80\",\"prev_pid\":77,\"prev_prio\":-1,"
	       "\"prev_state\":0,\"next_comm\":\"next\",\"next_pid\":0,\"next_prio\":0}}\n");
}

static void a_task_whose_name_is_not_known_has_a_comm_of_null(void **state)
{
	struct fixture *f = *state;

	f->event.task = NULL;
	prints(f, TFS_EXPORT_JSON,
	       "{\"ts\":\"9007199254740993\",\"time\":9007199.254740993,\"cpu\":3,\"pid\":77,"
	       "\"comm\":null,\"flags\":\".....\",\"event\":\"sched:sched_switch\","
	       "\"fields\":{\"prev_comm\":\"a\\\"b,\\udc80\",\"prev_pid\":77,\"prev_prio\":-1,"
	       "\"prev_state\":0,\"next_comm\":\"next\",\"next_pid\":0,\"next_prio\":0}}\n");
}

static void csv_has_a_heading_and_quotes(void **state)
{
	prints(*state, TFS_EXPORT_CSV,
	       "time,cpu,pid,comm,flags,event,fields,lost\n"
	       "9007199.254740993,3,77,tab\there,.....,sched:sched_switch,"
	       "\"prev_comm=\"\"a\\\"\"b,\\udc80\"\" prev_pid=77 prev_prio=-1 prev_state=0 "
	       "next_comm=next next_pid=0 next_prio=0\",\n");
}

static void columns_come_as_named(void **state)
{
	struct fixture *f = *state;

	choose(f, "next_comm, cpu,sched_wakeup.pid,*.prev_comm,comm,ts,system");
	f->event.rec.size = 12;
	prints(f, TFS_EXPORT_JSON,
	       "{\"next_comm\":null,\"cpu\":3,\"sched_wakeup.pid\":null,"
	       "\"*.prev_comm\":\"a\\\"b,\",\"comm\":\"tab\\there\",\"ts\":\"9007199254740993\","
	       "\"system\":\"sched\"}\n");
}

static void tabs_stand_between_cells_only(void **state)
{
	struct fixture *f = *state;

	choose(f, "comm,prev_comm,sched:sched_wakeup.comm,prev_pid");
	prints(f, TFS_EXPORT_TAB, "tab\\there\ta\"b,\x80\t\t77\n");
}

static void a_loss_is_a_row_without_a_task(void **state)
{
	struct fixture *f = *state;

	f->event.lost = true;
	f->event.shown = false;
	f->event.rec.lost = 5;
	prints(f, TFS_EXPORT_JSON,
	       "{\"ts\":\"9007199254740993\",\"time\":9007199.254740993,\"cpu\":3,\"lost\":5}\n");
	f->event.rec.lost = TFS_LOST_UNKNOWN;
	choose(f, "comm,cpu");
	prints(f, TFS_EXPORT_JSON, "{\"comm\":null,\"cpu\":3,\"lost\":null}\n");
	prints(f, TFS_EXPORT_CSV, "comm,cpu,lost\n,3,?\n");
	prints(f, TFS_EXPORT_TAB, "CPU:3 [EVENTS DROPPED]\n");
	choose(f, "comm,lost");
	prints(f, TFS_EXPORT_TAB, "\t?\n");
}

static void a_record_without_format_is_its_bytes(void **state)
{
	struct fixture *f = *state;

	f->event.type = NULL;
	memset(f->data, 0, 2);
	f->event.rec.size = 5;
	prints(f, TFS_EXPORT_JSON,
	       "{\"ts\":\"9007199254740993\",\"time\":9007199.254740993,\"cpu\":3,"
	       "\"pid\":null,\"comm\":\"tab\\there\",\"flags\":null,\"id\":0,"
	       "\"raw\":\"000000004d\"}\n");
	f->event.rec.size = 1;
	f->event.task = NULL;
	prints(f, TFS_EXPORT_JSON,
	       "{\"ts\":\"9007199254740993\",\"time\":9007199.254740993,\"cpu\":3,"
	       "\"pid\":null,\"comm\":null,\"flags\":null,\"id\":null,\"raw\":\"00\"}\n");
}

static void refuses(struct fixture *f, const char *list, int rc, const char *hint)
{
	struct tfs_columns columns = { NULL, 0 };
	struct tfs_err err = TFS_ERR_INIT;

	choose(f, list);
	assert_int_equal(tfs_columns_parse(&f->trace, 1, &f->columns, &columns, &err), rc);
	assert_string_equal(err.hint, hint);
	tfs_columns_release(&columns);
}

static void columns_that_are_none_are_refused(void **state)
{
	refuses(*state, "time,nextpid", -ENOENT, "did you mean 'next_pid'?");
	refuses(*state, "tme", -ENOENT, "did you mean 'time'?");
	refuses(*state, "sched_swtch.next_pid", -ENOENT, "did you mean 'sched_switch'?");
	refuses(*state, "sched_switch.nextpid", -ENOENT, "did you mean 'next_pid'?");
	refuses(*state, "cpu,cpu", -EINVAL, "");
	refuses(*state, ",", -EINVAL, "");
	/* common fields have columns of their own */
	refuses(*state, "common_pid", -ENOENT,
		"'time,cpu,comm,event,fields' and names of fields, or EVENT.FIELD");
}

/* Found by fuzzing: the event that a field is of was named, where there was none. */
static void a_recording_without_events_has_no_fields(void **state)
{
	struct fixture *f = *state;
	const size_t n = f->trace->index.n;

	f->trace->index.n = 0;
	refuses(f, "next_pid", -ENOENT,
		"'time,cpu,comm,event,fields' and names of fields, or EVENT.FIELD");
	refuses(f, "sched_switch.next_pid", -ENOENT,
		"a recording knows the events that were asked for");
	f->trace->index.n = n;
}

static void without_memory_it_says_so(void **state)
{
	static const enum tfs_export_style styles[] = { TFS_EXPORT_JSON, TFS_EXPORT_CSV,
							TFS_EXPORT_TAB };
	struct fixture *f = *state;
	struct tfs_strbuf out = TFS_STRBUF_INIT;
	size_t i, n;
	int rc;

	choose(f, "comm,fields,text,prev_comm,sched_switch.next_comm");
	for (i = 0; i < sizeof(styles) / sizeof(*styles); i++) {
		for (n = 0;; n++) {
			tfs_strbuf_release(&out);
			alloc_fail_at(n);
			rc = print(f, styles[i], &out);
			if (!alloc_fail_off())
				break;
			/* libtraceevent's own failures are shown as text */
			assert_true(rc == -ENOMEM || rc == 0);
		}
		assert_int_equal(rc, 0);
		assert_true(n > 10);
	}
	tfs_strbuf_release(&out);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(json_has_all_fields_with_their_types),
		TEST(a_task_whose_name_is_not_known_has_a_comm_of_null),
		TEST(csv_has_a_heading_and_quotes),
		TEST(columns_come_as_named),
		TEST(tabs_stand_between_cells_only),
		TEST(a_loss_is_a_row_without_a_task),
		TEST(a_record_without_format_is_its_bytes),
		TEST(columns_that_are_none_are_refused),
		TEST(a_recording_without_events_has_no_fields),
		TEST(without_memory_it_says_so),
	};

	if (lacks_zstd())
		return TEST_SKIPPED;
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
