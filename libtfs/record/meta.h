/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_META_H
#define TFS_RECORD_META_H

struct tfs_dat_writer;
struct tfs_err;
struct tfs_instance;
struct tfs_root;
struct tfs_strvec;

/**
 * tfs_meta_write_head() - sections 16 to 20 and the options known before recording
 *
 * Header pages, formats of ftrace/ and of @events ("system:event", "system:*"), kallsyms,
 * printk_formats, clock, uname, version, CPU count. Each file is read once.
 */
int tfs_meta_write_head(struct tfs_dat_writer *w, const struct tfs_root *root,
			const struct tfs_instance *inst, const struct tfs_strvec *events,
			struct tfs_err *err);
/** tfs_meta_write_tail() - what is known only afterwards: saved_cmdlines, per-CPU stats */
int tfs_meta_write_tail(struct tfs_dat_writer *w, const struct tfs_root *root,
			const struct tfs_instance *inst, struct tfs_err *err);

#endif
