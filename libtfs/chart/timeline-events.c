/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chart/timeline-events.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/gzip.h"
#include "base/hashmap.h"
#include "base/inflate.h"
#include "base/strbuf-core.h"
#include "chart/page.h"
#include "chart/spill.h"
#include "decode/event-type.h"
#include "decode/event.h"

#define KEEP ((size_t)4 << 20) /* bytes of a column in memory */
#define PART 16384             /* elements written at once */
#define LONG_DELTA UINT32_MAX  /* the time is in the column of long ones */
#define TEXT_LEVEL 5
/* Base64 and tags; what columns of events take compressed, about */
#define BASE64(bytes) ((bytes) / 3 * 4 + 128)
#define EVENT_BYTES 4

/* An event of a recording, and what the texts of its events take */
struct type {
	char *name;
	uint64_t bytes, events;
	bool left_out;
};

/* A block of texts: bytes compressed and not */
struct block {
	uint32_t packed, raw;
};

struct tfs_timeline_events {
	struct tfs_spill delta, time, cpu, task, type, texts;
	uint64_t n, last;
	struct type *types;
	size_t n_types, alloc_types;
	struct tfs_hashmap by_type; /* number of a type plus one, by recording and index */
	struct tfs_strbuf open;     /* texts of the open block */
	unsigned int in_open;
	struct block *block;
	size_t n_blocks, alloc_blocks;
	struct tfs_gzipper *gzip;
	struct tfs_strbuf packed;
};

int tfs_timeline_events_new(struct tfs_timeline_events **out)
{
	struct tfs_timeline_events *e = calloc(1, sizeof(*e));

	if (!e)
		return -ENOMEM;
	e->delta = e->time = e->cpu = e->task = e->type = e->texts = TFS_SPILL_INIT(KEEP);
	tfs_strbuf_init(&e->open);
	tfs_strbuf_init(&e->packed);
	e->gzip = tfs_gzipper_new(TEXT_LEVEL);
	if (!e->gzip) {
		tfs_timeline_events_free(e);
		return -ENOMEM;
	}
	*out = e;
	return 0;
}

void tfs_timeline_events_free(struct tfs_timeline_events *e)
{
	size_t i;

	if (!e)
		return;
	tfs_spill_release(&e->delta);
	tfs_spill_release(&e->time);
	tfs_spill_release(&e->cpu);
	tfs_spill_release(&e->task);
	tfs_spill_release(&e->type);
	tfs_spill_release(&e->texts);
	for (i = 0; i < e->n_types; i++)
		free(e->types[i].name);
	free(e->types);
	tfs_hashmap_release(&e->by_type);
	tfs_strbuf_release(&e->open);
	tfs_strbuf_release(&e->packed);
	tfs_gzipper_free(e->gzip);
	free(e->block);
	free(e);
}

static int add_type(struct tfs_timeline_events *e, const struct tfs_event_type *t, uint64_t key)
{
	struct tfs_strbuf name = TFS_STRBUF_INIT;
	struct type *type;
	int rc;

	if (tfs_grow(&e->types, &e->alloc_types, e->n_types + 1))
		return -ENOMEM;
	type = memset(&e->types[e->n_types], 0, sizeof(*type));
	rc = t ? tfs_strbuf_addf(&name, "%s:%.*s", t->system, (int)t->name_len, t->name) :
		 tfs_strbuf_adds(&name, "unknown:unknown");
	if (!rc)
		rc = tfs_strbuf_detach(&name, &type->name);
	tfs_strbuf_release(&name);
	if (rc)
		return rc;
	e->n_types++;
	return tfs_hashmap_add(&e->by_type, tfs_hash_int(key), (void *)(uintptr_t)e->n_types);
}

static int find_type(struct tfs_timeline_events *e, const struct tfs_event *event, uint32_t *out)
{
	uint64_t key = (uint64_t)event->input << 32 | (event->type ? event->type->index + 1 : 0);
	uintptr_t n = (uintptr_t)tfs_hashmap_int(&e->by_type, key);
	int rc;

	if (!n) {
		rc = add_type(e, event->type, key);
		if (rc)
			return rc;
		n = e->n_types;
	}
	*out = (uint32_t)(n - 1);
	return 0;
}

/* The texts of the open block, compressed, to @to. */
static int pack(struct tfs_timeline_events *e, const struct tfs_strbuf *texts, struct tfs_spill *to,
		struct block *block)
{
	int rc;

