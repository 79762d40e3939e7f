/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/images.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/io.h"
#include "base/strbuf-core.h"

#define DELETED " (deleted)"
#define VDSO "[vdso]"

static void release_process(struct tfs_image_process *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->images[i].maps);
	free(p->images);
	free(p);
}

void tfs_images_release(struct tfs_images *im)
{
	for (size_t i = 0; i < im->n_processes; i++)
		release_process(im->order[i]);
	for (size_t i = 0; i < im->n_objects; i++) {
		free(im->objects[i].path);
		tfs_close(&im->objects[i].fd);
	}
	free(im->order);
	free(im->objects);
	tfs_hashmap_release(&im->processes);
	tfs_strmap_release(&im->index);
	*im = (struct tfs_images){ .n_maps = 0 };
}

struct tfs_image_process *tfs_images_find(const struct tfs_images *im, uint32_t tgid)
{
	return tfs_hashmap_int(&im->processes, tgid);
}

/* The user that a living process runs as; -1: it is gone */
static long owner(uint32_t tgid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u", tgid);
	return stat(path, &st) ? -1 : (long)st.st_uid;
}

static struct tfs_image_process *add_process(struct tfs_images *im, uint32_t tgid)
{
	struct tfs_image_process *p = tfs_images_find(im, tgid);

	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p || tfs_grow_one(&im->order, im->n_processes) ||
	    tfs_hashmap_add(&im->processes, tfs_hash_int(tgid), p)) {
		free(p);
		return NULL;
	}
	p->tgid = tgid;
	p->uid = -1;
	p->jit = -1;
	im->order[im->n_processes++] = p;
	return p;
}

static struct tfs_image *add_image(struct tfs_image_process *p, uint64_t from, uint64_t seen)
{
	if (tfs_grow_one(&p->images, p->n))
		return NULL;
	p->images[p->n] = (struct tfs_image){ .from = from, .first = seen, .last = seen };
	return &p->images[p->n++];
}

static struct tfs_image *latest(const struct tfs_image_process *p)
{
	return p->n ? &p->images[p->n - 1] : NULL;
}

static bool has_room(struct tfs_images *im, size_t n)
{
	if (im->n_maps + n <= TFS_IMAGES_MAPS_MAX)
		return true;
	im->dropped++;
	return false;
}

/* The same file has the same key, whether its build-id or only its number is known. */
static int make_key(const struct tfs_process_map *map, size_t path_len, struct tfs_strbuf *key)
{
	int rc = 0;

	for (size_t i = 0; i < map->id_size && !rc; i++)
		rc = tfs_strbuf_addf(key, "%02x", map->id[i]);
	if (!rc && !map->id_size)
		rc = tfs_strbuf_addf(key, "%llx:%llx", (unsigned long long)map->dev,
				     (unsigned long long)map->inode);
	return rc ? rc : tfs_strbuf_addf(key, "|%.*s", (int)path_len, map->name);
}

static long add_object(struct tfs_images *im, const struct tfs_image_object *object)
{
	if (tfs_grow(&im->objects, &im->cap_objects, im->n_objects + 1))
		return -ENOMEM;
	im->objects[im->n_objects] = *object;
	return (long)im->n_objects++;
}

long tfs_images_add_object(struct tfs_images *im, const char *path, uint32_t flags)
{
	struct tfs_image_object o = { .flags = flags, .fd = -1, .number = -1 };
	long i;

	o.path = strdup(path);
	i = o.path ? add_object(im, &o) : -ENOMEM;
	if (i < 0)
		free(o.path);
	return i;
}

/* While the process lives its file is to be had: opened now, it stays so. */
static void open_object(struct tfs_images *im, struct tfs_image_object *o, uint32_t tgid,
			const struct tfs_process_map *map)
{
	if (o->fd >= 0 || *o->path != '/' || im->n_open >= TFS_IMAGES_OPEN_MAX)
		return;
	o->fd = tfs_process_map_open((int)tgid, map);
	if (o->fd < 0)
		o->fd = -1;
	im->n_open += o->fd >= 0;
}

