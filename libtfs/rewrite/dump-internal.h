/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_REWRITE_DUMP_INTERNAL_H
#define TFS_REWRITE_DUMP_INTERNAL_H

#include <stddef.h>

struct tfs_dat;
struct tfs_dat_option;
struct tfs_dat_section;
struct tfs_err;
struct tfs_out;

/* The parts of tfs_dump(). Not for use outside libtfs/rewrite. */

/** enum tfs_dump_line - a section in a list of all, or before its own contents */
enum tfs_dump_line { TFS_DUMP_LIST, TFS_DUMP_HEAD };

/** struct tfs_dump_names - the STRINGS of a file, which sections are described by; NULL: none */
struct tfs_dump_names {
	char *text;
	size_t size;
};

/** tfs_dump_section_line() - "[Section 16 @ 37: "headers", flags 0x1, 263 bytes]" */
void tfs_dump_section_line(struct tfs_dat *dat, const struct tfs_dat_section *sec,
			   enum tfs_dump_line how, const struct tfs_dump_names *names,
			   struct tfs_out *out);
/** tfs_dump_options() - all options; 0 or -errno */
int tfs_dump_options(struct tfs_dat *dat, const struct tfs_dump_names *names, struct tfs_out *out,
		     struct tfs_err *err);
/** tfs_dump_buffer_option() - what a BUFFER option says */
void tfs_dump_buffer_option(const struct tfs_dat *dat, const struct tfs_dat_option *o,
			    struct tfs_out *out);

#endif
