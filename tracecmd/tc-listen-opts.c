/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-listen-opts.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/num.h"

#define KIB UINT64_C(1024)
#define SIZE_LIMIT (UINT64_C(1) << 60)
#define QUOTA (UINT64_C(16) << 30)
#define MAX_CLIENTS 64
/* Slow machines take long to collect their metadata. */
#define TIMEOUT 120
#define AT(member) .offset = offsetof(struct listen_request, member)

static int on_port(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	struct listen_request *req = request;

	(void)opt;
	req->has_port = true;
	return tfs_parse_u64(arg, 0, UINT16_MAX, &req->port, err);
}

const struct tc_option listen_options[] = {
	{ .type = TC_OPT_GROUP, .help = "Where to listen" },
	{ 'p', "port", "PORT", "TCP port to listen on; 0: any that is free", TC_OPT_CALL,
	  TC_OPT_ONCE, .call = on_port, .complete = "none" },
	{ 0, "bind", "ADDRESS", "listen on this address, :: for all (127.0.0.1)", TC_OPT_STRING,
	  AT(bind), .complete = "none" },
	{ 0, "udp", NULL, "also take datagrams, which can get lost", TC_OPT_FLAG, AT(udp) },
	{ .type = TC_OPT_GROUP, .help = "Files" },
	{ 'd', "dir", "DIR", "directory for the files (.)", TC_OPT_STRING, AT(dir),
	  .complete = "file" },
	{ 'o', "output", "NAME", "files are called NAME.ADDRESS:PORT.dat (trace)", TC_OPT_STRING,
	  AT(name), .complete = "none" },
	{ .type = TC_OPT_GROUP, .help = "Limits" },
	{ 0, "quota", "SIZE", "a client's file has at most this size (16G); 0: no limit",
	  TC_OPT_SIZE, AT(quota), .min = 0, .max = SIZE_LIMIT, .unit = KIB, .complete = "size" },
	{ 0, "max-clients", "N", "serve at most N at a time (64)", TC_OPT_U64, AT(max_clients),
	  .min = 1, .max = 10000, .complete = "none" },
	{ 0, "timeout", "SECONDS", "end a client that is silent so long before it records (120)",
	  TC_OPT_U64, AT(timeout), .min = 1, .max = 86400, .complete = "none" },
	{ .type = TC_OPT_GROUP, .help = "Running" },
	{ 'D', "daemon", NULL, "go into the background", TC_OPT_FLAG, AT(daemon) },
	{ 'l', "log", "FILE", "append messages about clients to FILE", TC_OPT_STRING, AT(log),
	  .complete = "file" },
	{ 'q', "quiet", NULL, "no messages about clients that were served", TC_OPT_FLAG,
	  AT(quiet) },
	TC_OPT_END,
};

void listen_init(void *request)
{
	struct listen_request *req = request;

	req->dir = ".";
	req->name = "trace";
	req->bind = "127.0.0.1";
	req->quota = QUOTA;
	req->max_clients = MAX_CLIENTS;
	req->timeout = TIMEOUT;
}

int listen_check(const struct listen_request *req, int argc, char **argv, struct tfs_err *err)
{
	int rc = 0;

	if (argc > 0) {
		rc = tfs_err_say(err, -EINVAL, "unexpected operand '%s'", argv[0]);
	} else if (!req->has_port) {
		rc = tfs_err_say(err, -EINVAL, "option -p is missing: the port to listen on");
		tfs_err_hint(err, "for example -p 12345, and tc-record -N 12345 on this machine");
	} else if (!*req->name || strchr(req->name, '/')) {
		rc = tfs_err_say(err, -EINVAL,
				 "option -o: '%s' is not the beginning of a file name", req->name);
		tfs_err_hint(err, "-d names the directory");
	} else if (!*req->dir) {
		rc = tfs_err_say(err, -EINVAL, "option -d: the directory is empty");
	} else if (!*req->bind) {
		rc = tfs_err_say(err, -EINVAL, "option --bind: the address is empty");
	} else if (req->quiet && req->log) {
		rc = tfs_err_say(err, -EINVAL, "options -q and -l exclude each other");
	}
	return rc;
}

bool listen_is_open(const struct listen_request *req)
{
	return strncmp(req->bind, "127.", 4) != 0 && strcmp(req->bind, "::1") != 0;
}
