/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_RECORD_OPTS_H
#define TC_RECORD_OPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/strvec.h"
#include "cli/clause.h"
#include "cli/opt.h"
#include "data/compress.h"

struct tfs_err;
struct tfs_instance;
struct tfs_plan;

/**
 * struct record_request - what tc-record's arguments ask for
 *
 * Filled by tc_opt_parse() with record_options, then record_check(); nothing of it touches the
 * system. Strings are borrowed from argv.
 * @clauses: -e, -p, -f, -v
 * @ignore_missing: -i
 * @clock: -C; NULL: the kernel's default
 * @buffer_bytes: -b: per CPU
 * @pid_words: -P as typed
 * @pids: set by record_check(): the numbers of @pid_words
 * @children: -c
 * @only_command: -F
 * @user: --user; NULL: unchanged
 * @duration_ns: --duration; 0: no limit
 * @output: -o
 * @compression: --compression as typed; NULL: the default
 * @codec: set by record_check()
 * @level: set by record_check(); 0: the codec's default
 * @dry_run: --dry-run
 * @quiet: -q
 * @command: COMMAND and its arguments, NULL-terminated; NULL: none
 */
struct record_request {
	struct tc_clauses clauses;
	bool ignore_missing;
	const char *clock;
	uint64_t buffer_bytes;
	struct tfs_strvec pid_words;
	pid_t *pids;
	size_t n_pids;
	bool children;
	bool only_command;
	const char *user;
	uint64_t duration_ns;
	const char *output;
	const char *compression;
	enum tfs_codec_id codec;
	int level;
	bool dry_run;
	bool quiet;
	char **command;
};

/** record_options - tc-record's option table, over struct record_request */
extern const struct tc_option record_options[];

/** record_init() - defaults; @request is a zeroed struct record_request (for struct tc_command) */
void record_init(void *request);
/** record_release() - free what the request owns (for struct tc_command) */
void record_release(void *request);

/**
 * record_check() - everything that can be wrong with a request, in one place; pure
 * @argc: number of operands
 * @argv: the operands: COMMAND and its arguments, NULL-terminated; borrowed
 *
 * Return: 0; -EINVAL, -ERANGE, -EOPNOTSUPP or -ENOMEM with @err set.
 */
int record_check(struct record_request *req, int argc, char **argv, struct tfs_err *err);

/**
 * record_plan() - the steps that make @inst ready, tracing still off; pure but for @plan
 * @names: events that exist, from tfs_event_list(); req->clauses are resolved against them
 * @pids: threads to record instead of all, 0 of them for no restriction
 *
 * Return: 0 or -errno with @err set.
 */
int record_plan(const struct record_request *req, const struct tfs_instance *inst,
		const struct tfs_strvec *names, const struct tfs_strvec *pids,
		struct tfs_plan *plan, struct tfs_err *err);

/**
 * record_plan_start() - the steps that begin recording; pure but for @plan
 * @own: threads of the recorder, which are not to be recorded
 */
int record_plan_start(const struct tfs_instance *inst, const struct tfs_strvec *own,
		      struct tfs_plan *plan, struct tfs_err *err);

/**
 * record_events() - what the recording may hold, for the formats that go into the file
 * @out: the matches of every -e that switches events on are added; 0 or -ENOMEM
 */
int record_events(const struct record_request *req, struct tfs_strvec *out);

#endif
