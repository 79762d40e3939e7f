/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-append.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/err.h"
#include "base/io.h"
#include "base/strbuf-core.h"
#include "tracedat/compress.h"
#include "tracedat/dat-internal.h"
#include "tracedat/dat-section.h"
#include "tracedat/dat-source.h"
#include "tracedat/dat-write.h"

#define TAG_OPTIONS "options  "
#define TAG_FLYRECORD "flyrecord"

static bool host_is_big(void)
{
	const uint16_t probe = 1;

	return !*(const unsigned char *)&probe;
}

static int take_codec(const char *name, enum tfs_codec_id *out, struct tfs_err *err)
{
	static const enum tfs_codec_id ids[] = { TFS_CODEC_NONE, TFS_CODEC_ZLIB, TFS_CODEC_ZSTD };

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		if (strcmp(name, tfs_codec_name(ids[i])) != 0)
			continue;
		*out = ids[i];
		return 1;
	}
	return tfs_err_say(err, -EOPNOTSUPP, "its compression is not known here");
}

static int incomplete(size_t size, struct tfs_err *err)
{
	if (size < TFS_DAT_HEAD_MAX)
		return 0;
	return tfs_err_say(err, -EBADMSG, "the initial bytes of its trace file do not end");
}

int tfs_dat_head_parse(const void *data, size_t size, struct tfs_dat_head *out, struct tfs_err *err)
{
	struct tfs_cursor c;
	const void *magic;
	const char *word, *version;
	uint64_t options;
	uint32_t page_size;
	uint8_t big, long_size;

	*out = (struct tfs_dat_head){ .codec = TFS_CODEC_NONE };
	tfs_cursor_init(&c, data, size < TFS_DAT_HEAD_MAX ? size : TFS_DAT_HEAD_MAX, false);
	if (tfs_cursor_bytes(&c, TFS_DAT_MAGIC_SIZE, &magic))
		return 0;
	if (memcmp(magic, TFS_DAT_MAGIC, TFS_DAT_MAGIC_SIZE) != 0)
		return tfs_err_say(err, -EBADMSG, "what it sends is not a trace file");
	if (tfs_cursor_strz(&c, &version) || tfs_cursor_u8(&c, &big) ||
	    tfs_cursor_u8(&c, &long_size) || tfs_cursor_u32(&c, &page_size))
		return incomplete(size, err);
	if (big > 1 || (long_size != 4 && long_size != 8))
		return tfs_err_say(err, -EBADMSG, "its machine cannot be");
	out->big_endian = big;
	out->long_size = long_size;
	out->swapped = out->big_endian != host_is_big();
	out->version = !strcmp(version, "6") ? 6 : !strcmp(version, "7") ? 7 : 0;
	if (!out->version)
		return tfs_err_say(err, -EOPNOTSUPP, "its version of the trace file is not known");
	if (out->version < 7)
		return 1;
	if (tfs_cursor_strz(&c, &word) || tfs_cursor_strz(&c, &version) ||
	    tfs_cursor_u64(&c, &options))
		return incomplete(size, err);
	return take_codec(word, &out->codec, err);
}

static int cannot_append(const char *name, int rc, struct tfs_err *err)
{
	return tfs_err_set(err, rc, "cannot complete '%s'", name);
}

/*
 * Where the next OPTIONS section is to be named: at the end of the last one that can be reached
 * and is whole, else in the head.
 */
static void find_link(const struct tfs_dat *dat, struct tfs_dat_resume_point *place)
{
	uint64_t at = dat->first_options;
	unsigned char next[8];
	struct tfs_dat_section sec;

	place->link = dat->body - sizeof(uint64_t);
	for (unsigned int i = 0; at && i < TFS_DAT_CHAIN_MAX; i++) {
		if (tfs_dat_section_at(dat, at, &sec, NULL) || sec.id != TFS_DAT_DONE ||
		    sec.compressed || sec.cut || sec.size < sizeof(next))
			return;
		place->link = sec.off + sec.size - sizeof(next);
		if (tfs_dat_pread(dat, next, sizeof(next), place->link, "options", NULL))
			return;
		at = tfs_load_u64(next, dat->info.big_endian);
	}
}

