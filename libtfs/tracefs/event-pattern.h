/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEFS_EVENT_PATTERN_H
#define TFS_TRACEFS_EVENT_PATTERN_H

#include <stdbool.h>

#include "base/pattern.h"

struct tfs_err;

/**
 * struct tfs_event_pattern - what a person types to mean several events
 * @text: with a colon for a slash, owned
 * @whole: for the name "system:event"
 * @sides: @system and @event match a side of the name each
 * @side_text: of both, owned
 *
 * A glob or a regular expression (base/pattern.h) without a colon matches the event or its system,
 * as for tc-record -e. Around a colon, regular expressions match the system and the event, as in
 * trace-cmd list, or the whole name. "all" matches every event.
 */
struct tfs_event_pattern {
	char *text, *side_text;
	struct tfs_pattern whole, system, event;
	bool sides;
};

/**
 * tfs_event_pattern_init() - release with tfs_event_pattern_release() after success
 * @text: "SYSTEM:EVENT", "SYSTEM/EVENT" or without one of the two
 *
 * Return: 0; -EINVAL with @err set when it is not a regular expression; -ENOMEM.
 */
int tfs_event_pattern_init(struct tfs_event_pattern *p, const char *text, struct tfs_err *err);
void tfs_event_pattern_release(struct tfs_event_pattern *p);
/** tfs_event_pattern_match() - @name: "system:event" */
bool tfs_event_pattern_match(const struct tfs_event_pattern *p, const char *name);

#endif
