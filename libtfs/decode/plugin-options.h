/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DECODE_PLUGIN_OPTIONS_H
#define TFS_DECODE_PLUGIN_OPTIONS_H

#include <stdbool.h>

struct tfs_trace;

/**
 * tfs_plugin_options_has() - does a plugin that @trace loaded have this option?
 * @text: "[plugin:]option[=value]"
 *
 * libtraceevent keeps options that nobody asks for without a word. For the thread that opened
 * @trace.
 */
bool tfs_plugin_options_has(struct tfs_trace *trace, const char *text);

#endif
