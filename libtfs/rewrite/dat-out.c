/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rewrite/dat-out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/err.h"
#include "base/io.h"
#include "base/strbuf-core.h"
#include "rewrite/bytes.h"
#include "rewrite/image.h"
#include "rewrite/payload.h"
#include "tracedat/dat-format.h"

#define CHUNK_HEAD 8u
#define SECTION_HEADER 16u
#define SECTION_COMPRESSED 1u
#define TEXT_CHUNK 40960u
/* Readers take what expands further for an attack: such a section is not compressed. */
#define RATIO_MAX 1024u
#define V6_ENTRY 16u /* u64 offset, u64 size */
#define V6_TAG 10u

struct cpu_place {
	unsigned int cpu;
	uint64_t offset, size;
};

/* Where a buffer is. @section: of its section, or in version 6 of the table of its CPUs */
struct place {
	uint64_t section;
	uint64_t patch; /* version 6: where the option has the buffer's offset */
	struct cpu_place *cpus;
	size_t n_cpus;
};

struct tfs_dat_out {
	int fd;
	const struct tfs_image *image;
	struct tfs_dat_form form;
	struct tfs_codec *codec;
	uint64_t end;        /* of what is written */
	uint64_t next_link;  /* version 7: where the offset of the next OPTIONS section belongs */
	uint64_t data_bytes; /* of sub-buffers */
	struct place *places;
	size_t n_places;
	/* The chunk that is being filled */
	unsigned char *chunk, *packed;
	size_t chunk_len, chunk_size, packed_size;
	uint32_t chunks;
	bool in_cpu;
};

static bool is_packed(const struct tfs_dat_out *o)
{
	return o->form.codec != TFS_CODEC_NONE;
}

static int failed(struct tfs_err *err, int rc)
{
	return tfs_err_set(err, rc, "cannot write the file");
}

static int put(struct tfs_dat_out *o, const void *data, size_t size, struct tfs_err *err)
{
	int rc = tfs_pwrite_all(o->fd, data, size, (off_t)o->end);

	if (rc)
		return failed(err, rc);
	o->end += size;
	return 0;
}

static int patch_u32(struct tfs_dat_out *o, uint64_t at, uint32_t n, struct tfs_err *err)
{
	unsigned char b[sizeof(n)];
	int rc;

	tfs_store_u32(b, n, o->image->big);
	rc = tfs_pwrite_all(o->fd, b, sizeof(b), (off_t)at);
	return rc ? failed(err, rc) : 0;
}

static int patch_u64(struct tfs_dat_out *o, uint64_t at, uint64_t n, struct tfs_err *err)
{
	unsigned char b[sizeof(n)];
	int rc;

	tfs_store_u64(b, n, o->image->big);
	rc = tfs_pwrite_all(o->fd, b, sizeof(b), (off_t)at);
	return rc ? failed(err, rc) : 0;
}

/* Appends what was collected in @sb; @rc: of collecting it. Releases @sb */
static int put_all(struct tfs_dat_out *o, struct tfs_strbuf *sb, int rc, struct tfs_err *err)
{
	rc = rc ? failed(err, rc) : put(o, sb->s, sb->len, err);
	tfs_strbuf_release(sb);
	return rc;
}

static int put_initial_bytes(struct tfs_dat_out *o, struct tfs_err *err)
{
	const struct tfs_image *image = o->image;
	const unsigned char machine[2] = { image->big, (unsigned char)image->long_size };
	const char *name = tfs_codec_name(o->form.codec);
	const char *version = tfs_codec_version(o->form.codec);
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc;

	rc = tfs_strbuf_add(&sb, TFS_DAT_MAGIC, TFS_DAT_MAGIC_SIZE);
	if (!rc)
		rc = tfs_strbuf_add(&sb, o->form.version == 7 ? "7" : "6", 2);
	if (!rc)
		rc = tfs_strbuf_add(&sb, machine, sizeof(machine));
	if (!rc)
		rc = tfs_add_u32(&sb, image->page_size, image->big);
	if (!rc && o->form.version == 7) {
		rc = tfs_strbuf_add(&sb, name, strlen(name) + 1);
		if (!rc)
			rc = tfs_strbuf_add(&sb, version, strlen(version) + 1);
		o->next_link = sb.len;
		if (!rc)
			rc = tfs_add_u64(&sb, 0, image->big);
	}
	return put_all(o, &sb, rc, err);
}

