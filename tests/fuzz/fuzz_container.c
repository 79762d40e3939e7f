/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of a container, as tc-probe --target-ns and --pid read them: what belongs to a program
 * (debug files, .dwo, what dwz moved, sources), what describes the system (os-release, lists of
 * packages), and what a process has mapped.
 *
 * The input is a text. Its first line is what is looked for; sections follow, which lib/container.h
 * describes. Nothing that is opened may be outside of the root, and openat2(2) and the walk that
 * stands in for it have to find the same.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/open-in.h"
#include "base/strbuf-core.h"
#include "dso/dso-internal.h"
#include "dwarf/debuginfo-internal.h"
#include "lib/container.h"
#include "probe/source.h"

#define INPUT_MAX 32768
#define READ_MAX 65536
#define SECRET "what is outside"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
long __real_syscall(long nr, ...);
long __wrap_syscall(long nr, ...);

/* A kernel without openat2(2). Link with --wrap=syscall. */
static bool is_old_kernel;

long __wrap_syscall(long nr, ...)
{
	va_list ap;
	long a[4];

	if (nr == SYS_openat2 && is_old_kernel) {
		errno = ENOSYS;
		return -1;
	}
	va_start(ap, nr);
	for (size_t i = 0; i < 4; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	return __real_syscall(nr, a[0], a[1], a[2], a[3]);
}

static void must(bool holds)
{
	if (!holds)
		abort();
}

/*
 * struct place - where containers are made, in memory if possible
 * @dir: of this process, with "secret" in it
 * @path: DIR/root, without symbolic links
 */
struct place {
	char dir[64];
	char path[80];
	int root;
};

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void enter(struct place *p)
{
	char secret[80];
	FILE *f;

	snprintf(p->dir, sizeof(p->dir), "%s/tc-fuzz.XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	must(mkdtemp(p->dir));
	snprintf(secret, sizeof(secret), "%s/secret", p->dir);
	snprintf(p->path, sizeof(p->path), "%s/root", p->dir);
	f = fopen(secret, "w");
	must(f && fputs(SECRET, f) >= 0 && !fclose(f));
	must(!mkdir(p->path, 0700) && !tfs_open_root(p->path, &p->root));
}

static void leave(struct place *p)
{
	tfs_close(&p->root);
	must(!nftw(p->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS));
}

static void must_be_inside(const struct place *p, int fd)
{
	char link[32], text[4096];
	size_t len = strlen(p->path);
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, text, sizeof(text) - 1);
	must(n > 0);
	text[n] = '\0';
	must(!strncmp(text, p->path, len) && (!text[len] || text[len] == '/'));
}

/* Both ways to look a path up, and whether what can be read there may be. */
static void look_up(const struct place *p, const char *path)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct stat one, other;
	int a, b, rc;

	is_old_kernel = false;
	a = tfs_open_path_in(p->root, path);
	is_old_kernel = true;
	b = tfs_open_path_in(p->root, path);
	must((a < 0) == (b < 0));
	if (a >= 0) {
		must_be_inside(p, a);
		must_be_inside(p, b);
		must(!fstat(a, &one) && !fstat(b, &other));
		must(one.st_ino == other.st_ino && one.st_dev == other.st_dev);
	}
	rc = tfs_read_in(p->root, path, READ_MAX, &sb);
	must(rc <= 0 && sb.len <= READ_MAX && (a >= 0 || rc) && (!rc || !sb.len));
	must(rc || (S_ISREG(one.st_mode) && (size_t)one.st_size == sb.len));
	tfs_strbuf_release(&sb);
	tfs_close(&a);
	tfs_close(&b);
}

static void read_source(const struct place *p, struct tfs_dso *dso, const char *name)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = tfs_source_read(dso, name, NULL, &sb, &err);

	must(rc <= 0 && !rc == !err.code && (!rc || err.msg[0]));
	must(rc || !strstr(sb.s, SECRET));
	tfs_strbuf_release(&sb);
	tfs_err_clear(&err);
	rc = tfs_source_read(dso, name, p->path, &sb, &err);
	must(rc <= 0 && !rc == !err.code && (!rc || err.msg[0]));
	tfs_strbuf_release(&sb);
}

/* libdw 0.188 forgets to free its buffers if a file is too large to be mapped. */
static bool is_large(const struct place *p, const char *path)
{
	int fd = tfs_open_in(p->root, path, READ_MAX);

	bool large = fd == -EFBIG;

	tfs_close(&fd);
	return large;
}

/* As of a process that has this root. */
static void read_program(const struct place *p, const char *path, const char *name)
{
	const struct tfs_dso_options opt = { .symfs = p->path };
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_debuginfo *dbg;
	struct tfs_dso *dso = NULL;
	int rc = tfs_dso_open(path, &opt, &dso, &err);

	must(rc <= 0 && !rc == !err.code && (!rc || err.msg[0]));
	if (rc)
		return;
	dso->ns = true;
	dbg = tfs_debuginfo_new(dso);
	must(dbg);
	if (tfs_debuginfo_available(dbg))
		must(tfs_debuginfo_path(dbg));
	if (dso->debug_fd >= 0)
		must_be_inside(p, dso->debug_fd);
	if (dbg->alt_fd >= 0)
		must_be_inside(p, dbg->alt_fd);
	rc = tfs_debuginfo_missing(dbg, &err);
	must(rc == -ENODATA && err.code == rc && err.msg[0]);
	read_source(p, dso, name);
	tfs_debuginfo_free(dbg);
	tfs_dso_free(dso);
}

static void find_program(const struct place *p, const char *name)
{
	char *found = NULL;
	int rc = tfs_dso_find_below(p->path, name, &found);

	must(rc <= 0 && !rc == !!found);
	must(rc || !strncmp(found, p->path, strlen(p->path)));
	free(found);
}

static void pick_mapped(const struct container_member *m, const char *name)
{
	FILE *f = m->len ? fmemopen((void *)(uintptr_t)m->text, m->len, "r") : NULL;
	uint64_t from = 0, to = 0;
	int rc;

	if (!f)
		return;
	rc = tfs_dso_pick_mapped(f, name, &from, &to);
	must(!rc || (rc == -ENOENT && !from && !to));
	fclose(f);
}

static void walk(const struct place *p, const struct container *c)
{
	look_up(p, c->name);
	for (size_t i = 0; i < c->n; i++) {
		const struct container_member *m = &c->v[i];

		look_up(p, m->path);
		if (m->kind == CONTAINER_LINK)
			look_up(p, m->target);
		is_old_kernel = c->is_old;
		if (m->kind == CONTAINER_MAPS)
			pick_mapped(m, c->name);
		if (m->kind == CONTAINER_ELF && !is_large(p, m->path))
			read_program(p, m->path, c->name);
	}
	is_old_kernel = c->is_old;
	find_program(p, c->name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct container c;
	struct place p;

	if (size > INPUT_MAX || container_parse((const char *)data, size, &c))
		return 0;
	unsetenv("DEBUGINFOD_URLS");
	enter(&p);
	container_make(&c, p.root);
	walk(&p, &c);
	leave(&p);
	container_release(&c);
	return 0;
}
