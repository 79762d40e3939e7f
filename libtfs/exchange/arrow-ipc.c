/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exchange/arrow-ipc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/inert.h"
#include "base/macros.h"
#include "base/strbuf.h"
#include "exchange/arrow-internal.h"
#include "exchange/flatbuf.h"
#include "tracedat/compress.h"

/* Messages and buffers begin at a multiple of this. */
#define ALIGN 8
#define CONTINUATION 0xffffffffu
/* Before a compressed buffer: its size when it is not, or that it is not */
#define SIZE_BYTES 8
#define NOT_COMPRESSED (-1)
#define ZSTD_LEVEL 1

/* Values in Arrow's format/Message.fbs and format/Schema.fbs, and ids of the fields of tables */
enum { METADATA_V5 = 4 };
enum { LITTLE_ENDIAN_DATA, BIG_ENDIAN_DATA };
enum { HEADER_SCHEMA = 1, HEADER_DICTIONARY = 2, HEADER_RECORDS = 3 };
enum { MESSAGE_VERSION, MESSAGE_HEADER_TYPE, MESSAGE_HEADER, MESSAGE_BODY_LENGTH, MESSAGE_N };
enum { SCHEMA_ENDIANNESS, SCHEMA_FIELDS, SCHEMA_N };
enum {
	FIELD_NAME,
	FIELD_NULLABLE,
	FIELD_TYPE_TYPE,
	FIELD_TYPE,
	FIELD_DICTIONARY,
	FIELD_CHILDREN,
	FIELD_N
};
enum { TYPE_INT = 2, TYPE_FLOAT = 3, TYPE_BINARY = 4, TYPE_UTF8 = 5, TYPE_LIST = 12 };
enum { INT_BITS, INT_SIGNED, INT_N };
enum { FLOAT_PRECISION, FLOAT_N };
enum { PRECISION_SINGLE = 1, PRECISION_DOUBLE = 2 };
enum { ENCODING_ID, ENCODING_INDEX, ENCODING_N };
enum { BATCH_LENGTH, BATCH_NODES, BATCH_BUFFERS, BATCH_COMPRESSION, BATCH_N };
enum { DICTIONARY_ID, DICTIONARY_DATA, DICTIONARY_DELTA, DICTIONARY_N };
enum { COMPRESSION_CODEC, COMPRESSION_N };
enum { CODEC_ZSTD = 1 };

/* The body of a message: its columns and buffers */
struct body {
	struct tfs_strbuf *bytes;
	struct tfs_codec *codec;  /* NULL: not compressed */
	int64_t *nodes, *buffers; /* pairs */
	size_t n_nodes, n_buffers;
};

/* The prefix, whose size is set at the end of the metadata; the root. Return: the root's header */
static size_t begin_message(struct tfs_flatbuf *fb, struct tfs_strbuf *out, unsigned int type,
			    size_t body)
{
	const struct tfs_flatbuf_slot message[MESSAGE_N] = {
		[MESSAGE_VERSION] = { 2, METADATA_V5 },
		[MESSAGE_HEADER_TYPE] = { 1, type },
		[MESSAGE_HEADER] = TFS_FLATBUF_REF,
		[MESSAGE_BODY_LENGTH] = { 8, body },
	};
	static const uint32_t prefix[2] = { CONTINUATION, 0 };
	int rc = tfs_strbuf_add(out, prefix, sizeof(prefix));

	tfs_flatbuf_begin(fb, out);
	fb->rc = fb->rc ? fb->rc : rc;
	return tfs_flatbuf_table(fb, message, MESSAGE_N);
}

static int end_message(struct tfs_flatbuf *fb)
{
	size_t size = tfs_flatbuf_end(fb);
	unsigned char *p = (unsigned char *)fb->out->s + fb->start - sizeof(uint32_t);

	for (size_t i = 0; i < sizeof(uint32_t) && !fb->rc; i++)
		p[i] = (unsigned char)(size >> 8 * i);
	return fb->rc;
}

static void put_int(struct tfs_flatbuf *fb, size_t table, size_t id, unsigned int bits, bool sign)
{
	const struct tfs_flatbuf_slot type[INT_N] = {
		[INT_BITS] = { 4, bits },
		[INT_SIGNED] = { 1, sign },
	};

	tfs_flatbuf_link(fb, table, id, tfs_flatbuf_table(fb, type, INT_N));
}

