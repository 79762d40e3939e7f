/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracefs/link.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/own.h"
#include "base/strbuf-core.h"
#include "tracefs/file.h"

/* The part of the file's name that the link's name shows. */
#define NAME_SHOWN 40

bool tfs_link_needed(const char *path)
{
	/*
	 * To the kernel 0xa0 is a blank, which in UTF-8 is a part of letters. Other bytes that it
	 * accepts should not reach a terminal.
	 */
	for (; *path; path++)
		if ((unsigned char)*path <= ' ' || *path == '#' || *path == 0x7f ||
		    (unsigned char)*path == 0xa0)
			return true;
	return false;
}

int tfs_link_name(const char *dir, const char *path, char **out)
{
	const char *base = strrchr(path, '/');
	char shown[NAME_SHOWN + 1];
	size_t n = 0;

	if (!tfs_link_needed(path)) {
		*out = strdup(path);
		return *out ? 0 : -ENOMEM;
	}
	for (base = base ? base + 1 : path; *base && n < NAME_SHOWN; base++)
		shown[n++] = isalnum((unsigned char)*base) || *base == '.' ? *base : '_';
	shown[n] = '\0';
	if (asprintf(out, "%s/%016" PRIx64 "-%s", dir,
		     tfs_hash64(TFS_HASH64_INIT, path, strlen(path)), shown) < 0)
		return -ENOMEM;
	return 0;
}

/* A link does not identify a file in a directory where others can put links. */
static int check_dir(const char *dir, struct tfs_err *err)
{
	struct stat st;

	if (lstat(dir, &st))
		return tfs_err_set(err, -errno, "cannot look at '%s'", dir);
	if (!S_ISDIR(st.st_mode) || !tfs_is_own(&st)) {
		tfs_err_say(err, -EPERM, "cannot use '%s' for links: it is not ours alone", dir);
		tfs_err_hint(err, "it has to be a directory of user %u, with mode 0700",
			     (unsigned int)geteuid());
		return -EPERM;
	}
	return 0;
}

/* The directory that the link is in, and the one above that */
static int make_dirs(const char *link, struct tfs_err *err)
{
	const char *slash = strrchr(link, '/');
	char *dir = slash ? strndup(link, (size_t)(slash - link)) : NULL;
	int rc;

	if (!dir)
		return slash ? -ENOMEM : -EINVAL;
	rc = tfs_own_mkdir_both(dir);
	if (rc && rc != -ENOMEM && rc != -EINVAL)
		tfs_err_set(err, rc, "cannot make '%s'", dir);
	if (!rc)
		rc = check_dir(dir, err);
	free(dir);
	return rc;
}

/* The text of a link; yours, NULL with errno. */
static char *read_link(const char *link)
{
	char target[PATH_MAX];
	ssize_t n = readlink(link, target, sizeof(target));

	if (n < 0)
		return NULL;
	if ((size_t)n == sizeof(target)) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	return strndup(target, (size_t)n);
}

int tfs_link_make(const char *link, const char *target, struct tfs_err *err)
{
	char *there = NULL;
	int rc = make_dirs(link, err);

	if (rc)
		goto out;
	if (!symlink(target, link))
		goto out;
	if (errno != EEXIST) {
		rc = tfs_err_set(err, -errno, "cannot link '%s' to '%s'", link, target);
		goto out;
	}
	there = read_link(link);
	if (there && !strcmp(there, target))
		rc = 1;
	else
		rc = tfs_err_say(err, -EEXIST, "cannot link '%s' to '%s': it is something else",
				 link, target);
out:
	free(there);
	return rc == -ENOMEM ? tfs_err_set(err, rc, "cannot link '%s'", link) : rc;
}

int tfs_link_remove(const char *link, struct tfs_err *err)
{
	if (unlink(link) && errno != ENOENT)
		return tfs_err_set(err, -errno, "cannot remove the link '%s'", link);
	return 0;
}

/* PATH of "p:GROUP/EVENT PATH:0xOFFSET", which ends at the first blank */
static bool is_named(const char *lines, const char *link)
{
	size_t len = strlen(link);

	for (const char *p = lines; (p = strstr(p, link)) != NULL; p += len)
		if (p > lines && p[-1] == ' ' && p[len] == ':')
			return true;
	return false;
}

bool tfs_link_used(const struct tfs_root *root, const char *link)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	bool used = false;
	int rc = 0;

	/* The kernel shows a page at a time: when others delete meanwhile, lines can be missed. */
	for (int i = 0; i < 2 && !rc && !used; i++) {
		tfs_strbuf_reset(&sb);
		rc = tfs_file_read(root, "uprobe_events", &sb, NULL);
		used = rc ? rc != -ENOENT : is_named(sb.s, link);
	}
	tfs_strbuf_release(&sb);
	return used;
}

int tfs_link_release(const struct tfs_root *root, const char *link, struct tfs_err *err)
{
	return tfs_link_used(root, link) ? 0 : tfs_link_remove(link, err);
}

int tfs_link_target(const char *dir, const char *path, char **out)
{
	size_t len = strlen(dir);
	char *target;

	if (strncmp(path, dir, len) != 0 || path[len] != '/')
		return -ENOENT;
	target = read_link(path);
	if (!target)
		return errno == ENOMEM ? -ENOMEM : -ENOENT;
	*out = target;
	return 0;
}
