/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-trace-hold.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/json.h"
#include "base/strbuf-core.h"
#include "tc-trace-fds.h"

/* Bytes of lines that wait: a trace that lags by more than that does not. */
#define HELD_MAX ((size_t)4 << 20)
/* Ticks without an event after which all that happened before the first is shown: record/live.h */
#define IDLE_TICKS 3

/* The text of one event: up to @end */
struct part {
	int tid;
	size_t end;
};

/* Where a file is missing; @len bytes at @at stand there if it stays so */
struct place {
	struct strace_fds_wait wait;
	size_t at, len;
	bool answered, known;
	struct tfs_strbuf file;
};

/*
 * @text: of @parts, one after the other; @places in it, by rising time of their answer
 * @mark: as it is in lines
 * @idle: ticks since the last event
 */
struct strace_hold {
	struct strace_fds *fds;
	bool json;
	struct tfs_strbuf text, mark;
	struct part *parts;
	struct place *places;
	size_t n_parts, alloc_parts, n_places, alloc_places;
	unsigned int idle;
};

/* As JSON has it, without the quotes */
static int escape(const char *text, size_t len, struct tfs_strbuf *out)
{
	struct tfs_strbuf quoted = TFS_STRBUF_INIT;
	int rc = tfs_json_string(&quoted, text, len);

	if (!rc)
		rc = tfs_strbuf_add(out, quoted.s + 1, quoted.len - 2);
	tfs_strbuf_release(&quoted);
	return rc;
}

int strace_hold_new(struct strace_fds *fds, bool json, struct strace_hold **out)
{
	static const char mark[] = STRACE_FDS_MARK;
	struct strace_hold *h = calloc(1, sizeof(*h));
	int rc;

	if (!h)
		return -ENOMEM;
	h->fds = fds;
	h->json = json;
	tfs_strbuf_init(&h->text);
	tfs_strbuf_init(&h->mark);
	rc = json ? escape(mark, strlen(mark), &h->mark) : tfs_strbuf_adds(&h->mark, mark);
	if (rc) {
		strace_hold_free(h);
		return rc;
	}
	strace_fds_mark(fds);
	*out = h;
	return 0;
}

void strace_hold_free(struct strace_hold *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->n_places; i++)
		tfs_strbuf_release(&h->places[i].file);
	tfs_strbuf_release(&h->text);
	tfs_strbuf_release(&h->mark);
	free(h->parts);
	free(h->places);
	free(h);
}

static int answer(struct strace_hold *h, struct place *p)
{
	struct tfs_strbuf file = TFS_STRBUF_INIT;
	int rc = strace_fds_answer(h->fds, &p->wait, &file);

	p->answered = true;
	p->known = rc > 0;
	if (rc > 0)
		rc = h->json ? escape(file.s, file.len, &p->file) :
			       tfs_strbuf_add(&p->file, file.s, file.len);
	tfs_strbuf_release(&file);
	return rc;
}

/* A part with its files; @n places are in it */
static int give_part(const struct strace_hold *h, size_t start, const struct part *part,
		     const struct place *places, size_t n, const struct strace_hold_sink *sink)
{
	struct tfs_strbuf line = TFS_STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++) {
		const struct place *p = &places[i];

		rc = tfs_strbuf_add(&line, h->text.s + start, p->at - start);
		if (!rc)
			rc = p->known ? tfs_strbuf_add(&line, p->file.s, p->file.len) :
					tfs_strbuf_add(&line, h->text.s + p->at, p->len);
		start = p->at + p->len;
	}
	if (!rc)
		rc = tfs_strbuf_add(&line, h->text.s + start, part->end - start);
	if (!rc)
		rc = sink->take(sink->ctx, part->tid, line.s, line.len);
	tfs_strbuf_release(&line);
	return rc;
}

