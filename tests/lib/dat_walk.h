/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_LIB_DAT_WALK_H
#define TESTS_LIB_DAT_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/**
 * struct dat_walk - what reading a whole file gave
 * @rc: of opening
 * @err: why it could not be opened, or the first damage
 * @sum: of every byte that was handed out
 * @backwards: a record came before one with a smaller stamp
 */
struct dat_walk {
	int rc;
	struct tfs_err err;
	size_t formats, options, buffers, text_bytes;
	uint64_t records, lost_notes, sum;
	bool backwards;
};

/** dat_walk_fd() - read everything, but at most @max records, touching every byte; takes @fd */
void dat_walk_fd(int fd, uint64_t max, struct dat_walk *walk);
/** dat_walk_bytes() - the same of bytes in memory */
void dat_walk_bytes(const void *data, size_t size, uint64_t max, struct dat_walk *walk);

#endif
