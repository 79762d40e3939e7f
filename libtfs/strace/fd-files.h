/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STRACE_FD_FILES_H
#define TFS_STRACE_FD_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_fd_name;
struct tfs_fd_names;
struct tfs_fd_slots;

/** TFS_FD_MAX - descriptors from this number on are not known */
#define TFS_FD_MAX 65536

/** struct tfs_fd_span - time from the entry of a call to its exit: it took effect in between */
struct tfs_fd_span {
	uint64_t begin, end;
};

/** enum tfs_fd_cloexec - is a descriptor closed by exec? */
enum tfs_fd_cloexec { TFS_FD_KEPT, TFS_FD_CLOEXEC, TFS_FD_CLOEXEC_UNKNOWN };

/**
 * struct tfs_fd_files - the descriptors of one process, or of tasks that share them
 * @sharers: tasks that have it
 * @certain: all tasks that share it are known
 * @unsure: something changes it without calls (a ring of io_uring): nothing in it can be trusted
 * @forgotten: time at which everything in it became unknown
 * @slots: shared with copies until one of them changes
 *
 * Threads change descriptors at the same time, and only entry and exit of a call are known. What
 * could be another file in some order of the calls that overlap becomes unknown.
 */
struct tfs_fd_files {
	struct tfs_fd_names *names;
	struct tfs_fd_slots *slots;
	size_t sharers;
	uint64_t forgotten;
	bool certain, unsure;
};

/** tfs_fd_files_new() - nothing is known; one sharer. NULL without memory */
struct tfs_fd_files *tfs_fd_files_new(struct tfs_fd_names *names);
/** tfs_fd_files_copy() - for a child that was made after @begin; one sharer. NULL without memory */
struct tfs_fd_files *tfs_fd_files_copy(struct tfs_fd_files *files, uint64_t begin);
/** tfs_fd_files_put() - one sharer less; with the last it is released. NULL is fine */
void tfs_fd_files_put(struct tfs_fd_files *files);

/** tfs_fd_files_name() - what a descriptor means, NULL: not known */
const struct tfs_fd_name *tfs_fd_files_name(const struct tfs_fd_files *files, int fd);
/** tfs_fd_files_was_stable() - the descriptor meant the same in all of @span: no call changed it */
bool tfs_fd_files_was_stable(const struct tfs_fd_files *files, int fd,
			     const struct tfs_fd_span *span);
/** tfs_fd_files_source() - a reference to what a descriptor meant during a call; NULL: not known */
struct tfs_fd_name *tfs_fd_files_source(const struct tfs_fd_files *files, int fd,
					const struct tfs_fd_span *span);

/*
 * Changes. All return 0 or -ENOMEM; what they could not do is unknown then. @name: a reference,
 * which is taken over; NULL: not known.
 */

/** tfs_fd_files_open() - a call returned @fd, which was free before */
int tfs_fd_files_open(struct tfs_fd_files *files, int fd, struct tfs_fd_name *name,
		      enum tfs_fd_cloexec cloexec, const struct tfs_fd_span *span);
/** tfs_fd_files_replace() - dup2() made @fd this file, whatever it was */
int tfs_fd_files_replace(struct tfs_fd_files *files, int fd, struct tfs_fd_name *name,
			 enum tfs_fd_cloexec cloexec, const struct tfs_fd_span *span);
/** tfs_fd_files_learn() - it was looked up; no change, and tfs_fd_files_was_stable() */
int tfs_fd_files_learn(struct tfs_fd_files *files, int fd, struct tfs_fd_name *name,
		       enum tfs_fd_cloexec cloexec);
/** tfs_fd_files_close() - descriptors from @first to @last were closed */
int tfs_fd_files_close(struct tfs_fd_files *files, unsigned int first, unsigned int last,
		       const struct tfs_fd_span *span);
/** tfs_fd_files_set_cloexec() - of descriptors from @first to @last, as far as they are known */
int tfs_fd_files_set_cloexec(struct tfs_fd_files *files, unsigned int first, unsigned int last,
			     enum tfs_fd_cloexec cloexec);
/** tfs_fd_files_doubt() - descriptors from @first to @last may have changed up to @end */
int tfs_fd_files_doubt(struct tfs_fd_files *files, unsigned int first, unsigned int last,
		       uint64_t end);
/** tfs_fd_files_forget() - all may have changed up to @end. Cannot fail */
void tfs_fd_files_forget(struct tfs_fd_files *files, uint64_t end);
/** tfs_fd_files_exec() - those that exec closes, or may close, are not known any more */
int tfs_fd_files_exec(struct tfs_fd_files *files, uint64_t end);

#endif
