/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_SPEC_H
#define TFS_PROBE_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * enum tfs_probe_at - what a probe point is named by
 * @TFS_PROBE_AT_FUNC: [MODULE:]FUNC[@SRC][#N] with one of +OFF, :LINE (from the function's first),
 *	;PATTERN, %return
 * @TFS_PROBE_AT_LINE: SRC:LINE
 * @TFS_PROBE_AT_PATTERN: SRC;PATTERN, lines that match a glob
 * @TFS_PROBE_AT_ADDR: 0xADDR, an address as the symbol table has it
 * @TFS_PROBE_AT_SDT: a marker (systemtap's SDT) that the program's author put there
 */
enum tfs_probe_at {
	TFS_PROBE_AT_FUNC,
	TFS_PROBE_AT_LINE,
	TFS_PROBE_AT_PATTERN,
	TFS_PROBE_AT_ADDR,
	TFS_PROBE_AT_SDT,
};

/**
 * struct tfs_probe_arg - one value to record: [NAME=]EXPR[:TYPE][@user]
 * @name: NULL when none was typed
 * @expr: a variable (a->b.c[2], *p, &a), $params, $vars, or as the kernel writes it (@raw)
 * @type: what follows the colon; NULL for none
 * @raw: @expr is a fetch-arg of the kernel's (%reg, $retval, $stackN, $comm, @SYM, +OFF(..), \IMM)
 * @user: what it points at is in user space (kernel probes)
 */
struct tfs_probe_arg {
	char *name;
	char *expr;
	char *type;
	bool raw;
	bool user;
};

/**
 * struct tfs_probe_spec - one probe as a person writes it, taken apart; nothing is looked up
 * @group: NULL when none was typed
 * @event: NULL when none was typed
 * @module: of the kernel, MODULE:FUNC; NULL when none was typed
 * @func: function, exact name or glob, without the escapes; for TFS_PROBE_AT_SDT PROVIDER:NAME or
 *	NAME
 * @src: end of the path of the source file; NULL for none
 * @pattern: glob over the text of source lines; NULL for none
 * @offset: bytes after the function's start, or the address
 * @has_offset: one was typed after a function, be it 0: the place is that, whatever is asked for
 * @line: with @has_line; from the function's first line for TFS_PROBE_AT_FUNC
 * @nth: the N-th of several functions that the name stands for, from 1; 0: not said
 * @ret: when the function returns
 * @maxactive: of a return probe of the kernel: calls that are followed at a time, 0: not said
 * @counter: of a program: file offset of the counter that the kernel raises while the probe is
 *	recorded, 0 for none; for a marker it is read from the file
 *
 * Owned by whoever made it; a zeroed one is empty.
 */
struct tfs_probe_spec {
	char *group;
	char *event;
	enum tfs_probe_at at;
	char *module;
	char *func;
	char *src;
	char *pattern;
	uint64_t offset;
	unsigned int line;
	unsigned int nth;
	bool has_line;
	bool has_offset;
	bool ret;
	unsigned int maxactive;
	uint64_t counter;
	struct tfs_probe_arg *args;
	size_t n_args;
};

/** tfs_probe_spec_release() - free what it owns; it is empty afterwards */
void tfs_probe_spec_release(struct tfs_probe_spec *spec);
/** tfs_probe_spec_add_arg() - append an argument with nothing in it; NULL without memory */
struct tfs_probe_arg *tfs_probe_spec_add_arg(struct tfs_probe_spec *spec);

#endif
