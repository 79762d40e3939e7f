/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/time.h"
#include "record/buffer.h"
#include "record/clock-pairs.h"
#include "record/file.h"
#include "record/names.h"
#include "record/output.h"
#include "record/percpu.h"
#include "record/reader.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-segments.h"
#include "tracedat/dat-write.h"

#define READERS_MAX 8
/* Comparisons of clocks in a file: 64 bytes each; few where its size was asked for. */
#define CLOCK_PAIRS_MAX 8192
#define CLOCK_PAIRS_FEW 64

struct tfs_session {
	struct tfs_record_set set;
	struct tfs_record_file file;
	char *path; /* as the caller named it */
	struct tfs_reader **readers;
	pid_t *tids;
	size_t n_readers, n_tids;
	int stop_fd;
	int note_fd;
	atomic_bool give_up;
	bool fed;
	bool counted; /* the counters are those of the end */
	uint64_t cap_bytes;
	unsigned int mode;
	struct tfs_budget budget;
	struct timespec started, stopped; /* the present file, the recording */
	struct tfs_session_cpu *totals;
};

static int no_memory(struct tfs_err *err)
{
	return tfs_err_set(err, -ENOMEM, "cannot set up the recording");
}

static int make_buffers(struct tfs_session *s, const struct tfs_session_opts *opts,
			struct tfs_err *err)
{
	int rc = 0;

	s->set.buffers = calloc(opts->n_buffers, sizeof(*s->set.buffers));
	if (!s->set.buffers)
		return no_memory(err);
	for (size_t i = 0; i < opts->n_buffers && !rc; i++) {
		const struct tfs_session_buffer *b = &opts->buffers[i];

		s->set.n_buffers++;
		rc = tfs_record_buffer_init(&s->set.buffers[i], s->set.root, b->inst, b->cpus, err);
		if (rc)
			break;
		s->set.buffers[i].snapshot = b->snapshot;
		s->set.buffers[i].name = strdup(b->name);
		if (!s->set.buffers[i].name)
			rc = no_memory(err);
		s->set.n_cpus += s->set.buffers[i].n_cpus;
	}
	return rc;
}

/* Collects all that user addresses need to have names */
static int make_names(struct tfs_session *s, const struct tfs_session_opts *opts,
		      struct tfs_err *err)
{
	const struct tfs_record_buffer *first = s->set.buffers;
	const struct tfs_instance **insts =
		calloc(opts->n_buffers, sizeof(const struct tfs_instance *));
	struct tfs_names_opts no = {
		.root = opts->root,
		.insts = insts,
		.n_insts = opts->n_buffers,
		.events = opts->events,
	};
	int rc;

	if (first) {
		no.cpu = first->cpus[0].number;
		no.clock = first->clock.s;
		s->set.clocks = (struct tfs_clock_pairs){
			.root = opts->root,
			.inst = opts->buffers[0].inst,
			.cpu = no.cpu,
			.clock = no.clock,
			.remote = opts->remote,
			.most = opts->max_bytes || opts->switch_bytes ? CLOCK_PAIRS_FEW :
									CLOCK_PAIRS_MAX,
		};
	}
	for (size_t i = 0; insts && i < opts->n_buffers; i++)
		insts[i] = opts->buffers[i].inst;
	rc = insts ? tfs_names_new(&no, &s->set.names) : -ENOMEM;
	free(insts);
	return rc ? no_memory(err) : 0;
}

/* As many as the buffer with most CPUs needs: a CPU's buffers are one reader's. */
static size_t count_readers(const struct tfs_session *s, unsigned int max_threads)
{
	size_t most = 1;

	for (size_t i = 0; i < s->set.n_buffers; i++)
		if (s->set.buffers[i].n_cpus > most)
			most = s->set.buffers[i].n_cpus;
	if (!max_threads)
		max_threads = READERS_MAX;
	return most < max_threads ? most : max_threads;
}

