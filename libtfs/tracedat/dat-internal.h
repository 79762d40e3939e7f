/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_INTERNAL_H
#define TFS_TRACEDAT_DAT_INTERNAL_H

/* Shared by the parts of the trace.dat reader. Not for use outside libtfs/tracedat. */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/strvec.h"
#include "tracedat/dat-read.h"

struct tfs_codec;

/*
 * Caps for what a file may ask for. They are far above what any recorder writes (kallsyms of a
 * large kernel is 20 MiB, an event's id has 16 bits, the largest sub-buffer is 8 MiB) and keep a
 * small hostile file from taking the machine's memory.
 */
#define TFS_DAT_BLOB_MAX ((uint64_t)256 << 20)
#define TFS_DAT_RATIO_MAX 2048u
#define TFS_DAT_CHUNK_MAX (16u << 20)
#define TFS_DAT_PAGE_MAX (16u << 20)
#define TFS_DAT_PAGE_MIN 64u
#define TFS_DAT_STREAM_BUDGET ((uint64_t)1 << 30)
#define TFS_DAT_FORMATS_MAX 65536u
#define TFS_DAT_OPTIONS_MAX (1u << 18)
#define TFS_DAT_OPTION_BYTES_MAX ((uint64_t)128 << 20)
#define TFS_DAT_CHAIN_MAX 4096u
#define TFS_DAT_CPUS_SANE 65536u /* a higher count means the other byte order */

#define TFS_DAT_SECTION_HEADER 16
#define TFS_DAT_FLAG_COMPRESSED 1u
#define TFS_DAT_N_SECTIONS 32

/** tfs_dat_page_size_is_possible() - no kernel has sub-buffers of another size */
static inline bool tfs_dat_page_size_is_possible(uint64_t size)
{
	return size >= TFS_DAT_PAGE_MIN && size <= TFS_DAT_PAGE_MAX && !(size & 7);
}

/** struct tfs_dat_buf - a buffer with what the public description leaves out */
struct tfs_dat_buf {
	struct tfs_dat_buffer pub;
	char *name, *clock;
	struct tfs_dat_cpu *cpus;
	uint64_t text_offset; /* of the text, or of its chunk table */
	uint64_t text_size;   /* of plain text */
};

/* Symbols that @read appends when they are first asked for: then @text has @size bytes. */
struct tfs_dat_symbols {
	int (*read)(struct tfs_strbuf *text); /* NULL: done */
	char *text;
	size_t size;
};

struct tfs_dat {
	int fd;
	char *path;
	struct tfs_dat_info info;
	char *codec_version;
	struct tfs_codec *codec;
	uint64_t body;             /* offset after the initial bytes */
	uint64_t first_options;    /* version 7 */
	uint32_t layout_page_size; /* sub-buffer size by header_page, 0 if it does not say */
	struct tfs_err damage;

	struct {
		char *mem; /* that is freed */
		char *data;
		size_t size;
	} blob[TFS_DAT_N_BLOBS];
	struct tfs_dat_symbols *symbols; /* read when they are asked for; NULL: in the file */

	struct tfs_strvec systems;
	struct tfs_dat_format *formats;
	size_t n_formats, cap_formats;

	struct tfs_dat_option *options;
	size_t n_options, cap_options;
	uint64_t option_bytes;
	atomic_size_t *kept; /* of private options besides: tfs_dat_private_take() */
	uint64_t *chain;     /* OPTIONS sections seen, against loops */
	size_t n_chain;
	bool chain_broken;

	uint64_t section[TFS_DAT_N_SECTIONS]; /* offset by id, 0: none; the last option wins */
	const char *trace_clock;              /* inside the TRACECLOCK option; not terminated */
	size_t trace_clock_len;
	bool has_trace_clock;
	bool by_us;           /* written by tracecraft: its BUFFER options name the true clocks */
	bool swapped_options; /* binary options are in the other byte order */

	struct tfs_dat_buf *buffers;
	size_t n_buffers, cap_buffers;

	unsigned char *scratch; /* compressed bytes of the chunk being read */
	size_t scratch_size;
	uint64_t stream_bytes; /* held by streams, against the budget */
};

/** tfs_dat_page_size() - sub-buffer size if nothing better is known: header, header_page, 4096 */
static inline uint32_t tfs_dat_page_size(const struct tfs_dat *dat)
{
	if (tfs_dat_page_size_is_possible(dat->info.page_size))
		return dat->info.page_size;
	return dat->layout_page_size ? dat->layout_page_size : 4096;
}

#endif
