/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "data/tail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/err.h"
#include "base/io.h"
#include "data/compress.h"
#include "data/dat-buffer.h"
#include "data/dat-internal.h"
#include "data/dat-section.h"

#define SETTLE_NS 1000000000ull

/* One CPU's temporary file: as a trace file without anything else, for whoever reads chunks. */
struct part {
	struct tfs_dat dat;
	unsigned int cpu;
	uint64_t seen, settled; /* sizes: at the last mark, and at the one before */
};

struct tfs_tail {
	struct tfs_dat *head;
	struct tfs_dat *whole; /* the trace file once it is complete */
	struct part *parts;
	size_t n;
	uint64_t head_size;
	uint64_t marked; /* when sizes were noted last, ns */
	uint64_t looks;
	bool frozen; /* the temporary files are being emptied: what is there is not to be read */
	bool ended;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t size_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? 0 : (uint64_t)st.st_size;
}

static void part_release(struct part *p)
{
	tfs_close(&p->dat.fd);
	tfs_codec_free(p->dat.codec);
	free(p->dat.scratch);
	free(p->dat.path);
}

/* 1; 0 when there is no such file */
static int open_part(struct tfs_tail *t, unsigned int cpu, struct tfs_err *err)
{
	struct part *p = &t->parts[t->n];
	int rc;

	*p = (struct part){ .cpu = cpu };
	p->dat.info = t->head->info;
	if (asprintf(&p->dat.path, "%s.cpu%u", t->head->path, cpu) < 0) {
		p->dat.path = NULL;
		return tfs_err_set(err, -ENOMEM, "cannot follow '%s'", t->head->path);
	}
	p->dat.fd = open(p->dat.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (p->dat.fd < 0) {
		rc = errno == ENOENT ? 0 :
				       tfs_err_set(err, -errno, "cannot open '%s'", p->dat.path);
		part_release(p);
		return rc;
	}
	rc = tfs_codec_new(t->head->info.codec, 0, &p->dat.codec, err);
	if (rc) {
		part_release(p);
		return rc;
	}
	p->dat.info.file_size = size_of(p->dat.fd);
	t->n++;
	return 1;
}

static int open_parts(struct tfs_tail *t, struct tfs_err *err)
{
	unsigned int n = t->head->info.cpus, cpu;
	int rc = 0;

	if (n > TFS_CPUS_MAX)
		n = TFS_CPUS_MAX;
	t->parts = calloc(n ? n : 1, sizeof(*t->parts));
	if (!t->parts)
		return tfs_err_set(err, -ENOMEM, "cannot follow '%s'", t->head->path);
	for (cpu = 0; cpu < n && rc >= 0; cpu++)
		rc = open_part(t, cpu, err);
	return rc < 0 ? rc : 0;
}

static int add_buffer(struct tfs_tail *t, struct tfs_err *err)
{
	struct tfs_dat_buffer_desc desc = {
		.name = "",
		.clock = "",
		.page_size = tfs_dat_page_size(t->head),
		.compressed = t->head->info.codec != TFS_CODEC_NONE,
		.n_cpus = t->n,
	};

	desc.cpus = calloc(t->n, sizeof(*desc.cpus));
	if (!desc.cpus)
		return tfs_err_set(err, -ENOMEM, "cannot follow '%s'", t->head->path);
	for (size_t i = 0; i < t->n; i++)
		desc.cpus[i].cpu = t->parts[i].cpu;
	return tfs_dat_buffer_add(t->head, &desc, err);
}

/* A recorder holds a lock on its trace file; where the file system has none, it never ends. */
static bool is_abandoned(const struct tfs_tail *t)
{
	if (flock(t->head->fd, LOCK_SH | LOCK_NB))
		return false;
	flock(t->head->fd, LOCK_UN);
	return true;
}

int tfs_tail_open(struct tfs_dat *dat, struct tfs_tail **out, struct tfs_err *err)
{
	struct tfs_tail *t = calloc(1, sizeof(*t));
	int rc;

	if (!t)
		return tfs_err_set(err, -ENOMEM, "cannot follow '%s'", dat->path);
	t->head = dat;
	t->head_size = dat->info.file_size;
	rc = open_parts(t, err);
	/* The head is being written; buffers are described just before their data are copied. */
	if (!rc && !is_abandoned(t) &&
	    (dat->damage.code || dat->n_buffers || size_of(dat->fd) != t->head_size))
		rc = tfs_err_say(err, -EAGAIN, "'%s' is just being begun or completed", dat->path);
	else if (!rc && (!t->n || dat->n_buffers))
		rc = tfs_err_say(err, -ENOENT, "nothing is being recorded into '%s'", dat->path);
	if (!rc)
		rc = add_buffer(t, err);
	if (rc) {
		tfs_tail_free(t);
		return rc;
	}
	t->marked = now_ns();
	*out = t;
	return 0;
}

void tfs_tail_free(struct tfs_tail *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n; i++)
		part_release(&t->parts[i]);
	tfs_dat_free(t->whole);
	free(t->parts);
	free(t);
}

