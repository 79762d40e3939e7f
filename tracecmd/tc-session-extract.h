/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_SESSION_EXTRACT_H
#define TC_SESSION_EXTRACT_H

#include <stdbool.h>
#include <stdint.h>

#include "tracedat/compress.h"

struct session_instances;
struct tfs_err;

/**
 * struct session_extract - what becomes a file, and how
 * @output: path of the file
 * @mode: its permissions; 0: the default
 * @codec: compression of the file
 * @level: see tfs_codec_parse()
 * @snapshot: the snapshot instead of the ring buffer
 * @running: nothing pauses tracing; only with @snapshot
 * @at_once: pause tracing first of all: the newest events are those of the call. Else formats and
 *           symbols are written before that, and the pause is short
 * @date: make reports show the time of day
 * @cap_bytes: see tfs_session_opts
 */
struct session_extract {
	const char *output;
	unsigned int mode;
	enum tfs_codec_id codec;
	int level;
	bool snapshot, running, at_once, date;
	uint64_t cap_bytes;
};

/**
 * struct session_extracted - what the file has
 * @lost: events before them, which the ring buffer had no room for
 * @taken: events that another program read at the same time
 * @bytes: size of the file; 0: there is none
 * @pause_ns: how long tracing was paused
 */
struct session_extracted {
	uint64_t events, lost, taken, bytes, pause_ns;
};

/**
 * session_extract_file() - move the content of ring buffers into a file
 * @out: set also on failure, as far as known
 *
 * Tracing is paused meanwhile, and resumes where it was on, also if this process is killed and
 * another program of tracecraft runs. Signals wait.
 *
 * Return: 0 or -errno with @err set. When the file system is full, there is a file with what it has
 * room for.
 */
int session_extract_file(const struct session_extract *what,
			 const struct session_instances *instances, struct session_extracted *out,
			 struct tfs_err *err);

#endif
