/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_SOURCE_H
#define TFS_PROBE_SOURCE_H

struct tfs_err;
struct tfs_dso;
struct tfs_strbuf;

/**
 * tfs_source_read() - the text of a source file
 * @file: path as the debug information has it (struct tfs_line_map)
 * @dir: directory to look below, with the whole path, then ever less of its beginning; NULL to look
 *	where the path says (below symfs first), below /usr/src/debug and /usr/src, where
 *	distributions put sources, and by the servers of DEBUGINFOD_URLS
 * @sb: appended to
 *
 * Return: 0; -ENOENT, the hint names where it was looked for; another errno of reading; -ENOMEM.
 */
int tfs_source_read(struct tfs_dso *dso, const char *file, const char *dir, struct tfs_strbuf *sb,
		    struct tfs_err *err);

#endif
