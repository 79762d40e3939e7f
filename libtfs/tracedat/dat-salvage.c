/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-salvage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cpus.h"
#include "base/cursor.h"
#include "base/err.h"
#include "tracedat/dat-buffer.h"
#include "tracedat/dat-internal.h"
#include "tracedat/dat-option.h"
#include "tracedat/dat-section.h"
#include "tracedat/dat-source.h"

#define OPTIONS_MIN 14 /* DONE: u16 id, u32 size, u64 next */
#define TABLE_HEAD 4   /* u32 number of chunks */
#define CHUNK_HEAD 8   /* u32 compressed size, u32 size */

/* Reads the section at @at. Returns the offset of the next one; 0 if there is nothing valid. */
static uint64_t step(const struct tfs_dat *dat, uint64_t at, struct tfs_dat_section *sec)
{
	if (tfs_dat_section_at(dat, at, sec, NULL))
		return 0;
	if (sec->id >= TFS_DAT_N_SECTIONS && sec->id < TFS_DAT_PRIVATE)
		return 0;
	/* Zeros look like empty OPTIONS sections, but even those have an end. */
	if (sec->id == TFS_DAT_DONE && sec->size < OPTIONS_MIN)
		return 0;
	return sec->off + sec->size;
}

static bool chain_has(const struct tfs_dat *dat, uint64_t at)
{
	size_t i;

	for (i = 0; i < dat->n_chain; i++)
		if (dat->chain[i] == at)
			return true;
	return false;
}

int tfs_dat_salvage_sections(struct tfs_dat *dat, struct tfs_err *err)
{
	uint64_t at = dat->body, next, ignored;
	struct tfs_dat_section sec;
	unsigned int options = 0;
	int rc;

	for (; (next = step(dat, at, &sec)); at = next) {
		if (sec.id == TFS_DAT_DONE && !chain_has(dat, at)) {
			if (++options > TFS_DAT_CHAIN_MAX)
				break;
			rc = tfs_dat_option_section(dat, &sec, &ignored, err);
			if (rc == -ENOMEM)
				return rc;
		}
		if (sec.id >= TFS_DAT_HEADER_INFO && sec.id <= TFS_DAT_CMDLINES &&
		    !dat->section[sec.id])
			dat->section[sec.id] = at;
	}
	return 0;
}

static bool is_described(const struct tfs_dat *dat, uint64_t at)
{
	size_t i;

	for (i = 0; i < dat->n_options; i++) {
		const struct tfs_blob *data = &dat->options[i].data;

		if (dat->options[i].id != TFS_DAT_BUFFER &&
		    dat->options[i].id != TFS_DAT_BUFFER_TEXT)
			continue;
		if (data->size >= 8 && (tfs_load_u64(data->data, dat->info.big_endian) == at ||
					tfs_load_u64(data->data, !dat->info.big_endian) == at))
			return true;
	}
	return false;
}

/*
 * @reached: CPUs of which there is something; those after them are known to be missing
 * @whole: the data of all that were found are, and no more follow
 * @open_end: it is not known how many follow
 */
struct found {
	struct tfs_dat_cpu *cpus;
	size_t n, cap, reached;
	bool whole, open_end;
};

static int found_add(struct found *f, uint64_t offset, uint64_t size)
{
	if (f->n >= TFS_CPUS_MAX)
		return 0;
	if (tfs_grow(&f->cpus, &f->cap, f->n + 1))
		return -ENOMEM;
	f->cpus[f->n] = (struct tfs_dat_cpu){
		.cpu = (unsigned int)f->n,
		.offset = offset,
		.size = size,
	};
	f->n++;
	return 0;
}

/* One whose data are missing, all of them */
static int found_add_missing(struct found *f, uint64_t offset)
{
	const size_t n = f->n;
	int rc = found_add(f, offset, 0);

	if (f->n > n)
		f->cpus[n].incomplete = true;
	return rc;
}

static uint64_t round_up(uint64_t n, uint32_t unit)
{
	uint64_t rest = n % unit;

	return rest ? n + unit - rest : n;
}

/*
 * A chunk table, as far as the file has it
 * @end: of its chunks
 * @limit: where it ended before the file was truncated, at most
 * @n: chunks of it that are there
 * @whole: all that it counts
 * @cut: the end of the file cuts it
 */
struct table {
	uint64_t end, limit;
	uint32_t n;
	bool whole, cut;
};

