/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_SESSION_DUMP_H
#define TC_SESSION_DUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/opt.h"
#include "record/dump-dir.h"
#include "tracedat/compress.h"

struct session_instances;
struct tfs_err;

/**
 * struct session_dump - where dumps go, and which of them stay
 *
 * The first member of the request of whoever takes session_dump_options; session_dump_init() sets
 * the defaults, session_dump_check() the members that are said to be.
 * @directory: borrowed
 * @free_bytes: room that stays on the file system of @directory
 * @compression: as typed
 * @codec: set by session_dump_check()
 * @level: set by session_dump_check()
 * @mode: permissions of the files; 0: the default
 * @snapshot: take a snapshot and write that, so that tracing is not paused. Else this is done
 *	where it works, unless
 * @pause: pause tracing in any case
 */
struct session_dump {
	const char *directory;
	struct tfs_dump_limits limits;
	uint64_t free_bytes;
	const char *compression;
	enum tfs_codec_id codec;
	int level;
	unsigned int mode;
	bool snapshot;
	bool pause;
};

/** session_dump_options - rows for a table: the members of struct session_dump */
extern const struct tc_option session_dump_options[];

void session_dump_init(struct session_dump *d);
/** session_dump_check() - pure; 0, or -EINVAL with @err set */
int session_dump_check(struct session_dump *d, struct tfs_err *err);

/**
 * session_dump_file() - move the content of an instance's ring buffer into a new file
 * @instances: one
 * @name: of the files, see tc-session-dumps.h
 * @why: for the message: "signal"; NULL: none
 * @quiet: print no message
 *
 * Waits for other dumps into the same directory. Old files are removed for @limits and @free_bytes,
 * the new one is never. If there is no room the ring buffer keeps its events.
 *
 * Return: 0; -ENOSPC; -errno with @err set.
 */
int session_dump_file(const struct session_dump *d, const struct session_instances *instances,
		      const char *name, const char *why, bool quiet, struct tfs_err *err);

#endif
