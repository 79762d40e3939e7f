/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cursor.h"
#include "base/err.h"
#include "base/io.h"
#include "tracedat/dat-internal.h"

#define WINDOW_SIZE 32768
/* Much larger data, kallsyms, goes into huge pages if there are any. */
#define LARGE_PAGE ((size_t)2 << 20)

int tfs_dat_pread(const struct tfs_dat *dat, void *dst, size_t len, uint64_t off, const char *what,
		  struct tfs_err *err)
{
	uint64_t size = dat->info.file_size;
	int rc = -ENODATA;

	if (off <= size && len <= size - off)
		rc = tfs_pread_all(dat->fd, dst, len, (off_t)off);
	if (rc == -ENODATA)
		return tfs_err_say(err, -EBADMSG,
				   "%s at offset %#" PRIx64
				   ": the file is truncated, it ends at offset %#" PRIx64,
				   what, off, size);
	if (rc)
		return tfs_err_set(err, rc, "cannot read %s at offset %#" PRIx64, what, off);
	return 0;
}

void tfs_dat_source_file(struct tfs_dat_source *src, const struct tfs_dat *dat, const char *what,
			 uint64_t off, uint64_t end)
{
	*src = (struct tfs_dat_source){ .dat = dat, .what = what, .off = off, .end = end };
	if (src->end > dat->info.file_size)
		src->end = dat->info.file_size;
	if (src->off > src->end)
		src->off = src->end;
}

void tfs_dat_source_mem(struct tfs_dat_source *src, const struct tfs_dat *dat, const char *what,
			const void *mem, size_t size)
{
	*src = (struct tfs_dat_source){ .dat = dat, .what = what, .mem = mem, .end = size };
}

void tfs_dat_source_release(struct tfs_dat_source *src)
{
	free(src->window);
	src->window = NULL;
	src->window_len = 0;
}

uint64_t tfs_dat_source_left(const struct tfs_dat_source *src)
{
	return src->end - src->off;
}

int tfs_dat_source_fail(const struct tfs_dat_source *src, const char *why, struct tfs_err *err)
{
	if (src->mem)
		return tfs_err_say(err, -EBADMSG,
				   "%s at offset %#" PRIx64 ": %s (byte %" PRIu64
				   " of its content)",
				   src->what, src->base, why, src->off);
	return tfs_err_say(err, -EBADMSG, "%s at offset %#" PRIx64 ": %s", src->what, src->off,
			   why);
}

static int fill_window(struct tfs_dat_source *src, struct tfs_err *err)
{
	size_t len = WINDOW_SIZE;
	int rc;

	if (!src->window)
		src->window = malloc(WINDOW_SIZE);
	if (!src->window)
		return tfs_err_set(err, -ENOMEM, "cannot read %s", src->what);
	if (len > tfs_dat_source_left(src))
		len = (size_t)tfs_dat_source_left(src);
	src->window_len = 0;
	rc = tfs_dat_pread(src->dat, src->window, len, src->off, src->what, err);
	if (rc)
		return rc;
	src->window_off = src->off;
	src->window_len = len;
	return 0;
}

static bool in_window(const struct tfs_dat_source *src, size_t len)
{
	return src->off >= src->window_off && len <= src->window_len &&
	       src->off - src->window_off <= src->window_len - len;
}

int tfs_dat_source_get(struct tfs_dat_source *src, void *dst, size_t len, struct tfs_err *err)
{
	int rc;

	if (len > tfs_dat_source_left(src))
		return tfs_dat_source_fail(src, "ends too early", err);
	if (!len)
		return 0;
	if (src->mem) {
		memcpy(dst, src->mem + src->off, len);
	} else if (len > WINDOW_SIZE) {
		rc = tfs_dat_pread(src->dat, dst, len, src->off, src->what, err);
		if (rc)
			return rc;
	} else {
		rc = in_window(src, len) ? 0 : fill_window(src, err);
		if (rc)
			return rc;
		memcpy(dst, src->window + (src->off - src->window_off), len);
	}
	src->off += len;
	return 0;
}

