/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-buffer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cpus.h"
#include "base/cursor.h"
#include "base/err.h"
#include "tracedat/dat-internal.h"
#include "tracedat/dat-section.h"

#define CPU_ENTRY_SIZE 20u /* u32 cpu, u64 offset, u64 size */

static void note(struct tfs_dat *dat, const char *what, const char *name,
		 const struct tfs_dat_cpu *cpu)
{
	struct tfs_err err = TFS_ERR_INIT;

	tfs_err_say(&err, -EBADMSG,
		    "buffer '%s': CPU %u (%" PRIu64 " bytes at offset %#" PRIx64 "): %s", name,
		    cpu->cpu, cpu->size, cpu->offset, what);
	tfs_dat_note_damage(dat, &err);
}

static void note_truncated(struct tfs_dat *dat, const char *name, const struct tfs_dat_cpu *cpu)
{
	const uint64_t file = dat->info.file_size;
	const uint64_t there = cpu->offset < file ? file - cpu->offset : 0;
	struct tfs_err err = TFS_ERR_INIT;

	tfs_err_say(&err, -EBADMSG,
		    "the file is truncated at offset %#" PRIx64 ": %" PRIu64 " of %" PRIu64
		    " bytes of CPU %u%s%s%s are missing",
		    file, cpu->size - there, cpu->size, cpu->cpu, *name ? " of buffer '" : "", name,
		    *name ? "'" : "");
	tfs_dat_note_damage(dat, &err);
}

