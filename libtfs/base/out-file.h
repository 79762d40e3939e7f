/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_OUT_FILE_H
#define TFS_BASE_OUT_FILE_H

#include <stdbool.h>

struct tfs_err;
struct tfs_out;

/**
 * struct tfs_out_file - a file that appears under its name only when it is complete
 *
 * It is written beside its place as .NAME.XXXXXX and renamed at the end; what was there before
 * stays until then. A name that is not a regular file (/dev/stdout, a pipe) is written directly,
 * as tfs_output_file_open() opens it.
 * Permissions follow the umask. One thread at a time.
 */
struct tfs_out_file;

/**
 * tfs_out_file_open() - begin a file
 * @path: "-" is standard output
 * Return: 0; -ELOOP for a link that somebody else may have put there; -errno, with @err set.
 */
int tfs_out_file_open(const char *path, struct tfs_out_file **out, struct tfs_err *err);
/** tfs_out_file_out() - where to write to; belongs to @f */
struct tfs_out *tfs_out_file_out(struct tfs_out_file *f);
/** tfs_out_file_fd() - its descriptor, for those who write at offsets instead; borrowed */
int tfs_out_file_fd(const struct tfs_out_file *f);
/** tfs_out_file_is_new() - is it a file made here, and not one that the name led to? */
bool tfs_out_file_is_new(const struct tfs_out_file *f);
/**
 * tfs_out_file_commit() - it is complete: give it its name
 * Return: 0, or the first error that writing met or renaming, with @err set.
 */
int tfs_out_file_commit(struct tfs_out_file *f, struct tfs_err *err);
/** tfs_out_file_free() - removes a file that was not completed; takes NULL */
void tfs_out_file_free(struct tfs_out_file *f);

#endif
