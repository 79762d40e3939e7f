/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STRACE_CALL_TEXTS_H
#define TFS_STRACE_CALL_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf-core.h"
#include "strace/call.h"

struct tfs_call_type;
struct tfs_event;
struct tfs_trace;

/*
 * Texts that arguments point to come by events of their own, besides those of the call:
 *
 *   syscalls:sys_enter_NAME   the kernel's event, from 6.19 on: fields __PARAMETER_val
 *   *:tc_getname              a return probe where the kernel has copied a path: name, ret, and
 *                             ptr, the address in the program (not on every kernel)
 *   *:tc_enter_NAME           an event probe on sys_enter_NAME: nr, and textN for parameter N
 *
 *   *:tc_before_NAME          probes before the instructions with which programs make the call: as
 *                             tc_enter_NAME, but before raw_syscalls:sys_enter
 *   sched:sched_process_exec  the path of an execve(2) that succeeded: filename
 *
 * All but one come after raw_syscalls:sys_enter.
 */

/** TFS_CALL_GETNAME - name of the event with the kernel's copy of a path */
#define TFS_CALL_GETNAME "tc_getname"
/** TFS_CALL_ENTER_TEXT - what the name of an event with texts of a call begins with */
#define TFS_CALL_ENTER_TEXT "tc_enter_"
/** TFS_CALL_BEFORE_TEXT - the same of one that is recorded before the call */
#define TFS_CALL_BEFORE_TEXT "tc_before_"

/**
 * struct tfs_call_texts - which arguments have a text in a recording
 * @names: paths that the kernel copied are recorded
 * @execs: programs that were executed are, by sched:sched_process_exec
 * @abi: of the calls that @by_entry is for
 * @by_entry: for each call of that ABI's table, bits of the parameters that other events than
 *	@names have a text of
 */
struct tfs_call_texts {
	bool names, execs;
	int abi;
	uint8_t *by_entry;
};

/**
 * tfs_call_texts_init() - look at the events of a recording
 * @abi: of tfs_calls_abi()
 *
 * No format is parsed. Return: 0 or -ENOMEM.
 */
int tfs_call_texts_init(struct tfs_call_texts *texts, const struct tfs_trace *trace, int abi);
void tfs_call_texts_release(struct tfs_call_texts *texts);

/**
 * struct tfs_call_kept - the texts of the call that a thread is in
 * @bytes: what call.text points into
 * @at: where in @bytes the text of an argument begins, if its bit in @has is set
 * @awaited: bits of arguments whose text is still to come by an event of the call itself
 * @copies: bits of paths that the kernel has not copied yet
 * @empty, @unknown: copies that failed because the path is empty, or for another reason
 */
struct tfs_call_kept {
	struct tfs_strbuf bytes;
	uint32_t at[TFS_CALL_ARGS];
	unsigned int has, awaited, copies;
	unsigned int empty, unknown;
};

void tfs_call_kept_init(struct tfs_call_kept *kept);
void tfs_call_kept_release(struct tfs_call_kept *kept);

/** tfs_call_kept_begin() - another call begins: nothing is kept, and what its events will bring */
void tfs_call_kept_begin(struct tfs_call_kept *kept, const struct tfs_call_texts *texts,
			 const struct tfs_call *call);

/** tfs_call_keep() - copy a text; it replaces what argument @i had. 0 or -ENOMEM */
int tfs_call_keep(struct tfs_call_kept *kept, struct tfs_call *call, unsigned int i,
		  const struct tfs_call_text *text);

/** tfs_call_kept_waits() - is there a text still to come? */
static inline bool tfs_call_kept_waits(const struct tfs_call_kept *kept)
{
	return kept->awaited || kept->copies;
}

/** tfs_call_keep_named() - texts of an event of the call itself; 0 or -ENOMEM */
int tfs_call_keep_named(struct tfs_call_kept *kept, struct tfs_call *call,
			const struct tfs_call_type *type, const struct tfs_event *event);

/**
 * struct tfs_call_early - texts of the call that the thread makes next
 * @number: of the call
 * @bytes: the texts, one after the other; @len: of each, for the bits in @has
 */
struct tfs_call_early {
	int64_t number;
	struct tfs_strbuf bytes;
	uint32_t len[TFS_CALL_ARGS];
	unsigned int has;
};

/** tfs_call_take_early() - an event TFS_CALL_BEFORE_TEXT; 0 or -ENOMEM */
int tfs_call_take_early(struct tfs_call_early *early, const struct tfs_call_type *type,
			const struct tfs_event *event);
/** tfs_call_keep_early() - the call began: take what is its, drop the rest; 0 or -ENOMEM */
int tfs_call_keep_early(struct tfs_call_kept *kept, struct tfs_call_early *early,
			struct tfs_call *call);

/** tfs_call_keep_name() - the kernel's copy of a path, TFS_CALL_GETNAME; 0 or -ENOMEM */
int tfs_call_keep_name(struct tfs_call_kept *kept, struct tfs_call *call,
		       const struct tfs_call_type *type, const struct tfs_event *event);

/** tfs_call_keep_exec() - the program that the call executes; 0 or -ENOMEM */
int tfs_call_keep_exec(struct tfs_call_kept *kept, struct tfs_call *call, const char *file);

/** tfs_call_kept_return() - the call returned: what is known now of texts that did not come */
int tfs_call_kept_return(struct tfs_call_kept *kept, struct tfs_call *call);

#endif
