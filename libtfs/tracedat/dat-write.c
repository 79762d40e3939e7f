/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/err.h"
#include "base/io.h"
#include "base/strbuf-core.h"

#define SECTION_HEADER 16u
#define SECTION_COMPRESSED 1u
/* To free less at a time takes longer. One has to fit on a disk that is full: RESERVE_BYTES */
#define CONSUME_PIECE (1u << 20)
#define DONE_SIZE 14u /* u16 id, u32 size, u64 next */

struct cpu_data {
	struct tfs_dat_writer_cpu from;
	uint64_t offset, size; /* in the trace file */
};

struct buffer {
	char *name, *clock;
	uint32_t page_size;
	uint64_t section; /* offset of its section */
	uint64_t size;    /* of its payload, padding included */
	struct cpu_data *cpus;
	size_t n_cpus;
};

struct tfs_dat_writer {
	int fd;
	struct tfs_codec *codec;
	bool swapped;            /* the file has the other byte order */
	uint64_t header_options; /* where the header names the first OPTIONS section */
	uint64_t done_next; /* where the last OPTIONS section names the next, 0: there is none */
	uint64_t end;       /* of what is written */
	struct tfs_strbuf options;
	struct buffer *buffers;
	size_t n_buffers;
};

static int add(struct tfs_strbuf *sb, const void *data, size_t size)
{
	return tfs_strbuf_add(sb, data, size);
}

/*
 * Numbers as the file has them: in this machine's byte order unless the file was begun elsewhere.
 */
static uint16_t order16(const struct tfs_dat_writer *w, uint16_t n)
{
	return w->swapped ? __builtin_bswap16(n) : n;
}

static uint32_t order32(const struct tfs_dat_writer *w, uint32_t n)
{
	return w->swapped ? __builtin_bswap32(n) : n;
}

static uint64_t order64(const struct tfs_dat_writer *w, uint64_t n)
{
	return w->swapped ? __builtin_bswap64(n) : n;
}

static int add_u16(const struct tfs_dat_writer *w, struct tfs_strbuf *sb, uint16_t n)
{
	n = order16(w, n);
	return add(sb, &n, sizeof(n));
}

static int add_u32(const struct tfs_dat_writer *w, struct tfs_strbuf *sb, uint32_t n)
{
	n = order32(w, n);
	return add(sb, &n, sizeof(n));
}

static int add_u64(const struct tfs_dat_writer *w, struct tfs_strbuf *sb, uint64_t n)
{
	n = order64(w, n);
	return add(sb, &n, sizeof(n));
}

static int add_strz(struct tfs_strbuf *sb, const char *s)
{
	return add(sb, s, strlen(s) + 1);
}

/* Everything goes through here, so that @end is the place of the next byte. */
static int put(struct tfs_dat_writer *w, const void *data, size_t size, struct tfs_err *err)
{
	int rc = tfs_pwrite_all(w->fd, data, size, (off_t)w->end);

	if (rc)
		return tfs_err_set(err, rc, "cannot write the trace file");
	w->end += size;
	return 0;
}

static int patch_u64(struct tfs_dat_writer *w, uint64_t at, uint64_t value, struct tfs_err *err)
{
	int rc;

	value = order64(w, value);
	rc = tfs_pwrite_all(w->fd, &value, sizeof(value), (off_t)at);
	return rc ? tfs_err_set(err, rc, "cannot write the trace file") : 0;
}

static int write_initial_bytes(struct tfs_dat_writer *w, uint32_t page_size, struct tfs_err *err)
{
	enum tfs_codec_id id = tfs_codec_id(w->codec);
	const uint16_t probe = 1;
	unsigned char machine[2];
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc;

	machine[0] = *(const unsigned char *)&probe ? 0 : 1; /* 1: big-endian */
	machine[1] = sizeof(long);
	rc = add(&sb, TFS_DAT_MAGIC, TFS_DAT_MAGIC_SIZE);
	if (!rc)
		rc = add_strz(&sb, "7");
	if (!rc)
		rc = add(&sb, machine, sizeof(machine));
	if (!rc)
		rc = add_u32(w, &sb, page_size);
	if (!rc)
		rc = add_strz(&sb, tfs_codec_name(id));
	if (!rc)
		rc = add_strz(&sb, tfs_codec_version(id));
	w->header_options = sb.len;
	if (!rc)
		rc = add_u64(w, &sb, 0);
	if (rc)
		tfs_err_set(err, rc, "cannot write the trace file");
	else
		rc = put(w, sb.s, sb.len, err);
	tfs_strbuf_release(&sb);
	return rc;
}

