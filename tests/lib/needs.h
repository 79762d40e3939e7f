/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_LIB_NEEDS_H
#define TESTS_LIB_NEEDS_H

#include <stdbool.h>
#include <stdio.h>

#include "tracedat/compress.h"

/* For the beginning of main(): if (lacks_zstd()) return TEST_SKIPPED; */
#define TEST_SKIPPED 77

static inline bool has_zstd(void)
{
	enum tfs_codec_id id;
	int level;

	return !tfs_codec_parse("zstd", &id, &level, NULL);
}

/* Is the library built without zstd, with which the recordings in tests/data are compressed? */
static inline bool lacks_zstd(void)
{
	if (has_zstd())
		return false;
	puts("1..0 # SKIP zstd is not built in");
	return true;
}

#endif
