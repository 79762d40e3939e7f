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

/* @whole: the data of all that were found are, and no more follow */
struct found {
	struct tfs_dat_cpu *cpus;
	size_t n, cap;
	bool whole;
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

static uint64_t round_up(uint64_t n, uint32_t unit)
{
	uint64_t rest = n % unit;

	return rest ? n + unit - rest : n;
}

/* The end of a chunk table, or where it breaks; *@whole says which. 0: none is there. */
static uint64_t walk_chunks(const struct tfs_dat *dat, uint64_t at, uint64_t end, bool *whole)
{
	struct tfs_dat_chunk chunk;
	unsigned char b[4];
	uint32_t n, i;
	uint64_t off = at + sizeof(b);

	*whole = false;
	if (at > end || end - at < sizeof(b) || tfs_dat_pread(dat, b, sizeof(b), at, "", NULL))
		return 0;
	n = tfs_load_u32(b, dat->info.big_endian);
	for (i = 0; i < n; i++) {
		if (off > end || tfs_dat_chunk_at(dat, off, &chunk, NULL) || !chunk.size)
			return i || off >= end ? off : 0;
		off += 8 + (uint64_t)chunk.packed;
	}
	*whole = true;
	return off;
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

static int find_chunked(const struct tfs_dat *dat, const struct tfs_dat_section *sec,
			uint32_t page_size, struct found *f)
{
	uint64_t end = sec->off + sec->size;
	uint64_t at = skip_padding(dat, sec->off, end, page_size), stop;
	bool whole = true;
	int rc = 0;

	while (!rc && whole && at < end) {
		stop = walk_chunks(dat, at, end, &whole);
		if (!stop)
			break;
		/* Reading the chunks finds out where they break. */
		rc = found_add(f, at, stop - at);
		at = skip_padding(dat, stop, end, page_size);
	}
	f->whole = whole && at >= end && !sec->cut;
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
	f->whole = !sec->cut;
	if (!rc && f->n && sec->cut)
		f->cpus[f->n - 1].incomplete = true;
	return rc;
}

/* The data of the CPUs that are not there were after those that were found, if there were any. */
static int add_missing(const struct tfs_dat *dat, struct found *f)
{
	int rc = 0;

	while (!rc && !f->whole && f->n < dat->info.cpus && f->n < TFS_CPUS_MAX) {
		rc = found_add(f, dat->info.file_size, 0);
		if (!rc)
			f->cpus[f->n - 1].incomplete = true;
	}
	return rc;
}

/* The first damage is the reason, which stays; what was done about it is its hint. */
static void say_salvaged(struct tfs_dat *dat, const char *name, uint64_t at, size_t n)
{
	struct tfs_err note = TFS_ERR_INIT;

	tfs_err_say(&note, -EBADMSG, "the description of the buffer at offset %#" PRIx64 " is lost",
		    at);
	tfs_dat_note_damage(dat, &note);
	if (!dat->damage.hint[0])
		tfs_err_hint(&dat->damage,
			     "the buffer at offset %#" PRIx64 " is read without its description: "
			     "as buffer '%s' with %zu CPUs, numbered by their order",
			     at, name, n);
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
	size_t found;
	int rc;

	if (sec->compressed)
		rc = find_chunked(dat, sec, desc.page_size, &f);
	else
		rc = find_raw(dat, sec, desc.page_size, &f);
	if (rc || !f.n) {
		free(f.cpus);
		return rc ? tfs_err_set(err, rc, "cannot read a buffer") : 0;
	}
	found = f.n;
	rc = add_missing(dat, &f);
	if (rc) {
		free(f.cpus);
		return tfs_err_set(err, rc, "cannot read a buffer");
	}
	if (number)
		snprintf(name, sizeof(name), "salvaged-%zu", number);
	say_salvaged(dat, name, sec->at, found);
	desc.name = name;
	desc.cpus = f.cpus;
	desc.n_cpus = f.n;
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