/* Sections that came whole, when the options that lead to them did not. */
static int add_sections(const struct tfs_dat *dat, const struct tfs_dat_resume_point *place,
			struct tfs_dat_writer *w)
{
	struct tfs_dat_section sec;
	uint64_t at;
	int rc = 0;

	if (place->link != dat->body - sizeof(uint64_t))
		return 0;
	for (unsigned int id = TFS_DAT_HEADER_INFO; id <= TFS_DAT_CMDLINES && !rc; id++) {
		at = dat->section[id];
		if (!at || tfs_dat_section_at(dat, at, &sec, NULL) || sec.cut)
			continue;
		if (place->swapped)
			at = __builtin_bswap64(at);
		rc = tfs_dat_writer_option(w, (uint16_t)id, &at, sizeof(at));
	}
	return rc;
}

static uint64_t order64(const struct tfs_dat *dat, uint64_t n)
{
	return dat->info.big_endian == host_is_big() ? n : __builtin_bswap64(n);
}

static uint32_t order32(const struct tfs_dat *dat, uint32_t n)
{
	return dat->info.big_endian == host_is_big() ? n : __builtin_bswap32(n);
}

/* The clock in brackets, as the BUFFER option has it. */
static int clock_name(const struct tfs_dat *dat, struct tfs_strbuf *sb)
{
	return dat->trace_clock ? tfs_strbuf_add(sb, dat->trace_clock, dat->trace_clock_len) : 0;
}

static int append_v7(int fd, struct tfs_dat *dat, const struct tfs_dat_append_opts *opts,
		     struct tfs_err *err)
{
	struct tfs_dat_resume_point place = { .end = dat->info.file_size };
	struct tfs_strbuf clock = TFS_STRBUF_INIT;
	const uint64_t id = order64(dat, opts->trace_id);
	const uint32_t cpus = order32(dat, opts->n_cpus), no_symbols = 0;
	struct tfs_codec *codec = NULL;
	struct tfs_dat_writer *w = NULL;
	int rc;

	place.swapped = dat->info.big_endian != host_is_big();
	find_link(dat, &place);
	rc = tfs_codec_new(dat->info.codec, 0, &codec, err);
	if (!rc)
		rc = tfs_dat_writer_resume(fd, codec, &place, &w, err);
	if (rc)
		goto out;
	rc = clock_name(dat, &clock);
	if (!rc)
		rc = add_sections(dat, &place, w);
	/* trace-cmd split needs the section. */
	if (!rc && !dat->section[TFS_DAT_KALLSYMS])
		rc = tfs_dat_writer_section(w, TFS_DAT_KALLSYMS, &no_symbols, sizeof(no_symbols),
					    err);
	if (!rc && !tfs_dat_option_last(dat, TFS_DAT_TRACEID))
		rc = tfs_dat_writer_option(w, TFS_DAT_TRACEID, &id, sizeof(id));
	if (!rc && !tfs_dat_option_last(dat, TFS_DAT_CPUCOUNT))
		rc = tfs_dat_writer_option(w, TFS_DAT_CPUCOUNT, &cpus, sizeof(cpus));
	if (!rc)
		rc = tfs_dat_writer_buffer(w, "", clock.s, opts->page_size, opts->cpus,
					   opts->n_data);
	rc = rc ? cannot_append(dat->path, rc, err) : tfs_dat_writer_finish(w, err);
out:
	tfs_strbuf_release(&clock);
	tfs_dat_writer_free(w);
	tfs_codec_free(codec);
	return rc;
}

/*
 * Clients of trace-cmd 3 that speak version 1 end their metadata before the names of tasks, older
 * ones after them.
 */
static bool lacks_task_names(const struct tfs_dat *dat)
{
	return dat->blob[TFS_DAT_BLOB_PRINTK].data && !dat->blob[TFS_DAT_BLOB_CMDLINES].data;
}

