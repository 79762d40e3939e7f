/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relay/receive.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/err.h"
#include "base/io.h"
#include "base/strbuf-core.h"
#include "base/time.h"
#include "clock/round-trip.h"
#include "record/output.h"
#include "relay/compare.h"
#include "relay/gap.h"
#include "relay/receive-internal.h"
#include "relay/wire.h"
#include "tracedat/compress.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-host.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-recover.h"
#include "tracedat/dat-segments.h"

#define TEXT_MAX 4096u
#define LINK_BYTES 8u
/* A head that comes in small pieces is not opened for each of them. */
#define LOOK_NS (100 * NS_PER_MSEC)

struct temp {
	bool is_open;
	int fd;
};

struct tfs_relay_receiver {
	struct tfs_relay_receiver_opts opts;
	char *path;
	struct tfs_output output;
	struct relay_journal journal;
	struct relay_progress progress;
	bool dirty; /* more has come than the journal says */
	struct relay_source *sources;
	size_t n_sources;
	uint64_t data;                 /* bytes of all of them */
	struct temp *temps;            /* of the sources */
	uint32_t open[RELAY_OPEN_MAX]; /* which of them are open */
	size_t n_open, next_open;
	/* Once the head is complete */
	struct tfs_dat *dat;
	struct tfs_dat_segments segments;
	struct tfs_codec *codec;
	uint64_t looked,
		looked_ns; /* bytes of the head, and the time, when its clock was looked for */
	/* The record that is coming */
	unsigned char *packet;
	size_t packet_size, have;
	struct tfs_strbuf text; /* of END */
};

static int damaged(const struct tfs_relay_receiver *r, const char *why, struct tfs_err *err)
{
	return tfs_err_say(err, -EBADMSG,
			   "the stream for '%s' is damaged at record %" PRIu64 ": %s", r->path,
			   r->progress.next, why);
}

static int write_failed(const struct tfs_relay_receiver *r, int rc, struct tfs_err *err)
{
	return tfs_err_set(err, rc, "cannot write '%s'", r->path);
}

