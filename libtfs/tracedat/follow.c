/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/follow.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf.h"
#include "base/time.h"
#include "tracedat/dat-buffer.h"
#include "tracedat/dat-complete.h"
#include "tracedat/dat-internal.h"
#include "tracedat/dat-segments.h"
#include "tracedat/segment.h"

#define STABLE_NS 1000000000ull
#define KALLSYMS "/proc/kallsyms"

/* One CPU's temporary file, and its sizes: at the last mark, and at the one before. */
struct segment {
	struct tfs_segment file;
	uint64_t seen, stable;
};

struct tfs_follow {
	struct tfs_dat *head;
	struct tfs_dat *whole; /* the trace file once it is complete */
	struct tfs_dat_segments names;
	struct segment *segments;
	size_t n;
	size_t *first; /* of each buffer: index into @segments */
	uint64_t head_size;
	uint64_t marked; /* when sizes were noted last, ns */
	bool frozen; /* the temporary files are being emptied: what is there is not to be read */
	bool ended;
};

static uint64_t size_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? 0 : (uint64_t)st.st_size;
}

static int no_memory(const struct tfs_follow *t, struct tfs_err *err)
{
	return tfs_err_set(err, -ENOMEM, "cannot follow '%s'", t->head->path);
}

static int open_segments(struct tfs_follow *t, struct tfs_err *err)
{
	int rc = tfs_dat_segments_read(t->head, &t->names, err);

	if (rc)
		return rc;
	t->segments = calloc(t->names.n + 1, sizeof(*t->segments));
	t->first = calloc(t->names.n_buffers + 1, sizeof(*t->first));
	if (!t->segments || !t->first)
		return no_memory(t, err);
	for (size_t i = 0; i < t->names.n && rc >= 0; i++) {
		rc = tfs_segment_open(&t->segments[t->n].file, t->head, &t->names, i, err);
		t->n += rc > 0;
	}
	return rc < 0 ? rc : 0;
}

/* Its CPUs are the segments from @first[number] on. */
static int add_buffer(struct tfs_follow *t, size_t number, struct tfs_err *err)
{
	const struct tfs_dat_segments_buffer *buffer = &t->names.buffers[number];
	struct tfs_dat_buffer_desc desc = {
		.name = buffer->name,
		.clock = buffer->clock,
		.page_size = buffer->page_size,
		.compressed = t->head->info.codec != TFS_CODEC_NONE,
	};
	size_t i = 0;

	desc.cpus = calloc(t->n + 1, sizeof(*desc.cpus));
	if (!desc.cpus)
		return no_memory(t, err);
	while (i < t->n && t->segments[i].file.buffer < number)
		i++;
	t->first[number] = i;
	for (; i < t->n && t->segments[i].file.buffer == number; i++)
		desc.cpus[desc.n_cpus++].cpu = t->segments[i].file.cpu;
	return tfs_dat_buffer_add(t->head, &desc, err);
}

/* A recorder holds a lock on its trace file; where the file system has none, it never ends. */
static bool is_abandoned(const struct tfs_follow *t)
{
	if (flock(t->head->fd, LOCK_SH | LOCK_NB))
		return false;
	flock(t->head->fd, LOCK_UN);
	return true;
}

static int check_state(const struct tfs_follow *t, enum tfs_follow_flags flags, struct tfs_err *err)
{
	const struct tfs_dat *dat = t->head;
	const bool abandoned = is_abandoned(t);

	/* The head is being written; buffers are described just before their data are copied. */
	if (!abandoned && (dat->damage.code || dat->n_buffers || size_of(dat->fd) != t->head_size))
		return tfs_err_say(err, -EAGAIN, "'%s' is just being begun or completed",
				   dat->path);
	if (!t->n)
		return tfs_err_say(err, -ENOENT, "nothing is being recorded into '%s'", dat->path);
	if (!abandoned && (flags & TFS_FOLLOW_ABANDONED))
		return tfs_err_say(err, -EBUSY, "'%s' is being recorded", dat->path);
	return 0;
}

static void hint_completes(struct tfs_err *err, const char *path, const char *before,
			   const char *after)
{
	char *command = tfs_dat_completes(path);

	if (command)
		tfs_err_hint(err, "%s%s%s", before, command, after);
	free(command);
}