static int by_number(const void *a, const void *b)
{
	const struct tfs_dat_cpu *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void check_cpus(struct tfs_dat *dat, struct tfs_dat_buf *buf)
{
	uint64_t file = dat->info.file_size;
	size_t i, n = 0;

	if (buf->pub.n_cpus)
		qsort(buf->cpus, buf->pub.n_cpus, sizeof(*buf->cpus), by_number);
	for (i = 0; i < buf->pub.n_cpus; i++) {
		struct tfs_dat_cpu *c = &buf->cpus[i];

		if (c->cpu >= TFS_CPUS_MAX) {
			note(dat, "no kernel has that CPU", buf->name, c);
			continue;
		}
		if (n && buf->cpus[n - 1].cpu == c->cpu)
			note(dat, "is there twice", buf->name, c);
		if (c->size && (c->offset > file || c->size > file - c->offset))
			note_truncated(dat, buf->name, c);
		buf->cpus[n++] = *c;
	}
	buf->pub.n_cpus = n;
}

static int grow_buffers(struct tfs_dat *dat)
{
	return tfs_grow(&dat->buffers, &dat->cap_buffers, dat->n_buffers + 1);
}

/*
 * trace-cmd stores the top buffer's clock with every instance, while TRACECLOCK has the true one
 * (tests/unit/tracedat/test_dat_traps.c: T7). Files of tracecraft have it in both.
 */
static char *true_clock(const struct tfs_dat *dat, const char *clock)
{
	if (dat->trace_clock && (!dat->by_us || !clock[0]))
		return strndup(dat->trace_clock, dat->trace_clock_len);
	return strdup(clock);
}

int tfs_dat_buffer_add(struct tfs_dat *dat, const struct tfs_dat_buffer_desc *desc,
		       struct tfs_err *err)
{
	struct tfs_dat_buf *buf;
	char *name = strdup(desc->name), *clock = true_clock(dat, desc->clock);
	uint32_t page_size = desc->page_size;

	if (!name || !clock || grow_buffers(dat)) {
		free(name);
		free(clock);
		free(desc->cpus);
		return tfs_err_set(err, -ENOMEM, "cannot read buffer '%s'", desc->name);
	}
	if (page_size && !tfs_dat_page_size_is_possible(page_size)) {
		tfs_err_say(err, -EBADMSG,
			    "buffer '%s': sub-buffers of %" PRIu32 " bytes cannot be", desc->name,
			    page_size);
		tfs_dat_note_damage(dat, err);
		page_size = 0;
	}
	if (!page_size)
		page_size = tfs_dat_page_size(dat);
	buf = &dat->buffers[dat->n_buffers++];
	*buf = (struct tfs_dat_buf){
		.pub = {
			.page_size = page_size,
			.compressed = desc->compressed,
			.text = desc->text,
			.more_cpus = desc->more_cpus,
			.n_cpus = desc->n_cpus,
		},
		.name = name,
		.clock = clock,
		.cpus = desc->cpus,
		.text_offset = desc->text_offset,
		.text_size = desc->text_size,
	};
	buf->pub.name = name;
	buf->pub.clock = clock;
	buf->pub.cpus = desc->cpus;
	check_cpus(dat, buf);
	return 0;
}

/* A BUFFER option as it reads in one byte order; strings point into the option. */
struct parsed {
	uint64_t section;
	const char *name, *clock;
	uint32_t page_size, n;
	struct tfs_cursor entries;
};

static int parse_option(const struct tfs_dat_option *opt, bool big, struct parsed *p)
{
	struct tfs_cursor c;

	*p = (struct parsed){ .name = "", .clock = "" };
	tfs_cursor_init(&c, opt->data.data, opt->data.size, big);
	if (tfs_cursor_u64(&c, &p->section) || tfs_cursor_strz(&c, &p->name) ||
	    tfs_cursor_strz(&c, &p->clock))
		return -EBADMSG;
	if (opt->id == TFS_DAT_BUFFER_TEXT)
		return 0;
	if (tfs_cursor_u32(&c, &p->page_size) || tfs_cursor_u32(&c, &p->n))
		return -EBADMSG;
	p->entries = c;
	return 0;
}

static bool plausible(const struct tfs_dat *dat, const struct tfs_dat_option *opt,
		      const struct parsed *p)
{
	if (p->section >= dat->info.file_size)
		return false;
	if (opt->id == TFS_DAT_BUFFER_TEXT)
		return true;
	return tfs_dat_page_size_is_possible(p->page_size) &&
	       p->n == tfs_cursor_left(&p->entries) / CPU_ENTRY_SIZE;
}

/*
 * trace-cmd writes binary options in its own byte order, also when it converts a file of the other
 * one: if the file's order makes no sense and the other does, the other it is.
 */
static int parse_either(struct tfs_dat *dat, const struct tfs_dat_option *opt, struct parsed *p)
{
	bool big = dat->info.big_endian;
	struct parsed other;
	int rc = parse_option(opt, big, p);

	if (!rc && plausible(dat, opt, p))
		return 0;
	if (!parse_option(opt, !big, &other) && plausible(dat, opt, &other)) {
		*p = other;
		dat->swapped_options = true;
		return 0;
	}
	return rc;
}

static int read_entries(struct tfs_dat *dat, struct parsed *p, struct tfs_dat_cpu **out)
{
	size_t room = tfs_cursor_left(&p->entries) / CPU_ENTRY_SIZE, i;
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_dat_cpu *cpus;

	*out = NULL;
	if (p->n > room) {
		tfs_err_say(&err, -EBADMSG,
			    "buffer '%s': %" PRIu32 " CPUs, but only %zu are described", p->name,
			    p->n, room);
		tfs_dat_note_damage(dat, &err);
		p->n = (uint32_t)room;
	}
	if (!p->n)
		return 0;
	cpus = calloc(p->n, sizeof(*cpus));
	if (!cpus)
		return -ENOMEM;
	for (i = 0; i < p->n; i++) {
		uint32_t cpu;

		if (tfs_cursor_u32(&p->entries, &cpu) ||
		    tfs_cursor_u64(&p->entries, &cpus[i].offset) ||
		    tfs_cursor_u64(&p->entries, &cpus[i].size))
			break;
		cpus[i].cpu = cpu;
	}
	*out = cpus;
	return 0;
}

static int add_from_option(struct tfs_dat *dat, const struct tfs_dat_option *opt,
			   struct tfs_err *err)
{
	struct tfs_dat_buffer_desc desc;
	struct tfs_dat_section sec;
	struct parsed p;
	int rc;

	if (parse_either(dat, opt, &p))
		return tfs_err_say(err, -EBADMSG, "option %u (%s) ends too early", opt->id,
				   tfs_dat_section_name(opt->id));
	desc = (struct tfs_dat_buffer_desc){
		.name = p.name,
		.clock = p.clock,
		.page_size = p.page_size,
		.compressed = dat->info.codec != TFS_CODEC_NONE,
		.text = opt->id == TFS_DAT_BUFFER_TEXT,
	};
	rc = tfs_dat_section_at(dat, p.section, &sec, err);
	if (!rc && sec.id != opt->id)
		rc = tfs_err_say(err, -EBADMSG, "section %u (%s) is there instead", sec.id,
				 tfs_dat_section_name(sec.id));
	if (rc && err) {
		/* The CPUs' offsets are absolute, so the data can be read all the same. */
		tfs_err_prefix(err, "buffer '%s' at offset %#" PRIx64, p.name, p.section);
		tfs_dat_note_damage(dat, err);
	}
	if (rc && desc.text)
		return rc;
	if (!rc) {
		desc.compressed = sec.compressed;
		desc.text_offset = sec.off;
		desc.text_size = sec.size;
	}
	if (read_entries(dat, &p, &desc.cpus))
		return tfs_err_set(err, -ENOMEM, "cannot read buffer '%s'", p.name);
	desc.n_cpus = p.n;
	return tfs_dat_buffer_add(dat, &desc, err);
}

int tfs_dat_buffer_options(struct tfs_dat *dat, struct tfs_err *err)
{
	size_t i;
	int rc;

	for (i = 0; i < dat->n_options; i++) {
		const struct tfs_dat_option *opt = &dat->options[i];

		if (opt->id != TFS_DAT_BUFFER && opt->id != TFS_DAT_BUFFER_TEXT)
			continue;
		rc = add_from_option(dat, opt, err);
		if (rc == -ENOMEM)
			return rc;
		if (rc)
			tfs_dat_note_damage(dat, err);
	}
	return 0;
}

void tfs_dat_buffer_cut_all(struct tfs_dat *dat)
{
	for (size_t i = 0; i < dat->n_buffers; i++)
		for (size_t k = 0; k < dat->buffers[i].pub.n_cpus; k++)
			dat->buffers[i].cpus[k].incomplete = true;
}

void tfs_dat_buffer_top_first(struct tfs_dat *dat)
{
	struct tfs_dat_buf top;
	size_t i;

	for (i = 0; i < dat->n_buffers; i++)
		if (!dat->buffers[i].name[0])
			break;
	if (!i || i >= dat->n_buffers)
		return;
	top = dat->buffers[i];
	memmove(dat->buffers + 1, dat->buffers, i * sizeof(*dat->buffers));
	dat->buffers[0] = top;
}
