/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/fake.h"

#include <errno.h>
#include <fts.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <zlib.h>

#include "base/err.h"
#include "tracefs/root.h"

static void require(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "fake tracefs: %s: %s\n", what, strerror(errno));
	abort();
}

__attribute__((format(printf, 1, 2))) static char *text_of(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	require(vasprintf(&s, fmt, ap) >= 0, "memory");
	va_end(ap);
	return s;
}

void fake_run(const char *const argv[])
{
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	require(pid >= 0, "fork");
	if (!pid) {
		execvp(argv[0], (char **)argv);
		_exit(127);
	}
	require(waitpid(pid, &status, 0) == pid, "wait");
	if (status) {
		errno = 0;
		require(false, argv[0]);
	}
}

/* A head of an archive (ustar): numbers are octal. */
struct tar_head {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, linkname[100],
		magic[6], rest[249];
};

/*
 * Functions that tests replace are not called here: stdio has its own write().
 * Directories and files are all that capture.sh packs, each directory before what is in it.
 */
static void unpack(const char *archive, const char *to)
{
	gzFile in = gzopen(archive, "rb");
	char block[512], *path;
	struct tar_head head;
	size_t size, n;
	FILE *out;

	require(in != NULL, archive);
	for (;;) {
		require(gzread(in, &head, sizeof(head)) == sizeof(head), archive);
		if (!head.name[0])
			break;
		require(!memcmp(head.magic, "ustar", 5), archive);
		path = text_of("%s/%.100s", to, head.name);
		size = strtoul(head.size, NULL, 8);
		if (head.type == '5') {
			require(!mkdir(path, 0755) || errno == EEXIST, path);
			free(path);
			continue;
		}
		require(head.type == '0', path);
		out = fopen(path, "we");
		require(out != NULL, path);
		for (; size; size -= n) {
			n = size < sizeof(block) ? size : sizeof(block);
			require(gzread(in, block, sizeof(block)) == sizeof(block), archive);
			require(fwrite(block, 1, n, out) == n, path);
		}
		require(!fclose(out), path);
		free(path);
	}
	gzclose(in);
}

/* Where a file costs the least, if there is such a place. */
static const char *place(void)
{
	return access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
}

void fake_new(struct fake *f, const char *capture)
{
	const char *src = getenv("TC_SRCDIR");
	struct tfs_err err = TFS_ERR_INIT;
	char *archive;

	snprintf(f->dir, sizeof(f->dir), "%s/tc-fake.XXXXXX", place());
	require(mkdtemp(f->dir), f->dir);
	if (capture) {
		archive = text_of("%s/tests/fake/%s.tar.gz", src ? src : ".", capture);
		unpack(archive, f->dir);
		free(archive);
	}
	if (tfs_root_open(f->dir, &f->root, &err)) {
		fprintf(stderr, "fake tracefs: %s\n", err.msg);
		abort();
	}
}

/* Remove what is below @dir; @dir itself too if @whole. */
static void remove_tree(const char *dir, bool whole)
{
	char *const paths[] = { (char *)dir, NULL };
	FTSENT *ent;
	FTS *fts;

	fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	require(fts != NULL, dir);
	while ((ent = fts_read(fts))) {
		if (ent->fts_info == FTS_D) {
			chmod(ent->fts_accpath, 0700);
			continue;
		}
		if (ent->fts_level || whole)
			remove(ent->fts_accpath);
	}
	fts_close(fts);
}

void fake_free(struct fake *f)
{
	tfs_root_free(f->root);
	f->root = NULL;
	remove_tree(f->dir, true);
}

void fake_empty_dir(const char *path)
{
	remove_tree(path, false);
}

const char *fake_path(const struct fake *f, const char *file)
{
	static char ring[5][1024];
	static unsigned int next;
	char *buf = ring[next++ % 5];

	if (file[0] == '/')
		snprintf(buf, sizeof(ring[0]), "%s", file);
	else
		snprintf(buf, sizeof(ring[0]), "%s/%s", f->dir, file);
	return buf;
}

