/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/dso-internal.h"

#include <errno.h>
#include <fnmatch.h>
#include <fts.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "dso/dso.h"

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* DIR/NAME if it is a file; yours, NULL if not. */
static char *file_in(const char *dir, size_t len, const char *name, const char *suffix)
{
	char *path, *real;

	if (asprintf(&path, "%.*s/%s%s", (int)len, dir, name, suffix) < 0)
		return NULL;
	real = is_file(path) ? realpath(path, NULL) : NULL;
	free(path);
	return real;
}

static char *on_path(const char *name)
{
	const char *path = getenv("PATH");

	while (path && *path) {
		size_t len = strcspn(path, ":");
		char *found = len ? file_in(path, len, name, "") : NULL;

		if (found)
			return found;
		path += len + (path[len] == ':');
	}
	return NULL;
}

/* libc.so and its like are texts for the linker. */
static bool is_elf(const char *path)
{
	FILE *f = fopen(path, "re");
	char magic[SELFMAG];
	bool elf = f && fread(magic, sizeof(magic), 1, f) == 1 && !memcmp(magic, ELFMAG, SELFMAG);

	if (f)
		fclose(f);
	return elf;
}

/* The library in a directory that a glob finds: the shortest name, which is a link to the rest. */
static char *glob_in(const char *dir, size_t len, const char *pattern)
{
	char *path, *best = NULL;
	glob_t found;

	if (asprintf(&path, "%.*s/%s", (int)len, dir, pattern) < 0)
		return NULL;
	if (!glob(path, GLOB_NOSORT, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			if ((!best || strlen(found.gl_pathv[i]) < strlen(best)) &&
			    is_file(found.gl_pathv[i]) && is_elf(found.gl_pathv[i]))
				best = found.gl_pathv[i];
		best = best ? realpath(best, NULL) : NULL;
		globfree(&found);
	}
	free(path);
	return best;
}

const char *tfs_dso_library_dir(size_t i)
{
	/* the multiarch directories come first on Debian */
	static const char *const dirs[] = {
		"/lib/x86_64-linux-gnu",
		"/usr/lib/x86_64-linux-gnu",
		"/lib/aarch64-linux-gnu",
		"/usr/lib/aarch64-linux-gnu",
		"/lib64",
		"/usr/lib64",
		"/lib",
		"/usr/lib",
		"/usr/local/lib",
	};

	return i < ARRAY_SIZE(dirs) ? dirs[i] : NULL;
}

static char *on_library_path(const char *pattern)
{
	const char *path = getenv("LD_LIBRARY_PATH"), *dir;
	char *found = NULL;

	while (!found && path && *path) {
		size_t len = strcspn(path, ":");

		found = len ? glob_in(path, len, pattern) : NULL;
		path += len + (path[len] == ':');
	}
	for (size_t i = 0; !found && (dir = tfs_dso_library_dir(i)); i++)
		found = glob_in(dir, strlen(dir), pattern);
	return found;
}

/* As it is called (libc.so.6), without what follows .so (libc.so), and as -l takes it (libc, c). */
static char *library(const char *name)
{
	static const char *const patterns[] = { "%s", "%s.*", "%s.so*", "lib%s.so*" };
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	char *found = NULL;

	for (size_t i = 0; !found && i < ARRAY_SIZE(patterns); i++) {
		const char *hole = strstr(patterns[i], "%s");

		tfs_strbuf_reset(&sb);
		if (tfs_strbuf_addf(&sb, "%.*s%s%s", (int)(hole - patterns[i]), patterns[i], name,
				    hole + 2))
			break;
		found = on_library_path(sb.s);
	}
	tfs_strbuf_release(&sb);
	return found;
}

int tfs_dso_find_program(const char *name, char **out, struct tfs_err *err)
{
	char *found;

	if (strchr(name, '/') || is_file(name)) {
		/*
		 * realpath(3) would leave the other root, and a program that has no name any more
		 */
		found = tfs_dso_is_of_process(name) ? strdup(name) : realpath(name, NULL);
		if (!found)
			return tfs_err_set(err, -errno, "cannot open '%s'", name);
		*out = found;
		return 0;
	}
	found = on_path(name);
	if (!found)
		found = library(name);
	if (!found)
		return tfs_err_say(err, -ENOENT,
				   "cannot find '%s': no program on PATH and no library", name);
	*out = found;
	return 0;
}

/* A module's file: its name with '-' or '_' alike, .ko and perhaps compressed. */
static bool is_module_file(const char *file, const char *name)
{
	size_t i;

	for (i = 0; name[i]; i++)
		if (file[i] != name[i] && !(name[i] == '_' && file[i] == '-') &&
		    !(name[i] == '-' && file[i] == '_'))
			return false;
	file += i;
	return !strcmp(file, ".ko") || !strcmp(file, ".ko.xz") || !strcmp(file, ".ko.zst") ||
	       !strcmp(file, ".ko.gz");
}

static char *module_below(char *dir, const char *name)
{
	char *const roots[] = { dir, NULL };
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
	char *found = NULL;
	FTSENT *e;

	while (fts && !found && (e = fts_read(fts)))
		if (e->fts_info != FTS_D && e->fts_info != FTS_DP &&
		    is_module_file(e->fts_name, name))
			found = strdup(e->fts_path);
	if (fts)
		fts_close(fts);
	return found;
}

int tfs_dso_find_module(const char *name, const char *release, char **out, struct tfs_err *err)
{
	/* Debug information of modules is a tree of its own, with whole files in it. */
	static const char *const roots[] = { "/usr/lib/debug/lib/modules", "/lib/modules" };
	char *found = NULL, *dir;
	struct utsname uts;

	if (strchr(name, '/')) {
		*out = strdup(name);
		return *out ? 0 : tfs_err_set(err, -ENOMEM, "cannot find module '%s'", name);
	}
	if (!release) {
		if (uname(&uts))
			return tfs_err_set(err, -errno, "cannot find module '%s'", name);
		release = uts.release;
	}
	for (size_t i = 0; !found && i < ARRAY_SIZE(roots); i++) {
		if (asprintf(&dir, "%s/%s", roots[i], release) < 0)
			return tfs_err_set(err, -ENOMEM, "cannot find module '%s'", name);
		found = module_below(dir, name);
		free(dir);
	}
	if (!found)
		return tfs_err_say(err, -ENOENT, "no file of a module '%s' for kernel %s", name,
				   release);
	*out = found;
	return 0;
}

static enum tfs_arch running_arch(const char *machine)
{
	static const struct {
		const char *name;
		enum tfs_arch arch;
	} names[] = {
		{ "x86_64", TFS_ARCH_X86_64 },   { "i?86", TFS_ARCH_I386 },
		{ "aarch64", TFS_ARCH_ARM64 },   { "arm*", TFS_ARCH_ARM },
		{ "riscv64", TFS_ARCH_RISCV64 }, { "s390x", TFS_ARCH_S390X },
		{ "ppc64le", TFS_ARCH_PPC64LE },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!fnmatch(names[i].name, machine, 0))
			return names[i].arch;
	return TFS_ARCH_NONE;
}

/* A vmlinux of the running kernel's build in one of the usual places. */
static int open_vmlinux(const char *release, const char *id, const struct tfs_dso_options *opt,
			struct tfs_strvec *tried, struct tfs_dso **out)
{
	static const char *const places[] = {
		"/usr/lib/debug/boot/vmlinux-%s",
		"/usr/lib/debug/lib/modules/%s/vmlinux",
		"/lib/modules/%s/build/vmlinux",
		"/lib/modules/%s/vmlinux",
		"/boot/vmlinux-%s",
		"/usr/lib/debug/boot/vmlinux-%s.debug",
		"/usr/lib/debug/lib/modules/%s/vmlinux.debug",
	};
	struct tfs_dso_options kernel = opt ? *opt : (struct tfs_dso_options){ 0 };

	kernel.kernel = true;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		const char *hole = strstr(places[i], "%s");
		struct tfs_dso *dso = NULL;
		int rc;

		if (tfs_strvec_pushf(tried, "%.*s%s%s", (int)(hole - places[i]), places[i], release,
				     hole + 2))
			return -ENOMEM;
		rc = tfs_dso_open(tried->v[tried->n - 1], &kernel, &dso, NULL);
		if (rc)
			continue;
		if (id && dso->build_id && !strcmp(dso->build_id, id)) {
			*out = dso;
			return 0;
		}
		tfs_dso_free(dso);
	}
	return -ENOENT;
}

