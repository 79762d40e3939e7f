/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "format/header-page.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "format/event-format.h"

static int find(const char *text, size_t size, const char *name, struct tfs_format_field *f,
		struct tfs_err *err)
{
	if (tfs_format_find(text, size, name, strlen(name), f))
		return 0;
	return tfs_err_say(err, -EBADMSG, "header_page has no field '%s'", name);
}

int tfs_header_page_parse(const char *text, size_t size, struct tfs_header_page *out,
			  struct tfs_err *err)
{
	struct tfs_format_field commit, data;
	int rc = find(text, size, "commit", &commit, err);

	if (!rc)
		rc = find(text, size, "data", &data, err);
	if (rc)
		return rc;
	*out = (struct tfs_header_page){
		.commit_offset = commit.offset,
		.commit_size = commit.size,
		.data_offset = data.offset,
		.data_size = data.size,
	};
	return 0;
}
