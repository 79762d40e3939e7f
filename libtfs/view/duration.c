/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/duration.h"

#include <stddef.h>
#include <string.h>

#include "base/digits.h"
#include "base/macros.h"
#include "base/strbuf-core.h"

/* Digits of a duration with its point up to which the column keeps its width */
#define WIDTH 7

char tfs_duration_mark(uint64_t ns)
{
	static const struct {
		uint64_t above;
		char mark;
	} marks[] = { { 1000000000, '$' }, { 100000000, '@' }, { 10000000, '*' },
		      { 1000000, '#' },    { 100000, '!' },    { 10000, '+' } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(marks) && ns <= marks[i].above; i++)
		;
	return i < ARRAY_SIZE(marks) ? marks[i].mark : ' ';
}

int tfs_duration_put(struct tfs_strbuf *out, uint64_t ns)
{
	char buf[64], digits[3], *p = buf, *start;
	size_t width, n;

	*p++ = tfs_duration_mark(ns);
	*p++ = ' ';
	start = p;
	p = tfs_digits_dec(p, ns / 1000);
	width = (size_t)(p - start);
	if (width < WIDTH) {
		tfs_digits_fixed(digits, (uint32_t)(ns % 1000), 3);
		n = WIDTH - width < 3 ? WIDTH - width : 3;
		*p++ = '.';
		memcpy(p, digits, n);
		p += n;
		width += 1 + n;
	}
	memcpy(p, " us ", 4);
	p += 4;
	for (; width <= WIDTH; width++)
		*p++ = ' ';
	return tfs_strbuf_add(out, buf, (size_t)(p - buf));
}
