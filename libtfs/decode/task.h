/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DECODE_TASK_H
#define TFS_DECODE_TASK_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "decode/prefix.h"

struct tfs_trace;

/** TFS_TASK_UNKNOWN - what stands for a name that is not known */
#define TFS_TASK_UNKNOWN "<...>"

/**
 * struct tfs_task - a task whose name is known; does not change, and lives as long as its table
 * @column: "comm-pid " as trace-cmd report prints it, @column_len bytes, and then @comm
 * @latency_at, @pid_at: where in it the name of the latency format begins, and "-pid "
 *
 * There may be a million of them: one takes 64 bytes.
 */
struct tfs_task {
	int pid;
	uint32_t column_len, latency_at, pid_at;
	const char *comm;
	char column[];
};

/** tfs_task_latency() - put "comm-pid " of the latency format at @p. Return: the byte after it */
static inline char *tfs_task_latency(const struct tfs_task *task, char *p)
{
	memcpy(p, task->column + task->latency_at, TFS_PREFIX_COMM_LATENCY);
	memcpy(p + TFS_PREFIX_COMM_LATENCY, task->column + task->pid_at, TFS_PREFIX_PID_MAX);
	return p + TFS_PREFIX_COMM_LATENCY + (task->column_len - task->pid_at);
}

/**
 * struct tfs_tasks - the names of tasks as a report goes on
 *
 * The names are libtraceevent's: those that the file holds, and those that its plugin for sched
 * events would learn of pids without a name as it prints. So a name may be known in later lines
 * only.
 * For the event reader alone: it asks in order of the records.
 */
struct tfs_tasks;

int tfs_tasks_new(struct tfs_trace *trace, struct tfs_tasks **out);
void tfs_tasks_free(struct tfs_tasks *tasks);
/** tfs_tasks_find() - the task of a pid, or NULL in *@out; 0 or -ENOMEM */
int tfs_tasks_find(struct tfs_tasks *tasks, int pid, const struct tfs_task **out);
/** tfs_tasks_learn() - use the name in a record if the task has none yet; 0 or -ENOMEM */
int tfs_tasks_learn(struct tfs_tasks *tasks, int pid, const char *comm, size_t len);
/**
 * tfs_tasks_update() - names as they are now: "PID COMM" lines, as saved_cmdlines has them
 *
 * For events of a running kernel: a task gets another name when it starts a program. The tasks that
 * tfs_tasks_find() found are valid until the next call but one; ask for them again.
 * Return: 0 or -ENOMEM.
 */
int tfs_tasks_update(struct tfs_tasks *tasks, const char *names);
/** tfs_tasks_changed() - a plugin printed something: it may have learned names */
void tfs_tasks_changed(struct tfs_tasks *tasks);

#endif
