/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_LIB_DEBUGINFO_H
#define TESTS_LIB_DEBUGINFO_H

struct tfs_debuginfo;

/** open_debuginfo() - open a file with its debug information; NULL if it cannot be opened */
struct tfs_debuginfo *open_debuginfo(const char *path);
/** close_debuginfo() - free it and its dso */
void close_debuginfo(struct tfs_debuginfo *dbg);

#endif
