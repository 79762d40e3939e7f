/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chart/page.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/gzip.h"
#include "base/out.h"
#include "base/strbuf-core.h"

struct tfs_page {
	struct tfs_out *out;
	const struct tfs_page_source *source;
	struct tfs_gzipper *gzip;
	struct tfs_strbuf packed; /* a block, compressed */
	unsigned char *planes;    /* a block, split into planes */
	struct tfs_column *open;  /* of tfs_page_open() */
	size_t bytes;             /* of base64, of all columns */
};

struct tfs_column {
	struct tfs_page *page;
	char *name;
	unsigned char *block; /* elements as they came */
	size_t used;          /* bytes of it */
	unsigned int width;   /* of an element */
	unsigned int blocks;  /* written */
};

/* Text between tags, or of JSON: no '<' is left that could begin one. */
static void put_escaped(struct tfs_out *out, const char *s, const char *amp, const char *lt)
{
	size_t n;

	for (; *s; s++) {
		n = strcspn(s, "&<");
		tfs_out_write(out, s, n);
		s += n;
		if (!*s)
			break;
		tfs_out_puts(out, *s == '<' ? lt : amp);
	}
}

int tfs_page_begin(struct tfs_out *out, const struct tfs_page_source *source, const char *title,
		   const char *meta, struct tfs_page **page)
{
	struct tfs_page *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	tfs_strbuf_init(&p->packed);
	p->out = out;
	p->source = source;
	p->gzip = tfs_gzipper_new(TFS_GZIP_LEVEL);
	p->planes = malloc(TFS_PAGE_BLOCK);
	if (!p->gzip || !p->planes) {
		tfs_page_free(p);
		return -ENOMEM;
	}
	tfs_out_write(out, source->part[0], source->len[0]);
	put_escaped(out, title, "&amp;", "&lt;");
	tfs_out_write(out, source->part[1], source->len[1]);
	put_escaped(out, meta, "\\u0026", "\\u003c");
	tfs_out_write(out, source->part[2], source->len[2]);
	*page = p;
	return 0;
}

static void put_base64(struct tfs_page *p, const unsigned char *s, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char text[4096];
	size_t at = 0, i;
	uint32_t v;

	for (i = 0; i < n; i += 3) {
		v = (uint32_t)s[i] << 16;
		v |= i + 1 < n ? (uint32_t)s[i + 1] << 8 : 0;
		v |= i + 2 < n ? s[i + 2] : 0;
		text[at++] = digits[v >> 18];
		text[at++] = digits[v >> 12 & 63];
		text[at++] = i + 1 < n ? digits[v >> 6 & 63] : '=';
		text[at++] = i + 2 < n ? digits[v & 63] : '=';
		if (at == sizeof(text)) {
			tfs_out_write(p->out, text, at);
			p->bytes += at;
			at = 0;
		}
	}
	tfs_out_write(p->out, text, at);
	p->bytes += at;
}

/* All first bytes of the elements, then all second bytes: neighbours are alike then. */
static const unsigned char *split(const struct tfs_column *c)
{
	size_t n = c->used / c->width, i;
	unsigned char *to = c->page->planes;
	const unsigned char *from;
	unsigned int byte;

	if (c->width == 1)
		return c->block;
	for (byte = 0; byte < c->width; byte++)
		for (i = 0, from = c->block + byte; i < n; i++, from += c->width)
			*to++ = *from;
	return c->page->planes;
}

static int put_block(struct tfs_column *c)
{
	struct tfs_page *p = c->page;
	int rc;

	tfs_strbuf_reset(&p->packed);
	rc = tfs_gzip(p->gzip, split(c), c->used, &p->packed);
	if (rc)
		return rc;
	tfs_out_printf(p->out,
		       "<script type=\"application/x-tc\" id=\"col-%s.%u\" data-n=\"%zu\" "
		       "data-w=\"%u\">",
		       c->name, c->blocks, c->used / c->width, c->width);
	put_base64(p, (const unsigned char *)p->packed.s, p->packed.len);
	c->blocks++;
	c->used = 0;
	return tfs_out_puts(p->out, "</script>\n");
}

static void free_column(struct tfs_column *c)
{
	free(c->name);
	free(c->block);
	free(c);
}

int tfs_column_open(struct tfs_page *page, const char *name, unsigned int width,
		    struct tfs_column **column)
{
	struct tfs_column *c = width ? calloc(1, sizeof(*c)) : NULL;

	if (!c)
		return width ? -ENOMEM : -EINVAL;
	c->page = page;
	c->width = width;
	c->name = strdup(name);
	c->block = malloc(TFS_PAGE_BLOCK);
	if (!c->name || !c->block) {
		free_column(c);
		return -ENOMEM;
	}
	*column = c;
	return 0;
}

int tfs_column_add(struct tfs_column *column, const void *data, size_t n)
{
	const unsigned char *from = data;
	size_t left = n * column->width, part;
	int rc = 0;

	while (left && !rc) {
		part = TFS_PAGE_BLOCK - column->used;
		if (part > left)
			part = left;
		memcpy(column->block + column->used, from, part);
		column->used += part;
		from += part;
		left -= part;
		if (column->used == TFS_PAGE_BLOCK)
			rc = put_block(column);
	}
	return rc;
}

int tfs_column_close(struct tfs_column *column)
{
	int rc = 0;

	if (!column)
		return 0;
	if (column->used || !column->blocks)
		rc = put_block(column);
	free_column(column);
	return rc;
}

int tfs_page_open(struct tfs_page *page, const char *name, unsigned int width)
{
	return tfs_column_open(page, name, width, &page->open);
}

int tfs_page_add(struct tfs_page *page, const void *data, size_t n)
{
	return tfs_column_add(page->open, data, n);
}

int tfs_page_close(struct tfs_page *page)
{
	struct tfs_column *column = page->open;

	page->open = NULL;
	return tfs_column_close(column);
}

int tfs_page_column(struct tfs_page *page, const char *name, unsigned int width, const void *data,
		    size_t n)
{
	struct tfs_column *column = NULL;
	int rc = tfs_column_open(page, name, width, &column), end;

	if (!rc)
		rc = tfs_column_add(column, data, n);
	end = tfs_column_close(column);
	return rc ? rc : end;
}

size_t tfs_page_bytes(const struct tfs_page *page)
{
	return page->bytes;
}

int tfs_page_end(struct tfs_page *page)
{
	return tfs_out_write(page->out, page->source->part[3], page->source->len[3]);
}

void tfs_page_free(struct tfs_page *page)
{
	if (!page)
		return;
	if (page->open)
		free_column(page->open);
	tfs_gzipper_free(page->gzip);
	tfs_strbuf_release(&page->packed);
	free(page->planes);
	free(page);
}
