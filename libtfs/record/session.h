/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_SESSION_H
#define TFS_RECORD_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/symbols.h"
#include "tracedat/compress.h"

struct tfs_cpus;
struct tfs_dat_clock;
struct tfs_err;
struct tfs_instance;
struct tfs_names;
struct tfs_record_sink;
struct tfs_record_remote;
struct tfs_root;

/**
 * struct tfs_session_buffer - one ring buffer that is recorded
 * @inst: whose; exists already
 * @name: of the buffer in the file; "" for the one that reports show without a name
 * @cpus: only these CPUs; NULL: all. CPUs that the instance does not have are not an error
 * @snapshot: its snapshot instead (per_cpu/cpuN/snapshot_raw), which must be allocated. It is taken
 *            in tfs_session_drain(). The kernel keeps no counters of it: losses are 0
 */
struct tfs_session_buffer {
	const struct tfs_instance *inst;
	const char *name;
	const struct tfs_cpus *cpus;
	bool snapshot;
};

/** struct tfs_session_option - an option of a trace file: TFS_DAT_... of tracedat/dat-format.h */
struct tfs_session_option {
	uint16_t id;
	const void *data;
	size_t size;
};

/**
 * struct tfs_session_opts - what to record where
 * @root: tracefs
 * @buffers: the ring buffers; the one whose name is "", if any, comes first
 * @n_buffers: at least one
 * @output: path of the trace file
 * @mode: its permissions; 0: for its owner alone, see tfs_output_open()
 * @codec: compression of the file
 * @level: see tfs_codec_parse()
 * @events: "system:event" or "system:*" names whose formats the file is to hold
 * @max_threads: 0 for one per CPU up to 8
 * @cap_bytes: of each CPU of each buffer, keep only so many bytes as stored, the newest; 0: all.
 *             At least TFS_SESSION_CAP_MIN
 * @max_bytes: the file gets no larger; when that is reached the state is TFS_SESSION_FULL and
 *             nothing more is taken; 0: no limit
 * @switch_bytes: when the file has this size the state is TFS_SESSION_FULL, for
 *                tfs_session_switch(); 0: no limit. Not with @max_bytes
 * @interval_us: see struct tfs_reader_opts
 * @symbols: the kernel's symbols in the file: TFS_SYMBOLS_USED for one buffer only
 * @fed: somebody else reads the ring buffer, of one buffer without a name, and gives what was read
 *       to tfs_session_add(): there are no reader threads
 * @sink: takes the recording instead of temporary files, and outlives the session; NULL: none.
 *	@output is then a file without events. Not with @cap_bytes, @max_bytes, @switch_bytes
 * @remote: it takes the recording, of one buffer without a name, in place of a file: @output is
 * what          messages call it, @codec that of the metadata. Not with a limit, nor with
 * tfs_session_switch(). Outlives the session
 * @options: to put into the file besides its own
 * @n_options: number of @options
 *
 * All borrowed until tfs_session_new() returns, but for @root and the instances, which outlive the
 * session.
 *
 * An instance need not be the caller's own, nor new: what its ring buffer holds already is read
 * and, as by every reader of trace_pipe_raw, taken out of it. So the buffer of a trace that was
 * stopped becomes a file ("extract") by: new, start, stop, finish, free, with tracing off all the
 * time. While tracing is on in it, somebody has to turn it off before tfs_session_drain(), or that
 * never ends.
 */
struct tfs_session_opts {
	const struct tfs_root *root;
	const struct tfs_session_buffer *buffers;
	size_t n_buffers;
	const char *output;
	unsigned int mode;
	enum tfs_codec_id codec;
	int level;
	const struct tfs_strvec *events;
	unsigned int max_threads;
	uint64_t cap_bytes;
	uint64_t max_bytes;
	uint64_t switch_bytes;
	uint64_t interval_us;
	enum tfs_symbols symbols;
	bool fed;
	const struct tfs_record_sink *sink;
	const struct tfs_record_remote *remote;
	const struct tfs_session_option *options;
	size_t n_options;
};

#define TFS_SESSION_CAP_MIN 262144u

/**
 * struct tfs_session_cpu - what one CPU of one buffer gave
 * @buffer: name of the buffer in the file; borrowed from the session
 * @events: that were taken out of the ring buffer and written
 * @lost: overrun + commit overrun + dropped events + what was left unread
 * @taken: by others: the kernel counts them as read (per_cpu/cpuN/stats), and they are not @events
 * @raw_bytes: sub-buffers taken
 * @unwritten: of these, what could not be written; its events are among @events though
 * @dropped: of these, what @cap_bytes dropped; likewise
 * @left: events that were left in the ring buffer because the file had its @max_bytes; not among
 *        @lost
 * @file_bytes: as stored
 */
