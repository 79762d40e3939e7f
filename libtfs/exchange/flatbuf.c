/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exchange/flatbuf.h"

#include <string.h>

#include "base/macros.h"
#include "base/strbuf-core.h"

/* Tables and vectors begin 4 bytes before a multiple of this, so that what follows is aligned. */
#define ALIGN 8
#define OFFSET_BYTES 4

static size_t position(const struct tfs_flatbuf *fb)
{
	return fb->out->len - fb->start;
}

static void store(char *p, uint64_t value, unsigned int size)
{
	for (unsigned int i = 0; i < size; i++)
		p[i] = (char)(value >> 8 * i);
}

static void put(struct tfs_flatbuf *fb, uint64_t value, unsigned int size)
{
	char bytes[sizeof(value)];

	store(bytes, value, size);
	if (!fb->rc)
		fb->rc = tfs_strbuf_add(fb->out, bytes, size);
}

static uint64_t load(const struct tfs_flatbuf *fb, size_t at, unsigned int size)
{
	const unsigned char *p = (const unsigned char *)fb->out->s + fb->start + at;
	uint64_t value = 0;

	for (unsigned int i = 0; i < size; i++)
		value |= (uint64_t)p[i] << 8 * i;
	return value;
}

/* Zeros, until what comes @before bytes later is aligned. */
static void align(struct tfs_flatbuf *fb, size_t before, size_t to)
{
	while (!fb->rc && (position(fb) + before) % to)
		put(fb, 0, 1);
}

static void refer(struct tfs_flatbuf *fb, size_t slot, size_t to)
{
	if (!fb->rc)
		store(fb->out->s + fb->start + slot, to - slot, OFFSET_BYTES);
}

/* The root is the first table: its place is known once there is one. */
void tfs_flatbuf_begin(struct tfs_flatbuf *fb, struct tfs_strbuf *out)
{
	*fb = (struct tfs_flatbuf){ .out = out, .start = out->len };
	put(fb, 0, OFFSET_BYTES);
}

size_t tfs_flatbuf_end(struct tfs_flatbuf *fb)
{
	align(fb, 0, ALIGN);
	return position(fb);
}

/*
 * The vtable (its size, the table's, and where each slot is in it), then the table: the way back to
 * the vtable and the slots, the largest first, so that each is aligned.
 */
size_t tfs_flatbuf_table(struct tfs_flatbuf *fb, const struct tfs_flatbuf_slot *slots, size_t n)
{
	size_t at[TFS_FLATBUF_SLOTS_MAX] = { 0 }, size = OFFSET_BYTES, vtable, table;
	unsigned int bytes;

	n = n < ARRAY_SIZE(at) ? n : ARRAY_SIZE(at);
	for (bytes = 8; bytes; bytes /= 2) {
		for (size_t i = 0; i < n; i++) {
			if (slots[i].size != bytes)
				continue;
			at[i] = size;
			size += bytes;
		}
	}
	align(fb, OFFSET_BYTES + 2 * (2 + n), ALIGN);
	vtable = position(fb);
	put(fb, 2 * (2 + n), 2);
	put(fb, size, 2);
	for (size_t i = 0; i < n; i++)
		put(fb, at[i], 2);
	table = position(fb);
	put(fb, table - vtable, OFFSET_BYTES);
	for (bytes = 8; bytes; bytes /= 2)
		for (size_t i = 0; i < n; i++)
			if (slots[i].size == bytes)
				put(fb, slots[i].value, bytes);
	if (!fb->rc && !load(fb, 0, OFFSET_BYTES))
		refer(fb, 0, table);
	return table;
}

size_t tfs_flatbuf_refs(struct tfs_flatbuf *fb, size_t n)
{
	size_t at;

	align(fb, 0, OFFSET_BYTES);
	at = position(fb);
	put(fb, n, OFFSET_BYTES);
	for (size_t i = 0; i < n; i++)
		put(fb, 0, OFFSET_BYTES);
	return at;
}

size_t tfs_flatbuf_pairs(struct tfs_flatbuf *fb, const int64_t *values, size_t n)
{
	size_t at;

	align(fb, OFFSET_BYTES, ALIGN);
	at = position(fb);
	put(fb, n, OFFSET_BYTES);
	for (size_t i = 0; i < 2 * n; i++)
		put(fb, (uint64_t)values[i], 8);
	return at;
}

size_t tfs_flatbuf_string(struct tfs_flatbuf *fb, const char *s, size_t len)
{
	size_t at;

	align(fb, 0, OFFSET_BYTES);
	at = position(fb);
	put(fb, len, OFFSET_BYTES);
	if (!fb->rc)
		fb->rc = tfs_strbuf_add(fb->out, s, len);
	put(fb, 0, 1);
	return at;
}

void tfs_flatbuf_link(struct tfs_flatbuf *fb, size_t table, size_t id, size_t to)
{
	size_t vtable;

	if (fb->rc)
		return;
	vtable = table - (size_t)load(fb, table, OFFSET_BYTES);
	refer(fb, table + (size_t)load(fb, vtable + 2 * (2 + id), 2), to);
}

void tfs_flatbuf_link_ref(struct tfs_flatbuf *fb, size_t vector, size_t i, size_t to)
{
	refer(fb, vector + OFFSET_BYTES * (1 + i), to);
}
