/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_SEGMENTS_H
#define TFS_TRACEDAT_DAT_SEGMENTS_H

#include <stddef.h>
#include <stdint.h>

struct tfs_dat;
struct tfs_err;
struct tfs_strbuf;

/**
 * struct tfs_dat_segment - one CPU's data of one buffer while they are recorded
 *
 * They are in a file of their own beside the trace file, tfs_dat_segment_path(): chunks, or
 * sub-buffers, one after the other. When the recording ends they are copied into the trace file.
 * @buffer: index into the buffers of struct tfs_dat_segments
 */
struct tfs_dat_segment {
	size_t buffer;
	unsigned int cpu;
};

/**
 * struct tfs_dat_segments_buffer - one buffer that is recorded; all borrowed
 * @name: "" for the one that reports show without a name
 */
struct tfs_dat_segments_buffer {
	const char *name;
	const char *clock;
	uint32_t page_size;
};

/** TFS_DAT_BOOT_ID - the kernel's file with an ID for each boot */
#define TFS_DAT_BOOT_ID "/proc/sys/kernel/random/boot_id"

/**
 * enum tfs_dat_segments_flags
 * @TFS_DAT_SEGMENTS_CAPPED: what is oldest is dropped while recording, and the files are kept whole
 *                        while they are joined
 * @TFS_DAT_SEGMENTS_SYMBOLS: the kernel's symbols are added at the end, if they are needed
 */
enum tfs_dat_segments_flags { TFS_DAT_SEGMENTS_CAPPED = 1 << 0, TFS_DAT_SEGMENTS_SYMBOLS = 1 << 1 };

/**
 * struct tfs_dat_segments - the files that a recording is made in, as its head names them
 *
 * The option TFS_DAT_PRIVATE_SEGMENTS: u32 0x01020304 (in the file's byte order, as is all that
 * follows), u32 flags (enum tfs_dat_segments_flags), strz boot id, then for each buffer: strz name,
 * strz clock, u32 sub-buffer size, u32 number of CPUs, and their u32 numbers.
 * @boot: TFS_DAT_BOOT_ID where it was recorded; "" if that is not known
 */
struct tfs_dat_segments {
	uint32_t flags;
	const char *boot;
	struct tfs_dat_segments_buffer *buffers;
	size_t n_buffers;
	struct tfs_dat_segment *segments;
	size_t n;
};

/** tfs_dat_segment_path() - PATH.cpuN, or PATH.BUFFER.cpuN; free(); NULL when there is no memory */
char *tfs_dat_segment_path(const char *path, const char *buffer, unsigned int cpu);

/** tfs_dat_segments_begin() - append the payload's head in host byte order; 0 or -ENOMEM */
int tfs_dat_segments_begin(struct tfs_strbuf *payload, uint32_t flags, const char *boot);
/** tfs_dat_segments_add() - append a buffer; add its CPUs next, tfs_dat_segments_add_cpu() */
int tfs_dat_segments_add(struct tfs_strbuf *payload, const struct tfs_dat_segments_buffer *buffer,
			 size_t n_cpus);
int tfs_dat_segments_add_cpu(struct tfs_strbuf *payload, unsigned int cpu);

/**
 * tfs_dat_segments_read() - which files a trace file was recorded in
 *
 * A file without the option has one buffer without a name, and all CPUs that it counts.
 * @out: strings are borrowed from @dat; tfs_dat_segments_release() in any case
 * Return: 0; -EBADMSG when the option cannot be understood; -ENOMEM.
 */
int tfs_dat_segments_read(const struct tfs_dat *dat, struct tfs_dat_segments *out,
			  struct tfs_err *err);
/**
 * tfs_dat_segments_beside() - the files of any CPU that are beside a trace file, whatever it counts
 *
 * @out: as above, with one buffer that has no name. Return: 0 or -ENOMEM.
 */
int tfs_dat_segments_beside(const struct tfs_dat *dat, struct tfs_dat_segments *out,
			    struct tfs_err *err);
void tfs_dat_segments_release(struct tfs_dat_segments *segments);

#endif
