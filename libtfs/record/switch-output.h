/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_SWITCH_OUTPUT_H
#define TFS_RECORD_SWITCH_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct tfs_err;
struct tfs_strbuf;

/**
 * struct tfs_switch_output - when a recording switches to a new file (--switch-output)
 * @on: --switch-output was given
 * @by_signal: on SIGUSR2
 * @bytes: when the file has this size; 0: no limit
 * @ns: after this time; 0: no limit
 * @max_files: keep only this many files, the newest; 0: all
 */
struct tfs_switch_output {
	bool on;
	bool by_signal;
	uint64_t bytes;
	uint64_t ns;
	uint64_t max_files;
};

/**
 * tfs_switch_output_parse() - "signal", a size with B, K, M or G, or a time with s, m, h or d; pure
 * @word: NULL: "signal"
 */
int tfs_switch_output_parse(const char *word, struct tfs_switch_output *s, struct tfs_err *err);

/** tfs_switch_output_name() - PATH.YYYYMMDDHHMMSScc, the local time as perf has it; 0 or -ENOMEM */
int tfs_switch_output_name(const char *path, const struct timespec *now, struct tfs_strbuf *out);

#endif
