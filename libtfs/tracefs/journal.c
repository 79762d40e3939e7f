/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracefs/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/err.h"
#include "base/io.h"
#include "base/own.h"
#include "base/strbuf.h"
#include "tracefs/journal-internal.h"
#include "tracefs/root.h"

/* Stale files of our own PID that could not be dealt with: more are not believable. */
#define MAX_NEIGHBOURS 16

/*
 * @entries: where each action's line begins
 * @end: where the next line goes
 */
struct tfs_journal {
	int dir;
	int fd;
	char *name;
	off_t *entries;
	size_t n, cap, struck;
	off_t end;
};

int tfs_journal_start_time(long pid, uint64_t *start)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	char path[64];
	const char *p;
	int field, rc;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	rc = tfs_read_path(path, &sb);
	if (rc) {
		/* A process that cannot be looked at may be there. */
		rc = rc == -EMFILE || rc == -ENFILE || rc == -ENOMEM ? rc : -ESRCH;
		goto out;
	}
	/* The second field is a name that may hold spaces and parentheses: count from its end. */
	p = strrchr(sb.s, ')');
	for (field = 2; p && field < 22; field++) {
		p = strchr(p, ' ');
		p = p ? p + 1 : NULL;
	}
	if (!p || sscanf(p, "%" SCNu64, start) != 1)
		rc = -EBADMSG;
out:
	tfs_strbuf_release(&sb);
	return rc;
}

int tfs_journal_boot_id(struct tfs_strbuf *sb)
{
	int rc = tfs_read_path(TFS_JOURNAL_BOOT_ID, sb);

	tfs_strbuf_rtrim(sb);
	return rc;
}

int tfs_journal_open_dir(const char *dir, struct tfs_err *err)
{
	struct stat st;
	int fd;

	fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return tfs_err_set(err, -errno, "cannot open '%s'", dir);
	if (fstat(fd, &st) || !tfs_is_own(&st)) {
		tfs_close(&fd);
		tfs_err_say(err, -EPERM, "'%s' belongs to another user, or others may write to it",
			    dir);
		tfs_err_hint(err, "nothing in it is trusted; remove it if nobody needs it");
		return -EPERM;
	}
	return fd;
}

static int add_field(struct tfs_strbuf *sb, const char *s)
{
	int rc;

	rc = tfs_strbuf_addc(sb, '\t');
	for (; !rc && *s; s++) {
		if (*s == '\\')
			rc = tfs_strbuf_adds(sb, "\\\\");
		else if (*s == '\t')
			rc = tfs_strbuf_adds(sb, "\\t");
		else if (*s == '\n')
			rc = tfs_strbuf_adds(sb, "\\n");
		else
			rc = tfs_strbuf_addc(sb, *s);
	}
	return rc;
}

static int write_head(struct tfs_journal *j, uint64_t start, const struct tfs_root *root)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT, boot = TFS_STRBUF_INIT;
	struct stat st;
	int rc;

	rc = tfs_journal_boot_id(&boot);
	if (!rc && fstat(tfs_root_fd(root), &st))
		rc = -errno;
	if (!rc)
		rc = tfs_strbuf_addf(&sb,
				     TFS_JOURNAL_MAGIC "\nowner\t%ld\t%" PRIu64 "\nboot\t%s\n"
						       "root\t%" PRIu64 "\t%" PRIu64,
				     (long)getpid(), start, boot.s, (uint64_t)st.st_dev,
				     (uint64_t)st.st_ino);
	if (!rc)
		rc = add_field(&sb, tfs_root_path(root));
	if (!rc)
		rc = tfs_strbuf_addc(&sb, '\n');
	if (!rc)
		rc = tfs_pwrite_all(j->fd, sb.s, sb.len, 0);
	j->end = (off_t)sb.len;
	tfs_strbuf_release(&sb);
	tfs_strbuf_release(&boot);
	return rc;
}

/*
 * Give the finished file its name, in one step: with two names it would not be trusted, and if this
 * program were killed then, it would stay. A journal that is there already is never replaced.
 */
