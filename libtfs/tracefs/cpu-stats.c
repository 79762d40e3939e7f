/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracefs/cpu-stats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"

#define PATH_SIZE 512

void tfs_cpu_stats_parse(const char *text, struct tfs_cpu_stats *out)
{
	static const struct {
		const char *key;
		size_t offset;
	} keys[] = {
		{ "entries", offsetof(struct tfs_cpu_stats, entries) },
		{ "overrun", offsetof(struct tfs_cpu_stats, overrun) },
		{ "commit overrun", offsetof(struct tfs_cpu_stats, commit_overrun) },
		{ "dropped events", offsetof(struct tfs_cpu_stats, dropped) },
		{ "read events", offsetof(struct tfs_cpu_stats, read) },
	};
	const char *line = text;

	memset(out, 0, sizeof(*out));
	while (line) {
		for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
			size_t len = strlen(keys[i].key);
			uint64_t v;

			if (strncmp(line, keys[i].key, len) != 0 || line[len] != ':')
				continue;
			if (sscanf(line + len + 1, "%" SCNu64, &v) == 1)
				memcpy((char *)out + keys[i].offset, &v, sizeof(v));
		}
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
}

int tfs_cpu_stats_read(const struct tfs_root *root, const struct tfs_instance *inst,
		       unsigned int cpu, struct tfs_strbuf *text, struct tfs_cpu_stats *out)
{
	struct tfs_strbuf own = TFS_STRBUF_INIT;
	struct tfs_strbuf *sb = text ? text : &own;
	char path[PATH_SIZE], file[64];
	const size_t before = sb->len;
	int rc;

	memset(out, 0, sizeof(*out));
	snprintf(file, sizeof(file), "per_cpu/cpu%u/stats", cpu);
	rc = tfs_instance_path(inst, file, path, sizeof(path));
	if (!rc)
		rc = tfs_file_read(root, path, sb, NULL);
	if (!rc)
		tfs_cpu_stats_parse(sb->s + before, out);
	tfs_strbuf_release(&own);
	return rc;
}

static int compare_uint(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a;
	unsigned int y = *(const unsigned int *)b;

	return (x > y) - (x < y);
}

int tfs_instance_cpus(const struct tfs_root *root, const struct tfs_instance *inst,
		      unsigned int **cpus, size_t *n, struct tfs_err *err)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	unsigned int *found = NULL;
	char path[PATH_SIZE], junk;
	int rc;

	*n = 0;
	rc = tfs_instance_path(inst, "per_cpu", path, sizeof(path));
	if (!rc)
		rc = tfs_file_list(root, path, TFS_LIST_DIRS, &names, err);
	if (rc)
		goto out;
	found = calloc(names.n + 1, sizeof(*found));
	if (!found) {
		rc = tfs_err_set(err, -ENOMEM, "cannot list '%s'", path);
		goto out;
	}
	for (size_t i = 0; i < names.n; i++) {
		if (sscanf(names.v[i], "cpu%u%c", &found[*n], &junk) == 1)
			(*n)++;
	}
	qsort(found, *n, sizeof(*found), compare_uint);
	if (!*n)
		rc = tfs_err_say(err, -ENODEV, "there is no CPU in '%s'", path);
out:
	tfs_strvec_release(&names);
	if (rc)
		free(found);
	else
		*cpus = found;
	return rc;
}
