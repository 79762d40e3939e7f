/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_CHECK_INTERNAL_H
#define TFS_TRACEDAT_DAT_CHECK_INTERNAL_H

#include <stdint.h>

#include "tracedat/dat-check.h"

/* Shared by the parts of tfs_dat_check(). Not for use outside libtfs/tracedat. */

/** struct tfs_dat_check - a check that is going on; @ids: a bit for each event that has a format */
struct tfs_dat_check {
	struct tfs_dat *dat;
	const struct tfs_dat_checker *checker;
	struct tfs_dat_totals *totals;
	uint32_t ids[65536 / 32];
};

void tfs_dat_check_say(struct tfs_dat_check *c, enum tfs_dat_grade grade, uint64_t offset,
		       const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/** tfs_dat_check_data() - the data of all buffers; 0 or -ENOMEM, or the errno of a read */
int tfs_dat_check_data(struct tfs_dat_check *c, struct tfs_err *err);

#endif
