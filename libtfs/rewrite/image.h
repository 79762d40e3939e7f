/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_REWRITE_IMAGE_H
#define TFS_REWRITE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf-core.h"
#include "tracedat/dat-read.h"

struct tfs_err;

/** struct tfs_image_format - an event's format file; those of one @group have one system */
struct tfs_image_format {
	char *system;
	size_t group;
	struct tfs_strbuf text;
};

/** struct tfs_image_option - an option; its numbers are in the byte order of the image */
struct tfs_image_option {
	uint16_t id;
	struct tfs_strbuf data;
};

/** struct tfs_image_section - a section of version 7 that is kept as it is (BTF_FILE and others) */
struct tfs_image_section {
	uint16_t id;
	struct tfs_strbuf data;
};

/**
 * struct tfs_image_buffer - what describes a buffer besides its data; see struct tfs_dat_buffer
 * @stored_clock: as an option of version 7 has it, which may not be the clock (those of
 *                trace-cmd); NULL: there is none
 */
struct tfs_image_buffer {
	char *name, *clock, *stored_clock;
	uint32_t page_size;
	bool text;
};

/**
 * struct tfs_image - all that a trace file holds besides the data of its buffers
 *
 * Independent of the file's version, its compression and of where in it something is, so that it
 * can be changed and written again (rewrite/dat-out.h). Options that name offsets or describe
 * buffers are not among @options, nor is CPUCOUNT: see @cpus.
 * @big, @long_size, @page_size: as in the initial bytes
 * @kernel_long_size, @page_data_offset: see struct tfs_dat_info
 * @n_ftrace: so many of @formats, the first, are in the section FTRACE_EVENTS
 */
struct tfs_image {
	bool big;
	unsigned int long_size;
	unsigned int kernel_long_size, page_data_offset;
	uint32_t page_size;
	unsigned int cpus;
	struct tfs_strbuf blob[TFS_DAT_N_BLOBS];
	struct tfs_image_format *formats;
	size_t n_formats, cap_formats, n_ftrace;
	struct tfs_image_option *options;
	size_t n_options, cap_options;
	struct tfs_image_section *sections;
	size_t n_sections;
	struct tfs_image_buffer *buffers;
	size_t n_buffers;
};

/**
 * tfs_image_read() - the image of an open file
 * @image: tfs_image_release() in any case
 *
 * Return: 0 or -ENOMEM. Sections that cannot be read are left out and noted as damage of @dat.
 */
int tfs_image_read(struct tfs_dat *dat, struct tfs_image *image, struct tfs_err *err);
void tfs_image_release(struct tfs_image *image);

/** tfs_image_add_option() - append an option; @data is copied; 0 or -ENOMEM */
int tfs_image_add_option(struct tfs_image *image, uint16_t id, const void *data, size_t size);
/** tfs_image_add_buffer() - append a buffer without data; strings are copied; 0 or -ENOMEM */
int tfs_image_add_buffer(struct tfs_image *image, const struct tfs_dat_buffer *buf);
/** tfs_image_add_format() - append a format; strings are copied; 0 or -ENOMEM */
int tfs_image_add_format(struct tfs_image *image, const char *system, size_t group,
			 const struct tfs_blob *text);

#endif
