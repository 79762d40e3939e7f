/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-maps.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf-core.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-private.h"
#include "tracedat/dat-records.h"

#define RECORD_OBJECT 1
#define RECORD_IMAGE 1
#define MAP_SIZE (4 * sizeof(uint64_t) + sizeof(uint32_t))
/* Maps that overlap are looked through so far. */
#define OVERLAP_MAX 16

struct tfs_dat_maps {
	struct tfs_dat_records records, image_records;
	struct tfs_dat_object *objects;
	size_t n_objects, cap_objects;
	struct tfs_dat_image *images;
	size_t n_images, cap_images;
};

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int put_build_id(struct tfs_strbuf *sb, const char *hex)
{
	size_t n = strlen(hex) / 2;
	int rc;

	if (n > TFS_DAT_BUILD_ID_MAX)
		n = 0;
	rc = tfs_dat_put_u32(sb, (uint32_t)n);
	for (size_t i = 0; i < n && !rc; i++) {
		int high = hex_value(hex[2 * i]), low = hex_value(hex[2 * i + 1]);

		if (high < 0 || low < 0)
			return -EINVAL;
		rc = tfs_strbuf_addc(sb, (char)(high << 4 | low));
	}
	return rc;
}

int tfs_dat_objects_add(struct tfs_strbuf *payload, const struct tfs_dat_object *object)
{
	size_t at;
	int rc = tfs_dat_record_begin(payload, RECORD_OBJECT, &at);

	if (!rc)
		rc = tfs_dat_put_u32(payload, object->flags);
	if (!rc)
		rc = tfs_dat_put_u64(payload, object->load_bias);
	if (!rc)
		rc = put_build_id(payload, object->build_id);
	if (!rc)
		rc = tfs_dat_put_strz(payload, object->path);
	return rc ? rc : tfs_dat_record_end(payload, at);
}

static int put_map(struct tfs_strbuf *sb, const struct tfs_dat_map *map)
{
	int rc = tfs_dat_put_u64(sb, map->start);

	if (!rc)
		rc = tfs_dat_put_u64(sb, map->end);
	if (!rc)
		rc = tfs_dat_put_u64(sb, map->offset);
	if (!rc)
		rc = tfs_dat_put_u64(sb, map->address);
	return rc ? rc : tfs_dat_put_u32(sb, map->object);
}

int tfs_dat_maps_add(struct tfs_strbuf *payload, const struct tfs_dat_image *image)
{
	size_t at;
	int rc = tfs_dat_record_begin(payload, RECORD_IMAGE, &at);

	if (!rc)
		rc = tfs_dat_put_u32(payload, image->tgid);
	if (!rc)
		rc = tfs_dat_put_u32(payload, image->flags);
	if (!rc)
		rc = tfs_dat_put_u64(payload, image->from);
	if (!rc)
		rc = tfs_dat_put_u64(payload, image->first);
	if (!rc)
		rc = tfs_dat_put_u64(payload, image->last);
	if (!rc)
		rc = tfs_dat_put_u32(payload, (uint32_t)image->n_maps);
	for (size_t i = 0; i < image->n_maps && !rc; i++)
		rc = put_map(payload, &image->maps[i]);
	return rc ? rc : tfs_dat_record_end(payload, at);
}

/* The text of a build-id, @out the caller's. */
static int read_build_id(struct tfs_dat_maps *m, struct tfs_cursor *c, char **out)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *id;
	const void *bytes;
	uint32_t n;

	if (tfs_cursor_u32(c, &n) || n > TFS_DAT_BUILD_ID_MAX || tfs_cursor_bytes(c, n, &bytes))
		return -EBADMSG;
	if (tfs_dat_records_take(&m->records, TFS_DAT_PRIVATE_BLOCK + 2 * (size_t)n))
		return -E2BIG;
	id = bytes;
	*out = malloc(2 * (size_t)n + 1);
	if (!*out)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		(*out)[2 * i] = digits[id[i] >> 4];
		(*out)[2 * i + 1] = digits[id[i] & 15];
	}
	(*out)[2 * n] = '\0';
	return 0;
}

static int read_object(struct tfs_dat_maps *m, struct tfs_cursor *c)
{
	struct tfs_dat_object o = { .flags = 0 };
	char *id;
	int rc;

	if (tfs_cursor_u32(c, &o.flags) || tfs_cursor_u64(c, &o.load_bias))
		return -EBADMSG;
	rc = tfs_dat_records_take(&m->records, sizeof(o));
	if (!rc)
		rc = read_build_id(m, c, &id);
	if (rc)
		return rc;
	if (tfs_cursor_strz(c, &o.path))
		rc = -EBADMSG;
	else
		rc = tfs_grow(&m->objects, &m->cap_objects, m->n_objects + 1);
	if (rc) {
		free(id);
		return rc;
	}
	o.build_id = id;
	m->objects[m->n_objects++] = o;
	return 0;
}