static int make_readers(struct tfs_session *s, const struct tfs_session_opts *opts,
			struct tfs_err *err)
{
	size_t n = opts->fed ? 1 : count_readers(s, opts->max_threads);
	struct tfs_reader_opts ro = {
		.codec = opts->remote ? TFS_CODEC_NONE : opts->codec,
		.level = opts->level,
		.budget = &s->budget,
		.interval_us = opts->interval_us,
	};
	int rc = 0;

	s->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->note_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->stop_fd < 0 || s->note_fd < 0)
		return tfs_err_set(err, -errno, "cannot make an eventfd");
	s->readers = calloc(n, sizeof(struct tfs_reader *));
	s->tids = calloc(n + 1, sizeof(*s->tids));
	s->totals = calloc(s->set.n_cpus + 1, sizeof(*s->totals));
	if (!s->readers || !s->tids || !s->totals)
		return no_memory(err);
	ro.stop_fd = s->stop_fd;
	ro.note_fd = s->note_fd;
	for (size_t i = 0; i < s->set.n_buffers; i++)
		ro.max_cpus += (s->set.buffers[i].n_cpus + n - 1) / n;
	while (s->n_readers < n && !rc) {
		rc = tfs_reader_new(&ro, &s->readers[s->n_readers], err);
		s->n_readers += !rc;
	}
	return rc;
}

/* Each CPU's ring buffer, its temporary file, and the reader that moves the one to the other. */
static int add_cpus(struct tfs_session *s, struct tfs_record_buffer *b, uint32_t *source,
		    struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < b->n_cpus && !rc; i++) {
		struct tfs_reader *reader = s->readers[i % s->n_readers];
		struct tfs_percpu_opts po = {
			.codec = tfs_reader_codec(reader),
			.pipe = s->file.output.remote ? NULL : tfs_reader_pipe(reader),
			.give_up = &s->give_up,
			.cap = s->cap_bytes,
			.budget = &s->budget,
			.needs = &s->set.needs,
			.user = tfs_names_events(s->set.names),
			.fed = s->fed,
			.sink = s->set.sink,
			.source = (*source)++,
		};

		rc = tfs_record_buffer_open_cpu(b, i, &s->file.output, &po, err);
		if (!rc)
			tfs_reader_take(reader, b->cpus[i].percpu);
	}
	return rc;
}

/* Bytes that CPUs have taken and not yet written when the limit is reached */
static uint64_t held_back(const struct tfs_session *s)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < s->set.n_buffers; i++) {
		const struct tfs_record_buffer *b = &s->set.buffers[i];
		uint64_t chunk = TFS_DAT_CHUNK_PAGES * (uint64_t)b->subbuf.size;

		/* A chunk that does not compress has a little more than it holds; or a pipe. */
		chunk += chunk / 8;
		if (tfs_codec_id(s->set.codec) == TFS_CODEC_NONE && chunk < TFS_PIPE_BYTES)
			chunk = TFS_PIPE_BYTES;
		/* One is written when the limit is reached, another at the end. */
		bytes += 2 * chunk * b->n_cpus;
	}
	return bytes;
}

/* How much data the file may have: also a size that is given for the whole file counts them. */
static int set_budget(struct tfs_session *s, const struct tfs_session_opts *opts,
		      struct tfs_err *err)
{
	const uint64_t size = opts->max_bytes ? opts->max_bytes : opts->switch_bytes;
	uint64_t least = tfs_record_file_overhead(&s->file, &s->set);

	if (!size)
		return 0;
	if (opts->max_bytes)
		least += held_back(s);
	if (size <= least)
		return tfs_err_say(err, -EINVAL,
				   "a file of %" PRIu64 " KiB has no room for events: "
				   "%" PRIu64 " KiB are needed for the rest",
				   size / 1024, (least + 1023) / 1024);
	s->budget.stop = opts->max_bytes != 0;
	s->set.is_limited = true;
	s->budget.limit = size - least;
	return 0;
}

