/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/percpu.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "format/header-page.h"
#include "record/sink.h"
#include "record/symbol-needs.h"
#include "record/user-events.h"
#include "tracedat/compress.h"
#include "tracedat/dat-write.h"

/* Low 27 bits of the commit word; see tfs_subbuf_used(). */
#define COMMIT_MASK 0x07ffffffU
/* Maximum for one tfs_percpu_drain(). */
#define DRAIN_BYTES (8 * 1024 * 1024)
/* The kernel's largest sub-buffer is far below (buffer_subbuf_size_kb). */
#define SUBBUF_MAX (64 * 1024 * 1024)
/* Bytes of the file at a time, to count what splice() wrote: whole sub-buffers, at least one */
#define MAP_BYTES (64 * 1024 * 1024)
#define READ_BYTES (256 * 1024)

struct tfs_percpu {
	struct tfs_percpu_opts o;
	struct tfs_chunks *chunks;
	bool splice;
	size_t torn;                /* bytes of a sub-buffer that splice() wrote only in part */
	_Atomic uint64_t raw_bytes; /* into the present file */
	_Atomic uint64_t file_bytes;
	uint64_t events;   /* in what was read, not spliced, into the present file */
	bool spliced;      /* into the present file: nobody has looked at that */
	uint32_t in_chunk; /* events of the chunk that is being filled */
	/* Sub-buffers of that which were not counted: several at a time take much less time */
	unsigned int unseen;
};

void tfs_percpu_data_release(struct tfs_percpu_data *data)
{
	tfs_close(&data->fd);
	free(data->extents);
	*data = TFS_PERCPU_DATA_INIT;
}

int tfs_subbuf_parse(const char *text, size_t size, struct tfs_subbuf *out, struct tfs_err *err)
{
	struct tfs_header_page h;
	int rc = tfs_header_page_parse(text, size, &h, err);

	if (rc)
		return rc;
	if (h.data_size > SUBBUF_MAX || (h.commit_size != 4 && h.commit_size != 8) ||
	    h.data_offset > 64 || h.commit_offset + h.commit_size > h.data_offset || !h.data_size)
		return tfs_err_say(err, -EBADMSG, "header_page says where fields cannot be");
	*out = (struct tfs_subbuf){
		.size = h.data_offset + h.data_size,
		.commit_offset = h.commit_offset,
		.commit_size = h.commit_size,
		.data_offset = h.data_offset,
	};
	return 0;
}

uint32_t tfs_subbuf_used(const struct tfs_subbuf *sub, const void *page)
{
	const unsigned char *p = (const unsigned char *)page + sub->commit_offset;
	uint64_t commit64;
	uint32_t commit;

	if (sub->commit_size == sizeof(commit64)) {
		memcpy(&commit64, p, sizeof(commit64));
		commit = (uint32_t)commit64;
	} else {
		memcpy(&commit, p, sizeof(commit));
	}
	return commit & COMMIT_MASK;
}

int tfs_pipe_open(struct tfs_pipe *p, struct tfs_err *err)
{
	int size;

	p->fds[0] = -1;
	p->fds[1] = -1;
	p->size = 0;
	if (pipe2(p->fds, O_CLOEXEC | O_NONBLOCK))
		return tfs_err_set(err, -errno, "cannot make a pipe");
	size = fcntl(p->fds[1], F_SETPIPE_SZ, TFS_PIPE_BYTES);
	if (size < 0)
		size = fcntl(p->fds[1], F_GETPIPE_SZ);
	if (size < 0)
		return tfs_err_set(err, -errno, "cannot learn the size of a pipe");
	p->size = (size_t)size;
	return 0;
}

void tfs_pipe_close(struct tfs_pipe *p)
{
	tfs_close(&p->fds[0]);
	tfs_close(&p->fds[1]);
}

