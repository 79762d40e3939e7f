/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rewrite/join.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/err.h"
#include "base/strbuf-core.h"
#include "rewrite/bytes.h"
#include "rewrite/dat-out.h"
#include "rewrite/image.h"
#include "rewrite/join-image.h"
#include "rewrite/page-build.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-lost.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-time.h"
#include "tracedat/page.h"
#include "tracedat/seek.h"
#include "tracedat/stream.h"

/* The data of a CPU in one recording; time stamps are as recorded */
struct part {
	struct tfs_dat *dat;
	size_t buffer, index;
	struct tfs_bounds bounds;
	struct tfs_stream *stream;
	const struct tfs_join_ids *ids;
	unsigned char *changed; /* a sub-buffer with other numbers of events, or NULL */
	struct tfs_page pg;
	struct tfs_record rec;
	bool in_page, live;
};

struct join {
	struct tfs_dat **dats;
	struct tfs_join_ids *ids; /* of each of @dats */
	size_t n;
	struct tfs_image image;
	struct tfs_dat_time *raw; /* leaves time as it is */
	struct part *parts;       /* room for @n */
	struct tfs_dat_out *out;
};

static int no_memory(struct tfs_err *err)
{
	return tfs_err_set(err, -ENOMEM, "cannot join the recordings");
}

/* --- metadata */

/* A buffer of the image in @dat; SIZE_MAX if it has none of this name */
static size_t buffer_of(const struct join *j, const struct tfs_dat *dat, size_t buffer)
{
	for (size_t i = 0; i < tfs_dat_n_buffers(dat); i++)
		if (!strcmp(tfs_dat_buffer(dat, i)->name, j->image.buffers[buffer].name))
			return i;
	return SIZE_MAX;
}

static bool is_same_option(const struct tfs_dat *x, const struct tfs_dat *y, uint16_t id)
{
	const struct tfs_dat_option *a = tfs_dat_option_last(x, id);
	const struct tfs_dat_option *b = tfs_dat_option_last(y, id);

	return !a == !b && (!a || (a->data.size == b->data.size &&
				   !memcmp(a->data.data, b->data.data, a->data.size)));
}

/*
 * Pieces of one recording have its id, its samples of clocks and all of its losses, which then
 * count once. Two recordings may have lost as much.
 */
static bool is_counted(const struct join *j, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_same_option(j->dats[i], j->dats[n], TFS_DAT_TRACEID) &&
		    is_same_option(j->dats[i], j->dats[n], TFS_DAT_PRIVATE_CLOCKS) &&
		    is_same_option(j->dats[i], j->dats[n], TFS_DAT_PRIVATE_LOST))
			return true;
	return false;
}

/* Adds the losses of all recordings; those without any count would make the sum wrong. */
static int add_losses(const struct join *j, size_t buffer, unsigned int cpu,
		      struct tfs_strbuf *payload)
{
	struct tfs_dat_lost sum = { .cpu = cpu, .buffer = (uint32_t)buffer }, lost;
	bool found = false;

	for (size_t i = 0; i < j->n; i++) {
		const size_t own = buffer_of(j, j->dats[i], buffer);

		if (own == SIZE_MAX || is_counted(j, i) ||
		    tfs_dat_lost_find(j->dats[i], own, cpu, &lost) <= 0)
			continue;
		found = true;
		sum.events += lost.events;
		sum.overrun += lost.overrun;
		sum.commit_overrun += lost.commit_overrun;
		sum.dropped += lost.dropped;
		sum.unread += lost.unread;
		sum.taken += lost.taken;
		sum.signs |= lost.signs;
	}
	return found ? tfs_dat_lost_add(payload, &sum) : 0;
}

static bool losses_differ(const struct join *j)
{
	for (size_t i = 1; i < j->n; i++)
		if (!is_counted(j, i))
			return true;
	return false;
}

static int join_losses(struct join *j)
{
	struct tfs_strbuf payload = TFS_STRBUF_INIT;
	int rc = 0;

	if (!losses_differ(j))
		return 0;
	rc = tfs_dat_lost_begin(&payload);
	for (size_t i = 0; i < j->image.n_buffers && !rc; i++)
		for (unsigned int cpu = 0; cpu < j->image.cpus && !rc; cpu++)
			rc = add_losses(j, i, cpu, &payload);
	for (size_t i = 0; i < j->image.n_options && !rc; i++) {
		struct tfs_image_option *o = &j->image.options[i];

		if (o->id != TFS_DAT_PRIVATE_LOST)
			continue;
		tfs_strbuf_reset(&o->data);
		rc = tfs_strbuf_add(&o->data, payload.s, payload.len);
	}
	tfs_strbuf_release(&payload);
	return rc;
}

