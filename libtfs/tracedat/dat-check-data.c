/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-check-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "base/err.h"
#include "base/strbuf-core.h"
#include "tracedat/dat-internal.h"
#include "tracedat/dat-section.h"
#include "tracedat/dat-source.h"
#include "tracedat/page.h"

#define CHUNK_HEAD 8u
#define RAW_PAGES 16u
#define NAME_SIZE 80
#define FAULTS_NAMED 8 /* of a CPU's sub-buffers; the others are counted */

/*
 * One CPU of one buffer
 * @name: for messages
 * @last: the latest time stamp so far; @back: one that came before it was reported
 * @bad: sub-buffers that are damaged
 * @unknown: records of events without a format; @first_unknown: the id of the first
 */
struct cpu_check {
	struct tfs_dat_check *c;
	const struct tfs_dat_buffer *buf;
	const struct tfs_dat_cpu *cpu;
	char name[NAME_SIZE];
	uint64_t last, records, pages, chunks, bad, unknown;
	unsigned int first_unknown;
	bool back, damaged;
};

static void check_record(struct cpu_check *k, const struct tfs_record *rec, uint64_t at)
{
	unsigned int id;

	k->records++;
	if (rec->ts < k->last && !k->back) {
		tfs_dat_check_say(k->c, TFS_DAT_NOTE, at,
				  "%s: time goes back from %" PRIu64 " to %" PRIu64, k->name,
				  k->last, rec->ts);
		k->back = true;
	}
	k->last = rec->ts;
	if (rec->size < 2)
		return;
	id = tfs_load_u16(rec->data, k->c->dat->info.big_endian);
	if (k->c->ids[id / 32] & 1u << id % 32)
		return;
	if (!k->unknown++)
		k->first_unknown = id;
}

/* @at: of the sub-buffer, or of the chunk that it is in; @n: its number there */
static void check_page(struct cpu_check *k, const unsigned char *page, size_t size, uint64_t at,
		       size_t n)
{
	const struct tfs_dat_info *info = &k->c->dat->info;
	struct tfs_record rec;
	struct tfs_page pg;
	int rc = tfs_page_init(&pg, page, size, info->kernel_long_size, info->page_data_offset,
			       info->big_endian);

	if (!rc)
		while ((rc = tfs_page_next(&pg, &rec)) > 0)
			check_record(k, &rec, at);
	if (!rc) {
		k->pages++;
		return;
	}
	k->damaged = true;
	k->c->totals->bad_pages++;
	if (k->bad++ >= FAULTS_NAMED)
		return;
	tfs_dat_check_say(k->c, TFS_DAT_DAMAGED, at,
			  "%s: sub-buffer %zu is damaged: an entry, or its length, does not fit",
			  k->name, n);
}

static void check_pages(struct cpu_check *k, const unsigned char *data, size_t size, uint64_t at,
			bool packed)
{
	const size_t page = k->buf->page_size;

	for (size_t off = 0; off < size; off += page)
		check_page(k, data + off, size - off < page ? size - off : page,
			   packed ? at : at + off, packed ? off / page : (size_t)k->pages);
	k->c->totals->bytes += size;
}

static void damaged(struct cpu_check *k, uint64_t at, const char *why)
{
	k->damaged = true;
	tfs_dat_check_say(k->c, TFS_DAT_DAMAGED, at, "%s: %s", k->name, why);
}

/* The chunk at @at, whose head is right; @index of @count */
static int check_chunk(struct cpu_check *k, uint64_t at, const struct tfs_dat_chunk *chunk,
		       struct tfs_err *err)
{
	struct tfs_dat_check *c = k->c;
	unsigned char *data = malloc(chunk->size ? chunk->size : 1);
	int rc;

