/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_LISTEN_OPTS_H
#define TC_LISTEN_OPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/opt.h"

struct tfs_err;

/**
 * struct listen_request - the options of tc-listen; strings are borrowed from argv
 * @port: -p; @has_port: it was given
 * @dir: -d
 * @name: -o
 * @log: -l; NULL: standard error
 * @bind: --bind
 * @udp: --udp
 * @daemon: -D
 * @quota: --quota, bytes; 0: no limit
 * @max_clients: --max-clients
 * @timeout: --timeout, seconds
 * @quiet: -q
 */
struct listen_request {
	uint64_t port;
	bool has_port;
	const char *dir;
	const char *name;
	const char *log;
	const char *bind;
	bool udp;
	bool daemon;
	uint64_t quota;
	uint64_t max_clients;
	uint64_t timeout;
	bool quiet;
};

/** listen_options - the option table, over struct listen_request */
extern const struct tc_option listen_options[];

/** listen_init() - defaults (for struct tc_command) */
void listen_init(void *request);
/** listen_check() - check everything that needs no look at the system; 0 or -EINVAL */
int listen_check(const struct listen_request *req, int argc, char **argv, struct tfs_err *err);
/** listen_is_open() - can other machines connect? */
bool listen_is_open(const struct listen_request *req);

#endif
