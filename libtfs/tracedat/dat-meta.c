/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-meta.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "format/header-page.h"
#include "tracedat/dat-internal.h"
#include "tracedat/dat-source.h"

static int take_blob(struct tfs_dat *dat, enum tfs_dat_blob id, struct tfs_dat_source *src,
		     uint64_t size, struct tfs_err *err)
{
	char *mem, *data;
	int rc = tfs_dat_source_take(src, size, &mem, &data, err);

	if (rc)
		return rc;
	free(dat->blob[id].mem);
	dat->blob[id].mem = mem;
	dat->blob[id].data = data;
	dat->blob[id].size = (size_t)size;
	return 0;
}

static int tagged_blob(struct tfs_dat *dat, enum tfs_dat_blob id, const char *tag,
		       struct tfs_dat_source *src, struct tfs_err *err)
{
	uint64_t size;
	int rc = tfs_dat_source_tag(src, tag, strlen(tag) + 1, err);

	if (!rc)
		rc = tfs_dat_source_u64(src, &size, err);
	return rc ? rc : take_blob(dat, id, src, size, err);
}

static int read_layout(struct tfs_dat *dat, const struct tfs_dat_source *src, struct tfs_err *err)
{
	const char *page = dat->blob[TFS_DAT_BLOB_HEADER_PAGE].data;
	const char *event = dat->blob[TFS_DAT_BLOB_HEADER_EVENT].data;
	struct tfs_header_page h;

	if (event && strstr(event, "3 bits") && !strstr(event, "type_len"))
		return tfs_err_say(err, -EOPNOTSUPP,
				   "ring buffer of a kernel before 2.6.30, which is not supported");
	if (!dat->blob[TFS_DAT_BLOB_HEADER_PAGE].size)
		return 0; /* kernels without header_page: what the recording says of itself */
	if (tfs_header_page_parse(page, dat->blob[TFS_DAT_BLOB_HEADER_PAGE].size, &h, NULL) ||
	    h.commit_offset != 8 || (h.commit_size != 4 && h.commit_size != 8) ||
	    h.data_offset != 8 + h.commit_size || h.data_size > TFS_DAT_PAGE_MAX)
		return tfs_dat_source_fail(src, "header_page describes no known sub-buffer", err);
	dat->info.kernel_long_size = h.commit_size;
	dat->info.page_data_offset = h.data_offset;
	if (tfs_dat_page_size_is_possible((uint64_t)h.data_offset + h.data_size))
		dat->layout_page_size = h.data_offset + h.data_size;
	return 0;
}

int tfs_dat_meta_header_info(struct tfs_dat *dat, struct tfs_dat_source *src, struct tfs_err *err)
{
	int rc;

	rc = tagged_blob(dat, TFS_DAT_BLOB_HEADER_PAGE, "header_page", src, err);
	if (!rc)
		rc = tagged_blob(dat, TFS_DAT_BLOB_HEADER_EVENT, "header_event", src, err);
	return rc ? rc : read_layout(dat, src, err);
}

static int add_format(struct tfs_dat *dat, const char *system, struct tfs_dat_source *src,
		      struct tfs_err *err)
{
	uint64_t size;
	char *text;
	int rc;

	if (dat->n_formats >= TFS_DAT_FORMATS_MAX)
		return tfs_dat_source_fail(src, "more events than there are event ids", err);
	if (tfs_grow(&dat->formats, &dat->cap_formats, dat->n_formats + 1))
		return tfs_err_set(err, -ENOMEM, "cannot read %s", src->what);
	rc = tfs_dat_source_u64(src, &size, err);
	if (!rc)
		rc = tfs_dat_source_blob(src, size, &text, err);
	if (rc)
		return rc;
	dat->formats[dat->n_formats++] = (struct tfs_dat_format){
		.system = system,
		.text = { .data = text, .size = (size_t)size },
	};
	return 0;
}

/* No count is believed: reading ends where the bytes do. */
static int add_system(struct tfs_dat *dat, const char *name, struct tfs_dat_source *src,
		      struct tfs_err *err)
{
	uint32_t n, i;
	int rc = tfs_dat_source_u32(src, &n, err);

	if (rc || !n)
		return rc;
	if (tfs_strvec_push(&dat->systems, name))
		return tfs_err_set(err, -ENOMEM, "cannot read %s", src->what);
	name = dat->systems.v[dat->systems.n - 1];
	for (i = 0; i < n && !rc; i++)
		rc = add_format(dat, name, src, err);
	return rc;
}

int tfs_dat_meta_ftrace(struct tfs_dat *dat, struct tfs_dat_source *src, struct tfs_err *err)
{
	return add_system(dat, "ftrace", src, err);
}

int tfs_dat_meta_systems(struct tfs_dat *dat, struct tfs_dat_source *src, struct tfs_err *err)
{
	char name[256];
	uint32_t n, i;
	int rc = tfs_dat_source_u32(src, &n, err);

	for (i = 0; !rc && i < n; i++) {
		rc = tfs_dat_source_strz(src, name, sizeof(name), err);
		if (!rc)
			rc = add_system(dat, name, src, err);
	}
	return rc;
}

int tfs_dat_meta_text(struct tfs_dat *dat, enum tfs_dat_blob id, struct tfs_dat_source *src,
		      struct tfs_err *err)
{
	uint64_t size = 0;
	uint32_t size32;
	int rc;

	if (id == TFS_DAT_BLOB_CMDLINES) {
		rc = tfs_dat_source_u64(src, &size, err);
	} else {
		rc = tfs_dat_source_u32(src, &size32, err);
		if (!rc)
			size = size32;
	}
	return rc ? rc : take_blob(dat, id, src, size, err);
}
