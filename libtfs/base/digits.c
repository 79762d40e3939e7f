/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/digits.h"

#include <string.h>

const char tfs_digits_pairs[200] = "00010203040506070809"
				   "10111213141516171819"
				   "20212223242526272829"
				   "30313233343536373839"
				   "40414243444546474849"
				   "50515253545556575859"
				   "60616263646566676869"
				   "70717273747576777879"
				   "80818283848586878889"
				   "90919293949596979899";

static const uint64_t powers[20] = {
	0,
	10ULL,
	100ULL,
	1000ULL,
	10000ULL,
	100000ULL,
	1000000ULL,
	10000000ULL,
	100000000ULL,
	1000000000ULL,
	10000000000ULL,
	100000000000ULL,
	1000000000000ULL,
	10000000000000ULL,
	100000000000000ULL,
	1000000000000000ULL,
	10000000000000000ULL,
	100000000000000000ULL,
	1000000000000000000ULL,
	10000000000000000000ULL,
};

static unsigned int bits(uint64_t n)
{
	return 64 - (unsigned int)__builtin_clzll(n | 1);
}

/* Decimal digits: those that so many bits have at most, or one less. 1233/4096 is log10(2). */
static unsigned int count(uint64_t n)
{
	unsigned int most = bits(n) * 1233 >> 12;

	return most + (n >= powers[most]);
}

static char *put_small(char *end, uint32_t n)
{
	while (n >= 100) {
		end -= 2;
		memcpy(end, tfs_digits_pairs + n % 100 * 2, 2);
		n /= 100;
	}
	if (n >= 10)
		memcpy(end - 2, tfs_digits_pairs + n * 2, 2);
	else
		end[-1] = (char)('0' + n);
	return end;
}

char *tfs_digits_dec(char *p, uint64_t n)
{
	char *end = p + count(n), *q = end;

	for (; n > UINT32_MAX; n /= 100) {
		q -= 2;
		memcpy(q, tfs_digits_pairs + n % 100 * 2, 2);
	}
	put_small(q, (uint32_t)n);
	return end;
}

char *tfs_digits_fixed(char *p, uint32_t n, unsigned int width)
{
	unsigned int left = width;

	for (; left > 1; left -= 2) {
		memcpy(p + left - 2, tfs_digits_pairs + n % 100 * 2, 2);
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
	unsigned int digits = (bits(n) + 3) / 4;
	char text[16];

	if (width > digits)
		digits = width;
	for (; digits > 16; digits--)
		*p++ = '0';
	tfs_digits_sixteen(text, n);
	memcpy(p, text + 16 - digits, digits);
	return p + digits;
}
