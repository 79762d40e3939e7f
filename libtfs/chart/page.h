/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_CHART_PAGE_H
#define TFS_CHART_PAGE_H

#include <stddef.h>

struct tfs_err;
struct tfs_out;
struct tfs_page;

/**
 * struct tfs_page_source - a page of libtfs/chart/page/, as the build embeds it
 * @part: what comes before the title, the meta data and the columns, and what comes after these
 * @len: bytes of each part
 *
 * Made from page/NAME.html by page/gen-page.awk; NAME is a row of PAGES in Makefile.in.
 */
struct tfs_page_source {
	const char *part[4];
	size_t len[4];
};

extern const struct tfs_page_source tfs_page_flame, tfs_page_heatmap, tfs_page_timeline;

/**
 * TFS_PAGE_BLOCK - bytes of a column that are compressed at once
 *
 * A column is a sequence of such blocks, so that neither the writer nor the browser needs it whole
 * in several forms at a time. Base64 of a block stays below 16 MiB.
 */
#define TFS_PAGE_BLOCK ((size_t)4 << 20)

/**
 * tfs_page_begin() - write a page as far as its columns
 * @out: borrowed until tfs_page_free()
 * @title: any bytes, shown as text
 * @meta: a JSON document, which the page's script reads as JSON.parse() of the element #meta
 *
 * Nothing in @title, @meta and the columns can end its element. The page forbids itself requests
 * (Content-Security-Policy). Return: 0 or -errno.
 */
int tfs_page_begin(struct tfs_out *out, const struct tfs_page_source *source, const char *title,
		   const char *meta, struct tfs_page **page);

/**
 * tfs_page_column() - add a column: numbers, or the bytes of a text
 * @name: letters, digits, '-' and '_'; unique in the page
 * @data: @n elements of @width bytes (1, 2, 4 or 8), little-endian
 *
 * Each block of the column is split into planes (all first bytes, all second bytes, ...),
 * compressed with gzip, and written as base64 in an element of its own; page/columns.js reads it.
 * A column without elements has one empty block. Return: 0 or -errno.
 */
int tfs_page_column(struct tfs_page *page, const char *name, unsigned int width, const void *data,
		    size_t n);

/**
 * tfs_page_add() - the same in steps: add @n elements to the column that is open
 *
 * tfs_page_open() begins it and tfs_page_close() ends it; only one is open at a time.
 */
int tfs_page_open(struct tfs_page *page, const char *name, unsigned int width);
int tfs_page_add(struct tfs_page *page, const void *data, size_t n);
int tfs_page_close(struct tfs_page *page);

/**
 * struct tfs_column - the same of several columns at a time, whose blocks alternate
 *
 * tfs_column_close() writes the rest and frees it; it takes NULL. All return 0 or -errno.
 */
struct tfs_column;
int tfs_column_open(struct tfs_page *page, const char *name, unsigned int width,
		    struct tfs_column **column);
int tfs_column_add(struct tfs_column *column, const void *data, size_t n);
int tfs_column_close(struct tfs_column *column);

/** tfs_page_bytes() - bytes of base64 that were written so far */
size_t tfs_page_bytes(const struct tfs_page *page);

/** tfs_page_end() - write the rest of the page; 0 or the first error that was met */
int tfs_page_end(struct tfs_page *page);
/** tfs_page_free() - takes NULL */
void tfs_page_free(struct tfs_page *page);

#endif
