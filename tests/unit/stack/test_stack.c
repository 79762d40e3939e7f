/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/strbuf-core.h"
#include "decode/event.h"
#include "decode/trace.h"
#include "decode/types.h"
#include "lib/bytes.h"
#include "lib/dat_build.h"
#include "stack/stack.h"

enum { EVENT = 50, OTHER = 51, KERNEL = 4, USER = 12 };
/* common_flags */
enum { IRQ = 0x08, SOFTIRQ = 0x10, NMI = 0x40 };

#define FORMAT(name, id, field) \
	"name: " name "\nID: " #id "\n" DAT_COMMON_FIELDS field "\nprint fmt: \"\"\n"

static const char *const sched[] = {
	FORMAT("one", 50, "\tfield:int value;\toffset:8;\tsize:4;\tsigned:1;\n"),
	FORMAT("two", 51, "\tfield:int value;\toffset:8;\tsize:4;\tsigned:1;\n"),
	NULL,
};

static const char *const ftrace[] = {
	FORMAT("kernel_stack", 4,
	       "\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
	       "\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n"),
	FORMAT("user_stack", 12,
	       "\tfield:unsigned int tgid;\toffset:8;\tsize:4;\tsigned:0;\n"
	       "\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n"),
	NULL,
};

/* Events that were given, as "VALUE[kernel callers|user callers]FLAGS " */
struct fixture {
	struct tfs_trace *trace;
	struct tfs_trace *traces[1];
	struct tfs_stacks *stacks;
	struct tfs_strbuf given;
	uint64_t ts;
};

static void put_callers(struct tfs_strbuf *sb, const uint64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_int_equal(tfs_strbuf_addf(sb, "%s%x", i ? "," : "", (unsigned int)v[i]), 0);
}

static int on_stack(void *ctx, const struct tfs_event *event, const struct tfs_stack *stack)
{
	struct tfs_strbuf *sb = &((struct fixture *)ctx)->given;
	int32_t value;

	memcpy(&value, (const char *)event->rec.data + 8, sizeof(value));
	tfs_strbuf_addf(sb, "%d[", value);
	put_callers(sb, stack->kernel, stack->n_kernel);
	tfs_strbuf_addc(sb, '|');
	put_callers(sb, stack->user, stack->n_user);
	tfs_strbuf_addf(sb, "]%s%s ", stack->flags & TFS_STACK_CUT ? "cut" : "",
			stack->flags & TFS_STACK_LOSS ? "loss" : "");
	return 0;
}

static int make(void **state)
{
	const struct dat_spec spec = {
		.cpus = 1, .page_size = 4096, .sched = sched, .ftrace = ftrace
	};
	static const struct tfs_trace_opts plain = { .no_plugins = true };
	struct fixture *f = calloc(1, sizeof(*f));
	struct page_builder page;
	struct bytes pages;
	char path[64];
	int fd;

	assert_non_null(f);
	bytes_init(&pages, false);
	page_begin(&page, &pages, 8, 4096, 1);
	page_end(&page, 0);
	fd = dat_file(&spec, &pages);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(tfs_trace_open(path, &plain, &f->trace, NULL), 0);
	close(fd);
	f->traces[0] = f->trace;
	tfs_strbuf_init(&f->given);
	assert_int_equal(tfs_stacks_new(f->traces, 1, on_stack, f, &f->stacks), 0);
	*state = f;
	return 0;
}

static int drop(void **state)
{
	struct fixture *f = *state;

	tfs_stacks_free(f->stacks);
	tfs_trace_free(f->trace);
	tfs_strbuf_release(&f->given);
	free(f);
	return 0;
}

/* Particulars of an event */
enum { PLAIN, UNSELECTED = 1 << 8, LOST = 1 << 9, CPU1 = 1 << 10 };

static void record(struct fixture *f, int id, unsigned int how, struct bytes *b)
{
	struct tfs_event event = {
		.rec = { .ts = ++f->ts,
			 .data = b->sb.s,
			 .size = (uint32_t)b->sb.len,
			 .cpu = how & CPU1 ? 1 : 0,
			 .lost = how & LOST ? 3 : 0 },
		.type = tfs_trace_event(f->trace, id),
		.pid = 42,
		.flags = how & 0xff,
		.shown = true,
		.selected = !(how & UNSELECTED),
	};

	assert_non_null(event.type);
	assert_int_equal(tfs_stacks_event(f->stacks, &event), 0);
	/* The callback gets a copy. */
	memset(b->sb.s, 0xa5, b->sb.len);
	bytes_release(b);
}

