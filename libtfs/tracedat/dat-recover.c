/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-recover.h"

#include <errno.h>
#include <inttypes.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/err.h"
#include "base/io.h"
#include "base/strbuf-core.h"
#include "tracedat/chunks.h"
#include "tracedat/compress.h"
#include "tracedat/dat-append.h"
#include "tracedat/dat-internal.h"
#include "tracedat/dat-segments.h"
#include "tracedat/dat-section.h"
#include "tracedat/dat-write.h"
#include "tracedat/segment.h"

/* A file that is there, and what of it is whole. */
struct piece {
	struct tfs_segment segment;
	struct tfs_dat_writer_extent *extents;
	size_t n;
	uint32_t chunks;
	uint64_t bytes;
};

struct recovery {
	struct tfs_dat *dat;
	int fd;          /* of the trace file, for writing; locked */
	bool other_user; /* it is another user's */
	struct tfs_dat_segments names;
	struct piece *pieces;
	size_t n;
};

/*
 * A listener was killed: the metadata are as far as they had come, and those of version 6 end where
 * data are to begin. A recorder's own metadata name the files that it records into.
 */
static bool is_received(const struct tfs_dat *dat)
{
	return !dat->n_buffers &&
	       (dat->info.version < 7 || !tfs_dat_option_last(dat, TFS_DAT_PRIVATE_SEGMENTS));
}

