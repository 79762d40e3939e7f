/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decode/plugin-dirs.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <event-parse.h>

#include "base/macros.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"

/* Where libtraceevent looks, by what is in the environment. */
static const struct {
	const char *name, *below;
} variables[] = {
	{ "TRACEEVENT_PLUGIN_DIR", "" },
	{ "HOME", "/.local/lib/traceevent/plugins" },
};

#define N_VARIABLES (ARRAY_SIZE(variables))

static bool is_roots(const char *path, bool last)
{
	struct stat st;

	if (lstat(path, &st) || st.st_uid)
		return false;
	/* Only the owner of a link counts; its target is checked as well. */
	if (S_ISLNK(st.st_mode))
		return true;
	if (!last && S_ISDIR(st.st_mode) && (st.st_mode & S_ISVTX))
		return true;
	return !(st.st_mode & S_IWOTH) && (!(st.st_mode & S_IWGRP) || !st.st_gid);
}

/* @path and all above it. 1, 0 with the first that is not in @bad, -ENOMEM */
static int is_chain_roots(const char *path, struct tfs_strbuf *bad)
{
	size_t len = strlen(path), end;
	int rc;

	for (end = 1; end <= len; end++) {
		if (end < len && path[end] != '/')
			continue;
		tfs_strbuf_reset(bad);
		rc = tfs_strbuf_add(bad, path, end);
		if (rc)
			return rc;
		if (!is_roots(bad->s, end == len))
			return 0;
	}
	return is_roots("/", false);
}

/* As it is written, and where that leads to; what cannot be found does no harm. */
static int is_trusted(const char *path, struct tfs_strbuf *bad)
{
	char *real = realpath(path, NULL);
	int rc = 1;

	if (!real)
		return errno == ENOMEM ? -ENOMEM : 1;
	if (*path == '/')
		rc = is_chain_roots(path, bad);
	if (rc > 0)
		rc = is_chain_roots(real, bad);
	free(real);
	return rc;
}

/* The directory and the files in it. */
static int is_dir_trusted(const char *path, struct tfs_strbuf *bad)
{
	DIR *dir = opendir(path);
	struct tfs_strbuf file = TFS_STRBUF_INIT;
	const struct dirent *entry;
	int rc = dir ? is_trusted(path, bad) : 1;

	while (rc > 0 && dir && (entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		tfs_strbuf_reset(&file);
		rc = tfs_strbuf_addf(&file, "%s/%s", path, entry->d_name);
		if (!rc)
			rc = is_trusted(file.s, bad);
	}
	if (dir)
		closedir(dir);
	tfs_strbuf_release(&file);
	return rc;
}

/* 1 when nothing is to be loaded from there: @reasons, unless it is NULL, says why. 0, -ENOMEM */
static int is_refused(size_t i, struct tfs_strvec *reasons)
{
	const char *value = getenv(variables[i].name);
	struct tfs_strbuf path = TFS_STRBUF_INIT, bad = TFS_STRBUF_INIT;
	bool refused;
	int rc;

	if (geteuid() || !value)
		return 0;
	rc = tfs_strbuf_addf(&path, "%s%s", value, variables[i].below);
	if (!rc)
		rc = is_dir_trusted(path.s, &bad);
	refused = !rc;
	if (refused && reasons)
		rc = tfs_strvec_pushf(reasons, "'%s': '%s' is not root's alone", path.s, bad.s);
	tfs_strbuf_release(&path);
	tfs_strbuf_release(&bad);
	return rc < 0 ? rc : refused;
}

int tfs_plugin_dirs_refused(struct tfs_strvec *reasons)
{
	size_t i;
	int rc = 0;

	for (i = 0; i < N_VARIABLES && rc >= 0; i++)
		rc = is_refused(i, reasons);
	return rc < 0 ? rc : 0;
}

int tfs_plugin_dirs_load(struct tep_handle *tep, struct tep_plugin_list **out)
{
	char *saved[N_VARIABLES] = { NULL };
	const char *value;
	size_t i;
	int rc = 0;

	*out = NULL;
	for (i = 0; i < N_VARIABLES && rc >= 0; i++) {
		rc = is_refused(i, NULL);
		if (rc <= 0)
			continue;
		value = getenv(variables[i].name);
		saved[i] = value ? strdup(value) : NULL;
		if (saved[i])
			unsetenv(variables[i].name);
		else
			rc = -ENOMEM;
	}
	if (rc >= 0)
		*out = tep_load_plugins(tep);
	for (i = 0; i < N_VARIABLES; i++) {
		if (saved[i] && setenv(variables[i].name, saved[i], 1) && rc >= 0)
			rc = -ENOMEM;
		free(saved[i]);
	}
	if (rc < 0 && *out) {
		tep_unload_plugins(*out, tep);
		*out = NULL;
	}
	return rc < 0 ? rc : 0;
}
