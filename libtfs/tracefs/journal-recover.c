/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracefs/journal-internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/err.h"
#include "base/io.h"
#include "base/num.h"
#include "base/own.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "tracefs/busy.h"
#include "tracefs/instance.h"
#include "tracefs/link.h"
#include "tracefs/root.h"

/* More than any recording has to take back; keeps a hostile file from filling memory. */
#define MAX_JOURNAL_BYTES (4 << 20)

#define INSTANCE_DIR "instances/"
#define LINK_DIR TFS_LINK_DIR "/"
#define SYSCTL_DIR "/proc/sys/kernel/"

/*
 * struct journal_file - one file of the directory while it is dealt with
 * @read_only: what is taken back cannot be struck out, nor the file removed
 * @text: what it holds, cut into lines as far as @pos
 */
struct journal_file {
	const struct tfs_journal_place *place;
	const char *name;
	int fd;
	bool read_only;
	struct tfs_strbuf text;
	size_t pos;
};

/* The next complete line, its newline cut off, and its offset; NULL at the end. */
static char *next_line(struct journal_file *f, size_t *off)
{
	char *line = f->text.s + f->pos;
	char *end = memchr(line, '\n', f->text.len - f->pos);

	if (!end)
		return NULL;
	*end = '\0';
	*off = f->pos;
	f->pos = (size_t)(end - f->text.s) + 1;
	return line;
}

/* Undo the escapes of one field in place. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (*s == '\\' && s[1]) {
			s++;
			*to++ = *s == 't' ? '\t' : *s == 'n' ? '\n' : *s;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

/* Cut @line at its tabs; the number of fields found, at most @max (the last takes what is left). */
static size_t split(char *line, char **field, size_t max)
{
	size_t n = 0;
	char *tab;

	while (line && n < max) {
		tab = n + 1 < max ? strchr(line, '\t') : NULL;
		if (tab)
			*tab++ = '\0';
		field[n++] = line;
		line = tab;
	}
	return n;
}

static int bad_journal(const struct journal_file *f, const char *why, struct tfs_err *err)
{
	tfs_err_say(err, -EBADMSG, "'%s/%s' is not a journal that this version reads: %s",
		    f->place->dir, f->name, why);
	tfs_err_hint(err, "look at it and remove it");
	return -EBADMSG;
}

static int read_head_line(struct journal_file *f, const char *tag, char **field, size_t n)
{
	char *line;
	size_t off;

	line = next_line(f, &off);
	if (!line || split(line, field, n) != n || strcmp(field[0], tag) != 0)
		return -EBADMSG;
	return 0;
}

enum verdict { LEAVE, OUTDATED, ORPHANED };

/* Is the process that wrote "owner PID START" still there? */
static bool owner_lives(uint64_t pid, uint64_t start)
{
	uint64_t now;

	return !tfs_journal_start_time((long)pid, &now) && now == start;
}

static bool same_boot(const char *id)
{
	struct tfs_strbuf now = TFS_STRBUF_INIT;
	bool same;

	same = !tfs_journal_boot_id(&now) && !strcmp(now.s, id);
	tfs_strbuf_release(&now);
	return same;
}

/* Read the head: whose is it, and is it about this tracefs? */
static int read_head(struct journal_file *f, enum verdict *verdict, struct tfs_err *err)
{
	char *magic[2], *owner[3], *boot[2], *root[4];
	uint64_t pid, start, dev, ino;
	struct stat st;

	if (read_head_line(f, "tracecraft-journal", magic, 2) || strcmp(magic[1], "1") != 0)
		return bad_journal(f, "its first line is another", err);
	if (read_head_line(f, "owner", owner, 3) ||
	    tfs_parse_u64(owner[1], 1, INT32_MAX, &pid, NULL) ||
	    tfs_parse_u64(owner[2], 0, UINT64_MAX, &start, NULL))
		return bad_journal(f, "it does not say whose it is", err);
	if (read_head_line(f, "boot", boot, 2) || read_head_line(f, "root", root, 4) ||
	    tfs_parse_u64(root[1], 0, UINT64_MAX, &dev, NULL) ||
	    tfs_parse_u64(root[2], 0, UINT64_MAX, &ino, NULL))
		return bad_journal(f, "it does not say what it is about", err);

	*verdict = LEAVE;
	if (!same_boot(boot[1]))
		*verdict = OUTDATED;
	else if ((f->place->kept || !owner_lives(pid, start)) &&
		 !fstat(tfs_root_fd(f->place->root), &st) && st.st_dev == dev && st.st_ino == ino)
		*verdict = ORPHANED;
	return 0;
}

