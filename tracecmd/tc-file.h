/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_FILE_H
#define TC_FILE_H

#include "cli/command.h"

/** FILE_PROGRAM - what the messages of all verbs begin with */
#define FILE_PROGRAM "tc-file"

/* The verbs of tc-file; each is defined in tc-file-VERB.c. */
extern const struct tc_command file_check;
extern const struct tc_command file_convert;
extern const struct tc_command file_dump;
extern const struct tc_command file_merge;
extern const struct tc_command file_scrub;
extern const struct tc_command file_split;

#endif
