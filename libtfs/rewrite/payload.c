/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rewrite/payload.h"

#include <errno.h>
#include <string.h>

#include "base/strbuf-core.h"
#include "rewrite/bytes.h"
#include "rewrite/image.h"

static int add_strz(struct tfs_strbuf *sb, const char *s)
{
	return tfs_strbuf_add(sb, s, strlen(s) + 1);
}

static int add_sized(const struct tfs_image *image, const struct tfs_strbuf *text,
		     struct tfs_strbuf *sb)
{
	int rc = tfs_add_u64(sb, text->len, image->big);

	return rc ? rc : tfs_strbuf_add(sb, text->s, text->len);
}

static int add_sized_u32(const struct tfs_image *image, const struct tfs_strbuf *text,
			 struct tfs_strbuf *sb)
{
	int rc = text->len > UINT32_MAX ? -EFBIG : 0;

	if (!rc)
		rc = tfs_add_u32(sb, (uint32_t)text->len, image->big);
	return rc ? rc : tfs_strbuf_add(sb, text->s, text->len);
}

static int add_header_info(const struct tfs_image *image, struct tfs_strbuf *sb)
{
	int rc = add_strz(sb, "header_page");

	if (!rc)
		rc = add_sized(image, &image->blob[TFS_DAT_BLOB_HEADER_PAGE], sb);
	if (!rc)
		rc = add_strz(sb, "header_event");
	return rc ? rc : add_sized(image, &image->blob[TFS_DAT_BLOB_HEADER_EVENT], sb);
}

/* The number of formats from @from to @to, and they themselves */
static int add_formats(const struct tfs_image *image, size_t from, size_t to, struct tfs_strbuf *sb)
{
	int rc = tfs_add_u32(sb, (uint32_t)(to - from), image->big);

	for (size_t i = from; i < to && !rc; i++)
		rc = add_sized(image, &image->formats[i].text, sb);
	return rc;
}

/* Where the group of format @i ends */
static size_t group_end(const struct tfs_image *image, size_t i)
{
	const size_t group = image->formats[i].group;

	while (i < image->n_formats && image->formats[i].group == group)
		i++;
	return i;
}

static int add_systems(const struct tfs_image *image, struct tfs_strbuf *sb)
{
	uint32_t n = 0;
	size_t i, end;
	int rc;

	for (i = image->n_ftrace; i < image->n_formats; i = group_end(image, i))
		n++;
	rc = tfs_add_u32(sb, n, image->big);
	for (i = image->n_ftrace; i < image->n_formats && !rc; i = end) {
		end = group_end(image, i);
		rc = add_strz(sb, image->formats[i].system);
		if (!rc)
			rc = add_formats(image, i, end, sb);
	}
	return rc;
}

int tfs_payload_add(const struct tfs_image *image, enum tfs_dat_id id, struct tfs_strbuf *sb)
{
	switch (id) {
	case TFS_DAT_HEADER_INFO:
		return add_header_info(image, sb);
	case TFS_DAT_FTRACE_EVENTS:
		return add_formats(image, 0, image->n_ftrace, sb);
	case TFS_DAT_EVENT_FORMATS:
		return add_systems(image, sb);
	case TFS_DAT_KALLSYMS:
		return add_sized_u32(image, &image->blob[TFS_DAT_BLOB_KALLSYMS], sb);
	case TFS_DAT_PRINTK:
		return add_sized_u32(image, &image->blob[TFS_DAT_BLOB_PRINTK], sb);
	default:
		return add_sized(image, &image->blob[TFS_DAT_BLOB_CMDLINES], sb);
	}
}
