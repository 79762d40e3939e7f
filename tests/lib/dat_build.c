/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/dat_build.h"

#include <stdlib.h>
#include <string.h>

#define TAG_FLYRECORD "flyrecord"
#define TAG_LATENCY "latency  "
#define TAG_OPTIONS "options  "

const char dat_latency_text[] = "# tracer: wakeup\n#\n  sh-1  0d..  0us : a line\n";

static void must(int rc)
{
	if (rc)
		abort();
}

void page_begin(struct page_builder *p, struct bytes *out, unsigned int long_size, size_t size,
		uint64_t ts)
{
	*p = (struct page_builder){
		.out = out,
		.long_size = long_size,
		.size = size,
		.start = out->sb.len,
	};
	bytes_u64(out, ts);
	bytes_number(out, 0, long_size);
}

void page_word(struct page_builder *p, unsigned int type, uint32_t delta)
{
	bytes_u32(p->out, p->out->big ? (uint32_t)type << 27 | delta : delta << 5 | type);
}

void page_data(struct page_builder *p, uint32_t delta, const void *data, size_t size)
{
	page_word(p, (unsigned int)(size / 4), delta);
	bytes_add(p->out, data, size);
}

void page_long(struct page_builder *p, uint32_t delta, const void *data, size_t size)
{
	page_word(p, 0, delta);
	bytes_u32(p->out, (uint32_t)size + 4);
	bytes_add(p->out, data, size);
	bytes_zeros(p->out, -size & 3);
}

void page_pair(struct page_builder *p, unsigned int type, uint32_t delta, uint32_t word)
{
	page_word(p, type, delta);
	bytes_u32(p->out, word);
}

size_t page_used(const struct page_builder *p)
{
	return p->out->sb.len - p->start - 8 - p->long_size;
}

static void set_commit(struct page_builder *p, uint64_t commit)
{
	bytes_store((unsigned char *)p->out->sb.s + p->start + 8, commit, p->long_size,
		    p->out->big);
}

void page_end(struct page_builder *p, uint64_t commit)
{
	set_commit(p, commit | page_used(p));
	bytes_zeros(p->out, p->size - (p->out->sb.len - p->start));
}

void page_end_lost(struct page_builder *p, uint64_t lost)
{
	/* as the kernel leaves it: the flags are added as a negative int */
	uint64_t commit = 0xffffffffc0000000ull | page_used(p);

	bytes_number(p->out, lost, p->long_size);
	set_commit(p, commit);
	bytes_zeros(p->out, p->size - (p->out->sb.len - p->start));
}

static struct dat_spec with_defaults(const struct dat_spec *spec)
{
	struct dat_spec s = *spec;

	s.version = s.version == 6 ? 6 : 7;
	s.long_size = s.long_size ? s.long_size : 8;
	s.kernel_long = s.kernel_long ? s.kernel_long : s.long_size;
	s.page_size = s.page_size ? s.page_size : 512;
	s.cpus = s.cpus ? s.cpus : 2;
	s.pages = s.pages ? s.pages : 2;
	s.events = s.events ? s.events : 4;
	s.chunk_pages = s.chunk_pages ? s.chunk_pages : 10;
	s.clock = s.clock ? s.clock : "local";
	return s;
}

void dat_begin(struct dat_builder *d, const struct dat_spec *spec)
{
	struct bytes *b = &d->b;

	memset(d, 0, sizeof(*d));
	d->spec = with_defaults(spec);
	must(tfs_codec_new(d->spec.codec, 0, &d->codec, NULL));
	bytes_init(b, d->spec.big);
	bytes_init(&d->options, d->spec.big);
	bytes_text(b, "\x17\x08\x44tracing");
	bytes_strz(b, d->spec.version == 6 ? "6" : "7");
	bytes_u8(b, d->spec.big);
	bytes_u8(b, (uint8_t)d->spec.long_size);
	bytes_u32(b, d->spec.page_size);
	if (d->spec.version == 6)
		return;
	bytes_strz(b, tfs_codec_name(d->spec.codec));
	bytes_strz(b, tfs_codec_version(d->spec.codec));
	d->next_options = b->sb.len;
	bytes_u64(b, 0);
}

