/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/differ.h"

#include <stdlib.h>
#include <string.h>

#include "decode/printfmt.h"
#include "printfmt/program.h"
#include "printfmt/array-style.h"

/* As decode/event-text.c shows it to libtraceevent. */
#define BEHIND 128
#define SCRATCH (2 * 65536 + 64)
#define REPORT_MAX 4000
/* Elements of a dynamic array follow the fixed fields. */
#define TAIL_MAX 96

static const char *symbol(const void *tep, uint64_t addr, uint64_t *start)
{
	const char *name = tep_find_function((struct tep_handle *)tep, addr);

	*start = name ? tep_find_function_address((struct tep_handle *)tep, addr) : 0;
	return name;
}

int differ_init(struct differ *d, struct tep_handle *tep, const struct tfs_format_env *env)
{
	*d = (struct differ){ .tep = tep, .seed = 88172645463325252ULL };
	d->env = (struct tfs_format_env){
		.big = tep_is_file_bigendian(tep),
		.long_size = (unsigned int)tep_get_long_size(tep),
		.arrays = tfs_detect_array_style(),
		.symbol = symbol,
		.symbols = tep,
	};
	if (env)
		d->env = *env;
	tfs_strbuf_init(&d->ours);
	tfs_strbuf_init(&d->report);
	tfs_strbuf_init(&d->reasons);
	trace_seq_init(&d->theirs);
	d->scratch = calloc(1, SCRATCH);
	return d->scratch ? 0 : -1;
}

void differ_release(struct differ *d)
{
	tfs_strbuf_release(&d->ours);
	tfs_strbuf_release(&d->report);
	tfs_strbuf_release(&d->reasons);
	trace_seq_destroy(&d->theirs);
	free(d->scratch);
	d->scratch = NULL;
}

struct tfs_program *differ_compile(struct differ *d, struct tep_event *event)
{
	struct tfs_program *program = NULL;
	const char *reason = NULL;

	/* Plugins are left out of the comparison. */
	event->flags |= (int)TEP_EVENT_FL_NOHANDLE;
	if (d->fields ?
		    !tfs_program_compile_fields(event, &d->env, "", TFS_FIELDS_LIBRARY, &program) :
		    !tfs_program_compile(event, &d->env, &program, &reason)) {
		d->types++;
		return program;
	}
	d->refused++;
	tfs_strbuf_addf(&d->reasons, "%s:%s: %s\n", event->system, event->name,
			reason ? reason : "no memory");
	return NULL;
}

static void explain(struct differ *d, const struct tep_event *event, const char *theirs,
		    const unsigned char *data, size_t size)
{
	size_t i;

	if (d->report.len > REPORT_MAX)
		return;
	tfs_strbuf_addf(&d->report, "%s:%s\n fmt    %s\n ours   %s\n theirs %s\n bytes ",
			event->system, event->name, event->print_fmt.format, d->ours.s, theirs);
	for (i = 0; i < size; i++)
		tfs_strbuf_addf(&d->report, "%s%02x", i % 4 ? "" : " ", data[i]);
	tfs_strbuf_adds(&d->report, "\n");
}

/* Has libtraceevent print into @d->theirs. */
static void print(struct differ *d, struct tep_event *event, struct tep_record *rec)
{
	trace_seq_reset(&d->theirs);
	if (d->fields)
		tep_record_print_fields(&d->theirs, rec, event);
	else if (tfs_printfmt_risky(event) && !tfs_printfmt_safe(event, d->scratch, SCRATCH))
		trace_seq_puts(&d->theirs, "[FAILED TO PARSE]");
	else
		tep_print_event(d->tep, &d->theirs, rec, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&d->theirs);
}

static int run(struct differ *d, const struct tep_event *event, const struct tfs_program *program,
	       const struct tfs_raw *raw)
{
	uint64_t *bytes = &d->bytes[(uint16_t)event->id];
	struct tfs_raw copy = *raw;
	int rc;

	if (!d->fields)
		return tfs_program_run(program, &d->ours, raw->data, raw->size, raw->room);
	copy.bytes = tfs_program_bytes(program, raw->data, raw->size, raw->room, *bytes);
	rc = tfs_program_run_fields(program, &d->ours, &copy);
	/* libtraceevent does not remember bytes that it was not shown. */
	if (!rc)
		*bytes = copy.bytes;
	return rc;
}

void differ_record(struct differ *d, struct tep_event *event, const struct tfs_program *program,
		   const void *data, size_t size, size_t room)
{
	struct tep_record rec = { .size = (int)size, .data = d->scratch, .ref_count = 1 };
	size_t len = room < size + BEHIND ? room : size + BEHIND;
	int rc;

	tfs_strbuf_reset(&d->ours);
	rc = run(d, event, program, &(struct tfs_raw){ data, size, room, 0 });
	if (rc) {
		d->passed += rc == 1 && !d->ours.len;
		d->different += rc != 1 || d->ours.len;
		return;
	}
	memset(d->scratch, 0, SCRATCH);
	memcpy(d->scratch, data, len);
	print(d, event, &rec);
	if (d->theirs.len == d->ours.len && !memcmp(d->theirs.buffer, d->ours.s, d->ours.len)) {
		d->same++;
		return;
	}
	d->different++;
	explain(d, event, d->theirs.buffer, data, size);
}

