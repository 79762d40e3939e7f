/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stream as a receiver gets it. The first byte says how the input is read: even, as it comes over
 * the wire; odd, as operations that make records with right checksums, after the head of a
 * recording, so that the code after the checksums is reached:
 *
 *	u8 type, u8 step of the sequence number, u8 source, u8 offset, u16 events, u16 size, payload
 *
 * The receiver is killed and resumed in the middle. The completed file must be a trace file.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/err.h"
#include "base/strbuf-core.h"
#include "relay/receive.h"
#include "relay/wire.h"
#include "tracedat/compress.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-segments.h"
#include "tracedat/dat-write.h"

#define INPUT_MAX 65536
#define SUBBUF 512u
#define HEADER_PAGE                                                 \
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"  \
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n" \
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"  \
	"\tfield: char data;\toffset:16;\tsize:496;\tsigned:1;\n"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* The head of a recording of two CPUs */
static void make_head(const char *path, struct tfs_strbuf *head)
{
	static const char info[] = "header_page\0\0\0\0\0\0\0\0";
	struct tfs_strbuf sb = TFS_STRBUF_INIT, segments = TFS_STRBUF_INIT;
	const struct tfs_dat_segments_buffer buffer = { .name = "",
							.clock = "local",
							.page_size = SUBBUF };
	const uint64_t len = strlen(HEADER_PAGE), none = 0;
	struct tfs_codec *codec = NULL;
	struct tfs_dat_writer *w = NULL;
	char bytes[4096];
	FILE *f = fopen(path, "w+");
	size_t n;

	must(f && !tfs_codec_new(TFS_CODEC_NONE, 0, &codec, NULL) &&
	     !tfs_dat_writer_new(fileno(f), codec, SUBBUF, &w, NULL));
	must(!tfs_strbuf_add(&sb, info, 12) && !tfs_strbuf_add(&sb, &len, 8) &&
	     !tfs_strbuf_adds(&sb, HEADER_PAGE) && !tfs_strbuf_add(&sb, "header_event", 13) &&
	     !tfs_strbuf_add(&sb, &none, 8));
	must(!tfs_dat_writer_section(w, TFS_DAT_HEADER_INFO, sb.s, sb.len, NULL));
	must(!tfs_dat_segments_begin(&segments, 0, "") &&
	     !tfs_dat_segments_add(&segments, &buffer, 2) &&
	     !tfs_dat_segments_add_cpu(&segments, 0) && !tfs_dat_segments_add_cpu(&segments, 3));
	must(!tfs_dat_writer_option(w, TFS_DAT_PRIVATE_SEGMENTS, segments.s, segments.len) &&
	     !tfs_dat_writer_head(w, NULL));
	rewind(f);
	while ((n = fread(bytes, 1, sizeof(bytes), f)) > 0)
		must(!tfs_strbuf_add(head, bytes, n));
	fclose(f);
	tfs_dat_writer_free(w);
	tfs_codec_free(codec);
	tfs_strbuf_release(&sb);
	tfs_strbuf_release(&segments);
}

static void add_record(struct tfs_strbuf *out, struct tfs_relay_record *r, const void *payload)
{
	unsigned char header[TFS_RELAY_HEADER];

	tfs_relay_encode(r, payload, header);
	must(!tfs_strbuf_add(out, header, sizeof(header)) &&
	     !tfs_strbuf_add(out, payload, r->size));
}

/* Operations as records */
static void make_stream(struct tfs_cursor *c, const struct tfs_strbuf *head, struct tfs_strbuf *out)
{
	struct tfs_relay_record r = { .type = TFS_RELAY_HEAD,
				      .seq = 1,
				      .size = (uint32_t)head->len };
	uint64_t raw[2] = { 0 }, events[2] = { 0 }, file = head->len;
	uint8_t type, step, source, offset;
	uint16_t n, size;
	const void *p;

	add_record(out, &r, head->s);
	while (!tfs_cursor_u8(c, &type) && !tfs_cursor_u8(c, &step) && !tfs_cursor_u8(c, &source) &&
	       !tfs_cursor_u8(c, &offset) && !tfs_cursor_u16(c, &n) && !tfs_cursor_u16(c, &size) &&
	       !tfs_cursor_bytes(c, size, &p)) {
		r.type = (enum tfs_relay_type)(type % 7);
		r.seq = r.type == TFS_RELAY_NOTE ? 0 : r.seq + step % 3;
		r.source = source % 3;
		r.size = size;
		r.raw = size;
		r.events = n;
		r.offset = offset & 1 ? offset : file;
		r.events_before = 0;
		if (r.type == TFS_RELAY_CHUNK) {
			r.offset = raw[source % 2] + (offset & 1 ? offset : 0);
			r.events_before = events[source % 2] + (offset & 2 ? offset : 0);
			raw[source % 2] = r.offset + r.raw;
			events[source % 2] = r.events_before + n;
		} else if (r.type == TFS_RELAY_TAIL) {
			file += size;
		}
		add_record(out, &r, p);
	}
}

static void receive(const char *path, const char *data, size_t size)
{
	const size_t half = size / 2;
	struct tfs_relay_receiver_opts opts = { .path = path, .max_bytes = 1 << 20 };
	struct tfs_relay_receiver *r = NULL;
	struct tfs_relay_received t;
	struct tfs_dat *dat = NULL;
	uint64_t seq;
	int rc;

	must(!tfs_relay_receiver_new(&opts, &r, NULL));
	rc = tfs_relay_receiver_take(r, data, half, NULL);
	must(!tfs_relay_receiver_sync(r, &seq, NULL));
	if (!rc && size % 2) {
		tfs_relay_receiver_free(r);
		opts.resume = true;
		rc = tfs_relay_receiver_new(&opts, &r, NULL);
		if (rc)
			return;
		must(tfs_relay_receiver_next(r) == seq + 1);
		rc = tfs_relay_receiver_take(r, data, size, NULL);
	} else if (!rc) {
		rc = tfs_relay_receiver_take(r, data + half, size - half, NULL);
	}
	tfs_relay_receiver_totals(r, &t);
	if (!tfs_relay_receiver_finish(r, NULL, NULL))
		must(!tfs_dat_open(path, &dat, NULL));
	tfs_dat_free(dat);
	tfs_relay_receiver_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const ends[] = { "", ".stream", ".cpu0", ".cpu3", ".head" };
	struct tfs_strbuf head = TFS_STRBUF_INIT, stream = TFS_STRBUF_INIT;
	char dir[] = "/tmp/tc-fuzz-stream.XXXXXX", path[64], file[96];
	struct tfs_cursor c;

	if (!size || size > INPUT_MAX)
		return 0;
	must(mkdtemp(dir) != NULL);
	snprintf(path, sizeof(path), "%s/f", dir);
	snprintf(file, sizeof(file), "%s.head", path);
	make_head(file, &head);
	tfs_cursor_init(&c, data + 1, size - 1, false);
	if (*data & 1)
		make_stream(&c, &head, &stream);
	else
		must(!tfs_strbuf_add(&stream, data + 1, size - 1));
	receive(path, stream.s, stream.len);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		snprintf(file, sizeof(file), "%s%s", path, ends[i]);
		unlink(file);
	}
	must(!rmdir(dir));
	tfs_strbuf_release(&head);
	tfs_strbuf_release(&stream);
	return 0;
}