void dat_release(struct dat_builder *d)
{
	bytes_release(&d->b);
	bytes_release(&d->options);
	tfs_codec_free(d->codec);
}

size_t dat_section_header(struct dat_builder *d, uint16_t id, bool compressed, uint64_t size)
{
	size_t at = d->b.sb.len;

	bytes_u16(&d->b, id);
	bytes_u16(&d->b, compressed);
	bytes_u32(&d->b, 0xffffffff);
	bytes_u64(&d->b, size);
	return at;
}

static void add_packed(struct dat_builder *d, const void *data, size_t size)
{
	size_t bound = tfs_codec_bound(d->codec, size), packed;
	unsigned char *p = malloc(bound + 1);

	must(!p);
	must(tfs_codec_compress(d->codec, data, size, p, bound, &packed));
	bytes_u32(&d->b, (uint32_t)packed);
	bytes_u32(&d->b, (uint32_t)size);
	bytes_add(&d->b, p, packed);
	free(p);
}

size_t dat_payload(struct dat_builder *d, uint16_t id, const struct bytes *payload)
{
	bool compressed = d->spec.codec != TFS_CODEC_NONE;
	size_t at = dat_section_header(d, id, compressed, payload->sb.len);

	if (compressed) {
		add_packed(d, payload->sb.s, payload->sb.len);
		bytes_set_u64(&d->b, at + 8, d->b.sb.len - at - 16);
	} else {
		bytes_add(&d->b, payload->sb.s, payload->sb.len);
	}
	return at;
}

void dat_option(struct dat_builder *d, uint16_t id, const void *data, size_t size)
{
	bytes_u16(&d->options, id);
	bytes_u32(&d->options, (uint32_t)size);
	bytes_add(&d->options, data, size);
}

static void number_option(struct dat_builder *d, uint16_t id, uint64_t n, size_t size, bool big)
{
	unsigned char p[8];

	bytes_store(p, n, size, big);
	dat_option(d, id, p, size);
}

void dat_options_end(struct dat_builder *d)
{
	size_t at;

	bytes_u16(&d->options, 0);
	bytes_u32(&d->options, 8);
	bytes_u64(&d->options, 0);
	at = dat_section_header(d, 0, false, d->options.sb.len);
	bytes_add(&d->b, d->options.sb.s, d->options.sb.len);
	bytes_set_u64(&d->b, d->next_options, at);
	d->next_options = d->b.sb.len - 8;
	tfs_strbuf_reset(&d->options.sb);
}

static void sized_text(struct bytes *b, const char *s)
{
	bytes_u64(b, strlen(s));
	bytes_text(b, s);
}

static void header_info(const struct dat_spec *s, struct bytes *b)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	unsigned int data = 8 + s->kernel_long;

	must(tfs_strbuf_addf(&sb,
			     "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
			     "\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n"
			     "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
			     "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:1;\n",
			     s->kernel_long, data, s->page_size - data));
	bytes_strz(b, "header_page");
	sized_text(b, sb.s);
	bytes_strz(b, "header_event");
	sized_text(b, "\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n");
	tfs_strbuf_release(&sb);
}

#define VALUE_FIELD "\tfield:int value;\toffset:8;\tsize:4;\tsigned:1;\n\n"
#define PRINT_VALUE "print fmt: \"value=%d\", REC->value\n"

static void ftrace_events(const struct dat_spec *s, struct bytes *b)
{
	uint32_t n = 0;

	while (s->ftrace && s->ftrace[n])
		n++;
	bytes_u32(b, n + 1);
	for (n = 0; s->ftrace && s->ftrace[n]; n++)
		sized_text(b, s->ftrace[n]);
	sized_text(b, "name: print\nID: 5\n" DAT_COMMON_FIELDS
		      "\tfield:char buf;\toffset:8;\tsize:0;\tsigned:1;\n\n"
		      "print fmt: \"%s\", REC->buf\n");
}

static void system_formats(struct bytes *b, const char *system, const char *const *formats)
{
	uint32_t n = 0;

	if (!formats)
		return;
	bytes_strz(b, system);
	while (formats[n])
		n++;
	bytes_u32(b, n);
	for (n = 0; formats[n]; n++)
		sized_text(b, formats[n]);
}

