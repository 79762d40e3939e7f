/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_OPTION_H
#define TFS_TRACEDAT_DAT_OPTION_H

#include <stdint.h>

struct tfs_dat;
struct tfs_dat_section;
struct tfs_dat_source;
struct tfs_err;

/**
 * tfs_dat_option_list() - keep the options of version 6, up to and with the bare u16 0
 *
 * Options read before a fault stay, here and below.
 */
int tfs_dat_option_list(struct tfs_dat *dat, struct tfs_dat_source *src, struct tfs_err *err);
/**
 * tfs_dat_option_section() - keep the options of one OPTIONS section of version 7
 * @next: offset of the next section, 0 if this is the last
 */
int tfs_dat_option_section(struct tfs_dat *dat, const struct tfs_dat_section *sec, uint64_t *next,
			   struct tfs_err *err);
/** tfs_dat_option_chain() - follow the sections from the one that the header names; loops end it */
int tfs_dat_option_chain(struct tfs_dat *dat, struct tfs_err *err);
/**
 * tfs_dat_option_apply() - make of the options what they mean for reading
 *
 * Clock, CPU count, where the metadata sections are, which byte order binary options have. Not the
 * buffers: dat-buffer.h.
 */
void tfs_dat_option_apply(struct tfs_dat *dat);

#endif
