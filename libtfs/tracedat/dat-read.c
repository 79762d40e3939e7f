/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-read.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/err.h"
#include "base/io.h"
#include "base/macros.h"
#include "base/strbuf.h"
#include "tracedat/compress.h"
#include "tracedat/dat-buffer.h"
#include "tracedat/dat-internal.h"
#include "tracedat/dat-kind.h"
#include "tracedat/dat-meta.h"
#include "tracedat/dat-option.h"
#include "tracedat/dat-salvage.h"
#include "tracedat/dat-section.h"
#include "tracedat/dat-source.h"
#include "tracedat/dat-v6.h"

#define TEXT_BLOCK 65536

static int take_version(struct tfs_dat *dat, const char *text, struct tfs_err *err)
{
	if (strcmp(text, "6") != 0 && strcmp(text, "7") != 0) {
		tfs_err_say(err, -EOPNOTSUPP, "trace.dat version '%s' is not supported", text);
		tfs_err_hint(err, "versions 6 and 7 are");
		return -EOPNOTSUPP;
	}
	dat->info.version = text[0] - '0';
	return 0;
}

static int take_codec(struct tfs_dat *dat, const char *name, struct tfs_err *err)
{
	static const enum tfs_codec_id ids[] = { TFS_CODEC_NONE, TFS_CODEC_ZLIB, TFS_CODEC_ZSTD };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		if (strcmp(name, tfs_codec_name(ids[i])) != 0)
			continue;
		dat->info.codec = ids[i];
		return tfs_codec_new(ids[i], 0, &dat->codec, err);
	}
	return tfs_err_say(err, -EOPNOTSUPP, "compression '%s' is not supported", name);
}

static int read_codec(struct tfs_dat *dat, struct tfs_dat_source *src, struct tfs_err *err)
{
	char name[64], version[64];
	int rc;

	rc = tfs_dat_source_strz(src, name, sizeof(name), err);
	if (!rc)
		rc = tfs_dat_source_strz(src, version, sizeof(version), err);
	if (!rc)
		rc = tfs_dat_source_u64(src, &dat->first_options, err);
	if (rc)
		return rc;
	dat->codec_version = strdup(version);
	if (!dat->codec_version)
		return tfs_err_set(err, -ENOMEM, "cannot read the header");
	dat->info.codec_version = dat->codec_version;
	return take_codec(dat, name, err);
}

static int read_machine(struct tfs_dat *dat, struct tfs_dat_source *src, struct tfs_err *err)
{
	uint8_t endian, long_size;
	int rc = tfs_dat_source_u8(src, &endian, err);

	if (!rc)
		rc = tfs_dat_source_u8(src, &long_size, err);
	if (rc)
		return rc;
	if (endian > 1 || (long_size != 4 && long_size != 8))
		return tfs_dat_source_fail(src, "impossible byte order or size of long", err);
	dat->info.big_endian = endian;
	dat->info.long_size = long_size;
	dat->info.kernel_long_size = long_size;
	dat->info.page_data_offset = 8u + long_size;
	return tfs_dat_source_u32(src, &dat->info.page_size, err);
}

/* It does not begin as a trace.dat does. */
static int say_kind(const struct tfs_dat *dat, int rc, struct tfs_err *err)
{
	char head[TFS_DAT_KIND_HEAD];
	ssize_t n = rc == -EBADMSG ? pread(dat->fd, head, sizeof(head), 0) : -1;

	return n < 0 ? tfs_err_say(err, rc, "not a trace.dat file") :
		       tfs_dat_say_kind(head, (size_t)n, err);
}