struct tfs_session_cpu {
	const char *buffer;
	unsigned int cpu;
	uint64_t events;
	uint64_t lost;
	uint64_t taken;
	uint64_t raw_bytes;
	uint64_t unwritten;
	uint64_t dropped;
	uint64_t left;
	uint64_t file_bytes;
};

/**
 * struct tfs_session_totals - what a recording gave
 * @events: sum over CPUs, as the following seven
 * @data_bytes: ring-buffer data as stored
 * @output_bytes: size of the whole file
 * @path: of the file; borrowed from the session, or the caller's
 * @no_symbols: symbols of the kernel that its events may need had no room in the size that was
 *	asked for
 * @lost_maps: see tfs_names_lost()
 * @duration_ns: from start, or the last switch, to stop, or this one
 * @signs: what others did to a buffer: enum tfs_dat_lost_signs, for tfs_dat_lost_say()
 * @cpus: borrowed from the session; in the order of the buffers, then ascending
 * @n_cpus: number of @cpus
 */
struct tfs_session_totals {
	const char *path;
	uint64_t events;
	uint64_t lost;
	uint64_t taken;
	uint64_t raw_bytes;
	uint64_t unwritten;
	uint64_t dropped;
	uint64_t left;
	uint64_t data_bytes;
	uint64_t output_bytes;
	bool no_symbols;
	uint64_t lost_maps;
	uint64_t duration_ns;
	unsigned int signs;
	const struct tfs_session_cpu *cpus;
	size_t n_cpus;
};

/**
 * struct tfs_session - one recording: reader threads, temporary files, the trace file
 *
 * new -> start -> (the caller turns tracing on, and off) -> drain -> stop -> finish -> free.
 * Called from one thread; the reader threads are its own, with all signals blocked.
 */
struct tfs_session;
struct tfs_strvec;

/**
 * tfs_session_new() - create the output and its temporary files and write all metadata
 *
 * Temporary files are OUTPUT.cpuN and, of a buffer with a name, OUTPUT.NAME.cpuN, made O_EXCL with
 * mode 0600; those that a killed recorder left are removed, for OUTPUT is locked (flock) as long as
 * somebody records into it. An existing OUTPUT that is a regular file is replaced; no other kind of
 * file can be one. Room for what is written at the end is reserved, so that a recording that fills
 * the disk can be finished.
 *
 * Return: 0 or -errno with the file that failed: -EBUSY when somebody records into OUTPUT. Nothing
 * is left behind then.
 */
int tfs_session_new(const struct tfs_session_opts *opts, struct tfs_session **out,
		    struct tfs_err *err);
/** tfs_session_start() - start the reader threads */
int tfs_session_start(struct tfs_session *s, struct tfs_err *err);
/** tfs_session_tids() - thread ids of the readers, for set_event_notrace_pid; borrowed */
size_t tfs_session_tids(const struct tfs_session *s, const pid_t **tids);

/**
 * tfs_session_add() - record a sub-buffer, of tfs_session_opts.fed; on the caller's thread
 * @cpu: its CPU, one that the instance had when the session was made
 *
 * In the order in which they were read. Return: 0 or -errno of the file.
 */
int tfs_session_add(struct tfs_session *s, unsigned int cpu, const void *page, struct tfs_err *err);
/** tfs_session_flush() - what was fed is in the temporary files after this; 0 or -errno */
int tfs_session_flush(struct tfs_session *s, struct tfs_err *err);
/** tfs_session_option() - an option at the end of the file; bytes are copied; 0 or -ENOMEM */
int tfs_session_option(struct tfs_session *s, const struct tfs_session_option *option);
/**
 * tfs_session_learn_comms() - remember the names of the threads that live now
 *
 * The file has them also where the kernel has not saved them. Without this it is done at its end,
 * when threads that a tracer started are gone.
 */
void tfs_session_learn_comms(struct tfs_session *s);
/** tfs_session_names() - for tfs_names_find(); borrowed */
struct tfs_names *tfs_session_names(struct tfs_session *s);
/**
 * tfs_session_compare_clocks() - compare the trace clock with CLOCK_REALTIME, if it is time to
 *
 * The file gets it: see tracedat/dat-clocks.h. It is done at both ends of a file anyhow, and in
 * between as often as this is called, but not more often than TFS_CLOCK_PAIRS_NS. Return: ns until
 * the next time.
 */
