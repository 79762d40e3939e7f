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

void fake_new(struct fake *f, const char *capture)
{
	const char *src = getenv("TC_SRCDIR");
	struct tfs_err err = TFS_ERR_INIT;
	char *tar;

	snprintf(f->dir, sizeof(f->dir), "/tmp/tc-fake.XXXXXX");
	require(mkdtemp(f->dir), f->dir);
	if (capture) {
		tar = text_of("%s/tests/fake/%s.tar.gz", src ? src : ".", capture);
		fake_run((const char *const[]){ "tar", "xzf", tar, "-C", f->dir, NULL });
		free(tar);
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
	char from[1024], to[1024];
	size_t i;

	snprintf(to, sizeof(to), "%s", path);
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(from, sizeof(from), "%s", fake_path(f, files[i]));
		if (!access(from, F_OK))
			fake_run((const char *const[]){ "cp", "-R", from, to, NULL });
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
