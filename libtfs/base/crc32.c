/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/crc32.h"

#include <zlib.h>

uint32_t tfs_crc32(uint32_t crc, const void *data, size_t len)
{
	return (uint32_t)crc32_z(crc, data, len);
}
