/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_PERCPU_H
#define TFS_RECORD_PERCPU_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_codec;
struct tfs_dat_writer_extent;
struct tfs_err;
struct tfs_record_sink;
struct tfs_symbol_needs;
struct tfs_user_events;

/**
 * struct tfs_subbuf - how the kernel lays out a sub-buffer, from events/header_page
 * @size: bytes of a sub-buffer, header included
 * @commit_offset: where the length of its data is
 * @commit_size: bytes of that number: the kernel's long
 * @data_offset: where its data begin
 */
struct tfs_subbuf {
	uint32_t size;
	unsigned int commit_offset;
	unsigned int commit_size;
	unsigned int data_offset;
};

/**
 * tfs_subbuf_parse() - the layout that the text of a header_page file describes; pure
 * Return: 0, or -EBADMSG when a field is missing or its place cannot be.
 */
int tfs_subbuf_parse(const char *text, size_t size, struct tfs_subbuf *out, struct tfs_err *err);

/**
 * tfs_subbuf_used() - bytes of data in a sub-buffer as the kernel just wrote it
 *
 * The upper bits of the commit word are flags (lost events), so only the low 27 count:
 * include/linux/ring_buffer.h, kernel/trace/ring_buffer.c (RB_MISSED_EVENTS).
 */
uint32_t tfs_subbuf_used(const struct tfs_subbuf *sub, const void *page);

/**
 * struct tfs_pipe - what splice() carries data through; one for each reader thread
 * @fds: read end, write end; -1 when there is none
 * @size: bytes it holds
 */
struct tfs_pipe {
	int fds[2];
	size_t size;
};

/**
 * TFS_PIPE_BYTES - what one holds where the system allows it: as much as a process without
 * CAP_SYS_RESOURCE may ask for (/proc/sys/fs/pipe-max-size)
 */
#define TFS_PIPE_BYTES (1024 * 1024)

/** tfs_pipe_open() - a pipe of a MiB if the system allows, else of its usual size */
int tfs_pipe_open(struct tfs_pipe *p, struct tfs_err *err);
void tfs_pipe_close(struct tfs_pipe *p);

/**
 * struct tfs_budget - how large a file may get; shared by all CPUs
 * @limit: bytes of data; 0: no limit
 * @stop: take nothing more once it is reached, else only say so
 * @used: bytes so far
 * @reached: set once @used is @limit; whoever sees it takes it back
 */
struct tfs_budget {
	uint64_t limit;
	bool stop;
	_Atomic uint64_t used;
	atomic_bool reached;
};

/** tfs_budget_is_used_up() - nothing more may be taken */
bool tfs_budget_is_used_up(const struct tfs_budget *b);

/**
 * struct tfs_percpu_data - what was written of one CPU into one temporary file
 * @fd: the file, the owner's to close; -1: none
 * @raw_bytes: sub-buffers taken
 * @events: in these
 * @is_counted: @events is known: false when the file could not be read again
 * @unwritten: of @raw_bytes, what a failure kept from the file
 * @dropped: of these, what the cap dropped
 * @bytes: in the file, as stored
 * @chunks: 0 when not compressed
 * @extents: where in the file they are; NULL: from its beginning; free()
 */
struct tfs_percpu_data {
	int fd;
	uint64_t raw_bytes;
	uint64_t events;
	bool is_counted;
	uint64_t unwritten;
	uint64_t dropped;
	uint64_t bytes;
	uint32_t chunks;
	struct tfs_dat_writer_extent *extents;
	size_t n_extents;
};

#define TFS_PERCPU_DATA_INIT ((struct tfs_percpu_data){ .fd = -1 })
void tfs_percpu_data_release(struct tfs_percpu_data *data);

