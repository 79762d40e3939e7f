/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hist/query-kernel.h"

#include <errno.h>
#include <event-parse.h>
#include <stdlib.h>
#include <string.h>
#include <trace-seq.h>
#include <tracefs.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "hist/query.h"
#include "tracefs/file.h"
#include "tracefs/root.h"

/* Different keys; the kernel makes room for all of them at once. */
#define HIST_SIZE 16384

void tfs_query_hists_release(struct tfs_query_hists *hists)
{
	free(hists->synthetic);
	for (size_t i = 0; i < ARRAY_SIZE(hists->v); i++) {
		free(hists->v[i].event);
		free(hists->v[i].text);
	}
	*hists = (struct tfs_query_hists){ 0 };
}

/* The format of one event, for libtracefs to look into */
static int add_format(const struct tfs_root *root, const char *event, struct tep_handle *tep,
		      struct tfs_err *err)
{
	const int system = (int)strcspn(event, ":");
	struct tfs_strbuf path = TFS_STRBUF_INIT, text = TFS_STRBUF_INIT;
	char *name = strndup(event, (size_t)system);
	int rc = name ? tfs_strbuf_addf(&path, "events/%s/%s/format", name, event + system + 1) :
			-ENOMEM;

	if (!rc)
		rc = tfs_file_read(root, path.s, &text, err);
	if (!rc && tep_parse_event(tep, text.s, text.len, name) != TEP_ERRNO__SUCCESS)
		rc = tfs_err_say(err, -EINVAL, "libtraceevent does not read the format of '%s'",
				 event);
	free(name);
	tfs_strbuf_release(&path);
	tfs_strbuf_release(&text);
	return rc;
}

/* "system:event" as SQL has it */
static int add_event(const char *event, struct tfs_strbuf *sb)
{
	const int system = (int)strcspn(event, ":");

	return tfs_strbuf_addf(sb, "%.*s.%s", system, event, event + system + 1);
}

static int add_column(const struct tfs_query *q, const struct tfs_sql_column *col,
		      struct tfs_strbuf *sb)
{
	static const char *const aliases[] = { "start", "end" };
	const char *stamp = col->usecs ? "TIMESTAMP_USECS" : "TIMESTAMP";

	if (col->what == TFS_SQL_DELTA)
		return tfs_strbuf_addf(sb, "(end.%s - start.%s) AS %s", stamp, stamp, col->name);
	if (q->sql.join)
		return tfs_strbuf_addf(sb, "%s.%s AS %s", aliases[col->field.event],
				       col->field.name, col->name);
	return tfs_strbuf_addf(sb, col->what == TFS_SQL_SUM ? "CAST(%s AS _COUNTER_)" : "%s",
			       col->field.name);
}

/*
 * As libtracefs reads it, without COUNT, which all histograms have, and without WHERE, which is
 * added to the triggers.
 */
static int make_sql(const struct tfs_query *q, struct tfs_strbuf *sb)
{
	int rc = tfs_strbuf_adds(sb, "SELECT ");
	bool more = false;

	for (size_t i = 0; i < q->sql.n && !rc; i++) {
		if (q->sql.v[i].what == TFS_SQL_COUNT)
			continue;
		rc = more ? tfs_strbuf_adds(sb, ", ") : 0;
		if (!rc)
			rc = add_column(q, &q->sql.v[i], sb);
		more = true;
	}
	if (!rc)
		rc = tfs_strbuf_adds(sb, " FROM ");
	if (!rc)
		rc = add_event(q->event[0], sb);
	if (rc || !q->sql.join)
		return rc;
	rc = tfs_strbuf_adds(sb, " AS start JOIN ");
	if (!rc)
		rc = add_event(q->event[1], sb);
	return rc ? rc :
		    tfs_strbuf_addf(sb, " AS end ON start.%s = end.%s", q->sql.event[0].on.name,
				    q->sql.event[1].on.name);
}

/* libtracefs prints commands for a shell: "echo 'TEXT' > FILE". */
static int quoted(const char **line, struct tfs_strbuf *sb)
{
	const char *begin = strchr(*line, '\''), *end = begin ? strchr(begin + 1, '\'') : NULL;

	tfs_strbuf_reset(sb);
	if (!end)
		return -EINVAL;
	*line = end + strcspn(end, "\n");
	return tfs_strbuf_add(sb, begin + 1, (size_t)(end - begin) - 1);
}

static int add_trigger(struct tfs_query_hists *out, const char *event, const char *text,
		       const char *filter)
{
	struct tfs_query_trigger *t = &out->v[out->n++];
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	/* After the keys, which no colon is in */
	const size_t keys = strcspn(text, ":") + 1;
	const size_t rest = keys + strcspn(text + keys, ":");
	int rc = tfs_strbuf_addf(&sb, "%.*s:size=%d%s", (int)rest, text, HIST_SIZE, text + rest);

	if (!rc && *filter)
		rc = tfs_strbuf_addf(&sb, " if %s", filter);
	t->event = strdup(event);
	t->text = rc ? NULL : strdup(sb.s);
	tfs_strbuf_release(&sb);
	return t->event && t->text ? 0 : -ENOMEM;
}

