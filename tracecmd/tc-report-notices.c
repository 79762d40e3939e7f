/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-report-notices.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/cpus.h"
#include "base/err.h"
#include "base/strvec.h"
#include "cli/msg.h"
#include "main.h"
#include "decode/event-regex.h"
#include "decode/plugin-dirs.h"
#include "decode/plugin-options.h"
#include "decode/trace.h"
#include "filter/filter.h"
#include "filter/select.h"
#include "tc-report-opts.h"
#include "tc-report-sources.h"
#include "tracedat/dat-lost.h"
#include "tracedat/dat-read.h"

static void notice_filter(const struct tfs_filter *f)
{
	const struct tfs_err *notice = f ? tfs_filter_notice(f) : NULL;

	if (notice)
		tc_msg_notice(tc_command.name, "%s (%s)", notice->msg, notice->hint);
}

/* With several recordings, prints notices that hold for all that a filter is about. */
static void notice_filters(const struct report_sources *s)
{
	const struct tfs_filter *f, *odd;
	bool sound;
	size_t i, n;

	for (i = 0; tfs_select_filter(s->v[0].select, i); i++) {
		odd = NULL;
		sound = false;
		for (n = 0; n < s->n; n++) {
			f = tfs_select_filter(s->v[n].select, i);
			if (tfs_filter_notice(f))
				odd = f;
			else
				sound |= !tfs_filter_is_empty(f);
		}
		if (!sound)
			notice_filter(odd);
	}
	notice_filter(s->v[0].after);
	notice_filter(s->v[0].until);
}

/* -r, -n */
static void notice_expressions(const struct tfs_strvec *list, const char *option,
			       const struct report_sources *s)
{
	bool found;
	size_t i, n;

	for (i = 0; i < list->n; i++) {
		found = false;
		for (n = 0; n < s->n && !found; n++)
			found = tfs_event_regex_any(s->v[n].trace, list->v[i]) != 0;
		if (!found)
			tc_msg_notice(tc_command.name,
				      "%s: the recording has no event or system '%s'", option,
				      list->v[i]);
	}
}

static void notice_cpus(const struct report_request *req, const struct report_sources *s)
{
	unsigned int most = 0, cpu;
	size_t n;

	for (n = 0; n < s->n; n++) {
		cpu = tfs_dat_info(tfs_trace_dat(s->v[n].trace))->cpus;
		most = cpu > most ? cpu : most;
	}
	/* How many there are is not known of a damaged one. */
	for (cpu = most; most && cpu < TFS_CPUS_MAX; cpu++) {
		if (!tfs_cpus_has(&req->cpus, cpu))
			continue;
		tc_msg_notice(tc_command.name,
			      "-C: the recording has no CPU %u: it comes from a machine with %u",
			      cpu, most);
		return;
	}
}

static void notice_plugins(const struct report_request *req, const struct report_sources *s)
{
	const char *path = report_plugin_dir(req);
	DIR *dir = path ? opendir(path) : NULL;
	size_t i;

	if (path && !dir)
		tc_msg_notice(tc_command.name, "no plugins in '%s': %s", path, strerror(errno));
	if (dir)
		closedir(dir);
	for (i = 0; i < req->plugin_options.n; i++)
		if (!tfs_plugin_options_has(s->v[0].trace, req->plugin_options.v[i]))
			tc_msg_notice(tc_command.name, "-O: no plugin has the option '%s'",
				      req->plugin_options.v[i]);
}

static void notice_refused_plugins(const struct report_request *req)
{
	struct tfs_strvec reasons = TFS_STRVEC_INIT;

	if (!req->no_plugins && !req->kernel)
		tfs_plugin_dirs_refused(&reasons);
	for (size_t i = 0; i < reasons.n; i++)
		tc_msg_notice(tc_command.name, "no plugins are loaded from %s", reasons.v[i]);
	tfs_strvec_release(&reasons);
}

static bool is_earlier(const struct report_sources *s, size_t n, const char *plugin)
{
	const char *one;
	size_t i, j;

	for (i = 0; i < n; i++)
		for (j = 0; (one = tfs_trace_lacks(s->v[i].trace, j)); j++)
			if (!strcmp(one, plugin))
				return true;
	return false;
}

void report_lacks(const struct report_request *req, const struct report_sources *s)
{
	const char *plugin;
	size_t i, j;

	for (i = 0; !req->quiet && i < s->n; i++)
		for (j = 0; (plugin = tfs_trace_lacks(s->v[i].trace, j)); j++)
			if (!is_earlier(s, i, plugin))
				tc_msg_notice(
					tc_command.name,
					"libtraceevent's '%s' could not be loaded: its events "
					"are shown by their print formats",
					plugin);
}

/* Every view lacks what other programs took, and has the times that they left. */
static void notice_disturbed(const struct report_sources *s)
{
	struct tfs_strvec lines = TFS_STRVEC_INIT;

	for (size_t n = 0; n < s->n; n++) {
		const struct tfs_dat *dat = tfs_trace_dat(s->v[n].trace);
		const struct tfs_dat_lost lost = tfs_dat_lost_all(dat);

		tfs_strvec_release(&lines);
		if (tfs_dat_lost_say(&lost, &lines))
			break;
		for (size_t i = 0; i < lines.n; i++)
			tc_msg_notice(tc_command.name, "'%s': %s", tfs_dat_path(dat), lines.v[i]);
	}
	tfs_strvec_release(&lines);
}

void report_notices(const struct report_request *req, const struct report_sources *s)
{
	if (req->quiet)
		return;
	notice_filters(s);
	notice_expressions(&req->raw_events, "-r", s);
	notice_expressions(&req->plain_events, "-n", s);
	notice_cpus(req, s);
	notice_disturbed(s);
	notice_plugins(req, s);
	notice_refused_plugins(req);
}
