/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_CALLS_H
#define TFS_TRACEDAT_DAT_CALLS_H

#include <stddef.h>
#include <stdint.h>

struct tfs_dat;
struct tfs_strbuf;

/*
 * The option TFS_DAT_PRIVATE_CALLS: what was known besides the events when system calls were shown
 * while they were recorded, so that they can be shown in the same way again. It consists of records
 * (dat-records.h): type 1, COMMAND: u32 tid; type 2, the process of a thread: u64 at, u32 tid,
 * tgid, strz comm; type 3, what /proc said of a descriptor: u64 at, u32 tid, tgid, fd, cloexec, u64
 * begin, end, strz text. "at" is the time of the event that was being shown, 0: before any.
 */

/**
 * struct tfs_dat_look - what /proc said of a descriptor (strace/fd-table.h)
 * @fd: negative: the current directory
 * @cloexec: 1 or 0; -1: not known
 * @text: what the link says: any bytes; "": it could not be read
 */
struct tfs_dat_look {
	uint64_t at;
	int32_t tid, tgid, fd, cloexec;
	uint64_t begin, end;
	const char *text;
};

/* Append to a payload that begins with the mark, in order of @at. 0 or -errno. */
int tfs_dat_calls_add_command(struct tfs_strbuf *payload, int tid);
int tfs_dat_calls_add_process(struct tfs_strbuf *payload, uint64_t at, int tid, int tgid,
			      const char *comm);
int tfs_dat_calls_add_look(struct tfs_strbuf *payload, const struct tfs_dat_look *look);

/** struct tfs_dat_calls - what a file says; constant once made */
struct tfs_dat_calls;

/**
 * tfs_dat_calls_new() - read the options
 * @out: NULL where the file has none; release with tfs_dat_calls_free(), before @dat
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_dat_calls_new(const struct tfs_dat *dat, struct tfs_dat_calls **out);
void tfs_dat_calls_free(struct tfs_dat_calls *calls);

/** tfs_dat_calls_command() - COMMAND's process, before its exec; 0: none; @calls may be NULL */
int tfs_dat_calls_command(const struct tfs_dat_calls *calls);
/**
 * tfs_dat_calls_tgid() - the process that a thread was of at @at; 0: not known
 * @comm: its name then, "": not known; may be NULL
 */
int tfs_dat_calls_tgid(const struct tfs_dat_calls *calls, int tid, uint64_t at, const char **comm);
/** tfs_dat_calls_thread() - the first thread above @tid that was of process @tgid; 0: none */
int tfs_dat_calls_thread(const struct tfs_dat_calls *calls, int tgid, int tid);
/**
 * tfs_dat_calls_looks() - what was looked up for a thread while the event of @at was shown
 * @n: how many: they are in the order in which they were made
 *
 * Borrowed; NULL: none.
 */
const struct tfs_dat_look *tfs_dat_calls_looks(const struct tfs_dat_calls *calls, int tid,
					       uint64_t at, size_t *n);
/** tfs_dat_calls_next() - the first thread above @tid that has looks of @at; 0: none */
int tfs_dat_calls_next(const struct tfs_dat_calls *calls, int tid, uint64_t at);

#endif
