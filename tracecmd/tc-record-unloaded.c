/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-record-unloaded.h"

#include <errno.h>
#include <stdlib.h>

#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "cli/xalloc.h"
#include "trace-opts.h"
#include "tracefs/event-on.h"

void record_unloaded_begin(struct record_unloaded *events, const struct trace_request *req,
			   const struct tfs_root *root)
{
	events->n = req->n_buffers;
	events->on = xcalloc(events->n, sizeof(*events->on));
	for (size_t i = 0; i < events->n; i++) {
		tfs_strvec_init(&events->on[i]);
		if (trace_is_used(req, &req->buffers[i]))
			tfs_event_on(root, &req->buffers[i].inst, &events->on[i], NULL);
	}
}

/* "tc-record: @before'watchdog:watchdog_ping' and 3 more @after"; nothing without names */
static int add_line(const struct tfs_strvec *names, const char *before, const char *after,
		    struct tfs_strbuf *sb)
{
	int rc;

	if (!names->n)
		return 0;
	rc = tfs_strbuf_addf(sb, "tc-record: %s'%s'", before, names->v[0]);
	if (!rc && names->n > 1)
		rc = tfs_strbuf_addf(sb, " and %zu more", names->n - 1);
	return rc ? rc : tfs_strbuf_addf(sb, " %s\n", after);
}

int record_unloaded_show(const struct record_unloaded *events, const struct trace_request *req,
			 const struct tfs_root *root, struct tfs_strbuf *sb, bool *unloaded)
{
	struct tfs_strvec away = TFS_STRVEC_INIT, off = TFS_STRVEC_INIT;
	int rc = 0;

	for (size_t i = 0; i < events->n && rc != -ENOMEM; i++) {
		if (events->on[i].n)
			rc = tfs_event_unloaded(root, &req->buffers[i].inst, &events->on[i], &away,
						&off, NULL);
	}
	rc = rc == -ENOMEM ? rc : 0;
	*unloaded = away.n != 0;
	if (!rc)
		rc = add_line(
			&away, "the module of ",
			"was unloaded, and the kernel emptied the ring buffer: events that had not "
			"been read are lost, and counting starts from there",
			sb);
	if (!rc)
		rc = add_line(&off, "",
			      "was recorded until it was disabled or its module was reloaded", sb);
	tfs_strvec_release(&away);
	tfs_strvec_release(&off);
	return rc;
}

void record_unloaded_release(struct record_unloaded *events)
{
	for (size_t i = 0; i < events->n; i++)
		tfs_strvec_release(&events->on[i]);
	free(events->on);
	events->on = NULL;
	events->n = 0;
}
