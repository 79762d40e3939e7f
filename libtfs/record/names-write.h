/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_NAMES_WRITE_H
#define TFS_RECORD_NAMES_WRITE_H

#include <stdint.h>

struct tfs_dat_writer;
struct tfs_images;
struct tfs_known_tasks;
struct tfs_strbuf;
struct tfs_user_events;

/** tfs_names_monotonic() - ns of CLOCK_MONOTONIC */
uint64_t tfs_names_monotonic(void);

/**
 * tfs_names_put() - write a payload of records as an option, compressed
 * @room: bytes that there are for it, which are taken from; one that is larger is left out
 */
int tfs_names_put(struct tfs_dat_writer *w, uint16_t id, struct tfs_strbuf *payload,
		  uint64_t *room);

/**
 * tfs_names_write_images() - the maps of the processes that were met, their objects, and the
 * functions that the addresses are in
 * @room: as above
 *
 * Return: 0 or what the writer says.
 */
int tfs_names_write_images(struct tfs_images *im, struct tfs_known_tasks *tasks,
			   struct tfs_user_events *events, struct tfs_dat_writer *w,
			   uint64_t *room);

#endif
