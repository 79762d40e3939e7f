/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-option.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cursor.h"
#include "base/err.h"
#include "tracedat/dat-internal.h"
#include "tracedat/dat-section.h"
#include "tracedat/dat-source.h"

/* Takes @data. */
static int keep_option(struct tfs_dat *dat, uint16_t id, char *data, size_t size,
		       struct tfs_err *err)
{
	if (tfs_grow(&dat->options, &dat->cap_options, dat->n_options + 1)) {
		free(data);
		return tfs_err_set(err, -ENOMEM, "cannot read options");
	}
	dat->options[dat->n_options++] = (struct tfs_dat_option){
		.id = id,
		.data = { .data = data, .size = size },
	};
	dat->option_bytes += size;
	return 0;
}

static int read_option(struct tfs_dat *dat, struct tfs_dat_source *src, uint16_t id,
		       struct tfs_err *err)
{
	uint32_t size;
	char *data;
	int rc = tfs_dat_source_u32(src, &size, err);

	if (rc)
		return rc;
	if (dat->n_options >= TFS_DAT_OPTIONS_MAX ||
	    dat->option_bytes + size > TFS_DAT_OPTION_BYTES_MAX)
		return tfs_dat_source_fail(src, "more options than any recorder writes", err);
	rc = tfs_dat_source_blob(src, size, &data, err);
	return rc ? rc : keep_option(dat, id, data, size, err);
}

int tfs_dat_option_list(struct tfs_dat *dat, struct tfs_dat_source *src, struct tfs_err *err)
{
	uint16_t id;
	int rc;

	for (;;) {
		rc = tfs_dat_source_u16(src, &id, err);
		if (rc || id == TFS_DAT_DONE)
			return rc;
		rc = read_option(dat, src, id, err);
		if (rc)
			return rc;
	}
}

static int read_done(struct tfs_dat_source *src, uint64_t *next, struct tfs_err *err)
{
	uint32_t size;
	int rc = tfs_dat_source_u32(src, &size, err);

	if (!rc && size < sizeof(*next))
		rc = tfs_dat_source_fail(src, "its end has no place for the next section", err);
	return rc ? rc : tfs_dat_source_u64(src, next, err);
}

int tfs_dat_option_section(struct tfs_dat *dat, const struct tfs_dat_section *sec, uint64_t *next,
			   struct tfs_err *err)
{
	struct tfs_dat_source src;
	char *data = NULL;
	size_t size;
	uint16_t id;
	int rc;

	*next = 0;
	rc = tfs_dat_section_load(dat, sec, "options", &data, &size, err);
	if (rc)
		return rc;
	tfs_dat_source_mem(&src, dat, "options", data, size);
	src.base = sec->off;
	for (;;) {
		rc = tfs_dat_source_u16(&src, &id, err);
		if (rc)
			break;
		if (id == TFS_DAT_DONE) {
			rc = read_done(&src, next, err);
			break;
		}
		rc = read_option(dat, &src, id, err);
		if (rc)
			break;
	}
	free(data);
	return rc;
}

static bool seen_before(const struct tfs_dat *dat, uint64_t at)
{
	size_t i;

	for (i = 0; i < dat->n_chain; i++)
		if (dat->chain[i] == at)
			return true;
	return false;
}

static int remember(struct tfs_dat *dat, uint64_t at, struct tfs_err *err)
{
	if (seen_before(dat, at))
		return tfs_err_say(err, -EBADMSG,
				   "options at offset %#" PRIx64
				   ": the chain of sections is a loop",
				   at);
	if (dat->n_chain >= TFS_DAT_CHAIN_MAX)
		return tfs_err_say(err, -EBADMSG,
				   "options at offset %#" PRIx64
				   ": more sections than any recorder writes",
				   at);
	if (tfs_grow_one(&dat->chain, dat->n_chain))
		return tfs_err_set(err, -ENOMEM, "cannot read options");
	dat->chain[dat->n_chain++] = at;
	return 0;
}

int tfs_dat_option_chain(struct tfs_dat *dat, struct tfs_err *err)
{
	uint64_t at = dat->first_options;
	struct tfs_dat_section sec;
	int rc = 0;

	if (!at)
		rc = tfs_err_say(err, -EBADMSG,
				 "the header names no options section: recording was not finished");
	while (!rc && at) {
		rc = remember(dat, at, err);
		if (!rc)
			rc = tfs_dat_section_at(dat, at, &sec, err);
		if (!rc && sec.id != TFS_DAT_DONE)
			rc = tfs_err_say(err, -EBADMSG,
					 "options at offset %#" PRIx64 ": section %u (%s) is there",
					 at, sec.id, tfs_dat_section_name(sec.id));
		if (!rc)
			rc = tfs_dat_option_section(dat, &sec, &at, err);
	}
	dat->chain_broken = rc != 0;
	return rc;
}

/* "local global [mono] boot": the one in brackets */
static void find_clock(struct tfs_dat *dat, const struct tfs_blob *text)
{
	const char *open = strchr(text->data, '['), *close;

	dat->has_trace_clock = true;
	if (!open)
		return;
	close = strchr(open, ']');
	if (!close)
		return;
	dat->trace_clock = open + 1;
	dat->trace_clock_len = (size_t)(close - open) - 1;
}

/*
 * trace-cmd writes the number in its own byte order, also when it converts a file of the other one
 * (tests/unit/tracedat/test_dat_traps.c: T6).
 */
static void take_cpu_count(struct tfs_dat *dat, const struct tfs_blob *data)
{
	uint32_t n;

	if (data->size < sizeof(n))
		return;
	n = tfs_load_u32(data->data, dat->info.big_endian);
	if (n > TFS_DAT_CPUS_SANE) {
		n = tfs_load_u32(data->data, !dat->info.big_endian);
		dat->swapped_options = true;
	}
	if (n <= TFS_DAT_CPUS_SANE)
		dat->info.cpus = n;
}

static void apply(struct tfs_dat *dat, const struct tfs_dat_option *opt)
{
	const struct tfs_blob *data = &opt->data;
	uint64_t at;

	switch (opt->id) {
	case TFS_DAT_TRACECLOCK:
		if (!dat->trace_clock)
			find_clock(dat, data);
		break;
	case TFS_DAT_VERSION:
		if (!strncmp(data->data, "tracecraft", strlen("tracecraft")))
			dat->by_us = true;
		break;
	case TFS_DAT_CPUCOUNT:
		/* In version 6 it belongs to the BUFFER before it, or repeats the count. */
		if (dat->info.version >= 7)
			take_cpu_count(dat, data);
		break;
	case TFS_DAT_HEADER_INFO:
	case TFS_DAT_FTRACE_EVENTS:
	case TFS_DAT_EVENT_FORMATS:
	case TFS_DAT_KALLSYMS:
	case TFS_DAT_PRINTK:
	case TFS_DAT_CMDLINES:
		if (data->size < sizeof(at))
			break;
		at = tfs_load_u64(data->data, dat->info.big_endian);
		dat->section[opt->id] = at;
		break;
	default:
		if (opt->id >= TFS_DAT_PRIVATE)
			dat->by_us = true;
		break;
	}
}

void tfs_dat_option_apply(struct tfs_dat *dat)
{
	size_t i;

	for (i = 0; i < dat->n_options; i++)
		apply(dat, &dat->options[i]);
}