int tfs_dat_writer_new(int fd, struct tfs_codec *codec, uint32_t page_size,
		       struct tfs_dat_writer **out, struct tfs_err *err)
{
	struct tfs_dat_writer *w = calloc(1, sizeof(*w));
	int rc;

	if (!w)
		return tfs_err_set(err, -ENOMEM, "cannot write the trace file");
	w->fd = fd;
	w->codec = codec;
	tfs_strbuf_init(&w->options);
	rc = write_initial_bytes(w, page_size, err);
	if (rc) {
		tfs_dat_writer_free(w);
		return rc;
	}
	*out = w;
	return 0;
}

int tfs_dat_writer_resume(int fd, struct tfs_codec *codec, const struct tfs_dat_resume_point *place,
			  struct tfs_dat_writer **out, struct tfs_err *err)
{
	struct tfs_dat_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return tfs_err_set(err, -ENOMEM, "cannot write the trace file");
	w->fd = fd;
	w->codec = codec;
	w->swapped = place->swapped;
	w->done_next = place->link;
	w->end = place->end;
	tfs_strbuf_init(&w->options);
	*out = w;
	return 0;
}

void tfs_dat_writer_resume_point(const struct tfs_dat_writer *w, struct tfs_dat_resume_point *place)
{
	place->link = w->done_next;
	place->end = w->end;
	place->swapped = w->swapped;
}

void tfs_dat_writer_free(struct tfs_dat_writer *w)
{
	size_t i;

	if (!w)
		return;
	for (i = 0; i < w->n_buffers; i++) {
		free(w->buffers[i].name);
		free(w->buffers[i].clock);
		free(w->buffers[i].cpus);
	}
	free(w->buffers);
	tfs_strbuf_release(&w->options);
	free(w);
}

static int put_section_header(struct tfs_dat_writer *w, enum tfs_dat_id id, uint16_t flags,
			      uint64_t size, struct tfs_err *err)
{
	unsigned char b[SECTION_HEADER];
	uint16_t id16 = order16(w, (uint16_t)id);
	int32_t description = -1; /* none: it would only be text for trace-cmd dump */

	flags = order16(w, flags);
	size = order64(w, size);
	memcpy(b, &id16, 2);
	memcpy(b + 2, &flags, 2);
	memcpy(b + 4, &description, 4);
	memcpy(b + 8, &size, 8);
	return put(w, b, sizeof(b), err);
}

/* u32 compressed size, u32 size, compressed bytes */
static int put_packed(struct tfs_dat_writer *w, enum tfs_dat_id id, const void *data, size_t size,
		      struct tfs_err *err)
{
	size_t bound = tfs_codec_bound(w->codec, size), packed;
	unsigned char *p = malloc(8 + bound);
	uint32_t head[2];
	int rc;

	if (!p)
		return tfs_err_set(err, -ENOMEM, "cannot compress section %u", id);
	rc = tfs_codec_compress(w->codec, data, size, p + 8, bound, &packed);
	if (rc) {
		tfs_err_set(err, rc, "cannot compress section %u", id);
		goto out;
	}
	head[0] = order32(w, (uint32_t)packed);
	head[1] = order32(w, (uint32_t)size);
	memcpy(p, head, sizeof(head));
	rc = put_section_header(w, id, SECTION_COMPRESSED, 8 + packed, err);
	if (!rc)
		rc = put(w, p, 8 + packed, err);
out:
	free(p);
	return rc;
}

int tfs_dat_writer_section(struct tfs_dat_writer *w, enum tfs_dat_id id, const void *data,
			   size_t size, struct tfs_err *err)
{
	uint64_t at = w->end;
	int rc;

	if (id < TFS_DAT_HEADER_INFO || id > TFS_DAT_CMDLINES)
		return tfs_err_say(err, -EINVAL, "section %u is none of the metadata", id);
	if (tfs_codec_id(w->codec) != TFS_CODEC_NONE) {
		rc = put_packed(w, id, data, size, err);
	} else {
		rc = put_section_header(w, id, 0, size, err);
		if (!rc)
			rc = put(w, data, size, err);
	}
	if (rc) {
		w->end = at;
		return rc;
	}
	at = order64(w, at);
	rc = tfs_dat_writer_option(w, (uint16_t)id, &at, sizeof(at));
	return rc ? tfs_err_set(err, rc, "cannot write the trace file") : 0;
}

