/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DECODE_FORMATS_H
#define TFS_DECODE_FORMATS_H

#include <stddef.h>
#include <stdint.h>

struct tfs_event_type;
struct tfs_trace;

/*
 * A recording's print formats, compiled (libtfs/printfmt): what they look up, and one program for
 * each type. All but looking up is for the thread that parses formats.
 */

/** tfs_formats_new() - after libtraceevent has the file's sizes; 0 or -ENOMEM */
int tfs_formats_new(struct tfs_trace *trace);
void tfs_formats_free(struct tfs_trace *trace);
/** tfs_formats_add_printk() - a line of printk_formats after its colon and blank */
int tfs_formats_add_printk(struct tfs_trace *trace, uint64_t addr, const char *text, size_t len);
/**
 * tfs_formats_compile() - a program for @type, if its format can have one
 *
 * Else libtraceevent prints its records, and @type->refused says why.
 */
void tfs_formats_compile(struct tfs_trace *trace, struct tfs_event_type *type);
/**
 * tfs_formats_relay() - where a plugin prints @type: its layout with the kernel's values
 *
 * Sets @type->relaid when that can be done; then @type->program does it.
 */
void tfs_formats_relay(struct tfs_trace *trace, struct tfs_event_type *type);
void tfs_formats_release(struct tfs_event_type *type);

#endif
