/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/line.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/digits.h"
#include "base/inert.h"
#include "base/strbuf.h"
#include "base/time.h"

#define UNFINISHED " <unfinished ...>\n"
#define DAY 86400

int tfs_line_close(struct tfs_line *line, struct tfs_strbuf *out)
{
	if (!line->open)
		return 0;
	line->open = 0;
	return tfs_strbuf_add(out, UNFINISHED, strlen(UNFINISHED));
}

int tfs_line_seconds(uint64_t ns, int width, unsigned int digits, struct tfs_strbuf *out)
{
	static const uint32_t unit[] = { 1000000000, 100000000, 10000000, 1000000, 100000,
					 10000,      1000,      100,      10,      1 };
	int rc = tfs_strbuf_addf(out, "%*" PRIu64, width, ns / (uint64_t)NS_PER_SEC);

	return rc || !digits ? rc :
			       tfs_strbuf_addf(out, ".%0*" PRIu32, (int)digits,
					       (uint32_t)(ns % NS_PER_SEC) / unit[digits]);
}

static int put_time(const struct tfs_line_opts *o, uint64_t ts, struct tfs_strbuf *out)
{
	uint64_t wall = ts + (uint64_t)o->wall_offset, second;
	int rc;

	if (o->time == TFS_LINE_TIME_UNIX)
		return tfs_line_seconds(wall, 0, o->time_digits, out);
	second = (wall / NS_PER_SEC + (uint64_t)o->utc_offset) % DAY;
	rc = tfs_strbuf_addf(out, "%02u:%02u:", (unsigned int)(second / 3600),
			     (unsigned int)(second / 60 % 60));
	if (!rc && second % 60 < 10)
		rc = tfs_strbuf_addc(out, '0');
	return rc ? rc :
		    tfs_line_seconds(second % 60 * NS_PER_SEC + wall % NS_PER_SEC, 0,
				     o->time_digits, out);
}

static int put_times(struct tfs_line *line, uint64_t ts, struct tfs_strbuf *out)
{
	const struct tfs_line_opts *o = &line->opts;
	const bool both = o->time != TFS_LINE_TIME_NONE && o->relative;
	uint64_t since = line->started && ts > line->last ? ts - line->last : 0;
	int rc = 0;

	if (o->time != TFS_LINE_TIME_NONE)
		rc = put_time(o, ts, out);
	if (!rc && both)
		rc = tfs_strbuf_adds(out, " (+");
	if (!rc && o->relative)
		rc = tfs_line_seconds(since, 6, o->relative_digits, out);
	if (!rc && both)
		rc = tfs_strbuf_addc(out, ')');
	if (!rc && (o->time != TFS_LINE_TIME_NONE || o->relative))
		rc = tfs_strbuf_addc(out, ' ');
	line->last = ts;
	line->started = true;
	return rc;
}

static int put_pid(const struct tfs_line *line, int tid, const char *comm, struct tfs_strbuf *out)
{
	const bool brackets = line->opts.pid == TFS_LINE_PID_BRACKETS;
	size_t start;
	int rc;

	if (line->opts.pid == TFS_LINE_PID_NONE || (brackets && !line->several))
		return 0;
	rc = tfs_strbuf_addf(out, brackets ? "[pid %5d" : "%-5d", tid);
	start = out->len;
	if (!rc && line->opts.comm && comm)
		rc = tfs_strbuf_addf(out, "<%s>", comm);
	if (!rc && line->opts.inert)
		rc = tfs_inert_rest(out, start, TFS_INERT_NONE);
	return rc ? rc : tfs_strbuf_adds(out, brackets ? "] " : " ");
}

int tfs_line_begin(struct tfs_line *line, const struct tfs_line_head *head, struct tfs_strbuf *out)
{
	int rc = tfs_line_close(line, out);

	if (!rc)
		rc = put_pid(line, head->tid, head->comm, out);
	if (!rc)
		rc = put_times(line, head->ts, out);
	if (!rc && line->opts.numbers)
		rc = head->nr < 0 ? tfs_strbuf_adds(out, "[????] ") :
				    tfs_strbuf_addf(out, "[%4" PRId64 "] ", head->nr);
	return rc;
}

void tfs_line_pause(struct tfs_line *line, int tid, size_t start, const struct tfs_strbuf *out)
{
	line->open = tid;
	line->width = out->len - start;
}

int tfs_line_result(struct tfs_line *line, size_t start, struct tfs_strbuf *out)
{
	size_t width = line->width + out->len - start;
	size_t pad = width < line->opts.column ? line->opts.column - width : 1;

	line->width = 0;
	line->open = 0;
	if (tfs_strbuf_room(out, pad + 2))
		return -ENOMEM;
	memset(out->s + out->len, ' ', pad);
	out->len += pad;
	return tfs_strbuf_add(out, "= ", 2);
}

int tfs_line_note(struct tfs_line *line, const struct tfs_line_head *head, struct tfs_strbuf *out)
{
	int rc = tfs_line_close(line, out);

	if (!rc)
		rc = put_pid(line, head->tid, head->comm, out);
	return rc ? rc : tfs_strbuf_adds(out, "    ");
}

int tfs_line_duration(const struct tfs_line *line, uint64_t ns, struct tfs_strbuf *out)
{
	int rc;

	if (line->opts.duration_digits < 0)
		return 0;
	rc = tfs_strbuf_add(out, " <", 2);
	if (!rc)
		rc = tfs_line_seconds(ns, 0, (unsigned int)line->opts.duration_digits, out);
	return rc ? rc : tfs_strbuf_addc(out, '>');
}
