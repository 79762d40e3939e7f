/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exchange/packets.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/gzip.h"
#include "base/out.h"

/* Readers take blocks of less than 512 KiB; more than this compresses no better. */
#define BLOCK_FULL (384 << 10)
#define BLOCK_MAX (500 << 10)
/* Level 6 takes twice the time and saves 3 %. */
#define LEVEL 3
/* The only field of a file, and of what a compressed packet contains */
#define PACKET 1

/* Values of TFS_PACKET_SEQUENCE_FLAGS */
enum { STATE_CLEARED = 1, NEEDS_STATE = 2 };

struct tfs_packets {
	struct tfs_out *out;
	struct tfs_gzipper *z; /* NULL: packets are not compressed */
	struct tfs_proto block;
	struct tfs_proto packed;
	struct tfs_strbuf deflated;
	size_t start; /* of the packet in @block */
};

int tfs_packets_new(struct tfs_out *out, unsigned int flags, struct tfs_packets **packets)
{
	struct tfs_packets *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->out = out;
	p->block = (struct tfs_proto)TFS_PROTO_INIT;
	p->packed = (struct tfs_proto)TFS_PROTO_INIT;
	tfs_strbuf_init(&p->deflated);
	if (!(flags & TFS_PACKETS_PLAIN)) {
		p->z = tfs_gzipper_new(LEVEL);
		if (!p->z) {
			tfs_packets_free(p);
			return -ENOMEM;
		}
	}
	*packets = p;
	return 0;
}

void tfs_packets_free(struct tfs_packets *p)
{
	if (!p)
		return;
	tfs_gzipper_free(p->z);
	tfs_strbuf_release(&p->block.sb);
	tfs_strbuf_release(&p->packed.sb);
	tfs_strbuf_release(&p->deflated);
	free(p);
}

/* Writes the first @size bytes of the block, whole packets. */
static int write_block(struct tfs_packets *p, size_t size)
{
	int rc;

	if (!p->z || size >= BLOCK_MAX)
		return tfs_out_write(p->out, p->block.sb.s, size);
	tfs_strbuf_reset(&p->deflated);
	rc = tfs_zlib(p->z, p->block.sb.s, size, &p->deflated);
	if (rc)
		return rc;
	tfs_strbuf_reset(&p->packed.sb);
	tfs_proto_open(&p->packed, PACKET);
	tfs_proto_bytes(&p->packed, TFS_PACKET_COMPRESSED, p->deflated.s, p->deflated.len);
	tfs_proto_close(&p->packed);
	return p->packed.rc ? p->packed.rc :
			      tfs_out_write(p->out, p->packed.sb.s, p->packed.sb.len);
}

struct tfs_proto *tfs_packets_begin(struct tfs_packets *p, struct tfs_sequence *sequence)
{
	struct tfs_proto *m = &p->block;

	p->start = m->sb.len;
	tfs_proto_open(m, PACKET);
	tfs_proto_uint(m, TFS_PACKET_SEQUENCE, sequence->id);
	tfs_proto_uint(m, TFS_PACKET_SEQUENCE_FLAGS, sequence->begun ? NEEDS_STATE : STATE_CLEARED);
	if (sequence->machine)
		tfs_proto_uint(m, TFS_PACKET_MACHINE, sequence->machine);
	sequence->begun = true;
	return m;
}

int tfs_packets_end(struct tfs_packets *p)
{
	struct tfs_strbuf *sb = &p->block.sb;
	int rc;

	tfs_proto_close(&p->block);
	if (p->block.rc)
		return p->block.rc;
	if (sb->len < BLOCK_FULL)
		return 0;
	/* A packet that does not fit is the first of the next block. */
	if (sb->len >= BLOCK_MAX && p->start) {
		rc = write_block(p, p->start);
		memmove(sb->s, sb->s + p->start, sb->len - p->start);
		sb->len -= p->start;
		return rc;
	}
	return tfs_packets_flush(p);
}

int tfs_packets_flush(struct tfs_packets *p)
{
	int rc = p->block.rc;

	if (!rc && p->block.sb.len)
		rc = write_block(p, p->block.sb.len);
	tfs_strbuf_reset(&p->block.sb);
	return rc;
}
