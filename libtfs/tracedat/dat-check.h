/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_CHECK_H
#define TFS_TRACEDAT_DAT_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_dat;
struct tfs_err;

/** enum tfs_dat_grade - what tfs_dat_check() has to say of a place in a file */
enum tfs_dat_grade {
	TFS_DAT_SOUND,  /* a part that was verified */
	TFS_DAT_NOTE,   /* unusual, but every reader copes */
	TFS_DAT_DAMAGED /* something that was written cannot be read any more */
};

/**
 * struct tfs_dat_totals - what a check has read
 * @chunks, @pages, @records, @bytes: of ring-buffer data that can be read; @bytes before
 *      compression
 * @bad_pages: sub-buffers that cannot be read, or not to their end, as far as their number is known
 * @bad_bytes: bytes of the file in chunks and sub-buffers that cannot be read
 * @damaged: places that were reported as damaged
 */
struct tfs_dat_totals {
	uint64_t sections, options, formats, chunks, pages, records, bytes;
	uint64_t bad_pages, bad_bytes, damaged;
};

/**
 * struct tfs_dat_checker - who hears of what was found
 * @report: called for each part in the order of the file's structure. @offset: in the file; @text:
 *          what is there, or what is wrong with it
 */
struct tfs_dat_checker {
	void (*report)(void *context, enum tfs_dat_grade grade, uint64_t offset, const char *text);
	void *context;
};

/**
 * tfs_dat_check() - read all of a file and verify what holds it together
 *
 * Every OPTIONS section and the chain of them, every offset that an option names, every section and
 * whether it expands, every format, every CPU's place, every chunk, every sub-buffer and all its
 * entries. A chunk that does not expand is stepped over.
 *
 * Return: 0, whatever was found; -ENOMEM; the errno of a read.
 */
int tfs_dat_check(struct tfs_dat *dat, const struct tfs_dat_checker *checker,
		  struct tfs_dat_totals *totals, struct tfs_err *err);

#endif