int tfs_dat_writer_option(struct tfs_dat_writer *w, uint16_t id, const void *data, size_t size)
{
	size_t before = w->options.len;
	int rc;

	if (size > UINT32_MAX)
		return -EFBIG;
	rc = add_u16(w, &w->options, id);
	if (!rc)
		rc = add_u32(w, &w->options, (uint32_t)size);
	if (!rc)
		rc = add(&w->options, data, size);
	if (rc)
		w->options.len = before;
	return rc;
}

/*
 * Write the options collected so far as a section, and only then make what came before point at
 * it: a file that is left at any moment between has a whole chain.
 */
static int put_options(struct tfs_dat_writer *w, struct tfs_err *err)
{
	uint64_t at = w->end;
	int rc = add_u16(w, &w->options, TFS_DAT_DONE);

	if (!rc)
		rc = add_u32(w, &w->options, sizeof(uint64_t));
	if (!rc)
		rc = add_u64(w, &w->options, 0);
	if (rc)
		return tfs_err_set(err, rc, "cannot write the trace file");
	rc = put_section_header(w, TFS_DAT_DONE, 0, w->options.len, err);
	if (!rc)
		rc = put(w, w->options.s, w->options.len, err);
	if (!rc)
		rc = patch_u64(w, w->done_next ? w->done_next : w->header_options, at, err);
	if (rc)
		return rc;
	w->done_next = w->end - sizeof(uint64_t);
	tfs_strbuf_reset(&w->options);
	return 0;
}

int tfs_dat_writer_head(struct tfs_dat_writer *w, struct tfs_err *err)
{
	return put_options(w, err);
}

int tfs_dat_writer_room(struct tfs_dat_writer *w, uint64_t bytes, uint64_t *from,
			struct tfs_err *err)
{
	int rc = put_section_header(w, TFS_DAT_PRIVATE_ROOM, 0, bytes, err);

	if (rc)
		return rc;
	*from = w->end;
	w->end += bytes;
	return put_options(w, err);
}

uint64_t tfs_dat_writer_size(const struct tfs_dat_writer *w)
{
	return w->end;
}

static int copy_cpus(struct buffer *buf, const struct tfs_dat_writer_cpu *cpus, size_t n)
{
	size_t i;

	buf->cpus = calloc(n + 1, sizeof(*buf->cpus));
	if (!buf->cpus)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		if (cpus[i].bytes)
			buf->cpus[buf->n_cpus++].from = cpus[i];
	return 0;
}

int tfs_dat_writer_buffer(struct tfs_dat_writer *w, const char *name, const char *clock,
			  uint32_t page_size, const struct tfs_dat_writer_cpu *cpus, size_t n)
{
	struct buffer *buf;

	if (tfs_grow_one(&w->buffers, w->n_buffers))
		return -ENOMEM;
	buf = &w->buffers[w->n_buffers];
	*buf = (struct buffer){
		.name = strdup(name),
		.clock = strdup(clock),
		.page_size = page_size,
	};
	if (!buf->name || !buf->clock || copy_cpus(buf, cpus, n)) {
		free(buf->name);
		free(buf->clock);
		return -ENOMEM;
	}
	w->n_buffers++;
	return 0;
}

static uint64_t round_up(uint64_t n, uint32_t unit)
{
	return (n + unit - 1) / unit * unit;
}

/*
 * Readers map uncompressed data by the page, so each CPU begins at a multiple of its sub-buffers'
 * size; the padding counts as the section's, for those who walk from section to section.
 */
static uint64_t place_buffer(struct tfs_dat_writer *w, struct buffer *buf, uint64_t at)
{
	uint64_t off = at + SECTION_HEADER;
	uint32_t head = tfs_codec_id(w->codec) == TFS_CODEC_NONE ? 0 : sizeof(uint32_t);
	size_t i;

	buf->section = at;
	for (i = 0; i < buf->n_cpus; i++) {
		off = round_up(off, buf->page_size);
		buf->cpus[i].offset = off;
		buf->cpus[i].size = head + buf->cpus[i].from.bytes;
		off += buf->cpus[i].size;
	}
	buf->size = off - at - SECTION_HEADER;
	return off;
}

static size_t buffer_option_size(const struct buffer *buf)
{
	return 8 + strlen(buf->name) + 1 + strlen(buf->clock) + 1 + 4 + 4 + 20 * buf->n_cpus;
}

