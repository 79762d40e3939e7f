/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/watch.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/io.h"
#include "base/macros.h"
#include "base/strvec.h"
#include "record/meta.h"
#include "tracedat/dat-lost.h"
#include "tracefs/cpu-stats.h"
#include "tracefs/instance.h"
#include "tracefs/root.h"

/* A lookup for each; beyond that there is set_event alone. */
#define DIRS_MAX 64

/* Effects of a write to a file of an instance, in whichever of its directories */
static const struct {
	const char *name;
	unsigned int signs;
} files[] = {
	{ "tracing_on", TFS_DAT_LOST_OFF },
	/* Tracing pauses while somebody reads trace, and tracing_on stays 1. */
	{ "pause-on-trace", TFS_DAT_LOST_OFF },
	{ "trace_clock", TFS_DAT_LOST_CLOCK },
	{ "trace", TFS_DAT_LOST_EMPTIED },
	{ "snapshot", TFS_DAT_LOST_EMPTIED },
	{ "buffer_subbuf_size_kb", TFS_DAT_LOST_EMPTIED },
	{ "current_tracer", TFS_DAT_LOST_EMPTIED | TFS_DAT_LOST_EVENTS },
	{ "set_event", TFS_DAT_LOST_EVENTS },
	{ "set_event_pid", TFS_DAT_LOST_EVENTS },
	{ "set_event_notrace_pid", TFS_DAT_LOST_EVENTS },
	{ "set_ftrace_filter", TFS_DAT_LOST_EVENTS },
	{ "set_ftrace_notrace", TFS_DAT_LOST_EVENTS },
	{ "set_ftrace_pid", TFS_DAT_LOST_EVENTS },
	{ "set_ftrace_notrace_pid", TFS_DAT_LOST_EVENTS },
	{ "tracing_cpumask", TFS_DAT_LOST_EVENTS },
	{ "enable", TFS_DAT_LOST_EVENTS },
	{ "filter", TFS_DAT_LOST_EVENTS },
	{ "trace_marker", TFS_WATCH_ADDED },
	{ "trace_marker_raw", TFS_WATCH_ADDED },
	{ "stacktrace", TFS_WATCH_ADDED },
	{ "userstacktrace", TFS_WATCH_ADDED },
};

static void notify_of(const struct tfs_watch *w, const char *dir)
{
	char path[PATH_MAX];
	const int n = snprintf(path, sizeof(path), "%s/%s%s", tfs_root_path(w->root),
			       w->inst->prefix, dir);

	/* If it cannot be watched, it is still looked at. */
	if (n > 0 && (size_t)n < sizeof(path))
		inotify_add_watch(w->notify, path, IN_MODIFY | IN_ONLYDIR);
}

static void notify_of_cpus(const struct tfs_watch *w)
{
	unsigned int *cpus = NULL;
	size_t n = 0;
	char dir[32];

	if (tfs_instance_cpus(w->root, w->inst, &cpus, &n, NULL))
		return;
	for (size_t i = 0; i < n && i < DIRS_MAX; i++) {
		snprintf(dir, sizeof(dir), "per_cpu/cpu%u", cpus[i]);
		notify_of(w, dir);
	}
	free(cpus);
}

/* The directories of the events that are on, and of their systems: "system:event" a line */
static void notify_of_events(const struct tfs_watch *w)
{
	struct tfs_strvec events = TFS_STRVEC_INIT;
	char dir[256];

	notify_of(w, "events");
	if (tfs_strvec_split(&events, w->events.s, "\n"))
		events.n = 0;
	for (size_t i = 0; i < events.n && i < DIRS_MAX; i++) {
		const size_t system = strcspn(events.v[i], ":");

		if (!events.v[i][system] || strlen(events.v[i]) + sizeof("events/") > sizeof(dir))
			continue;
		snprintf(dir, sizeof(dir), "events/%.*s", (int)system, events.v[i]);
		notify_of(w, dir);
		snprintf(dir, sizeof(dir), "events/%.*s/%s", (int)system, events.v[i],
			 events.v[i] + system + 1);
		notify_of(w, dir);
	}
	tfs_strvec_release(&events);
}

void tfs_watch_begin(struct tfs_watch *w, const struct tfs_root *root,
		     const struct tfs_instance *inst)
{
	*w = (struct tfs_watch){ .root = root, .inst = inst };
	tfs_strbuf_init(&w->clock);
	tfs_strbuf_init(&w->events);
	w->notify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (tfs_meta_clock(root, inst, &w->clock, NULL))
		tfs_strbuf_reset(&w->clock);
	if (tfs_instance_read(root, inst, "set_event", &w->events, NULL))
		tfs_strbuf_reset(&w->events);
	if (w->notify < 0)
		return;
	notify_of(w, "");
	notify_of(w, "options");
	notify_of_cpus(w);
	notify_of_events(w);
}

static unsigned int signs_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (!strcmp(files[i].name, name))
			return files[i].signs;
	return 0;
}

static bool is_list_of_pids(const char *name)
{
	return !strcmp(name, "set_event_pid") || !strcmp(name, "set_ftrace_pid");
}

/* Files that were written to, whatever their contents are now; @listed: those lists by ourselves */
static unsigned int look_at_writes(const struct tfs_watch *w, bool listed)
{
	_Alignas(struct inotify_event) char buf[4096];
	unsigned int signs = 0;
	ssize_t got;

	while (w->notify >= 0 && (got = read(w->notify, buf, sizeof(buf))) > 0) {
		for (size_t at = 0; at < (size_t)got;) {
			const struct inotify_event *e = (const void *)(buf + at);

			if (e->len && !(listed && is_list_of_pids(e->name)))
				signs |= signs_of(e->name);
			at += sizeof(*e) + e->len;
		}
	}
	return signs;
}

unsigned int tfs_watch_look(struct tfs_watch *w, bool is_on)
{
	struct tfs_strbuf now = TFS_STRBUF_INIT;

	if (!w->root)
		return 0;
	w->signs |= look_at_writes(w, false);
	if (!tfs_meta_clock(w->root, w->inst, &now, NULL) && strcmp(now.s, w->clock.s) != 0)
		w->signs |= TFS_DAT_LOST_CLOCK;
	tfs_strbuf_reset(&now);
	if (!tfs_instance_read(w->root, w->inst, "set_event", &now, NULL) &&
	    strcmp(now.s, w->events.s) != 0)
		w->signs |= TFS_DAT_LOST_EVENTS;
	tfs_strbuf_reset(&now);
	if (is_on && !tfs_instance_read(w->root, w->inst, "tracing_on", &now, NULL) &&
	    now.s[0] == '0')
		w->signs |= TFS_DAT_LOST_OFF;
	tfs_strbuf_release(&now);
	return w->signs;
}

void tfs_watch_listed(struct tfs_watch *w)
{
	if (w->root)
		w->signs |= look_at_writes(w, true);
}

void tfs_watch_release(struct tfs_watch *w)
{
	if (!w->root)
		return;
	tfs_close(&w->notify);
	tfs_strbuf_release(&w->clock);
	tfs_strbuf_release(&w->events);
	*w = (struct tfs_watch){ 0 };
}