/* Those that nobody has looked at yet, before @room of the chunk, and @more there */
static void look_at_chunk(struct tfs_percpu *p, const unsigned char *room, unsigned int more)
{
	const size_t before = (size_t)p->unseen * p->o.subbuf.size;
	const uint64_t events = tfs_symbol_needs_count(p->o.needs, &p->o.subbuf, room - before,
						       before + (size_t)more * p->o.subbuf.size);

	p->unseen = 0;
	p->events += events;
	p->in_chunk += (uint32_t)events;
}

/* For tfs_chunks_divert() */
static int give_to_sink(void *to, const void *data, size_t size, size_t raw)
{
	struct tfs_percpu *p = to;
	const struct tfs_record_chunk chunk = {
		.source = p->o.source,
		.data = data,
		.size = (uint32_t)size,
		.raw = (uint32_t)raw,
		.events = p->in_chunk,
	};

	p->in_chunk = 0;
	return p->o.sink->chunk(p->o.sink->to, &chunk);
}

static int begin_file(struct tfs_percpu *p)
{
	int rc = tfs_chunks_new(p->o.out, p->o.codec, p->o.subbuf.size, &p->chunks);

	if (!rc && p->o.sink)
		tfs_chunks_divert(p->chunks, give_to_sink, p);
	if (!rc && p->o.cap)
		rc = tfs_chunks_cap(p->chunks, p->o.cap);
	return rc;
}

int tfs_percpu_new(const struct tfs_percpu_opts *opts, struct tfs_percpu **out, struct tfs_err *err)
{
	struct tfs_percpu *p = calloc(1, sizeof(*p));
	int raw = opts->raw;
	int fd = opts->out;
	int rc;

	if (!p) {
		tfs_close(&raw);
		tfs_close(&fd);
		return tfs_err_set(err, -ENOMEM, "cannot record CPU %u", opts->cpu);
	}
	p->o = *opts;
	/* At the end nobody could count what a cap has dropped. */
	p->splice = opts->pipe && !opts->user && !opts->fed && !opts->sink && !opts->cap &&
		    tfs_codec_id(opts->codec) == TFS_CODEC_NONE &&
		    opts->pipe->size >= opts->subbuf.size;
	rc = begin_file(p);
	if (rc) {
		tfs_percpu_free(p);
		tfs_err_set(err, rc, "cannot record CPU %u", opts->cpu);
		if (rc == -EOPNOTSUPP)
			tfs_err_hint(err, "option -m needs a file system that can give back parts "
					  "of a file: write to another one with -o");
		return rc;
	}
	*out = p;
	return 0;
}

void tfs_percpu_free(struct tfs_percpu *p)
{
	if (!p)
		return;
	tfs_chunks_free(p->chunks);
	tfs_close(&p->o.raw);
	tfs_close(&p->o.out);
	free(p);
}

static bool given_up(const struct tfs_percpu *p)
{
	return p->o.give_up && atomic_load_explicit(p->o.give_up, memory_order_relaxed);
}

bool tfs_budget_is_used_up(const struct tfs_budget *b)
{
	return b && b->stop && atomic_load_explicit(&b->used, memory_order_relaxed) >= b->limit;
}

bool tfs_percpu_is_full(const struct tfs_percpu *p)
{
	return tfs_budget_is_used_up(p->o.budget);
}

static bool enough(const struct tfs_percpu *p)
{
	return given_up(p) || tfs_percpu_is_full(p);
}

static void spend(struct tfs_budget *b, uint64_t bytes)
{
	uint64_t before = atomic_fetch_add_explicit(&b->used, bytes, memory_order_relaxed);

	if (before < b->limit && before + bytes >= b->limit)
		atomic_store(&b->reached, true);
}

static void count(struct tfs_percpu *p, uint64_t raw_bytes)
{
	const uint64_t before = tfs_percpu_file_bytes(p);
	const uint64_t now = tfs_chunks_bytes(p->chunks);

	atomic_fetch_add_explicit(&p->raw_bytes, raw_bytes, memory_order_relaxed);
	atomic_store_explicit(&p->file_bytes, now, memory_order_relaxed);
	if (p->o.budget && p->o.budget->limit && now > before)
		spend(p->o.budget, now - before);
}

