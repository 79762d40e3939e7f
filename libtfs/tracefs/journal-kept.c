/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracefs/journal-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/own.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "tracefs/busy.h"
#include "tracefs/instance.h"

/* Below the directory of journals; a directory, so that tfs_journal_recover() passes it by. */
#define KEPT_DIR "kept"
/* Names of the files there: no instance is called "top" then, whatever its name is. */
#define TOP_FILE "top"
#define INSTANCE_FILE "instance:"

static int file_name(const struct tfs_instance *inst, char **out)
{
	if (asprintf(out, "%s%s", inst->name[0] ? INSTANCE_FILE : TOP_FILE, inst->name) < 0) {
		*out = NULL;
		return -ENOMEM;
	}
	return 0;
}

/* The directory of what is kept, -ENOENT if nothing ever was; *@path is the caller's */
static int open_kept(const char *dir, char **path, struct tfs_err *err)
{
	int fd;

	if (asprintf(path, "%s/" KEPT_DIR, dir) < 0) {
		*path = NULL;
		return tfs_err_set(err, -ENOMEM, "cannot look into '%s'", dir);
	}
	fd = tfs_journal_open_dir(*path, err);
	if (fd == -ENOENT)
		tfs_err_clear(err);
	return fd;
}

int tfs_journal_keep(struct tfs_journal *j, const char *dir, const struct tfs_instance *inst,
		     struct tfs_err *err)
{
	char *path = NULL, *name = NULL;
	int fd, rc = 0;

	fd = open_kept(dir, &path, err);
	if (fd == -ENOENT && path) {
		rc = tfs_own_mkdir(path);
		if (rc) {
			tfs_err_set(err, rc, "cannot make '%s' for the journal", path);
			goto out;
		}
		fd = tfs_journal_open_dir(path, err);
	}
	if (fd < 0) {
		rc = fd;
		goto out;
	}
	rc = file_name(inst, &name);
	if (!rc)
		rc = tfs_journal_hand_over(j, fd, name);
	if (rc)
		tfs_err_set(err, rc, "cannot keep a journal in '%s'", path);
	tfs_close(&fd);
out:
	free(name);
	free(path);
	return rc;
}

int tfs_journal_kept(const char *dir, struct tfs_strvec *names)
{
	struct tfs_strvec files = TFS_STRVEC_INIT;
	char *path = NULL;
	int fd, rc;

	fd = open_kept(dir, &path, NULL);
	free(path);
	if (fd < 0)
		return fd == -ENOMEM ? fd : 0;
	rc = tfs_journal_names(fd, &files);
	for (size_t i = 0; i < files.n && !rc; i++) {
		if (!strcmp(files.v[i], TOP_FILE))
			rc = tfs_strvec_push(names, "");
		else if (!strncmp(files.v[i], INSTANCE_FILE, strlen(INSTANCE_FILE)))
			rc = tfs_strvec_push(names, files.v[i] + strlen(INSTANCE_FILE));
	}
	tfs_strvec_sort(names);
	tfs_strvec_release(&files);
	tfs_close(&fd);
	return rc;
}

bool tfs_journal_keeps(const char *dir, const struct tfs_instance *inst, const char *path)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT, line = TFS_STRBUF_INIT;
	char *kept = NULL, *name = NULL;
	int fd = open_kept(dir, &kept, NULL), file = -1;
	bool found = false;

	if (fd >= 0 && !file_name(inst, &name))
		file = openat(fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (file >= 0 && !tfs_strbuf_addf(&line, "\n%cwrite\t%s\t", TFS_JOURNAL_PENDING, path) &&
	    !tfs_read_fd(file, &text))
		found = strstr(text.s, line.s) != NULL;
	tfs_close(&file);
	tfs_close(&fd);
	tfs_strbuf_release(&text);
	tfs_strbuf_release(&line);
	free(name);
	free(kept);
	return found;
}

int tfs_journal_undo(const char *dir, const struct tfs_root *root, const struct tfs_instance *inst,
		     bool *done, struct tfs_err *err)
{
	struct tfs_busy busy = { .left_ms = TFS_BUSY_WAIT_MS };
	struct tfs_journal_place place = { .root = root, .kept = inst, .busy = &busy };
	char *path = NULL, *name = NULL;
	int rc;

	*done = false;
	place.fd = open_kept(dir, &path, err);
	place.dir = path;
	if (place.fd < 0) {
		rc = place.fd == -ENOENT ? 0 : place.fd;
		goto out;
	}
	rc = file_name(inst, &name);
	if (rc)
		tfs_err_set(err, rc, "cannot look into '%s'", path);
	else
		rc = tfs_journal_undo_file(&place, name, done, err);
	tfs_close(&place.fd);
out:
	free(name);
	free(path);
	return rc;
}
