/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PRINTFMT_PACKED_H
#define TFS_PRINTFMT_PACKED_H

#include "printfmt/program-internal.h"

/**
 * tfs_write_packed() - TFS_OP_PACKED: one of the kernel's formats, with the record's arguments
 *
 * trace_printk() records the address of its format, and the arguments as vbin_printf() packs them:
 * numbers by their size, aligned; strings as they are; the text of pointers that needs memory. As
 * tfs_write_op().
 *
 * Where the format goes on with something that the kernel does not print, or the arguments end
 * before it does, the rest of the format is shown as it stands.
 */
char *tfs_write_packed(struct tfs_run *r, const struct tfs_op *op, char *q);

#endif