static int read_failed(const struct tfs_percpu *p, int code, struct tfs_err *err)
{
	return tfs_err_set(err, code, "cannot read the ring buffer of CPU %u", p->o.cpu);
}

static int write_failed(const struct tfs_percpu *p, int code, struct tfs_err *err)
{
	return tfs_err_set(err, code, "cannot write the data of CPU %u", p->o.cpu);
}

/* Nothing there now: also a CPU that never was online, which has no ring buffer (-ENODEV). */
static bool nothing_there(int error)
{
	return error == EAGAIN || error == ENODEV;
}

/* A sub-buffer into the room of the current chunk: bytes of data in it, 0 for none, -errno. */
static int read_subbuf(struct tfs_percpu *p, struct tfs_err *err)
{
	unsigned char *room = tfs_chunks_room(p->chunks);
	const uint32_t size = p->o.subbuf.size;
	ssize_t n;

	do {
		n = read(p->o.raw, room, size);
	} while (n < 0 && errno == EINTR);
	if (n < 0 && nothing_there(errno))
		return 0;
	if (n < 0)
		return read_failed(p, -errno, err);
	if (n < (ssize_t)p->o.subbuf.data_offset)
		return 0;
	if ((uint32_t)n < size)
		memset(room + n, 0, size - (uint32_t)n);
	return (int)tfs_subbuf_used(&p->o.subbuf, room);
}

/* There is a sub-buffer in the room of the current chunk. */
static int take_subbuf(struct tfs_percpu *p, struct tfs_err *err)
{
	const unsigned char *room = tfs_chunks_room(p->chunks);
	const bool is_last = tfs_chunks_is_last(p->chunks);
	int rc;

	if (p->o.user)
		tfs_user_events_page(p->o.user, &p->o.subbuf, room);
	if (is_last)
		look_at_chunk(p, room, 1);
	rc = tfs_chunks_commit(p->chunks);
	if (rc && !is_last)
		look_at_chunk(p, room, 1);
	else if (!is_last)
		p->unseen++;
	count(p, p->o.subbuf.size);
	return rc ? write_failed(p, rc, err) : 0;
}

/*
 * read() sub-buffers until there is none or, with @full_only, until one was not full: half is taken
 * as full, because an event that does not fit any more leaves a gap of its own size.
 */
static int drain_by_read(struct tfs_percpu *p, bool full_only, struct tfs_err *err)
{
	const uint32_t size = p->o.subbuf.size;
	uint64_t taken = 0;
	int used, rc;

	while (!enough(p) && (!full_only || taken < DRAIN_BYTES)) {
		used = read_subbuf(p, err);
		if (used <= 0)
			return used;
		rc = take_subbuf(p, err);
		taken += size;
		if (rc)
			return rc;
		if (full_only && (uint32_t)used < size / 2)
			break;
	}
	return 0;
}

int tfs_percpu_add(struct tfs_percpu *p, const void *page, struct tfs_err *err)
{
	memcpy(tfs_chunks_room(p->chunks), page, p->o.subbuf.size);
	return take_subbuf(p, err);
}

/* The target cannot take a pipe's pages: copy what is in the pipe, and use read() from now on. */
static int leave_splice(struct tfs_percpu *p, size_t len, struct tfs_err *err)
{
	const uint32_t size = p->o.subbuf.size;
	unsigned char *room;
	ssize_t n;
	int rc;

	p->splice = false;
	for (size_t done = 0; done + size <= len; done += size) {
		room = tfs_chunks_room(p->chunks);
		for (size_t have = 0; have < size; have += (size_t)n) {
			n = read(p->o.pipe->fds[0], room + have, size - have);
			if (n <= 0)
				return read_failed(p, n < 0 ? -errno : -EIO, err);
		}
		rc = take_subbuf(p, err);
		if (rc)
			return rc;
	}
	return 0;
}

