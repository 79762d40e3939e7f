/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DECODE_FORMAT_CHECK_H
#define TFS_DECODE_FORMAT_CHECK_H

#include <stddef.h>

/*
 * libtraceevent's parser believes what it reads: a damaged format makes it crash. These look at a
 * text first, with a grammar a little wider than what kernels write. Pure.
 */

/**
 * tfs_format_check_fields() - everything before "print fmt:"
 *
 * Return: 0; -EBADMSG when a line is not of the kernel's form.
 */
int tfs_format_check_fields(const char *text, size_t size);

/**
 * tfs_format_check_print() - the print format
 * @end: set to where the text has to be cut for the event to be parsed without a print format;
 *       records are then shown as "[FAILED TO PARSE]" and their fields
 *
 * Return: 0; -EBADMSG if it is not a list of expressions, nests too deep, asks for absurdly wide
 * columns, or names a field that there is not where libtraceevent would not survive that.
 */
int tfs_format_check_print(const char *text, size_t size, size_t *end);

#endif
