/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/names-write.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/strbuf-core.h"
#include "base/time.h"
#include "record/hit-symbols.h"
#include "record/images.h"
#include "record/jit-map.h"
#include "record/known-tasks.h"
#include "record/user-events.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-maps.h"
#include "tracedat/dat-private.h"
#include "tracedat/dat-records.h"
#include "tracedat/dat-symbols.h"
#include "tracedat/dat-write.h"

/* Addresses of a process in its JIT's code: those of its object */
struct jit_hits {
	struct tfs_jit_hit *v;
	size_t n, cap;
};

/* @objects and @jit: one for each of the images' objects */
struct writing {
	struct tfs_images *im;
	struct tfs_hit_object *objects;
	struct jit_hits *jit;
	size_t n_numbered;
	struct tfs_dat_symbols_writer symbols;
	struct tfs_strbuf object_records;
};

uint64_t tfs_names_monotonic(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

int tfs_names_put(struct tfs_dat_writer *w, uint16_t id, struct tfs_strbuf *payload, uint64_t *room)
{
	int rc = tfs_dat_records_pack(payload);

	if (rc || payload->len > *room)
		return rc;
	*room -= payload->len;
	return tfs_dat_writer_option(w, id, payload->s, payload->len);
}

static int add_offset(struct tfs_hit_object *h, uint64_t offset)
{
	if (tfs_grow(&h->offsets, &h->cap, h->n + 1))
		return -ENOMEM;
	h->offsets[h->n++] = offset;
	return 0;
}

static int add_jit(struct jit_hits *j, uint64_t addr)
{
	if (tfs_grow(&j->v, &j->cap, j->n + 1))
		return -ENOMEM;
	j->v[j->n++] = (struct tfs_jit_hit){ .addr = addr };
	return 0;
}

/* When it was met is not kept: it may have been in any program that the process ran. */
static int add_hit(struct writing *w, const struct tfs_image_process *p, uint64_t addr)
{
	const struct tfs_dat_map *map;
	int rc = 0;

	for (size_t i = 0; i < p->n && !rc; i++) {
		map = tfs_image_map(&p->images[i], addr);
		if (!map)
			continue;
		if (map->object != TFS_DAT_NO_OBJECT)
			rc = add_offset(&w->objects[map->object], addr - map->start + map->offset);
		else if (p->jit >= 0 && i == p->n - 1)
			rc = add_jit(&w->jit[p->jit], addr);
	}
	return rc;
}

static int add_hits(struct writing *w, struct tfs_known_tasks *tasks,
		    struct tfs_user_events *events)
{
	struct tfs_image_process *p;
	struct tfs_user_hit hit;
	uint32_t tgid;
	int rc = 0;

	for (size_t i = 0; !rc && tfs_user_events_hit(events, i, &hit); i++) {
		tgid = hit.is_thread ? tfs_known_tasks_tgid(tasks, hit.pid) : hit.pid;
		p = tgid ? tfs_images_find(w->im, tgid) : NULL;
		if (p)
			rc = add_hit(w, p, hit.addr);
	}
	return rc;
}

/* Objects of the processes that were met get numbers, in the order that they were mapped. */
static void number_objects(struct writing *w)
{
	struct tfs_images *im = w->im;

	for (size_t i = 0; i < im->n_objects; i++)
		im->objects[i].number = -1;
	for (size_t i = 0; i < im->n_processes; i++) {
		const struct tfs_image_process *p = im->order[i];

		if (p->is_hit && p->jit >= 0)
			im->objects[p->jit].number = 0;
		for (size_t k = 0; p->is_hit && k < p->n; k++)
			for (size_t m = 0; m < p->images[k].n_maps; m++)
				if (p->images[k].maps[m].object != TFS_DAT_NO_OBJECT)
					im->objects[p->images[k].maps[m].object].number = 0;
	}
	for (size_t i = 0; i < im->n_objects; i++)
		if (!im->objects[i].number)
			im->objects[i].number = (long)w->n_numbered++;
}

static int compare_jit(const void *a, const void *b)
{
	const struct tfs_jit_hit *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int put_jit(struct writing *w, struct tfs_image_object *o, struct jit_hits *j)
{
	struct tfs_strbuf names = TFS_STRBUF_INIT;
	struct tfs_dat_symbol *v;
	size_t n = 0;
	int rc;

	if (!j->n)
		return 0;
	qsort(j->v, j->n, sizeof(*j->v), compare_jit);
	v = calloc(j->n, sizeof(*v));
	rc = v ? tfs_jit_map_find(o->fd, j->v, j->n, &names) : -ENOMEM;
	for (size_t i = 0; i < j->n && !rc; i++) {
		if (!j->v[i].end ||
		    (n && v[n - 1].start == j->v[i].start && v[n - 1].end == j->v[i].end))
			continue;
		v[n++] = (struct tfs_dat_symbol){
			.start = j->v[i].start,
			.end = j->v[i].end,
			.name = names.s + j->v[i].name,
		};
	}
	if (!rc && n)
		rc = tfs_dat_symbols_add(&w->symbols, (uint32_t)o->number, v, n);
	free(v);
	tfs_strbuf_release(&names);
	return rc == -ENOMEM ? rc : 0;
}

static int put_object(struct writing *w, size_t i)
{
	struct tfs_image_object *o = &w->im->objects[i];
	struct tfs_hit_object *h = &w->objects[i];
	char id[2 * TFS_MAP_ID_MAX + 1] = "";
	int rc = 0;

	h->of = o;
	if (o->flags & TFS_DAT_OBJECT_JIT) {
		h->flags = TFS_DAT_OBJECT_READ;
		rc = put_jit(w, o, &w->jit[i]);
	} else if (h->n) {
		rc = tfs_hit_object_open(h);
		if (!rc)
			rc = tfs_hit_object_symbols(h, (uint32_t)o->number, &w->symbols);
	}
	for (size_t k = 0; k < o->id_size; k++)
		snprintf(id + 2 * k, 3, "%02x", o->id[k]);
	if (!rc)
		rc = tfs_dat_objects_add(&w->object_records, &(struct tfs_dat_object){
								     .flags = o->flags | h->flags,
								     .load_bias = h->load_bias,
								     .path = o->path,
								     .build_id = id,
							     });
	/* One at a time: their tables may be large. */
	tfs_hit_object_close(h);
	return rc;
}

static int put_image(struct writing *w, const struct tfs_image_process *p,
		     const struct tfs_image *image, bool is_last, struct tfs_strbuf *sb)
{
	struct tfs_dat_image out = {
		.tgid = p->tgid,
		.from = image->from,
		.first = image->first,
		.last = image->last,
		.n_maps = image->n_maps,
	};
	struct tfs_dat_map *maps = calloc(image->n_maps ? image->n_maps : 1, sizeof(*maps));
	int rc;

	if (!maps)
		return -ENOMEM;
	for (size_t i = 0; i < image->n_maps; i++) {
		maps[i] = image->maps[i];
		if (maps[i].object != TFS_DAT_NO_OBJECT) {
			maps[i].address = maps[i].offset + w->objects[maps[i].object].load_bias;
			maps[i].object = (uint32_t)w->im->objects[maps[i].object].number;
		} else if (p->jit >= 0 && is_last) {
			maps[i].address = maps[i].start;
			maps[i].object = (uint32_t)w->im->objects[p->jit].number;
		}
	}
	out.maps = maps;
	rc = tfs_dat_maps_add(sb, &out);
	free(maps);
	return rc;
}

static int put_images(struct writing *w, struct tfs_strbuf *sb)
{
	int rc = 0;

	for (size_t i = 0; i < w->im->n_processes && !rc; i++) {
		const struct tfs_image_process *p = w->im->order[i];

		for (size_t k = 0; p->is_hit && k < p->n && !rc; k++)
			rc = put_image(w, p, &p->images[k], k == p->n - 1, sb);
	}
	return rc;
}

static int put_all(struct writing *w, struct tfs_dat_writer *out, uint64_t *room)
{
	struct tfs_strbuf maps = TFS_STRBUF_INIT, symbols = TFS_STRBUF_INIT;
	int rc = tfs_dat_private_begin(&w->object_records);

	for (size_t i = 0; i < w->im->n_objects && !rc; i++)
		if (w->im->objects[i].number >= 0)
			rc = put_object(w, i);
	if (!rc)
		rc = tfs_dat_private_begin(&maps);
	if (!rc)
		rc = put_images(w, &maps);
	if (!rc)
		rc = tfs_dat_private_begin(&symbols);
	if (!rc)
		rc = tfs_dat_symbols_finish(&w->symbols, &symbols);
	if (!rc)
		rc = tfs_names_put(out, TFS_DAT_PRIVATE_OBJECTS, &w->object_records, room);
	if (!rc)
		rc = tfs_names_put(out, TFS_DAT_PRIVATE_MAPS, &maps, room);
	if (!rc)
		rc = tfs_names_put(out, TFS_DAT_PRIVATE_SYMBOLS, &symbols, room);
	tfs_strbuf_release(&maps);
	tfs_strbuf_release(&symbols);
	return rc;
}

int tfs_names_write_images(struct tfs_images *im, struct tfs_known_tasks *tasks,
			   struct tfs_user_events *events, struct tfs_dat_writer *w, uint64_t *room)
{
	struct writing writing = {
		.im = im,
		.symbols = TFS_DAT_SYMBOLS_WRITER_INIT,
		.object_records = TFS_STRBUF_INIT,
	};
	int rc = 0;

	writing.objects = calloc(im->n_objects + 1, sizeof(*writing.objects));
	writing.jit = calloc(im->n_objects + 1, sizeof(*writing.jit));
	if (!writing.objects || !writing.jit)
		rc = -ENOMEM;
	if (!rc)
		rc = add_hits(&writing, tasks, events);
	if (!rc) {
		number_objects(&writing);
		rc = put_all(&writing, w, room);
	}
	for (size_t i = 0; writing.objects && i < im->n_objects; i++)
		tfs_hit_object_release(&writing.objects[i]);
	for (size_t i = 0; writing.jit && i < im->n_objects; i++)
		free(writing.jit[i].v);
	free(writing.objects);
	free(writing.jit);
	tfs_strbuf_release(&writing.object_records);
	tfs_dat_symbols_writer_release(&writing.symbols);
	return rc;
}
