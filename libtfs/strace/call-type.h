/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STRACE_CALL_TYPE_H
#define TFS_STRACE_CALL_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "strace/call.h"

struct tfs_call_signal;
struct tfs_event;
struct tfs_event_type;
struct tfs_field;
struct tfs_fields;

/** enum tfs_call_type_role - what an event means for system calls */
enum tfs_call_type_role {
	TFS_CALL_TYPE_UNKNOWN, /* not looked at yet */
	TFS_CALL_TYPE_OTHER,
	TFS_CALL_TYPE_ENTER,       /* raw_syscalls:sys_enter */
	TFS_CALL_TYPE_EXIT,        /* raw_syscalls:sys_exit */
	TFS_CALL_TYPE_NAMED_ENTER, /* syscalls:sys_enter_NAME */
	TFS_CALL_TYPE_NAMED_EXIT,  /* syscalls:sys_exit_NAME */
	TFS_CALL_TYPE_FORK,        /* sched_process_fork, task_newtask */
	TFS_CALL_TYPE_EXEC,        /* sched_process_exec */
	TFS_CALL_TYPE_TASK_END,    /* sched_process_exit */
	TFS_CALL_TYPE_SIGNAL,      /* signal_deliver */
	TFS_CALL_TYPE_RENAME,      /* task_rename */
	TFS_CALL_TYPE_GETNAME,     /* strace/call-texts.h has these three */
	TFS_CALL_TYPE_TEXT,
	TFS_CALL_TYPE_BEFORE,
};

/** struct tfs_call_number - a number in a record; @size 0: there is none */
struct tfs_call_number {
	unsigned int offset;
	uint8_t size;
	bool big, is_signed;
};

/**
 * struct tfs_call_type - how to read one type of event, found once
 * @nr, @ret: of calls; @args: @n_args registers
 * @text: fields with what arguments point to, borrowed from @fields; NULL: none
 * @native: they are the kernel's own, __PARAMETER_val
 * @address: of a path in the program
 * @pid, @clone_flags: of a new task; @old_pid: of an exec
 * @sig, @code, @error, @handler: of a signal; @file: of an exec; @comm: a task's new name
 */
struct tfs_call_type {
	enum tfs_call_type_role role;
	const struct tfs_fields *fields;
	unsigned int n_args;
	struct tfs_call_number nr, ret, args[TFS_CALL_ARGS];
	const struct tfs_field *text[TFS_CALL_ARGS];
	bool has_text, native;
	struct tfs_call_number address;
	struct tfs_call_number pid, clone_flags, old_pid;
	struct tfs_call_number sig, code, error, handler;
	const struct tfs_field *file, *comm;
};

/** tfs_call_type_init() - find role and fields; @type is parsed */
void tfs_call_type_init(struct tfs_call_type *t, const struct tfs_event_type *type);

/** tfs_call_type_number() - read one; false: the record does not have it */
bool tfs_call_type_number(const struct tfs_call_number *n, const struct tfs_event *event,
			  int64_t *value);
/** tfs_call_type_nr(), tfs_call_type_ret() - number and result of a call */
bool tfs_call_type_nr(const struct tfs_call_type *t, const struct tfs_event *event, int64_t *nr);
bool tfs_call_type_ret(const struct tfs_call_type *t, const struct tfs_event *event, int64_t *ret);
/** tfs_call_type_args() - store the registers in @call; what is not there becomes 0 */
void tfs_call_type_args(const struct tfs_call_type *t, const struct tfs_event *event,
			struct tfs_call *call);
/**
 * tfs_call_type_text() - the texts that the event has
 * @call: its arguments are known; used for the kernel's own texts only
 * @text: of each argument, borrowed from the record
 *
 * Return: bits of the arguments that have one.
 */
unsigned int tfs_call_type_text(const struct tfs_call_type *t, const struct tfs_event *event,
				const struct tfs_call *call,
				struct tfs_call_text text[TFS_CALL_ARGS]);
/** tfs_call_type_signal() - false: a field is missing */
bool tfs_call_type_signal(const struct tfs_call_type *t, const struct tfs_event *event,
			  struct tfs_call_signal *sig, int64_t *handler);
/** tfs_call_type_comm() - a task's new name, terminated, or "": not known */
void tfs_call_type_comm(const struct tfs_call_type *t, const struct tfs_event *event,
			char comm[TFS_CALL_COMM]);
/** tfs_call_type_file() - the program executed; terminated, borrowed from the record; or NULL */
const char *tfs_call_type_file(const struct tfs_call_type *t, const struct tfs_event *event);

#endif
