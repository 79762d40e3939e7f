/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_READER_H
#define TFS_RECORD_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/percpu.h"
#include "tracedat/compress.h"

struct tfs_err;

/**
 * struct tfs_reader_opts - what a thread needs before it has CPUs
 * @codec: compression of its CPUs' data
 * @level: see tfs_codec_parse()
 * @stop_fd: eventfd: readable once tracing is off and the rest is to be taken; borrowed
 * @note_fd: eventfd: a count is added when a CPU cannot go on, when the budget was reached, and at
 *           the thread's end; borrowed
 * @budget: of the CPUs; borrowed, may be NULL
 * @interval_us: look for data at least this often, though less than buffer_percent is there; 0:
 *               not. Besides, once a second, or once in a longer interval, all there is is written
 * @max_cpus: how many CPUs it will be given at most
 */
struct tfs_reader_opts {
	enum tfs_codec_id codec;
	int level;
	int stop_fd;
	int note_fd;
	struct tfs_budget *budget;
	uint64_t interval_us;
	size_t max_cpus;
};

/**
 * struct tfs_reader - a thread that drains some CPUs' ring buffers
 *
 * It waits in epoll and never in read(): that would wake at every event whatever buffer_percent
 * says. It is not pinned to a CPU, where it would compete with what is traced. All signals are
 * blocked in it. Functions are for the thread that made it.
 */
struct tfs_reader;

int tfs_reader_new(const struct tfs_reader_opts *opts, struct tfs_reader **out,
		   struct tfs_err *err);
/** tfs_reader_free() - stop_fd was raised before if the thread was started; waits for its end */
void tfs_reader_free(struct tfs_reader *r);

/** tfs_reader_codec() / tfs_reader_pipe() - for its CPUs' struct tfs_percpu_opts; borrowed */
struct tfs_codec *tfs_reader_codec(const struct tfs_reader *r);
struct tfs_pipe *tfs_reader_pipe(struct tfs_reader *r);
/** tfs_reader_take() - @cpu is drained by @r, which frees it; before the start, up to max_cpus */
void tfs_reader_take(struct tfs_reader *r, struct tfs_percpu *cpu);

/** tfs_reader_start() - start the thread; its id is known when this returns */
int tfs_reader_start(struct tfs_reader *r, struct tfs_err *err);
/** tfs_reader_tid() - thread id as the kernel knows it, 0 before the start */
pid_t tfs_reader_tid(const struct tfs_reader *r);
/** tfs_reader_ended() - the thread has nothing left to do, or was never started */
bool tfs_reader_ended(const struct tfs_reader *r);
/**
 * tfs_reader_pause() - have it take and write what is there, and then wait
 *
 * tfs_reader_paused() follows. Only for a reader that was started and not stopped.
 */
void tfs_reader_pause(struct tfs_reader *r);
/** tfs_reader_paused() - wait until it does: its CPUs are the caller's until tfs_reader_resume() */
void tfs_reader_paused(struct tfs_reader *r);
void tfs_reader_resume(struct tfs_reader *r);
/** tfs_reader_failed() - one of its CPUs could not go on */
bool tfs_reader_failed(const struct tfs_reader *r);
/**
 * tfs_reader_join() - wait for the thread's end
 * Return: 0, or the first failure of one of its CPUs; nothing of it is written then after the
 * failure. 0 also when it was never started.
 */
int tfs_reader_join(struct tfs_reader *r, struct tfs_err *err);

#endif
