/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_SYMBOLS_H
#define TFS_RECORD_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

struct tfs_instance;
struct tfs_root;

/*
 * Whether a recording has a use for the kernel's symbols. They are megabytes of text, and making
 * them is most of what the kernel does when a short recording begins (adr/0015).
 */

/**
 * enum tfs_symbols - when a recording has the kernel's symbols
 * @TFS_SYMBOLS_ALWAYS: in any case
 * @TFS_SYMBOLS_USED: if the format of an event that is recorded makes use of them, or something may
 *                    put stacks or functions between the events: for an instance that nobody but
 *                    the caller sets up and writes to
 */
enum tfs_symbols { TFS_SYMBOLS_ALWAYS, TFS_SYMBOLS_USED };

/**
 * tfs_format_names_code() - may a report look up names of functions for records of this type? pure
 *
 * It may if a conversion prints one, see tfs_format_prints_code(), if a field is a pointer of the
 * kernel, or if a field's name says that it holds an address, of code or of anything else: plugins,
 * graphs and filters look such fields up. The pointers in a system call's event are the caller's;
 * there only a conversion counts. In doubt true, as for a text that is not a format.
 * @format: text of events/SYSTEM/EVENT/format
 */
bool tfs_format_names_code(const char *format, size_t size);

/**
 * tfs_instance_names_code() - what of an instance may put stacks or functions between its events
 *
 * A tracer, and options that a new instance takes over from the top level; not copy_trace_marker,
 * since a marker has a type, which can be looked for (tfs_meta_write_head()).
 * Return: what it is, for people; NULL: nothing does. "" if that is unknown.
 */
const char *tfs_instance_names_code(const struct tfs_root *root, const struct tfs_instance *inst);

#endif
