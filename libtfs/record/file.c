/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf.h"
#include "record/clock-pairs.h"
#include "record/meta.h"
#include "record/names.h"
#include "record/remote.h"
#include "record/session.h"
#include "record/sink.h"
#include "tracedat/compress.h"
#include "tracedat/dat-lost.h"
#include "tracedat/dat-segments.h"
#include "tracedat/dat-write.h"

/*
 * Room that completing a file needs before it frees any: names of tasks, counters and places of
 * each CPU, and the first piece of data that is joined.
 */
#define RESERVE_BYTES (3 * 1024 * 1024)
#define RESERVE_PER_CPU (8 * 1024)
/* And symbols; where they are compressed the above has room for them. */
#define RESERVE_SYMBOLS (6 * 1024 * 1024)
/* A smaller file has rather events: symbols come last, if they are needed and there is room. */
#define SMALL_FILE (4 * 1024 * 1024)
#define SMALL_FILE_UNCOMPRESSED (32 * 1024 * 1024)
/* The same without that piece: a few hundred names of tasks, unless saved_cmdlines_size is more. */
#define TAIL_BYTES (64 * 1024)
#define TAIL_PER_CPU 1024

static int describe_failed(int rc, struct tfs_err *err)
{
	return tfs_err_set(err, rc, "cannot describe the recording");
}

/* Lists the temporary files for the head: see struct tfs_dat_segments. */
static int list_segments(const struct tfs_record_set *set, uint32_t flags, struct tfs_strbuf *sb)
{
	struct tfs_strbuf boot = TFS_STRBUF_INIT;
	int rc;

	if (!tfs_read_path(TFS_DAT_BOOT_ID, &boot))
		tfs_strbuf_rtrim(&boot);
	rc = tfs_dat_segments_begin(sb, flags, boot.s);
	tfs_strbuf_release(&boot);
	for (size_t i = 0; i < set->n_buffers && !rc; i++) {
		const struct tfs_record_buffer *b = &set->buffers[i];
		const struct tfs_dat_segments_buffer segment = {
			.name = b->name,
			.clock = b->clock.s,
			.page_size = b->subbuf.size,
		};

		rc = tfs_dat_segments_add(sb, &segment, b->n_cpus);
		for (size_t k = 0; k < b->n_cpus && !rc; k++)
			rc = tfs_dat_segments_add_cpu(sb, b->cpus[k].number);
	}
	return rc;
}

static int reserve(struct tfs_record_file *f, const struct tfs_record_set *set, struct tfs_err *err)
{
	uint64_t bytes = RESERVE_BYTES + set->n_cpus * (uint64_t)RESERVE_PER_CPU;

	if (tfs_symbol_needs_open(&set->needs) && tfs_codec_id(set->codec) == TFS_CODEC_NONE)
		bytes += RESERVE_SYMBOLS;
	return tfs_output_reserve(&f->output, bytes, err);
}

static int write_options(struct tfs_record_file *f, struct tfs_record_set *set,
			 const struct tfs_session_opts *opts, struct tfs_err *err)
{
	struct tfs_strbuf segments = TFS_STRBUF_INIT;
	uint32_t flags = 0;
	int rc;

	if (opts->cap_bytes)
		flags |= TFS_DAT_SEGMENTS_CAPPED;
	if (set->needs.n && tfs_symbol_needs_open(&set->needs))
		flags |= TFS_DAT_SEGMENTS_SYMBOLS;
	rc = f->output.remote ? 0 : list_segments(set, flags, &segments);
	if (!rc && !f->output.remote)
		rc = tfs_dat_writer_option(f->writer, TFS_DAT_PRIVATE_SEGMENTS, segments.s,
					   segments.len);
	/* Also what a killed recorder leaves can be put into a time line with others. */
	if (!rc)
		rc = tfs_clock_pairs_take(&set->clocks);
	if (!rc)
		rc = tfs_clock_pairs_write(&set->clocks, f->writer, false);
	for (size_t i = 0; i < opts->n_options && !rc; i++)
		rc = tfs_dat_writer_option(f->writer, opts->options[i].id, opts->options[i].data,
					   opts->options[i].size);
	tfs_strbuf_release(&segments);
	return rc ? describe_failed(rc, err) : 0;
}

