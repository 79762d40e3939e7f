/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/misses.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "tracefs/file.h"

#define NAME_SIZE 128

/* "p:GROUP/EVENT PLACE ARGS", "r32:GROUP/EVENT ..." */
static bool is_of(const char *line, const char *name)
{
	const char *is = strchr(line, ':');
	const size_t group = strcspn(name, ":");

	if (!is || strncmp(++is, name, group) != 0 || is[group] != '/')
		return false;
	is += group + 1;
	name += group + (name[group] == ':');
	if (!strcmp(name, "*"))
		return true;
	return !strncmp(is, name, strlen(name)) && strchr(" \t", is[strlen(name)]);
}

static int read_lines(const struct tfs_root *root, const char *file, struct tfs_strvec *lines)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc = tfs_file_read(root, file, &text, NULL);

	rc = rc ? (rc == -ENOMEM ? rc : 0) : tfs_strvec_split(lines, text.s, "\n");
	tfs_strbuf_release(&text);
	return rc;
}

/* Does the line of the profile belong to the definition? */
static bool fits(const char *definition, const char *event)
{
	const char *slash = strchr(definition, '/');

	return slash && !strncmp(slash + 1, event, strlen(event)) &&
	       strchr(" \t", slash[1 + strlen(event)]);
}

int tfs_probe_misses(const struct tfs_root *root, const char *name, uint64_t *misses)
{
	struct tfs_strvec defined = TFS_STRVEC_INIT, profile = TFS_STRVEC_INIT;
	int rc = read_lines(root, "kprobe_events", &defined);

	*misses = 0;
	if (!rc)
		rc = read_lines(root, "kprobe_profile", &profile);
	for (size_t i = 0; i < defined.n && i < profile.n && !rc; i++) {
		char event[NAME_SIZE];
		uint64_t hit, missed;

		if (sscanf(profile.v[i], "%127s %" SCNu64 " %" SCNu64, event, &hit, &missed) == 3 &&
		    fits(defined.v[i], event) && is_of(defined.v[i], name))
			*misses += missed;
	}
	tfs_strvec_release(&defined);
	tfs_strvec_release(&profile);
	return rc;
}
