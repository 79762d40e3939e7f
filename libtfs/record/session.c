/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/session.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf.h"
#include "data/dat-lost.h"
#include "data/dat-parts.h"
#include "data/dat-write.h"
#include "record/buffer.h"
#include "record/meta.h"
#include "record/output.h"
#include "record/percpu.h"
#include "record/reader.h"

#define BOOT_ID "/proc/sys/kernel/random/boot_id"
#define READERS_MAX 8
/*
 * What tfs_session_finish() writes before it gives room back: names of tasks, counters and places
 * of each CPU, and the first piece of data that is joined.
 */
#define RESERVE_BYTES (2 * 1024 * 1024)
#define RESERVE_PER_CPU (8 * 1024)

struct tfs_session {
	const struct tfs_root *root;
	struct tfs_output output;
	struct tfs_codec *codec; /* of the sections; the readers have their own */
	struct tfs_dat_writer *writer;
	struct tfs_record_buffer *buffers;
	size_t n_buffers;
	size_t n_cpus; /* of all buffers together */
	struct tfs_reader **readers;
	pid_t *tids;
	size_t n_readers;
	int stop_fd;
	int note_fd;
	atomic_bool give_up;
	struct timespec started, stopped;
	struct tfs_session_cpu *totals;
};

static int no_memory(struct tfs_err *err)
{
	return tfs_err_set(err, -ENOMEM, "cannot set up the recording");
}

static int describe_failed(int rc, struct tfs_err *err)
{
	return tfs_err_set(err, rc, "cannot describe the recording");
}

static int make_buffers(struct tfs_session *s, const struct tfs_session_opts *opts,
			struct tfs_err *err)
{
	int rc = 0;

	s->buffers = calloc(opts->n_buffers, sizeof(*s->buffers));
	if (!s->buffers)
		return no_memory(err);
	for (size_t i = 0; i < opts->n_buffers && !rc; i++) {
		const struct tfs_session_buffer *b = &opts->buffers[i];

		s->n_buffers++;
		rc = tfs_record_buffer_init(&s->buffers[i], s->root, b->inst, b->cpus, err);
		if (rc)
			break;
		s->buffers[i].snapshot = b->snapshot;
		s->buffers[i].name = strdup(b->name);
		if (!s->buffers[i].name)
			rc = no_memory(err);
		s->n_cpus += s->buffers[i].n_cpus;
	}
	return rc;
}

/* As many as the buffer with most CPUs needs: a CPU's buffers are one reader's. */
static size_t count_readers(const struct tfs_session *s, unsigned int max_threads)
{
	size_t most = 0;

	for (size_t i = 0; i < s->n_buffers; i++)
		if (s->buffers[i].n_cpus > most)
			most = s->buffers[i].n_cpus;
	if (!max_threads)
		max_threads = READERS_MAX;
	return most < max_threads ? most : max_threads;
}

static int make_readers(struct tfs_session *s, const struct tfs_session_opts *opts,
			struct tfs_err *err)
{
	size_t n = count_readers(s, opts->max_threads);
	struct tfs_reader_opts ro = { .codec = opts->codec, .level = opts->level };
	int rc = 0;

	s->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->note_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->stop_fd < 0 || s->note_fd < 0)
		return tfs_err_set(err, -errno, "cannot make an eventfd");
	s->readers = calloc(n, sizeof(struct tfs_reader *));
	s->tids = calloc(n, sizeof(*s->tids));
	s->totals = calloc(s->n_cpus, sizeof(*s->totals));
	if (!s->readers || !s->tids || !s->totals)
		return no_memory(err);
	ro.stop_fd = s->stop_fd;
	ro.note_fd = s->note_fd;
	for (size_t i = 0; i < s->n_buffers; i++)
		ro.max_cpus += (s->buffers[i].n_cpus + n - 1) / n;
	while (s->n_readers < n && !rc) {
		rc = tfs_reader_new(&ro, &s->readers[s->n_readers], err);
		s->n_readers += !rc;
	}
	return rc;
}

