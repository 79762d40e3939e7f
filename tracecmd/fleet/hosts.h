/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_FLEET_HOSTS_H
#define TC_FLEET_HOSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/strvec.h"
#include "relay/about.h"

struct fleet_request;
struct tfs_relay_remote;

/** enum fleet_state - of a host */
enum fleet_state {
	FLEET_WAITING, /* for its turn to connect */
	FLEET_BUSY,
	FLEET_BROKEN, /* to be connected again */
	FLEET_OK,
	FLEET_FAILED,
};

/**
 * struct fleet_result - what came of a host, as fleet.tab and manifest.json have it
 * @is_known: there was a connection
 * @events, @lost: by the recorder
 * @gaps, @gap_events: in what came
 * @bytes: of events as stored
 * @late_us: how long after the others it said that it had started; -1: not known
 * @has_file: @file is known: its file is complete
 */
struct fleet_result {
	bool is_known;
	uint64_t events, lost, gaps, gap_events, bytes;
	int64_t late_us;
	bool has_file;
	struct tfs_relay_about file;
};

/**
 * struct fleet_host - one host of a run
 * @name: as typed
 * @id: of the spool there
 * @folder: that its file is in; "" without
 * @file: below the folder of the run
 * @path: of the file
 * @retry_ns: when to connect again
 * @up_ns: since when there is a connection; 0: there is none
 * @broken_ns: since when connections break, or none is made; 0: not, or one lasted
 * @done_ns: when its file was complete; 0: not yet
 * @was_full: it was said that its spool is full
 * @was_slow: it was said that the rest takes a while
 * @started_ns: when it said that recording had started; 0: not yet
 * @status: exit status there
 * @said: last line of a connection that broke
 * @err: why it failed, or did not give all
 */
struct fleet_host {
	char *name;
	char *id;
	char *file;
	char *path;
	enum fleet_state state;
	struct tfs_relay_remote *remote;
	uint64_t retry_ns;
	uint64_t up_ns;
	uint64_t broken_ns;
	uint64_t started_ns;
	uint64_t done_ns;
	bool was_go, was_full, was_slow;
	int status;
	char said[256];
	struct fleet_result result;
	struct tfs_err err;
};

/**
 * struct fleet_run - a run on several hosts
 * @program: how to call tc-record there
 * @resume: its spools are there already
 * @max_bytes: of each file; 0: no limit
 * @rate: bytes a second that each host sends at most; 0: no limit
 * @words: of tc-record: options and COMMAND
 * @go_ns: when the hosts were started; 0: not yet
 * @shown_ns, @shown: when progress was shown, and in how many lines
 */
struct fleet_run {
	const struct fleet_request *req;
	char *program;
	char *spool;
	uint64_t max_bytes;
	uint64_t rate;
	struct tfs_strvec words;
	bool resume;
	struct fleet_host *hosts;
	size_t n;
	uint64_t begun_ns;
	uint64_t go_ns;
	uint64_t shown_ns;
	unsigned int shown;
	int stops;
};

/** fleet_run_new() - make a run, its folders and names; 0 or -errno */
int fleet_run_new(struct fleet_run *run, const struct fleet_request *req,
		  const struct tfs_strvec *hosts, struct tfs_err *err);
/** fleet_run_load() - a run that fleet_run_save() left in -o */
int fleet_run_load(struct fleet_run *run, const struct fleet_request *req, struct tfs_err *err);
/**
 * fleet_run_check_folder() - may a new run be written into -o?
 * Return: 0; -EEXIST when hosts of the run there may still have data, which only its table finds.
 */
int fleet_run_check_folder(const struct fleet_request *req, struct tfs_err *err);
/** fleet_run_describe() - note what came of each host, and read the files that are complete */
void fleet_run_describe(struct fleet_run *run);
/** fleet_run_save() - write fleet.tab and manifest.json */
int fleet_run_save(const struct fleet_run *run, struct tfs_err *err);
/** fleet_state_name() - "ok", "failed" or "running" */
const char *fleet_state_name(const struct fleet_host *h);
/** fleet_is_complete() - does a file have all that it ever will? */
bool fleet_is_complete(const char *path);

struct tfs_strbuf;
/** fleet_manifest() - append the text of manifest.json; 0 or -ENOMEM */
int fleet_manifest(const struct fleet_run *run, struct tfs_strbuf *out);
/** fleet_manifest_host() - the same of a host's line, which is part of it */
int fleet_manifest_host(const struct fleet_host *h, struct tfs_strbuf *out);
/** fleet_read_file() - the text of a file in the folder of the run; 0 or -errno */
int fleet_read_file(const struct fleet_run *run, const char *name, struct tfs_strbuf *text,
		    struct tfs_err *err);

#define FLEET_MANIFEST "manifest.json"
void fleet_run_release(struct fleet_run *run);

/** enum fleet_ask - what tc-record is to do on a host */
enum fleet_ask { FLEET_RECORD, FLEET_RESUME, FLEET_LIST, FLEET_STOP };

/** fleet_command() - the shell's command line for a host; free(); NULL: no memory, no binary */
char *fleet_command(const struct fleet_run *run, const struct fleet_host *host, enum fleet_ask ask);
/** fleet_argv() - what connects to @host: free() the list and its third word */
char **fleet_argv(const struct fleet_run *run, const struct fleet_host *host, char *command);

/** fleet_run_all() - record until all hosts have ended; the exit status */
int fleet_run_all(struct fleet_run *run, struct tfs_err *err);
/** fleet_progress() - show on a terminal how far the hosts are, if it is time for that */
void fleet_progress(struct fleet_run *run);
/** fleet_progress_end() - take it away */
void fleet_progress_end(struct fleet_run *run);
/** fleet_print_table() - a line for each host */
void fleet_print_table(const struct fleet_run *run);

#endif
