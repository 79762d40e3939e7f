/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_PLUGINS_RECORD_H
#define TESTS_UNIT_PLUGINS_RECORD_H

#include <event-parse.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Raw records of a given machine, built field by field, and what a plugin prints for them.
 */

#define TEST_RECORD_MAX 1024

/**
 * struct test_machine - the recorded machine: libtraceevent's handle with a plugin loaded
 * @big_endian, @long_size: as given to test_machine_init()
 */
struct test_machine {
	struct tep_handle *tep;
	bool big_endian;
	int long_size;
};

/** struct test_record - a record being built; @used: bytes of dynamic data included */
struct test_record {
	const struct test_machine *machine;
	struct tep_event *event;
	unsigned char data[TEST_RECORD_MAX];
	size_t used;
};

/** test_machine_init() - a handle without plugins; asserts on failure */
void test_machine_init(struct test_machine *m, bool big_endian, int long_size);
void test_machine_release(struct test_machine *m);

/** test_add_format() - read the text of an event's format file */
void test_add_format(struct test_machine *m, const char *system, const char *text);

/** test_add_format_file() - the same, from a file */
void test_add_format_file(struct test_machine *m, const char *system, const char *path);

/** test_begin() - start a record of a known event; all zero but for its id and pid 1000 */
void test_begin(struct test_record *r, const struct test_machine *m, const char *system,
		const char *event);

/** test_put() - store a number in a field, or in element @index of it */
void test_put(struct test_record *r, const char *field, size_t index, uint64_t value);

/** test_put_bytes() - store bytes as they are */
void test_put_bytes(struct test_record *r, const char *field, const void *bytes, size_t size);

/** test_put_string() - append a string and point a __data_loc field to it */
void test_put_string(struct test_record *r, const char *field, const char *text);

/**
 * test_print() - what the event prints as, cut to @size bytes of data
 * Return: the text, valid until the next call with the same @buf.
 */
const char *test_print_cut(const struct test_record *r, size_t size, char *buf, size_t buf_size);
const char *test_print(const struct test_record *r, char *buf, size_t buf_size);

#endif
