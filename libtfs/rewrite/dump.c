/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rewrite/dump.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/err.h"
#include "base/out.h"
#include "rewrite/dump-internal.h"
#include "tracedat/compress.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-section.h"

/* The first section STRINGS. A file has one; its @text is NULL without. */
static void load_names(struct tfs_dat *dat, struct tfs_dump_names *names)
{
	uint64_t at = tfs_dat_section_first(dat);
	struct tfs_dat_section sec;

	*names = (struct tfs_dump_names){ 0 };
	while (at && !names->text && tfs_dat_section_next(dat, &at, &sec))
		if (sec.id == TFS_DAT_STRINGS &&
		    tfs_dat_section_load(dat, &sec, "strings", &names->text, &names->size, NULL))
			names->text = NULL;
}

static void print_strings(const struct tfs_dump_names *names, struct tfs_out *out)
{
	if (names->text)
		tfs_out_printf(out, "\t[String @ offset]\n");
	for (size_t off = 0; names->text && off < names->size; off += strlen(names->text + off) + 1)
		tfs_out_printf(out, "\t\t\"%s\" @ %zu\n", names->text + off, off);
}

/* u32 compressed size, u32 size: false if they are not there */
static bool packed_sizes(struct tfs_dat *dat, const struct tfs_dat_section *sec,
			 struct tfs_dat_chunk *sizes)
{
	return sec->compressed && sec->id != TFS_DAT_BUFFER && sec->id != TFS_DAT_BUFFER_TEXT &&
	       !tfs_dat_chunk_head(dat, sec->off, sizes, NULL);
}

void tfs_dump_section_line(struct tfs_dat *dat, const struct tfs_dat_section *sec,
			   enum tfs_dump_line how, const struct tfs_dump_names *names,
			   struct tfs_out *out)
{
	struct tfs_dat_chunk sizes;
	const char *text = "Unknown";

	if (names->text && sec->description >= 0 && (size_t)sec->description < names->size)
		text = names->text + sec->description;
	if (how == TFS_DUMP_HEAD) {
		tfs_out_printf(out,
			       "\t[Section %u @ %" PRIu64 ": \"%s\", flags 0x%x, %" PRIu64
			       " bytes]\n",
			       sec->id, sec->at, text, sec->compressed, sec->stored_size);
	} else {
		tfs_out_printf(out, "\t[Section %2u @ %-16" PRIu64 "\t\"%s\", flags 0x%x, ",
			       sec->id, sec->at, text, sec->compressed);
		if (packed_sizes(dat, sec, &sizes))
			tfs_out_printf(out, "%" PRIu32 " compressed, %" PRIu32 " uncompressed]\n",
				       sizes.packed, sizes.size);
		else
			tfs_out_printf(out, "%" PRIu64 "%s bytes]\n", sec->stored_size,
				       sec->compressed ? " compressed" : "");
	}
}

static size_t count_sections(struct tfs_dat *dat)
{
	uint64_t at = tfs_dat_section_first(dat);
	struct tfs_dat_section sec;
	size_t n = 0;

	while (at && tfs_dat_section_next(dat, &at, &sec))
		n++;
	return n;
}

static void print_sections(struct tfs_dat *dat, const struct tfs_dump_names *names,
			   struct tfs_out *out)
{
	uint64_t at = tfs_dat_section_first(dat);
	const bool any = at != 0;
	struct tfs_dat_section sec;
	size_t n = 0;

	for (; at && tfs_dat_section_next(dat, &at, &sec); n++)
		tfs_dump_section_line(dat, &sec, TFS_DUMP_LIST, names, out);
	if (any)
		tfs_out_printf(out, "\t[%zu sections]\n", n);
}

/* The line of the section that the last option of this number leads to */
static void print_section_of(struct tfs_dat *dat, uint16_t id, const struct tfs_dump_names *names,
			     struct tfs_out *out)
{
	const struct tfs_dat_option *o = tfs_dat_option_last(dat, id);
	struct tfs_dat_section sec;

	if (tfs_dat_section_first(dat) && o && o->data.size >= sizeof(uint64_t) &&
	    !tfs_dat_section_at(dat, tfs_load_u64(o->data.data, tfs_dat_info(dat)->big_endian),
				&sec, NULL))
		tfs_dump_section_line(dat, &sec, TFS_DUMP_HEAD, names, out);
}

