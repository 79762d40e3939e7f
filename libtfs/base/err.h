/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_ERR_H
#define TFS_BASE_ERR_H

#include <stddef.h>

/**
 * struct tfs_err - why an operation failed, in words for a person
 * @code: negative errno, 0 when nothing was recorded
 * @msg: what failed, on what and why; lower case, no full stop
 * @input: the text the user typed that is at fault, "" if there is none
 * @caret: byte offset of the fault in @input, -1 if unknown
 * @kernel: what the kernel's error_log said (may be several lines), "" if nothing
 * @hint: what to do about it, "" if there is nothing to say
 *
 * A plain value: no allocation, nothing to release; long texts are cut. Initialise with
 * TFS_ERR_INIT. Every function that takes one accepts NULL. Not shared between threads.
 */
struct tfs_err {
	int code;
	int caret;
	char msg[1024];
	char input[512];
	char kernel[1024];
	char hint[1024];
};

/* In a hint: begins a row of a list, which is shown on a line of its own (ASCII's RS). */
#define TFS_ERR_ROW "\x1e"

#define TFS_ERR_INIT ((struct tfs_err){ .caret = -1 })

/**
 * tfs_err_set() - record a failure of the system; ": " and strerror(-code) are appended
 * @err: may be NULL; what it held before is replaced
 * @code: negative errno
 *
 * Return: @code, so that a caller can write `return tfs_err_set(err, -errno, ...)`.
 */
int tfs_err_set(struct tfs_err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * tfs_err_say() - record a failure that words describe better than an errno; nothing is appended
 *
 * Return: @code.
 */
int tfs_err_say(struct tfs_err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * tfs_err_prefix() - put "context: " before the message, as a failure is passed up
 *
 * Return: the code @err holds (0 for NULL).
 */
int tfs_err_prefix(struct tfs_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** tfs_err_hint() - say what to do; replaces an earlier hint */
void tfs_err_hint(struct tfs_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** tfs_err_input() - name the text at fault and the byte in it (-1: unknown); copies @input */
void tfs_err_input(struct tfs_err *err, const char *input, int caret);

/** tfs_err_kernel() - keep what the kernel's error_log said; copies @text */
void tfs_err_kernel(struct tfs_err *err, const char *text);

/** tfs_err_clear() - forget everything */
void tfs_err_clear(struct tfs_err *err);

#endif
