/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_DIGITS_H
#define TFS_BASE_DIGITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __x86_64__
#include <emmintrin.h>
#endif

/*
 * Numbers as text without printf, for what runs for every record. Each function writes at @p, which
 * has room, and returns the byte after the text; nothing is terminated. Pure.
 */

/** TFS_DIGITS_MAX - bytes that any of these writes at most, unless a width asks for more */
#define TFS_DIGITS_MAX 20

/** tfs_digits_dec() - as "%llu" */
char *tfs_digits_dec(char *p, uint64_t n);
/** tfs_digits_fixed() - exactly @width digits, zeros in front; @n has no more than these */
char *tfs_digits_fixed(char *p, uint32_t n, unsigned int width);
/** tfs_digits_pairs - the two digits of each number below 100, in sequence */
extern const char tfs_digits_pairs[200];
/** tfs_digits_six() - six of @n below 1000000: divisions that do not wait for each other */
static inline char *tfs_digits_six(char *p, uint32_t n)
{
	uint32_t high = n / 10000, middle = n / 100;

	memcpy(p, tfs_digits_pairs + 2 * high, 2);
	memcpy(p + 2, tfs_digits_pairs + 2 * (middle - 100 * high), 2);
	memcpy(p + 4, tfs_digits_pairs + 2 * (n - 100 * middle), 2);
	return p + 6;
}
/** tfs_digits_sdec() - as "%lld" */
char *tfs_digits_sdec(char *p, int64_t n);
/** tfs_digits_hex() - as "%0*llx": at least @width digits, zeros in front */
char *tfs_digits_hex(char *p, uint64_t n, unsigned int width);
/** tfs_digits_eight() - all eight digits of a hexadecimal number */
static inline void tfs_digits_eight(char *p, uint32_t n)
{
	uint64_t x = n;

	/* The highest first in memory: every half byte in a byte of its own, all at once. */
	x = (x << 16 | x) & 0x0000ffff0000ffff;
	x = (x << 8 | x) & 0x00ff00ff00ff00ff;
	x = (x << 4 | x) & 0x0f0f0f0f0f0f0f0f;
	/* 6 carries into the upper half from 10 on: those become letters. */
	x += 0x3030303030303030 +
	     ((x + 0x0606060606060606) >> 4 & 0x0101010101010101) * ('a' - '0' - 10);
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		x = __builtin_bswap64(x);
	memcpy(p, &x, sizeof(x));
}
/**
 * tfs_digits_read_eight() - the number that eight lower-case hexadecimal digits are
 *
 * Return: false when @p has another character among them; then *@n is of no use.
 */
static inline bool tfs_digits_read_eight(const char *p, uint32_t *n)
{
	uint64_t text, x;
	char again[8];

	memcpy(&text, p, sizeof(text));
	x = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_bswap64(text) : text;
	/* A letter's low half is 9 less than what it stands for. */
	x = (x & 0x0f0f0f0f0f0f0f0f) + (x >> 6 & 0x0101010101010101) * 9;
	x = (x | x >> 4) & 0x00ff00ff00ff00ff;
	x = (x | x >> 8) & 0x0000ffff0000ffff;
	*n = (uint32_t)(x | x >> 16);
	tfs_digits_eight(again, *n);
	return !memcmp(again, p, sizeof(again));
}
/** tfs_digits_sixteen() - all sixteen digits of a hexadecimal number */
static inline void tfs_digits_sixteen(char *p, uint64_t n)
{
#ifdef __x86_64__
	const __m128i low = _mm_set1_epi8(0x0f);
	__m128i x = _mm_cvtsi64_si128((long long)__builtin_bswap64(n));

	/* Every half byte in a byte of its own, the upper one first; letters are 39 after '9'. */
	x = _mm_unpacklo_epi8(_mm_and_si128(_mm_srli_epi16(x, 4), low), _mm_and_si128(x, low));
	x = _mm_add_epi8(_mm_add_epi8(x, _mm_set1_epi8('0')),
			 _mm_and_si128(_mm_cmpgt_epi8(x, _mm_set1_epi8(9)),
				       _mm_set1_epi8('a' - '0' - 10)));
	_mm_storeu_si128((__m128i *)(void *)p, x);
#else
	tfs_digits_eight(p, (uint32_t)(n >> 32));
	tfs_digits_eight(p + 8, (uint32_t)n);
#endif
}
/** tfs_digits_hex_roomy() - tfs_digits_hex(), @width 16 at most; may change 16 bytes: fast */
static inline char *tfs_digits_hex_roomy(char *p, uint64_t n, unsigned int width)
{
	unsigned int digits = (67 - (unsigned int)__builtin_clzll(n | 1)) / 4;

	if (width > digits)
		digits = width;
	/* At the number's upper end they come first; the digits after them do not count. */
	tfs_digits_sixteen(p, n << (64 - 4 * digits));
	return p + digits;
}

#endif
