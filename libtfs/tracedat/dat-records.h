/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_RECORDS_H
#define TFS_TRACEDAT_DAT_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

struct tfs_dat;
struct tfs_strbuf;

/*
 * Private options that consist of records: after the mark, up to the end, u16 type, u32 size and
 * that many bytes. A reader skips the types that it does not know, and the bytes at the end of a
 * record that it knows a shorter form of. A record may hold other records, compressed.
 */

/** TFS_DAT_RECORD_PACKED - u32 codec (enum tfs_codec_id), u32 size of the records, these */
#define TFS_DAT_RECORD_PACKED 0xfff0

/** tfs_dat_record_begin() - append the head of a record; @at is for tfs_dat_record_end() */
int tfs_dat_record_begin(struct tfs_strbuf *payload, uint16_t type, size_t *at);
/** tfs_dat_record_end() - what was appended since is the record; 0, or -EOVERFLOW above 4 GiB */
int tfs_dat_record_end(struct tfs_strbuf *payload, size_t at);

/* Append a number in host byte order, or a string with its NUL. 0 or -ENOMEM. */
int tfs_dat_put_u32(struct tfs_strbuf *sb, uint32_t v);
int tfs_dat_put_u64(struct tfs_strbuf *sb, uint64_t v);
int tfs_dat_put_strz(struct tfs_strbuf *sb, const char *s);

/**
 * tfs_dat_records_pack() - compress the records of a payload that begins with the mark
 *
 * With zlib, which every build reads; a payload that does not get smaller stays as it is.
 * Return: 0 or -ENOMEM, and then the payload is as it was.
 */
int tfs_dat_records_pack(struct tfs_strbuf *payload);

/**
 * struct tfs_dat_records - walks the records of all options of one id, in the order of the file
 * @option: number of the option that the last record is in, which keeps them apart
 *
 * Other fields are private. Hostile input: bounded by TFS_DAT_PRIVATE_BYTES_MAX.
 */
struct tfs_dat_records {
	const struct tfs_dat *dat;
	size_t option, next;
	struct tfs_cursor outer, inner;
	char **kept;
	size_t n_kept, taken;
	uint16_t id;
};

/** tfs_dat_records_init() - begin; tfs_dat_records_release() it */
void tfs_dat_records_init(struct tfs_dat_records *r, const struct tfs_dat *dat, uint16_t id);
/**
 * tfs_dat_records_next() - the next record
 * @payload: its bytes, borrowed until the release
 *
 * A damaged option ends with the records before the damage. Return: 1, 0 at the end, -ENOMEM.
 */
int tfs_dat_records_next(struct tfs_dat_records *r, uint16_t *type, struct tfs_cursor *payload);
/**
 * tfs_dat_records_take() - before a row of @bytes is made of a record
 *
 * The release gives it back, so it comes when the rows are freed, too.
 * Return: 0; -E2BIG: above the limit of the file; then the records end here.
 */
int tfs_dat_records_take(struct tfs_dat_records *r, size_t bytes);
void tfs_dat_records_release(struct tfs_dat_records *r);

#endif