static int compare_maps(const void *a, const void *b)
{
	const struct tfs_dat_map *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static bool read_map(struct tfs_cursor *c, size_t n_objects, struct tfs_dat_map *map)
{
	if (tfs_cursor_u64(c, &map->start) || tfs_cursor_u64(c, &map->end) ||
	    tfs_cursor_u64(c, &map->offset) || tfs_cursor_u64(c, &map->address) ||
	    tfs_cursor_u32(c, &map->object))
		return false;
	return map->start < map->end &&
	       (map->object < n_objects || map->object == TFS_DAT_NO_OBJECT);
}

static int read_image(struct tfs_dat_maps *m, struct tfs_cursor *c)
{
	struct tfs_dat_image im = { .flags = 0 };
	struct tfs_dat_map *maps;
	uint32_t n;

	if (tfs_cursor_u32(c, &im.tgid) || tfs_cursor_u32(c, &im.flags) ||
	    tfs_cursor_u64(c, &im.from) || tfs_cursor_u64(c, &im.first) ||
	    tfs_cursor_u64(c, &im.last) || tfs_cursor_u32(c, &n) ||
	    n > tfs_cursor_left(c) / MAP_SIZE)
		return -EBADMSG;
	if (tfs_dat_records_take(&m->image_records,
				 sizeof(im) + TFS_DAT_PRIVATE_BLOCK + n * sizeof(*maps)))
		return -E2BIG;
	maps = calloc(n ? n : 1, sizeof(*maps));
	if (!maps || tfs_grow(&m->images, &m->cap_images, m->n_images + 1)) {
		free(maps);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++)
		if (read_map(c, m->n_objects, &maps[im.n_maps]))
			im.n_maps++;
	qsort(maps, im.n_maps, sizeof(*maps), compare_maps);
	im.maps = maps;
	m->images[m->n_images++] = im;
	return 0;
}

static int compare_images(const void *a, const void *b)
{
	const struct tfs_dat_image *x = a, *y = b;

	if (x->tgid != y->tgid)
		return x->tgid < y->tgid ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* Damaged records are left out; so objects keep their numbers only up to the damage. */
static int read_objects(struct tfs_dat_maps *m)
{
	struct tfs_cursor c;
	uint16_t type;
	int rc;

	while ((rc = tfs_dat_records_next(&m->records, &type, &c)) > 0) {
		if (type != RECORD_OBJECT)
			continue;
		rc = read_object(m, &c);
		if (rc)
			break;
	}
	return rc == -ENOMEM ? rc : 0;
}

static int read_images(struct tfs_dat_maps *m, const struct tfs_dat *dat)
{
	struct tfs_dat_records *records = &m->image_records;
	struct tfs_cursor c;
	uint16_t type;
	int rc;

	tfs_dat_records_init(records, dat, TFS_DAT_PRIVATE_MAPS);
	while ((rc = tfs_dat_records_next(records, &type, &c)) > 0) {
		rc = type == RECORD_IMAGE ? read_image(m, &c) : 0;
		if (rc == -ENOMEM)
			break;
	}
	if (!rc && m->n_images)
		qsort(m->images, m->n_images, sizeof(*m->images), compare_images);
	return rc;
}

int tfs_dat_maps_new(const struct tfs_dat *dat, struct tfs_dat_maps **out)
{
	struct tfs_dat_maps *m = calloc(1, sizeof(*m));
	int rc;

	*out = NULL;
	if (!m)
		return -ENOMEM;
	tfs_dat_records_init(&m->records, dat, TFS_DAT_PRIVATE_OBJECTS);
	rc = read_objects(m);
	if (!rc)
		rc = read_images(m, dat);
	if (rc || (!m->n_objects && !m->n_images))
		tfs_dat_maps_free(m);
	else
		*out = m;
	return rc;
}

void tfs_dat_maps_free(struct tfs_dat_maps *maps)
{
	if (!maps)
		return;
	for (size_t i = 0; i < maps->n_objects; i++)
		free((char *)maps->objects[i].build_id);
	for (size_t i = 0; i < maps->n_images; i++)
		free((struct tfs_dat_map *)maps->images[i].maps);
	free(maps->objects);
	free(maps->images);
	tfs_dat_records_release(&maps->records);
	tfs_dat_records_release(&maps->image_records);
	free(maps);
}

const struct tfs_dat_object *tfs_dat_maps_objects(const struct tfs_dat_maps *maps, size_t *n)
{
	*n = maps ? maps->n_objects : 0;
	return maps ? maps->objects : NULL;
}

const struct tfs_dat_image *tfs_dat_maps_images(const struct tfs_dat_maps *maps, size_t *n)
{
	*n = maps ? maps->n_images : 0;
	return maps ? maps->images : NULL;
}

const struct tfs_dat_map *tfs_dat_maps_find(const struct tfs_dat_image *image, uint64_t addr)
{
	size_t i = tfs_bisect(k, image->n_maps, image->maps[k].start <= addr);

	for (size_t n = 0; i && n < OVERLAP_MAX; n++)
		if (addr < image->maps[--i].end)
			return &image->maps[i];
	return NULL;
}
