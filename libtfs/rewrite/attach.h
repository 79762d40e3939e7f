/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_REWRITE_ATTACH_H
#define TFS_REWRITE_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_dat;
struct tfs_err;
struct tfs_vcpu;

/** struct tfs_attach_file - a recording that gets options; tfs_attach_close() it in any case */
struct tfs_attach_file {
	struct tfs_dat *dat;
	int fd;
};

/**
 * tfs_attach_open() - open a complete recording for reading and writing, and lock it
 *
 * Return: 0; -EBADMSG for one that is damaged or was not finished; -EBUSY while another program
 * attaches it; -errno of open(2).
 */
int tfs_attach_open(const char *path, struct tfs_attach_file *file, struct tfs_err *err);
void tfs_attach_close(struct tfs_attach_file *file);

/**
 * struct tfs_attach_shift - how time stamps of a virtual CPU become those of the host
 * @scaling, @fraction: a stamp is (stamp * @scaling >> @fraction) + @offset; not scaled: 1, 0
 * @time: a stamp of the guest from which on that is so, as trace-cmd stores it; readers use one
 *	sample before that, too
 */
struct tfs_attach_shift {
	int64_t offset;
	uint64_t scaling, fraction, time;
};

/**
 * struct tfs_attach_opts - what is known of the guest; all borrowed
 * @name: for the host's file; NULL: the guest's host name
 * @cpus: that the guest has; 0: as its recording says
 * @vcpus: @n_vcpus virtual CPUs and their threads
 * @shifts: @n_shifts, of CPU 0, 1 and so on, the last one for all further CPUs; none: the clocks of
 *	both recordings were compared with CLOCK_REALTIME or another clock, see dat-clocks.h
 */
struct tfs_attach_opts {
	const char *name;
	uint32_t cpus;
	const struct tfs_vcpu *vcpus;
	size_t n_vcpus;
	const struct tfs_attach_shift *shifts;
	size_t n_shifts;
};

/**
 * struct tfs_attach_done - what was found
 * @mapped: the host's file has the guest already, and was not changed
 * @by_clocks: the shift is what the comparisons say, give or take @bound ns; UINT64_MAX: not known
 */
struct tfs_attach_done {
	bool mapped, by_clocks;
	uint64_t bound;
};

/**
 * tfs_attach() - let the recordings of a host and of its guest find each other
 *
 * The guest's file gets TIME_SHIFT and the host's TSC2NSEC, the host's file GUEST, and each a
 * TRACEID if it has none. All is checked before either file is changed. Version 7 is appended to;
 * version 6 is written anew beside the file, which it replaces when it is complete. The guest's
 * file comes first: after a failure between the two the same can be done again.
 *
 * Return: 0; -EINVAL for files that do not belong together, or without shifts and comparisons: the
 * message says why; -ENOMEM; the errno of a write.
 */
int tfs_attach(struct tfs_attach_file *host, struct tfs_attach_file *guest,
	       const struct tfs_attach_opts *opts, struct tfs_attach_done *done,
	       struct tfs_err *err);

#endif
