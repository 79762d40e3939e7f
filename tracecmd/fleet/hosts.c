/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "fleet/hosts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "config.h"

#include "base/io.h"
#include "base/json.h"
#include "base/num.h"
#include "base/out-file.h"
#include "base/out.h"
#include "base/strbuf.h"
#include "base/strvec.h"
#include "cli/xalloc.h"
#include "relay/remote.h"
#include "relay/spool.h"
#include "fleet/opts.h"

#define TABLE "fleet.tab"
#define TABLE_MAX (1u << 20)
/* A line with a limit instead of a host */
#define MAX_SIZE "max-size"

static int no_memory(struct tfs_err *err)
{
	return tfs_err_set(err, -ENOMEM, "cannot set up the hosts");
}

static int make_folder(const char *path, struct tfs_err *err)
{
	if (!mkdir(path, 0700) || errno == EEXIST)
		return 0;
	return tfs_err_set(err, -errno, "cannot make the folder '%s'", path);
}

/* The folder of the host and the name of its file */
static int name_file(struct fleet_host *h, const char *output, const char *stamp,
		     struct tfs_err *err)
{
	struct tfs_strbuf folder = TFS_STRBUF_INIT, path = TFS_STRBUF_INIT;
	int rc = fleet_folder(h->name, &folder);

	if (!rc)
		rc = tfs_strbuf_addf(&path, "%s/%s", output, folder.s);
	if (!rc)
		rc = make_folder(path.s, err);
	if (!rc && (asprintf(&h->file, "%s/%s.dat", folder.s, stamp) < 0 ||
		    asprintf(&h->path, "%s/%s", output, h->file) < 0))
		rc = -ENOMEM;
	if (rc == -ENOMEM)
		no_memory(err);
	tfs_strbuf_release(&folder);
	tfs_strbuf_release(&path);
	return rc;
}

int fleet_run_new(struct fleet_run *run, const struct fleet_request *req,
		  const struct tfs_strvec *hosts, struct tfs_err *err)
{
	const time_t now = time(NULL);
	struct tm tm;
	char stamp[32];
	int rc = make_folder(req->output, err);

	run->req = req;
	run->program = xstrdup(req->program);
	run->spool = xstrdup(req->spool ? req->spool : "");
	run->max_bytes = req->max_bytes;
	run->hosts = xcalloc(hosts->n, sizeof(*run->hosts));
	gmtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &tm);
	for (size_t i = 0; i < hosts->n && !rc; i++) {
		struct fleet_host *h = &run->hosts[run->n++];

		h->name = xstrdup(hosts->v[i]);
		h->err = TFS_ERR_INIT;
		if (asprintf(&h->id, "fleet-%s-%d-%zu", stamp, (int)getpid(), i) < 0)
			return no_memory(err);
		rc = name_file(h, req->output, stamp, err);
	}
	return rc;
}

static void host_release(struct fleet_host *h)
{
	tfs_relay_remote_free(h->remote);
	free(h->name);
	free(h->id);
	free(h->file);
	free(h->path);
}

void fleet_run_release(struct fleet_run *run)
{
	for (size_t i = 0; i < run->n; i++)
		host_release(&run->hosts[i]);
	free(run->hosts);
	free(run->program);
	free(run->spool);
}

/* A line of fleet.tab: state, host, spool, file; or "max-size" and bytes */
static int load_line(struct fleet_run *run, char *line, struct tfs_err *err)
{
	char *word[4], *rest = line;
	struct fleet_host *h;

	for (size_t i = 0; i < 4; i++)
		word[i] = strsep(&rest, "\t");
	if (word[1] && !word[2] && !strcmp(word[0], MAX_SIZE) &&
	    !tfs_parse_u64(word[1], 0, UINT64_MAX, &run->max_bytes, NULL))
		return 0;
	if (!word[3] || rest || !tfs_relay_id_is_valid(word[2]) || strstr(word[3], "..") ||
	    *word[3] == '/' || *word[1] == '-')
		return tfs_err_say(err, -EBADMSG, "'%s/" TABLE "' is damaged", run->req->output);
	run->hosts = xreallocarray(run->hosts, run->n + 1, sizeof(*run->hosts));
	h = &run->hosts[run->n++];
	*h = (struct fleet_host){
		.name = xstrdup(word[1]),
		.id = xstrdup(word[2]),
		.file = xstrdup(word[3]),
		.err = TFS_ERR_INIT,
		.state = !strcmp(word[0], "ok") ? FLEET_OK : FLEET_WAITING,
		.was_go = true,
	};
	return asprintf(&h->path, "%s/%s", run->req->output, h->file) < 0 ? no_memory(err) : 0;
}