static int read_header(struct tfs_dat *dat, struct tfs_err *err)
{
	struct tfs_dat_source src;
	char version[8];
	int rc;

	tfs_dat_source_file(&src, dat, "header", 0, dat->info.file_size);
	rc = tfs_dat_source_tag(&src, TFS_DAT_MAGIC, TFS_DAT_MAGIC_SIZE, NULL);
	if (rc) {
		rc = say_kind(dat, rc, err);
		goto out;
	}
	rc = tfs_dat_source_strz(&src, version, sizeof(version), err);
	if (!rc)
		rc = take_version(dat, version, err);
	if (!rc)
		rc = read_machine(dat, &src, err);
	if (rc)
		goto out;
	if (dat->info.version >= 7)
		rc = read_codec(dat, &src, err);
	else
		rc = take_codec(dat, "none", err);
	dat->body = src.off;
out:
	tfs_dat_source_release(&src);
	return rc;
}

static int parse_section(struct tfs_dat *dat, unsigned int id, struct tfs_dat_source *src,
			 struct tfs_err *err)
{
	switch (id) {
	case TFS_DAT_HEADER_INFO:
		return tfs_dat_meta_header_info(dat, src, err);
	case TFS_DAT_FTRACE_EVENTS:
		return tfs_dat_meta_ftrace(dat, src, err);
	case TFS_DAT_EVENT_FORMATS:
		return tfs_dat_meta_systems(dat, src, err);
	case TFS_DAT_KALLSYMS:
		return tfs_dat_meta_text(dat, TFS_DAT_BLOB_KALLSYMS, src, err);
	case TFS_DAT_PRINTK:
		return tfs_dat_meta_text(dat, TFS_DAT_BLOB_PRINTK, src, err);
	default:
		return tfs_dat_meta_text(dat, TFS_DAT_BLOB_CMDLINES, src, err);
	}
}

static int read_section(struct tfs_dat *dat, unsigned int id, struct tfs_err *err)
{
	const char *name = tfs_dat_section_name(id);
	struct tfs_dat_source src;
	struct tfs_dat_section sec;
	char *data = NULL;
	size_t size = 0;
	int rc;

	rc = tfs_dat_section_at(dat, dat->section[id], &sec, err);
	if (rc)
		goto out;
	if (sec.id != id) {
		rc = tfs_err_say(err, -EBADMSG, "section at offset %#" PRIx64 " is %u (%s) instead",
				 sec.at, sec.id, tfs_dat_section_name(sec.id));
		goto out;
	}
	rc = tfs_dat_section_load(dat, &sec, name, &data, &size, err);
	if (rc)
		goto out;
	tfs_dat_source_mem(&src, dat, name, data, size);
	src.base = sec.off;
	src.owner = &data;
	rc = parse_section(dat, id, &src, err);
out:
	free(data);
	if (rc)
		tfs_err_prefix(err, "%s", name);
	return rc;
}

static int read_sections(struct tfs_dat *dat, struct tfs_err *err)
{
	unsigned int id;
	int rc;

	for (id = TFS_DAT_HEADER_INFO; id <= TFS_DAT_CMDLINES; id++) {
		if (!dat->section[id])
			continue;
		rc = read_section(dat, id, err);
		if (rc == -ENOMEM || rc == -EOPNOTSUPP)
			return rc;
		if (rc)
			tfs_dat_note_damage(dat, err);
	}
	return 0;
}

static bool has_buffer_option(const struct tfs_dat *dat)
{
	size_t i;

	for (i = 0; i < dat->n_options; i++)
		if (dat->options[i].id == TFS_DAT_BUFFER ||
		    dat->options[i].id == TFS_DAT_BUFFER_TEXT)
			return true;
	return false;
}

static int read_v7(struct tfs_dat *dat, struct tfs_err *err)
{
	int rc = tfs_dat_option_chain(dat, err);

	if (rc == -ENOMEM)
		return rc;
	if (rc) {
		tfs_dat_note_damage(dat, err);
		rc = tfs_dat_salvage_sections(dat, err);
		if (rc)
			return rc;
	}
	tfs_dat_option_apply(dat);
	rc = read_sections(dat, err);
	if (!rc)
		rc = tfs_dat_buffer_options(dat, err);
	if (!rc && (dat->chain_broken || !has_buffer_option(dat)))
		rc = tfs_dat_salvage_buffers(dat, err);
	return rc;
}

