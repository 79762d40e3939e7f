/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/print.h"
#include "base/macros.h"
#include "tc-list-opts.h"
#include "tc-list-show.h"
#include "tracedat/compress.h"

int list_compression(struct list_show *show, struct tfs_err *err)
{
	struct tfs_json *j = &show->json;
	static const enum tfs_codec_id ids[] = { TFS_CODEC_ZSTD, TFS_CODEC_ZLIB };
	enum tfs_codec_id id;
	int level;

	(void)err;
	if (show->req->json)
		tfs_json_open(j, "compression", '[');
	else
		tc_print("Supported compression algorithms:\n");
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		const char *name = tfs_codec_name(ids[i]);

		/* not built in */
		if (tfs_codec_parse(name, &id, &level, NULL))
			continue;
		if (!show->req->json) {
			tc_print("\t%s, %s\n", name, tfs_codec_version(ids[i]));
			continue;
		}
		tfs_json_open(j, NULL, '{');
		tfs_json_text(j, "name", name);
		tfs_json_text(j, "version", tfs_codec_version(ids[i]));
		tfs_json_bool(j, "default", ids[i] == tfs_codec_default());
		tfs_json_close(j, '}');
	}
	if (show->req->json)
		tfs_json_close(j, ']');
	return 0;
}
