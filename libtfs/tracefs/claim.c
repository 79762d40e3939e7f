/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracefs/claim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>

#include "base/err.h"
#include "base/io.h"
#include "tracefs/busy.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracefs/root.h"

#define INSTANCES "instances"

static int open_dir(const struct tfs_root *root, const char *path)
{
	const int fd =
		openat(tfs_root_fd(root), path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int lock_dir(const struct tfs_root *root, const char *path, int flags)
{
	int fd = open_dir(root, path), rc;

	if (fd < 0)
		return -1;
	do
		rc = flock(fd, LOCK_EX | flags);
	while (rc && errno == EINTR);
	if (rc)
		tfs_close(&fd);
	return fd;
}

int tfs_claim_gate(const struct tfs_root *root, int flags)
{
	return lock_dir(root, INSTANCES, flags);
}

int tfs_claim_names(const struct tfs_root *root)
{
	return lock_dir(root, "events", 0);
}

static int say_busy(const struct tfs_root *root, const struct tfs_instance *inst,
		    struct tfs_err *err)
{
	if (!err)
		return -EBUSY;
	if (inst->name[0])
		tfs_err_say(err, -EBUSY,
			    "another program of tracecraft reads the ring buffer of '%s'",
			    inst->name);
	else
		tfs_err_say(err, -EBUSY,
			    "another program of tracecraft reads the ring buffer of the top level");
	tfs_busy_hint(root, inst->prefix,
		      "each would get a part of the events: wait for its end, or record into "
		      "another instance with -B NAME",
		      err);
	return -EBUSY;
}

int tfs_claim_inside(const struct tfs_root *root, const struct tfs_instance *inst, int *fd,
		     struct tfs_err *err)
{
	int dir = open_dir(root, inst->name[0] ? inst->prefix : ".");

	*fd = -1;
	if (dir == -ENOENT)
		return tfs_err_say(err, dir, "there is no instance '%s'", inst->name);
	/* Who may not look into it cannot see who reads it. */
	if (dir < 0)
		return 0;
	if (!flock(dir, LOCK_EX | LOCK_NB)) {
		*fd = dir;
		return 0;
	}
	if (errno == EWOULDBLOCK) {
		tfs_close(&dir);
		return say_busy(root, inst, err);
	}
	tfs_close(&dir);
	return 0;
}

int tfs_claim_take(const struct tfs_root *root, const struct tfs_instance *inst, int *fd,
		   struct tfs_err *err)
{
	int gate = tfs_claim_gate(root, 0);
	const int rc = tfs_claim_inside(root, inst, fd, err);

	tfs_close(&gate);
	return rc;
}

int tfs_claim_make(const struct tfs_root *root, const struct tfs_instance *inst, int *fd,
		   struct tfs_err *err)
{
	char path[sizeof(inst->prefix)];
	int gate = tfs_claim_gate(root, 0), rc;

	*fd = -1;
	snprintf(path, sizeof(path), INSTANCES "/%.*s", (int)sizeof(inst->name), inst->name);
	rc = tfs_file_mkdir(root, path, err);
	if (!rc)
		rc = tfs_claim_inside(root, inst, fd, err);
	tfs_close(&gate);
	return rc;
}