static int take_name(struct tfs_journal *j, const char *hidden, const char *program)
{
	unsigned int i;
	char *name;

	for (i = 0; i < MAX_NEIGHBOURS; i++) {
		if (i ? asprintf(&name, "%s.%ld.%u", program, (long)getpid(), i) < 0 :
			asprintf(&name, "%s.%ld", program, (long)getpid()) < 0)
			return -ENOMEM;
		if (!renameat2(j->dir, hidden, j->dir, name, RENAME_NOREPLACE)) {
			j->name = name;
			return 0;
		}
		free(name);
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

/*
 * Written under a name that tfs_journal_recover() leaves alone: it must not find the file before it
 * is locked and says whose it is. The start time is part of the name: in another PID namespace a
 * process can have the same pid.
 */
static int create(struct tfs_journal *j, const char *program, const struct tfs_root *root)
{
	uint64_t start = 0;
	char hidden[64];
	int rc;

	rc = tfs_journal_start_time(getpid(), &start);
	if (rc)
		return rc;
	snprintf(hidden, sizeof(hidden), ".new.%ld.%" PRIu64, (long)getpid(), start);
	j->fd = openat(j->dir, hidden, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (j->fd < 0)
		return -errno;
	rc = flock(j->fd, LOCK_EX | LOCK_NB) ? -errno : 0;
	if (!rc)
		rc = write_head(j, start, root);
	if (!rc)
		rc = take_name(j, hidden, program);
	if (rc)
		unlinkat(j->dir, hidden, 0);
	return rc;
}

static void journal_free(struct tfs_journal *j)
{
	tfs_close(&j->fd);
	tfs_close(&j->dir);
	free(j->entries);
	free(j->name);
	free(j);
}

int tfs_journal_open(const char *dir, const char *program, const struct tfs_root *root,
		     struct tfs_journal **out, struct tfs_err *err)
{
	struct tfs_journal *j = calloc(1, sizeof(*j));
	int rc = 0;

	if (!j)
		return tfs_err_set(err, -ENOMEM, "cannot keep a journal");
	j->fd = -1;
	j->dir = -1;
	rc = tfs_own_mkdir(dir);
	if (rc) {
		tfs_err_set(err, rc, "cannot make '%s' for the journal", dir);
		goto out;
	}
	j->dir = tfs_journal_open_dir(dir, err);
	if (j->dir < 0) {
		rc = j->dir;
		goto out;
	}
	rc = create(j, program, root);
	if (rc == -ESRCH)
		tfs_err_say(err, rc,
			    "cannot keep a journal in '%s': /proc does not say when this process "
			    "was started; is it mounted?",
			    dir);
	else if (rc)
		tfs_err_set(err, rc, "cannot keep a journal in '%s'", dir);
out:
	if (rc)
		journal_free(j);
	else
		*out = j;
	return rc;
}

static int add_line(struct tfs_journal *j, const char *op, const char *path, const char *text)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc;

	if (tfs_grow(&j->entries, &j->cap, j->n + 1))
		return -ENOMEM;
	rc = tfs_strbuf_addf(&sb, "%c%s", TFS_JOURNAL_PENDING, op);
	if (!rc)
		rc = add_field(&sb, path);
	if (!rc && text)
		rc = add_field(&sb, text);
	if (!rc)
		rc = tfs_strbuf_addc(&sb, '\n');
	if (!rc)
		rc = tfs_pwrite_all(j->fd, sb.s, sb.len, j->end);
	if (!rc) {
		j->entries[j->n++] = j->end;
		j->end += (off_t)sb.len;
	} else if (ftruncate(j->fd, j->end)) {
		/* half a line stays: it has no newline, so nobody believes it */
	}
	tfs_strbuf_release(&sb);
	return rc;
}

int tfs_journal_add_rmdir(struct tfs_journal *j, const char *path)
{
	return j ? add_line(j, "rmdir", path, NULL) : 0;
}

int tfs_journal_add_unlink(struct tfs_journal *j, const char *link)
{
	return j ? add_line(j, "unlink", link, NULL) : 0;
}

int tfs_journal_add_write(struct tfs_journal *j, const char *path, enum tfs_write_mode mode,
			  const char *text)
{
	return j ? add_line(j, mode == TFS_WRITE_APPEND ? "append" : "write", path, text) : 0;
}

size_t tfs_journal_count(const struct tfs_journal *j)
{
	return j ? j->n : 0;
}

void tfs_journal_strike(struct tfs_journal *j, size_t index)
{
	const char struck = TFS_JOURNAL_STRUCK;

	if (!j || index >= j->n || j->entries[index] < 0)
		return;
	/* Not struck, it is undone once more by the next program, with the same result. */
	if (tfs_pwrite_all(j->fd, &struck, 1, j->entries[index]))
		return;
	j->entries[index] = -1;
	j->struck++;
}

void tfs_journal_done(struct tfs_journal *j)
{
	if (!j)
		return;
	if (j->struck == j->n)
		unlinkat(j->dir, j->name, 0);
	journal_free(j);
}

void tfs_journal_forget(struct tfs_journal *j)
{
	if (!j)
		return;
	unlinkat(j->dir, j->name, 0);
	journal_free(j);
}

int tfs_journal_hand_over(struct tfs_journal *j, int dir_fd, const char *name)
{
	/* in one step: a file that is in both places would be trusted in none */
	if (renameat2(j->dir, j->name, dir_fd, name, RENAME_NOREPLACE))
		return -errno;
	journal_free(j);
	return 0;
}