static uint64_t random_number(struct differ *d)
{
	d->seed ^= d->seed << 13;
	d->seed ^= d->seed >> 7;
	d->seed ^= d->seed << 17;
	return d->seed;
}

/* A number that a field may well have: small, a flag, the edge of a type, anything. */
static uint64_t likely_number(struct differ *d)
{
	uint64_t n = random_number(d);

	switch (n >> 32 & 7) {
	case 0:
		return 0;
	case 1:
		return UINT64_MAX;
	case 2:
		return (n & 0xff) - 16;
	case 3:
		return 1ULL << (n & 63);
	case 4:
		return (1ULL << (n & 63)) - 1;
	case 5:
		return n & 0x3f;
	case 6:
		return n & random_number(d) & random_number(d);
	default:
		return n;
	}
}

static void put_number(const struct differ *d, unsigned char *p, size_t size, uint64_t n)
{
	size_t i;

	for (i = 0; i < size; i++, n >>= 8)
		p[d->env.big ? size - 1 - i : i] = (unsigned char)n;
}

static void put_text(struct differ *d, unsigned char *p, size_t size)
{
	size_t n = size ? random_number(d) % (size + 1) : 0, i;

	for (i = 0; i < size; i++)
		p[i] = i < n ? (unsigned char)(' ' + random_number(d) % 95) : 0;
}

/* Offset and length of data in the tail, mostly within the record. */
static uint64_t location(struct differ *d, const struct tep_format_field *f, size_t need,
			 size_t size)
{
	uint64_t n = random_number(d);
	size_t at = need + n % 16 / 4 * 4, len = n >> 8 & 0x1f;

	if (at > size)
		at = size;
	if ((n >> 40 & 15) == 0)
		return n;
	if (len > size - at)
		len = size - at;
	if (n >> 44 & 1)
		len &= ~3UL;
	if (f->flags & TEP_FIELD_IS_RELATIVE)
		at -= (size_t)(f->offset + f->size);
	return (uint64_t)len << 16 | at;
}

static void put_field(struct differ *d, const struct tep_format_field *f, unsigned char *data,
		      size_t need, size_t size)
{
	size_t at = (size_t)f->offset, len = (size_t)f->size, each = f->elementsize, i;

	if (f->flags & TEP_FIELD_IS_DYNAMIC)
		put_number(d, data + at, len, location(d, f, need, size));
	else if (f->flags & TEP_FIELD_IS_STRING)
		put_text(d, data + at, len);
	else if (!(f->flags & TEP_FIELD_IS_ARRAY) && len <= 8)
		put_number(d, data + at, len, likely_number(d));
	else if (random_number(d) & 1)
		for (i = 0; each && each <= 8 && i + each <= len; i += each)
			put_number(d, data + at + i, each, likely_number(d));
}

/* The tail: text, an address of a socket, numbers. */
static void put_tail(struct differ *d, unsigned char *p, size_t size)
{
	uint64_t kind = random_number(d) % 4;
	size_t i;

	if (kind == 0)
		put_text(d, p, size);
	for (i = 0; kind == 1 && i + 4 <= size; i += 4)
		put_number(d, p + i, 4, likely_number(d));
	/* AF_INET and AF_INET6 */
	for (i = 0; kind == 2 && i + 4 <= size && i < 16; i += 4)
		put_number(d, p + i, 2, random_number(d) & 1 ? 2 : 10);
}

static size_t need_of(const struct tep_event *event)
{
	const struct tep_format_field *f;
	size_t need = 0;

	for (f = event->format.common_fields; f; f = f->next)
		if ((size_t)(f->offset + f->size) > need)
			need = (size_t)(f->offset + f->size);
	for (f = event->format.fields; f; f = f->next)
		if ((size_t)(f->offset + f->size) > need)
			need = (size_t)(f->offset + f->size);
	return need;
}

size_t differ_make(struct differ *d, struct tep_event *event, unsigned char *data, size_t *room)
{
	const size_t need = need_of(event);
	const uint64_t fill = random_number(d);
	const size_t size = need + fill % TAIL_MAX;
	const struct tep_format_field *f;
	size_t run = fill >> 24 & 7, i;

	if (need + TAIL_MAX + BEHIND > DIFFER_ROOM)
		return 0;
	*room = size + (fill >> 8) % (2 * BEHIND);
	*room = *room < DIFFER_ROOM ? *room : DIFFER_ROOM;
	for (i = 0; i < *room; i++)
		data[i] = fill >> 16 & 3 ? (unsigned char)random_number(d) :
					   (unsigned char)-(fill >> 18 & 1);
	put_tail(d, data + need, size - need);
	for (f = event->format.fields; f && run; f = f->next)
		put_field(d, f, data, need, size);
	/* Which event it is must stay true. */
	f = tep_find_common_field(event, "common_type");
	if (f)
		put_number(d, data + f->offset, (size_t)f->size, (uint64_t)event->id);
	return size;
}

void differ_random(struct differ *d, struct tep_event *event, const struct tfs_program *program,
		   unsigned int n)
{
	unsigned char data[DIFFER_ROOM];
	size_t size, room;

	for (; n; n--) {
		size = differ_make(d, event, data, &room);
		if (size)
			differ_record(d, event, program, data, size, room);
	}
}
