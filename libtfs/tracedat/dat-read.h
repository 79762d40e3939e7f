/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_READ_H
#define TFS_TRACEDAT_DAT_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracedat/compress.h"
#include "tracedat/dat-format.h"

struct tfs_err;

/**
 * struct tfs_dat - one open trace.dat file, version 6 or 7
 *
 * Every byte is taken as hostile: counts are checked against what is left of the file before
 * anything is allocated. A damaged file opens as far as it goes; tfs_dat_damage() then says where
 * it broke. Nothing read from it changes it. One thread at a time.
 */
struct tfs_dat;

/**
 * struct tfs_dat_cpu - ring-buffer data of one CPU of one buffer
 * @offset: in the file; of the chunk table when the buffer is compressed
 * @size: bytes in the file, as stored (some writers store 4 too few for compressed data)
 * @incomplete: it recorded more than that: the file was truncated, or its recorder was killed. Not
 *	set where reading the data finds out
 */
struct tfs_dat_cpu {
	unsigned int cpu;
	bool incomplete;
	uint64_t offset;
	uint64_t size;
};

/**
 * struct tfs_dat_buffer - one instance's recording
 * @name: "" for the top buffer
 * @clock: trace clock without brackets ("local"); "" if the file does not say
 * @page_size: sub-buffer size in bytes
 * @compressed: data are in chunks
 * @text: BUFFER_TEXT: latency text instead of ring-buffer data; @cpus is then empty
 * @more_cpus: there may have been CPUs after the last of @cpus, of which the file has nothing
 */
struct tfs_dat_buffer {
	const char *name;
	const char *clock;
	uint32_t page_size;
	bool compressed;
	bool text, more_cpus;
	const struct tfs_dat_cpu *cpus;
	size_t n_cpus;
};

/** struct tfs_dat_info - the fixed facts of a file */
struct tfs_dat_info {
	int version;
	bool big_endian;
	unsigned int long_size;        /* of the recording user space: 4 or 8 */
	unsigned int kernel_long_size; /* size of header_page's commit field */
	unsigned int page_data_offset; /* of header_page's data field: 16 or 12 */
	uint32_t page_size;            /* from the header: sub-buffer size of the top buffer */
	unsigned int cpus;             /* number of CPUs of the recording */
	enum tfs_codec_id codec;
	const char *codec_version;
	uint64_t file_size;
};

struct tfs_blob {
	const char *data; /* a NUL follows the last byte */
	size_t size;
};

/**
 * tfs_dat_open() - open and read everything but ring-buffer data
 * @out: set on success only; release with tfs_dat_free()
 *
 * Return: 0, also for a damaged file of which something can be read; -errno of open(2);
 * -EBADMSG if it is not a trace.dat or nothing in it can be used; -EOPNOTSUPP for a version or
 * compression this build does not read.
 */
int tfs_dat_open(const char *path, struct tfs_dat **out, struct tfs_err *err);
/** tfs_dat_open_fd() - the same of a seekable @fd, which is taken over, also on failure */
int tfs_dat_open_fd(int fd, const char *name, struct tfs_dat **out, struct tfs_err *err);
void tfs_dat_free(struct tfs_dat *dat);

const char *tfs_dat_path(const struct tfs_dat *dat);
const struct tfs_dat_info *tfs_dat_info(const struct tfs_dat *dat);
/** tfs_dat_damage() - the first thing found broken, or NULL; borrowed. Grows as data are read */
const struct tfs_err *tfs_dat_damage(const struct tfs_dat *dat);
/** tfs_dat_note_damage() - for readers of parts: remember @err unless something was noted before */
void tfs_dat_note_damage(struct tfs_dat *dat, const struct tfs_err *err);

/**
 * tfs_dat_section() - payload of HEADER_INFO's two parts, KALLSYMS, PRINTK or CMDLINES
 * @out: borrowed, lives as long as @dat; size 0 when the file has none
 */
enum tfs_dat_blob {
	TFS_DAT_BLOB_HEADER_PAGE,
	TFS_DAT_BLOB_HEADER_EVENT,
	TFS_DAT_BLOB_KALLSYMS,
	TFS_DAT_BLOB_PRINTK,
	TFS_DAT_BLOB_CMDLINES,
	TFS_DAT_N_BLOBS,
};
void tfs_dat_blob(const struct tfs_dat *dat, enum tfs_dat_blob id, struct tfs_blob *out);
/**
 * tfs_dat_read_symbols() - have KALLSYMS read when it is first asked for, instead of from the file
 * @read: appends the text; 0 or -errno, which stands for no symbols
 *
 * For a running kernel: its symbols are megabytes, and few events need them. Return: 0 or -ENOMEM.
 */
int tfs_dat_read_symbols(struct tfs_dat *dat, int (*read)(struct tfs_strbuf *text));

/** struct tfs_dat_format - one event's format file; @system is "ftrace" for the first section */
struct tfs_dat_format {
	const char *system;
	struct tfs_blob text;
};
size_t tfs_dat_n_formats(const struct tfs_dat *dat);
const struct tfs_dat_format *tfs_dat_format(const struct tfs_dat *dat, size_t n);

/** struct tfs_dat_option - one option as stored, in file order; private and unknown ones too */
struct tfs_dat_option {
	uint16_t id;
	struct tfs_blob data;
};
size_t tfs_dat_n_options(const struct tfs_dat *dat);
const struct tfs_dat_option *tfs_dat_option(const struct tfs_dat *dat, size_t n);
/** tfs_dat_option_last() - the last option with this id, the one that counts; NULL for none */
const struct tfs_dat_option *tfs_dat_option_last(const struct tfs_dat *dat, uint16_t id);

/**
 * tfs_dat_options_swapped() - are numbers in options in the other byte order than the file's?
 *
 * trace-cmd writes its machine's order when it converts a file of the other one.
 */
bool tfs_dat_options_swapped(const struct tfs_dat *dat);

size_t tfs_dat_n_buffers(const struct tfs_dat *dat);
const struct tfs_dat_buffer *tfs_dat_buffer(const struct tfs_dat *dat, size_t n);
/** tfs_dat_more_cpus() - may one of the buffers have had more CPUs than it has? */
bool tfs_dat_more_cpus(const struct tfs_dat *dat);
/** tfs_dat_is_text() - is what a latency tracer wrote in it, instead of records? */
bool tfs_dat_is_text(const struct tfs_dat *dat);

/** tfs_dat_text() - append a latency buffer's text to @sb; what was read before a fault stays */
struct tfs_strbuf;
int tfs_dat_text(struct tfs_dat *dat, size_t buffer, struct tfs_strbuf *sb, struct tfs_err *err);

#endif