/* Version 6 after the names of tasks, or before them: CPU count, options. */
static int add_v6_options(int fd, const struct tfs_dat *dat, const struct tfs_dat_append_opts *opts)
{
	const uint32_t cpus = order32(dat, opts->n_cpus), size = order32(dat, sizeof(uint64_t));
	const uint64_t id = order64(dat, opts->trace_id);
	const bool swapped = dat->info.big_endian != host_is_big();
	const uint16_t done = 0,
		       trace_id = swapped ? __builtin_bswap16(TFS_DAT_TRACEID) : TFS_DAT_TRACEID;
	const uint64_t no_names = 0;
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = 0;

	if (lacks_task_names(dat))
		rc = tfs_strbuf_add(&sb, &no_names, sizeof(no_names));
	if (!rc)
		rc = tfs_strbuf_add(&sb, &cpus, sizeof(cpus));
	if (!rc)
		rc = tfs_strbuf_add(&sb, TAG_OPTIONS, sizeof(TAG_OPTIONS));
	if (!rc)
		rc = tfs_strbuf_add(&sb, &trace_id, sizeof(trace_id));
	if (!rc)
		rc = tfs_strbuf_add(&sb, &size, sizeof(size));
	if (!rc)
		rc = tfs_strbuf_add(&sb, &id, sizeof(id));
	if (!rc)
		rc = tfs_strbuf_add(&sb, &done, sizeof(done));
	if (!rc)
		rc = tfs_pwrite_all(fd, sb.s, sb.len, (off_t)dat->info.file_size);
	tfs_strbuf_release(&sb);
	return rc;
}

static const struct tfs_dat_writer_cpu *data_of(const struct tfs_dat_append_opts *opts,
						uint32_t cpu)
{
	for (size_t i = 0; i < opts->n_data; i++)
		if (opts->cpus[i].cpu == cpu)
			return &opts->cpus[i];
	return NULL;
}

static uint64_t round_up(uint64_t n, uint32_t unit)
{
	return (n + unit - 1) / unit * unit;
}

/* "flyrecord", where each CPU's data are, and the clock if an option has one. */
static int add_v6_table(int fd, const struct tfs_dat *dat, const struct tfs_dat_append_opts *opts,
			uint64_t *begin)
{
	const size_t clock = dat->trace_clock ? 8 + 2 + dat->trace_clock_len : 0;
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	uint64_t at, n;
	int rc = tfs_strbuf_add(&sb, TAG_FLYRECORD, sizeof(TAG_FLYRECORD));

	at = round_up(dat->info.file_size + sb.len + 16 * (uint64_t)opts->n_cpus + clock,
		      opts->page_size);
	*begin = at;
	for (uint32_t i = 0; i < opts->n_cpus && !rc; i++) {
		const struct tfs_dat_writer_cpu *cpu = data_of(opts, i);

		n = order64(dat, at);
		rc = tfs_strbuf_add(&sb, &n, sizeof(n));
		n = order64(dat, cpu ? cpu->bytes : 0);
		if (!rc)
			rc = tfs_strbuf_add(&sb, &n, sizeof(n));
		at = round_up(at + (cpu ? cpu->bytes : 0), opts->page_size);
	}
	if (!rc && clock) {
		n = order64(dat, 2 + dat->trace_clock_len);
		rc = tfs_strbuf_add(&sb, &n, sizeof(n));
		if (!rc)
			rc = tfs_strbuf_addf(&sb, "[%.*s]", (int)dat->trace_clock_len,
					     dat->trace_clock);
	}
	if (!rc)
		rc = tfs_pwrite_all(fd, sb.s, sb.len, (off_t)dat->info.file_size);
	tfs_strbuf_release(&sb);
	return rc;
}

static int append_v6(int fd, const struct tfs_dat *dat, const struct tfs_dat_append_opts *opts,
		     struct tfs_err *err)
{
	uint64_t at;
	int rc;

	if (dat->info.cpus != opts->n_cpus)
		return tfs_err_say(err, -EBADMSG, "its metadata are for %u CPUs, its data for %u",
				   dat->info.cpus, opts->n_cpus);
	rc = add_v6_table(fd, dat, opts, &at);
	for (uint32_t i = 0; i < opts->n_cpus && !rc; i++) {
		const struct tfs_dat_writer_cpu *cpu = data_of(opts, i);

		if (!cpu)
			continue;
		if (lseek(fd, (off_t)at, SEEK_SET) < 0)
			rc = -errno;
		else
			rc = tfs_copy_fd(cpu->fd, 0, fd, (size_t)cpu->bytes);
		at = round_up(at + cpu->bytes, opts->page_size);
	}
	if (!rc && ftruncate(fd, (off_t)at))
		rc = -errno;
	return rc ? cannot_append(dat->path, rc, err) : 0;
}