/* Each CPU's ring buffer, its temporary file, and the reader that moves the one to the other. */
static int add_cpus(struct tfs_session *s, struct tfs_record_buffer *b, struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < b->n_cpus && !rc; i++) {
		struct tfs_reader *reader = s->readers[i % s->n_readers];
		struct tfs_percpu_opts po = {
			.codec = tfs_reader_codec(reader),
			.pipe = tfs_reader_pipe(reader),
			.give_up = &s->give_up,
		};

		rc = tfs_record_buffer_open_cpu(b, i, &s->output, &po, err);
		if (!rc)
			tfs_reader_take(reader, b->cpus[i].percpu);
	}
	return rc;
}

/* What leads from the head to the temporary files: see struct tfs_dat_parts. */
static int list_parts(const struct tfs_session *s, struct tfs_strbuf *sb)
{
	struct tfs_strbuf boot = TFS_STRBUF_INIT;
	int rc;

	if (!tfs_read_path(BOOT_ID, &boot))
		tfs_strbuf_rtrim(&boot);
	rc = tfs_dat_parts_begin(sb, 0, boot.s);
	tfs_strbuf_release(&boot);
	for (size_t i = 0; i < s->n_buffers && !rc; i++) {
		const struct tfs_record_buffer *b = &s->buffers[i];
		const struct tfs_dat_parts_buffer part = {
			.name = b->name,
			.clock = b->clock.s,
			.page_size = b->subbuf.size,
		};

		rc = tfs_dat_parts_add(sb, &part, b->n_cpus);
		for (size_t k = 0; k < b->n_cpus && !rc; k++)
			rc = tfs_dat_parts_add_cpu(sb, b->cpus[k].number);
	}
	return rc;
}

static int write_metadata(struct tfs_session *s, const struct tfs_session_opts *opts,
			  struct tfs_err *err)
{
	struct tfs_strbuf parts = TFS_STRBUF_INIT;
	struct tfs_meta_head head = {
		.root = s->root,
		.inst = s->buffers[0].inst,
		.events = opts->events,
		.parts = &parts,
	};
	int rc = list_parts(s, &parts);

	for (size_t i = 0; i < s->n_buffers; i++) {
		const struct tfs_record_buffer *b = &s->buffers[i];

		if (b->cpus[b->n_cpus - 1].number >= head.n_cpus)
			head.n_cpus = b->cpus[b->n_cpus - 1].number + 1;
	}
	if (rc)
		describe_failed(rc, err);
	else
		rc = tfs_meta_write_head(s->writer, &head, err);
	tfs_strbuf_release(&parts);
	return rc;
}

static int write_head(struct tfs_session *s, const struct tfs_session_opts *opts,
		      struct tfs_err *err)
{
	int rc;

	if (ftruncate(s->output.fd, 0))
		return tfs_err_set(err, -errno, "cannot write '%s'", s->output.path);
	rc = tfs_codec_new(opts->codec, opts->level, &s->codec, err);
	if (!rc)
		rc = tfs_dat_writer_new(s->output.fd, s->codec, s->buffers[0].subbuf.size,
					&s->writer, err);
	if (!rc)
		rc = write_metadata(s, opts, err);
	if (!rc)
		rc = tfs_dat_writer_head(s->writer, err);
	if (!rc)
		rc = tfs_output_reserve(&s->output,
					RESERVE_BYTES + s->n_cpus * (uint64_t)RESERVE_PER_CPU, err);
	if (rc)
		tfs_err_prefix(err, "cannot begin '%s'", s->output.path);
	return rc;
}

int tfs_session_new(const struct tfs_session_opts *opts, struct tfs_session **out,
		    struct tfs_err *err)
{
	struct tfs_session *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return no_memory(err);
	s->root = opts->root;
	s->output = TFS_OUTPUT_INIT;
	s->stop_fd = -1;
	s->note_fd = -1;
	rc = make_buffers(s, opts, err);
	if (!rc)
		rc = make_readers(s, opts, err);
	if (!rc)
		rc = tfs_output_open(&s->output, opts->output, err);
	for (size_t i = 0; i < s->n_buffers && !rc; i++)
		rc = add_cpus(s, &s->buffers[i], err);
	if (!rc)
		rc = write_head(s, opts, err);
	if (rc) {
		tfs_session_discard(s);
		return rc;
	}
	*out = s;
	return 0;
}

int tfs_session_start(struct tfs_session *s, struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < s->n_readers && !rc; i++) {
		rc = tfs_reader_start(s->readers[i], err);
		s->tids[i] = tfs_reader_tid(s->readers[i]);
	}
	clock_gettime(CLOCK_MONOTONIC, &s->started);
	return rc;
}

