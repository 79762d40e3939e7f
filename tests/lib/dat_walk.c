/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/dat_walk.h"

#include <string.h>

#include "base/strbuf-core.h"
#include "lib/dat_build.h"
#include "tracedat/dat-constants.h"
#include "tracedat/dat-lost.h"
#include "tracedat/dat-read.h"
#include "tracedat/merge.h"

static void touch(struct dat_walk *walk, const void *data, size_t size)
{
	const unsigned char *p = data;

	while (size--)
		walk->sum += *p++;
}

static void touch_text(struct dat_walk *walk, const char *s)
{
	touch(walk, s, strlen(s) + 1);
}

static void walk_metadata(const struct tfs_dat *dat, struct dat_walk *walk)
{
	struct tfs_blob blob;
	size_t i;

	touch_text(walk, tfs_dat_path(dat));
	touch_text(walk, tfs_dat_info(dat)->codec_version);
	for (i = 0; i < TFS_DAT_N_BLOBS; i++) {
		tfs_dat_blob(dat, (enum tfs_dat_blob)i, &blob);
		touch(walk, blob.data, blob.size + 1);
	}
	walk->formats = tfs_dat_n_formats(dat);
	for (i = 0; i < walk->formats; i++) {
		touch_text(walk, tfs_dat_format(dat, i)->system);
		blob = tfs_dat_format(dat, i)->text;
		touch(walk, blob.data, blob.size + 1);
	}
	walk->options = tfs_dat_n_options(dat);
	for (i = 0; i < walk->options; i++) {
		blob = tfs_dat_option(dat, i)->data;
		touch(walk, blob.data, blob.size + 1);
	}
}

static void walk_private(const struct tfs_dat *dat, struct dat_walk *walk)
{
	struct tfs_dat_constants *constants;
	struct tfs_dat_lost lost;
	uint64_t value = 0;

	if (!tfs_dat_constants_new(dat, &constants))
		tfs_dat_constants_find(constants, "I_NEW", strlen("I_NEW"), &value);
	tfs_dat_constants_free(constants);
	walk->sum += value;
	if (tfs_dat_lost_find(dat, 0, 1, &lost) > 0)
		walk->sum += lost.events;
}

static void walk_buffers(struct tfs_dat *dat, struct dat_walk *walk)
{
	size_t i;

	walk->buffers = tfs_dat_n_buffers(dat);
	for (i = 0; i < walk->buffers; i++) {
		const struct tfs_dat_buffer *buf = tfs_dat_buffer(dat, i);
		struct tfs_strbuf sb = TFS_STRBUF_INIT;

		touch_text(walk, buf->name);
		touch_text(walk, buf->clock);
		touch(walk, buf->cpus, buf->n_cpus * sizeof(*buf->cpus));
		tfs_dat_text(dat, i, &sb, NULL);
		walk->text_bytes += sb.len;
		touch(walk, sb.s, sb.len + 1);
		tfs_strbuf_release(&sb);
	}
}

static void walk_records(struct tfs_dat *dat, uint64_t max, struct dat_walk *walk)
{
	struct tfs_merge *m;
	struct tfs_record rec, ahead;
	uint64_t last = 0;

	if (tfs_merge_new(dat, NULL, &m, NULL))
		return;
	while (walk->records < max && tfs_merge_next(m, &rec, NULL) > 0) {
		/* every third time the next record is looked at while this one is in use */
		if (walk->records % 3 == 0 && tfs_merge_peek(m, &ahead, NULL) > 0)
			touch(walk, ahead.data, ahead.size);
		touch(walk, rec.data, rec.size);
		touch(walk, rec.data, rec.room);
		walk->backwards |= rec.ts < last;
		walk->lost_notes += rec.lost != 0;
		walk->records++;
		last = rec.ts;
	}
	tfs_merge_free(m);
}

void dat_walk_fd(int fd, uint64_t max, struct dat_walk *walk)
{
	struct tfs_dat *dat;

	memset(walk, 0, sizeof(*walk));
	walk->err = TFS_ERR_INIT;
	walk->rc = tfs_dat_open_fd(fd, "trace.dat", &dat, &walk->err);
	if (walk->rc)
		return;
	walk_metadata(dat, walk);
	walk_private(dat, walk);
	walk_buffers(dat, walk);
	walk_records(dat, max, walk);
	if (tfs_dat_damage(dat))
		walk->err = *tfs_dat_damage(dat);
	tfs_dat_free(dat);
}

void dat_walk_bytes(const void *data, size_t size, uint64_t max, struct dat_walk *walk)
{
	dat_walk_fd(bytes_to_fd(data, size), max, walk);
}