static bool is_empty(const struct tfs_dat *dat)
{
	size_t i;

	for (i = 0; i < TFS_DAT_N_BLOBS; i++)
		if (dat->blob[i].size)
			return false;
	return !dat->n_buffers && !dat->n_formats && !dat->n_options;
}

static void check_page_size(struct tfs_dat *dat)
{
	struct tfs_err note = TFS_ERR_INIT;

	if (tfs_dat_page_size_is_possible(dat->info.page_size))
		return;
	tfs_err_say(&note, -EBADMSG, "header: sub-buffers of %" PRIu32 " bytes cannot be",
		    dat->info.page_size);
	tfs_dat_note_damage(dat, &note);
}

static void count_cpus(struct tfs_dat *dat)
{
	size_t i, n;

	for (i = 0; i < dat->n_buffers; i++) {
		n = dat->buffers[i].pub.n_cpus;
		if (n && dat->buffers[i].cpus[n - 1].cpu >= dat->info.cpus)
			dat->info.cpus = dat->buffers[i].cpus[n - 1].cpu + 1;
	}
}

/*
 * The recorder of this project notes its losses at the end (dat-lost.h), when all data were read.
 * Where it was killed, whatever the kernel's buffers held then is missing.
 */
static void mark_unfinished(struct tfs_dat *dat)
{
	if (tfs_dat_option_last(dat, TFS_DAT_PRIVATE_SEGMENTS) &&
	    !tfs_dat_option_last(dat, TFS_DAT_PRIVATE_LOST))
		tfs_dat_buffer_cut_all(dat);
}

static int read_everything(struct tfs_dat *dat, struct tfs_err *err)
{
	int rc = read_header(dat, err);

	if (rc)
		return rc;
	check_page_size(dat);
	rc = dat->info.version >= 7 ? read_v7(dat, err) : tfs_dat_v6_read(dat, err);
	if (rc == -EBADMSG) {
		tfs_dat_note_damage(dat, err);
		rc = 0;
	}
	if (rc)
		return rc;
	if (is_empty(dat) && dat->damage.code) {
		if (err)
			*err = dat->damage;
		return -EBADMSG;
	}
	dat->info.page_size = tfs_dat_page_size(dat);
	tfs_dat_buffer_top_first(dat);
	count_cpus(dat);
	mark_unfinished(dat);
	return 0;
}

static int check_fd(struct tfs_dat *dat, struct tfs_err *err)
{
	struct stat st;
	off_t end;

	if (fstat(dat->fd, &st))
		return tfs_err_set(err, -errno, "cannot read it");
	if (S_ISDIR(st.st_mode))
		return tfs_err_set(err, -EISDIR, "cannot read it");
	/* of block devices stat knows no size */
	end = lseek(dat->fd, 0, SEEK_END);
	if (end < 0) {
		int rc = tfs_err_set(err, -errno, "cannot seek in it");

		tfs_err_hint(err, "store it in a regular file first");
		return rc;
	}
	dat->info.file_size = (uint64_t)end;
	return 0;
}

int tfs_dat_open_fd(int fd, const char *name, struct tfs_dat **out, struct tfs_err *err)
{
	struct tfs_err own = TFS_ERR_INIT;
	struct tfs_dat *dat = calloc(1, sizeof(*dat));
	int rc;

	if (!err)
		err = &own; /* damage is noted from it */
	if (!dat) {
		tfs_close(&fd);
		return tfs_err_set(err, -ENOMEM, "cannot open '%s'", name);
	}
	dat->fd = fd;
	dat->damage = TFS_ERR_INIT;
	dat->info.codec_version = "";
	tfs_strvec_init(&dat->systems);
	dat->path = strdup(name);
	dat->kept = calloc(1, sizeof(*dat->kept));
	rc = dat->path && dat->kept ? check_fd(dat, err) :
				      tfs_err_set(err, -ENOMEM, "cannot open it");
	if (!rc)
		rc = read_everything(dat, err);
	if (rc) {
		tfs_err_prefix(err, "'%s'", name);
		tfs_dat_free(dat);
		return rc;
	}
	tfs_err_clear(err);
	*out = dat;
	return 0;
}

