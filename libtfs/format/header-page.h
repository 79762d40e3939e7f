/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_FORMAT_HEADER_PAGE_H
#define TFS_FORMAT_HEADER_PAGE_H

#include <stddef.h>

struct tfs_err;

/**
 * struct tfs_header_page - how the kernel lays out a sub-buffer: events/header_page
 * @commit_offset: where the length of the data is
 * @commit_size: bytes of that number: the kernel's long
 * @data_offset: where the data begin
 * @data_size: bytes of data that a sub-buffer has room for
 *
 * ring_buffer_print_page_header() in kernel/trace/ring_buffer.c. The users check the values of
 * the fields: a file is trusted less than the running kernel.
 */
struct tfs_header_page {
	unsigned int commit_offset, commit_size;
	unsigned int data_offset, data_size;
};

/** tfs_header_page_parse() - 0, or -EBADMSG if a field is missing; pure */
int tfs_header_page_parse(const char *text, size_t size, struct tfs_header_page *out,
			  struct tfs_err *err);

#endif
