/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGINS_FIELD_H
#define PLUGINS_FIELD_H

#include <event-parse.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reading the fields of a record. Offsets and sizes come from the event's format, never from a
 * struct; both format and record are taken as hostile: every read is checked against the record.
 */

/**
 * field_bytes() - the bytes a field occupies in a record
 * Return: borrowed, as long as the record; NULL if the record is too short.
 */
const void *field_bytes(const struct tep_format_field *field, const struct tep_record *record,
			size_t *size);

/**
 * field_number() - the number in a field, or in one element of it if it is an array
 * @index: of the element, 0 for a field that is not an array
 * @out: in the host's byte order, sign-extended if the field is signed
 * Return: whether it is all inside the record and of 1, 2, 4 or 8 bytes.
 */
bool field_number(const struct tep_format_field *field, const struct tep_record *record,
		  size_t index, uint64_t *out);

/**
 * field_dynamic() - what a __data_loc or __rel_loc field points to
 * Return: borrowed; NULL if it lies outside the record.
 */
const void *field_dynamic(const struct tep_format_field *field, const struct tep_record *record,
			  size_t *size);

/** field_count() - elements of an array field, 1 for a field that is not an array */
size_t field_count(const struct tep_format_field *field);

/** field_find_number() - field_number() of the field of that name; false if there is none */
bool field_find_number(struct tep_event *event, const char *name, const struct tep_record *record,
		       uint64_t *out);

#endif
