/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/program-internal.h"

#include <string.h>

#include "base/strbuf.h"

char *tfs_run_cut(struct tfs_run *r, const char *q)
{
	r->out->len = (size_t)(q - r->out->s);
	r->rc = 0;
	return NULL;
}

void tfs_run_set_end(struct tfs_run *r, char *start)
{
	size_t room = (size_t)(r->out->s + r->out->cap - 1 - start);

	r->end = start + (room < TFS_TEXT_MAX ? room : TFS_TEXT_MAX);
}

char *tfs_run_room(struct tfs_run *r, char *q, size_t n)
{
	struct tfs_strbuf *out = r->out;

	n += r->program->bound;
	if (r->end - q >= (ptrdiff_t)n)
		return q;
	if ((size_t)(q - out->s) - r->start > TFS_TEXT_MAX)
		return tfs_run_cut(r, q);
	/* The written text counts as contents, so that it moves along. */
	out->len = (size_t)(q - out->s);
	r->rc = tfs_strbuf_grow(out, n);
	if (r->rc)
		return NULL;
	r->rc = 1;
	tfs_run_set_end(r, out->s + r->start);
	return out->s + out->len;
}

uint64_t tfs_run_load(const struct tfs_run *r, size_t at, unsigned int size)
{
	bool swap = r->program->env->big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	uint16_t v2;
	uint32_t v4;
	uint64_t v8;

	switch (size) {
	case 1:
		return r->data[at];
	case 2:
		memcpy(&v2, r->data + at, 2);
		return swap ? __builtin_bswap16(v2) : v2;
	case 4:
		memcpy(&v4, r->data + at, 4);
		return swap ? __builtin_bswap32(v4) : v4;
	default:
		memcpy(&v8, r->data + at, 8);
		return swap ? __builtin_bswap64(v8) : v8;
	}
}

bool tfs_run_dynamic(const struct tfs_run *r, const struct tfs_op *op, size_t *at, size_t *len)
{
	uint32_t loc = (uint32_t)tfs_run_load(r, op->off, 4);

	*at = (loc & 0xffff) + (op->style & TFS_STYLE_RELATIVE ? op->off + 4 : 0);
	*len = loc >> 16;
	return *at <= r->size && *len <= r->size - *at;
}

const unsigned char *tfs_run_array(const struct tfs_run *r, const struct tfs_op *op, uint64_t n,
				   size_t size)
{
	size_t at = op->off, len;

	if (op->style & TFS_STYLE_DYNAMIC && !tfs_run_dynamic(r, op, &at, &len))
		return NULL;
	if (at > r->size || n > (r->size - at) / size)
		return NULL;
	return r->data + at;
}
