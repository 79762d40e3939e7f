/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-report-hint.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/macros.h"
#include "base/strbuf-core.h"
#include "cli/msg.h"
#include "decode/event-type.h"
#include "main.h"
#include "tc-report-opts.h"
#include "tc-report-sources.h"
#include "tc-report-views.h"

/* A view, with an argument as an example, and the events that it is about */
static const struct hint {
	const char *option, *arg;
	const char *events[4]; /* globs for SYSTEM:EVENT; none: any event */
} hints[] = {
	{ "--syscalls", "", { "raw_syscalls:sys_enter", "syscalls:sys_enter_*" } },
	{ "--profile", "", { "sched:sched_switch" } },
	{ "--wakeups", "", { "sched:sched_waking", "sched:sched_wakeup" } },
	{ "--latency", "", { "sched:sched_wak*", "irq:*_entry", "*syscalls:sys_enter*" } },
	{ "--graph", "", { "ftrace:funcgraph_entry" } },
	{ "--flame",
	  "=OUT.html",
	  { "ftrace:kernel_stack", "ftrace:user_stack", "ftrace:funcgraph_entry" } },
	{ "--flat", "", { "ftrace:kernel_stack", "ftrace:user_stack" } },
	{ "--html", "=OUT.html", { NULL } },
	{ "--perfetto", "=OUT.pftrace", { NULL } },
	{ "--count-by", "=comm,event", { NULL } },
};

/* Was an event of this type shown? Its format is then parsed. */
static bool has_event(const struct tfs_trace *trace, const char *glob)
{
	const struct tfs_event_index *index = tfs_trace_index(trace);
	struct tfs_strbuf name = TFS_STRBUF_INIT;
	bool found = false;

	for (size_t i = 0; i < index->n && !found; i++) {
		const struct tfs_event_type *t = &index->types[i];

		tfs_strbuf_reset(&name);
		if (t->ready &&
		    !tfs_strbuf_addf(&name, "%s:%.*s", t->system, (int)t->name_len, t->name))
			found = !fnmatch(glob, name.s, 0);
	}
	tfs_strbuf_release(&name);
	return found;
}

static bool has_data(const struct report_sources *s, const struct hint *h)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < ARRAY_SIZE(h->events); k++)
			if (k && !h->events[k])
				break;
			else if (has_event(s->v[i].trace, h->events[k] ? h->events[k] : "*"))
				return true;
	return false;
}

void report_hint(const struct report_request *req, const struct report_sources *s)
{
	struct tfs_strbuf names = TFS_STRBUF_INIT;
	int rc = 0;

	if (req->quiet || !req->terminal || req->escape || req->follow || req->test_filters ||
	    !report_view_is_default(req))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(hints) && !rc; i++)
		if (report_view_exists(hints[i].option) && has_data(s, &hints[i]))
			rc = tfs_strbuf_addf(&names, "%s%s%s", names.len ? ", " : "",
					     hints[i].option, hints[i].arg);
	if (!rc && names.len)
		tc_msg_notice(tc_command.name,
			      "other views of these events: %s; see VIEWS in tc-report(1)",
			      names.s);
	tfs_strbuf_release(&names);
}