static int read_image(struct join *j, struct tfs_join_notes *notes, struct tfs_err *err)
{
	int rc = tfs_image_read(j->dats[0], &j->image, err);

	for (size_t i = 1; i < j->n && !rc; i++) {
		struct tfs_image image;
		const struct tfs_join_more more = { j->dats[i], &image, &j->ids[i] };

		rc = tfs_image_read(j->dats[i], &image, err);
		if (!rc)
			rc = tfs_join_image(&j->image, j->dats[0], &more, notes, err);
		tfs_image_release(&image);
	}
	if (!rc && join_losses(j))
		rc = no_memory(err);
	return rc;
}

/* --- data */

static int note_fault(struct part *p, const struct tfs_err *fault, struct tfs_err *err)
{
	if (fault->code == -ENOMEM) {
		*err = *fault;
		return -ENOMEM;
	}
	tfs_dat_note_damage(p->dat, fault);
	return 0;
}

/* The number of an event is the first field of its records, common_type. */
static int renumber(const struct join *j, struct part *p, size_t size, const void **page)
{
	struct tfs_record rec;
	struct tfs_page pg;

	if (!p->changed)
		p->changed = malloc(size);
	if (!p->changed)
		return -ENOMEM;
	memcpy(p->changed, *page, size);
	if (tfs_page_init(&pg, p->changed, size, j->image.kernel_long_size,
			  j->image.page_data_offset, j->image.big))
		return 0;
	while (tfs_page_next(&pg, &rec) > 0) {
		unsigned char *data = p->changed + ((const unsigned char *)rec.data - p->changed);

		if (rec.size >= sizeof(uint16_t))
			tfs_store_u16(data, p->ids->to[tfs_load_u16(data, j->image.big)],
				      j->image.big);
	}
	*page = p->changed;
	return 0;
}

/* The next sub-buffer: 1, 0 at the end, -ENOMEM */
static int next_page(const struct join *j, struct part *p, size_t size, const void **page,
		     struct tfs_err *err)
{
	struct tfs_err fault = TFS_ERR_INIT;
	int rc = tfs_stream_next(p->stream, page, &fault);

	if (rc < 0)
		return note_fault(p, &fault, err);
	if (rc && p->ids->to && renumber(j, p, size, page))
		return no_memory(err);
	return rc;
}

static int next_record(struct join *j, struct part *p, size_t size, struct tfs_err *err)
{
	const void *page;
	int rc;

	for (;;) {
		if (p->in_page && tfs_page_next(&p->pg, &p->rec) > 0)
			return 0;
		p->in_page = false;
		rc = next_page(j, p, size, &page, err);
		p->live = rc > 0;
		if (rc <= 0)
			return rc;
		p->in_page = !tfs_page_init(&p->pg, page, size, j->image.kernel_long_size,
					    j->image.page_data_offset, j->image.big);
	}
}

static int copy_part(const struct join *j, struct part *p, size_t size, struct tfs_page_build *b,
		     struct tfs_err *err)
{
	const void *page;
	int rc;

	while ((rc = next_page(j, p, size, &page, err)) > 0) {
		rc = tfs_page_build_copy(b, page, err);
		if (rc)
			return rc;
	}
	return rc;
}

/* Record by record, the earliest first, and of equal ones that of the earlier recording */
static int merge_parts(struct join *j, size_t n, size_t size, struct tfs_page_build *b,
		       struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++)
		rc = next_record(j, &j->parts[i], size, err);
	while (!rc) {
		struct part *first = NULL;

		for (size_t i = 0; i < n; i++)
			if (j->parts[i].live && (!first || j->parts[i].rec.ts < first->rec.ts))
				first = &j->parts[i];
		if (!first)
			break;
		rc = tfs_page_build_add(b, &first->rec, err);
		if (!rc)
			rc = next_record(j, first, size, err);
	}
	return rc ? rc : tfs_page_build_flush(b, err);
}

static int by_time(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return x->bounds.first < y->bounds.first ? -1 : x->bounds.first > y->bounds.first;
}

/* The recordings that have records of this CPU, in order of time */
static int find_parts(struct join *j, size_t buffer, unsigned int cpu, size_t *n,
		      struct tfs_err *err)
{
	*n = 0;
	for (size_t i = 0; i < j->n; i++) {
		const size_t own = buffer_of(j, j->dats[i], buffer);
		const struct tfs_dat_buffer *buf;
		size_t k = 0;
		int rc;

		if (own == SIZE_MAX)
			continue;
		buf = tfs_dat_buffer(j->dats[i], own);
		while (k < buf->n_cpus && buf->cpus[k].cpu != cpu)
			k++;
		if (k == buf->n_cpus)
			continue;
		j->parts[*n] = (struct part){
			.dat = j->dats[i],
			.buffer = own,
			.index = k,
			.ids = &j->ids[i],
		};
		rc = tfs_seek_bounds(j->dats[i], own, k, j->raw, &j->parts[*n].bounds, err);
		if (rc > 0)
			rc = tfs_stream_new(j->dats[i], own, k, &j->parts[(*n)++].stream, err);
		if (rc < 0)
			return rc;
	}
	qsort(j->parts, *n, sizeof(*j->parts), by_time);
	return 0;
}

