/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"
#include "base/err.h"
#include "base/io.h"
#include "record/output.h"
#include "tracedat/dat-write.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"

#define PATH_SIZE 512

static int choose_cpus(struct tfs_record_buffer *b, const struct tfs_cpus *wanted,
		       struct tfs_err *err)
{
	unsigned int *numbers = NULL;
	size_t n;
	int rc = tfs_instance_cpus(b->root, b->inst, &numbers, &n, err);

	if (rc)
		return rc;
	b->cpus = calloc(n, sizeof(*b->cpus));
	if (!b->cpus) {
		rc = tfs_err_set(err, -ENOMEM, "cannot set up the recording");
		goto out;
	}
	for (size_t i = 0; i < n; i++) {
		if (wanted && !tfs_cpus_has(wanted, numbers[i]))
			continue;
		b->cpus[b->n_cpus].number = numbers[i];
		b->cpus[b->n_cpus].data = TFS_PERCPU_DATA_INIT;
		tfs_strbuf_init(&b->cpus[b->n_cpus++].text);
	}
	if (!b->n_cpus)
		rc = tfs_err_say(err, -ENODEV, "none of the CPUs to record is there");
out:
	free(numbers);
	return rc;
}

static int read_layout(struct tfs_record_buffer *b, struct tfs_err *err)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc = tfs_instance_read(b->root, b->inst, "events/header_page", &text, err);

	if (!rc)
		rc = tfs_subbuf_parse(text.s, text.len, &b->subbuf, err);
	tfs_strbuf_release(&text);
	return rc;
}

int tfs_record_buffer_init(struct tfs_record_buffer *b, const struct tfs_root *root,
			   const struct tfs_instance *inst, const struct tfs_cpus *cpus,
			   struct tfs_err *err)
{
	int rc;

	*b = (struct tfs_record_buffer){ .root = root, .inst = inst };
	tfs_strbuf_init(&b->clock);
	rc = choose_cpus(b, cpus, err);
	if (!rc)
		rc = tfs_meta_clock(root, inst, &b->clock, err);
	if (!rc)
		rc = read_layout(b, err);
	return rc;
}

void tfs_record_buffer_release(struct tfs_record_buffer *b)
{
	tfs_record_buffer_done(b);
	tfs_watch_release(&b->watch);
	for (size_t i = 0; i < b->n_cpus; i++)
		tfs_strbuf_release(&b->cpus[i].text);
	free(b->cpus);
	free(b->name);
	tfs_strbuf_release(&b->clock);
}

static void begin_cpu(const struct tfs_record_buffer *b, struct tfs_record_cpu *cpu)
{
	struct tfs_cpu_stats before;

	if (!b->snapshot && !tfs_cpu_stats_read(b->root, b->inst, cpu->number, NULL, &before))
		cpu->read_before = before.read;
}

void tfs_record_buffer_begin(struct tfs_record_buffer *b)
{
	for (size_t i = 0; i < b->n_cpus; i++)
		begin_cpu(b, &b->cpus[i]);
}

int tfs_record_buffer_open_cpu(struct tfs_record_buffer *b, size_t i, const struct tfs_output *o,
			       const struct tfs_percpu_opts *po, struct tfs_err *err)
{
	struct tfs_record_cpu *cpu = &b->cpus[i];
	struct tfs_percpu_opts own = *po;
	char file[64], path[PATH_SIZE];
	int rc;

	own.cpu = cpu->number;
	own.subbuf = b->subbuf;
	own.raw = -1;
	own.out = -1;
	snprintf(file, sizeof(file), "per_cpu/cpu%u/%s", cpu->number,
		 b->snapshot ? "snapshot_raw" : "trace_pipe_raw");
	rc = tfs_instance_path(b->inst, file, path, sizeof(path));
	if (!rc && !po->fed)
		rc = tfs_file_open(b->root, path, O_RDONLY | O_NONBLOCK, &own.raw, err);
	if (rc)
		return rc;
	if (!po->sink)
		rc = tfs_output_temp(o, b->name, cpu->number, &own.out, err);
	if (rc) {
		tfs_close(&own.raw);
		return rc;
	}
	cpu->has_temp = !po->sink;
	begin_cpu(b, cpu);
	return tfs_percpu_new(&own, &cpu->percpu, err);
}