static int put_section_header(struct tfs_dat_out *o, uint16_t id, uint16_t flags, uint64_t size,
			      struct tfs_err *err)
{
	unsigned char b[SECTION_HEADER];

	tfs_store_u16(b, id, o->image->big);
	tfs_store_u16(b + 2, flags, o->image->big);
	tfs_store_u32(b + 4, UINT32_MAX, o->image->big); /* no description */
	tfs_store_u64(b + 8, size, o->image->big);
	return put(o, b, sizeof(b), err);
}

/* u32 compressed size, u32 size, compressed bytes; @out is at least as large as they can get */
static int pack(struct tfs_dat_out *o, const void *data, size_t size, unsigned char *out,
		size_t out_size, size_t *len)
{
	size_t packed;
	int rc = size > UINT32_MAX ? -EFBIG : 0;

	if (!rc)
		rc = tfs_codec_compress(o->codec, data, size, out + CHUNK_HEAD,
					out_size - CHUNK_HEAD, &packed);
	if (rc)
		return rc;
	tfs_store_u32(out, (uint32_t)packed, o->image->big);
	tfs_store_u32(out + 4, (uint32_t)size, o->image->big);
	*len = CHUNK_HEAD + packed;
	return 0;
}

static int put_plain(struct tfs_dat_out *o, uint16_t id, const struct tfs_strbuf *data,
		     struct tfs_err *err)
{
	int rc = put_section_header(o, id, 0, data->len, err);

	return rc ? rc : put(o, data->s, data->len, err);
}

static int put_section(struct tfs_dat_out *o, uint16_t id, const struct tfs_strbuf *data,
		       struct tfs_err *err)
{
	size_t bound, len;
	unsigned char *p;
	int rc;

	if (!is_packed(o))
		return put_plain(o, id, data, err);
	bound = CHUNK_HEAD + tfs_codec_bound(o->codec, data->len);
	p = malloc(bound);
	rc = p ? pack(o, data->s, data->len, p, bound, &len) : -ENOMEM;
	if (rc) {
		tfs_err_set(err, rc, "cannot compress a section");
	} else if (data->len / len > RATIO_MAX) {
		rc = put_plain(o, id, data, err);
	} else {
		rc = put_section_header(o, id, SECTION_COMPRESSED, len, err);
		if (!rc)
			rc = put(o, p, len, err);
	}
	free(p);
	return rc;
}

static int add_option(const struct tfs_dat_out *o, struct tfs_strbuf *options, uint16_t id,
		      const void *data, size_t size)
{
	const bool big = o->image->big;
	int rc = tfs_add_u16(options, id, big);

	if (!rc)
		rc = tfs_add_u32(options, (uint32_t)size, big);
	return rc ? rc : tfs_strbuf_add(options, data, size);
}

static int add_u64_option(const struct tfs_dat_out *o, struct tfs_strbuf *options, uint16_t id,
			  uint64_t n)
{
	unsigned char b[sizeof(n)];

	tfs_store_u64(b, n, o->image->big);
	return add_option(o, options, id, b, sizeof(b));
}

static int add_image_options(const struct tfs_dat_out *o, struct tfs_strbuf *options)
{
	int rc = 0;

	for (size_t i = 0; i < o->image->n_options && !rc; i++) {
		const struct tfs_image_option *opt = &o->image->options[i];

		rc = add_option(o, options, opt->id, opt->data.s, opt->data.len);
	}
	return rc;
}

/* Writes @options as a section, and makes what is before point at it. */
static int put_options(struct tfs_dat_out *o, struct tfs_strbuf *options, int rc,
		       struct tfs_err *err)
{
	const uint64_t at = o->end;