static bool overlap(const struct part *parts, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (parts[i].bounds.first < parts[i - 1].bounds.last)
			return true;
	return false;
}

static int join_cpu(struct join *j, size_t buffer, unsigned int cpu, struct tfs_err *err)
{
	const size_t size = j->image.buffers[buffer].page_size;
	struct tfs_page_build b = { 0 };
	size_t n;
	int rc = find_parts(j, buffer, cpu, &n, err);

	if (!rc && n && tfs_page_build_init(&b, j->out, &j->image, cpu, size))
		rc = no_memory(err);
	if (!rc && overlap(j->parts, n)) {
		rc = merge_parts(j, n, size, &b, err);
	} else {
		for (size_t i = 0; i < n && !rc; i++)
			rc = copy_part(j, &j->parts[i], size, &b, err);
	}
	tfs_page_build_release(&b);
	for (size_t i = 0; i < n; i++) {
		tfs_stream_free(j->parts[i].stream);
		free(j->parts[i].changed);
	}
	return rc;
}

static int check_text(const struct join *j, struct tfs_err *err)
{
	for (size_t i = 0; i < j->n; i++)
		if (tfs_dat_is_text(j->dats[i]))
			return tfs_err_say(
				err, -EOPNOTSUPP,
				"'%s' holds the text of a latency tracer, and no records",
				tfs_dat_path(j->dats[i]));
	return 0;
}

/* When a recording begins, for their order; those without records come last. */
static uint64_t first_of(struct tfs_dat *dat, const struct tfs_dat_time *time)
{
	struct tfs_bounds b;

	return tfs_seek_all_bounds(dat, time, &b, NULL) > 0 ? b.first : UINT64_MAX;
}

static int sort_dats(struct join *j, struct tfs_dat *const *dats, struct tfs_err *err)
{
	uint64_t *first = calloc(j->n, sizeof(*first));

	j->dats = calloc(j->n, sizeof(struct tfs_dat *));
	j->ids = calloc(j->n, sizeof(*j->ids));
	j->parts = calloc(j->n, sizeof(*j->parts));
	if (!first || !j->dats || !j->ids || !j->parts) {
		free(first);
		return no_memory(err);
	}
	for (size_t i = 0; i < j->n; i++) {
		const uint64_t begin = first_of(dats[i], j->raw);
		size_t k = i;

		for (; k && first[k - 1] > begin; k--) {
			first[k] = first[k - 1];
			j->dats[k] = j->dats[k - 1];
		}
		first[k] = begin;
		j->dats[k] = dats[i];
	}
	free(first);
	return 0;
}

static int write_all(struct join *j, int fd, const struct tfs_dat_form *form, struct tfs_err *err)
{
	int rc = tfs_dat_out_new(fd, &j->image, form, &j->out, err);

	for (size_t i = 0; i < j->image.n_buffers && !rc; i++) {
		rc = tfs_dat_out_buffer(j->out, err);
		for (unsigned int cpu = 0; cpu < j->image.cpus && !rc; cpu++)
			rc = join_cpu(j, i, cpu, err);
	}
	if (!rc)
		rc = tfs_dat_out_end(j->out, err);
	tfs_dat_out_free(j->out);
	return rc;
}

int tfs_join(struct tfs_dat *const *dats, size_t n, int fd, const struct tfs_dat_form *form,
	     struct tfs_join_notes *notes, struct tfs_err *err)
{
	const struct tfs_dat_time_opts raw = { .raw = true };
	struct tfs_err own = TFS_ERR_INIT;
	struct join j = { .n = n };
	int rc;

	*notes = (struct tfs_join_notes){ 0 };
	if (!err)
		err = &own;
	rc = tfs_dat_time_new(dats[0], &raw, &j.raw, err);
	if (!rc)
		rc = sort_dats(&j, dats, err);
	if (!rc)
		rc = check_text(&j, err);
	if (!rc)
		rc = read_image(&j, notes, err);
	if (!rc)
		rc = write_all(&j, fd, form, err);
	tfs_dat_time_free(j.raw);
	tfs_image_release(&j.image);
	for (size_t i = 0; j.ids && i < n; i++)
		free(j.ids[i].to);
	free(j.ids);
	free(j.dats);
	free(j.parts);
	return rc;
}
