/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_LIB_DIFFER_H
#define TESTS_LIB_DIFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <event-parse.h>

#include "base/strbuf-core.h"
#include "printfmt/env.h"

struct tfs_program;

/** DIFFER_ROOM - bytes of a record, and after it, that can be compared */
#define DIFFER_ROOM 4096

/**
 * struct differ - the text of compiled formats beside libtraceevent's
 * @types, @refused: events whose format was compiled, and was not
 * @same, @passed: records with the same text, and those left to libtraceevent
 * @different: records with another text; @report has the first few of them
 * @reasons: of those refused, a line each
 * @scratch: the copy that libtraceevent gets: a record padded with zeros
 * @fields: compare all fields as name=value instead; may be set after differ_init()
 * @bytes: of each event, see tfs_program_bytes()
 */
struct differ {
	struct tep_handle *tep;
	struct tfs_format_env env;
	struct tfs_strbuf ours, report, reasons;
	struct trace_seq theirs;
	unsigned long types, refused, same, passed, different;
	uint64_t seed;
	unsigned char *scratch;
	bool fields;
	uint64_t bytes[65536];
};

/** differ_init() - for a recording of @tep's byte order and size of long; 0 or -1
 * @env: what formats look up; NULL: symbols that @tep knows
 */
int differ_init(struct differ *d, struct tep_handle *tep, const struct tfs_format_env *env);
void differ_release(struct differ *d);

/** differ_compile() - a program of @event's format, counted; NULL: refused */
struct tfs_program *differ_compile(struct differ *d, struct tep_event *event);
/** differ_record() - compare what both make of a record: @size bytes, @room readable */
void differ_record(struct differ *d, struct tep_event *event, const struct tfs_program *program,
		   const void *data, size_t size, size_t room);
/**
 * differ_make() - make a record up for @event: numbers that occur, and any bytes
 * @data: DIFFER_ROOM bytes
 * @room: how many of them were filled; the bytes after the record belong to others
 * Return: its size, 0 if it has no room there.
 */
size_t differ_make(struct differ *d, struct tep_event *event, unsigned char *data, size_t *room);
/** differ_random() - compare @n records that differ_make() made up for @event */
void differ_random(struct differ *d, struct tep_event *event, const struct tfs_program *program,
		   unsigned int n);

#endif
