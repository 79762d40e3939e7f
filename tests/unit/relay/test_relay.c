/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "lib/fake.h"
#include "record/session.h"
#include "record/sink.h"
#include "relay/receive.h"
#include "relay/remote.h"
#include "relay/sender.h"
#include "relay/spool-read.h"
#include "relay/spool.h"
#include "tracedat/dat-lost.h"
#include "tracedat/dat-read.h"
#include "tracedat/page.h"
#include "tracedat/stream.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"

#define SUBBUF 4096u
#define HEADER 16u
#define N_CPUS 3
#define PAGES 230
/* More CPUs than files that a receiver has open at a time, each with several chunks */
#define WIDE_CPUS 70
#define WIDE_PAGES (WIDE_CPUS * 25)

static const unsigned int cpu_numbers[] = { 0, 1, 5 };

/*
 * The same sub-buffers go into a trace file and into a spool; the stream from there is received in
 * many ways, and what comes out is compared with the trace file.
 */
struct fixture {
	struct fake fake;
	struct tfs_instance top;
	struct tfs_strvec events;
	struct tfs_session_buffer buffer;
	char local[128], remote[128];
	struct tfs_relay_spool *spool;
	struct tfs_strbuf stream; /* as it goes over the wire */
	uint64_t all_events;
	size_t n_cpus;
};

static unsigned int cpu_number(const struct fixture *f, size_t i)
{
	return f->n_cpus == N_CPUS ? cpu_numbers[i] : (unsigned int)i;
}

static void put_stats(const struct fixture *f, const char *text)
{
	char name[64];

	for (size_t i = 0; i < f->n_cpus; i++) {
		snprintf(name, sizeof(name), "per_cpu/cpu%u/stats", cpu_number(f, i));
		fake_put(&f->fake, name, text);
	}
}

static void put_cpus(struct fixture *f, size_t n)
{
	char name[64];

	f->n_cpus = n;
	put_stats(f, "overrun: 0\nread events: 0\nentries: 0\n");
	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "per_cpu/cpu%u/trace_pipe_raw", cpu_number(f, i));
		fake_put(&f->fake, name, "");
	}
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	fake_new(&f->fake, "x86_64-6.18");
	put_cpus(f, N_CPUS);
	fake_put(&f->fake, "saved_cmdlines", "1 saved\n2147483647 another\n");
	snprintf(f->local, sizeof(f->local), "%s/local.dat", f->fake.dir);
	snprintf(f->remote, sizeof(f->remote), "%s/remote.dat", f->fake.dir);
	tfs_strbuf_init(&f->stream);
	f->buffer = (struct tfs_session_buffer){ .inst = &f->top, .name = "" };
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tfs_relay_spool_free(f->spool);
	tfs_strbuf_release(&f->stream);
	fake_free(&f->fake);
	free(f);
	return 0;
}

static int on_begin(void *to, size_t sources, int fd, uint64_t len)
{
	int rc = tfs_relay_spool_sources(to, sources);

	return rc ? rc : tfs_relay_spool_file(to, TFS_RELAY_HEAD, fd, 0, len);
}

static int on_chunk(void *to, const struct tfs_record_chunk *c)
{
	const struct tfs_relay_chunk chunk = {
		.source = c->source,
		.data = c->data,
		.size = c->size,
		.raw = c->raw,
		.events = c->events,
	};

	return tfs_relay_spool_chunk(to, &chunk);
}

static uint64_t on_refused(void *to, uint32_t source)
{
	return tfs_relay_spool_refused(to, source);
}

static int on_tail(void *to, int fd, uint64_t off, uint64_t len)
{
	return tfs_relay_spool_file(to, TFS_RELAY_TAIL, fd, off, len);
}

/* Sub-buffer @n of a recording: its events are 8 bytes each, with numbers that compress badly. */
static void make_page(unsigned char *page, unsigned int n, unsigned int *events)
{
	const uint64_t ts = 1000 + n * UINT64_C(100000);
	const unsigned int count = n % 7 ? 509 : 20;
	const uint64_t used = count * UINT64_C(8);
	uint32_t words[2] = { 1 | 3 << 5, n * 2654435761u };

	memset(page, 0, SUBBUF);
	memcpy(page, &ts, sizeof(ts));
	memcpy(page + 8, &used, sizeof(used));
	for (unsigned int i = 0; i < count; i++) {
		words[1] = words[1] * 1664525 + 1013904223;
		memcpy(page + HEADER + i * sizeof(words), words, sizeof(words));
	}
	*events = count;
}