int tfs_dat_source_u8(struct tfs_dat_source *src, uint8_t *out, struct tfs_err *err)
{
	return tfs_dat_source_get(src, out, sizeof(*out), err);
}

int tfs_dat_source_u16(struct tfs_dat_source *src, uint16_t *out, struct tfs_err *err)
{
	unsigned char b[2];
	int rc = tfs_dat_source_get(src, b, sizeof(b), err);

	if (!rc)
		*out = tfs_load_u16(b, src->dat->info.big_endian);
	return rc;
}

int tfs_dat_source_u32(struct tfs_dat_source *src, uint32_t *out, struct tfs_err *err)
{
	unsigned char b[4];
	int rc = tfs_dat_source_get(src, b, sizeof(b), err);

	if (!rc)
		*out = tfs_load_u32(b, src->dat->info.big_endian);
	return rc;
}

int tfs_dat_source_u64(struct tfs_dat_source *src, uint64_t *out, struct tfs_err *err)
{
	unsigned char b[8];
	int rc = tfs_dat_source_get(src, b, sizeof(b), err);

	if (!rc)
		*out = tfs_load_u64(b, src->dat->info.big_endian);
	return rc;
}

int tfs_dat_source_strz(struct tfs_dat_source *src, char *dst, size_t size, struct tfs_err *err)
{
	size_t i;
	int rc;

	for (i = 0; i < size; i++) {
		rc = tfs_dat_source_get(src, dst + i, 1, err);
		if (rc)
			return rc;
		if (!dst[i])
			return 0;
	}
	return tfs_dat_source_fail(src, "a name without end", err);
}

int tfs_dat_source_tag(struct tfs_dat_source *src, const char *tag, size_t len, struct tfs_err *err)
{
	char got[16];
	uint64_t at = src->off;
	int rc;

	if (len > sizeof(got))
		return -EINVAL;
	rc = tfs_dat_source_get(src, got, len, err);
	if (rc)
		return rc;
	if (!memcmp(got, tag, len))
		return 0;
	src->off = at;
	return tfs_dat_source_fail(src, "not what is expected here", err);
}

char *tfs_dat_source_alloc(size_t size)
{
	void *p;

	if (size < 2 * LARGE_PAGE)
		return malloc(size);
	if (posix_memalign(&p, LARGE_PAGE, size))
		return NULL;
	/* Without them it is as much memory, in more time. */
	(void)madvise(p, size, MADV_HUGEPAGE);
	return p;
}

int tfs_dat_source_blob(struct tfs_dat_source *src, uint64_t len, char **out, struct tfs_err *err)
{
	char *data;
	int rc;

	if (len > tfs_dat_source_left(src))
		return tfs_dat_source_fail(src, "its size is more than what is left", err);
	if (len > TFS_DAT_BLOB_MAX)
		return tfs_dat_source_fail(src, "its size is beyond all reason", err);
	data = tfs_dat_source_alloc((size_t)len + 1);
	if (!data)
		return tfs_err_set(err, -ENOMEM, "cannot read %s", src->what);
	rc = tfs_dat_source_get(src, data, (size_t)len, err);
	if (rc) {
		free(data);
		return rc;
	}
	data[len] = '\0';
	*out = data;
	return 0;
}

int tfs_dat_source_take(struct tfs_dat_source *src, uint64_t len, char **mem, char **out,
			struct tfs_err *err)
{
	int rc;

	if (src->owner && len == tfs_dat_source_left(src)) {
		*mem = *src->owner;
		*out = *mem + src->off;
		*src->owner = NULL;
		src->off = src->end;
		return 0;
	}
	rc = tfs_dat_source_blob(src, len, mem, err);
	if (!rc)
		*out = *mem;
	return rc;
}
