/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-section.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "base/err.h"
#include "base/macros.h"
#include "tracedat/compress.h"
#include "tracedat/dat-internal.h"
#include "tracedat/dat-source.h"

#define CHUNK_HEAD 8 /* u32 compressed size, u32 size */

const char *tfs_dat_section_name(unsigned int id)
{
	static const char *const names[] = {
		[TFS_DAT_DONE] = "OPTIONS",
		[TFS_DAT_BUFFER] = "BUFFER",
		[TFS_DAT_STRINGS] = "STRINGS",
		[TFS_DAT_HEADER_INFO] = "HEADER_INFO",
		[TFS_DAT_FTRACE_EVENTS] = "FTRACE_EVENTS",
		[TFS_DAT_EVENT_FORMATS] = "EVENT_FORMATS",
		[TFS_DAT_KALLSYMS] = "KALLSYMS",
		[TFS_DAT_PRINTK] = "PRINTK",
		[TFS_DAT_CMDLINES] = "CMDLINES",
		[TFS_DAT_BUFFER_TEXT] = "BUFFER_TEXT",
		[TFS_DAT_BTF_FILE] = "BTF_FILE",
		[TFS_DAT_MODULES_FILE] = "MODULES_FILE",
	};

	if (id >= ARRAY_SIZE(names) || !names[id])
		return "?";
	return names[id];
}

int tfs_dat_section_at(const struct tfs_dat *dat, uint64_t at, struct tfs_dat_section *sec,
		       struct tfs_err *err)
{
	unsigned char b[TFS_DAT_SECTION_HEADER];
	bool big = dat->info.big_endian;
	uint64_t left;
	uint16_t flags;
	int rc;

	if (at < dat->body)
		return tfs_err_say(err, -EBADMSG,
				   "section at offset %#" PRIx64 ": inside the file's header", at);
	rc = tfs_dat_pread(dat, b, sizeof(b), at, "section header", err);
	if (rc)
		return rc;
	flags = tfs_load_u16(b + 2, big);
	if (flags & ~TFS_DAT_FLAG_COMPRESSED)
		return tfs_err_say(err, -EBADMSG,
				   "section at offset %#" PRIx64 ": unknown flags %#x", at, flags);
	*sec = (struct tfs_dat_section){
		.id = tfs_load_u16(b, big),
		.compressed = flags & TFS_DAT_FLAG_COMPRESSED,
		.description = (int32_t)tfs_load_u32(b + 4, big),
		.at = at,
		.off = at + sizeof(b),
		.size = tfs_load_u64(b + 8, big),
	};
	left = dat->info.file_size - sec->off;
	sec->stored_size = sec->size;
	sec->cut = sec->size > left;
	if (sec->cut)
		sec->size = left;
	return 0;
}

uint64_t tfs_dat_section_first(const struct tfs_dat *dat)
{
	return dat->info.version >= 7 ? dat->body : 0;
}

bool tfs_dat_section_next(const struct tfs_dat *dat, uint64_t *at, struct tfs_dat_section *sec)
{
	if (*at >= dat->info.file_size || tfs_dat_section_at(dat, *at, sec, NULL))
		return false;
	if (sec->id >= TFS_DAT_N_SECTIONS && sec->id < TFS_DAT_PRIVATE)
		return false;
	/* Zeros look like OPTIONS sections, but even an empty one has an end. */
	if (sec->id == TFS_DAT_DONE && !sec->size)
		return false;
	*at = sec->off + sec->size;
	return true;
}

const uint64_t *tfs_dat_section_options(const struct tfs_dat *dat, size_t *n)
{
	*n = dat->n_chain;
	return dat->chain;
}

static int load_plain(struct tfs_dat *dat, const struct tfs_dat_section *sec, const char *what,
		      char **data, struct tfs_err *err)
{
	struct tfs_dat_source src;
	int rc;

	tfs_dat_source_file(&src, dat, what, sec->off, sec->off + sec->size);
	rc = tfs_dat_source_blob(&src, sec->size, data, err);
	tfs_dat_source_release(&src);
	return rc;
}

static int expand(struct tfs_dat *dat, const void *packed, const struct tfs_dat_chunk *chunk,
		  void *dst, uint64_t off, struct tfs_err *err)
{
	int rc = tfs_codec_expand(dat->codec, packed, chunk->packed, dst, chunk->size);

	if (rc == -EBADMSG)
		return tfs_err_say(err, rc,
				   "%s data at offset %#" PRIx64 " do not expand to %" PRIu32
				   " bytes",
				   tfs_codec_name(dat->info.codec), off, chunk->size);
	if (rc)
		return tfs_err_set(err, rc, "cannot expand %s data at offset %#" PRIx64,
				   tfs_codec_name(dat->info.codec), off);
	return 0;
}

