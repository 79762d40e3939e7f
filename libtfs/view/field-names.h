/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_FIELD_NAMES_H
#define TFS_VIEW_FIELD_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf-core.h"

struct tfs_event;
struct tfs_fields;

/**
 * struct tfs_field_names - the text between the values of an event's fields
 * @text: `,"prev_pid":` or ` prev_pid=` of one field after the other; each ends at @end
 * @json: the former
 *
 * Made once for each type of event. Zeroed but for @text it is empty.
 */
struct tfs_field_names {
	struct tfs_strbuf text;
	size_t *end;
	bool json;
};

void tfs_field_names_release(struct tfs_field_names *names);
/** tfs_field_names_set() - of @fields, over what is empty; 0 or -ENOMEM */
int tfs_field_names_set(struct tfs_field_names *names, const struct tfs_fields *fields, bool json);
/** tfs_field_key() - append `,"name":`; 0 or -ENOMEM */
int tfs_field_key(struct tfs_strbuf *keys, const char *name, size_t len);
/**
 * tfs_field_names_put() - append all fields of a record: "a":1,"b":"x" or a=1 b=x
 *
 * And "text", where they do not have what the event says (struct tfs_event_type, @message).
 *
 * Return: 0; 1: the last ones are left out, because there are TFS_TEXT_MAX bytes of text already;
 * -ENOMEM.
 */
int tfs_field_names_put(const struct tfs_field_names *names, const struct tfs_event *event,
			struct tfs_strbuf *out);

#endif
