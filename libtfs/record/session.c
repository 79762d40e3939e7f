/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf.h"
#include "data/dat-lost.h"
#include "data/dat-write.h"
#include "fs/file.h"
#include "fs/instance.h"
#include "record/meta.h"
#include "record/output.h"
#include "record/percpu.h"
#include "record/reader.h"

#define READERS_MAX 8
#define PATH_SIZE 512
/*
 * What tfs_session_finish() writes before it gives room back: names of tasks, counters and places
 * of each CPU, and the first piece of data that is joined.
 */
#define RESERVE_BYTES (2 * 1024 * 1024)
#define RESERVE_PER_CPU (8 * 1024)

struct tfs_session {
	const struct tfs_root *root;
	const struct tfs_instance *inst;
	struct tfs_output output;
	struct tfs_codec *codec; /* of the sections; the readers have their own */
	struct tfs_dat_writer *writer;
	struct tfs_subbuf subbuf;
	struct tfs_strbuf clock;
	unsigned int *cpus;
	struct tfs_percpu **percpus; /* one for each of @cpus; owned by the readers */
	size_t n_cpus;
	size_t n_temps; /* temporary files to remove, in the order of @cpus */
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

static int read_layout(struct tfs_session *s, struct tfs_err *err)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	char path[PATH_SIZE];
	int rc;

	rc = tfs_meta_cpus(s->root, s->inst, &s->cpus, &s->n_cpus, err);
	if (!rc)
		rc = tfs_meta_clock(s->root, s->inst, &s->clock, err);
	if (rc)
		goto out;
	rc = tfs_instance_path(s->inst, "events/header_page", path, sizeof(path));
	if (!rc)
		rc = tfs_file_read(s->root, path, &text, err);
	if (!rc)
		rc = tfs_subbuf_parse(text.s, &s->subbuf, err);
out:
	tfs_strbuf_release(&text);
	return rc;
}

static int make_readers(struct tfs_session *s, const struct tfs_session_opts *opts,
			struct tfs_err *err)
{
	size_t n = opts->max_threads ? opts->max_threads : READERS_MAX;
	struct tfs_reader_opts ro = { .codec = opts->codec, .level = opts->level };
	int rc = 0;

	if (n > s->n_cpus)
		n = s->n_cpus;
	s->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->note_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->stop_fd < 0 || s->note_fd < 0)
		return tfs_err_set(err, -errno, "cannot make an eventfd");
	s->readers = calloc(n, sizeof(struct tfs_reader *));
	s->tids = calloc(n, sizeof(*s->tids));
	s->percpus = calloc(s->n_cpus, sizeof(struct tfs_percpu *));
	s->totals = calloc(s->n_cpus, sizeof(*s->totals));
	if (!s->readers || !s->tids || !s->percpus || !s->totals)
		return no_memory(err);
	ro.stop_fd = s->stop_fd;
	ro.note_fd = s->note_fd;
	ro.max_cpus = (s->n_cpus + n - 1) / n;
	while (s->n_readers < n && !rc) {
		rc = tfs_reader_new(&ro, &s->readers[s->n_readers], err);
		s->n_readers += !rc;
	}
	return rc;
}

/* One CPU: its ring buffer, its temporary file, and the reader that moves the one to the other. */
static int add_cpu(struct tfs_session *s, size_t i, struct tfs_err *err)
{
	struct tfs_reader *reader = s->readers[i % s->n_readers];
	struct tfs_percpu_opts po = {
		.cpu = s->cpus[i],
		.raw = -1,
		.out = -1,
		.subbuf = s->subbuf,
		.codec = tfs_reader_codec(reader),
		.pipe = tfs_reader_pipe(reader),
		.give_up = &s->give_up,
	};
	char file[64], path[PATH_SIZE];
	int rc;

	snprintf(file, sizeof(file), "per_cpu/cpu%u/trace_pipe_raw", s->cpus[i]);
	rc = tfs_instance_path(s->inst, file, path, sizeof(path));
	if (!rc)
		rc = tfs_file_open(s->root, path, O_RDONLY | O_NONBLOCK, &po.raw, err);
	if (rc)
		return rc;
	rc = tfs_output_temp(&s->output, s->cpus[i], &po.out, err);
	if (rc) {
		tfs_close(&po.raw);
		return rc;
	}
	s->n_temps = i + 1;
	rc = tfs_percpu_new(&po, &s->percpus[i], err);
	if (!rc)
		tfs_reader_take(reader, s->percpus[i]);
	return rc;
}

static int write_head(struct tfs_session *s, const struct tfs_session_opts *opts,
		      struct tfs_err *err)
{
	struct tfs_meta_head head = {
		.root = s->root,
		.inst = s->inst,
		.events = opts->events,
		.n_cpus = s->cpus[s->n_cpus - 1] + 1,
	};
	int rc;

	if (ftruncate(s->output.fd, 0))
		return tfs_err_set(err, -errno, "cannot write '%s'", s->output.path);
	rc = tfs_codec_new(opts->codec, opts->level, &s->codec, err);
	if (!rc)
		rc = tfs_dat_writer_new(s->output.fd, s->codec, s->subbuf.size, &s->writer, err);
	if (!rc)
		rc = tfs_meta_write_head(s->writer, &head, err);
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
	s->inst = opts->inst;
	s->output = TFS_OUTPUT_INIT;
	s->stop_fd = -1;
	s->note_fd = -1;
	tfs_strbuf_init(&s->clock);
	rc = read_layout(s, err);
	if (!rc)
		rc = make_readers(s, opts, err);
	if (!rc)
		rc = tfs_output_open(&s->output, opts->output, err);
	for (size_t i = 0; i < s->n_cpus && !rc; i++)
		rc = add_cpu(s, i, err);
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
	for (size_t i = 0; i < s->n_cpus; i++) {
		*raw_bytes += tfs_percpu_raw_bytes(s->percpus[i]);
		*file_bytes += tfs_percpu_file_bytes(s->percpus[i]);
	}
}