bool tfs_tail_ended(const struct tfs_tail *t)
{
	return t->ended;
}

uint64_t tfs_tail_looks(const struct tfs_tail *t)
{
	return t->looks;
}

bool tfs_tail_intact(struct tfs_tail *t)
{
	/* The head grows before the first byte of a temporary file is given back. */
	if (!t->ended && size_of(t->head->fd) != t->head_size)
		t->frozen = true;
	return !t->frozen || t->ended;
}

/* All temporary files are gone: the trace file has everything. */
static bool is_complete(const struct tfs_tail *t)
{
	struct stat st;

	for (size_t i = 0; i < t->n; i++)
		if (fstat(t->parts[i].dat.fd, &st) || st.st_nlink)
			return false;
	return true;
}

static void refresh(struct tfs_tail *t)
{
	uint64_t now = now_ns();
	bool mark = now - t->marked >= SETTLE_NS;

	for (size_t i = 0; i < t->n; i++) {
		struct part *p = &t->parts[i];

		p->dat.info.file_size = size_of(p->dat.fd);
		if (!mark)
			continue;
		p->settled = p->seen;
		p->seen = p->dat.info.file_size;
	}
	if (mark)
		t->marked = now;
}

int tfs_tail_look(struct tfs_tail *t, struct tfs_err *err)
{
	struct tfs_err note = TFS_ERR_INIT;
	int rc;

	if (t->ended)
		return 0;
	t->looks++;
	if (is_complete(t)) {
		rc = tfs_dat_open(t->head->path, &t->whole, err);
		if (rc)
			return rc;
		t->ended = true;
	} else if (is_abandoned(t)) {
		/* It may have ended well between the two questions. */
		if (is_complete(t))
			return tfs_tail_look(t, err);
		refresh(t);
		t->ended = true;
		tfs_err_say(&note, -EBADMSG, "the recording was not completed");
		tfs_err_hint(&note, "its recorder was killed; what it had written was shown");
		tfs_dat_note_damage(t->head, &note);
	} else if (tfs_tail_intact(t)) {
		refresh(t);
	}
	return 0;
}

/* In the complete file: CPUs without data are left out. */
static bool place_in_whole(const struct tfs_tail *t, unsigned int cpu, struct tfs_tail_place *place)
{
	const struct tfs_dat_buffer *buf;

	if (!t->whole->n_buffers)
		return false;
	buf = &t->whole->buffers[0].pub;
	for (size_t i = 0; i < buf->n_cpus; i++) {
		if (buf->cpus[i].cpu != cpu)
			continue;
		place->dat = t->whole;
		/* In front of chunks there is their number. */
		place->base = buf->cpus[i].offset + (buf->compressed ? 4 : 0);
		place->end = buf->cpus[i].offset + buf->cpus[i].size;
		return true;
	}
	return false;
}

int tfs_tail_more(struct tfs_tail *t, size_t cpu_index, uint64_t done, struct tfs_tail_place *place)
{
	const struct tfs_dat_buffer *buf = tfs_dat_buffer(t->head, 0);
	struct part *p = &t->parts[cpu_index];
	struct tfs_dat_chunk chunk;

	if (t->whole)
		return place_in_whole(t, p->cpu, place) && done < place->end - place->base;
	if (!tfs_tail_intact(t))
		return 0;
	*place = (struct tfs_tail_place){ .dat = &p->dat, .end = p->dat.info.file_size };
	if (!buf->compressed) {
		place->end -= place->end % buf->page_size;
		return done < place->end;
	}
	/* After the end a chunk that was cut short is for the reader to complain of. */
	if (t->ended)
		return done < place->end;
	return done < place->end && !tfs_dat_chunk_at(&p->dat, done, &chunk, NULL);
}

bool tfs_tail_settled(const struct tfs_tail *t, size_t cpu_index, uint64_t done)
{
	return t->ended || done <= t->parts[cpu_index].settled;
}
