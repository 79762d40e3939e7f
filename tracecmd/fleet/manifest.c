/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/strbuf-core.h"
#include "relay/remote.h"
#include "fleet/hosts.h"

/* The results of a run's hosts, for people and for other programs: manifest.json */

const char *fleet_state_name(const struct fleet_host *h)
{
	return h->state == FLEET_OK ? "ok" : h->state == FLEET_FAILED ? "failed" : "running";
}

/* Does a file have all that it ever will? A journal says that more is to come. */
bool fleet_is_complete(const char *path)
{
	struct tfs_strbuf journal = TFS_STRBUF_INIT;
	struct stat st;
	bool is = !stat(path, &st) && st.st_size > 0 &&
		  (tfs_strbuf_addf(&journal, "%s.stream", path) || access(journal.s, F_OK));

	tfs_strbuf_release(&journal);
	return is;
}

/* A value of the text at the end of a stream */
static uint64_t value_of(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

static void take_news(const struct fleet_run *run, struct fleet_host *h)
{
	struct fleet_result *to = &h->result;
	struct tfs_relay_remote_news news;

	tfs_relay_remote_news(h->remote, &news);
	to->is_known = true;
	to->events = news.received.events;
	to->lost = *news.received.text ? value_of(news.received.text, "lost=") : news.lost;
	to->gaps = news.received.gaps;
	to->gap_events = news.received.gap_events;
	to->bytes = news.received.bytes;
	if (h->started_ns && run->go_ns)
		to->late_us = (int64_t)(h->started_ns - run->go_ns) / 1000;
}

void fleet_run_describe(struct fleet_run *run)
{
	for (size_t i = 0; i < run->n; i++) {
		struct fleet_host *h = &run->hosts[i];

		if (h->remote)
			take_news(run, h);
		if (!h->result.has_file && fleet_is_complete(h->path))
			h->result.has_file = !tfs_relay_about(h->path, &h->result.file, NULL);
	}
}

static void add_int(struct tfs_json *j, const char *key, uint64_t n)
{
	tfs_json_int(j, key, (long long)n);
}

static void add_file(struct tfs_json *j, const struct tfs_relay_about *file)
{
	add_int(j, "size", file->size);
	tfs_json_text(j, "sha256", file->sha256);
	if (*file->boot)
		tfs_json_text(j, "boot", file->boot);
	if (*file->kernel)
		tfs_json_text(j, "kernel", file->kernel);
	if (file->is_counted) {
		add_int(j, "file_events", file->events);
		add_int(j, "file_lost", file->lost);
	}
	if (!file->begin_ns)
		return;
	add_int(j, "begin_us", file->begin_ns / 1000);
	add_int(j, "end_us", file->end_ns / 1000);
	tfs_json_bool(j, "clock_synced", file->is_synced);
	add_int(j, "clock_bound_ns", file->bound_ns);
	if (file->is_synced)
		add_int(j, "clock_error_ns", file->error_ns);
}

static void add_host(struct tfs_json *j, const struct fleet_host *h)
{
	const struct fleet_result *r = &h->result;

	tfs_json_open(j, NULL, '{');
	tfs_json_text(j, "host", h->name);
	tfs_json_text(j, "state", fleet_state_name(h));
	tfs_json_text(j, "file", h->file);
	tfs_json_text(j, "spool", h->id);
	if (r->is_known) {
		add_int(j, "events", r->events);
		add_int(j, "lost", r->lost);
		add_int(j, "gaps", r->gaps);
		add_int(j, "gap_events", r->gap_events);
		add_int(j, "bytes", r->bytes);
	}
	if (r->late_us >= 0)
		tfs_json_int(j, "late_us", r->late_us);
	if (r->has_file)
		add_file(j, &r->file);
	if (h->state == FLEET_OK)
		tfs_json_int(j, "exit_status", h->status);
	if (h->err.code)
		tfs_json_text(j, "error", h->err.msg);
	tfs_json_close(j, '}');
}

static int take_text(struct tfs_json *j, struct tfs_strbuf *out)
{
	int rc = j->rc ? j->rc : tfs_strbuf_add(out, j->text.s, j->text.len);

	tfs_json_release(j);
	return rc;
}

int fleet_manifest_host(const struct fleet_host *h, struct tfs_strbuf *out)
{
	struct tfs_json j = TFS_JSON_INIT;

	/* As deep as in the manifest, where it has a line of its own */
	j.depth = TFS_JSON_LINES;
	add_host(&j, h);
	return take_text(&j, out);
}

int fleet_manifest(const struct fleet_run *run, struct tfs_strbuf *out)
{
	struct tfs_json j = TFS_JSON_INIT;

	tfs_json_open(&j, NULL, '{');
	tfs_json_int(&j, "version", 1);
	tfs_json_text(&j, "tracecraft", PACKAGE_VERSION);
	tfs_json_open(&j, "words", '[');
	for (size_t i = 0; i < run->words.n; i++)
		tfs_json_text(&j, NULL, run->words.v[i]);
	tfs_json_close(&j, ']');
	tfs_json_open(&j, "hosts", '[');
	for (size_t i = 0; i < run->n; i++)
		add_host(&j, &run->hosts[i]);
	tfs_json_close(&j, ']');
	tfs_json_close(&j, '}');
	return take_text(&j, out);
}