static int open_file(struct recovery *r, const char *path, struct tfs_err *err)
{
	struct stat st;
	int rc;

	r->fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (r->fd < 0)
		return tfs_err_set(err, -errno, "cannot open '%s'", path);
	if (flock(r->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return tfs_err_say(err, -EBUSY, "'%s' is being recorded", path);
	if (fstat(r->fd, &st))
		return tfs_err_set(err, -errno, "cannot open '%s'", path);
	r->other_user = st.st_uid != geteuid();
	rc = tfs_dat_open(path, &r->dat, err);
	if (rc)
		return rc;
	rc = is_received(r->dat) ? tfs_dat_segments_beside(r->dat, &r->names, err) :
				   tfs_dat_segments_read(r->dat, &r->names, err);
	if (!rc && !is_received(r->dat) && (r->dat->info.version < 7 || !r->dat->n_chain))
		rc = tfs_err_say(err, -EBADMSG, "'%s' has no head that could be completed", path);
	return rc;
}

static int measure(struct piece *p)
{
	int rc = tfs_segment_extents(&p->segment, &p->extents, &p->n, &p->chunks);

	for (size_t i = 0; i < p->n; i++)
		p->bytes += p->extents[i].bytes;
	return rc;
}

/* Chunks in the place of sub-buffers are of another recording, whose head is lost. */
static int check_piece(const struct recovery *r, const struct piece *p, struct tfs_err *err)
{
	if (r->dat->info.codec != TFS_CODEC_NONE || tfs_segment_is_raw(&p->segment))
		return 0;
	return tfs_err_say(err, -EBADMSG,
			   "'%s' does not begin with a sub-buffer: it is not of '%s'",
			   p->segment.dat.path, r->dat->path);
}

static int open_pieces(struct recovery *r, struct tfs_err *err)
{
	const bool no_head = r->dat->info.version >= 7 && !r->dat->n_chain;
	int rc = 0;

	r->n = 0;
	r->pieces = calloc(r->names.n + 1, sizeof(*r->pieces));
	if (!r->pieces)
		return tfs_err_set(err, -ENOMEM, "cannot recover '%s'", r->dat->path);
	for (size_t i = 0; i < r->names.n && rc >= 0; i++) {
		rc = tfs_segment_open(&r->pieces[r->n].segment, r->dat, &r->names, i, err);
		if (rc <= 0)
			continue;
		rc = measure(&r->pieces[r->n++]);
		if (rc)
			tfs_err_set(err, rc, "cannot recover '%s'", r->dat->path);
		else
			rc = check_piece(r, &r->pieces[r->n - 1], err);
	}
	if (rc < 0)
		return rc;
	if (!r->n && (r->dat->n_buffers || no_head) && r->dat->damage.code)
		return tfs_err_say(err, -EBADMSG,
				   "there is nothing beside '%s' to recover it from: %s",
				   r->dat->path, r->dat->damage.msg);
	if (!r->n && r->dat->n_buffers)
		return tfs_err_say(err, -EALREADY,
				   "nothing to recover: no data of '%s' are outside it",
				   r->dat->path);
	if (!r->n)
		return tfs_err_say(err, -ENODATA, "there are no data of '%s' beside it",
				   r->dat->path);
	return 0;
}

/* The head ends after its last OPTIONS section, which does not name another yet. */
static int find_end(const struct recovery *r, struct tfs_dat_resume_point *place,
		    struct tfs_err *err)
{
	struct tfs_dat_section sec;
	int rc;

	rc = tfs_dat_section_at(r->dat, r->dat->chain[r->dat->n_chain - 1], &sec, err);
	if (!rc && (sec.compressed || sec.cut || sec.size < sizeof(uint64_t)))
		rc = tfs_err_say(err, -EBADMSG, "the head of '%s' is damaged", r->dat->path);
	if (rc)
		return rc;
	place->end = sec.off + sec.size;
	place->link = place->end - sizeof(uint64_t);
	place->swapped = false;
	return 0;
}

/* A text after its length, which has @width bytes */
static int add_text(struct tfs_dat_writer *w, enum tfs_dat_id id, size_t width, const char *text,
		    struct tfs_err *err)
{
	struct tfs_strbuf payload = TFS_STRBUF_INIT;
	const uint64_t wide = strlen(text);
	const uint32_t narrow = (uint32_t)wide;
	int rc;

	rc = tfs_strbuf_add(&payload, width == sizeof(wide) ? (const void *)&wide : &narrow, width);
	if (!rc)
		rc = tfs_strbuf_adds(&payload, text);
	if (rc)
		tfs_err_set(err, rc, "cannot keep the names of tasks and functions");
	else
		rc = tfs_dat_writer_section(w, id, payload.s, payload.len, err);
	tfs_strbuf_release(&payload);
	return rc;
}

/* Adds what the file needs from the running kernel. trace-cmd split needs a section of symbols. */
static int add_of_this_boot(const struct recovery *r, const struct tfs_recover_opts *opts,
			    struct tfs_dat_writer *w, struct tfs_err *err)
{
	const bool now = opts->boot && !strcmp(opts->boot, r->names.boot) && !r->other_user;
	const bool wanted = now && opts->kallsyms && r->names.flags & TFS_DAT_SEGMENTS_SYMBOLS;
	int rc = 0;

	if (wanted || !r->dat->section[TFS_DAT_KALLSYMS])
		rc = add_text(w, TFS_DAT_KALLSYMS, sizeof(uint32_t), wanted ? opts->kallsyms : "",
			      err);
	if (!rc && now && opts->cmdlines)
		rc = add_text(w, TFS_DAT_CMDLINES, sizeof(uint64_t), opts->cmdlines, err);
	return rc;
}

static struct tfs_dat_writer_cpu cpu_of(const struct piece *p)
{
	return (struct tfs_dat_writer_cpu){
		.cpu = p->segment.cpu,
		.fd = p->segment.dat.fd,
		.bytes = p->bytes,
		.chunks = p->chunks,
		.extents = p->extents,
		.n_extents = p->n,
	};
}

static int add_buffer(const struct recovery *r, struct tfs_dat_writer *w, size_t number)
{
	const struct tfs_dat_segments_buffer *buffer = &r->names.buffers[number];
	struct tfs_dat_writer_cpu *cpus = calloc(r->n + 1, sizeof(*cpus));
	size_t n = 0;
	int rc;

	if (!cpus)
		return -ENOMEM;
	for (size_t i = 0; i < r->n; i++) {
		const struct piece *p = &r->pieces[i];

		if (p->segment.buffer != number)
			continue;
		cpus[n++] = cpu_of(p);
	}
	rc = tfs_dat_writer_buffer(w, buffer->name, buffer->clock, buffer->page_size, cpus, n);
	free(cpus);
	return rc;
}

/* The recorder was killed while it recorded: the file has a head and nothing else. */
static int join(struct recovery *r, const struct tfs_recover_opts *opts, struct tfs_err *err)
{
	struct tfs_dat_resume_point place;
	struct tfs_dat_writer *w = NULL;
	struct tfs_codec *codec = NULL;
	int rc = find_end(r, &place, err);

	if (!rc)
		rc = tfs_codec_new(r->dat->info.codec, 0, &codec, err);
	if (!rc)
		rc = tfs_dat_writer_resume(r->fd, codec, &place, &w, err);
	if (rc)
		goto out;
	rc = add_of_this_boot(r, opts, w, err);
	for (size_t i = 0; i < r->names.n_buffers && !rc; i++) {
		rc = add_buffer(r, w, i);
		if (rc)
			tfs_err_set(err, rc, "cannot describe the data");
	}
	if (!rc && opts->clocks_size &&
	    tfs_dat_writer_option(w, TFS_DAT_PRIVATE_CLOCKS, opts->clocks, opts->clocks_size))
		rc = tfs_err_set(err, -ENOMEM, "cannot describe the clocks");
	if (!rc)
		rc = tfs_dat_writer_finish(w, err);
out:
	tfs_dat_writer_free(w);
	tfs_codec_free(codec);
	return rc;
}

/* Where the data of a segment are to be in the trace file. */
static const struct tfs_dat_cpu *described(const struct recovery *r,
					   const struct tfs_segment *segment)
{
	const struct tfs_dat_buffer *buf;

	if (segment->buffer >= r->dat->n_buffers)
		return NULL;
	buf = &r->dat->buffers[segment->buffer].pub;
	for (size_t i = 0; i < buf->n_cpus; i++)
		if (buf->cpus[i].cpu == segment->cpu)
			return &buf->cpus[i];
	return NULL;
}

static int copy_range(const struct recovery *r, const struct piece *p, uint64_t off, uint64_t len,
		      uint64_t to)
{
	if (lseek(r->fd, (off_t)to, SEEK_SET) < 0)
		return -errno;
	return tfs_copy_fd(p->segment.dat.fd, (off_t)off, r->fd, (size_t)len);
}

/* Data in the segment was not copied yet, or may be copied again to the same place. */
static int copy_rest(const struct recovery *r, const struct piece *p, uint64_t to, uint64_t size)
{
	off_t data, hole = 0;
	uint64_t len;
	int rc = 0;

	while (!rc && (uint64_t)hole < size) {
		data = lseek(p->segment.dat.fd, hole, SEEK_DATA);
		if (data < 0 || (uint64_t)data >= size)
			break;
		hole = lseek(p->segment.dat.fd, data, SEEK_HOLE);
		if (hole < 0)
			return -errno;
		len = ((uint64_t)hole < size ? (uint64_t)hole : size) - (uint64_t)data;
		rc = copy_range(r, p, (uint64_t)data, len, to + (uint64_t)data);
	}
	return rc;
}

static int copy_extents(const struct recovery *r, const struct piece *p, uint64_t to)
{
	int rc = 0;

	for (size_t i = 0; i < p->n && !rc; i++) {
		rc = copy_range(r, p, p->extents[i].off, p->extents[i].bytes, to);
		to += p->extents[i].bytes;
	}
	return rc;
}

/* One CPU's data; the number of chunks stands before them and was written before the first. */
static int complete_cpu(const struct recovery *r, const struct piece *p, struct tfs_err *err)
{
	const uint64_t head = r->dat->info.codec == TFS_CODEC_NONE ? 0 : sizeof(p->chunks);
	const struct tfs_dat_cpu *c = described(r, &p->segment);
	int rc = 0;

	if (!c)
		return p->bytes ? tfs_err_say(err, -EBADMSG, "'%s' does not say where '%s' belongs",
					      r->dat->path, p->segment.dat.path) :
				  0;
	if (p->bytes + head != c->size) {
		rc = copy_rest(r, p, c->offset + head, c->size - head);
	} else {
		if (head)
			rc = tfs_pwrite_all(r->fd, &p->chunks, sizeof(p->chunks), (off_t)c->offset);
		if (!rc)
			rc = copy_extents(r, p, c->offset + head);
	}
	return rc ? tfs_err_set(err, rc, "cannot complete '%s'", r->dat->path) : 0;
}

/* The section's header, with its whole size; its payload ends with the data of the last CPU. */
static int complete_buffer(const struct recovery *r, const struct tfs_dat_buffer *buf,
			   uint64_t section, struct tfs_err *err)
{
	const uint16_t head[] = { TFS_DAT_BUFFER, buf->compressed };
	const int32_t description = -1;
	unsigned char b[TFS_DAT_SECTION_HEADER];
	uint64_t size = 0, end;
	int rc;

	for (size_t i = 0; i < buf->n_cpus; i++) {
		end = buf->cpus[i].offset + buf->cpus[i].size;
		if (end > section + sizeof(b) + size)
			size = end - section - sizeof(b);
	}
	memcpy(b, head, 4);
	memcpy(b + 4, &description, 4);
	memcpy(b + 8, &size, 8);
	rc = tfs_pwrite_all(r->fd, b, sizeof(b), (off_t)section);
	return rc ? tfs_err_set(err, rc, "cannot complete '%s'", r->dat->path) : 0;
}

/* Killed while joining: all places are known, and what was copied is at its place. */
static int take_over(struct recovery *r, struct tfs_err *err)
{
	size_t number = 0;
	int rc = 0;

	for (size_t i = 0; i < r->dat->n_options && !rc; i++) {
		const struct tfs_dat_option *o = &r->dat->options[i];
		uint64_t section;

		if (o->id != TFS_DAT_BUFFER || o->data.size < sizeof(section) ||
		    number >= r->dat->n_buffers)
			continue;
		memcpy(&section, o->data.data, sizeof(section));
		rc = complete_buffer(r, &r->dat->buffers[number++].pub, section, err);
	}
	for (size_t i = 0; i < r->n && !rc; i++)
		rc = complete_cpu(r, &r->pieces[i], err);
	return rc;
}

static bool is_of_this_machine(const struct tfs_dat *dat)
{
	const uint16_t one = 1;

	return dat->info.big_endian == !*(const unsigned char *)&one;
}

static void recovery_release(struct recovery *r)
{
	for (size_t i = 0; i < r->n; i++) {
		tfs_segment_release(&r->pieces[i].segment);
		free(r->pieces[i].extents);
	}
	free(r->pieces);
	tfs_dat_segments_release(&r->names);
	tfs_dat_free(r->dat);
	tfs_close(&r->fd);
}

/* --- what a listener left */

/* Takes the place of a file of sub-buffers: their chunks in a file without a name. */
static int pack(const struct recovery *r, struct piece *p)
{
	const uint32_t page = p->segment.page_size;
	struct tfs_chunks *chunks = NULL;
	char *name = NULL;
	int rc, fd;

	if (asprintf(&name, "%s.XXXXXX", p->segment.dat.path) < 0)
		return -ENOMEM;
	fd = mkostemp(name, O_CLOEXEC);
	rc = fd < 0 ? -errno : tfs_chunks_new(fd, p->segment.dat.codec, page, &chunks);
	if (fd >= 0)
		unlink(name);
	if (!rc && !is_of_this_machine(r->dat))
		tfs_chunks_swap(chunks);
	for (uint64_t at = 0; !rc && at + page <= p->segment.dat.info.file_size; at += page) {
		rc = tfs_pread_all(p->segment.dat.fd, tfs_chunks_room(chunks), page, (off_t)at);
		if (!rc)
			rc = tfs_chunks_commit(chunks);
	}
	if (!rc)
		rc = tfs_chunks_flush(chunks);
	if (!rc) {
		tfs_close(&p->segment.dat.fd);
		p->segment.dat.fd = fd;
		free(p->extents);
		p->extents = NULL;
		p->n = 0;
		p->bytes = tfs_chunks_bytes(chunks);
		p->chunks = tfs_chunks_count(chunks);
	} else {
		tfs_close(&fd);
	}
	tfs_chunks_free(chunks);
	free(name);
	return rc;
}

/*
 * trace-cmd's listener stores sub-buffers as they come, and ours compresses them, if the metadata
 * say so. Version 6 has whole sub-buffers one after the other.
 */
static int take_piece(const struct recovery *r, struct piece *p, struct tfs_dat_writer_cpu *cpu,
		      struct tfs_err *err)
{
	const bool packs = r->dat->info.version >= 7 && r->dat->info.codec != TFS_CODEC_NONE;
	int rc = packs && tfs_segment_is_raw(&p->segment) ? pack(r, p) : 0;

	if (rc)
		return tfs_err_set(err, rc, "cannot compress '%s'", p->segment.dat.path);
	if (r->dat->info.version < 7) {
		free(p->extents);
		p->extents = NULL;
		p->n = 0;
		p->bytes = p->segment.dat.info.file_size;
		p->bytes -= p->bytes % p->segment.page_size;
	}
	*cpu = cpu_of(p);
	return 0;
}

/* On failure the file is as it was. */
static int append_received(const struct recovery *r, struct tfs_dat_append_opts *o,
			   struct tfs_err *err)
{
	const uint64_t size = r->dat->info.file_size;
	int rc = tfs_dat_append(r->fd, r->dat->path, o, err);

	if (rc && ftruncate(r->fd, (off_t)size) && err)
		tfs_err_hint(err, "restore the file from a copy");
	return rc;
}

static int recover_received(struct recovery *r, struct tfs_err *err)
{
	const uint32_t end = r->pieces[r->n - 1].segment.cpu + 1;
	struct tfs_dat_append_opts o = { .page_size = tfs_dat_page_size(r->dat), .n_data = r->n };
	struct tfs_dat_writer_cpu *cpus = calloc(r->n, sizeof(*cpus));
	const char *path = r->dat->path;
	int rc = 0;

	o.cpus = cpus;
	o.add_cpu_count = !r->dat->info.cpus;
	o.n_cpus = o.add_cpu_count ? end : r->dat->info.cpus;
	if (!cpus)
		rc = tfs_err_set(err, -ENOMEM, "cannot recover '%s'", path);
	else if (end > o.n_cpus)
		rc = tfs_err_say(err, -EBADMSG,
				 "'%s' is of %" PRIu32
				 " CPUs, and beside it are data of CPU %" PRIu32,
				 path, o.n_cpus, end - 1);
	else if (!o.page_size)
		rc = tfs_err_say(err, -EBADMSG, "'%s' does not say the size of its pages", path);
	for (size_t i = 0; i < r->n && !rc; i++)
		rc = take_piece(r, &r->pieces[i], &cpus[i], err);
	if (!rc && getrandom(&o.trace_id, sizeof(o.trace_id), 0) < 0)
		rc = tfs_err_set(err, -errno, "cannot recover '%s'", path);
	if (!rc)
		rc = append_received(r, &o, err);
	free(cpus);
	return rc;
}

static int recover_own(struct recovery *r, const struct tfs_recover_opts *opts, struct tfs_err *err)
{
	if (!is_of_this_machine(r->dat))
		return tfs_err_say(err, -EOPNOTSUPP,
				   "'%s' was recorded by a machine of the other byte order",
				   r->dat->path);
	return r->dat->n_buffers ? take_over(r, err) : join(r, opts, err);
}

int tfs_dat_recover(const char *path, const struct tfs_recover_opts *opts,
		    struct tfs_recovered *out, struct tfs_err *err)
{
	struct recovery r = { .fd = -1 };
	int rc;

	*out = (struct tfs_recovered){ 0 };
	rc = open_file(&r, path, err);
	if (rc || !r.dat)
		goto out;
	rc = open_pieces(&r, err);
	if (!rc)
		rc = is_received(r.dat) ? recover_received(&r, err) : recover_own(&r, opts, err);
	out->joining = !rc && r.dat->n_buffers;
	out->withheld = !rc && r.other_user && !r.dat->n_buffers && !is_received(r.dat);
	/* On the disk before what it was made of goes. */
	if (!rc && fsync(r.fd) && errno != EINVAL)
		rc = tfs_err_set(err, -errno, "cannot write '%s'", path);
	for (size_t i = 0; i < r.n && !rc; i++) {
		const struct tfs_dat_cpu *c = described(&r, &r.pieces[i].segment);
		const uint64_t size = c ? c->size : r.pieces[i].bytes;

		out->cpus += size != 0;
		out->data_bytes += size;
		unlink(r.pieces[i].segment.dat.path);
	}
out:
	recovery_release(&r);
	return rc;
}