/* Forget what was given. */
static void drop(struct strace_hold *h, size_t n_parts, size_t n_places)
{
	const size_t bytes = n_parts ? h->parts[n_parts - 1].end : 0;

	for (size_t i = 0; i < n_places; i++)
		tfs_strbuf_release(&h->places[i].file);
	h->n_parts -= n_parts;
	h->n_places -= n_places;
	h->text.len -= bytes;
	memmove(h->text.s, h->text.s + bytes, h->text.len);
	if (h->n_parts)
		memmove(h->parts, h->parts + n_parts, h->n_parts * sizeof(*h->parts));
	if (h->n_places)
		memmove(h->places, h->places + n_places, h->n_places * sizeof(*h->places));
	for (size_t i = 0; i < h->n_parts; i++)
		h->parts[i].end -= bytes;
	for (size_t i = 0; i < h->n_places; i++)
		h->places[i].at -= bytes;
}

/* Up to the first event that has to wait */
static int give(struct strace_hold *h, bool all, const struct strace_hold_sink *sink)
{
	size_t parts = 0, places = 0, start = 0;
	int rc = 0;

	while (!rc && parts < h->n_parts) {
		const struct part *part = &h->parts[parts];
		size_t n = 0;
		bool waits = false;

		for (; places + n < h->n_places && h->places[places + n].at < part->end; n++)
			waits |= !h->places[places + n].answered;
		if (waits && !all)
			break;
		rc = give_part(h, start, part, &h->places[places], n, sink);
		start = part->end;
		places += n;
		parts++;
	}
	drop(h, parts, places);
	return rc;
}

static int reach(struct strace_hold *h, uint64_t ts)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < h->n_places && h->places[i].wait.until <= ts; i++) {
		if (h->places[i].answered)
			continue;
		rc = strace_fds_reach(h->fds, h->places[i].wait.until);
		if (!rc)
			rc = answer(h, &h->places[i]);
	}
	return rc;
}

int strace_hold_reach(struct strace_hold *h, uint64_t ts, const struct strace_hold_sink *sink)
{
	int rc;

	h->idle = 0;
	if (!h->n_parts)
		return 0;
	rc = reach(h, ts);
	return rc ? rc : give(h, h->text.len > HELD_MAX, sink);
}

int strace_hold_tick(struct strace_hold *h, const struct strace_hold_sink *sink)
{
	int rc;

	if (!h->n_parts || ++h->idle < IDLE_TICKS)
		return 0;
	rc = reach(h, UINT64_MAX);
	return rc ? rc : give(h, false, sink);
}

int strace_hold_all(struct strace_hold *h, const struct strace_hold_sink *sink)
{
	return give(h, true, sink);
}

/* Take the marks out of what was appended last. */
static int find_place(struct strace_hold *h, size_t start, const struct strace_fds_wait *wait)
{
	const size_t n = h->mark.len;
	char *first = memmem(h->text.s + start, h->text.len - start, h->mark.s, n);
	char *last;
	size_t at, len;

	if (!first)
		return 0;
	at = (size_t)(first - h->text.s);
	last = memmem(first + n, h->text.len - at - n, h->mark.s, n);
	if (!last)
		return 0;
	len = (size_t)(last - first) - n;
	memmove(first, first + n, len);
	memmove(first + len, first + len + 2 * n, h->text.len - at - len - 2 * n);
	h->text.len -= 2 * n;
	if (tfs_grow(&h->places, &h->alloc_places, h->n_places + 1))
		return -ENOMEM;
	h->places[h->n_places++] = (struct place){
		.wait = *wait,
		.at = at,
		.len = len,
		.file = TFS_STRBUF_INIT,
	};
	return 0;
}

int strace_hold_add(struct strace_hold *h, int tid, size_t start, struct tfs_strbuf *out)
{
	struct strace_fds_wait wait;
	const bool marked = strace_fds_marked(h->fds, &wait);
	const size_t held = h->text.len;
	int rc;

	if (out->len == start || (!marked && !h->n_parts))
		return 0;
	rc = tfs_strbuf_add(&h->text, out->s + start, out->len - start);
	if (!rc && marked)
		rc = find_place(h, held, &wait);
	if (!rc)
		rc = tfs_grow(&h->parts, &h->alloc_parts, h->n_parts + 1);
	if (rc)
		return rc;
	h->parts[h->n_parts++] = (struct part){ tid, h->text.len };
	out->len = start;
	out->s[start] = '\0';
	return 0;
}
