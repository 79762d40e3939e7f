/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracefs/root.h"

#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "tracefs/reason.h"

/* include/uapi/linux/magic.h */
#define TFS_TRACEFS_MAGIC 0x74726163

struct tfs_root {
	char *path;
	int fd;
};

static const char *const usual_places[] = {
	"/sys/kernel/tracing",
	/* debugfs mounts tracefs here by itself when someone looks */
	"/sys/kernel/debug/tracing",
};

static bool is_tracefs(const char *path)
{
	struct statfs sfs;

	return !statfs(path, &sfs) && sfs.f_type == TFS_TRACEFS_MAGIC;
}

/* The first tracefs that is mounted in another place than the usual ones (in a container). */
static int find_in_mounts(struct tfs_strbuf *out)
{
	struct mntent *ent, entry;
	char buf[4096];
	int rc = -ENOENT;
	FILE *f;

	f = setmntent("/proc/self/mounts", "re");
	if (!f)
		return -ENOENT;
	while (rc == -ENOENT && (ent = getmntent_r(f, &entry, buf, sizeof(buf)))) {
		if (!strcmp(ent->mnt_type, "tracefs") && is_tracefs(ent->mnt_dir))
			rc = tfs_strbuf_adds(out, ent->mnt_dir);
	}
	endmntent(f);
	return rc;
}

static int find_mount(struct tfs_strbuf *out)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(usual_places); i++) {
		if (is_tracefs(usual_places[i]))
			return tfs_strbuf_adds(out, usual_places[i]);
	}
	return find_in_mounts(out);
}

static int no_tracefs(struct tfs_err *err)
{
	tfs_err_say(err, -ENOENT, "no tracefs is mounted");
	tfs_err_hint(err, "as root: mount -t tracefs nodev /sys/kernel/tracing "
			  "(the kernel needs CONFIG_TRACING)");
	return -ENOENT;
}

/* A directory that cannot be listed is of no use: find out before anything is planned on it. */
static int open_dir(const char *path, int *fd, struct tfs_err *err)
{
	int probe, rc;

	probe = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (probe < 0) {
		rc = tfs_err_set(err, -errno, "cannot use tracefs at '%s'", path);
		if (rc != -ENOENT && rc != -ENOTDIR)
			tfs_reason_add(NULL, path, rc, err);
		return rc;
	}
	*fd = openat(probe, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	rc = *fd < 0 ? tfs_err_set(err, -errno, "cannot use tracefs at '%s'", path) : 0;
	tfs_close(&probe);
	return rc;
}

int tfs_root_open(const char *path, struct tfs_root **out, struct tfs_err *err)
{
	struct tfs_strbuf dir = TFS_STRBUF_INIT;
	struct tfs_root *root = NULL;
	int rc;

	if (!path)
		path = secure_getenv(TFS_ROOT_ENV);
	rc = path ? tfs_strbuf_adds(&dir, path) : find_mount(&dir);
	if (rc == -ENOENT) {
		rc = no_tracefs(err);
		goto out;
	}
	while (!rc && dir.len > 1 && dir.s[dir.len - 1] == '/')
		dir.s[--dir.len] = '\0';
	root = rc ? NULL : calloc(1, sizeof(*root));
	if (!root) {
		rc = tfs_err_set(err, -ENOMEM, "cannot open tracefs");
		goto out;
	}
	root->fd = -1;
	rc = open_dir(dir.s, &root->fd, err);
	if (rc)
		goto out;
	rc = tfs_strbuf_detach(&dir, &root->path);
	if (rc) {
		tfs_err_set(err, rc, "cannot open tracefs");
		goto out;
	}
	*out = root;
	root = NULL;
out:
	tfs_root_free(root);
	tfs_strbuf_release(&dir);
	return rc;
}

void tfs_root_free(struct tfs_root *root)
{
	if (!root)
		return;
	tfs_close(&root->fd);
	free(root->path);
	free(root);
}

const char *tfs_root_path(const struct tfs_root *root)
{
	return root->path;
}

int tfs_root_fd(const struct tfs_root *root)
{
	return root->fd;
}