/* "[Kallsyms, 3674678 bytes]", and the text itself if @whole */
static void print_blob(const struct tfs_dat *dat, enum tfs_dat_blob id, const char *name,
		       bool whole, struct tfs_out *out)
{
	struct tfs_blob blob;

	tfs_dat_blob(dat, id, &blob);
	tfs_out_printf(out, "\t[%s, %zu bytes]\n", name, blob.size);
	if (whole)
		tfs_out_printf(out, "%s\n", blob.data);
}

static size_t count_ftrace(const struct tfs_dat *dat)
{
	const size_t n = tfs_dat_n_formats(dat);
	size_t i = 0;

	while (i < n && !strcmp(tfs_dat_format(dat, i)->system, "ftrace"))
		i++;
	return i;
}

static size_t system_end(const struct tfs_dat *dat, size_t i)
{
	const char *system = tfs_dat_format(dat, i)->system;

	while (i < tfs_dat_n_formats(dat) && tfs_dat_format(dat, i)->system == system)
		i++;
	return i;
}

static void print_systems(const struct tfs_dat *dat, bool whole, struct tfs_out *out)
{
	const size_t first = count_ftrace(dat), n = tfs_dat_n_formats(dat);
	size_t systems = 0;

	for (size_t i = first; i < n; i = system_end(dat, i))
		systems++;
	tfs_out_printf(out, "\t[Events format, %zu systems]\n", systems);
	for (size_t i = first; i < n && whole; i = system_end(dat, i))
		tfs_out_printf(out, "\t\t%s %zu [system, events]\n", tfs_dat_format(dat, i)->system,
			       system_end(dat, i) - i);
}

static void print_formats(const struct tfs_dat *dat, size_t from, size_t to, struct tfs_out *out)
{
	for (size_t i = from; i < to; i++)
		tfs_out_printf(out, "%s\n", tfs_dat_format(dat, i)->text.data);
}

/* As it is stored with the buffer, which may not be the true one (trace.dat(5)) */
static const char *stored_clock(const struct tfs_dat *dat, const struct tfs_dat_buffer *b)
{
	const char *name, *clock;
	struct tfs_cursor c;
	uint64_t at;

	for (size_t i = 0; i < tfs_dat_n_options(dat); i++) {
		const struct tfs_dat_option *o = tfs_dat_option(dat, i);

		if (o->id != TFS_DAT_BUFFER && o->id != TFS_DAT_BUFFER_TEXT)
			continue;
		tfs_cursor_init(&c, o->data.data, o->data.size, false);
		if (!tfs_cursor_u64(&c, &at) && !tfs_cursor_strz(&c, &name) &&
		    !strcmp(name, b->name) && !tfs_cursor_strz(&c, &clock))
			return clock;
	}
	return b->clock;
}

static void print_buffers(const struct tfs_dat *dat, struct tfs_out *out)
{
	for (size_t i = 0; i < tfs_dat_n_buffers(dat); i++) {
		const struct tfs_dat_buffer *b = tfs_dat_buffer(dat, i);
		uint64_t bytes = 0;

		tfs_out_printf(out, "\t[buffer \"%s\", \"%s\" clock, ", b->name,
			       stored_clock(dat, b));
		for (size_t k = 0; k < b->n_cpus; k++)
			bytes += b->cpus[k].size;
		if (b->text)
			tfs_out_printf(out, "latency data]\n");
		else
			tfs_out_printf(out,
				       "%" PRIu32 " page size, %zu cpus, %" PRIu64
				       " bytes flyrecord data]\n",
				       b->page_size, b->n_cpus, bytes);
	}
}

static void print_initial(const struct tfs_dat *dat, struct tfs_out *out)
{
	const struct tfs_dat_info *info = tfs_dat_info(dat);

	tfs_out_printf(out, "\n Tracing meta data in file %s:\n\t[Initial format]\n",
		       tfs_dat_path(dat));
	tfs_out_printf(out, "\t\t%d\t[Version]\n\t\t%d\t[%s endian]\n", info->version,
		       info->big_endian, info->big_endian ? "Big" : "Little");
	tfs_out_printf(out, "\t\t%u\t[Bytes in a long]\n\t\t%" PRIu32 "\t[Page size, bytes]\n",
		       info->long_size, info->page_size);
	if (info->version >= 7)
		tfs_out_printf(out,
			       "\t\t%s\t[Compression algorithm]\n\t\t%s\t[Compression version]\n",
			       tfs_codec_name(info->codec), info->codec_version);
}

