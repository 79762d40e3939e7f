/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_RECORD_SWITCH_H
#define TC_RECORD_SWITCH_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct tfs_err;
struct tfs_strbuf;

/**
 * struct record_switch - when a recording goes on into another file (--switch-output)
 * @on: at all
 * @by_signal: at SIGUSR2
 * @bytes: when the file has this size; 0: not
 * @ns: after this time; 0: not
 * @max_files: keep only so many files, the newest; 0: all
 */
struct record_switch {
	bool on;
	bool by_signal;
	uint64_t bytes;
	uint64_t ns;
	uint64_t max_files;
};

/**
 * record_switch_parse() - "signal", a size with B, K, M or G, or a time with s, m, h or d; pure
 * @word: NULL: "signal"
 */
int record_switch_parse(const char *word, struct record_switch *s, struct tfs_err *err);

/** record_switch_name() - PATH.YYYYMMDDHHMMSScc, the local time as perf has it; 0 or -ENOMEM */
int record_switch_name(const char *path, const struct timespec *now, struct tfs_strbuf *out);

#endif