int64_t tfs_session_compare_clocks(struct tfs_session *s);
/** tfs_session_started() - the clocks when it was started: its @trace is 0 where not known */
const struct tfs_dat_clock *tfs_session_started(const struct tfs_session *s);

/** enum tfs_session_state - how the readers are doing */
enum tfs_session_state {
	TFS_SESSION_RUNNING,
	TFS_SESSION_FULL,   /* the file has @max_bytes or @switch_bytes */
	TFS_SESSION_FAILED, /* one cannot go on (disk full, ...): recording should end now */
	TFS_SESSION_ENDED,  /* all have taken what was left */
};

/** tfs_session_fd() - readable when the state changes; borrowed, for poll() */
int tfs_session_fd(const struct tfs_session *s);
/** tfs_session_state() - the state; tfs_session_fd() is not readable any more until it changes */
enum tfs_session_state tfs_session_state(struct tfs_session *s);
/** tfs_session_progress() - bytes of this file so far: sub-buffers taken, and as stored; cheap */
void tfs_session_progress(const struct tfs_session *s, uint64_t *raw_bytes, uint64_t *file_bytes);

/**
 * tfs_session_count() - events so far by the kernel's counters, and how many of them are lost
 *
 * Reads a file for each CPU. Most of a short recording is still in the ring buffer, where
 * tfs_session_progress() does not see it.
 */
void tfs_session_count(struct tfs_session *s, uint64_t *events, uint64_t *lost);

/** tfs_session_watch_begin() - tracing is on, and this program changes no setting from now on */
void tfs_session_watch_begin(struct tfs_session *s);
/**
 * tfs_session_watch() - look whether others changed a setting of a buffer: see record/watch.h
 * @is_on: tracing is on in all buffers, as far as this program knows
 *
 * Reads three files of each buffer. The totals have what was found. See TFS_SESSION_WATCH_NS.
 */
void tfs_session_watch(struct tfs_session *s, bool is_on);
/** tfs_session_listed() - tfs_watch_listed() for each buffer */
void tfs_session_listed(struct tfs_session *s);
/** tfs_session_signs() - what others did, of a session that does not watch by itself */
void tfs_session_signs(struct tfs_session *s, unsigned int signs);
/** TFS_SESSION_WATCH_NS - how often that is worth a look */
#define TFS_SESSION_WATCH_NS 1000000000LL

/**
 * tfs_session_switch() - complete the file under another name, and go on into a new OUTPUT
 * @path: its name, in the same directory; nobody has it. It is not complete before this returns:
 *	the caller renames it then
 * @totals: of that file; its cpus are valid until the next call
 *
 * Wherever the process is killed meanwhile, what is there of both files can be recovered.
 * Tracing goes on, and no event is lost for it: those that were read until then are in the one
 * file, those that are read from then on in the other. Only between start and drain.
 *
 * Return: 0; -EEXIST, and nothing was done; -errno: recording should end now; what
 * tfs_session_finish() then completes is OUTPUT or @path, as its totals say.
 */
int tfs_session_switch(struct tfs_session *s, const char *path, struct tfs_session_totals *totals,
		       struct tfs_err *err);

/** tfs_session_drain() - tracing is off: the readers take what is left and end; does not wait */
void tfs_session_drain(struct tfs_session *s);
/** tfs_session_give_up() - what the readers have not taken yet is left, and counts as lost */
void tfs_session_give_up(struct tfs_session *s);
/**
 * tfs_session_stop() - wait for the readers' end; tfs_session_drain() if that was not called
 *
 * Tracing may be turned on again in the instance after this: what happens from then on is neither
 * in the file nor counted as lost.
 * Return: 0, or the failure of the first reader that could not go on (what it wrote before stays).
 */
int tfs_session_stop(struct tfs_session *s, struct tfs_err *err);
/**
 * tfs_session_finish() - join everything into the trace file and remove the temporary files
 * @totals: set also on failure, as far as known
 *
 * On failure the file is readable as far as it was written, and temporary files that were not yet
 * joined stay.
 */
int tfs_session_finish(struct tfs_session *s, struct tfs_session_totals *totals,
		       struct tfs_err *err);
/** tfs_session_free() - stops what still runs; temporary files go, an unfinished output stays */
void tfs_session_free(struct tfs_session *s);
/** tfs_session_discard() - tfs_session_free(), and an output that did not exist before goes too */
void tfs_session_discard(struct tfs_session *s);

#endif