/* No "..", no ".", no empty part. */
static bool plain_path(const char *path)
{
	size_t len;

	for (;;) {
		len = strcspn(path, "/");
		if (!len || (len == 1 && path[0] == '.') ||
		    (len == 2 && path[0] == '.' && path[1] == '.'))
			return false;
		if (!path[len])
			return true;
		path += len + 1;
	}
}

static bool may_remove(const struct tfs_instance *kept, const char *path)
{
	const char *name;

	if (!plain_path(path) || strncmp(path, INSTANCE_DIR, strlen(INSTANCE_DIR)) != 0)
		return false;
	name = path + strlen(INSTANCE_DIR);
	if (strchr(name, '/'))
		return false;
	return kept ? !strcmp(name, kept->name) : name[0] != '\0';
}

static bool may_unlink(const char *path)
{
	return !strncmp(path, LINK_DIR, strlen(LINK_DIR)) && plain_path(path + 1) &&
	       !strchr(path + strlen(LINK_DIR), '/');
}

static bool may_write(const char *path)
{
	if (path[0] != '/')
		return plain_path(path);
	return !strncmp(path, SYSCTL_DIR, strlen(SYSCTL_DIR)) && plain_path(path + 1);
}

/* Open the directory that holds @path's last part, part by part and without following links. */
static int open_parent(const struct tfs_root *root, const char *path, const char **last)
{
	char part[NAME_MAX + 1];
	int fd, next;
	size_t len;

	if (path[0] == '/') {
		fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
		path++;
	} else {
		fd = openat(tfs_root_fd(root), ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	}
	while (fd >= 0 && strchr(path, '/')) {
		len = strcspn(path, "/");
		if (len > NAME_MAX) {
			tfs_close(&fd);
			return -ENAMETOOLONG;
		}
		memcpy(part, path, len);
		part[len] = '\0';
		next = openat(fd, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (next < 0) {
			next = -errno;
			tfs_close(&fd);
			return next;
		}
		tfs_close(&fd);
		fd = next;
		path += len + 1;
	}
	*last = path;
	return fd < 0 ? -errno : fd;
}

static int write_back(int parent, const char *name, int mode_flag, const char *text)
{
	struct stat st;
	int fd, rc;

	fd = openat(parent, name,
		    O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | mode_flag);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		rc = -EINVAL;
	else
		rc = tfs_fd_write_lines(fd, text);
	tfs_close(&fd);
	return rc;
}

static int remove_link(int parent, const char *name)
{
	struct stat st;

	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW))
		return -errno;
	if (!S_ISLNK(st.st_mode))
		return -EINVAL;
	return unlinkat(parent, name, 0) ? -errno : 0;
}

static bool may_undo(const struct tfs_instance *kept, const char *op, const char *path)
{
	if (!strcmp(op, "rmdir"))
		return may_remove(kept, path);
	if (!strcmp(op, "unlink"))
		return may_unlink(path);
	return (!strcmp(op, "write") || !strcmp(op, "append")) && may_write(path);
}

/* Undo one action; -EINVAL for one that is not to be trusted. */
static int undo(const struct tfs_journal_place *place, const char *op, const char *path,
		const char *text)
{
	const struct tfs_root *root = place->root;
	const char *last = "";
	int parent, rc;

	if (!may_undo(place->kept, op, path))
		return -EINVAL;
	if (!strcmp(op, "unlink") && tfs_link_used(root, path))
		return 0;
	parent = open_parent(root, path, &last);
	if (parent < 0)
		return parent;
	if (!strcmp(op, "rmdir"))
		rc = unlinkat(parent, last, AT_REMOVEDIR) ? -errno : 0;
	else if (!strcmp(op, "unlink"))
		rc = remove_link(parent, last);
	else
		rc = write_back(parent, last, strcmp(op, "write") ? O_APPEND : O_TRUNC, text);
	tfs_close(&parent);
	return rc;
}

