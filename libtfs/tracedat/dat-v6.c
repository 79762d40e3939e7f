/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-v6.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/err.h"
#include "tracedat/dat-buffer.h"
#include "tracedat/dat-internal.h"
#include "tracedat/dat-meta.h"
#include "tracedat/dat-option.h"
#include "tracedat/dat-source.h"

#define TAG_SIZE 10
#define TAG_OPTIONS "options  "
#define TAG_FLYRECORD "flyrecord"
#define TAG_LATENCY "latency  "

/* The clock follows the table only if a TRACECLOCK option was written: "[local]" without NUL. */
static int read_clock(struct tfs_dat *dat, struct tfs_dat_source *src, char **clock,
		      struct tfs_err *err)
{
	uint64_t size;
	size_t len;
	int rc;

	*clock = NULL;
	if (!dat->has_trace_clock)
		return 0;
	rc = tfs_dat_source_u64(src, &size, err);
	if (!rc)
		rc = tfs_dat_source_blob(src, size, clock, err);
	if (rc)
		return rc;
	len = strlen(*clock);
	if (len >= 2 && (*clock)[0] == '[' && (*clock)[len - 1] == ']') {
		(*clock)[len - 1] = '\0';
		memmove(*clock, *clock + 1, len - 1);
	}
	return 0;
}

static int read_flyrecord(struct tfs_dat *dat, struct tfs_dat_source *src, const char *name,
			  uint32_t n, struct tfs_err *err)
{
	struct tfs_dat_buffer_desc desc = { .name = name, .clock = "" };
	char *clock = NULL;
	uint32_t i;
	int rc = 0;

	if (n > tfs_dat_source_left(src) / 16)
		return tfs_dat_source_fail(src, "the table of CPUs goes beyond the file", err);
	desc.cpus = calloc(n ? n : 1, sizeof(*desc.cpus));
	if (!desc.cpus)
		return tfs_err_set(err, -ENOMEM, "cannot read buffer '%s'", name);
	for (i = 0; i < n && !rc; i++) {
		desc.cpus[i].cpu = i;
		rc = tfs_dat_source_u64(src, &desc.cpus[i].offset, err);
		if (!rc)
			rc = tfs_dat_source_u64(src, &desc.cpus[i].size, err);
	}
	desc.n_cpus = n;
	if (rc) {
		free(desc.cpus);
		return rc;
	}
	rc = read_clock(dat, src, &clock, err);
	if (rc == -ENOMEM) {
		free(desc.cpus);
		return rc;
	}
	if (rc)
		tfs_dat_note_damage(dat, err); /* the data can be found without it */
	desc.clock = clock ? clock : "";
	rc = tfs_dat_buffer_add(dat, &desc, err);
	free(clock);
	return rc;
}

/* A buffer's block: the marker, then where the data of its CPUs are, or the latency text itself. */
static int read_block(struct tfs_dat *dat, struct tfs_dat_source *src, const char *name, uint32_t n,
		      struct tfs_err *err)
{
	struct tfs_dat_buffer_desc desc = { .name = name, .clock = "", .text = true };
	char tag[TAG_SIZE];
	int rc = tfs_dat_source_get(src, tag, sizeof(tag), err);

	if (rc)
		return rc;
	if (!memcmp(tag, TAG_FLYRECORD, TAG_SIZE))
		return read_flyrecord(dat, src, name, n, err);
	if (memcmp(tag, TAG_LATENCY, TAG_SIZE) != 0) {
		src->off -= TAG_SIZE;
		return tfs_dat_source_fail(src, "neither ring-buffer data nor latency text", err);
	}
	desc.text_offset = src->off;
	desc.text_size = tfs_dat_source_left(src);
	return tfs_dat_buffer_add(dat, &desc, err);
}

/* The CPUCOUNT option after a BUFFER option has the number of CPUs of that buffer. */
static uint32_t instance_cpus(struct tfs_dat *dat, size_t option)
{
	const struct tfs_dat_option *opt = &dat->options[option];
	uint32_t n;

	if (option >= dat->n_options || opt->id != TFS_DAT_CPUCOUNT || opt->data.size < sizeof(n))
		return dat->info.cpus;
	n = tfs_load_u32(opt->data.data, dat->info.big_endian);
	if (n > TFS_DAT_CPUS_SANE) {
		n = tfs_load_u32(opt->data.data, !dat->info.big_endian);
		dat->swapped_options = true;
	}
	return n;
}