/* A running kernel of which there is no file; NULL without memory. */
static struct tfs_dso *new_running(const char *machine)
{
	struct tfs_dso *dso = tfs_dso_new();

	if (!dso)
		return NULL;
	dso->kind = TFS_DSO_SYMBOLS;
	dso->arch = running_arch(machine);
	dso->addr_size = sizeof(void *);
	dso->pie = true;
	return dso;
}

/* As the kernel spells it; NULL if it is not loaded, or built in. Yours, free(). */
static char *loaded_name(const char *name)
{
	char *path = NULL, *copy = strdup(name);

	for (char *p = copy; p && *p; p++)
		*p = *p == '-' ? '_' : *p;
	if (!copy || asprintf(&path, "/sys/module/%s/initstate", copy) < 0)
		path = NULL;
	if (!path || access(path, F_OK)) {
		free(copy);
		copy = NULL;
	}
	free(path);
	return copy;
}

static int open_loaded(const char *name, struct tfs_dso **out)
{
	char *module = strchr(name, '/') ? NULL : loaded_name(name), *id = NULL;
	struct tfs_dso *dso;
	struct utsname uts;

	if (!module || uname(&uts)) {
		free(module);
		return -ENOENT;
	}
	dso = new_running(uts.machine);
	if (!dso) {
		free(module);
		return -ENOMEM;
	}
	if (!tfs_dso_module_build_id(module, &id, NULL))
		dso->build_id = id;
	dso->module = module;
	*out = dso;
	return 0;
}