/* Will it work another time? All else is reported once and then forgotten. */
static bool worth_another_try(int rc)
{
	switch (-rc) {
	case EBUSY:
	case EACCES:
	case EPERM:
	case EROFS:
	case ENOMEM:
	case EMFILE:
	case ENFILE:
		return true;
	default:
		return false;
	}
}

static void describe(const struct journal_file *f, const char *op, const char *path, int rc,
		     struct tfs_err *err)
{
	const char *root = path[0] == '/' ? "" : tfs_root_path(f->place->root);
	const char *slash = path[0] == '/' ? "" : "/";
	struct tfs_strbuf who = TFS_STRBUF_INIT;

	if (rc == -EINVAL) {
		tfs_err_say(err, rc,
			    "a journal asks for what no journal may ask (%s '%s'): "
			    "not done",
			    op, path);
		return;
	}
	tfs_err_set(err, rc, "cannot take back what %s (%s '%s%s%s')",
		    f->place->kept ? "was set up" : "an earlier program left", op, root, slash,
		    path);
	if (rc == -EBUSY && tfs_busy_holders(f->place->root, path, &who))
		tfs_strbuf_reset(&who);
	if (rc == -EBUSY)
		tfs_err_hint(err, "a file of it is open in %s; %s tries again",
			     who.len ? who.s : "a process",
			     f->place->kept ? "another reset" : "the next start");
	tfs_strbuf_release(&who);
}

/* Undo one line; returns its failure, and whether the line is to be kept for another time. */
static int undo_line(const struct journal_file *f, char *line, size_t off, bool *keep,
		     struct tfs_err *err)
{
	const char struck = TFS_JOURNAL_STRUCK;
	char none[] = "";
	char *field[3] = { none, none, none };
	struct tfs_err why = TFS_ERR_INIT;
	int rc;

	if (split(line + 1, field, 3) < 2)
		return 0;
	unescape(field[1]);
	unescape(field[2]);
	do {
		rc = undo(f->place, field[0], field[1], field[2]);
	} while (tfs_busy_again(f->place->busy, rc));
	if (rc == -ENOENT)
		rc = 0;
	if (worth_another_try(rc) || tfs_pwrite_all(f->fd, &struck, 1, (off_t)off))
		*keep = true;
	if (rc)
		describe(f, field[0], field[1], rc, &why);
	if (rc && err)
		*err = why;
	return rc;
}

/* Undo what is pending, last first, and remove the file if nothing is left of it. */
static int undo_all(struct journal_file *f, struct tfs_err *err)
{
	size_t *offs = NULL, n = 0, cap = 0, off;
	struct tfs_err why = TFS_ERR_INIT;
	bool keep = false;
	int rc = 0, one;
	char *line;

	while ((line = next_line(f, &off))) {
		if (line[0] != TFS_JOURNAL_PENDING)
			continue;
		if (tfs_grow(&offs, &cap, n + 1)) {
			free(offs);
			return tfs_err_set(err, -ENOMEM, "cannot read '%s'", f->name);
		}
		offs[n++] = off;
	}
	while (n-- > 0) {
		one = undo_line(f, f->text.s + offs[n], offs[n], &keep, rc ? NULL : &why);
		rc = rc ? rc : one;
	}
	if (!keep)
		unlinkat(f->place->fd, f->name, 0);
	if (rc && err)
		*err = why;
	free(offs);
	return rc;
}