/* Incompressible data grows, by less than an eighth with any codec. */
static uint64_t chunk_limit(uint32_t size)
{
	return CHUNK_HEAD + (uint64_t)size + size / 8 + 1024;
}

/*
 * The chunk at t->end of the table is not there as a whole. Chunks have as many sub-buffers as the
 * first, but for the last one.
 */
static void find_limit(const struct tfs_dat *dat, uint64_t end, uint32_t count, uint32_t size,
		       struct table *t)
{
	struct tfs_dat_chunk chunk;
	uint64_t left = count - t->n, at = t->end;

	t->limit = UINT64_MAX;
	t->cut = end < at || end - at < CHUNK_HEAD;
	if (!t->cut && !tfs_dat_chunk_head(dat, at, &chunk, NULL) && chunk.size) {
		t->cut = chunk.packed > end - at - CHUNK_HEAD;
		at += CHUNK_HEAD + (uint64_t)chunk.packed;
		left--;
		size = chunk.size > size ? chunk.size : size;
	}
	if (t->cut && size)
		t->limit = at + left * chunk_limit(size);
}

/* @at <= @end */
static void walk_chunks(const struct tfs_dat *dat, uint64_t at, uint64_t end, struct table *t)
{
	struct tfs_dat_chunk chunk;
	unsigned char b[TABLE_HEAD];
	uint32_t count, size = 0;

	*t = (struct table){ .end = at, .limit = UINT64_MAX };
	t->cut = end - at < sizeof(b);
	if (t->cut || tfs_dat_pread(dat, b, sizeof(b), at, "", NULL))
		return;
	count = tfs_load_u32(b, dat->info.big_endian);
	t->end += sizeof(b);
	for (; t->n < count; t->n++) {
		if (t->end > end || tfs_dat_chunk_at(dat, t->end, &chunk, NULL) || !chunk.size) {
			find_limit(dat, end, count, size, t);
			return;
		}
		size = chunk.size > size ? chunk.size : size;
		t->end += CHUNK_HEAD + (uint64_t)chunk.packed;
	}
	t->whole = true;
	t->limit = t->end;
}

/*
 * Where the chunk table at or after @at begins. Some recorders align the tables, with zeros before
 * them, others let them follow each other.
 */
static uint64_t skip_padding(const struct tfs_dat *dat, uint64_t at, uint64_t end,
			     uint32_t page_size)
{
	const uint64_t aligned = round_up(at, page_size);
	const uint64_t stop = aligned < end ? aligned : end;
	unsigned char b[256];

	for (uint64_t i = at; i < stop;) {
		const size_t n = stop - i < sizeof(b) ? stop - i : sizeof(b);

		if (tfs_dat_pread(dat, b, n, i, "", NULL))
			return at;
		for (size_t k = 0; k < n; k++)
			if (b[k])
				return at;
		i += n;
	}
	return aligned;
}

/*
 * A CPU whose first chunk is cut has no data. One that begins after the end of the file has not
 * even a table, but the section's size may say that there was more than the tables before account
 * for.
 */
static int find_chunked(const struct tfs_dat *dat, const struct tfs_dat_section *sec,
			uint32_t page_size, struct found *f)
{
	const uint64_t end = sec->off + sec->size;
	const uint64_t stored =
		sec->stored_size < UINT64_MAX - sec->off ? sec->off + sec->stored_size : UINT64_MAX;
	struct table t = { .limit = sec->off, .whole = true };
	uint64_t at = skip_padding(dat, sec->off, end, page_size);
	int rc = 0;

	while (!rc && t.whole && at < end) {
		walk_chunks(dat, at, end, &t);
		/* Reading the chunks finds out where they break. */
		if (t.n || t.whole)
			rc = found_add(f, at, t.end - at);
		else if (t.cut && stored > end)
			rc = found_add_missing(f, at);
		else
			t.limit = at;
		if (!t.whole)
			break;
		at = t.limit = skip_padding(dat, t.end, end, page_size);
	}
	f->reached = f->n;
	f->whole = t.whole && at >= end && !sec->cut;
	if (!rc && stored > t.limit && (f->n || stored > end))
		rc = found_add_missing(f, dat->info.file_size);
	return rc;
}