/* The other side has to know the number of CPUs before it takes their data. */
static int begin_remote(struct tfs_session *s, const struct tfs_session_opts *opts,
			struct tfs_err *err)
{
	int rc = tfs_output_open_remote(&s->file.output, opts->output, opts->remote, err);
	uint32_t source = 0;

	if (!rc)
		rc = tfs_codec_new(opts->codec, opts->level, &s->set.codec, err);
	if (!rc)
		rc = tfs_record_file_head(&s->file, &s->set, opts, err);
	return rc ? rc : add_cpus(s, s->set.buffers, &source, err);
}

static int begin_first_file(struct tfs_session *s, const struct tfs_session_opts *opts,
			    struct tfs_err *err)
{
	uint32_t source = 0;
	int rc = tfs_output_open(&s->file.output, opts->output, opts->mode, err);

	for (size_t i = 0; i < s->set.n_buffers && !rc; i++)
		rc = add_cpus(s, &s->set.buffers[i], &source, err);
	if (!rc)
		rc = tfs_codec_new(opts->codec, opts->level, &s->set.codec, err);
	if (!rc)
		rc = tfs_record_file_head(&s->file, &s->set, opts, err);
	return rc ? rc : set_budget(s, opts, err);
}

int tfs_session_new(const struct tfs_session_opts *opts, struct tfs_session **out,
		    struct tfs_err *err)
{
	struct tfs_session *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return no_memory(err);
	s->set.root = opts->root;
	s->file = TFS_RECORD_FILE_INIT;
	s->stop_fd = -1;
	s->note_fd = -1;
	s->fed = opts->fed;
	s->set.sink = opts->sink;
	s->cap_bytes = opts->cap_bytes;
	s->mode = opts->mode;
	s->path = strdup(opts->output);
	rc = s->path ? make_buffers(s, opts, err) : no_memory(err);
	if (!rc)
		rc = make_names(s, opts, err);
	if (!rc)
		rc = make_readers(s, opts, err);
	if (!rc)
		rc = opts->remote ? begin_remote(s, opts, err) : begin_first_file(s, opts, err);
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

	for (size_t i = 0; i < s->n_readers && !rc && !s->fed; i++) {
		rc = tfs_reader_start(s->readers[i], err);
		s->tids[s->n_tids++] = tfs_reader_tid(s->readers[i]);
	}
	if (!rc)
		tfs_names_start(s->set.names);
	if (tfs_names_tid(s->set.names))
		s->tids[s->n_tids++] = tfs_names_tid(s->set.names);
	clock_gettime(CLOCK_MONOTONIC, &s->started);
	return rc;
}

size_t tfs_session_tids(const struct tfs_session *s, const pid_t **tids)
{
	*tids = s->tids;
	return s->n_tids;
}

int tfs_session_add(struct tfs_session *s, unsigned int cpu, const void *page, struct tfs_err *err)
{
	const struct tfs_record_buffer *b = s->set.buffers;

	for (size_t i = 0; i < b->n_cpus; i++)
		if (b->cpus[i].number == cpu)
			return tfs_percpu_add(b->cpus[i].percpu, page, err);
	return tfs_err_say(err, -ENODEV, "CPU %u is not recorded", cpu);
}

int tfs_session_flush(struct tfs_session *s, struct tfs_err *err)
{
	const struct tfs_record_buffer *b = s->set.buffers;
	int rc = 0;

	for (size_t i = 0; i < b->n_cpus && !rc; i++)
		rc = tfs_percpu_sync(b->cpus[i].percpu, err);
	return rc;
}

int tfs_session_option(struct tfs_session *s, const struct tfs_session_option *option)
{
	return tfs_dat_writer_option(s->file.writer, option->id, option->data, option->size);
}

void tfs_session_learn_comms(struct tfs_session *s)
{
	tfs_names_learn_comms(s->set.names);
}

struct tfs_names *tfs_session_names(struct tfs_session *s)
{
	return s->set.names;
}

