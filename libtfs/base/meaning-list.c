/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/meaning-list.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/cursor.h"
#include "base/meaning.h"
#include "base/strbuf-core.h"

static int add_head(struct tfs_strbuf *payload, const char *event, const char *field,
		    enum tfs_meaning_kind kind, size_t n)
{
	const uint32_t head[] = { (uint32_t)kind, (uint32_t)n };
	int rc = tfs_strbuf_add(payload, event, strlen(event) + 1);

	if (!rc)
		rc = tfs_strbuf_add(payload, field, strlen(field) + 1);
	return rc ? rc : tfs_strbuf_add(payload, head, sizeof(head));
}

static int add_value(struct tfs_strbuf *payload, uint64_t value, const char *name)
{
	int rc = tfs_strbuf_add(payload, &value, sizeof(value));

	return rc ? rc : tfs_strbuf_add(payload, name, strlen(name) + 1);
}

int tfs_meaning_list_add(struct tfs_strbuf *payload, const char *event, const char *field,
			 const struct tfs_meaning *means)
{
	int rc = 0;

	if (means->kind != TFS_MEANS_NUMBER)
		rc = add_head(payload, event, field, means->kind, means->n);
	for (size_t i = 0; i < means->n && !rc; i++)
		rc = add_value(payload, means->names[i].value, means->names[i].name);
	if (!rc && means->bits)
		rc = add_head(payload, event, field, TFS_MEANS_SIGN, 1);
	if (!rc && means->bits)
		rc = add_value(payload, means->bits, "");
	return rc;
}

int tfs_meaning_list_next(struct tfs_cursor *c, const char **event, const char **field,
			  struct tfs_meaning *means)
{
	uint32_t kind, n;
	const char *name;
	uint64_t value;
	int rc = 0;

	memset(means, 0, sizeof(*means));
	if (tfs_cursor_strz(c, event) || tfs_cursor_strz(c, field) || tfs_cursor_u32(c, &kind) ||
	    tfs_cursor_u32(c, &n))
		return 0;
	for (uint32_t i = 0; i < n && !rc; i++) {
		if (tfs_cursor_u64(c, &value) || tfs_cursor_strz(c, &name)) {
			tfs_meaning_release(means);
			return 0;
		}
		if (kind == TFS_MEANS_NAME)
			rc = tfs_meaning_add(means, value, name);
		else if (kind == TFS_MEANS_SIGN && value <= 64)
			means->bits = (unsigned int)value;
		rc = rc == -E2BIG ? 0 : rc;
	}
	if (rc)
		tfs_meaning_release(means);
	else if (kind == TFS_MEANS_FLOAT)
		means->kind = TFS_MEANS_FLOAT;
	return rc ? rc : 1;
}
