/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_SECTION_H
#define TFS_TRACEDAT_DAT_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_dat;
struct tfs_err;
struct tfs_strbuf;

/**
 * struct tfs_dat_section - a section of version 7 as found in the file
 * @at: offset of its header
 * @off: offset of its payload
 * @size: bytes of payload that are in the file
 * @stored_size: bytes of payload by its header
 * @description: its offset in the STRINGS section; -1: none
 * @cut: the file ends before the section does
 */
struct tfs_dat_section {
	uint16_t id;
	bool compressed;
	bool cut;
	int32_t description;
	uint64_t at;
	uint64_t off;
	uint64_t size;
	uint64_t stored_size;
};

/** tfs_dat_section_first() - where the first section of version 7 is; 0 in version 6 */
uint64_t tfs_dat_section_first(const struct tfs_dat *dat);
/**
 * tfs_dat_section_next() - walk from section to section, to the end or to what cannot be one
 * @at: offset of a section; moved to the next. Begin at the first
 */
bool tfs_dat_section_next(const struct tfs_dat *dat, uint64_t *at, struct tfs_dat_section *sec);
/** tfs_dat_section_options() - the OPTIONS sections in the order of their chain: @n offsets */
const uint64_t *tfs_dat_section_options(const struct tfs_dat *dat, size_t *n);

/** tfs_dat_section_at() - read the section header at @at; -EBADMSG if none can be there */
int tfs_dat_section_at(const struct tfs_dat *dat, uint64_t at, struct tfs_dat_section *sec,
		       struct tfs_err *err);

/**
 * tfs_dat_section_load() - its payload, expanded
 * @what: for messages ("section KALLSYMS")
 * @data: the caller's, free(); a NUL follows. For a truncated section
 *	the bytes that are there, if it is not compressed
 */
int tfs_dat_section_load(struct tfs_dat *dat, const struct tfs_dat_section *sec, const char *what,
			 char **data, size_t *size, struct tfs_err *err);

/** tfs_dat_section_name() - "KALLSYMS" and so on, for messages; "?" for ids unknown here */
const char *tfs_dat_section_name(unsigned int id);

/** struct tfs_dat_chunk - head of one chunk of ring-buffer data or of latency text */
struct tfs_dat_chunk {
	uint32_t packed; /* compressed bytes, right after the 8 bytes of head */
	uint32_t size;
};

/** tfs_dat_chunk_head() - the head of the chunk at @off, checked against the caps */
int tfs_dat_chunk_head(const struct tfs_dat *dat, uint64_t off, struct tfs_dat_chunk *chunk,
		       struct tfs_err *err);
/** tfs_dat_chunk_at() - the same, and the file has all of the chunk */
int tfs_dat_chunk_at(const struct tfs_dat *dat, uint64_t off, struct tfs_dat_chunk *chunk,
		     struct tfs_err *err);
/** tfs_dat_chunk_expand() - its bytes, @chunk->size of them, to @dst */
int tfs_dat_chunk_expand(struct tfs_dat *dat, uint64_t off, const struct tfs_dat_chunk *chunk,
			 void *dst, struct tfs_err *err);

#endif
