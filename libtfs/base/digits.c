/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/digits.h"

#include <string.h>

static const char pairs[200] = "00010203040506070809"
			       "10111213141516171819"
			       "20212223242526272829"
			       "30313233343536373839"
			       "40414243444546474849"
			       "50515253545556575859"
			       "60616263646566676869"
			       "70717273747576777879"
			       "80818283848586878889"
			       "90919293949596979899";

char *tfs_digits_dec(char *p, uint64_t n)
{
	char text[TFS_DIGITS_MAX], *q = text + sizeof(text);

	while (n >= 100) {
		q -= 2;
		memcpy(q, pairs + n % 100 * 2, 2);
		n /= 100;
	}
	if (n >= 10) {
		q -= 2;
		memcpy(q, pairs + n * 2, 2);
	} else {
		*--q = (char)('0' + n);
	}
	n = (uint64_t)(text + sizeof(text) - q);
	memcpy(p, q, n);
	return p + n;
}

char *tfs_digits_fixed(char *p, uint32_t n, unsigned int width)
{
	unsigned int left = width;

	for (; left > 1; left -= 2) {
		memcpy(p + left - 2, pairs + n % 100 * 2, 2);
		n /= 100;
	}
	if (left)
		*p = (char)('0' + n % 10);
	return p + width;
}

char *tfs_digits_sdec(char *p, int64_t n)
{
	if (n >= 0)
		return tfs_digits_dec(p, (uint64_t)n);
	*p++ = '-';
	return tfs_digits_dec(p, -(uint64_t)n);
}

char *tfs_digits_hex(char *p, uint64_t n, unsigned int width)
{
	unsigned int digits = n ? (63 - (unsigned int)__builtin_clzll(n)) / 4 + 1 : 1, i;

	for (; width > digits; width--)
		*p++ = '0';
	for (i = digits; i; i--, n >>= 4)
		p[i - 1] = "0123456789abcdef"[n & 15];
	return p + digits;
}