/* Open @f->name if it is what a journal has to be; 0 and fd -1 if it is not ours to touch. */
static int open_journal(struct journal_file *f, struct tfs_err *err)
{
	struct stat st;
	const int flags = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	int fd, rc;

	fd = openat(f->place->fd, f->name, O_RDWR | flags);
	f->read_only = fd < 0 && errno == EROFS;
	if (f->read_only)
		fd = openat(f->place->fd, f->name, O_RDONLY | flags);
	if (fd < 0)
		return 0;
	/* Locked: its owner lives, or another program is at it. Gone: that one has done it. */
	if (flock(fd, LOCK_EX | LOCK_NB) || fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    st.st_nlink != 1 || !tfs_is_own(&st)) {
		tfs_close(&fd);
		return 0;
	}
	f->fd = fd;
	if (st.st_size > MAX_JOURNAL_BYTES)
		return bad_journal(f, "it is too long", err);
	rc = tfs_read_fd(fd, &f->text);
	if (rc)
		return tfs_err_set(err, rc, "cannot read '%s/%s'", f->place->dir, f->name);
	return memchr(f->text.s, '\0', f->text.len) ? bad_journal(f, "it holds a NUL", err) : 0;
}

/* Deal with an open file; *@done if it was an orphan's. */
static int undo_file(struct journal_file *f, bool *done, struct tfs_err *err)
{
	enum verdict verdict = LEAVE;
	int rc;

	rc = read_head(f, &verdict, err);
	if (rc || verdict == LEAVE)
		return rc;
	/* Kept settings may be undone twice; those of a killed program only once. */
	if (verdict == ORPHANED && f->read_only && !f->place->kept) {
		tfs_err_say(err, -EROFS,
			    "cannot take back what an earlier program left: '%s' is read-only",
			    f->place->dir);
		tfs_err_hint(err, "make it writable: mount -o remount,rw");
		return -EROFS;
	}
	*done = true;
	if (verdict == ORPHANED)
		return undo_all(f, err);
	unlinkat(f->place->fd, f->name, 0);
	return 0;
}

int tfs_journal_undo_file(const struct tfs_journal_place *place, const char *name, bool *done,
			  struct tfs_err *err)
{
	struct journal_file f = {
		.place = place,
		.name = name,
		.fd = -1,
		.text = TFS_STRBUF_INIT,
	};
	int rc = open_journal(&f, err);

	if (!rc && f.fd >= 0)
		rc = undo_file(&f, done, err);
	tfs_close(&f.fd);
	tfs_strbuf_release(&f.text);
	return rc;
}

/* The names are collected first: files are removed on the way. */
int tfs_journal_names(int dir_fd, struct tfs_strvec *names)
{
	struct dirent *ent;
	int fd, rc = 0;
	DIR *dir;

	fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		rc = -errno;
		tfs_close(&fd);
		return rc;
	}
	while (!rc && (ent = readdir(dir))) {
		if (ent->d_name[0] != '.' && ent->d_type != DT_DIR)
			rc = tfs_strvec_push(names, ent->d_name);
	}
	closedir(dir);
	tfs_strvec_sort(names);
	return rc;
}

int tfs_journal_recover(const char *dir, const struct tfs_root *root, unsigned int flags,
			size_t *count, struct tfs_err *err)
{
	struct tfs_busy busy = { .left_ms = flags & TFS_JOURNAL_WAIT ? TFS_BUSY_WAIT_MS : 0 };
	struct tfs_journal_place place = { .dir = dir, .root = root, .busy = &busy };
	struct tfs_strvec names = TFS_STRVEC_INIT;
	int rc, one;
	size_t i;

	if (count)
		*count = 0;
	place.fd = tfs_journal_open_dir(dir, err);
	if (place.fd == -ENOENT) {
		tfs_err_clear(err);
		return 0;
	}
	if (place.fd < 0)
		return place.fd;
	rc = tfs_journal_names(place.fd, &names);
	if (rc)
		tfs_err_set(err, rc, "cannot list '%s'", dir);
	for (i = 0; i < names.n; i++) {
		bool done = false;

		one = tfs_journal_undo_file(&place, names.v[i], &done, rc ? NULL : err);
		rc = rc ? rc : one;
		if (count)
			*count += done && !one;
	}
	tfs_strvec_release(&names);
	tfs_close(&place.fd);
	return rc;
}
