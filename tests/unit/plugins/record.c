/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void test_machine_init(struct test_machine *m, bool big_endian, int long_size)
{
	m->tep = tep_alloc();
	assert_non_null(m->tep);
	m->big_endian = big_endian;
	m->long_size = long_size;
	tep_set_file_bigendian(m->tep, big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(m->tep, tep_is_bigendian() ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(m->tep, long_size);
}

void test_machine_release(struct test_machine *m)
{
	tep_free(m->tep);
	m->tep = NULL;
}

void test_add_format(struct test_machine *m, const char *system, const char *text)
{
	/* Parse failures of print formats do not matter here: handlers do not use them. */
	tep_parse_event(m->tep, text, strlen(text), system);
}

void test_add_format_file(struct test_machine *m, const char *system, const char *path)
{
	char text[16384];
	FILE *file;
	size_t n;

	file = fopen(path, "r");
	if (!file)
		fail_msg("cannot open '%s'", path);
	n = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[n] = '\0';
	test_add_format(m, system, text);
}

static void store(const struct test_record *r, unsigned char *at, size_t width, uint64_t value)
{
	size_t i;

	for (i = 0; i < width; i++) {
		at[r->machine->big_endian ? width - 1 - i : i] = (unsigned char)value;
		value >>= 8;
	}
}

static const struct tep_format_field *find_field(const struct test_record *r, const char *name)
{
	const struct tep_format_field *field = tep_find_any_field(r->event, name);

	if (!field)
		fail_msg("no field '%s' in %s", name, r->event->name);
	if ((size_t)(field->offset + field->size) > sizeof(r->data))
		fail_msg("field '%s' does not fit", name);
	return field;
}

void test_begin(struct test_record *r, const struct test_machine *m, const char *system,
		const char *event)
{
	const struct tep_format_field *field;

	memset(r, 0, sizeof(*r));
	r->machine = m;
	r->event = tep_find_event_by_name(m->tep, system, event);
	if (!r->event)
		fail_msg("no event %s:%s", system, event);
	for (field = r->event->format.fields; field; field = field->next)
		if ((size_t)(field->offset + field->size) > r->used)
			r->used = (size_t)(field->offset + field->size);
	test_put(r, "common_type", 0, (uint64_t)r->event->id);
	test_put(r, "common_pid", 0, 1000);
}

void test_put(struct test_record *r, const char *name, size_t index, uint64_t value)
{
	const struct tep_format_field *field = find_field(r, name);
	const size_t count = field->arraylen > 1 ? field->arraylen : 1;
	const size_t width = (size_t)field->size / count;

	assert_true(index < count);
	store(r, r->data + field->offset + index * width, width, value);
}

void test_put_bytes(struct test_record *r, const char *name, const void *bytes, size_t size)
{
	const struct tep_format_field *field = find_field(r, name);

	assert_true(size <= (size_t)field->size);
	memcpy(r->data + field->offset, bytes, size);
}

void test_put_string(struct test_record *r, const char *name, const char *text)
{
	const size_t size = strlen(text) + 1;

	assert_true(r->used + size <= sizeof(r->data));
	memcpy(r->data + r->used, text, size);
	test_put(r, name, 0, size << 16 | r->used);
	r->used += size;
}

const char *test_print_cut(const struct test_record *r, size_t size, char *buf, size_t buf_size)
{
	struct tep_record record = { .size = (int)size, .record_size = (int)size };
	struct trace_seq s;
	void *copy;

	/* Memory of exactly that size, so that a sanitizer sees a read beyond it. */
	copy = malloc(size ? size : 1);
	assert_non_null(copy);
	memcpy(copy, r->data, size);
	record.data = copy;
	trace_seq_init(&s);
	if (r->event->handler)
		r->event->handler(&s, &record, r->event, r->event->context);
	trace_seq_terminate(&s);
	snprintf(buf, buf_size, "%s", s.buffer);
	trace_seq_destroy(&s);
	free(copy);
	return buf;
}

const char *test_print(const struct test_record *r, char *buf, size_t buf_size)
{
	return test_print_cut(r, r->used, buf, buf_size);
}
