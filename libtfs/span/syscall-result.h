/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_SPAN_SYSCALL_RESULT_H
#define TFS_SPAN_SYSCALL_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_span;
struct tfs_syscall_results;
struct tfs_trace;

/** TFS_ERRNO_MAX - the kernel's MAX_ERRNO: what a call returns from -4095 on is an error */
#define TFS_ERRNO_MAX 4095

/**
 * tfs_syscall_results_new() - for spans of @n recordings, which outlive it
 *
 * One thread at a time. Return: 0 or -ENOMEM.
 */
int tfs_syscall_results_new(struct tfs_trace *const *traces, size_t n,
			    struct tfs_syscall_results **out);
void tfs_syscall_results_free(struct tfs_syscall_results *results);

/**
 * tfs_syscall_result() - the value that a TFS_SPAN_SYSCALL returned, during its callback
 *
 * Return: false: its end does not have it; *@result is not set.
 */
bool tfs_syscall_result(struct tfs_syscall_results *results, const struct tfs_span *span,
			int64_t *result);

/** tfs_syscall_failed() - is @result an error? */
static inline bool tfs_syscall_failed(int64_t result)
{
	return result < 0 && result >= -TFS_ERRNO_MAX;
}

#endif
