/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/dso-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/io.h"
#include "base/macros.h"
#include "base/open-in.h"
#include "dso/dso.h"

/* Where programs are in most systems. */
static const char *const program_dirs[] = {
	"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin",
};

#define PROGRAM_DIRS (ARRAY_SIZE(program_dirs))

/* The @i-th directory of programs, then of libraries; NULL after the last one. */
static const char *dir_at(size_t i)
{
	return i < PROGRAM_DIRS ? program_dirs[i] : tfs_dso_library_dir(i - PROGRAM_DIRS);
}

/*
 * libc.so.6; libc.so and libc of it; c. How far @base is from what was typed, -1 if it is
 * another.
 */
static int likeness(const char *base, const char *name)
{
	size_t len = strlen(name);

	if (!strncmp(base, name, len)) {
		if (!base[len] || !strcmp(base + len, TFS_DSO_DELETED))
			return 0;
		if (base[len] == '.' && strstr(base, ".so"))
			return 1;
	}
	return !strncmp(base, "lib", 3) && !strncmp(base + 3, name, len) &&
			       !strncmp(base + 3 + len, ".so", 3) ?
		       2 :
		       -1;
}

/* The path in a line of maps, NULL if that is not a file: [anon:NAME] may hold any name. */
static char *mapped_path(char *line, uint64_t *from, uint64_t *to)
{
	int path = 0;

	line[strcspn(line, "\n")] = '\0';
	/* permissions, offset, device and inode */
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %*s %n", from, to, &path) != 2)
		return NULL;
	return path && line[path] == '/' ? line + path : NULL;
}

int tfs_dso_pick_mapped(FILE *maps, const char *name, uint64_t *from, uint64_t *to)
{
	char *line = NULL, *path;
	uint64_t start, end;
	size_t cap = 0;
	int best = -1;

	while (best != 0 && getline(&line, &cap, maps) > 0) {
		int like;

		path = mapped_path(line, &start, &end);
		like = path ? likeness(strrchr(path, '/') + 1, name) : -1;
		if (like < 0 || (best >= 0 && like >= best))
			continue;
		*from = start;
		*to = end;
		best = like;
	}
	free(line);
	return best < 0 ? -ENOENT : 0;
}

int tfs_dso_pick_replaced(FILE *maps, const char *path, uint64_t *from, uint64_t *to)
{
	char *line = NULL, *mapped;
	size_t cap = 0, len = strlen(path);
	uint64_t start, end;
	int rc = -ENOENT;
	bool now = false;

	while (!now && getline(&line, &cap, maps) > 0) {
		mapped = mapped_path(line, &start, &end);
		if (!mapped || strncmp(mapped, path, len) != 0)
			continue;
		now = !mapped[len];
		if (rc && !strcmp(mapped + len, TFS_DSO_DELETED)) {
			*from = start;
			*to = end;
			rc = 0;
		}
	}
	free(line);
	return now ? -ENOENT : rc;
}

typedef int pick_func(FILE *maps, const char *name, uint64_t *from, uint64_t *to);

/* The mapping of a process that @pick finds; *@out: its link /proc/PID/map_files/FROM-TO */
static int find_mapping(int pid, pick_func *pick, const char *name, char **out)
{
	uint64_t from, to;
	char path[32];
	FILE *maps;
	int rc;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "re");
	if (!maps)
		return -ENOENT;
	rc = pick(maps, name, &from, &to);
	fclose(maps);
	if (!rc && asprintf(out, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid, from, to) < 0)
		rc = -ENOMEM;
	return rc;
}

int tfs_dso_find_below(const char *root, const char *name, char **out)
{
	char *path = NULL;
	int fd, found = -ENOENT, rc;
	const char *dir;

	rc = tfs_open_root(root, &fd);
	for (size_t i = 0; !rc && found < 0 && (dir = dir_at(i)); i++) {
		free(path);
		if (asprintf(&path, "%s/%s", dir, name) < 0) {
			path = NULL;
			rc = -ENOMEM;
			break;
		}
		found = tfs_open_in(fd, path, TFS_NO_LIMIT);
	}
	if (!rc && found < 0)
		rc = -ENOENT;
	if (!rc && asprintf(out, "%s%s", root, path) < 0)
		rc = -ENOMEM;
	if (found >= 0)
		tfs_close(&found);
	tfs_close(&fd);
	free(path);
	return rc;
}

/* The path of a file below the root of a process, without links; NULL if there is none. */
static char *real_path(int pid, const char *name)
{
	char root[32], *text = NULL;
	int fd, found = -1;

	snprintf(root, sizeof(root), "/proc/%d/root", pid);
	if (tfs_open_root(root, &fd))
		return NULL;
	found = tfs_open_path_in(fd, name);
	if (found >= 0)
		text = tfs_dso_link_text(found);
	tfs_close(&found);
	tfs_close(&fd);
	return text;
}

/*
 * A path as the process sees it, which may go through links. A process goes on with the file that
 * it began with, though an update put another in its place: then the mapping is meant.
 */
static int find_path(int pid, const char *name, char **out)
{
	char *real;
	int rc = find_mapping(pid, tfs_dso_pick_replaced, name, out);

	if (rc != -ENOENT)
		return rc;
	real = real_path(pid, name);
	if (real && strcmp(real, name) != 0)
		rc = find_mapping(pid, tfs_dso_pick_replaced, real, out);
	free(real);
	if (rc != -ENOENT)
		return rc;
	return asprintf(out, "/proc/%d/root/%s", pid, name + (*name == '/')) < 0 ? -ENOMEM : 0;
}

int tfs_dso_find_in_process(int pid, const char *name, char **out, struct tfs_err *err)
{
	char root[32], *found = NULL;
	int rc = 0;

	if (!name)
		rc = asprintf(&found, "/proc/%d/exe", pid) < 0 ? -ENOMEM : 0;
	else if (strchr(name, '/'))
		rc = find_path(pid, name, &found);
	else
		rc = find_mapping(pid, tfs_dso_pick_mapped, name, &found);
	if (rc == -ENOENT) {
		snprintf(root, sizeof(root), "/proc/%d/root", pid);
		rc = tfs_dso_find_below(root, name, &found);
	}
	if (rc == -ENOENT) {
		tfs_err_say(err, rc,
			    "cannot find '%s': process %d has not mapped it, and none of its "
			    "directories of programs and libraries has it",
			    name, pid);
		tfs_err_hint(err, "give its path, as the process sees it");
		return rc;
	}
	if (rc)
		return tfs_err_set(err, rc, "cannot look for '%s' in process %d",
				   name ? name : "exe", pid);
	*out = found;
	return 0;
}
