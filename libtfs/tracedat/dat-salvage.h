/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_SALVAGE_H
#define TFS_TRACEDAT_DAT_SALVAGE_H

struct tfs_dat;
struct tfs_err;

/**
 * tfs_dat_salvage_sections() - find what the options do not lead to any more
 *
 * Walks version 7's sections from the header to the end of the file or to the first bytes that
 * are not a section: reads OPTIONS sections that the chain did not reach and notes where sections
 * without an option of their own are. Prints nothing: a walk that stops early is not a fault, since
 * other writers leave garbage after sections.
 */
int tfs_dat_salvage_sections(struct tfs_dat *dat, struct tfs_err *err);

/**
 * tfs_dat_salvage_buffers() - make buffers of BUFFER sections that no option describes
 *
 * CPUs are numbered by their order, since nothing else is known of them: a chunk table at every
 * page boundary, or, without compression, sub-buffers whose time goes back. The damage note says
 * so. In a truncated file the last of them is incomplete, and so are those after it, as far as the
 * section's size, the options and other buffers show how many there are.
 */
int tfs_dat_salvage_buffers(struct tfs_dat *dat, struct tfs_err *err);

#endif
