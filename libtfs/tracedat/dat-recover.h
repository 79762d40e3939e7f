/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_RECOVER_H
#define TFS_TRACEDAT_DAT_RECOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_err;

/**
 * struct tfs_recover_opts - how to complete a trace file
 * @boot: id of the running boot (TFS_DAT_BOOT_ID of dat-segments.h); NULL: not known
 * @cmdlines: names of tasks now (saved_cmdlines); taken if the recording is of the running boot;
 *            NULL: none
 * @kallsyms: the kernel's symbols now; likewise, if the recording was to have them at its end
 * @clocks, @clocks_size: what its clock was compared with since: a payload of
 *	TFS_DAT_PRIVATE_CLOCKS, which is added; 0 bytes: nothing
 */
struct tfs_recover_opts {
	const char *boot;
	const char *cmdlines;
	const char *kallsyms;
	const void *clocks;
	size_t clocks_size;
};

/**
 * struct tfs_recovered - what was found
 * @cpus: CPUs of which there are data
 * @data_bytes: their ring-buffer data as stored
 * @joining: the recorder was killed after it had read everything, while it joined the data
 * @withheld: names were not added, because the file belongs to another user
 */
struct tfs_recovered {
	size_t cpus;
	uint64_t data_bytes;
	bool joining;
	bool withheld;
};

/**
 * tfs_dat_recover() - make a complete trace file of what a killed recorder left
 *
 * All that the recorder had written into its temporary files is joined, and they are removed. A
 * recorder that was killed while it joined them is taken over from. Where there is no room for
 * that, or it is interrupted, nothing is lost: it can be done again. Into a file of another user
 * goes nothing but what is beside it: its readers need not know what this process may.
 *
 * Metadata without data that do not name the files of a recorder are taken for those that a
 * listener was sent, as far as they came: the data beside them are appended, compressed or not, and
 * @opts is not used.
 *
 * Return: 0; -EALREADY when nothing of the file is outside it; -EBUSY when it is being recorded;
 * -ENODATA when there are no data beside it; -EBADMSG when its head is damaged, or it is truncated
 * and nothing is beside it; -errno.
 */
int tfs_dat_recover(const char *path, const struct tfs_recover_opts *opts,
		    struct tfs_recovered *out, struct tfs_err *err);

#endif
