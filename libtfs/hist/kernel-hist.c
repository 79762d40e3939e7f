/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hist/kernel-hist.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "decode/value.h"
#include "hist/fields.h"
#include "hist/rows.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"

/* Different keys; the kernel makes room for all of them at once. */
#define HIST_SIZE 16384
/* A string is filled up with blanks to this (hist_trigger_print_key() of the kernel). */
#define STRING_WIDTH 50
#define EXEC_EVENT "sched:sched_process_exec"

/* The command stands before the condition. */
static int command_trigger(const char *trigger, const char *command, struct tfs_strbuf *sb)
{
	const char *condition = strstr(trigger, " if ");
	const size_t len = condition ? (size_t)(condition - trigger) : strlen(trigger);

	return tfs_strbuf_addf(sb, "%.*s%s%s%s", (int)len, trigger, *command ? ":" : "", command,
			       trigger + len);
}

int tfs_hist_trigger(const struct tfs_hist_fields *fields, const struct tfs_hist_event *event,
		     const char *command, struct tfs_strbuf *sb)
{
	int rc = event->trigger ? command_trigger(event->trigger, command, sb) :
				  tfs_strbuf_adds(sb, "hist:keys=");

	if (event->trigger)
		return rc;
	for (size_t i = 0; i < fields->n && !rc; i++)
		rc = tfs_strbuf_addf(sb, "%s%s", i ? "," : "", fields->v[i].name);
	if (!rc)
		rc = tfs_strbuf_addf(sb, ":size=%d", HIST_SIZE);
	if (!rc && *command)
		rc = tfs_strbuf_addf(sb, ":%s", command);
	if (!rc && event->filter)
		rc = tfs_strbuf_addf(sb, " if %s", event->filter);
	return rc;
}

/* Path of a control file of an event of the instance */
static int event_path(const struct tfs_instance *inst, const char *event, const char *file,
		      struct tfs_strbuf *path)
{
	const int system = (int)strcspn(event, ":");

	tfs_strbuf_reset(path);
	return tfs_strbuf_addf(path, "%sevents/%.*s/%s/%s", inst->prefix, system, event,
			       event + system + 1, file);
}

/* Append a line to the triggers of an event. */
static int write_trigger(const struct tfs_hists *hists, const char *event,
			 const struct tfs_strbuf *text, struct tfs_err *err)
{
	struct tfs_strbuf path = TFS_STRBUF_INIT;
	int rc = event_path(hists->inst, event, "trigger", &path);

	if (!rc)
		rc = tfs_file_write(hists->root, path.s, TFS_WRITE_APPEND, text->s, text->len, err);
	tfs_strbuf_release(&path);
	return rc;
}

static int command_one(const struct tfs_hists *hists, const struct tfs_hist_event *event,
		       const char *command, struct tfs_err *err)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc = tfs_hist_trigger(hists->fields, event, command, &text);

	if (!rc)
		rc = write_trigger(hists, event->name, &text, err);
	tfs_strbuf_release(&text);
	return rc && err && !err->code ? tfs_err_set(err, rc, "cannot count in histograms") : rc;
}

int tfs_hists_command(const struct tfs_hists *hists, const char *command, struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < hists->n && !rc; i++)
		rc = command_one(hists, &hists->events[i], command, err);
	return rc;
}

int tfs_hists_from_exec(const struct tfs_hists *hists, int pid, struct tfs_err *err)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < hists->n && !rc; i++) {
		const struct tfs_hist_event *event = &hists->events[i];

		rc = command_one(hists, event, "clear", err);
		if (rc || !strcmp(event->name, EXEC_EVENT))
			continue;
		rc = command_one(hists, event, "pause", err);
		tfs_strbuf_reset(&text);
		if (!rc)
			rc = tfs_strbuf_addf(&text, "enable_hist:%s:1 if common_pid == %d",
					     event->name, pid);
		if (!rc)
			rc = write_trigger(hists, EXEC_EVENT, &text, err);
	}
	tfs_strbuf_release(&text);
	return rc && err && !err->code ? tfs_err_set(err, rc, "cannot count in histograms") : rc;
}

/* Skip @word. Return: was it there? */
static bool take(const char **p, const char *word, size_t len)
{
	if (strncmp(*p, word, len) != 0)
		return false;
	*p += len;
	return true;
}

static bool take_number(const char **p, uint64_t *n)
{
	char *end;

	*p += strspn(*p, " ");
	if (!isdigit((unsigned char)**p))
		return false;
	errno = 0;
	*n = strtoull(*p, &end, 10);
	*p = end;
	return !errno;
}

/* Up to @after, which a shorter string has where its blanks end, whatever it holds itself */
static bool take_string(const char **p, const char *after, struct tfs_value *v)
{
	const size_t width = strnlen(*p, STRING_WIDTH);
	const char *end = strstr(*p + width, after);

	if (!end)
		end = strstr(*p, after);
	if (!end)
		return false;
	v->data = (const unsigned char *)*p;
	v->size = (size_t)(end - *p);
	while (v->size && v->data[v->size - 1] == ' ')
		v->size--;
	*p = end;
	return true;
}

