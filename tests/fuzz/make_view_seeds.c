/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the seeds of fuzz_view with profiles and names: make_view_seeds DIRECTORY. Run by hand
 * when views are added or the format grows.
 */
#include <stdio.h>
#include <string.h>

#include "base/macros.h"
#include "lib/bytes.h"
#include "lib/every_view.h"
#include "lib/profile_dat.h"

static int write_seed(const char *dir, const char *name, size_t view, const struct bytes *b)
{
	char path[512];
	FILE *f;
	int bad;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "wb");
	if (!f) {
		perror(path);
		return 1;
	}
	bad = fputc((int)view, f) < 0 || fwrite(b->sb.s, 1, b->sb.len, f) != b->sb.len;
	return fclose(f) || bad;
}

int main(int argc, char **argv)
{
	static const char *const seeds[][2] = {
		{ "profile-flat", "--flat" },
		{ "profile-flat-off-cpu", "--flat --off-cpu" },
		{ "profile-folded", "--folded" },
		{ "profile-folded-diff", "--folded --diff" },
		{ "profile-folded-off-cpu", "--folded --off-cpu --by-tid" },
		{ "profile-folded-weight", "--folded --weight" },
		{ "profile-flame", "--flame .html" },
		{ "profile-flame-diff", "--flame .svg --diff" },
		{ "profile-perf-script", "--perf-script" },
		{ "profile-perfetto", "--perfetto" },
		{ "profile-perfetto-old-stacks", "--perfetto --old-stacks" },
		{ "profile-speedscope", "--speedscope" },
		{ "profile-user-symbols", "--user-symbols" },
		{ "profile-html", "--html" },
		{ "profile-chrome", "--chrome" },
		{ "profile-tasks", "--profile" },
	};
	struct bytes b;
	int bad = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: make_view_seeds DIRECTORY\n");
		return 2;
	}
	profile_dat(&b);
	for (size_t i = 0; i < ARRAY_SIZE(seeds); i++)
		bad |= write_seed(argv[1], seeds[i][0], every_view_find(seeds[i][1]), &b);
	bytes_release(&b);
	return bad;
}
