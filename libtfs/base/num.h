/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_NUM_H
#define TFS_BASE_NUM_H

#include <stdint.h>

struct tfs_err;

/*
 * Strict parsers for what people type: the whole string is consumed, ranges are checked, and the
 * error names the text, the fault's position and what would be accepted.
 * All return 0, -EINVAL (not of this form) or -ERANGE, and set @out only on success.
 */

/** tfs_parse_u64() - decimal, or hexadecimal with 0x; between @min and @max */
int tfs_parse_u64(const char *s, uint64_t min, uint64_t max, uint64_t *out, struct tfs_err *err);

/** tfs_parse_s64() - as tfs_parse_u64() with an optional sign */
int tfs_parse_s64(const char *s, int64_t min, int64_t max, int64_t *out, struct tfs_err *err);

/**
 * tfs_parse_size() - bytes with an optional suffix K, M, G or T (powers of 1024, either case)
 * @unit: what a number without suffix counts in bytes (1, or 1024 where the option means KiB)
 */
int tfs_parse_size(const char *s, uint64_t unit, uint64_t min, uint64_t max, uint64_t *out,
		   struct tfs_err *err);

/** tfs_parse_duration() - "2", "1.5", "200ms", "10us", "5ns", "3s", "2m", "1h" to nanoseconds */
int tfs_parse_duration(const char *s, uint64_t *ns, struct tfs_err *err);

#endif