/* A temporary file that a receiver has left, cut to what it had said to have */
static int reopen_temp(const struct tfs_relay_receiver *r, size_t i, int *fd)
{
	const struct tfs_dat_segment *seg = &r->segments.segments[i];
	char *path = tfs_dat_segment_path(r->path, r->segments.buffers[seg->buffer].name, seg->cpu);
	struct stat st;
	int rc = 0;

	if (!path)
		return -ENOMEM;
	*fd = openat(r->output.dir, path + (r->output.name - r->output.path),
		     O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	free(path);
	if (*fd < 0)
		return -errno;
	if (fstat(*fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid())
		rc = -EPERM;
	else if ((uint64_t)st.st_size < r->sources[i].bytes)
		rc = -ESTALE;
	else if (ftruncate(*fd, (off_t)r->sources[i].bytes))
		rc = -errno;
	if (rc)
		tfs_close(fd);
	return rc;
}

/* The place of one more open file, for which the one that was opened first may have to be closed */
static uint32_t *place_to_open(struct tfs_relay_receiver *r)
{
	uint32_t *place = &r->open[r->next_open];

	if (r->n_open == RELAY_OPEN_MAX) {
		tfs_close(&r->temps[*place].fd);
		r->temps[*place].is_open = false;
		r->n_open--;
	}
	return place;
}

static int open_temp(struct tfs_relay_receiver *r, size_t i, struct tfs_err *err)
{
	const struct tfs_dat_segment *seg = &r->segments.segments[i];
	struct temp *temp = &r->temps[i];
	uint32_t *place;
	int rc;

	if (temp->is_open)
		return 0;
	place = place_to_open(r);
	if (!r->sources[i].bytes) {
		rc = tfs_output_temp(&r->output, r->segments.buffers[seg->buffer].name, seg->cpu,
				     &temp->fd, err);
	} else {
		rc = reopen_temp(r, i, &temp->fd);
		if (rc)
			tfs_err_set(err, rc, "cannot go on with CPU %u of '%s'", seg->cpu, r->path);
	}
	if (rc)
		return rc;
	temp->is_open = true;
	*place = (uint32_t)i;
	r->n_open++;
	r->next_open = (r->next_open + 1) % RELAY_OPEN_MAX;
	return 0;
}

static int make_sources(struct tfs_relay_receiver *r)
{
	if (!r->sources) {
		r->sources = calloc(r->segments.n + 1, sizeof(*r->sources));
		r->n_sources = r->segments.n;
	}
	r->temps = calloc(r->segments.n + 1, sizeof(*r->temps));
	return r->sources && r->temps ? 0 : -ENOMEM;
}

/* The head is complete: learn from it which CPUs will come. */
static int read_head(struct tfs_relay_receiver *r, struct tfs_err *err)
{
	int rc = tfs_dat_open(r->path, &r->dat, err);

	if (!rc)
		rc = tfs_dat_segments_read(r->dat, &r->segments, err);
	if (!rc && (tfs_dat_info(r->dat)->version < 7 || !r->segments.n ||
		    r->segments.n > RELAY_SOURCES_MAX || tfs_dat_n_buffers(r->dat)))
		rc = damaged(r, "it does not begin with the head of a recording", err);
	if (!rc && r->sources && r->n_sources != r->segments.n)
		rc = tfs_err_say(err, -EBADMSG, "'%s' and '%s' do not belong together", r->path,
				 r->journal.path);
	if (!rc)
		rc = tfs_codec_new(tfs_dat_info(r->dat)->codec, 0, &r->codec, err);
	if (!rc && make_sources(r))
		rc = tfs_err_set(err, -ENOMEM, "cannot receive '%s'", r->path);
	/* One at least, for --recover */
	return rc ? rc : open_temp(r, 0, err);
}

static int need_head(struct tfs_relay_receiver *r, struct tfs_err *err)
{
	int rc;

	if (r->progress.has_head)
		return 0;
	if (!r->progress.head)
		return damaged(r, "it has no head", err);
	rc = read_head(r, err);
	r->progress.has_head = !rc;
	return rc;
}

static int over_limit(const struct tfs_relay_receiver *r, struct tfs_err *err)
{
	return tfs_err_say(err, -EDQUOT, "'%s' would get larger than the limit of %" PRIu64 " KiB",
			   r->path, r->opts.max_bytes / 1024);
}

static int take_file_bytes(struct tfs_relay_receiver *r, const struct tfs_relay_record *rec,
			   const void *payload, struct tfs_err *err)
{
	struct relay_progress *p = &r->progress;
	const bool is_head = rec->type == TFS_RELAY_HEAD;
	const bool is_link = !is_head && rec->size == LINK_BYTES && rec->offset < p->head &&
			     p->head - rec->offset >= LINK_BYTES;
	int rc = is_head ? 0 : need_head(r, err);

	if (rc)
		return rc;
	if (is_head && p->has_head)
		return damaged(r, "a second head", err);
	if (!is_link && rec->offset != p->file)
		return damaged(r, "bytes at another place than the next", err);
	if (rec->offset + rec->size > TFS_RELAY_FILE_MAX)
		return damaged(r, "too many bytes besides events", err);
	if (r->opts.max_bytes && p->file + rec->size + r->data > r->opts.max_bytes)
		return over_limit(r, err);
	rc = tfs_pwrite_all(r->output.fd, payload, rec->size, (off_t)rec->offset);
	if (rc)
		return write_failed(r, rc, err);
	if (!is_link)
		p->file += rec->size;
	if (is_head)
		p->head = p->file;
	return 0;
}

/* Is a payload as large as its own head says? Otherwise what follows would be lost, too. */
static bool is_whole(const struct tfs_relay_receiver *r, const struct tfs_relay_record *rec,
		     uint32_t page_size, const unsigned char *payload)
{
	uint32_t head[2];

	if (rec->raw % page_size)
		return false;
	if (tfs_codec_id(r->codec) == TFS_CODEC_NONE)
		return rec->size == rec->raw;
	if (rec->size <= sizeof(head))
		return false;
	/* Files of the other byte order are received as they are. */
	memcpy(head, payload, sizeof(head));
	if (tfs_dat_info(r->dat)->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)) {
		head[0] = __builtin_bswap32(head[0]);
		head[1] = __builtin_bswap32(head[1]);
	}
	return head[0] == rec->size - sizeof(head) && head[1] == rec->raw;
}

static int store(struct tfs_relay_receiver *r, uint32_t source, const void *data, size_t size,
		 struct tfs_err *err)
{
	struct relay_source *s = &r->sources[source];
	int rc;

	if (r->opts.max_bytes && r->progress.file + r->data + size > r->opts.max_bytes)
		return over_limit(r, err);
	rc = open_temp(r, source, err);
	if (rc)
		return rc;
	rc = tfs_pwrite_all(r->temps[source].fd, data, size, (off_t)s->bytes);
	if (rc)
		return write_failed(r, rc, err);
	s->bytes += size;
	r->data += size;
	return 0;
}

static int take_chunk(struct tfs_relay_receiver *r, const struct tfs_relay_record *rec,
		      const void *payload, struct tfs_err *err)
{
	struct tfs_strbuf marked = TFS_STRBUF_INIT;
	struct relay_source *s;
	uint32_t page_size;
	uint64_t lost;
	int rc = need_head(r, err);

	if (rc)
		return rc;
	if (rec->source >= r->n_sources)
		return damaged(r, "it is of a CPU that the head does not have", err);
	s = &r->sources[rec->source];
	page_size = r->segments.buffers[r->segments.segments[rec->source].buffer].page_size;
	if (!is_whole(r, rec, page_size, payload))
		return damaged(r, "its sizes contradict each other", err);
	if (rec->offset < s->raw || rec->events_before < s->events)
		return damaged(r, "it comes before what has come already", err);
	lost = rec->events_before - s->events;
	if (rec->offset == s->raw && !lost) {
		rc = store(r, rec->source, payload, rec->size, err);
	} else {
		const struct tfs_relay_gap gap = {
			.data = payload,
			.size = rec->size,
			.raw = rec->raw,
			.page_size = page_size,
			.lost = lost,
		};

		rc = tfs_relay_mark_gap(tfs_dat_info(r->dat), r->codec, &gap, &marked);
		if (rc)
			tfs_err_set(err, rc, "cannot mark a gap in '%s'", r->path);
		else
			rc = store(r, rec->source, marked.s, marked.len, err);
		r->progress.gaps += !rc;
		r->progress.gap_events += rc ? 0 : lost;
		tfs_strbuf_release(&marked);
	}
	if (rc)
		return rc;
	s->raw = rec->offset + rec->raw;
	s->events = rec->events_before + rec->events;
	r->progress.events += rec->events;
	return 0;
}

static int take_end(struct tfs_relay_receiver *r, const struct tfs_relay_record *rec,
		    const void *payload, struct tfs_err *err)
{
	int rc = need_head(r, err);

	if (rc)
		return rc;
	if (rec->size > TEXT_MAX)
		return damaged(r, "its end is too long", err);
	r->progress.ended = 1;
	return tfs_strbuf_add(&r->text, payload, rec->size) ?
		       tfs_err_set(err, -ENOMEM, "cannot receive '%s'", r->path) :
		       0;
}

/* A record that was checked. Those without a place in the sequence change nothing. */
static int take(struct tfs_relay_receiver *r, const struct tfs_relay_record *rec,
		const unsigned char *payload, struct tfs_err *err)
{
	int rc = 0;

	if (rec->type == TFS_RELAY_NOTE && r->opts.note && rec->size <= TEXT_MAX)
		r->opts.note(r->opts.to, (const char *)payload, rec->size);
	if (rec->type == TFS_RELAY_HELLO && r->opts.hello && rec->size <= TEXT_MAX)
		r->opts.hello(r->opts.to, (const char *)payload, rec->size);
	if (rec->type == TFS_RELAY_NOTE || rec->type == TFS_RELAY_HELLO ||
	    rec->seq < r->progress.next)
		return 0;
	if (r->progress.ended)
		return damaged(r, "it goes on after its end", err);
	/* Only chunks may be left out, and their own numbers say so. */
	if (rec->seq > r->progress.next && !r->progress.has_head && rec->type != TFS_RELAY_CHUNK)
		return damaged(r, "records are missing", err);
	switch (rec->type) {
	case TFS_RELAY_HEAD:
	case TFS_RELAY_TAIL:
		rc = take_file_bytes(r, rec, payload, err);
		break;
	case TFS_RELAY_CHUNK:
		rc = take_chunk(r, rec, payload, err);
		break;
	case TFS_RELAY_END:
		rc = take_end(r, rec, payload, err);
		break;
	case TFS_RELAY_HELLO:
	case TFS_RELAY_NOTE:
		break;
	}
	if (rc)
		return rc;
	r->progress.next = rec->seq + 1;
	r->dirty = true;
	return 0;
}

/* Takes bytes until the packet has @want. Return: it has */
static bool collect(struct tfs_relay_receiver *r, size_t want, const unsigned char **data,
		    size_t *len)
{
	size_t n = want - r->have;

	if (n > *len)
		n = *len;
	memcpy(r->packet + r->have, *data, n);
	r->have += n;
	*data += n;
	*len -= n;
	return r->have == want;
}

int tfs_relay_receiver_take(struct tfs_relay_receiver *r, const void *data, size_t len,
			    struct tfs_err *err)
{
	const unsigned char *p = data;
	struct tfs_relay_record rec;
	int rc = 0;

	while (len && !rc) {
		if (r->have < TFS_RELAY_HEADER && !collect(r, TFS_RELAY_HEADER, &p, &len))
			return 0;
		if (tfs_relay_decode(r->packet, &rec))
			return damaged(r, "its header", err);
		if (tfs_grow(&r->packet, &r->packet_size, TFS_RELAY_HEADER + (size_t)rec.size))
			return tfs_err_set(err, -ENOMEM, "cannot receive '%s'", r->path);
		if (!collect(r, TFS_RELAY_HEADER + (size_t)rec.size, &p, &len))
			return 0;
		r->have = 0;
		if (tfs_relay_check(&rec, r->packet + TFS_RELAY_HEADER))
			return damaged(r, "its checksum", err);
		rc = take(r, &rec, r->packet + TFS_RELAY_HEADER, err);
	}
	return rc;
}

/* Is all there that the journal says? Until the stream ends, the CPUs' data are beside the file. */
static int check_left(struct tfs_relay_receiver *r, struct tfs_err *err)
{
	struct stat st;
	int rc = 0;

	if (fstat(r->output.fd, &st))
		return tfs_err_set(err, -errno, "cannot go on with '%s'", r->path);
	if ((uint64_t)st.st_size < r->progress.file)
		return tfs_err_say(err, -ESTALE,
				   "cannot go on with '%s': %" PRIu64 " bytes had come, and it has "
				   "%" PRIu64,
				   r->path, r->progress.file, (uint64_t)st.st_size);
	if (!r->progress.has_head || r->progress.ended)
		return 0;
	rc = read_head(r, err);
	for (size_t i = 0; i < r->n_sources && !rc; i++)
		if (r->sources[i].bytes)
			rc = open_temp(r, i, err);
	return rc;
}

static int go_on(struct tfs_relay_receiver *r, struct tfs_err *err)
{
	int rc = relay_journal_open(&r->journal, r->path, false, err);

	if (rc == -ENOENT)
		return rc;
	if (!rc)
		rc = relay_journal_read(&r->journal, &r->progress, &r->sources, &r->n_sources);
	if (rc == -EBADMSG) {
		relay_journal_release(&r->journal);
		return -ENOENT;
	}
	if (rc)
		return tfs_err_set(err, rc, "cannot go on with '%s'", r->path);
	if (!r->progress.has_head) {
		free(r->sources);
		r->sources = NULL;
		r->n_sources = 0;
	}
	for (size_t i = 0; i < r->n_sources; i++)
		r->data += r->sources[i].bytes;
	rc = check_left(r, err);
	if (rc && r->output.created)
		tfs_output_discard(&r->output);
	if (rc)
		tfs_err_hint(err,
			     "put it back; or, to do without what is still to come, remove '%s', "
			     "and complete with tc-record --recover what is here",
			     r->journal.path);
	/* Not that there is no journal, with which another file would be begun */
	return rc == -ENOENT ? -ESTALE : rc;
}

static int begin(struct tfs_relay_receiver *r, struct tfs_err *err)
{
	int rc = tfs_output_begin(&r->output, err);

	r->progress = (struct relay_progress){ .next = 1 };
	if (!rc)
		rc = relay_journal_open(&r->journal, r->path, true, err);
	if (!rc)
		rc = relay_journal_write(&r->journal, &r->progress, NULL, 0);
	return rc && !(err && err->code) ? write_failed(r, rc, err) : rc;
}

int tfs_relay_receiver_new(const struct tfs_relay_receiver_opts *opts,
			   struct tfs_relay_receiver **out, struct tfs_err *err)
{
	struct tfs_relay_receiver *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return tfs_err_set(err, -ENOMEM, "cannot receive '%s'", opts->path);
	r->opts = *opts;
	r->output = TFS_OUTPUT_INIT;
	r->journal = RELAY_JOURNAL_INIT;
	tfs_strbuf_init(&r->text);
	r->path = strdup(opts->path);
	r->opts.path = r->path;
	if (!r->path || tfs_grow(&r->packet, &r->packet_size, TFS_RELAY_HEADER))
		rc = tfs_err_set(err, -ENOMEM, "cannot receive '%s'", opts->path);
	else
		rc = tfs_output_open(&r->output, r->path, opts->mode, err);
	if (!rc) {
		rc = opts->resume ? go_on(r, err) : -ENOENT;
		if (rc == -ENOENT) {
			relay_journal_release(&r->journal);
			tfs_err_clear(err);
			rc = begin(r, err);
		}
	}
	if (rc) {
		tfs_relay_receiver_free(r);
		return rc;
	}
	*out = r;
	return 0;
}

static void close_temps(struct tfs_relay_receiver *r)
{
	for (size_t i = 0; r->temps && i < r->n_sources; i++) {
		if (r->temps[i].is_open)
			tfs_close(&r->temps[i].fd);
		r->temps[i].is_open = false;
	}
	r->n_open = r->next_open = 0;
}

void tfs_relay_receiver_free(struct tfs_relay_receiver *r)
{
	if (!r)
		return;
	close_temps(r);
	free(r->temps);
	free(r->sources);
	tfs_dat_segments_release(&r->segments);
	tfs_dat_free(r->dat);
	tfs_codec_free(r->codec);
	relay_journal_release(&r->journal);
	tfs_output_release(&r->output);
	tfs_strbuf_release(&r->text);
	free(r->packet);
	free(r->path);
	free(r);
}

void tfs_relay_receiver_discard(struct tfs_relay_receiver *r)
{
	if (r->progress.has_head)
		return;
	tfs_output_discard(&r->output);
	if (r->journal.path)
		unlink(r->journal.path);
}

uint64_t tfs_relay_receiver_next(const struct tfs_relay_receiver *r)
{
	return r->progress.next;
}

void tfs_relay_receiver_reconnect(struct tfs_relay_receiver *r)
{
	r->have = 0;
	r->looked = 0;
	r->looked_ns = 0;
}

int tfs_relay_receiver_sync(struct tfs_relay_receiver *r, uint64_t *seq, struct tfs_err *err)
{
	int rc = 0;

	if (r->dirty)
		rc = relay_journal_write(&r->journal, &r->progress,
					 r->progress.has_head ? r->sources : NULL,
					 r->progress.has_head ? r->n_sources : 0);
	if (rc)
		return write_failed(r, rc, err);
	r->dirty = false;
	*seq = r->progress.next - 1;
	return 0;
}

bool tfs_relay_receiver_ended(const struct tfs_relay_receiver *r)
{
	return r->progress.ended;
}

bool tfs_relay_receiver_clock(struct tfs_relay_receiver *r, char *clock, size_t size, char *boot)
{
	struct tfs_dat_segments segments = { .n = 0 };
	const uint64_t now = tfs_monotonic_ns();
	struct tfs_dat *dat = NULL;
	bool has = false;

	if (r->progress.file == r->looked || (now < r->looked_ns + LOOK_NS && !r->progress.ended))
		return false;
	r->looked = r->progress.file;
	r->looked_ns = now;
	if (!tfs_dat_open(r->path, &dat, NULL) && !tfs_dat_segments_read(dat, &segments, NULL) &&
	    segments.n_buffers && strlen(segments.buffers[0].clock) < size &&
	    tfs_dat_boot(dat, boot)) {
		memcpy(clock, segments.buffers[0].clock, strlen(segments.buffers[0].clock) + 1);
		has = true;
	}
	tfs_dat_segments_release(&segments);
	tfs_dat_free(dat);
	return has;
}

bool tfs_relay_receiver_begun(const struct tfs_relay_receiver *r)
{
	return r->progress.has_head;
}

void tfs_relay_receiver_totals(const struct tfs_relay_receiver *r, struct tfs_relay_received *t)
{
	*t = (struct tfs_relay_received){
		.events = r->progress.events,
		.gap_events = r->progress.gap_events,
		.gaps = r->progress.gaps,
		.bytes = r->data,
		.text = r->text.s ? r->text.s : "",
	};
}

/* Makes a payload of the samples of the recording's clock. */
static int add_compared(const struct tfs_relay_receiver *r,
			const struct tfs_relay_compare *compared, struct tfs_strbuf *payload)
{
	char name[TFS_CLOCK_REFERENCE_MAX];
	struct tfs_dat *dat = NULL;
	int rc = 0;

	if (!compared || !compared->n)
		return 0;
	tfs_clock_reference(name);
	if (!tfs_dat_open(r->path, &dat, NULL))
		rc = tfs_relay_compare_put(compared, dat, name, payload);
	tfs_dat_free(dat);
	return rc;
}

int tfs_relay_receiver_finish(struct tfs_relay_receiver *r,
			      const struct tfs_relay_compare *compared, struct tfs_err *err)
{
	struct tfs_strbuf clocks = TFS_STRBUF_INIT;
	struct tfs_recover_opts opts = { .boot = NULL };
	struct tfs_recovered recovered;
	uint64_t seq;
	int rc = need_head(r, NULL);

	if (rc)
		return tfs_err_say(err, -ENODATA, "nothing has come for '%s'", r->path);
	rc = tfs_relay_receiver_sync(r, &seq, err);
	if (rc)
		return rc;
	rc = add_compared(r, compared, &clocks);
	if (rc)
		return tfs_err_set(err, rc, "cannot complete '%s'", r->path);
	opts.clocks = clocks.s;
	opts.clocks_size = clocks.len;
	close_temps(r);
	tfs_close(&r->output.fd); /* its lock */
	rc = tfs_dat_recover(r->path, &opts, &recovered, err);
	tfs_strbuf_release(&clocks);
	/* Whoever was here before did it, and was killed then. */
	if (rc == -EALREADY) {
		tfs_err_clear(err);
		rc = 0;
	}
	if (!rc)
		unlink(r->journal.path);
	return rc;
}
