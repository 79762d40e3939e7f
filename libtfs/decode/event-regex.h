/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DECODE_EVENT_REGEX_H
#define TFS_DECODE_EVENT_REGEX_H

#include <regex.h>
#include <stdbool.h>

struct tfs_err;
struct tfs_event_type;
struct tfs_trace;

/** enum tfs_regex_place - must a name match from end to end? */
enum tfs_regex_place { TFS_REGEX_WHOLE, TFS_REGEX_ANYWHERE };

/**
 * struct tfs_event_regex - events by basic regular expressions, in any case, as trace-cmd has it
 *
 * One expression is for the event or its system, two for the system and the event.
 */
struct tfs_event_regex {
	regex_t system, event;
	bool both;
};

/**
 * tfs_event_regex_init() - compile
 * @separator: between the two expressions: ':' or '/'
 * @re: release with tfs_event_regex_release() after success
 *
 * Return: 0, -EINVAL with @err set if it is not an expression; -ENOMEM.
 */
int tfs_event_regex_init(struct tfs_event_regex *re, const char *text, char separator,
			 enum tfs_regex_place place, struct tfs_err *err);
void tfs_event_regex_release(struct tfs_event_regex *re);
bool tfs_event_regex_match(const struct tfs_event_regex *re, const struct tfs_event_type *type);
/**
 * tfs_event_regex_any() - does it match an event of the recording?
 * @text: one expression for event and system, for the whole name
 *
 * Return: 1, 0, -EINVAL, -ENOMEM.
 */
int tfs_event_regex_any(const struct tfs_trace *trace, const char *text);

/** struct tfs_event_flag - events that @re matches get @flag, one of enum tep_event_flags */
struct tfs_event_flag {
	struct tfs_event_regex re;
	int flag;
};

#endif
