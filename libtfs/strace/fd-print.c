/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/fd-internal.h"

#include <string.h>

#include "base/strbuf-core.h"
#include "strace/fd-table.h"

static const char deleted[] = " (deleted)";

/* The file of a descriptor, NULL: unknown, also if a call of another thread may change it now */
static const struct tfs_fd_name *name_of(const struct tfs_fd_table *t, int tid, int fd)
{
	const struct tfs_fd_task *task = tfs_fd_task_find(t, tid);

	if (!task)
		return NULL;
	if (fd == TFS_FD_CWD) {
		if (tfs_fd_fs_in_flight(t, task->fs, task))
			return NULL;
		return task->fs->cwd && !task->fs->cwd->renamed ? task->fs->cwd : NULL;
	}
	if (tfs_fd_in_flight(t, task->files, fd, task))
		return NULL;
	return tfs_fd_files_name(task->files, fd);
}

bool tfs_fd_table_is_known(const struct tfs_fd_table *t, int tid, int fd)
{
	const struct tfs_fd_name *name = name_of(t, tid, fd);

	return name && name->form != TFS_FD_TYPED && !strstr(name->text, ":[?]");
}

bool tfs_fd_table_is_since(const struct tfs_fd_table *t, int tid, int fd, uint64_t ts)
{
	const struct tfs_fd_task *task = tfs_fd_task_find(t, tid);
	const struct tfs_fd_span span = { ts + 1, ts + 1 };

	return tfs_fd_table_is_known(t, tid, fd) && tfs_fd_files_was_stable(task->files, fd, &span);
}

const char *tfs_fd_table_path(const struct tfs_fd_table *t, int tid, int fd)
{
	const struct tfs_fd_name *name = name_of(t, tid, fd);

	return name && name->form <= TFS_FD_TYPED ? name->text : NULL;
}

/* As strace: nothing in the text looks like its end */
static int add_escaped(struct tfs_strbuf *out, const char *text, size_t len)
{
	static const char plain[] = "\"\\\f\n\r\t\v", letter[] = "\"\\fnrtv";

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];
		const char *at = c ? strchr(plain, c) : NULL;
		int rc;

		if (at)
			rc = tfs_strbuf_addf(out, "\\%c", letter[at - plain]);
		else if (c >= ' ' && c < 0x7f && c != '<' && c != '>')
			rc = tfs_strbuf_addc(out, (char)c);
		else
			rc = tfs_strbuf_addf(
				out,
				i + 1 < len && text[i + 1] >= '0' && text[i + 1] <= '9' ? "\\%03o" :
											  "\\%o",
				c);
		if (rc)
			return rc;
	}
	return 0;
}

int tfs_fd_table_print(const struct tfs_fd_table *t, int tid, int fd, enum tfs_fd_style style,
		       struct tfs_strbuf *out)
{
	const struct tfs_fd_name *name = name_of(t, tid, fd);
	size_t len, skip = 0, end = sizeof(deleted) - 1;
	bool is_deleted;
	int rc;

	if (!name)
		return 0;
	len = strlen(name->text);
	is_deleted = name->deleted;
	if (name->text[0] == '/' && len > end && !strcmp(name->text + len - end, deleted)) {
		is_deleted = true;
		len -= end;
	}
	rc = tfs_strbuf_addc(out, '<');
	if (!rc && name->form == TFS_FD_TYPED)
		rc = tfs_strbuf_addc(out, '~');
	if (!rc && name->form == TFS_FD_SOCKET && style == TFS_FD_FILES) {
		skip = strcspn(name->text, ":");
		rc = tfs_strbuf_adds(out, "socket");
	}
	if (!rc)
		rc = add_escaped(out, name->text + skip, len - skip);
	if (!rc)
		rc = tfs_strbuf_addc(out, '>');
	if (!rc && is_deleted)
		rc = tfs_strbuf_adds(out, deleted + 1);
	return rc;
}
