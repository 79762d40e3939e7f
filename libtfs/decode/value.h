/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DECODE_VALUE_H
#define TFS_DECODE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tep_event;
struct tfs_meaning;

/**
 * enum tfs_value_kind - what a field's value is
 * @TFS_VALUE_UNSIGNED, @TFS_VALUE_SIGNED: a number, or an array of them
 * @TFS_VALUE_ADDRESS: the same, printed by the kernel as a pointer ("%p", "%pS", "%ps" or its type)
 * @TFS_VALUE_STRING: characters up to a zero, or to the end of their room
 * @TFS_VALUE_BYTES: anything else: arrays of unsigned bytes, structures
 * @TFS_VALUE_MASK: a bit mask of longs: CPUs, or what the print format calls a bit mask
 */
enum tfs_value_kind {
	TFS_VALUE_UNSIGNED,
	TFS_VALUE_SIGNED,
	TFS_VALUE_ADDRESS,
	TFS_VALUE_STRING,
	TFS_VALUE_BYTES,
	TFS_VALUE_MASK,
};

/**
 * enum tfs_field_place - where in a record the value is
 * @TFS_FIELD_FIXED: at the field's offset
 * @TFS_FIELD_DATA_LOC: where the word at the offset says, counted from the record's start
 * @TFS_FIELD_REL_LOC: the same, counted from the end of that word
 * @TFS_FIELD_REST: from the offset to the record's end
 */
enum tfs_field_place {
	TFS_FIELD_FIXED,
	TFS_FIELD_DATA_LOC,
	TFS_FIELD_REL_LOC,
	TFS_FIELD_REST,
};

/**
 * struct tfs_field - how to read one field of an event
 * @name: unique within the event: a second "buf" is called "buf#2"
 * @array: a value of numbers has any number of them
 * @big: byte order
 * @counted: an array's first number may be how many follow, see tfs_fields_get()
 * @device: a number is a device's, as the kernel has it: major << 20 | minor
 * @element: bytes of a number (of each, in an array), or of a mask's long: 1, 2, 4 or 8
 * @offset, @size: of the field, or of the word that says where the value is
 * @bits: of a number, the highest is the sign, which its type does not have; 0: the type says it
 * @means: what its numbers stand for; borrowed, NULL: they are numbers
 * @count: index of the field that says how many elements of a fixed array are used; -1: all
 */
struct tfs_field {
	char *name;
	size_t name_len;
	enum tfs_value_kind kind;
	enum tfs_field_place place;
	bool array, counted;
	bool big;
	bool device;
	unsigned int element, bits;
	unsigned int offset, size;
	const struct tfs_meaning *means;
	int count;
};

/**
 * struct tfs_fields - the fields of an event in the order of its format
 * @n: without the common ones, of which @n_common follow
 */
struct tfs_fields {
	size_t n, n_common;
	struct tfs_field field[];
};

/**
 * struct tfs_value - what a field holds in one record
 * @number: of a single number; signed ones extended to 64 bits
 * @data, @size: of everything else; borrowed from the record
 * @n: elements of an array
 */
struct tfs_value {
	uint64_t number;
	const unsigned char *data;
	size_t size;
	size_t n;
};

/**
 * tfs_fields_new() - prepare for reading all fields of an event
 * @event: parsed; not needed later. Its handle's byte order and size of long are the recording's
 *
 * Reading needs no libtraceevent, allocates nothing and may be done by several threads.
 * Return: 0 or -ENOMEM. Release with tfs_fields_free().
 */
int tfs_fields_new(struct tep_event *event, struct tfs_fields **out);
void tfs_fields_free(struct tfs_fields *fields);

/** tfs_fields_find() - by name; NULL if the event has none of that name */
const struct tfs_field *tfs_fields_find(const struct tfs_fields *fields, const char *name,
					size_t len);

/** tfs_fields_find_any() - the same of common fields, too: common_pid */
const struct tfs_field *tfs_fields_find_any(const struct tfs_fields *fields, const char *name,
					    size_t len);

/**
 * tfs_fields_get() - value of a field in a record
 * @f: one of @fields
 * @data: the record, @size bytes
 *
 * A fixed array or string that the record ends within is given as far as it goes; anything else
 * that is not wholly within the record is not there. The number of its entries, which the kernel
 * records before a synthetic event's stack, is left out. Return: is it there?
 */
bool tfs_fields_get(const struct tfs_fields *fields, const struct tfs_field *f, const void *data,
		    size_t size, struct tfs_value *value);

/** tfs_value_element() - number @i of an array; signed ones extended to 64 bits */
uint64_t tfs_value_element(const struct tfs_field *f, const struct tfs_value *value, size_t i);

/** tfs_value_bit() - is bit @i of a mask set? Bits are numbered as the recording's kernel does */
bool tfs_value_bit(const struct tfs_field *f, const struct tfs_value *value, size_t i);

#endif
