/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_EXCHANGE_PROTO_H
#define TFS_EXCHANGE_PROTO_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/strbuf-core.h"

/*
 * Messages in the encoding of protocol buffers: each field is its number and wire type, then a
 * varint, eight bytes, or a length and so many bytes.
 *
 * tfs_proto_*() append to a buffer and remember the first failure, so that a writer checks once.
 * tfs_proto_put_*() write where there is room already, and return the byte after what they wrote:
 * these run for every field of every event.
 */

/** TFS_PROTO_VARINT_MAX - bytes of the longest varint; any negative number has as many */
#define TFS_PROTO_VARINT_MAX 10
/** TFS_PROTO_FIELD_MAX - bytes of a field that is a varint, or of the head of any other */
#define TFS_PROTO_FIELD_MAX (5 + TFS_PROTO_VARINT_MAX)

/** enum tfs_proto_wire - wire types */
enum tfs_proto_wire { TFS_PROTO_VARINT = 0, TFS_PROTO_FIXED64 = 1, TFS_PROTO_BYTES = 2 };

static inline char *tfs_proto_put_varint(char *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (char)(v | 0x80);
		v >>= 7;
	}
	*p++ = (char)v;
	return p;
}

static inline char *tfs_proto_put_tag(char *p, uint32_t field, enum tfs_proto_wire wire)
{
	return tfs_proto_put_varint(p, field << 3 | wire);
}

/** tfs_proto_put_uint() - a number; a signed one extended to 64 bits */
static inline char *tfs_proto_put_uint(char *p, uint32_t field, uint64_t v)
{
	return tfs_proto_put_varint(tfs_proto_put_tag(p, field, TFS_PROTO_VARINT), v);
}

/** tfs_proto_put_bytes() - bytes, or a string as it is */
static inline char *tfs_proto_put_bytes(char *p, uint32_t field, const void *data, size_t len)
{
	p = tfs_proto_put_varint(tfs_proto_put_tag(p, field, TFS_PROTO_BYTES), len);
	return mempcpy(p, data, len);
}

/** TFS_PROTO_TEXT_MAX - bytes that a byte of a string becomes at most */
#define TFS_PROTO_TEXT_MAX 4
/** tfs_proto_put_text() - a string: bytes that are not UTF-8, and zeros, become "\xNN" */
char *tfs_proto_put_text(char *p, uint32_t field, const void *s, size_t len);

/**
 * tfs_proto_put_open() - begin a message within a message
 * @body: set to where its first field goes, for tfs_proto_put_close()
 */
static inline char *tfs_proto_put_open(char *p, uint32_t field, char **body)
{
	p = tfs_proto_put_tag(p, field, TFS_PROTO_BYTES);
	*body = ++p;
	return p;
}

/** tfs_proto_put_long_length() - the rest of tfs_proto_put_close() */
char *tfs_proto_put_long_length(char *body, char *end);

/**
 * tfs_proto_put_close() - end it at @end: its length takes the byte left for it
 *
 * A message of 128 bytes and more is moved by up to 4 bytes, for which there must be room.
 */
static inline char *tfs_proto_put_close(char *body, char *end)
{
	if (end - body >= 0x80)
		return tfs_proto_put_long_length(body, end);
	body[-1] = (char)(end - body);
	return end;
}

/** TFS_PROTO_DEPTH - messages within messages of struct tfs_proto */
#define TFS_PROTO_DEPTH 8

/**
 * struct tfs_proto - messages being written
 * @sb: what was written
 * @rc: 0, or -ENOMEM once memory was short: nothing is added any more
 * @depth: messages that are open
 * @body: where the first field of each is in @sb
 *
 * Zeroed with TFS_PROTO_INIT; release @sb with tfs_strbuf_release().
 */
struct tfs_proto {
	struct tfs_strbuf sb;
	int rc;
	unsigned int depth;
	size_t body[TFS_PROTO_DEPTH];
};

#define TFS_PROTO_INIT                 \
	{                              \
		TFS_STRBUF_INIT, 0, 0, \
		{                      \
			0              \
		}                      \
	}

/** tfs_proto_room() - where to write @extra bytes by tfs_proto_put_*(); NULL: no memory */
char *tfs_proto_room(struct tfs_proto *m, size_t extra);
/** tfs_proto_wrote() - they were written, up to @end */
void tfs_proto_wrote(struct tfs_proto *m, const char *end);

void tfs_proto_uint(struct tfs_proto *m, uint32_t field, uint64_t v);
void tfs_proto_int(struct tfs_proto *m, uint32_t field, int64_t v);
void tfs_proto_fixed64(struct tfs_proto *m, uint32_t field, uint64_t v);
void tfs_proto_bytes(struct tfs_proto *m, uint32_t field, const void *data, size_t len);
/** tfs_proto_text() - see tfs_proto_put_text() */
void tfs_proto_text(struct tfs_proto *m, uint32_t field, const void *s, size_t len);
void tfs_proto_string(struct tfs_proto *m, uint32_t field, const char *s);
/** tfs_proto_open() - what follows up to tfs_proto_close() is a message in this field */
void tfs_proto_open(struct tfs_proto *m, uint32_t field);
void tfs_proto_close(struct tfs_proto *m);

#endif