int64_t tfs_session_compare_clocks(struct tfs_session *s)
{
	/* Without memory there is one comparison less. */
	if (!tfs_clock_pairs_left(&s->set.clocks))
		tfs_clock_pairs_take(&s->set.clocks);
	return tfs_clock_pairs_left(&s->set.clocks);
}

const struct tfs_dat_clock *tfs_session_started(const struct tfs_session *s)
{
	return tfs_names_started(s->set.names);
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
	if (failed)
		return TFS_SESSION_FAILED;
	return atomic_load(&s->budget.reached) ? TFS_SESSION_FULL : TFS_SESSION_RUNNING;
}

void tfs_session_progress(const struct tfs_session *s, uint64_t *raw_bytes, uint64_t *file_bytes)
{
	*raw_bytes = 0;
	*file_bytes = 0;
	for (size_t i = 0; i < s->set.n_buffers; i++) {
		const struct tfs_record_buffer *b = &s->set.buffers[i];

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
	for (size_t i = 0; i < s->set.n_buffers; i++) {
		struct tfs_record_buffer *b = &s->set.buffers[i];

		tfs_record_buffer_count(b);
		for (size_t k = 0; k < b->n_cpus; k++) {
			const struct tfs_cpu_stats *stats = &b->cpus[k].stats;

			*events += stats->read + stats->entries;
			*lost += stats->overrun + stats->commit_overrun + stats->dropped;
		}
	}
}

void tfs_session_watch_begin(struct tfs_session *s)
{
	for (size_t i = 0; i < s->set.n_buffers; i++)
		tfs_watch_begin(&s->set.buffers[i].watch, s->set.root, s->set.buffers[i].inst);
}

void tfs_session_watch(struct tfs_session *s, bool is_on)
{
	for (size_t i = 0; i < s->set.n_buffers; i++) {
		struct tfs_record_buffer *b = &s->set.buffers[i];

		b->signs |= tfs_watch_look(&b->watch, is_on) & ~TFS_WATCH_ADDED;
	}
}

void tfs_session_listed(struct tfs_session *s)
{
	for (size_t i = 0; i < s->set.n_buffers; i++)
		tfs_watch_listed(&s->set.buffers[i].watch);
}

void tfs_session_signs(struct tfs_session *s, unsigned int signs)
{
	for (size_t i = 0; i < s->set.n_buffers; i++)
		s->set.buffers[i].signs |= signs;
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

static void count(struct tfs_session *s)
{
	for (size_t i = 0; i < s->set.n_buffers; i++)
		tfs_record_buffer_count(&s->set.buffers[i]);
}

int tfs_session_stop(struct tfs_session *s, struct tfs_err *err)
{
	int rc, first = 0;

	tfs_session_drain(s);
	if (s->fed)
		return tfs_session_flush(s, err);
	for (size_t i = 0; i < s->n_readers; i++) {
		rc = tfs_reader_join(s->readers[i], first ? NULL : err);
		if (!first)
			first = rc;
	}
	/* Now: tracing may be turned on again before the file is finished. */
	count(s);
	s->counted = true;
	return first;
}

static int take(struct tfs_session *s, struct tfs_err *err)
{
	int rc, first = 0;

	for (size_t i = 0; i < s->set.n_buffers; i++) {
		rc = tfs_record_buffer_take(&s->set.buffers[i]);
		if (!first)
			first = rc;
	}
	return first ? no_memory(err) : 0;
}

static uint64_t elapsed(const struct timespec *from, const struct timespec *to)
{
	return (uint64_t)(to->tv_sec - from->tv_sec) * NS_PER_SEC + (uint64_t)to->tv_nsec -
	       (uint64_t)from->tv_nsec;
}

/* Whose names are given to others, or which are to stay. */
static void mark_temps(struct tfs_session *s, bool has_temp)
{
	for (size_t i = 0; i < s->set.n_buffers; i++)
		for (size_t k = 0; k < s->set.buffers[i].n_cpus; k++)
			s->set.buffers[i].cpus[k].has_temp = has_temp;
}

int tfs_session_finish(struct tfs_session *s, struct tfs_session_totals *totals,
		       struct tfs_err *err)
{
	const struct tfs_record_end end = {
		.rest = tfs_budget_is_used_up(&s->budget) ? TFS_REST_LEFT : TFS_REST_LOST,
		.cpus = s->totals,
		.totals = totals,
	};
	int rc;

	memset(totals, 0, sizeof(*totals));
	totals->path = s->file.output.path;
	totals->duration_ns = elapsed(&s->started, &s->stopped);
	if (!s->counted)
		count(s);
	rc = take(s, err);
	if (!rc)
		rc = tfs_record_file_complete(&s->file, &s->set, &end, err);
	mark_temps(s, false);
	return rc;
}

static int link_temps(const struct tfs_session *s, const char *path, struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < s->set.n_buffers && !rc; i++) {
		const struct tfs_record_buffer *b = &s->set.buffers[i];

		for (size_t k = 0; k < b->n_cpus && !rc; k++)
			rc = tfs_output_link_temp(&s->file.output, path, b->name, b->cpus[k].number,
						  err);
	}
	return rc;
}

static int move_temps(const struct tfs_session *s, struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < s->set.n_buffers && !rc; i++) {
		const struct tfs_record_buffer *b = &s->set.buffers[i];

		for (size_t k = 0; k < b->n_cpus && !rc; k++)
			rc = tfs_output_move_temp(&s->file.output, s->path, b->name,
						  b->cpus[k].number, err);
	}
	return rc;
}