	tfs_strbuf_reset(&e->packed);
	rc = tfs_zlib(e->gzip, texts->s, texts->len, &e->packed);
	if (!rc)
		rc = tfs_spill_add(to, e->packed.s, e->packed.len);
	*block = (struct block){ (uint32_t)e->packed.len, (uint32_t)texts->len };
	return rc;
}

static int close_block(struct tfs_timeline_events *e)
{
	int rc;

	if (!e->in_open)
		return 0;
	if (tfs_grow(&e->block, &e->alloc_blocks, e->n_blocks + 1))
		return -ENOMEM;
	rc = pack(e, &e->open, &e->texts, &e->block[e->n_blocks]);
	e->n_blocks++;
	e->in_open = 0;
	tfs_strbuf_reset(&e->open);
	return rc;
}

int tfs_timeline_events_add(struct tfs_timeline_events *e, const struct tfs_event *event,
			    uint64_t time, uint32_t task, const struct tfs_strbuf *text)
{
	uint32_t type, cpu = event->rec.cpu;
	uint32_t delta = time - e->last < LONG_DELTA ? (uint32_t)(time - e->last) : LONG_DELTA;
	int rc = find_type(e, event, &type);

	if (!rc)
		rc = tfs_spill_add(&e->delta, &delta, sizeof(delta));
	if (!rc && delta == LONG_DELTA)
		rc = tfs_spill_add(&e->time, &time, sizeof(time));
	if (!rc)
		rc = tfs_spill_add(&e->cpu, &cpu, sizeof(cpu));
	if (!rc)
		rc = tfs_spill_add(&e->task, &task, sizeof(task));
	if (!rc)
		rc = tfs_spill_add(&e->type, &type, sizeof(type));
	/* with its zero byte */
	if (!rc)
		rc = tfs_strbuf_add(&e->open, text->s, text->len + 1);
	if (rc)
		return rc;
	e->types[type].bytes += text->len;
	e->types[type].events++;
	e->last = time;
	e->n++;
	return ++e->in_open < TFS_TIMELINE_BLOCK ? 0 : close_block(e);
}

uint64_t tfs_timeline_events_count(const struct tfs_timeline_events *e)
{
	return e->n;
}

uint64_t tfs_timeline_events_bytes(const struct tfs_timeline_events *e)
{
	return EVENT_BYTES * e->n;
}

/* A column of numbers below @limit, as narrow as that allows */
static int write_numbers(struct tfs_page *page, const char *name, const struct tfs_spill *from,
			 uint64_t limit)
{
	uint64_t n = tfs_spill_size(from) / sizeof(uint32_t), i, part;
	unsigned int width = limit <= UINT16_MAX ? 2 : 4, k;
	struct tfs_column *column = NULL;
	uint32_t *wide = malloc(PART * sizeof(*wide));
	uint16_t *narrow = (uint16_t *)wide;
	int rc = wide ? tfs_column_open(page, name, width, &column) : -ENOMEM, end;

	for (i = 0; i < n && !rc; i += part) {
		part = n - i < PART ? n - i : PART;
		rc = tfs_spill_read(from, i * sizeof(*wide), wide, part * sizeof(*wide));
		for (k = 0; width == 2 && k < part; k++)
			narrow[k] = (uint16_t)wide[k];
		if (!rc)
			rc = tfs_column_add(column, wide, part);
	}
	end = tfs_column_close(column);
	free(wide);
	return rc ? rc : end;
}

static int write_bytes(struct tfs_page *page, const char *name, unsigned int width,
		       const struct tfs_spill *from)
{
	uint64_t n = tfs_spill_size(from) / width, i, part;
	struct tfs_column *column = NULL;
	void *data = malloc((size_t)PART * width);
	int rc = data ? tfs_column_open(page, name, width, &column) : -ENOMEM, end;

	for (i = 0; i < n && !rc; i += part) {
		part = n - i < PART ? n - i : PART;
		rc = tfs_spill_read(from, i * width, data, part * width);
		if (!rc)
			rc = tfs_column_add(column, data, part);
	}
	end = tfs_column_close(column);
	free(data);
	return rc ? rc : end;
}

static int write_types(const struct tfs_timeline_events *e, struct tfs_page *page)
{
	struct tfs_strbuf names = TFS_STRBUF_INIT;
	size_t i;
	int rc = 0;

	for (i = 0; i < e->n_types && !rc; i++)
		rc = tfs_strbuf_add(&names, e->types[i].name, strlen(e->types[i].name) + 1);
	if (!rc)
		rc = tfs_page_column(page, "typename", 1, names.s, names.len);
	tfs_strbuf_release(&names);
	return rc;
}

