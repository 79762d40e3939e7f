/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/strvec.h"
#include "cli/signals.h"
#include "fleet/hosts.h"
#include "fleet/opts.h"
#include "fleet/fleet.h"

/* The tc-record beside this program. @path: room for PATH_MAX bytes */
static int find_binary(struct fleet_request *req, char *path, struct tfs_err *err)
{
	ssize_t n;
	char *slash;

	if (!req->binary) {
		n = readlink("/proc/self/exe", path, PATH_MAX - sizeof("tc-record"));
		if (n < 0)
			return tfs_err_set(err, -errno, "cannot find tc-record");
		path[n] = '\0';
		slash = strrchr(path, '/');
		memcpy(slash ? slash + 1 : path, "tc-record", sizeof("tc-record"));
		req->binary = path;
	}
	return access(req->binary, R_OK) ?
		       tfs_err_set(err, -errno, "cannot copy '%s'", req->binary) :
		       0;
}

static int check(struct fleet_request *req, char *path, struct tfs_err *err)
{
	if (req->binary && !req->copy)
		return tfs_err_say(err, -EINVAL, "option --binary needs --copy");
	if (req->copy && strcmp(req->program, "tc-record") != 0)
		return tfs_err_say(err, -EINVAL, "options --copy and --program exclude each other");
	if (req->program[strcspn(req->program, "\n")])
		return tfs_err_say(err, -EINVAL, "option --program: a line is wanted");
	/* It is a line of the run's table, too. */
	if (req->spool && req->spool[strcspn(req->spool, "\n")])
		return tfs_err_say(err, -EINVAL, "option --spool: the name has a line end in it");
	if (!req->words.n)
		return tfs_err_say(err, -EINVAL, "nothing is to be recorded: name events with -e");
	if (!req->copy)
		return 0;
	/* The table of the run has it so. */
	req->program = "";
	return find_binary(req, path, err);
}

static int end(struct fleet_run *run, int status, struct tfs_err *err)
{
	fleet_run_describe(run);
	if (!run->req->quiet || status != TC_EXIT_OK)
		fleet_print_table(run);
	if (fleet_run_save(run, err) && status == TC_EXIT_OK)
		status = TC_EXIT_FAILED;
	return status;
}

static int run_record(void *request, int argc, char **argv, struct tfs_err *err)
{
	struct fleet_request *req = request;
	struct tfs_strvec hosts = TFS_STRVEC_INIT;
	struct fleet_run run = { .n = 0 };
	char path[PATH_MAX];
	int rc, status = TC_EXIT_FAILED;

	rc = fleet_words(req, argc, argv);
	if (!rc)
		rc = check(req, path, err);
	if (!rc)
		rc = fleet_hosts(req, &hosts, err);
	if (rc) {
		tfs_strvec_release(&hosts);
		return TC_EXIT_USAGE;
	}
	tc_signals_accept();
	rc = fleet_run_check_folder(req, err);
	if (!rc)
		rc = fleet_run_new(&run, req, &hosts, err);
	/* Before anything is recorded, so that fetch finds it whatever happens. */
	if (!rc)
		rc = fleet_run_save(&run, err);
	if (!rc)
		status = end(&run, fleet_run_all(&run, err), err);
	fleet_run_release(&run);
	tfs_strvec_release(&hosts);
	return status;
}

static int run_fetch(void *request, int argc, char **argv, struct tfs_err *err)
{
	struct fleet_run run = { .n = 0 };
	int status = TC_EXIT_FAILED, rc;

	(void)argv;
	if (argc) {
		tfs_err_say(err, -EINVAL,
			    "tc-fleet fetch takes no operands: name the folder with -o");
		return TC_EXIT_USAGE;
	}
	tc_signals_accept();
	rc = fleet_run_load(&run, request, err);
	for (size_t i = 0; i < run.n; i++)
		if (run.hosts[i].state == FLEET_FAILED)
			run.hosts[i].state = FLEET_WAITING;
	if (!rc)
		status = end(&run, fleet_run_all(&run, err), err);
	fleet_run_release(&run);
	return status;
}

const struct tc_command fleet_fetch = {
	.name = FLEET_PROGRAM,
	.verb = "fetch",
	.summary = "bring what the hosts still have of a run",
	.options = fleet_fetch_options,
	.request_size = sizeof(struct fleet_request),
	.init = fleet_init,
	.run = run_fetch,
	.release = fleet_release,
};

const struct tc_command fleet_record = {
	.name = FLEET_PROGRAM,
	.verb = "record",
	.summary = "record on several hosts at once",
	.operands = "[-- [OPTION of tc-record]... [--] COMMAND [ARG...]]",
	.options = fleet_record_options,
	.request_size = sizeof(struct fleet_request),
	.init = fleet_init,
	.run = run_record,
	.release = fleet_release,
};