static unsigned int cpu_of(const struct fixture *f, unsigned int page)
{
	if (f->n_cpus != N_CPUS)
		return page % WIDE_CPUS;
	return page % 5 == 0 ? 0 : page % 5 == 3 ? 2 : 1;
}

static void record(struct fixture *f, const char *output, const struct tfs_record_sink *sink,
		   enum tfs_codec_id codec)
{
	const struct tfs_session_opts opts = {
		.root = f->fake.root,
		.buffers = &f->buffer,
		.n_buffers = 1,
		.output = output,
		.codec = codec,
		.events = &f->events,
		.fed = true,
		.sink = sink,
	};
	unsigned char page[SUBBUF];
	struct tfs_session_totals t;
	struct tfs_session *s;
	unsigned int events;

	put_stats(f, "overrun: 0\nread events: 0\nentries: 0\n");
	assert_int_equal(tfs_session_new(&opts, &s, NULL), 0);
	assert_int_equal(tfs_session_start(s, NULL), 0);
	f->all_events = 0;
	for (unsigned int i = 0; i < (f->n_cpus == N_CPUS ? PAGES : WIDE_PAGES); i++) {
		const unsigned int cpu = cpu_number(f, cpu_of(f, i));

		make_page(page, i, &events);
		f->all_events += events;
		assert_int_equal(tfs_session_add(s, cpu, page, NULL), 0);
	}
	put_stats(f, "overrun: 2\nread events: 1000000\nentries: 0\n");
	assert_int_equal(tfs_session_stop(s, NULL), 0);
	assert_int_equal(tfs_session_finish(s, &t, NULL), 0);
	tfs_session_free(s);
}

static void record_stream(struct fixture *f, uint64_t quota, enum tfs_relay_full full,
			  enum tfs_codec_id codec)
{
	const struct tfs_relay_spool_opts opts = {
		.root = f->fake.dir, .id = "spool", .quota = quota, .full = full
	};
	char head[160];
	struct tfs_record_sink sink = {
		.begin = on_begin, .chunk = on_chunk, .refused = on_refused, .tail = on_tail
	};

	assert_int_equal(tfs_relay_spool_new(&opts, &f->spool, NULL), 0);
	sink.to = f->spool;
	snprintf(head, sizeof(head), "%s/head", tfs_relay_spool_path(f->spool));
	record(f, head, &sink, codec);
	assert_int_equal(tfs_relay_spool_end(f->spool, "events=1\n"), 0);
}

/* All records of the spool from @seq, as bytes */
static void read_spool(struct fixture *f, uint64_t seq)
{
	struct tfs_relay_reader *r;
	struct tfs_relay_record rec;
	const void *packet;
	size_t len;
	int rc;

	tfs_strbuf_reset(&f->stream);
	assert_int_equal(tfs_relay_reader_open(f->fake.dir, "spool", TFS_RELAY_TAKE, &r, NULL), 0);
	assert_int_equal(tfs_relay_reader_from(r, seq), 0);
	while ((rc = tfs_relay_reader_next(r, &packet, &len, &rec)) > 0)
		assert_int_equal(tfs_strbuf_add(&f->stream, packet, len), 0);
	assert_int_equal(rc, 0);
	tfs_relay_reader_free(r);
}

static struct tfs_relay_receiver *receiver(const struct fixture *f, bool resume)
{
	const struct tfs_relay_receiver_opts opts = { .path = f->remote, .resume = resume };
	struct tfs_relay_receiver *r = NULL;
	struct tfs_err err = TFS_ERR_INIT;

	if (tfs_relay_receiver_new(&opts, &r, &err))
		fail_msg("%s", err.msg);
	return r;
}

