/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STRACE_SUMMARY_INTERNAL_H
#define TFS_STRACE_SUMMARY_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "strace/summary-text.h"
#include "strace/summary.h"
#include "strace/tally.h"

struct tfs_strbuf;

/**
 * struct tfs_summary_group - what has a table of its own: everything, or a thread
 * @tid: of everything, 0
 * @comm: its name, as it was last; "" if it is not known
 */
struct tfs_summary_group {
	struct tfs_tally tally;
	int tid;
	char comm[64];
};

/** tfs_summary_print_text() - append the tables of @n groups as strace lays them out */
int tfs_summary_print_text(const struct tfs_strace_summary_opts *opts,
			   const struct tfs_summary_layout *layout,
			   const struct tfs_strace_summary_totals *totals,
			   struct tfs_summary_group *const *groups, size_t n,
			   struct tfs_strbuf *out);
/** tfs_summary_export() - append a row for each system call of each group as JSON or CSV */
int tfs_summary_export(const struct tfs_strace_summary_opts *opts,
		       const struct tfs_strace_summary_totals *totals,
		       struct tfs_summary_group *const *groups, size_t n, struct tfs_strbuf *out);
/** TFS_SUMMARY_COMPAT - added to the numbers that programs of 32 bits have on a kernel of 64 */
#define TFS_SUMMARY_COMPAT (INT64_C(1) << 40)

/** tfs_summary_key() - by which a call is in a tally */
static inline int64_t tfs_summary_key(int64_t nr, bool compat)
{
	return compat && (uint64_t)nr <= INT32_MAX ? nr | TFS_SUMMARY_COMPAT : nr;
}

/** tfs_summary_is_compat() - is a key of a program of 32 bits? */
static inline bool tfs_summary_is_compat(int64_t key)
{
	return key >> 32 == TFS_SUMMARY_COMPAT >> 32;
}

/** tfs_summary_abi() - of the key *@nr in a recording of @abi; its number is stored back */
int tfs_summary_abi(int abi, int64_t *nr);
/** tfs_summary_known_name() - name of a system call by its key; NULL: no table has the number */
const char *tfs_summary_known_name(int abi, int64_t key);
/**
 * tfs_summary_call_name() - the same, or "syscall_0x1c8" as strace has it
 * @room: where that is made
 */
const char *tfs_summary_call_name(int abi, int64_t key, char room[24]);
/** tfs_summary_errno_name() - NULL if it has none */
const char *tfs_summary_errno_name(int64_t error);

#endif
