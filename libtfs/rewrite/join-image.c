/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rewrite/join-image.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strmap.h"
#include "format/event-format.h"
#include "rewrite/image.h"
#include "rewrite/join.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-host.h"
#include "tracedat/dat-read.h"

#define OPTIONS_MAX 16384u
#define MARK_SIZE 4 /* of private options */

/* Two recordings that are joined, for messages */
struct pair {
	struct tfs_image *image;
	const struct tfs_image *more;
	const char *first, *path;
	struct tfs_err *err;
};

static int no_memory(const struct pair *p)
{
	return tfs_err_set(p->err, -ENOMEM, "cannot join '%s'", p->path);
}

static int differ(const struct pair *p, const char *what)
{
	tfs_err_say(p->err, -EINVAL, "'%s' and '%s' cannot be joined: %s", p->first, p->path, what);
	tfs_err_hint(p->err,
		     "recordings of one machine, boot and clock can; tc-report -i %s -i %s "
		     "shows others together",
		     p->first, p->path);
	return -EINVAL;
}

static const struct tfs_image_option *find_option(const struct tfs_image *image, uint16_t id)
{
	for (size_t i = image->n_options; i--;)
		if (image->options[i].id == id)
			return &image->options[i];
	return NULL;
}

static bool is_same(const struct tfs_strbuf *a, const struct tfs_strbuf *b)
{
	return a->len == b->len && !memcmp(a->s, b->s, a->len);
}

/* Options that all recordings have alike, or have not */
static int check_common(const struct pair *p)
{
	static const struct {
		uint16_t id;
		const char *what;
	} common[] = {
		{ TFS_DAT_UNAME, "they were made on different machines or kernels" },
		{ TFS_DAT_TRACECLOCK, "their clocks are different" },
		{ TFS_DAT_OFFSET, "their time stamps have different offsets (option OFFSET)" },
		{ TFS_DAT_TSC2NSEC, "their time is scaled differently (option TSC2NSEC)" },
		{ TFS_DAT_TIME_SHIFT, "their time is shifted differently (option TIME_SHIFT)" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(common); i++) {
		const struct tfs_image_option *a = find_option(p->image, common[i].id);
		const struct tfs_image_option *b = find_option(p->more, common[i].id);

		if (!a != !b || (a && !is_same(&a->data, &b->data)))
			return differ(p, common[i].what);
	}
	return 0;
}

/* The line of the kernel's first symbol: another address is that of another boot. */
static bool find_start(const struct tfs_image *image, const char **line, size_t *len)
{
	const char *text = image->blob[TFS_DAT_BLOB_KALLSYMS].s;
	const char *found = strstr(text, " T _stext\n");

	if (!found)
		found = strstr(text, " T _text\n");
	if (!found)
		return false;
	for (*line = found; *line > text && (*line)[-1] != '\n'; (*line)--)
		;
	*len = (size_t)(found - *line);
	return true;
}

/* Addresses prove nothing where they are hidden or not random. */
static bool is_other_boot(const struct tfs_dat *first, const struct tfs_dat *dat)
{
	char a[TFS_DAT_BOOT_SIZE], b[TFS_DAT_BOOT_SIZE];

	return tfs_dat_boot(first, a) && tfs_dat_boot(dat, b) && strcmp(a, b) != 0;
}

static int check_machine(const struct pair *p)
{
	const struct tfs_image *a = p->image, *b = p->more;
	const char *x, *y;
	size_t m, n;

	if (a->big != b->big || a->kernel_long_size != b->kernel_long_size ||
	    a->page_data_offset != b->page_data_offset)
		return differ(p, "they were made on different architectures");
	if (find_start(a, &x, &m) && find_start(b, &y, &n) && (m != n || memcmp(x, y, n) != 0))
		return differ(p, "the kernel was booted in between");
	return check_common(p);
}

/* --- texts of lines */

static int add_line(struct tfs_strmap *seen, struct tfs_strbuf *sb, const char *line, size_t key,
		    size_t len)
{
	char *text = strndup(line, key);
	size_t *known = text ? tfs_strmap_at(seen, text) : NULL;
	int rc = known ? 0 : -ENOMEM;

	if (!rc && !*known && sb)
		rc = tfs_strbuf_add(sb, line, len);
	if (!rc)
		*known = 1;
	free(text);
	return rc;
}

/* Each line of @text that is not @seen goes to @sb (NULL: none). @by_pid: lines "PID NAME" */
static int add_lines(struct tfs_strmap *seen, struct tfs_strbuf *sb, const struct tfs_strbuf *text,
		     bool by_pid)
{
	const char *line = text->s, *end = text->s + text->len;
	int rc = 0;

	while (line < end && !rc) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));
		const size_t len = stop ? (size_t)(stop + 1 - line) : (size_t)(end - line);
		size_t key = len;

		if (by_pid) {
			const char *blank = memchr(line, ' ', len);

			key = blank ? (size_t)(blank - line) : len;
		}
		rc = add_line(seen, sb, line, key, len);
		line += len;
	}
	return rc;
}

