/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PRINTFMT_PROGRAM_DEBUG_H
#define TFS_PRINTFMT_PROGRAM_DEBUG_H

#include "printfmt/program-internal.h"

/* Writers of what the kernel has for debugging. As tfs_write_op(). */

/**
 * tfs_write_dump() - TFS_OP_DUMP, the kernel's __print_hex_dump() of @n bytes
 *
 * A newline, then lines of @op->size bytes in groups of @op->kind, as lib/hexdump.c makes them.
 */
char *tfs_write_dump(struct tfs_run *r, const struct tfs_op *op, char *q, uint64_t n);

/** TFS_ERROR_MAX - bytes that tfs_write_error() writes at most */
#define TFS_ERROR_MAX 32

/** tfs_write_error() - "%pe": "-ENOENT" of a pointer that is an error; NULL: it is not one */
char *tfs_write_error(const struct tfs_run *r, char *q, uint64_t value);

#endif
