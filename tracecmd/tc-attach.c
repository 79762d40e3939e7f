/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/err.h"
#include "base/num.h"
#include "base/strbuf-core.h"
#include "cli/msg.h"
#include "cli/opt.h"
#include "main.h"
#include "rewrite/attach.h"
#include "rewrite/vcpus.h"
#include "tracedat/dat-read.h"

#define PROGRAM "tc-attach"

/* OFFSET,SCALE,FRACTION,TIME */
#define SHIFT_PARTS 4
/* A factor that a shift by 64 bits would make 0 */
#define FRACTION_MAX 63

/**
 * struct attach_request - what is asked for
 * @shifts: -s, @n_shifts of them
 * @vcpus: operands CPU=PID
 * @pids: operands PID, @n_pids of them
 */
struct attach_request {
	struct tfs_attach_shift *shifts;
	size_t n_shifts;
	struct tfs_vcpus vcpus;
	uint32_t *pids;
	size_t n_pids;
	uint64_t cpus;
	const char *name;
	bool quiet;
};

/* The part of a list up to the next comma, copied; the last one as often as asked for: "" */
static char *next_part(const char **list)
{
	const size_t len = strcspn(*list, ",");
	char *part = strndup(*list, len);

	*list += len;
	if (**list)
		(*list)++;
	return part;
}

static int parse_part(struct tfs_attach_shift *s, unsigned int i, const char *part,
		      struct tfs_err *err)
{
	switch (i) {
	case 0:
		return tfs_parse_s64(part, INT64_MIN, INT64_MAX, &s->offset, err);
	case 1:
		return *part ? tfs_parse_u64(part, 1, UINT64_MAX, &s->scaling, err) : 0;
	case 2:
		return *part ? tfs_parse_u64(part, 0, FRACTION_MAX, &s->fraction, err) : 0;
	default:
		return *part ? tfs_parse_u64(part, 0, INT64_MAX, &s->time, err) : 0;
	}
}

static int on_shift(void *request, const struct tc_option *opt, const char *arg,
		    struct tfs_err *err)
{
	struct attach_request *req = request;
	struct tfs_attach_shift s = { .scaling = 1 };
	const char *rest = arg;
	int rc = 0;

	(void)opt;
	for (unsigned int i = 0; i < SHIFT_PARTS && !rc; i++) {
		char *part = next_part(&rest);

		rc = part ? parse_part(&s, i, part, err) : -ENOMEM;
		free(part);
	}
	if (!rc && *rest)
		rc = tfs_err_say(err, -EINVAL, "more than OFFSET,SCALE,FRACTION,TIME");
	if (rc && rc != -ENOMEM)
		return tfs_err_prefix(err, "'%s'", arg);
	if (rc || tfs_grow_one(&req->shifts, req->n_shifts))
		return tfs_err_set(err, -ENOMEM, "cannot keep '%s'", arg);
	req->shifts[req->n_shifts++] = s;
	return 0;
}

static const struct tc_option options[] = {
	{ 's', "shift", "OFFSET[,SCALE[,FRACTION[,TIME]]]",
	  "what makes the guest's time stamps the host's; once for each CPU", TC_OPT_CALL,
	  TC_OPT_REPEATS, .call = on_shift, .complete = "none" },
	{ 'c', "cpus", "N", "CPUs of the guest (as its recording says)", TC_OPT_U64,
	  .offset = offsetof(struct attach_request, cpus), .min = 1, .max = TFS_VCPUS_MAX,
	  .complete = "none" },
	{ 0, "name", "NAME", "what the guest is called (its host name)", TC_OPT_STRING, TC_OPT_ONCE,
	  offsetof(struct attach_request, name), .complete = "none" },
	{ 'q', "quiet", NULL, "print errors only", TC_OPT_FLAG,
	  .offset = offsetof(struct attach_request, quiet) },
	TC_OPT_END_ANY_ORDER,
};

static int parse_pid(const char *text, uint32_t *pid, struct tfs_err *err)
{
	uint64_t n = 0;
	int rc = tfs_parse_u64(text, 1, INT32_MAX, &n, err);

	*pid = (uint32_t)n;
	return rc;
}