int fleet_run_load(struct fleet_run *run, const struct fleet_request *req, struct tfs_err *err)
{
	struct tfs_strbuf path = TFS_STRBUF_INIT, text = TFS_STRBUF_INIT;
	char *rest, *line;
	int rc = tfs_strbuf_addf(&path, "%s/" TABLE, req->output);

	run->req = req;
	run->resume = true;
	if (!rc)
		rc = tfs_read_path(path.s, &text);
	if (!rc && text.len > TABLE_MAX)
		rc = -EFBIG;
	if (rc)
		tfs_err_set(err, rc, "cannot read '%s'", path.s);
	rest = text.s;
	/* The first two lines: how tc-record is called, and the folder of its spools */
	line = rc ? NULL : strsep(&rest, "\n");
	run->program = xstrdup(line ? line : "");
	line = rc || !rest ? NULL : strsep(&rest, "\n");
	run->spool = xstrdup(line ? line : "");
	while (!rc && rest && *rest)
		rc = load_line(run, strsep(&rest, "\n"), err);
	tfs_strbuf_release(&path);
	tfs_strbuf_release(&text);
	return rc;
}

static int write_file(const struct fleet_run *run, const char *name, const struct tfs_strbuf *text,
		      struct tfs_err *err)
{
	struct tfs_strbuf path = TFS_STRBUF_INIT;
	struct tfs_out_file *f = NULL;
	int rc = tfs_strbuf_addf(&path, "%s/%s", run->req->output, name);

	if (rc)
		no_memory(err);
	else
		rc = tfs_out_file_open(path.s, &f, err);
	if (!rc) {
		/* A failure is kept, and reported by the commit. */
		(void)!tfs_out_write(tfs_out_file_out(f), text->s, text->len);
		rc = tfs_out_file_commit(f, err);
	}
	tfs_out_file_free(f);
	tfs_strbuf_release(&path);
	return rc;
}

static const char *state_name(const struct fleet_host *h)
{
	return h->state == FLEET_OK ? "ok" : h->state == FLEET_FAILED ? "failed" : "running";
}

static void add_host(struct tfs_json *j, const struct fleet_run *run, const struct fleet_host *h)
{
	struct tfs_relay_remote_news news = { .received.text = "" };
	struct stat st;

	if (h->remote)
		tfs_relay_remote_news(h->remote, &news);
	tfs_json_open(j, NULL, '{');
	tfs_json_text(j, "host", h->name);
	tfs_json_text(j, "state", state_name(h));
	tfs_json_text(j, "file", h->file);
	if (!stat(h->path, &st))
		tfs_json_int(j, "size", st.st_size);
	tfs_json_text(j, "spool", h->id);
	if (h->remote) {
		tfs_json_int(j, "events", (long long)news.received.events);
		tfs_json_int(j, "lost", (long long)news.lost);
		tfs_json_int(j, "gaps", (long long)news.received.gaps);
		tfs_json_int(j, "gap_events", (long long)news.received.gap_events);
		tfs_json_int(j, "bytes", (long long)news.received.bytes);
	}
	if (h->started_ns > run->go_ns && run->go_ns)
		tfs_json_int(j, "late_us", (long long)(h->started_ns - run->go_ns) / 1000);
	if (h->state == FLEET_OK)
		tfs_json_int(j, "exit_status", h->status);
	if (h->err.code)
		tfs_json_text(j, "error", h->err.msg);
	tfs_json_close(j, '}');
}

static int save_manifest(const struct fleet_run *run, struct tfs_err *err)
{
	struct tfs_json j = TFS_JSON_INIT;
	int rc;

	tfs_json_open(&j, NULL, '{');
	tfs_json_int(&j, "version", 1);
	tfs_json_text(&j, "tracecraft", PACKAGE_VERSION);
	tfs_json_open(&j, "words", '[');
	for (size_t i = 0; i < run->req->words.n; i++)
		tfs_json_text(&j, NULL, run->req->words.v[i]);
	tfs_json_close(&j, ']');
	tfs_json_open(&j, "hosts", '[');
	for (size_t i = 0; i < run->n; i++)
		add_host(&j, run, &run->hosts[i]);
	tfs_json_close(&j, ']');
	tfs_json_close(&j, '}');
	rc = j.rc ? no_memory(err) : write_file(run, "manifest.json", &j.text, err);
	tfs_json_release(&j);
	return rc;
}

int fleet_run_save(const struct fleet_run *run, struct tfs_err *err)
{
	struct tfs_strbuf table = TFS_STRBUF_INIT;
	int rc = tfs_strbuf_addf(&table, "%s\n%s\n", run->program, run->spool);

	if (!rc && run->max_bytes)
		rc = tfs_strbuf_addf(&table, MAX_SIZE "\t%" PRIu64 "\n", run->max_bytes);
	for (size_t i = 0; i < run->n && !rc; i++) {
		const struct fleet_host *h = &run->hosts[i];

		rc = tfs_strbuf_addf(&table, "%s\t%s\t%s\t%s\n", state_name(h), h->name, h->id,
				     h->file);
	}
	rc = rc ? no_memory(err) : write_file(run, TABLE, &table, err);
	tfs_strbuf_release(&table);
	return rc ? rc : save_manifest(run, err);
}