/**
 * struct tfs_percpu_opts - one CPU's ring buffer and where it goes
 * @cpu: its number
 * @raw: trace_pipe_raw, O_NONBLOCK; owned by the reader from now on, also on failure; -1 with @fed
 * @out: temporary file; likewise
 * @codec: borrowed, of the thread that drains; TFS_CODEC_NONE: raw sub-buffers, by splice
 * @pipe: borrowed, of the same thread; may be NULL: read() and write() instead of splice
 * @give_up: borrowed; once true, what is left in the ring buffer stays there; may be NULL
 * @cap: bytes that @out may have at most, of the newest data; 0: no limit. See tfs_chunks_cap()
 * @budget: borrowed, may be NULL
 * @needs: borrowed, may be NULL; for what is spliced, tfs_percpu_take() looks
 * @user: borrowed, looks for addresses of programs; may be NULL. With it there is no splice()
 * @fed: somebody else reads the ring buffer, and gives what was read to tfs_percpu_add()
 * @sink: takes the data instead of @out, which is -1; borrowed, may be NULL
 * @source: this CPU's number there
 */
struct tfs_percpu_opts {
	unsigned int cpu;
	int raw;
	int out;
	struct tfs_subbuf subbuf;
	struct tfs_codec *codec;
	struct tfs_pipe *pipe;
	const atomic_bool *give_up;
	uint64_t cap;
	struct tfs_budget *budget;
	struct tfs_symbol_needs *needs;
	struct tfs_user_events *user;
	bool fed;
	const struct tfs_record_sink *sink;
	uint32_t source;
};

/**
 * struct tfs_percpu - moves one CPU's sub-buffers into its temporary file
 *
 * One thread at a time, but for the counters, which any thread may read.
 */
struct tfs_percpu;

int tfs_percpu_new(const struct tfs_percpu_opts *opts, struct tfs_percpu **out,
		   struct tfs_err *err);
void tfs_percpu_free(struct tfs_percpu *p);

/**
 * tfs_percpu_drain() - take what is there, until the first sub-buffer that is not full
 *
 * Going on until nothing is left would never end where reading itself makes events: each read
 * leaves a sub-buffer of a few events for the next. Takes a few MiB at most, so that a thread with
 * several CPUs gets to all of them. Never blocks.
 * Return: 0 or -errno of the file that failed.
 */
int tfs_percpu_drain(struct tfs_percpu *p, struct tfs_err *err);

/**
 * tfs_percpu_finish() - tracing is off: take all that is left, the unfinished sub-buffer last
 * Return: 0 or -errno of the file that failed.
 */
int tfs_percpu_finish(struct tfs_percpu *p, struct tfs_err *err);

/** tfs_percpu_add() - take a copy of a sub-buffer, of an opts.fed; 0 or -errno of the file */
int tfs_percpu_add(struct tfs_percpu *p, const void *page, struct tfs_err *err);

/** tfs_percpu_is_full() - nothing more is taken: the budget is used up */
bool tfs_percpu_is_full(const struct tfs_percpu *p);
/** tfs_percpu_sync() - take what is there now, also of an unfinished sub-buffer, and flush */
int tfs_percpu_sync(struct tfs_percpu *p, struct tfs_err *err);
/**
 * tfs_percpu_take() - hand over the temporary file; while no thread drains @p, after a flush
 * @data: the caller's
 *
 * Return: 0 or -ENOMEM; @p has no file then, and needs one before it is drained again.
 */
int tfs_percpu_take(struct tfs_percpu *p, struct tfs_percpu_data *data);
/** tfs_percpu_give() - go on into @out, which is the reader's, also on failure; 0 or -errno */
int tfs_percpu_give(struct tfs_percpu *p, int out);

/** tfs_percpu_raw_fd() - to wait on; borrowed */
int tfs_percpu_raw_fd(const struct tfs_percpu *p);
/** tfs_percpu_raw_bytes() - sub-buffers taken, in bytes; any thread */
uint64_t tfs_percpu_raw_bytes(const struct tfs_percpu *p);
/** tfs_percpu_file_bytes() - bytes in the temporary file; any thread */
uint64_t tfs_percpu_file_bytes(const struct tfs_percpu *p);

#endif
