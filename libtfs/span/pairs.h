/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_SPAN_PAIRS_H
#define TFS_SPAN_PAIRS_H

#include <stdbool.h>
#include <stddef.h>

struct tfs_err;
struct tfs_field;
struct tfs_strvec;
struct tfs_trace;

/** TFS_PAIR_KEYS - fields that a key has at most */
#define TFS_PAIR_KEYS 8

/**
 * enum tfs_pair_syscall - which system calls a pair is of
 *
 * A task is in one system call at a time, so that the next one ends one without an end (exit,
 * rt_sigreturn). One of TFS_PAIR_SYSCALL begins within the same one of TFS_PAIR_SYSCALL_RAW.
 */
enum tfs_pair_syscall {
	TFS_PAIR_NO_SYSCALL,
	TFS_PAIR_SYSCALL,     /* syscalls:sys_enter_NAME */
	TFS_PAIR_SYSCALL_RAW, /* raw_syscalls:sys_enter */
};

/**
 * struct tfs_pair - an event that begins something, and one that ends it
 * @begin, @end: indices of the recording's types
 * @n_keys: fields whose values belong together; 0: both are of one task
 * @begin_key, @end_key: these fields of either event; borrowed from its type
 * @syscall: of a pair without keys
 */
struct tfs_pair {
	size_t begin, end;
	size_t n_keys;
	const struct tfs_field *begin_key[TFS_PAIR_KEYS], *end_key[TFS_PAIR_KEYS];
	enum tfs_pair_syscall syscall;
};

/** struct tfs_pairs - @v is an array of @n; zeroed it is empty */
struct tfs_pairs {
	struct tfs_pair *v;
	size_t n, room;
};

/**
 * struct tfs_pair_spec - what was typed, taken apart; all borrowed from the text given
 *
 * BEGIN:END, or where names have colons BEGIN..END, each EVENT, SYSTEM:EVENT or SYSTEM/EVENT, with
 * at most one "*" that stands for the same in both; after it ",key=FIELD", or ",key=FIELD/FIELD"
 * where the second event has another name for it. Several fields have "+" between them, and there
 * are as many on either side of the slash.
 * @begin_key, @end_key: the first of @n_keys names, one after the other, each with its NUL
 */
struct tfs_pair_spec {
	char *begin, *end;
	size_t n_keys;
	char *begin_key, *end_key;
};

/** tfs_pair_parse() - changes @text. Pure. Return: 0, -EINVAL with @err set */
int tfs_pair_parse(char *text, struct tfs_pair_spec *spec, struct tfs_err *err);

/**
 * tfs_pairs_find() - the pairs that @texts say, in the recording
 *
 * Without @texts: probes of functions that have one of their return beside them, by the names that
 * tc-probe, perf probe and the kernel give them: f and f__return, f__entry and f__exit, p_f_0 and
 * r_f_0.
 * Return: 0; -EINVAL; -ENOENT for an event, or a key that one of the two events does not have, with
 * near names; -ENOMEM. Release, also on failure.
 */
int tfs_pairs_find(struct tfs_trace *trace, const struct tfs_strvec *texts, struct tfs_pairs *pairs,
		   struct tfs_err *err);
void tfs_pairs_release(struct tfs_pairs *pairs);

#endif
