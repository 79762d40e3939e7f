/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PIPELINE_ORDER_CHECK_H
#define TFS_PIPELINE_ORDER_CHECK_H

#include <stddef.h>
#include <stdint.h>

struct tfs_clock_map;
struct tfs_err;
struct tfs_event;
struct tfs_strvec;
struct tfs_trace;

/**
 * struct tfs_order_input - one of the recordings whose events are merged
 * @host: number of its host, less than the number of recordings; recordings of one host with one
 *	clock share it
 * @map: how its times became those that are shown; NULL: nothing is known of its clock
 * @offset: what was added to those times
 */
struct tfs_order_input {
	struct tfs_trace *trace;
	uint32_t host;
	const struct tfs_clock_map *map;
	uint64_t offset;
};

/**
 * struct tfs_order_counts - what is known of the order in which events are shown
 * @events: that were shown
 * @uncertain: events that follow one of another host by less than the sum of both bounds: they may
 *	have happened in the other order
 * @unknown: events that follow one of another host where the bound of either is not known
 * @receives, @sends: of messages
 * @early: receives that were shown before their sends; @alone: receives without a send
 * @unchecked: sends and receives that were not looked at, as too many were open
 */
struct tfs_order_counts {
	uint64_t events, uncertain, unknown;
	uint64_t receives, sends, early, alone, unchecked;
};

/** struct tfs_order_check - looks at the order in which the events of several hosts are shown */
struct tfs_order_check;

/**
 * tfs_order_check_new() - for the events of @n recordings
 * @inputs: copied; what they point to is borrowed
 * @messages: "SEND,RECEIVE,KEY": names of events, EVENT or SYSTEM:EVENT, and the field that has the
 *	same value for both; "SENT=RECEIVED" where it has different names. NULL: none
 *
 * Return: 0; -EINVAL: @messages are not of this form; -ENOENT: no recording has the event or the
 * field; -ENOMEM.
 */
int tfs_order_check_new(const struct tfs_order_input *inputs, size_t n,
			const struct tfs_strvec *messages, struct tfs_order_check **out,
			struct tfs_err *err);
void tfs_order_check_free(struct tfs_order_check *check);

/** tfs_order_check_event() - the next event that is shown; one thread at a time; 0 or -ENOMEM */
int tfs_order_check_event(struct tfs_order_check *check, const struct tfs_event *event);
/** tfs_order_check_counts() - after the last event */
void tfs_order_check_counts(const struct tfs_order_check *check, struct tfs_order_counts *out);

#endif