static void event_formats(const struct dat_spec *s, struct bytes *b)
{
	const struct dat_system *more;
	uint32_t n = 2 + (s->sched != NULL) + (s->syscalls != NULL);

	for (more = s->systems; more && more->name; more++)
		n++;
	bytes_u32(b, n);
	bytes_strz(b, "alpha");
	bytes_u32(b, 1);
	sized_text(b, "name: one\nID: 42\n" DAT_COMMON_FIELDS VALUE_FIELD PRINT_VALUE);
	bytes_strz(b, "beta");
	bytes_u32(b, 1);
	sized_text(b, DAT_SAMPLE_LAST_FORMAT);
	system_formats(b, "sched", s->sched);
	system_formats(b, "syscalls", s->syscalls);
	for (more = s->systems; more && more->name; more++)
		system_formats(b, more->name, more->formats);
}

static void kallsyms(const struct dat_spec *s, struct bytes *b)
{
	static const char text[] = "ffffffff81000000 T _text\n";
	const char *more = s->kallsyms ? s->kallsyms : "";

	bytes_u32(b, (uint32_t)(sizeof(text) - 1 + strlen(more)));
	bytes_text(b, text);
	bytes_text(b, more);
}

static void printk(const struct dat_spec *s, struct bytes *b)
{
	static const char text[] = "0xffffffff82000000 : \"hello\\n\"\n";
	const char *more = s->printk ? s->printk : "";

	bytes_u32(b, (uint32_t)(sizeof(text) - 1 + strlen(more)));
	bytes_text(b, text);
	bytes_text(b, more);
}

static void cmdlines(const struct dat_spec *s, struct bytes *b)
{
	(void)s;
	sized_text(b, "1 init\n100 task\n");
}

static void (*const metadata[])(const struct dat_spec *, struct bytes *) = {
	header_info, ftrace_events, event_formats, kallsyms, printk, cmdlines,
};

#define N_METADATA (sizeof(metadata) / sizeof(metadata[0]))

void dat_metadata(struct dat_builder *d)
{
	struct bytes payload;
	size_t i, at;

	for (i = 0; i < N_METADATA; i++) {
		bytes_init(&payload, d->spec.big);
		metadata[i](&d->spec, &payload);
		if (d->spec.version == 6) {
			bytes_add(&d->b, payload.sb.s, payload.sb.len);
		} else {
			at = dat_payload(d, (uint16_t)(16 + i), &payload);
			number_option(d, (uint16_t)(16 + i), at, 8, d->spec.big);
		}
		bytes_release(&payload);
	}
}

void dat_chunks(struct dat_builder *d, const struct bytes *pages, size_t chunk_size)
{
	size_t off, part, count = d->b.sb.len;
	uint32_t n = 0;

	bytes_u32(&d->b, 0);
	for (off = 0; off < pages->sb.len; off += part) {
		part = pages->sb.len - off;
		if (part > chunk_size)
			part = chunk_size;
		add_packed(d, pages->sb.s + off, part);
		n++;
	}
	bytes_set_u32(&d->b, count, n);
}

static void buffer_option_head(struct dat_builder *d, struct bytes *o, uint64_t section,
			       const char *name)
{
	bytes_init(o, d->spec.swap_binary ? !d->spec.big : d->spec.big);
	bytes_u64(o, section);
	bytes_strz(o, name);
	bytes_strz(o, d->spec.clock);
}

void dat_buffer(struct dat_builder *d, const char *name, const struct dat_cpu *cpus, size_t n)
{
	bool compressed = d->spec.codec != TFS_CODEC_NONE;
	size_t at = dat_section_header(d, 3, compressed, 0), start, i;
	struct bytes o;

	buffer_option_head(d, &o, at, name);
	bytes_u32(&o, d->spec.page_size);
	bytes_u32(&o, (uint32_t)n);
	for (i = 0; i < n; i++) {
		bytes_align(&d->b, d->spec.page_size);
		start = d->b.sb.len;
		if (compressed)
			dat_chunks(d, cpus[i].pages,
				   (size_t)d->spec.chunk_pages * d->spec.page_size);
		else
			bytes_add(&d->b, cpus[i].pages->sb.s, cpus[i].pages->sb.len);
		bytes_u32(&o, cpus[i].cpu);
		bytes_u64(&o, start);
		bytes_u64(&o, d->b.sb.len - start - (compressed ? d->spec.short_by : 0));
	}
	bytes_set_u64(&d->b, at + 8, d->b.sb.len - at - 16);
	dat_option(d, 3, o.sb.s, o.sb.len);
	bytes_release(&o);
}

