/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/meaning-list.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/cursor.h"
#include "base/meaning.h"
#include "base/strbuf-core.h"

int tfs_meaning_list_add(struct tfs_strbuf *payload, const char *event, const char *field,
			 const struct tfs_meaning *means)
{
	const uint32_t head[] = { (uint32_t)means->kind, (uint32_t)means->n };
	int rc = tfs_strbuf_add(payload, event, strlen(event) + 1);

	if (!rc)
		rc = tfs_strbuf_add(payload, field, strlen(field) + 1);
	if (!rc)
		rc = tfs_strbuf_add(payload, head, sizeof(head));
	for (size_t i = 0; i < means->n && !rc; i++) {
		const struct tfs_meaning_name *name = &means->names[i];

		rc = tfs_strbuf_add(payload, &name->value, sizeof(name->value));
		if (!rc)
			rc = tfs_strbuf_add(payload, name->name, strlen(name->name) + 1);
	}
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
		rc = rc == -E2BIG ? 0 : rc;
	}
	if (rc)
		tfs_meaning_release(means);
	else if (kind == TFS_MEANS_FLOAT)
		means->kind = TFS_MEANS_FLOAT;
	return rc ? rc : 1;
}