/* Leave out types until about @room is enough. Return: whether there are any. */
static bool choose(struct tfs_timeline_events *e, uint64_t room, struct tfs_strbuf *notes)
{
	uint64_t packed = tfs_spill_size(&e->texts), raw = 0, left;
	struct type *most;
	bool some = false;
	size_t i;

	for (i = 0; i < e->n_types; i++)
		raw += e->types[i].bytes;
	for (left = raw; raw && BASE64((double)packed * (double)left / (double)raw) > (double)room;
	     left -= most->bytes) {
		most = NULL;
		for (i = 0; i < e->n_types; i++)
			if (!e->types[i].left_out && (!most || e->types[i].bytes > most->bytes))
				most = &e->types[i];
		if (!most || !most->bytes)
			break;
		most->left_out = true;
		some = true;
		tfs_strbuf_addf(notes, "texts of %" PRIu64 " %s events are left out", most->events,
				most->name);
		tfs_strbuf_add(notes, "", 1);
	}
	return some;
}

/* The texts of a block, without those that are left out. */
static int thin_block(struct tfs_timeline_events *e, size_t n, const char *texts,
		      struct tfs_spill *to)
{
	uint32_t type[TFS_TIMELINE_BLOCK];
	uint64_t first = (uint64_t)n * TFS_TIMELINE_BLOCK, i;
	uint64_t count = e->n - first < TFS_TIMELINE_BLOCK ? e->n - first : TFS_TIMELINE_BLOCK;
	size_t len;
	int rc;

	rc = tfs_spill_read(&e->type, first * sizeof(*type), type, count * sizeof(*type));
	tfs_strbuf_reset(&e->open);
	for (i = 0; i < count && !rc; i++) {
		len = strlen(texts) + 1;
		rc = e->types[type[i]].left_out ? tfs_strbuf_add(&e->open, "", 1) :
						  tfs_strbuf_add(&e->open, texts, len);
		texts += len;
	}
	return rc ? rc : pack(e, &e->open, to, &e->block[n]);
}

/* All blocks once more, without the texts that are left out. */
static int thin(struct tfs_timeline_events *e)
{
	struct tfs_inflater *z = tfs_inflater_new();
	struct tfs_spill to = TFS_SPILL_INIT(KEEP);
	char *packed = NULL, *raw = NULL;
	uint64_t at = 0;
	struct block b;
	size_t i;
	int rc = z ? 0 : -ENOMEM;

	for (i = 0; i < e->n_blocks && !rc; i++, at += b.packed) {
		b = e->block[i];
		free(packed);
		free(raw);
		packed = malloc(b.packed);
		raw = malloc((size_t)b.raw + 1);
		rc = packed && raw ? tfs_spill_read(&e->texts, at, packed, b.packed) : -ENOMEM;
		if (!rc)
			rc = tfs_inflate(z, packed, b.packed, raw, b.raw);
		if (!rc)
			rc = thin_block(e, i, raw, &to);
	}
	free(packed);
	free(raw);
	tfs_inflater_free(z);
	tfs_spill_release(&e->texts);
	e->texts = to;
	return rc;
}

static int write_texts(struct tfs_timeline_events *e, struct tfs_page *page)
{
	uint32_t *sizes = malloc((e->n_blocks + 1) * sizeof(*sizes));
	size_t i;
	int rc;

	if (!sizes)
		return -ENOMEM;
	for (i = 0; i < e->n_blocks; i++)
		sizes[i] = e->block[i].packed;
	rc = tfs_page_column(page, "textsize", 4, sizes, e->n_blocks);
	free(sizes);
	return rc ? rc : write_bytes(page, "text", 1, &e->texts);
}

int tfs_timeline_events_write(struct tfs_timeline_events *e, struct tfs_page *page, uint64_t room,
			      struct tfs_strbuf *notes)
{
	int rc = close_block(e);

	if (!rc)
		rc = write_numbers(page, "evdelta", &e->delta, UINT32_MAX);
	if (!rc)
		rc = write_bytes(page, "evtime", 8, &e->time);
	if (!rc)
		rc = write_numbers(page, "evcpu", &e->cpu, UINT16_MAX);
	if (!rc)
		rc = write_numbers(page, "evtask", &e->task, UINT32_MAX);
	if (!rc)
		rc = write_numbers(page, "evtype", &e->type, e->n_types);
	if (!rc)
		rc = write_types(e, page);
	if (!rc && choose(e, room, notes))
		rc = thin(e);
	return rc ? rc : write_texts(e, page);
}