	if (!data)
		return tfs_err_set(err, -ENOMEM, "cannot check the file");
	rc = tfs_dat_chunk_expand(c->dat, at, chunk, data, err);
	if (!rc) {
		k->chunks++;
		if (chunk->size % k->buf->page_size)
			damaged(k, at, "a chunk does not hold whole sub-buffers");
		check_pages(k, data, chunk->size, at, true);
	} else if (rc == -EBADMSG) {
		c->totals->bad_pages += chunk->size / k->buf->page_size;
		c->totals->bad_bytes += chunk->packed;
		damaged(k, at, err->msg);
		rc = 0;
	}
	free(data);
	return rc;
}

/* After a head that is wrong the next chunk cannot be found. */
static int check_chunks(struct cpu_check *k, struct tfs_err *err)
{
	const struct tfs_dat *dat = k->c->dat;
	uint64_t at = k->cpu->offset, end;
	struct tfs_dat_chunk chunk;
	unsigned char b[4];
	uint32_t n, i;
	int rc = tfs_dat_pread(dat, b, sizeof(b), at, "number of chunks", err);

	if (rc == -EBADMSG) {
		damaged(k, at, err->msg);
		return 0;
	}
	n = rc ? 0 : tfs_load_u32(b, dat->info.big_endian);
	at += sizeof(b);
	for (i = 0; i < n && !rc; i++) {
		rc = tfs_dat_chunk_at(dat, at, &chunk, err);
		if (rc)
			break;
		rc = check_chunk(k, at, &chunk, err);
		at += CHUNK_HEAD + (uint64_t)chunk.packed;
	}
	end = k->cpu->offset + k->cpu->size;
	if (rc == -EBADMSG) {
		damaged(k, at, err->msg);
		k->c->totals->bad_bytes += end > at ? end - at : 0;
		tfs_dat_check_say(k->c, TFS_DAT_DAMAGED, at,
				  "%s: %" PRIu32 " of %" PRIu32 " chunks cannot be found", k->name,
				  n - i, n);
		return 0;
	}
	/* trace-cmd 3.1 counts 4 bytes too few. */
	if (!rc && at != end && at != end + sizeof(b))
		tfs_dat_check_say(k->c, TFS_DAT_NOTE, k->cpu->offset,
				  "%s: its chunks have %" PRIu64 " bytes, not %" PRIu64, k->name,
				  at - k->cpu->offset, k->cpu->size);
	return rc;
}

static int check_raw(struct cpu_check *k, struct tfs_err *err)
{
	const struct tfs_dat *dat = k->c->dat;
	const uint64_t file = dat->info.file_size;
	uint64_t at = k->cpu->offset, end = at + k->cpu->size, part;
	const size_t room = (size_t)k->buf->page_size * RAW_PAGES;
	unsigned char *data;
	int rc = 0;

	if (at % k->buf->page_size)
		damaged(k, at,
			"the data do not begin at a multiple of the sub-buffer size: "
			"trace-cmd report cannot map them");
	if (at > file || end < at || end > file) {
		k->c->totals->bad_bytes += end - (at < file ? file : at);
		damaged(k, at, "the data go beyond the end of the file");
		end = file;
	}
	data = malloc(room);
	if (!data)
		return tfs_err_set(err, -ENOMEM, "cannot check the file");
	for (; at < end && !rc; at += part) {
		part = end - at < room ? end - at : room;
		rc = tfs_dat_pread(dat, data, (size_t)part, at, "ring-buffer data", err);
		if (!rc)
			check_pages(k, data, (size_t)part, at, false);
	}
	free(data);
	return rc;
}

static int check_cpu(struct tfs_dat_check *c, const struct tfs_dat_buffer *buf, size_t i,
		     struct tfs_err *err)
{
	const struct tfs_dat_cpu *cpu = &buf->cpus[i];
	struct cpu_check k = { .c = c, .buf = buf, .cpu = cpu };
	int rc;

