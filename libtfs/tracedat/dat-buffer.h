/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_BUFFER_H
#define TFS_TRACEDAT_DAT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_dat;
struct tfs_dat_cpu;
struct tfs_err;

/** struct tfs_dat_buffer_desc - what a buffer is made from; everything is copied but @cpus */
struct tfs_dat_buffer_desc {
	const char *name;
	const char *clock;
	uint32_t page_size; /* 0, or one that cannot be: the header's is taken */
	bool compressed;
	bool text, more_cpus;
	struct tfs_dat_cpu *cpus; /* heap; the buffer's from now on, also on failure */
	size_t n_cpus;
	uint64_t text_offset, text_size;
};

/** tfs_dat_buffer_add() - add a buffer; its CPUs are sorted and checked, faults noted as damage */
int tfs_dat_buffer_add(struct tfs_dat *dat, const struct tfs_dat_buffer_desc *desc,
		       struct tfs_err *err);
/** tfs_dat_buffer_options() - add what the BUFFER and BUFFER_TEXT options of version 7 describe */
int tfs_dat_buffer_options(struct tfs_dat *dat, struct tfs_err *err);
/** tfs_dat_buffer_top_first() - the buffer without name goes to the front, the others keep order */
void tfs_dat_buffer_top_first(struct tfs_dat *dat);
/** tfs_dat_buffer_cut_all() - the last events of every CPU are missing: its recorder was killed */
void tfs_dat_buffer_cut_all(struct tfs_dat *dat);

#endif