static void receive_all(const struct fixture *f)
{
	struct tfs_relay_receiver *r = receiver(f, false);
	struct tfs_err err = TFS_ERR_INIT;

	if (tfs_relay_receiver_take(r, f->stream.s, f->stream.len, &err) ||
	    tfs_relay_receiver_finish(r, NULL, &err))
		fail_msg("%s", err.msg);
	assert_true(tfs_relay_receiver_ended(r));
	tfs_relay_receiver_free(r);
}

/* Names of tasks: those that the kernel has saved; the machine's threads come and go meanwhile. */
static void same_names(const struct fixture *f, const struct tfs_dat *a, const struct tfs_dat *b)
{
	struct tfs_strbuf saved = TFS_STRBUF_INIT;
	struct tfs_blob x, y;

	assert_int_equal(tfs_file_read(f->fake.root, "saved_cmdlines", &saved, NULL), 0);
	assert_true(saved.len > 0);
	tfs_dat_blob(a, TFS_DAT_BLOB_CMDLINES, &x);
	tfs_dat_blob(b, TFS_DAT_BLOB_CMDLINES, &y);
	assert_true(x.size >= saved.len && y.size >= saved.len);
	assert_memory_equal(x.data, saved.s, saved.len);
	assert_memory_equal(y.data, saved.s, saved.len);
	tfs_strbuf_release(&saved);
}

static void same_blob(const struct tfs_dat *a, const struct tfs_dat *b, enum tfs_dat_blob id)
{
	struct tfs_blob x, y;

	tfs_dat_blob(a, id, &x);
	tfs_dat_blob(b, id, &y);
	assert_int_equal(x.size, y.size);
	if (x.size)
		assert_memory_equal(x.data, y.data, x.size);
}

static void same_pages(struct tfs_dat *a, struct tfs_dat *b, size_t cpu)
{
	const void *x, *y;
	struct tfs_stream *sa, *sb;
	size_t n = 0;
	int rc;

	assert_int_equal(tfs_stream_new(a, 0, cpu, &sa, NULL), 0);
	assert_int_equal(tfs_stream_new(b, 0, cpu, &sb, NULL), 0);
	while ((rc = tfs_stream_next(sa, &x, NULL)) > 0) {
		assert_int_equal(tfs_stream_next(sb, &y, NULL), 1);
		assert_memory_equal(x, y, SUBBUF);
		n++;
	}
	assert_int_equal(rc, 0);
	assert_int_equal(tfs_stream_next(sb, &y, NULL), 0);
	assert_true(n > 0);
	tfs_stream_free(sa);
	tfs_stream_free(sb);
}

static void same_option(const struct tfs_dat *a, const struct tfs_dat *b, uint16_t id)
{
	const struct tfs_dat_option *x = tfs_dat_option_last(a, id);
	const struct tfs_dat_option *y = tfs_dat_option_last(b, id);

	assert_non_null(x);
	assert_non_null(y);
	assert_int_equal(x->data.size, y->data.size);
	assert_memory_equal(x->data.data, y->data.data, x->data.size);
}

/* The file that was received says what the one that was recorded here says. */
static void same_files(const struct fixture *f)
{
	struct tfs_dat *a, *b;

	assert_int_equal(tfs_dat_open(f->local, &a, NULL), 0);
	assert_int_equal(tfs_dat_open(f->remote, &b, NULL), 0);
	assert_null(tfs_dat_damage(b));
	for (int i = 0; i < TFS_DAT_N_BLOBS; i++)
		if (i != TFS_DAT_BLOB_CMDLINES)
			same_blob(a, b, (enum tfs_dat_blob)i);
	same_names(f, a, b);
	assert_int_equal(tfs_dat_n_formats(a), tfs_dat_n_formats(b));
	assert_int_equal(tfs_dat_n_options(a), tfs_dat_n_options(b));
	same_option(a, b, TFS_DAT_PRIVATE_LOST);
	same_option(a, b, TFS_DAT_CPUSTAT);
	same_option(a, b, TFS_DAT_PRIVATE_SEGMENTS);
	assert_int_equal(tfs_dat_n_buffers(b), 1);
	assert_int_equal(tfs_dat_buffer(b, 0)->n_cpus, f->n_cpus);
	assert_string_equal(tfs_dat_buffer(b, 0)->clock, tfs_dat_buffer(a, 0)->clock);
	for (size_t i = 0; i < f->n_cpus; i++) {
		assert_int_equal(tfs_dat_buffer(b, 0)->cpus[i].cpu, cpu_number(f, i));
		assert_int_equal(tfs_dat_buffer(b, 0)->cpus[i].size,
				 tfs_dat_buffer(a, 0)->cpus[i].size);
		same_pages(a, b, i);
	}
	tfs_dat_free(a);
	tfs_dat_free(b);
}