/* Those that the file has when it is called @path */
static void unlink_temps(const struct tfs_session *s, const struct tfs_output *o, const char *path)
{
	for (size_t i = 0; i < s->set.n_buffers; i++) {
		const struct tfs_record_buffer *b = &s->set.buffers[i];

		for (size_t k = 0; k < b->n_cpus; k++)
			tfs_output_unlink_temp_of(o, path, b->name, b->cpus[k].number);
	}
}

/*
 * The file and its parts get another name, which they keep also if what follows fails. The parts
 * have both names while the file changes its own: wherever the recorder is killed, all of them are
 * beside it. A file system without hard links (FAT) has a moment in which they are not.
 */
static int move_file(struct tfs_session *s, const char *path, struct tfs_err *err)
{
	struct tfs_output *o = &s->file.output;
	int rc, linked;

	if (tfs_output_is_taken(o, path))
		return tfs_err_set(err, -EEXIST, "cannot rename '%s' to '%s'", o->path, path);
	linked = link_temps(s, path, err);
	rc = linked == -EOPNOTSUPP ? 0 : linked;
	if (!rc && linked)
		tfs_err_clear(err);
	if (!rc)
		rc = tfs_output_move(o, path, err);
	if (!rc && linked)
		return move_temps(s, err);
	unlink_temps(s, o, strcmp(o->path, path) != 0 ? path : s->path);
	return rc;
}

/*
 * The next file, with temporary files, @fds, one for each CPU of each buffer, and with its head:
 * none has one without the others.
 */
static int begin_next_file(struct tfs_session *s, struct tfs_record_file *next, int *fds,
			   struct tfs_err *err)
{
	size_t n = 0;
	int rc = tfs_output_open(&next->output, s->path, s->mode, err);

	for (size_t i = 0; i < s->set.n_buffers && !rc; i++) {
		const struct tfs_record_buffer *b = &s->set.buffers[i];

		for (size_t k = 0; k < b->n_cpus && !rc; k++)
			rc = tfs_output_temp(&next->output, b->name, b->cpus[k].number, &fds[n++],
					     err);
	}
	return rc ? rc : tfs_record_file_same_head(next, &s->set, &s->file, err);
}

