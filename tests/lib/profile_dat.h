/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_LIB_PROFILE_DAT_H
#define TESTS_LIB_PROFILE_DAT_H

struct bytes;

/**
 * profile_dat() - a recording as tc-record --profile-cpu makes it, to @out (initialised here)
 *
 * Two samples of a program that waits between them, with names, and run time of it and of another
 * task.
 */
void profile_dat(struct bytes *out);

#endif
