/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decode/event-regex.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "decode/trace-internal.h"

#define NAME_MAX_LEN 255

static int compile(regex_t *re, const char *text, size_t len, enum tfs_regex_place place,
		   struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	char why[128];
	int rc;

	rc = tfs_strbuf_addf(&sb, place == TFS_REGEX_WHOLE ? "^%.*s$" : "%.*s", (int)len, text);
	if (rc)
		return tfs_err_set(err, rc, "cannot look for events");
	rc = regcomp(re, sb.s, REG_ICASE | REG_NOSUB);
	tfs_strbuf_release(&sb);
	if (!rc)
		return 0;
	if (rc == REG_ESPACE)
		return tfs_err_set(err, -ENOMEM, "cannot look for events");
	regerror(rc, re, why, sizeof(why));
	return tfs_err_say(err, -EINVAL, "'%.*s' is not a regular expression: %s", (int)len, text,
			   why);
}

int tfs_event_regex_init(struct tfs_event_regex *re, const char *text, char separator,
			 enum tfs_regex_place place, struct tfs_err *err)
{
	const char *second = strchr(text, separator);
	int rc = 0;

	re->both = second;
	if (second)
		rc = compile(&re->system, text, (size_t)(second - text), place, err);
	if (rc)
		return rc;
	text = second ? second + 1 : text;
	rc = compile(&re->event, text, strlen(text), place, err);
	if (rc && second)
		regfree(&re->system);
	return rc;
}

void tfs_event_regex_release(struct tfs_event_regex *re)
{
	if (re->both)
		regfree(&re->system);
	regfree(&re->event);
}

bool tfs_event_regex_match(const struct tfs_event_regex *re, const struct tfs_event_type *type)
{
	char name[NAME_MAX_LEN + 1];
	size_t len = type->name_len < NAME_MAX_LEN ? type->name_len : NAME_MAX_LEN;
	bool event;

	memcpy(name, type->name, len);
	name[len] = '\0';
	event = !regexec(&re->event, name, 0, NULL, 0);
	if (re->both)
		return event && !regexec(&re->system, type->system, 0, NULL, 0);
	return event || !regexec(&re->event, type->system, 0, NULL, 0);
}

int tfs_event_regex_any(const struct tfs_trace *trace, const char *text)
{
	struct tfs_event_regex re;
	int rc = tfs_event_regex_init(&re, text, '\n', TFS_REGEX_WHOLE, NULL);
	size_t i;

	if (rc)
		return rc;
	for (i = 0; i < trace->index.n && !rc; i++)
		rc = tfs_event_regex_match(&re, &trace->index.types[i]);
	tfs_event_regex_release(&re);
	return rc;
}
