/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "fleet/hosts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "cli/xalloc.h"
#include "relay/remote.h"
#include "fleet/opts.h"

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
	run->rate = req->rate;
	for (size_t i = 0; i < req->words.n && !rc; i++)
		rc = tfs_strvec_push(&run->words, req->words.v[i]) ? no_memory(err) : 0;
	run->hosts = xcalloc(hosts->n, sizeof(*run->hosts));
	gmtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &tm);
	for (size_t i = 0; i < hosts->n && !rc; i++) {
		struct fleet_host *h = &run->hosts[run->n++];

		h->name = xstrdup(hosts->v[i]);
		h->err = TFS_ERR_INIT;
		h->result.late_us = -1;
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
	tfs_strvec_release(&run->words);
	free(run->program);
	free(run->spool);
}
