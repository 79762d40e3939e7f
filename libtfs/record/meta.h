/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_META_H
#define TFS_RECORD_META_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_codec;
struct tfs_dat_writer;
struct tfs_err;
struct tfs_instance;
struct tfs_root;
struct tfs_strbuf;
struct tfs_strvec;
struct tfs_symbol_needs;

/** tfs_meta_clock() - append the name of the clock in use: what trace_clock has in brackets */
int tfs_meta_clock(const struct tfs_root *root, const struct tfs_instance *inst,
		   struct tfs_strbuf *name, struct tfs_err *err);

/** struct tfs_meta_head - what tfs_meta_write_head() is to describe; all borrowed */
struct tfs_meta_head {
	const struct tfs_root *root;
	const struct tfs_instance *inst;
	const struct tfs_strvec *events; /* "system:event" or "system:*" */
	unsigned int n_cpus;             /* greatest CPU number + 1 */
	/*
	 * NULL: with the kernel's symbols. Else only if something but events may need them; types
	 * for which they may be needed are added. The caller watches for these types, and calls
	 * tfs_meta_write_symbols() if one occurs.
	 */
	struct tfs_symbol_needs *needs;
	bool no_symbols; /* whatever @needs: the caller has them otherwise */
};

/**
 * tfs_meta_write_head() - sections 16 to 20 and the options known before recording
 *
 * Header pages, formats of ftrace/ and of @events, kallsyms, printk_formats, clock, uname, version,
 * CPU count. Each file is read once. Files that are missing or unreadable are left out,
 * except for the header page and the formats of ftrace/, without which nothing can be read back.
 */
int tfs_meta_write_head(struct tfs_dat_writer *w, const struct tfs_meta_head *head,
			struct tfs_err *err);

/** tfs_meta_write_no_symbols() - the same section without any: trace-cmd split needs it */
int tfs_meta_write_no_symbols(struct tfs_dat_writer *w, struct tfs_err *err);
/**
 * tfs_meta_write_symbols() - section 19, kallsyms, if they can be read; anywhere in the file
 * @codec: what the writer has
 * @room: bytes that they may take in the file; UINT64_MAX: any
 *
 * Return: 0; -EFBIG with @err unchanged: they take more, and nothing was written; -errno.
 */
int tfs_meta_write_symbols(struct tfs_dat_writer *w, struct tfs_codec *codec, uint64_t room,
			   struct tfs_err *err);

/**
 * tfs_meta_write_cmdlines() - section 21, names of tasks: known only afterwards
 * @more: lines "TID COMM" for tasks whose names the kernel has not saved; NULL: none
 */
int tfs_meta_write_cmdlines(struct tfs_dat_writer *w, const struct tfs_root *root, const char *more,
			    struct tfs_err *err);

#endif
