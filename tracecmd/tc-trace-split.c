/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-trace-split.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hashmap.h"
#include "base/io.h"
#include "base/output-file.h"
#include "base/strbuf-core.h"

/* Written when a thread has so much: a file is open only meanwhile, however many there are. */
#define HELD_MAX ((size_t)64 << 10)

/* struct part - of one thread; @begun: its file was made */
struct part {
	int tid;
	bool begun;
	struct tfs_strbuf text;
};

struct strace_split {
	const char *path;
	bool append;
	struct tfs_hashmap parts;
};

int strace_split_new(const char *path, bool append, struct strace_split **out, struct tfs_err *err)
{
	struct strace_split *s = calloc(1, sizeof(*s));

	if (!s)
		return tfs_err_set(err, -ENOMEM, "cannot write to '%s'", path);
	s->path = path;
	s->append = append;
	*out = s;
	return 0;
}

void strace_split_free(struct strace_split *s)
{
	struct part *p;
	size_t i;

	if (!s)
		return;
	tfs_hashmap_for_each(&s->parts, i, p)
	{
		tfs_strbuf_release(&p->text);
		free(p);
	}
	tfs_hashmap_release(&s->parts);
	free(s);
}

static int write_part(struct strace_split *s, struct part *p, struct tfs_err *err)
{
	const int mode = p->begun || s->append ? O_APPEND : O_TRUNC;
	struct tfs_strbuf path = TFS_STRBUF_INIT;
	int rc = tfs_strbuf_addf(&path, "%s.%d", s->path, p->tid), fd = -1;

	if (rc)
		tfs_err_set(err, rc, "cannot write to '%s'", s->path);
	else
		rc = tfs_output_file_open(path.s, mode, 0666, &fd, err);
	if (fd >= 0) {
		rc = tfs_write_all(fd, p->text.s, p->text.len);
		if (rc)
			tfs_err_set(err, rc, "cannot write to '%s'", path.s);
	}
	p->begun |= fd >= 0;
	tfs_strbuf_reset(&p->text);
	tfs_close(&fd);
	tfs_strbuf_release(&path);
	return rc;
}

static struct part *find_part(struct strace_split *s, int tid)
{
	struct part *p = tfs_hashmap_int(&s->parts, (uint64_t)tid);

	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->tid = tid;
	tfs_strbuf_init(&p->text);
	if (tfs_hashmap_add(&s->parts, tfs_hash_int((uint64_t)tid), p)) {
		free(p);
		return NULL;
	}
	return p;
}

int strace_split_add(struct strace_split *s, int tid, const char *text, size_t len)
{
	struct part *p = find_part(s, tid);
	int rc = p ? tfs_strbuf_add(&p->text, text, len) : -ENOMEM;

	return rc || p->text.len < HELD_MAX ? rc : write_part(s, p, NULL);
}

int strace_split_flush(struct strace_split *s, struct tfs_err *err)
{
	struct part *p;
	size_t i;
	int rc = 0;

	tfs_hashmap_for_each(&s->parts, i, p) if (!rc && p->text.len) rc = write_part(s, p, err);
	return rc;
}
