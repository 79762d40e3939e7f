/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracefs/event-pattern.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

/* Return: 0, -ENOMEM. A colon that is not between two regular expressions belongs to one. */
static int init_sides(struct tfs_event_pattern *p)
{
	size_t colon = strcspn(p->text, ":");
	int rc;

	if (p->whole.kind != TFS_PATTERN_REGEX || !p->text[colon])
		return 0;
	p->side_text = strdup(p->text);
	if (!p->side_text)
		return -ENOMEM;
	p->side_text[colon] = '\0';
	rc = tfs_pattern_init(&p->system, p->side_text, NULL);
	if (!rc)
		rc = tfs_pattern_init(&p->event, p->side_text + colon + 1, NULL);
	p->sides = !rc;
	return rc == -ENOMEM ? rc : 0;
}

int tfs_event_pattern_init(struct tfs_event_pattern *p, const char *text, struct tfs_err *err)
{
	char *slash;
	int rc;

	*p = (struct tfs_event_pattern){ .text = strdup(text) };
	if (!p->text)
		return tfs_err_set(err, -ENOMEM, "cannot look for '%s'", text);
	slash = strchr(p->text, '/');
	if (slash)
		*slash = ':';
	rc = tfs_pattern_init(&p->whole, p->text, err);
	if (!rc && init_sides(p))
		rc = tfs_err_set(err, -ENOMEM, "cannot look for '%s'", text);
	if (rc)
		tfs_event_pattern_release(p);
	return rc;
}

void tfs_event_pattern_release(struct tfs_event_pattern *p)
{
	tfs_pattern_release(&p->event);
	tfs_pattern_release(&p->system);
	tfs_pattern_release(&p->whole);
	free(p->side_text);
	free(p->text);
	*p = (struct tfs_event_pattern){ 0 };
}

bool tfs_event_pattern_match(const struct tfs_event_pattern *p, const char *name)
{
	const bool has_colon = strchr(p->text, ':') != NULL;
	const char *colon = strchrnul(name, ':'), *event = *colon ? colon + 1 : colon;
	char system[64];

	if (!strcmp(p->text, "all"))
		return true;
	if ((has_colon || p->whole.kind != TFS_PATTERN_GLOB) && tfs_pattern_match(&p->whole, name))
		return true;
	snprintf(system, sizeof(system), "%.*s", (int)(colon - name), name);
	if (p->sides)
		return tfs_pattern_match(&p->system, system) && tfs_pattern_match(&p->event, event);
	return !has_colon &&
	       (tfs_pattern_match(&p->whole, event) || tfs_pattern_match(&p->whole, system));
}
