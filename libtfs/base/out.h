/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_OUT_H
#define TFS_BASE_OUT_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct tfs_out - buffered output to a descriptor that the caller chose
 *
 * Remembers the first error: further output is dropped and every call returns it, so that a
 * renderer may check once at the end. One thread at a time.
 */
struct tfs_out;

/**
 * tfs_out_new() - buffer output to @fd, which is borrowed
 * Return: 0 or -ENOMEM.
 */
int tfs_out_new(int fd, struct tfs_out **out);
/** tfs_out_free() - frees without flushing */
void tfs_out_free(struct tfs_out *out);
/** tfs_out_set_inert() - a terminal: control characters but tabs, line ends are shown escaped */
void tfs_out_set_inert(struct tfs_out *out, bool inert);
int tfs_out_write(struct tfs_out *out, const void *data, size_t len);
int tfs_out_puts(struct tfs_out *out, const char *s);
int tfs_out_printf(struct tfs_out *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** tfs_out_flush() - write what is held; 0 or the first errno ever met (-EPIPE: the reader left) */
int tfs_out_flush(struct tfs_out *out);

#endif
