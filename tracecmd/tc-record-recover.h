/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_RECORD_RECOVER_H
#define TC_RECORD_RECOVER_H

#include <stdbool.h>

struct tfs_err;

/**
 * record_recover() - tc-record --recover: make a complete file of what a killed recorder left
 * @quiet: say nothing of what was found
 *
 * Return: 0 or -errno with @err set. A file that is complete is no error.
 */
int record_recover(const char *path, bool quiet, struct tfs_err *err);

#endif