static void put_type(struct tfs_flatbuf *fb, size_t field, const struct tfs_arrow_field *f)
{
	const struct tfs_flatbuf_slot precision[FLOAT_N] = {
		[FLOAT_PRECISION] = { 2, f->bytes == 4 ? PRECISION_SINGLE : PRECISION_DOUBLE },
	};

	if (f->kind == TFS_ARROW_INT || f->kind == TFS_ARROW_UINT)
		put_int(fb, field, FIELD_TYPE, 8 * f->bytes, f->kind == TFS_ARROW_INT);
	else if (f->kind == TFS_ARROW_FLOAT)
		tfs_flatbuf_link(fb, field, FIELD_TYPE, tfs_flatbuf_table(fb, precision, FLOAT_N));
	else
		tfs_flatbuf_link(fb, field, FIELD_TYPE, tfs_flatbuf_table(fb, NULL, 0));
}

static unsigned int type_of(const struct tfs_arrow_field *f)
{
	static const unsigned char types[] = {
		[TFS_ARROW_UINT] = TYPE_INT,    [TFS_ARROW_INT] = TYPE_INT,
		[TFS_ARROW_FLOAT] = TYPE_FLOAT, [TFS_ARROW_TEXT] = TYPE_UTF8,
		[TFS_ARROW_NAME] = TYPE_UTF8,   [TFS_ARROW_BINARY] = TYPE_BINARY,
	};

	return f->list ? TYPE_LIST : types[f->kind];
}

static void put_encoding(struct tfs_flatbuf *fb, size_t field, size_t id)
{
	const struct tfs_flatbuf_slot encoding[ENCODING_N] = {
		[ENCODING_ID] = { 8, id },
		[ENCODING_INDEX] = TFS_FLATBUF_REF,
	};
	size_t table = tfs_flatbuf_table(fb, encoding, ENCODING_N);

	tfs_flatbuf_link(fb, field, FIELD_DICTIONARY, table);
	put_int(fb, table, ENCODING_INDEX, 8 * sizeof(int32_t), true);
}

/* Field names are the recording's: any bytes. */
static void put_name(struct tfs_flatbuf *fb, size_t field, const struct tfs_arrow_field *f)
{
	struct tfs_strbuf name = TFS_STRBUF_INIT;

	if (!fb->rc)
		fb->rc = tfs_utf8_escape(&name, f->name, f->len);
	tfs_flatbuf_link(fb, field, FIELD_NAME, tfs_flatbuf_string(fb, name.s, name.len));
	tfs_strbuf_release(&name);
}

/* Return: where the field is. Elements of lists are fields that follow them. */
static size_t put_field(struct tfs_flatbuf *fb, const struct tfs_arrow_field *f, size_t id)
{
	const struct tfs_flatbuf_slot slots[FIELD_N] = {
		[FIELD_NAME] = TFS_FLATBUF_REF,
		[FIELD_NULLABLE] = { 1, !f->required },
		[FIELD_TYPE_TYPE] = { 1, type_of(f) },
		[FIELD_TYPE] = TFS_FLATBUF_REF,
		[FIELD_DICTIONARY] = { f->kind == TFS_ARROW_NAME ? 4 : 0, 0 },
		[FIELD_CHILDREN] = TFS_FLATBUF_REF,
	};
	size_t field = tfs_flatbuf_table(fb, slots, FIELD_N);

	put_name(fb, field, f);
	if (f->list)
		tfs_flatbuf_link(fb, field, FIELD_TYPE, tfs_flatbuf_table(fb, NULL, 0));
	else
		put_type(fb, field, f);
	if (f->kind == TFS_ARROW_NAME)
		put_encoding(fb, field, id);
	return field;
}

static void put_children(struct tfs_flatbuf *fb, size_t field, const struct tfs_arrow_field *f)
{
	size_t children = tfs_flatbuf_refs(fb, f->list ? 1 : 0), child;
	struct tfs_arrow_field element = *f;

	tfs_flatbuf_link(fb, field, FIELD_CHILDREN, children);
	if (!f->list)
		return;
	element.name = "item";
	element.len = strlen(element.name);
	element.list = false;
	element.required = true;
	child = put_field(fb, &element, 0);
	tfs_flatbuf_link_ref(fb, children, 0, child);
	put_children(fb, child, &element);
}

int tfs_arrow_schema(struct tfs_arrow *a, struct tfs_strbuf *out)
{
	const struct tfs_flatbuf_slot schema[SCHEMA_N] = {
		[SCHEMA_ENDIANNESS] = { 2, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ?
						   BIG_ENDIAN_DATA :
						   LITTLE_ENDIAN_DATA },
		[SCHEMA_FIELDS] = TFS_FLATBUF_REF,
	};
	size_t message, table, fields, field;
	struct tfs_flatbuf fb;

	message = begin_message(&fb, out, HEADER_SCHEMA, 0);
	table = tfs_flatbuf_table(&fb, schema, SCHEMA_N);
	tfs_flatbuf_link(&fb, message, MESSAGE_HEADER, table);
	fields = tfs_flatbuf_refs(&fb, a->n);
	tfs_flatbuf_link(&fb, table, SCHEMA_FIELDS, fields);
	for (size_t i = 0; i < a->n && !fb.rc; i++) {
		/* A dictionary is called by the number of its column. */
		field = put_field(&fb, &a->columns[i].field, i);
		tfs_flatbuf_link_ref(&fb, fields, i, field);
		put_children(&fb, field, &a->columns[i].field);
	}
	return end_message(&fb);
}

