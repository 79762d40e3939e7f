/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DECODE_BLK_H
#define TFS_DECODE_BLK_H

struct tfs_trace;

/**
 * tfs_blk_add() - teach libtraceevent the event of the blk tracer
 *
 * The kernel exports no format for TRACE_BLK (kernel/trace/trace.h), whose id is one above that of
 * user_stack; its record is struct blk_io_trace after the common fields
 * (include/uapi/linux/blktrace_api.h). trace-cmd makes up the same event, called "blktrace".
 * Return: 0, also when the file gives no clue; -ENOMEM.
 */
int tfs_blk_add(struct tfs_trace *trace);

#endif
