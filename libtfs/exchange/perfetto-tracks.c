/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exchange/perfetto-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "decode/trace.h"
#include "tracedat/dat-read.h"
#include "tracedat/page.h"

/* Fields of a track's description, of its events, and of an event's annotations */
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PARENT = 5 };
enum { EVENT_ANNOTATION = 4, EVENT_TYPE = 9, EVENT_TRACK = 11, EVENT_NAME = 23 };
enum { SLICE_BEGIN = 1, SLICE_END = 2 };
enum { ANNOTATION_UINT = 3, ANNOTATION_NAME = 10 };

/* Any number does that no other track has. */
static uint64_t track_uuid(const struct perfetto_machine *m, uint64_t key)
{
	return tfs_hash64(m->uuid, &key, sizeof(key));
}

static int describe_track(struct perfetto *pf, struct perfetto_machine *m, uint64_t uuid,
			  uint64_t parent, const char *name)
{
	struct tfs_proto *p = tfs_packets_begin(pf->packets, &m->tracks);

	tfs_proto_open(p, TFS_PACKET_TRACK_DESCRIPTOR);
	tfs_proto_uint(p, TRACK_UUID, uuid);
	tfs_proto_string(p, TRACK_NAME, name);
	if (parent)
		tfs_proto_uint(p, TRACK_PARENT, parent);
	tfs_proto_close(p);
	return tfs_packets_end(pf->packets);
}

/* Named after the CPU, and after the buffer if that is not the top one */
static int describe_loss_track(struct perfetto *pf, struct perfetto_machine *m,
			       const struct perfetto_loss *loss, uint64_t uuid)
{
	const struct tfs_dat_buffer *b = tfs_dat_buffer(tfs_trace_dat(m->trace), loss->buffer);
	uint64_t parent = track_uuid(m, UINT64_MAX);
	int rc = 0;

	if (!m->has_loss_tracks)
		rc = describe_track(pf, m, parent, 0, "lost events");
	m->has_loss_tracks = true;
	tfs_strbuf_reset(&pf->scratch);
	if (!rc)
		rc = tfs_strbuf_addf(&pf->scratch, "CPU %" PRIu32 "%s%s", loss->cpu,
				     *b->name ? " of " : "", b->name);
	return rc ? rc : describe_track(pf, m, uuid, parent, pf->scratch.s);
}

static struct tfs_proto *begin_track_event(struct perfetto *pf, struct perfetto_machine *m,
					   uint64_t uuid, uint64_t ts, unsigned int type)
{
	struct tfs_proto *p = tfs_packets_begin(pf->packets, &m->tracks);

	tfs_proto_uint(p, TFS_PACKET_TIMESTAMP, ts);
	tfs_proto_open(p, TFS_PACKET_TRACK_EVENT);
	tfs_proto_uint(p, EVENT_TYPE, type);
	tfs_proto_uint(p, EVENT_TRACK, uuid);
	return p;
}

static int end_track_event(struct perfetto *pf, struct tfs_proto *p)
{
	tfs_proto_close(p);
	return tfs_packets_end(pf->packets);
}

int tfs_perfetto_loss(struct perfetto *pf, struct perfetto_machine *m,
		      const struct perfetto_loss *loss)
{
	uint64_t key = (uint64_t)loss->buffer << 32 | loss->cpu, uuid = track_uuid(m, key);
	struct tfs_proto *p;
	int rc = 0;

	if (!tfs_hashmap_int(&m->loss_tracks, key)) {
		rc = tfs_hashmap_add(&m->loss_tracks, tfs_hash_int(key), m);
		if (!rc)
			rc = describe_loss_track(pf, m, loss, uuid);
	}
	if (rc)
		return rc;
	p = begin_track_event(pf, m, uuid, loss->begin, SLICE_BEGIN);
	tfs_proto_string(p, EVENT_NAME, loss->missing ? "last events missing" : "lost events");
	if (loss->count > 0) {
		tfs_proto_open(p, EVENT_ANNOTATION);
		tfs_proto_uint(p, ANNOTATION_UINT, (uint64_t)loss->count);
		tfs_proto_string(p, ANNOTATION_NAME, "count");
		tfs_proto_close(p);
	}
	rc = end_track_event(pf, p);
	if (rc)
		return rc;
	return end_track_event(pf, begin_track_event(pf, m, uuid, loss->end, SLICE_END));
}
