/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/own.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool tfs_is_own(const struct stat *st)
{
	return st->st_uid == geteuid() && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

int tfs_own_mkdir(const char *dir)
{
	return mkdir(dir, 0700) && errno != EEXIST ? -errno : 0;
}

int tfs_own_mkdir_both(const char *dir)
{
	char *above = strdup(dir), *slash = above ? strrchr(above, '/') : NULL;
	int rc = slash ? 0 : above ? -EINVAL : -ENOMEM;

	if (!rc && slash > above) {
		*slash = '\0';
		rc = tfs_own_mkdir(above);
	}
	free(above);
	return rc ? rc : tfs_own_mkdir(dir);
}
