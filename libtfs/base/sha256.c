/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/sha256.h"

#include <string.h>

#define BLOCK 64u

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes */
static const uint32_t round_constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static uint32_t rotate(uint32_t x, unsigned int n)
{
	return x >> n | x << (32 - n);
}

static void schedule(const unsigned char *block, uint32_t w[64])
{
	for (size_t i = 0; i < 16; i++, block += 4)
		w[i] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 |
		       (uint32_t)block[2] << 8 | block[3];
	for (size_t i = 16; i < 64; i++) {
		const uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + w[i - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
		       (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
	}
}

static void take_block(uint32_t state[8], const unsigned char *block)
{
	uint32_t w[64], v[8];

	schedule(block, w);
	memcpy(v, state, sizeof(v));
	for (size_t i = 0; i < 64; i++) {
		const uint32_t e = v[4], a = v[0];
		const uint32_t one = v[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
				     ((e & v[5]) ^ (~e & v[6])) + round_constants[i] + w[i];
		const uint32_t two = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
				     ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));

		memmove(v + 1, v, 7 * sizeof(*v));
		v[4] += one;
		v[0] = one + two;
	}
	for (size_t i = 0; i < 8; i++)
		state[i] += v[i];
}

void tfs_sha256_init(struct tfs_sha256 *s)
{
	static const uint32_t state[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
					   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };

	memcpy(s->state, state, sizeof(state));
	s->bytes = 0;
}

void tfs_sha256_add(struct tfs_sha256 *s, const void *data, size_t len)
{
	const unsigned char *p = data;
	size_t have = s->bytes % BLOCK;

	s->bytes += len;
	while (len) {
		size_t n = BLOCK - have < len ? BLOCK - have : len;

		if (!have && len >= BLOCK) {
			take_block(s->state, p);
		} else {
			memcpy(s->block + have, p, n);
			have += n;
			if (have == BLOCK)
				take_block(s->state, s->block);
			have %= BLOCK;
		}
		p += n;
		len -= n;
	}
}

void tfs_sha256_end(struct tfs_sha256 *s, char text[TFS_SHA256_TEXT])
{
	static const char digits[] = "0123456789abcdef";
	static const unsigned char padding[BLOCK] = { 0x80 };
	const uint64_t bits = s->bytes * 8;
	const size_t have = s->bytes % BLOCK;
	unsigned char length[8];

	for (size_t i = 0; i < sizeof(length); i++)
		length[i] = (unsigned char)(bits >> (56 - 8 * i));
	tfs_sha256_add(s, padding, (have < 56 ? 56 : 56 + BLOCK) - have);
	tfs_sha256_add(s, length, sizeof(length));
	for (size_t i = 0; i < TFS_SHA256_TEXT - 1; i++)
		text[i] = digits[s->state[i / 8] >> (28 - 4 * (i % 8)) & 15];
	text[TFS_SHA256_TEXT - 1] = '\0';
}