static void head(struct bytes *b, int id, unsigned int how)
{
	bytes_init(b, false);
	bytes_u16(b, (uint16_t)id);
	bytes_u8(b, how & 0xff);
	bytes_u8(b, 0);
	bytes_u32(b, 42);
}

static void event(struct fixture *f, int value, unsigned int how)
{
	struct bytes b;

	head(&b, EVENT, how);
	bytes_u32(&b, (uint32_t)value);
	record(f, EVENT, how, &b);
}

/* A stack of @n callers from @first on, with a zero at the end if there is room */
static void stack(struct fixture *f, int id, uint64_t first, unsigned int n, unsigned int how)
{
	struct bytes b;

	head(&b, id, how);
	bytes_u32(&b, id == KERNEL ? n : 42);
	bytes_u32(&b, 0);
	for (unsigned int i = 0; i < n; i++)
		bytes_u64(&b, first + i);
	for (unsigned int i = n; i < 8 && id == USER; i++)
		bytes_u64(&b, 0);
	record(f, id, how, &b);
}

static void gave(struct fixture *f, const char *want)
{
	assert_string_equal(f->given.s, want);
	tfs_strbuf_reset(&f->given);
}

static void ended(struct fixture *f, const char *want)
{
	assert_int_equal(tfs_stacks_end(f->stacks), 0);
	gave(f, want);
}

static void gives_an_event_when_its_stacks_are_complete(void **state)
{
	struct fixture *f = *state;

	event(f, 1, PLAIN);
	stack(f, KERNEL, 0x10, 3, PLAIN);
	stack(f, USER, 0x20, 2, PLAIN);
	gave(f, "");
	event(f, 2, PLAIN);
	gave(f, "1[10,11,12|20,21] ");
	event(f, 3, PLAIN);
	gave(f, "2[|] ");
	stack(f, USER, 0x30, 8, PLAIN);
	ended(f, "3[|30,31,32,33,34,35,36,37]cut ");
	ended(f, "");
}

static void keeps_cpus_apart(void **state)
{
	struct fixture *f = *state;

	event(f, 1, PLAIN);
	event(f, 2, CPU1);
	stack(f, KERNEL, 0x10, 1, PLAIN);
	stack(f, KERNEL, 0x20, 1, CPU1);
	gave(f, "");
	assert_int_equal(tfs_stacks_flush(f->stacks, 0, 0, 1), 0);
	gave(f, "2[20|] ");
	ended(f, "1[10|] ");
	assert_int_equal(tfs_stacks_orphans(f->stacks), 0);
}

static void drops_stacks_with_the_events_that_were_not_selected(void **state)
{
	struct fixture *f = *state;

	event(f, 1, PLAIN);
	event(f, 2, UNSELECTED);
	gave(f, "1[|] ");
	stack(f, KERNEL, 0x10, 1, PLAIN);
	event(f, 3, PLAIN);
	ended(f, "3[|] ");
	assert_int_equal(tfs_stacks_orphans(f->stacks), 0);
}

static void a_loss_parts_an_event_and_its_stacks(void **state)
{
	struct fixture *f = *state;

	event(f, 1, PLAIN);
	stack(f, KERNEL, 0x10, 1, LOST);
	gave(f, "1[|]loss ");
	stack(f, USER, 0x20, 1, PLAIN);
	event(f, 2, PLAIN);
	stack(f, KERNEL, 0x30, 1, PLAIN);
	event(f, 3, LOST);
	gave(f, "2[30|]loss ");
	stack(f, KERNEL, 0x40, 1, PLAIN);
	ended(f, "3[40|] ");
	assert_int_equal(tfs_stacks_orphans(f->stacks), 2);
}