static int pad(struct tfs_strbuf *sb)
{
	static const char zeros[ALIGN];

	return tfs_strbuf_add(sb, zeros, (ALIGN - sb->len % ALIGN) % ALIGN);
}

/* Its size before, then as compressed; as it is, where that is not less. */
static int pack(struct tfs_codec *codec, struct tfs_strbuf *out, const void *data, size_t size)
{
	size_t bound = tfs_codec_bound(codec, size), packed = 0, at = out->len;
	uint64_t head = size;
	int rc;

	if (tfs_strbuf_room(out, SIZE_BYTES + bound))
		return -ENOMEM;
	rc = tfs_codec_compress(codec, data, size, out->s + at + SIZE_BYTES, bound, &packed);
	if (rc)
		return rc;
	if (packed >= size) {
		head = (uint64_t)NOT_COMPRESSED;
		packed = size;
		memcpy(out->s + at + SIZE_BYTES, data, size);
	}
	for (size_t i = 0; i < SIZE_BYTES; i++)
		out->s[at + i] = (char)(head >> 8 * i);
	out->len = at + SIZE_BYTES + packed;
	return 0;
}

static int put_buffer(struct body *body, const void *data, size_t size)
{
	int64_t *at = &body->buffers[2 * body->n_buffers++];
	int rc;

	at[0] = (int64_t)body->bytes->len;
	rc = body->codec && size ? pack(body->codec, body->bytes, data, size) :
				   tfs_strbuf_add(body->bytes, data, size);
	at[1] = (int64_t)body->bytes->len - at[0];
	return rc ? rc : pad(body->bytes);
}

static void put_node(struct body *body, size_t length, size_t nulls)
{
	body->nodes[2 * body->n_nodes] = (int64_t)length;
	body->nodes[2 * body->n_nodes++ + 1] = (int64_t)nulls;
}

/* Which cells are null, where they begin, what they hold. A list has its elements below. */
static int put_column(size_t rows, struct body *body, const struct tfs_arrow_column *c)
{
	int rc;

	put_node(body, rows, c->nulls);
	rc = put_buffer(body, c->valid.s, c->valid.len);
	if (!rc && tfs_arrow_has_offsets(&c->field))
		rc = put_buffer(body, c->offsets.s, c->offsets.len);
	if (!rc && c->field.list) {
		put_node(body, c->data.len / c->field.bytes, 0);
		rc = put_buffer(body, NULL, 0);
	}
	return rc ? rc : put_buffer(body, c->data.s, c->data.len);
}

/* The table of a batch, without what refers to it */
static size_t put_batch(struct tfs_flatbuf *fb, size_t rows, const struct body *body)
{
	const struct tfs_flatbuf_slot batch[BATCH_N] = {
		[BATCH_LENGTH] = { 8, rows },
		[BATCH_NODES] = TFS_FLATBUF_REF,
		[BATCH_BUFFERS] = TFS_FLATBUF_REF,
		[BATCH_COMPRESSION] = { body->codec ? 4 : 0, 0 },
	};
	const struct tfs_flatbuf_slot codec[COMPRESSION_N] = {
		[COMPRESSION_CODEC] = { 1, CODEC_ZSTD },
	};
	size_t table = tfs_flatbuf_table(fb, batch, BATCH_N);

	tfs_flatbuf_link(fb, table, BATCH_NODES, tfs_flatbuf_pairs(fb, body->nodes, body->n_nodes));
	tfs_flatbuf_link(fb, table, BATCH_BUFFERS,
			 tfs_flatbuf_pairs(fb, body->buffers, body->n_buffers));
	if (body->codec)
		tfs_flatbuf_link(fb, table, BATCH_COMPRESSION,
				 tfs_flatbuf_table(fb, codec, COMPRESSION_N));
	return table;
}

/* Texts from @d->written on. Offsets begin at 0 in every batch. */
static int put_texts(const struct tfs_arrow_dict *d, struct tfs_strbuf *offsets, struct body *body)
{
	size_t start = d->written ? d->text_end[d->written - 1] : 0, i;
	int32_t end = 0;
	int rc;

	tfs_strbuf_reset(offsets);
	rc = tfs_strbuf_add(offsets, &end, sizeof(end));
	for (i = d->written; i < d->n && !rc; i++) {
		end = (int32_t)(d->text_end[i] - start);
		rc = tfs_strbuf_add(offsets, &end, sizeof(end));
	}
	put_node(body, d->n - d->written, 0);
	if (!rc)
		rc = put_buffer(body, NULL, 0);
	if (!rc)
		rc = put_buffer(body, offsets->s, offsets->len);
	return rc ? rc : put_buffer(body, d->text.s + start, d->text.len - start);
}

