/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RELAY_GAP_H
#define TFS_RELAY_GAP_H

#include <stddef.h>
#include <stdint.h>

struct tfs_codec;
struct tfs_dat_info;
struct tfs_strbuf;

/**
 * struct tfs_relay_gap - a chunk of a trace file before which events are missing
 * @data, @size: the chunk as stored
 * @raw: bytes of its sub-buffers
 * @page_size: of a sub-buffer
 * @lost: how many events; 0: not known
 */
struct tfs_relay_gap {
	const void *data;
	size_t size;
	size_t raw;
	uint32_t page_size;
	uint64_t lost;
};

/**
 * tfs_relay_mark_gap() - make a chunk say that events were lost before it
 * @info: of the file
 * @codec: the file's; TFS_CODEC_NONE: the chunk is sub-buffers
 * @out: the chunk to store instead, appended
 *
 * The mark is the kernel's own (RB_MISSED_EVENTS), in the first sub-buffer, so that every reader of
 * trace files shows it. The count is kept where there is room after the last event, as by the
 * kernel. Return: 0; -EBADMSG when the chunk is damaged; -ENOMEM.
 */
int tfs_relay_mark_gap(const struct tfs_dat_info *info, struct tfs_codec *codec,
		       const struct tfs_relay_gap *gap, struct tfs_strbuf *out);

#endif
