/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-lost.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>

#include "base/cursor.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "tracedat/dat-private.h"
#include "tracedat/dat-read.h"

#define ENTRY_SIZE 64
/* Without what others did, in older files */
#define ENTRY_LEAST 48

_Static_assert(sizeof(struct tfs_dat_lost) == ENTRY_SIZE, "an entry has no padding");

int tfs_dat_lost_begin(struct tfs_strbuf *payload)
{
	const uint32_t head[2] = { TFS_DAT_PRIVATE_MARK, ENTRY_SIZE };

	return tfs_strbuf_add(payload, head, sizeof(head));
}

int tfs_dat_lost_add(struct tfs_strbuf *payload, const struct tfs_dat_lost *lost)
{
	return tfs_strbuf_add(payload, lost, sizeof(*lost));
}

static int read_entry(const void *entry, size_t size, bool big, struct tfs_dat_lost *lost)
{
	uint64_t *const counts[] = { &lost->events,  &lost->overrun, &lost->commit_overrun,
				     &lost->dropped, &lost->unread,  &lost->taken,
				     &lost->signs };
	struct tfs_cursor c;
	int rc;

	lost->taken = 0;
	lost->signs = 0;
	tfs_cursor_init(&c, entry, size < ENTRY_SIZE ? ENTRY_LEAST : ENTRY_SIZE, big);
	rc = tfs_cursor_u32(&c, &lost->cpu);
	if (!rc)
		rc = tfs_cursor_u32(&c, &lost->buffer);
	for (size_t i = 0; i < ARRAY_SIZE(counts) && tfs_cursor_left(&c) && !rc; i++)
		rc = tfs_cursor_u64(&c, counts[i]);
	return rc;
}

/* The entries: 1, 0 when there is no such option, -EBADMSG */
static int open_entries(const struct tfs_dat *dat, struct tfs_cursor *c, uint32_t *size)
{
	const struct tfs_dat_option *o = tfs_dat_option_last(dat, TFS_DAT_PRIVATE_LOST);

	if (!o)
		return 0;
	if (tfs_dat_private_cursor(o, tfs_dat_info(dat)->big_endian, c) ||
	    tfs_cursor_u32(c, size) || *size < ENTRY_LEAST)
		return -EBADMSG;
	return 1;
}

/* 1, 0 at the end, -EBADMSG */
static int next_entry(struct tfs_cursor *c, uint32_t size, struct tfs_dat_lost *lost)
{
	const void *entry;

	if (!tfs_cursor_left(c))
		return 0;
	return tfs_cursor_bytes(c, size, &entry) || read_entry(entry, size, c->big, lost) ?
		       -EBADMSG :
		       1;
}

int tfs_dat_lost_find(const struct tfs_dat *dat, size_t buffer, unsigned int cpu,
		      struct tfs_dat_lost *lost)
{
	struct tfs_cursor c;
	uint32_t size;
	int rc = open_entries(dat, &c, &size);

	while (rc > 0 && (rc = next_entry(&c, size, lost)) > 0)
		if (lost->cpu == cpu && lost->buffer == buffer)
			return 1;
	return rc;
}

int tfs_dat_lost_each(const struct tfs_dat *dat,
		      void (*call)(void *context, const struct tfs_dat_lost *lost), void *context)
{
	struct tfs_dat_lost lost;
	struct tfs_cursor c;
	uint32_t size;
	int rc = open_entries(dat, &c, &size);

	while (rc > 0 && (rc = next_entry(&c, size, &lost)) > 0)
		call(context, &lost);
	return rc;
}

static int say_taken(uint64_t taken, struct tfs_strvec *out)
{
	if (!taken)
		return 0;
	return tfs_strvec_pushf(out,
				"another program read %" PRIu64
				" event%s out of the ring buffer: %s missing here",
				taken, taken == 1 ? "" : "s", taken == 1 ? "it is" : "they are");
}

int tfs_dat_lost_say(const struct tfs_dat_lost *lost, struct tfs_strvec *out)
{
	static const struct {
		enum tfs_dat_lost_signs sign;
		const char *text;
	} signs[] = {
		{ TFS_DAT_LOST_EMPTIED,
		  "another program emptied the ring buffer or reset its counters: it is "
		  "not known how many events were lost" },
		{ TFS_DAT_LOST_CLOCK,
		  "another program changed the clock of the ring buffer: that emptied it, and "
		  "times from there on are of another clock" },
		{ TFS_DAT_LOST_OFF,
		  "tracing was turned off by another program or a trigger: events from there on, "
		  "or until it was turned on again, are missing" },
		{ TFS_DAT_LOST_EVENTS,
		  "another program changed which events, tasks or CPUs are traced: events from "
		  "there on may be missing, or others be there" },
	};
	int rc = say_taken(lost->taken, out);

	for (size_t i = 0; i < ARRAY_SIZE(signs) && !rc; i++)
		if (lost->signs & signs[i].sign)
			rc = tfs_strvec_push(out, signs[i].text);
	return rc;
}

static void add_to_all(void *context, const struct tfs_dat_lost *lost)
{
	struct tfs_dat_lost *sum = context;

	sum->taken += lost->taken;
	sum->signs |= lost->signs;
}

struct tfs_dat_lost tfs_dat_lost_all(const struct tfs_dat *dat)
{
	struct tfs_dat_lost sum = { .cpu = 0 };

	tfs_dat_lost_each(dat, add_to_all, &sum);
	return sum;
}
