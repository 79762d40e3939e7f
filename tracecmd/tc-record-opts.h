/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_RECORD_OPTS_H
#define TC_RECORD_OPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/opt.h"
#include "net/address.h"
#include "tc-record-policy.h"
#include "tc-record-profile.h"
#include "record/switch-output.h"
#include "trace-opts.h"
#include "tracedat/compress.h"

struct tfs_err;

/** RECORD_SPOOL_SIZE - bytes that wait for the receiver at most, without --spool-size */
#define RECORD_SPOOL_SIZE (UINT64_C(256) << 20)

/**
 * struct record_stream_opts - --stream and the options about spools; NULL, 0: not given
 * @on: --stream
 * @id: --stream-id
 * @spool: --spool
 * @size: --spool-size
 * @full_text: --spool-full
 * @rate: --bwlimit, in bytes a second
 * @wait_ns: set by record_check(): how long it waits to be started; 0: no limit
 * @max_bytes: set by record_check(): of the recording, about; 0: no limit
 * @max_spools: set by record_check(): that there may be, this one included; 0: no limit
 * @resume: --resume
 * @list: --spools
 * @stop: --stop-spool
 * @remove: --remove-spool
 */
struct record_stream_opts {
	bool on;
	const char *id;
	const char *spool;
	uint64_t size;
	const char *full_text;
	uint64_t rate;
	uint64_t wait_ns;
	uint64_t max_bytes;
	uint64_t max_spools;
	const char *resume;
	bool list;
	const char *stop;
	const char *remove;
};

/**
 * struct record_request - the options of tc-record
 *
 * Filled by tc_opt_parse() with record_options, then record_check(), which do not change the
 * system. Strings are borrowed from argv.
 * @trace: the options that tc-session start has, too, and COMMAND
 * @user: --user; NULL: unchanged
 * @profile: --profile-cpu
 * @markers: --markers
 * @delay_ns: --delay; 0: none
 * @max_events: --max-events; 0: no limit
 * @duration_ns: --duration; 0: no limit
 * @all_formats: -a
 * @kallsyms: --kallsyms
 * @keep: -k
 * @priority: -r; 0: no real-time priority
 * @interval_us: -s; 0: when there is enough to read
 * @date: --date
 * @ts_offset_text: --ts-offset as typed; NULL: none
 * @ts_offset: set by record_check(): nanoseconds
 * @tsc2nsec: --tsc2nsec, or set by record_check() for -C tsc2nsec
 * @daemonize: --daemonize
 * @to_stderr: --stderr, which changes nothing
 * @output: -o; with -N the listener's name, for messages
 * @has_output: -o was given
 * @listener: -N as typed; NULL: into a file
 * @host: set by record_check(): the same
 * @tcp: -t, which changes nothing
 * @mode: --mode; 0: the default
 * @compression: --compression as typed; NULL: the default
 * @codec: set by record_check()
 * @level: set by record_check(); 0: the codec's default
 * @cap_bytes: -m: of each CPU; 0: no limit
 * @max_bytes: --max-size; 0: no limit
 * @switch_output: --switch-output, --switch-max-files
 * @fail_on_lost: --fail-on-lost
 * @recover: --recover; NULL: record
 * @clock_probe: --clock-probe
 * @stream: --stream, --spool...
 * @policy: --policy
 * @dry_run: --dry-run
 * @quiet: -q
 */
struct record_request {
	struct trace_request trace;
	const char *user;
	struct record_profile_opts profile;
	bool markers;
	uint64_t delay_ns;
	uint64_t max_events;
	uint64_t duration_ns;
	bool all_formats;
	bool kallsyms;
	bool keep;
	uint64_t priority;
	uint64_t interval_us;
	bool date;
	const char *ts_offset_text;
	int64_t ts_offset;
	bool tsc2nsec;
	bool daemonize;
	bool to_stderr;
	const char *output;
	bool has_output;
	const char *listener;
	struct tfs_net_host host;
	bool tcp;
	unsigned int mode;
	const char *compression;
	enum tfs_codec_id codec;
	int level;
	uint64_t cap_bytes;
	uint64_t max_bytes;
	struct tfs_switch_output switch_output;
	bool fail_on_lost;
	const char *recover;
	bool clock_probe;
	struct record_stream_opts stream;
	struct record_policy policy;
	bool dry_run;
	bool quiet;
};

/** record_options - tc-record's option table, over struct record_request */
extern const struct tc_option record_options[];

/** record_init() - defaults; @request is a zeroed struct record_request (for struct tc_command) */
void record_init(void *request);
/** record_release() - free what the request owns (for struct tc_command) */
void record_release(void *request);

/** record_is_about_spools() - it records nothing: --resume, --spools, ... */
bool record_is_about_spools(const struct record_request *req);

/**
 * record_check() - check everything in a request that needs no look at the system; pure
 * @argc: number of operands
 * @argv: the operands: COMMAND and its arguments, NULL-terminated; borrowed
 *
 * Return: 0; -EINVAL, -ERANGE, -EOPNOTSUPP, -EPERM (--policy) or -ENOMEM with @err set.
 */
int record_check(struct record_request *req, int argc, char **argv, struct tfs_err *err);

#endif