/* Texts of the dictionary of column @id that the stream does not have yet */
static int put_dictionary(struct tfs_arrow *a, size_t id, struct tfs_arrow_writer *w,
			  struct tfs_strbuf *out)
{
	struct tfs_arrow_dict *d = a->columns[id].dict;
	const struct tfs_flatbuf_slot slots[DICTIONARY_N] = {
		[DICTIONARY_ID] = { 8, id },
		[DICTIONARY_DATA] = TFS_FLATBUF_REF,
		[DICTIONARY_DELTA] = { 1, d->begun },
	};
	int64_t nodes[2], buffers[2 * 3];
	struct body body = { &w->body, w->codec, nodes, buffers, 0, 0 };
	size_t message, table;
	struct tfs_flatbuf fb;
	int rc;

	tfs_strbuf_reset(&w->body);
	rc = put_texts(d, &w->offsets, &body);
	if (rc)
		return rc;
	message = begin_message(&fb, out, HEADER_DICTIONARY, w->body.len);
	table = tfs_flatbuf_table(&fb, slots, DICTIONARY_N);
	tfs_flatbuf_link(&fb, message, MESSAGE_HEADER, table);
	tfs_flatbuf_link(&fb, table, DICTIONARY_DATA, put_batch(&fb, d->n - d->written, &body));
	rc = end_message(&fb);
	d->written = d->n;
	d->begun = true;
	return rc ? rc : tfs_strbuf_add(out, w->body.s, w->body.len);
}

static int put_records(struct tfs_arrow *a, struct body *body, struct tfs_strbuf *out)
{
	struct tfs_flatbuf fb;
	size_t message;
	int rc = 0;

	tfs_strbuf_reset(body->bytes);
	for (size_t i = 0; i < a->n && !rc; i++)
		rc = put_column(a->rows, body, &a->columns[i]);
	if (rc)
		return rc;
	message = begin_message(&fb, out, HEADER_RECORDS, body->bytes->len);
	tfs_flatbuf_link(&fb, message, MESSAGE_HEADER, put_batch(&fb, a->rows, body));
	rc = end_message(&fb);
	return rc ? rc : tfs_strbuf_add(out, body->bytes->s, body->bytes->len);
}

int tfs_arrow_batch(struct tfs_arrow *a, struct tfs_arrow_writer *w, struct tfs_strbuf *out)
{
	/* A list is two nodes; it has four buffers. */
	struct body body = {
		.bytes = &w->body,
		.codec = w->codec,
		.nodes = calloc(2 * a->n, 2 * sizeof(int64_t)),
		.buffers = calloc(4 * a->n, 2 * sizeof(int64_t)),
	};
	int rc = body.nodes && body.buffers ? 0 : -ENOMEM;

	for (size_t i = 0; i < a->n && a->rows && !rc; i++) {
		const struct tfs_arrow_dict *d = a->columns[i].dict;

		if (d && (!d->begun || d->written < d->n))
			rc = put_dictionary(a, i, w, out);
	}
	if (!rc && a->rows)
		rc = put_records(a, &body, out);
	free(body.nodes);
	free(body.buffers);
	return rc ? rc : tfs_arrow_empty(a);
}

int tfs_arrow_writer_new(unsigned int flags, struct tfs_arrow_writer **out)
{
	struct tfs_arrow_writer *w = calloc(1, sizeof(*w));
	int rc = 0;

	if (!w)
		return -ENOMEM;
	tfs_strbuf_init(&w->body);
	tfs_strbuf_init(&w->offsets);
	if (flags & TFS_ARROW_ZSTD && tfs_codec_default() == TFS_CODEC_ZSTD)
		rc = tfs_codec_new(TFS_CODEC_ZSTD, ZSTD_LEVEL, &w->codec, NULL);
	if (rc)
		tfs_arrow_writer_free(w);
	else
		*out = w;
	return rc;
}

void tfs_arrow_writer_free(struct tfs_arrow_writer *w)
{
	if (!w)
		return;
	tfs_codec_free(w->codec);
	tfs_strbuf_release(&w->body);
	tfs_strbuf_release(&w->offsets);
	free(w);
}

int tfs_arrow_end(struct tfs_strbuf *out)
{
	static const uint32_t mark[2] = { CONTINUATION, 0 };

	return tfs_strbuf_add(out, mark, sizeof(mark));
}