/* The histogram of the synthetic event, which is the table */
static int add_table(const struct tfs_query *q, const char *name, struct tfs_query_hists *out)
{
	const struct tfs_hist_fields *fields = &q->fields;
	struct tfs_strbuf event = TFS_STRBUF_INIT, text = TFS_STRBUF_INIT;
	int rc = tfs_strbuf_addf(&event, "synthetic:%s", name);

	for (size_t i = 0; i < fields->n && !rc; i++)
		rc = tfs_strbuf_addf(&text, "%s%s", i ? "," : "hist:keys=", fields->v[i].name);
	for (size_t i = 0; i < fields->n_sums && !rc; i++)
		rc = tfs_strbuf_addf(&text, "%s%s", i ? "," : ":vals=", fields->sums[i]);
	if (!rc)
		rc = add_trigger(out, event.s, text.s, "");
	tfs_strbuf_release(&event);
	tfs_strbuf_release(&text);
	return rc;
}

static int take_pair(const struct tfs_query *q, const char *text, const char *name,
		     struct tfs_query_hists *out)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = quoted(&text, &sb);

	if (!rc && !(out->synthetic = strdup(sb.s)))
		rc = -ENOMEM;
	for (size_t i = 0; i < 2 && !rc; i++) {
		rc = quoted(&text, &sb);
		if (!rc)
			rc = add_trigger(out, q->event[i], sb.s, q->sql.event[i].filter.s);
	}
	tfs_strbuf_release(&sb);
	return rc ? rc : add_table(q, name, out);
}

static int take_one(const struct tfs_query *q, const char *text, struct tfs_query_hists *out)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = quoted(&text, &sb);

	if (!rc)
		rc = add_trigger(out, q->event[0], sb.s, q->sql.event[0].filter.s);
	tfs_strbuf_release(&sb);
	return rc;
}

static int take_text(const struct tfs_query *q, struct tracefs_synth *synth, const char *name,
		     struct tfs_query_hists *out)
{
	/* The caller's: it holds the formats of the events, too. */
	struct tracefs_hist *hist = q->sql.join ? NULL : tracefs_synth_get_start_hist(synth);
	struct trace_seq seq;
	int rc = -EINVAL;

	trace_seq_init(&seq);
	if (q->sql.join && tracefs_synth_complete(synth) && !tracefs_synth_echo_cmd(&seq, synth)) {
		trace_seq_terminate(&seq);
		rc = take_pair(q, seq.buffer, name, out);
	} else if (hist && !tracefs_hist_echo_cmd(&seq, NULL, hist, TRACEFS_HIST_CMD_START)) {
		trace_seq_terminate(&seq);
		rc = take_one(q, seq.buffer, out);
	}
	trace_seq_destroy(&seq);
	tracefs_hist_free(hist);
	return rc;
}

/* libtracefs draws a caret below the query that it was given; the last line says what it is. */
static int refused(const char *text, struct tfs_err *err)
{
	const char *reason = text ? strstr(text, "ERROR: ") : NULL;
	const size_t len =
		reason ? strcspn(strchr(reason, '\n') ? strchr(reason, '\n') + 1 : "", "\n") : 0;

	return tfs_err_say(err, -EINVAL, "libtracefs makes no histogram of this query%s%.*s",
			   len ? ": " : "", (int)len, len ? strchr(reason, '\n') + 1 : "");
}

int tfs_query_compose(const struct tfs_query *q, const struct tfs_root *root, const char *name,
		      struct tfs_query_hists *out, struct tfs_err *err)
{
	struct tep_handle *tep = tep_alloc();
	struct tracefs_synth *synth = NULL;
	struct tfs_strbuf sql = TFS_STRBUF_INIT;
	char *text = NULL;
	int rc = tep ? make_sql(q, &sql) : -ENOMEM;

	*out = (struct tfs_query_hists){ 0 };
	if (!rc)
		tep_set_long_size(tep, sizeof(long));
	for (unsigned int i = 0; i < q->sql.n_events && !rc; i++)
		rc = add_format(root, q->event[i], tep, err);
	/* README and dynamic_events say how a pair is written; libtracefs would look elsewhere. */
	if (!rc && tracefs_set_tracing_dir((char *)tfs_root_path(root)))
		rc = -ENOMEM;
	if (!rc) {
		synth = tracefs_sql(tep, name, sql.s, &text);
		rc = synth ? take_text(q, synth, name, out) : -EINVAL;
		tracefs_set_tracing_dir(NULL);
	}
	if (rc == -EINVAL && !err->code)
		rc = refused(text, err);
	free(text);
	tracefs_synth_free(synth);
	tep_free(tep);
	tfs_strbuf_release(&sql);
	if (rc)
		tfs_query_hists_release(out);
	return rc && !err->code ? tfs_err_set(err, rc, "cannot compose the histograms") : rc;
}