static int add_buffer_option(struct tfs_dat_writer *w, const struct buffer *buf)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	size_t i;
	int rc;

	rc = add_u64(w, &sb, buf->section);
	if (!rc)
		rc = add_strz(&sb, buf->name);
	if (!rc)
		rc = add_strz(&sb, buf->clock);
	if (!rc)
		rc = add_u32(w, &sb, buf->page_size);
	if (!rc)
		rc = add_u32(w, &sb, (uint32_t)buf->n_cpus);
	for (i = 0; i < buf->n_cpus && !rc; i++) {
		rc = add_u32(w, &sb, buf->cpus[i].from.cpu);
		if (!rc)
			rc = add_u64(w, &sb, buf->cpus[i].offset);
		if (!rc)
			rc = add_u64(w, &sb, buf->cpus[i].size);
	}
	if (!rc)
		rc = tfs_dat_writer_option(w, TFS_DAT_BUFFER, sb.s, sb.len);
	tfs_strbuf_release(&sb);
	return rc;
}

/* All sizes are known, so the options that describe the data can come before them. */
static int put_buffer_options(struct tfs_dat_writer *w, struct tfs_err *err)
{
	uint64_t at = w->end + SECTION_HEADER + w->options.len + DONE_SIZE;
	size_t i;
	int rc = 0;

	for (i = 0; i < w->n_buffers; i++)
		at += 6 + buffer_option_size(&w->buffers[i]);
	for (i = 0; i < w->n_buffers; i++)
		at = place_buffer(w, &w->buffers[i], at);
	for (i = 0; i < w->n_buffers && !rc; i++)
		rc = add_buffer_option(w, &w->buffers[i]);
	return rc ? tfs_err_set(err, rc, "cannot write the trace file") : put_options(w, err);
}

/*
 * Give back what was copied: on a full disk that is the room for the next piece. Where the file
 * system cannot, joining takes the room of both files. Nothing after the last byte is used, so
 * the last block may be freed as a whole.
 */
static void punch(int fd, uint64_t off)
{
	(void)!fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)off, CONSUME_PIECE);
}

static int copy_extents(struct tfs_dat_writer *w, const struct tfs_dat_writer_cpu *from)
{
	int rc = 0;

	for (size_t i = 0; i < from->n_extents && !rc; i++)
		rc = tfs_copy_fd(from->fd, (off_t)from->extents[i].off, w->fd,
				 (size_t)from->extents[i].bytes);
	return rc;
}

static int copy_data(struct tfs_dat_writer *w, const struct tfs_dat_writer_cpu *from)
{
	uint64_t off = 0, piece;
	int rc = 0;

	if (from->extents)
		return copy_extents(w, from);
	while (!rc && off < from->bytes) {
		piece = from->bytes - off;
		if (piece > CONSUME_PIECE)
			piece = CONSUME_PIECE;
		rc = tfs_copy_fd(from->fd, (off_t)off, w->fd, (size_t)piece);
		if (!rc && from->consume)
			punch(from->fd, off);
		off += piece;
	}
	return rc;
}

static int put_cpu(struct tfs_dat_writer *w, const struct cpu_data *c, struct tfs_err *err)
{
	const uint32_t chunks = order32(w, c->from.chunks);
	int rc = 0;

	w->end = c->offset;
	if (tfs_codec_id(w->codec) != TFS_CODEC_NONE)
		rc = put(w, &chunks, sizeof(chunks), err);
	if (rc)
		return rc;
	if (lseek(w->fd, (off_t)w->end, SEEK_SET) < 0)
		return tfs_err_set(err, -errno, "cannot seek in the trace file");
	rc = copy_data(w, &c->from);
	if (rc)
		return tfs_err_set(err, rc, "cannot copy the data of CPU %u into the trace file",
				   c->from.cpu);
	w->end += c->from.bytes;
	return 0;
}

static int put_buffer(struct tfs_dat_writer *w, const struct buffer *buf, struct tfs_err *err)
{
	uint16_t flags = tfs_codec_id(w->codec) == TFS_CODEC_NONE ? 0 : SECTION_COMPRESSED;
	size_t i;
	int rc = put_section_header(w, TFS_DAT_BUFFER, flags, buf->size, err);

	for (i = 0; i < buf->n_cpus && !rc; i++)
		rc = put_cpu(w, &buf->cpus[i], err);
	return rc;
}

int tfs_dat_writer_finish(struct tfs_dat_writer *w, struct tfs_err *err)
{
	size_t i;
	int rc = put_buffer_options(w, err);

	for (i = 0; i < w->n_buffers && !rc; i++)
		rc = put_buffer(w, &w->buffers[i], err);
	if (!rc && ftruncate(w->fd, (off_t)w->end))
		rc = tfs_err_set(err, -errno, "cannot set the length of the trace file");
	return rc;
}