/* An interrupt's events may come before the stack of what was interrupted. */
static void gives_a_stack_to_the_event_of_its_context(void **state)
{
	struct fixture *f = *state;

	event(f, 1, PLAIN);
	event(f, 2, IRQ);
	stack(f, KERNEL, 0x10, 1, PLAIN);
	ended(f, "2[|] 1[10|] ");
	event(f, 3, PLAIN);
	event(f, 4, SOFTIRQ);
	event(f, 5, IRQ | SOFTIRQ);
	event(f, 6, NMI | IRQ);
	stack(f, KERNEL, 0x40, 1, NMI | IRQ);
	stack(f, KERNEL, 0x30, 1, IRQ | SOFTIRQ);
	event(f, 7, IRQ | SOFTIRQ);
	stack(f, KERNEL, 0x20, 1, SOFTIRQ);
	stack(f, KERNEL, 0x10, 1, PLAIN);
	stack(f, USER, 0x11, 1, PLAIN);
	ended(f, "6[40|] 5[30|] 7[|] 4[20|] 3[10|11] ");
	assert_int_equal(tfs_stacks_orphans(f->stacks), 0);
	/* an interrupt that is over */
	event(f, 8, IRQ);
	event(f, 9, PLAIN);
	stack(f, KERNEL, 0x20, 1, IRQ);
	ended(f, "8[|] 9[|] ");
	assert_int_equal(tfs_stacks_orphans(f->stacks), 1);
	/* a loss is one for all */
	event(f, 1, PLAIN);
	event(f, 2, IRQ);
	stack(f, KERNEL, 0x20, 1, IRQ | LOST);
	stack(f, KERNEL, 0x10, 1, PLAIN);
	ended(f, "2[|]loss 1[|]loss ");
	assert_int_equal(tfs_stacks_orphans(f->stacks), 3);
}

static void ends_a_stack_at_the_mark_of_the_kernel_and_at_its_size(void **state)
{
	struct fixture *f = *state;
	struct bytes b;

	event(f, 1, PLAIN);
	head(&b, KERNEL, PLAIN);
	bytes_u32(&b, 4);
	bytes_u32(&b, 0);
	bytes_u64(&b, 0x10);
	bytes_u64(&b, UINT64_MAX);
	bytes_u64(&b, 0x11);
	record(f, KERNEL, PLAIN, &b);
	event(f, 2, PLAIN);
	head(&b, KERNEL, PLAIN);
	bytes_u32(&b, 1);
	bytes_u32(&b, 0);
	bytes_u64(&b, 0x20);
	bytes_u64(&b, 0x21);
	record(f, KERNEL, PLAIN, &b);
	/* Shorter than its own fields */
	event(f, 3, PLAIN);
	head(&b, KERNEL, PLAIN);
	record(f, KERNEL, PLAIN, &b);
	ended(f, "1[10|] 2[20|] 3[|] ");
}

static void keeps_the_innermost_callers_of_a_stack_that_has_too_many(void **state)
{
	struct fixture *f = *state;
	const char *p;
	size_t n = 1;

	event(f, 1, PLAIN);
	stack(f, KERNEL, 0x1000, TFS_STACK_KERNEL_MAX + 500, PLAIN);
	assert_int_equal(tfs_stacks_end(f->stacks), 0);
	assert_memory_equal(f->given.s, "1[1000,", 7);
	for (p = f->given.s; (p = strchr(p, ',')); p++)
		n++;
	assert_int_equal(n, TFS_STACK_KERNEL_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(gives_an_event_when_its_stacks_are_complete, make,
						drop),
		cmocka_unit_test_setup_teardown(keeps_cpus_apart, make, drop),
		cmocka_unit_test_setup_teardown(drops_stacks_with_the_events_that_were_not_selected,
						make, drop),
		cmocka_unit_test_setup_teardown(a_loss_parts_an_event_and_its_stacks, make, drop),
		cmocka_unit_test_setup_teardown(gives_a_stack_to_the_event_of_its_context, make,
						drop),
		cmocka_unit_test_setup_teardown(
			ends_a_stack_at_the_mark_of_the_kernel_and_at_its_size, make, drop),
		cmocka_unit_test_setup_teardown(
			keeps_the_innermost_callers_of_a_stack_that_has_too_many, make, drop),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
