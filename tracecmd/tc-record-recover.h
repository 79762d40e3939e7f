/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_RECORD_RECOVER_H
#define TC_RECORD_RECOVER_H

struct tfs_err;

enum record_recover_flags {
	RECORD_RECOVER_QUIET = 1 << 0, /* do not print what was recovered */
};

/**
 * record_recover() - tc-record --recover: complete the file that a killed recorder left
 * @flags: RECORD_RECOVER_*
 *
 * Return: 0, also if nothing is left to recover; -errno with @err set.
 */
int record_recover(const char *path, unsigned int flags, struct tfs_err *err);

#endif
