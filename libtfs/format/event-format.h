/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_FORMAT_EVENT_FORMAT_H
#define TFS_FORMAT_EVENT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The text by which the kernel describes an event: events/SYSTEM/EVENT/format in tracefs, and the
 * same in a recording (f_show() in kernel/trace/trace_events.c; Documentation/trace/events.rst,
 * "Event formats"):
 *
 *	name: sched_waking
 *	ID: 312
 *	format:
 *		field:unsigned short common_type;	offset:0;	size:2;	signed:0;
 *
 *		field:char comm[16];	offset:8;	size:16;	signed:0;
 *
 *	print fmt: "comm=%s", REC->comm
 *
 * All functions are pure and trust nothing in the text, from which results are borrowed.
 */

/** TFS_EVENT_ID_MAX - common_type has 16 bits */
#define TFS_EVENT_ID_MAX 65535

/**
 * struct tfs_event_format - the first lines of a format
 * @name: @name_len bytes, at least one
 * @id: common_type of the event's records: 0 to TFS_EVENT_ID_MAX
 * @fields: the lines after "format:"; NULL if that line does not follow
 */
struct tfs_event_format {
	const char *name;
	size_t name_len;
	int id;
	const char *fields;
};

/** tfs_event_format_parse() - name and ID; 0, or -EBADMSG if the text does not begin with them */
int tfs_event_format_parse(const char *text, size_t size, struct tfs_event_format *out);

/**
 * tfs_event_format_print() - what follows "print fmt:"
 * @len: number of bytes from there to the end of the text
 *
 * Return: NULL if there is no print format.
 */
const char *tfs_event_format_print(const char *text, size_t size, size_t *len);

/**
 * struct tfs_format_field - a line "field:TYPE NAME[N]; offset:O; size:S; signed:B;"
 * @line: its start
 * @decl: "TYPE NAME[N]", @decl_len bytes
 * @type: TYPE, @type_len bytes
 * @name: @name_len bytes
 * @array: "[16]" and the like, @array_len bytes; 0 if the name has nothing after it
 * @offset: bytes from the start of the record
 * @size: in bytes; 0: what is left of the record
 * @is_signed: as the kernel says; kernels before 2.6.31 do not
 * @common: a field that every event has (common_pid)
 * @extra: the line has more parts, which no kernel wrote so far
 */
struct tfs_format_field {
	const char *line, *decl, *type, *name, *array;
	size_t decl_len, type_len, name_len, array_len;
	unsigned int offset, size;
	bool is_signed, common, extra;
};

/**
 * tfs_format_line() - parse one line
 * @text: the start of a line; moved to the start of the next one
 * @end: of the text
 *
 * Return: 1 for a field; 0 for an empty line, and at the end of the text or at "print fmt:", where
 * @text stays; -EBADMSG for any other line, and for a field that is not written as kernels do.
 */
int tfs_format_line(const char **text, const char *end, struct tfs_format_field *out);

/**
 * tfs_format_next() - the next field before the print format; other lines are skipped
 * @text, @end: as for tfs_format_line()
 */
bool tfs_format_next(const char **text, const char *end, struct tfs_format_field *out);

/** tfs_format_find() - the first field of this name; false if there is none */
bool tfs_format_find(const char *text, size_t size, const char *name, size_t len,
		     struct tfs_format_field *out);

/** tfs_format_is() - is this the field's name? */
bool tfs_format_is(const struct tfs_format_field *f, const char *name);

/**
 * tfs_format_prints_code() - may this print format print the name of a function?
 *
 * It may if a conversion is %pS, %ps, %pB (or the older %pf, %pF), or if it prints a stack:
 * Documentation/core-api/printk-formats.rst.
 */
bool tfs_format_prints_code(const char *print, size_t len);

#endif