int tfs_dso_open_module(const char *name, const struct tfs_dso_options *opt, struct tfs_dso **out,
			struct tfs_err *err)
{
	char *path = NULL;
	int rc = tfs_dso_find_module(name, NULL, &path, err);

	if (!rc)
		rc = tfs_dso_open(path, opt, out, err);
	else if (rc == -ENOENT && !open_loaded(name, out)) {
		rc = 0;
		tfs_err_clear(err);
	}
	free(path);
	return rc;
}

int tfs_dso_open_running(const struct tfs_dso_options *opt, struct tfs_dso **out,
			 struct tfs_err *err)
{
	struct tfs_strvec tried = TFS_STRVEC_INIT;
	struct tfs_dso *dso = NULL;
	struct utsname uts;
	char *id = NULL;
	int rc;

	if (uname(&uts))
		return tfs_err_set(err, -errno, "cannot find out which kernel is running");
	if (tfs_dso_running_build_id(&id, NULL) == -ENOMEM)
		return tfs_err_set(err, -ENOMEM, "cannot open the running kernel");
	rc = open_vmlinux(uts.release, id, opt, &tried, out);
	if (rc != -ENOENT)
		goto out;
	dso = new_running(uts.machine);
	if (!dso) {
		rc = -ENOMEM;
		goto out;
	}
	rc = 0;
	dso->build_id = id;
	dso->tried = tried;
	id = NULL;
	tfs_strvec_init(&tried);
	*out = dso;
out:
	free(id);
	tfs_strvec_release(&tried);
	return rc ? tfs_err_set(err, rc, "cannot open the running kernel's symbols") : 0;
}
