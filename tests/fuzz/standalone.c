/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main() for a fuzz target where there is no libFuzzer: runs it over the files given, or else over
 * the corpus of its name (check-fuzz_opt: corpus/opt), and reports as TAP.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/strbuf-core.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	uint8_t *exact = NULL;
	int rc = tfs_read_path(path, &sb);

	/* no byte more than the input has, so that a sanitizer sees a read beyond it */
	if (!rc)
		exact = malloc(sb.len);
	if (exact && sb.len) {
		memcpy(exact, sb.s, sb.len);
		LLVMFuzzerTestOneInput(exact, sb.len);
	}
	free(exact);
	tfs_strbuf_release(&sb);
	if (rc)
		printf("# cannot read %s\n", path);
	return rc;
}

/* The number of files in the corpus of the target that @program is, or -1 */
static int run_corpus(const char *program)
{
	const char *slash = strrchr(program, '/');
	const char *name = strstr(slash ? slash : program, "fuzz");
	const char *top = getenv("TC_SRCDIR");
	struct tfs_strbuf path = TFS_STRBUF_INIT;
	struct dirent *entry;
	int rc = 0, n = 0;
	size_t len;
	DIR *dir;

	name = name ? name + strlen("fuzz") : program;
	if (tfs_strbuf_addf(&path, "%s/tests/fuzz/corpus/%s/", top ? top : ".",
			    name + strspn(name, "-_")))
		return -1;
	printf("# %s\n", path.s);
	len = path.len;
	dir = opendir(path.s);
	while (dir && !rc && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		path.len = len;
		rc = tfs_strbuf_adds(&path, entry->d_name);
		if (!rc)
			rc = run_file(path.s);
		n++;
	}
	if (dir)
		closedir(dir);
	tfs_strbuf_release(&path);
	return rc ? -1 : n;
}

int main(int argc, char **argv)
{
	int i, n = 0;

	printf("1..1\n");
	for (i = 1; i < argc && n >= 0; i++)
		n = run_file(argv[i]) ? -1 : n + 1;
	if (argc < 2)
		n = run_corpus(argv[0]);
	printf("%s 1 - %d inputs do no harm\n", n > 0 ? "ok" : "not ok", n);
	return n > 0 ? 0 : 1;
}
