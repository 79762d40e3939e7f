/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_FLEET_OPTS_H
#define TC_FLEET_OPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strvec.h"
#include "cli/opt.h"

struct tfs_err;
struct tfs_strbuf;

/**
 * struct fleet_request - the options of tc-fleet record, fetch, status and stop
 * @on: --on, as typed
 * @hosts_file: --hosts
 * @output: -o: the folder of the recordings
 * @ssh: --ssh
 * @program: --program
 * @copy: --copy
 * @binary: --binary; NULL: the tc-record beside this program
 * @spool: --spool, of the hosts; NULL: the default
 * @max_bytes: --max-size, of each file; 0: no limit
 * @rate: --bwlimit, of each host, in bytes a second; 0: no limit, for fetch that of the run
 * @max_parallel: --max-parallel
 * @reconnect_ns: --reconnect
 * @arm_ns: --arm-time
 * @quiet: -q
 * @words: of tc-record: options and COMMAND
 */
struct fleet_request {
	struct tfs_strvec on;
	const char *hosts_file;
	const char *output;
	const char *ssh;
	const char *program;
	bool copy;
	const char *binary;
	const char *spool;
	uint64_t max_bytes;
	uint64_t rate;
	uint64_t max_parallel;
	uint64_t reconnect_ns;
	uint64_t arm_ns;
	bool quiet;
	struct tfs_strvec words;
};

extern const struct tc_option fleet_record_options[];
extern const struct tc_option fleet_fetch_options[];
extern const struct tc_option fleet_folder_options[];
extern const struct tc_option fleet_check_options[];

void fleet_init(void *request);
void fleet_release(void *request);

/**
 * fleet_hosts() - the hosts of --on and --hosts, each once
 * Return: 0; -EINVAL for none, or a name that ssh would take for an option; -errno of the file.
 */
int fleet_hosts(const struct fleet_request *req, struct tfs_strvec *hosts, struct tfs_err *err);
/** fleet_folder() - append a host's name as the name of a folder, a different one for each name */
int fleet_folder(const char *host, struct tfs_strbuf *out);
/** fleet_words() - take over what follows the options: more options of tc-record, or COMMAND */
int fleet_words(struct fleet_request *req, int argc, char **argv);
/** fleet_quote() - append " WORD", quoted for a shell */
int fleet_quote(struct tfs_strbuf *sb, const char *word);

#endif
