/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-record-net.h"

#include <errno.h>

#include "base/err.h"
#include "net/sender.h"
#include "tc-record-opts.h"
#include "tracedat/compress.h"

#define ONE_FILE "the listener writes one file for one ring buffer"

static int cannot_be(const char *option, const char *why, struct tfs_err *err)
{
	tfs_err_say(err, -EINVAL, "option -N excludes %s: %s", option, why);
	tfs_err_hint(err, "record into a file with -o, and copy it to the other machine");
	return -EINVAL;
}

int record_net_check(const struct record_request *req, struct tfs_err *err)
{
	if (!req->listener)
		return req->tcp ? tfs_err_say(err, -EINVAL, "option -t needs -N") : 0;
	if (req->trace.n_buffers > 1)
		return cannot_be(req->markers ? "--markers" : "-B", ONE_FILE, err);
	if (req->has_output)
		return cannot_be("-o", "the listener names the file", err);
	if (req->mode)
		return cannot_be("--mode", "the listener makes the file", err);
	if (req->switch_output.on)
		return cannot_be("--switch-output", ONE_FILE, err);
	if (req->max_bytes || req->cap_bytes)
		return cannot_be(req->max_bytes ? "--max-size" : "-m",
				 "data that were sent cannot be taken back", err);
	if (req->compression && req->codec == TFS_CODEC_ZLIB)
		return cannot_be("--compression=zlib",
				 "the listener compresses as asked, and that of Debian has no zlib",
				 err);
	return 0;
}

static int begin(void *context, const struct tfs_record_head *head, struct tfs_err *err)
{
	const struct record_net *net = context;

	return tfs_sender_begin(net->sender, head, err);
}

static int open_cpu(void *context, unsigned int cpu, int *fd, struct tfs_err *err)
{
	const struct record_net *net = context;

	return tfs_sender_open_cpu(net->sender, cpu, fd, err);
}

static int compare(void *context, const char *clock, struct tfs_clock_sample *out,
		   const char **name)
{
	const struct record_net *net = context;

	*name = tfs_sender_clock(net->sender);
	return tfs_sender_compare(net->sender, clock, out);
}

static int finish(void *context, uint64_t size, const int *fds, size_t n, struct tfs_err *err)
{
	const struct record_net *net = context;

	return tfs_sender_finish(net->sender, size, fds, n, err);
}

int record_net_connect(struct record_net *net, const struct record_request *req,
		       struct tfs_err *err)
{
	if (!req->listener)
		return 0;
	net->remote = (struct tfs_record_remote){
		.context = net,
		.begin = begin,
		.open_cpu = open_cpu,
		.compare = compare,
		.finish = finish,
	};
	return tfs_sender_connect(&req->host, &net->sender, err);
}

int record_net_tick(struct record_net *net, struct tfs_err *err)
{
	return net->sender ? tfs_sender_tick(net->sender, err) : 0;
}

void record_net_explain(const struct record_net *net, struct tfs_err *err)
{
	if (err->code == -EPIPE || err->code == -ECONNRESET || err->code == -EAGAIN)
		tfs_sender_explain(net->sender, err);
}

void record_net_release(struct record_net *net)
{
	tfs_sender_free(net->sender);
	net->sender = NULL;
}
