/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relay/wire.h"

#include <errno.h>

#include "base/crc32.h"
#include "base/cursor.h"

#define HEADER_CRC_AT 52u

static void put_u32(unsigned char *p, uint32_t n)
{
	for (unsigned int i = 0; i < 4; i++)
		p[i] = (unsigned char)(n >> (8 * i));
}

static void put_u64(unsigned char *p, uint64_t n)
{
	put_u32(p, (uint32_t)n);
	put_u32(p + 4, (uint32_t)(n >> 32));
}

void tfs_relay_encode(const struct tfs_relay_record *r, const void *payload, unsigned char *header)
{
	put_u32(header, TFS_RELAY_MARK);
	put_u32(header + 4, (uint32_t)r->type);
	put_u64(header + 8, r->seq);
	put_u32(header + 16, r->source);
	put_u32(header + 20, r->size);
	put_u32(header + 24, r->raw);
	put_u32(header + 28, r->events);
	put_u64(header + 32, r->offset);
	put_u64(header + 40, r->events_before);
	put_u32(header + 48, tfs_crc32(0, payload, r->size));
	put_u32(header + HEADER_CRC_AT, tfs_crc32(0, header, HEADER_CRC_AT));
}

static int check_numbers(const struct tfs_relay_record *r)
{
	switch (r->type) {
	case TFS_RELAY_CHUNK:
		return r->raw && r->raw <= TFS_RELAY_PAYLOAD_MAX && r->seq &&
				       r->offset <= UINT64_MAX - r->raw &&
				       r->events_before <= UINT64_MAX - r->events ?
			       0 :
			       -EBADMSG;
	case TFS_RELAY_HEAD:
	case TFS_RELAY_TAIL:
		return r->seq && r->offset <= TFS_RELAY_FILE_MAX ? 0 : -EBADMSG;
	case TFS_RELAY_HELLO:
	case TFS_RELAY_END:
		return r->seq ? 0 : -EBADMSG;
	case TFS_RELAY_NOTE:
		return r->seq ? -EBADMSG : 0;
	}
	return -EBADMSG;
}

int tfs_relay_decode(const void *header, struct tfs_relay_record *r)
{
	const unsigned char *p = header;

	if (tfs_load_u32(p, false) != TFS_RELAY_MARK ||
	    tfs_load_u32(p + HEADER_CRC_AT, false) != tfs_crc32(0, p, HEADER_CRC_AT))
		return -EBADMSG;
	*r = (struct tfs_relay_record){
		.type = (enum tfs_relay_type)tfs_load_u32(p + 4, false),
		.seq = tfs_load_u64(p + 8, false),
		.source = tfs_load_u32(p + 16, false),
		.size = tfs_load_u32(p + 20, false),
		.raw = tfs_load_u32(p + 24, false),
		.events = tfs_load_u32(p + 28, false),
		.offset = tfs_load_u64(p + 32, false),
		.events_before = tfs_load_u64(p + 40, false),
		.crc = tfs_load_u32(p + 48, false),
	};
	return r->size <= TFS_RELAY_PAYLOAD_MAX ? check_numbers(r) : -EBADMSG;
}

int tfs_relay_check(const struct tfs_relay_record *r, const void *payload)
{
	return tfs_crc32(0, payload, r->size) == r->crc ? 0 : -EBADMSG;
}
