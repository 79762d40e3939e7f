/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fleet/opts.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf-core.h"
#include "base/time.h"
#include "cli/shell.h"
#include "relay/bucket.h"

#define SIZE_LIMIT (UINT64_C(1) << 60)
#define RATE_LIMIT TFS_RELAY_BUCKET_MAX
#define KIB UINT64_C(1024)
#define FILE_MAX (1u << 20)
#define HOSTS_MAX 4096u
#define AT(member) .offset = offsetof(struct fleet_request, member)
/* For a host that does not answer, and a connection that is dead without saying so */
#define SSH                                             \
	"ssh -T -o BatchMode=yes -o ConnectTimeout=15 " \
	"-o ServerAliveInterval=5 -o ServerAliveCountMax=3"

/* An option of tc-record: the row's letter or name, and its argument, go to the hosts. */
static int forward(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	struct fleet_request *req = request;
	int rc;

	if (opt->letter)
		rc = tfs_strvec_pushf(&req->words, "-%c", opt->letter);
	else
		rc = tfs_strvec_pushf(&req->words, "--%s", opt->name);
	if (!rc && arg)
		rc = tfs_strvec_push(&req->words, arg);
	return rc ? tfs_err_set(err, rc, "cannot read the arguments") : 0;
}

#define FORWARD TC_OPT_CALL, TC_OPT_REPEATS, .call = forward

static const struct tc_option folder_rows[] = {
	{ 'o', "output", "DIR", "folder of the recordings (fleet)", TC_OPT_STRING, AT(output),
	  .complete = "file" },
	{ 0, "ssh", "COMMAND", "connect with COMMAND, which gets the host and a command line (ssh)",
	  TC_OPT_STRING, AT(ssh), .complete = "command" },
	{ 0, "reconnect", "TIME", "try to reconnect for this time (60)", TC_OPT_DURATION,
	  AT(reconnect_ns), .complete = "none" },
	TC_OPT_END,
};

static const struct tc_option rate_rows[] = {
	{ 0, "bwlimit", "RATE", "let each host send at most RATE KiB per second, or with K, M, G",
	  TC_OPT_SIZE, AT(rate), .min = KIB, .max = RATE_LIMIT, .unit = KIB, .complete = "size" },
	TC_OPT_END,
};

const struct tc_option fleet_record_options[] = {
	{ .type = TC_OPT_GROUP, .help = "Hosts" },
	{ 0, "on", "HOST[,HOST...]", "record on these hosts", TC_OPT_LIST, TC_OPT_REPEATS, AT(on),
	  .complete = "none" },
	{ 0, "hosts", "FILE", "record on the hosts in FILE, one a line", TC_OPT_STRING,
	  AT(hosts_file), .complete = "file" },
	{ 0, "ssh", "COMMAND", "connect with COMMAND, which gets the host and a command line (ssh)",
	  TC_OPT_STRING, AT(ssh), .complete = "command" },
	{ 0, "program", "COMMAND", "how to call tc-record on the hosts (tc-record)", TC_OPT_STRING,
	  AT(program), .complete = "none" },
	{ 0, "copy", NULL, "copy tc-record to hosts that do not have this version", TC_OPT_FLAG,
	  AT(copy) },
	{ 0, "binary", "FILE", "with --copy: copy this program", TC_OPT_STRING, AT(binary),
	  .complete = "file" },
	{ 0, "max-parallel", "N", "connect to N hosts at a time (64)", TC_OPT_U64, AT(max_parallel),
	  .min = 1, .max = HOSTS_MAX, .complete = "none" },
	{ 0, "arm-time", "TIME", "start without hosts that are not ready after this time (30)",
	  TC_OPT_DURATION, AT(arm_ns), .complete = "none" },
	{ 0, "reconnect", "TIME", "try to reconnect for this time (60)", TC_OPT_DURATION,
	  AT(reconnect_ns), .complete = "none" },
	{ .type = TC_OPT_GROUP, .help = "Events, as for tc-record; after -- all its options" },
	{ 'e', "event", "EVENT", "record this event", FORWARD, .complete = "event" },
	{ 'f', "filter", "FILTER", "only if FILTER holds, for the -e before", FORWARD,
	  .complete = "none" },
	{ 'p', "probe", "PROBE", "a tracer or a probe", FORWARD, .complete = "none" },
	{ 'b', "buffer-size", "SIZE", "ring buffer of each CPU, in KiB", FORWARD,
	  .complete = "size" },
	{ 'C', "clock", "CLOCK", "trace clock", FORWARD, .complete = "clock" },
	{ 0, "duration", "TIME", "stop after this time", FORWARD, .complete = "none" },
	{ 0, "spool-size", "SIZE", "keep at most this much on each host (256M)", FORWARD,
	  .complete = "size" },
	{ 0, "spool-full", "WHICH", "if it is full, do without the newest or the oldest events",
	  FORWARD, .complete = "none" },
	{ .type = TC_OPT_GROUP, .help = "Output" },
	{ 0, "spool", "DIR", "the folder on the hosts for what is to be sent", TC_OPT_STRING,
	  AT(spool), .complete = "none" },
	{ 'o', "output", "DIR", "folder for the recordings (fleet)", TC_OPT_STRING, AT(output),
	  .complete = "file" },
	{ 0, "max-size", "SIZE", "of each host's file, in KiB or with K, M, G", TC_OPT_SIZE,
	  AT(max_bytes), .min = KIB, .max = SIZE_LIMIT, .unit = KIB, .complete = "size" },
	{ .type = TC_OPT_TABLE, .table = rate_rows },
	{ 'q', "quiet", NULL, "print errors only", TC_OPT_FLAG, AT(quiet) },
	TC_OPT_END,
};

