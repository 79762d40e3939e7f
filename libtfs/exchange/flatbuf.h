/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_EXCHANGE_FLATBUF_H
#define TFS_EXCHANGE_FLATBUF_H

#include <stddef.h>
#include <stdint.h>

struct tfs_strbuf;

/**
 * struct tfs_flatbuf - one FlatBuffers message, written from its root to its leaves
 * @out: where it is appended to; borrowed
 * @start: its first byte in @out
 * @rc: 0, or -ENOMEM once memory was short: nothing is added any more
 *
 * Format: "FlatBuffers Internals", https://flatbuffers.dev/internals/. A table is written with room
 * for what it refers to; tfs_flatbuf_link() then sets such a reference to what is written next.
 * Offsets point forward and tables are not shared, so nothing is written twice or moved. Positions
 * count from @start. One thread at a time.
 */
struct tfs_flatbuf {
	struct tfs_strbuf *out;
	size_t start;
	int rc;
};

/** struct tfs_flatbuf_slot - a field of a table, by its id: @size bytes; 0: it has its default */
struct tfs_flatbuf_slot {
	unsigned int size;
	uint64_t value;
};

/** TFS_FLATBUF_REF - a slot for what tfs_flatbuf_link() will set */
#define TFS_FLATBUF_REF \
	{               \
		4, 0    \
	}

/** TFS_FLATBUF_SLOTS_MAX - fields of a table */
#define TFS_FLATBUF_SLOTS_MAX 8

/** tfs_flatbuf_begin() - begin a message at the end of @out; its root is written next */
void tfs_flatbuf_begin(struct tfs_flatbuf *fb, struct tfs_strbuf *out);
/** tfs_flatbuf_end() - pad the message to a multiple of 8 bytes. Return: its size; see @rc */
size_t tfs_flatbuf_end(struct tfs_flatbuf *fb);

/** tfs_flatbuf_table() - write a table with @n slots. Return: its position */
size_t tfs_flatbuf_table(struct tfs_flatbuf *fb, const struct tfs_flatbuf_slot *slots, size_t n);
/** tfs_flatbuf_refs() - write a vector with room for @n references. Return: its position */
size_t tfs_flatbuf_refs(struct tfs_flatbuf *fb, size_t n);
/**
 * tfs_flatbuf_pairs() - write a vector of @n structs of two longs each
 * @values: 2 * @n of them
 */
size_t tfs_flatbuf_pairs(struct tfs_flatbuf *fb, const int64_t *values, size_t n);
/** tfs_flatbuf_string() - write a string, which must be UTF-8. Return: its position */
size_t tfs_flatbuf_string(struct tfs_flatbuf *fb, const char *s, size_t len);

/** tfs_flatbuf_link() - let slot @id of the table at @table refer to what is at @to */
void tfs_flatbuf_link(struct tfs_flatbuf *fb, size_t table, size_t id, size_t to);
/** tfs_flatbuf_link_ref() - the same for element @i of the vector at @vector */
void tfs_flatbuf_link_ref(struct tfs_flatbuf *fb, size_t vector, size_t i, size_t to);

#endif
