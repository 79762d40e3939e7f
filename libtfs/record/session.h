/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_SESSION_H
#define TFS_RECORD_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/strvec.h"
#include "data/compress.h"

struct tfs_err;
struct tfs_instance;
struct tfs_root;

/**
 * struct tfs_session_opts - what to record where
 * @inst: instance whose ring buffer is recorded; exists already, tracing off
 * @output: path of the trace file
 * @codec, @level: see tfs_codec_parse()
 * @events: "system:event" or "system:*" names whose formats the file is to hold
 * @max_threads: 0 for one per CPU up to 8
 *
 * All borrowed until tfs_session_new() returns, but for @root and @inst, which outlive the session.
 */
struct tfs_session_opts {
	const struct tfs_root *root;
	const struct tfs_instance *inst;
	const char *output;
	enum tfs_codec_id codec;
	int level;
	const struct tfs_strvec *events;
	unsigned int max_threads;
};

/** struct tfs_session_cpu - what one CPU gave */
struct tfs_session_cpu {
	unsigned int cpu;
	uint64_t events;        /* recorded: read events (per_cpu/cpuN/stats) */
	uint64_t lost;          /* overrun + commit overrun + dropped events */
	uint64_t raw_bytes;     /* sub-buffers */
	uint64_t file_bytes;    /* as stored */
};

struct tfs_session_totals {
	uint64_t events, lost, raw_bytes, file_bytes; /* sums; file_bytes: size of the whole file */
	uint64_t duration_ns;                         /* from start to stop */
	const struct tfs_session_cpu *cpus;           /* borrowed from the session */
	size_t n_cpus;
};

/**
 * struct tfs_session - one recording: reader threads, temporary files, the trace file
 *
 * new -> start -> (tracing_on by the caller's plan) -> stop -> finish -> free.
 * Called from one thread; the reader threads are its own, with all signals blocked.
 */
struct tfs_session;

/**
 * tfs_session_new() - create the output and its temporary files and write all metadata
 *
 * Temporary files are OUTPUT.cpuN, made O_EXCL with mode 0600. An existing OUTPUT that is a regular
 * file is replaced. Return: 0 or -errno with the file that failed; nothing is left behind then.
 */
int tfs_session_new(const struct tfs_session_opts *opts, struct tfs_session **out,
		    struct tfs_err *err);
/** tfs_session_start() - start the reader threads */
int tfs_session_start(struct tfs_session *s, struct tfs_err *err);
/** tfs_session_tids() - thread ids of the readers, for set_event_notrace_pid; borrowed */
size_t tfs_session_tids(const struct tfs_session *s, const pid_t **tids);
/** tfs_session_fd() - readable once a reader cannot go on (disk full, ...); borrowed, for poll() */
int tfs_session_fd(const struct tfs_session *s);
/** tfs_session_progress() - totals so far; cheap, any thread. events and lost are 0 */
void tfs_session_progress(struct tfs_session *s, uint64_t *raw_bytes, uint64_t *file_bytes);
/**
 * tfs_session_stop() - read what is left and end the reader threads; tracing is off already
 * Return: 0, or the failure of the first reader that could not go on (what it wrote before stays).
 */
int tfs_session_stop(struct tfs_session *s, struct tfs_err *err);
/** tfs_session_finish() - join everything into the trace file and remove the temporary files */
int tfs_session_finish(struct tfs_session *s, struct tfs_session_totals *totals,
		       struct tfs_err *err);
/** tfs_session_free() - stops what still runs; temporary files go, an unfinished output stays */
void tfs_session_free(struct tfs_session *s);

#endif
