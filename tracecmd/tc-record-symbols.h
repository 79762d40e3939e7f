/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_RECORD_SYMBOLS_H
#define TC_RECORD_SYMBOLS_H

#include "record/symbols.h"

struct record_request;
struct tfs_err;
struct tfs_root;
struct tfs_strbuf;

/**
 * record_symbols() - does the file need the kernel's symbols in any case? pure
 *
 * Stack traces and addresses written by others can be in any buffer, except in a private one that
 * only existing events are recorded into. For these, tfs_format_names_code() decides.
 * @req: its buffers are placed
 * @why: set with TFS_SYMBOLS_ALWAYS, for people
 */
enum tfs_symbols record_symbols(const struct record_request *req, const char **why);

/**
 * record_symbols_show() - --dry-run: append a comment whether symbols are stored, and why
 * @req: its events are found
 *
 * Return: 0 or -errno with @err set.
 */
int record_symbols_show(const struct record_request *req, const struct tfs_root *root,
			struct tfs_strbuf *sb, struct tfs_err *err);

#endif