int tfs_dat_open(const char *path, struct tfs_dat **out, struct tfs_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return tfs_err_set(err, -errno, "cannot open '%s'", path);
	return tfs_dat_open_fd(fd, path, out, err);
}

void tfs_dat_free(struct tfs_dat *dat)
{
	size_t i;

	if (!dat)
		return;
	for (i = 0; i < dat->n_buffers; i++) {
		free(dat->buffers[i].name);
		free(dat->buffers[i].clock);
		free(dat->buffers[i].cpus);
	}
	for (i = 0; i < dat->n_options; i++)
		free((char *)dat->options[i].data.data);
	for (i = 0; i < dat->n_formats; i++)
		free((char *)dat->formats[i].text.data);
	for (i = 0; i < TFS_DAT_N_BLOBS; i++)
		free(dat->blob[i].mem);
	if (dat->symbols)
		free(dat->symbols->text);
	free(dat->symbols);
	free(dat->buffers);
	free(dat->options);
	free(dat->kept);
	free(dat->formats);
	free(dat->chain);
	free(dat->scratch);
	free(dat->codec_version);
	free(dat->path);
	tfs_strvec_release(&dat->systems);
	tfs_codec_free(dat->codec);
	tfs_close(&dat->fd);
	free(dat);
}

const char *tfs_dat_path(const struct tfs_dat *dat)
{
	return dat->path;
}

const struct tfs_dat_info *tfs_dat_info(const struct tfs_dat *dat)
{
	return &dat->info;
}

const struct tfs_err *tfs_dat_damage(const struct tfs_dat *dat)
{
	return dat->damage.code ? &dat->damage : NULL;
}

void tfs_dat_note_damage(struct tfs_dat *dat, const struct tfs_err *err)
{
	if (!dat->damage.code)
		dat->damage = *err;
}

int tfs_dat_read_symbols(struct tfs_dat *dat, int (*read)(struct tfs_strbuf *text))
{
	if (!dat->symbols)
		dat->symbols = calloc(1, sizeof(*dat->symbols));
	if (!dat->symbols)
		return -ENOMEM;
	dat->symbols->read = read;
	return 0;
}

static void get_symbols(struct tfs_dat_symbols *symbols, struct tfs_blob *out)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;

	if (symbols->read && !symbols->read(&text)) {
		symbols->size = text.len;
		if (tfs_strbuf_detach(&text, &symbols->text))
			symbols->size = 0;
	}
	tfs_strbuf_release(&text);
	symbols->read = NULL;
	out->data = symbols->size ? symbols->text : "";
	out->size = symbols->size;
}

void tfs_dat_blob(const struct tfs_dat *dat, enum tfs_dat_blob id, struct tfs_blob *out)
{
	if (id == TFS_DAT_BLOB_KALLSYMS && dat->symbols) {
		get_symbols(dat->symbols, out);
		return;
	}
	out->data = dat->blob[id].data ? dat->blob[id].data : "";
	out->size = dat->blob[id].size;
}

size_t tfs_dat_n_formats(const struct tfs_dat *dat)
{
	return dat->n_formats;
}

const struct tfs_dat_format *tfs_dat_format(const struct tfs_dat *dat, size_t n)
{
	return &dat->formats[n];
}

size_t tfs_dat_n_options(const struct tfs_dat *dat)
{
	return dat->n_options;
}

const struct tfs_dat_option *tfs_dat_option(const struct tfs_dat *dat, size_t n)
{
	return &dat->options[n];
}

const struct tfs_dat_option *tfs_dat_option_last(const struct tfs_dat *dat, uint16_t id)
{
	size_t n = tfs_dat_n_options(dat);

	while (n--) {
		if (dat->options[n].id == id)
			return &dat->options[n];
	}
	return NULL;
}