/* The recorder was killed while it joined the data: some are in the file, the rest is not. */
static int say_half_joined(const struct tfs_follow *t, struct tfs_err *err)
{
	struct tfs_err note = TFS_ERR_INIT;

	tfs_err_say(&note, -EBADMSG, "its recorder was killed before the file was complete");
	tfs_dat_note_damage(t->head, &note);
	if (!t->head->damage.hint[0])
		hint_completes(&t->head->damage, t->head->path, "", " completes it");
	return tfs_err_say(err, -ENOENT, "the data of '%s' were being joined", t->head->path);
}

/* Who may not see addresses reads zeros. */
static bool has_addresses(const char *symbols)
{
	for (const char *line = symbols; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (isxdigit((unsigned char)line[strspn(line, "0")]))
			return true;
	}
	return false;
}

/* The file gets its symbols at the end: while the kernel that it is of runs, that has them. */
static void borrow_symbols(struct tfs_follow *t)
{
	struct tfs_dat *dat = t->head;
	struct tfs_strbuf boot = TFS_STRBUF_INIT;
	struct tfs_strbuf text = TFS_STRBUF_INIT;

	if (!(t->names.flags & TFS_DAT_SEGMENTS_SYMBOLS) || dat->blob[TFS_DAT_BLOB_KALLSYMS].mem ||
	    tfs_read_path(TFS_DAT_BOOT_ID, &boot))
		goto out;
	tfs_strbuf_rtrim(&boot);
	if (strcmp(boot.s, t->names.boot) != 0 || tfs_read_path(KALLSYMS, &text) ||
	    !has_addresses(text.s))
		goto out;
	dat->blob[TFS_DAT_BLOB_KALLSYMS].size = text.len;
	if (tfs_strbuf_detach(&text, &dat->blob[TFS_DAT_BLOB_KALLSYMS].mem))
		dat->blob[TFS_DAT_BLOB_KALLSYMS].size = 0;
	dat->blob[TFS_DAT_BLOB_KALLSYMS].data = dat->blob[TFS_DAT_BLOB_KALLSYMS].mem;
out:
	tfs_strbuf_release(&boot);
	tfs_strbuf_release(&text);
}

int tfs_follow_open(struct tfs_dat *dat, enum tfs_follow_flags flags, struct tfs_follow **out,
		    struct tfs_err *err)
{
	struct tfs_follow *t = calloc(1, sizeof(*t));
	int rc;

	if (!t)
		return tfs_err_set(err, -ENOMEM, "cannot follow '%s'", dat->path);
	t->head = dat;
	t->head_size = dat->info.file_size;
	rc = open_segments(t, err);
	if (!rc)
		rc = check_state(t, flags, err);
	if (!rc && dat->n_buffers)
		rc = say_half_joined(t, err);
	for (size_t i = 0; i < t->names.n_buffers && !rc; i++)
		rc = add_buffer(t, i, err);
	if (rc) {
		tfs_follow_free(t);
		return rc;
	}
	borrow_symbols(t);
	t->marked = tfs_monotonic_ns();
	*out = t;
	return 0;
}

void tfs_follow_free(struct tfs_follow *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n; i++)
		tfs_segment_release(&t->segments[i].file);
	tfs_dat_segments_release(&t->names);
	tfs_dat_free(t->whole);
	free(t->segments);
	free(t->first);
	free(t);
}

bool tfs_follow_ended(const struct tfs_follow *t)
{
	return t->ended;
}

bool tfs_follow_intact(struct tfs_follow *t)
{
	/* The head grows before the first byte of a temporary file is given back. */
	if (!t->ended && !(t->names.flags & TFS_DAT_SEGMENTS_CAPPED) &&
	    size_of(t->head->fd) != t->head_size)
		t->frozen = true;
	return !t->frozen || t->ended;
}

/* All temporary files are gone: the trace file has everything. */
static bool is_complete(const struct tfs_follow *t)
{
	struct stat st;

	for (size_t i = 0; i < t->n; i++)
		if (fstat(t->segments[i].file.dat.fd, &st) || st.st_nlink)
			return false;
	return true;
}

