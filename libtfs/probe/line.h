/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_LINE_H
#define TFS_PROBE_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/type.h"

struct tfs_err;
struct tfs_debuginfo;
struct tfs_dso;
struct tfs_probe_defs;
struct tfs_probe_resolve_opts;
struct tfs_probe_spec;
struct tfs_strbuf;

/**
 * struct tfs_probe_line - a definition in the kernel's own words: p:GROUP/EVENT PLACE ARGS
 * @ret: its letter is that of return probes; of a program also "%return"
 * @maxactive: calls that a return probe follows at a time, 0 if the line does not say
 * @group, @event: as the line has them, else as the kernel would call it
 * @path: of the program; NULL for the kernel
 * @location: of the kernel: the place as it is written; NULL for a program
 * @offset: of a program: in its file
 * @counter: file offset of the counter that the kernel raises, 0 for none
 * @args: the rest, "" for none
 */
struct tfs_probe_line {
	enum tfs_probe_type type;
	bool ret;
	unsigned int maxactive;
	char *group;
	char *event;
	char *path;
	char *location;
	uint64_t offset;
	uint64_t counter;
	char *args;
};

void tfs_probe_line_release(struct tfs_probe_line *line);

/** enum tfs_probe_line_flags - @TFS_PROBE_LINE_BARE: a line may lack the colon: "p vfs_read" */
enum tfs_probe_line_flags { TFS_PROBE_LINE_BARE = 1 << 0 };

/**
 * tfs_probe_is_line() - does @text begin as the kernel's control files take it: p, r, f, t or e?
 * @flags: enum tfs_probe_line_flags. Without _BARE "f a" is the function f; "p /bin/sh:0x10" is a
 *	line all the same
 *
 * Pure.
 */
bool tfs_probe_is_line(const char *text, unsigned int flags);

/**
 * tfs_probe_line_parse() - take such a line apart (Documentation/trace/kprobetrace.rst,
 * uprobetracer.rst, fprobetrace.rst and eprobetrace.rst of the kernel); pure
 * @flags: enum tfs_probe_line_flags
 * @out: set on success only
 *
 * Return: 0; -EINVAL with the fault's place in @err; -ENOMEM.
 */
int tfs_probe_line_parse(const char *text, unsigned int flags, struct tfs_probe_line *out,
			 struct tfs_err *err);

/**
 * tfs_probe_line_word() - does @text begin with "tprobe:" or "eprobe:"?
 * @type: set if it does. Return: what follows, NULL if it does not. Pure
 */
const char *tfs_probe_line_word(const char *text, enum tfs_probe_type *type);

/**
 * tfs_probe_line_of() - append the line that defines a probe on a tracepoint or an event
 * @type: TFS_PROBE_TPROBE or TFS_PROBE_EPROBE
 * @text: [[GROUP:]EVENT=]PLACE [ARG...]; of an event the place is SYSTEM:EVENT, too
 * @group: of a text that has none
 *
 * Return: 0; -EINVAL with the fault's place in @err; -ENOMEM.
 */
int tfs_probe_line_of(enum tfs_probe_type type, const char *text, const char *group,
		      struct tfs_strbuf *line, struct tfs_err *err);

/**
 * tfs_probe_line_define() - the definition that a line is; what it fetches is left as it is
 * @dbg: what is probed: of a program, the file that the line names. Its place is checked as any
 *	other; that of the kernel's is checked by the kernel. NULL for the kernel: symbols that are
 *	fetched are not checked, either
 * @flags: enum tfs_probe_line_flags
 * @defs: one is appended; it was validated
 *
 * Return: 0; -EINVAL, also if the line is for something else than @dbg; other negative errno.
 */
int tfs_probe_line_define(struct tfs_debuginfo *dbg, const char *text, unsigned int flags,
			  const struct tfs_probe_resolve_opts *opts, struct tfs_probe_defs *defs,
			  struct tfs_err *err);

#endif
