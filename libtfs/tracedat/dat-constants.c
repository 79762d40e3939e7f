/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-constants.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cursor.h"
#include "base/strbuf-core.h"
#include "base/strmap.h"
#include "tracedat/dat-private.h"
#include "tracedat/dat-read.h"

/* More than the print formats of any kernel leave. */
#define CONSTANTS_MAX 65536

/* @names: to indexes into @values */
struct tfs_dat_constants {
	struct tfs_strmap names;
	uint64_t *values;
	size_t n, cap;
};

int tfs_dat_constants_add(struct tfs_strbuf *payload, const char *name, uint64_t value)
{
	int rc = tfs_strbuf_add(payload, &value, sizeof(value));

	return rc ? rc : tfs_strbuf_add(payload, name, strlen(name) + 1);
}

static int keep(struct tfs_dat_constants *c, const char *name, uint64_t value)
{
	if (tfs_grow(&c->values, &c->cap, c->n + 1))
		return -ENOMEM;
	c->values[c->n] = value;
	return tfs_strmap_put(&c->names, name, c->n++);
}

int tfs_dat_constants_new(const struct tfs_dat *dat, struct tfs_dat_constants **out)
{
	const struct tfs_dat_option *o = tfs_dat_option_last(dat, TFS_DAT_PRIVATE_CONSTANTS);
	struct tfs_dat_constants *constants;
	struct tfs_cursor c;
	const char *name;
	uint64_t value;
	int rc = 0;

	*out = NULL;
	if (!o || tfs_dat_private_cursor(o, tfs_dat_info(dat)->big_endian, &c))
		return 0;
	constants = calloc(1, sizeof(*constants));
	if (!constants)
		return -ENOMEM;
	while (!rc && constants->n < CONSTANTS_MAX) {
		if (tfs_cursor_u64(&c, &value) || tfs_cursor_strz(&c, &name))
			break;
		if (*name && strlen(name) <= TFS_DAT_CONSTANT_MAX)
			rc = keep(constants, name, value);
	}
	if (rc)
		tfs_dat_constants_free(constants);
	else
		*out = constants;
	return rc;
}

void tfs_dat_constants_free(struct tfs_dat_constants *constants)
{
	if (!constants)
		return;
	tfs_strmap_release(&constants->names);
	free(constants->values);
	free(constants);
}

bool tfs_dat_constants_find(const struct tfs_dat_constants *constants, const char *name, size_t len,
			    uint64_t *value)
{
	char key[TFS_DAT_CONSTANT_MAX + 1];
	size_t i;

	if (!constants || len > TFS_DAT_CONSTANT_MAX)
		return false;
	memcpy(key, name, len);
	key[len] = '\0';
	if (!tfs_strmap_get(&constants->names, key, &i))
		return false;
	*value = constants->values[i];
	return true;
}