/* "PID" or "CPU=PID" */
static int take_thread(struct attach_request *req, char *text, struct tfs_err *err)
{
	char *equals = strchr(text, '=');
	struct tfs_vcpu vcpu;
	uint64_t cpu;
	int rc;

	if (!equals) {
		if (tfs_grow_one(&req->pids, req->n_pids))
			return tfs_err_set(err, -ENOMEM, "'%s'", text);
		return parse_pid(text, &req->pids[req->n_pids++], err);
	}
	*equals = '\0';
	rc = tfs_parse_u64(text, 0, TFS_VCPUS_MAX - 1, &cpu, err);
	if (!rc)
		rc = parse_pid(equals + 1, &vcpu.pid, err);
	*equals = '=';
	if (rc)
		return rc;
	vcpu.cpu = (uint32_t)cpu;
	for (size_t i = 0; i < req->vcpus.n; i++)
		if (req->vcpus.v[i].cpu == vcpu.cpu || req->vcpus.v[i].pid == vcpu.pid)
			return tfs_err_say(err, -EINVAL, "the CPU or the thread is given twice");
	if (tfs_grow_one(&req->vcpus.v, req->vcpus.n))
		return tfs_err_set(err, -ENOMEM, "'%s'", text);
	req->vcpus.v[req->vcpus.n++] = vcpu;
	return 0;
}

static int take_threads(struct attach_request *req, int argc, char **argv, struct tfs_err *err)
{
	for (int i = 0; i < argc; i++)
		if (take_thread(req, argv[i], err))
			return tfs_err_prefix(err, "thread '%s'", argv[i]);
	if (req->n_pids && req->vcpus.n)
		return tfs_err_say(err, -EINVAL,
				   "PID and CPU=PID: give all threads in the same way");
	return 0;
}

static void report(const struct attach_request *req, const char *host, const char *guest,
		   const struct tfs_attach_done *done)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < req->vcpus.n && !rc; i++)
		rc = tfs_strbuf_addf(&sb, " %" PRIu32 "=%" PRIu32, req->vcpus.v[i].cpu,
				     req->vcpus.v[i].pid);
	if (done->mapped)
		tc_msg_notice(PROGRAM, "'%s' has this guest already and was not changed", host);
	else if (!rc)
		tc_msg_notice(PROGRAM, "'%s' is a guest of '%s', CPU=PID:%s", guest, host, sb.s);
	if (done->by_clocks && done->bound == UINT64_MAX)
		tc_msg_notice(PROGRAM,
			      "time by comparison of clocks, of which the error is not known");
	else if (done->by_clocks)
		tc_msg_notice(PROGRAM, "time by comparison of clocks, +-%" PRIu64 ".%03u us",
			      done->bound / 1000, (unsigned int)(done->bound % 1000));
	tfs_strbuf_release(&sb);
}

static int attach(struct attach_request *req, struct tfs_attach_file *host,
		  struct tfs_attach_file *guest, struct tfs_err *err)
{
	struct tfs_attach_opts opts = {
		.name = req->name,
		.cpus = (uint32_t)req->cpus,
		.shifts = req->shifts,
		.n_shifts = req->n_shifts,
	};
	struct tfs_attach_done done;
	int rc = 0;

	if (!req->vcpus.n)
		rc = tfs_vcpus_find(host->dat, req->pids, req->n_pids, (size_t)req->cpus,
				    &req->vcpus, err);
	opts.vcpus = req->vcpus.v;
	opts.n_vcpus = req->vcpus.n;
	if (!rc)
		rc = tfs_attach(host, guest, &opts, &done, err);
	if (!rc && !req->quiet)
		report(req, tfs_dat_path(host->dat), tfs_dat_path(guest->dat), &done);
	return rc;
}

static bool is_file(int fd, const char *path)
{
	struct stat a, b;

	return !fstat(fd, &a) && !stat(path, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int run(void *request, int argc, char **argv, struct tfs_err *err)
{
	struct tfs_attach_file host = { .fd = -1 }, guest = { .fd = -1 };
	struct attach_request *req = request;
	int rc;

	if (argc < 2) {
		tfs_err_say(err, -EINVAL, "two recordings are needed: the host's and the guest's");
		return TC_EXIT_USAGE;
	}
	if (take_threads(req, argc - 2, argv + 2, err))
		return TC_EXIT_USAGE;
	rc = tfs_attach_open(argv[0], &host, err);
	/* The same file twice would be locked. */
	if (!rc && is_file(host.fd, argv[1]))
		rc = tfs_err_say(err, -EINVAL, "'%s' is given for the host and for the guest",
				 argv[0]);
	if (!rc)
		rc = tfs_attach_open(argv[1], &guest, err);
	if (!rc)
		rc = attach(req, &host, &guest, err);
	tfs_attach_close(&host);
	tfs_attach_close(&guest);
	return rc ? TC_EXIT_FAILED : TC_EXIT_OK;
}

static void release(void *request)
{
	struct attach_request *req = request;

	free(req->shifts);
	free(req->vcpus.v);
	free(req->pids);
}

const struct tc_command tc_command = {
	.name = PROGRAM,
	.summary = "let the recordings of a host and of its guest find each other",
	.operands = "HOST-FILE GUEST-FILE [PID... | CPU=PID...]",
	.options = options,
	.request_size = sizeof(struct attach_request),
	.run = run,
	.release = release,
};