void tfs_session_count(const struct tfs_session *s, uint64_t *events, uint64_t *lost)
{
	struct tfs_cpu_stats stats;

	*events = 0;
	*lost = 0;
	for (size_t i = 0; i < s->n_cpus; i++) {
		tfs_cpu_stats_read(s->root, s->inst, s->cpus[i], NULL, &stats);
		*events += stats.read + stats.entries;
		*lost += stats.overrun + stats.commit_overrun + stats.dropped;
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

/* What a report cannot know from the data: see struct tfs_dat_lost. */
static int write_lost(struct tfs_session *s, const struct tfs_cpu_stats *stats)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = tfs_dat_lost_begin(&sb);

	for (size_t i = 0; i < s->n_cpus && !rc; i++) {
		struct tfs_dat_lost lost = {
			.cpu = s->cpus[i],
			.events = stats[i].read,
			.overrun = stats[i].overrun,
			.commit_overrun = stats[i].commit_overrun,
			.dropped = stats[i].dropped,
			.unread = stats[i].entries,
		};

		rc = tfs_dat_lost_add(&sb, &lost);
	}
	if (!rc)
		rc = tfs_dat_writer_option(s->writer, TFS_DAT_PRIVATE_LOST, sb.s, sb.len);
	tfs_strbuf_release(&sb);
	return rc;
}

/* CPUs without data are left out, as trace-cmd does: readers need no entry for them. */
static int write_buffer(struct tfs_session *s, struct tfs_err *err)
{
	struct tfs_dat_writer_cpu *cpus = calloc(s->n_cpus, sizeof(*cpus));
	size_t n = 0;
	int rc;

	if (!cpus)
		return no_memory(err);
	for (size_t i = 0; i < s->n_cpus; i++) {
		if (!tfs_percpu_file_bytes(s->percpus[i]))
			continue;
		cpus[n++] = (struct tfs_dat_writer_cpu){
			.cpu = s->cpus[i],
			.fd = tfs_percpu_out_fd(s->percpus[i]),
			.bytes = tfs_percpu_file_bytes(s->percpus[i]),
			.chunks = tfs_percpu_chunks(s->percpus[i]),
			.consume = true,
		};
	}
	/* Nameless: readers show the instance as they show a top-level recording. */
	rc = tfs_dat_writer_buffer(s->writer, "", s->clock.s, s->subbuf.size, cpus, n);
	free(cpus);
	if (rc)
		return tfs_err_set(err, rc, "cannot describe the recording");
	return tfs_dat_writer_finish(s->writer, err);
}

static void sum_up(struct tfs_session *s, const struct tfs_cpu_stats *stats,
		   struct tfs_session_totals *t)
{
	for (size_t i = 0; i < s->n_cpus; i++) {
		struct tfs_session_cpu *c = &s->totals[i];

		c->cpu = s->cpus[i];
		c->events = stats[i].read;
		c->lost = stats[i].overrun + stats[i].commit_overrun + stats[i].dropped +
			  stats[i].entries;
		c->raw_bytes = tfs_percpu_raw_bytes(s->percpus[i]);
		c->unwritten = tfs_percpu_unwritten(s->percpus[i]);
		c->file_bytes = tfs_percpu_file_bytes(s->percpus[i]);
		t->events += c->events;
		t->lost += c->lost;
		t->raw_bytes += c->raw_bytes;
		t->unwritten += c->unwritten;
		t->data_bytes += c->file_bytes;
	}
	t->duration_ns = (uint64_t)(s->stopped.tv_sec - s->started.tv_sec) * 1000000000ULL +
			 (uint64_t)s->stopped.tv_nsec - (uint64_t)s->started.tv_nsec;
	t->cpus = s->totals;
	t->n_cpus = s->n_cpus;
}

static void unlink_temps(struct tfs_session *s)
{
	while (s->n_temps)
		tfs_output_unlink_temp(&s->output, s->cpus[--s->n_temps]);
}

int tfs_session_finish(struct tfs_session *s, struct tfs_session_totals *totals,
		       struct tfs_err *err)
{
	struct tfs_cpu_stats *stats = calloc(s->n_cpus, sizeof(*stats));
	struct tfs_meta_tail tail = {
		.root = s->root,
		.inst = s->inst,
		.cpus = s->cpus,
		.n = s->n_cpus,
	};
	int rc;

	memset(totals, 0, sizeof(*totals));
	if (!stats)
		return no_memory(err);
	rc = tfs_meta_write_tail(s->writer, &tail, stats, err);
	sum_up(s, stats, totals);
	if (!rc) {
		rc = write_lost(s, stats);
		if (rc)
			tfs_err_set(err, rc, "cannot describe the recording");
	}
	if (!rc)
		rc = write_buffer(s, err);
	if (!rc)
		rc = tfs_output_trim(&s->output, &totals->output_bytes, err);
	if (!rc) {
		unlink_temps(s);
	} else {
		s->n_temps = 0;
		tfs_err_prefix(err, "cannot finish '%s'", s->output.path);
		tfs_err_hint(err, "what was not yet joined is in '%s.cpu*'", s->output.path);
	}
	free(stats);
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
	tfs_strbuf_release(&s->clock);
	free(s->readers);
	free(s->tids);
	free(s->percpus);
	free(s->totals);
	free(s->cpus);
	free(s);
}

void tfs_session_discard(struct tfs_session *s)
{
	if (!s)
		return;
	tfs_output_discard(&s->output);
	tfs_session_free(s);
}