void fake_put(const struct fake *f, const char *file, const char *text)
{
	char path[1024], *slash;
	FILE *out;

	snprintf(path, sizeof(path), "%s", fake_path(f, file));
	for (slash = strchr(path + strlen(f->dir) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		require(!mkdir(path, 0755) || errno == EEXIST, path);
		*slash = '/';
	}
	out = fopen(path, "w");
	require(out && fputs(text, out) >= 0 && !fclose(out), path);
}

const char *fake_get(const struct fake *f, const char *file)
{
	static char ring[5][65536];
	static unsigned int next;
	char *buf = ring[next++ % 5];
	FILE *in = fopen(fake_path(f, file), "r");

	require(in != NULL, file);
	buf[fread(buf, 1, sizeof(ring[0]) - 1, in)] = '\0';
	fclose(in);
	return buf;
}

bool fake_has(const struct fake *f, const char *file)
{
	return !access(fake_path(f, file), F_OK);
}

static void copy_file(const char *from, const char *to)
{
	FILE *in = fopen(from, "re"), *out = fopen(to, "we");
	char block[4096];
	size_t n;

	require(in != NULL, from);
	require(out != NULL, to);
	while ((n = fread(block, 1, sizeof(block), in)) > 0)
		require(fwrite(block, 1, n, out) == n, to);
	require(!ferror(in) && !fclose(in), from);
	require(!fclose(out), to);
}

/* Copy @name and what is below it from the directory @from to the directory @to. */
static void copy_tree(const char *from, const char *name, const char *to)
{
	char *path = text_of("%s/%s", from, name), *target;
	char *const paths[] = { path, NULL };
	FTSENT *ent;
	FTS *fts;

	fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	require(fts != NULL, path);
	while ((ent = fts_read(fts))) {
		target = text_of("%s%s", to, ent->fts_path + strlen(from));
		if (ent->fts_info == FTS_D)
			require(!mkdir(target, 0755) || errno == EEXIST, target);
		else if (ent->fts_info == FTS_F)
			copy_file(ent->fts_path, target);
		free(target);
	}
	fts_close(fts);
	free(path);
}

void fake_fill_instance(const struct fake *f, const char *path)
{
	static const char *const files[] = {
		"buffer_percent",
		"buffer_size_kb",
		"buffer_subbuf_size_kb",
		"current_tracer",
		"error_log",
		"options",
		"set_event",
		"set_event_notrace_pid",
		"set_event_pid",
		"trace_clock",
		"trace_options",
		"tracing_cpumask",
		"tracing_on",
		"events",
	};
	char to[1024];
	size_t i;

	snprintf(to, sizeof(to), "%s", path);
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (fake_has(f, files[i]))
			copy_tree(f->dir, files[i], to);
	}
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

char *fake_state(const struct fake *f)
{
	char *const paths[] = { (char *)f->dir, NULL };
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	FTSENT *ent;
	FTS *fts;

	fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	require(out && fts, "state");
	while ((ent = fts_read(fts))) {
		const char *name = ent->fts_path + strlen(f->dir);

		if (ent->fts_info == FTS_D)
			fprintf(out, "%s/\n", name);
		else if (ent->fts_info == FTS_F)
			fprintf(out, "%s: %s\n", name, fake_get(f, ent->fts_path));
	}
	fts_close(fts);
	require(!fclose(out), "state");
	return text;
}

bool fake_same_state(const char *before, const char *after)
{
	const char *line = before;
	size_t i;

	for (i = 0; before[i] && before[i] == after[i]; i++) {
		if (before[i] == '\n')
			line = before + i + 1;
	}
	if (before[i] == after[i])
		return true;
	fprintf(stderr, "before: %.*s\nafter: %.*s\n", (int)strcspn(line, "\n"), line,
		(int)strcspn(after + (line - before), "\n"), after + (line - before));
	return false;
}
