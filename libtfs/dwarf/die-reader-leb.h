/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_DIE_READER_LEB_H
#define TFS_DWARF_DIE_READER_LEB_H

#include <stdbool.h>
#include <stdint.h>

/**
 * tfs_read_uleb128() - read an unsigned LEB128 number and step over it
 *
 * In the header because most are of one byte, and there are millions.
 *
 * Return: false if it does not end before @end, or has more than 64 bits.
 */
static inline bool tfs_read_uleb128(const unsigned char **at, const unsigned char *end,
				    uint64_t *out)
{
	const unsigned char *p = *at;
	uint64_t value = 0;

	if (p < end && *p < 0x80) {
		*out = *p;
		*at = p + 1;
		return true;
	}
	for (unsigned int shift = 0; p < end && shift < 64; shift += 7) {
		value |= (uint64_t)(*p & 0x7f) << shift;
		if (!(*p++ & 0x80)) {
			*at = p;
			*out = value;
			return true;
		}
	}
	return false;
}

#endif
