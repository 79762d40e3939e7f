/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_META_H
#define TFS_TRACEDAT_DAT_META_H

#include "tracedat/dat-read.h"

struct tfs_dat;
struct tfs_dat_source;
struct tfs_err;

/*
 * The metadata items, in the form that version 6 stores one after the other and version 7 each as
 * the payload of a section. Items read before a fault stay.
 */

/** tfs_dat_meta_header_info() - "header_page" and "header_event", and the layout they describe */
int tfs_dat_meta_header_info(struct tfs_dat *dat, struct tfs_dat_source *src, struct tfs_err *err);
/** tfs_dat_meta_ftrace() - u32 count, { u64 size, format } of the events/ftrace directory */
int tfs_dat_meta_ftrace(struct tfs_dat *dat, struct tfs_dat_source *src, struct tfs_err *err);
/** tfs_dat_meta_systems() - u32 systems, { name, u32 count, { u64 size, format } } */
int tfs_dat_meta_systems(struct tfs_dat *dat, struct tfs_dat_source *src, struct tfs_err *err);
/** tfs_dat_meta_text() - KALLSYMS, PRINTK (u32 size, text) or CMDLINES (u64 size, text) */
int tfs_dat_meta_text(struct tfs_dat *dat, enum tfs_dat_blob id, struct tfs_dat_source *src,
		      struct tfs_err *err);

#endif