bool tfs_dat_options_swapped(const struct tfs_dat *dat)
{
	return dat->swapped_options;
}

size_t tfs_dat_n_buffers(const struct tfs_dat *dat)
{
	return dat->n_buffers;
}

bool tfs_dat_more_cpus(const struct tfs_dat *dat)
{
	for (size_t i = 0; i < dat->n_buffers; i++)
		if (dat->buffers[i].pub.more_cpus)
			return true;
	return false;
}

const struct tfs_dat_buffer *tfs_dat_buffer(const struct tfs_dat *dat, size_t n)
{
	return &dat->buffers[n].pub;
}

bool tfs_dat_is_text(const struct tfs_dat *dat)
{
	size_t n = tfs_dat_n_buffers(dat), i;

	for (i = 0; i < n; i++)
		if (tfs_dat_buffer(dat, i)->text)
			return true;
	return false;
}

static int add_plain(struct tfs_dat *dat, const struct tfs_dat_buf *buf, struct tfs_strbuf *sb,
		     struct tfs_err *err)
{
	uint64_t off = buf->text_offset, end = off + buf->text_size;
	size_t part;
	int rc = 0;

	while (!rc && off < end) {
		part = end - off < TEXT_BLOCK ? (size_t)(end - off) : TEXT_BLOCK;
		rc = tfs_strbuf_grow(sb, part);
		if (rc)
			return tfs_err_set(err, rc, "cannot read latency text");
		rc = tfs_dat_pread(dat, sb->s + sb->len, part, off, "latency text", err);
		if (!rc)
			sb->len += part;
		sb->s[sb->len] = '\0';
		off += part;
	}
	return rc;
}

static int add_chunk(struct tfs_dat *dat, uint64_t *off, struct tfs_strbuf *sb, struct tfs_err *err)
{
	struct tfs_dat_chunk chunk;
	int rc = tfs_dat_chunk_at(dat, *off, &chunk, err);

	if (rc)
		return rc;
	if (sb->len + chunk.size > TFS_DAT_BLOB_MAX)
		return tfs_err_say(err, -EBADMSG,
				   "latency text at offset %#" PRIx64 ": beyond all reason", *off);
	rc = tfs_strbuf_grow(sb, chunk.size);
	if (rc)
		return tfs_err_set(err, rc, "cannot read latency text");
	rc = tfs_dat_chunk_expand(dat, *off, &chunk, sb->s + sb->len, err);
	if (!rc)
		sb->len += chunk.size;
	if (sb->cap)
		sb->s[sb->len] = '\0';
	*off += 8 + (uint64_t)chunk.packed;
	return rc;
}

static int add_chunks(struct tfs_dat *dat, const struct tfs_dat_buf *buf, struct tfs_strbuf *sb,
		      struct tfs_err *err)
{
	uint64_t off = buf->text_offset;
	unsigned char b[4];
	uint32_t n, i;
	int rc;

	rc = tfs_dat_pread(dat, b, sizeof(b), off, "latency text", err);
	if (rc)
		return rc;
	n = tfs_load_u32(b, dat->info.big_endian);
	off += sizeof(b);
	for (i = 0; i < n && !rc; i++)
		rc = add_chunk(dat, &off, sb, err);
	return rc;
}

int tfs_dat_text(struct tfs_dat *dat, size_t buffer, struct tfs_strbuf *sb, struct tfs_err *err)
{
	const struct tfs_dat_buf *buf = &dat->buffers[buffer];
	struct tfs_err own = TFS_ERR_INIT;
	int rc;

	if (!buf->pub.text)
		return 0;
	if (!err)
		err = &own;
	rc = buf->pub.compressed ? add_chunks(dat, buf, sb, err) : add_plain(dat, buf, sb, err);
	if (rc == -EBADMSG)
		tfs_dat_note_damage(dat, err);
	return rc;
}