	if (!rc)
		rc = add_u64_option(o, options, TFS_DAT_DONE, 0);
	if (rc)
		return failed(err, rc);
	rc = put_section_header(o, TFS_DAT_DONE, 0, options->len, err);
	if (!rc)
		rc = put(o, options->s, options->len, err);
	if (!rc)
		rc = patch_u64(o, o->next_link, at, err);
	o->next_link = o->end - sizeof(uint64_t);
	return rc;
}

/* The sections of metadata; the options that lead to them are appended to @options. */
static int put_metadata(struct tfs_dat_out *o, struct tfs_strbuf *options, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = 0;

	for (unsigned int id = TFS_DAT_HEADER_INFO; id <= TFS_DAT_CMDLINES && !rc; id++) {
		const uint64_t at = o->end;

		tfs_strbuf_reset(&sb);
		rc = tfs_payload_add(o->image, (enum tfs_dat_id)id, &sb);
		if (rc)
			failed(err, rc);
		else if (o->form.version == 6)
			rc = put(o, sb.s, sb.len, err);
		else
			rc = put_section(o, (uint16_t)id, &sb, err);
		if (!rc && o->form.version == 7 && add_u64_option(o, options, (uint16_t)id, at))
			rc = failed(err, -ENOMEM);
	}
	tfs_strbuf_release(&sb);
	return rc;
}

size_t tfs_dat_out_drops(const struct tfs_image *image, const struct tfs_dat_form *form)
{
	/* trace-cmd 3.4 cannot read them where nothing is compressed. */
	return form->version == 7 && form->codec != TFS_CODEC_NONE ? 0 : image->n_sections;
}

static int put_head_v7(struct tfs_dat_out *o, struct tfs_err *err)
{
	const size_t n = tfs_dat_out_drops(o->image, &o->form) ? 0 : o->image->n_sections;
	struct tfs_strbuf options = TFS_STRBUF_INIT;
	unsigned char cpus[4];
	int rc = put_metadata(o, &options, err);

	for (size_t i = 0; i < n && !rc; i++) {
		const struct tfs_image_section *s = &o->image->sections[i];
		const uint64_t at = o->end;

		rc = put_section(o, s->id, &s->data, err);
		if (!rc && add_u64_option(o, &options, s->id, at))
			rc = failed(err, -ENOMEM);
	}
	if (rc)
		goto out;
	rc = add_image_options(o, &options);
	tfs_store_u32(cpus, o->image->cpus, o->image->big);
	if (!rc)
		rc = add_option(o, &options, TFS_DAT_CPUCOUNT, cpus, sizeof(cpus));
	rc = put_options(o, &options, rc, err);
out:
	tfs_strbuf_release(&options);
	return rc;
}

/* A buffer with a name is an option, whose offset is not known yet. */
static int add_instance(struct tfs_dat_out *o, struct tfs_strbuf *options, size_t i)
{
	const char *name = o->image->buffers[i].name;
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = tfs_add_u64(&sb, 0, o->image->big);

	if (!rc)
		rc = tfs_strbuf_add(&sb, name, strlen(name) + 1);
	o->places[i].patch = o->end + options->len + 6; /* after id and size */
	if (!rc)
		rc = add_option(o, options, TFS_DAT_BUFFER, sb.s, sb.len);
	tfs_strbuf_release(&sb);
	return rc;
}

static int put_table_v6(struct tfs_dat_out *o, const char *clock, struct tfs_err *err);

static bool has_clock(const struct tfs_image *image)
{
	for (size_t i = 0; i < image->n_options; i++)
		if (image->options[i].id == TFS_DAT_TRACECLOCK)
			return true;
	return false;
}

static bool has_top(const struct tfs_image *image)
{
	return image->n_buffers && !image->buffers[0].name[0];
}

