/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/recording-source.h"

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "tracedat/dat-read.h"
#include "tracedat/event-source.h"
#include "tracedat/seek.h"
#include "tracedat/stream.h"

/* How soon what was written is shown. */
#define PAUSE_MS 50

struct recording {
	struct tfs_event_source source;
	struct tfs_follow *follow; /* NULL: complete */
};

/* One CPU of one buffer */
struct recorded_cpu {
	struct tfs_dat *dat;
	struct tfs_stream *stream;
	size_t buffer, index;
	uint64_t start, size; /* of its data in the file */
};

static struct recording *to_recording(struct tfs_event_source *source)
{
	return (struct recording *)source;
}

static int open_cpu(struct tfs_event_source *source, size_t buffer, size_t index, void **out,
		    struct tfs_err *err)
{
	const struct tfs_dat_cpu *data = &tfs_dat_buffer(source->dat, buffer)->cpus[index];
	struct tfs_follow *follow = to_recording(source)->follow;
	struct recorded_cpu *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		return tfs_err_set(err, -ENOMEM, "cannot read CPU %u", data->cpu);
	c->dat = source->dat;
	c->buffer = buffer;
	c->index = index;
	c->start = data->offset;
	c->size = data->size;
	rc = tfs_stream_new(source->dat, buffer, index, &c->stream, err);
	if (rc) {
		free(c);
		return rc;
	}
	if (follow)
		tfs_stream_follow(c->stream, follow, buffer, index);
	*out = c;
	return 0;
}

static void close_cpu(void *cpu)
{
	struct recorded_cpu *c = cpu;

	if (!c)
		return;
	tfs_stream_free(c->stream);
	free(c);
}

static int next_page(void *cpu, struct tfs_source_page *page, struct tfs_err *err)
{
	struct recorded_cpu *c = cpu;
	int rc = tfs_stream_next(c->stream, &page->data, err);

	if (rc <= 0)
		return rc;
	page->limit = tfs_stream_limit(c->stream);
	page->end = tfs_stream_end(c->stream);
	page->offset = tfs_stream_offset(c->stream);
	return 1;
}

static void retire_to(void *cpu, struct tfs_blocks *blocks)
{
	tfs_stream_retire_to(((struct recorded_cpu *)cpu)->stream, blocks);
}

static void retire(void *cpu)
{
	tfs_stream_retire(((struct recorded_cpu *)cpu)->stream);
}

static int seek_time(void *cpu, const struct tfs_dat_time *time, uint64_t ts)
{
	struct recorded_cpu *c = cpu;

	return tfs_seek_time(c->dat, c->buffer, c->index, time, ts, c->stream);
}

static void progress(const void *cpu, uint64_t *done, uint64_t *total)
{
	const struct recorded_cpu *c = cpu;
	uint64_t read = tfs_stream_position(c->stream) - c->start;

	*done += read < c->size ? read : c->size;
	*total += c->size;
}

static int update(struct tfs_event_source *source, struct tfs_err *err)
{
	struct tfs_follow *follow = to_recording(source)->follow;
	int rc = tfs_follow_update(follow, err);

	source->updates++;
	source->ended = tfs_follow_ended(follow);
	return rc;
}

static bool is_complete(const void *cpu)
{
	return tfs_stream_is_stable(((const struct recorded_cpu *)cpu)->stream);
}

static void free_source(struct tfs_event_source *source)
{
	tfs_follow_free(to_recording(source)->follow);
	free(source);
}

static const struct tfs_event_source_ops recording_ops = {
	.open = open_cpu,
	.close = close_cpu,
	.page = next_page,
	.retire_to = retire_to,
	.retire = retire,
	.seek = seek_time,
	.progress = progress,
	.free = free_source,
};

static const struct tfs_event_source_ops growing_ops = {
	.open = open_cpu,
	.close = close_cpu,
	.page = next_page,
	.retire_to = retire_to,
	.retire = retire,
	.update = update,
	.is_complete = is_complete,
	.free = free_source,
};

static int new_source(struct tfs_dat *dat, const struct tfs_event_source_ops *ops,
		      struct recording **out, struct tfs_err *err)
{
	struct recording *r = calloc(1, sizeof(*r));

	if (!r)
		return tfs_err_set(err, -ENOMEM, "cannot read '%s'", tfs_dat_path(dat));
	r->source = (struct tfs_event_source){
		.ops = ops,
		.dat = dat,
		.pause_ms = PAUSE_MS,
		.stop_fd = -1,
		.wake_fd = -1,
	};
	*out = r;
	return 0;
}

int tfs_recording_source_new(struct tfs_dat *dat, struct tfs_event_source **out,
			     struct tfs_err *err)
{
	struct recording *r = NULL;
	int rc = new_source(dat, &recording_ops, &r, err);

	if (!rc)
		*out = &r->source;
	return rc;
}

int tfs_growing_source_open(struct tfs_dat *dat, enum tfs_follow_flags flags,
			    struct tfs_event_source **out, struct tfs_err *err)
{
	struct recording *r = NULL;
	int rc = new_source(dat, &growing_ops, &r, err);

	if (rc)
		return rc;
	rc = tfs_follow_open(dat, flags, &r->follow, err);
	if (rc)
		free(r);
	else
		*out = &r->source;
	return rc;
}