static long new_object(struct tfs_images *im, uint32_t tgid, const struct tfs_process_map *map,
		       size_t path_len)
{
	struct tfs_image_object o = {
		.dev = map->dev,
		.inode = map->inode,
		.fd = -1,
		.number = -1,
	};
	long i;

	o.path = strndup(map->name, path_len);
	if (!o.path)
		return -ENOMEM;
	if (!strcmp(o.path, VDSO))
		o.flags |= TFS_DAT_OBJECT_VDSO;
	if (map->name[path_len])
		o.flags |= TFS_DAT_OBJECT_DELETED;
	o.id_size = map->id_size;
	memcpy(o.id, map->id, map->id_size);
	open_object(im, &o, tgid, map);
	i = add_object(im, &o);
	if (i < 0) {
		free(o.path);
		tfs_close(&o.fd);
	}
	return i;
}

/* The number of a map's object, -1: none; -ENOMEM */
static long object_of(struct tfs_images *im, uint32_t tgid, const struct tfs_process_map *map)
{
	size_t len = strlen(map->name), end = strlen(DELETED), i;
	struct tfs_strbuf key = TFS_STRBUF_INIT;
	long found = -ENOMEM;

	if (*map->name != '/' && strcmp(map->name, VDSO) != 0)
		return -1;
	if (len > end && !strcmp(map->name + len - end, DELETED))
		len -= end;
	if (!make_key(map, len, &key)) {
		if (tfs_strmap_get(&im->index, key.s, &i)) {
			found = (long)i;
			/* The process that was seen with it first may have ended before. */
			open_object(im, &im->objects[i], tgid, map);
		} else {
			found = new_object(im, tgid, map, len);
		}
		if (found >= 0 && tfs_strmap_put(&im->index, key.s, (size_t)found))
			found = -ENOMEM;
	}
	tfs_strbuf_release(&key);
	return found;
}

/* The first of the maps that ends after @addr. */
static size_t map_at(const struct tfs_image *image, uint64_t addr)
{
	return tfs_bisect(i, image->n_maps, image->maps[i].end <= addr);
}

static bool ends_with(const char *path, const char *end)
{
	const size_t len = strlen(path), end_len = strlen(end);

	return len >= end_len && !strcmp(path + len - end_len, end);
}

/* By build-id; else by number, which another file may get: one path must be a part of the other */
static bool same_file(const struct tfs_image_object *a, const struct tfs_image_object *b)
{
	if (a->id_size || b->id_size)
		return a->id_size == b->id_size && !memcmp(a->id, b->id, a->id_size);
	return a->inode && a->inode == b->inode && a->dev == b->dev &&
	       (ends_with(a->path, b->path) || ends_with(b->path, a->path));
}

/*
 * A process with a root of its own has one path for its file, and /proc has the one that we see
 * (tests/live/t-profile-names.sh): the object of a map stays the one that came first.
 */
static void keep_object(struct tfs_images *im, const struct tfs_image *image,
			struct tfs_dat_map *map)
{
	for (size_t i = map_at(image, map->start);
	     i < image->n_maps && image->maps[i].start < map->end; i++) {
		const struct tfs_dat_map *old = &image->maps[i];
		struct tfs_image_object *first, *again;

		if (old->object == map->object || old->object == TFS_DAT_NO_OBJECT ||
		    map->object == TFS_DAT_NO_OBJECT ||
		    old->start - old->offset != map->start - map->offset)
			continue;
		first = &im->objects[old->object];
		again = &im->objects[map->object];
		if (!same_file(first, again))
			continue;
		if (first->fd < 0) {
			first->fd = again->fd;
			again->fd = -1;
		}
		map->object = old->object;
		return;
	}
}

static bool same_code(const struct tfs_dat_map *a, const struct tfs_dat_map *b)
{
	return a->object == b->object &&
	       (a->object == TFS_DAT_NO_OBJECT || a->start - a->offset == b->start - b->offset);
}

/* Is there other code where the map is? */
static bool conflicts(const struct tfs_image *image, const struct tfs_dat_map *map)
{
	for (size_t i = map_at(image, map->start);
	     i < image->n_maps && image->maps[i].start < map->end; i++)
		if (!same_code(&image->maps[i], map))
			return true;
	return false;
}

