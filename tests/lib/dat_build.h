/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_LIB_DAT_BUILD_H
#define TESTS_LIB_DAT_BUILD_H

/*
 * Builds trace.dat files byte by byte, of either version, byte order and size of long, right or
 * wrong on purpose. Shares nothing with the writer under test but the codecs. Running out of
 * memory aborts.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/bytes.h"
#include "tracedat/compress.h"

/** DAT_COMMON_FIELDS - the part of a format after its ID that every kernel has */
#define DAT_COMMON_FIELDS                                                              \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

/** struct page_builder - one sub-buffer being filled; appended to @out by page_end() */
struct page_builder {
	struct bytes *out;
	unsigned int long_size;
	size_t size;  /* of the whole sub-buffer */
	size_t start; /* of the sub-buffer in @out */
};

void page_begin(struct page_builder *p, struct bytes *out, unsigned int long_size, size_t size,
		uint64_t ts);
/** page_word() - the first word of an entry: type and time since the entry before */
void page_word(struct page_builder *p, unsigned int type, uint32_t delta);
/** page_data() - an entry of type 1 to 28; @size is a multiple of 4 */
void page_data(struct page_builder *p, uint32_t delta, const void *data, size_t size);
/** page_long() - an entry of type 0 */
void page_long(struct page_builder *p, uint32_t delta, const void *data, size_t size);
/** page_pair() - type 29, 30 or 31 and the word that follows it */
void page_pair(struct page_builder *p, unsigned int type, uint32_t delta, uint32_t word);
size_t page_used(const struct page_builder *p);
/** page_end() - fill up with zeros; @commit is or-ed into the length, in all bits of the long */
void page_end(struct page_builder *p, uint64_t commit);
/** page_end_lost() - the same with the flags for @lost events stored after the data */
void page_end_lost(struct page_builder *p, uint64_t lost);

/** struct dat_system - formats of events of a system, NULL at the end */
struct dat_system {
	const char *name;
	const char *const *formats;
};

/** struct dat_spec - what kind of file; zeros mean little-endian, 64-bit, no compression */
struct dat_spec {
	int version; /* 6; anything else is 7 */
	bool big;
	unsigned int long_size;   /* 0: 8 */
	unsigned int kernel_long; /* 0: as long_size */
	uint32_t page_size;       /* 0: 512 */
	enum tfs_codec_id codec;
	unsigned int cpus;           /* of each buffer; 0: 2 */
	unsigned int pages;          /* of each CPU; 0: 2 */
	unsigned int events;         /* on each page; 0: 4 */
	unsigned int chunk_pages;    /* 0: 10 */
	const char *const *names;    /* of the buffers, NULL at the end; NULL: only the top one */
	bool latency;                /* text instead of ring-buffer data */
	uint32_t short_by;           /* bytes the size of compressed data is short by (T1) */
	const char *clock;           /* of the BUFFER option; NULL: "local" */
	const char *clocks;          /* of TRACECLOCK in dat_file(): "a [b] c"; NULL: none */
	const char *uname;           /* of UNAME in dat_file(); NULL: none */
	bool swap_binary;            /* binary options in the other byte order (T6) */
	const char *const *sched;    /* formats of system sched, NULL at the end; NULL: none */
	const char *const *syscalls; /* those of system syscalls, the same */
	const char *const *ftrace;   /* those of system ftrace besides print, the same */
	const struct dat_system
		*systems;     /* further ones, with a NULL name at the end; NULL: none */
	const char *kallsyms; /* symbols besides _text; NULL: none */
	const char *printk;   /* lines of printk_formats besides one; NULL: none */
};

/** struct dat_builder - a file being built */
struct dat_builder {
	struct bytes b;
	struct bytes options; /* for the next OPTIONS section, or of version 6 */
	struct dat_spec spec;
	struct tfs_codec *codec;
	size_t next_options; /* where the place of the next OPTIONS section is named */
};

void dat_begin(struct dat_builder *d, const struct dat_spec *spec);
void dat_release(struct dat_builder *d);
/** dat_metadata() - header pages, one format of ftrace, two of other systems, symbols, comms */
void dat_metadata(struct dat_builder *d);
void dat_option(struct dat_builder *d, uint16_t id, const void *data, size_t size);
/** dat_payload() - a section of version 7, compressed as the file is. Return: its offset */
size_t dat_payload(struct dat_builder *d, uint16_t id, const struct bytes *payload);
size_t dat_section_header(struct dat_builder *d, uint16_t id, bool compressed, uint64_t size);
/** dat_options_end() - write the OPTIONS section of version 7 and link it to what was before */
void dat_options_end(struct dat_builder *d);

/** struct dat_cpu - ring-buffer data of one CPU for dat_buffer() */
struct dat_cpu {
	unsigned int cpu;
	const struct bytes *pages;
};

/** dat_buffer() - a BUFFER section of version 7 with its data, and its option */
void dat_buffer(struct dat_builder *d, const char *name, const struct dat_cpu *cpus, size_t n);
/**
 * dat_file() - a whole file of version 7 with the top buffer only
 * @pages: of CPU 0, 1, ... up to @spec->cpus, which is not 0; released
 * Return: a memfd, positioned at its start
 */
int dat_file(const struct dat_spec *spec, struct bytes *pages);
/** dat_chunks() - u32 count, then chunks of @pages */
void dat_chunks(struct dat_builder *d, const struct bytes *pages, size_t chunk_size);

/** dat_sample_ts() - time stamp of event @n (0...) of a CPU of a buffer in dat_sample()'s files */
uint64_t dat_sample_ts(unsigned int buffer, unsigned int cpu, unsigned int n);
/** dat_sample_pages() - the sub-buffers of a CPU, @pages x @events entries of 12 bytes */
void dat_sample_pages(const struct dat_spec *spec, unsigned int buffer, unsigned int cpu,
		      struct bytes *out);
/** dat_sample() - a whole file, to @out (initialised here) */
void dat_sample(const struct dat_spec *spec, struct bytes *out);

extern const char dat_latency_text[];
#define DAT_SAMPLE_EVENT_ID 42
/** DAT_SAMPLE_LAST_FORMAT - format file of event beta:two, the last of the three */
#define DAT_SAMPLE_LAST_FORMAT "name: two\nID: 43\nformat:\n"

#endif