static int open_again(int fd, const char *name, struct tfs_dat **dat, struct tfs_err *err)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	tfs_dat_free(*dat);
	*dat = NULL;
	if (copy < 0)
		return cannot_append(name, -errno, err);
	return tfs_dat_open_fd(copy, name, dat, err);
}

int tfs_dat_append(int fd, const char *name, const struct tfs_dat_append_opts *opts,
		   struct tfs_err *err)
{
	struct tfs_dat *dat = NULL;
	int rc = open_again(fd, name, &dat, err);

	if (!rc && dat && dat->info.version < 7 && opts->add_cpu_count) {
		rc = add_v6_options(fd, dat, opts);
		if (rc)
			cannot_append(name, rc, err);
		else
			rc = open_again(fd, name, &dat, err);
	}
	if (!rc && dat)
		rc = dat->info.version < 7 ? append_v6(fd, dat, opts, err) :
					     append_v7(fd, dat, opts, err);
	tfs_dat_free(dat);
	return rc;
}

/* u16 id, u16 flags, u32 description, u64 size; the options; DONE with u64 next */
static int put_options(int fd, const struct tfs_dat *dat, const void *options, size_t size)
{
	const bool swap = dat->info.big_endian != host_is_big();
	const uint64_t whole = size + sizeof(uint16_t) + sizeof(uint32_t) + sizeof(uint64_t);
	const uint64_t stored = swap ? __builtin_bswap64(whole) : whole, next = 0;
	const uint32_t done_size = order32(dat, sizeof(next)), description = UINT32_MAX;
	const uint16_t id = TFS_DAT_DONE, flags = 0;
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = tfs_strbuf_add(&sb, &id, sizeof(id));

	if (!rc)
		rc = tfs_strbuf_add(&sb, &flags, sizeof(flags));
	if (!rc)
		rc = tfs_strbuf_add(&sb, &description, sizeof(description));
	if (!rc)
		rc = tfs_strbuf_add(&sb, &stored, sizeof(stored));
	if (!rc)
		rc = tfs_strbuf_add(&sb, options, size);
	if (!rc)
		rc = tfs_strbuf_add(&sb, &id, sizeof(id));
	if (!rc)
		rc = tfs_strbuf_add(&sb, &done_size, sizeof(done_size));
	if (!rc)
		rc = tfs_strbuf_add(&sb, &next, sizeof(next));
	if (!rc)
		rc = tfs_pwrite_all(fd, sb.s, sb.len, (off_t)dat->info.file_size);
	if (!rc && fdatasync(fd))
		rc = -errno;
	if (rc)
		(void)!ftruncate(fd, (off_t)dat->info.file_size);
	tfs_strbuf_release(&sb);
	return rc;
}

int tfs_dat_append_options(int fd, const struct tfs_dat *dat, const void *options, size_t size,
			   struct tfs_err *err)
{
	struct tfs_dat_resume_point place = { .end = dat->info.file_size };
	uint64_t next = order64(dat, dat->info.file_size), old = 1;
	struct stat st;
	int rc = 0;

	if (dat->info.version < 7)
		return tfs_err_say(err, -EOPNOTSUPP, "'%s': version 6 has no place for options",
				   dat->path);
	if (fstat(fd, &st))
		return tfs_err_set(err, -errno, "cannot read '%s'", dat->path);
	if ((uint64_t)st.st_size != dat->info.file_size)
		return tfs_err_say(err, -EBUSY, "'%s' is being written", dat->path);
	find_link(dat, &place);
	if (place.link >= dat->body)
		rc = tfs_dat_pread(dat, &old, sizeof(old), place.link, "options", err);
	if (rc)
		return rc;
	if (old)
		return tfs_err_say(err, -EOPNOTSUPP, "'%s': its options have no end", dat->path);
	rc = put_options(fd, dat, options, size);
	if (!rc)
		rc = tfs_pwrite_all(fd, &next, sizeof(next), (off_t)place.link);
	if (!rc && fsync(fd))
		rc = -errno;
	return rc ? tfs_err_set(err, rc, "cannot write '%s'", dat->path) : 0;
}