static int join_text(const struct pair *p, enum tfs_dat_blob id)
{
	struct tfs_strbuf *to = &p->image->blob[id];
	const struct tfs_strbuf *from = &p->more->blob[id];
	struct tfs_strmap seen = { 0 };
	int rc = 0;

	if (!from->len || is_same(to, from))
		return 0;
	if (to->len && to->s[to->len - 1] != '\n')
		rc = tfs_strbuf_addc(to, '\n');
	if (!rc)
		rc = add_lines(&seen, NULL, to, id == TFS_DAT_BLOB_CMDLINES);
	if (!rc)
		rc = add_lines(&seen, to, from, id == TFS_DAT_BLOB_CMDLINES);
	tfs_strmap_release(&seen);
	return rc ? no_memory(p) : 0;
}

/* --- formats */

static bool is_same_format(const struct tfs_image_format *a, const struct tfs_image_format *b)
{
	return !strcmp(a->system, b->system) && is_same(&a->text, &b->text);
}

/* The digits after "ID:" and the space after it; they end at @end */
static const char *find_id(const struct tfs_image_format *f, const struct tfs_event_format *parsed,
			   const char **end)
{
	const char *stop = f->text.s + f->text.len;
	const char *p = memchr(parsed->name, ':', (size_t)(stop - parsed->name));

	if (!p)
		return NULL;
	for (p++; p < stop && *p == ' '; p++)
		;
	for (*end = p; *end < stop && **end >= '0' && **end <= '9'; (*end)++)
		;
	return *end > p ? p : NULL;
}

/* Does everything but the number agree? */
static bool is_renumbered(const struct tfs_image_format *a, const struct tfs_event_format *x,
			  const struct tfs_image_format *b, const struct tfs_event_format *y)
{
	const char *p, *q, *p_end, *q_end;
	size_t rest;

	if (strcmp(a->system, b->system) != 0 || x->name_len != y->name_len ||
	    memcmp(x->name, y->name, x->name_len) != 0)
		return false;
	p = find_id(a, x, &p_end);
	q = find_id(b, y, &q_end);
	if (!p || !q)
		return false;
	rest = a->text.len - (size_t)(p_end - a->text.s);
	return rest == b->text.len - (size_t)(q_end - b->text.s) && !memcmp(p_end, q_end, rest);
}

/* Numbers of events that either recording has: bits */
static void mark_ids(const struct tfs_image *image, unsigned char *used)
{
	struct tfs_event_format parsed;

	for (size_t i = 0; i < image->n_formats; i++)
		if (!tfs_event_format_parse(image->formats[i].text.s, image->formats[i].text.len,
					    &parsed))
			used[parsed.id / 8] |= (unsigned char)(1u << parsed.id % 8);
}

/* A number that no event of the two has, counted down from the largest; -1: all are taken */
static int find_free(const struct pair *p)
{
	unsigned char used[(TFS_EVENT_ID_MAX + 1) / 8] = { 0 };
	int id = TFS_EVENT_ID_MAX;

	mark_ids(p->image, used);
	mark_ids(p->more, used);
	while (id > 0 && used[id / 8] & 1u << id % 8)
		id--;
	return id ? id : -1;
}

