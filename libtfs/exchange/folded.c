/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exchange/folded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/out-file.h"
#include "base/out.h"
#include "stack/collect-view.h"
#include "stack/fold-lines.h"
#include "stack/fold.h"

struct folded {
	struct tfs_collect_view base;
	struct tfs_folded_opts opts;
	struct tfs_out_file *file;
};

static struct folded *to_folded(struct tfs_view *view)
{
	return (struct folded *)view;
}

static int text(struct tfs_view *view, const char *text, size_t len, struct tfs_strbuf *out,
		struct tfs_err *err)
{
	(void)view;
	(void)text;
	(void)len;
	(void)out;
	return tfs_err_say(err, -EOPNOTSUPP,
			   "the recording is a latency tracer's text, which has no stacks to fold");
}

static int put_line(void *out, const char *line, size_t len)
{
	return tfs_out_write(out, line, len);
}

static int end(struct tfs_view *view, struct tfs_strbuf *text, struct tfs_err *err)
{
	struct folded *f = to_folded(view);
	struct tfs_out *out = tfs_out_file_out(f->file);
	unsigned int flags = f->opts.flags & TFS_FOLDED_ANNOTATE ? TFS_FOLD_ANNOTATE : 0;
	uint64_t divisor = 1;
	int rc = tfs_collect_end(f->base.collect);

	(void)text;
	if (!strcmp(tfs_collect_unit(f->base.collect), "ns") && f->opts.ns_per_unit)
		divisor = f->opts.ns_per_unit;
	if (!rc)
		rc = tfs_fold_lines(tfs_collect_fold(f->base.collect), flags, divisor, put_line,
				    out);
	if (rc == -ENOMEM)
		return rc;
	return tfs_out_file_commit(f->file, err);
}

static void free_folded(struct tfs_view *view)
{
	struct folded *f = to_folded(view);

	tfs_collect_free(f->base.collect);
	tfs_out_file_free(f->file);
	free(f);
}

static const struct tfs_view_ops ops = {
	.event = tfs_collect_view_event,
	.lost = tfs_collect_view_lost,
	.text = text,
	.end = end,
	.notes = tfs_collect_view_notes,
	.free = free_folded,
};

int tfs_folded_new(const struct tfs_folded_opts *opts, struct tfs_view **view, struct tfs_err *err)
{
	struct folded *f = calloc(1, sizeof(*f));
	int rc;

	if (!f)
		return -ENOMEM;
	f->base.view.ops = &ops;
	f->base.view.flags = TFS_VIEW_UNSELECTED | TFS_VIEW_MISSING;
	f->opts = *opts;
	rc = tfs_collect_new(&opts->collect, &f->base.collect, err);
	if (!rc)
		rc = tfs_out_file_open(opts->path, &f->file, err);
	if (rc) {
		tfs_view_free(&f->base.view);
		return rc;
	}
	if (opts->flags & TFS_FOLDED_INERT)
		tfs_out_set_inert(tfs_out_file_out(f->file), true);
	*view = &f->base.view;
	return 0;
}