static int put_head_v6(struct tfs_dat_out *o, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	const size_t n = o->image->n_buffers;
	int rc = put_metadata(o, &sb, err);

	if (!rc)
		rc = tfs_add_u32(&sb, o->image->cpus, o->image->big);
	if (!rc)
		rc = tfs_strbuf_add(&sb, "options  ", V6_TAG);
	if (!rc)
		rc = add_image_options(o, &sb);
	for (size_t i = has_top(o->image) ? 1 : 0; i < n && !rc; i++)
		rc = add_instance(o, &sb, i);
	if (!rc)
		rc = tfs_add_u16(&sb, TFS_DAT_DONE, o->image->big);
	rc = put_all(o, &sb, rc, err);
	/* There is always a buffer without a name. */
	if (!rc && !has_top(o->image))
		rc = put_table_v6(o, n ? o->image->buffers[0].clock : "local", err);
	return rc;
}

int tfs_dat_out_check(const struct tfs_image *image, const struct tfs_dat_form *form,
		      struct tfs_err *err)
{
	if (form->version == 7)
		return 0;
	for (size_t i = 0; i < image->n_buffers; i++) {
		const struct tfs_image_buffer *b = &image->buffers[i];

		if (b->text && (image->n_buffers > 1 || b->name[0]))
			return tfs_err_say(err, -EOPNOTSUPP,
					   "version 6 cannot hold the text of buffer '%s' beside "
					   "other buffers",
					   b->name);
		if (b->page_size == image->buffers[0].page_size)
			continue;
		tfs_err_say(err, -EOPNOTSUPP,
			    "version 6 has one size of sub-buffers, but those of buffer '%s' have "
			    "%u bytes, and others %u",
			    b->name, b->page_size, image->buffers[0].page_size);
		tfs_err_hint(err, "use --file-version 7");
		return -EOPNOTSUPP;
	}
	return 0;
}

int tfs_dat_out_new(int fd, const struct tfs_image *image, const struct tfs_dat_form *form,
		    struct tfs_dat_out **out, struct tfs_err *err)
{
	struct tfs_dat_out *o;
	int rc = tfs_dat_out_check(image, form, err);

	if (rc)
		return rc;
	o = calloc(1, sizeof(*o));
	if (!o)
		return failed(err, -ENOMEM);
	o->fd = fd;
	o->image = image;
	o->form = *form;
	if (form->version == 6)
		o->form.codec = TFS_CODEC_NONE;
	o->places = calloc(image->n_buffers + 1, sizeof(*o->places));
	rc = o->places ? tfs_codec_new(o->form.codec, form->level, &o->codec, err) :
			 failed(err, -ENOMEM);
	if (!rc)
		rc = put_initial_bytes(o, err);
	if (!rc)
		rc = form->version == 7 ? put_head_v7(o, err) : put_head_v6(o, err);
	if (rc)
		tfs_dat_out_free(o);
	else
		*out = o;
	return rc;
}

void tfs_dat_out_free(struct tfs_dat_out *o)
{
	if (!o)
		return;
	for (size_t i = 0; o->places && i < o->image->n_buffers; i++)
		free(o->places[i].cpus);
	free(o->places);
	free(o->chunk);
	free(o->packed);
	tfs_codec_free(o->codec);
	free(o);
}

static uint64_t round_up(uint64_t n, uint32_t unit)
{
	return (n + unit - 1) / unit * unit;
}

static const struct tfs_image_buffer *current_buffer(const struct tfs_dat_out *o)
{
	return &o->image->buffers[o->n_places - 1];
}

static struct place *current_place(const struct tfs_dat_out *o)
{
	return &o->places[o->n_places - 1];
}

static int flush_chunk(struct tfs_dat_out *o, struct tfs_err *err)
{
	size_t len;
	int rc;

	if (!o->chunk_len)
		return 0;
	if (!is_packed(o)) {
		rc = put(o, o->chunk, o->chunk_len, err);
		o->chunk_len = 0;
		return rc;
	}
	rc = pack(o, o->chunk, o->chunk_len, o->packed, o->packed_size, &len);
	if (rc)
		return tfs_err_set(err, rc, "cannot compress ring-buffer data");
	o->chunk_len = 0;
	o->chunks++;
	return put(o, o->packed, len, err);
}

/* The number of chunks is written when it is known. */
static int begin_chunks(struct tfs_dat_out *o, struct tfs_err *err)
{
	static const unsigned char none[4];

	o->chunks = 0;
	o->chunk_len = 0;
	return is_packed(o) ? put(o, none, sizeof(none), err) : 0;
}

