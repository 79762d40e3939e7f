/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cursor.h"
#include "base/err.h"
#include "base/io.h"
#include "tracedat/compress.h"
#include "tracedat/dat-segments.h"
#include "tracedat/dat-section.h"
#include "tracedat/dat-write.h"

int tfs_segment_open(struct tfs_segment *p, const struct tfs_dat *dat,
		     const struct tfs_dat_segments *segments, size_t i, struct tfs_err *err)
{
	const struct tfs_dat_segment *which = &segments->segments[i];
	const struct tfs_dat_segments_buffer *buffer = &segments->buffers[which->buffer];
	struct stat st = { 0 };
	int rc;

	*p = (struct tfs_segment){
		.buffer = which->buffer,
		.cpu = which->cpu,
		.page_size = buffer->page_size,
	};
	p->dat.info = dat->info;
	p->dat.fd = -1;
	p->dat.path = tfs_dat_segment_path(dat->path, buffer->name, which->cpu);
	if (!p->dat.path)
		return tfs_err_set(err, -ENOMEM, "cannot open the segments of '%s'", dat->path);
	p->dat.fd = open(p->dat.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	rc = p->dat.fd < 0 || fstat(p->dat.fd, &st) ? -errno : 0;
	if (!rc && !S_ISREG(st.st_mode))
		rc = tfs_err_say(err, -EINVAL,
				 "'%s' is in the place of a CPU's data, and is not a regular file",
				 p->dat.path);
	else if (!rc)
		rc = tfs_codec_new(dat->info.codec, 0, &p->dat.codec, err);
	else if (rc != -ENOENT)
		tfs_err_set(err, rc, "cannot open '%s'", p->dat.path);
	if (rc) {
		tfs_segment_release(p);
		return rc == -ENOENT ? 0 : rc;
	}
	p->dat.info.file_size = (uint64_t)st.st_size;
	return 1;
}

void tfs_segment_release(struct tfs_segment *p)
{
	tfs_close(&p->dat.fd);
	tfs_codec_free(p->dat.codec);
	free(p->dat.scratch);
	free(p->dat.path);
	p->dat.codec = NULL;
	p->dat.scratch = NULL;
	p->dat.path = NULL;
}

bool tfs_segment_is_raw(const struct tfs_segment *p)
{
	const struct tfs_dat_info *info = &p->dat.info;
	unsigned char b[16];
	uint64_t n;

	if (info->file_size < sizeof(b) || tfs_pread_all(p->dat.fd, b, sizeof(b), 0))
		return !info->file_size;
	n = info->long_size == 8 ? tfs_load_u64(b + 8, info->big_endian) :
				   tfs_load_u32(b + 8, info->big_endian);
	/* The kernel's flags are an int, whose sign goes through a long. */
	if (n >> 32 == UINT32_MAX)
		n = (uint32_t)n;
	return (n & ~UINT64_C(0xc0000000)) <= p->page_size;
}

/* Is there nothing but zeros where a chunk, or a sub-buffer, would begin? */
static bool is_gap(const struct tfs_segment *p, uint64_t off)
{
	static const unsigned char zeros[8];
	unsigned char b[sizeof(zeros)];

	return off + sizeof(b) <= p->dat.info.file_size &&
	       !tfs_pread_all(p->dat.fd, b, sizeof(b), (off_t)off) && !memcmp(b, zeros, sizeof(b));
}

/* The end of a gap; a hole of any size is one step. */
static uint64_t end_of_gap(const struct tfs_segment *p, uint64_t off, uint32_t unit)
{
	uint64_t next = (off / unit + 1) * unit;
	off_t data = lseek(p->dat.fd, (off_t)off, SEEK_DATA);

	if (data > 0 && (uint64_t)data / unit * unit > next)
		next = (uint64_t)data / unit * unit;
	return data < 0 && errno == ENXIO ? p->dat.info.file_size : next;
}

bool tfs_segment_next(struct tfs_segment *p, uint64_t *off, uint64_t *size)
{
	const bool packed = p->dat.info.codec != TFS_CODEC_NONE;
	struct tfs_dat_chunk chunk;

	while (is_gap(p, *off))
		*off = end_of_gap(p, *off, packed ? TFS_SEGMENT_GROUP_ALIGN : p->page_size);
	if (packed) {
		if (*off >= p->dat.info.file_size || tfs_dat_chunk_at(&p->dat, *off, &chunk, NULL))
			return false;
		*size = 8 + (uint64_t)chunk.packed;
	} else {
		*size = p->page_size;
	}
	return *off <= p->dat.info.file_size && *size <= p->dat.info.file_size - *off;
}

static int add_extent(struct tfs_dat_writer_extent **v, size_t *n, uint64_t off)
{
	if (tfs_grow_one(v, *n))
		return -ENOMEM;
	(*v)[(*n)++] = (struct tfs_dat_writer_extent){ .off = off };
	return 0;
}

int tfs_segment_extents(struct tfs_segment *p, struct tfs_dat_writer_extent **v, size_t *n,
			uint32_t *chunks)
{
	uint64_t off = 0, size;
	int rc;

	*v = NULL;
	*n = 0;
	*chunks = 0;
	while (tfs_segment_next(p, &off, &size)) {
		if (!*n || (*v)[*n - 1].off + (*v)[*n - 1].bytes != off) {
			rc = add_extent(v, n, off);
			if (rc) {
				free(*v);
				*v = NULL;
				return rc;
			}
		}
		(*v)[*n - 1].bytes += size;
		*chunks += p->dat.info.codec != TFS_CODEC_NONE;
		off += size;
	}
	return 0;
}
