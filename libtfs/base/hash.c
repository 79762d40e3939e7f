/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/hash.h"

uint32_t tfs_hash32(const void *data, size_t len)
{
	const unsigned char *p = data;
	uint32_t hash = UINT32_C(0x811c9dc5);

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ p[i]) * UINT32_C(0x01000193);
	return hash;
}

uint64_t tfs_hash64(uint64_t hash, const void *data, size_t len)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
	return hash;
}