static int map_id(struct tfs_join_ids *ids, int from, int to)
{
	if (!ids->to) {
		ids->to = malloc((TFS_EVENT_ID_MAX + 1) * sizeof(*ids->to));
		for (unsigned int i = 0; ids->to && i <= TFS_EVENT_ID_MAX; i++)
			ids->to[i] = (uint16_t)i;
	}
	if (!ids->to)
		return -ENOMEM;
	ids->to[from] = (uint16_t)to;
	return 0;
}

/* Its event gets another number. */
static int add_renumbered(const struct pair *p, const struct tfs_image_format *f, size_t group,
			  const struct tfs_event_format *parsed, struct tfs_join_ids *ids)
{
	const int id = find_free(p);
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	const char *digits, *end;
	struct tfs_blob blob;
	int rc = -ENOMEM;

	digits = find_id(f, parsed, &end);
	if (id < 0 || !digits)
		return differ(p, "they have more events than numbers for them");
	if (!tfs_strbuf_add(&text, f->text.s, (size_t)(digits - f->text.s)) &&
	    !tfs_strbuf_addf(&text, "%d", id) &&
	    !tfs_strbuf_add(&text, end, f->text.len - (size_t)(end - f->text.s))) {
		blob = (struct tfs_blob){ text.s, text.len };
		rc = tfs_image_add_format(p->image, f->system, group, &blob);
	}
	if (!rc)
		rc = map_id(ids, parsed->id, id);
	tfs_strbuf_release(&text);
	return rc ? no_memory(p) : 0;
}

/* A format that the first recording has not: its event may be there by another number. */
static int join_format(const struct pair *p, const struct tfs_image_format *f, size_t group,
		       struct tfs_join_ids *ids)
{
	const struct tfs_blob text = { f->text.s, f->text.len };
	struct tfs_event_format mine, other;
	bool taken = false;

	if (tfs_event_format_parse(f->text.s, f->text.len, &mine))
		return tfs_image_add_format(p->image, f->system, group, &text) ? no_memory(p) : 0;
	for (size_t i = 0; i < p->image->n_formats; i++) {
		const struct tfs_image_format *g = &p->image->formats[i];

		if (tfs_event_format_parse(g->text.s, g->text.len, &other))
			continue;
		if (is_renumbered(f, &mine, g, &other))
			return map_id(ids, mine.id, other.id) ? no_memory(p) : 0;
		taken |= other.id == mine.id;
	}
	if (taken)
		return add_renumbered(p, f, group, &mine, ids);
	return tfs_image_add_format(p->image, f->system, group, &text) ? no_memory(p) : 0;
}

/* Mostly format @n of the other recording is that of the first. */
static bool is_known_format(const struct pair *p, size_t n)
{
	const struct tfs_image_format *f = &p->more->formats[n];

	if (n < p->image->n_formats && is_same_format(f, &p->image->formats[n]))
		return true;
	for (size_t i = 0; i < p->image->n_formats; i++)
		if (is_same_format(f, &p->image->formats[i]))
			return true;
	return false;
}

/* Those that are new go to the end, as further systems. */
static int join_formats(const struct pair *p, struct tfs_join_ids *ids)
{
	size_t group = 0;
	int rc = 0;

	if (p->image->n_formats)
		group = p->image->formats[p->image->n_formats - 1].group + 1;
	for (size_t i = 0; i < p->more->n_formats && !rc; i++)
		if (!is_known_format(p, i))
			rc = join_format(p, &p->more->formats[i], group + p->more->formats[i].group,
					 ids);
	return rc;
}

/* --- options */

enum joined { ONCE, EACH, TOGETHER, FIRST };

