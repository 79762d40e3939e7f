/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_NAMES_H
#define TFS_RECORD_NAMES_H

#include <stdbool.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tfs_dat_clock;
struct tfs_dat_writer;
struct tfs_instance;
struct tfs_root;
struct tfs_strvec;
struct tfs_user_events;

/**
 * struct tfs_names_opts - what is recorded; all borrowed as long as the names live
 * @insts: the instances, @n_insts of them; the first one's clock is that of the recording
 * @cpu: a CPU that the first one has
 * @clock: its trace clock
 * @events: "system:event" or "system:*"
 */
struct tfs_names_opts {
	const struct tfs_root *root;
	const struct tfs_instance *const *insts;
	size_t n_insts;
	unsigned int cpu;
	const char *clock;
	const struct tfs_strvec *events;
};

/**
 * struct tfs_names - collects what gives user addresses of a recording their names
 *
 * Tasks and clocks for every recording. Where there are user stacks or uprobes, a thread follows
 * what processes map (record/map-events.h, record/process-maps.h) and keeps their files open, and
 * in the end the functions that were met are looked up. Whatever cannot be had is left out: nothing
 * here makes a recording fail.
 */
struct tfs_names;

/** tfs_names_new() - see what is wanted; 0 or -ENOMEM */
int tfs_names_new(const struct tfs_names_opts *opts, struct tfs_names **out);
/** tfs_names_free() - also while its thread runs; NULL is fine */
void tfs_names_free(struct tfs_names *names);

/** tfs_names_events() - for readers, to scan what they take; borrowed; NULL: nothing to look for */
struct tfs_user_events *tfs_names_events(const struct tfs_names *names);
/** tfs_names_start() - read the clocks, and start the thread if there is anything to look for */
void tfs_names_start(struct tfs_names *names);
/** tfs_names_started() - the clocks as they were then; borrowed; @trace 0: but @boottime unknown */
const struct tfs_dat_clock *tfs_names_started(const struct tfs_names *names);
/** tfs_names_learn_comms() - have the names of the threads that live now, tfs_tasks_comms() */
void tfs_names_learn_comms(struct tfs_names *names);
/** tfs_names_comms() - these; where they were not learned, those of now. Borrowed, not NULL */
const char *tfs_names_comms(struct tfs_names *names);
/**
 * tfs_names_lost() - after tfs_names_write(): reports of the kernel on what processes map that were
 *	lost, if there are addresses where nothing is known to be mapped; else 0
 */
uint64_t tfs_names_lost(struct tfs_names *names);
/** tfs_names_tid() - the thread's id; 0: none runs */
pid_t tfs_names_tid(const struct tfs_names *names);

/**
 * struct tfs_name_at - what an address of a process is
 * @path: of the program or library as the process saw it; NULL: not known
 * @file_offset: in it
 * @name: of the function, as in the file; NULL: not known
 * @start: file offset of the function's beginning, as far as it is in the same segment
 *
 * Strings live until the next tfs_names_find().
 */
struct tfs_name_at {
	const char *path, *name;
	uint64_t file_offset, start;
};

/**
 * tfs_names_find() - while recording: an address of a user stack
 * @ts: when it was met, by the trace clock
 * @is_caller: a call returns to it: the function is that of the byte before
 *
 * Return: false: nothing was mapped there, or nothing is known of the process.
 */
bool tfs_names_find(struct tfs_names *names, uint32_t tgid, uint64_t ts, uint64_t addr,
		    bool is_caller, struct tfs_name_at *out);

/**
 * tfs_names_write() - the options with all that is known now
 * @room: bytes; what does not fit is left out
 *
 * While the recording goes on, or after its end. Return: 0 or what the writer says.
 */
int tfs_names_write(struct tfs_names *names, struct tfs_dat_writer *writer, uint64_t room);

/** TFS_NAMES_ROOM, TFS_NAMES_TASKS_ROOM - bytes, with and without user addresses, of most files */
#define TFS_NAMES_ROOM (256 * 1024)
#define TFS_NAMES_TASKS_ROOM (48 * 1024)

#endif
