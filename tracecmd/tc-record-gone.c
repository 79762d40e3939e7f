/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-record-gone.h"

#include <errno.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "base/strvec.h"
#include "cli/xalloc.h"
#include "trace-opts.h"
#include "tracefs/event-on.h"

void record_gone_remember(struct record_gone *gone, const struct trace_request *req,
			  const struct tfs_root *root)
{
	gone->n = req->n_buffers;
	gone->on = xcalloc(gone->n, sizeof(*gone->on));
	for (size_t i = 0; i < gone->n; i++) {
		tfs_strvec_init(&gone->on[i]);
		if (trace_is_used(req, &req->buffers[i]))
			tfs_event_on(root, &req->buffers[i].inst, &gone->on[i], NULL);
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

int record_gone_show(const struct record_gone *gone, const struct trace_request *req,
		     const struct tfs_root *root, struct tfs_strbuf *sb, bool *unloaded)
{
	struct tfs_strvec away = TFS_STRVEC_INIT, off = TFS_STRVEC_INIT;
	int rc = 0;

	for (size_t i = 0; i < gone->n && rc != -ENOMEM; i++) {
		if (gone->on[i].n)
			rc = tfs_event_unloaded(root, &req->buffers[i].inst, &gone->on[i], &away,
						&off, NULL);
	}
	rc = rc == -ENOMEM ? rc : 0;
	*unloaded = away.n != 0;
	if (!rc)
		rc = add_line(&away, "the module of ",
			      "was unloaded, and the kernel emptied the ring buffer: what was not "
			      "read by then is lost, and events are counted from then on",
			      sb);
	if (!rc)
		rc = add_line(&off, "",
			      "was recorded until somebody switched it off, or its module was "
			      "loaded anew",
			      sb);
	tfs_strvec_release(&away);
	tfs_strvec_release(&off);
	return rc;
}

void record_gone_release(struct record_gone *gone)
{
	for (size_t i = 0; i < gone->n; i++)
		tfs_strvec_release(&gone->on[i]);
	free(gone->on);
	gone->on = NULL;
	gone->n = 0;
}
