/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_LOST_H
#define TFS_TRACEDAT_DAT_LOST_H

#include <stddef.h>
#include <stdint.h>

struct tfs_dat;
struct tfs_strbuf;
struct tfs_strvec;

/**
 * enum tfs_dat_lost_signs - that others changed the ring buffer while it was recorded
 * @TFS_DAT_LOST_EMPTIED: it was emptied, or its counters began anew: how many events are missing is
 *                        not known
 * @TFS_DAT_LOST_CLOCK: its clock was changed: time stamps of two clocks are in the file
 * @TFS_DAT_LOST_OFF: tracing was turned off in it, or paused: the recording is not complete
 * @TFS_DAT_LOST_EVENTS: which events it gets was changed, by switching some, a filter, or the tasks
 *                       or CPUs: the recording may not be complete
 */
enum tfs_dat_lost_signs {
	TFS_DAT_LOST_EMPTIED = 1 << 0,
	TFS_DAT_LOST_CLOCK = 1 << 1,
	TFS_DAT_LOST_OFF = 1 << 2,
	TFS_DAT_LOST_EVENTS = 1 << 3,
};

/**
 * struct tfs_dat_lost - one CPU's entry of the option TFS_DAT_PRIVATE_LOST
 *
 * The option's payload: u32 0x01020304 (in the file's byte order, as is all that follows), u32 size
 * of an entry (64, or 48 without the last two, more in files of later versions: fields are only
 * ever added at the end), then an entry for each CPU of each buffer: these fields in this order.
 * tfs_dat_lost_sum() is the number of a CPU's events that are not in the file.
 */
struct tfs_dat_lost {
	uint32_t cpu;
	uint32_t buffer;         /* number of its BUFFER option, from 0: of the file's buffers */
	uint64_t events;         /* in the file */
	uint64_t overrun;        /* overwritten before they were read */
	uint64_t commit_overrun; /* no room while other events were being written */
	uint64_t dropped;        /* the buffer was full (no-overwrite mode), or a spool */
	uint64_t unread;         /* left in the kernel's buffer when the recording was given up */
	uint64_t taken;          /* read by another program */
	uint64_t signs;          /* enum tfs_dat_lost_signs */
};

/** tfs_dat_lost_sum() - events that are not in the file, as far as they were counted */
static inline uint64_t tfs_dat_lost_sum(const struct tfs_dat_lost *lost)
{
	return lost->overrun + lost->commit_overrun + lost->dropped + lost->unread + lost->taken;
}

/** tfs_dat_lost_begin() - append the payload's head in host byte order; 0 or -ENOMEM */
int tfs_dat_lost_begin(struct tfs_strbuf *payload);
/** tfs_dat_lost_add() - append one CPU's entry; 0 or -ENOMEM */
int tfs_dat_lost_add(struct tfs_strbuf *payload, const struct tfs_dat_lost *lost);

/**
 * tfs_dat_lost_find() - what a file says of one CPU's losses
 * @buffer: index of tfs_dat_buffer()
 *
 * Return: 1; 0 when the file does not say (another program's, or the CPU is not in it); -EBADMSG
 * when the option cannot be understood.
 */
int tfs_dat_lost_find(const struct tfs_dat *dat, size_t buffer, unsigned int cpu,
		      struct tfs_dat_lost *lost);

/**
 * tfs_dat_lost_each() - all entries: also those of CPUs without data, which no BUFFER has
 *
 * Return: 0, or -EBADMSG after those that can be understood.
 */
int tfs_dat_lost_each(const struct tfs_dat *dat,
		      void (*call)(void *context, const struct tfs_dat_lost *lost), void *context);

/**
 * tfs_dat_lost_say() - what other programs did to the ring buffers of a recording, in words
 * @out: a sentence for each is added, of those whose bit is in @lost->signs, and of @lost->taken
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_dat_lost_say(const struct tfs_dat_lost *lost, struct tfs_strvec *out);
/** tfs_dat_lost_all() - @taken and @signs of all CPUs of a file; the rest is 0 */
struct tfs_dat_lost tfs_dat_lost_all(const struct tfs_dat *dat);

#endif