/*
 * May symbols come at the end, if they are needed? They have no place in a file of a certain size,
 * and what was dropped cannot be looked at.
 */
static bool may_wait(const struct tfs_session_opts *opts)
{
	return opts->symbols == TFS_SYMBOLS_USED && !opts->max_bytes && !opts->switch_bytes &&
	       !opts->cap_bytes;
}

/* Greatest CPU number + 1 */
static unsigned int count_cpus(const struct tfs_record_set *set)
{
	unsigned int n = 0;

	for (size_t i = 0; i < set->n_buffers; i++) {
		const struct tfs_record_buffer *b = &set->buffers[i];

		if (b->cpus[b->n_cpus - 1].number >= n)
			n = b->cpus[b->n_cpus - 1].number + 1;
	}
	return n;
}

/* Would symbols that are written first leave no room in a file of this size? */
static bool is_small(const struct tfs_session_opts *opts)
{
	const uint64_t size = opts->max_bytes ? opts->max_bytes : opts->switch_bytes;

	return size &&
	       size < (opts->codec == TFS_CODEC_NONE ? SMALL_FILE_UNCOMPRESSED : SMALL_FILE);
}

static int write_metadata(struct tfs_record_file *f, struct tfs_record_set *set,
			  const struct tfs_session_opts *opts, struct tfs_err *err)
{
	struct tfs_meta_head head = {
		.root = set->root,
		.inst = set->buffers[0].inst,
		.events = opts->events,
		.n_cpus = count_cpus(set),
		.needs = may_wait(opts) ? &set->needs : NULL,
	};
	int rc;

	if (is_small(opts)) {
		f->size = opts->max_bytes ? opts->max_bytes : opts->switch_bytes;
		head.no_symbols = true;
		if (opts->symbols == TFS_SYMBOLS_USED && !opts->cap_bytes)
			head.needs = &set->needs;
		else
			atomic_store(&set->needs.seen, true);
	}
	rc = tfs_meta_write_head(f->writer, &head, err);
	if (!rc)
		rc = write_options(f, set, opts, err);
	return rc ? rc : tfs_dat_writer_head(f->writer, err);
}

/* The other side gets all that is known now, and the rest at the end. */
static int begin_remote(struct tfs_record_file *f, struct tfs_record_set *set, struct tfs_err *err)
{
	const struct tfs_record_remote *remote = f->output.remote;
	struct tfs_record_head head = {
		.fd = f->output.fd,
		.cpus = count_cpus(set),
		.page_size = set->buffers[0].subbuf.size,
	};
	int rc = tfs_dat_writer_room(f->writer, TFS_RECORD_ROOM, &head.size, err);

	head.room = head.size + TFS_RECORD_ROOM;
	if (!rc)
		rc = remote->begin(remote->context, &head, err);
	/* The first comparison: until now the other side could not answer. */
	if (!rc && tfs_clock_pairs_compare(&set->clocks))
		rc = tfs_err_set(err, -ENOMEM, "cannot begin the recording");
	return rc;
}

int tfs_record_file_head(struct tfs_record_file *f, struct tfs_record_set *set,
			 const struct tfs_session_opts *opts, struct tfs_err *err)
{
	struct tfs_dat_resume_point place;
	int rc = tfs_output_begin(&f->output, err);

	if (rc)
		return rc;
	rc = tfs_dat_writer_new(f->output.fd, set->codec, set->buffers[0].subbuf.size, &f->writer,
				err);
	if (!rc)
		rc = write_metadata(f, set, opts, err);
	if (!rc)
		rc = f->output.remote ? begin_remote(f, set, err) : reserve(f, set, err);
	if (rc && !f->output.remote) {
		tfs_err_prefix(err, "cannot begin '%s'", f->output.path);
	} else if (!rc) {
		tfs_dat_writer_resume_point(f->writer, &place);
		f->head_bytes = place.end;
		f->symbols_wait = f->size || tfs_symbol_needs_open(&set->needs);
	}
	if (!rc && set->sink) {
		rc = set->sink->begin(set->sink->to, set->n_cpus, f->output.fd, f->head_bytes);
		if (rc)
			tfs_err_set(err, rc, "cannot begin the stream");
	}
	return rc;
}

