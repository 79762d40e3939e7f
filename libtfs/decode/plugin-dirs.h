/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DECODE_PLUGIN_DIRS_H
#define TFS_DECODE_PLUGIN_DIRS_H

struct tep_handle;
struct tep_plugin_list;
struct tfs_strbuf;
struct tfs_strvec;

/*
 * libtraceevent loads plugins, which are programs, from directories that the environment names:
 * $TRACEEVENT_PLUGIN_DIR and $HOME/.local/lib/traceevent/plugins. Under sudo or su these may be
 * another user's, whose code would run as root.
 */

/**
 * tfs_plugin_dirs_refused() - those of them from which nothing is loaded
 * @reasons: for each a text, appended: "'DIR': 'PATH' is not root's alone"
 *
 * None unless the effective user is root. A directory is taken when it, all above it and all files
 * in it belong to root and nobody else may write to them; a directory with the sticky bit (/tmp)
 * may be above. Return: 0 or -ENOMEM.
 */
int tfs_plugin_dirs_refused(struct tfs_strvec *reasons);

/**
 * tfs_plugin_dirs_load() - tep_load_plugins(), but from none of these
 * @out: NULL when nothing was loaded; release with tep_unload_plugins()
 *
 * Takes variables out of the environment meanwhile: not while another thread uses that. Return: 0
 * or -ENOMEM.
 */
int tfs_plugin_dirs_load(struct tep_handle *tep, struct tep_plugin_list **out);

#endif
