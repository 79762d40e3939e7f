/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_EXCHANGE_PACKETS_H
#define TFS_EXCHANGE_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exchange/proto.h"

struct tfs_out;

/*
 * The file that Perfetto reads: packets, one after the other, without head or end. Many together
 * are compressed to one packet that contains them.
 */

/** TFS_PACKET_* - fields of a packet (protos/perfetto/trace/trace_packet.proto) */
enum tfs_packet_field {
	TFS_PACKET_FTRACE_EVENTS = 1,
	TFS_PACKET_PROCESS_TREE = 2,
	TFS_PACKET_CLOCK_SNAPSHOT = 6,
	TFS_PACKET_TIMESTAMP = 8,
	TFS_PACKET_SEQUENCE = 10,
	TFS_PACKET_TRACK_EVENT = 11,
	TFS_PACKET_INTERNED = 12,
	TFS_PACKET_SEQUENCE_FLAGS = 13,
	TFS_PACKET_FTRACE_STATS = 34,
	TFS_PACKET_SYSTEM_INFO = 45,
	TFS_PACKET_COMPRESSED = 50,
	TFS_PACKET_DEFAULTS = 59,
	TFS_PACKET_TRACK_DESCRIPTOR = 60,
	TFS_PACKET_PERF_SAMPLE = 66,
	TFS_PACKET_TRACE_UUID = 89,
	TFS_PACKET_MACHINE = 98,
	TFS_PACKET_ATTRIBUTES = 126,
	TFS_PACKET_STACK_SAMPLE = 135,
};

/**
 * struct tfs_sequence - packets that share what was interned
 * @id: not 0
 * @machine: of several; 0: there is one only
 * @begun: its first packet, which says that nothing is interned yet, was written
 */
struct tfs_sequence {
	uint32_t id, machine;
	bool begun;
};

/** enum tfs_packets_flags - TFS_PACKETS_PLAIN: do not compress */
enum tfs_packets_flags { TFS_PACKETS_PLAIN = 1 << 0 };

/**
 * struct tfs_packets - writes packets, in blocks of bounded size
 *
 * One thread at a time.
 */
struct tfs_packets;

/** tfs_packets_new() - to @out, which is borrowed; 0 or -ENOMEM */
int tfs_packets_new(struct tfs_out *out, unsigned int flags, struct tfs_packets **packets);
void tfs_packets_free(struct tfs_packets *packets);
/**
 * tfs_packets_begin() - begin a packet of @sequence
 * Return: where its fields are written, up to tfs_packets_end().
 */
struct tfs_proto *tfs_packets_begin(struct tfs_packets *packets, struct tfs_sequence *sequence);
/** tfs_packets_end() - it is complete. Return: 0, -ENOMEM, or the error that writing met */
int tfs_packets_end(struct tfs_packets *packets);
/** tfs_packets_flush() - write what is held, after the last packet; 0 or -errno */
int tfs_packets_flush(struct tfs_packets *packets);

#endif
