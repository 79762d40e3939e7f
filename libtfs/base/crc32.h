/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_CRC32_H
#define TFS_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/**
 * tfs_crc32() - the checksum of gzip, PNG and .gnu_debuglink (RFC 1952), by zlib
 * @crc: of what is before, 0 at the beginning
 */
uint32_t tfs_crc32(uint32_t crc, const void *data, size_t len);

#endif