static int read_instance(struct tfs_dat *dat, size_t option, struct tfs_err *err)
{
	const struct tfs_blob *data = &dat->options[option].data;
	struct tfs_dat_source src;
	struct tfs_cursor c;
	const char *name;
	uint64_t at;
	int rc;

	tfs_cursor_init(&c, data->data, data->size, dat->info.big_endian);
	if (tfs_cursor_u64(&c, &at) || tfs_cursor_strz(&c, &name))
		return tfs_err_say(err, -EBADMSG, "BUFFER option ends too early");
	if (at >= dat->info.file_size) {
		/* the other byte order: see dat-buffer.c */
		uint64_t other = tfs_load_u64(data->data, !dat->info.big_endian);

		if (other < dat->info.file_size)
			at = other;
	}
	tfs_dat_source_file(&src, dat, "buffer", at, dat->info.file_size);
	rc = read_block(dat, &src, name, instance_cpus(dat, option + 1), err);
	tfs_dat_source_release(&src);
	if (rc)
		tfs_err_prefix(err, "buffer '%s' at offset %#" PRIx64, name, at);
	return rc;
}

static int read_instances(struct tfs_dat *dat, struct tfs_err *err)
{
	size_t i;
	int rc;

	for (i = 0; i < dat->n_options; i++) {
		if (dat->options[i].id != TFS_DAT_BUFFER)
			continue;
		rc = read_instance(dat, i, err);
		if (rc == -ENOMEM)
			return rc;
		if (rc)
			tfs_dat_note_damage(dat, err);
	}
	return 0;
}

static int read_metadata(struct tfs_dat *dat, struct tfs_dat_source *src, struct tfs_err *err)
{
	uint32_t cpus;
	int rc;

	src->what = "header pages";
	rc = tfs_dat_meta_header_info(dat, src, err);
	if (rc)
		return rc;
	src->what = "formats of system ftrace";
	rc = tfs_dat_meta_ftrace(dat, src, err);
	if (rc)
		return rc;
	src->what = "event formats";
	rc = tfs_dat_meta_systems(dat, src, err);
	if (rc)
		return rc;
	src->what = "kernel symbols";
	rc = tfs_dat_meta_text(dat, TFS_DAT_BLOB_KALLSYMS, src, err);
	if (rc)
		return rc;
	src->what = "printk formats";
	rc = tfs_dat_meta_text(dat, TFS_DAT_BLOB_PRINTK, src, err);
	if (rc)
		return rc;
	src->what = "task names";
	rc = tfs_dat_meta_text(dat, TFS_DAT_BLOB_CMDLINES, src, err);
	if (rc)
		return rc;
	src->what = "CPU count";
	rc = tfs_dat_source_u32(src, &cpus, err);
	if (rc)
		return rc;
	if (cpus > TFS_DAT_CPUS_SANE)
		return tfs_dat_source_fail(src, "no machine has that many CPUs", err);
	dat->info.cpus = cpus;
	return 0;
}

int tfs_dat_v6_read(struct tfs_dat *dat, struct tfs_err *err)
{
	struct tfs_dat_source src;
	char tag[TAG_SIZE];
	int rc;

	tfs_dat_source_file(&src, dat, "initial bytes", dat->body, dat->info.file_size);
	rc = read_metadata(dat, &src, err);
	if (rc)
		goto out;
	src.what = "options or data";
	rc = tfs_dat_source_get(&src, tag, sizeof(tag), err);
	if (rc)
		goto out;
	if (memcmp(tag, TAG_OPTIONS, TAG_SIZE) != 0) {
		src.off -= TAG_SIZE;
	} else {
		src.what = "options";
		rc = tfs_dat_option_list(dat, &src, err);
		tfs_dat_option_apply(dat);
		if (rc)
			goto out;
	}
	src.what = "data";
	rc = read_block(dat, &src, "", dat->info.cpus, err);
	if (rc && rc != -ENOMEM)
		tfs_dat_note_damage(dat, err); /* instances have their own place */
	if (rc != -ENOMEM)
		rc = read_instances(dat, err);
out:
	tfs_dat_source_release(&src);
	return rc;
}