/* "[Tracing clock]" of version 6, which is stored with each buffer */
static void print_clock_v6(const struct tfs_dat *dat, struct tfs_out *out)
{
	if (tfs_dat_option_last(dat, TFS_DAT_TRACECLOCK))
		tfs_out_printf(out, "\t[Tracing clock]\n\t\t[%s]\n", tfs_dat_buffer(dat, 0)->clock);
}

static void print_metadata_sizes(const struct tfs_dat *dat, struct tfs_out *out)
{
	const bool old = tfs_dat_info(dat)->version < 7;

	if (!old)
		print_blob(dat, TFS_DAT_BLOB_CMDLINES, "Saved command lines", false, out);
	if (!old) {
		print_blob(dat, TFS_DAT_BLOB_PRINTK, "Trace printk", false, out);
		print_blob(dat, TFS_DAT_BLOB_KALLSYMS, "Kallsyms", false, out);
		print_systems(dat, false, out);
		tfs_out_printf(out, "\t[Ftrace format, %zu events]\n", count_ftrace(dat));
	}
	print_blob(dat, TFS_DAT_BLOB_HEADER_PAGE, "Header page", false, out);
	print_blob(dat, TFS_DAT_BLOB_HEADER_EVENT, "Header event", false, out);
	if (old) {
		tfs_out_printf(out, "\t[Ftrace format, %zu events]\n", count_ftrace(dat));
		print_systems(dat, false, out);
		print_blob(dat, TFS_DAT_BLOB_KALLSYMS, "Kallsyms", false, out);
		print_blob(dat, TFS_DAT_BLOB_PRINTK, "Trace printk", false, out);
		print_blob(dat, TFS_DAT_BLOB_CMDLINES, "Saved command lines", false, out);
	}
}

/* trace-cmd counts what ends a section of options as well. */
static size_t count_options(const struct tfs_dat *dat)
{
	size_t n;

	tfs_dat_section_options(dat, &n);
	return n + tfs_dat_n_options(dat);
}

static void print_summary(struct tfs_dat *dat, struct tfs_out *out)
{
	const bool text = tfs_dat_is_text(dat);

	print_initial(dat, out);
	if (tfs_dat_info(dat)->version >= 7) {
		print_buffers(dat, out);
		tfs_out_printf(out, "\t[%zu options]\n", count_options(dat));
		print_metadata_sizes(dat, out);
		tfs_out_printf(out, "\t[%zu sections]\n", count_sections(dat));
		return;
	}
	print_metadata_sizes(dat, out);
	tfs_out_printf(out, "\t%u [CPUs with tracing data]\n", tfs_dat_info(dat)->cpus);
	tfs_out_printf(out, "\t[%zu options]\n", count_options(dat));
	for (size_t i = 0; i < tfs_dat_n_buffers(dat); i++) {
		tfs_out_printf(out, "\t[%s tracing data]\n", text ? "Latency" : "Flyrecord");
		if (!text)
			print_clock_v6(dat, out);
	}
}

static void print_flyrecord_v6(const struct tfs_dat *dat, struct tfs_out *out)
{
	for (size_t i = 0; i < tfs_dat_n_buffers(dat); i++) {
		const struct tfs_dat_buffer *b = tfs_dat_buffer(dat, i);

		if (b->text)
			continue;
		tfs_out_printf(out, "\t[Flyrecord tracing data]\n");
		for (size_t k = 0; k < b->n_cpus; k++)
			tfs_out_printf(out,
				       "\t%11" PRIu64 " %10" PRIu64 "\t[offset, size of cpu %u]\n",
				       b->cpus[k].offset, b->cpus[k].size, b->cpus[k].cpu);
	}
}

static void print_flyrecord(struct tfs_dat *dat, const struct tfs_dump_names *names,
			    struct tfs_out *out)
{
	const bool big = tfs_dat_info(dat)->big_endian != tfs_dat_options_swapped(dat);
	struct tfs_dat_section sec;