static int end_chunks(struct tfs_dat_out *o, uint64_t at, struct tfs_err *err)
{
	int rc = flush_chunk(o, err);

	return rc || !is_packed(o) ? rc : patch_u32(o, at, o->chunks, err);
}

static int end_cpu(struct tfs_dat_out *o, struct tfs_err *err)
{
	struct cpu_place *c;
	struct place *p;
	int rc;

	if (!o->in_cpu)
		return 0;
	o->in_cpu = false;
	p = current_place(o);
	c = &p->cpus[p->n_cpus - 1];
	rc = end_chunks(o, c->offset, err);
	c->size = o->end - c->offset;
	return rc;
}

/* Where the CPUs of a buffer are, and its clock if the file has one. @o->end is where it begins */
static int put_table_v6(struct tfs_dat_out *o, const char *clock, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = tfs_strbuf_add(&sb, "flyrecord", V6_TAG);

	for (unsigned int i = 0; i < o->image->cpus && !rc; i++) {
		rc = tfs_add_u64(&sb, 0, o->image->big);
		if (!rc)
			rc = tfs_add_u64(&sb, 0, o->image->big);
	}
	if (!rc && has_clock(o->image)) {
		rc = tfs_add_u64(&sb, strlen(clock) + 2, o->image->big);
		if (!rc)
			rc = tfs_strbuf_addf(&sb, "[%s]", clock);
	}
	return put_all(o, &sb, rc, err);
}

static int patch_table_v6(struct tfs_dat_out *o, const struct place *p, struct tfs_err *err)
{
	int rc = p->patch ? patch_u64(o, p->patch, p->section, err) : 0;

	for (size_t i = 0; i < p->n_cpus && !rc; i++) {
		const struct cpu_place *c = &p->cpus[i];
		const uint64_t at = p->section + V6_TAG + (uint64_t)c->cpu * V6_ENTRY;

		rc = patch_u64(o, at, c->offset, err);
		if (!rc)
			rc = patch_u64(o, at + 8, c->size, err);
	}
	return rc;
}

/* u64 section, strz name, strz clock, u32 sub-buffer size, u32 CPUs, their places */
static int add_buffer_option(const struct tfs_dat_out *o, const struct place *p,
			     struct tfs_strbuf *options)
{
	const struct tfs_image_buffer *b = current_buffer(o);
	const char *clock = b->stored_clock ? b->stored_clock : b->clock;
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	const bool big = o->image->big;
	int rc = tfs_add_u64(&sb, p->section, big);

	if (!clock[0])
		clock = "local";
	if (!rc)
		rc = tfs_strbuf_add(&sb, b->name, strlen(b->name) + 1);
	if (!rc)
		rc = tfs_strbuf_add(&sb, clock, strlen(clock) + 1);
	if (!rc && !b->text)
		rc = tfs_add_u32(&sb, b->page_size, big);
	if (!rc && !b->text)
		rc = tfs_add_u32(&sb, (uint32_t)p->n_cpus, big);
	for (size_t i = 0; i < p->n_cpus && !rc; i++) {
		rc = tfs_add_u32(&sb, p->cpus[i].cpu, big);
		if (!rc)
			rc = tfs_add_u64(&sb, p->cpus[i].offset, big);
		if (!rc)
			rc = tfs_add_u64(&sb, p->cpus[i].size, big);
	}
	if (!rc)
		rc = add_option(o, options, b->text ? TFS_DAT_BUFFER_TEXT : TFS_DAT_BUFFER, sb.s,
				sb.len);
	tfs_strbuf_release(&sb);
	return rc;
}

