/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STRACE_FD_INTERNAL_H
#define TFS_STRACE_FD_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashmap.h"
#include "strace/fd-files.h"
#include "strace/fd-names.h"

struct sys_entry;
struct tfs_call;
struct tfs_fd_rule;
struct tfs_fd_seen;

/**
 * struct tfs_fd_fs - the current directory of one process, or of tasks that share it
 * @changed: when the last call that changed it returned
 * @moved: the root, or what is mounted, is not what others have: paths mean something else
 */
struct tfs_fd_fs {
	size_t sharers;
	struct tfs_fd_name *cwd;
	uint64_t changed;
	bool moved;
};

/**
 * struct tfs_fd_task - a thread
 * @tgid_known: @tgid is its process; else it may belong to any
 * @born: when it was created, 0: before the trace, or not seen
 * @begin: of the call it is in, or was in last
 * @rule: of the call it is in; NULL: it is in none that changes anything
 * @first, @last: descriptors that this call may change, if @first <= @last
 */
struct tfs_fd_task {
	int tid, tgid;
	bool tgid_known;
	uint64_t born, begin;
	struct tfs_fd_files *files;
	struct tfs_fd_fs *fs;
	const struct tfs_fd_rule *rule;
	unsigned int first, last;
};

/** TFS_FD_RULES - of so many calls the rule is remembered: a power of two */
#define TFS_FD_RULES 512

/**
 * struct tfs_fd_table - see fd-table.h
 * @tasks: struct tfs_fd_task by tid
 * @waiting: looks at /proc, @n_waiting of them, by rising end
 * @busy: tasks that are in a call with a rule
 */
struct tfs_fd_table {
	struct tfs_hashmap tasks;
	struct tfs_fd_names names;
	struct tfs_fd_waiting *waiting;
	size_t n_waiting, alloc_waiting;
	size_t busy;
	struct tfs_fd_rule_of {
		const struct sys_entry *entry;
		const struct tfs_fd_rule *rule;
	} rule[TFS_FD_RULES];
};

/** tfs_fd_task_find() - a thread, NULL if it is not known */
struct tfs_fd_task *tfs_fd_task_find(const struct tfs_fd_table *t, int tid);
/** tfs_fd_task_get() - a thread, which is added if it is not known; @tgid: 0 if it is not known */
int tfs_fd_task_get(struct tfs_fd_table *t, int tid, int tgid, struct tfs_fd_task **out);
/** tfs_fd_advance() - looks at /proc that ended before @ts count now. 0 or -ENOMEM */
int tfs_fd_advance(struct tfs_fd_table *t, uint64_t ts);
/** tfs_fd_waiting_release() - free the looks that wait */
void tfs_fd_waiting_release(struct tfs_fd_table *t);
/** tfs_fd_in_flight() - may a task other than @except change @fd of @files just now? */
bool tfs_fd_in_flight(const struct tfs_fd_table *t, const struct tfs_fd_files *files, int fd,
		      const struct tfs_fd_task *except);
/** tfs_fd_fs_in_flight() - may a task other than @except change its directory just now? */
bool tfs_fd_fs_in_flight(const struct tfs_fd_table *t, const struct tfs_fd_fs *fs,
			 const struct tfs_fd_task *except);
/** tfs_fd_own_files() - the task shares its descriptors with nobody from now on; 0 or -ENOMEM */
int tfs_fd_own_files(struct tfs_fd_table *t, struct tfs_fd_task *task);
/** tfs_fd_own_fs() - the same of its directory */
int tfs_fd_own_fs(struct tfs_fd_table *t, struct tfs_fd_task *task);
/** tfs_fd_fs_set() - the current directory is @cwd from @end on: a reference, or NULL: not known */
void tfs_fd_fs_set(struct tfs_fd_table *t, struct tfs_fd_fs *fs, struct tfs_fd_name *cwd,
		   uint64_t end);
/** tfs_fd_doubt_others() - a change by @task may be one of tasks that seem not to share with it */
int tfs_fd_doubt_others(struct tfs_fd_table *t, const struct tfs_fd_task *task, unsigned int first,
			unsigned int last, uint64_t end);
/** tfs_fd_apply() - what a call that returned did. 0 or -ENOMEM */
int tfs_fd_apply(struct tfs_fd_table *t, struct tfs_fd_task *task, const struct tfs_fd_rule *rule,
		 const struct tfs_call *call);
/**
 * tfs_fd_path() - an absolute path, from argument @path of a call
 * @out: a reference, or NULL: it is not known
 */
int tfs_fd_path(struct tfs_fd_table *t, struct tfs_fd_task *task, const struct tfs_call *call,
		int dirfd, int path, struct tfs_fd_name **out);

#endif