uint64_t dat_sample_ts(unsigned int buffer, unsigned int cpu, unsigned int n)
{
	return 1000000 + 1000ull * n + 10ull * cpu + buffer;
}

void dat_sample_pages(const struct dat_spec *spec, unsigned int buffer, unsigned int cpu,
		      struct bytes *out)
{
	struct dat_spec s = with_defaults(spec);
	struct page_builder p;
	struct bytes e;
	unsigned int i, j;

	for (i = 0; i < s.pages; i++) {
		page_begin(&p, out, s.kernel_long, s.page_size,
			   dat_sample_ts(buffer, cpu, i * s.events));
		for (j = 0; j < s.events; j++) {
			bytes_init(&e, s.big);
			bytes_u16(&e, DAT_SAMPLE_EVENT_ID);
			bytes_u8(&e, 1);
			bytes_u8(&e, 0);
			bytes_u32(&e, 100 + cpu);
			bytes_u32(&e, i * s.events + j);
			page_data(&p, j ? 1000 : 0, e.sb.s, e.sb.len);
			bytes_release(&e);
		}
		page_end(&p, 0);
	}
}

static size_t count_names(const char *const *names)
{
	size_t n = 0;

	while (names[n])
		n++;
	return n;
}

static void usual_options(struct dat_builder *d)
{
	static const char clocks[] = "[local] global mono\n";

	dat_option(d, 4, clocks, sizeof(clocks));
	dat_option(d, 5, "Linux a 6.1 b", sizeof("Linux a 6.1 b"));
	dat_option(d, 9, "3.1.6", sizeof("3.1.6"));
	dat_option(d, 2, "CPU: 0\nentries: 0\n", sizeof("CPU: 0\nentries: 0\n"));
}

static void sample_cpus(struct dat_builder *d, unsigned int buffer, struct bytes *pages,
			struct dat_cpu *cpus)
{
	unsigned int c;

	for (c = 0; c < d->spec.cpus; c++) {
		bytes_init(&pages[c], d->spec.big);
		dat_sample_pages(&d->spec, buffer, c, &pages[c]);
		cpus[c] = (struct dat_cpu){ .cpu = c, .pages = &pages[c] };
	}
}

static void latency_v7(struct dat_builder *d)
{
	bool compressed = d->spec.codec != TFS_CODEC_NONE;
	size_t at = dat_section_header(d, 22, compressed, 0);
	struct bytes text, o;

	bytes_init(&text, d->spec.big);
	bytes_text(&text, dat_latency_text);
	if (compressed)
		dat_chunks(d, &text, 20); /* several of them */
	else
		bytes_add(&d->b, text.sb.s, text.sb.len);
	bytes_set_u64(&d->b, at + 8, d->b.sb.len - at - 16);
	buffer_option_head(d, &o, at, "");
	dat_option(d, 22, o.sb.s, o.sb.len);
	bytes_release(&o);
	bytes_release(&text);
}

static void sample_v7(struct dat_builder *d, const char *const *names)
{
	struct bytes *pages = calloc(d->spec.cpus, sizeof(*pages));
	struct dat_cpu *cpus = calloc(d->spec.cpus, sizeof(*cpus));
	unsigned int i, c;

	must(!pages || !cpus);
	usual_options(d);
	number_option(d, 8, d->spec.cpus, 4, d->spec.swap_binary ? !d->spec.big : d->spec.big);
	dat_options_end(d);
	if (d->spec.latency) {
		latency_v7(d);
		dat_options_end(d);
	}
	for (i = 0; !d->spec.latency && names[i]; i++) {
		sample_cpus(d, i, pages, cpus);
		dat_buffer(d, names[i], cpus, d->spec.cpus);
		dat_options_end(d);
		for (c = 0; c < d->spec.cpus; c++)
			bytes_release(&pages[c]);
	}
	free(pages);
	free(cpus);
}