void tfs_record_buffer_unlink_temps(struct tfs_record_buffer *b, const struct tfs_output *o)
{
	for (size_t i = 0; i < b->n_cpus; i++) {
		if (b->cpus[i].has_temp)
			tfs_output_unlink_temp(o, b->name, b->cpus[i].number);
		b->cpus[i].has_temp = false;
	}
}

void tfs_record_buffer_count(struct tfs_record_buffer *b)
{
	for (size_t i = 0; i < b->n_cpus; i++) {
		struct tfs_record_cpu *cpu = &b->cpus[i];

		/* The kernel's counters are those of the buffer, not of its snapshot. */
		if (b->snapshot)
			continue;
		tfs_strbuf_reset(&cpu->text);
		cpu->has_stats =
			!tfs_cpu_stats_read(b->root, b->inst, cpu->number, &cpu->text, &cpu->stats);
		if (cpu->stats.read >= cpu->read_before)
			cpu->stats.read -= cpu->read_before;
		else
			cpu->emptied = cpu->has_stats;
	}
}

int tfs_record_buffer_write_stats(const struct tfs_record_buffer *b, struct tfs_dat_writer *w)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc = 0;

	/* A heading as trace-cmd writes it, since these options do not name their buffer. */
	if (*b->name)
		rc = tfs_strbuf_addf(&text, "\nBuffer: %s\n\n", b->name);
	if (!rc && *b->name)
		rc = tfs_dat_writer_option(w, TFS_DAT_CPUSTAT, text.s, text.len + 1);
	for (size_t i = 0; i < b->n_cpus && !rc; i++) {
		if (!b->cpus[i].text.len)
			continue;
		tfs_strbuf_reset(&text);
		rc = tfs_strbuf_addf(&text, "CPU: %u\n%s", b->cpus[i].number, b->cpus[i].text.s);
		if (!rc)
			rc = tfs_dat_writer_option(w, TFS_DAT_CPUSTAT, text.s, text.len + 1);
	}
	tfs_strbuf_release(&text);
	return rc;
}

int tfs_record_buffer_take(struct tfs_record_buffer *b)
{
	int rc, first = 0;

	for (size_t i = 0; i < b->n_cpus; i++) {
		rc = tfs_percpu_take(b->cpus[i].percpu, &b->cpus[i].data);
		if (!first)
			first = rc;
	}
	return first;
}

void tfs_record_buffer_done(struct tfs_record_buffer *b)
{
	for (size_t i = 0; i < b->n_cpus; i++)
		tfs_percpu_data_release(&b->cpus[i].data);
}

/* CPUs without data are left out, as trace-cmd does: readers need no entry for them. */
int tfs_record_buffer_describe(const struct tfs_record_buffer *b, struct tfs_dat_writer *w)
{
	struct tfs_dat_writer_cpu *cpus = calloc(b->n_cpus, sizeof(*cpus));
	size_t n = 0;
	int rc;

	if (!cpus)
		return -ENOMEM;
	for (size_t i = 0; i < b->n_cpus; i++) {
		const struct tfs_percpu_data *data = &b->cpus[i].data;

		if (!data->bytes)
			continue;
		cpus[n++] = (struct tfs_dat_writer_cpu){
			.cpu = b->cpus[i].number,
			.fd = data->fd,
			.bytes = data->bytes,
			.chunks = data->chunks,
			.consume = !data->extents,
			.extents = data->extents,
			.n_extents = data->n_extents,
		};
	}
	rc = tfs_dat_writer_buffer(w, b->name, b->clock.s, b->subbuf.size, cpus, n);
	free(cpus);
	return rc;
}
