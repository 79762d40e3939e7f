/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/out.h"
#include "base/strbuf.h"
#include "decode/event.h"
#include "pipeline/batch.h"
#include "pipeline/view.h"
#include "pipeline/worker-pool.h"

#define BATCHES 200
#define EACH 7

/* Events are numbered by their time stamps; each is printed as its number on a line. */
struct supply {
	uint64_t next, batches;
	int rc;            /* returned after the last batch */
	atomic_int inside; /* of fill() */
	bool met, full;
};

static int fill(void *context, struct tfs_batch *b, struct tfs_err *err)
{
	struct supply *s = context;
	size_t i;

	if (atomic_fetch_add(&s->inside, 1))
		s->met = true;
	if (b->n || b->text.len || b->rc)
		s->full = true;
	for (i = 0; i < EACH && s->batches; i++)
		b->events[b->n++] = (struct tfs_event){ .rec.ts = s->next++, .shown = true };
	atomic_fetch_sub(&s->inside, 1);
	if (!s->batches)
		return s->rc ? tfs_err_say(err, s->rc, "the source broke") : 0;
	s->batches--;
	return 1;
}

static int put_number(struct tfs_view *view, void *state, const struct tfs_event *event,
		      struct tfs_strbuf *out)
{
	(void)view;
	(void)state;
	return tfs_strbuf_addf(out, "%llu\n", (unsigned long long)event->rec.ts);
}

static int run(struct supply *supply, unsigned int jobs, char *text, size_t size,
	       struct tfs_err *err)
{
	static const struct tfs_view_ops ops = { .event = put_number };
	struct tfs_view view = { .ops = &ops, .flags = TFS_VIEW_WORKERS };
	const struct tfs_worker_pool_source source = { fill, supply };
	struct tfs_out *out = NULL;
	int fd = memfd_create("text", 0), rc;
	ssize_t n;

	assert_true(fd >= 0);
	assert_int_equal(tfs_out_new(fd, &out), 0);
	rc = tfs_worker_pool_run(&source, &view, out, jobs, err);
	assert_int_equal(tfs_out_flush(out), 0);
	tfs_out_free(out);
	n = pread(fd, text, size - 1, 0);
	assert_true(n >= 0);
	text[n] = '\0';
	close(fd);
	assert_false(supply->met);
	assert_false(supply->full);
	return rc;
}

static void check_numbers(const char *text)
{
	char *end;
	uint64_t i;

	for (i = 0; i < (uint64_t)BATCHES * EACH; i++, text = end + 1) {
		assert_int_equal(strtoull(text, &end, 10), i);
		assert_int_equal(*end, '\n');
	}
	assert_string_equal(text, "");
}

static const unsigned int jobs[] = { 0, 1, 2, 3, 8, 1000 };

static void text_is_in_order_and_one_thread_fills_at_a_time(void **state)
{
	static char text[BATCHES * EACH * 8];
	size_t j;

	(void)state;
	for (j = 0; j < sizeof(jobs) / sizeof(*jobs); j++) {
		struct supply supply = { .batches = BATCHES };

		assert_int_equal(run(&supply, jobs[j], text, sizeof(text), NULL), 0);
		check_numbers(text);
	}
}

static void events_before_a_failure_of_the_source_are_written(void **state)
{
	static char text[BATCHES * EACH * 8];
	struct tfs_err err;
	size_t j;

	(void)state;
	for (j = 0; j < sizeof(jobs) / sizeof(*jobs); j++) {
		struct supply supply = { .batches = BATCHES, .rc = -EIO };

		err = TFS_ERR_INIT;
		assert_int_equal(run(&supply, jobs[j], text, sizeof(text), &err), -EIO);
		assert_string_equal(err.msg, "the source broke");
		check_numbers(text);
		assert_int_equal(run(&supply, jobs[j], text, sizeof(text), NULL), -EIO);
		assert_string_equal(text, "");
	}
}

/* Some lines of each batch are so long that all would be many times what a batch may hold. */
#define LONG ((size_t)700 << 10)
#define LONG_BATCHES 12

static int put_long(struct tfs_view *view, void *state, const struct tfs_event *event,
		    struct tfs_strbuf *out)
{
	(void)view;
	(void)state;
	/* A line begins only where the text before it was not long. */
	if (out->len >= TFS_BATCH_TEXT_BYTES)
		return -E2BIG;
	if (tfs_strbuf_grow(out, LONG))
		return -ENOMEM;
	memset(out->s + out->len, (int)('a' + event->rec.ts % 26), LONG);
	out->len += LONG;
	return 0;
}

static int run_long(unsigned int n, int fd)
{
	static const struct tfs_view_ops ops = { .event = put_long };
	struct tfs_view view = { .ops = &ops, .flags = TFS_VIEW_WORKERS };
	struct supply supply = { .batches = LONG_BATCHES };
	const struct tfs_worker_pool_source source = { fill, &supply };
	struct tfs_out *out = NULL;
	int rc;

	assert_int_equal(tfs_out_new(fd, &out), 0);
	rc = tfs_worker_pool_run(&source, &view, out, n, NULL);
	tfs_out_flush(out);
	tfs_out_free(out);
	return rc;
}

static void a_long_text_is_written_in_pieces_and_in_order(void **state)
{
	char *text = malloc(LONG);
	size_t j, i, k;
	int fd, full = open("/dev/full", O_WRONLY);

	(void)state;
	assert_non_null(text);
	for (j = 0; j < sizeof(jobs) / sizeof(*jobs); j++) {
		fd = memfd_create("text", 0);
		assert_true(fd >= 0);
		assert_int_equal(run_long(jobs[j], fd), 0);
		for (i = 0; i < (size_t)LONG_BATCHES * EACH; i++) {
			assert_int_equal(pread(fd, text, LONG, (off_t)(i * LONG)), LONG);
			for (k = 0; k < LONG && text[k] == (char)('a' + i % 26); k++)
				;
			assert_int_equal(k, LONG);
		}
		close(fd);
		assert_int_equal(run_long(jobs[j], full), -ENOSPC);
	}
	close(full);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_in_order_and_one_thread_fills_at_a_time),
		cmocka_unit_test(events_before_a_failure_of_the_source_are_written),
		cmocka_unit_test(a_long_text_is_written_in_pieces_and_in_order),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
