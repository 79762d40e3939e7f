/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEFS_REASON_H
#define TFS_TRACEFS_REASON_H

#include <stdbool.h>
#include <stddef.h>

struct tfs_err;
struct tfs_root;
struct tfs_strbuf;

/**
 * struct tfs_reason_facts - what decides whether this process may touch tracefs
 * @is_root: effective user id 0
 * @may_read: it is a member of @group, and so may read what is below @mount
 * @lockdown: content of /sys/kernel/security/lockdown, "" where it cannot be read
 * @mount: where tracefs is mounted
 * @group: name (or number) of the group that may use it, "" for none but root's
 *
 * Strings are borrowed.
 */
struct tfs_reason_facts {
	bool is_root;
	bool may_read;
	const char *lockdown;
	const char *mount;
	const char *group;
};

/**
 * tfs_reason_hint() - say in @err's hint why @path answered @code, and what would help
 * @path: full path of the control file or directory
 * @code: negative errno
 *
 * Pure. Known control files come first (their errno has a meaning of its own), then permissions,
 * read-only mounts and missing files. Where several causes are possible all are named; where
 * nothing is known the hint stays as it was.
 */
void tfs_reason_hint(const struct tfs_reason_facts *facts, const char *path, int code,
		     struct tfs_err *err);

/**
 * tfs_reason_fields() - names of the fields in an event's format file, with ", " between
 *
 * Without the common ones, in the order of the file. Pure. Return: 0 or -ENOMEM.
 */
int tfs_reason_fields(const char *format, struct tfs_strbuf *sb);

/**
 * tfs_reason_add() - the same with this process's facts; a refused filter gets the event's fields
 * @root: NULL where none could be opened
 */
void tfs_reason_add(const struct tfs_root *root, const char *path, int code, struct tfs_err *err);

/**
 * tfs_reason_in_use() - where the event is enabled that could not be deleted
 * @written: "-:GROUP/EVENT", @len bytes; for anything else the hint stays as it was
 */
void tfs_reason_in_use(const struct tfs_root *root, const char *written, size_t len,
		       struct tfs_err *err);

#endif
