/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_META_FORMATS_H
#define TFS_RECORD_META_FORMATS_H

struct tfs_constants;
struct tfs_err;
struct tfs_root;
struct tfs_strbuf;
struct tfs_strvec;
struct tfs_symbol_needs;

/** tfs_meta_add_sized() - u64 length, bytes: how texts are stored; 0 or -ENOMEM */
int tfs_meta_add_sized(struct tfs_strbuf *sb, const struct tfs_strbuf *text);

/** tfs_meta_ftrace_formats() - append the payload of section 17: formats of events/ftrace */
int tfs_meta_ftrace_formats(const struct tfs_root *root, struct tfs_strbuf *payload,
			    struct tfs_err *err);

/**
 * tfs_meta_formats() - append the payload of section 18: formats of events
 *
 * A format that is not there (any more) is left out: modules come and go.
 * @events: "system:event" or "system:*"
 * @needs: the types that need the kernel's symbols are added, tfs_format_names_code(); NULL: the
 *         recording has them in any case. raw_syscalls does not count if there is a format that
 *         shows which machine's calls they are; that one is added
 * @constants: the names that their print formats leave are added
 */
int tfs_meta_formats(const struct tfs_root *root, const struct tfs_strvec *events,
		     struct tfs_strbuf *payload, struct tfs_symbol_needs *needs,
		     struct tfs_constants *constants, struct tfs_err *err);

#endif