int tfs_record_file_same_head(struct tfs_record_file *f, const struct tfs_record_set *set,
			      const struct tfs_record_file *from, struct tfs_err *err)
{
	struct tfs_dat_resume_point place;
	int rc = tfs_output_begin(&f->output, err);

	if (rc)
		return rc;
	tfs_dat_writer_resume_point(from->writer, &place);
	f->head_bytes = from->head_bytes;
	f->symbols_wait = from->symbols_wait;
	f->size = from->size;
	rc = tfs_copy_fd(from->output.fd, 0, f->output.fd, (size_t)from->head_bytes);
	if (rc)
		tfs_err_set(err, rc, "cannot write '%s'", f->output.path);
	if (!rc)
		rc = tfs_dat_writer_resume(f->output.fd, set->codec, &place, &f->writer, err);
	return rc ? rc : reserve(f, set, err);
}

void tfs_record_file_release(struct tfs_record_file *f)
{
	tfs_dat_writer_free(f->writer);
	tfs_output_release(&f->output);
	*f = TFS_RECORD_FILE_INIT;
}

/* For names in a file of a certain size */
static uint64_t names_bytes(const struct tfs_record_set *set)
{
	return tfs_names_events(set->names) ? TFS_NAMES_ROOM : TFS_NAMES_TASKS_ROOM;
}

uint64_t tfs_record_file_overhead(const struct tfs_record_file *f, const struct tfs_record_set *set)
{
	return f->head_bytes + TAIL_BYTES + set->n_cpus * (uint64_t)TAIL_PER_CPU + names_bytes(set);
}

/* By how much a counter of the kernel grew; one that shrank began anew. */
static uint64_t grown(uint64_t now, uint64_t before, bool *emptied)
{
	*emptied |= now < before;
	return now < before ? now : now - before;
}

/*
 * The counters of a CPU since the file was begun. The events are those that the recorder took; of
 * what the kernel counts as read the rest went to others.
 */
static struct tfs_dat_lost since(const struct tfs_record_buffer *b, size_t i, size_t buffer)
{
	const struct tfs_record_cpu *cpu = &b->cpus[i];
	const struct tfs_cpu_stats *now = &cpu->stats, *before = &cpu->before;
	const bool is_counted = cpu->data.is_counted;
	bool emptied = cpu->emptied;
	const uint64_t read = grown(now->read, before->read, &emptied);
	struct tfs_dat_lost lost = {
		.cpu = cpu->number,
		.buffer = (uint32_t)buffer,
		.events = is_counted ? cpu->data.events : read,
		.overrun = grown(now->overrun, before->overrun, &emptied),
		.commit_overrun = grown(now->commit_overrun, before->commit_overrun, &emptied),
		.dropped = grown(now->dropped, before->dropped, &emptied),
		.signs = b->signs,
	};

	if (cpu->has_stats && is_counted && read > lost.events)
		lost.taken = read - lost.events;
	else if (cpu->has_stats && is_counted)
		emptied |= read < lost.events;
	if (cpu->has_stats && emptied)
		lost.signs |= TFS_DAT_LOST_EMPTIED;
	return lost;
}

