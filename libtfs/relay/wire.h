/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RELAY_WIRE_H
#define TFS_RELAY_WIRE_H

#include <stddef.h>
#include <stdint.h>

/*
 * The stream form of a recording: records one after the other, each a header of TFS_RELAY_HEADER
 * bytes and a payload. tracecraft-stream(5) describes it. Numbers are little-endian; what a payload
 * holds is in the byte order of the recording.
 */

#define TFS_RELAY_MARK 0x31535354u /* "TSS1" */
#define TFS_RELAY_HEADER 56u
#define TFS_RELAY_VERSION 1
/** TFS_RELAY_PAYLOAD_MAX - of any record, as chunks of a trace file may have */
#define TFS_RELAY_PAYLOAD_MAX (16u << 20)
/** TFS_RELAY_FILE_MAX - bytes of the trace file besides the events' data */
#define TFS_RELAY_FILE_MAX (256u << 20)
/** TFS_RELAY_PIECE - payload of HEAD and TAIL records at most */
#define TFS_RELAY_PIECE (128u << 10)

/** TFS_RELAY_BOOT - a line of HELLO: the sender's boot id. It answers requests for its clocks */
#define TFS_RELAY_BOOT "boot="

/**
 * enum tfs_relay_type - kinds of records
 * @TFS_RELAY_HELLO: text, first after each connection; its sequence number is the next record's
 * @TFS_RELAY_HEAD: bytes of the trace file at @offset, before the events
 * @TFS_RELAY_CHUNK: sub-buffers of a source, as a trace file stores them
 * @TFS_RELAY_TAIL: bytes of the trace file at @offset, after the events
 * @TFS_RELAY_END: text: totals; the last record
 * @TFS_RELAY_NOTE: text about the state of the recorder; it has no sequence number (0)
 */
enum tfs_relay_type {
	TFS_RELAY_HELLO = 1,
	TFS_RELAY_HEAD = 2,
	TFS_RELAY_CHUNK = 3,
	TFS_RELAY_TAIL = 4,
	TFS_RELAY_END = 5,
	TFS_RELAY_NOTE = 6,
};

/**
 * struct tfs_relay_record - the header of a record
 * @seq: sequence number, from 1
 * @source: CHUNK: index of the CPU among the segments that the head lists (dat-segments.h)
 * @size: bytes of the payload
 * @raw: CHUNK: bytes of its sub-buffers before compression
 * @events: CHUNK: events in it
 * @offset: CHUNK: bytes of the source's sub-buffers before it, whether they were sent or not;
 *          HEAD, TAIL: offset in the trace file
 * @events_before: CHUNK: events of the source before it, whether they were sent or not
 * @crc: tfs_crc32() of the payload
 */
struct tfs_relay_record {
	enum tfs_relay_type type;
	uint64_t seq;
	uint32_t source;
	uint32_t size;
	uint32_t raw;
	uint32_t events;
	uint64_t offset;
	uint64_t events_before;
	uint32_t crc;
};

/** tfs_relay_encode() - write @r as TFS_RELAY_HEADER bytes; its crc is that of @payload */
void tfs_relay_encode(const struct tfs_relay_record *r, const void *payload, unsigned char *header);
/**
 * tfs_relay_decode() - read a header
 * Return: 0; -EBADMSG when it is damaged or its numbers are out of range.
 */
int tfs_relay_decode(const void *header, struct tfs_relay_record *r);
/** tfs_relay_check() - 0, or -EBADMSG when @payload is not what the header was made for */
int tfs_relay_check(const struct tfs_relay_record *r, const void *payload);

#endif
