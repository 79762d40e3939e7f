/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_FEW_STATS_H
#define TFS_BASE_FEW_STATS_H

#include <stdint.h>

#include "base/stats.h"

/**
 * struct tfs_few_stats - sums over values, as in stats.h, where most have none or one
 * @n: values
 * @value: the only one; @all: two or more
 *
 * For rows of which there may be a million: 16 bytes. Zeroed it is empty; release with
 * tfs_few_stats_release().
 */
struct tfs_few_stats {
	uint64_t n;
	union {
		uint64_t value;
		struct tfs_stats *all;
	};
};

void tfs_few_stats_release(struct tfs_few_stats *s);
/** tfs_few_stats_add() - 0, or -ENOMEM with the value not added */
int tfs_few_stats_add(struct tfs_few_stats *s, uint64_t value);
/** tfs_few_stats_all() - the sums */
struct tfs_stats tfs_few_stats_all(const struct tfs_few_stats *s);
/** tfs_few_stats_max() - the largest value; 0 without values */
static inline uint64_t tfs_few_stats_max(const struct tfs_few_stats *s)
{
	return s->n > 1 ? s->all->max : s->n ? s->value : 0;
}

#endif
