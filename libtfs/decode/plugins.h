/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DECODE_PLUGINS_H
#define TFS_DECODE_PLUGINS_H

struct tfs_err;
struct tfs_strbuf;
struct tfs_strvec;

/**
 * tfs_plugins_list() - what tc-report loads to print events, and the options that -O takes
 * @paths: files that were loaded, appended
 * @options: options of plugins and of the built-in printers, appended in libtraceevent's layout:
 *	lines "file:", "plugin:", "option:", "desc:" and "set:" for each option, with a tab before
 *	the value, and a line of dashes between options
 *
 * Loads and unloads the plugins. libtraceevent keeps them in globals: one thread at a time, and not
 * while a recording is read. Return: 0, -ENOMEM.
 */
int tfs_plugins_list(struct tfs_strvec *paths, struct tfs_strbuf *options, struct tfs_err *err);

#endif
