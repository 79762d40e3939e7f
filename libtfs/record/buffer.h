/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_BUFFER_H
#define TFS_RECORD_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf-core.h"
#include "record/meta.h"
#include "record/percpu.h"
#include "record/watch.h"
#include "tracefs/cpu-stats.h"

struct tfs_cpus;
struct tfs_dat_writer;
struct tfs_err;
struct tfs_instance;
struct tfs_output;
struct tfs_root;

/**
 * struct tfs_record_cpu - one CPU of a ring buffer that is being recorded
 * @number: of the CPU
 * @percpu: moves its data; the reader thread's
 * @has_temp: its temporary file has to be removed
 * @data: what it gave to a file that is to be completed
 * @read_before: events that others had taken out when it was opened
 * @stats: the kernel's counters as tfs_record_buffer_count() found them, read events since then
 * @before: the same when the file was begun
 * @has_stats: they could be read
 * @emptied: they began anew, which clearing the ring buffer does
 * @text: the file they are from
 */
struct tfs_record_cpu {
	unsigned int number;
	struct tfs_percpu *percpu;
	bool has_temp;
	struct tfs_percpu_data data;
	uint64_t read_before;
	struct tfs_cpu_stats stats;
	struct tfs_cpu_stats before;
	bool has_stats;
	bool emptied;
	struct tfs_strbuf text;
};

/**
 * struct tfs_record_buffer - one instance's ring buffer, as a session records it
 * @inst: borrowed, as is @root
 * @name: in the file; "" for the one that reports show without a name
 * @snapshot: its snapshot is what is recorded
 * @watch: of its settings
 * @signs: what others did to it, enum tfs_dat_lost_signs
 */
struct tfs_record_buffer {
	const struct tfs_root *root;
	const struct tfs_instance *inst;
	char *name;
	bool snapshot;
	struct tfs_subbuf subbuf;
	struct tfs_strbuf clock;
	struct tfs_record_cpu *cpus;
	size_t n_cpus;
	struct tfs_watch watch;
	unsigned int signs;
};

/**
 * tfs_record_buffer_init() - learn the layout, the clock and the CPUs of an instance
 * @cpus: only these, of those that it has; NULL: all
 *
 * Return: 0; -ENODEV when none of @cpus is there; -errno. tfs_record_buffer_release() in any case.
 */
int tfs_record_buffer_init(struct tfs_record_buffer *b, const struct tfs_root *root,
			   const struct tfs_instance *inst, const struct tfs_cpus *cpus,
			   struct tfs_err *err);
/** tfs_record_buffer_release() - the data's movers are the readers' to free */
void tfs_record_buffer_release(struct tfs_record_buffer *b);

/**
 * tfs_record_buffer_open_cpu() - open a CPU's ring buffer and its temporary file
 * @po: what the reader gives: codec, pipe, give_up; the rest is filled in
 * @i: index into @b->cpus, whose percpu is set
 */
int tfs_record_buffer_open_cpu(struct tfs_record_buffer *b, size_t i, const struct tfs_output *o,
			       const struct tfs_percpu_opts *po, struct tfs_err *err);
/** tfs_record_buffer_begin() - without its CPUs being opened: what was read until now is others' */
void tfs_record_buffer_begin(struct tfs_record_buffer *b);
/** tfs_record_buffer_unlink_temps() - remove the temporary files that are left */
void tfs_record_buffer_unlink_temps(struct tfs_record_buffer *b, const struct tfs_output *o);

/** tfs_record_buffer_count() - read the kernel's counters; what cannot be read is all zeros */
void tfs_record_buffer_count(struct tfs_record_buffer *b);
/** tfs_record_buffer_write_stats() - the counters' text, as options of the file; 0 or -ENOMEM */
int tfs_record_buffer_write_stats(const struct tfs_record_buffer *b, struct tfs_dat_writer *w);
/** tfs_record_buffer_take() - have the @data of all CPUs, which nobody drains now; 0 or -ENOMEM */
int tfs_record_buffer_take(struct tfs_record_buffer *b);
/** tfs_record_buffer_describe() - announce @data to the writer, which copies them; 0, -ENOMEM */
int tfs_record_buffer_describe(const struct tfs_record_buffer *b, struct tfs_dat_writer *w);
/** tfs_record_buffer_done() - the file is complete: @data are released */
void tfs_record_buffer_done(struct tfs_record_buffer *b);

#endif