/* The table and the clock; the offsets are filled in by put_data(). Return: where the table is. */
static size_t flyrecord(struct dat_builder *d)
{
	size_t table;

	bytes_strz(&d->b, TAG_FLYRECORD);
	table = d->b.sb.len;
	bytes_zeros(&d->b, 16ul * d->spec.cpus);
	bytes_u64(&d->b, strlen("[local]"));
	bytes_text(&d->b, "[local]");
	return table;
}

static void put_data(struct dat_builder *d, unsigned int buffer, size_t table)
{
	unsigned int c;
	size_t at;

	for (c = 0; c < d->spec.cpus; c++) {
		bytes_align(&d->b, d->spec.page_size);
		at = d->b.sb.len;
		dat_sample_pages(&d->spec, buffer, c, &d->b);
		bytes_set_u64(&d->b, table + 16ul * c, at);
		bytes_set_u64(&d->b, table + 16ul * c + 8, d->b.sb.len - at);
	}
}

static void sample_v6(struct dat_builder *d, const char *const *names)
{
	size_t n = count_names(names), i, options, table;
	struct bytes o;

	bytes_u32(&d->b, d->spec.cpus);
	usual_options(d);
	bytes_strz(&d->b, TAG_OPTIONS);
	bytes_add(&d->b, d->options.sb.s, d->options.sb.len);
	options = d->b.sb.len;
	for (i = 1; i < n; i++) {
		bytes_init(&o, d->spec.big);
		bytes_u64(&o, 0);
		bytes_strz(&o, names[i]);
		bytes_u16(&d->b, 3);
		bytes_u32(&d->b, (uint32_t)o.sb.len);
		bytes_add(&d->b, o.sb.s, o.sb.len);
		bytes_release(&o);
	}
	bytes_u16(&d->b, 0);
	if (d->spec.latency) {
		bytes_strz(&d->b, TAG_LATENCY);
		bytes_text(&d->b, dat_latency_text);
		return;
	}
	table = flyrecord(d);
	put_data(d, 0, table);
	for (i = 1; i < n; i++) {
		bytes_set_u64(&d->b, options + 6, d->b.sb.len);
		options += 6 + 8 + strlen(names[i]) + 1;
		table = flyrecord(d);
		put_data(d, (unsigned int)i, table);
	}
}

void dat_sample(const struct dat_spec *spec, struct bytes *out)
{
	static const char *const only_top[] = { "", NULL };
	const char *const *names = spec->names ? spec->names : only_top;
	struct dat_builder d;

	dat_begin(&d, spec);
	dat_metadata(&d);
	if (d.spec.version == 6)
		sample_v6(&d, names);
	else
		sample_v7(&d, names);
	*out = d.b;
	bytes_init(&d.b, false);
	dat_release(&d);
}

int dat_file(const struct dat_spec *spec, struct bytes *pages)
{
	struct dat_cpu *cpus = calloc(spec->cpus, sizeof(*cpus));
	struct dat_builder d;
	unsigned int i;
	int fd;

	must(!cpus);
	dat_begin(&d, spec);
	dat_metadata(&d);
	number_option(&d, 8, spec->cpus, 4, d.spec.big);
	if (spec->clocks)
		dat_option(&d, 4, spec->clocks, strlen(spec->clocks) + 1);
	if (spec->uname)
		dat_option(&d, 5, spec->uname, strlen(spec->uname) + 1);
	for (i = 0; i < spec->cpus; i++)
		cpus[i] = (struct dat_cpu){ .cpu = i, .pages = &pages[i] };
	dat_buffer(&d, "", cpus, spec->cpus);
	dat_options_end(&d);
	fd = bytes_to_fd(d.b.sb.s, d.b.sb.len);
	for (i = 0; i < spec->cpus; i++)
		bytes_release(&pages[i]);
	dat_release(&d);
	free(cpus);
	return fd;
}