/* @len bytes are in the pipe. */
static int pipe_to_file(struct tfs_percpu *p, size_t len, struct tfs_err *err)
{
	const uint32_t size = p->o.subbuf.size;
	size_t left = len;
	ssize_t n;

	while (left) {
		n = splice(p->o.pipe->fds[0], NULL, p->o.out, NULL, left, SPLICE_F_MOVE);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EINVAL && left == len && !p->torn)
			return leave_splice(p, len, err);
		if (n <= 0) {
			count(p, left);
			return write_failed(p, n < 0 ? -errno : -EIO, err);
		}
		left -= (size_t)n;
		p->spliced = true;
		p->torn += (size_t)n;
		tfs_chunks_spliced(p->chunks, p->torn / size * size);
		p->torn %= size;
		count(p, (uint64_t)n);
	}
	return 0;
}

/* Full sub-buffers only: splice() leaves the one that is being written to (-EAGAIN). */
static int drain_by_splice(struct tfs_percpu *p, bool all, struct tfs_err *err)
{
	uint64_t taken = 0;
	ssize_t n;
	int rc;

	while (p->splice && !enough(p) && (all || taken < DRAIN_BYTES)) {
		rc = tfs_chunks_begin(p->chunks);
		if (rc)
			return write_failed(p, rc, err);
		n = splice(p->o.raw, NULL, p->o.pipe->fds[1], NULL, p->o.pipe->size,
			   SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0 || (n < 0 && nothing_there(errno)))
			return 0;
		if (n < 0 && errno == EINVAL) {
			p->splice = false;
			return 0;
		}
		if (n < 0)
			return read_failed(p, -errno, err);
		rc = pipe_to_file(p, (size_t)n, err);
		if (rc)
			return rc;
		taken += (uint64_t)n;
	}
	return 0;
}

int tfs_percpu_drain(struct tfs_percpu *p, struct tfs_err *err)
{
	int rc;

	if (!p->splice)
		return drain_by_read(p, true, err);
	rc = drain_by_splice(p, false, err);
	return rc || p->splice ? rc : drain_by_read(p, true, err);
}

/* Write what was taken, so that the file has all of it. */
static int flush(struct tfs_percpu *p, struct tfs_err *err)
{
	int rc;

	if (!p->chunks)
		return 0;
	look_at_chunk(p, tfs_chunks_room(p->chunks), 0);
	rc = tfs_chunks_flush(p->chunks);
	count(p, 0);
	return rc ? write_failed(p, rc, err) : 0;
}

int tfs_percpu_finish(struct tfs_percpu *p, struct tfs_err *err)
{
	int rc = drain_by_splice(p, true, err);

	if (!rc && !p->o.fed)
		rc = drain_by_read(p, false, err);
	return rc ? rc : flush(p, err);
}

int tfs_percpu_sync(struct tfs_percpu *p, struct tfs_err *err)
{
	int rc = p->o.fed ? 0 : tfs_percpu_drain(p, err);

	if (!rc && p->splice)
		rc = drain_by_read(p, true, err);
	return rc ? rc : flush(p, err);
}

/* As many whole sub-buffers as @room has, of what is in the file from @at on */
static size_t piece(const struct tfs_percpu *p, size_t room, uint64_t bytes, uint64_t at)
{
	const uint32_t size = p->o.subbuf.size;
	const uint64_t left = bytes - at;

	if (room < size)
		room = size;
	return (size_t)((left < room ? left : room) / size * size);
}

/* Without copying, from @at on: how far it came */
static uint64_t count_mapped(const struct tfs_percpu *p, uint64_t bytes, uint64_t at,
			     uint64_t *events)
{
	void *map;
	size_t n;

	while ((n = piece(p, MAP_BYTES, bytes, at)) > 0) {
		map = mmap(NULL, n, PROT_READ, MAP_SHARED, p->o.out, (off_t)at);
		if (map == MAP_FAILED)
			break;
		*events += tfs_symbol_needs_count(p->o.needs, &p->o.subbuf, map, n);
		munmap(map, n);
		at += n;
	}
	return at;
}