static int insert(struct tfs_images *im, struct tfs_image *image, size_t at,
		  const struct tfs_dat_map *map)
{
	if (!has_room(im, 1))
		return 0;
	if (tfs_grow(&image->maps, &image->cap_maps, image->n_maps + 1))
		return -ENOMEM;
	memmove(image->maps + at + 1, image->maps + at,
		(image->n_maps - at) * sizeof(*image->maps));
	image->maps[at] = *map;
	image->n_maps++;
	im->n_maps++;
	return 0;
}

/* Add a map, in place of what it overlaps: of that, the parts beside it stay. */
static int place(struct tfs_images *im, struct tfs_image *image, const struct tfs_dat_map *map)
{
	size_t at = map_at(image, map->start);

	while (at < image->n_maps && image->maps[at].start < map->end) {
		struct tfs_dat_map *old = &image->maps[at], rest = *old;

		if (old->end > map->end) {
			rest.offset += map->end - rest.start;
			rest.start = map->end;
			if (old->start < map->start) {
				old->end = map->start;
				if (insert(im, image, ++at, &rest))
					return -ENOMEM;
			} else {
				*old = rest;
			}
			break;
		}
		if (old->start < map->start) {
			old->end = map->start;
			at++;
			continue;
		}
		memmove(old, old + 1, (image->n_maps - at - 1) * sizeof(*old));
		image->n_maps--;
		im->n_maps--;
	}
	return insert(im, image, at, map);
}

static int copy_maps(struct tfs_images *im, const struct tfs_image *from, struct tfs_image *to)
{
	if (!from->n_maps || !has_room(im, from->n_maps))
		return 0;
	to->maps = malloc(from->n_maps * sizeof(*to->maps));
	if (!to->maps)
		return -ENOMEM;
	memcpy(to->maps, from->maps, from->n_maps * sizeof(*to->maps));
	to->n_maps = from->n_maps;
	to->cap_maps = from->n_maps;
	im->n_maps += from->n_maps;
	return 0;
}

/* Begin another image with the maps of this one. @from: when, 0: not known */
static struct tfs_image *fork_image(struct tfs_images *im, struct tfs_image_process *p,
				    uint64_t from, uint64_t seen)
{
	struct tfs_image *new = add_image(p, from, seen);

	/* The one before it in the array */
	if (!new || copy_maps(im, new - 1, new))
		return NULL;
	new->is_partial = new[-1].is_partial;
	return new;
}

static bool make_map(struct tfs_images *im, uint32_t tgid, const struct tfs_process_map *in,
		     struct tfs_dat_map *out)
{
	long object = object_of(im, tgid, in);

	*out = (struct tfs_dat_map){
		.start = in->start,
		.end = in->end,
		.offset = object < 0 ? 0 : in->offset,
		.object = object < 0 ? TFS_DAT_NO_OBJECT : (uint32_t)object,
	};
	return object != -ENOMEM;
}

/* Since when: not known where events have no times of their own. */
static uint64_t began(const struct tfs_images *im, const struct tfs_map_event *e)
{
	return im->inexact ? 0 : e->ts;
}

static void mapped(struct tfs_images *im, const struct tfs_map_event *e)
{
	struct tfs_image_process *p = add_process(im, e->tgid);
	struct tfs_image *image = p ? latest(p) : NULL;
	struct tfs_dat_map map;

	if (!p || !make_map(im, e->tgid, &e->map, &map))
		return;
	if (!image) {
		/* It was there before: maps from before are not known. */
		image = add_image(p, 0, e->ts);
		if (image)
			image->is_partial = true;
	} else {
		keep_object(im, image, &map);
		if (conflicts(image, &map)) {
			/* Maps that were read since are newer. */
			if (e->ts < image->last)
				return;
			image = fork_image(im, p, began(im, e), e->ts);
		}
	}
	if (!image)
		return;
	place(im, image, &map);
	if (e->ts > image->last)
		image->last = e->ts;
}