static bool take_value(const char **p, enum tfs_hist_kind kind, const char *after,
		       struct tfs_field *f, struct tfs_value *v)
{
	*f = (struct tfs_field){ .kind = kind == TFS_HIST_STRING ? TFS_VALUE_STRING :
					 kind == TFS_HIST_SIGNED ? TFS_VALUE_SIGNED :
								   TFS_VALUE_UNSIGNED };
	*v = (struct tfs_value){ 0 };
	return kind == TFS_HIST_STRING ? take_string(p, after, v) : take_number(p, &v->number);
}

/* "{ prev_comm: bash   , prev_state:          1 } hitcount:          5": 0, -EBADMSG, -ENOMEM */
static int take_key(const struct tfs_hist_fields *fields, size_t event, const char **p,
		    struct tfs_strbuf *key)
{
	static const char end[] = " } hitcount:";
	struct tfs_strbuf after = TFS_STRBUF_INIT;
	int rc = take(p, "{ ", 2) ? 0 : -EBADMSG;

	for (size_t i = 0; i < fields->n && !rc; i++) {
		const struct tfs_hist_field *field = &fields->v[event * fields->n + i];
		struct tfs_field f;
		struct tfs_value v;

		tfs_strbuf_reset(&after);
		rc = i + 1 < fields->n ? tfs_strbuf_addf(&after, ", %s: ", field[1].name) :
					 tfs_strbuf_adds(&after, end);
		if (!rc &&
		    ((!i && (!take(p, field->name, strlen(field->name)) || !take(p, ": ", 2))) ||
		     !take_value(p, field->kind, after.s, &f, &v) || !take(p, after.s, after.len)))
			rc = -EBADMSG;
		if (!rc && i)
			rc = tfs_strbuf_addc(key, fields->separator ? fields->separator : ',');
		if (!rc)
			rc = tfs_hist_fields_print(fields, field, &f, &v, key);
	}
	tfs_strbuf_release(&after);
	return rc;
}

/* "  bytes:        512" after the count */
static bool take_sum(const char **p, const char *name, uint64_t *n)
{
	*p += strspn(*p, " ");
	return take(p, name, strlen(name)) && take(p, ":", 1) && take_number(p, n);
}

static int take_row(const struct tfs_hist_fields *fields, size_t event, const char **p,
		    struct tfs_hist_rows *rows)
{
	struct tfs_strbuf key = TFS_STRBUF_INIT;
	struct tfs_hist_row *row = NULL;
	uint64_t n = 0, sum[TFS_HIST_SUMS_MAX] = { 0 };
	int rc = take_key(fields, event, p, &key);

	if (!rc && !take_number(p, &n))
		rc = -EBADMSG;
	for (size_t i = 0; i < fields->n_sums && !rc; i++)
		rc = take_sum(p, fields->sums[i], &sum[i]) ? 0 : -EBADMSG;
	if (!rc) {
		row = tfs_hist_rows_text(rows, event, key.s, key.len);
		rc = row ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < fields->n_sums && row; i++)
		row->sum[i] += sum[i];
	if (row)
		row->count += n;
	tfs_strbuf_release(&key);
	return rc;
}

int tfs_hist_parse(const struct tfs_hist_fields *fields, size_t event, const char *text,
		   struct tfs_hist_rows *rows, uint64_t *dropped)
{
	static const char totals[] = "Totals:\n", drops[] = "Dropped:";
	const char *p = text;
	uint64_t n;
	int rc = 0;

	tfs_hist_rows_reset(rows, event);
	while (*p == '#' || *p == '\n')
		p += *p == '#' ? strcspn(p, "\n") : 1;
	while (!rc && *p == '{') {
		rc = take_row(fields, event, &p, rows);
		if (!rc && !take(&p, "\n", 1))
			rc = -EBADMSG;
	}
	p += strspn(p, "\n");
	if (rc || !take(&p, totals, strlen(totals)))
		return rc ? rc : -EBADMSG;
	p = strstr(p, drops);
	if (!p || !take(&p, drops, strlen(drops)) || !take_number(&p, &n))
		return -EBADMSG;
	*dropped += n;
	return 0;
}

int tfs_hists_read(const struct tfs_hists *hists, struct tfs_hist_rows *rows, uint64_t *dropped,
		   struct tfs_err *err)
{
	struct tfs_strbuf path = TFS_STRBUF_INIT, text = TFS_STRBUF_INIT;
	int rc = 0;

	*dropped = 0;
	for (size_t i = 0; i < hists->n && !rc; i++) {
		tfs_strbuf_reset(&text);
		rc = event_path(hists->inst, hists->events[i].name, "hist", &path);
		if (!rc)
			rc = tfs_file_read(hists->root, path.s, &text, err);
		if (!rc)
			rc = tfs_hist_parse(hists->fields, i, text.s, rows, dropped);
	}
	tfs_strbuf_release(&path);
	tfs_strbuf_release(&text);
	return rc && err && !err->code ? tfs_err_set(err, rc, "cannot read the histograms") : rc;
}
