/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-segments.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/cpus.h"
#include "base/cursor.h"
#include "base/err.h"
#include "base/strbuf-core.h"
#include "tracedat/dat-internal.h"
#include "tracedat/dat-private.h"

char *tfs_dat_segment_path(const char *path, const char *buffer, unsigned int cpu)
{
	char *s;

	if (asprintf(&s, "%s%s%s.cpu%u", path, *buffer ? "." : "", buffer, cpu) < 0)
		return NULL;
	return s;
}

int tfs_dat_segments_begin(struct tfs_strbuf *payload, uint32_t flags, const char *boot)
{
	const uint32_t head[] = { TFS_DAT_PRIVATE_MARK, flags };
	int rc = tfs_strbuf_add(payload, head, sizeof(head));

	return rc ? rc : tfs_strbuf_add(payload, boot, strlen(boot) + 1);
}

int tfs_dat_segments_add(struct tfs_strbuf *payload, const struct tfs_dat_segments_buffer *buffer,
			 size_t n_cpus)
{
	const uint32_t numbers[] = { buffer->page_size, (uint32_t)n_cpus };
	int rc = tfs_strbuf_add(payload, buffer->name, strlen(buffer->name) + 1);

	if (!rc)
		rc = tfs_strbuf_add(payload, buffer->clock, strlen(buffer->clock) + 1);
	return rc ? rc : tfs_strbuf_add(payload, numbers, sizeof(numbers));
}

int tfs_dat_segments_add_cpu(struct tfs_strbuf *payload, unsigned int cpu)
{
	const uint32_t number = cpu;

	return tfs_strbuf_add(payload, &number, sizeof(number));
}

static int add_segment(struct tfs_dat_segments *p, unsigned int cpu)
{
	if (tfs_grow_one(&p->segments, p->n))
		return -ENOMEM;
	p->segments[p->n++] = (struct tfs_dat_segment){ .buffer = p->n_buffers - 1, .cpu = cpu };
	return 0;
}

static int add_buffer(struct tfs_dat_segments *p, const struct tfs_dat_segments_buffer *buffer)
{
	if (tfs_grow_one(&p->buffers, p->n_buffers))
		return -ENOMEM;
	p->buffers[p->n_buffers++] = *buffer;
	return 0;
}

/* Names become names of files: none may lead to another directory. */
static int read_buffer(struct tfs_dat_segments *p, struct tfs_cursor *c)
{
	struct tfs_dat_segments_buffer buffer;
	uint32_t n, cpu;
	int rc;

	if (tfs_cursor_strz(c, &buffer.name) || tfs_cursor_strz(c, &buffer.clock) ||
	    tfs_cursor_u32(c, &buffer.page_size) || tfs_cursor_u32(c, &n) ||
	    n > tfs_cursor_left(c) / sizeof(n) || strchr(buffer.name, '/') ||
	    !tfs_dat_page_size_is_possible(buffer.page_size))
		return -EBADMSG;
	rc = add_buffer(p, &buffer);
	while (!rc && n--) {
		rc = tfs_cursor_u32(c, &cpu);
		if (!rc)
			rc = cpu < TFS_CPUS_MAX ? add_segment(p, cpu) : -EBADMSG;
	}
	return rc;
}

static int add_unnamed(const struct tfs_dat *dat, struct tfs_dat_segments *out)
{
	const struct tfs_dat_segments_buffer buffer = {
		.name = "",
		.clock = "",
		.page_size = tfs_dat_page_size(dat),
	};

	return add_buffer(out, &buffer);
}

/* Every CPU that the file counts may have a file. */
static int assume(const struct tfs_dat *dat, struct tfs_dat_segments *out)
{
	unsigned int n = dat->info.cpus < TFS_CPUS_MAX ? dat->info.cpus : TFS_CPUS_MAX;
	int rc = add_unnamed(dat, out);

	for (unsigned int cpu = 0; cpu < n && !rc; cpu++)
		rc = add_segment(out, cpu);
	return rc;
}

int tfs_dat_segments_beside(const struct tfs_dat *dat, struct tfs_dat_segments *out,
			    struct tfs_err *err)
{
	struct stat st;
	char *path;
	int rc;

	*out = (struct tfs_dat_segments){ .boot = "" };
	rc = add_unnamed(dat, out);
	for (unsigned int cpu = 0; cpu < TFS_CPUS_MAX && !rc; cpu++) {
		path = tfs_dat_segment_path(dat->path, "", cpu);
		if (!path)
			rc = -ENOMEM;
		else if (!lstat(path, &st))
			rc = add_segment(out, cpu);
		free(path);
	}
	return rc ? tfs_err_set(err, rc, "cannot find the data of '%s'", dat->path) : 0;
}

int tfs_dat_segments_read(const struct tfs_dat *dat, struct tfs_dat_segments *out,
			  struct tfs_err *err)
{
	const struct tfs_dat_option *o = tfs_dat_option_last(dat, TFS_DAT_PRIVATE_SEGMENTS);
	struct tfs_cursor c;
	int rc;

	*out = (struct tfs_dat_segments){ .boot = "" };
	if (!o) {
		rc = assume(dat, out);
	} else {
		rc = tfs_dat_private_cursor(o, dat->info.big_endian, &c);
		if (!rc)
			rc = tfs_cursor_u32(&c, &out->flags);
		if (!rc)
			rc = tfs_cursor_strz(&c, &out->boot);
		while (!rc && tfs_cursor_left(&c))
			rc = read_buffer(out, &c);
	}
	if (rc)
		tfs_err_set(err, rc, "cannot understand what '%s' was recorded in", dat->path);
	return rc;
}

void tfs_dat_segments_release(struct tfs_dat_segments *segments)
{
	free(segments->buffers);
	free(segments->segments);
	*segments = (struct tfs_dat_segments){ 0 };
}
