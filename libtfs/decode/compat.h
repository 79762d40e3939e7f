/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DECODE_COMPAT_H
#define TFS_DECODE_COMPAT_H

#include <stdbool.h>
#include <stddef.h>

struct tfs_event_type;
struct tfs_patch;
struct tfs_strbuf;
struct tfs_trace;

/*
 * libtraceevent prints some events of a recording of another word size or byte order differently
 * than on the machine that made it. This corrects them; see
 * Documentation/adr/0010-recordings-of-other-machines.md. It has no effect on a recording of a
 * machine like this one.
 */

/**
 * struct tfs_compat - how a recording differs from this machine
 * @narrow: its long has 4 bytes, ours 8
 * @other_size: its long has another size than ours, whichever is longer
 * @swapped: its byte order is not ours
 */
struct tfs_compat {
	bool narrow;
	bool other_size;
	bool swapped;
	struct {
		void (*handler)(void); /* a tep_event_handler_func */
		void *context;
	} raw_data, tlb_flush;
};

/** tfs_compat_new() - look at the file's sizes; before formats are parsed. 0 or -ENOMEM */
int tfs_compat_new(struct tfs_trace *trace);
void tfs_compat_free(struct tfs_trace *trace);

/** tfs_compat_parse() - let libtraceevent parse @type's format text, rewritten where it must be */
void tfs_compat_parse(struct tfs_trace *trace, const struct tfs_event_type *type, const char *text,
		      size_t size);
/** tfs_compat_event() - after parsing: note what a record of @type needs; ->span is set */
void tfs_compat_event(struct tfs_trace *trace, struct tfs_event_type *type);
/**
 * tfs_compat_patch() - change a copy of a record so that libtraceevent reads it right
 * @data: writable, TFS_SCRATCH_SIZE bytes; @size of them are the record
 * @raw: fields will be printed one by one (-R), not by the print format
 */
void tfs_compat_patch(const struct tfs_trace *trace, const struct tfs_event_type *type, void *data,
		      size_t size, bool raw);
void tfs_compat_patches_free(struct tfs_patch *patches);

/**
 * tfs_compat_narrow_format() - a format text whose longs are printed as ints
 *
 * "%ld" of a value with 32 bits is "%d": libtraceevent computes in 64 bits and leaves it to
 * printf's long to drop the upper half, which ours does not do. Pure; only the text of "print
 * fmt:" changes. Return: 0 or -ENOMEM.
 */
int tfs_compat_narrow_format(const char *text, size_t size, struct tfs_strbuf *out);

#endif
