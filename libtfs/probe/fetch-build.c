/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/fetch-build.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "probe/fetch-type.h"
#include "probe/var-internal.h"

int tfs_fetch_deref(struct tfs_fetch *fetch, int64_t off, struct tfs_refusing *r)
{
	/* The kernel keeps offsets in an int and cuts longer ones without a word. */
	if (off > INT32_MAX || off < INT32_MIN)
		return tfs_var_refuse(r, TFS_REFUSAL_RANGE,
				      "offset %" PRId64 " is more than the kernel keeps", off);
	if (fetch->n_deref == TFS_FETCH_DEREF_MAX)
		return tfs_var_refuse(r, TFS_REFUSAL_DEEP,
				      "more dereferences than the kernel allows (%d)",
				      TFS_FETCH_DEREF_MAX);
	fetch->offset[fetch->n_deref++] = off;
	return 0;
}

int tfs_fetch_set_type(struct tfs_fetch *fetch, struct tfs_refusing *r, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(fetch->type, sizeof(fetch->type), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(fetch->type))
		return tfs_var_refuse(r, TFS_REFUSAL_TYPE, "the type after ':' is too long");
	return 0;
}

const char *tfs_var_letter(const struct tfs_var_opts *opts, bool is_signed)
{
	if (tfs_fetch_type_is_letter(opts->cast))
		return opts->cast;
	return is_signed ? "s" : opts->no_x_types ? "u" : "x";
}

int tfs_fetch_set_bits(struct tfs_fetch *fetch, const struct tfs_var_opts *opts,
		       const struct tfs_container *word, unsigned int bits, bool is_signed,
		       struct tfs_refusing *r)
{
	fetch->is_signed = *tfs_var_letter(opts, is_signed) == 's';
	if (fetch->is_signed && !opts->no_means)
		fetch->means.bits = bits;
	return tfs_fetch_set_type(fetch, r, "b%u@%u/%u", bits, word->shift, word->size);
}

int tfs_fetch_container(uint64_t at, unsigned int bits, bool big, struct tfs_container *out,
			struct tfs_refusing *r)
{
	uint64_t byte = at / 8;
	unsigned int c, off;

	for (c = 8; c <= 64; c *= 2) {
		if (at / c == (at + bits - 1) / c) {
			byte = at / c * (c / 8);
			break;
		}
	}
	for (c = c > 64 ? 8 : c; c <= 64 && at - byte * 8 + bits > c;)
		c *= 2;
	if (c > 64)
		return tfs_var_refuse(r, TFS_REFUSAL_BITFIELD,
				      "its bits straddle nine bytes: the kernel reads 8 at most");
	off = (unsigned int)(at - byte * 8);
	*out = (struct tfs_container){ byte, c, big ? c - off - bits : off };
	return 0;
}
