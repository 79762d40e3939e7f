/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a plan of probes (tc-probe --apply), read, and what it defines judged as the kernel
 * would. The machine's files are not looked at: the paths are the input's.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "probe/portable.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_portable portable = { 0 };
	int rc = tfs_portable_parse((const char *)data, size, &portable, &err);

	must(rc <= 0 && !rc == !err.code && (!rc || err.msg[0]));
	/* A file that is cut off, or has a character of no text, is refused. */
	must(rc || (size && !memchr(data, 0, size)));
	must(rc || portable.n);
	for (size_t i = 0; i < portable.n; i++)
		must(portable.target[i].name && portable.target[i].name[0]);
	for (size_t i = 0; i < portable.defs.n; i++) {
		must(portable.defs.v[i].request < portable.n);
		must(portable.lines[i] > 0);
	}
	tfs_portable_release(&portable);
	return 0;
}
