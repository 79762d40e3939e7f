/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DECODE_PLUGINS_H
#define TFS_DECODE_PLUGINS_H

struct tfs_err;
struct tfs_strbuf;
struct tfs_strvec;

/**
 * tfs_plugins_list() - what tc-report loads to print events, and the options that -O takes
 * @paths: files that were loaded, appended
 * @options: of plugins and of what is drawn without one; appended as libtraceevent tells of them:
 *	for each option lines "file:", "plugin:", "option:", "desc:" and "set:", with a tab before
 *	what is said; lines of dashes between
 *
 * Loads and unloads the plugins. libtraceevent keeps them in globals: one thread at a time, and not
 * while a recording is read. Return: 0, -ENOMEM.
 */
int tfs_plugins_list(struct tfs_strvec *paths, struct tfs_strbuf *options, struct tfs_err *err);

#endif
