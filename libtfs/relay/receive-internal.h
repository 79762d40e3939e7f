/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RELAY_RECEIVE_INTERNAL_H
#define TFS_RELAY_RECEIVE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_err;

/**
 * struct relay_source - one CPU's data
 * @raw, @events: that came, or were left out
 * @bytes: in its temporary file
 */
struct relay_source {
	uint64_t raw;
	uint64_t events;
	uint64_t bytes;
};

/**
 * struct relay_progress - how far a receiver is; what a journal keeps
 * @next: sequence number of the next record
 * @head: bytes of the head
 * @file: bytes of the file without the data
 * @has_head: the head is complete
 * @ended: END came
 */
struct relay_progress {
	uint64_t next;
	uint64_t head;
	uint64_t file;
	uint64_t events;
	uint64_t gap_events;
	uint64_t gaps;
	uint32_t has_head;
	uint32_t ended;
};

/**
 * struct relay_journal - FILE.stream: the progress in two places that are written in turn, so that
 * one of them is whole whenever the receiver is killed
 */
struct relay_journal {
	int fd;
	uint64_t generation;
	char *path;
};

#define RELAY_JOURNAL_INIT ((struct relay_journal){ .fd = -1 })
/* No head lists more CPUs of buffers: what Linux can have at most, each has a file */
#define RELAY_SOURCES_MAX 8192u
/* Files that are open at a time: other hosts need descriptors, too */
#define RELAY_OPEN_MAX 64u

/** relay_journal_path() - FILE.stream; free() */
char *relay_journal_path(const char *file);
/**
 * relay_journal_open() - open it, or make it
 * @create: a new one; else -ENOENT when there is none
 */
int relay_journal_open(struct relay_journal *j, const char *file, bool create, struct tfs_err *err);
/** relay_journal_write() - 0 or -errno */
int relay_journal_write(struct relay_journal *j, const struct relay_progress *progress,
			const struct relay_source *sources, size_t n);
/**
 * relay_journal_read() - the newest progress
 * @sources: free()
 * Return: 0; -EBADMSG when there is none; -ENOMEM.
 */
int relay_journal_read(struct relay_journal *j, struct relay_progress *progress,
		       struct relay_source **sources, size_t *n);
void relay_journal_release(struct relay_journal *j);

#endif