/* Readers are paused. Takes each CPU's data up to now, and continues in the next file. */
static int change_files(struct tfs_session *s, int *fds, struct tfs_err *err)
{
	size_t n = 0;
	int rc, first;

	count(s);
	first = take(s, err);
	for (size_t i = 0; i < s->set.n_buffers; i++) {
		struct tfs_record_buffer *b = &s->set.buffers[i];

		for (size_t k = 0; k < b->n_cpus; k++, n++) {
			rc = tfs_percpu_give(b->cpus[k].percpu, fds[n]);
			fds[n] = -1;
			if (rc && !first)
				first = tfs_err_set(err, rc, "cannot begin '%s'", s->path);
		}
	}
	/* Without a file nobody may go on. */
	if (first)
		atomic_store(&s->give_up, true);
	atomic_store(&s->budget.used, 0);
	atomic_store(&s->budget.reached, false);
	return first;
}

static int change_while_paused(struct tfs_session *s, int *fds, struct tfs_err *err)
{
	int rc;

	for (size_t i = 0; i < s->n_readers; i++)
		tfs_reader_pause(s->readers[i]);
	for (size_t i = 0; i < s->n_readers; i++)
		tfs_reader_paused(s->readers[i]);
	rc = change_files(s, fds, err);
	for (size_t i = 0; i < s->n_readers; i++)
		tfs_reader_resume(s->readers[i]);
	return rc;
}

static void remember_counters(struct tfs_session *s)
{
	for (size_t i = 0; i < s->set.n_buffers; i++)
		for (size_t k = 0; k < s->set.buffers[i].n_cpus; k++)
			s->set.buffers[i].cpus[k].before = s->set.buffers[i].cpus[k].stats;
}

int tfs_session_switch(struct tfs_session *s, const char *path, struct tfs_session_totals *totals,
		       struct tfs_err *err)
{
	const struct tfs_record_end end = {
		.rest = TFS_REST_FOLLOWS,
		.cpus = s->totals,
		.totals = totals,
	};
	struct tfs_record_file next = TFS_RECORD_FILE_INIT, done;
	int *fds = malloc(s->set.n_cpus * sizeof(*fds));
	struct timespec now;
	int rc;

	memset(totals, 0, sizeof(*totals));
	if (!fds)
		return no_memory(err);
	memset(fds, 0xff, s->set.n_cpus * sizeof(*fds));
	rc = move_file(s, path, err);
	if (!rc)
		rc = begin_next_file(s, &next, fds, err);
	if (!rc)
		rc = change_while_paused(s, fds, err);
	if (!rc) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		totals->duration_ns = elapsed(&s->started, &now);
		s->started = now;
		done = s->file;
		s->file = next;
		rc = tfs_record_file_complete(&done, &s->set, &end, err);
		mark_temps(s, true);
		remember_counters(s);
		tfs_record_file_release(&done);
	} else {
		/* The current file goes on under its new name, until the caller ends it. */
		if (next.output.path)
			unlink_temps(s, &next.output, next.output.path);
		tfs_output_discard(&next.output);
		tfs_record_file_release(&next);
	}
	for (size_t i = 0; i < s->set.n_cpus; i++)
		tfs_close(&fds[i]);
	free(fds);
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
	for (size_t i = 0; i < s->set.n_buffers; i++) {
		tfs_record_buffer_unlink_temps(&s->set.buffers[i], &s->file.output);
		tfs_record_buffer_release(&s->set.buffers[i]);
	}
	tfs_names_free(s->set.names);
	tfs_clock_pairs_release(&s->set.clocks);
	tfs_record_file_release(&s->file);
	tfs_codec_free(s->set.codec);
	tfs_close(&s->stop_fd);
	tfs_close(&s->note_fd);
	free(s->set.buffers);
	free(s->readers);
	free(s->tids);
	free(s->totals);
	free(s->path);
	free(s);
}

void tfs_session_discard(struct tfs_session *s)
{
	if (!s)
		return;
	tfs_output_discard(&s->file.output);
	tfs_session_free(s);
}
