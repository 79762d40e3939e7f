/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/spec.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "printfmt/program-internal.h"

static const char *read_number(const char *s, const char *end, unsigned int *n)
{
	for (*n = 0; s < end && isdigit((unsigned char)*s); s++)
		*n = *n < UINT16_MAX / 10 ? *n * 10 + (unsigned int)(*s - '0') : UINT16_MAX;
	return s;
}

const char *tfs_spec_style(const char *s, const char *end, struct tfs_op *op)
{
	static const char marks[] = "-0+# ";
	static const uint16_t styles[] = { TFS_STYLE_LEFT, TFS_STYLE_ZERO, TFS_STYLE_PLUS,
					   TFS_STYLE_ALT, TFS_STYLE_SPACE };
	unsigned int width = 0, prec;

	op->style = TFS_STYLE_KERNEL;
	op->prec = -1;
	for (; s < end && *s && strchr(marks, *s); s++)
		op->style |= styles[strchr(marks, *s) - marks];
	if (s < end && *s == '*') {
		op->style |= TFS_STYLE_STAR_WIDTH;
		s++;
	} else {
		s = read_number(s, end, &width);
	}
	op->width = (uint16_t)width;
	if (s >= end || *s != '.')
		return s;
	s++;
	if (s < end && *s == '*') {
		op->style |= TFS_STYLE_STAR_PREC;
		return s + 1;
	}
	s = read_number(s, end, &prec);
	op->prec = (int16_t)(prec > TFS_COLUMN_MAX ? TFS_COLUMN_MAX : prec);
	return s;
}

const char *tfs_spec_size(const char *s, const char *end, unsigned int long_size,
			  unsigned int *size)
{
	unsigned int halves = 0, longs = 0;

	*size = 4;
	for (; s < end && *s && strchr("hlLzZt", *s); s++) {
		if (*s == 'h')
			halves++;
		else
			longs += *s == 'L' ? 2 : 1;
	}
	if (halves)
		*size = halves > 1 ? 1 : 2;
	else if (longs)
		*size = longs > 1 ? 8 : long_size;
	return s;
}

void tfs_spec_number(char kind, struct tfs_op *op)
{
	op->kind = kind == 'o' ? 8 : kind == 'x' || kind == 'X' ? 16 : 10;
	if (kind == 'd' || kind == 'i')
		op->style |= TFS_STYLE_SIGNED;
	if (kind == 'X')
		op->style |= TFS_STYLE_UPPER;
}