static int end_buffer(struct tfs_dat_out *o, struct tfs_err *err)
{
	struct tfs_strbuf options = TFS_STRBUF_INIT;
	struct place *p;
	int rc;

	if (!o->n_places)
		return 0;
	rc = end_cpu(o, err);
	if (rc)
		return rc;
	p = current_place(o);
	if (o->form.version == 6)
		return current_buffer(o)->text ? 0 : patch_table_v6(o, p, err);
	rc = patch_u64(o, p->section + 8, o->end - p->section - SECTION_HEADER, err);
	if (!rc)
		rc = put_options(o, &options, add_buffer_option(o, p, &options), err);
	tfs_strbuf_release(&options);
	return rc;
}

/* Room for a chunk of the buffer's sub-buffers */
static int make_room(struct tfs_dat_out *o, struct tfs_err *err)
{
	const struct tfs_image_buffer *b = current_buffer(o);
	const size_t size = b->text ? TEXT_CHUNK : (size_t)b->page_size * TFS_DAT_CHUNK_PAGES;

	free(o->chunk);
	free(o->packed);
	o->chunk_size = size;
	o->packed_size = CHUNK_HEAD + tfs_codec_bound(o->codec, size);
	o->chunk = malloc(size);
	o->packed = malloc(o->packed_size);
	return o->chunk && o->packed ? 0 : failed(err, -ENOMEM);
}

int tfs_dat_out_buffer(struct tfs_dat_out *o, struct tfs_err *err)
{
	const struct tfs_image_buffer *b;
	int rc = end_buffer(o, err);

	if (rc)
		return rc;
	o->n_places++;
	b = current_buffer(o);
	current_place(o)->section = o->end;
	rc = make_room(o, err);
	if (rc)
		return rc;
	if (o->form.version == 7)
		return put_section_header(o, b->text ? TFS_DAT_BUFFER_TEXT : TFS_DAT_BUFFER,
					  is_packed(o) ? SECTION_COMPRESSED : 0, 0, err);
	return b->text ? put(o, "latency  ", V6_TAG, err) : put_table_v6(o, b->clock, err);
}

int tfs_dat_out_cpu(struct tfs_dat_out *o, unsigned int cpu, struct tfs_err *err)
{
	struct place *p = current_place(o);
	int rc = end_cpu(o, err);

	if (rc)
		return rc;
	if (cpu >= o->image->cpus)
		return tfs_err_say(err, -EINVAL, "CPU %u of %u", cpu, o->image->cpus);
	if (tfs_grow_one(&p->cpus, p->n_cpus))
		return failed(err, -ENOMEM);
	/* Readers map what is not compressed by the page. */
	o->end = round_up(o->end, current_buffer(o)->page_size);
	p->cpus[p->n_cpus++] = (struct cpu_place){ .cpu = cpu, .offset = o->end };
	o->in_cpu = true;
	return begin_chunks(o, err);
}

static int add_to_chunk(struct tfs_dat_out *o, const unsigned char *data, size_t size,
			struct tfs_err *err)
{
	int rc = 0;

	while (size && !rc) {
		const size_t room = o->chunk_size - o->chunk_len, n = size < room ? size : room;

		memcpy(o->chunk + o->chunk_len, data, n);
		o->chunk_len += n;
		data += n;
		size -= n;
		if (o->chunk_len == o->chunk_size)
			rc = flush_chunk(o, err);
	}
	return rc;
}

int tfs_dat_out_page(struct tfs_dat_out *o, const void *page, struct tfs_err *err)
{
	const size_t size = current_buffer(o)->page_size;

	o->data_bytes += size;
	return add_to_chunk(o, page, size, err);
}

int tfs_dat_out_text(struct tfs_dat_out *o, const void *text, size_t size, struct tfs_err *err)
{
	const uint64_t at = o->end;
	int rc = begin_chunks(o, err);

	if (!rc)
		rc = add_to_chunk(o, text, size, err);
	return rc ? rc : end_chunks(o, at, err);
}

int tfs_dat_out_end(struct tfs_dat_out *o, struct tfs_err *err)
{
	int rc = end_buffer(o, err);

	/* The last CPU may end in a hole. */
	if (!rc && ftruncate(o->fd, (off_t)o->end))
		rc = failed(err, -errno);
	return rc;
}

uint64_t tfs_dat_out_bytes(const struct tfs_dat_out *o)
{
	return o->data_bytes;
}
