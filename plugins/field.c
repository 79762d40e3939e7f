/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "field.h"

static bool is_inside(const struct tep_record *record, uint64_t offset, uint64_t size)
{
	return record->size > 0 && offset <= (uint64_t)record->size &&
	       size <= (uint64_t)record->size - offset;
}

const void *field_bytes(const struct tep_format_field *field, const struct tep_record *record,
			size_t *size)
{
	if (field->offset < 0 || field->size <= 0 ||
	    !is_inside(record, (uint64_t)field->offset, (uint64_t)field->size))
		return NULL;
	*size = (size_t)field->size;
	return (const char *)record->data + field->offset;
}

size_t field_count(const struct tep_format_field *field)
{
	return field->flags & TEP_FIELD_IS_ARRAY && field->arraylen > 1 ? field->arraylen : 1;
}

bool field_number(const struct tep_format_field *field, const struct tep_record *record,
		  size_t index, uint64_t *out)
{
	const size_t count = field_count(field);
	uint64_t offset, width;

	if (field->offset < 0 || field->size <= 0 || index >= count)
		return false;
	width = (uint64_t)field->size / count;
	offset = (uint64_t)field->offset + width * index;
	if ((width != 1 && width != 2 && width != 4 && width != 8) ||
	    !is_inside(record, offset, width))
		return false;
	*out = tep_read_number(field->event->tep, (const char *)record->data + offset, (int)width);
	if (field->flags & TEP_FIELD_IS_SIGNED && width < 8 && *out >> (width * 8 - 1))
		*out |= UINT64_MAX << (width * 8);
	return true;
}

const void *field_dynamic(const struct tep_format_field *field, const struct tep_record *record,
			  size_t *size)
{
	uint64_t offset;
	uint32_t word;

	if (field->offset < 0 || field->size != (int)sizeof(word) ||
	    !is_inside(record, (uint64_t)field->offset, sizeof(word)))
		return NULL;
	word = (uint32_t)tep_read_number(field->event->tep,
					 (const char *)record->data + field->offset, sizeof(word));
	offset = word & 0xffff;
	*size = word >> 16;
	if (field->flags & TEP_FIELD_IS_RELATIVE)
		offset += (uint64_t)field->offset + sizeof(word);
	if (!is_inside(record, offset, *size))
		return NULL;
	return (const char *)record->data + offset;
}

bool field_find_number(struct tep_event *event, const char *name, const struct tep_record *record,
		       uint64_t *out)
{
	const struct tep_format_field *field = tep_find_any_field(event, name);

	return field && field_number(field, record, 0, out);
}
