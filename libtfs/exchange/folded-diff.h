/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_EXCHANGE_FOLDED_DIFF_H
#define TFS_EXCHANGE_FOLDED_DIFF_H

#include "exchange/folded.h"

/**
 * tfs_folded_diff_new() - "comm;outer;inner BEFORE AFTER" lines, sorted by their bytes
 * @opts: the last of the recordings is the one after, the others are those before
 *
 * With TFS_FOLDED_SCALED, weights before are multiplied to have the total of those after. Else as
 * tfs_folded_new().
 */
int tfs_folded_diff_new(const struct tfs_folded_opts *opts, struct tfs_view **view,
			struct tfs_err *err);

#endif