static void sum_up_cpu(const struct tfs_record_cpu *cpu, const struct tfs_dat_lost *lost,
		       const struct tfs_record_end *end)
{
	struct tfs_session_totals *t = end->totals;
	struct tfs_session_cpu *c = &end->cpus[t->n_cpus++];

	c->cpu = cpu->number;
	c->events = lost->events;
	c->lost = tfs_dat_lost_sum(lost) - lost->taken;
	c->taken = lost->taken;
	c->left = end->rest == TFS_REST_LEFT ? cpu->stats.entries : 0;
	c->raw_bytes = cpu->data.raw_bytes;
	c->unwritten = cpu->data.unwritten;
	c->dropped = cpu->data.dropped;
	c->file_bytes = cpu->data.bytes;
	t->events += c->events;
	t->lost += c->lost;
	t->taken += c->taken;
	t->signs |= (unsigned int)lost->signs;
	t->left += c->left;
	t->raw_bytes += c->raw_bytes;
	t->unwritten += c->unwritten;
	t->dropped += c->dropped;
	t->data_bytes += c->file_bytes;
}

/* The kernel counts as read what the stream had no room for. */
static void count_refused(const struct tfs_record_set *set, uint32_t source,
			  struct tfs_dat_lost *lost)
{
	uint64_t refused = set->sink ? set->sink->refused(set->sink->to, source) : 0;

	if (refused > lost->events)
		refused = lost->events;
	lost->events -= refused;
	lost->dropped += refused;
}

/* Losses that the data do not show: see struct tfs_dat_lost. */
static int write_lost(struct tfs_record_file *f, const struct tfs_record_set *set,
		      const struct tfs_record_end *end)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = tfs_dat_lost_begin(&sb);

	for (size_t i = 0; i < set->n_buffers; i++) {
		const struct tfs_record_buffer *b = &set->buffers[i];

		for (size_t k = 0; k < b->n_cpus; k++) {
			struct tfs_dat_lost lost = since(b, k, i);

			if (end->rest == TFS_REST_LOST)
				lost.unread = b->cpus[k].stats.entries;
			count_refused(set, (uint32_t)end->totals->n_cpus, &lost);
			end->cpus[end->totals->n_cpus].buffer = b->name;
			sum_up_cpu(&b->cpus[k], &lost, end);
			if (!rc)
				rc = tfs_dat_lost_add(&sb, &lost);
		}
	}
	if (!rc)
		rc = tfs_dat_writer_option(f->writer, TFS_DAT_PRIVATE_LOST, sb.s, sb.len);
	tfs_strbuf_release(&sb);
	return rc;
}

static uint64_t data_bytes(const struct tfs_record_set *set)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < set->n_buffers; i++)
		for (size_t k = 0; k < set->buffers[i].n_cpus; k++)
			bytes += set->buffers[i].cpus[k].data.bytes;
	return bytes;
}

/* Room that events and the rest have left of the size that was asked for */
static uint64_t symbols_room(const struct tfs_record_file *f, const struct tfs_record_set *set)
{
	const uint64_t used = tfs_record_file_overhead(f, set) + data_bytes(set);

	if (!f->size)
		return UINT64_MAX;
	return used < f->size ? f->size - used : 0;
}

/* The kernel's counters, names of tasks, and where the data will be. */
static int write_tail(struct tfs_record_file *f, struct tfs_record_set *set,
		      const struct tfs_record_end *end, struct tfs_err *err)
{
	int rc = write_lost(f, set, end);

	if (rc)
		return describe_failed(rc, err);
	if (f->symbols_wait && atomic_load(&set->needs.seen))
		rc = tfs_meta_write_symbols(f->writer, set->codec, symbols_room(f, set), err);
	else if (f->symbols_wait && !set->sink && !f->output.remote)
		rc = tfs_meta_write_no_symbols(f->writer, err);
	end->totals->no_symbols = rc == -EFBIG;
	if (rc == -EFBIG)
		rc = tfs_meta_write_no_symbols(f->writer, err);
	/* Rather the events without names than neither, on a full disk. */
	if (rc == -ENOSPC) {
		tfs_err_clear(err);
		rc = 0;
	}
	if (!rc)
		rc = tfs_meta_write_cmdlines(f->writer, set->root, tfs_names_comms(set->names),
					     err);
	if (rc)
		return rc;
	/* Rather the events without names than neither */
	tfs_names_write(set->names, f->writer, set->is_limited ? names_bytes(set) : UINT64_MAX);
	end->totals->lost_maps = tfs_names_lost(set->names);
	if (!tfs_clock_pairs_take(&set->clocks))
		rc = tfs_clock_pairs_write(&set->clocks, f->writer, true);
	for (size_t i = 0; i < set->n_buffers && !rc; i++)
		rc = tfs_record_buffer_write_stats(&set->buffers[i], f->writer);
	for (size_t i = 0; i < set->n_buffers && !rc && !set->sink && !f->output.remote; i++)
		rc = tfs_record_buffer_describe(&set->buffers[i], f->writer);
	return rc ? describe_failed(rc, err) : 0;
}