size_t tfs_session_tids(const struct tfs_session *s, const pid_t **tids)
{
	*tids = s->tids;
	return s->n_readers;
}

int tfs_session_fd(const struct tfs_session *s)
{
	return s->note_fd;
}

enum tfs_session_state tfs_session_state(struct tfs_session *s)
{
	bool ended = true, failed = false;
	uint64_t notes;

	/* Before looking: what is noted from now on makes the descriptor readable again. */
	if (read(s->note_fd, &notes, sizeof(notes)) < 0)
		notes = 0;
	for (size_t i = 0; i < s->n_readers; i++) {
		ended = ended && tfs_reader_ended(s->readers[i]);
		failed = failed || tfs_reader_failed(s->readers[i]);
	}
	if (ended)
		return TFS_SESSION_ENDED;
	return failed ? TFS_SESSION_FAILED : TFS_SESSION_RUNNING;
}

void tfs_session_progress(const struct tfs_session *s, uint64_t *raw_bytes, uint64_t *file_bytes)
{
	*raw_bytes = 0;
	*file_bytes = 0;
	for (size_t i = 0; i < s->n_buffers; i++) {
		const struct tfs_record_buffer *b = &s->buffers[i];

		for (size_t k = 0; k < b->n_cpus; k++) {
			*raw_bytes += tfs_percpu_raw_bytes(b->cpus[k].percpu);
			*file_bytes += tfs_percpu_file_bytes(b->cpus[k].percpu);
		}
	}
}

void tfs_session_count(struct tfs_session *s, uint64_t *events, uint64_t *lost)
{
	*events = 0;
	*lost = 0;
	for (size_t i = 0; i < s->n_buffers; i++) {
		struct tfs_record_buffer *b = &s->buffers[i];

		tfs_record_buffer_count(b);
		for (size_t k = 0; k < b->n_cpus; k++) {
			const struct tfs_cpu_stats *stats = &b->cpus[k].stats;

			*events += stats->read + stats->entries;
			*lost += stats->overrun + stats->commit_overrun + stats->dropped;
		}
	}
}

void tfs_session_drain(struct tfs_session *s)
{
	const uint64_t one = 1;

	if (!s->stopped.tv_sec)
		clock_gettime(CLOCK_MONOTONIC, &s->stopped);
	/* Fails only when the counter is full: then the readers know already. */
	if (s->stop_fd >= 0 && write(s->stop_fd, &one, sizeof(one)) < 0)
		return;
}

void tfs_session_give_up(struct tfs_session *s)
{
	atomic_store(&s->give_up, true);
	tfs_session_drain(s);
}

int tfs_session_stop(struct tfs_session *s, struct tfs_err *err)
{
	int rc, first = 0;

	tfs_session_drain(s);
	for (size_t i = 0; i < s->n_readers; i++) {
		rc = tfs_reader_join(s->readers[i], first ? NULL : err);
		if (!first)
			first = rc;
	}
	return first;
}

static int add_lost(struct tfs_strbuf *sb, const struct tfs_record_buffer *b, size_t number)
{
	int rc = 0;

	for (size_t i = 0; i < b->n_cpus && !rc; i++) {
		const struct tfs_cpu_stats *stats = &b->cpus[i].stats;
		const struct tfs_dat_lost lost = {
			.cpu = b->cpus[i].number,
			.buffer = (uint32_t)number,
			.events = stats->read,
			.overrun = stats->overrun,
			.commit_overrun = stats->commit_overrun,
			.dropped = stats->dropped,
			.unread = stats->entries,
		};

		rc = tfs_dat_lost_add(sb, &lost);
	}
	return rc;
}

/* What a report cannot know from the data: see struct tfs_dat_lost. */
static int write_lost(struct tfs_session *s)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = tfs_dat_lost_begin(&sb);

	for (size_t i = 0; i < s->n_buffers && !rc; i++)
		rc = add_lost(&sb, &s->buffers[i], i);
	if (!rc)
		rc = tfs_dat_writer_option(s->writer, TFS_DAT_PRIVATE_LOST, sb.s, sb.len);
	tfs_strbuf_release(&sb);
	return rc;
}

