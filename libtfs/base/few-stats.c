/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/few-stats.h"

#include <errno.h>
#include <stdlib.h>

void tfs_few_stats_release(struct tfs_few_stats *s)
{
	if (s->n > 1)
		free(s->all);
	*s = (struct tfs_few_stats){ 0 };
}

int tfs_few_stats_add(struct tfs_few_stats *s, uint64_t value)
{
	struct tfs_stats *all;

	if (s->n == 1) {
		all = calloc(1, sizeof(*all));
		if (!all)
			return -ENOMEM;
		tfs_stats_add(all, s->value);
		s->all = all;
	}
	if (s->n)
		tfs_stats_add(s->all, value);
	else
		s->value = value;
	s->n++;
	return 0;
}

struct tfs_stats tfs_few_stats_all(const struct tfs_few_stats *s)
{
	struct tfs_stats all = { 0 };

	if (s->n > 1)
		return *s->all;
	if (s->n)
		tfs_stats_add(&all, s->value);
	return all;
}
