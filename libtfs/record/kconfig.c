/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/kconfig.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/io.h"
#include "base/strbuf-core.h"
#include "tracedat/compress.h"

static int read_packed(const char *path, struct tfs_strbuf *out)
{
	struct tfs_strbuf packed = TFS_STRBUF_INIT;
	int rc = tfs_read_path(path, &packed);

	if (!rc)
		rc = tfs_gunzip(packed.s, packed.len, out);
	tfs_strbuf_release(&packed);
	return rc;
}

int tfs_kconfig_read(struct tfs_strbuf *out)
{
	int rc = read_packed("/proc/config.gz", out);
	struct utsname u;
	char path[256];

	if (!rc || rc == -ENOMEM || uname(&u))
		return rc;
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), i ? "/lib/modules/%s/config" : "/boot/config-%s",
			 u.release);
		tfs_strbuf_reset(out);
		rc = tfs_read_path(path, out);
		if (!rc)
			return 0;
	}
	return rc;
}

/* The value after "SYMBOL=", or NULL */
static const char *value_of(const char *config, const char *symbol)
{
	size_t len = strlen(symbol);
	const char *p = config;

	while ((p = strstr(p, symbol))) {
		bool begins = p == config || p[-1] == '\n';

		p += len;
		if (begins && *p == '=')
			return p + 1;
	}
	return NULL;
}

char tfs_kconfig_get(const char *config, const char *symbol)
{
	const char *value = value_of(config, symbol);

	if (!value)
		return 'n';
	/* a number or a text is set, too */
	return *value == 'm' ? 'm' : *value == 'n' ? 'n' : 'y';
}

bool tfs_kconfig_number(const char *config, const char *symbol, uint64_t *value)
{
	const char *p = value_of(config, symbol);
	char *end;

	if (!p || *p < '0' || *p > '9')
		return false;
	errno = 0;
	*value = strtoull(p, &end, 10);
	return !errno && (*end == '\n' || !*end);
}