/* The kernel's counters, names of tasks, and where the data will be. */
static int write_tail(struct tfs_session *s, struct tfs_err *err)
{
	int rc = tfs_meta_write_cmdlines(s->writer, s->root, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < s->n_buffers && !rc; i++)
		rc = tfs_record_buffer_write_stats(&s->buffers[i], s->writer);
	if (!rc)
		rc = write_lost(s);
	for (size_t i = 0; i < s->n_buffers && !rc; i++)
		rc = tfs_record_buffer_describe(&s->buffers[i], s->writer);
	return rc ? describe_failed(rc, err) : 0;
}

static void sum_up_cpu(const struct tfs_record_cpu *cpu, struct tfs_session_cpu *c,
		       struct tfs_session_totals *t)
{
	c->cpu = cpu->number;
	c->events = cpu->stats.read;
	c->lost = cpu->stats.overrun + cpu->stats.commit_overrun + cpu->stats.dropped +
		  cpu->stats.entries;
	c->raw_bytes = tfs_percpu_raw_bytes(cpu->percpu);
	c->unwritten = tfs_percpu_unwritten(cpu->percpu);
	c->file_bytes = tfs_percpu_file_bytes(cpu->percpu);
	t->events += c->events;
	t->lost += c->lost;
	t->raw_bytes += c->raw_bytes;
	t->unwritten += c->unwritten;
	t->data_bytes += c->file_bytes;
	t->n_cpus++;
}

static void sum_up(struct tfs_session *s, struct tfs_session_totals *t)
{
	for (size_t i = 0; i < s->n_buffers; i++) {
		struct tfs_record_buffer *b = &s->buffers[i];

		tfs_record_buffer_count(b);
		for (size_t k = 0; k < b->n_cpus; k++) {
			s->totals[t->n_cpus].buffer = b->name;
			sum_up_cpu(&b->cpus[k], &s->totals[t->n_cpus], t);
		}
	}
	t->duration_ns = (uint64_t)(s->stopped.tv_sec - s->started.tv_sec) * 1000000000ULL +
			 (uint64_t)s->stopped.tv_nsec - (uint64_t)s->started.tv_nsec;
	t->cpus = s->totals;
}

static void unlink_temps(struct tfs_session *s)
{
	for (size_t i = 0; i < s->n_buffers; i++)
		tfs_record_buffer_unlink_temps(&s->buffers[i], &s->output);
}

/* What a failure left in the temporary files stays there. */
static void keep_temps(struct tfs_session *s)
{
	for (size_t i = 0; i < s->n_buffers; i++)
		for (size_t k = 0; k < s->buffers[i].n_cpus; k++)
			s->buffers[i].cpus[k].has_temp = false;
}

int tfs_session_finish(struct tfs_session *s, struct tfs_session_totals *totals,
		       struct tfs_err *err)
{
	int rc;

	memset(totals, 0, sizeof(*totals));
	sum_up(s, totals);
	rc = write_tail(s, err);
	if (!rc)
		rc = tfs_dat_writer_finish(s->writer, err);
	if (!rc)
		rc = tfs_output_trim(&s->output, &totals->output_bytes, err);
	if (!rc) {
		unlink_temps(s);
	} else {
		keep_temps(s);
		tfs_err_prefix(err, "cannot finish '%s'", s->output.path);
		tfs_err_hint(err, "what was not yet joined is in '%s.*cpu*'", s->output.path);
	}
	return rc;
}

void tfs_session_free(struct tfs_session *s)
{
	if (!s)
		return;
	if (s->readers)
		tfs_session_give_up(s);
	for (size_t i = 0; s->readers && i < s->n_readers; i++)
		tfs_reader_free(s->readers[i]);
	unlink_temps(s);
	tfs_dat_writer_free(s->writer);
	tfs_codec_free(s->codec);
	tfs_output_release(&s->output);
	tfs_close(&s->stop_fd);
	tfs_close(&s->note_fd);
	for (size_t i = 0; i < s->n_buffers; i++)
		tfs_record_buffer_release(&s->buffers[i]);
	free(s->buffers);
	free(s->readers);
	free(s->tids);
	free(s->totals);
	free(s);
}

void tfs_session_discard(struct tfs_session *s)
{
	if (!s)
		return;
	tfs_output_discard(&s->output);
	tfs_session_free(s);
}