static void nothing_is_left_beside(const struct fixture *f)
{
	static const char *const ends[] = { ".stream", ".cpu0", ".cpu1", ".cpu5" };
	char path[256];

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		snprintf(path, sizeof(path), "%s%s", f->remote, ends[i]);
		assert_int_not_equal(access(path, F_OK), 0);
	}
}

static void compare_with(struct fixture *f, enum tfs_codec_id codec)
{
	record(f, f->local, NULL, codec);
	record_stream(f, UINT64_C(1) << 30, TFS_RELAY_REFUSE_NEWEST, codec);
	read_spool(f, 1);
	receive_all(f);
	same_files(f);
	nothing_is_left_beside(f);
}

static void a_streamed_recording_equals_a_local_one(void **state)
{
	compare_with(*state, tfs_codec_default());
}

static void an_uncompressed_one_too(void **state)
{
	compare_with(*state, TFS_CODEC_NONE);
}

static size_t open_files(void)
{
	size_t n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void a_host_of_many_cpus_takes_few_descriptors(void **state)
{
	struct fixture *f = *state;
	struct tfs_relay_receiver *r;
	size_t before;

	put_cpus(f, WIDE_CPUS);
	record(f, f->local, NULL, tfs_codec_default());
	record_stream(f, UINT64_C(1) << 30, TFS_RELAY_REFUSE_NEWEST, tfs_codec_default());
	read_spool(f, 1);
	before = open_files();
	r = receiver(f, false);
	assert_int_equal(tfs_relay_receiver_take(r, f->stream.s, f->stream.len, NULL), 0);
	assert_in_range(open_files(), before + 60, before + WIDE_CPUS - 1);
	assert_int_equal(tfs_relay_receiver_finish(r, NULL, NULL), 0);
	tfs_relay_receiver_free(r);
	same_files(f);
	assert_int_equal(open_files(), before);
}

/* Offset of record @n; the end of the stream if there are fewer */
static size_t record_at(const struct fixture *f, size_t n)
{
	struct tfs_relay_record rec;
	size_t at = 0;

	while (n-- && at < f->stream.len) {
		assert_int_equal(tfs_relay_decode(f->stream.s + at, &rec), 0);
		at += TFS_RELAY_HEADER + rec.size;
	}
	return at;
}

/* Where the events begin */
static size_t head_end(const struct fixture *f)
{
	struct tfs_relay_record rec;
	size_t n = 0;

	do {
		assert_int_equal(tfs_relay_decode(f->stream.s + record_at(f, ++n), &rec), 0);
	} while (rec.type == TFS_RELAY_HEAD);
	return record_at(f, n);
}

static size_t count_records(const struct fixture *f)
{
	size_t n = 0;

	while (record_at(f, n) < f->stream.len)
		n++;
	return n;
}

/*
 * The connection is cut after @cut bytes, and the receiver killed; another goes on where it was at
 * its last acknowledgement, after @ack_at bytes.
 */
static void cut_and_go_on(struct fixture *f, size_t cut, size_t ack_at)
{
	struct tfs_relay_receiver *r = receiver(f, false);
	uint64_t seq = 0, next;

	assert_int_equal(tfs_relay_receiver_take(r, f->stream.s, ack_at, NULL), 0);
	assert_int_equal(tfs_relay_receiver_sync(r, &seq, NULL), 0);
	assert_int_equal(tfs_relay_receiver_take(r, f->stream.s + ack_at, cut - ack_at, NULL), 0);
	/* As by SIGKILL: nothing is said any more. */
	tfs_relay_receiver_free(r);
	r = receiver(f, true);
	next = tfs_relay_receiver_next(r);
	assert_true(next == seq + 1);
	ack_at = record_at(f, (size_t)next - 1);
	assert_int_equal(
		tfs_relay_receiver_take(r, f->stream.s + ack_at, f->stream.len - ack_at, NULL), 0);
	assert_int_equal(tfs_relay_receiver_finish(r, NULL, NULL), 0);
	tfs_relay_receiver_free(r);
}

static void a_stream_cut_at_every_record_goes_on(void **state)
{
	struct fixture *f = *state;
	size_t n;

	record(f, f->local, NULL, tfs_codec_default());
	record_stream(f, UINT64_C(1) << 30, TFS_RELAY_REFUSE_NEWEST, tfs_codec_default());
	read_spool(f, 1);
	n = count_records(f);
	assert_true(n > 20);
	for (size_t i = 0; i < n; i++) {
		const size_t at = record_at(f, i), before = record_at(f, i > 3 ? i - 3 : 0);

		cut_and_go_on(f, at, at);
		same_files(f);
		cut_and_go_on(f, at + 1 + (i * 31) % 50, before);
		same_files(f);
		unlink(f->remote);
	}
	nothing_is_left_beside(f);
}

static void a_connection_that_comes_again_repeats_nothing(void **state)
{
	struct fixture *f = *state;
	struct tfs_relay_receiver *r;
	struct tfs_relay_received t;

	record(f, f->local, NULL, tfs_codec_default());
	record_stream(f, UINT64_C(1) << 30, TFS_RELAY_REFUSE_NEWEST, tfs_codec_default());
	read_spool(f, 1);
	r = receiver(f, false);
	for (int i = 1; i <= 3; i++) {
		assert_int_equal(tfs_relay_receiver_take(r, f->stream.s,
							 f->stream.len * (size_t)i / 3, NULL),
				 0);
		tfs_relay_receiver_reconnect(r);
	}
	tfs_relay_receiver_totals(r, &t);
	assert_int_equal(t.events, f->all_events);
	assert_int_equal(t.gaps, 0);
	assert_string_equal(t.text, "events=1\n");
	assert_int_equal(tfs_relay_receiver_finish(r, NULL, NULL), 0);
	tfs_relay_receiver_free(r);
	same_files(f);
}

/* Events, and those that the file's marks say are missing before others */
static void count(const char *path, uint64_t *events, uint64_t *missing)
{
	struct tfs_stream *stream;
	struct tfs_record rec;
	struct tfs_page page;
	struct tfs_dat *dat;
	const void *p;

	*events = *missing = 0;
	assert_int_equal(tfs_dat_open(path, &dat, NULL), 0);
	for (size_t i = 0; i < tfs_dat_buffer(dat, 0)->n_cpus; i++) {
		assert_int_equal(tfs_stream_new(dat, 0, i, &stream, NULL), 0);
		while (tfs_stream_next(stream, &p, NULL) > 0) {
			assert_int_equal(tfs_page_init(&page, p, SUBBUF, 8, HEADER, false), 0);
			while (tfs_page_next(&page, &rec) > 0) {
				*events += 1;
				*missing += rec.lost > 0 ? (uint64_t)rec.lost : 0;
				assert_true(rec.lost >= 0);
			}
		}
		tfs_stream_free(stream);
	}
	tfs_dat_free(dat);
}

static uint64_t dropped(const char *path)
{
	struct tfs_dat_lost lost;
	struct tfs_dat *dat;
	uint64_t n = 0;

	assert_int_equal(tfs_dat_open(path, &dat, NULL), 0);
	for (size_t i = 0; i < N_CPUS; i++) {
		assert_int_equal(tfs_dat_lost_find(dat, 0, cpu_numbers[i], &lost), 1);
		n += lost.dropped;
	}
	tfs_dat_free(dat);
	return n;
}

static void a_full_spool_refuses_the_newest_and_counts_them(void **state)
{
	struct fixture *f = *state;
	uint64_t events, missing;

	record_stream(f, 300000, TFS_RELAY_REFUSE_NEWEST, tfs_codec_default());
	read_spool(f, 1);
	receive_all(f);
	count(f->remote, &events, &missing);
	assert_true(events > 0);
	assert_true(events < f->all_events);
	assert_int_equal(events + dropped(f->remote), f->all_events);
	/* They are the last ones: nothing comes after them, but for a CPU with smaller chunks. */
	assert_true(missing <= dropped(f->remote));
}

static void a_flight_recorder_drops_the_oldest_and_marks_the_gap(void **state)
{
	struct fixture *f = *state;
	uint64_t events, missing;

	record_stream(f, 300000, TFS_RELAY_DROP_OLDEST, tfs_codec_default());
	read_spool(f, 1);
	receive_all(f);
	count(f->remote, &events, &missing);
	assert_true(events > 0);
	assert_true(missing > 0);
	assert_int_equal(events + missing, f->all_events);
	assert_int_equal(dropped(f->remote), missing);
}

static void an_acknowledged_part_is_given_back(void **state)
{
	struct fixture *f = *state;
	struct tfs_relay_reader *r;
	struct tfs_relay_status st;
	struct tfs_relay_record rec;
	const void *packet;
	size_t len, n = 0;

	record_stream(f, UINT64_C(1) << 30, TFS_RELAY_REFUSE_NEWEST, tfs_codec_default());
	assert_int_equal(tfs_relay_reader_open(f->fake.dir, "spool", TFS_RELAY_TAKE, &r, NULL), 0);
	while (n++ < 10)
		assert_int_equal(tfs_relay_reader_next(r, &packet, &len, &rec), 1);
	assert_int_equal(tfs_relay_reader_ack(r, rec.seq + 1), -ERANGE);
	assert_int_equal(tfs_relay_reader_ack(r, rec.seq), 0);
	assert_int_equal(tfs_relay_reader_sent(r), 0);
	assert_int_equal(tfs_relay_reader_from(r, rec.seq), -ERANGE);
	assert_int_equal(tfs_relay_reader_from(r, rec.seq + 1), 0);
	tfs_relay_reader_status(r, &st);
	assert_int_equal(st.acked_seq, rec.seq);
	assert_int_equal(st.state, TFS_RELAY_ENDED);
	assert_int_equal(st.pid, 0);
	tfs_relay_reader_free(r);
	assert_int_equal(tfs_relay_spool_remove(f->fake.dir, "spool", NULL), 0);
	assert_int_equal(tfs_relay_reader_open(f->fake.dir, "spool", TFS_RELAY_LOOK, &r, NULL),
			 -ENOENT);
}

/* Each time one byte is another: an error, or the same file */
static void a_damaged_stream_is_refused_and_loses_nothing_before(void **state)
{
	struct fixture *f = *state;
	struct tfs_err err = TFS_ERR_INIT;
	size_t refused = 0;

	record(f, f->local, NULL, tfs_codec_default());
	record_stream(f, UINT64_C(1) << 30, TFS_RELAY_REFUSE_NEWEST, tfs_codec_default());
	read_spool(f, 1);
	for (size_t i = 0; i < 300; i++) {
		const size_t at = (i * 7919 * 13) % f->stream.len;
		struct tfs_relay_receiver *r = receiver(f, false);
		uint64_t next;
		int rc;

		f->stream.s[at] = (char)(f->stream.s[at] ^ (1 << i % 8));
		rc = tfs_relay_receiver_take(r, f->stream.s, f->stream.len, &err);
		refused += rc == -EBADMSG;
		f->stream.s[at] = (char)(f->stream.s[at] ^ (1 << i % 8));
		tfs_relay_receiver_reconnect(r);
		next = tfs_relay_receiver_next(r);
		rc = tfs_relay_receiver_take(r, f->stream.s + record_at(f, (size_t)next - 1),
					     f->stream.len - record_at(f, (size_t)next - 1), &err);
		assert_int_equal(rc, 0);
		assert_int_equal(tfs_relay_receiver_finish(r, NULL, NULL), 0);
		tfs_relay_receiver_free(r);
		if (i % 50 == 0)
			same_files(f);
	}
	assert_int_equal(refused, 300);
}

static void a_limit_ends_the_receiver_and_keeps_the_events(void **state)
{
	struct fixture *f = *state;
	struct tfs_relay_receiver_opts opts = { .path = f->remote, .max_bytes = 500000 };
	struct tfs_relay_receiver *r;
	uint64_t events, missing;
	struct stat st;

	record_stream(f, UINT64_C(1) << 30, TFS_RELAY_REFUSE_NEWEST, tfs_codec_default());
	read_spool(f, 1);
	opts.max_bytes = head_end(f) + 200000;
	assert_int_equal(tfs_relay_receiver_new(&opts, &r, NULL), 0);
	assert_int_equal(tfs_relay_receiver_take(r, f->stream.s, f->stream.len, NULL), -EDQUOT);
	assert_int_equal(tfs_relay_receiver_finish(r, NULL, NULL), 0);
	tfs_relay_receiver_free(r);
	count(f->remote, &events, &missing);
	assert_true(events > 0);
	assert_int_equal(stat(f->remote, &st), 0);
	assert_true((uint64_t)st.st_size < opts.max_bytes + 65536);
}

static void a_stream_without_a_head_is_refused(void **state)
{
	struct fixture *f = *state;
	struct tfs_relay_receiver *r;
	size_t at;

	record_stream(f, UINT64_C(1) << 30, TFS_RELAY_REFUSE_NEWEST, tfs_codec_default());
	read_spool(f, 1);
	at = record_at(f, 1);
	r = receiver(f, false);
	assert_int_equal(tfs_relay_receiver_take(r, f->stream.s + at, f->stream.len - at, NULL),
			 -EBADMSG);
	assert_int_equal(tfs_relay_receiver_finish(r, NULL, NULL), -ENODATA);
	tfs_relay_receiver_free(r);
	r = receiver(f, false);
	assert_int_equal(tfs_relay_receiver_take(r,
						 "GET / HTTP/1.1\r\nHost: somewhere.example.org "
						 "and more of the kind\r\n",
						 66, NULL),
			 -EBADMSG);
	tfs_relay_receiver_free(r);
}

static void a_spool_that_cannot_be_made_leaves_nothing(void **state)
{
	struct fixture *f = *state;
	const struct tfs_relay_spool_opts opts = { .root = f->fake.dir,
						   .id = "spool",
						   .quota = UINT64_C(1) << 30 };
	struct rlimit before, none;
	char path[160];
	int rc;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	none = before;
	none.rlim_cur = 0;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	rc = tfs_relay_spool_new(&opts, &f->spool, NULL);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(rc, -EFBIG);
	snprintf(path, sizeof(path), "%s/spool", f->fake.dir);
	assert_int_equal(access(path, F_OK), -1);
	/* A folder that was there stays. */
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(tfs_relay_spool_new(&opts, &f->spool, NULL), -EEXIST);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(tfs_relay_spool_new(&opts, &f->spool, NULL), 0);
}

/* sshd gives its programs a socket; nothing may have to be sent when the connection breaks. */
static void a_sender_without_events_sees_that_its_socket_is_closed(void **state)
{
	struct fixture *f = *state;
	const struct tfs_relay_spool_opts opts = { .root = f->fake.dir,
						   .id = "spool",
						   .quota = UINT64_C(1) << 30 };
	struct tfs_relay_sender_opts so = { .in = -1 };
	struct tfs_relay_reader *r;
	struct tfs_relay_sender *s;
	char hello[256];
	int fds[2];

	assert_int_equal(tfs_relay_spool_new(&opts, &f->spool, NULL), 0);
	assert_int_equal(tfs_relay_reader_open(f->fake.dir, "spool", TFS_RELAY_TAKE, &r, NULL), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	so.spool = r;
	so.out = fds[0];
	assert_int_equal(tfs_relay_sender_new(&so, &s, NULL), 0);
	tfs_relay_sender_alive(s, true);
	assert_int_equal(tfs_relay_sender_step(s, -1, NULL), 1);
	assert_true(recv(fds[1], hello, sizeof(hello), MSG_DONTWAIT) > (ssize_t)TFS_RELAY_HEADER);
	assert_int_equal(tfs_relay_sender_step(s, -1, NULL), 1);
	tfs_close(&fds[1]);
	assert_int_equal(tfs_relay_sender_step(s, -1, NULL), -EPIPE);
	tfs_relay_sender_free(s);
	tfs_relay_reader_free(r);
	tfs_close(&fds[0]);
}

/* Others would wait for it. */
static void a_program_that_closes_its_output_and_stays_is_ended(void **state)
{
	struct fixture *f = *state;
	const struct tfs_relay_remote_opts ro = { .path = f->remote };
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)"exec sleep 600 >&-", NULL };
	struct pollfd fds[TFS_RELAY_REMOTE_FDS];
	struct tfs_relay_remote_news news;
	struct tfs_relay_remote *r;
	int rc = 0;

	assert_int_equal(tfs_relay_remote_new(&ro, &r, NULL), 0);
	assert_int_equal(tfs_relay_remote_connect(r, argv, NULL), 0);
	while (!rc) {
		tfs_relay_remote_poll(r, fds);
		assert_true(poll(fds, TFS_RELAY_REMOTE_FDS, -1) > 0);
		rc = tfs_relay_remote_step(r, fds, NULL);
	}
	assert_int_equal(rc, -EPIPE);
	tfs_relay_remote_news(r, &news);
	assert_true(WIFSIGNALED(news.wstatus) && WTERMSIG(news.wstatus) == SIGKILL);
	tfs_relay_remote_discard(r);
	tfs_relay_remote_free(r);
}