/* Sub-buffers of a CPU follow each other in time: where time goes back, another CPU begins. */
static int find_raw(const struct tfs_dat *dat, const struct tfs_dat_section *sec,
		    uint32_t page_size, struct found *f)
{
	uint64_t end = sec->off + sec->size;
	uint64_t at = round_up(sec->off, page_size), start = at, last = 0, ts;
	unsigned char b[8];
	int rc = 0;

	for (; !rc && at < end; at += page_size) {
		if (end - at < sizeof(b) || tfs_dat_pread(dat, b, sizeof(b), at, "", NULL))
			break;
		ts = tfs_load_u64(b, dat->info.big_endian);
		if (ts < last) {
			rc = found_add(f, start, at - start);
			start = at;
		}
		last = ts;
	}
	if (!rc && start < end)
		rc = found_add(f, start, end - start);
	f->reached = f->n;
	f->whole = !sec->cut;
	if (!rc && f->n && sec->cut)
		f->cpus[f->n - 1].incomplete = true;
	return rc;
}

/* How many CPUs a buffer has, by the options and by the buffers that are described; 0: not known */
static size_t known_cpus(const struct tfs_dat *dat)
{
	size_t n = dat->info.cpus, i;

	for (i = 0; i < dat->n_buffers; i++)
		if (dat->buffers[i].pub.n_cpus > n)
			n = dat->buffers[i].pub.n_cpus;
	return n < TFS_CPUS_MAX ? n : TFS_CPUS_MAX;
}

/* The data of the CPUs that are not there were after those that were found, if there were any. */
static int add_missing(const struct tfs_dat *dat, struct found *f)
{
	const size_t n = f->whole ? 0 : known_cpus(dat);
	int rc = 0;

	f->open_end = !f->whole && !n;
	while (!rc && f->n < n)
		rc = found_add_missing(f, dat->info.file_size);
	return rc;
}

/* The first damage is the reason, which stays; what was done about it is its hint. */
static void say_salvaged(struct tfs_dat *dat, const char *name, uint64_t at, const struct found *f)
{
	struct tfs_err note = TFS_ERR_INIT;

	tfs_err_say(&note, -EBADMSG, "the description of the buffer at offset %#" PRIx64 " is lost",
		    at);
	tfs_dat_note_damage(dat, &note);
	if (!dat->damage.hint[0])
		tfs_err_hint(&dat->damage,
			     "the buffer at offset %#" PRIx64 " is read without its description: "
			     "as buffer '%s' with %zu CPU%s, numbered by their order%s",
			     at, name, f->reached, f->reached == 1 ? "" : "s",
			     f->open_end ? "; there may have been more" : "");
}

static int salvage_buffer(struct tfs_dat *dat, const struct tfs_dat_section *sec, size_t number,
			  struct tfs_err *err)
{
	struct tfs_dat_buffer_desc desc = {
		.clock = "",
		.page_size = tfs_dat_page_size(dat),
		.compressed = sec->compressed,
	};
	struct found f = { 0 };
	char name[32] = "";
	int rc;

	if (sec->compressed)
		rc = find_chunked(dat, sec, desc.page_size, &f);
	else
		rc = find_raw(dat, sec, desc.page_size, &f);
	if (rc || !f.n) {
		free(f.cpus);
		return rc ? tfs_err_set(err, rc, "cannot read a buffer") : 0;
	}
	rc = add_missing(dat, &f);
	if (rc) {
		free(f.cpus);
		return tfs_err_set(err, rc, "cannot read a buffer");
	}
	if (number)
		snprintf(name, sizeof(name), "salvaged-%zu", number);
	say_salvaged(dat, name, sec->at, &f);
	desc.name = name;
	desc.cpus = f.cpus;
	desc.n_cpus = f.n;
	desc.more_cpus = f.open_end;
	return tfs_dat_buffer_add(dat, &desc, err);
}

int tfs_dat_salvage_buffers(struct tfs_dat *dat, struct tfs_err *err)
{
	uint64_t at = dat->body, next;
	struct tfs_dat_section sec;
	int rc = 0;

	for (; !rc && (next = step(dat, at, &sec)); at = next) {
		if (sec.id != TFS_DAT_BUFFER || is_described(dat, at))
			continue;
		/*
		 * A recorder that was killed has not written the size yet: then it is 0, and what
		 * follows is taken for its data if no section can be there.
		 */
		if (!sec.size && !step(dat, next, &(struct tfs_dat_section){ 0 })) {
			sec.size = dat->info.file_size - sec.off;
			sec.cut = true;
		}
		if (dat->n_buffers < TFS_DAT_CHAIN_MAX)
			rc = salvage_buffer(dat, &sec, dat->n_buffers, err);
	}
	return rc;
}
