/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "tracedat/dat-private.h"
#include "tracedat/dat-read.h"

int tfs_dat_profile_put(struct tfs_strbuf *payload, const struct tfs_dat_profile *profile)
{
	const char *const texts[] = { profile->samples, profile->runtime, profile->event,
				      profile->comm };
	const uint32_t n = (uint32_t)profile->n_targets;
	int rc = tfs_dat_private_begin(payload);

	if (!rc)
		rc = tfs_strbuf_add(payload, &profile->flags, sizeof(profile->flags));
	if (!rc)
		rc = tfs_strbuf_add(payload, &profile->period_ns, sizeof(profile->period_ns));
	for (size_t i = 0; i < ARRAY_SIZE(texts) && !rc; i++)
		rc = tfs_strbuf_add(payload, texts[i], strlen(texts[i]) + 1);
	if (!rc)
		rc = tfs_strbuf_add(payload, &n, sizeof(n));
	return rc || !n ? rc :
			  tfs_strbuf_add(payload, profile->targets, n * sizeof(*profile->targets));
}

/* Everything before the targets, and their number, which the bytes that are left bear out */
static int read_head(struct tfs_cursor *c, struct tfs_dat_profile *profile)
{
	const char **const texts[] = { &profile->samples, &profile->runtime, &profile->event,
				       &profile->comm };
	uint32_t n = 0;
	int rc = tfs_cursor_u32(c, &profile->flags);

	if (!rc)
		rc = tfs_cursor_u64(c, &profile->period_ns);
	for (size_t i = 0; i < ARRAY_SIZE(texts) && !rc; i++)
		rc = tfs_cursor_strz(c, texts[i]);
	if (!rc)
		rc = tfs_cursor_u32(c, &n);
	if (!rc && n > tfs_cursor_left(c) / sizeof(uint32_t))
		rc = -EBADMSG;
	profile->n_targets = rc ? 0 : n;
	return rc;
}

int tfs_dat_profile_get(const struct tfs_dat *dat, struct tfs_dat_profile **out)
{
	const struct tfs_dat_option *o = tfs_dat_option_last(dat, TFS_DAT_PRIVATE_PROFILE);
	struct tfs_dat_profile head, *profile;
	struct tfs_cursor c;
	uint32_t *targets;

	*out = NULL;
	if (!o || tfs_dat_private_cursor(o, tfs_dat_info(dat)->big_endian, &c) ||
	    read_head(&c, &head))
		return 0;
	profile = malloc(sizeof(*profile) + head.n_targets * sizeof(*targets));
	if (!profile)
		return -ENOMEM;
	*profile = head;
	targets = (uint32_t *)(profile + 1);
	for (size_t i = 0; i < head.n_targets; i++)
		tfs_cursor_u32(&c, &targets[i]);
	profile->targets = targets;
	*out = profile;
	return 0;
}
