/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEFS_FIELDS_H
#define TFS_TRACEFS_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct tfs_format_field - a line "field:TYPE NAME[N]; offset:O; size:S; signed:B;" of an event's
 * format file
 * @type: @type_len bytes, without what follows the name
 * @name: @name_len bytes
 * @array: "[16]" and the like, @array_len bytes, 0 for what is no array
 * @offset: from the start of the record, in bytes
 * @size: in bytes
 * @is_signed: as the kernel says
 * @common: a field that every event has (common_pid)
 *
 * Borrowed from the text. Kernel documentation: Documentation/trace/events.rst, "Event formats".
 */
struct tfs_format_field {
	const char *type, *name, *array;
	size_t type_len, name_len, array_len;
	unsigned int offset, size;
	bool is_signed;
	bool common;
};

/**
 * tfs_format_next() - the next field of a format file
 * @text: where to look; moved behind what was read
 *
 * Pure. Return: whether there is one. Lines that are no field are passed over.
 */
bool tfs_format_next(const char **text, struct tfs_format_field *out);

#endif