	snprintf(k.name, sizeof(k.name), "buffer '%.40s' CPU %u", buf->name, cpu->cpu);
	if (i && buf->cpus[i - 1].cpu == cpu->cpu)
		damaged(&k, cpu->offset, "is described twice, which trace-cmd refuses");
	/* Events that were never written are not damage; truncation is reported elsewhere. */
	if (cpu->incomplete)
		tfs_dat_check_say(c, TFS_DAT_NOTE, cpu->offset, "%s: the last events are missing",
				  k.name);
	if (!cpu->size)
		return 0;
	rc = buf->compressed ? check_chunks(&k, err) : check_raw(&k, err);
	c->totals->chunks += k.chunks;
	c->totals->pages += k.pages;
	c->totals->records += k.records;
	if (k.bad > FAULTS_NAMED)
		tfs_dat_check_say(c, TFS_DAT_DAMAGED, cpu->offset,
				  "%s: %" PRIu64 " more sub-buffers are damaged", k.name,
				  k.bad - FAULTS_NAMED);
	if (k.unknown)
		tfs_dat_check_say(c, TFS_DAT_NOTE, cpu->offset,
				  "%s: %" PRIu64 " records are of events without a format, the "
				  "first of id %u",
				  k.name, k.unknown, k.first_unknown);
	if (!rc && !k.damaged)
		tfs_dat_check_say(c, TFS_DAT_SOUND, cpu->offset,
				  "%s, %" PRIu64 " sub-buffers, %" PRIu64 " records", k.name,
				  k.pages, k.records);
	return rc;
}

static int check_text(struct tfs_dat_check *c, size_t i, struct tfs_err *err)
{
	const struct tfs_dat_buf *buf = &c->dat->buffers[i];
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = tfs_dat_text(c->dat, i, &sb, err);

	if (rc == -EBADMSG) {
		tfs_dat_check_say(c, TFS_DAT_DAMAGED, buf->text_offset, "text of buffer '%s': %s",
				  buf->name, err->msg);
		rc = 0;
	} else if (!rc) {
		tfs_dat_check_say(c, TFS_DAT_SOUND, buf->text_offset,
				  "text of buffer '%s', %zu bytes", buf->name, sb.len);
	}
	tfs_strbuf_release(&sb);
	return rc;
}

/* Two CPUs whose data lie over each other: one of the offsets is wrong. */
static void check_overlap(struct tfs_dat_check *c, const struct tfs_dat_cpu *a,
			  const struct tfs_dat_cpu *b)
{
	if (a->size && b->size && a->offset < b->offset + b->size &&
	    b->offset < a->offset + a->size)
		tfs_dat_check_say(c, TFS_DAT_DAMAGED, b->offset,
				  "the data of CPU %u overlap those of CPU %u at %#" PRIx64, b->cpu,
				  a->cpu, a->offset);
}

static int by_offset(const void *a, const void *b)
{
	const struct tfs_dat_cpu *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int check_places(struct tfs_dat_check *c, struct tfs_err *err)
{
	const struct tfs_dat *dat = c->dat;
	struct tfs_dat_cpu *all;
	size_t n = 0, max = 1;

	for (size_t i = 0; i < dat->n_buffers; i++)
		max += dat->buffers[i].pub.n_cpus;
	all = calloc(max, sizeof(*all));
	if (!all)
		return tfs_err_set(err, -ENOMEM, "cannot check the file");
	for (size_t i = 0; i < dat->n_buffers; i++)
		for (size_t k = 0; k < dat->buffers[i].pub.n_cpus; k++)
			if (dat->buffers[i].cpus[k].size)
				all[n++] = dat->buffers[i].cpus[k];
	qsort(all, n, sizeof(*all), by_offset);
	for (size_t i = 1; i < n; i++)
		check_overlap(c, &all[i - 1], &all[i]);
	free(all);
	return 0;
}

int tfs_dat_check_data(struct tfs_dat_check *c, struct tfs_err *err)
{
	int rc = check_places(c, err);

	for (size_t i = 0; i < tfs_dat_n_buffers(c->dat) && !rc; i++) {
		const struct tfs_dat_buffer *buf = tfs_dat_buffer(c->dat, i);

		if (buf->text)
			rc = check_text(c, i, err);
		for (size_t k = 0; k < buf->n_cpus && !rc; k++)
			rc = check_cpu(c, buf, k, err);
	}
	return rc;
}