/* The part that was added after the head, and the head's link to it; the receiver adds the data. */
static int give_tail(struct tfs_record_file *f, const struct tfs_record_sink *sink,
		     struct tfs_err *err)
{
	struct tfs_dat_resume_point before, after;
	int rc;

	tfs_dat_writer_resume_point(f->writer, &before);
	rc = tfs_dat_writer_head(f->writer, err);
	if (rc)
		return rc;
	tfs_dat_writer_resume_point(f->writer, &after);
	rc = sink->tail(sink->to, f->output.fd, f->head_bytes, after.end - f->head_bytes);
	if (!rc)
		rc = sink->tail(sink->to, f->output.fd, before.link, sizeof(uint64_t));
	return rc ? tfs_err_set(err, rc, "cannot end the stream") : 0;
}

/* The data are with the other side already, but for what is on its way. */
static int finish_remote(struct tfs_record_file *f, const struct tfs_record_set *set,
			 const struct tfs_record_end *end, struct tfs_err *err)
{
	const struct tfs_record_remote *remote = f->output.remote;
	int *fds = malloc(set->n_cpus * sizeof(*fds));
	size_t n = 0;
	int rc = fds ? tfs_dat_writer_head(f->writer, err) : describe_failed(-ENOMEM, err);

	for (size_t i = 0; i < set->n_buffers && fds; i++)
		for (size_t k = 0; k < set->buffers[i].n_cpus; k++)
			fds[n++] = set->buffers[i].cpus[k].data.fd;
	if (!rc)
		rc = remote->finish(remote->context, tfs_dat_writer_size(f->writer), fds, n, err);
	end->totals->output_bytes = tfs_dat_writer_size(f->writer) + end->totals->data_bytes;
	free(fds);
	for (size_t i = 0; i < set->n_buffers; i++)
		tfs_record_buffer_done(&set->buffers[i]);
	return rc;
}

int tfs_record_file_complete(struct tfs_record_file *f, struct tfs_record_set *set,
			     const struct tfs_record_end *end, struct tfs_err *err)
{
	int rc = write_tail(f, set, end, err);

	end->totals->cpus = end->cpus;
	if (!rc && f->output.remote)
		return finish_remote(f, set, end, err);
	if (!rc && set->sink)
		rc = give_tail(f, set->sink, err);
	else if (!rc)
		rc = tfs_dat_writer_finish(f->writer, err);
	if (!rc)
		rc = tfs_output_trim(&f->output, &end->totals->output_bytes, err);
	for (size_t i = 0; i < set->n_buffers && !rc; i++)
		tfs_record_buffer_unlink_temps(&set->buffers[i], &f->output);
	if (rc) {
		tfs_err_prefix(err, "cannot finish '%s'", f->output.path);
		tfs_err_hint(err, "tc-record --recover '%s' completes it where there is room",
			     f->output.path);
	}
	for (size_t i = 0; i < set->n_buffers; i++)
		tfs_record_buffer_done(&set->buffers[i]);
	return rc ? rc : tfs_output_check(&f->output, err);
}
