/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGINS_PLUGIN_H
#define PLUGINS_PLUGIN_H

#include <event-parse.h>
#include <trace-seq.h>

/*
 * The interface of a plugin, with libtraceevent's names, so that it loads wherever libtraceevent's
 * own plugins do. A plugin is one plugin_<system>.c with what it links.
 */

/**
 * TEP_PLUGIN_LOADER() - called once for each handle, before formats are read
 * Registers the plugin's handlers. Return: 0, negative if it cannot work; no one looks at it.
 */
__attribute__((visibility("default"))) int TEP_PLUGIN_LOADER(struct tep_handle *tep);

/** TEP_PLUGIN_UNLOADER() - undo the loader, for the same handle */
__attribute__((visibility("default"))) int TEP_PLUGIN_UNLOADER(struct tep_handle *tep);

/** TEP_PLUGIN_OPTIONS - ends with a .name of NULL; only plugins that have options define it */
__attribute__((visibility("default"))) extern struct tep_plugin_option TEP_PLUGIN_OPTIONS[];

#endif