/* u32 compressed size, u32 size, compressed bytes */
static int load_packed(struct tfs_dat *dat, const struct tfs_dat_section *sec, const char *what,
		       char **data, size_t *size, struct tfs_err *err)
{
	struct tfs_dat_chunk head = { 0, 0 };
	struct tfs_dat_source src;
	char *packed = NULL, *out = NULL;
	int rc;

	tfs_dat_source_file(&src, dat, what, sec->off, sec->off + sec->size);
	rc = tfs_dat_source_u32(&src, &head.packed, err);
	if (!rc)
		rc = tfs_dat_source_u32(&src, &head.size, err);
	if (rc)
		goto out;
	if (head.size > TFS_DAT_BLOB_MAX ||
	    head.size / TFS_DAT_RATIO_MAX > (uint64_t)head.packed + 1) {
		rc = tfs_dat_source_fail(&src, "its expanded size is beyond all reason", err);
		goto out;
	}
	rc = tfs_dat_source_blob(&src, head.packed, &packed, err);
	if (rc)
		goto out;
	out = tfs_dat_source_alloc((size_t)head.size + 1);
	if (!out) {
		rc = tfs_err_set(err, -ENOMEM, "cannot read %s", what);
		goto out;
	}
	rc = expand(dat, packed, &head, out, sec->off, err);
	if (rc) {
		tfs_err_prefix(err, "%s", what);
		goto out;
	}
	out[head.size] = '\0';
	*data = out;
	*size = head.size;
	out = NULL;
out:
	tfs_dat_source_release(&src);
	free(out);
	free(packed);
	return rc;
}

int tfs_dat_section_load(struct tfs_dat *dat, const struct tfs_dat_section *sec, const char *what,
			 char **data, size_t *size, struct tfs_err *err)
{
	int rc;

	if (sec->compressed)
		return load_packed(dat, sec, what, data, size, err);
	rc = load_plain(dat, sec, what, data, err);
	if (!rc)
		*size = (size_t)sec->size;
	return rc;
}

int tfs_dat_chunk_head(const struct tfs_dat *dat, uint64_t off, struct tfs_dat_chunk *chunk,
		       struct tfs_err *err)
{
	unsigned char b[CHUNK_HEAD];
	int rc = tfs_dat_pread(dat, b, sizeof(b), off, "head of a chunk", err);

	if (rc)
		return rc;
	chunk->packed = tfs_load_u32(b, dat->info.big_endian);
	chunk->size = tfs_load_u32(b + 4, dat->info.big_endian);
	/* Incompressible data grows a little, but never to twice its size. */
	if (chunk->size > TFS_DAT_CHUNK_MAX || chunk->packed / 2 > (uint64_t)chunk->size + 1024)
		return tfs_err_say(err, -EBADMSG,
				   "chunk at offset %#" PRIx64 ": impossible sizes %" PRIu32
				   " and %" PRIu32,
				   off, chunk->packed, chunk->size);
	return 0;
}

int tfs_dat_chunk_at(const struct tfs_dat *dat, uint64_t off, struct tfs_dat_chunk *chunk,
		     struct tfs_err *err)
{
	int rc = tfs_dat_chunk_head(dat, off, chunk, err);

	if (rc)
		return rc;
	if (chunk->packed > dat->info.file_size - off - CHUNK_HEAD)
		return tfs_err_say(err, -EBADMSG,
				   "chunk at offset %#" PRIx64 ": its %" PRIu32
				   " bytes go beyond the end of the file",
				   off, chunk->packed);
	return 0;
}

int tfs_dat_chunk_expand(struct tfs_dat *dat, uint64_t off, const struct tfs_dat_chunk *chunk,
			 void *dst, struct tfs_err *err)
{
	unsigned char *p;
	int rc;

	if (!chunk->size)
		return 0;
	if (chunk->packed > dat->scratch_size) {
		p = realloc(dat->scratch, chunk->packed);
		if (!p)
			return tfs_err_set(err, -ENOMEM, "cannot read a chunk");
		dat->scratch = p;
		dat->scratch_size = chunk->packed;
	}
	rc = tfs_dat_pread(dat, dat->scratch, chunk->packed, off + CHUNK_HEAD, "chunk", err);
	return rc ? rc : expand(dat, dat->scratch, chunk, dst, off, err);
}