/* For an option that both have, with different contents */
static enum joined how(uint16_t id)
{
	switch (id) {
	case TFS_DAT_CPUSTAT:
	case TFS_DAT_HOOK:
	case TFS_DAT_PROCMAPS:
	case TFS_DAT_GUEST:
	case TFS_DAT_PRIVATE_CLOCKS:
		return EACH;
	case TFS_DAT_PRIVATE_CONSTANTS:
	case TFS_DAT_PRIVATE_VALUES:
	case TFS_DAT_PRIVATE_RECORDER:
		return TOGETHER;
	case TFS_DAT_PRIVATE_LOST: /* added up by tfs_join() */
		return ONCE;
	default:
		return id >= TFS_DAT_PRIVATE ? FIRST : ONCE;
	}
}

static bool has_option(const struct tfs_image *image, const struct tfs_image_option *o)
{
	for (size_t i = 0; i < image->n_options; i++)
		if (image->options[i].id == o->id && is_same(&image->options[i].data, &o->data))
			return true;
	return false;
}

/* Entries after the mark; of one byte order only */
static int append_entries(struct tfs_image_option *to, const struct tfs_image_option *o)
{
	if (to->data.len < MARK_SIZE || o->data.len < MARK_SIZE ||
	    memcmp(to->data.s, o->data.s, MARK_SIZE) != 0)
		return 0;
	return tfs_strbuf_add(&to->data, o->data.s + MARK_SIZE, o->data.len - MARK_SIZE);
}

static int join_option(const struct pair *p, const struct tfs_image_option *o, bool *left_out)
{
	const struct tfs_image_option *old = find_option(p->image, o->id);

	if (has_option(p->image, o))
		return 0;
	if (!old || how(o->id) == EACH)
		return tfs_image_add_option(p->image, o->id, o->data.s, o->data.len);
	if (how(o->id) == TOGETHER)
		return append_entries((struct tfs_image_option *)old, o);
	if (how(o->id) == FIRST && o->id != TFS_DAT_PRIVATE_SEGMENTS)
		*left_out = true;
	return 0;
}

static int join_options(const struct pair *p, struct tfs_join_notes *notes)
{
	bool left_out = false;
	int rc = 0;

	if (p->image->n_options + p->more->n_options > OPTIONS_MAX)
		return differ(p, "they have more options than any recorder writes");

	for (size_t i = 0; i < p->more->n_options && !rc; i++)
		rc = join_option(p, &p->more->options[i], &left_out);
	notes->symbols += left_out;
	return rc ? no_memory(p) : 0;
}

/* --- buffers */

static int join_buffers(const struct pair *p, const struct tfs_dat *dat)
{
	for (size_t i = 0; i < p->more->n_buffers; i++) {
		const struct tfs_image_buffer *b = &p->more->buffers[i];
		size_t k = 0;

		while (k < p->image->n_buffers && strcmp(p->image->buffers[k].name, b->name) != 0)
			k++;
		if (k == p->image->n_buffers) {
			if (tfs_image_add_buffer(p->image, tfs_dat_buffer(dat, i)))
				return no_memory(p);
		} else if (p->image->buffers[k].page_size != b->page_size) {
			return differ(p, "their sub-buffers have different sizes");
		}
	}
	if (p->more->cpus > p->image->cpus)
		p->image->cpus = p->more->cpus;
	return 0;
}

int tfs_join_image(struct tfs_image *image, const struct tfs_dat *first,
		   const struct tfs_join_more *more, struct tfs_join_notes *notes,
		   struct tfs_err *err)
{
	const struct pair p = { image, more->image, tfs_dat_path(first), tfs_dat_path(more->dat),
				err };
	int rc = check_machine(&p);

	if (!rc && is_other_boot(first, more->dat))
		rc = differ(&p, "the kernel was booted in between");
	if (!rc)
		rc = join_formats(&p, more->ids);
	if (!rc)
		rc = join_text(&p, TFS_DAT_BLOB_KALLSYMS);
	if (!rc)
		rc = join_text(&p, TFS_DAT_BLOB_PRINTK);
	if (!rc)
		rc = join_text(&p, TFS_DAT_BLOB_CMDLINES);
	if (!rc)
		rc = join_options(&p, notes);
	return rc ? rc : join_buffers(&p, more->dat);
}