static void names_of_spools_lead_nowhere_else(void **state)
{
	(void)state;
	assert_true(tfs_relay_id_is_valid("run-1.host_2"));
	assert_false(tfs_relay_id_is_valid(""));
	assert_false(tfs_relay_id_is_valid(".."));
	assert_false(tfs_relay_id_is_valid(".x"));
	assert_false(tfs_relay_id_is_valid("a/b"));
	assert_false(tfs_relay_id_is_valid("a b"));
	assert_false(tfs_relay_id_is_valid(
		"0123456789012345678901234567890123456789012345678901234567890123456789"));
}

static void other_folders_are_not_removed(void **state)
{
	struct fixture *f = *state;
	struct tfs_err err = TFS_ERR_INIT;
	char path[sizeof(f->local)];
	int fd;

	snprintf(path, sizeof(path), "%s/others", f->fake.dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/others/file", f->fake.dir);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(tfs_relay_spool_remove(f->fake.dir, "others", &err), -ENOTEMPTY);
	assert_int_equal(access(path, F_OK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_streamed_recording_equals_a_local_one, setup,
						teardown),
		cmocka_unit_test_setup_teardown(an_uncompressed_one_too, setup, teardown),
		cmocka_unit_test_setup_teardown(a_host_of_many_cpus_takes_few_descriptors, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_stream_cut_at_every_record_goes_on, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_connection_that_comes_again_repeats_nothing,
						setup, teardown),
		cmocka_unit_test_setup_teardown(a_full_spool_refuses_the_newest_and_counts_them,
						setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_flight_recorder_drops_the_oldest_and_marks_the_gap, setup, teardown),
		cmocka_unit_test_setup_teardown(an_acknowledged_part_is_given_back, setup,
						teardown),
		cmocka_unit_test_setup_teardown(
			a_damaged_stream_is_refused_and_loses_nothing_before, setup, teardown),
		cmocka_unit_test_setup_teardown(a_limit_ends_the_receiver_and_keeps_the_events,
						setup, teardown),
		cmocka_unit_test_setup_teardown(a_stream_without_a_head_is_refused, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_spool_that_cannot_be_made_leaves_nothing, setup,
						teardown),
		cmocka_unit_test_setup_teardown(
			a_sender_without_events_sees_that_its_socket_is_closed, setup, teardown),
		cmocka_unit_test_setup_teardown(a_program_that_closes_its_output_and_stays_is_ended,
						setup, teardown),
		cmocka_unit_test(names_of_spools_lead_nowhere_else),
		cmocka_unit_test_setup_teardown(other_folders_are_not_removed, setup, teardown),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
