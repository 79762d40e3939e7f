/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_RECORD_FILES_H
#define TC_RECORD_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "base/strvec.h"

struct record_request;
struct tfs_err;
struct tfs_session;
struct tfs_session_totals;

/**
 * struct record_files - the files that a recording has written
 * @names: existing files, the oldest first
 * @made: number of files, including removed ones
 * @events, @lost, @taken, @signs: totals of the files before the current one
 */
struct record_files {
	struct tfs_strvec names;
	size_t made;
	uint64_t events;
	uint64_t lost;
	uint64_t taken;
	unsigned int signs;
};

void record_files_release(struct record_files *files);

/**
 * record_files_name() - a complete file gets its name, that of this moment
 *
 * Nothing else is ever called so. Removes the oldest file if there are too many.
 * @totals: of the file; its path is set to the new name, borrowed from @files
 */
int record_files_name(struct record_files *files, const struct record_request *req,
		      struct tfs_session_totals *totals, struct tfs_err *err);
/**
 * record_files_switch() - complete the current file, as OUTPUT.part, and switch to a new one
 *
 * Return: 0; -errno: recording should end now.
 */
int record_files_switch(struct record_files *files, const struct record_request *req,
			struct tfs_session *session, struct tfs_err *err);

/** record_files_print_totals() - totals of the last file, and of all files if there are several */
void record_files_print_totals(const struct record_files *files, const struct record_request *req,
			       const struct tfs_session_totals *last);

#endif
