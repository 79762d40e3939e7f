/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_SOURCE_H
#define TFS_TRACEDAT_DAT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_dat;
struct tfs_err;

/**
 * tfs_dat_pread() - exactly @len bytes at @off of the file
 * @what: what is being read, for the message ("chunk of CPU 3")
 *
 * Return: 0; -EBADMSG when the file ends before, also when it has shrunk since; another errno.
 */
int tfs_dat_pread(const struct tfs_dat *dat, void *dst, size_t len, uint64_t off, const char *what,
		  struct tfs_err *err);

/**
 * struct tfs_dat_source - bounded reading of a part of the file, or of a payload in memory
 *
 * Metadata have one form, which version 6 stores in the file itself and version 7 mostly inside
 * compressed sections: this lets one parser read both. Errors name the file offset (of the
 * section when the bytes were compressed) and what was being read.
 *
 * Getters return 0, -EBADMSG when what is asked for does not fit in what is left, or an errno.
 */
struct tfs_dat_source {
	const struct tfs_dat *dat;
	const char *what;
	const unsigned char *mem; /* NULL: the file */
	char **owner;             /* who frees @mem, when that may be handed on */
	uint64_t off, end;        /* in the file, or in @mem */
	uint64_t base;            /* file offset of @mem */
	unsigned char *window;
	uint64_t window_off;
	size_t window_len;
};

/** tfs_dat_source_file() - the file's bytes from @off up to @end; release it afterwards */
void tfs_dat_source_file(struct tfs_dat_source *src, const struct tfs_dat *dat, const char *what,
			 uint64_t off, uint64_t end);
/**
 * tfs_dat_source_mem() - @size bytes at @mem (borrowed), which came from @base in the file
 *
 * A caller that sets @src->owner gets a zero after the bytes, and checks it for NULL afterwards.
 */
void tfs_dat_source_mem(struct tfs_dat_source *src, const struct tfs_dat *dat, const char *what,
			const void *mem, size_t size);
void tfs_dat_source_release(struct tfs_dat_source *src);

uint64_t tfs_dat_source_left(const struct tfs_dat_source *src);
/** tfs_dat_source_fail() - a message with the place: "WHAT at offset 0x..: @why" */
int tfs_dat_source_fail(const struct tfs_dat_source *src, const char *why, struct tfs_err *err);

int tfs_dat_source_get(struct tfs_dat_source *src, void *dst, size_t len, struct tfs_err *err);
int tfs_dat_source_u8(struct tfs_dat_source *src, uint8_t *out, struct tfs_err *err);
int tfs_dat_source_u16(struct tfs_dat_source *src, uint16_t *out, struct tfs_err *err);
int tfs_dat_source_u32(struct tfs_dat_source *src, uint32_t *out, struct tfs_err *err);
int tfs_dat_source_u64(struct tfs_dat_source *src, uint64_t *out, struct tfs_err *err);
/** tfs_dat_source_strz() - copy a string of less than @size bytes with its NUL */
int tfs_dat_source_strz(struct tfs_dat_source *src, char *dst, size_t size, struct tfs_err *err);
/** tfs_dat_source_tag() - step over @len bytes that must equal @tag */
int tfs_dat_source_tag(struct tfs_dat_source *src, const char *tag, size_t len,
		       struct tfs_err *err);
/** tfs_dat_source_alloc() - memory for a blob, which may be large; free() */
char *tfs_dat_source_alloc(size_t size);
/**
 * tfs_dat_source_blob() - copy @len bytes and add a NUL
 * @out: the caller's, free(); untouched on failure
 *
 * Fails before it allocates when @len is more than what is left or than any real file holds.
 */
int tfs_dat_source_blob(struct tfs_dat_source *src, uint64_t len, char **out, struct tfs_err *err);
/**
 * tfs_dat_source_take() - the same of what is last, without a copy where @src->owner gives it away
 * @mem: the caller's, free(); @out lies in it
 */
int tfs_dat_source_take(struct tfs_dat_source *src, uint64_t len, char **mem, char **out,
			struct tfs_err *err);

#endif