const struct tc_option fleet_folder_options[] = {
	{ .type = TC_OPT_TABLE, .table = folder_rows },
	{ 'q', "quiet", NULL, "print errors only", TC_OPT_FLAG, AT(quiet) },
	TC_OPT_END,
};

const struct tc_option fleet_fetch_options[] = {
	{ .type = TC_OPT_TABLE, .table = folder_rows },
	{ .type = TC_OPT_TABLE, .table = rate_rows },
	{ 'q', "quiet", NULL, "print errors only", TC_OPT_FLAG, AT(quiet) },
	TC_OPT_END,
};

const struct tc_option fleet_check_options[] = {
	{ 'o', "output", "DIR", "folder of the recordings (fleet)", TC_OPT_STRING, AT(output),
	  .complete = "file" },
	{ 'q', "quiet", NULL, "print only what is wrong", TC_OPT_FLAG, AT(quiet) },
	TC_OPT_END,
};

void fleet_init(void *request)
{
	struct fleet_request *req = request;

	req->output = "fleet";
	req->ssh = SSH;
	req->program = "tc-record";
	req->max_parallel = 64;
	req->reconnect_ns = 60 * NS_PER_SEC;
	req->arm_ns = 30 * NS_PER_SEC;
}

void fleet_release(void *request)
{
	struct fleet_request *req = request;

	tfs_strvec_release(&req->on);
	tfs_strvec_release(&req->words);
}

static int check_host(const char *host, const struct tfs_strvec *hosts, struct tfs_err *err)
{
	for (const char *p = host; *p; p++)
		if (!isgraph((unsigned char)*p))
			return tfs_err_say(err, -EINVAL,
					   "a host's name has a blank or worse in it");
	if (*host == '-')
		return tfs_err_say(err, -EINVAL, "'%s' is not the name of a host", host);
	if (hosts->n >= HOSTS_MAX)
		return tfs_err_say(err, -E2BIG, "there are more than %u hosts", HOSTS_MAX);
	for (size_t i = 0; i < hosts->n; i++)
		if (!strcmp(hosts->v[i], host))
			return tfs_err_say(err, -EINVAL, "host '%s' is named twice", host);
	return 0;
}

/* Words of @text between @separators; after "#" up to the end of the line is a comment. */
static int add_hosts(const char *text, const char *separators, struct tfs_strvec *hosts,
		     struct tfs_err *err)
{
	int rc = 0;

	while (*text && !rc) {
		size_t len = strcspn(text, separators);

		if (len && *text == '#') {
			text += strcspn(text, "\n");
			continue;
		}
		if (len)
			rc = tfs_strvec_pushn(hosts, text, len);
		if (len && !rc) {
			hosts->n--;
			rc = check_host(hosts->v[hosts->n], hosts, err);
			hosts->n++;
		}
		text += len + (text[len] != '\0');
	}
	return rc;
}

int fleet_hosts(const struct fleet_request *req, struct tfs_strvec *hosts, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < req->on.n && !rc; i++)
		rc = add_hosts(req->on.v[i], ",", hosts, err);
	if (!rc && req->hosts_file) {
		rc = tfs_read_path(req->hosts_file, &sb);
		if (!rc && sb.len > FILE_MAX)
			rc = -EFBIG;
		if (rc)
			tfs_err_set(err, rc, "cannot read the hosts in '%s'", req->hosts_file);
		else
			rc = add_hosts(sb.s, " \t\r\n", hosts, err);
	}
	tfs_strbuf_release(&sb);
	if (!rc && !hosts->n) {
		rc = tfs_err_say(err, -EINVAL, "no host is named");
		tfs_err_hint(err, "tc-fleet record --on HOST,HOST -e EVENT -- COMMAND");
	}
	return rc;
}

int fleet_folder(const char *host, struct tfs_strbuf *out)
{
	/* The folder of a run has files of these names. */
	const bool is_taken = !strcmp(host, "fleet.tab") || !strcmp(host, "manifest.json");
	int rc = 0;

	for (const char *p = host; *p && !rc; p++) {
		const bool plain = p == host ? isalnum((unsigned char)*p) && !is_taken :
					       isalnum((unsigned char)*p) || strchr("._-@:", *p);

		rc = plain ? tfs_strbuf_addc(out, *p) :
			     tfs_strbuf_addf(out, "%%%02X", (unsigned int)(unsigned char)*p);
	}
	return rc;
}

int fleet_words(struct fleet_request *req, int argc, char **argv)
{
	int rc = 0;

	if (argc && *argv[0] != '-')
		rc = tfs_strvec_push(&req->words, "--");
	for (int i = 0; i < argc && !rc; i++)
		rc = tfs_strvec_push(&req->words, argv[i]);
	return rc;
}

int fleet_quote(struct tfs_strbuf *sb, const char *word)
{
	int rc = tfs_strbuf_addc(sb, ' ');

	return rc ? rc : tc_shell_quote(sb, word);
}