/* Where the file system cannot map, or the address space is limited */
static int count_read(const struct tfs_percpu *p, uint64_t bytes, uint64_t at, uint64_t *events)
{
	size_t n = piece(p, READ_BYTES, bytes, at);
	unsigned char *buf = n ? malloc(n) : NULL;
	int rc = n && !buf ? -ENOMEM : 0;

	while (n && !rc) {
		rc = tfs_pread_all(p->o.out, buf, n, (off_t)at);
		if (!rc)
			*events += tfs_symbol_needs_count(p->o.needs, &p->o.subbuf, buf, n);
		at += n;
		n = piece(p, READ_BYTES, bytes, at);
	}
	free(buf);
	return rc;
}

/*
 * The file of what splice() wrote, among what read() did, holds sub-buffers: 0 or -errno. Only
 * looking at each event proves that no other program has read some (tests/live/t-disturbed.sh).
 */
static int count_file(const struct tfs_percpu *p, uint64_t bytes, uint64_t *events)
{
	struct stat st;

	*events = 0;
	/* A mapping of what is not there would be a signal. */
	if (fstat(p->o.out, &st))
		return -errno;
	if (st.st_size < 0 || (uint64_t)st.st_size < bytes)
		return -EIO;
	return count_read(p, bytes, count_mapped(p, bytes, 0, events), events);
}

/* Is it known how many events were taken? Also looks for those that need symbols. */
static bool count_taken(const struct tfs_percpu *p, struct tfs_percpu_data *data)
{
	if (!p->spliced)
		return true;
	if (count_file(p, data->bytes, &data->events)) {
		if (p->o.needs)
			tfs_symbol_needs_unknown(p->o.needs);
		return false;
	}
	return !data->unwritten;
}

int tfs_percpu_take(struct tfs_percpu *p, struct tfs_percpu_data *data)
{
	const struct tfs_dat_writer_extent *v;
	size_t n;

	*data = TFS_PERCPU_DATA_INIT;
	if (!p->chunks)
		return 0;
	look_at_chunk(p, tfs_chunks_room(p->chunks), 0);
	n = tfs_chunks_extents(p->chunks, &v);
	*data = (struct tfs_percpu_data){
		.fd = p->o.out,
		.raw_bytes = tfs_percpu_raw_bytes(p),
		.events = p->events,
		.dropped = tfs_chunks_dropped(p->chunks),
		.bytes = tfs_chunks_bytes(p->chunks),
		.chunks = tfs_chunks_count(p->chunks),
		.n_extents = n,
	};
	data->unwritten = data->raw_bytes - tfs_chunks_raw_bytes(p->chunks);
	data->is_counted = count_taken(p, data);
	if (n) {
		data->extents = calloc(n, sizeof(*v));
		if (data->extents)
			memcpy(data->extents, v, n * sizeof(*v));
	}
	p->o.out = -1;
	tfs_chunks_free(p->chunks);
	p->chunks = NULL;
	return n && !data->extents ? -ENOMEM : 0;
}

int tfs_percpu_give(struct tfs_percpu *p, int out)
{
	p->o.out = out;
	p->torn = 0;
	p->events = 0;
	p->spliced = false;
	p->unseen = 0;
	atomic_store_explicit(&p->raw_bytes, 0, memory_order_relaxed);
	atomic_store_explicit(&p->file_bytes, 0, memory_order_relaxed);
	return begin_file(p);
}

int tfs_percpu_raw_fd(const struct tfs_percpu *p)
{
	return p->o.raw;
}

uint64_t tfs_percpu_raw_bytes(const struct tfs_percpu *p)
{
	return atomic_load_explicit(&p->raw_bytes, memory_order_relaxed);
}

uint64_t tfs_percpu_file_bytes(const struct tfs_percpu *p)
{
	return atomic_load_explicit(&p->file_bytes, memory_order_relaxed);
}