	if (!tfs_dat_section_first(dat)) {
		print_flyrecord_v6(dat, out);
		return;
	}
	for (size_t i = 0; i < tfs_dat_n_options(dat); i++) {
		const struct tfs_dat_option *o = tfs_dat_option(dat, i);

		if (o->id != TFS_DAT_BUFFER && o->id != TFS_DAT_BUFFER_TEXT)
			continue;
		if (o->data.size >= 8 &&
		    !tfs_dat_section_at(dat, tfs_load_u64(o->data.data, big), &sec, NULL))
			tfs_dump_section_line(dat, &sec, TFS_DUMP_HEAD, names, out);
		tfs_dump_buffer_option(dat, o, out);
	}
}

static void print_clock(const struct tfs_dat *dat, struct tfs_out *out)
{
	const struct tfs_dat_option *o = tfs_dat_option_last(dat, TFS_DAT_TRACECLOCK);

	if (o)
		tfs_out_printf(out, "%s\n", o->data.data);
	if (tfs_dat_info(dat)->version < 7 && tfs_dat_n_buffers(dat))
		print_clock_v6(dat, out);
}

/* The sections of texts */
static void print_texts(struct tfs_dat *dat, unsigned int parts, const struct tfs_dump_names *names,
			struct tfs_out *out)
{
	const size_t first = count_ftrace(dat);

	if (parts & TFS_DUMP_HEAD_PAGE || parts & TFS_DUMP_HEAD_EVENT)
		print_section_of(dat, TFS_DAT_HEADER_INFO, names, out);
	if (parts & TFS_DUMP_HEAD_PAGE)
		print_blob(dat, TFS_DAT_BLOB_HEADER_PAGE, "Header page", true, out);
	if (parts & TFS_DUMP_HEAD_EVENT)
		print_blob(dat, TFS_DAT_BLOB_HEADER_EVENT, "Header event", true, out);
	if (parts & TFS_DUMP_FTRACE_EVENTS) {
		print_section_of(dat, TFS_DAT_FTRACE_EVENTS, names, out);
		tfs_out_printf(out, "\t[Ftrace format, %zu events]\n", first);
		print_formats(dat, 0, first, out);
	}
	if (parts & TFS_DUMP_SYSTEMS || parts & TFS_DUMP_EVENTS) {
		print_section_of(dat, TFS_DAT_EVENT_FORMATS, names, out);
		print_systems(dat, (parts & TFS_DUMP_SYSTEMS) != 0, out);
	}
	if (parts & TFS_DUMP_EVENTS)
		print_formats(dat, first, tfs_dat_n_formats(dat), out);
	if (parts & TFS_DUMP_KALLSYMS) {
		print_section_of(dat, TFS_DAT_KALLSYMS, names, out);
		print_blob(dat, TFS_DAT_BLOB_KALLSYMS, "Kallsyms", true, out);
	}
	if (parts & TFS_DUMP_PRINTK) {
		print_section_of(dat, TFS_DAT_PRINTK, names, out);
		print_blob(dat, TFS_DAT_BLOB_PRINTK, "Trace printk", true, out);
	}
	if (parts & TFS_DUMP_CMD_LINES) {
		print_section_of(dat, TFS_DAT_CMDLINES, names, out);
		print_blob(dat, TFS_DAT_BLOB_CMDLINES, "Saved command lines", true, out);
	}
}

int tfs_dump(struct tfs_dat *dat, unsigned int parts, struct tfs_out *out, struct tfs_err *err)
{
	struct tfs_dump_names names;
	int rc = 0;

	load_names(dat, &names);
	if (parts & TFS_DUMP_SUMMARY)
		print_summary(dat, out);
	if (parts & TFS_DUMP_STRINGS)
		print_strings(&names, out);
	if (parts & TFS_DUMP_SECTIONS)
		print_sections(dat, &names, out);
	print_texts(dat, parts, &names, out);
	if (parts & TFS_DUMP_OPTIONS)
		rc = tfs_dump_options(dat, &names, out, err);
	if (parts & TFS_DUMP_FLYRECORD)
		print_flyrecord(dat, &names, out);
	if (parts & TFS_DUMP_CLOCK)
		print_clock(dat, out);
	free(names.text);
	return rc;
}