static void refresh(struct tfs_follow *t)
{
	uint64_t now = tfs_monotonic_ns();
	bool mark = now - t->marked >= STABLE_NS;

	for (size_t i = 0; i < t->n; i++) {
		struct segment *p = &t->segments[i];

		p->file.dat.info.file_size = size_of(p->file.dat.fd);
		if (!mark)
			continue;
		p->stable = p->seen;
		p->seen = p->file.dat.info.file_size;
	}
	if (mark)
		t->marked = now;
}

/* Its recorder was killed: what was in the kernel's buffers then is missing. */
static void abandon(struct tfs_follow *t)
{
	struct tfs_err note = TFS_ERR_INIT;

	t->ended = true;
	tfs_dat_buffer_cut_all(t->head);
	tfs_err_say(&note, -EBADMSG, "the recording was not completed");
	hint_completes(&note, t->head->path,
		       "its recorder was killed; what it had written is shown, and ",
		       " makes a plain file of it");
	tfs_dat_note_damage(t->head, &note);
}

/* By its descriptor: another recording may have the name by now (--switch-output). */
static int open_whole(struct tfs_follow *t, struct tfs_err *err)
{
	int fd = fcntl(t->head->fd, F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		return tfs_err_set(err, -errno, "cannot open '%s'", t->head->path);
	return tfs_dat_open_fd(fd, t->head->path, &t->whole, err);
}

int tfs_follow_update(struct tfs_follow *t, struct tfs_err *err)
{
	const bool capped = t->names.flags & TFS_DAT_SEGMENTS_CAPPED;
	int rc;

	if (t->ended)
		return 0;
	if (is_complete(t)) {
		/* The file has no gaps as the segments have; but these still hold everything. */
		rc = capped ? 0 : open_whole(t, err);
		if (rc)
			return rc;
		refresh(t);
		t->ended = true;
	} else if (is_abandoned(t)) {
		/* It may have ended well between the two questions. */
		if (is_complete(t))
			return tfs_follow_update(t, err);
		refresh(t);
		abandon(t);
	} else if (tfs_follow_intact(t)) {
		refresh(t);
	}
	return 0;
}

/* In the complete file: CPUs without data are left out. */
static bool place_in_whole(const struct tfs_follow *t, const struct tfs_segment *segment,
			   struct tfs_follow_place *place)
{
	const struct tfs_dat_buffer *buf;

	if (segment->buffer >= t->whole->n_buffers)
		return false;
	buf = &t->whole->buffers[segment->buffer].pub;
	for (size_t i = 0; i < buf->n_cpus; i++) {
		if (buf->cpus[i].cpu != segment->cpu)
			continue;
		place->dat = t->whole;
		/* In front of chunks there is their number. */
		place->base = buf->cpus[i].offset + (buf->compressed ? 4 : 0);
		place->end = buf->cpus[i].offset + buf->cpus[i].size;
		return true;
	}
	return false;
}

static struct segment *segment_of(const struct tfs_follow *t, size_t buffer, size_t cpu_index)
{
	return &t->segments[t->first[buffer] + cpu_index];
}

int tfs_follow_more(struct tfs_follow *t, size_t buffer, size_t cpu_index, uint64_t *done,
		    struct tfs_follow_place *place)
{
	struct tfs_segment *p = &segment_of(t, buffer, cpu_index)->file;
	uint64_t size;
	bool whole;

	if (t->whole)
		return place_in_whole(t, p, place) && *done < place->end - place->base;
	if (!tfs_follow_intact(t))
		return 0;
	whole = tfs_segment_next(p, done, &size);
	*place = (struct tfs_follow_place){ .dat = &p->dat, .end = p->dat.info.file_size };
	if (p->dat.info.codec == TFS_CODEC_NONE)
		place->end -= place->end % p->page_size;
	/* After the end a chunk that was cut short is for the reader to complain of. */
	return whole || (t->ended && *done < place->end);
}

bool tfs_follow_is_stable(const struct tfs_follow *t, size_t buffer, size_t cpu_index,
			  uint64_t done)
{
	return t->ended || done <= segment_of(t, buffer, cpu_index)->stable;
}
