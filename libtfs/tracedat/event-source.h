/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_EVENT_SOURCE_H
#define TFS_TRACEDAT_EVENT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_blocks;
struct tfs_dat;
struct tfs_dat_time;
struct tfs_err;
struct tfs_event_source;
struct tfs_strbuf;

/**
 * struct tfs_source_page - a sub-buffer as the kernel wrote it
 * @data: page_size bytes of the buffer it is from, header included
 * @limit: end of the memory that may be read at @data
 * @end: end of the data that there are; before @limit where a file ends
 * @offset: where it came from, for messages
 */
struct tfs_source_page {
	const void *data;
	const void *limit;
	const void *end;
	uint64_t offset;
};

/**
 * struct tfs_event_source_ops - what makes a source; a CPU is what @open made, one CPU of a buffer
 *
 * They are called once per sub-buffer or less often, never per event. A source without @update is
 * complete; one with it is growing.
 * @open: begin one CPU's data; @buffer and @cpu_index as in the source's dat. 0 or -errno
 * @close: end it; accepts NULL
 * @page: the CPU's next sub-buffer, valid until the next call, or longer: @retire_to. Return: 1, 0
 *        when there is none (of a growing source: now), -ENOMEM, another -errno when the rest
 *        cannot be read
 * @retire_to: give memory that the CPU is done with to @blocks (borrowed, may be shared by CPUs)
 *             rather than use it again; NULL: as from the start
 * @retire: hand over the memory of the page given last as well; nothing comes after
 * @seek: optional; begin shortly before @ts, a time stamp as @time corrects it. 0 or -ENOMEM
 * @progress: optional; add the CPU's bytes, read and in all
 * @update: see whether more has come, without waiting; sets @updates and @ended. 0 or -errno
 * @is_complete: with @update: all events of other CPUs that are earlier than those on the CPU's
 *               page given last can be had by now. Once true, it stays so
 * @task_names: optional; append the present names of tasks, as saved_cmdlines has them
 */
struct tfs_event_source_ops {
	int (*open)(struct tfs_event_source *source, size_t buffer, size_t cpu_index, void **cpu,
		    struct tfs_err *err);
	void (*close)(void *cpu);
	int (*page)(void *cpu, struct tfs_source_page *page, struct tfs_err *err);
	void (*retire_to)(void *cpu, struct tfs_blocks *blocks);
	void (*retire)(void *cpu);
	int (*seek)(void *cpu, const struct tfs_dat_time *time, uint64_t ts);
	void (*progress)(const void *cpu, uint64_t *done, uint64_t *total);
	int (*update)(struct tfs_event_source *source, struct tfs_err *err);
	bool (*is_complete)(const void *cpu);
	int (*task_names)(struct tfs_event_source *source, struct tfs_strbuf *text);
	void (*free)(struct tfs_event_source *source);
};

/**
 * struct tfs_event_source - where a merge gets sub-buffers: a recording, a growing one, a live
 * instance
 *
 * The first member of a source's own struct; Documentation/howto-add-event-source.md says how to
 * add one. Code above the merge does not know which source it reads. One thread at a time.
 * @dat: what the source knows: formats, clock, buffers and their CPUs; borrowed
 * @updates: changes when there may be more to read
 * @ended: nothing more will come
 * @stop: the reader wants to end: the next @ops->update() is to be the last
 * @pause_ms: how long tfs_event_source_wait() waits
 * @names_living: task_names() adds those of threads that the kernel has saved no name of
 * @names_every: task_names() is asked after so many updates with events; 0: after each. The kernel
 *	takes a tenth of a millisecond for the names of a busy machine
 * @stop_fd: -1, or a descriptor that becomes readable when the reader is to end
 * @wake_fd: -1, or a descriptor that becomes readable when there may be more before the pause ends
 */
struct tfs_event_source {
	const struct tfs_event_source_ops *ops;
	struct tfs_dat *dat;
	uint64_t updates;
	bool ended;
	bool stop;
	int pause_ms;
	unsigned int names_every;
	bool names_living;
	int stop_fd;
	int wake_fd;
};

/** tfs_event_source_is_growing() - may more come? */
static inline bool tfs_event_source_is_growing(const struct tfs_event_source *source)
{
	return source->ops->update;
}

/** tfs_event_source_update() - see whether more has come, now; 0 or -errno */
int tfs_event_source_update(struct tfs_event_source *source, struct tfs_err *err);
/** tfs_event_source_wait() - the same after a pause, or once @stop_fd or @wake_fd is readable */
int tfs_event_source_wait(struct tfs_event_source *source, struct tfs_err *err);
/** tfs_event_source_free() - accepts NULL; its CPUs were closed before */
void tfs_event_source_free(struct tfs_event_source *source);

#endif
