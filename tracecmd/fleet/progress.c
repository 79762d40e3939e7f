/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fleet/hosts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf-core.h"
#include "base/time.h"
#include "cli/live.h"
#include "cli/msg.h"
#include "relay/remote.h"
#include "fleet/opts.h"

#define LIVE_NS (NS_PER_SEC / 2)
#define KIB 1024

static const char *phase(const struct fleet_host *h)
{
	static const char *const busy[] = {
		[TFS_RELAY_REMOTE_IDLE] = "waiting",
		[TFS_RELAY_REMOTE_CONNECTING] = "connecting",
		[TFS_RELAY_REMOTE_CONNECTED] = "connected",
		[TFS_RELAY_REMOTE_ARMED] = "ready",
		[TFS_RELAY_REMOTE_RECORDING] = "recording",
		[TFS_RELAY_REMOTE_DONE] = "ending",
	};

	switch (h->state) {
	case FLEET_WAITING:
		return "waiting";
	case FLEET_BROKEN:
		return "no connection";
	case FLEET_OK:
		return "ok";
	case FLEET_FAILED:
		return "failed";
	case FLEET_BUSY:
		break;
	}
	return busy[tfs_relay_remote_state(h->remote)];
}

static int name_width(const struct fleet_run *run)
{
	int width = 4;

	for (size_t i = 0; i < run->n; i++)
		if ((int)strlen(run->hosts[i].name) > width)
			width = (int)strlen(run->hosts[i].name);
	return width;
}

static int add_row(const struct fleet_host *h, int width, struct tfs_strbuf *sb)
{
	struct tfs_relay_remote_news news = { .events = 0 };

	if (h->remote)
		tfs_relay_remote_news(h->remote, &news);
	return tfs_strbuf_addf(sb,
			       "%-*s  %-13s %10" PRIu64 " %8" PRIu64 " %9" PRIu64 " %9" PRIu64 "\n",
			       width, h->name, phase(h), news.events, news.lost,
			       news.received.bytes / KIB, news.waiting / KIB);
}

static int add_totals(const struct fleet_run *run, struct tfs_strbuf *sb)
{
	uint64_t events = 0, bytes = 0;
	size_t recording = 0, broken = 0, failed = 0;

	for (size_t i = 0; i < run->n; i++) {
		const struct fleet_host *h = &run->hosts[i];
		struct tfs_relay_remote_news news;

		failed += h->state == FLEET_FAILED;
		broken += h->state == FLEET_BROKEN;
		recording += h->state == FLEET_BUSY &&
			     tfs_relay_remote_state(h->remote) == TFS_RELAY_REMOTE_RECORDING;
		if (!h->remote)
			continue;
		tfs_relay_remote_news(h->remote, &news);
		events += news.events;
		bytes += news.received.bytes;
	}
	return tfs_strbuf_addf(sb,
			       "%zu of %zu hosts record, %zu without connection, %zu failed: "
			       "%" PRIu64 " events, %" PRIu64 " KiB received\n",
			       recording, run->n, broken, failed, events, bytes / KIB);
}

/* Rows for as many hosts as the terminal has lines, those that are not recording first. */
static int add_rows(const struct fleet_run *run, size_t room, struct tfs_strbuf *sb)
{
	const int width = name_width(run);
	const bool all = run->n <= room;
	int rc = tfs_strbuf_addf(sb, "%-*s  %-13s %10s %8s %9s %9s\n", width, "host", "state",
				 "events", "lost", "KiB here", "KiB there");

	for (int pass = 0; pass < (all ? 1 : 2); pass++)
		for (size_t i = 0; i < run->n && room && !rc; i++) {
			const bool is_usual = !strcmp(phase(&run->hosts[i]), "recording");

			if (!all && is_usual != (pass == 1))
				continue;
			rc = add_row(&run->hosts[i], width, sb);
			room--;
		}
	return rc;
}

void fleet_progress(struct fleet_run *run)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	const uint64_t now = tfs_monotonic_ns();

	if (run->req->quiet || now < run->shown_ns + LIVE_NS || !tc_live_can())
		return;
	run->shown_ns = now;
	if (!add_rows(run, tc_live_rows() - 3, &sb) && !add_totals(run, &sb))
		run->shown = tc_live_block(sb.s, run->shown);
	tfs_strbuf_release(&sb);
}

void fleet_progress_end(struct fleet_run *run)
{
	if (run->shown)
		tc_live_block("", run->shown);
	run->shown = 0;
}

void fleet_print_table(const struct fleet_run *run)
{
	const int width = name_width(run);

	tc_msg_line("%-*s  %-7s %10s %8s %8s %10s %8s", width, "host", "state", "events", "lost",
		    "late ms", "bytes", "clock ms");
	for (size_t i = 0; i < run->n; i++) {
		const struct fleet_host *h = &run->hosts[i];
		const struct fleet_result *r = &h->result;
		char late[24] = "-", clock[24] = "-";

		if (r->late_us >= 0)
			snprintf(late, sizeof(late), "%.1f", (double)r->late_us / 1e3);
		if (r->has_file && r->file.is_synced)
			snprintf(clock, sizeof(clock), "%.1f",
				 (double)(r->file.bound_ns + r->file.error_ns) / 1e6);
		tc_msg_line("%-*s  %-7s %10" PRIu64 " %8" PRIu64 " %8s %10" PRIu64 " %8s  %s",
			    width, h->name, fleet_state_name(h), r->events, r->lost, late, r->bytes,
			    clock, h->err.code ? h->err.msg : h->file);
		if (h->err.code && *h->err.hint)
			tc_msg_line("%-*s  hint: %s", width, "", h->err.hint);
	}
}
