/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/dump-dir.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/array.h"
#include "base/err.h"
#include "base/io.h"

#define NSEC_PER_SEC 1000000000ULL
#define NSEC_PER_MSEC 1000000L

/* Follows the name; a digit for each 0 */
#define STAMP "-00000000T000000.000Z.dat"

int tfs_dump_dir_open(struct tfs_dump_dir *dir, const char *path, struct tfs_err *err)
{
	int rc;

	dir->path = path;
	dir->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir->fd < 0)
		return tfs_err_set(err, -errno, "cannot open the directory '%s'", path);
	do {
		rc = flock(dir->fd, LOCK_EX);
	} while (rc && errno == EINTR);
	if (!rc)
		return 0;
	rc = tfs_err_set(err, -errno, "cannot lock the directory '%s'", path);
	tfs_dump_dir_close(dir);
	return rc;
}

void tfs_dump_dir_close(struct tfs_dump_dir *dir)
{
	tfs_close(&dir->fd);
}

int tfs_dump_dir_room(const struct tfs_dump_dir *dir, uint64_t *bytes, struct tfs_err *err)
{
	struct statvfs st;

	if (fstatvfs(dir->fd, &st))
		return tfs_err_set(err, -errno, "cannot see how full '%s' is", dir->path);
	*bytes = (uint64_t)st.f_bavail * st.f_frsize;
	return 0;
}

int tfs_dump_file_name(const char *name, const struct timespec *now, char buf[TFS_DUMP_NAME_MAX])
{
	char stamp[32];
	struct tm tm;
	int n;

	if (!gmtime_r(&now->tv_sec, &tm) || tm.tm_year < 0 || tm.tm_year > 9999 - 1900 ||
	    !strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%S", &tm))
		return -ERANGE;
	n = snprintf(buf, TFS_DUMP_NAME_MAX, "%s-%s.%03ldZ.dat", name, stamp,
		     now->tv_nsec / NSEC_PER_MSEC);
	return n < 0 || n >= TFS_DUMP_NAME_MAX ? -ERANGE : 0;
}

/* The text after the stamp: "" for a dump, ".part" and so on for a part of one; NULL: neither */
static const char *after_stamp(const char *file, const char *name)
{
	size_t len = strlen(name);
	const char *p = file + len;

	if (strncmp(file, name, len) != 0)
		return NULL;
	for (const char *want = STAMP; *want; want++, p++) {
		if (*want == '0' ? !isdigit((unsigned char)*p) : *p != *want)
			return NULL;
	}
	return p;
}

/*
 * struct dump - a file in the directory
 * @part: of a dump that was killed
 */
struct dump {
	char name[TFS_DUMP_NAME_MAX];
	struct timespec changed;
	uint64_t bytes;
	bool part;
};

struct dump_list {
	struct dump *v;
	size_t n;
	uint64_t bytes;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct dump *)a)->name, ((const struct dump *)b)->name);
}

static int add(struct dump_list *list, const struct tfs_dump_dir *dir, const char *file,
	       const char *rest)
{
	struct dump *d;
	struct stat st;

	if (strlen(file) >= TFS_DUMP_NAME_MAX || fstatat(dir->fd, file, &st, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISREG(st.st_mode))
		return 0;
	if (tfs_grow_one(&list->v, list->n))
		return -ENOMEM;
	d = &list->v[list->n++];
	memset(d, 0, sizeof(*d));
	memcpy(d->name, file, strlen(file) + 1);
	d->changed = st.st_mtim;
	d->bytes = (uint64_t)st.st_size;
	d->part = *rest;
	list->bytes += d->bytes;
	return 0;
}

static int read_list(const struct tfs_dump_dir *dir, const char *name, struct dump_list *list,
		     struct tfs_err *err)
{
	int fd = openat(dir->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	const char *rest;
	struct dirent *e;
	int rc = 0;

	memset(list, 0, sizeof(*list));
	if (!stream) {
		rc = tfs_err_set(err, -errno, "cannot list the directory '%s'", dir->path);
		tfs_close(&fd);
		return rc;
	}
	while (!rc && (e = readdir(stream))) {
		rest = after_stamp(e->d_name, name);
		if (rest && (!*rest || !strncmp(rest, ".part", 5)))
			rc = add(list, dir, e->d_name, rest);
	}
	closedir(stream);
	if (list->n)
		qsort(list->v, list->n, sizeof(*list->v), by_name);
	return rc ? tfs_err_set(err, rc, "cannot list the directory '%s'", dir->path) : 0;
}

static int remove_file(const struct tfs_dump_dir *dir, const struct dump *d, struct tfs_err *err)
{
	if (unlinkat(dir->fd, d->name, 0) && errno != ENOENT)
		return tfs_err_set(err, -errno, "cannot remove '%s/%s'", dir->path, d->name);
	return 0;
}

static bool is_old(const struct dump *d, const struct timespec *now, uint64_t age_ns)
{
	int64_t age;

	if (!age_ns || d->changed.tv_sec > now->tv_sec)
		return false;
	if (now->tv_sec - d->changed.tv_sec > (time_t)(INT64_MAX / NSEC_PER_SEC - 1))
		return true;
	age = (now->tv_sec - d->changed.tv_sec) * (int64_t)NSEC_PER_SEC + now->tv_nsec -
	      d->changed.tv_nsec;
	return age > 0 && (uint64_t)age > age_ns;
}

/*
 * struct cleaning - one run of tfs_dump_dir_clean()
 * @failed: the first -errno
 */
struct cleaning {
	const struct tfs_dump_dir *dir;
	const struct tfs_dump_limits *limits;
	const struct timespec *now;
	const char *keep;
	int removed, failed;
};

static bool has_to_go(const struct cleaning *c, const struct dump_list *list, const struct dump *d)
{
	if (c->keep && !strcmp(d->name, c->keep))
		return false;
	return d->part || (c->limits->bytes && list->bytes > c->limits->bytes) ||
	       is_old(d, c->now, c->limits->age_ns);
}

/* Either parts or dumps */
static void remove_kind(struct cleaning *c, struct dump_list *list, bool part, struct tfs_err *err)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct dump *d = &list->v[i];
		int rc;

		if (d->part != part || !has_to_go(c, list, d))
			continue;
		rc = remove_file(c->dir, d, c->failed ? NULL : err);
		if (rc) {
			c->failed = c->failed ? c->failed : rc;
			continue;
		}
		list->bytes -= d->bytes;
		c->removed++;
	}
}

int tfs_dump_dir_clean(const struct tfs_dump_dir *dir, const char *name,
		       const struct tfs_dump_limits *limits, const struct timespec *now,
		       const char *keep, struct tfs_err *err)
{
	struct cleaning c = { .dir = dir, .limits = limits, .now = now, .keep = keep };
	struct dump_list list;
	int rc = read_list(dir, name, &list, err);

	/* parts first, so that no dump has to go for them */
	if (!rc) {
		remove_kind(&c, &list, true, err);
		remove_kind(&c, &list, false, err);
		rc = c.failed;
	}
	free(list.v);
	return rc ? rc : c.removed;
}

int tfs_dump_dir_remove_oldest(const struct tfs_dump_dir *dir, const char *name,
			       struct tfs_err *err)
{
	struct dump_list list;
	int rc = read_list(dir, name, &list, err);

	if (!rc && list.n)
		rc = remove_file(dir, &list.v[0], err);
	if (!rc)
		rc = list.n > 0;
	free(list.v);
	return rc;
}