static void forked(struct tfs_images *im, const struct tfs_map_event *e)
{
	struct tfs_image_process *p = add_process(im, e->tgid), *parent;
	struct tfs_image *image = p ? add_image(p, began(im, e), e->ts) : NULL, *from;

	if (!image)
		return;
	p->has_ended = false;
	parent = tfs_images_find(im, e->parent);
	from = parent && parent != p ? latest(parent) : NULL;
	image->is_partial = !from || from->is_partial;
	if (from) {
		p->uid = parent->uid;
		copy_maps(im, from, image);
	}
}

static void executed(struct tfs_images *im, const struct tfs_map_event *e)
{
	struct tfs_image_process *p = add_process(im, e->tgid);
	struct tfs_image *image = p ? latest(p) : NULL;

	if (!p)
		return;
	/* Its maps were read before the event was. */
	if (image && !image->from && image->first > e->ts)
		image->from = began(im, e);
	else
		add_image(p, began(im, e), e->ts);
	p->uid = owner(e->tgid);
	p->jit = -1;
}

static void ended(const struct tfs_images *im, const struct tfs_map_event *e)
{
	struct tfs_image_process *p = tfs_images_find(im, e->tgid);

	if (p && e->tid == e->tgid)
		p->has_ended = true;
}

void tfs_images_event(struct tfs_images *im, const struct tfs_map_event *event)
{
	switch (event->kind) {
	case TFS_MAP_MAPPED:
		mapped(im, event);
		break;
	case TFS_MAP_EXEC:
		executed(im, event);
		break;
	case TFS_MAP_FORK:
		forked(im, event);
		break;
	case TFS_MAP_EXIT:
		ended(im, event);
		break;
	case TFS_MAP_THREAD:
		break;
	}
}

struct reading {
	struct tfs_images *im;
	uint32_t tgid;
	struct tfs_dat_map *v;
	size_t n, cap;
};

static int take_map(void *context, const struct tfs_process_map *map)
{
	struct reading *r = context;

	if (tfs_grow(&r->v, &r->cap, r->n + 1) || !make_map(r->im, r->tgid, map, &r->v[r->n]))
		return -ENOMEM;
	r->n++;
	return 0;
}

/* Adds maps that were read to the known ones; where other code is now, another image begins. */
static int merge(struct reading *r, struct tfs_image_process *p, uint64_t ts, uint64_t from)
{
	struct tfs_image *image = latest(p);
	bool other = !image;

	for (size_t i = 0; i < r->n && !other; i++) {
		keep_object(r->im, image, &r->v[i]);
		other = conflicts(image, &r->v[i]);
	}
	if (!image)
		image = add_image(p, from, ts);
	else if (other)
		image = add_image(p, 0, ts);
	if (!image)
		return -ENOMEM;
	for (size_t i = 0; i < r->n; i++)
		if (place(r->im, image, &r->v[i]))
			return -ENOMEM;
	image->is_partial = false;
	if (ts > image->last)
		image->last = ts;
	return 0;
}

int tfs_images_read(struct tfs_images *im, uint32_t tgid, uint64_t ts, uint64_t from)
{
	struct reading r = { .im = im, .tgid = tgid };
	struct tfs_image_process *p;
	int rc = tfs_process_maps_read((int)tgid, take_map, &r);

	/* A task of the kernel has none, and one that is about to end none any more. */
	if (!rc && !r.n)
		rc = -ESRCH;
	p = rc ? NULL : add_process(im, tgid);
	if (!rc)
		rc = p ? merge(&r, p, ts, from) : -ENOMEM;
	free(r.v);
	if (!rc)
		p->uid = owner(tgid);
	return rc;
}

const struct tfs_dat_map *tfs_image_map(const struct tfs_image *image, uint64_t addr)
{
	size_t i = map_at(image, addr);

	return i < image->n_maps && image->maps[i].start <= addr ? &image->maps[i] : NULL;
}

const struct tfs_image *tfs_image_at(const struct tfs_image_process *p, uint64_t ts)
{
	size_t i = p->n;

	while (i > 1 && p->images[i - 1].from > ts)
		i--;
	return i ? &p->images[i - 1] : NULL;
}

const struct tfs_dat_map *tfs_images_map(const struct tfs_image_process *p, uint64_t addr)
{
	const struct tfs_image *image = latest(p);

	return image ? tfs_image_map(image, addr) : NULL;
}
